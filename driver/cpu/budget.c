// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU time budgets: limit the share of each CPU's time that ucore uses. Part of the cpu layer.
 *
 * Each CPU has one budget for all domains and sessions. All work of ucore with interrupts off
 * is charged to the budget, from the entry of the interrupt to the last record. The budget
 * regains charged time at a rate of cpu_time_max_percent of elapsed time (a token bucket). A
 * burst can use at most the share of one window (WINDOW_NS). Work that exceeds the budget is
 * delayed: counters whose overflows interrupt are throttled (sample/readout.c), timers expire
 * later (irq/timer.c), commands sleep (session/budget_admission.c). Work runs first and then
 * waits until all time charged before is regained. Each kind of work therefore makes progress,
 * and none can starve another.
 *
 * A budget is written by its CPU with interrupts off, not in an NMI. Any CPU may read it.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "box/domain_global_ctl.h"
#include "cpu/budget.h"

static unsigned int cpu_time_max_percent = 50;
module_param(cpu_time_max_percent, uint, 0644);
MODULE_PARM_DESC(cpu_time_max_percent,
		 "percent of a CPU's time that ucore takes, 1 to 100 (no limit)");

/* Length of the time window (ns) whose share of CPU time a burst of work can use at once */
#define WINDOW_NS	(10 * NSEC_PER_MSEC)

/*
 * Costs of an interrupt that a measurement inside its handler does not contain. ENTRY_NS is the
 * entry and exit of the interrupt. EVICTED() is the cost of evicted cache lines, estimated at an
 * eighth of the measured time.
 */
#define ENTRY_NS	(1 * NSEC_PER_USEC)
#define EVICTED(ns)	((ns) / 8)

/* Shortest time between two interrupts (ns) in which other tasks can do any work */
#define MIN_RUN_NS	(10 * NSEC_PER_USEC)

/* Maximum time (ns) from the expiry of a timer to its callback while interrupts are on */
#define TIMER_ENTRY_NS	(20 * NSEC_PER_USEC)

/* Maximum delay of any work by the budget (ns) */
#define MAX_AHEAD_NS	(1 * NSEC_PER_SEC)

/**
 * struct budget - CPU time that ucore uses on a CPU
 * @since: time at which the work in progress began (ns)
 * @inside: work of ucore is in progress on this CPU
 * @left: time at which the last work ended (ns)
 * @due: time at which the budget has regained all charged time (ns)
 * @busy: total time charged since the module was loaded (ns)
 */
struct budget {
	u64 since;
	bool inside;
	u64 left;
	u64 due;
	u64 busy;
};

static DEFINE_PER_CPU(struct budget, budgets);

/**
 * ucore_budget_percent() - get the share of CPU time that ucore may use
 *
 * Return: percent, 1 to 100.
 */
u32 ucore_budget_percent(void)
{
	return clamp(READ_ONCE(cpu_time_max_percent), 1U, 100U);
}

/**
 * ucore_budget_charge_ns() - compute the time to charge for work
 * @ns: duration of the work, measured inside the interrupt handler
 *
 * Return: @ns plus the estimated costs of interrupt entry and cache evictions (ns).
 */
u64 ucore_budget_charge_ns(u64 ns)
{
	return ns + EVICTED(ns) + ENTRY_NS;
}

/* Return the time (ns) that the budget needs to regain a charge of @charged ns. */
static u64 regain_ns(u64 charged)
{
	return DIV_ROUND_UP_ULL(charged * 100, ucore_budget_percent());
}

/**
 * ucore_budget_period_ns() - compute how often work can be repeated within the budget
 * @ns: duration of the work, measured inside the interrupt handler
 *
 * The result is valid if ucore does no other work on the CPU. Between two pieces of work there is
 * a break of at least MIN_RUN_NS, because a shorter break is charged as work.
 *
 * Return: shortest time from the start of a piece of work to the start of the next (ns).
 */
u64 ucore_budget_period_ns(u64 ns)
{
	u64 period = regain_ns(ucore_budget_charge_ns(ns));

	return ucore_budget_percent() == 100 ? period : max(period, ns + MIN_RUN_NS);
}

/*
 * Return the time (ns) to charge for the work in progress. Time beyond one window was used by
 * firmware or a hypervisor, not by ucore.
 */
static u64 spent(const struct budget *b, u64 now)
{
	u64 ns = now > b->since ? min_t(u64, now - b->since, WINDOW_NS) : 0;

	return ucore_budget_charge_ns(ns);
}

/*
 * Return the time (ns) at which the budget will have regained all charges, including the work
 * in progress up to @now.
 */
static u64 due_with(const struct budget *b, u64 now)
{
	if (ucore_budget_percent() == 100)
		return 0;
	return min(max(b->due, b->since) + regain_ns(spent(b, now)),
		   now + MAX_AHEAD_NS);
}

/*
 * Return the longest time (ns) that a budget may need to regain all charged time before further
 * work is delayed. If no charged time is left to regain, work without a break reaches this limit
 * when it has used the share of one window. The charged time is regained when the window ends.
 */
static u64 allowance(void)
{
	return WINDOW_NS / 100 * (100 - ucore_budget_percent());
}

/**
 * ucore_budget_entered_at() - estimate when the interrupt of a timer began
 * @timer: the timer, whose callback runs
 *
 * Return: the expiry time (ns); the current time if the callback runs much later than the
 * expiry, because interrupts were off during this time.
 */
u64 ucore_budget_entered_at(const struct hrtimer *timer)
{
	u64 now = ktime_get_mono_fast_ns(), expired = ktime_to_ns(hrtimer_get_expires(timer));

	return expired < now && now - expired < TIMER_ENTRY_NS ? expired : now;
}

/**
 * ucore_budget_enter() - begin work that is charged to this CPU's budget
 * @since: start of the work (ns): for example the entry of the interrupt or the arrival of the
 *         NMI
 */
void ucore_budget_enter(u64 since)
{
	struct budget *b = this_cpu_ptr(&budgets);

	b->since = since < b->left + MIN_RUN_NS ? b->left : since;
	b->inside = true;
}

/**
 * ucore_budget_leave() - end the work in progress and charge it to this CPU's budget
 *
 * Return: the current time (ns).
 */
u64 ucore_budget_leave(void)
{
	struct budget *b = this_cpu_ptr(&budgets);
	u64 now = ktime_get_mono_fast_ns();

	WRITE_ONCE(b->due, due_with(b, now));
	WRITE_ONCE(b->busy, b->busy + spent(b, now));
	b->left = now;
	b->inside = false;
	return now;
}

/**
 * ucore_budget_leave_timer() - end the work of a timer callback, and set the timer's next expiry
 * @timer: the timer, whose callback runs
 * @period: period of the timer (ns)
 *
 * The next expiry is later by a multiple of @period, at the first such instant at which this CPU
 * is within its budget.
 *
 * Return: true if the budget delays the expiry.
 */
bool ucore_budget_leave_timer(struct hrtimer *timer, u64 period)
{
	u64 now = ucore_budget_leave(), wait = ucore_budget_wait_ns(raw_smp_processor_id(), now);

	hrtimer_forward(timer, ns_to_ktime(now), ns_to_ktime(period));
	return wait && hrtimer_forward(timer, ns_to_ktime(now + wait), ns_to_ktime(period));
}

/**
 * struct charged - function that charged_here() runs and charges on another CPU
 * @func: function to run
 * @arg: argument of @func
 */
struct charged {
	smp_call_func_t func;
	void *arg;
};

static void charged_here(void *arg)
{
	const struct charged *work = arg;

	ucore_budget_enter(ktime_get_mono_fast_ns());
	work->func(work->arg);
	ucore_budget_leave();
}

/**
 * ucore_budget_run() - run a function on a domain's reader, and charge its time to that CPU
 * @domain: the domain
 * @func: function, called in hard-IRQ context
 * @arg: argument of @func
 *
 * The caller holds the CPU hotplug lock, as for ucore_domain_run().
 */
void ucore_budget_run(struct ucore_domain *domain, smp_call_func_t func, void *arg)
{
	struct charged work = { .func = func, .arg = arg };

	ucore_domain_run(domain, charged_here, &work);
}

/**
 * ucore_budget_run_on() - run a function on several CPUs, and charge its time to each CPU
 * @cpus: the CPUs
 * @func: function, called in hard-IRQ context
 * @arg: argument of @func
 */
void ucore_budget_run_on(const struct cpumask *cpus, smp_call_func_t func, void *arg)
{
	struct charged work = { .func = func, .arg = arg };

	on_each_cpu_mask(cpus, charged_here, &work, true);
}

/**
 * ucore_budget_pause_ns() - get the time for which overflows on this CPU must be throttled
 * @now: current time (ns)
 *
 * Return: time (ns) until the budget has regained all charges; 0 if the CPU is within its
 * budget.
 */
u64 ucore_budget_pause_ns(u64 now)
{
	const struct budget *b = this_cpu_ptr(&budgets);
	u64 due = b->inside ? due_with(b, now) : b->due;

	return due > now + allowance() ? due - now : 0;
}

/**
 * ucore_budget_wait_ns() - get the time for which the next work on a CPU must wait
 * @cpu: the CPU
 * @now: current time (ns)
 *
 * Return: time (ns) until the CPU is within its budget; 0 if the CPU is within its budget now.
 */
u64 ucore_budget_wait_ns(int cpu, u64 now)
{
	u64 due = READ_ONCE(per_cpu_ptr(&budgets, cpu)->due), until = now + allowance();

	return due > until ? due - until : 0;
}

/**
 * ucore_budget_sleep() - sleep until a CPU is within its budget
 * @ns: time to sleep, from ucore_budget_wait_ns()
 *
 * Process context.
 *
 * Return: 0, or -EINTR if the caller is being killed.
 */
int ucore_budget_sleep(u64 ns)
{
	ktime_t wait = ns_to_ktime(ns);

	if (!ns)
		return 0;
	set_current_state(TASK_KILLABLE);
	schedule_hrtimeout(&wait, HRTIMER_MODE_REL);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/**
 * ucore_budget_await() - wait until a domain's reader is within its budget
 * @domain: the domain, not locked
 *
 * Process context. Called before work that user space can repeat without an admission.
 *
 * Return: 0, or -EINTR if the caller is being killed.
 */
int ucore_budget_await(const struct ucore_domain *domain)
{
	int reader = READ_ONCE(domain->reader);

	if (reader == UCORE_NO_CPU)
		return 0;
	return ucore_budget_sleep(ucore_budget_wait_ns(reader, ktime_get_mono_fast_ns()));
}

/**
 * ucore_budget_busy_ns() - get the time charged on a CPU since the module was loaded
 * @cpu: the CPU
 *
 * Return: charged time (ns).
 */
u64 ucore_budget_busy_ns(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&budgets, cpu)->busy);
}
