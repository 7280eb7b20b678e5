// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trial of the PMI: find out which CPUs each bit of pmi_core_sel interrupts. Part of the cpu layer.
 * The trial is made on an idle domain, in process context.
 *
 * The manual of client processors states that the bits select cores, or slices of the last-level
 * cache. It does not state which CPUs belong to a bit, and no source has seen a PMI. The trial
 * enables PMIs on all CPUs of the domain. For each bit it lets a counter of a box overflow, and the
 * NMI handler records the CPUs that take the PMI (nmi_handler.c). Before the bits it does the same
 * without any bit, because an interrupt that arrives in any case could not be routed.
 *
 * The status keeps an overflow for ARRIVAL_US, and until each CPU has executed an IPI. A CPU takes
 * a pending NMI before an IPI. A PMI that arrives even later, or an NMI of another source, is no
 * proof. Therefore each CPU is observed in at least two overflows. Each overflow has a number
 * (pmi_numbers.c), so that such a late PMI is claimed.
 *
 * The box has passed the trial of overflows (selftest/overflow_trial.c). An overflow therefore sets
 * a bit of the status, and the status can be cleared.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "box/catalog.h"
#include "box/core_select.h"
#include "cpu/budget.h"
#include "cpu/nmi_handler.h"
#include "cpu/pmi_trial.h"
#include "selftest/clock.h"

/* Time for which the trial waits for a PMI (us). Hardware needs less than half of it. */
#define ARRIVAL_US	1000

/* Number of overflows that show whether a bit interrupts a CPU, and the most that are made */
#define ENOUGH		2
#define MAX_OVERFLOWS	6

/**
 * struct observed - NMIs of a CPU after overflows
 * @took: number of overflows with the present route whose PMI the CPU took
 * @took_none: number of overflows with the present route in which the CPU took no NMI
 * @reach: bits of pmi_core_sel that interrupt the CPU
 * @unknown: NMIs of perf have left too few overflows for a bit
 */
struct observed {
	u8 took;
	u8 took_none;
	u8 reach;
	bool unknown;
};

/**
 * struct trial - trial of the PMI of a domain
 * @box: box whose counter overflows
 * @clock: its counter
 * @tally: register accesses of the domain before the trial
 * @cpus: online CPUs of the domain
 * @nmi: NMIs that the last overflow caused
 * @found: CPUs that PMIs with @route interrupt
 * @route: bits of the global control that select the cores
 * @overflowed: the status shows the last overflow
 * @observed: results, indexed by CPU
 */
struct trial {
	struct ucore_box *box;
	struct ucore_clock clock;
	struct ucore_tally tally;
	struct cpumask cpus;
	struct ucore_pmi_trial nmi;
	struct cpumask found;
	u64 route;
	bool overflowed;
	struct observed observed[];
};

/* Let the counter overflow, with the PMI routed by @route. The domain is frozen afterwards. */
static void overflow_here(void *arg)
{
	struct trial *t = arg;
	struct ucore_box *box = t->box;
	struct ucore_domain *domain = box->domain;

	raw_spin_lock(&domain->lock);
	ucore_domain_acquire(domain);
	ucore_domain_clear_stale(domain);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	ucore_box_reset(box);
	ucore_domain_assign_routes(domain, t->route);
	ucore_clock_preload(box, &t->clock);
	ucore_box_write(box, t->clock.ctl, t->clock.word | ucore_clock_overflow_enable(box));
	ucore_clock_start(box);
	ucore_clock_wait(t->clock.traffic);
	ucore_clock_freeze(box);
	t->overflowed = ucore_domain_status(domain);
	raw_spin_unlock(&domain->lock);
}

/*
 * Clear the overflow, stop the box, and leave the domain as found. A PMI that no CPU has taken may
 * still arrive.
 */
static void end_here(void *arg)
{
	struct trial *t = arg;
	struct ucore_domain *domain = t->box->domain;

	raw_spin_lock(&domain->lock);
	ucore_box_reset(t->box);
	ucore_nmi_service_begin(domain);
	ucore_domain_status(domain);
	ucore_domain_clear_status(domain);
	ucore_nmi_service_end(domain);
	if (!cpumask_empty(&t->nmi.took) || !t->route)
		ucore_pmi_expect_none(&domain->pmi);
	ucore_domain_assign_routes(domain, 0);
	ucore_unfreeze_domain(domain, false);
	ucore_domain_release(domain);
	raw_spin_unlock(&domain->lock);
}

/* Execute an IPI, before which this CPU has taken the NMIs that were pending. */
static void arrive_here(void *arg)
{
}

/* Let the counter overflow once, and record the NMIs. Return false if it did not overflow. */
static bool overflow_once(struct trial *t)
{
	struct ucore_domain *domain = t->box->domain;

	cpumask_clear(&t->nmi.took);
	cpumask_clear(&t->nmi.disturbed);
	t->overflowed = false;
	ucore_budget_run(domain, overflow_here, t);
	usleep_range(ARRIVAL_US, 2 * ARRIVAL_US);
	ucore_budget_run_on(&t->cpus, arrive_here, domain);
	ucore_budget_run(domain, end_here, t);
	return t->overflowed;
}

/* Count the NMIs of the last overflow. Return true if no further overflow is needed. */
static bool note_overflow(struct trial *t)
{
	struct observed *o;
	bool enough = true;
	int cpu;

	for_each_cpu(cpu, &t->cpus) {
		o = &t->observed[cpu];
		if (cpumask_test_cpu(cpu, &t->nmi.took))
			o->took++;
		else if (!cpumask_test_cpu(cpu, &t->nmi.disturbed))
			o->took_none++;
		enough &= !(o->took && o->took_none) && o->took + o->took_none >= ENOUGH;
	}
	return enough;
}

/* Return true if the CPU took most of the PMIs. */
static bool is_interrupted(struct observed *o)
{
	o->unknown |= o->took + o->took_none < ENOUGH;
	return o->took >= ENOUGH && o->took > o->took_none;
}

/*
 * Find the CPUs that PMIs with @route interrupt (@t->found). Return false if the counter did not
 * overflow.
 */
static bool find_cpus(struct trial *t, u64 route)
{
	struct observed *o;
	int cpu, i;

	t->route = route;
	for_each_cpu(cpu, &t->cpus) {
		o = &t->observed[cpu];
		o->took = 0;
		o->took_none = 0;
	}
	for (i = 0; i < MAX_OVERFLOWS; i++) {
		if (!overflow_once(t))
			return false;
		if (note_overflow(t))
			break;
	}
	cpumask_clear(&t->found);
	for_each_cpu(cpu, &t->cpus)
		if (is_interrupted(&t->observed[cpu]))
			cpumask_set_cpu(cpu, &t->found);
	return true;
}

/* Try all bits of pmi_core_sel. Return false if the trial gave no result. */
static bool try_bits(struct trial *t)
{
	const struct ucore_global *global = t->box->domain->global;
	u64 bits;
	int cpu;

	/* a PMI that arrives without a bit cannot be routed */
	if (!find_cpus(t, 0) || !cpumask_empty(&t->found))
		return false;
	for (bits = global->core_sel; bits; bits &= bits - 1) {
		if (!find_cpus(t, (bits & -bits) | global->wake))
			return false;
		for_each_cpu(cpu, &t->found)
			t->observed[cpu].reach |= BIT(__ffs64(bits) - __ffs64(global->core_sel));
	}
	return true;
}

/* Log the CPUs of each bit. Return true if there are any. */
static bool log_cpus(struct trial *t)
{
	const struct ucore_domain *domain = t->box->domain;
	u32 bit, nr = hweight64(domain->global->core_sel);
	bool any = false;
	int cpu;

	for (bit = 0; bit < nr; bit++) {
		cpumask_clear(&t->found);
		for_each_cpu(cpu, &t->cpus)
			if (t->observed[cpu].reach & BIT(bit))
				cpumask_set_cpu(cpu, &t->found);
		if (cpumask_empty(&t->found))
			continue;
		any = true;
		pr_info("domain %u: bit %u of pmi_core_sel interrupts CPUs %*pbl\n", domain->id,
			bit, cpumask_pr_args(&t->found));
	}
	return any;
}

/* Record the result in the self-test of the box. A success ends earlier failures of other boxes. */
static void record(const struct trial *t, bool reached)
{
	struct ucore_domain *domain = t->box->domain;
	struct ucore_box *box;
	u32 failed;

	ucore_for_each_box(box, domain) {
		failed = box == t->box && !reached ? UCORE_SELFTEST_PMI : 0;
		if (box != t->box && !(reached && box->selftest.failed & UCORE_SELFTEST_PMI))
			continue;
		raw_write_seqcount_begin(&box->selftest_seq);
		box->selftest.tested |= UCORE_SELFTEST_PMI;
		box->selftest.failed &= ~UCORE_SELFTEST_PMI;
		box->selftest.failed |= failed;
		if (box == t->box) {
			box->selftest.reads += domain->tally.reads - t->tally.reads;
			box->selftest.writes += domain->tally.writes - t->tally.writes;
		}
		raw_write_seqcount_end(&box->selftest_seq);
	}
}

/*
 * Publish the result of a complete trial. A CPU about which nothing is known keeps the result of an
 * earlier trial. Without one it is tried again later. Return true if no such CPU is left.
 */
static bool conclude(struct trial *t)
{
	struct ucore_domain *domain = t->box->domain;
	bool reached = log_cpus(t) || domain->pmi.reached, all = true;
	const struct observed *o;
	u8 reach;
	int cpu;

	for_each_cpu(cpu, &t->cpus) {
		o = &t->observed[cpu];
		reach = o->unknown ? domain->pmi.reach[cpu] : UCORE_REACH_TRIED;
		WRITE_ONCE(domain->pmi.reach[cpu], reach | o->reach);
		all &= !!(reach & UCORE_REACH_TRIED);
	}
	WRITE_ONCE(domain->pmi.reached, reached);
	raw_spin_lock_irq(&domain->lock);
	domain->pmi.proven = reached;
	if (reached || all)
		record(t, reached);
	raw_spin_unlock_irq(&domain->lock);
	return all;
}

static void run(struct trial *t)
{
	struct ucore_domain *domain = t->box->domain;
	bool complete;
	int cpu;

	for_each_online_cpu(cpu)
		if (ucore_domain_has_cpu(domain, cpu))
			cpumask_set_cpu(cpu, &t->cpus);
	t->tally = domain->tally;
	WRITE_ONCE(domain->pmi.trial, &t->nmi);
	ucore_budget_run_on(&t->cpus, ucore_nmi_enable_here, domain);
	complete = try_bits(t);
	WRITE_ONCE(domain->pmi.trial, NULL);
	/* after this IPI no handler uses @t */
	ucore_budget_run_on(&t->cpus, ucore_nmi_disable_here, domain);
	complete = complete && conclude(t);
	WRITE_ONCE(domain->pmi.incomplete, complete ? 0 : domain->pmi.incomplete + 1);
}

/**
 * ucore_pmi_trial_run() - find out which CPUs each bit of pmi_core_sel interrupts
 * @box: box for which ucore_pmi_trial_wanted() returned true
 *
 * Each CPU of the domain executes an IPI for each overflow, and two more. There are two overflows
 * for each bit, and two without a bit, each of them about 2 ms long, unless other NMIs disturb
 * them. If no memory is available, no trial is made.
 */
void ucore_pmi_trial_run(struct ucore_box *box)
{
	struct trial *t;

	lockdep_assert_held(&ucore_run_lock);

	t = kvzalloc(struct_size(t, observed, nr_cpu_ids), GFP_KERNEL);
	if (!t)
		return;
	t->box = box;
	if (ucore_clock_find_own(box, &t->clock))
		run(t);
	kvfree(t);
}

/**
 * ucore_pmi_trial_wanted() - check whether a trial of the PMI is possible on a box, and due
 * @box: the box
 *
 * Return: true if no trial has shown which CPUs PMIs reach, no session counts on the domain, and
 * an overflow of the box freezes the domain.
 */
bool ucore_pmi_trial_wanted(const struct ucore_box *box)
{
	const struct ucore_domain *domain = box->domain;

	return ucore_core_select_untried(domain) && list_empty(&domain->ctxs) && !box->dirty &&
	       !box->dead && READ_ONCE(box->caps) & UCORE_BOX_F_ANY_OVERFLOW &&
	       ucore_domain_overflow_freezes(domain);
}
