/* SPDX-License-Identifier: GPL-2.0-only */
/* Core triggers: an event that perf counts on a core, and samples of the die at its overflows. */
#ifndef UCORE_PERF_TRIGGER_H
#define UCORE_PERF_TRIGGER_H

#include <linux/irq_work.h>
#include <linux/list.h>

#include "sample/sample.h"

struct perf_event;
struct perf_event_attr;
struct task_struct;

/**
 * struct ucore_perf_trigger - one event of perf's
 * @node: in the session's list
 * @event: perf's
 * @first: parts of the session that runs, linked by their @next; const while it is enabled
 * @overflows: how many have not been seen to yet.  Who makes it one has @context and @work
 *             until it is none again
 * @context: what the first of them interrupted
 * @work: takes the sample, on the CPU that had the overflow
 */
struct ucore_perf_trigger {
	struct list_head node;
	struct perf_event *event;
	struct ucore_domain_ctx *first;
	atomic_t overflows;
	struct ucore_pmi_regs context;
	struct irq_work work;
};

void ucore_perf_trigger_init(struct ucore_perf_trigger *trigger);
struct ucore_perf_trigger *ucore_perf_trigger_create(struct perf_event_attr *attr, int cpu,
					   struct task_struct *task);
void ucore_perf_trigger_start(struct ucore_perf_trigger *trigger, struct ucore_domain_ctx *first);
void ucore_perf_trigger_stop(struct ucore_perf_trigger *trigger);
void ucore_perf_trigger_destroy(struct ucore_perf_trigger *trigger);
void ucore_perf_trigger_overflow(struct ucore_perf_trigger *trigger, const struct ucore_pmi_regs *context);

#endif /* UCORE_PERF_TRIGGER_H */
