/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims: the counters and shared registers of a box that a session holds. */
#ifndef UCORE_CLAIM_H
#define UCORE_CLAIM_H

#include <linux/list.h>

#include "session/event.h"

struct ucore_box_info;
struct ucore_session;

/**
 * struct ucore_claim - the share of one session in one box
 * @node: in the list of the box, oldest first; like @counters, @filters and @shared protected
 *        by the catalog's lock
 * @session: owner of the claim
 * @box: the box
 * @alone: the session uses the box's own freeze, so that no other session may use the box
 * @nr_events: number of the session's events on the box; protected by the session's lock
 * @counters: counters held, as bits like ucore_add_event.counters; without free-running
 *            counters
 * @filters: an event of the claim sets shared registers
 * @shared: values of the shared registers that the events require
 * @ctx_index: index of the box in the session's domain context; protected by the session's
 *             lock
 */
struct ucore_claim {
	struct list_head node;
	struct ucore_session *session;
	struct ucore_box *box;
	bool alone;
	u32 nr_events;
	u64 counters;
	bool filters;
	u64 shared[UCORE_MAX_SHARED];
	u32 ctx_index;
};

struct ucore_claim *ucore_claim_get(struct ucore_session *session, struct ucore_box *box);
int ucore_claim_place(struct ucore_claim *claim, struct ucore_event *new);
void ucore_claim_settle(struct ucore_claim *claim);
void ucore_claim_restore_boxes(struct ucore_session *session);
void ucore_claim_describe(const struct ucore_box *box, struct ucore_box_info *out);

#endif /* UCORE_CLAIM_H */
