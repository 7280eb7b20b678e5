/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims: the counters and shared registers of a box that a session holds. */
#ifndef UCORE_CLAIM_H
#define UCORE_CLAIM_H

#include <linux/list.h>

#include "event/event.h"

struct ucore_box_info;
struct ucore_session;

/**
 * struct ucore_claim - the counters and filter values of one box that one session holds
 * @node: entry in the box's list of claims, oldest first; like @counters and @filters
 *        protected by the catalog's lock
 * @ctx_node: entry in ucore_domain_ctx.claims of the session's context; like @events protected by
 *            the session's lock
 * @session: session that owns the claim
 * @box: claimed box
 * @alone: no other session may use the box, because the session freezes single boxes
 *         (UCORE_SESSION_F_BOX_FREEZE)
 * @events: the session's events on the box, ascending by group, then by id
 * @counters: mask of the counters that the session holds, with bits as in
 *            ucore_add_event.counters; free-running counters are not held
 * @filters: what the session requires of the registers that all counters of the box share
 * @ctx_index: index in ucore_domain_ctx.box of the session's context; protected by the
 *             session's lock
 */
struct ucore_claim {
	struct list_head node;
	struct list_head ctx_node;
	struct ucore_session *session;
	struct ucore_box *box;
	bool alone;
	struct list_head events;
	u64 counters;
	struct ucore_filters filters;
	u32 ctx_index;
};

struct ucore_claim *ucore_claim_get(struct ucore_session *session, struct ucore_box *box,
				    bool trial, bool interrupt);
int ucore_claim_add_event(struct ucore_claim *claim, struct ucore_event *new);
void ucore_claim_remove_event(struct ucore_event *event);
void ucore_claim_drop_event(struct ucore_event *event);
void ucore_claim_settle(struct ucore_claim *claim);
void ucore_claim_restore_boxes(struct ucore_session *session);
void ucore_claim_describe(const struct ucore_box *box, struct ucore_box_info *out);

#endif /* UCORE_CLAIM_H */
