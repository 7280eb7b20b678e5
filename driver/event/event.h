/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events: convert (field, value) pairs to register words, and choose counters.
 *
 * Pure functions: no hardware access, no locks, no allocation.
 */
#ifndef UCORE_EVENT_H
#define UCORE_EVENT_H

#include <linux/list.h>

#include "box/box_registers.h"

struct ucore_claim;

/**
 * struct ucore_event_spec - requirements of an event on its box
 * @value: words for the box's registers (index UCORE_SLOT_*), with the values of the event's fields
 * @claimed: for each word of @value, mask of the bits that belong to the event's fields
 * @filters: the event sets registers that all counters of the box share, or its count depends
 *           on their contents
 * @resets: START resets an occupancy counter of the box (OCC_RST), which other events may use
 * @perfmon_filters: the event sets a field of these registers that needs CAP_PERFMON
 * @counters: mask of the counters that the event may use, with bits as in
 *            ucore_add_event.counters
 * @period: overflow period (counts), 0 for none
 * @poll_ns: time from one poll of the counter to the next (ns), 0 if the counter interrupts or
 *           has no @period
 * @fallback_poll_ns: as @poll_ns, for a counter whose overflows turn out to be unreported; 0 if
 *                    the counter must not be polled or the period is too short for polls
 * @status_poll_ns: time from one poll of the global status to the next (ns), for a counter whose
 *                  overflows freeze the domain without a PMI; 0 if they send a PMI
 */
struct ucore_event_spec {
	u64 value[UCORE_NR_SLOTS];
	u64 claimed[UCORE_NR_SLOTS];
	bool filters;
	bool resets;
	bool perfmon_filters;
	u64 counters;
	u64 period;
	u64 poll_ns;
	u64 fallback_poll_ns;
	u64 status_poll_ns;
};

/**
 * struct ucore_event - an event of a session
 * @node: entry in the session's list of events, by ascending id
 * @id: event id, unique in the session
 * @box: box that counts the event
 * @claim: the session's claim on @box
 * @claim_node: entry in the list of the claim's events
 * @spec: register words, counters and period of the event
 * @perfmon: the event was added with CAP_PERFMON
 * @group: group in whose time slices the event counts, or 0 for an event that always counts
 * @joins: mask of the counters on which other sessions count the same event, so that the event may
 *         use them, too; bits as in @spec.counters
 * @counter: number of the chosen counter, as in ucore_add_event.counter
 * @total: count at the last STOP, with which the next START continues
 * @flags: UCORE_VALUE_F_* at the last STOP
 * @ran_ns: time in which the event could count (ns), up to the last STOP
 */
struct ucore_event {
	struct list_head node;
	u32 id;
	struct ucore_box *box;
	struct ucore_claim *claim;
	struct list_head claim_node;
	struct ucore_event_spec spec;
	bool perfmon;
	u8 group;
	u64 joins;
	u8 counter;
	u64 total;
	u32 flags;
	u64 ran_ns;
};

/**
 * struct ucore_filters - what the events of a session on a box require of its shared registers
 * @used: an event sets registers that all counters of the box share
 * @resets: an event resets an occupancy counter of the box
 * @perfmon: an event sets a field of these registers that needs CAP_PERFMON
 * @unprivileged: an event was added without CAP_PERFMON
 * @shared: values required in these registers
 */
struct ucore_filters {
	bool used;
	bool resets;
	bool perfmon;
	bool unprivileged;
	u64 shared[UCORE_MAX_SHARED];
};

/**
 * enum ucore_period_end - how the end of an event's period is noticed
 * @UCORE_END_ANY: by an overflow interrupt, or by polls of the counter if it cannot interrupt
 * @UCORE_END_INTERRUPT: by an overflow interrupt only (UCORE_EVENT_F_NO_POLL)
 * @UCORE_END_FREEZE: by an overflow that freezes the domain, and polls of the global status
 *                    (UCORE_SESSION_F_NO_PMI)
 * @UCORE_END_POLL: by polls of the counter, because no trial of overflows is possible now
 */
enum ucore_period_end {
	UCORE_END_ANY,
	UCORE_END_INTERRUPT,
	UCORE_END_FREEZE,
	UCORE_END_POLL,
};

/* Upper limit of uncore clock frequencies (Hz). Bounds the rate at which a counter can count. */
#define UCORE_MAX_CLOCK_HZ	5000000000ULL

bool ucore_field_known(u32 field);
void ucore_field_describe(const struct ucore_box *box, u32 i, struct ucore_field_info *out);
bool ucore_field_present(const struct ucore_box *box, const struct ucore_field_desc *desc);

int ucore_event_encode(const struct ucore_box *box, const struct ucore_term *terms,
		       u32 nr, struct ucore_event_spec *spec);
bool ucore_event_needs_trial(const struct ucore_box *box, enum ucore_period_end end);
bool ucore_event_needs_perfmon(const struct ucore_term *terms, u32 nr);
int ucore_event_restrict(const struct ucore_box *box, u64 counters, u64 period,
			 enum ucore_period_end end, struct ucore_event_spec *spec);
u64 ucore_event_fixed(const struct ucore_box_type *type, u64 ctl, u32 counter, bool period);
bool ucore_event_conflicts(const struct ucore_event_spec *a,
			   const struct ucore_event_spec *b);
void ucore_filters_add(struct ucore_filters *filters, const struct ucore_event *event);
bool ucore_filters_agree(const struct ucore_filters *a, const struct ucore_filters *b);
bool ucore_event_assign(const u64 *allowed, u32 nr, u8 *counter);
u32 ucore_event_max_increment(const struct ucore_box_type *type, u64 ctl, bool fixed);
u64 ucore_event_wrap_ns(u32 bits, u32 max_increment);

#endif /* UCORE_EVENT_H */
