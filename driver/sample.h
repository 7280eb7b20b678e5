/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples: the one path from a trigger to a record.
 *
 * A part is what a session has on one domain: counters, a ring, times.  An
 * interval ends on a frozen domain:
 *
 *	ucore_interval_begin()	freeze; who overflowed?
 *	   ... the caller's business: read a part, stop it, reset it ...
 *	ucore_interval_end()	read what is due, acknowledge, re-arm, release
 *				the domain, and only then write the records
 *
 * All of it runs under the domain's lock, on a CPU of the domain, interrupts off.
 */
#ifndef UCORE_SAMPLE_H
#define UCORE_SAMPLE_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/wait.h>

#include "box.h"
#include "domain.h"
#include "ring.h"

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
 * @samples: samples taken
 * @overflows: overflows handled
 * @recovered: of these, found by the guard
 * @cost_ns: CPU time
 * @frozen_ns: time the domain was frozen for them
 * @reads: register reads
 * @writes: register writes
 */
struct ucore_stats {
	u64 samples;
	u64 overflows;
	u64 recovered;
	u64 cost_ns;
	u64 frozen_ns;
	u64 reads;
	u64 writes;
};

/**
 * struct ucore_part_box - one box of a part
 * @box: the box
 * @shared: values of its shared registers
 * @armed_mask: global status bits that its armed counters may set
 * @status: box status read at the present interval's end
 * @last: its counter that was added last; from there on ucore_counter.sibling
 * @reported: its death is in the ring
 */
struct ucore_part_box {
	struct ucore_box *box;
	u64 shared[UCORE_MAX_SHARED];
	u64 armed_mask;
	u64 status;
	u32 last;
	bool reported;
};

/**
 * struct ucore_part - a session on one domain
 * @node: in the domain's list while it runs
 * @domain: the domain
 * @meets_on: CPU that does what the session last asked for here
 * @sink: the session's pollers
 * @ring: the session's ring here, or NULL
 * @ctr: counters, by event id
 * @nr_ctr: how many
 * @box: boxes
 * @nr_box: how many
 * @armed_mask: global status bits of its armed boxes, 0 without overflow trigger
 * @guard_ns: a read at least this often misses no wrap
 * @timer_ns: period of the timer trigger, 0 for none
 * @timer: timer trigger, pinned to the reader
 * @low_dword: read low halves while that is exact
 * @running: counts, or would if its domain had a CPU
 * @due: a record is to be written at this interval's end
 * @fresh: counters have been read at this interval's end
 * @recovered: the overflow was found by the guard
 * @trigger: UCORE_TRIGGER_*
 * @trigger_event: lowest event that overflowed
 * @last_read: when the counters were last read
 * @nr_reads: times they were
 * @resumed: since when it runs
 * @frozen_base: the domain's frozen time then
 * @enabled_ns: time enabled before that
 * @running_ns: time running before that
 * @stats: costs
 */
struct ucore_part {
	struct list_head node;
	struct ucore_domain *domain;
	int meets_on;
	struct ucore_sink *sink;
	struct ucore_ring *ring;
	struct ucore_counter *ctr;
	u32 nr_ctr;
	struct ucore_part_box *box;
	u32 nr_box;
	u64 armed_mask;
	u64 guard_ns;
	u64 timer_ns;
	struct hrtimer timer;
	bool low_dword;

	bool running;
	bool due;
	bool fresh;
	bool recovered;
	u32 trigger;
	u32 trigger_event;
	u64 last_read;
	u64 nr_reads;
	u64 resumed;
	u64 frozen_base;
	u64 enabled_ns;
	u64 running_ns;
	struct ucore_stats stats;
};

/**
 * struct ucore_interval - an interval that is ending
 * @domain: where
 * @now: the instant: when the domain froze
 * @frozen_before: how long the domain had been frozen before that
 * @status: global status bits that are being serviced
 * @walk: the same, widened if they do not tell whose they are
 * @context: what was interrupted
 * @has_context: that is known
 * @recovered: the guard found it
 * @tally: the domain's accesses at the beginning
 */
struct ucore_interval {
	struct ucore_domain *domain;
	u64 now;
	u64 frozen_before;
	u64 status;
	u64 walk;
	struct ucore_context context;
	bool has_context;
	bool recovered;
	struct ucore_tally tally;
};

void ucore_interval_begin(struct ucore_interval *iv, struct ucore_domain *domain, u64 now);
void ucore_interval_begin_overflow(struct ucore_interval *iv, struct ucore_domain *domain,
				   u64 now, bool recovered);
void ucore_interval_set_context(struct ucore_interval *iv, const struct ucore_context *context);
void ucore_interval_end(struct ucore_interval *iv);

void ucore_part_program(struct ucore_part *part);
void ucore_part_go(struct ucore_part *part, u64 now);
void ucore_part_halt(struct ucore_interval *iv, struct ucore_part *part);
void ucore_part_read(struct ucore_interval *iv, struct ucore_part *part);
void ucore_part_read_running(struct ucore_part *part, u64 now);
void ucore_part_reset(struct ucore_interval *iv, struct ucore_part *part);
void ucore_part_times(const struct ucore_part *part, u64 now, u64 before, u64 *enabled,
		      u64 *running);
void ucore_part_timer_due(struct ucore_interval *iv, struct ucore_part *part);
void ucore_part_gap(struct ucore_part *part, u64 now, u32 reason, int from, int to, u32 box);

#endif /* UCORE_SAMPLE_H */
