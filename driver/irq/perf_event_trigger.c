// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core triggers: perf counts an event on a core, and its overflows trigger samples of the die.
 * Part of the irq layer.
 *
 * perf calls the overflow handler in an NMI, in a clock interrupt or in the task itself. The
 * handler saves the interrupted context (IP, PID, TID) and queues an irq_work on its CPU, because
 * nothing else is allowed in an NMI. The irq_work reads the die in hard-IRQ context, like the
 * service of a PMI. Any CPU of the die can do so.
 *
 * An overflow is dropped in three cases: the previous one is not handled yet, the CPU exceeds
 * its budget, or the CPU is going offline. Functions other than the handler and the irq_work
 * run in process context. Their caller holds neither the CPU hotplug lock nor a domain's lock,
 * because perf takes the CPU hotplug lock and its private locks.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "cpu/budget.h"
#include "irq/perf_event_trigger.h"

/* Find the session's domain context on the die of this CPU; NULL if it has no events there. */
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
	struct ucore_readout ro;

	ucore_readout_begin_ctx(&ro, ctx, ktime_get_mono_fast_ns());
	ucore_ctx_core_due(ctx, context);
	ucore_readout_end(&ro);
}

/* Return true if this CPU has used its budget, so that it may not take a sample now. */
static bool beyond_budget(struct ucore_domain_ctx *ctx)
{
	if (!ucore_budget_wait_ns(raw_smp_processor_id(), ktime_get_mono_fast_ns()))
		return false;
	ctx->stats.delayed++;
	ctx->delayed = true;
	return true;
}

/*
 * Return true if this CPU is going offline. A sample may start the watchdog timer on this CPU.
 * The kernel would then move the timer to another CPU, even one of another die.
 */
static bool is_leaving(void)
{
	return !cpu_active(raw_smp_processor_id());
}

/* Handle all overflows of a trigger: take one sample if possible, count the others as dropped. */
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
		ucore_emit_drop(ctx, seen - sampled);
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
 * ucore_perf_trigger_overflow() - queue the sample for an overflow of the trigger's perf event
 * @trigger: the trigger
 * @context: context that the overflow interrupted; copied
 *
 * Runs in any context, NMI included, on the CPU of the overflow.
 */
void ucore_perf_trigger_overflow(struct ucore_perf_trigger *trigger,
				 const struct ucore_pmi_regs *context)
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
 * ucore_perf_trigger_init() - initialize a core trigger, except for its perf event
 * @trigger: the trigger, zeroed
 */
void ucore_perf_trigger_init(struct ucore_perf_trigger *trigger)
{
	trigger->work = IRQ_WORK_INIT_HARD(trigger_work);
}

/**
 * ucore_perf_trigger_create() - create a core trigger with a disabled perf event
 * @attr: perf event and its period, with @attr->disabled set
 * @cpu: CPU on which perf counts, or -1 with @task
 * @task: task for which perf counts, or NULL with @cpu
 *
 * Return: the trigger, or an ERR_PTR with the error of perf or -ENOMEM.
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
 * ucore_perf_trigger_start() - enable the perf event of a core trigger
 * @trigger: the trigger, stopped
 * @first: first domain context of the session, which runs
 */
void ucore_perf_trigger_start(struct ucore_perf_trigger *trigger, struct ucore_domain_ctx *first)
{
	trigger->first = first;
	perf_event_enable(trigger->event);
}

/**
 * ucore_perf_trigger_stop() - disable the perf event of a core trigger
 * @trigger: the trigger
 *
 * All overflows are handled when the function returns.
 */
void ucore_perf_trigger_stop(struct ucore_perf_trigger *trigger)
{
	perf_event_disable(trigger->event);
	irq_work_sync(&trigger->work);
	trigger->first = NULL;
}

/**
 * ucore_perf_trigger_destroy() - release the perf event of a trigger and free it
 * @trigger: the trigger, stopped
 *
 * A CPU that was held up after trigger_work() may still access the irq_work after
 * irq_work_sync(), if the irq_work has run on another CPU since. Therefore the memory is freed
 * after an RCU grace period.
 */
void ucore_perf_trigger_destroy(struct ucore_perf_trigger *trigger)
{
	perf_event_release_kernel(trigger->event);
	irq_work_sync(&trigger->work);
	kfree_rcu(trigger, rcu);
}
