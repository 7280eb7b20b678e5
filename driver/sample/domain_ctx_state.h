/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a session has on one domain, as data; part.h has what is done with it.
 */
#ifndef UCORE_SAMPLE_STATE_H
#define UCORE_SAMPLE_STATE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/wait.h>

#include "box/box.h"
#include "sample/ring.h"

struct ucore_pmi_regs;
struct ucore_domain;

/* What a value says of the past, which RESET forgets. */
#define UCORE_VALUE_F_STICKY	(UCORE_VALUE_F_MAYBE_WRAPPED | UCORE_VALUE_F_CONFLICT)

/**
 * struct ucore_sink - who waits for a session's records
 * @wait: pollers
 * @wake: wakes them, from a context in which that is allowed
 * @context: may see what was interrupted
 */
struct ucore_sink {
	wait_queue_head_t wait;
	struct irq_work wake;
	bool context;
};

/**
 * struct ucore_stats - what a part's samples and reads cost
 * @samples: samples taken, or due at periods of the timer that were dropped
 * @lost: records that found no room in rings that are gone
 * @overflows: overflows handled
 * @recovered: how many of these the guard found
 * @polled: how many of these polling found
 * @polls: looks
 * @dropped: periods of the timer that were dropped
 * @delayed: times that the timer or the next look was put off
 * @changed: looks that found a control which somebody else has written (watch.c)
 * @parallel_reads: shares that helpers of a crew have read
 * @cost_ns: CPU time
 * @frozen_ns: time the domain was frozen for them
 * @reads: register reads
 * @writes: register writes
 */
struct ucore_stats {
	u64 samples;
	u64 lost;
	u64 overflows;
	u64 recovered;
	u64 polled;
	u64 polls;
	u64 dropped;
	u64 delayed;
	u32 changed;
	u64 parallel_reads;
	u64 cost_ns;
	u64 frozen_ns;
	u64 reads;
	u64 writes;
};

/**
 * struct ucore_domain_ctx_box - one box of a part
 * @box: the box
 * @shared: values of its shared registers
 * @filters: the part's events say something of these
 * @joined: it counts among the box's users
 * @control: its box control, as first seen after START
 * @seen: @control is valid
 * @armed_mask: global status bits that its armed counters may set
 * @last: index of the counter that was added last; ucore_counter.sibling leads to the
 *        others
 * @reported: a record in the ring tells that it died
 * @fixed: the control that its fixed counters share, before a switch
 * @first: place of its counters that a freeze reaches in the part's @order
 * @nr_frozen: how many these are
 * @first_running: place of the others
 * @nr_running: how many these are
 * @cost: register reads that its counters take
 */
struct ucore_domain_ctx_box {
	struct ucore_box *box;
	u64 shared[UCORE_MAX_SHARED];
	u64 armed_mask;
	u64 control;
	u32 last;
	bool filters;
	bool joined;
	bool seen;
	bool reported;
	u64 fixed;
	u32 first;
	u32 nr_frozen;
	u32 first_running;
	u32 nr_running;
	u32 cost;
};

/**
 * struct ucore_parallel - the CPUs that read a part together (crew.c)
 * @size: how many the session wants; below 2: the reader alone
 * @may: CPUs that may help though nobody has chosen them; NULL: any
 * @chosen: the session has chosen the domain's PMI CPUs: these help first
 * @cpu: the reader and those that help it
 * @nr_cpus: how many
 * @end: the boxes of share i end before this one; those of the next begin with it
 * @nr: shares; below 2: the reader alone
 * @longest: register reads of the longest one
 *
 * From @cpu on under the domain's lock while the part runs.
 */
struct ucore_parallel {
	u32 size;
	bool chosen;
	const struct cpumask *may;
	int cpu[UCORE_READERS_MAX];
	u32 nr_cpus;
	u32 end[UCORE_READERS_MAX];
	u32 nr;
	u32 longest;
};

/**
 * struct ucore_conflict - looks at a part's controls (watch.c)
 * @looked: when the last one ended
 * @next: the box at which the one under way goes on; 0: none is
 * @found: it has found something
 */
struct ucore_conflict {
	u64 looked;
	u32 next;
	bool found;
};

/**
 * struct ucore_domain_ctx - a session on one domain
 * @node: in the domain's list while it runs
 * @next: the session's next part that has counters, in the order of domains
 * @next_here: the next one that the same CPU reads (meet.c)
 * @index: place among the session's parts that have counters
 * @nr_events: events that the session has here
 * @domain: the domain
 * @meets_on: CPU that does what the session last asked for here
 * @sink: the session's pollers
 * @ring: the session's ring here, or NULL
 * @ctr: counters, by event id
 * @nr_ctr: how many
 * @order: the counters, box by box; first those of all boxes that a freeze reaches
 * @address: where these are read
 * @raw: what they showed
 * @many: they can be read so
 * @wrap_ns: the least @wrap_ns of the counters
 * @box: boxes
 * @nr_box: how many
 * @cpu: CPUs whose tasks its samples tell, rising
 * @nr_cpus: how many; 0: they tell none
 * @armed_mask: global status bits of its armed boxes, 0 without overflow trigger
 * @guard_ns: a read at least this often misses no wrap
 * @timer_ns: period of the timer trigger, 0 for none
 * @timer: timer trigger, pinned to the reader
 * @timer_due: first instant of its grid that had no sample and is not counted as dropped
 * @poll_ns: how often to look at counters whose periods are polled, 0: there are none
 * @poll: timer that does, pinned to the reader
 * @last_poll: when it last did
 * @watch: when its controls were looked at (watch.c)
 * @looked: the last instant of which it is known that no polled period was over
 * @late_ns: how long before the present interval that was
 * @rotate_ns: how long a group's turn is, 0: nothing takes turns here
 * @rotate: timer that ends turns, pinned to the reader
 * @rotate_base: when the first group's first turn began, on all domains of the session
 * @groups: the session's groups, in the order of their turns
 * @nr_groups: how many
 * @group: whose turn it is
 * @turn_ns: time running when that began
 * @crew: who reads it
 * @box_freeze: it freezes its own boxes, not the domain
 * @running: counts, or would if its domain had a CPU
 * @due: a record is to be written at this interval's end
 * @fresh: counters have been read at this interval's end
 * @overflowed: some counters have UCORE_VALUE_F_OVERFLOW
 * @recovered: the overflow was found by the guard
 * @throttled: from this interval on counters rest whose periods have ended
 * @resting: some of its counters rest (ucore_counter_throttle())
 * @polled: a polled period has ended
 * @stretched: the timer or a look was put off: the next sample tells
 * @gap_sample: its domain did not count for a while: the next sample tells
 * @gap_read: the same, for the next READ
 * @trigger: UCORE_TRIGGER_*
 * @by: of UCORE_TRIGGER_CORE: what the core event interrupted, else NULL
 * @trigger_event: lowest event that overflowed
 * @last_read: when the counters were last read
 * @nr_reads: times they were, since the last STOP
 * @resumed: when it began to run last
 * @frozen_base: the domain's frozen time at @resumed
 * @box_frozen_ns: with @box_freeze: how long its boxes were frozen since @resumed
 * @enabled_ns: time enabled before @resumed
 * @running_ns: time running before @resumed
 * @stats: costs
 */
struct ucore_domain_ctx {
	struct list_head node;
	struct ucore_domain_ctx *next;
	struct ucore_domain_ctx *next_here;
	u32 index;
	u32 nr_events;
	struct ucore_domain *domain;
	int meets_on;
	struct ucore_sink *sink;
	struct ucore_ring *ring;
	struct ucore_counter *ctr;
	u32 nr_ctr;
	struct ucore_counter **order;
	unsigned long *address;
	u64 *raw;
	bool many;
	u64 wrap_ns;
	struct ucore_domain_ctx_box *box;
	u32 nr_box;
	u32 *cpu;
	u32 nr_cpus;
	u64 armed_mask;
	u64 watchdog_ns;
	u64 timer_ns;
	struct hrtimer timer;
	u64 timer_due;
	u64 poll_ns;
	struct hrtimer poll;
	u64 last_poll;
	struct ucore_conflict watch;
	u64 looked;
	u64 late_ns;
	u64 rotate_ns;
	struct hrtimer rotate;
	u64 rotate_base;
	const u8 *groups;
	u32 nr_groups;
	u8 group;
	u64 turn_ns;
	struct ucore_parallel parallel;
	bool box_freeze;

	bool running;
	bool due;
	bool fresh;
	bool overflowed;
	bool recovered;
	bool throttled;
	bool resting;
	bool polled;
	bool stretched;
	bool gap_sample;
	bool gap_read;
	u32 trigger;
	const struct ucore_pmi_regs *by;
	u32 trigger_event;
	u64 last_read;
	u64 nr_reads;
	u64 resumed;
	u64 frozen_base;
	u64 box_frozen_ns;
	u64 enabled_ns;
	u64 running_ns;
	struct ucore_stats stats;
};

#endif /* UCORE_SAMPLE_STATE_H */
