// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the core PMU boxes: exact MSR accesses on the right CPU, NMI ownership, and
 * the reservation that keeps perf away.
 */
#include <linux/cpu.h>
#include <linux/smp.h>

#include "abi/get_answers.h"
#include "fake_core.h"
#include "irq/conflict.h"

#define ALL_ON		0x70000000fULL	/* 4 general-purpose, 3 fixed counters */
#define CLEAR_ALL	(ALL_ON | BIT_ULL(62) | BIT_ULL(63))
#define FIXED(i)	BIT_ULL(UCORE_COUNTER_FIXED + (i))

/* Build the catalog, elect readers and register the NMI handler. */
static int boxes_ready(struct kunit *test)
{
	u32 cpu;

	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_nmi_register(), 0);
	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	for_each_online_cpu(cpu)
		fake_kernel.cpu_up(cpu);
	fake_core(test)->nr = 0;
	return 0;
}

static int ready(struct kunit *test, u32 eax, u32 edx, bool full)
{
	int ret = fake_core_init(test, eax, 0, edx, full);

	return ret ? ret : boxes_ready(test);
}

static int core_init(struct kunit *test)
{
	return ready(test, EAX(3, 4, 48, 7), EDX(3, 48), true);
}

static int core_init_short(struct kunit *test)
{
	return ready(test, EAX(3, 4, 48, 7), EDX(3, 48), false);
}

static int core_init_v4(struct kunit *test)
{
	return ready(test, EAX(4, 4, 48, 7), EDX(3, 48), true);
}

static int core_init_hybrid(struct kunit *test)
{
	int ret = fake_core_init(test, EAX(5, 8, 48, 7), 0, EDX(4, 48) | 0x8000, true);

	if (ret)
		return ret;
	fake_core_hybrid(test);
	return boxes_ready(test);
}

static int core_init_v1(struct kunit *test)
{
	return ready(test, EAX(1, 2, 40, 7), 0, false);
}

static struct fake_core_cpu *regs_of(struct kunit *test, u32 cpu)
{
	return &fake_core(test)->cpu[cpu];
}

static struct ucore_domain_ctx *ctx_of(struct ucore_session *session, const struct ucore_box *box)
{
	return session->ctx[box->domain->id];
}

/* ---- register sequences ---- */

/* Reset at freeze 0: general-purpose before fixed, controls before counters. */
#define RESET_4_3(cpu, ctr)						\
	CORE_W(cpu, 0x186, 0), CORE_W(cpu, 0x187, 0),			\
	CORE_W(cpu, 0x188, 0), CORE_W(cpu, 0x189, 0),			\
	CORE_W(cpu, 0x38d, 0),						\
	CORE_W(cpu, (ctr), 0), CORE_W(cpu, (ctr) + 1, 0),		\
	CORE_W(cpu, (ctr) + 2, 0), CORE_W(cpu, (ctr) + 3, 0),		\
	CORE_W(cpu, 0x309, 0), CORE_W(cpu, 0x30a, 0), CORE_W(cpu, 0x30b, 0)

static void start_and_stop_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 1);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, BIT(2), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, FIXED(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, FIXED(2), 0, NULL), 0);
	CORE_EXPECT_NONE(test);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	CORE_EXPECT(test, CORE_R(1, 0x38f), CORE_R(1, 0x38e),
		    CORE_W(1, 0x38f, 0),
		    CORE_W(1, 0x390, CLEAR_ALL), RESET_4_3(1, 0x4c1),
		    CORE_W(1, 0x188, 0x4300c0),
		    CORE_W(1, 0x38d, 0x303),		/* a single write of both fields */
		    CORE_W(1, 0x38f, ALL_ON));
	fake_stop(s);
	CORE_EXPECT(test, CORE_W(1, 0x38f, 0),
		    CORE_R(1, 0x4c3), CORE_R(1, 0x309), CORE_R(1, 0x30b),
		    CORE_W(1, 0x38d, 0), CORE_W(1, 0x188, 0), CORE_W(1, 0x390, CLEAR_ALL),
		    CORE_W(1, 0x38f, ALL_ON),
		    CORE_W(1, 0x38f, ALL_ON));		/* restored */
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* The original value of the global control is restored, also when boxes are restored later. */
static void global_control_is_restored(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 0);

	regs_of(test, 0)->global = 0x100000003ULL;
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, regs_of(test, 0)->global, ALL_ON);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, regs_of(test, 0)->global, 0x100000003ULL);
	fake_core(test)->nr = 0;
	fake_session_close(test, s);
	CORE_EXPECT(test, CORE_W(0, 0x38f, 0), RESET_4_3(0, 0x4c1),
		    CORE_W(0, 0x38f, 0x100000003ULL));
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* Add a fixed counter that counts in its default rings, or in user mode only. */
static int add_fixed(struct ucore_session *s, const struct ucore_box *box, u32 i, u32 group,
		     bool usr)
{
	const struct ucore_term term = { .field = UCORE_FIELD_USR, .value = 1 };
	struct ucore_add_event add = {
		.box = box->id, .nr_terms = usr, .counters = FIXED(i), .group = group,
	};
	int ret;

	mutex_lock(&s->lock);
	ret = ucore_session_add_event(s, &add, &term);
	mutex_unlock(&s->lock);
	return ret;
}

static void fire_here(void *arg)
{
	fake_timer_fire(arg);
}

static void next_slice(struct ucore_domain_ctx *ctx)
{
	fake_clock_advance(ctx->rotate_ns);
	smp_call_function_single(1, fire_here, &ctx->rotate, 1);
}

/* All fields that change are written at once. Fields of other sessions keep their values. */
static void fixed_counters_rotate_in_one_write(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.rotate_ns = 10 * NSEC_PER_MSEC });
	struct ucore_box *box = fake_core_box(test, 1);
	struct fake_core_cpu *regs = regs_of(test, 1);

	KUNIT_ASSERT_EQ(test, add_fixed(s, box, 2, 0, false), 0);
	KUNIT_ASSERT_EQ(test, add_fixed(s, box, 0, 1, false), 0);
	KUNIT_ASSERT_EQ(test, add_fixed(s, box, 0, 2, true), 0);
	KUNIT_ASSERT_EQ(test, add_fixed(s, box, 1, 2, false), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, regs->fixed_ctl, 0x303ULL);
	regs->fixed[0] = 50;
	fake_core(test)->nr = 0;
	next_slice(ctx_of(s, box));
	CORE_EXPECT(test, CORE_W(1, 0x38f, 0), CORE_R(1, 0x309), CORE_W(1, 0x38d, 0x332),
		    CORE_W(1, 0x38f, ALL_ON));
	regs->fixed[0] = 57;
	regs->fixed[1] = 3;
	next_slice(ctx_of(s, box));
	KUNIT_EXPECT_EQ(test, regs->fixed_ctl, 0x303ULL);
	regs->fixed[0] = 58;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 51ULL);
	KUNIT_EXPECT_EQ(test, s->values[2].count, 7ULL);
	KUNIT_EXPECT_EQ(test, s->values[3].count, 3ULL);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

static int add_group(struct ucore_session *s, const struct ucore_box *box, u64 event, u32 i,
		     u32 group)
{
	const struct ucore_term term = { .field = UCORE_FIELD_EVENT, .value = event };
	struct ucore_add_event add = {
		.box = box->id, .nr_terms = 1, .counters = BIT(i), .group = group,
	};
	int ret;

	mutex_lock(&s->lock);
	ret = ucore_session_add_event(s, &add, &term);
	mutex_unlock(&s->lock);
	return ret;
}

/* A counter that wrapped in its time slice has set its overflow bit, although it has no period. */
static void wrap_is_cleared_before_the_event_select_changes(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.rotate_ns = 10 * NSEC_PER_MSEC });
	struct ucore_box *box = fake_core_box(test, 1);
	struct fake_core_cpu *regs = regs_of(test, 1);

	KUNIT_ASSERT_EQ(test, add_group(s, box, 0x3c, 1, 1), 0);
	KUNIT_ASSERT_EQ(test, add_group(s, box, 0xc0, 1, 2), 0);
	KUNIT_ASSERT_EQ(test, add_fixed(s, box, 2, 1, false), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	regs->ctr[1] = 0xffffffffff00ULL;
	regs->fixed[2] = 0xffffffffff00ULL;
	session_read(s, false);
	regs->ctr[1] = 5;
	regs->fixed[2] = 6;
	fake_core(test)->nr = 0;
	next_slice(ctx_of(s, box));
	CORE_EXPECT(test, CORE_W(1, 0x38f, 0), CORE_R(1, 0x4c2), CORE_W(1, 0x390, BIT(1)),
		    CORE_W(1, 0x187, 0x4300c0), CORE_R(1, 0x30b), CORE_W(1, 0x390, BIT_ULL(34)),
		    CORE_W(1, 0x38d, 0), CORE_W(1, 0x38f, ALL_ON));
	/* the other event's counter has not wrapped */
	next_slice(ctx_of(s, box));
	CORE_EXPECT(test, CORE_W(1, 0x38f, 0), CORE_R(1, 0x4c2), CORE_W(1, 0x187, 0x43003c),
		    CORE_W(1, 0x38d, 0x300), CORE_W(1, 0x38f, ALL_ON));
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, BIT_ULL(48) + 5);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

static void run_scan(struct ucore_domain_ctx *ctx)
{
	fake_clock_advance(UCORE_CONFLICT_PERIOD_NS);
	smp_call_function_single(1, fire_here, &ctx->domain->watchdog, 1);
}

/* A field of the fixed control that no counter of the session uses is not checked. */
static void changed_field_of_fixed_control_is_reported(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 1);
	struct fake_core_cpu *regs = regs_of(test, 1);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, FIXED(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, FIXED(2), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_ASSERT_EQ(test, regs->fixed_ctl, 0x303ULL);
	run_scan(ctx_of(s, box));
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	regs->fixed_ctl = 0x3b3;
	run_scan(ctx_of(s, box));
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	regs->fixed_ctl = 0xb03;		/* all of the field's bits, and the interrupt bit */
	run_scan(ctx_of(s, box));
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 1U);
	regs->fixed_ctl = 0x302;
	run_scan(ctx_of(s, box));
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 2U);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_CONFLICT);
}

/* A READ is: freeze, one read per counter, unfreeze. No other CPU is accessed. */
static void read_accesses_each_counter_once(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 1);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, FIXED(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_core(test)->nr = 0;
	regs_of(test, 1)->ctr[0] = 77;
	regs_of(test, 1)->fixed[1] = 0xffffffffffffULL;
	session_read(s, false);
	CORE_EXPECT(test, CORE_W(1, 0x38f, 0), CORE_R(1, 0x4c1), CORE_R(1, 0x30a),
		    CORE_W(1, 0x38f, ALL_ON));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 77ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 0xffffffffffffULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 1U);
	regs_of(test, 1)->fixed[1] = 4;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 0x1000000000004ULL);
}

/* In a READ each CPU reads its own counters. */
static void session_on_two_cpus_reads_each_locally(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 1), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, s->nr_domains, 2U);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	regs_of(test, 0)->ctr[0] = 100;
	regs_of(test, 1)->ctr[0] = 200;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 200ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 100ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 0U);
	KUNIT_EXPECT_EQ(test, s->domains[1].cpu, 1U);
	fake_stop(s);
}

static void reset_clears_status_before_reload(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_core(test)->nr = 0;
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	CORE_EXPECT(test, CORE_W(0, 0x38f, 0), CORE_W(0, 0x390, CLEAR_ALL), CORE_W(0, 0x4c1, 0),
		    CORE_W(0, 0x38f, ALL_ON));
}

/* Box freeze has no effect on core PMUs: their global control freezes just one CPU. */
static void box_freeze_on_core_uses_global_control(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_BOX_FREEZE, .ring_size = 4096 });

	regs_of(test, 0)->global = 0;
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, regs_of(test, 0)->global, ALL_ON);
	fake_core(test)->nr = 0;
	regs_of(test, 0)->ctr[0] = 5;
	session_read(s, false);
	CORE_EXPECT(test, CORE_W(0, 0x38f, 0), CORE_R(0, 0x4c1), CORE_W(0, 0x38f, ALL_ON));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 5ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, regs_of(test, 0)->global, 0ULL);
}

static void timer_here(void *timer)
{
	fake_timer_fire(timer);
}

static void timer_sample_access_sequence_is_exact(struct kunit *test)
{
	const struct ucore_create_session config = {
		.timer_ns = 1000000, .ring_size = 4096,
	};
	struct ucore_session *s = fake_session_config(test, &config);
	struct ucore_box *box = fake_core_box(test, 0);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_core(test)->nr = 0;
	regs_of(test, 0)->ctr[1] = 55;
	smp_call_function_single(0, timer_here, &ctx_of(s, box)->timer, 1);
	CORE_EXPECT(test, CORE_W(0, 0x38f, 0), CORE_R(0, 0x4c2), CORE_W(0, 0x38f, ALL_ON));
	sample = fake_record(ctx_of(s, box)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 55ULL);
	fake_stop(s);
}

/* ---- overflow ---- */

#define PERIOD	1000

/* Start a session on CPU 1 with periods on counter 0 and fixed counter 1, none on counter 3. */
static struct ucore_session *armed(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 1);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, BIT(0), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, FIXED(1), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0x2e, BIT(3), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	return s;
}

static void armed_start_access_sequence_is_exact(struct kunit *test)
{
	armed(test);
	CORE_EXPECT(test, CORE_R(1, 0x38f), CORE_R(1, 0x38e),
		    CORE_W(1, 0x38f, 0), CORE_W(1, 0x390, CLEAR_ALL), RESET_4_3(1, 0x4c1),
		    CORE_W(1, 0x4c1, BIT_ULL(48) - PERIOD), CORE_W(1, 0x186, 0x5300c0),
		    CORE_W(1, 0x30a, BIT_ULL(48) - PERIOD),
		    CORE_W(1, 0x189, 0x43002e),
		    CORE_W(1, 0x38d, 0xb0),		/* with the interrupt bit */
		    CORE_R(1, 0x38e), CORE_W(1, 0x38f, ALL_ON));
	/* IA32_DEBUGCTL's uncore PMI enable is not used here */
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[1], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)APIC_DM_NMI);
}

static void overflow_sample_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *s = armed(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));
	const struct ucore_sample *sample;

	fake_core(test)->nr = 0;
	regs_of(test, 1)->ctr[0] = 5;
	regs_of(test, 1)->fixed[1] = 0xfffffffffff0ULL;
	regs_of(test, 1)->ctr[3] = 42;
	regs_of(test, 1)->status = BIT_ULL(0);
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), 1);
	CORE_EXPECT(test, CORE_R(1, 0x38e), CORE_W(1, 0x38f, 0),	/* NMI */
		    CORE_W(1, 0x38f, 0), CORE_R(1, 0x38e),
		    CORE_R(1, 0x4c1), CORE_R(1, 0x30a), CORE_R(1, 0x4c4),
		    CORE_W(1, 0x390, BIT_ULL(0)),
		    CORE_W(1, 0x4c1, BIT_ULL(48) - PERIOD),
		    CORE_W(1, 0x38f, ALL_ON));
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->cpu, 1U);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, PERIOD + 5ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[1].count, PERIOD - 16ULL);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->values[2].count, 42ULL);
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 1ULL);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

static void fixed_counter_overflow_is_sampled(struct kunit *test)
{
	struct ucore_session *s = armed(test);
	const struct ucore_sample *sample;

	regs_of(test, 1)->fixed[1] = 0;
	regs_of(test, 1)->status = BIT_ULL(33) | BIT_ULL(62);
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), 1);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->status, 0ULL);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->fixed[1], BIT_ULL(48) - PERIOD);
	sample = fake_record(ctx_of(s, fake_core_box(test, 1))->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[1].count, (u64)PERIOD);
}

/* Bits of unarmed counters and other units and reserved bits are not overflows of the session. */
static void foreign_status_bits_are_ignored(struct kunit *test)
{
	const u64 others = BIT_ULL(3) | BIT_ULL(55) | BIT_ULL(58) | BIT_ULL(61) | BIT_ULL(63);
	struct ucore_session *s = armed(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));

	regs_of(test, 1)->status = others;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->status, others);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->global, ALL_ON);
	KUNIT_EXPECT_FALSE(test, ctx->domain->frozen);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	/* the next overflow clears only the bits that may be cleared */
	regs_of(test, 1)->status |= BIT_ULL(0);
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), 1);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->status, BIT_ULL(55) | BIT_ULL(58) | BIT_ULL(61));
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

struct two_nmis {
	int handled[3];
};

static void nmis_before_service(void *arg)
{
	struct pt_regs regs = { .cs = __KERNEL_CS };
	struct two_nmis *n = arg;

	n->handled[0] = fake_nmi(&regs);
	n->handled[1] = fake_nmi(&regs);
}

/* The service runs after this interrupt: a second NMI before it is claimed as well. */
static void second_nmi_before_service_is_claimed(struct kunit *test)
{
	struct ucore_session *s = armed(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));
	struct two_nmis n = { };

	regs_of(test, 1)->status = BIT_ULL(0) | BIT_ULL(33);
	smp_call_function_single(1, nmis_before_service, &n, 1);
	irq_work_sync(&ctx->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, n.handled[0], 2);
	KUNIT_EXPECT_EQ(test, n.handled[1], NMI_HANDLED);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	/* now the NMI belongs to another handler */
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
	fake_stop(s);
}

struct masked_nmi {
	int handled;
	u32 lvtpc;
};

static void nmi_while_masked(void *arg)
{
	struct pt_regs regs = { .cs = __KERNEL_CS };
	struct masked_nmi *n = arg;

	n->handled = fake_nmi(&regs);
	n->lvtpc = fake_kernel.lvtpc[raw_smp_processor_id()];
}

/* Unmasked while the status is set, the LVTPC could raise the same NMI repeatedly. */
static void lvtpc_is_unmasked_after_status_is_clear(struct kunit *test)
{
	struct ucore_session *s = armed(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));
	struct masked_nmi n = { };

	regs_of(test, 1)->status = BIT_ULL(0);
	/* as the delivery of a PMI leaves it */
	fake_kernel.lvtpc[1] = APIC_LVT_MASKED | APIC_DM_NMI;
	smp_call_function_single(1, nmi_while_masked, &n, 1);
	irq_work_sync(&ctx->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, n.handled, 1);
	KUNIT_EXPECT_EQ(test, n.lvtpc, (u32)(APIC_LVT_MASKED | APIC_DM_NMI));
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)APIC_DM_NMI);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->status, 0ULL);

	/* a late NMI finds the status clear and unmasks at once */
	regs_of(test, 1)->status = BIT_ULL(0);
	session_read(s, false);
	fake_kernel.lvtpc[1] = APIC_LVT_MASKED | APIC_DM_NMI;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_HANDLED);
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)APIC_DM_NMI);
	fake_stop(s);
}

/* An overflow is claimed only on its CPU, and only between START and STOP. */
static void overflow_is_claimed_on_its_cpu_only(struct kunit *test)
{
	struct ucore_session *s = armed(test);

	regs_of(test, 0)->status = BIT_ULL(0);
	regs_of(test, 1)->status = BIT_ULL(0);
	KUNIT_EXPECT_EQ(test, fake_core_nmi(0), NMI_DONE);
	fake_stop(s);
	regs_of(test, 1)->status = BIT_ULL(0);
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
}

static void read_with_pending_overflow_services_it(struct kunit *test)
{
	struct ucore_session *s = armed(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));

	regs_of(test, 1)->ctr[0] = 0;
	regs_of(test, 1)->status = BIT_ULL(0);
	session_read(s, false);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->global, ALL_ON);
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_HANDLED);	/* the late PMI */
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->global, ALL_ON);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	fake_stop(s);
}

/* ---- short writes ---- */

static void short_writes_limit_the_preload(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, BIT(0), BIT_ULL(31), NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0xc0, BIT(1), BIT_ULL(31) + 1, NULL), -ERANGE);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	CORE_EXPECT(test, CORE_R(0, 0x38f), CORE_R(0, 0x38e),
		    CORE_W(0, 0x38f, 0), CORE_W(0, 0x390, CLEAR_ALL), RESET_4_3(0, 0xc1),
		    CORE_W(0, 0xc1, BIT_ULL(48) - BIT_ULL(31)), CORE_W(0, 0x186, 0x5300c0),
		    CORE_R(0, 0x38e), CORE_W(0, 0x38f, ALL_ON));
	/* the hardware sign-extends the written 32 bits */
	KUNIT_EXPECT_EQ(test, regs_of(test, 0)->ctr[0], BIT_ULL(48) - BIT_ULL(31));
	regs_of(test, 0)->ctr[0] += 9;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 9ULL);
	fake_stop(s);
}

/* ---- version 4: a status bit that freezes ---- */

/* CTR_Frz, which a PMI can set depending on IA32_DEBUGCTL, is cleared with the overflow bits. */
static void ctr_frz_is_cleared_with_the_overflow(struct kunit *test)
{
	struct ucore_session *s;

	regs_of(test, 1)->status = BIT_ULL(59);
	s = armed(test);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->status, 0ULL);
	regs_of(test, 1)->status = BIT_ULL(0) | BIT_ULL(59);
	fake_core(test)->nr = 0;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), 1);
	CORE_EXPECT(test, CORE_R(1, 0x38e), CORE_W(1, 0x38f, 0),	/* NMI */
		    CORE_W(1, 0x38f, 0), CORE_R(1, 0x38e),
		    CORE_R(1, 0x4c1), CORE_R(1, 0x30a), CORE_R(1, 0x4c4),
		    CORE_W(1, 0x390, BIT_ULL(0) | BIT_ULL(59)),
		    CORE_W(1, 0x4c1, BIT_ULL(48) - PERIOD),
		    CORE_W(1, 0x38f, ALL_ON));
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->status, 0ULL);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* ---- version 1: no global control, no global status ---- */

static void version_1_uses_enable_bits_of_controls(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 1);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0x3c, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	/* programmed without the enable bits, then enabled one after the other */
	CORE_EXPECT(test, CORE_W(1, 0x186, 0), CORE_W(1, 0x187, 0),
		    CORE_W(1, 0xc1, 0), CORE_W(1, 0xc2, 0),
		    CORE_W(1, 0x186, 0x0300c0), CORE_W(1, 0x187, 0x03003c),
		    CORE_W(1, 0x186, 0x4300c0), CORE_W(1, 0x187, 0x43003c));
	regs_of(test, 1)->ctr[1] = 11;
	session_read(s, false);
	CORE_EXPECT(test, CORE_W(1, 0x186, 0x0300c0), CORE_W(1, 0x187, 0x03003c),
		    CORE_R(1, 0xc1), CORE_R(1, 0xc2),
		    CORE_W(1, 0x186, 0x4300c0), CORE_W(1, 0x187, 0x43003c));
	KUNIT_EXPECT_EQ(test, s->values[1].count, 11ULL);
	fake_stop(s);
	CORE_EXPECT(test, CORE_W(1, 0x186, 0x0300c0), CORE_W(1, 0x187, 0x03003c),
		    CORE_R(1, 0xc1), CORE_R(1, 0xc2),
		    CORE_W(1, 0x186, 0), CORE_W(1, 0x187, 0));
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

#define LOADED	(BIT_ULL(40) - PERIOD)

/* Start a session on CPU 1 with a period on counter 0, and none on counter 1. */
static struct ucore_session *armed_v1(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 1);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0xc0, BIT(0), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0x3c, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	return s;
}

/* The sign bit of the preloaded counter stands for the missing status. */
static void version_1_overflow_sample_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_session *s = armed_v1(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));
	const struct ucore_sample *sample;

	CORE_EXPECT(test, CORE_W(1, 0x186, 0), CORE_W(1, 0x187, 0),
		    CORE_W(1, 0xc1, 0), CORE_W(1, 0xc2, 0),
		    CORE_W(1, 0xc1, LOADED), CORE_W(1, 0x186, 0x1300c0),
		    CORE_W(1, 0x187, 0x03003c), CORE_R(1, 0xc1),
		    CORE_W(1, 0x186, 0x5300c0), CORE_W(1, 0x187, 0x43003c));
	KUNIT_EXPECT_EQ(test, fake_kernel.lvtpc[1], (u32)APIC_DM_NMI);
	regs_of(test, 1)->ctr[0] = 5;
	regs_of(test, 1)->ctr[1] = 42;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), 1);
	CORE_EXPECT(test, CORE_R(1, 0xc1),				/* NMI */
		    CORE_W(1, 0x186, 0x1300c0), CORE_W(1, 0x187, 0x03003c),
		    CORE_W(1, 0x186, 0x1300c0), CORE_W(1, 0x187, 0x03003c),
		    CORE_R(1, 0xc1),					/* status */
		    CORE_R(1, 0xc1), CORE_R(1, 0xc2),
		    CORE_W(1, 0xc1, LOADED),
		    CORE_W(1, 0x186, 0x5300c0), CORE_W(1, 0x187, 0x43003c));
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_TRUE(test, sample->flags & UCORE_SAMPLE_F_CONTEXT);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, PERIOD + 5ULL);
	KUNIT_EXPECT_EQ(test, sample->values[0].flags, (u32)UCORE_VALUE_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[1].count, 42ULL);
	KUNIT_EXPECT_EQ(test, sample->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, ctx->domain->pmis, 1ULL);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* A counter without a period has no sign bit at first, and may have wrapped. */
static void version_1_nmi_without_an_overflow_is_left_to_others(struct kunit *test)
{
	struct ucore_session *s = armed_v1(test);

	regs_of(test, 1)->ctr[1] = BIT_ULL(39) + 3;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
	session_read(s, false);
	regs_of(test, 1)->ctr[1] = 3;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[1].count, BIT_ULL(40) + 3);
	KUNIT_EXPECT_NULL(test, fake_record(ctx_of(s, fake_core_box(test, 1))->ring));
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->ctl[0], 0x5300c0ULL);
	fake_stop(s);
	regs_of(test, 1)->ctr[0] = 0;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
}

static void version_1_second_nmi_before_service_is_claimed(struct kunit *test)
{
	struct ucore_session *s = armed_v1(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));
	struct two_nmis n = { };

	regs_of(test, 1)->ctr[0] = 0;
	smp_call_function_single(1, nmis_before_service, &n, 1);
	irq_work_sync(&ctx->domain->pmi.work);
	KUNIT_EXPECT_EQ(test, n.handled[0], 1);
	KUNIT_EXPECT_EQ(test, n.handled[1], NMI_HANDLED);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
	fake_stop(s);
}

/* A throttled counter counts from zero, so that it has no sign bit without an overflow. */
static void version_1_throttled_counter_is_no_overflow(struct kunit *test)
{
	struct ucore_session *s = armed_v1(test);
	struct ucore_domain_ctx *ctx = ctx_of(s, fake_core_box(test, 1));
	struct ucore_domain *domain = ctx->domain;

	domain->throttle_start = ktime_get_mono_fast_ns();
	domain->throttle_count = 1000000;
	regs_of(test, 1)->ctr[0] = 5;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), 1);
	KUNIT_EXPECT_TRUE(test, domain->throttled);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->ctr[0], 0ULL);
	regs_of(test, 1)->ctr[0] = PERIOD / 4;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), NMI_DONE);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 1ULL);
	domain->throttle_count = 0;
	fake_clock_advance(10 * NSEC_PER_MSEC);
	smp_call_function_single(1, fire_here, &domain->watchdog, 1);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->ctr[0], BIT_ULL(40) - PERIOD * 3 / 4);
	regs_of(test, 1)->ctr[0] = 1;
	KUNIT_EXPECT_EQ(test, fake_core_nmi(1), 1);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 2ULL);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 2 * PERIOD + 6ULL);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* The START and the STOP of a session keep the pending overflow of another one. */
static void version_1_sessions_keep_each_others_overflows(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_core_box(test, 1);
	struct ucore_domain_ctx *ctx;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0xc0, BIT(0), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0x3c, BIT(1), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	regs_of(test, 1)->ctr[0] = 7;
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	session_read(b, false);
	ctx = ctx_of(a, box);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 1ULL);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->ctr[0], LOADED);
	regs_of(test, 1)->ctr[0] = 3;
	fake_stop(b);
	session_read(a, false);
	KUNIT_EXPECT_EQ(test, ctx->stats.overflows, 2ULL);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 2 * PERIOD + 10ULL);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* With cmask an event counts at most once per clock: polls may be as rare as with a threshold. */
static void cmask_limits_the_poll_rate(struct kunit *test)
{
	struct ucore_event_spec spec = { .value = { 0xc0 } };
	struct ucore_box *box = fake_core_box(test, 0);

	box->caps &= ~UCORE_BOX_F_ANY_OVERFLOW;
	KUNIT_EXPECT_EQ(test, ucore_event_restrict(box, 0, 1000000, UCORE_END_ANY, &spec), -ERANGE);
	spec = (struct ucore_event_spec){ .value = { BIT(24) | 0xc0 } };
	KUNIT_EXPECT_EQ(test, ucore_event_restrict(box, 0, 1000000, UCORE_END_ANY, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.poll_ns, 200000ULL);
}

/* ---- sharing with perf ---- */

/*
 * Fields of the fixed control and bits of the status belong to different sessions: changes by
 * one session keep those of the other.
 */
static void two_sessions_on_a_core_keep_each_others_fields(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_core_cpu *regs = regs_of(test, 1);
	struct ucore_box *box = fake_core_box(test, 1);
	u64 first, both;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0, FIXED(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0xc0, BIT(0), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0, FIXED(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0x3c, BIT(1), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	first = regs->fixed_ctl;
	regs->status = BIT_ULL(0) | BIT_ULL(1);	/* a's overflow is pending, b's bit is old */
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, regs->status, BIT_ULL(0));
	both = regs->fixed_ctl;
	KUNIT_EXPECT_EQ(test, both & 0xf, first);
	KUNIT_EXPECT_EQ(test, both >> 4 & 0xf, first);
	regs->ctr[0] = 5;
	session_read(a, false);
	KUNIT_EXPECT_EQ(test, a->values[1].count, PERIOD + 5ULL);
	regs->status = BIT_ULL(1);
	regs->ctr[1] = 7;
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, regs->fixed_ctl, both & ~0xfULL);
	KUNIT_EXPECT_EQ(test, regs->ctl[0], 0ULL);
	KUNIT_EXPECT_NE(test, regs->ctl[1], 0ULL);
	session_read(b, false);	/* STOP has serviced the overflow */
	KUNIT_EXPECT_EQ(test, b->values[1].count, PERIOD + 7ULL);
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, regs->fixed_ctl, 0ULL);
	KUNIT_EXPECT_EQ(test, regs->ctl[1], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/*
 * Sessions share a fixed and a general counter of a core. The overflow enable of the fixed counter
 * comes and goes with the session that has a period, and a pending overflow stays pending.
 */
static void two_sessions_share_the_counters_of_a_core(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_core_cpu *regs = regs_of(test, 1);
	struct ucore_box *box = fake_core_box(test, 1);
	u64 fixed;

	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0, FIXED(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(a, box, 0xc0, BIT(0), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0, FIXED(0), PERIOD, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, box, 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fixed = regs->fixed_ctl;
	regs->fixed[0] = 1000;
	regs->ctr[0] = 5;			/* a's overflow is pending */
	regs->status = BIT_ULL(0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, regs->status, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, regs->fixed_ctl, fixed | BIT_ULL(3));
	KUNIT_EXPECT_EQ(test, regs->fixed[0], BIT_ULL(48) - PERIOD);
	session_read(a, false);			/* services the overflow */
	KUNIT_EXPECT_EQ(test, a->values[0].count, 1000ULL);
	KUNIT_EXPECT_EQ(test, a->values[1].count, PERIOD + 5ULL);
	session_unread(a);
	regs->fixed[0] += 10;
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 10ULL);
	KUNIT_EXPECT_EQ(test, b->values[1].count, 0ULL);
	session_unread(b);
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, regs->fixed_ctl, fixed);
	KUNIT_EXPECT_EQ(test, regs->fixed[0], 0ULL);
	regs->fixed[0] = 3;
	session_read(a, false);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 1013ULL);
	session_unread(a);
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, regs->fixed_ctl, 0ULL);
	KUNIT_EXPECT_EQ(test, regs->ctl[0], 0ULL);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

static u32 core_state(void)
{
	struct ucore_get_core info = { .size = sizeof(info) };

	ucore_describe_core(&info);
	return info.state;
}

/* All event selects and counters are reserved from the first claimed core box to the last. */
static void counters_are_reserved_from_first_to_last_claim(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_add_event add;

	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
	KUNIT_ASSERT_EQ(test, fake_add(a, fake_core_box(test, 0), 0xc0, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0xfULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0xfULL);
	KUNIT_EXPECT_EQ(test, core_state(), (u32)UCORE_CORE_READY);
	KUNIT_ASSERT_EQ(test, fake_add(a, fake_core_box(test, 0), 0x3c, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_core_box(test, 1), 0xc0, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_core_box(test, 0), 0xc0, 0, 0, NULL), 0);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0xfULL);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0ULL);
}

/* A fixed counter counts only its own event, so that there is no choice between two of them. */
static void event_with_two_fixed_counters_is_refused(struct kunit *test)
{
	struct ucore_event_spec spec = { };

	KUNIT_EXPECT_EQ(test, fake_restrict(fake_core_box(test, 0), FIXED(0) | FIXED(1), 0, &spec),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, fake_restrict(fake_core_box(test, 0), FIXED(1), 0, &spec), 0);
}

/* A refused event leaves no claim. */
static void refused_event_reserves_nothing(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	u32 i;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, BIT(0), 0, NULL), -ENOSPC);
	for (i = 1; i < 20; i++) {
		fake_kernel.fail_in = i;
		if (!fake_add(s, fake_core_box(test, 1), 0xc0, 0, 0, NULL))
			break;
	}
	fake_kernel.fail_in = 0;
	KUNIT_EXPECT_GT(test, i, 1U);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0ULL);
}

static void add_event_with_counters_used_by_perf_fails(struct kunit *test)
{
	struct ucore_get_core info = { .size = sizeof(info) };
	struct ucore_session *s = fake_session(test);
	u32 i;

	for (i = 0; i < 4; i++) {	/* any reserved select */
		fake_kernel.selects = BIT_ULL(i);
		KUNIT_EXPECT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, 0, 0, NULL),
				-EBUSY);
		KUNIT_EXPECT_EQ(test, fake_kernel.selects, BIT_ULL(i));
		KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0ULL);
	}
	fake_kernel.selects = 0;
	fake_kernel.counters = BIT_ULL(2);	/* reserved by something other than perf */
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
	fake_kernel.counters = 0;

	ucore_describe_core(&info);
	KUNIT_EXPECT_EQ(test, info.state, (u32)UCORE_CORE_BUSY);
	KUNIT_EXPECT_NOT_NULL(test, strstr(info.reason, "kernel.nmi_watchdog=0"));
	KUNIT_EXPECT_TRUE(test, list_empty(&fake_core_box(test, 0)->claims));
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, core_state(), (u32)UCORE_CORE_READY);
}

/* GET_CORE reserves nothing. It reports what the last ADD_EVENT on a core found. */
static void core_state_is_that_of_the_last_event(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	fake_kernel.selects = 0xf;
	KUNIT_EXPECT_EQ(test, core_state(), (u32)UCORE_CORE_READY);
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, core_state(), (u32)UCORE_CORE_BUSY);
	fake_kernel.selects = 0;
	KUNIT_EXPECT_EQ(test, core_state(), (u32)UCORE_CORE_BUSY);
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_core_box(test, 1), 0xc0, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, core_state(), (u32)UCORE_CORE_READY);
}

/* The kernel's uncore driver does not affect sessions on core boxes. */
static void core_events_with_intel_uncore_work(struct kunit *test)
{
	struct ucore_session *s;

	ucore_readers_exit();
	ucore_catalog_destroy();
	fake_boot_cpu.x86_model = 62;
	fake_msr_add(0xc24, 0);		/* the PCU's box control */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_INTREE);
	s = fake_session(test);
	KUNIT_EXPECT_EQ(test, fake_add(s, &ucore_catalog.boxes[0], 0, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, &ucore_catalog.boxes[0], 0, 0, 0, NULL), -EBUSY);
	fake_session_close(test, s);
}

/* ---- CPU hotplug ---- */

/* The counters are stopped when the CPU goes offline. After a close, perf may use them. */
static void close_while_cpu_offline_releases_counters(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_domain *domain = fake_core_box(test, 1)->domain;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 1), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_kernel.cpu_down(1);
	KUNIT_EXPECT_EQ(test, domain->reader, UCORE_NO_CPU);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->ctl[0], 0ULL);
	fake_core(test)->nr = 0;
	fake_session_close(test, s);
	CORE_EXPECT_NONE(test);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
	fake_kernel.cpu_up(1);
	CORE_EXPECT_NONE(test);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
}

/* The CPU went offline while throttled: the next session there starts unthrottled. */
static void close_while_throttled_and_offline_unthrottles(struct kunit *test)
{
	struct ucore_session *s = fake_session(test), *next = fake_session(test);
	struct ucore_domain *domain = fake_core_box(test, 1)->domain;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 1), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	raw_spin_unlock_irq(&domain->lock);
	fake_kernel.cpu_down(1);
	fake_session_close(test, s);
	fake_kernel.cpu_up(1);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_ASSERT_EQ(test, fake_add(next, fake_core_box(test, 1), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(next), 0);
	KUNIT_EXPECT_FALSE(test, domain->frozen);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->global, ALL_ON);
	fake_stop(next);
}

static void counting_resumes_when_cpu_comes_online(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 1), 0xc0, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	regs_of(test, 1)->ctr[0] = 10;
	fake_kernel.cpu_down(1);
	fake_core(test)->nr = 0;
	fake_kernel.cpu_up(1);
	CORE_EXPECT(test, CORE_R(1, 0x38e), CORE_W(1, 0x38f, 0), CORE_W(1, 0x390, CLEAR_ALL),
		    RESET_4_3(1, 0x4c1), CORE_W(1, 0x186, 0x4300c0), CORE_W(1, 0x38f, ALL_ON));
	regs_of(test, 1)->ctr[0] = 7;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 17ULL);
	fake_stop(s);
}

/* During suspend the registers are restored and stay reserved. */
static void suspend_restores_and_resume_reprograms(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct fake_core_cpu *regs = regs_of(test, 1);

	regs->global = 0x100000003ULL;
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 1), 0xc0, BIT(0), 1000, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	regs->ctr[0] += 10;
	ucore_readers_suspend();
	KUNIT_EXPECT_EQ(test, regs->global, 0x100000003ULL);
	KUNIT_EXPECT_EQ(test, regs->ctl[0], 0ULL);
	KUNIT_EXPECT_EQ(test, regs->ctr[0], 0ULL);
	KUNIT_EXPECT_NE(test, fake_kernel.selects, 0ULL);

	*regs = (struct fake_core_cpu){ };
	ucore_readers_resume();
	KUNIT_EXPECT_EQ(test, regs->global, ALL_ON);
	KUNIT_EXPECT_EQ(test, regs->ctr[0], BIT_ULL(48) - 1000);
	regs->ctr[0] += 7;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 17ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_GAP);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, regs->global, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* ---- hybrid processors: CPU 1 has six counters and three fixed ones, the others 8 and 4 ---- */

static void each_kind_counts_with_its_own_registers(struct kunit *test)
{
	struct ucore_box *atom = fake_core_box(test, 1);
	struct ucore_session *s = fake_session(test);
	u32 i;

	for (i = 0; i < 6; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, atom, 0xc0, BIT(i), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, atom, 0, FIXED(2), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, atom, 0xc0, 0, 0, NULL), -ENOSPC);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 0), 0xc0, BIT(7), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_core_box(test, 0), 0, FIXED(3), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, regs_of(test, 0)->global, 0xf000000ffULL);
	KUNIT_EXPECT_EQ(test, regs_of(test, 1)->global, 0x70000003fULL);
	fake_stop(s);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

static void counter_of_the_other_kind_is_refused(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *atom = fake_core_box(test, 1);

	KUNIT_EXPECT_EQ(test, fake_add(s, atom, 0xc0, BIT(6), 0, NULL), -ENXIO);
	KUNIT_EXPECT_EQ(test, fake_add(s, atom, 0xc0, BIT(7), 1000, NULL), -ENXIO);
	KUNIT_EXPECT_EQ(test, fake_add(s, atom, 0, FIXED(3), 0, NULL), -ENXIO);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
}

/* Boxes with fewer counters are claimed first, and released last. */
static void largest_core_determines_the_reservation(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(a, fake_core_box(test, 1), 0xc0, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0x3fULL);
	fake_kernel.selects |= BIT_ULL(7);	/* reserved by another user */
	KUNIT_EXPECT_EQ(test, fake_add(b, fake_core_box(test, 0), 0xc0, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0xbfULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0x3fULL);
	fake_kernel.selects &= ~BIT_ULL(7);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_core_box(test, 0), 0xc0, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0xffULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0xffULL);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0xffULL);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(start_and_stop_access_sequence_is_exact),
	KUNIT_CASE(global_control_is_restored),
	KUNIT_CASE(fixed_counters_rotate_in_one_write),
	KUNIT_CASE(wrap_is_cleared_before_the_event_select_changes),
	KUNIT_CASE(changed_field_of_fixed_control_is_reported),
	KUNIT_CASE(read_accesses_each_counter_once),
	KUNIT_CASE(session_on_two_cpus_reads_each_locally),
	KUNIT_CASE(reset_clears_status_before_reload),
	KUNIT_CASE(box_freeze_on_core_uses_global_control),
	KUNIT_CASE(timer_sample_access_sequence_is_exact),
	KUNIT_CASE(armed_start_access_sequence_is_exact),
	KUNIT_CASE(overflow_sample_access_sequence_is_exact),
	KUNIT_CASE(fixed_counter_overflow_is_sampled),
	KUNIT_CASE(foreign_status_bits_are_ignored),
	KUNIT_CASE(second_nmi_before_service_is_claimed),
	KUNIT_CASE(lvtpc_is_unmasked_after_status_is_clear),
	KUNIT_CASE(overflow_is_claimed_on_its_cpu_only),
	KUNIT_CASE(read_with_pending_overflow_services_it),
	KUNIT_CASE(two_sessions_on_a_core_keep_each_others_fields),
	KUNIT_CASE(two_sessions_share_the_counters_of_a_core),
	KUNIT_CASE(event_with_two_fixed_counters_is_refused),
	KUNIT_CASE(counters_are_reserved_from_first_to_last_claim),
	KUNIT_CASE(refused_event_reserves_nothing),
	KUNIT_CASE(add_event_with_counters_used_by_perf_fails),
	KUNIT_CASE(core_state_is_that_of_the_last_event),
	KUNIT_CASE(core_events_with_intel_uncore_work),
	KUNIT_CASE(close_while_cpu_offline_releases_counters),
	KUNIT_CASE(close_while_throttled_and_offline_unthrottles),
	KUNIT_CASE(counting_resumes_when_cpu_comes_online),
	KUNIT_CASE(suspend_restores_and_resume_reprograms),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_core",
	.init = core_init,
	.exit = fake_core_exit,
	.test_cases = cases,
};

static struct kunit_case cases_short[] = {
	KUNIT_CASE(short_writes_limit_the_preload),
	{ }
};

static struct kunit_suite suite_short = {
	.name = "ucore_core_short_writes",
	.init = core_init_short,
	.exit = fake_core_exit,
	.test_cases = cases_short,
};

static struct kunit_case cases_v4[] = {
	KUNIT_CASE(ctr_frz_is_cleared_with_the_overflow),
	{ }
};

static struct kunit_suite suite_v4 = {
	.name = "ucore_core_version_4",
	.init = core_init_v4,
	.exit = fake_core_exit,
	.test_cases = cases_v4,
};

static struct kunit_case cases_v1[] = {
	KUNIT_CASE(version_1_uses_enable_bits_of_controls),
	KUNIT_CASE(version_1_overflow_sample_access_sequence_is_exact),
	KUNIT_CASE(version_1_nmi_without_an_overflow_is_left_to_others),
	KUNIT_CASE(version_1_second_nmi_before_service_is_claimed),
	KUNIT_CASE(version_1_throttled_counter_is_no_overflow),
	KUNIT_CASE(version_1_sessions_keep_each_others_overflows),
	KUNIT_CASE(cmask_limits_the_poll_rate),
	{ }
};

static struct kunit_suite suite_v1 = {
	.name = "ucore_core_version_1",
	.init = core_init_v1,
	.exit = fake_core_exit,
	.test_cases = cases_v1,
};

static struct kunit_case cases_hybrid[] = {
	KUNIT_CASE(each_kind_counts_with_its_own_registers),
	KUNIT_CASE(counter_of_the_other_kind_is_refused),
	KUNIT_CASE(largest_core_determines_the_reservation),
	{ }
};

static struct kunit_suite suite_hybrid = {
	.name = "ucore_core_hybrid",
	.init = core_init_hybrid,
	.exit = fake_core_exit,
	.test_cases = cases_hybrid,
};

kunit_test_suites(&suite, &suite_short, &suite_v4, &suite_v1, &suite_hybrid);
