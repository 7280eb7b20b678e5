// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the trial that shows which CPUs the bits of pmi_core_sel interrupt, and of the
 * routes that follow from its result.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "box/core_select.h"
#include "cpu/pmi_trial.h"
#include "event/event.h"
#include "fake_machine.h"
#include "irq/pmi_route_and_service.h"
#include "selftest/selftest.h"

#define HA0		BIT_ULL(20)
#define SHIFT		48
#define SEL(bit)	BIT_ULL(SHIFT + (bit))
#define CORE_STATUS	0x38e
#define CORE_OVF_CTL	0x390
#define LONG_PERIOD	BIT_ULL(40)

/* Global control of the tests: no source states which CPUs its three bits interrupt. */
static struct ucore_global global;

/* Bit of pmi_core_sel that interrupts each CPU, from SHIFT on; 0: none */
static u64 selects[FAKE_CPUS];

/* Number of overflows, of NMIs that the CPUs took, and of NMIs that nobody handled */
static u32 overflows, nmis, unhandled;

/* Number of overflows with a selected CPU that an NMI of perf disturbs, and that send no PMI */
static u32 disturbed, silent;

static void take_nmi(void *arg)
{
	struct pt_regs regs = { .cs = __KERNEL_CS };

	nmis++;
	unhandled += !fake_kernel.nmi(NMI_LOCAL, &regs);
}

static call_single_data_t nmi_of_cpu1;

/*
 * Called before each read of a register, on the reader (CPU 0). If the status shows an overflow
 * that has just frozen the die, interrupt the selected CPUs.
 */
static void interrupt_selected(void)
{
	struct fake_window *gw = fake_global(0);
	static bool sent;
	u64 route;

	if (!fake_peek(gw, GLOBAL_STATUS)) {
		sent = false;
		return;
	}
	if (sent || smp_processor_id())
		return;
	sent = true;
	overflows++;
	route = ucore_catalog.domains[0].route;
	if (route & (selects[0] | selects[1]) && silent && overflows % 2) {
		silent--;
		return;
	}
	if (route & selects[0] && disturbed) {
		disturbed--;
		*fake_msr(CORE_STATUS) = BIT_ULL(33);
		take_nmi(NULL);
		*fake_msr(CORE_STATUS) = 0;
		return;
	}
	if (route & selects[0])
		take_nmi(NULL);
	if (route & selects[1])
		smp_call_function_single_async(1, &nmi_of_cpu1);
}

static int trial_init(struct kunit *test)
{
	int ret = fake_machine_init(test);
	struct ucore_domain *domain;
	struct fake_window *win;
	struct ucore_box *box;
	u32 i;

	if (ret)
		return ret;
	ret = ucore_nmi_register();
	if (ret)
		return ret;
	domain = &ucore_catalog.domains[0];
	global = *domain->global;
	global.core_sel = SEL(0) | SEL(1) | SEL(2);
	global.sel_untried = true;
	domain->global = &global;
	domain->pmi.reach = kunit_kzalloc(test, FAKE_CPUS, GFP_KERNEL);
	if (!domain->pmi.reach)
		return -ENOMEM;
	box = fake_box(test, 0, "ha", 0);
	win = fake_window(box);
	win->die = fake_global(0);
	win->overflow = FAKE_OVERFLOW_FREEZES;
	win->ov_sets = HA0;
	win->ov_status = BIT(0);
	bus_of(test)->clocked = win;
	bus_of(test)->clocks = 100;
	bus_of(test)->hook = interrupt_selected;
	nmi_of_cpu1 = (call_single_data_t){ .func = take_nmi };
	for (i = 0; i < FAKE_CPUS; i++) {
		selects[i] = 0;
		fake_kernel.lvtpc[i] = APIC_LVT_MASKED | 0xee;
	}
	overflows = 0;
	disturbed = 0;
	silent = 0;
	nmis = 0;
	unhandled = 0;
	ucore_catalog.caps &= ~UCORE_CAP_OVERFLOW_PMI;
	return 0;
}

static void trial_exit(struct kunit *test)
{
	ucore_catalog.domains[0].pmi.reach = NULL;
	ucore_nmi_unregister();
	fake_machine_exit(test);
}

static struct ucore_domain *domain_of(struct kunit *test)
{
	return &ucore_catalog.domains[0];
}

static int add(struct kunit *test, u32 instance, u32 flags, struct ucore_add_event *out)
{
	return fake_add(fake_session_config(test, &(struct ucore_create_session){
		.flags = flags }), fake_box(test, 0, "ha", instance), 4, BIT(0), LONG_PERIOD, out);
}

/* ---- the trial ---- */

static void trial_finds_the_cpus_of_each_bit(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct ucore_add_event out;

	selects[0] = SEL(2);
	selects[1] = SEL(0);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, &out), 0);
	KUNIT_EXPECT_EQ(test, out.poll_ns, 0ULL);
	KUNIT_EXPECT_TRUE(test, domain->pmi.reached);
	KUNIT_EXPECT_EQ(test, domain->pmi.reach[0], UCORE_REACH_TRIED | BIT(2));
	KUNIT_EXPECT_EQ(test, domain->pmi.reach[1], UCORE_REACH_TRIED | BIT(0));
	/* two overflows without a bit, and two for each bit */
	KUNIT_EXPECT_EQ(test, overflows, 2U + 3U * 2U);
	KUNIT_EXPECT_EQ(test, nmis, 4U);
	KUNIT_EXPECT_EQ(test, unhandled, 0U);
	KUNIT_EXPECT_TRUE(test, box->selftest.tested & UCORE_SELFTEST_PMI);
	KUNIT_EXPECT_FALSE(test, box->selftest.failed & UCORE_SELFTEST_PMI);
	KUNIT_EXPECT_TRUE(test, ucore_catalog.caps & UCORE_CAP_OVERFLOW_PMI);
	/* nothing is left: no route, no freeze, no status, no NMI */
	KUNIT_EXPECT_EQ(test, domain->route, 0ULL);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
	KUNIT_EXPECT_FALSE(test, domain->acquired);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_NULL(test, domain->pmi.trial);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)(APIC_LVT_MASKED | 0xee));
	KUNIT_EXPECT_EQ(test, domain->pmis, 0ULL);
}

static void trial_is_made_once(struct kunit *test)
{
	selects[0] = SEL(0);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	nmis = 0;
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, nmis, 0U);
}

/* A CPU may take the NMI of perf and the PMI together. Further overflows then show the PMI. */
static void overflow_beside_an_nmi_of_perf_does_not_count(struct kunit *test)
{
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_msr_add(CORE_STATUS, 0);
	selects[0] = SEL(1);
	disturbed = 2;
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, domain_of(test)->pmi.reach[0], UCORE_REACH_TRIED | BIT(1));
	KUNIT_EXPECT_EQ(test, overflows, 2U + 2U + 4U + 2U);
	KUNIT_EXPECT_EQ(test, unhandled, 2U);
}

/* One overflow of six sends no PMI, or only one of two. */
static void cpu_must_take_most_pmis(struct kunit *test)
{
	selects[0] = SEL(0);
	silent = 1;
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, domain_of(test)->pmi.reach[0], UCORE_REACH_TRIED | BIT(0));
	KUNIT_EXPECT_EQ(test, overflows, 2U + 6U + 2U + 2U);
	domain_of(test)->pmi.reach[0] = 0;
	silent = 100;
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, domain_of(test)->pmi.reach[0], UCORE_REACH_TRIED);
}

/* NMIs of perf leave no overflow for CPU 0. It is tried again, but not without end. */
static void cpu_that_perf_disturbs_is_tried_again(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct ucore_add_event out;
	u32 i;

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_msr_add(CORE_STATUS, 0);
	selects[0] = SEL(0);
	selects[1] = SEL(1);
	disturbed = 100;
	for (i = 1; i <= 4; i++) {
		KUNIT_ASSERT_EQ(test, add(test, 0, 0, &out), 0);
		KUNIT_EXPECT_EQ(test, out.poll_ns, 0ULL);	/* CPU 1 takes the PMI */
		KUNIT_EXPECT_EQ(test, domain_of(test)->pmi.reach[0], 0);
		KUNIT_EXPECT_EQ(test, domain_of(test)->pmi.reach[1], UCORE_REACH_TRIED | BIT(1));
		KUNIT_EXPECT_FALSE(test, box->selftest.failed & UCORE_SELFTEST_PMI);
		KUNIT_EXPECT_EQ(test, overflows, min(i, 3U) * (2U + 6U + 2U + 2U));
	}
}

/* NMIs of perf disturb the trial of CPU 1, which came online later. The result of CPU 0 stays. */
static void known_cpu_keeps_its_result(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_msr_add(CORE_STATUS, 0);
	selects[0] = SEL(0);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	domain->pmi.reach[1] = 0;
	selects[1] = SEL(1);
	disturbed = 100;
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, domain->pmi.reach[0], UCORE_REACH_TRIED | BIT(0));
	KUNIT_EXPECT_EQ(test, domain->pmi.reach[1], UCORE_REACH_TRIED | BIT(1));
	KUNIT_EXPECT_EQ(test, domain->pmi.incomplete, 0);
}

/* Nothing is known about the only CPU that a PMI interrupts. */
static void unknown_cpu_is_no_failure(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct ucore_add_event out;

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_msr_add(CORE_STATUS, 0);
	selects[0] = SEL(0);
	disturbed = 6;
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, &out), 0);
	KUNIT_EXPECT_NE(test, out.poll_ns, 0ULL);
	KUNIT_EXPECT_FALSE(test, box->selftest.tested & UCORE_SELFTEST_PMI);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, &out), 0);
	KUNIT_EXPECT_EQ(test, out.poll_ns, 0ULL);
	KUNIT_EXPECT_TRUE(test, box->selftest.tested & UCORE_SELFTEST_PMI);
}

/* The only CPU that a PMI interrupts comes online after the first trial, which failed. */
static void later_trial_corrects_the_first(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct ucore_domain *domain = domain_of(test);

	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_TRUE(test, box->selftest.failed & UCORE_SELFTEST_PMI);
	domain->pmi.reach[1] = 0;
	selects[1] = SEL(1);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_FALSE(test, box->selftest.failed & UCORE_SELFTEST_PMI);
	KUNIT_EXPECT_TRUE(test, ucore_catalog.caps & UCORE_CAP_OVERFLOW_PMI);
	/* another CPU comes online: the trial is repeated, although PMIs are used */
	domain->pmi.reach[0] = 0;
	selects[0] = SEL(0);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, domain->pmi.reach[0], UCORE_REACH_TRIED | BIT(0));
}

static void period_is_polled_if_no_pmi_arrives(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct ucore_add_event out;

	KUNIT_ASSERT_EQ(test, add(test, 0, 0, &out), 0);
	KUNIT_EXPECT_NE(test, out.poll_ns, 0ULL);
	KUNIT_EXPECT_TRUE(test, box->selftest.failed & UCORE_SELFTEST_PMI);
	KUNIT_EXPECT_NE(test, (int)*ucore_selftest_reason(&box->selftest), 0);
	KUNIT_EXPECT_NULL(test, ucore_catalog.failed);
	KUNIT_EXPECT_FALSE(test, ucore_catalog.caps & UCORE_CAP_OVERFLOW_PMI);
	KUNIT_EXPECT_EQ(test, ucore_core_select_mask(domain_of(test)), 0ULL);
	/* no further trial */
	fake_bus_clear(bus_of(test));
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static void trial_is_not_made_for_sessions_without_pmi(struct kunit *test)
{
	selects[0] = SEL(0);
	add(test, 0, UCORE_SESSION_F_NO_PMI, NULL);
	KUNIT_EXPECT_EQ(test, nmis, 0U);
	KUNIT_EXPECT_TRUE(test, ucore_core_select_untried(domain_of(test)));
}

/* The counter does not overflow. The next session makes the trial. */
static void trial_without_an_overflow_is_repeated(struct kunit *test)
{
	selects[0] = SEL(0);
	fake_window(fake_box(test, 0, "ha", 0))->overflow = FAKE_OVERFLOW_IGNORED;
	add(test, 0, 0, NULL);
	KUNIT_EXPECT_TRUE(test, ucore_core_select_untried(domain_of(test)));
	fake_window(fake_box(test, 0, "ha", 0))->overflow = FAKE_OVERFLOW_FREEZES;
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, NULL), 0);
	KUNIT_EXPECT_TRUE(test, domain_of(test)->pmi.reached);
}

static void trial_waits_for_an_idle_domain(struct kunit *test)
{
	struct ucore_session *other = fake_session(test);
	struct ucore_add_event out;

	selects[0] = SEL(0);
	KUNIT_ASSERT_EQ(test, fake_add(other, fake_box(test, 0, "imc", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(other), 0);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, &out), 0);
	KUNIT_EXPECT_NE(test, out.poll_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, nmis, 0U);
	fake_stop(other);
	KUNIT_ASSERT_EQ(test, add(test, 0, 0, &out), 0);
	KUNIT_EXPECT_EQ(test, out.poll_ns, 0ULL);
}

/* ---- NMIs during the trial ---- */

static struct ucore_pmi_trial trial;

/* Let the domain be in a trial, with CPU 0 enabled and an overflow in the status. */
static void begin(struct kunit *test)
{
	bus_of(test)->hook = NULL;
	trial = (struct ucore_pmi_trial){ };
	smp_call_function_single(0, ucore_nmi_enable_here, domain_of(test), 1);
	domain_of(test)->pmi.trial = &trial;
	fake_poke(fake_global(0), GLOBAL_STATUS, HA0);
}

static void end(struct kunit *test)
{
	fake_poke(fake_global(0), GLOBAL_STATUS, 0);
	domain_of(test)->pmi.trial = NULL;
	smp_call_function_single(0, ucore_nmi_disable_here, domain_of(test), 1);
}

static void nmi_of_a_trial_is_recorded_and_not_serviced(struct kunit *test)
{
	begin(test);
	smp_call_function_single(0, take_nmi, NULL, 1);
	KUNIT_EXPECT_EQ(test, unhandled, 0U);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&trial.took, cpumask_of(0)));
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&trial.disturbed));
	KUNIT_EXPECT_EQ(test, domain_of(test)->pmi.stashed, 0ULL);
	end(test);
}

static void nmi_of_perf_disturbs_the_trial(struct kunit *test)
{
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_msr_add(CORE_STATUS, BIT_ULL(33));
	begin(test);
	smp_call_function_single(0, take_nmi, NULL, 1);
	KUNIT_EXPECT_EQ(test, unhandled, 1U);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&trial.took));
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&trial.disturbed, cpumask_of(0)));
	end(test);
}

/* No source states whether the bit would block the next PMI. */
static void uncore_bit_of_the_core_status_is_cleared(struct kunit *test)
{
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_msr_add(CORE_STATUS, BIT_ULL(61) | BIT_ULL(63));
	fake_msr_add(CORE_OVF_CTL, 0);
	begin(test);
	KUNIT_EXPECT_EQ(test, *fake_msr(CORE_OVF_CTL), BIT_ULL(61));	/* when PMIs are enabled */
	*fake_msr(CORE_OVF_CTL) = 0;
	smp_call_function_single(0, take_nmi, NULL, 1);
	KUNIT_EXPECT_EQ(test, *fake_msr(CORE_OVF_CTL), BIT_ULL(61));
	*fake_msr(CORE_OVF_CTL) = 0;
	*fake_msr(CORE_STATUS) = BIT_ULL(63);
	smp_call_function_single(0, take_nmi, NULL, 1);
	KUNIT_EXPECT_EQ(test, *fake_msr(CORE_OVF_CTL), 0ULL);
	end(test);
}

/* ---- routes ---- */

static void route_follows_the_trial(struct kunit *test)
{
	struct ucore_domain *domain = domain_of(test);

	KUNIT_EXPECT_EQ(test, ucore_core_select_mask(domain), 0ULL);
	KUNIT_EXPECT_TRUE(test, ucore_core_select_possible(domain, 1));
	domain->pmi.reach[0] = UCORE_REACH_TRIED | BIT(1) | BIT(2);
	domain->pmi.reach[1] = UCORE_REACH_TRIED;
	domain->pmi.reached = true;
	KUNIT_EXPECT_EQ(test, ucore_core_select_mask(domain), SEL(0) | SEL(1) | SEL(2));
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 0), SEL(1));
	KUNIT_EXPECT_EQ(test, ucore_core_select_bit(domain, 1), 0ULL);
	KUNIT_EXPECT_TRUE(test, ucore_core_select_possible(domain, 0));
	KUNIT_EXPECT_FALSE(test, ucore_core_select_possible(domain, 1));
	KUNIT_EXPECT_TRUE(test, ucore_core_select_reaches(domain, SEL(2), 0));
	KUNIT_EXPECT_FALSE(test, ucore_core_select_reaches(domain, SEL(0), 0));
	KUNIT_EXPECT_FALSE(test, ucore_core_select_reaches(domain, SEL(2), 1));
	KUNIT_EXPECT_TRUE(test, ucore_core_select_works(domain));
	KUNIT_EXPECT_FALSE(test, ucore_core_select_untried(domain));
	domain->pmi.reach[1] = 0;
	KUNIT_EXPECT_TRUE(test, ucore_core_select_untried(domain));
	domain->pmi.incomplete = UCORE_PMI_MAX_INCOMPLETE;
	KUNIT_EXPECT_FALSE(test, ucore_core_select_untried(domain));
	domain->pmi.reach[0] = UCORE_REACH_TRIED;
	KUNIT_EXPECT_FALSE(test, ucore_core_select_works(domain));
}

/* The selected bit interrupts both CPUs, and only the CPUs of the route are enabled. */
static void cpus_of_the_route_are_those_that_its_bits_reach(struct kunit *test)
{
	static const struct {
		u8 reach[2];
		bool enabled[2];
	} cases[] = {
		{ { BIT(0), BIT(0) }, { true, true } },
		{ { BIT(0), BIT(1) }, { true, false } },
		/* no bit reaches the reader */
		{ { 0, BIT(1) }, { false, true } },
	};
	struct ucore_domain *domain = domain_of(test);
	u32 i, cpu;

	domain->pmi.reached = true;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (cpu = 0; cpu < 2; cpu++)
			domain->pmi.reach[cpu] = UCORE_REACH_TRIED | cases[i].reach[cpu];
		cpus_read_lock();
		ucore_pmi_enable(domain);
		for (cpu = 0; cpu < 2; cpu++)
			KUNIT_EXPECT_EQ_MSG(test, cpumask_test_cpu(cpu, &domain->pmi.cpus),
					    cases[i].enabled[cpu], "case %u, CPU %u", i, cpu);
		KUNIT_EXPECT_EQ(test, domain->route & global.core_sel, SEL(i < 2 ? 0 : 1));
		ucore_pmi_disable(domain);
		cpus_read_unlock();
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(trial_finds_the_cpus_of_each_bit),
	KUNIT_CASE(trial_is_made_once),
	KUNIT_CASE(overflow_beside_an_nmi_of_perf_does_not_count),
	KUNIT_CASE(cpu_must_take_most_pmis),
	KUNIT_CASE(cpu_that_perf_disturbs_is_tried_again),
	KUNIT_CASE(known_cpu_keeps_its_result),
	KUNIT_CASE(unknown_cpu_is_no_failure),
	KUNIT_CASE(later_trial_corrects_the_first),
	KUNIT_CASE(period_is_polled_if_no_pmi_arrives),
	KUNIT_CASE(trial_is_not_made_for_sessions_without_pmi),
	KUNIT_CASE(trial_without_an_overflow_is_repeated),
	KUNIT_CASE(trial_waits_for_an_idle_domain),
	KUNIT_CASE(nmi_of_a_trial_is_recorded_and_not_serviced),
	KUNIT_CASE(nmi_of_perf_disturbs_the_trial),
	KUNIT_CASE(uncore_bit_of_the_core_status_is_cleared),
	KUNIT_CASE(route_follows_the_trial),
	KUNIT_CASE(cpus_of_the_route_are_those_that_its_bits_reach),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_pmi_trial",
	.init = trial_init,
	.exit = trial_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
