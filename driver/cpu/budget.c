// SPDX-License-Identifier: GPL-2.0-only
/*
 * Budgets: how much of a CPU's time ucore takes, whoever asks for it.
 *
 * Each CPU has one.  All that ucore does there with interrupts off, for whatever
 * domain and session, is charged to it, from the interrupt's entry to the last record:
 * it spends time that comes back at the rate of @cpu_time_max_percent percent.  Within a window
 * the share may be spent at once; who is beyond it waits: counters whose overflows
 * interrupt rest (sample.c), a timer's next expiry is put off (timer.c), a command sleeps
 * (session/admission.c).  Each acts first and waits then, for as long as what it and others
 * have spent needs to come back: so all get on, and none can keep another from it.
 *
 * Written by the CPU itself with interrupts off, not in NMI; read by any.
 * Must not know what the time was spent for.
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

#include "box/domain.h"
#include "cpu/budget.h"

static unsigned int cpu_time_max_percent = 50;
module_param(cpu_time_max_percent, uint, 0644);
MODULE_PARM_DESC(cpu_time_max_percent, "percent of a CPU's time that ucore takes, 1 to 100 (no limit)");

#define WINDOW_NS	(10 * NSEC_PER_MSEC)

/*
 * What nobody sees from within: the interrupt's entry and exit, and what its victim
 * finds evicted from its caches afterwards, an eighth of what was seen.
 */
#define ENTRY_NS	(1 * NSEC_PER_USEC)
#define EVICTED(ns)	((ns) / 8)

/* Between two interrupts so close nobody else gets anything done. */
#define MIN_RUN_NS	(10 * NSEC_PER_USEC)

/* From the expiry of a timer to its callback, at most */
#define TIMER_ENTRY_NS	(20 * NSEC_PER_USEC)

/* Nobody waits for longer. */
#define MAX_AHEAD_NS	(1 * NSEC_PER_SEC)

/**
 * struct budget - what ucore spends on a CPU
 * @since: when it began what it does
 * @inside: it does something
 * @left: when it ended what it did last
 * @due: when all that was spent will have come back
 * @busy: time spent since load
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
 * ucore_budget_percent() - the share of a CPU's time
 *
 * Return: 1 to 100.
 */
u32 ucore_budget_percent(void)
{
	return clamp(READ_ONCE(cpu_time_max_percent), 1U, 100U);
}

/**
 * ucore_budget_charge_ns() - what a work is charged
 * @ns: how long it takes, as far as it can see itself
 *
 * Return: ns.
 */
u64 ucore_budget_charge_ns(u64 ns)
{
	return ns + EVICTED(ns) + ENTRY_NS;
}

/* How long it takes until what was charged has come back. */
static u64 back_ns(u64 charged)
{
	return DIV_ROUND_UP_ULL(charged * 100, ucore_budget_percent());
}

/**
 * ucore_budget_period_ns() - how often a work may be done, if nobody does another
 * @ns: how long it takes, as far as it can see itself
 *
 * With less than MIN_RUN_NS left between two of them that would be charged, too.
 *
 * Return: the shortest period.
 */
u64 ucore_budget_period_ns(u64 ns)
{
	u64 period = back_ns(ucore_budget_charge_ns(ns));

	return ucore_budget_percent() == 100 ? period : max(period, ns + MIN_RUN_NS);
}

/*
 * What took longer than a window was not our doing: firmware or a hypervisor had
 * the CPU.
 */
static u64 spent(const struct budget *b, u64 now)
{
	u64 ns = now > b->since ? min_t(u64, now - b->since, WINDOW_NS) : 0;

	return ucore_budget_charge_ns(ns);
}

/* When all comes back, with what the present work has spent so far. */
static u64 due_with(const struct budget *b, u64 now)
{
	if (ucore_budget_percent() == 100)
		return 0;
	return min(max(b->due, b->since) + back_ns(spent(b, now)),
		   now + MAX_AHEAD_NS);
}

/*
 * How far the budget may be ahead: who spends without a break from zero on gets there
 * when the window's share is spent, and is back at zero when the window ends.
 */
static u64 allowance(void)
{
	return WINDOW_NS / 100 * (100 - ucore_budget_percent());
}

/**
 * ucore_budget_entered_at() - when did a timer's interrupt begin?
 * @timer: the timer, whose callback runs
 *
 * Return: when it expired, unless somebody kept interrupts off; then the time.
 */
u64 ucore_budget_entered_at(const struct hrtimer *timer)
{
	u64 now = ktime_get_mono_fast_ns(), expired = ktime_to_ns(hrtimer_get_expires(timer));

	return expired < now && now - expired < TIMER_ENTRY_NS ? expired : now;
}

/**
 * ucore_budget_enter() - begin something that is to be charged
 * @since: when it began: a moment ago, or when its NMI came
 */
void ucore_budget_enter(u64 since)
{
	struct budget *b = this_cpu_ptr(&budgets);

	b->since = since < b->left + MIN_RUN_NS ? b->left : since;
	b->inside = true;
}

/**
 * ucore_budget_leave() - charge it
 *
 * Return: the time.
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
 * struct charged - a work on another CPU
 * @func: what it does
 * @arg: its argument
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
 * ucore_budget_run() - run a function on a domain's reader, and charge it
 * @domain: the domain
 * @func: runs in hard-irq context
 * @arg: its argument
 *
 * As ucore_domain_run(): CPU hotplug is held off.
 */
void ucore_budget_run(struct ucore_domain *domain, smp_call_func_t func, void *arg)
{
	struct charged work = { .func = func, .arg = arg };

	ucore_domain_run(domain, charged_here, &work);
}

/**
 * ucore_budget_run_on() - run a function on some CPUs, and charge it to each
 * @cpus: the CPUs
 * @func: runs in hard-irq context
 * @arg: its argument
 */
void ucore_budget_run_on(const struct cpumask *cpus, smp_call_func_t func, void *arg)
{
	struct charged work = { .func = func, .arg = arg };

	on_each_cpu_mask(cpus, charged_here, &work, true);
}

/**
 * ucore_budget_pause_ns() - for how long must what interrupts here keep still?
 * @now: the time
 *
 * Return: ns until all that was spent has come back; 0: within the budget.
 */
u64 ucore_budget_pause_ns(u64 now)
{
	const struct budget *b = this_cpu_ptr(&budgets);
	u64 due = b->inside ? due_with(b, now) : b->due;

	return due > now + allowance() ? due - now : 0;
}

/**
 * ucore_budget_wait_ns() - for how long must the next work on a CPU wait?
 * @cpu: the CPU
 * @now: the time
 *
 * Return: ns until the CPU is within its budget; 0: it is.
 */
u64 ucore_budget_wait_ns(int cpu, u64 now)
{
	u64 due = READ_ONCE(per_cpu_ptr(&budgets, cpu)->due), until = now + allowance();

	return due > until ? due - until : 0;
}

/**
 * ucore_budget_sleep() - wait until a CPU has time
 * @ns: for how long: ucore_budget_wait_ns()
 *
 * Process context.
 *
 * Return: 0, or -EINTR: the caller is dying.
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
 * ucore_budget_await() - wait until a domain's reader has time
 * @domain: the domain, not locked
 *
 * Process context.  For what is asked for again and again, beside the commands that wait
 * for their turn.
 *
 * Return: 0, or -EINTR: the caller is dying.
 */
int ucore_budget_await(const struct ucore_domain *domain)
{
	int reader = READ_ONCE(domain->reader);

	if (reader == UCORE_NO_CPU)
		return 0;
	return ucore_budget_sleep(ucore_budget_wait_ns(reader, ktime_get_mono_fast_ns()));
}

/**
 * ucore_budget_busy_ns() - what was spent on a CPU since load
 * @cpu: the CPU
 *
 * Return: ns.
 */
u64 ucore_budget_busy_ns(int cpu)
{
	return READ_ONCE(per_cpu_ptr(&budgets, cpu)->busy);
}
