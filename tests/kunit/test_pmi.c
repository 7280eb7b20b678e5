// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the PMI: NMI ownership, the number of overflows per NMI, the state after
 * service, and enabling and disabling the PMI route.
 *
 * Tests call the NMI handler by hand on a chosen CPU with interrupts off. The irq_work runs
 * as soon as interrupts are on again.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "cpu/budget.h"
#include "fake_machine.h"
#include "irq/pmi_route_and_service.h"

#define MS		((u64)NSEC_PER_MSEC)
#define IMC0		BIT_ULL(20)
#define IMC1		BIT_ULL(21)
#define UNCORE_PMI	BIT_ULL(13)
#define PERFS_LVTPC	(APIC_LVT_MASKED | 0xee)

/* Return a context with an armed counter in each iMC, with the PMI routed to CPU 0. */
static struct ucore_domain_ctx *armed_ctx_on(struct kunit *test, u32 id)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, id, 4096);
	struct ucore_domain *domain = ctx->domain;

	fake_machine(test)->sink.context = true;
	fake_ctx_add(ctx, fake_box(test, id, "imc", 0), 0, 0x500304, 100);
	fake_ctx_add(ctx, fake_box(test, id, "imc", 4), 0, 0x500304, 100);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	cpus_read_lock();
	ucore_pmi_enable(domain);
	cpus_read_unlock();
	fake_bus_clear(bus_of(test));
	return ctx;
}

static struct ucore_domain_ctx *armed_ctx(struct kunit *test)
{
	return armed_ctx_on(test, 0);
}

static void overflow(struct ucore_domain_ctx *ctx, u32 i)
{
	fake_overflow(ctx->box[i].box, 0xa0, 0, BIT(1), i ? IMC1 : IMC0);
}

/**
 * struct nmi - NMIs on one CPU in direct succession
 * @times: number of NMIs
 * @ip: interrupted instruction
 * @handled: results of the handler
 * @during: called between the first and the second NMI, may be NULL
 * @arg: argument of @during
 */
struct nmi {
	u32 times;
	u64 ip;
	int handled[4];
	void (*during)(void *arg);
	void *arg;
};

static void nmi_here(void *arg)
{
	struct nmi *nmi = arg;
	struct pt_regs regs = { .ip = nmi->ip, .cs = __KERNEL_CS };
	u32 i;

	for (i = 0; i < nmi->times; i++) {
		nmi->handled[i] = fake_nmi(&regs);
		if (!i && nmi->during)
			nmi->during(nmi->arg);
	}
}

static void nmi_on(struct ucore_domain_ctx *ctx, u32 cpu, struct nmi *nmi)
{
	smp_call_function_single(cpu, nmi_here, nmi, 1);
	irq_work_sync(&ctx->domain->pmi.work);
}

static int one_nmi(struct ucore_domain_ctx *ctx, u32 cpu)
{
	struct nmi nmi = { .times = 1 };

	nmi_on(ctx, cpu, &nmi);
	return nmi.handled[0];
}

/* Raise an NMI, and leave its service to a later irq_work_sync() (fake_kernel.hold_work). */
static int one_unserviced_nmi(u32 cpu)
{
	struct nmi nmi = { .times = 1 };

	smp_call_function_single(cpu, nmi_here, &nmi, 1);
	return nmi.handled[0];
}

static int pmi_ready(int ret)
{
	u32 cpu;

	if (ret)
		return ret;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		fake_kernel.lvtpc[cpu] = PERFS_LVTPC;
	return ucore_nmi_register();
}

static int pmi_init(struct kunit *test)
{
	return pmi_ready(fake_machine_init(test));
}

static int pmi_init_cpu(struct kunit *test)
{
	return pmi_ready(fake_machine_init_cpu(test));
}

/* Either both handlers are registered or none. */
static void failed_registration_is_undone(struct kunit *test)
{
	u32 i;

	ucore_nmi_unregister();
	for (i = 1; i <= 2; i++) {
		fake_kernel.refuse_in = i;
		KUNIT_EXPECT_EQ(test, ucore_nmi_register(), -EINVAL);
		KUNIT_EXPECT_NULL(test, fake_kernel.nmi);
		KUNIT_EXPECT_NULL(test, fake_kernel.unknown_nmi);
	}
	KUNIT_EXPECT_EQ(test, ucore_nmi_register(), 0);
}

/* ---- NMI ownership ---- */

static void nmi_without_armed_domain_is_not_claimed(struct kunit *test)
{
	struct nmi nmi = { .times = 1 };

	fake_poke(fake_global(0), GLOBAL_STATUS, IMC0);
	smp_call_function_single(1, nmi_here, &nmi, 1);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], NMI_DONE);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[1], 0U);
}

static void nmi_without_status_is_left_to_perf(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 writes = fake_kernel.lvtpc_writes[0];

	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[0], writes);
}

/* The status shows an overflow of some box, armed or not: no other handler would clear it. */
static void nmi_with_unknown_status_bits_is_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	fake_poke(fake_global(0), GLOBAL_STATUS, BIT_ULL(2) | BIT_ULL(19));
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 2);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

/* The delivery masks the LVTPC: the handler must unmask it again. */
static void pmi_is_sampled_with_context(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 1, .ip = 0xffffffff81234567ULL };
	const struct ucore_sample *sample;
	u64 before = ktime_get_mono_fast_ns();

	overflow(ctx, 0);
	fake_kernel.lvtpc[0] = APIC_LVT_MASKED | APIC_DM_NMI;
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->ip, nmi.ip);
	KUNIT_EXPECT_EQ(test, sample->cpu, 0U);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_CONTEXT);
	KUNIT_EXPECT_GE(test, sample->time, before);
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->domain->recovered, 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_TRUE(test, ctx->domain->pmi.proven);
}

/* An NMI can stand for several overflows. The handler returns their number. */
static void nmi_returns_number_of_overflows(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	overflow(ctx, 0);
	overflow(ctx, 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 2);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 2ULL);
}

/* The status is still set, because the service has not run: the second NMI belongs to perf. */
static void repeated_nmi_before_service_is_not_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 3 };

	overflow(ctx, 0);
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	KUNIT_EXPECT_EQ(test, nmi.handled[1], NMI_DONE);
	KUNIT_EXPECT_EQ(test, nmi.handled[2], NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);	/* nor after the service */
}

static void successive_pmis_are_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 10; i++) {
		overflow(ctx, i & 1);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
		KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	}
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 10ULL);
}

static void service_here(void *arg)
{
	struct ucore_domain_ctx *ctx = arg;
	struct ucore_readout ro;

	raw_spin_lock(&ctx->domain->lock);
	ucore_readout_begin(&ro, ctx->domain, ktime_get_mono_fast_ns());
	ucore_readout_end(&ro);
	raw_spin_unlock(&ctx->domain->lock);
}

static void forget_here(void *arg)
{
	fake_poke(fake_global(0), GLOBAL_STATUS, 0);
}

/* Let an overflow occur and service it before its NMI arrives. */
static void service_before_nmi(struct ucore_domain_ctx *ctx)
{
	overflow(ctx, 0);
	local_irq_disable();
	service_here(ctx);
	local_irq_enable();
}

/* A timer or a READ serviced the overflow first: the NMI is still claimed, once. */
static void pmi_after_service_is_claimed_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	service_before_nmi(ctx);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

/* Another service runs between the NMI and its irq_work, which then has nothing to do. */
static void service_between_nmi_and_irq_work_takes_one_sample(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 1, .during = service_here, .arg = ctx, .ip = 0x77 };
	const struct ucore_sample *sample;

	overflow(ctx, 0);
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	/* the context of the NMI was available already */
	KUNIT_EXPECT_EQ(test, sample->ip, 0x77ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 1ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, ctx->domain->freeze_count, 0U);
}

/*
 * Before START has armed counters, or before STOP disables the PMI: the next PMI services
 * both.
 */
static void pmi_while_unarmed_is_serviced_later(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;

	overflow(ctx, 0);
	domain->armed = 0;
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_NULL(test, ucore_nmi_context(domain));
	domain->armed = 1;
	overflow(ctx, 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 2);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, domain->pmis, 1ULL);
}

/*
 * Other software cleared the status between the NMI and its service: nothing is left to
 * service.
 */
static void pmi_whose_status_was_cleared_is_forgotten(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;
	struct nmi nmi = { .times = 1, .during = forget_here, .arg = ctx };

	overflow(ctx, 0);
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	KUNIT_EXPECT_NULL(test, ucore_nmi_context(domain));
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	overflow(ctx, 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, domain->pmis, 1ULL);
}

struct service {
	struct ucore_domain_ctx *ctx;
	struct nmi nmi;
};

static void nmi_service_begins(void *domain)
{
	ucore_nmi_service_begin(domain);
}

static void nmi_in_service_here(void *arg)
{
	struct service *service = arg;
	struct ucore_domain *domain = service->ctx->domain;

	raw_spin_lock(&domain->lock);
	ucore_nmi_service_begin(domain);
	overflow(service->ctx, 1);
	nmi_here(&service->nmi);
	ucore_nmi_service_end(domain);
	raw_spin_unlock(&domain->lock);
}

/* The PMI arrives during a service that read the status too early to see its overflow. */
static void pmi_during_service_is_serviced_afterwards(struct kunit *test)
{
	struct service service = { .ctx = armed_ctx(test), .nmi.times = 1 };
	struct ucore_domain_ctx *ctx = service.ctx;

	smp_call_function_single(0, nmi_in_service_here, &service, 1);
	irq_work_sync(&ctx->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, service.nmi.handled[0], NMI_HANDLED);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

static void nmis_before_and_in_service_here(void *arg)
{
	struct service *service = arg;
	struct ucore_domain *domain = service->ctx->domain;

	raw_spin_lock(&domain->lock);
	overflow(service->ctx, 1);
	service->nmi.during = nmi_service_begins;
	service->nmi.arg = domain;
	nmi_here(&service->nmi);
	ucore_nmi_service_end(domain);
	raw_spin_unlock(&domain->lock);
}

/* The PMI in service is claimed already: another NMI during the service is foreign. */
static void foreign_nmi_during_service_is_not_claimed(struct kunit *test)
{
	struct service service = { .ctx = armed_ctx(test), .nmi.times = 2 };

	smp_call_function_single(0, nmis_before_and_in_service_here, &service, 1);
	irq_work_sync(&service.ctx->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, service.nmi.handled[0], NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, service.nmi.handled[1], NMI_DONE);
}

/* The core's other thread gets the same PMI: one sample, with the context of the first one. */
static void pmi_on_both_threads_gives_one_sample(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;
	struct nmi nmi = { .times = 2, .ip = 0x1111 };
	const struct ucore_sample *sample;

	fake_kernel.core_id[1] = 0;
	ctx = armed_ctx(test);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&ctx->domain->pmi.cpus), 2U);
	overflow(ctx, 0);
	nmi_on(ctx, 1, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	nmi.ip = 0x2222;
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, nmi.handled[1], NMI_DONE);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->ip, 0x1111ULL);
	KUNIT_EXPECT_EQ(test, sample->cpu, 1U);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

/* A late PMI is claimed for one second only. After that, an NMI belongs to others. */
static void pmi_one_second_late_is_not_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		service_before_nmi(ctx);
		fake_clock_advance((i ? 1100ULL : 900ULL) * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), i ? NMI_DONE : NMI_HANDLED);
	}
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
}

/*
 * A late NMI finds the next overflow in the status and claims that one. The next overflow's
 * NMI is still to come. The handler claims it once, within one second.
 */
static void late_pmi_with_new_overflow_leaves_one_pending(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 3 }, later = { .times = 1 };
	u32 i;

	for (i = 0; i < 2; i++) {
		service_before_nmi(ctx);
		overflow(ctx, 1);
		nmi_on(ctx, 0, i ? &later : &nmi);
	}
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	KUNIT_EXPECT_EQ(test, nmi.handled[1], NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, nmi.handled[2], NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 2ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 4ULL);
	fake_clock_advance(1100ULL * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/*
 * Each NMI claims the overflow after its own one. After seconds, the last NMI finds no
 * overflow.
 */
static void pending_pmi_is_passed_on_to_the_last(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	service_before_nmi(ctx);
	for (i = 0; i < 40; i++) {
		overflow(ctx, 0);
		KUNIT_ASSERT_EQ(test, one_nmi(ctx, 0), 1);
		fake_clock_advance(60ULL * NSEC_PER_MSEC);
	}
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* Several NMIs are pending: exactly that many are claimed. */
static void each_skipped_pmi_stays_pending(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 3; i++)
		service_before_nmi(ctx);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 4ULL);
}

/* A PMI that never arrives stays pending for one second, even if other PMIs are serviced. */
static void pending_pmi_expires_after_one_second(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	service_before_nmi(ctx);
	for (i = 0; i < 12; i++) {
		overflow(ctx, 0);
		KUNIT_ASSERT_EQ(test, one_nmi(ctx, 0), 1);
		fake_clock_advance(100ULL * NSEC_PER_MSEC);
	}
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* With an error in port 61h, an NMI is not taken for a late or pending PMI. */
static void port_61h_error_is_not_taken_for_late_pmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		service_before_nmi(ctx);
		/* claims the late PMI's sequence number, and leaves one NMI pending */
		if (i) {
			overflow(ctx, 0);
			KUNIT_ASSERT_EQ(test, one_nmi(ctx, 0), 1);
		}
		fake_kernel.port61 = i ? 0x40 : 0x80;
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
		fake_kernel.port61 = i ? 0xff : 0x3f;
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	}
	/* a set status bit is proof, despite the error */
	fake_kernel.port61 = 0x80;
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
}

/* After the watchdog's recovery the lost PMI may still arrive. */
static void pmi_after_watchdog_recovery_is_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	overflow(ctx, 0);
	fake_timer_fire(&ctx->domain->watchdog);
	fake_timer_fire(&ctx->domain->watchdog);
	KUNIT_EXPECT_EQ(test, ctx->stats.recovered, 1ULL);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 1ULL);
}

/* The interrupt goes to both chosen cores. The first one services it. */
static void pmi_on_two_chosen_cores_is_serviced_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	struct cpumask both = { };

	cpumask_set_cpu(0, &both);
	cpumask_set_cpu(1, &both);
	fake_reader_choose(domain, 0, &both);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL),
			BIT_ULL(0) | BIT_ULL(1) | WAKE);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);	/* claimed, but serviced already */
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	KUNIT_EXPECT_EQ(test, domain->pmis, 1ULL);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->cpu, 1U);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_HANDLED);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->cpu, 0U);
}

/* Make CPU 1, which is outside the route, a target. */
static void make_target(struct ucore_domain_ctx *ctx)
{
	fake_kernel.core_id[1] = 0;
	cpus_read_lock();
	ucore_pmi_enable_cpu(ctx->domain, 1);
	cpus_read_unlock();
}

/* A new PMI target does not claim a PMI that another CPU has received. */
static void new_pmi_target_does_not_claim_old_pmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	overflow(ctx, 0);
	one_nmi(ctx, 0);
	make_target(ctx);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
}

/* The PMI in service was misrouted to a CPU that then became a target. */
static void pmi_in_service_is_claimed_by_new_target_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;

	ucore_nmi_service_begin(domain);
	make_target(ctx);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	ucore_nmi_service_end(domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
}

/* Another CPU has received the PMI in service before the CPU became a target. */
static void received_pmi_in_service_is_not_claimed_by_new_target(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;

	ucore_nmi_service_begin(domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	make_target(ctx);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	ucore_nmi_service_end(domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
}

/* The last PMI was misrouted to a CPU that then became a target: it may arrive for one second. */
static void pmi_in_flight_is_claimed_by_new_target_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	service_before_nmi(ctx);
	make_target(ctx);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
}

static void pmi_one_second_old_is_not_claimed_by_new_target(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	service_before_nmi(ctx);
	fake_clock_advance(1100ULL * NSEC_PER_MSEC);
	make_target(ctx);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
}

/* ---- costs ---- */

/* Return the number of overflows in one window before the domain is throttled. */
static u32 overflows_until_throttled(struct kunit *test, struct ucore_domain_ctx *ctx)
{
	struct ucore_domain *domain = ctx->domain;
	u32 n;

	domain->throttle_start = 0;
	for (n = 0; n < 1000 && !domain->throttled; n++) {
		overflow(ctx, 0);
		KUNIT_ASSERT_EQ(test, one_nmi(ctx, 0), 1);
	}
	fake_timer_fire(&domain->watchdog);
	return n;
}

/* While each PMI interrupts all CPUs of the die, the limit is divided by their number. */
static void broadcast_pmis_throttle_earlier(struct kunit *test)
{
	unsigned int *percent = fake_param("cpu_time_max_percent");
	unsigned int *rate = fake_param("max_sample_rate");
	u32 cpus = num_online_cpus(), was = *percent;
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	*percent = 100;
	*rate = 20000;		/* 200 in a window of 10 ms */
	KUNIT_EXPECT_EQ(test, overflows_until_throttled(test, ctx), 201U);
	fake_clock_advance(20 * MS);
	ctx->domain->pmi.wide = true;
	cpus_read_lock();
	ucore_pmi_enable(ctx->domain);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, overflows_until_throttled(test, ctx), 200 / cpus + 1);
	*percent = was;
	*rate = 50000;
}

static void three_ms(void *arg)
{
	fake_clock_advance(3 * MS);
}

/* The charge begins at the NMI, although the service runs later. */
static void service_is_charged_from_its_nmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 1, .during = three_ms };
	u64 busy = ucore_budget_busy_ns(0), other = ucore_budget_busy_ns(1);

	overflow(ctx, 0);
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_GE(test, ucore_budget_busy_ns(0) - busy, 3 * MS);
	KUNIT_EXPECT_LT(test, ucore_budget_busy_ns(0) - busy, 4 * MS);
	KUNIT_EXPECT_EQ(test, ucore_budget_busy_ns(1), other);
}

static void served_by_cpu_0(void *arg)
{
	three_ms(arg);
	fake_kernel.work_cpu = 0;
}

/* If another CPU took the NMI, this CPU was not busy with it before the service. */
static void nmi_on_other_cpu_is_not_charged(struct kunit *test)
{
	struct nmi nmi = { .times = 1, .during = served_by_cpu_0 };
	u64 busy = ucore_budget_busy_ns(0);
	struct ucore_domain_ctx *ctx;

	fake_kernel.core_id[1] = 0;	/* threads of one core */
	ctx = armed_ctx(test);
	fake_kernel.hold_work = true;
	overflow(ctx, 0);
	nmi_on(ctx, 1, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_LT(test, ucore_budget_busy_ns(0) - busy, MS);
}

/* ---- misrouted PMIs ---- */

/* A PMI on a core that is not in the route is claimed and serviced there. */
static void misrouted_pmi_is_claimed_and_sampled(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	const struct ucore_sample *sample;

	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);	/* a foreign NMI */
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);	/* a foreign NMI again */
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[1], 0U);	/* the driver has not unmasked it */
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->cpu, 1U);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_CONTEXT);
	KUNIT_EXPECT_FALSE(test, ctx->domain->pmi.proven);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	/* the late PMI on the routed core */
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* The delivery masked the LVTPC, which perf had unmasked, and perf is not running. */
static void misrouted_pmi_unmasks_lvtpc(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_kernel.lvtpc[1] = APIC_LVT_MASKED | APIC_DM_NMI;
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[1], 0U);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)APIC_DM_NMI);
}

/*
 * A late misrouted PMI is claimed by the other thread of the servicing core, once, for one
 * second.
 */
static void late_misrouted_pmi_is_claimed_by_sibling_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_pmi *pmi = &ctx->domain->pmi;
	u32 i;

	for (i = 0; i < 2; i++) {
		overflow(ctx, 0);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
		pmi->receiver = 1;
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
}

/* A READ serviced the overflow: the PMI may arrive on any CPU, once each, for one second. */
static void misrouted_pmi_after_read_is_claimed_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		service_before_nmi(ctx);
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
}

/*
 * A READ serviced one overflow, and another follows before the NMI of the first. This NMI is
 * taken for that of the second, so that one more NMI is claimed, once, for one second.
 */
static void misrouted_pmis_of_two_overflows_are_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		service_before_nmi(ctx);
		overflow(ctx, 0);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 4ULL);
}

#define CORE_STATUS	0x38e	/* IA32_PERF_GLOBAL_STATUS */

/* Arm a counter on CPUs that have core counters, which perf may use. */
static struct ucore_domain_ctx *armed_beside_perf(struct kunit *test)
{
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	fake_msr_add(CORE_STATUS, 0);
	return armed_ctx(test);
}

static void perf_nmi_here(void *arg)
{
	struct pt_regs regs = { .cs = __KERNEL_CS };
	int *handled = arg;

	*fake_msr(CORE_STATUS) = BIT_ULL(33);
	*handled = fake_kernel.nmi(NMI_LOCAL, &regs);
	*fake_msr(CORE_STATUS) = 0;
}

/* Raise an NMI of perf's fixed counter 1, which perf handles after ucore. */
static int perf_nmi(struct ucore_domain_ctx *ctx, u32 cpu)
{
	int handled;

	smp_call_function_single(cpu, perf_nmi_here, &handled, 1);
	irq_work_sync(&ctx->domain->pmi.work);
	return handled;
}

/* perf's NMI is serviced for the overflow, and the PMI's own NMI may follow for one second. */
static void perf_nmi_during_overflow_leaves_pmi_pending(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_beside_perf(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		overflow(ctx, 0);
		KUNIT_EXPECT_EQ(test, perf_nmi(ctx, 0), 1);
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
}

/* The PMI goes to another core, and perf's NMI on the routed core is no proof of its arrival. */
static void perf_nmi_during_overflow_leaves_misrouted_pmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_beside_perf(test);

	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, perf_nmi(ctx, 0), 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

static void perf_nmi_is_not_taken_for_late_pmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_beside_perf(test);

	service_before_nmi(ctx);
	KUNIT_EXPECT_EQ(test, perf_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

static void perf_nmi_is_not_taken_for_pending_pmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_beside_perf(test);

	service_before_nmi(ctx);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	KUNIT_EXPECT_EQ(test, perf_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* Ovf_Uncore (bit 61) and CondChgd (bit 63) are no overflows of core counters. */
static void core_status_without_overflow_explains_no_nmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_beside_perf(test);

	*fake_msr(CORE_STATUS) = BIT_ULL(61) | BIT_ULL(63);
	service_before_nmi(ctx);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

static void disable(struct ucore_domain *domain)
{
	cpus_read_lock();
	ucore_pmi_disable(domain);
	cpus_read_unlock();
}

static void enable(struct ucore_domain *domain)
{
	cpus_read_lock();
	ucore_pmi_enable(domain);
	cpus_read_unlock();
}

/*
 * STOP serviced the overflow and disabled the PMI before it arrived. It may arrive once, for one
 * second, unless a CPU of another core has received it.
 */
static void misrouted_pmi_after_stop_is_claimed_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		service_before_nmi(ctx);
		disable(ctx->domain);
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
		enable(ctx->domain);
	}
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
}

/* With the PMI disabled, for example while suspended, the status must not be read. */
static void misrouted_pmi_while_disabled_is_not_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	disable(ctx->domain);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	enable(ctx->domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
}

/* A CPU that goes offline claims no PMI until it is back online. */
static void misrouted_pmi_on_leaving_cpu_is_not_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	cpus_read_lock();
	ucore_nmi_forget(ctx->domain, 1);
	cpus_read_unlock();
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	cpus_read_lock();
	ucore_pmi_enable_cpu(ctx->domain, 1);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
}

/* ---- PMIs in flight across disable and enable ---- */

/**
 * enum step - a step of a case of in_flight[]
 * @SERVICE: an overflow that a READ services before its NMI arrives
 * @OVERFLOW: an overflow that nothing services
 * @DISABLE: disable the PMI
 * @ENABLE: enable the PMI
 * @STOP: disable the PMI, because no counter is armed any more
 * @START: enable the PMI, because a counter is armed
 * @WAIT: 1.1 s, after which a PMI is not pending any more
 * @HOLD: the next accepted NMI is not serviced
 * @RELEASE: service it
 * @CLAIM: an NMI on CPU 0 is claimed
 * @LEAVE: an NMI on CPU 0 is left to other handlers
 * @CLAIM_1: an NMI on CPU 1, which is no target, is claimed
 * @LEAVE_1: an NMI on CPU 1 is left to other handlers
 */
enum step {
	SERVICE = 1, OVERFLOW, DISABLE, ENABLE, STOP, START, WAIT, HOLD, RELEASE, CLAIM, LEAVE,
	CLAIM_1, LEAVE_1,
};

static const struct in_flight {
	const char *name;
	u32 samples;
	u8 steps[20];	/* enum step, 0 after the last one */
} in_flight[] = {
	{ "pmi_after_stop_is_claimed_once", 2,
	  { SERVICE, STOP, CLAIM, LEAVE, LEAVE_1, START, LEAVE,
	    SERVICE, STOP, WAIT, LEAVE, LEAVE, LEAVE_1, START, LEAVE } },
	/* the CPU has received the PMI already, or the PMI is too old */
	{ "foreign_nmi_after_disable_is_not_claimed", 2,
	  { OVERFLOW, CLAIM, DISABLE, LEAVE, ENABLE, SERVICE, WAIT, DISABLE, LEAVE } },
	/* in the end, CPU 0 has received them all */
	{ "each_pmi_in_flight_is_claimed_after_disable", 3,
	  { SERVICE, SERVICE, SERVICE, DISABLE, CLAIM, CLAIM, CLAIM, LEAVE, LEAVE_1 } },
	/* only the last one may still arrive */
	{ "pmi_one_second_old_is_not_pending_after_disable", 3,
	  { SERVICE, SERVICE, WAIT, SERVICE, DISABLE, CLAIM, LEAVE } },
	{ "accepted_pmi_is_not_pending_after_disable", 1,
	  { HOLD, OVERFLOW, CLAIM, DISABLE, LEAVE, ENABLE, LEAVE, RELEASE, LEAVE } },
	/* one was sent before and one while the CPU was no target */
	{ "pmi_while_no_target_is_pending_on_the_next_target", 2,
	  { SERVICE, DISABLE, SERVICE, ENABLE, CLAIM, CLAIM, LEAVE } },
	/* a change of the route: the PMI stays pending */
	{ "pmi_across_disable_and_enable_is_claimed", 2,
	  { SERVICE, DISABLE, ENABLE, CLAIM, LEAVE, OVERFLOW, CLAIM } },
	{ "pmi_across_second_enable_is_claimed", 1, { SERVICE, ENABLE, CLAIM, LEAVE } },
	/* CPU 1 has received the PMI that was sent after the disable */
	{ "pmi_while_no_target_is_not_claimed_later", 2,
	  { SERVICE, DISABLE, SERVICE, CLAIM_1, ENABLE, CLAIM, LEAVE } },
};

static void in_flight_name(const struct in_flight *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(in_flight, in_flight, in_flight_name);

/* Do a step that is no NMI. */
static void do_step(struct ucore_domain_ctx *ctx, enum step step)
{
	struct ucore_domain *domain = ctx->domain;

	if (step == START || step == STOP)
		domain->armed = step == START;
	if (step == SERVICE)
		service_before_nmi(ctx);
	else if (step == OVERFLOW)
		overflow(ctx, 0);
	else if (step == DISABLE || step == STOP)
		disable(domain);
	else if (step == ENABLE || step == START)
		enable(domain);
	else if (step == WAIT)
		fake_clock_advance(1100 * MS);
	else if (step == HOLD)
		fake_kernel.hold_work = true;
	else
		irq_work_sync(&domain->pmi.work);
}

static void pmi_in_flight_is_claimed_or_left(struct kunit *test)
{
	const struct in_flight *c = test->param_value;
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	bool held = false;
	const u8 *step;
	u32 cpu;
	int ret;

	for (step = c->steps; *step; step++) {
		if (*step < CLAIM) {
			do_step(ctx, *step);
			held = *step == HOLD || (held && *step != RELEASE);
			continue;
		}
		cpu = *step == CLAIM_1 || *step == LEAVE_1;
		ret = held ? one_unserviced_nmi(cpu) : one_nmi(ctx, cpu);
		KUNIT_EXPECT_EQ_MSG(test, ret, *step == CLAIM || *step == CLAIM_1 ?
				    NMI_HANDLED : NMI_DONE, "step %u", (u32)(step - c->steps));
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, (u64)c->samples);
}

/* ---- enable and disable ---- */

static void enable_opens_targets_and_writes_route(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	KUNIT_EXPECT_TRUE(test, cpumask_equal(&ctx->domain->pmi.cpus, cpumask_of(0)));
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], UNCORE_PMI);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)PERFS_LVTPC);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(0) | WAKE);
	KUNIT_EXPECT_EQ(test, ctx->domain->route, BIT_ULL(0) | WAKE);
}

static u64 route_at_lvtpc_write;

static void note_route(void)
{
	route_at_lvtpc_write = fake_peek(fake_global(0), GLOBAL_CTL);
}

/* No PMI may arrive at a CPU whose LVTPC is still masked. */
static void enable_opens_targets_before_the_route(struct kunit *test)
{
	route_at_lvtpc_write = U64_MAX;
	fake_kernel.lvtpc_hook = note_route;
	armed_ctx(test);
	KUNIT_EXPECT_EQ(test, route_at_lvtpc_write, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(0) | WAKE);
}

static void disable_restores_lvtpc_and_debugctl(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	fake_kernel.debugctl[0] |= 0x801;	/* bits that other software set in between */
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], 0x801ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)PERFS_LVTPC);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), 0ULL);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&ctx->domain->pmi.cpus));
	fake_bus_clear(bus_of(test));
	disable(ctx->domain);		/* a second disable has no effect */
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* With a core PMU Linux keeps the LVTPC unmasked, and so does the driver. */
static void disable_with_core_pmu_keeps_lvtpc_open(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	ctx = armed_ctx(test);
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
}

static void disable_keeps_uncore_pmi_enable_found_set(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;

	fake_kernel.debugctl[0] = UNCORE_PMI | 1;
	ctx = armed_ctx(test);
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], UNCORE_PMI | 1);
}

static void faulting_debugctl_is_ignored(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;

	fake_kernel.debugctl_faults = true;
	ctx = armed_ctx(test);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	disable(ctx->domain);
}

/* The reader's core cannot be selected: all cores are, and any CPU may service. */
static void unselectable_reader_routes_to_all_cores(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;

	fake_kernel.core_id[0] = 40;
	ctx = armed_ctx(test);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), 0x7fff | WAKE);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&ctx->domain->pmi.cpus), num_online_cpus());
	overflow(ctx, 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
}

static void pmi_targets_follow_cpu_hotplug(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	cpus_read_lock();
	ucore_pmi_enable_cpu(ctx->domain, 1);	/* another core, which is not in the route */
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	fake_kernel.core_id[1] = 0;
	ucore_pmi_enable_cpu(ctx->domain, 1);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], UNCORE_PMI);
	ucore_pmi_disable_cpu(ctx->domain, 1);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)PERFS_LVTPC);
	ctx->domain->armed = 0;
	ucore_pmi_enable_cpu(ctx->domain, 1);	/* without armed counters nothing is enabled */
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	ctx->domain->armed = 1;
	cpus_read_unlock();
}

/* An unreadable status shows no overflow: the NMI belongs to another handler. */
static void faulting_status_is_not_claimed(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	bool (*hook)(u32 msr, u64 *val) = fake_msr_hook;

	overflow(ctx, 0);
	fake_msr_hook = NULL;
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	fake_msr_hook = hook;
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
}

/**
 * struct in_memory - a domain whose global status appears in memory for one NMI
 * @domain: the domain
 * @io: original register access
 * @global: original global control
 */
struct in_memory {
	struct ucore_domain *domain;
	struct ucore_io io;
	const struct ucore_global *global;
};

/* Restore the registers before the service runs. */
static void back_to_msrs(void *arg)
{
	struct in_memory *was = arg;

	was->domain->io = was->io;
	was->domain->global = was->global;
}

static void status_in_memory_is_read_in_nmi(struct kunit *test)
{
	u8 *memory = fake_memory_add(test, 0xfe000000, 4096);
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;
	struct in_memory was = { domain, domain->io, domain->global };
	struct nmi nmi = { .times = 1, .during = back_to_msrs, .arg = &was };
	struct ucore_global global = *domain->global;

	overflow(ctx, 0);
	*(u64 *)(memory + 8) = IMC0 | IMC1;
	global.size = 4096;
	global.status = 8;
	domain->io.mmio = (__force void __iomem *)memory;
	domain->global = &global;
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 2);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

/* Remove the second global control before the service runs. */
static void only_the_first(void *domain)
{
	((struct ucore_domain *)domain)->nr_further = 0;
	((struct ucore_domain *)domain)->further = NULL;
}

/* An NMI stands for the overflows of all global controls. */
static void statuses_of_two_controls_are_counted(struct kunit *test)
{
	static const struct ucore_global second = { .size = 4096, .status = 8, .nr_status = 1 };
	u8 *memory = fake_memory_add(test, 0xfe000000, 4096);
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_control further = {
		.global = &second, .io.mmio = (__force void __iomem *)memory,
	};
	struct nmi nmi = { .times = 1, .during = only_the_first, .arg = ctx->domain };

	overflow(ctx, 0);
	*(u64 *)(memory + 8) = BIT_ULL(3) | BIT_ULL(40);
	ctx->domain->further = &further;
	ctx->domain->nr_further = 1;
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 3);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(faulting_status_is_not_claimed),
	KUNIT_CASE(status_in_memory_is_read_in_nmi),
	KUNIT_CASE(statuses_of_two_controls_are_counted),
	KUNIT_CASE(failed_registration_is_undone),
	KUNIT_CASE(nmi_without_armed_domain_is_not_claimed),
	KUNIT_CASE(nmi_without_status_is_left_to_perf),
	KUNIT_CASE(nmi_with_unknown_status_bits_is_claimed),
	KUNIT_CASE(pmi_is_sampled_with_context),
	KUNIT_CASE(nmi_returns_number_of_overflows),
	KUNIT_CASE(repeated_nmi_before_service_is_not_claimed),
	KUNIT_CASE(successive_pmis_are_claimed),
	KUNIT_CASE(pmi_after_service_is_claimed_once),
	KUNIT_CASE(service_between_nmi_and_irq_work_takes_one_sample),
	KUNIT_CASE(pmi_while_unarmed_is_serviced_later),
	KUNIT_CASE(pmi_whose_status_was_cleared_is_forgotten),
	KUNIT_CASE(pmi_during_service_is_serviced_afterwards),
	KUNIT_CASE(foreign_nmi_during_service_is_not_claimed),
	KUNIT_CASE(pmi_on_both_threads_gives_one_sample),
	KUNIT_CASE(pmi_one_second_late_is_not_claimed),
	KUNIT_CASE(late_pmi_with_new_overflow_leaves_one_pending),
	KUNIT_CASE(pending_pmi_is_passed_on_to_the_last),
	KUNIT_CASE(each_skipped_pmi_stays_pending),
	KUNIT_CASE(pending_pmi_expires_after_one_second),
	KUNIT_CASE(port_61h_error_is_not_taken_for_late_pmi),
	KUNIT_CASE(pmi_after_watchdog_recovery_is_claimed),
	KUNIT_CASE(pmi_on_two_chosen_cores_is_serviced_once),
	KUNIT_CASE(new_pmi_target_does_not_claim_old_pmi),
	KUNIT_CASE(pmi_in_service_is_claimed_by_new_target_once),
	KUNIT_CASE(received_pmi_in_service_is_not_claimed_by_new_target),
	KUNIT_CASE(pmi_in_flight_is_claimed_by_new_target_once),
	KUNIT_CASE(pmi_one_second_old_is_not_claimed_by_new_target),
	KUNIT_CASE(broadcast_pmis_throttle_earlier),
	KUNIT_CASE(service_is_charged_from_its_nmi),
	KUNIT_CASE(nmi_on_other_cpu_is_not_charged),
	KUNIT_CASE(misrouted_pmi_is_claimed_and_sampled),
	KUNIT_CASE(misrouted_pmi_unmasks_lvtpc),
	KUNIT_CASE(late_misrouted_pmi_is_claimed_by_sibling_once),
	KUNIT_CASE(misrouted_pmi_after_read_is_claimed_once),
	KUNIT_CASE(misrouted_pmis_of_two_overflows_are_claimed),
	KUNIT_CASE(misrouted_pmi_after_stop_is_claimed_once),
	KUNIT_CASE(perf_nmi_during_overflow_leaves_pmi_pending),
	KUNIT_CASE(perf_nmi_during_overflow_leaves_misrouted_pmi),
	KUNIT_CASE(perf_nmi_is_not_taken_for_late_pmi),
	KUNIT_CASE(perf_nmi_is_not_taken_for_pending_pmi),
	KUNIT_CASE(core_status_without_overflow_explains_no_nmi),
	KUNIT_CASE(misrouted_pmi_while_disabled_is_not_claimed),
	KUNIT_CASE(misrouted_pmi_on_leaving_cpu_is_not_claimed),
	KUNIT_CASE_PARAM(pmi_in_flight_is_claimed_or_left, in_flight_gen_params),
	KUNIT_CASE(enable_opens_targets_and_writes_route),
	KUNIT_CASE(enable_opens_targets_before_the_route),
	KUNIT_CASE(disable_restores_lvtpc_and_debugctl),
	KUNIT_CASE(disable_with_core_pmu_keeps_lvtpc_open),
	KUNIT_CASE(disable_keeps_uncore_pmi_enable_found_set),
	KUNIT_CASE(faulting_debugctl_is_ignored),
	KUNIT_CASE(unselectable_reader_routes_to_all_cores),
	KUNIT_CASE(pmi_targets_follow_cpu_hotplug),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_pmi",
	.init = pmi_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- a CPU takes the PMIs of its die and of its CPU domain ---- */

static void pmis_of_die_and_cpu_domain_are_separated(struct kunit *test)
{
	struct ucore_domain_ctx *die = armed_ctx_on(test, 0), *cpu = armed_ctx_on(test, 1);

	overflow(cpu, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(cpu, 0), 1);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(cpu->ring));
	KUNIT_EXPECT_NULL(test, fake_record(die->ring));
	overflow(die, 0);
	overflow(die, 1);
	KUNIT_EXPECT_EQ(test, one_nmi(die, 0), 2);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(die->ring));
	KUNIT_EXPECT_NULL(test, fake_record(cpu->ring));
	KUNIT_EXPECT_EQ(test, one_nmi(die, 0), NMI_DONE);
}

/* Two PMIs arrive as one NMI: both are claimed, and the LVTPC is unmasked once. */
static void one_nmi_for_two_domains_samples_both(struct kunit *test)
{
	struct ucore_domain_ctx *die = armed_ctx_on(test, 0), *cpu = armed_ctx_on(test, 1);
	u32 writes = fake_kernel.lvtpc_writes[0];

	overflow(die, 0);
	overflow(cpu, 1);
	KUNIT_EXPECT_EQ(test, one_nmi(die, 0), 2);
	irq_work_sync(&cpu->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[0], writes + 1);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(die->ring));
	KUNIT_EXPECT_NOT_NULL(test, fake_record(cpu->ring));
}

static void overflow_of_the_die(void *ctx)
{
	overflow(ctx, 0);
}

/*
 * While a core's overflow keeps the LVTPC masked, a PMI of the die is lost: its status is
 * read again.
 */
static void die_pmi_while_lvtpc_is_masked_is_found(struct kunit *test)
{
	struct ucore_domain_ctx *die = armed_ctx_on(test, 0), *cpu = armed_ctx_on(test, 1);
	struct nmi nmi = { .times = 1, .during = overflow_of_the_die, .arg = die };

	fake_machine(test)->cpu_global.enables = true;
	fake_kernel.lvtpc[0] = APIC_LVT_MASKED | APIC_DM_NMI;
	overflow(cpu, 0);
	nmi_on(cpu, 0, &nmi);
	irq_work_sync(&die->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(cpu->ring));
	KUNIT_EXPECT_NOT_NULL(test, fake_record(die->ring));
}

/* The last domain restores the values that the first one found. */
static void last_domain_restores_lvtpc_and_debugctl(struct kunit *test)
{
	struct ucore_domain_ctx *die = armed_ctx_on(test, 0), *cpu = armed_ctx_on(test, 1);

	disable(die->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], UNCORE_PMI);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
	overflow(cpu, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(cpu, 0), 1);
	disable(cpu->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)PERFS_LVTPC);
}

static struct kunit_case cases_cpu[] = {
	KUNIT_CASE(pmis_of_die_and_cpu_domain_are_separated),
	KUNIT_CASE(one_nmi_for_two_domains_samples_both),
	KUNIT_CASE(die_pmi_while_lvtpc_is_masked_is_found),
	KUNIT_CASE(last_domain_restores_lvtpc_and_debugctl),
	{ }
};

static struct kunit_suite suite_cpu = {
	.name = "ucore_pmi_cpu_scope",
	.init = pmi_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = cases_cpu,
};

kunit_test_suites(&suite, &suite_cpu);
