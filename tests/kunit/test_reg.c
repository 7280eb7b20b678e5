// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the register accessors on fake MSRs and PCI functions: the dwords of a
 * counter access, torn reads, and when ECAM is used.
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

/* Each of the two access types. The parameter selects whether there is an ECAM. */
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

static void frozen_pci_counter_is_read_in_two_dwords(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);

	b->function->config[CTR / 4] = 0x89abcdef;
	b->function->config[CTR / 4 + 1] = 0x4567;
	KUNIT_EXPECT_EQ(test, io->ops->read64(io, CTR), 0x456789abcdefULL);
	DWORDS(test, { 'R', CTR }, { 'R', CTR + 4 });
	KUNIT_EXPECT_EQ(test, b->tally.reads, io->tally->reads);
}

static void low_half_of_pci_counter_is_one_dword(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);

	b->function->config[CTR / 4] = 0xfffffffe;
	b->function->config[CTR / 4 + 1] = 0xffff;
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, CTR), 0xfffffffeULL);
	DWORDS(test, { 'R', CTR });
}

/* A low half of all ones may be a count: only a high half of all ones shows a dead box. */
static void low_half_of_all_ones_is_checked_for_dead_box(struct kunit *test)
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

static void running_pci_counter_is_read_untorn(struct kunit *test)
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

/* A high half that changes all the time must not hang a CPU with interrupts off. */
static void read_of_ever_changing_pci_counter_ends(struct kunit *test)
{
	struct ucore_io *io = way_open(test);
	u32 i, *changing;

	changing = kunit_kcalloc(test, 40, sizeof(*changing), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, changing);
	for (i = 0; i < 40; i++)
		changing[i] = i;
	fake_kernel.high_steps = changing;
	fake_kernel.nr_high_steps = 40;
	io->ops->read_running(io, CTR);
	KUNIT_EXPECT_LE(test, fake_kernel.nr_dwords, 30U);
}

/* The high half is written first. The box is frozen, so that no carry can change it. */
static void pci_counter_write_has_high_half_first(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = way_open(test);
	u64 writes = b->tally.writes;

	io->ops->write64(io, CTR, 0xffff12345678ULL);
	DWORDS(test, { 'W', CTR + 4, 0xffff }, { 'W', CTR, 0x12345678 });
	KUNIT_EXPECT_EQ(test, b->tally.writes, writes + 2);
}

static void pci_control_is_one_dword(struct kunit *test)
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

/*
 * The low half is read before the high half. A bulk read counts no accesses, and a low half of
 * all ones alone does not mean a dead box.
 */
static void ecam_counters_are_read_in_bulk(struct kunit *test)
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

static void config_cycles_have_no_bulk_read(struct kunit *test)
{
	struct ucore_io *io;

	fake_kernel.mcfg = NULL;
	io = pci_open(test);
	KUNIT_EXPECT_NULL(test, io->ops->address);
	KUNIT_EXPECT_NULL(test, io->ops->read_many);
}

static void removed_pci_function_is_dead(struct kunit *test)
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

static void ecam_with_same_contents_is_used(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_ECAM);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 1);
}

static void ecam_with_other_contents_is_not_used(struct kunit *test)
{
	fake_kernel.ecam_differs = true;	/* in the last dword of the header */
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.log_lines, 1U);
}

static void ecam_without_mcfg_is_not_used(struct kunit *test)
{
	fake_kernel.mcfg = NULL;
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
	KUNIT_EXPECT_EQ(test, fake_kernel.log_lines, 0U);
}

/* Without ACPI the table is not read. */
static void ecam_without_acpi_is_not_used(struct kunit *test)
{
	fake_kernel.no_acpi = true;
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
}

static void ecam_of_bus_not_in_mcfg_is_not_used(struct kunit *test)
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
static void ecam_with_short_mcfg_is_not_used(struct kunit *test)
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
	b->table.mcfg.header.length = sizeof(b->table) - 1;	/* the second entry is truncated */
	KUNIT_EXPECT_EQ(test, access_after_open(test), (u32)UCORE_ACCESS_PCI);
}

static void msr_accesses_are_relative_to_the_base(struct kunit *test)
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

static void faulting_msr_is_dead(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_io *io = &b->io;

	ucore_msr_init(io, 0xd20);
	KUNIT_EXPECT_EQ(test, io->ops->read(io, 0), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io->ops->read64(io, 0), UCORE_REG_DEAD);
	KUNIT_EXPECT_EQ(test, io->ops->read_low(io, 0), UCORE_REG_DEAD);
	io->ops->write(io, 0, 1);	/* a faulting write is dropped */
}

/* A bulk read can access several windows. A fault affects one value only. */
static void msrs_are_read_in_bulk(struct kunit *test)
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

/* Controls are dwords: a 64-bit write would overwrite the next control. */
static void mmio_control_is_one_dword(struct kunit *test)
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

/* Counters are one 64-bit access, running or not, so that reads cannot tear. */
static void mmio_counter_is_one_access(struct kunit *test)
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

static void mmio_counters_are_read_in_bulk(struct kunit *test)
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

/* All ones in the low half is a count. All ones in both halves is a dead box. */
static void mmio_all_ones_is_dead(struct kunit *test)
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

static void unmappable_mmio_fails(struct kunit *test)
{
	struct bench *b = test->priv;

	fake_memory_add(test, MMIO_BASE, 0x60);
	KUNIT_EXPECT_EQ(test, ucore_mmio_init(&b->io, MMIO_BASE, 0x64), -ENOMEM);
	KUNIT_EXPECT_NULL(test, b->io.ops);
	ucore_io_close(&b->io);
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
}

static void close_of_unopened_io_does_nothing(struct kunit *test)
{
	struct ucore_io io = { };

	ucore_io_close(&io);
	KUNIT_EXPECT_NULL(test, io.ops);
}

/* With a soft global control, low halves read as elsewhere, and faulting registers are dead. */
static void soft_global_low_half_reads_as_elsewhere(struct kunit *test)
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

/* A preloaded counter without its sign bit has overflowed, until it is cleared or loaded again. */
static void soft_status_shows_preloaded_counters_without_sign(struct kunit *test)
{
	struct ucore_gate gate = { .status = 0x38e, .clear = 0x390, .ctl = 0x186, .ctr = 0xc1,
				   .nr = 3, .enable = BIT(22), .sign = BIT_ULL(39) };
	struct ucore_tally tally = { };
	struct ucore_io io = { .tally = &tally }, of_gate = { .tally = &tally };
	u32 i;

	for (i = 0; i < 2; i++)		/* the third counter faults */
		fake_msr_add(0xc1 + i, 0);
	ucore_soft_global_init(&of_gate, &gate);
	ucore_soft_global_init_box(&io, &gate);
	KUNIT_EXPECT_EQ(test, of_gate.ops->read64(&of_gate, 0x38e), 0ULL);
	KUNIT_EXPECT_EQ(test, tally.reads, 0ULL);
	for (i = 0; i < 3; i++)
		io.ops->write64(&io, 0xc1 + i, BIT_ULL(40) - 100);
	KUNIT_EXPECT_EQ(test, of_gate.ops->read64(&of_gate, 0x38e), 0ULL);
	KUNIT_EXPECT_EQ(test, tally.reads, 3ULL);
	*fake_msr(0xc1) = 7;
	*fake_msr(0xc2) = 8;
	KUNIT_EXPECT_EQ(test, of_gate.ops->read64(&of_gate, 0x38e), 3ULL);
	KUNIT_EXPECT_EQ(test, ucore_soft_global_status_in_nmi(&gate), 3ULL);
	of_gate.ops->write64(&of_gate, 0x390, 1);
	KUNIT_EXPECT_EQ(test, of_gate.ops->read64(&of_gate, 0x38e), 2ULL);
	io.ops->write64(&io, 0xc2, 0);
	KUNIT_EXPECT_EQ(test, of_gate.ops->read64(&of_gate, 0x38e), 0ULL);
	KUNIT_EXPECT_EQ(test, tally.reads, 3 + 3 + 2 + 1ULL);
	KUNIT_EXPECT_EQ(test, tally.writes, 4ULL);
}

/* An NMI between two writes of an unfreeze: the next freeze and unfreeze let all counters run. */
static void soft_global_freeze_in_nmi_ends_with_the_next_unfreeze(struct kunit *test)
{
	struct ucore_gate gate = { .status = 0x38e, .clear = 0x390, .ctl = 0x186, .ctr = 0xc1,
				   .nr = 2, .enable = BIT(22), .sign = BIT_ULL(39) };
	struct ucore_tally tally = { };
	struct ucore_io io = { .tally = &tally }, of_gate = { .tally = &tally };

	fake_msr_add(0x186, 0);
	fake_msr_add(0x187, 0);
	ucore_soft_global_init(&of_gate, &gate);
	ucore_soft_global_init_box(&io, &gate);
	io.ops->write(&io, 0x186, 0x4300c0);
	io.ops->write(&io, 0x187, 0x43003c);
	of_gate.ops->write64(&of_gate, 0x38f, 3);
	ucore_soft_global_freeze_in_nmi(&gate);
	KUNIT_EXPECT_EQ(test, io.ops->read(&io, 0x186), 0x0300c0ULL);
	KUNIT_EXPECT_EQ(test, io.ops->read(&io, 0x187), 0x03003cULL);
	KUNIT_EXPECT_EQ(test, of_gate.ops->read64(&of_gate, 0x38f), 3ULL);
	*fake_msr(0x187) = 0x43003c;	/* the interrupted unfreeze continues */
	of_gate.ops->write64(&of_gate, 0x38f, 0);
	KUNIT_EXPECT_EQ(test, io.ops->read(&io, 0x187), 0x03003cULL);
	of_gate.ops->write64(&of_gate, 0x38f, 3);
	KUNIT_EXPECT_EQ(test, io.ops->read(&io, 0x186), 0x4300c0ULL);
	KUNIT_EXPECT_EQ(test, io.ops->read(&io, 0x187), 0x43003cULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(frozen_pci_counter_is_read_in_two_dwords, way_gen_params),
	KUNIT_CASE_PARAM(low_half_of_pci_counter_is_one_dword, way_gen_params),
	KUNIT_CASE_PARAM(low_half_of_all_ones_is_checked_for_dead_box, way_gen_params),
	KUNIT_CASE_PARAM(running_pci_counter_is_read_untorn, way_gen_params),
	KUNIT_CASE_PARAM(read_of_ever_changing_pci_counter_ends, way_gen_params),
	KUNIT_CASE_PARAM(pci_counter_write_has_high_half_first, way_gen_params),
	KUNIT_CASE_PARAM(pci_control_is_one_dword, way_gen_params),
	KUNIT_CASE(ecam_counters_are_read_in_bulk),
	KUNIT_CASE(config_cycles_have_no_bulk_read),
	KUNIT_CASE(removed_pci_function_is_dead),
	KUNIT_CASE(ecam_with_same_contents_is_used),
	KUNIT_CASE(ecam_with_other_contents_is_not_used),
	KUNIT_CASE(ecam_without_mcfg_is_not_used),
	KUNIT_CASE(ecam_without_acpi_is_not_used),
	KUNIT_CASE(ecam_of_bus_not_in_mcfg_is_not_used),
	KUNIT_CASE(ecam_of_another_segment_is_not_used),
	KUNIT_CASE(ecam_with_short_mcfg_is_not_used),
	KUNIT_CASE(msr_accesses_are_relative_to_the_base),
	KUNIT_CASE(faulting_msr_is_dead),
	KUNIT_CASE(msrs_are_read_in_bulk),
	KUNIT_CASE(soft_global_low_half_reads_as_elsewhere),
	KUNIT_CASE(soft_status_shows_preloaded_counters_without_sign),
	KUNIT_CASE(soft_global_freeze_in_nmi_ends_with_the_next_unfreeze),
	KUNIT_CASE(mmio_control_is_one_dword),
	KUNIT_CASE(mmio_counter_is_one_access),
	KUNIT_CASE(mmio_counters_are_read_in_bulk),
	KUNIT_CASE(mmio_all_ones_is_dead),
	KUNIT_CASE(unmappable_mmio_fails),
	KUNIT_CASE(close_of_unopened_io_does_nothing),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_reg",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
