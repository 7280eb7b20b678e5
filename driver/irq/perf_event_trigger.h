/* SPDX-License-Identifier: GPL-2.0-only */
/* Core triggers: perf counts an event on a core, and its overflows trigger samples of the die. */
#ifndef UCORE_PERF_EVENT_TRIGGER_H
#define UCORE_PERF_EVENT_TRIGGER_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/types.h>

#include "sample/readout.h"

struct perf_event;
struct perf_event_attr;
struct task_struct;

/**
 * struct ucore_perf_trigger - a core trigger
 * @node: entry in the session's list of core triggers
 * @event: perf event that counts and overflows
 * @first: first context of the running session, linked by ucore_domain_ctx.next; constant while
 *         @event is enabled
 * @overflows: number of overflows not handled yet. The overflow that makes the number 1 owns
 *             @context and @work until the number is 0 again.
 * @context: context that the first overflow in @overflows interrupted (IP, PID, TID)
 * @work: irq_work that takes the sample, on the CPU of the overflow
 * @rcu: delays the release of the memory until no CPU is in the interrupt of @work
 */
struct ucore_perf_trigger {
	struct list_head node;
	struct perf_event *event;
	struct ucore_domain_ctx *first;
	atomic_t overflows;
	struct ucore_pmi_regs context;
	struct irq_work work;
	struct rcu_head rcu;
};

void ucore_perf_trigger_init(struct ucore_perf_trigger *trigger);
struct ucore_perf_trigger *ucore_perf_trigger_create(struct perf_event_attr *attr, int cpu,
						     struct task_struct *task);
void ucore_perf_trigger_start(struct ucore_perf_trigger *trigger, struct ucore_domain_ctx *first);
void ucore_perf_trigger_stop(struct ucore_perf_trigger *trigger);
void ucore_perf_trigger_destroy(struct ucore_perf_trigger *trigger);
void ucore_perf_trigger_overflow(struct ucore_perf_trigger *trigger,
				 const struct ucore_pmi_regs *context);

#endif /* UCORE_PERF_EVENT_TRIGGER_H */
