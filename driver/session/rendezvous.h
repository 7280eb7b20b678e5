/* SPDX-License-Identifier: GPL-2.0-only */
/* Meetings: the readers of a session's domains do a thing together. */
#ifndef UCORE_MEET_H
#define UCORE_MEET_H

#include <linux/atomic.h>
#include <linux/types.h>

struct ucore_domain_ctx;
struct ucore_session;

/**
 * struct ucore_rendezvous_state - a thing that readers do together
 * @session: the session; set by ucore_rendezvous()
 * @prepare: what comes before they wait for each other, with the domain's lock
 *           held from then on; may be NULL
 * @act: what they do, with the domain's lock held
 * @together: before @act they wait for each other
 * @nested: @act is called for the first of a CPU's parts, and does the others itself
 * @base: instant from which timers count: when the first of them had acted; 0 before
 * @missing: how many readers have not arrived yet
 */
struct ucore_rendezvous_state {
	struct ucore_session *session;
	void (*prepare)(struct ucore_domain_ctx *ctx);
	void (*act)(struct ucore_domain_ctx *ctx, const struct ucore_rendezvous_state *m);
	bool together;
	bool nested;
	atomic64_t *base;
	atomic_t missing;
};

void ucore_rendezvous(struct ucore_session *session, struct ucore_rendezvous_state *m);

#endif /* UCORE_MEET_H */
