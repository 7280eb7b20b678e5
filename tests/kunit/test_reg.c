// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own accessors over fake MSRs and PCI functions: which dwords a
 * counter takes, tearing, and when the memory-mapped way is believed.
 */
#include "fake_bus.h"

#define ECAM_BASE	0x80000000ULL
#define CTR		0xa8

struct bench {
	struct ucore_io io;
	struct ucore_tally tally;
	struct fake_function *function;
	struct {
		struct acpi_table_mcfg mcfg;
		struct acpi_mcfg_allocation entry[2];
	} table;
};

static int bench_init(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	test->priv = b;
	fake_kernel_reset();
	fake_pci_init(test);
	fake_pci_add(0x1111, 0, 1, 0);
	b->function = fake_pci_add(0x0eb4, 1, 16, 4);
	b->io.tally = &b->tally;
	b->table.mcfg.header.length = sizeof(b->table);
	b->table.entry[0] = (struct acpi_mcfg_allocation){
		.address = 0xdead00000ULL, .start_bus_number = 0, .end_bus_number = 0x3f,
	};
	b->table.entry[1] = (struct acpi_mcfg_allocation){
		.address = ECAM_BASE, .start_bus_number = 0x40, .end_bus_number = 0xff,
	};
	fake_kernel.mcfg = &b->table.mcfg.header;
	fake_kernel.ecam_base = ECAM_BASE;
	return 0;
}

static void bench_exit(struct kunit *test)
{
	struct bench *b = test->priv;

	if (b->io.pdev)
		ucore_io_close(&b->io);
	KUNIT_EXPECT_EQ(test, b->function->refs, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
}

static struct ucore_io *pci_open(struct kunit *test)
{
	struct bench *b = test->priv;

	ucore_pci_init(&b->io, &b->function->pdev);
	fake_kernel.nr_dwords = 0;
	return &b->io;
}

static void dwords_expect(struct kunit *test, const struct fake_dword *want, u32 nr)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, fake_kernel.nr_dwords, nr);
	for (i = 0; i < min(nr, fake_kernel.nr_dwords); i++) {
		KUNIT_EXPECT_EQ(test, fake_kernel.dwords[i].op, want[i].op);
		KUNIT_EXPECT_EQ(test, fake_kernel.dwords[i].reg, want[i].reg);
		if (want[i].op == 'W')
			KUNIT_EXPECT_EQ(test, fake_kernel.dwords[i].val, want[i].val);
	}
	fake_kernel.nr_dwords = 0;
}

#define DWORDS(test, ...) do {						\
	const struct fake_dword want[] = { __VA_ARGS__ };		\
									\
	dwords_expect(test, want, ARRAY_SIZE(want));			\
} while (0)

/* Both ways in turn: the parameter says whether there is an ECAM. */
static const bool ways[] = { true, false };

static void way_name(const bool *ecam, char *name)
{
	strscpy(name, *ecam ? "ECAM" : "config cycles", KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(way, ways, way_name);

static struct ucore_io *way_open(struct kunit *test)
{
	struct ucore_io *io;

	if (!*(const bool *)test->param_value)
		fake_kernel.mcfg = NULL;
	io = pci_open(test);
	KUNIT_EXPECT_EQ(test, io->ops->access,
			(u32)(fake_kernel.mcfg ? UCORE_ACCESS_ECAM : UCORE_ACCESS_PCI));
	KUNIT_EXPECT_EQ(test, io->ops->counter_cost, 2U);
	return io;
}

static void pci_frozen_counter_is_two_dwords(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);

	b->function->config[CTR / 4] = 0x89abcdef;
	b->function->config[CTR / 4 + 1] = 0x4567;
	KUNIT_EXPECT_EQ(test, io->ops->read64(io, CTR), 0x456789abcdefULL);
	DWORDS(test, { 'R', CTR }, { 'R', CTR + 4 });
	KUNIT_EXPECT_EQ(test, b->tally.reads, io->tally->reads);
}

static void pci_low_half_is_one_dword(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);

	b->function->config[CTR / 4] = 0xfffffffe;
	b->function->config[CTR / 4 + 1] = 0xffff;
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, CTR), 0xfffffffeULL);
	DWORDS(test, { 'R', CTR });
}

/* All ones may be a count: only a high half of all ones, too, means dead. */
static void pci_low_half_tells_dead_from_all_ones(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);

	b->function->config[CTR / 4] = ~0U;
	b->function->config[CTR / 4 + 1] = 0xffff;
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, CTR), 0xffffffffULL);
	DWORDS(test, { 'R', CTR }, { 'R', CTR + 4 });
	b->function->config[CTR / 4 + 1] = ~0U;
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, CTR), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io->ops->read64(io, CTR), UCORE_REG_DEAD);
}

static void pci_running_counter_does_not_tear(struct kunit *test)
{
	static const u32 steady[] = { 7 }, moves[] = { 7, 8 }, races[] = { 7, 8, 9, 10, 10 };
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);

	b->function->config[CTR / 4] = 0x10;
	fake_kernel.high_steps = steady;
	fake_kernel.nr_high_steps = 1;
	KUNIT_EXPECT_EQ(test, io->ops->read_running(io, CTR), 0x700000010ULL);
	DWORDS(test, { 'R', CTR + 4 }, { 'R', CTR }, { 'R', CTR + 4 });

	fake_kernel.high_steps = moves;
	fake_kernel.nr_high_steps = 2;
	KUNIT_EXPECT_EQ(test, io->ops->read_running(io, CTR), 0x800000010ULL);
	DWORDS(test, { 'R', CTR + 4 }, { 'R', CTR }, { 'R', CTR + 4 }, { 'R', CTR },
	       { 'R', CTR + 4 });

	fake_kernel.high_steps = races;
	fake_kernel.nr_high_steps = 5;
	KUNIT_EXPECT_EQ(test, io->ops->read_running(io, CTR), 0xa00000010ULL);
}

/* A high half that never stands still must not hang a CPU with interrupts off. */
static void pci_running_counter_ends(struct kunit *test)
{
	struct ucore_io *io = way_open(test);
	u32 i, *mad;

	mad = kunit_kcalloc(test, 40, sizeof(*mad), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mad);
	for (i = 0; i < 40; i++)
		mad[i] = i;
	fake_kernel.high_steps = mad;
	fake_kernel.nr_high_steps = 40;
	io->ops->read_running(io, CTR);
	KUNIT_EXPECT_LE(test, fake_kernel.nr_dwords, 30U);
}

/* High half first: a carry into it cannot happen while the box is frozen. */
static void pci_writes_both_halves(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);
	u64 writes = b->tally.writes;

	io->ops->write64(io, CTR, 0xffff12345678ULL);
	DWORDS(test, { 'W', CTR + 4, 0xffff }, { 'W', CTR, 0x12345678 });
	KUNIT_EXPECT_EQ(test, b->tally.writes, writes + 2);
}

static void pci_control_registers_are_one_dword(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);

	io->ops->write(io, 0xf4, 0x30103);
	DWORDS(test, { 'W', 0xf4, 0x30103 });
	KUNIT_EXPECT_EQ(test, io->ops->read(io, 0xf4), 0x30103ULL);
	DWORDS(test, { 'R', 0xf4 });
	b->function->config[0xf8 / 4] = ~0U;
	KUNIT_EXPECT_EQ(test, io->ops->read(io, 0xf8), UCORE_REG_DEAD);
}

/* Low before high, as ever; neither counted, nor taken for dead by its low half. */
static void ecam_counters_many_at_once(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = pci_open(test);
	u64 val[3], reads = b->tally.reads;
	unsigned long address[3];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(address); i++)
		address[i] = io->ops->address(io, CTR + 16 * i);
	b->function->config[CTR / 4] = 0x89abcdef;
	b->function->config[CTR / 4 + 1] = 0x4567;
	b->function->config[CTR / 4 + 4] = ~0U;
	b->function->config[CTR / 4 + 5] = 0xffff;
	b->function->config[CTR / 4 + 8] = ~0U;
	b->function->config[CTR / 4 + 9] = ~0U;
	io->ops->read_many(address, val, ARRAY_SIZE(val));
	DWORDS(test, { 'R', CTR }, { 'R', CTR + 4 }, { 'R', CTR + 16 }, { 'R', CTR + 20 },
	       { 'R', CTR + 32 }, { 'R', CTR + 36 });
	KUNIT_EXPECT_EQ(test, val[0], 0x456789abcdefULL);
	KUNIT_EXPECT_EQ(test, val[1], 0xffffffffffffULL);
	KUNIT_EXPECT_EQ(test, val[2], UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, b->tally.reads, reads);
}

static void config_cycles_are_one_by_one(struct kunit *test)
{
	struct ucore_io *io;

	fake_kernel.mcfg = NULL;
	io = pci_open(test);
	KUNIT_EXPECT_NULL(test, io->ops->address);
	KUNIT_EXPECT_NULL(test, io->ops->read_many);
}

static void pci_function_that_is_gone_is_dead(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io;

	fake_kernel.mcfg = NULL;
	io = pci_open(test);
	b->function->pdev.error_state = pci_channel_io_perm_failure;
	KUNIT_EXPECT_EQ(test, io->ops->read(io, 0xf4), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io->ops->read64(io, CTR), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, CTR), UCORE_REG_DEAD);
}

static u32 access_after_open(struct kunit *test)
{
	return pci_open(test)->ops->access;
}

static void ecam_is_used_when_it_agrees(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_ECAM);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 1);
}

static void ecam_that_differs_is_not_used(struct kunit *test)
{
	fake_kernel.ecam_differs = true;	/* in the header's last dword */
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.told, 1U);
}

static void ecam_without_a_table(struct kunit *test)
{
	fake_kernel.mcfg = NULL;
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.told, 0U);
}

/* Then its tables are not asked for, whatever they say. */
static void ecam_without_acpi(struct kunit *test)
{
	fake_kernel.no_acpi = true;
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
}

static void ecam_unknown_to_mcfg_is_not_used(struct kunit *test)
{
	struct bench *b = test->priv;

	b->table.entry[1].end_bus_number = 0x7e;	/* the function is on bus 7f */
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
}

static void ecam_of_another_segment_is_not_used(struct kunit *test)
{
	struct bench *b = test->priv;

	b->table.entry[1].pci_segment = 1;
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
}

/* Firmware is input: a table shorter than its own header has no entries. */
static void ecam_table_too_short(struct kunit *test)
{
	struct bench *b = test->priv;

	b->table.mcfg.header.length = sizeof(b->table.mcfg) - 1;
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	ucore_io_close(&b->io);
	b->table.entry[0] = b->table.entry[1];
	b->table.mcfg.header.length = sizeof(b->table.mcfg);	/* no entry at all */
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	ucore_io_close(&b->io);
	b->table.entry[0].pci_segment = 1;
	b->table.mcfg.header.length = sizeof(b->table) - 1;	/* the second one is cut */
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
}

static void msr_window_is_relative_to_its_base(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = &b->io;

	fake_msr_add(0xd34, 0x1234567890ULL);
	ucore_msr_init(io, 0xd20);
	KUNIT_EXPECT_EQ(test, io->ops->access, (u32)UCORE_ACCESS_MSR);
	KUNIT_EXPECT_EQ(test, io->ops->counter_cost, 1U);
	KUNIT_EXPECT_EQ(test, io->ops->read(io, 0x14), 0x1234567890ULL);
	KUNIT_EXPECT_EQ(test, io->ops->read64(io, 0x14), 0x1234567890ULL);
	KUNIT_EXPECT_EQ(test, io->ops->read_running(io, 0x14), 0x1234567890ULL);
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, 0x14), 0x34567890ULL);
	KUNIT_EXPECT_EQ(test, b->tally.reads, 4ULL);
	io->ops->write64(io, 0x14, BIT_ULL(44) - 1);
	KUNIT_EXPECT_EQ(test, *fake_msr(0xd34), BIT_ULL(44) - 1);
	KUNIT_EXPECT_EQ(test, b->tally.writes, 1ULL);
}

static void msr_that_faults_is_dead(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = &b->io;

	ucore_msr_init(io, 0xd20);
	KUNIT_EXPECT_EQ(test, io->ops->read(io, 0), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io->ops->read64(io, 0), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, 0), UCORE_REG_DEAD);
	io->ops->write(io, 0, 1);	/* and a write is dropped */
}

/* Of any windows, and a fault is of one alone. */
static void msrs_many_at_once(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io other = { .tally = &b->tally };
	unsigned long address[3];
	u64 val[3];

	fake_msr_add(0xd34, BIT_ULL(44) - 1);
	fake_msr_add(0xe08, 5);
	ucore_msr_init(&b->io, 0xd20);
	ucore_msr_init(&other, 0xe00);
	address[0] = other.ops->address(&other, 8);
	address[1] = b->io.ops->address(&b->io, 0x15);
	address[2] = b->io.ops->address(&b->io, 0x14);
	b->io.ops->read_many(address, val, ARRAY_SIZE(val));
	KUNIT_EXPECT_EQ(test, val[0], 5ULL);
	KUNIT_EXPECT_EQ(test, val[1], UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, val[2], BIT_ULL(44) - 1);
	KUNIT_EXPECT_EQ(test, b->tally.reads, 0ULL);
}

/* ---- memory ---- */

#define MMIO_BASE	0xc8aa2800ULL

static u8 *mmio_open(struct kunit *test)
{
	struct bench *b = test->priv;
	u8 *bytes = fake_memory_add(test, MMIO_BASE, 0x60);

	KUNIT_ASSERT_EQ(test, ucore_mmio_init(&b->io, MMIO_BASE, 0x60), 0);
	KUNIT_EXPECT_EQ(test, b->io.ops->access, (u32)UCORE_ACCESS_MMIO);
	KUNIT_EXPECT_EQ(test, b->io.ops->counter_cost, 1U);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 1);
	return bytes;
}

static void mmio_close(struct kunit *test)
{
	struct bench *b = test->priv;

	ucore_io_close(&b->io);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
	KUNIT_EXPECT_NULL(test, b->io.ops);
}

/* Controls are dwords: a write of 64 bits would reach the next one. */
static void mmio_controls_are_dwords(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 *dword = (u32 *)mmio_open(test);

	dword[0x44 / 4] = 0x1111;
	b->io.ops->write(&b->io, 0x40, 0xffffffff00400304ULL);
	DWORDS(test, { 'W', 0x40, 0x400304 });
	KUNIT_EXPECT_EQ(test, dword[0x44 / 4], 0x1111U);
	KUNIT_EXPECT_EQ(test, b->io.ops->read(&b->io, 0x44), 0x1111ULL);
	DWORDS(test, { 'R', 0x44 });
	dword[0x44 / 4] = ~0U;
	KUNIT_EXPECT_EQ(test, b->io.ops->read(&b->io, 0x44), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, b->tally.reads, 2ULL);
	KUNIT_EXPECT_EQ(test, b->tally.writes, 1ULL);
	mmio_close(test);
}

/* Counters are one access of 64 bits, running or not: nothing tears. */
static void mmio_counters_are_one_access(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *qword = (u64 *)mmio_open(test);

	qword[1] = 0x456789abcdefULL;
	KUNIT_EXPECT_EQ(test, b->io.ops->read64(&b->io, 8), 0x456789abcdefULL);
	KUNIT_EXPECT_EQ(test, b->io.ops->read_running(&b->io, 8), 0x456789abcdefULL);
	KUNIT_EXPECT_EQ(test, b->io.ops->read_low(&b->io, 8), 0x89abcdefULL);
	DWORDS(test, { 'L', 8 }, { 'L', 8 }, { 'L', 8 });
	b->io.ops->write64(&b->io, 0x10, BIT_ULL(48) - 100);
	DWORDS(test, { 'S', 0x10, BIT_ULL(48) - 100 });
	KUNIT_EXPECT_EQ(test, b->tally.reads, 3ULL);
	KUNIT_EXPECT_EQ(test, b->tally.writes, 1ULL);
	mmio_close(test);
}

static void mmio_counters_many_at_once(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 val[3], *qword = (u64 *)mmio_open(test);
	unsigned long address[3];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(address); i++)
		address[i] = b->io.ops->address(&b->io, 0x20 - 8 * i);
	qword[4] = 0x456789abcdefULL;
	qword[3] = ~0ULL;
	qword[2] = 0xffffffffULL;
	b->io.ops->read_many(address, val, ARRAY_SIZE(val));
	DWORDS(test, { 'L', 0x20 }, { 'L', 0x18 }, { 'L', 0x10 });
	KUNIT_EXPECT_EQ(test, val[0], 0x456789abcdefULL);
	KUNIT_EXPECT_EQ(test, val[1], UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, val[2], 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, b->tally.reads, 0ULL);
	mmio_close(test);
}

/* Low ones alone are a count; all ones are a box that is gone. */
static void mmio_dead_or_not(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *qword = (u64 *)mmio_open(test);

	qword[1] = 0xffffffffULL;
	KUNIT_EXPECT_EQ(test, b->io.ops->read_low(&b->io, 8), 0xffffffffULL);
	KUNIT_EXPECT_EQ(test, b->io.ops->read64(&b->io, 8), 0xffffffffULL);
	qword[1] = ~0ULL;
	KUNIT_EXPECT_EQ(test, b->io.ops->read_low(&b->io, 8), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, b->io.ops->read64(&b->io, 8), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, b->io.ops->read_running(&b->io, 8), UCORE_REG_DEAD);
	mmio_close(test);
}

static void mmio_that_cannot_be_mapped(struct kunit *test)
{
	struct bench *b = test->priv;

	fake_memory_add(test, MMIO_BASE, 0x60);
	KUNIT_EXPECT_EQ(test, ucore_mmio_init(&b->io, MMIO_BASE, 0x64), -ENOMEM);
	KUNIT_EXPECT_NULL(test, b->io.ops);
	ucore_io_close(&b->io);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
}

static void closing_nothing_is_harmless(struct kunit *test)
{
	struct ucore_io io = { };

	ucore_io_close(&io);
	KUNIT_EXPECT_NULL(test, io.ops);
}

/* Behind a gate a low half is as elsewhere, and what faults is dead. */
static void gated_low_half(struct kunit *test)
{
	struct ucore_gate gate = { .ctl = 0x186, .nr = 2, .enable = BIT(22) };
	struct ucore_tally tally = { };
	struct ucore_io io = { .tally = &tally };

	fake_msr_add(0xc1, 0x1fffffff0ULL);
	ucore_soft_global_init_box(&io, &gate);
	KUNIT_EXPECT_EQ(test, io.ops->read_low(&io, 0xc1), 0xfffffff0ULL);
	KUNIT_EXPECT_EQ(test, io.ops->read_low(&io, 0xc2), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io.ops->read(&io, 0xc2), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, tally.reads, 3ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(pci_frozen_counter_is_two_dwords, way_gen_params),
	KUNIT_CASE_PARAM(pci_low_half_is_one_dword, way_gen_params),
	KUNIT_CASE_PARAM(pci_low_half_tells_dead_from_all_ones, way_gen_params),
	KUNIT_CASE_PARAM(pci_running_counter_does_not_tear, way_gen_params),
	KUNIT_CASE_PARAM(pci_running_counter_ends, way_gen_params),
	KUNIT_CASE_PARAM(pci_writes_both_halves, way_gen_params),
	KUNIT_CASE_PARAM(pci_control_registers_are_one_dword, way_gen_params),
	KUNIT_CASE(ecam_counters_many_at_once),
	KUNIT_CASE(config_cycles_are_one_by_one),
	KUNIT_CASE(pci_function_that_is_gone_is_dead),
	KUNIT_CASE(ecam_is_used_when_it_agrees),
	KUNIT_CASE(ecam_that_differs_is_not_used),
	KUNIT_CASE(ecam_without_a_table),
	KUNIT_CASE(ecam_without_acpi),
	KUNIT_CASE(ecam_unknown_to_mcfg_is_not_used),
	KUNIT_CASE(ecam_of_another_segment_is_not_used),
	KUNIT_CASE(ecam_table_too_short),
	KUNIT_CASE(msr_window_is_relative_to_its_base),
	KUNIT_CASE(msr_that_faults_is_dead),
	KUNIT_CASE(msrs_many_at_once),
	KUNIT_CASE(gated_low_half),
	KUNIT_CASE(mmio_controls_are_dwords),
	KUNIT_CASE(mmio_counters_are_one_access),
	KUNIT_CASE(mmio_counters_many_at_once),
	KUNIT_CASE(mmio_dead_or_not),
	KUNIT_CASE(mmio_that_cannot_be_mapped),
	KUNIT_CASE(closing_nothing_is_harmless),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_reg",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
