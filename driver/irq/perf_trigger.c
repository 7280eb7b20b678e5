// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core triggers: perf counts an event on a core, and at its overflow the die is sampled.
 *
 * perf tells in an NMI, in an interrupt of its clock, or in the task itself, wherever the
 * event came from: there only the context is noted and an irq_work queued on that CPU, for
 * nothing else may be done in an NMI.  The work reads the die in hard-irq context, as the
 * service of an overflow PMI does; any CPU of a die can.
 *
 * An overflow that comes before the one before has been seen to, when the CPU's budget is
 * spent or when it goes offline gets no sample and counts as dropped.  Enabling, disabling and
 * everything else is done in process context, with neither the CPU hotplug lock nor a domain's
 * held: perf takes its own, and the former.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "cpu/budget.h"
#include "irq/perf_trigger.h"

/* The part of the die that this CPU is of; NULL: the session has no events there. */
static struct ucore_domain_ctx *ctx_here(const struct ucore_perf_trigger *trigger)
{
	int cpu = raw_smp_processor_id();
	struct ucore_domain_ctx *ctx;

	for (ctx = trigger->first; ctx; ctx = ctx->next)
		if (ctx->domain->scope == UCORE_SCOPE_DIE &&
		    ucore_domain_has_cpu(ctx->domain, cpu))
			return ctx;
	return NULL;
}

static void sample(struct ucore_domain_ctx *ctx, const struct ucore_pmi_regs *context)
{
	struct ucore_interval iv;

	ucore_interval_begin_ctx(&iv, ctx, ktime_get_mono_fast_ns());
	ucore_sample_core_due(&iv, ctx, context);
	ucore_interval_end(&iv);
}

/* What it has spent before must come back first: the CPU must get on, too. */
static bool beyond_budget(struct ucore_domain_ctx *ctx)
{
	if (!ucore_budget_wait_ns(raw_smp_processor_id(), ktime_get_mono_fast_ns()))
		return false;
	ctx->stats.delayed++;
	ctx->stretched = true;
	return true;
}

/* On its way offline: a timer that was started here would end up on any CPU, of any die. */
static bool is_leaving(void)
{
	return !cpu_active(raw_smp_processor_id());
}

/* All overflows until none is left: the first has its sample, if there is time. */
static void drain_overflows(struct ucore_perf_trigger *trigger, struct ucore_domain_ctx *ctx)
{
	int seen = atomic_read(&trigger->overflows), now;
	bool sampled = false;

	if (ctx->running && !is_leaving() && !beyond_budget(ctx)) {
		sample(ctx, &trigger->context);
		sampled = true;
	}
	while ((now = atomic_cmpxchg(&trigger->overflows, seen, 0)) != seen)
		seen = now;
	if (ctx->running)
		ucore_sample_drop(ctx, seen - sampled);
}

static void trigger_work(struct irq_work *work)
{
	struct ucore_perf_trigger *trigger = container_of(work, struct ucore_perf_trigger, work);
	struct ucore_domain_ctx *ctx = ctx_here(trigger);
	u64 now = ktime_get_mono_fast_ns();

	if (!ctx) {
		atomic_set(&trigger->overflows, 0);
		return;
	}
	ucore_budget_enter(min(trigger->context.time, now));
	raw_spin_lock(&ctx->domain->lock);
	drain_overflows(trigger, ctx);
	ucore_budget_leave();
	raw_spin_unlock(&ctx->domain->lock);
}

/**
 * ucore_perf_trigger_overflow() - its event has counted a period
 * @trigger: the trigger
 * @context: where; copied
 *
 * Any context, NMI included, on the CPU that counted.
 */
void ucore_perf_trigger_overflow(struct ucore_perf_trigger *trigger, const struct ucore_pmi_regs *context)
{
	if (atomic_inc_return(&trigger->overflows) != 1)
		return;
	trigger->context = *context;
	irq_work_queue(&trigger->work);
}

static void overflow(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	const struct ucore_pmi_regs context = {
		.time = ktime_get_mono_fast_ns(),
		.ip = regs ? instruction_pointer(regs) : 0,
		.user = regs && user_mode(regs),
		.pid = current->tgid,
		.tid = current->pid,
		.cpu = raw_smp_processor_id(),
	};

	ucore_perf_trigger_overflow(event->overflow_handler_context, &context);
}

/**
 * ucore_perf_trigger_init() - what there is to it but perf's event
 * @trigger: the trigger, zeroed
 */
void ucore_perf_trigger_init(struct ucore_perf_trigger *trigger)
{
	trigger->work = IRQ_WORK_INIT_HARD(trigger_work);
}

/**
 * ucore_perf_trigger_create() - have perf count an event, not yet
 * @attr: which, and its period; it is to begin disabled
 * @cpu: on which CPU, or -1 with a task
 * @task: for which task, or NULL with a CPU
 *
 * Return: the trigger, or an ERR_PTR with what perf says, or -ENOMEM.
 */
struct ucore_perf_trigger *ucore_perf_trigger_create(struct perf_event_attr *attr, int cpu,
					   struct task_struct *task)
{
	struct ucore_perf_trigger *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL_ACCOUNT);
	struct perf_event *event;

	if (!trigger)
		return ERR_PTR(-ENOMEM);
	ucore_perf_trigger_init(trigger);
	event = perf_event_create_kernel_counter(attr, cpu, task, overflow, trigger);
	if (IS_ERR(event)) {
		kfree(trigger);
		return ERR_CAST(event);
	}
	trigger->event = event;
	return trigger;
}

/**
 * ucore_perf_trigger_start() - let it count
 * @trigger: the trigger, stopped
 * @first: the session's parts, which run
 */
void ucore_perf_trigger_start(struct ucore_perf_trigger *trigger, struct ucore_domain_ctx *first)
{
	trigger->first = first;
	perf_event_enable(trigger->event);
}

/**
 * ucore_perf_trigger_stop() - let it count no more
 * @trigger: the trigger
 *
 * Afterwards there is no overflow that has not been seen to.
 */
void ucore_perf_trigger_stop(struct ucore_perf_trigger *trigger)
{
	perf_event_disable(trigger->event);
	irq_work_sync(&trigger->work);
	trigger->first = NULL;
}

/**
 * ucore_perf_trigger_destroy() - give it back to perf, and free
 * @trigger: the trigger, stopped
 */
void ucore_perf_trigger_destroy(struct ucore_perf_trigger *trigger)
{
	perf_event_release_kernel(trigger->event);
	irq_work_sync(&trigger->work);
	kfree(trigger);
}
