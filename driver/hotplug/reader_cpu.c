// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readers: which CPU touches a domain's boxes, and what happens when it goes, or
 * when the whole machine sleeps: then no domain has one.
 *
 * Locks: the list of parts changes under the domain's lock, in process context,
 * with CPU hotplug held off.  So a hotplug callback, which excludes all of
 * those, may walk the list without it, and cancel timers that take it.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>

#include "box/catalog.h"
#include "cpu/budget.h"
#include "sample/parallel_read.h"
#include "cpu/nmi.h"
#include "irq/pmi.h"
#include "hotplug/reader_cpu.h"
#include "sample/sample.h"
#include "irq/timer.h"

/* How well a CPU would do: not to disturb counts more than to take PMIs. */
static int suits(const struct ucore_domain *domain, int cpu)
{
	return 2 * !ucore_parallel_cpu_is_isolated(cpu) + ucore_domain_cpu_selectable(domain, cpu);
}

/* One that sessions chose, else the first of those that suit best. */
static int elect_reader(const struct ucore_domain *domain, int leaving)
{
	int cpu, best = UCORE_NO_CPU;

	if (domain->pin_cpu != UCORE_NO_CPU && domain->pin_cpu != leaving)
		return domain->pin_cpu;
	for_each_cpu(cpu, &domain->pin_cpus)
		if (cpu != leaving)
			return cpu;
	for_each_online_cpu(cpu) {
		if (cpu == leaving || !ucore_domain_has_cpu(domain, cpu))
			continue;
		if (best == UCORE_NO_CPU || suits(domain, cpu) > suits(domain, best))
			best = cpu;
	}
	return best;
}

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
		ucore_sample_gap(ctx, now, gap->reason, gap->from, gap->to, ~0U);
}

static void gap_here(void *arg)
{
	struct gap *gap = arg;

	raw_spin_lock(&gap->domain->lock);
	gap_record(gap, ktime_get_mono_fast_ns());
	raw_spin_unlock(&gap->domain->lock);
}

/* Service what waits and keep the domain frozen. */
static void move_begin_here(void *arg)
{
	struct ucore_domain *domain = arg;
	struct ucore_interval iv;

	raw_spin_lock(&domain->lock);
	ucore_interval_begin(&iv, domain, ktime_get_mono_fast_ns());
	domain->holds++;
	ucore_interval_end(&iv);
	raw_spin_unlock(&domain->lock);
}

static void move_end_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_domain_unfreeze(domain, true);
	raw_spin_unlock(&domain->lock);
}

/*
 * Hand over to another CPU.  The list of parts is stable, timers are cancelled.
 * An overflow while nobody takes PMIs would go unnoticed: so there is none.
 */
static void hand_over(struct ucore_domain *domain, int cpu)
{
	if (!domain->armed) {
		WRITE_ONCE(domain->reader, cpu);
	} else {
		ucore_budget_run(domain, move_begin_here, domain);
		ucore_pmi_disable(domain);
		WRITE_ONCE(domain->reader, cpu);
		ucore_pmi_enable(domain);
		ucore_budget_run(domain, move_end_here, domain);
	}
}

/* Would the PMI go where it goes now?  The reader takes it in any case. */
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
 * ucore_reader_choose() - choose the reader, and the CPUs that take the PMI
 * @domain: the domain
 * @cpu: one of @cpus; UCORE_NO_CPU: nobody cares any more, the reader stays
 * @cpus: some of its online CPUs, to whose cores the PMI can be routed
 *
 * Process context; CPU hotplug and changes to the list of parts are held off, and
 * the catalog's lock is held.
 */
void ucore_reader_choose(struct ucore_domain *domain, int cpu, const struct cpumask *cpus)
{
	int reader = cpu == UCORE_NO_CPU ? domain->reader : cpu;
	bool same = reader == domain->reader && same_targets(domain, cpus);

	domain->pin_cpu = cpu;
	cpumask_copy(&domain->pin_cpus, cpus);
	/* without a reader the machine is about to sleep: the choice holds when it wakes */
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

/* The last CPU goes: stop everything while it can still be done. */
static void offline_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_domain *domain = gap->domain;
	struct ucore_interval iv;
	struct ucore_domain_ctx *ctx;

	raw_spin_lock(&domain->lock);
	ucore_interval_begin(&iv, domain, ktime_get_mono_fast_ns());
	list_for_each_entry(ctx, &domain->ctxs, node) {
		ucore_timer_last(ctx, &iv);
		ucore_interval_halt(&iv, ctx);
	}
	ucore_interval_end(&iv);
	gap_record(gap, iv.now);
	raw_spin_unlock(&domain->lock);
}

/* A box that was given up while no CPU could reach it. */
static bool box_is_left_over(const struct ucore_box *box, const struct ucore_domain *domain)
{
	return box->domain == domain && box->dirty && list_empty(&box->claims);
}

static bool domain_has_work(const struct ucore_domain *domain)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (box_is_left_over(&ucore_catalog.boxes[i], domain))
			return true;
	return domain->taken || !list_empty(&domain->ctxs);
}

/* It was given back when the machine fell asleep: note anew what is there. */
static void take_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_domain_acquire(domain);
	ucore_domain_clear_stale(domain);
	raw_spin_unlock(&domain->lock);
}

/* The first CPU came back: go on, and clean up after sessions closed meanwhile. */
static void online_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_domain *domain = gap->domain;
	u64 now = ktime_get_mono_fast_ns();
	struct ucore_domain_ctx *ctx;
	u32 i;

	raw_spin_lock(&domain->lock);
	ucore_domain_freeze(domain, now);
	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (box_is_left_over(&ucore_catalog.boxes[i], domain))
			ucore_box_restore(&ucore_catalog.boxes[i]);
	list_for_each_entry(ctx, &domain->ctxs, node)
		ucore_ctx_program(ctx);
	list_for_each_entry(ctx, &domain->ctxs, node)
		ucore_ctx_start_unfrozen(ctx);
	now = ucore_domain_unfreeze(domain, true);
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

/* Another CPU takes over, or the domain stops. */
static void reader_leaves(struct ucore_domain *domain, int cpu)
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

/* One of those that take the PMI goes: the route must name its core no more. */
static void target_leaves(struct ucore_domain *domain, int cpu)
{
	domain->leaving = cpu;
	hand_over(domain, domain->reader);
	domain->leaving = UCORE_NO_CPU;
}

static int first_chosen(const struct ucore_domain *domain)
{
	return cpumask_empty(&domain->pin_cpus) ? UCORE_NO_CPU : cpumask_first(&domain->pin_cpus);
}

static void domain_loses(struct ucore_domain *domain, int cpu)
{
	bool chosen;

	mutex_lock(&ucore_catalog.lock);
	chosen = cpumask_test_and_clear_cpu(cpu, &domain->pin_cpus);
	if (domain->pin_cpu == cpu)
		domain->pin_cpu = first_chosen(domain);
	mutex_unlock(&ucore_catalog.lock);

	/* a throttled domain's guard may sit on any of its CPUs */
	ucore_timers_cancel(domain);
	ucore_nmi_forget(domain, cpu);
	if (domain->reader == cpu)
		reader_leaves(domain, cpu);
	else if (chosen)
		target_leaves(domain, cpu);
	else
		ucore_pmi_disable_cpu(domain, cpu);
	/*
	 * It may have queued a service, which may throttle and so bring the guard back to
	 * it, from where the kernel would move it to any CPU, another domain's too.
	 */
	ucore_pmi_sync(domain);
	hrtimer_cancel(&domain->watchdog);
	ucore_parallel_elect_all(domain, cpu);
	ucore_timers_restart(domain);
}

/* The machine sleeps, or goes down; written under ucore_run_lock, CPU hotplug held off. */
static bool asleep;

static int cpu_going_offline(unsigned int cpu)
{
	u32 i;

	/* asleep no CPU is a reader, and who was chosen will be back */
	for (i = 0; i < ucore_catalog.nr_domains && !asleep; i++)
		if (ucore_domain_has_cpu(&ucore_catalog.domains[i], cpu))
			domain_loses(&ucore_catalog.domains[i], cpu);
	return 0;
}

/* A domain without a reader gets one. */
static void domain_resumes(struct ucore_domain *domain, int cpu, u32 reason)
{
	struct gap gap = { .domain = domain, .reason = reason, .from = UCORE_NO_CPU, .to = cpu };

	WRITE_ONCE(domain->reader, cpu);
	if (!domain_has_work(domain))
		return;		/* at load, say: nothing is touched */
	if (!domain->taken)
		ucore_budget_run(domain, take_here, domain);
	if (domain->armed)
		ucore_pmi_enable(domain);
	ucore_budget_run(domain, online_here, &gap);
	ucore_timers_restart(domain);
}

/* The reader was an isolated CPU, for want of a better one, and this is one. */
static void reader_retires(struct ucore_domain *domain, int cpu)
{
	struct gap gap = { .domain = domain, .reason = UCORE_GAP_READER_MOVED,
			   .from = domain->reader, .to = cpu };

	ucore_timers_cancel(domain);
	hand_over(domain, cpu);
	ucore_budget_run(domain, gap_here, &gap);
	ucore_timers_restart(domain);
}

static void domain_gains(struct ucore_domain *domain, int cpu)
{
	if (domain->reader == UCORE_NO_CPU)
		/* at load all CPUs are online already */
		domain_resumes(domain, ucore_parallel_cpu_is_isolated(cpu) ?
				       elect_reader(domain, UCORE_NO_CPU) : cpu, UCORE_GAP_ONLINE);
	else if (domain->pin_cpu == UCORE_NO_CPU && ucore_parallel_cpu_is_isolated(domain->reader) &&
		 !ucore_parallel_cpu_is_isolated(cpu))
		reader_retires(domain, cpu);
	else
		ucore_pmi_enable_cpu(domain, cpu);
	ucore_parallel_elect_all(domain, UCORE_NO_CPU);
}

static int cpu_came_online(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains && !asleep; i++)
		if (ucore_domain_has_cpu(&ucore_catalog.domains[i], cpu))
			domain_gains(&ucore_catalog.domains[i], cpu);
	return 0;
}

/*
 * ---- sleep ----
 */

/* Leave everything as it was found: registers may be at reset when the machine wakes. */
static void asleep_here(void *arg)
{
	struct ucore_domain *domain = arg;
	u32 i;

	raw_spin_lock(&domain->lock);
	ucore_domain_freeze(domain, ktime_get_mono_fast_ns());
	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (ucore_catalog.boxes[i].domain == domain)
			ucore_box_restore(&ucore_catalog.boxes[i]);
	ucore_domain_clear_stale(domain);
	ucore_domain_reset_release(domain);
	ucore_domain_enable(domain);
	if (domain->taken)
		ucore_domain_release(domain);
	raw_spin_unlock(&domain->lock);
}

static bool domain_is_used(const struct ucore_domain *domain)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (ucore_catalog.boxes[i].domain == domain && ucore_catalog.boxes[i].dirty)
			return true;
	return domain->taken;
}

/* As if its last CPU went, but that the hardware is given back. */
static void domain_falls_asleep(struct ucore_domain *domain)
{
	struct gap gap = { .domain = domain, .reason = UCORE_GAP_SUSPEND,
			   .from = domain->reader, .to = UCORE_NO_CPU };

	if (domain->reader != UCORE_NO_CPU && domain_is_used(domain)) {
		ucore_timers_cancel(domain);
		ucore_budget_run(domain, offline_here, &gap);
		ucore_pmi_disable(domain);
		ucore_pmi_sync(domain);
		hrtimer_cancel(&domain->watchdog);
		ucore_budget_run(domain, asleep_here, domain);
	}
	WRITE_ONCE(domain->reader, UCORE_NO_CPU);
}

static void domain_wakes_up(struct ucore_domain *domain)
{
	int cpu;

	mutex_lock(&ucore_catalog.lock);
	/* some may not have come back */
	cpumask_and(&domain->pin_cpus, &domain->pin_cpus, cpu_online_mask);
	if (domain->pin_cpu != UCORE_NO_CPU && !cpu_online(domain->pin_cpu))
		domain->pin_cpu = first_chosen(domain);
	mutex_unlock(&ucore_catalog.lock);
	cpu = elect_reader(domain, UCORE_NO_CPU);
	if (cpu != UCORE_NO_CPU)
		domain_resumes(domain, cpu, UCORE_GAP_RESUME);
	ucore_parallel_elect_all(domain, UCORE_NO_CPU);
}

/**
 * ucore_readers_sleep() - stop everything and leave the hardware as it was found
 *
 * Until ucore_readers_wake() no domain has a reader: sessions that run do so in name
 * only, and none can be started.  Process context.
 */
void ucore_readers_sleep(void)
{
	u32 i;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	for (i = 0; i < ucore_catalog.nr_domains && !asleep; i++)
		domain_falls_asleep(&ucore_catalog.domains[i]);
	asleep = true;
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_readers_wake() - program everything again and go on
 *
 * Process context; most CPUs are online again.
 */
void ucore_readers_wake(void)
{
	u32 i;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	for (i = 0; i < ucore_catalog.nr_domains && asleep; i++)
		domain_wakes_up(&ucore_catalog.domains[i]);
	asleep = false;
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/*
 * ---- life ----
 */

static enum cpuhp_state hotplug_state;

/**
 * ucore_reader_init() - prepare the interrupt and the guard of a domain
 * @domain: the domain; has no reader as yet
 */
void ucore_reader_init(struct ucore_domain *domain)
{
	ucore_pmi_init(domain);
	ucore_watchdog_init(domain);
}

/**
 * ucore_reader_exit() - stop the interrupt's work, the guard and the helpers of a domain
 * @domain: the domain; no session is left on it
 */
void ucore_reader_exit(struct ucore_domain *domain)
{
	hrtimer_cancel(&domain->watchdog);
	ucore_pmi_destroy(domain);
	ucore_parallel_exit(domain);
}

/**
 * ucore_readers_init() - elect readers, now and whenever CPUs come and go
 *
 * The catalog is complete.
 *
 * Return: 0 or -errno.
 */
int ucore_readers_init(void)
{
	u32 i;
	int ret;

	asleep = false;
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		ucore_reader_init(&ucore_catalog.domains[i]);
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/ucore:online",
				cpu_came_online, cpu_going_offline);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

/** ucore_readers_exit() - no CPU is a reader any more; no session is left */
void ucore_readers_exit(void)
{
	u32 i;

	cpuhp_remove_state_nocalls(hotplug_state);
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		ucore_reader_exit(&ucore_catalog.domains[i]);
}
