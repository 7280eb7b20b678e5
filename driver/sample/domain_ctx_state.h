/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data of a domain context, which is the state of a session on one domain. The functions are
 * declared in domain_ctx.h. Part of the sample layer.
 */
#ifndef UCORE_SAMPLE_DOMAIN_CTX_STATE_H
#define UCORE_SAMPLE_DOMAIN_CTX_STATE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/wait.h>

#include "box/counter.h"
#include "sample/ring.h"

struct ucore_pmi_regs;
struct ucore_domain;

/* Value flags that persist until RESET. */
#define UCORE_VALUE_F_STICKY	(UCORE_VALUE_F_MAYBE_WRAPPED | UCORE_VALUE_F_CONFLICT)

/**
 * struct ucore_sink - waiters for a session's records
 * @wait: pollers
 * @wake: irq work that wakes the pollers once the domain's lock is released
 * @context: permission to see the interrupted context (IP, PID, TID)
 */
struct ucore_sink {
	wait_queue_head_t wait;
	struct irq_work wake;
	bool context;
};

/**
 * struct ucore_stats - counters and costs of a context's samples and reads
 * @samples: samples taken or dropped
 * @lost: records lost in rings that have been freed
 * @overflows: overflows serviced
 * @recovered: overflows that the watchdog found
 * @polled: overflows that polling found
 * @polls: polls
 * @dropped: trigger periods without a sample
 * @delayed: periods of the timer or of polling delayed by the CPU time budget
 * @changed: conflict scans that found a control written by other software (conflict.c)
 * @parallel_reads: shares of reads done by helper CPUs
 * @cost_ns: CPU time (ns)
 * @frozen_ns: frozen time caused (ns)
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
 * struct ucore_domain_ctx_box - box of a domain context
 * @box: box
 * @shared: values of the box's shared registers
 * @armed_mask: global status bits that the armed counters may set
 * @control: box control as first read after START
 * @last: index of the counter added last, start of the ucore_counter.sibling list
 * @filters: the context's events use the shared registers
 * @joined: the context is included in box->users
 * @seen: @control is valid
 * @reported: a gap record has reported that the box is dead
 * @fixed: shared control of the fixed counters before a group switch
 * @first: index in the context's @order of the first counter that a freeze stops
 * @nr_frozen: number of counters that a freeze stops
 * @first_running: index in @order of the first counter that no freeze stops
 * @nr_running: number of counters that no freeze stops
 * @cost: register reads needed for all counters
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
 * struct ucore_parallel - CPUs that read a context together (parallel_read.c)
 * @size: number of readers the session wants; the reader alone if below 2
 * @chosen: the session has chosen the domain's PMI CPUs, which become the first helpers
 * @may: CPUs allowed as helpers in addition to the chosen ones, NULL for any
 * @cpu: reader, followed by the helper CPUs
 * @nr_cpus: number of entries in @cpu
 * @end: index after the last box of each share; the next share begins there
 * @nr: number of shares; the reader alone if below 2
 * @longest: register reads of the longest share
 *
 * While the context runs, the members from @cpu on need the domain's lock.
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
 * struct ucore_conflict - state of a context's conflict scans (conflict.c)
 * @last_scan: end of the last scan (ns)
 * @next: index of the box at which the current scan continues, 0 if no scan is in progress
 * @found: the current scan has found a conflict
 */
struct ucore_conflict {
	u64 last_scan;
	u32 next;
	bool found;
};

/**
 * struct ucore_domain_ctx - a session's state on one domain
 * @node: entry in the domain's list while the context runs
 * @next: next context of the session with counters, in domain order
 * @next_here: next context that the same CPU handles (rendezvous.c)
 * @index: index among the session's contexts with counters
 * @nr_events: number of the session's events on this domain
 * @domain: domain
 * @meets_on: CPU that executes the session's current command for this context
 * @sink: the session's pollers
 * @ring: the session's ring for this domain, or NULL
 * @ctr: counters, indexed by event
 * @nr_ctr: number of counters
 * @order: counters sorted by box, first those that a freeze stops
 * @address: register addresses in @order, for bulk reads
 * @raw: register values of the last bulk read, in @order
 * @bulk_ok: bulk reads are possible
 * @wrap_ns: smallest @wrap_ns of the counters (ns)
 * @box: boxes
 * @nr_box: number of boxes
 * @cpu: CPUs whose tasks are recorded, ascending
 * @nr_cpus: number of these CPUs, 0 for no tasks records
 * @armed_mask: global status bits of the armed boxes; 0 without an overflow trigger
 * @watchdog_ns: longest interval between reads that cannot miss a wrap (ns)
 * @timer_ns: period of the timer trigger (ns), 0: none
 * @timer: timer trigger, pinned to the reader
 * @timer_due: first instant of the timer grid with neither a sample nor a drop counted (ns)
 * @poll_ns: polling period (ns), 0: no polled counters
 * @poll: polling timer, pinned to the reader
 * @last_poll: time of the last poll (ns)
 * @conflict: conflict scans
 * @last_poll_clear: last time at which no polled period had ended (ns)
 * @late_ns: time from @last_poll_clear to the current interval (ns)
 * @rotate_ns: length of a group's time slice (ns), 0: no rotation
 * @rotate: rotation timer, pinned to the reader
 * @rotate_base: start of the first time slice, common to all domains of the session (ns)
 * @groups: the session's groups in rotation order
 * @nr_groups: number of groups
 * @group: group that counts in the current time slice
 * @slice_start_ns: time running at the start of the current time slice (ns)
 * @parallel: readers of the context
 * @box_freeze: an interval freezes the context's boxes, not the domain
 * @running: started, even if the domain has no CPU online
 * @due: a sample is to be written at the end of the interval
 * @fresh: counters have been read in the interval
 * @overflowed: a counter has UCORE_VALUE_F_OVERFLOW
 * @recovered: the watchdog found the overflow
 * @throttled: counters were throttled in this interval
 * @has_throttled: a counter is throttled (ucore_counter_throttle())
 * @polled: a polled period has ended
 * @delayed: the timer or polling was delayed; reported in the next sample
 * @gap_sample: the domain did not count for a while; reported in the next sample
 * @gap_read: the same as @gap_sample, for the next READ
 * @trigger: UCORE_TRIGGER_*
 * @core_context: context interrupted by the core event for UCORE_TRIGGER_CORE, else NULL
 * @trigger_event: lowest event id that overflowed
 * @last_read: time of the last read of the counters (ns)
 * @nr_reads: number of reads since the last STOP
 * @resumed: start of the current run (ns)
 * @frozen_base: the domain's frozen time at @resumed (ns)
 * @box_frozen_ns: frozen time of the boxes since @resumed (ns), with @box_freeze
 * @enabled_ns: time enabled before @resumed (ns)
 * @running_ns: time running before @resumed (ns)
 * @stats: counters and costs
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
	bool bulk_ok;
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
	struct ucore_conflict conflict;
	u64 last_poll_clear;
	u64 late_ns;
	u64 rotate_ns;
	struct hrtimer rotate;
	u64 rotate_base;
	const u8 *groups;
	u32 nr_groups;
	u8 group;
	u64 slice_start_ns;
	struct ucore_parallel parallel;
	bool box_freeze;

	bool running;
	bool due;
	bool fresh;
	bool overflowed;
	bool recovered;
	bool throttled;
	bool has_throttled;
	bool polled;
	bool delayed;
	bool gap_sample;
	bool gap_read;
	u32 trigger;
	const struct ucore_pmi_regs *core_context;
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

#endif /* UCORE_SAMPLE_DOMAIN_CTX_STATE_H */
