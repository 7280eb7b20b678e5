// SPDX-License-Identifier: GPL-2.0-only
/*
 * The overflow interrupt: whose NMI it is, how many overflows it stands for,
 * what it leaves behind; and how the way to it is opened and closed.
 *
 * The NMI handler is called by hand on a CPU of the test's choice, with
 * interrupts off: its irq_work runs when they are on again.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "fake_machine.h"
#include "cpu/budget.h"
#include "irq/pmi.h"

#define MS		((u64)NSEC_PER_MSEC)
#define IMC0		BIT_ULL(20)
#define IMC1		BIT_ULL(21)
#define UNCORE_PMI	BIT_ULL(13)
#define PERFS_LVTPC	(APIC_LVT_MASKED | 0xee)

/* A part with an armed counter in each iMC, and the way to CPU 0 open. */
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
 * struct nmi - NMIs on one CPU, one right after the other
 * @times: how many
 * @ip: instruction interrupted
 * @handled: what the handler returned
 * @during: done between the first and the second
 * @arg: its argument
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

/* Both handlers, or none */
static void registration_is_undone(struct kunit *test)
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

/* ---- whose NMI ---- */

static void nmi_without_a_domain(struct kunit *test)
{
	struct nmi nmi = { .times = 1 };

	fake_poke(fake_global(0), GLOBAL_STATUS, IMC0);
	smp_call_function_single(1, nmi_here, &nmi, 1);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], NMI_DONE);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[1], 0U);
}

static void nmi_with_nothing_to_do_is_perfs(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 writes = fake_kernel.lvtpc_writes[0];

	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[0], writes);
}

/* The status says that a box interrupted, armed or not: nobody else will clear it. */
static void unknown_status_is_ours(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	fake_poke(fake_global(0), GLOBAL_STATUS, BIT_ULL(2) | BIT_ULL(19));
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 2);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

/* LVTPC is masked by delivery: it must be open again afterwards. */
static void pmi_becomes_a_sample(struct kunit *test)
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

/* An NMI may stand for several overflows, as perf's handler wants to know. */
static void true_count_is_returned(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	overflow(ctx, 0);
	overflow(ctx, 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 2);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 2ULL);
}

/* The status is still set, for the service has not run: the second is perf's. */
static void pmi_is_claimed_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 3 };

	overflow(ctx, 0);
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	KUNIT_EXPECT_EQ(test, nmi.handled[1], NMI_DONE);
	KUNIT_EXPECT_EQ(test, nmi.handled[2], NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);	/* and after it, too */
}

static void each_pmi_is_claimed(struct kunit *test)
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
	struct ucore_interval iv;

	raw_spin_lock(&ctx->domain->lock);
	ucore_interval_begin(&iv, ctx->domain, ktime_get_mono_fast_ns());
	ucore_interval_end(&iv);
	raw_spin_unlock(&ctx->domain->lock);
}

static void forget_here(void *arg)
{
	fake_poke(fake_global(0), GLOBAL_STATUS, 0);
}

/* An overflow that was serviced before its NMI came */
static void served_without_its_nmi(struct ucore_domain_ctx *ctx)
{
	overflow(ctx, 0);
	local_irq_disable();
	service_here(ctx);
	local_irq_enable();
}

/* A timer or a READ was faster: the NMI is ours all the same, once. */
static void late_pmi_is_claimed_without_effect(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	served_without_its_nmi(ctx);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

/* The service comes between the NMI and its irq_work, which then has nothing to do. */
static void service_by_another_after_the_nmi(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 1, .during = service_here, .arg = ctx, .ip = 0x77 };
	const struct ucore_sample *sample;

	overflow(ctx, 0);
	nmi_on(ctx, 0, &nmi);
	KUNIT_EXPECT_EQ(test, nmi.handled[0], 1);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->ip, 0x77ULL);	/* its context was there already */
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 1ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, ctx->domain->freeze_count, 0U);
}

/* START has armed nothing yet, or STOP not closed the way: the next one is seen to. */
static void pmi_with_nothing_armed(struct kunit *test)
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

/* Somebody has cleared the status between the NMI and its service: it is nobody's any more. */
static void pmi_that_was_forgotten(struct kunit *test)
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

/* It came in the middle of a service, which had looked too early to see it. */
static void pmi_during_a_service(struct kunit *test)
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

/* The PMI that is being serviced is claimed: what comes meanwhile is another's. */
static void nmi_of_others_during_a_service(struct kunit *test)
{
	struct service service = { .ctx = armed_ctx(test), .nmi.times = 2 };

	smp_call_function_single(0, nmis_before_and_in_service_here, &service, 1);
	irq_work_sync(&service.ctx->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, service.nmi.handled[0], NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, service.nmi.handled[1], NMI_DONE);
}

/* The core's other thread gets the same PMI: one sample, with the first's context. */
static void both_threads_of_a_core(struct kunit *test)
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

/* For a moment only: then the next NMI is somebody else's, whatever it is. */
static void very_late_pmi_is_not_ours(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		served_without_its_nmi(ctx);
		fake_clock_advance((i ? 1100ULL : 900ULL) * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), i ? NMI_DONE : NMI_HANDLED);
	}
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
}

/*
 * Late, it finds the next overflow there, and claims that, whose own NMI is under way: so this
 * one is ours, too, once, and not for long.
 */
static void late_pmi_claims_the_next_one(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct nmi nmi = { .times = 3 }, later = { .times = 1 };
	u32 i;

	for (i = 0; i < 2; i++) {
		served_without_its_nmi(ctx);
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

/* Each claims what came after its own overflow, for seconds: the last one finds none. */
static void what_is_owed_is_passed_on(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	served_without_its_nmi(ctx);
	for (i = 0; i < 40; i++) {
		overflow(ctx, 0);
		KUNIT_ASSERT_EQ(test, one_nmi(ctx, 0), 1);
		fake_clock_advance(60ULL * NSEC_PER_MSEC);
	}
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* Several are under way at once: each is ours, and no other. */
static void as_many_are_owed_as_were_skipped(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 3; i++)
		served_without_its_nmi(ctx);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 4ULL);
}

/* A PMI that never came is owed for a second, though now and then others are served. */
static void what_is_owed_is_owed_no_longer(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	served_without_its_nmi(ctx);
	for (i = 0; i < 12; i++) {
		overflow(ctx, 0);
		KUNIT_ASSERT_EQ(test, one_nmi(ctx, 0), 1);
		fake_clock_advance(100ULL * NSEC_PER_MSEC);
	}
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* An error that port 61h tells of is not taken for a PMI that is late or owed. */
static void errors_go_before_late_pmis(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		served_without_its_nmi(ctx);
		if (i) {	/* its name is taken, and one is owed */
			overflow(ctx, 0);
			KUNIT_ASSERT_EQ(test, one_nmi(ctx, 0), 1);
		}
		fake_kernel.port61 = i ? 0x40 : 0x80;
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
		fake_kernel.port61 = i ? 0xff : 0x3f;
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	}
	/* with the status there is no doubt */
	fake_kernel.port61 = 0x80;
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
}

/* After the guard's recovery the lost PMI may still come. */
static void pmi_after_its_recovery(struct kunit *test)
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

/* Two cores were chosen: each sees the interrupt, whoever was first serves it. */
static void each_sees_one_serves(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;
	struct cpumask both = { };

	cpumask_set_cpu(0, &both);
	cpumask_set_cpu(1, &both);
	cpus_read_lock();
	ucore_reader_choose(domain, 0, &both);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL),
			BIT_ULL(0) | BIT_ULL(1) | WAKE);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);	/* seen, and served already */
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

/* A receiver that joins late does not claim a PMI of before. */
static void new_receiver_does_not_claim_the_past(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	overflow(ctx, 0);
	one_nmi(ctx, 0);
	fake_kernel.core_id[1] = 0;
	cpus_read_lock();
	ucore_pmi_enable_cpu(ctx->domain, 1);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
}

/* ---- what it costs ---- */

/* Overflows in one window before the domain is throttled. */
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

/* While each PMI interrupts all CPUs of the die there may be as many fewer. */
static void fewer_pmis_while_they_go_to_all(struct kunit *test)
{
	unsigned int *percent = fake_param("cpu_time_max_percent"), *rate = fake_param("max_sample_rate");
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

/* From the NMI on, though its service comes late. */
static void service_is_charged_from_the_nmi(struct kunit *test)
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

/* Not if another CPU had the NMI: what this one did meanwhile was not ours. */
static void anothers_nmi_is_not_charged(struct kunit *test)
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

/* ---- astray ---- */

/* It came to a core that was not named: it is ours, and served there. */
static void pmi_on_another_core(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	const struct ucore_sample *sample;

	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);	/* a foreign one */
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);	/* and a foreign one again */
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc_writes[1], 0U);	/* nobody had opened it */
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->cpu, 1U);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)UCORE_SAMPLE_F_CONTEXT);
	KUNIT_EXPECT_FALSE(test, ctx->domain->pmi.proven);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);	/* late, where it was meant to be */
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* Delivery has shut LVTPC, and perf, which had it open, sleeps. */
static void pmi_on_another_core_opens_lvtpc(struct kunit *test)
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

/* Late, only the other thread of the core that had it may claim it, once, and not for long. */
static void late_pmi_on_another_core(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_pmi *pmi = &ctx->domain->pmi;
	u32 i;

	for (i = 0; i < 2; i++) {
		overflow(ctx, 0);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
		pmi->context.cpu = 1;
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
}

/* A READ was ahead of it: it may come anywhere, once for each CPU, and not for long. */
static void pmi_on_another_core_behind_a_read(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	u32 i;

	for (i = 0; i < 2; i++) {
		served_without_its_nmi(ctx);
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
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

/* While the way is shut, to a machine that sleeps say, the status is not to be asked for. */
static void pmi_on_another_core_with_the_way_shut(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	disable(ctx->domain);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);
	enable(ctx->domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), 1);
}

/* One that leaves services nothing any more; when it is back it does. */
static void pmi_on_a_cpu_that_leaves(struct kunit *test)
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

/* Serviced along the way, as STOP does it, and under way when the door was shut. */
static void pmi_after_the_disable(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);
	struct ucore_domain *domain = ctx->domain;
	u32 i;

	for (i = 0; i < 2; i++) {
		served_without_its_nmi(ctx);
		domain->armed = 0;
		disable(domain);
		if (i)
			fake_clock_advance(1100ULL * NSEC_PER_MSEC);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), i ? NMI_DONE : NMI_HANDLED);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 1), NMI_DONE);	/* it had none under way */
		domain->armed = 1;
		enable(domain);
		KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	}
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
}

/* What a CPU has claimed it does not claim again, neither the last one nor one of long ago. */
static void foreign_nmi_after_the_disable(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	enable(ctx->domain);
	served_without_its_nmi(ctx);
	fake_clock_advance(1100ULL * NSEC_PER_MSEC);
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
}

/* The way was shut and opened again, for another CPU goes: the same door, the same PMIs. */
static void pmi_across_a_change_of_route(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	served_without_its_nmi(ctx);
	disable(ctx->domain);
	enable(ctx->domain);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), NMI_DONE);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
}

/* ---- the way ---- */

static void receivers_first_then_the_route(struct kunit *test)
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

static void closed_as_it_was_found(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	fake_kernel.debugctl[0] |= 0x801;	/* others' bits, meanwhile */
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], 0x801ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)PERFS_LVTPC);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), 0ULL);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&ctx->domain->pmi.cpus));
	fake_bus_clear(bus_of(test));
	disable(ctx->domain);		/* twice is once */
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* With a core PMU Linux keeps LVTPC open, and so do we. */
static void perfs_lvtpc_stays_open(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	ctx = armed_ctx(test);
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[0], (u32)APIC_DM_NMI);
}

static void uncore_pmi_that_was_on_stays_on(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;

	fake_kernel.debugctl[0] = UNCORE_PMI | 1;
	ctx = armed_ctx(test);
	disable(ctx->domain);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], UNCORE_PMI | 1);
}

static void debugctl_may_fault(struct kunit *test)
{
	struct ucore_domain_ctx *ctx;

	fake_kernel.debugctl_faults = true;
	ctx = armed_ctx(test);
	overflow(ctx, 0);
	KUNIT_EXPECT_EQ(test, one_nmi(ctx, 0), 1);
	disable(ctx->domain);
}

/* The reader's core cannot be named: all cores are, and any CPU may serve. */
static void reader_that_cannot_be_named(struct kunit *test)
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

static void cpus_that_come_and_go(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = armed_ctx(test);

	cpus_read_lock();
	ucore_pmi_enable_cpu(ctx->domain, 1);	/* another core: not in the route */
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	fake_kernel.core_id[1] = 0;
	ucore_pmi_enable_cpu(ctx->domain, 1);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], UNCORE_PMI);
	ucore_pmi_disable_cpu(ctx->domain, 1);
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)PERFS_LVTPC);
	ctx->domain->armed = 0;
	ucore_pmi_enable_cpu(ctx->domain, 1);	/* nothing armed, nothing opened */
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	ctx->domain->armed = 1;
	cpus_read_unlock();
}

/* One that cannot be read tells of no overflow: the NMI is somebody else's. */
static void a_status_that_faults(struct kunit *test)
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
 * struct in_memory - a domain whose global status is in memory for an NMI
 * @domain: the domain
 * @io: its window, before
 * @global: its global control, before
 */
struct in_memory {
	struct ucore_domain *domain;
	struct ucore_io io;
	const struct ucore_global *global;
};

/* The service finds it as it was. */
static void back_to_msrs(void *arg)
{
	struct in_memory *was = arg;

	was->domain->io = was->io;
	was->domain->global = was->global;
}

static void a_status_in_memory(struct kunit *test)
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

/* The service finds one global control. */
static void only_the_first(void *domain)
{
	((struct ucore_domain *)domain)->nr_further = 0;
	((struct ucore_domain *)domain)->further = NULL;
}

/* An NMI stands for the overflows of all global controls. */
static void statuses_of_two_controls(struct kunit *test)
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
	KUNIT_CASE(a_status_that_faults),
	KUNIT_CASE(a_status_in_memory),
	KUNIT_CASE(statuses_of_two_controls),
	KUNIT_CASE(registration_is_undone),
	KUNIT_CASE(nmi_without_a_domain),
	KUNIT_CASE(nmi_with_nothing_to_do_is_perfs),
	KUNIT_CASE(unknown_status_is_ours),
	KUNIT_CASE(pmi_becomes_a_sample),
	KUNIT_CASE(true_count_is_returned),
	KUNIT_CASE(pmi_is_claimed_once),
	KUNIT_CASE(each_pmi_is_claimed),
	KUNIT_CASE(late_pmi_is_claimed_without_effect),
	KUNIT_CASE(service_by_another_after_the_nmi),
	KUNIT_CASE(pmi_with_nothing_armed),
	KUNIT_CASE(pmi_that_was_forgotten),
	KUNIT_CASE(pmi_during_a_service),
	KUNIT_CASE(nmi_of_others_during_a_service),
	KUNIT_CASE(both_threads_of_a_core),
	KUNIT_CASE(very_late_pmi_is_not_ours),
	KUNIT_CASE(late_pmi_claims_the_next_one),
	KUNIT_CASE(what_is_owed_is_passed_on),
	KUNIT_CASE(as_many_are_owed_as_were_skipped),
	KUNIT_CASE(what_is_owed_is_owed_no_longer),
	KUNIT_CASE(errors_go_before_late_pmis),
	KUNIT_CASE(pmi_after_its_recovery),
	KUNIT_CASE(each_sees_one_serves),
	KUNIT_CASE(new_receiver_does_not_claim_the_past),
	KUNIT_CASE(fewer_pmis_while_they_go_to_all),
	KUNIT_CASE(service_is_charged_from_the_nmi),
	KUNIT_CASE(anothers_nmi_is_not_charged),
	KUNIT_CASE(pmi_on_another_core),
	KUNIT_CASE(pmi_on_another_core_opens_lvtpc),
	KUNIT_CASE(late_pmi_on_another_core),
	KUNIT_CASE(pmi_on_another_core_behind_a_read),
	KUNIT_CASE(pmi_on_another_core_with_the_way_shut),
	KUNIT_CASE(pmi_on_a_cpu_that_leaves),
	KUNIT_CASE(pmi_after_the_disable),
	KUNIT_CASE(foreign_nmi_after_the_disable),
	KUNIT_CASE(pmi_across_a_change_of_route),
	KUNIT_CASE(receivers_first_then_the_route),
	KUNIT_CASE(closed_as_it_was_found),
	KUNIT_CASE(perfs_lvtpc_stays_open),
	KUNIT_CASE(uncore_pmi_that_was_on_stays_on),
	KUNIT_CASE(debugctl_may_fault),
	KUNIT_CASE(reader_that_cannot_be_named),
	KUNIT_CASE(cpus_that_come_and_go),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_pmi",
	.init = pmi_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

/* ---- a CPU takes the PMIs of its die and its own ---- */

static void each_domain_gets_its_sample(struct kunit *test)
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

/* Two PMIs that came as one NMI: both are claimed, and it is opened once. */
static void one_nmi_for_both(struct kunit *test)
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

/* While a core's keeps LVTPC shut the die's would be lost: it is looked for. */
static void the_dies_is_not_lost_behind_a_cores(struct kunit *test)
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

/* What the first one found is put back when the last one goes. */
static void the_last_one_closes(struct kunit *test)
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
	KUNIT_CASE(each_domain_gets_its_sample),
	KUNIT_CASE(one_nmi_for_both),
	KUNIT_CASE(the_dies_is_not_lost_behind_a_cores),
	KUNIT_CASE(the_last_one_closes),
	{ }
};

static struct kunit_suite suite_cpu = {
	.name = "ucore_pmi_cpu_scope",
	.init = pmi_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = cases_cpu,
};

kunit_test_suites(&suite, &suite_cpu);
