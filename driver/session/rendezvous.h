/* SPDX-License-Identifier: GPL-2.0-only */
/* Rendezvous: the readers of a session's domains execute a function together. */
#ifndef UCORE_RENDEZVOUS_H
#define UCORE_RENDEZVOUS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct ucore_domain_ctx;
struct ucore_session;

/**
 * struct ucore_rendezvous_state - a rendezvous in progress
 * @session: session whose readers execute @act; set by ucore_rendezvous()
 * @prepare: function called for each context after all readers have arrived, with the domain's
 *           lock held, or NULL. The readers then wait for each other again, with their domains
 *           locked.
 * @act: function to execute for each context, called with the domain's lock held
 * @together: the readers wait for each other before @prepare and @act, so that all begin @act at
 *            once
 * @nested: @act is called for the first context of a CPU only, and handles the others itself
 * @base: instant at which all timers of the session begin (ns), set by the first reader that
 *        executes @act; 0 before. Only for START, otherwise NULL.
 * @missing: number of readers that have not reached the rendezvous yet
 * @unprepared: number of readers that have not called @prepare yet
 */
struct ucore_rendezvous_state {
	struct ucore_session *session;
	void (*prepare)(struct ucore_domain_ctx *ctx);
	void (*act)(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m);
	bool together;
	bool nested;
	atomic64_t *base;
	atomic_t missing;
	atomic_t unprepared;
};

void ucore_rendezvous(struct ucore_session *session, struct ucore_rendezvous_state *m);

#endif /* UCORE_RENDEZVOUS_H */
