/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data of a domain context, which is the state of a session on one domain. The functions are
 * declared in domain_ctx_counters.h. Part of the sample layer.
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
 * struct ucore_sink - consumer of a session's records
 * @wait: wait queue of the tasks that poll the session
 * @wake: irq_work that wakes these tasks after the domain's lock is released
 * @context: the consumer may see the interrupted context (IP, PID, TID), because the opener of
 *           the device had CAP_PERFMON
 */
struct ucore_sink {
	wait_queue_head_t wait;
	struct irq_work wake;
	bool context;
};

/**
 * struct ucore_stats - statistics of a context's samples and reads, for GET_STATUS and GET_BUDGET
 * @samples: number of samples taken or dropped
 * @lost: number of records lost in rings that have been freed
 * @overflows: number of overflows serviced
 * @recovered: number of overflows that the watchdog found because their PMI was lost
 * @polled: number of overflows that polling found
 * @polls: number of polls of counters that cannot interrupt, and of the global status
 * @dropped: number of trigger periods without a sample
 * @delayed: number of times that the CPU time budget delayed a timer, or prevented the sample of
 *           a core trigger
 * @changed: number of conflict scans that found a control written by other software (conflict.c)
 * @parallel_reads: number of times that a helper CPU read some of the boxes (parallel_read.c)
 * @cost_ns: CPU time of samples, READs and polls (ns)
 * @frozen_ns: time for which samples and READs froze the domain or its boxes (ns)
 * @reads: number of register reads for samples, READs and polls
 * @writes: number of register writes for samples and READs
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
 * struct ucore_domain_ctx_box - a box on which a domain context has counters
 * @box: box on which the context has counters
 * @shared: values that the context's events require in the registers that all counters of the
 *          box share (filters, matches)
 * @armed_mask: mask of the global status bits that the context's armed counters may set
 * @control: value of the box control as first read after START, for conflict scans
 * @last: index in ucore_domain_ctx.ctr of the box's counter added last, which starts the list
 *        ucore_counter.sibling
 * @filters: the context's events use the shared registers
 * @joined: box->users includes the context
 * @seen: @control is valid
 * @reported: a gap record has reported that the box is dead
 * @fixed: value, before a group switch, of the control that all fixed counters of the box share
 * @first: index in ucore_domain_ctx.order of the first counter that a freeze stops
 * @nr_frozen: number of the context's counters that a freeze stops
 * @first_running: index in ucore_domain_ctx.order of the first counter that no freeze stops
 * @nr_running: number of the context's counters that no freeze stops
 * @cost: number of register reads needed to read the context's counters on the box
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
 * @size: number of CPUs that the session requests (ucore_create_session.nr_readers); below 2
 *        the reader reads alone
 * @chosen: the session has chosen the domain's PMI CPUs, which become the first helper CPUs
 * @may: mask of the CPUs allowed as helper CPUs in addition to the chosen ones, NULL for any
 * @cpu: the reader, followed by the helper CPUs
 * @nr_cpus: number of entries in @cpu
 * @end: for each share of the boxes, index in ucore_domain_ctx.box after the share's last box,
 *       where the next share begins
 * @nr: number of shares, into which the boxes are divided; below 2 the reader reads alone
 * @longest: number of register reads of the share with most reads
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
 * @last_scan: time at which the last scan ended (ns)
 * @next: index in ucore_domain_ctx.box of the box at which the current scan continues, 0 if no
 *        scan is in progress
 * @found: the current scan has found a conflict
 */
struct ucore_conflict {
	u64 last_scan;
	u32 next;
	bool found;
};

/**
 * struct ucore_domain_ctx - a session's state on one domain
 * @node: entry in the domain's list of contexts from START to STOP
 * @next: next context of the session with counters, in the order of domain ids
 * @next_here: next context that the same CPU handles in a rendezvous (rendezvous.c)
 * @index: index among the session's contexts with counters
 * @nr_events: number of the session's events on this domain
 * @claims: the session's claims on boxes of this domain (struct ucore_claim)
 * @nr_claims: length of @claims
 * @domain: domain on which the context counts
 * @meets_on: CPU that executes the session's current rendezvous for this context
 * @sink: consumer of the session's records
 * @ring: the session's ring for this domain, or NULL
 * @ctr: array of the counters, in the order of event ids
 * @nr_ctr: number of entries in @ctr
 * @always: list of the counters of group 0, in the order of @ctr
 * @in_group: lists of the counters of each other group, in the order of @ctr; NULL if the
 *            session does not rotate (ucore_session.rotate_ns)
 * @turns: registers that groups use in turn: UCORE_MAX_COUNTERS entries for each entry of @box,
 *         NULL if the session does not rotate
 * @global_bits: mask of the bits of the counters in a global status that has a bit for each
 *               counter
 * @order: pointers to the counters in the order of bulk reads: first those that a freeze stops,
 *         box by box, then the others
 * @address: register addresses of the counters, in the order of @order, for bulk reads
 * @raw: register values of the last bulk read, in the order of @order
 * @bulk_ok: the register windows of all boxes support bulk reads
 * @wrap_ns: smallest ucore_counter.wrap_ns of all counters (ns), U64_MAX if none can wrap unnoticed
 * @box: array of the boxes on which the session has counters
 * @nr_box: number of entries in @box
 * @cpu: array of the CPUs whose tasks are recorded, ascending
 * @nr_cpus: number of entries in @cpu, 0 for no TASKS records
 * @armed_mask: mask of the global status bits of the boxes with armed counters; 0 without an
 *              overflow trigger
 * @watchdog_ns: longest time between two reads that cannot miss a wrap of a counter (ns)
 * @timer_ns: period of the timer trigger (ns), 0: none
 * @timer: hrtimer of the timer trigger, pinned to the reader
 * @timer_due: first expiry of @timer with neither a sample nor a drop counted (ns)
 * @status_poll_ns: longest time from one poll of the global status to the next (ns), if the
 *                  context's overflows need no PMI (UCORE_SESSION_F_NO_PMI). 0: they need one, or
 *                  @armed_mask is 0
 * @poll_ns: time from one poll to the next (ns), 0: no polled counters
 * @poll: hrtimer of polls, pinned to the reader
 * @last_poll: instant of the last poll (ns)
 * @silent_read: instant of the last read of armed counters whose boxes have reported no overflow
 *               (irq/unreported_overflow.c) (ns)
 * @silent_before: instant of the read before @silent_read (ns)
 * @conflict: state of the conflict scans
 * @last_poll_clear: instant of the last poll that found no finished period (ns)
 * @late_ns: time from @last_poll_clear to the current readout (ns)
 * @rotate_ns: length of a group's time slice (ns), 0: no rotation
 * @rotate: hrtimer that ends time slices, pinned to the reader
 * @rotate_base: start of the first time slice, common to all domains of the session (ns)
 * @groups: ids of the session's groups in the order of rotation
 * @nr_groups: number of entries in @groups, 0 without groups
 * @group: id of the group that counts in the current time slice
 * @slice_start_ns: time running of the context at the start of the current time slice (ns)
 * @slice_since: start of the current time slice (ns)
 * @parallel: CPUs that read the context, and their shares of the boxes
 * @box_freeze: a readout freezes the context's boxes one by one, not the domain
 * @multiplex: the session agrees to count in turns with others (UCORE_SESSION_F_MULTIPLEX)
 * @multiplex_node: entry in ucore_domain.multiplexed
 * @running: the context counts: it was started, and its domain has a reader
 * @paused: the context is running, but other contexts use its counters in this time slice
 * @due: a sample must be written at the end of the readout
 * @fresh: the counters have been read in the current readout
 * @overflowed: a counter has UCORE_VALUE_F_OVERFLOW
 * @recovered: the watchdog found the overflow of the current readout
 * @throttled: counters were throttled in the current readout
 * @has_throttled: a counter of the context is throttled (ucore_counter_throttle())
 * @polled: a polled period has ended in the current readout
 * @delayed: the budget delayed a timer or a core trigger; reported in the next sample
 * @gap_sample: the domain did not count for some time; reported in the next sample
 * @gap_read: the domain did not count for some time; reported by the next READ
 * @gap_reported: the last READ has reported that the domain did not count for some time
 * @trigger: cause of the due sample, UCORE_TRIGGER_*
 * @core_context: for UCORE_TRIGGER_CORE, the context that the core event interrupted (IP, PID,
 *                TID), else NULL
 * @trigger_event: lowest id of the events whose periods ended in the current readout, or
 *                 UCORE_EVENT_NONE
 * @last_read: instant of the last read of the counters (ns)
 * @nr_reads: number of reads of the counters since the last STOP
 * @resumed: instant (ns) of the last start of counting: START, RESET, or resume of the domain
 * @frozen_base: total frozen time of the domain at @resumed (ns)
 * @box_frozen_ns: time for which readouts froze the boxes since @resumed (ns), with @box_freeze
 * @enabled_ns: time enabled up to @resumed (ns)
 * @running_ns: time running up to @resumed (ns)
 * @paused_ns: part of @running_ns in which the context was paused (ns)
 * @paused_at: instant at which the current pause began (ns)
 * @paused_from: time running at the begin of the current pause (ns)
 * @stopped: instant of the freeze of the last STOP (ns), 0 if the domain did not take part in it
 * @stopped_skew_ns: skew of that freeze, as in ucore_read_domain.skew_ns (ns)
 * @stats: statistics of samples and reads
 */
struct ucore_domain_ctx {
	struct list_head node;
	struct ucore_domain_ctx *next;
	struct ucore_domain_ctx *next_here;
	u32 index;
	u32 nr_events;
	struct list_head claims;
	u32 nr_claims;
	struct ucore_domain *domain;
	int meets_on;
	struct ucore_sink *sink;
	struct ucore_ring *ring;
	struct ucore_counter *ctr;
	u32 nr_ctr;
	struct ucore_counter *always;
	struct ucore_counter **in_group;
	struct ucore_register_turns *turns;
	u64 global_bits;
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
	u64 status_poll_ns;
	u64 poll_ns;
	struct hrtimer poll;
	u64 last_poll;
	u64 silent_read;
	u64 silent_before;
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
	u64 slice_since;
	struct ucore_parallel parallel;
	bool box_freeze;
	bool multiplex;
	struct list_head multiplex_node;

	bool running;
	bool paused;
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
	bool gap_reported;
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
	u64 paused_ns;
	u64 paused_at;
	u64 paused_from;
	u64 stopped;
	u64 stopped_skew_ns;
	struct ucore_stats stats;
};

#endif /* UCORE_SAMPLE_DOMAIN_CTX_STATE_H */
