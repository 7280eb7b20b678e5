/* SPDX-License-Identifier: GPL-2.0-only */
/* Claims: what sessions have of boxes. */
#ifndef UCORE_CLAIM_H
#define UCORE_CLAIM_H

#include <linux/list.h>

#include "session/event.h"

struct ucore_box_info;
struct ucore_session;

/**
 * struct ucore_claim - what a session has of a box
 * @node: in the box's list, the oldest first; guarded by the catalog's lock, as are
 *        @counters, @filters and @shared
 * @session: whose it is
 * @box: the box
 * @alone: the session freezes the box by the box's own control: nobody else may have it
 * @nr_events: its events there; the session's lock
 * @counters: counters that these have, bits as in ucore_add_event.counters, but for those
 *            that anybody may read
 * @filters: some of these say something of the shared registers
 * @shared: what they are to hold for them
 * @part_index: place in the session's part; the session's lock
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
void ucore_claims_give_back(struct ucore_session *session);
void ucore_claim_describe(const struct ucore_box *box, struct ucore_box_info *out);

#endif /* UCORE_CLAIM_H */
