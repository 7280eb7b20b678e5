// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers: the CPU that accesses the registers of a domain. Elects readers. Moves a domain to
 * another reader at CPU hotplug, and when a session chooses one. During a suspend no domain has
 * a reader. Part of the hotplug layer. Process context; functions named *_here run on the
 * reader in hard-irq context.
 *
 * Locks: a domain's list of contexts changes in process context, under the domain's lock, with
 * CPU hotplug held off. A hotplug callback excludes all such changes. It may therefore walk
 * the list without the lock, and cancel timers whose callbacks take the lock.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>

#include "box/catalog.h"
#include "box/core_select.h"
#include "box/freeze.h"
#include "cpu/budget.h"
#include "cpu/nmi_handler.h"
#include "hotplug/reader_cpu.h"
#include "irq/conflict.h"
#include "irq/multiplex.h"
#include "irq/pmi_route_and_service.h"
#include "irq/timer.h"
#include "irq/watchdog.h"
#include "sample/parallel_read.h"
#include "sample/readout.h"

/*
 * Rank a CPU as reader, from 0 to 3. That the CPU is not isolated counts more than that its core
 * can be selected for PMIs.
 */
static int reader_rank(const struct ucore_domain *domain, int cpu)
{
	return 2 * !ucore_parallel_cpu_is_isolated(cpu) + ucore_core_select_possible(domain, cpu);
}

/*
 * Elect a reader for a domain: a CPU that sessions chose, otherwise the first online CPU of the
 * highest rank. @leaving is a CPU that is going offline, or UCORE_NO_CPU.
 */
static int elect_reader(const struct ucore_domain *domain, int leaving)
{
	int cpu, best = UCORE_NO_CPU;

	if (domain->pin_cpu != UCORE_NO_CPU && domain->pin_cpu != leaving)
		return domain->pin_cpu;
	for_each_cpu(cpu, &domain->pin_cpus)
		if (cpu != leaving)
			return cpu;
	for_each_cpu_and(cpu, ucore_domain_cpus(domain), cpu_online_mask) {
		if (cpu == leaving || !ucore_domain_has_cpu(domain, cpu))
			continue;
		if (best == UCORE_NO_CPU || reader_rank(domain, cpu) > reader_rank(domain, best))
			best = cpu;
	}
	return best;
}

/* Change of a domain's reader, which all contexts of the domain report by a GAP record. */
struct gap {
	struct ucore_domain *domain;
	u32 reason;
	int from;
	int to;
};

static void gap_record(const struct gap *gap, u64 now)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &gap->domain->ctxs, node)
		ucore_emit_gap(ctx, now, gap->reason, gap->from, gap->to, ~0U);
}

static void gap_here(void *arg)
{
	struct gap *gap = arg;

	raw_spin_lock(&gap->domain->lock);
	gap_record(gap, ktime_get_mono_fast_ns());
	raw_spin_unlock(&gap->domain->lock);
}

/*
 * Make @cpu the reader of a domain. The caller has cancelled the domain's timers and excludes
 * changes of the domain's list of contexts. If counters are armed, the domain is frozen while no
 * CPU takes the domain's PMI, so that no overflow is lost.
 */
static void hand_over(struct ucore_domain *domain, int cpu)
{
	if (!domain->armed) {
		WRITE_ONCE(domain->reader, cpu);
	} else {
		ucore_pmi_hold(domain);
		ucore_pmi_disable(domain);
		WRITE_ONCE(domain->reader, cpu);
		if (ucore_pmi_wanted(domain))
			ucore_pmi_enable(domain);
		ucore_pmi_release(domain);
	}
}

/*
 * Return true if @cpus are the CPUs to which the PMI is routed now. The reader is ignored,
 * because the PMI is always routed to it.
 */
static bool same_targets(const struct ucore_domain *domain, const struct cpumask *cpus)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (cpu != domain->reader &&
		    cpumask_test_cpu(cpu, cpus) != cpumask_test_cpu(cpu, &domain->pin_cpus))
			return false;
	return true;
}

/**
 * ucore_reader_choose() - set the reader and the CPUs that take the PMI, as a session chooses
 * @domain: the domain
 * @cpu: new reader, a CPU of @cpus, or UCORE_NO_CPU to cancel the choice and keep the reader
 * @cpus: CPUs that take the PMI: online CPUs of the domain whose cores pmi_core_sel can select
 *
 * Process context; ucore_run_lock, the CPU hotplug lock and the catalog's lock are held.
 */
void ucore_reader_choose(struct ucore_domain *domain, int cpu, const struct cpumask *cpus)
{
	int reader = cpu == UCORE_NO_CPU ? domain->reader : cpu;
	bool same = reader == domain->reader && same_targets(domain, cpus);

	lockdep_assert_held(&ucore_run_lock);
	lockdep_assert_held(&ucore_catalog.lock);

	domain->pin_cpu = cpu;
	cpumask_copy(&domain->pin_cpus, cpus);
	/* no reader: the machine is suspended, and ucore_readers_resume() applies the choice */
	if (same || reader == UCORE_NO_CPU || domain->reader == UCORE_NO_CPU)
		return;
	ucore_timers_cancel(domain);
	hand_over(domain, reader);
	ucore_parallel_elect_all(domain, UCORE_NO_CPU);
	ucore_timers_restart(domain);
}

/*
 * ---- CPU hotplug ----
 */

/*
 * Stop all contexts of a domain before its last CPU goes offline or the machine is suspended,
 * while the registers can still be accessed.
 */
static void offline_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_domain *domain = gap->domain;
	struct ucore_readout ro;
	struct ucore_domain_ctx *ctx;

	raw_spin_lock(&domain->lock);
	ucore_readout_begin(&ro, domain, ktime_get_mono_fast_ns());
	list_for_each_entry(ctx, &domain->ctxs, node) {
		ucore_timer_last(ctx, &ro);
		ucore_readout_halt(&ro, ctx);
	}
	ucore_readout_end(&ro);
	gap_record(gap, ro.now);
	raw_spin_unlock(&domain->lock);
}

/*
 * Return true if the registers of a box must still be restored: no session claims the box any
 * more, but its domain had no online CPU when the last claim ended.
 */
static bool box_is_left_over(const struct ucore_box *box)
{
	return box->dirty && list_empty(&box->claims);
}

/* Return true if a new reader must resume sessions on the domain or restore its registers. */
static bool domain_has_work(const struct ucore_domain *domain)
{
	const struct ucore_box *box;

	ucore_for_each_box(box, domain)
		if (box_is_left_over(box))
			return true;
	return domain->acquired || !list_empty(&domain->ctxs);
}

/*
 * Save the values of a domain's global controls after a resume, for the next restore. Clear the
 * status of overflows that nobody has serviced since the domain lost its last CPU.
 */
static void acquire_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	if (!domain->acquired)
		ucore_domain_acquire(domain);
	ucore_domain_clear_stale(domain);
	raw_spin_unlock(&domain->lock);
}

/*
 * Program the contexts of a domain again after its first CPU came online or the machine
 * resumed. Restore the boxes of sessions that were closed while the domain had no CPU.
 */
static void online_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_domain *domain = gap->domain;
	u64 now = ktime_get_mono_fast_ns();
	struct ucore_domain_ctx *ctx;
	struct ucore_box *box;

	raw_spin_lock(&domain->lock);
	domain->pmi.clear = now;	/* no counter has counted before */
	ucore_freeze_domain(domain, now);
	ucore_for_each_box(box, domain)
		if (box_is_left_over(box))
			ucore_box_restore(box);
	list_for_each_entry(ctx, &domain->ctxs, node)
		ucore_multiplex_program(ctx);
	list_for_each_entry(ctx, &domain->ctxs, node)
		if (!ctx->paused)
			ucore_ctx_start_unfrozen(ctx);
	now = ucore_unfreeze_domain(domain, true);
	list_for_each_entry(ctx, &domain->ctxs, node) {
		ucore_ctx_start_times(ctx, ctx->box_freeze ? ucore_ctx_unfreeze(ctx) : now);
		ctx->gap_sample = true;
		ctx->gap_read = true;
	}
	gap_record(gap, now);
	if (list_empty(&domain->ctxs))
		ucore_domain_release(domain);
	raw_spin_unlock(&domain->lock);
}

/* Move a domain whose reader @cpu goes offline to another reader, or stop the domain. */
static void reader_offline(struct ucore_domain *domain, int cpu)
{
	struct gap gap = { .domain = domain, .from = cpu, .to = elect_reader(domain, cpu) };

	domain->leaving = cpu;
	if (gap.to != UCORE_NO_CPU) {
		gap.reason = UCORE_GAP_READER_MOVED;
		hand_over(domain, gap.to);
		ucore_budget_run(domain, gap_here, &gap);
	} else {
		gap.reason = UCORE_GAP_OFFLINE;
		ucore_budget_run(domain, offline_here, &gap);
		ucore_pmi_disable(domain);
		WRITE_ONCE(domain->reader, UCORE_NO_CPU);
	}
	domain->leaving = UCORE_NO_CPU;
}

/* Stop to route the PMI to a CPU that goes offline and that sessions had chosen for PMIs. */
static void target_offline(struct ucore_domain *domain, int cpu)
{
	domain->leaving = cpu;
	hand_over(domain, domain->reader);
	domain->leaving = UCORE_NO_CPU;
}

/* Return the first CPU that sessions have chosen for the domain; UCORE_NO_CPU if none. */
static int first_chosen(const struct ucore_domain *domain)
{
	return cpumask_empty(&domain->pin_cpus) ? UCORE_NO_CPU : cpumask_first(&domain->pin_cpus);
}

static void domain_cpu_offline(struct ucore_domain *domain, int cpu)
{
	bool chosen;

	mutex_lock(&ucore_catalog.lock);
	chosen = cpumask_test_and_clear_cpu(cpu, &domain->pin_cpus);
	if (domain->pin_cpu == cpu)
		domain->pin_cpu = first_chosen(domain);
	mutex_unlock(&ucore_catalog.lock);

	/* the watchdog timer of a throttled domain may be queued on any CPU of the domain */
	ucore_timers_cancel(domain);
	ucore_nmi_forget(domain, cpu);
	if (domain->reader == cpu)
		reader_offline(domain, cpu);
	else if (chosen)
		target_offline(domain, cpu);
	else
		ucore_pmi_disable_cpu(domain, cpu);
	/*
	 * An overflow service that is queued on this CPU may throttle the domain and start the
	 * watchdog timer on this CPU. The kernel would then move the timer to any other CPU, even
	 * one of another domain.
	 */
	ucore_pmi_sync(domain);
	hrtimer_cancel(&domain->watchdog);
	ucore_parallel_elect_all(domain, cpu);
	ucore_timers_restart(domain);
}

/* The machine is suspended or reboots. Written under ucore_run_lock and the CPU hotplug lock. */
static bool suspended;

static int cpu_going_offline(unsigned int cpu)
{
	u32 i;

	/* during a suspend no CPU is a reader, and the CPUs that sessions chose stay chosen */
	for (i = 0; i < ucore_catalog.nr_domains && !suspended; i++)
		if (ucore_domain_has_cpu(&ucore_catalog.domains[i], cpu))
			domain_cpu_offline(&ucore_catalog.domains[i], cpu);
	return 0;
}

/* Set the reader of a domain that has none, and resume the sessions on the domain. */
static void domain_set_reader(struct ucore_domain *domain, int cpu, u32 reason)
{
	struct gap gap = { .domain = domain, .reason = reason, .from = UCORE_NO_CPU, .to = cpu };

	WRITE_ONCE(domain->reader, cpu);
	if (!domain_has_work(domain))
		return;		/* no session uses the domain, as at module load */
	ucore_budget_run(domain, acquire_here, domain);
	if (ucore_pmi_wanted(domain))
		ucore_pmi_enable(domain);
	ucore_budget_run(domain, online_here, &gap);
	ucore_timers_restart(domain);
}

/* Replace an isolated reader by a CPU that is not isolated. */
static void reader_replace(struct ucore_domain *domain, int cpu)
{
	struct gap gap = { .domain = domain, .reason = UCORE_GAP_READER_MOVED,
			   .from = domain->reader, .to = cpu };

	ucore_timers_cancel(domain);
	hand_over(domain, cpu);
	ucore_budget_run(domain, gap_here, &gap);
	ucore_timers_restart(domain);
}

static void domain_cpu_online(struct ucore_domain *domain, int cpu)
{
	if (domain->reader == UCORE_NO_CPU)
		/* an isolated CPU becomes the reader only if no better CPU is online, as at load */
		domain_set_reader(domain, ucore_parallel_cpu_is_isolated(cpu) ?
				  elect_reader(domain, UCORE_NO_CPU) : cpu, UCORE_GAP_ONLINE);
	else if (domain->pin_cpu == UCORE_NO_CPU &&
		 ucore_parallel_cpu_is_isolated(domain->reader) &&
		 !ucore_parallel_cpu_is_isolated(cpu))
		reader_replace(domain, cpu);
	else
		ucore_pmi_enable_cpu(domain, cpu);
	ucore_parallel_elect_all(domain, UCORE_NO_CPU);
}

static int cpu_came_online(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains && !suspended; i++)
		if (ucore_domain_has_cpu(&ucore_catalog.domains[i], cpu))
			domain_cpu_online(&ucore_catalog.domains[i], cpu);
	return 0;
}

/*
 * ---- suspend and resume ----
 */

/* Restore all registers of a domain, because a suspend may reset them. */
static void suspend_here(void *arg)
{
	struct ucore_domain *domain = arg;
	struct ucore_box *box;

	raw_spin_lock(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	ucore_for_each_box(box, domain)
		ucore_box_restore(box);
	ucore_domain_clear_stale(domain);
	ucore_domain_reset_release(domain);
	ucore_unfreeze_found(domain);
	if (domain->acquired)
		ucore_domain_release(domain);
	raw_spin_unlock(&domain->lock);
}

/* Return true if registers of the domain must be restored before a suspend. */
static bool domain_is_used(const struct ucore_domain *domain)
{
	const struct ucore_box *box;

	ucore_for_each_box(box, domain)
		if (box->dirty)
			return true;
	return domain->acquired;
}

/* Stop a domain as when its last CPU goes offline, and also restore its registers. */
static void domain_suspend(struct ucore_domain *domain)
{
	struct gap gap = { .domain = domain, .reason = UCORE_GAP_SUSPEND,
			   .from = domain->reader, .to = UCORE_NO_CPU };

	if (domain->reader != UCORE_NO_CPU && domain_is_used(domain)) {
		ucore_timers_cancel(domain);
		ucore_budget_run(domain, offline_here, &gap);
		ucore_pmi_disable(domain);
		ucore_pmi_sync(domain);
		hrtimer_cancel(&domain->watchdog);
		ucore_budget_run(domain, suspend_here, domain);
	}
	WRITE_ONCE(domain->reader, UCORE_NO_CPU);
}

static void domain_resume(struct ucore_domain *domain)
{
	int cpu;

	mutex_lock(&ucore_catalog.lock);
	/* CPUs that sessions chose may be offline after a resume */
	cpumask_and(&domain->pin_cpus, &domain->pin_cpus, cpu_online_mask);
	if (domain->pin_cpu != UCORE_NO_CPU && !cpu_online(domain->pin_cpu))
		domain->pin_cpu = first_chosen(domain);
	mutex_unlock(&ucore_catalog.lock);
	cpu = elect_reader(domain, UCORE_NO_CPU);
	if (cpu != UCORE_NO_CPU)
		domain_set_reader(domain, cpu, UCORE_GAP_RESUME);
	ucore_parallel_elect_all(domain, UCORE_NO_CPU);
}

/**
 * ucore_readers_suspend() - stop all sessions and restore all registers
 *
 * Until ucore_readers_resume() no domain has a reader. Sessions stay in the state
 * UCORE_SESSION_RUNNING but do not count, and no session can be started. Process context.
 */
void ucore_readers_suspend(void)
{
	u32 i;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	for (i = 0; i < ucore_catalog.nr_domains && !suspended; i++)
		domain_suspend(&ucore_catalog.domains[i]);
	suspended = true;
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_readers_resume() - elect readers, program the registers and resume the sessions
 *
 * Process context. The CPUs are online again, except those that failed to resume.
 */
void ucore_readers_resume(void)
{
	u32 i;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	for (i = 0; i < ucore_catalog.nr_domains && suspended; i++)
		domain_resume(&ucore_catalog.domains[i]);
	suspended = false;
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/*
 * ---- load and unload ----
 */

static enum cpuhp_state hotplug_state;

/**
 * ucore_reader_init() - initialize the PMI, the watchdog and the report of conflicts of a domain
 * @domain: the domain, which has no reader yet
 */
void ucore_reader_init(struct ucore_domain *domain)
{
	ucore_pmi_init(domain);
	ucore_watchdog_init(domain);
	ucore_multiplex_init(domain);
	ucore_conflict_init(domain);
}

/**
 * ucore_reader_exit() - stop a domain's watchdog, overflow service and parallel reads
 * @domain: the domain, without sessions
 */
void ucore_reader_exit(struct ucore_domain *domain)
{
	hrtimer_cancel(&domain->watchdog);
	hrtimer_cancel(&domain->multiplex);
	ucore_conflict_exit(domain);
	ucore_pmi_destroy(domain);
	ucore_parallel_exit(domain);
}

/**
 * ucore_readers_init() - elect the readers of all domains, and register for CPU hotplug
 *
 * The caller has built the catalog.
 *
 * Return: 0 or -errno.
 */
int ucore_readers_init(void)
{
	u32 i;
	int ret;

	suspended = false;
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		ucore_reader_init(&ucore_catalog.domains[i]);
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/ucore:online",
				cpu_came_online, cpu_going_offline);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

/** ucore_readers_exit() - unregister from CPU hotplug, and stop all domains; no session exists */
void ucore_readers_exit(void)
{
	u32 i;

	cpuhp_remove_state_nocalls(hotplug_state);
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		ucore_reader_exit(&ucore_catalog.domains[i]);
}
