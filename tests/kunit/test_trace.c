// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the tracepoints: each fires once per event, with the same numbers as the
 * ring record or the bus access.
 */
#include <linux/cpu.h>

#include "fake_machine.h"
#include "irq/pmi_route_and_service.h"
#include "ucore_trace.h"

#define IMC0		BIT_ULL(20)
#define SEEN		128
#define MMIO_BASE	0xc8aa2800ULL
#define ECAM_BASE	0x80000000ULL

/* A tracepoint that fired */
struct seen {
	char what;	/* 'S'ample, 'L'ost, 'P'MI, 'F'reeze, 'U'nfreeze, 'R'ead or 'W'rite */
	const void *session;
	u32 domain;
	u32 by;
	u64 number;	/* sequence number, number of a PMI, address of a register */
	u64 time;
	/* number of lost records or overflows, frozen time (ns), value of a register */
	u64 amount;
};

/* All tracepoints since seen_clear(), in order */
static struct {
	bool on;
	u32 nr;
	struct seen at[SEEN];
} seen;

static void note(const struct seen *what)
{
	if (seen.nr < SEEN)
		seen.at[seen.nr] = *what;
	seen.nr++;
}

static void on_sample(void *data, const void *session, const struct ucore_sample *sample)
{
	const struct seen what = {
		.what = 'S', .session = session, .domain = sample->domain,
		.number = sample->hdr.seq, .time = sample->time,
		.amount = sample->frozen_ns,
	};

	note(&what);
}

static void on_lost(void *data, const void *session, u32 domain, u64 seq, u64 lost)
{
	const struct seen what = {
		.what = 'L', .session = session, .domain = domain, .number = seq,
		.amount = lost,
	};

	note(&what);
}

static void on_pmi(void *data, u32 domain, u64 pmi, u32 overflows)
{
	const struct seen what = {
		.what = 'P', .domain = domain, .number = pmi, .amount = overflows,
	};

	note(&what);
}

static void on_freeze(void *data, u32 domain, u32 by, u64 time, u64 skew_ns)
{
	const struct seen what = {
		.what = 'F', .domain = domain, .by = by, .time = time, .amount = skew_ns,
	};

	note(&what);
}

static void on_unfreeze(void *data, u32 domain, bool boxes, u64 time, u64 frozen_ns)
{
	const struct seen what = {
		.what = 'U', .domain = domain, .by = boxes ? UCORE_FROZEN_BOXES : 0,
		.time = time, .amount = frozen_ns,
	};

	note(&what);
}

static void on_reg(void *data, u32 access, bool write, u64 address, u64 value)
{
	const struct seen what = {
		.what = write ? 'W' : 'R', .by = access, .number = address, .amount = value,
	};

	note(&what);
}

static void seen_clear(void)
{
	seen.nr = 0;
}

/* Return the next entry of a kind from @i on, and advance @i behind it. */
static const struct seen *seen_next(struct kunit *test, u32 *i, char what)
{
	while (*i < min_t(u32, seen.nr, SEEN) && seen.at[*i].what != what)
		(*i)++;
	KUNIT_ASSERT_LT_MSG(test, *i, min_t(u32, seen.nr, SEEN), "no further '%c'", what);
	return &seen.at[(*i)++];
}

static u32 seen_count(char what)
{
	u32 i, n = 0;

	for (i = 0; i < min_t(u32, seen.nr, SEEN); i++)
		n += seen.at[i].what == what;
	return n;
}

static void seen_begin(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, register_trace_ucore_sample(on_sample, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_ucore_lost(on_lost, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_ucore_pmi(on_pmi, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_ucore_freeze(on_freeze, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_ucore_unfreeze(on_unfreeze, NULL), 0);
	KUNIT_ASSERT_EQ(test, register_trace_ucore_reg(on_reg, NULL), 0);
	seen.on = true;
	seen_clear();
}

/* Unregister the probes. A skipped test has none. */
static void seen_end(void)
{
	if (!seen.on)
		return;
	seen.on = false;
	unregister_trace_ucore_sample(on_sample, NULL);
	unregister_trace_ucore_lost(on_lost, NULL);
	unregister_trace_ucore_pmi(on_pmi, NULL);
	unregister_trace_ucore_freeze(on_freeze, NULL);
	unregister_trace_ucore_unfreeze(on_unfreeze, NULL);
	unregister_trace_ucore_reg(on_reg, NULL);
	tracepoint_synchronize_unregister();
}

/* ---- samples ---- */

static int trace_init(struct kunit *test)
{
	int ret = fake_machine_init(test);

	if (ret)
		return ret;
	seen_begin(test);
	return ucore_nmi_register();
}

static void trace_exit(struct kunit *test)
{
	seen_end();
	fake_machine_exit(test);
}

/* Return a running context with one counter of an iMC. */
static struct ucore_domain_ctx *ctx_at_work(struct kunit *test, u64 period)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x500304, period);
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	seen_clear();
	return ctx;
}

static void readout_begin(struct ucore_readout *ro, struct ucore_domain_ctx *ctx)
{
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_readout_begin_ctx(ro, ctx, ktime_get_mono_fast_ns());
}

static void readout_end(struct ucore_readout *ro)
{
	ucore_readout_end(ro);
	raw_spin_unlock_irq(&ro->domain->lock);
}

static void timer_sample(struct ucore_domain_ctx *ctx)
{
	struct ucore_readout ro;

	readout_begin(&ro, ctx);
	ucore_ctx_timer_due(ctx);
	readout_end(&ro);
}

/* Each record is traced with the values of the record. */
static void traced_samples_match_the_ring(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_at_work(test, 0);
	const struct ucore_sample *sample;
	const struct seen *at;
	u32 i, from = 0;

	for (i = 0; i < 5; i++)
		timer_sample(ctx);
	KUNIT_EXPECT_EQ(test, seen_count('S'), 5U);
	KUNIT_EXPECT_EQ(test, seen_count('L'), 0U);
	for (i = 0; i < 5; i++) {
		at = seen_next(test, &from, 'S');
		sample = fake_record(ctx->ring);
		KUNIT_ASSERT_NOT_NULL(test, sample);
		KUNIT_EXPECT_PTR_EQ(test, at->session, (const void *)ctx->sink);
		KUNIT_EXPECT_EQ(test, at->domain, ctx->domain->id);
		KUNIT_EXPECT_EQ(test, at->number, sample->hdr.seq);
		KUNIT_EXPECT_EQ(test, at->time, sample->time);
		KUNIT_EXPECT_EQ(test, at->amount, sample->frozen_ns);
	}
}

/* Without a record no tracepoint fires. */
static void context_without_ring_traces_no_samples(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 0);

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x400304, 0);
	fake_ctx_list(ctx);
	timer_sample(ctx);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
	KUNIT_EXPECT_EQ(test, seen_count('S') + seen_count('L'), 0U);
}

/* Sequence numbers of traced samples and lost records, a GAP among them, have no gaps. */
static void lost_records_are_traced(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_at_work(test, 0);
	const struct seen *at;
	u32 i, from = 0;
	u64 seq, lost;

	while (!ctx->ring->lost) {
		seen_clear();
		timer_sample(ctx);
	}
	KUNIT_EXPECT_EQ(test, seen_count('S'), 0U);
	KUNIT_EXPECT_EQ(test, seen_count('L'), 1U);
	seq = ctx->ring->seq;
	seen_clear();
	timer_sample(ctx);
	ucore_emit_gap(ctx, 1, UCORE_GAP_BOX_DEAD, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, seen_count('S'), 0U);
	KUNIT_EXPECT_EQ(test, seen_count('L'), 2U);
	lost = ctx->ring->lost;
	for (i = 0; i < 2; i++) {
		at = seen_next(test, &from, 'L');
		KUNIT_EXPECT_PTR_EQ(test, at->session, (const void *)ctx->sink);
		KUNIT_EXPECT_EQ(test, at->domain, ctx->domain->id);
		KUNIT_EXPECT_EQ(test, at->number, seq + i);
		KUNIT_EXPECT_EQ(test, at->amount, lost - 1 + i);
	}
}

/* The entry has the number of the last period, and the total of lost records. */
static void dropped_periods_are_traced_once(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_at_work(test, 0);
	const struct seen *at;
	u32 from = 0;
	u64 seq;

	timer_sample(ctx);
	seq = ctx->ring->seq;
	seen_clear();
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_emit_drop(ctx, 3);
	raw_spin_unlock_irq(&ctx->domain->lock);
	KUNIT_EXPECT_EQ(test, seen_count('L'), 1U);
	at = seen_next(test, &from, 'L');
	KUNIT_EXPECT_EQ(test, at->number, seq + 2);
	KUNIT_EXPECT_EQ(test, at->amount, 3ULL);
}

/* ---- freezes ---- */

static void freezes_and_unfreezes_are_traced_in_pairs(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_at_work(test, 100);
	const struct ucore_sample *sample;
	const struct seen *freeze, *unfreeze;
	struct ucore_readout ro;
	u32 from = 0;

	timer_sample(ctx);
	fake_overflow(ctx->box[0].box, 0xa0, 0, BIT(1), IMC0);
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_freeze_after_overflow(ctx->domain, ktime_get_mono_fast_ns());
	ucore_readout_begin_overflow(&ro, ctx->domain, ktime_get_mono_fast_ns(), false);
	ucore_readout_end(&ro);
	ucore_unfreeze_domain(ctx->domain, false);
	raw_spin_unlock_irq(&ctx->domain->lock);

	/* nested freezes freeze once and unfreeze once */
	KUNIT_EXPECT_EQ(test, seen_count('F'), 2U);
	KUNIT_EXPECT_EQ(test, seen_count('U'), 2U);
	freeze = seen_next(test, &from, 'F');
	unfreeze = seen_next(test, &from, 'U');
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, freeze->by, (u32)UCORE_FROZEN_BY_WRITE);
	KUNIT_EXPECT_EQ(test, freeze->domain, 0U);
	KUNIT_EXPECT_EQ(test, freeze->time, sample->time);
	KUNIT_EXPECT_EQ(test, unfreeze->time, freeze->time + unfreeze->amount);
	KUNIT_EXPECT_EQ(test, unfreeze->amount, sample->frozen_ns);
	KUNIT_EXPECT_EQ(test, unfreeze->by, 0U);
	KUNIT_EXPECT_EQ(test, seen_next(test, &from, 'F')->by, (u32)UCORE_FROZEN_BY_OVERFLOW);
}

/* Freezes of a session's own boxes are traced. At STOP the boxes stay frozen. */
static void box_freezes_are_traced(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_at_work(test, 0);
	const struct seen *freeze, *unfreeze;
	struct ucore_readout ro;
	u32 from = 0;

	ctx->box_freeze = true;
	timer_sample(ctx);
	freeze = seen_next(test, &from, 'F');
	unfreeze = seen_next(test, &from, 'U');
	KUNIT_EXPECT_EQ(test, freeze->by, (u32)UCORE_FROZEN_BOXES);
	KUNIT_EXPECT_EQ(test, freeze->domain, 0U);
	KUNIT_EXPECT_EQ(test, unfreeze->by, (u32)UCORE_FROZEN_BOXES);
	KUNIT_EXPECT_EQ(test, unfreeze->time, freeze->time + unfreeze->amount);
	KUNIT_EXPECT_EQ(test, unfreeze->amount, ctx->box_frozen_ns);

	seen_clear();
	readout_begin(&ro, ctx);
	ucore_ctx_stop(ctx, ro.now, ro.now, 0);
	readout_end(&ro);
	KUNIT_EXPECT_EQ(test, seen_count('F'), 1U);
	KUNIT_EXPECT_EQ(test, seen_count('U'), 0U);
}

/* ---- PMI ---- */

struct nmi {
	u32 times;
	int handled;
};

static void nmi_here(void *arg)
{
	struct pt_regs regs = { .cs = __KERNEL_CS };
	struct nmi *nmi = arg;
	u32 i;

	for (i = 0; i < nmi->times; i++)
		nmi->handled += fake_nmi(&regs);
}

/* A PMI is traced with its sequence number, once per CPU. An NMI of perf is not traced. */
static void claimed_pmis_are_traced(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_at_work(test, 100);
	struct ucore_domain *domain = ctx->domain;
	struct nmi nmi = { .times = 2 };
	const struct seen *at;
	u32 from = 0;
	u64 seq;

	cpus_read_lock();
	ucore_pmi_enable(domain);
	cpus_read_unlock();
	smp_call_function_single(0, nmi_here, &nmi, 1);
	KUNIT_EXPECT_EQ(test, nmi.handled, NMI_DONE);
	KUNIT_EXPECT_EQ(test, seen_count('P'), 0U);

	seq = domain->pmi.seq;
	fake_overflow(ctx->box[0].box, 0xa0, 0, BIT(1), IMC0);
	seen_clear();
	smp_call_function_single(0, nmi_here, &nmi, 1);
	irq_work_sync(&domain->pmi.work);
	KUNIT_EXPECT_EQ(test, nmi.handled, 1);
	KUNIT_EXPECT_EQ(test, seen_count('P'), 1U);
	at = seen_next(test, &from, 'P');
	KUNIT_EXPECT_EQ(test, at->domain, domain->id);
	KUNIT_EXPECT_EQ(test, at->number, seq + 1);
	KUNIT_EXPECT_EQ(test, at->amount, 1ULL);
	/* then its sample, with a freeze by overflow */
	KUNIT_EXPECT_EQ(test, seen_next(test, &from, 'F')->by, (u32)UCORE_FROZEN_BY_OVERFLOW);
	seen_next(test, &from, 'S');
	/* the NMI handler's status read is traced as well, but not counted */
	at = &seen.at[0];
	KUNIT_EXPECT_EQ(test, at->what, 'R');
	KUNIT_EXPECT_EQ(test, at->by, (u32)UCORE_ACCESS_MSR);
	KUNIT_EXPECT_EQ(test, at->number, (u64)GLOBAL_STATUS);
	KUNIT_EXPECT_EQ(test, at->amount, IMC0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(traced_samples_match_the_ring),
	KUNIT_CASE(context_without_ring_traces_no_samples),
	KUNIT_CASE(lost_records_are_traced),
	KUNIT_CASE(dropped_periods_are_traced_once),
	KUNIT_CASE(freezes_and_unfreezes_are_traced_in_pairs),
	KUNIT_CASE(box_freezes_are_traced),
	KUNIT_CASE(claimed_pmis_are_traced),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_trace",
	.init = trace_init,
	.exit = trace_exit,
	.test_cases = cases,
};

/* ---- registers ---- */

static struct ucore_tally tally;

static int reg_init(struct kunit *test)
{
	fake_kernel_reset();
	tally = (struct ucore_tally){ };
	seen_begin(test);
	return 0;
}

static void reg_exit(struct kunit *test)
{
	seen_end();
}

/* Check the n-th access. */
static void expect_access(struct kunit *test, u32 n, char what, u32 access, u64 address, u64 value)
{
	KUNIT_EXPECT_EQ(test, seen.at[n].what, what);
	KUNIT_EXPECT_EQ(test, seen.at[n].by, access);
	KUNIT_EXPECT_EQ(test, seen.at[n].number, address);
	KUNIT_EXPECT_EQ(test, seen.at[n].amount, value);
}

/* Check that each counted access is traced, and no other. */
static void expect_tally(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (u64)seen_count('R'), tally.reads);
	KUNIT_EXPECT_EQ(test, (u64)seen_count('W'), tally.writes);
	KUNIT_EXPECT_EQ(test, (u64)seen.nr, tally.reads + tally.writes);
}

static void use_all(const struct ucore_io *io, u32 ctl, u32 ctr)
{
	io->ops->write(io, ctl, 0x400304);
	io->ops->read(io, ctl);
	io->ops->write64(io, ctr, 0x123456789abcULL);
	io->ops->read64(io, ctr);
	io->ops->read_running(io, ctr);
	io->ops->read_low(io, ctr);
}

static void msr_accesses_are_traced_with_number(struct kunit *test)
{
	struct ucore_io io = { .tally = &tally };

	fake_msr_add(0xd10, 0);
	fake_msr_add(0xd16, 0);
	ucore_msr_init(&io, 0xd00);
	use_all(&io, 0x10, 0x16);
	expect_tally(test);
	KUNIT_EXPECT_EQ(test, seen.nr, 6U);
	expect_access(test, 0, 'W', UCORE_ACCESS_MSR, 0xd10, 0x400304);
	expect_access(test, 1, 'R', UCORE_ACCESS_MSR, 0xd10, 0x400304);
	expect_access(test, 2, 'W', UCORE_ACCESS_MSR, 0xd16, 0x123456789abcULL);
	expect_access(test, 3, 'R', UCORE_ACCESS_MSR, 0xd16, 0x123456789abcULL);
	io.ops->read(&io, 0x20);	/* faults */
	expect_access(test, 6, 'R', UCORE_ACCESS_MSR, 0xd20, UCORE_REG_DEAD);
	expect_tally(test);
}

/* Writes to the hardware are traced. Writes that the soft global control only stores are not. */
static void soft_global_control_traces_hardware_writes_only(struct kunit *test)
{
	struct ucore_gate gate = {
		.status = 1, .clear = 2, .ctl = 0xd10, .ctr = 0xd16, .nr = 1, .enable = BIT(22),
		.sign = BIT_ULL(43),
	};
	struct ucore_io of_gate = { .tally = &tally }, io = { .tally = &tally };

	fake_msr_add(0xd10, 0);
	fake_msr_add(0xd16, 0);
	ucore_soft_global_init(&of_gate, &gate);
	ucore_soft_global_init_box(&io, &gate);
	io.ops->write(&io, 0xd10, 0x400304);
	expect_access(test, 0, 'W', UCORE_ACCESS_MSR, 0xd10, 0x304);
	of_gate.ops->write(&of_gate, 0, 1);
	expect_access(test, 1, 'W', UCORE_ACCESS_MSR, 0xd10, 0x400304);
	of_gate.ops->read(&of_gate, 0);
	of_gate.ops->read(&of_gate, 1);		/* no counter is preloaded */
	io.ops->read(&io, 0xd10);
	expect_access(test, 2, 'R', UCORE_ACCESS_MSR, 0xd10, 0x400304);
	io.ops->write64(&io, 0xd16, BIT_ULL(43));
	expect_access(test, 3, 'W', UCORE_ACCESS_MSR, 0xd16, BIT_ULL(43));
	of_gate.ops->read64(&of_gate, 1);
	expect_access(test, 4, 'R', UCORE_ACCESS_MSR, 0xd16, BIT_ULL(43));
	of_gate.ops->write64(&of_gate, 2, 1);
	expect_tally(test);
}

static void mmio_accesses_are_traced_with_physical_address(struct kunit *test)
{
	struct ucore_io io = { .tally = &tally };

	fake_memory_add(test, MMIO_BASE, 0x60);
	KUNIT_ASSERT_EQ(test, ucore_mmio_init(&io, MMIO_BASE, 0x60), 0);
	use_all(&io, 0x40, 8);
	expect_tally(test);
	KUNIT_EXPECT_EQ(test, seen.nr, 6U);
	expect_access(test, 0, 'W', UCORE_ACCESS_MMIO, MMIO_BASE + 0x40, 0x400304);
	expect_access(test, 2, 'W', UCORE_ACCESS_MMIO, MMIO_BASE + 8, 0x123456789abcULL);
	expect_access(test, 3, 'R', UCORE_ACCESS_MMIO, MMIO_BASE + 8, 0x123456789abcULL);
	ucore_io_close(&io);
}

/* Accesses are traced as dwords. Config cycles have the same address as ECAM. */
static void pci_accesses(struct kunit *test, u32 access)
{
	struct ucore_io io = { .tally = &tally };
	struct fake_function *function;
	u64 at;

	fake_pci_init(test);
	function = fake_pci_add(0x0eb4, 1, 16, 4);
	at = function->pdev.bus->number << 20 | 16 << 15 | 4 << 12;
	ucore_pci_init(&io, &function->pdev);
	KUNIT_ASSERT_EQ(test, io.ops->access, access);
	KUNIT_EXPECT_EQ(test, seen.nr, 0U);
	use_all(&io, 0xd8, 0xa0);
	expect_tally(test);
	KUNIT_EXPECT_EQ(test, seen.nr, 10U);
	expect_access(test, 0, 'W', access, at | 0xd8, 0x400304);
	expect_access(test, 1, 'R', access, at | 0xd8, 0x400304);
	expect_access(test, 2, 'W', access, at | 0xa4, 0x1234);
	expect_access(test, 3, 'W', access, at | 0xa0, 0x56789abc);
	expect_access(test, 4, 'R', access, at | 0xa0, 0x56789abc);
	expect_access(test, 5, 'R', access, at | 0xa4, 0x1234);
	ucore_io_close(&io);
}

static void config_cycles_are_traced_as_dwords(struct kunit *test)
{
	pci_accesses(test, UCORE_ACCESS_PCI);
}

static void ecam_accesses_are_traced_as_dwords(struct kunit *test)
{
	static struct {
		struct acpi_table_mcfg mcfg;
		struct acpi_mcfg_allocation entry;
	} table;

	table.mcfg.header.length = sizeof(table);
	table.entry = (struct acpi_mcfg_allocation){
		.address = ECAM_BASE, .start_bus_number = 0, .end_bus_number = 0xff,
	};
	fake_kernel.mcfg = &table.mcfg.header;
	fake_kernel.ecam_base = ECAM_BASE;
	pci_accesses(test, UCORE_ACCESS_ECAM);
}

static struct kunit_case reg_cases[] = {
	KUNIT_CASE(msr_accesses_are_traced_with_number),
	KUNIT_CASE(soft_global_control_traces_hardware_writes_only),
	KUNIT_CASE(mmio_accesses_are_traced_with_physical_address),
	KUNIT_CASE(config_cycles_are_traced_as_dwords),
	KUNIT_CASE(ecam_accesses_are_traced_as_dwords),
	{ }
};

static struct kunit_suite reg_suite = {
	.name = "ucore_trace_reg",
	.init = reg_init,
	.exit = reg_exit,
	.test_cases = reg_cases,
};

kunit_test_suites(&suite, &reg_suite);
