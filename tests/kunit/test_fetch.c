// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of discovery from tables to the catalog, on fake PCI functions, memory, MSRs
 * and CPUs, and of the reports of tables and units.
 */
#include <kunit/test.h>

#include "abi/get_answers.h"
#include "box/catalog.h"
#include "fake_machine.h"
#include "find/discovery/make_boxes.h"
#include "platforms/match.h"

#define BAR_BASE	0xfe000000ULL
#define BAR_SIZE	0x1000
#define IMC		0xc8aa2800ULL
#define RAM_START	0x100000000ULL
#define RAM_END		0x200000000ULL

#define MSR	0ULL
#define MMIO	1ULL
#define PCI	2ULL

#define W0(access, regs, ctl, ctr, status) \
	((access) << 62 | (u64)(status) << 32 | (u64)(ctr) << 24 | 48 << 16 | (ctl) << 8 | (regs))
#define MSR_WORD	W0(MSR, 4, 2, 8, 1)
#define IMC_WORD	W0(MMIO, 4, 0x40, 8, 0x60)
#define PCI_WORD	W0(PCI, 4, 0x38, 8, 4)
#define UNIT(type, id, position) \
	((u64)(position) << 32 | (u64)(id) << 16 | (type))
#define GLOBAL_WORD(access, units)	((u64)(access) << 62 | (u64)(units) << 16 | 3 << 8)

/* Bus 1 of the fakes is 7fh. */
#define AT_7F(slot, function, offset) \
	(0x7fULL << 20 | (slot) << 15 | (function) << 12 | (offset))

static int fetch_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 143;
	fake_boot_cpu.x86_phys_bits = 46;
	fake_kernel.ram_start = RAM_START;
	fake_kernel.ram_end = RAM_END;
	fake_kernel.nr_nodes = 1;
	return 0;
}

static void fetch_exit(struct kunit *test)
{
	fake_catalog_exit(test);
}

/* Add a function with a valid DVSEC and a table in its BAR 0. */
static u64 *table_add(struct kunit *test, u32 bus, u64 bar)
{
	struct fake_function *function = fake_pci_add(0x09a7, bus, fake_kernel.nr_functions, 0);
	u64 *word = (u64 *)fake_memory_add(test, bar, BAR_SIZE);

	function->config[1] = PCI_COMMAND_MEMORY;
	function->config[4] = bar;
	function->config[0x40] = 1 << 16 | 0x23;
	function->config[0x41] = 0x01008086;
	function->config[0x42] = 1;
	function->pdev.resource[0].start = bar;
	function->pdev.resource[0].end = bar + BAR_SIZE - 1;
	return word;
}

static void global_set(u64 *word, u32 units)
{
	word[0] = GLOBAL_WORD(MSR, units);
	word[1] = 0x2ff0;
	word[2] = 2 | 70 << 8;		/* status 2 behind the control, 70 bits */
}

static void record_set(u64 *word, u32 record, u64 w0, u64 w1, u64 w2)
{
	word[3 * record] = w0;
	word[3 * record + 1] = w1;
	word[3 * record + 2] = w2;
}

/* Add one table: global control and two CHAs, an iMC, and the M2M of a UPI link. */
static u64 *plain_machine(struct kunit *test)
{
	u64 *word = table_add(test, 0, BAR_BASE);

	global_set(word, 4);
	record_set(word, 1, MSR_WORD, 0x2000, UNIT(0, 0, 3));
	record_set(word, 2, MSR_WORD, 0x2010, UNIT(0, 1, 66));
	record_set(word, 3, IMC_WORD, IMC, UNIT(6, 0, 69));
	record_set(word, 4, PCI_WORD, AT_7F(12, 0, 0x438), UNIT(7, 0, 128));
	fake_msr_add(0x2ff0, 0);
	fake_msr_add(0x2ff2, 0);	/* the words of the global status */
	fake_msr_add(0x2ff3, 0);
	fake_msr_add(0x2000, 0);
	fake_msr_add(0x2010, 0);
	fake_msr_add(0x2001, 0);	/* the status registers of the CHAs */
	fake_msr_add(0x2011, 0);
	fake_memory_add(test, IMC, 0x68);
	fake_pci_add(0x324a, 1, 12, 0);
	return word;
}

static struct fake_function *table_function(void)
{
	return &fake_kernel.functions[0];
}

static struct ucore_table_info table_info(u32 i)
{
	struct ucore_table_info info;

	ucore_discovery_report.table(i, &info);
	return info;
}

static struct ucore_unit_info unit_info(u32 i)
{
	struct ucore_unit_info info;

	ucore_discovery_report.unit(i, &info);
	return info;
}

#define EXPECT_TABLE(test, i, _reason) \
	KUNIT_EXPECT_EQ(test, table_info(i).reason, (u32)UCORE_TABLE_##_reason)
#define EXPECT_UNIT(test, i, _reason) \
	KUNIT_EXPECT_EQ(test, unit_info(i).reason, (u32)UCORE_UNIT_##_reason)

static void plain_table_gives_boxes(struct kunit *test)
{
	struct ucore_table_info table;
	struct ucore_unit_info unit;
	u32 i;

	plain_machine(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_READY);
	KUNIT_EXPECT_STREQ(test, ucore_describe_reason(UCORE_STATE_READY), "");
	KUNIT_EXPECT_STREQ(test, ucore_catalog.platform->name, "spr");
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps,
			(u32)(UCORE_CAP_DISCOVERY | UCORE_CAP_GLOBAL_FREEZE));
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 1U);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_units(), 4U);
	table = table_info(0);
	KUNIT_EXPECT_EQ(test, table.die, 0);
	KUNIT_EXPECT_EQ(test, table.bus, 0x3fU);
	KUNIT_EXPECT_EQ(test, table.device, 0U);
	KUNIT_EXPECT_EQ(test, table.dvsec, 0x100U);
	KUNIT_EXPECT_EQ(test, table.stride, 24U);
	KUNIT_EXPECT_EQ(test, table.max_units, 4U);
	KUNIT_EXPECT_EQ(test, table.nr_units, 4U);
	KUNIT_EXPECT_EQ(test, table.nr_rejected, 0U);
	KUNIT_EXPECT_EQ(test, table.num_status, 70U);
	KUNIT_EXPECT_EQ(test, table.status_offset, 2U);
	KUNIT_EXPECT_EQ(test, table.address, BAR_BASE);
	KUNIT_EXPECT_EQ(test, table.global, 0x2ff0ULL);
	for (i = 0; i < 4; i++) {
		unit = unit_info(i);
		KUNIT_EXPECT_EQ(test, unit.reason, (u32)UCORE_UNIT_OK);
		KUNIT_EXPECT_EQ(test, unit.box, i);
		KUNIT_EXPECT_EQ(test, unit.record, i + 1);
		KUNIT_EXPECT_STREQ(test, unit.name, ucore_catalog.boxes[i].desc.type->name);
		KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[i].desc.instance, unit.id);
	}
	KUNIT_EXPECT_EQ(test, unit_info(3).word[1], (u64)AT_7F(12, 0, 0x438));
}

static void registers_that_cannot_be_mapped_are_reported(struct kunit *test)
{
	record_set(plain_machine(test), 3, IMC_WORD, IMC + 0x100000, UNIT(6, 0, 69));
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_READY),
					   "registers could not be mapped"));
}

static void each_box_has_its_access_type(struct kunit *test)
{
	const struct ucore_box *box;

	plain_machine(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	box = ucore_catalog.boxes;
	KUNIT_EXPECT_EQ(test, box[1].io.ops->access, (u32)UCORE_ACCESS_MSR);
	KUNIT_EXPECT_EQ(test, box[1].io.msr, 0x2010U);
	KUNIT_EXPECT_EQ(test, box[2].io.ops->access, (u32)UCORE_ACCESS_MMIO);
	KUNIT_EXPECT_STREQ(test, box[2].desc.type->name, "imc");
	KUNIT_EXPECT_EQ(test, (u64)box[2].desc.phys, IMC);
	/* up to the last register */
	KUNIT_EXPECT_GE(test, box[2].desc.size, 0x58U);
	KUNIT_EXPECT_LE(test, box[2].desc.size, 0x68U);
	KUNIT_EXPECT_EQ(test, box[3].io.ops->access, (u32)UCORE_ACCESS_PCI);
	KUNIT_EXPECT_STREQ(test, box[3].desc.type->name, "m2m");
	KUNIT_EXPECT_EQ(test, box[3].io.pdev->device, 0x324a);
	KUNIT_EXPECT_EQ(test, box[3].desc.layout->ctl[0], 0x438 + 0x38);
}

/* Overflows are unknown until a trial, and no public source states the bits of a PMI route. */
static void global_control_has_status_and_no_route(struct kunit *test)
{
	static const u32 position[] = { 3, 66, 69 };
	const struct ucore_global *global;
	const struct ucore_box_desc *desc;
	u32 i;

	plain_machine(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps,
			(u32)(UCORE_CAP_DISCOVERY | UCORE_CAP_GLOBAL_FREEZE));
	global = ucore_catalog.domains[0].global;
	KUNIT_EXPECT_EQ(test, global->ctl, 0x2ff0U);
	KUNIT_EXPECT_EQ(test, global->freeze, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, global->unfreeze, 0ULL);
	KUNIT_EXPECT_EQ(test, global->keep, BIT_ULL(0));
	KUNIT_EXPECT_EQ(test, global->nr_status, 2U);
	KUNIT_EXPECT_EQ(test, global->status, 0x2ff2U);
	KUNIT_EXPECT_EQ(test, global->status_stride, 1U);
	KUNIT_EXPECT_EQ(test, global->core_sel, 0ULL);
	KUNIT_EXPECT_EQ(test, global->wake, 0ULL);
	for (i = 0; i < 3; i++) {
		desc = &ucore_catalog.boxes[i].desc;
		KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[i].caps, (u32)UCORE_BOX_F_FREEZE);
		KUNIT_EXPECT_EQ(test, desc->global_gp, BIT_ULL(position[i] % 64));
		KUNIT_EXPECT_PTR_EQ(test, desc->reported_in, global);
		KUNIT_EXPECT_EQ(test, desc->status_position, position[i]);
	}
	/* the position of the last unit is beyond the status */
	KUNIT_EXPECT_NULL(test, ucore_catalog.boxes[3].desc.reported_in);
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[3].desc.layout->status, UCORE_REG_NONE);
}

/* A word of the status that faults or reads all ones is never accessed again. */
static void silent_global_status_is_not_used(struct kunit *test)
{
	u32 i;

	plain_machine(test);
	*fake_msr(0x2ff3) = ~0ULL;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].global->nr_status, 0U);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_NULL(test, ucore_catalog.boxes[i].desc.reported_in);
}

/* Without a readable status a box cannot report an overflow. Its status is not read. */
static void silent_box_status_disables_overflow(struct kunit *test)
{
	const struct ucore_box *box;

	plain_machine(test);
	*fake_msr(0x2011) = ~0ULL;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 4U);
	box = ucore_catalog.boxes;
	KUNIT_EXPECT_NOT_NULL(test, box[0].desc.reported_in);
	KUNIT_EXPECT_EQ(test, box[0].desc.layout->status, 1);
	KUNIT_EXPECT_NULL(test, box[1].desc.reported_in);
	KUNIT_EXPECT_EQ(test, box[1].desc.layout->status, UCORE_REG_NONE);
	KUNIT_EXPECT_EQ(test, box[1].desc.global_gp, 0ULL);
}

static void global_control_in_memory_is_mapped(struct kunit *test)
{
	const struct ucore_global *global;
	u64 *word;

	word = plain_machine(test);
	word[0] = GLOBAL_WORD(MMIO, 4);
	word[1] = 0xc8000000;
	word[2] = 8 | 70 << 8;
	fake_memory_add(test, 0xc8000000, 24);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	global = ucore_catalog.domains[0].global;
	KUNIT_EXPECT_EQ(test, (u64)global->phys, 0xc8000000ULL);
	KUNIT_EXPECT_EQ(test, global->size, 24U);
	KUNIT_EXPECT_EQ(test, global->ctl, 0U);
	KUNIT_EXPECT_EQ(test, global->status, 8U);
	KUNIT_EXPECT_EQ(test, global->status_stride, 8U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].io.ops->access, (u32)UCORE_ACCESS_MMIO);
}

/* Status words that extend into RAM are not read: no overflows, but counting works. */
static void status_words_on_ram_are_not_used(struct kunit *test)
{
	u64 *word;

	word = plain_machine(test);
	word[0] = GLOBAL_WORD(MMIO, 4);
	word[1] = RAM_START - 8;
	word[2] = 8 | 70 << 8;
	fake_memory_add(test, RAM_START - 8, 8);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].global->nr_status, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].global->size, 8U);
}

static void global_control_in_config_space_has_status(struct kunit *test)
{
	const struct ucore_global *global;
	u64 *word;

	word = plain_machine(test);
	word[0] = GLOBAL_WORD(PCI, 4);
	word[1] = AT_7F(12, 0, 0x600);
	word[2] = 8 | 70 << 8;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	global = ucore_catalog.domains[0].global;
	KUNIT_ASSERT_NOT_NULL(test, global->pdev);
	KUNIT_EXPECT_EQ(test, global->pdev->device, 0x324a);
	KUNIT_EXPECT_EQ(test, global->ctl, 0x600U);
	KUNIT_EXPECT_EQ(test, global->core_sel, 0ULL);
	KUNIT_EXPECT_EQ(test, global->status, 0x608U);
	KUNIT_EXPECT_EQ(test, global->status_stride, 8U);
	KUNIT_EXPECT_EQ(test, global->nr_status, 2U);
}

/* ---- unusable tables: no boxes, and a reason ---- */

static void expect_no_boxes(struct kunit *test, u32 reason)
{
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_HIDDEN);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_HIDDEN),
					   "list --rejected"));
	KUNIT_ASSERT_GT(test, ucore_discovery_report.nr_tables(), 0U);
	KUNIT_EXPECT_EQ(test, table_info(0).reason, reason);
	KUNIT_EXPECT_EQ(test, table_info(0).nr_units, 0U);
}

static void table_outside_its_bar_is_refused(struct kunit *test)
{
	plain_machine(test);
	table_function()->config[0x43] = BAR_SIZE;
	expect_no_boxes(test, UCORE_TABLE_OUTSIDE);
}

/* The last bytes of the BAR: no room for a record */
static void table_without_room_in_bar_is_refused(struct kunit *test)
{
	plain_machine(test);
	table_function()->config[0x43] = BAR_SIZE - 16;
	expect_no_boxes(test, UCORE_TABLE_OUTSIDE);
}

static void unused_numbers_of_a_table_are_reported(struct kunit *test)
{
	u64 *word = plain_machine(test);

	word[0] |= 0xa5;		/* type of the global record */
	table_function()->config[0x41] = 0x0105beef;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_EXPECT_EQ(test, table_info(0).type, 0xa5U);
	KUNIT_EXPECT_EQ(test, table_info(0).dvsec_header, 0x0105beefU);
}

static void table_at_bar_offset_is_used(struct kunit *test)
{
	u64 *word = plain_machine(test);

	table_function()->config[0x43] = 0x800;
	memcpy(&word[0x800 / 8], word, 5 * 24);
	memset(word, 0xff, 0x800);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_EXPECT_EQ(test, table_info(0).offset, 0x800U);
	KUNIT_EXPECT_EQ(test, table_info(0).address, BAR_BASE + 0x800);
}

static void table_with_memory_decoding_off_is_refused(struct kunit *test)
{
	plain_machine(test);
	table_function()->config[1] = PCI_COMMAND_IO;
	expect_no_boxes(test, UCORE_TABLE_DISABLED);
}

static void table_without_bar_address_is_refused(struct kunit *test)
{
	plain_machine(test);
	table_function()->config[4] = 0;
	expect_no_boxes(test, UCORE_TABLE_UNASSIGNED);
}

static void table_in_port_bar_is_refused(struct kunit *test)
{
	plain_machine(test);
	table_function()->config[4] = 0xe001;
	expect_no_boxes(test, UCORE_TABLE_BAR);
}

static void table_on_ram_is_refused(struct kunit *test)
{
	plain_machine(test);
	fake_kernel.ram_start = BAR_BASE + 23;		/* the end of the global record */
	expect_no_boxes(test, UCORE_TABLE_RAM);
}

static void table_reaching_into_ram_is_refused(struct kunit *test)
{
	plain_machine(test);
	fake_kernel.ram_start = BAR_BASE + 5 * 24 - 1;	/* the end of the last unit's record */
	expect_no_boxes(test, UCORE_TABLE_RAM);
}

/* RAM behind the table in the same BAR does not matter. */
static void table_below_ram_is_used(struct kunit *test)
{
	plain_machine(test);
	fake_kernel.ram_start = BAR_BASE + 5 * 24;
	fake_kernel.ram_end = BAR_BASE + BAR_SIZE;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
}

static void unmappable_table_is_refused(struct kunit *test)
{
	plain_machine(test);
	fake_kernel.memory[0].start += 0x1000;
	expect_no_boxes(test, UCORE_TABLE_UNMAPPED);
}

/* Interrupt controllers are not RAM, but not counters either. */
static void unit_on_interrupt_controller_is_refused(struct kunit *test)
{
	u64 *word = plain_machine(test);

	record_set(word, 3, IMC_WORD, 0xfee00000, UNIT(6, 0, 69));
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, FOREIGN);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
}

/* Expect that the iMC is refused, because another owner has the last byte of its registers. */
static void expect_foreign_imc(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, FOREIGN);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
}

static struct resource *bar_of(struct fake_function *function, u32 bar, u64 start, u64 end)
{
	struct resource *resource = &function->pdev.resource[bar];

	resource->start = start;
	resource->end = end;
	resource->flags = IORESOURCE_MEM;
	return resource;
}

static void unit_in_foreign_bar_is_refused(struct kunit *test)
{
	struct fake_function *nvme;

	plain_machine(test);
	nvme = fake_pci_add(0x5845, 0, 5, 0);
	nvme->pdev.vendor = 0x1b36;
	bar_of(nvme, 5, IMC + 0x40, IMC + 0x1000);
	expect_foreign_imc(test);
}

/* BARs without address, port BARs and bridge windows are not registers of another device. */
static void unit_in_inactive_bars_is_used(struct kunit *test)
{
	struct fake_function *function;

	plain_machine(test);
	function = fake_pci_add(0x5845, 0, 5, 0);
	bar_of(function, 0, IMC, IMC + 0x1000)->flags |= IORESOURCE_UNSET;
	bar_of(function, 1, IMC, IMC + 0x1000)->flags = IORESOURCE_IO;
	bar_of(function, PCI_BRIDGE_RESOURCES + 1, IMC, IMC + 0x1000);
	bar_of(function, 2, IMC + 0x10000, IMC + 0x11000);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, OK);
}

/* The table's function may have units in a BAR, but not in the table's BAR. */
static void unit_in_table_bar_is_refused(struct kunit *test)
{
	u64 *word = plain_machine(test);

	bar_of(table_function(), 0, BAR_BASE, BAR_BASE + BAR_SIZE - 1);
	bar_of(table_function(), 2, IMC, IMC + 0x1000);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, OK);
	ucore_catalog_destroy();
	record_set(word, 3, IMC_WORD, BAR_BASE + 0x800, UNIT(6, 0, 69));
	expect_foreign_imc(test);
}

static void unit_in_busy_region_is_refused(struct kunit *test)
{
	plain_machine(test);
	fake_kernel.busy = (struct resource){
		.start = IMC + 0x40, .end = IMC + 0x40, .flags = IORESOURCE_MEM | IORESOURCE_BUSY,
	};
	expect_foreign_imc(test);
}

/*
 * cxl_port requests the registers of a CXL port, which contain the counters. Only units that may be
 * in a port's BAR are used there.
 */
static void unit_in_busy_region_of_port_is_used(struct kunit *test)
{
	u64 *word = plain_machine(test);
	struct fake_function *port = fake_pci_add(0x352a, 0, 5, 0);

	port->pdev.class = 0x060400;
	bar_of(port, 0, IMC, IMC + 0xfff);
	fake_kernel.busy = (struct resource){
		.start = IMC, .end = IMC + 0x7ff, .flags = IORESOURCE_MEM | IORESOURCE_BUSY,
	};
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, FOREIGN);
	ucore_catalog_destroy();
	record_set(word, 3, IMC_WORD, IMC, UNIT(12, 0, 69));	/* CXLCM */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, OK);
	ucore_catalog_destroy();
	fake_kernel.busy.end = IMC + 0x1000;	/* not only in the port */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, FOREIGN);
}

/* Memory that is not RAM holds data although no driver uses it yet. */
static const struct other_memory {
	const char *name;
	enum e820_type type;
	unsigned long desc;
} other_memories[] = {
	{ "persistent, in E820", E820_TYPE_PMEM },
	{ "legacy persistent, in E820", E820_TYPE_PRAM },
	{ "soft-reserved, in E820", E820_TYPE_SOFT_RESERVED },
	{ "persistent, a resource", .desc = IORES_DESC_PERSISTENT_MEMORY },
	{ "legacy persistent, a resource", .desc = IORES_DESC_PERSISTENT_MEMORY_LEGACY },
	{ "soft-reserved, a resource", .desc = IORES_DESC_SOFT_RESERVED },
};

static void other_memory_name(const struct other_memory *memory, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "%s", memory->name);
}

KUNIT_ARRAY_PARAM(other_memory, other_memories, other_memory_name);

/* Put memory of the case's kind on the bytes from @start to @end. */
static void other_memory_at(const struct other_memory *memory, u64 start, u64 end)
{
	fake_kernel.special = (struct resource){ };
	if (memory->type) {
		fake_kernel.e820_type = memory->type;
		fake_kernel.e820[0] = start;
		fake_kernel.e820[1] = end + 1;
	} else {
		fake_kernel.special = (struct resource){
			.start = start, .end = end, .flags = IORESOURCE_MEM, .desc = memory->desc,
		};
	}
}

static void unit_on_memory_that_is_not_ram_is_refused(struct kunit *test)
{
	plain_machine(test);
	other_memory_at(test->param_value, IMC + 0x40, IMC + 0x40);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, RAM);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
	ucore_catalog_destroy();
	other_memory_at(test->param_value, IMC - 0x1000, IMC - 1);	/* in front of the unit */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, OK);
}

static void unit_in_ecam_is_refused(struct kunit *test)
{
	struct {
		struct acpi_table_mcfg head;
		struct acpi_mcfg_allocation entry;
	} *mcfg = kunit_kzalloc(test, sizeof(*mcfg), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, mcfg);
	mcfg->head.header.length = sizeof(*mcfg);
	mcfg->entry.address = 0xc8000000;
	mcfg->entry.start_bus_number = 0xa;	/* ECAM of bus ah: c8a00000 */
	mcfg->entry.end_bus_number = 0xa;
	fake_kernel.mcfg = &mcfg->head.header;
	plain_machine(test);
	expect_foreign_imc(test);
	ucore_catalog_destroy();
	mcfg->entry.start_bus_number = 0xb;	/* behind the iMC's registers */
	mcfg->entry.end_bus_number = 0xff;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, OK);
	ucore_catalog_destroy();
	mcfg->entry.start_bus_number = 0xa;
	fake_kernel.no_acpi = true;		/* no MCFG table without ACPI */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, OK);
}

/* A function is in use because of its class, its driver, or its capabilities. */
static void unit_in_function_in_use_is_refused(struct kunit *test)
{
	static struct device_driver driver;
	struct fake_function *function;

	plain_machine(test);
	function = &fake_kernel.functions[1];
	function->pdev.class = 0x060100;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 3, FOREIGN);
	ucore_catalog_destroy();
	function->pdev.class = 0x088000;
	function->pdev.dev.driver = &driver;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 3, FOREIGN);
	ucore_catalog_destroy();
	function->pdev.dev.driver = NULL;
	function->config[0x100 / 4] = 1 << 16 | 0x23 | 0x444 << 20;
	function->config[0x444 / 4] = 1 << 16 | 0x23;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 3, FOREIGN);
	ucore_catalog_destroy();
	function->config[0x444 / 4] = 0;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 3, OK);
}

static void unit_in_other_vendors_function_is_refused(struct kunit *test)
{
	plain_machine(test);
	fake_kernel.functions[1].pdev.vendor = 0x10de;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 3, FUNCTION);
}

static void functions_of_other_vendors_are_not_searched(struct kunit *test)
{
	plain_machine(test);
	table_function()->pdev.vendor = 0x10de;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_discovery_report.nr_tables(), 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
}

static void table_of_all_ones_is_refused(struct kunit *test)
{
	memset(plain_machine(test), 0xff, BAR_SIZE);
	expect_no_boxes(test, UCORE_TABLE_ALL_ONES);
}

static void silent_global_control_refuses_table(struct kunit *test)
{
	plain_machine(test)[1] = 0x2ff1;	/* a faulting MSR */
	expect_no_boxes(test, UCORE_TABLE_GLOBAL);
}

static void capability_loop_is_reported(struct kunit *test)
{
	plain_machine(test);
	table_function()->config[0x40] |= 0x100 << 20;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	/* tables before the loop are used, and the broken list is reported */
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 2U);
	EXPECT_TABLE(test, 0, OK);
	EXPECT_TABLE(test, 1, CHAIN);
}

/* The array of tables is full with 64 tables. The debug kernel detects an access beyond it. */
static void tables_beyond_the_last_are_not_read(struct kunit *test)
{
	struct fake_function *function;
	u32 i, n;

	for (n = 0; n < 8; n++) {
		global_set(table_add(test, 0, BAR_BASE + n * BAR_SIZE), 0);
		function = &fake_kernel.functions[n];
		for (i = 0x40; i < 0x5c; i += 4) {
			memcpy(&function->config[i + 4], &function->config[i], 4 * sizeof(u32));
			function->config[i] |= 4 * (i + 4) << 20;
		}
	}
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_discovery_report.nr_tables(), 64U);
}

/* ---- units that do not answer, and units that are in no table ---- */

/* Make a machine whose four units do not answer: an MSR faults, all other registers read ones. */
static void silent_machine(struct kunit *test)
{
	u64 *word = plain_machine(test);

	record_set(word, 1, MSR_WORD, 0x2020, UNIT(0, 0, 3));
	*fake_msr(0x2010) = ~0ULL;
	memset(fake_kernel.memory[1].bytes, 0xff, 0x68);
	memset(&fake_kernel.functions[1].config[0x438 / 4], 0xff, 0x80);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
}

/* Units of known types in memory and config space may answer later. An MSR that faults will not. */
static void silent_units_are_absent_until_they_answer(struct kunit *test)
{
	struct ucore_box *box;
	u32 i;

	silent_machine(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 2U);
	for (i = 0; i < 2; i++) {
		box = &ucore_catalog.boxes[i];
		EXPECT_UNIT(test, 2 + i, NO_ANSWER);
		KUNIT_EXPECT_EQ(test, unit_info(2 + i).box, i);
		KUNIT_EXPECT_TRUE(test, box->dead && ucore_box_is_absent(box));
		KUNIT_EXPECT_FALSE(test, ucore_box_responds(box));
	}
	memset(fake_kernel.memory[1].bytes, 0, 0x68);
	memset(&fake_kernel.functions[1].config[0x438 / 4], 0, 0x80);
	for (i = 0; i < 2; i++) {
		box = &ucore_catalog.boxes[i];
		KUNIT_EXPECT_TRUE(test, ucore_box_responds(box));
		KUNIT_EXPECT_FALSE(test, box->dead || ucore_box_is_absent(box));
		EXPECT_UNIT(test, 2 + i, OK);
	}
	KUNIT_EXPECT_EQ(test, table_info(0).nr_rejected, 2U);
}

/* A unit of an unknown type may be a wrong record, whose address another device uses later. */
static void silent_unit_of_unknown_type_is_refused(struct kunit *test)
{
	record_set(plain_machine(test), 3, IMC_WORD, IMC, UNIT(99, 0, 69));
	memset(fake_kernel.memory[1].bytes, 0xff, 0x68);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_UNIT(test, 2, NO_ANSWER);
	KUNIT_EXPECT_EQ(test, unit_info(2).box, UCORE_NO_BOX);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
}

static void silent_units_are_refused(struct kunit *test)
{
	silent_machine(test);
	EXPECT_TABLE(test, 0, OK);
	KUNIT_EXPECT_EQ(test, table_info(0).nr_rejected, 4U);
	EXPECT_UNIT(test, 0, NO_ANSWER);
	EXPECT_UNIT(test, 1, NO_ANSWER);
	EXPECT_UNIT(test, 2, NO_ANSWER);
	EXPECT_UNIT(test, 3, NO_ANSWER);
	KUNIT_EXPECT_EQ(test, unit_info(0).box, UCORE_NO_BOX);
}

/*
 * The function is looked up when its record is read, when it is probed, and when the box is
 * added.
 */
static void removed_function_refuses_its_unit(struct kunit *test)
{
	static const u32 reasons[] = {
		UCORE_UNIT_FUNCTION, UCORE_UNIT_FUNCTION, UCORE_UNIT_FUNCTION, UCORE_UNIT_OK,
	};
	u32 i;

	plain_machine(test);
	fake_kernel.vanishing = &fake_kernel.functions[1];
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		fake_kernel.lookups = i;
		KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
		KUNIT_EXPECT_EQ(test, fake_kernel.lookups, 0U);
		KUNIT_EXPECT_EQ_MSG(test, unit_info(3).reason, reasons[i], "gone after %u", i);
		KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, reasons[i] ? 3U : 4U);
		ucore_catalog_destroy();
		KUNIT_EXPECT_EQ(test, fake_kernel.functions[1].refs, 0);
	}
}

/* The global control's function is looked up when it is checked and probed, and not again. */
static void removed_global_control_refuses_its_units(struct kunit *test)
{
	static const u32 reasons[] = { UCORE_TABLE_GLOBAL, UCORE_TABLE_GLOBAL, UCORE_TABLE_OK };
	u64 *word = plain_machine(test);
	u32 i;

	word[0] = GLOBAL_WORD(PCI, 4);
	word[1] = AT_7F(13, 0, 0x600);
	fake_kernel.vanishing = fake_pci_add(0x324b, 1, 13, 0);
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		fake_kernel.lookups = i;
		KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
		KUNIT_EXPECT_EQ(test, fake_kernel.lookups, 0U);
		KUNIT_EXPECT_EQ_MSG(test, table_info(0).reason, reasons[i], "gone after %u", i);
		KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
		ucore_catalog_destroy();
		KUNIT_EXPECT_EQ(test, fake_kernel.vanishing->refs, 0);
	}
	fake_kernel.lookups = ARRAY_SIZE(reasons) - 1;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	for (i = 0; i < 4; i++)
		EXPECT_UNIT(test, i, FUNCTION);
	ucore_catalog_destroy();
	fake_kernel.lookups = ARRAY_SIZE(reasons);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
}

static void chas_beyond_count_msr_are_refused(struct kunit *test)
{
	plain_machine(test);
	fake_msr_add(0x2ffe, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
	EXPECT_UNIT(test, 0, OK);
	EXPECT_UNIT(test, 1, BEYOND_COUNT);
	/* the indices of later boxes shift */
	KUNIT_EXPECT_EQ(test, unit_info(2).box, 1U);
}

/* EMR XCC has no count: the table decides. */
static void zero_cha_count_is_ignored(struct kunit *test)
{
	plain_machine(test);
	fake_msr_add(0x2ffe, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
}

static void upi_units_follow_their_pci_functions(struct kunit *test)
{
	u64 *word = plain_machine(test);

	record_set(word, 4, PCI_WORD, AT_7F(12, 0, 0x438), UNIT(8, 0, 0));
	fake_pci_add(0x3241, 1, 1, 1);
	fake_pci_add(0x3241, 1, 2, 0);	/* another function */
	fake_pci_add(0x3241, 1, 5, 1);	/* not a slot of a UPI link */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_units(), 5U);
	EXPECT_UNIT(test, 3, RELOCATED);
	EXPECT_UNIT(test, 4, OK);
	KUNIT_EXPECT_EQ(test, unit_info(4).record, 0U);
	KUNIT_EXPECT_EQ(test, unit_info(4).box, 3U);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.boxes[3].desc.type->name, "upi");
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[3].io.pdev->device, 0x3241);
}

/* Check that a box has these counters, in order, without writable controls. */
static void expect_free_running(struct kunit *test, const struct ucore_box *box, u64 base,
				const u64 *at)
{
	const struct ucore_layout *layout = box->desc.layout;
	u32 i;

	KUNIT_EXPECT_EQ(test, box->caps, (u32)UCORE_BOX_F_FREE_RUNNING);
	for (i = 0; i < box->desc.type->nr_fixed; i++) {
		KUNIT_EXPECT_EQ_MSG(test, base + layout->fixed_ctr[i], at[i], "counter %u", i);
		KUNIT_EXPECT_EQ_MSG(test, layout->fixed_ctl[i], UCORE_REG_NONE, "counter %u", i);
	}
}

/* Counters of an IIO stack are added if all of them answer. */
static void iio_free_running_counters_are_found(struct kunit *test)
{
	static const u64 at[] = {
		0x342e, 0x3820, 0x3821, 0x3822, 0x3823, 0x3824, 0x3825, 0x3826, 0x3827,
		0x3828, 0x3829, 0x382a, 0x382b, 0x382c, 0x382d, 0x382e, 0x382f,
	};
	u64 *word = plain_machine(test);
	const struct ucore_box *box;
	u32 i;

	record_set(word, 1, MSR_WORD, 0x3000, UNIT(1, 0, 3));
	record_set(word, 2, MSR_WORD, 0x3020, UNIT(1, 2, 3));
	fake_msr_add(0x3000, 0);
	fake_msr_add(0x3020, 0);
	fake_msr_add(0x340e, 5);
	fake_msr_add(0x342e, 5);
	for (i = 0; i < 15; i++)	/* stack 0 lacks its last port */
		fake_msr_add(0x3800 + i, 5);
	for (i = 0; i < 16; i++)
		fake_msr_add(0x3820 + i, 5);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 5U);
	box = &ucore_catalog.boxes[4];
	KUNIT_EXPECT_STREQ(test, box->desc.type->name, "iio_free");
	KUNIT_EXPECT_EQ(test, box->desc.instance, 2U);
	KUNIT_ASSERT_EQ(test, box->desc.type->nr_fixed, ARRAY_SIZE(at));
	expect_free_running(test, box, box->io.msr, at);
	/* the counters are not from a table: GET_UNITS does not list them */
	KUNIT_EXPECT_EQ(test, ucore_discovery_report.nr_units(), 4U);
}

/* Any stack number is possible: only answering counters matter. */
static void iio_free_running_counters_of_high_stack_are_found(struct kunit *test)
{
	u64 *word = plain_machine(test);
	u32 i;

	record_set(word, 1, MSR_WORD, 0x3000, UNIT(1, 13, 3));
	fake_msr_add(0x3000, 0);
	fake_msr_add(0x340e + 13 * 0x10, 5);
	for (i = 0; i < 16; i++)
		fake_msr_add(0x3800 + 13 * 0x10 + i, 5);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 5U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[4].desc.instance, 13U);
}

/* From Granite Rapids on, the port counters are not next to the clock. */
static void iio_free_running_counters_of_gnr_are_found(struct kunit *test)
{
	static const u64 at[] = {
		0x292e, 0x370e, 0x371e, 0x372e, 0x373e, 0x374e, 0x375e, 0x376e, 0x377e,
		0x2f0e, 0x2f1e, 0x2f2e, 0x2f3e, 0x2f4e, 0x2f5e, 0x2f6e, 0x2f7e,
	};
	u64 *word = plain_machine(test);
	const struct ucore_box *box;
	u32 i;

	fake_boot_cpu.x86_model = 173;
	record_set(word, 1, MSR_WORD, 0x3000, UNIT(1, 0, 3));
	record_set(word, 2, MSR_WORD, 0x3020, UNIT(1, 2, 3));
	fake_msr_add(0x3000, 0);
	fake_msr_add(0x3020, 0);
	fake_msr_add(0x290e, 5);	/* stack 0 has only its clock */
	fake_msr_add(0x292e, 5);
	for (i = 0; i < 8; i++) {
		fake_msr_add(0x370e + 0x10 * i, 5);
		fake_msr_add(0x2f0e + 0x10 * i, 5);
	}
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 5U);
	box = &ucore_catalog.boxes[4];
	KUNIT_EXPECT_STREQ(test, box->desc.type->name, "iio_free");
	KUNIT_EXPECT_EQ(test, box->desc.instance, 2U);
	KUNIT_ASSERT_EQ(test, box->desc.type->nr_fixed, ARRAY_SIZE(at));
	expect_free_running(test, box, box->io.msr, at);
}

#define IMC_FREE	0xc9001000ULL

/* Add a second channel, and the function that has the address of the controllers' counters. */
static struct fake_function *imc_with_channel(struct kunit *test, u32 channel)
{
	u64 *word = plain_machine(test);
	struct fake_function *map = fake_pci_add(0x3251, 0, 20, 1);

	/* the id of a CHA does not add memory controllers */
	record_set(word, 2, MSR_WORD, 0x2010, UNIT(0, 3, 66));
	record_set(word, 4, IMC_WORD, IMC + 0x8000, UNIT(6, channel, 70));
	fake_memory_add(test, IMC + 0x8000, 0x68);
	/* the upper bits are not part of the address */
	map->config[0xd0 / 4] = 0xe0000000 | IMC_FREE >> 23;
	map->config[0xd8 / 4] = 0x800 | (IMC_FREE & 0x7fffff) >> 12;	/* nor are these */
	return map;
}

/* Two channels make one controller. */
static struct fake_function *imc_with_free_counters(struct kunit *test)
{
	return imc_with_channel(test, 1);
}

static void imc_free_running_counters_are_found(struct kunit *test)
{
	static const u64 at[] = { IMC_FREE + 0x22b0, IMC_FREE + 0x2318, IMC_FREE + 0x2320 };
	struct fake_function *map = imc_with_free_counters(test);
	const struct ucore_box *box;

	fake_memory_add(test, IMC_FREE + 0x22b0, 0x78);
	fake_memory_add(test, IMC_FREE + 0x6000 + 0x22b0, 0x78);
	map->config[0xdc / 4] = 7;	/* a second controller, which is not in the table */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 5U);
	box = &ucore_catalog.boxes[4];
	KUNIT_EXPECT_STREQ(test, box->desc.type->name, "imc_free");
	KUNIT_EXPECT_EQ(test, box->desc.instance, 0U);
	KUNIT_EXPECT_EQ(test, box->io.ops->access, (u32)UCORE_ACCESS_MMIO);
	KUNIT_ASSERT_EQ(test, box->desc.type->nr_fixed, ARRAY_SIZE(at));
	expect_free_running(test, box, box->desc.phys, at);
	KUNIT_EXPECT_EQ(test, box->desc.size, 0x78U);
}

/* Without UBox and NUMA, the die of a bus is that of the table on the same bus and segment. */
static void imc_free_running_counters_use_die_of_table(struct kunit *test)
{
	static struct pci_sysdata other = { .domain = 1 };
	struct fake_function *map;

	fake_kernel.nr_dies = 2;
	map = imc_with_free_counters(test);
	global_set(table_add(test, 1, BAR_BASE + 0x10000), 0);
	fake_memory_add(test, IMC_FREE + 0x22b0, 0x78);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc_free", 0, 0));
	ucore_catalog_destroy();
	map->pdev.bus = &fake_kernel.buses[2];		/* a bus without a table */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	ucore_catalog_destroy();
	fake_kernel.buses[2].number = fake_kernel.buses[0].number;
	fake_kernel.buses[2].sysdata = &other;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
}

/* Two controllers at the same address must not count the traffic twice. */
static void imc_free_running_counters_at_same_address_are_added_once(struct kunit *test)
{
	struct fake_function *map = imc_with_channel(test, 3);

	fake_memory_add(test, IMC_FREE + 0x22b0, 0x78);
	map->config[0xdc / 4] = map->config[0xd8 / 4];
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 5U);
}

/*
 * Only the second controller has an address. The address of all ones answers, but must not be
 * used.
 */
static void imc_free_running_counters_of_second_controller_are_found(struct kunit *test)
{
	struct fake_function *map = imc_with_channel(test, 3);

	fake_memory_add(test, IMC_FREE + 0x22b0, 0x78);
	fake_memory_add(test, (IMC_FREE & ~0x7fffffULL) + 0x7ff000 + 0x22b0, 0x78);
	map->config[0xdc / 4] = map->config[0xd8 / 4];
	map->config[0xd8 / 4] = ~0U;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 5U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[4].desc.instance, 1U);
	KUNIT_EXPECT_EQ(test, (u64)ucore_catalog.boxes[4].desc.phys, IMC_FREE + 0x22b0);
}

/* Nonsensical registers of the function must not cause accesses to RAM. */
static void imc_free_running_counters_on_ram_are_skipped(struct kunit *test)
{
	struct fake_function *map = imc_with_free_counters(test);

	fake_memory_add(test, RAM_START + 0x1000 + 0x22b0, 0x78);
	map->config[0xd0 / 4] = RAM_START >> 23;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
}

static void silent_free_running_counters_are_skipped(struct kunit *test)
{
	imc_with_free_counters(test);
	memset(fake_memory_add(test, IMC_FREE + 0x22b0, 0x78), 0xff, 0x78);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
}

/* ---- assignment of tables to dies ---- */

/* Add two functions with empty tables, on buses 3f and 7f. */
static void two_tables(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	fake_msr_add(0x2ff0, 0);
	global_set(table_add(test, 0, BAR_BASE), 0);
	global_set(table_add(test, 1, BAR_BASE + 0x10000), 0);
}

static void expect_dies(struct kunit *test, s32 first, s32 second)
{
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 2U);
	KUNIT_EXPECT_EQ(test, table_info(0).die, first);
	KUNIT_EXPECT_EQ(test, table_info(1).die, second);
}

static void tables_without_map_are_assigned_in_order(struct kunit *test)
{
	two_tables(test);
	expect_dies(test, 0, 1);
	EXPECT_TABLE(test, 0, OK);
	EXPECT_TABLE(test, 1, OK);
}

static void tables_are_assigned_by_numa_node(struct kunit *test)
{
	two_tables(test);
	fake_kernel.nr_nodes = 2;
	fake_kernel.bus_node[0] = 1 + 1;
	fake_kernel.bus_node[1] = 0 + 1;
	expect_dies(test, 1, 0);
}

static void ubox_add(u32 bus, u32 package)
{
	struct fake_function *ubox = fake_pci_add(0x3250, bus, 20, 0);

	ubox->config[0xc0 / 4] = package;
	ubox->config[0xd4 / 4] = 0xfac688;
}

/* No CPU of the second bus's node is online: the UBox is used, as with sub-NUMA clusters. */
static void table_of_offline_node_is_assigned_by_ubox(struct kunit *test)
{
	two_tables(test);
	fake_kernel.nr_nodes = 3;
	fake_kernel.bus_node[0] = 0 + 1;
	fake_kernel.bus_node[1] = 2 + 1;
	ubox_add(0, 0);
	ubox_add(1, 1);
	expect_dies(test, 0, 1);
}

/* Without a UBox the table may belong to another socket. */
static void table_of_unknown_node_is_not_assigned(struct kunit *test)
{
	two_tables(test);
	fake_kernel.nr_nodes = 3;
	fake_kernel.bus_node[0] = 0 + 1;
	fake_kernel.bus_node[1] = 2 + 1;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_LT(test, table_info(1).die, 0);
}

/* A single node is no information, because firmware without NUMA puts everything on node 0. */
static void single_numa_node_is_ignored(struct kunit *test)
{
	two_tables(test);
	fake_kernel.bus_node[0] = 0 + 1;
	fake_kernel.bus_node[1] = 0 + 1;
	expect_dies(test, 0, 1);
}

static void tables_are_assigned_by_ubox(struct kunit *test)
{
	two_tables(test);
	ubox_add(0, 1);
	ubox_add(1, 0);
	expect_dies(test, 1, 0);
}

/* A socket without online CPUs: its table is not assigned to another socket. */
static void table_of_offline_socket_is_not_used(struct kunit *test)
{
	two_tables(test);
	fake_kernel.nr_dies = 1;
	ubox_add(0, 5);
	ubox_add(1, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	EXPECT_TABLE(test, 0, DIE);
	EXPECT_TABLE(test, 1, OK);
	KUNIT_EXPECT_EQ(test, table_info(1).die, 0);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.hidden,
			   "a socket has no CPU online: bring one online and load ucore again");
}

/* Each die gets the same number of functions. */
static void surplus_tables_are_distributed_evenly(struct kunit *test)
{
	static const s32 dies[] = { 0, 0, 1, 1 };
	u32 i;

	two_tables(test);
	global_set(table_add(test, 1, BAR_BASE + 0x20000), 0);
	global_set(table_add(test, 1, BAR_BASE + 0x30000), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, table_info(i).die, dies[i]);
		KUNIT_EXPECT_EQ(test, table_info(i).reason,
				(u32)(i % 2 ? UCORE_TABLE_DUPLICATE : UCORE_TABLE_OK));
	}
}

static void tables_of_one_function_share_the_die(struct kunit *test)
{
	struct fake_function *function;

	two_tables(test);
	function = table_function();
	function->config[0x40] |= 0x110 << 20;
	memcpy(&function->config[0x44], &function->config[0x40], 16);
	function->config[0x44] &= 0xfffff;
	function->config[0x47] = 0x400;
	global_set((u64 *)&fake_kernel.memory[0].bytes[0x400], 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 3U);
	KUNIT_EXPECT_EQ(test, table_info(0).die, 0);
	KUNIT_EXPECT_EQ(test, table_info(1).die, 0);
	KUNIT_EXPECT_EQ(test, table_info(2).die, 1);
	EXPECT_TABLE(test, 1, DUPLICATE);
	KUNIT_EXPECT_EQ(test, table_info(1).dvsec, 0x110U);
}

/* ---- processors ---- */

static void unknown_processor_with_table_is_generic(struct kunit *test)
{
	fake_boot_cpu.x86_model = 250;
	plain_machine(test);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_READY);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.platform->name, "generic");
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.boxes[2].desc.type->name, "type_6");
	KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[2].desc.type->nr_fixed, 0);
}

/* The module stays loaded, so that the unusable table can be listed. */
static void unknown_processor_with_bad_table_is_reported(struct kunit *test)
{
	fake_boot_cpu.x86_model = 250;
	plain_machine(test);
	table_function()->config[1] = 0;
	expect_no_boxes(test, UCORE_TABLE_DISABLED);
}

static void known_processor_without_table_is_hidden(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_HIDDEN);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_HIDDEN), "BIOS"));
	KUNIT_EXPECT_EQ(test, ucore_discovery_report.nr_tables(), 0U);
}

/* ---- memory ---- */

/* Each allocation fails in turn: nothing stays mapped or referenced. */
static void build_without_memory_leaks_nothing(struct kunit *test)
{
	u32 fail, i, failures = 0;
	int ret;

	plain_machine(test);
	for (fail = 1; fail < 40; fail++) {
		fake_kernel.fail_in = fail;
		ret = ucore_catalog_build();
		fake_kernel.fail_in = 0;
		if (!ret)
			break;
		KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
		KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
		for (i = 0; i < fake_kernel.nr_functions; i++)
			KUNIT_EXPECT_EQ(test, fake_kernel.functions[i].refs, 0);
		failures++;
	}
	/* tables, foreign regions, dies, four kinds of ranges, units, global controls, dies, */
	/* dies of the report, descriptions, boxes, domains */
	KUNIT_EXPECT_EQ(test, failures, 10U + 4);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(plain_table_gives_boxes),
	KUNIT_CASE(registers_that_cannot_be_mapped_are_reported),
	KUNIT_CASE(each_box_has_its_access_type),
	KUNIT_CASE(global_control_has_status_and_no_route),
	KUNIT_CASE(silent_global_status_is_not_used),
	KUNIT_CASE(silent_box_status_disables_overflow),
	KUNIT_CASE(global_control_in_memory_is_mapped),
	KUNIT_CASE(status_words_on_ram_are_not_used),
	KUNIT_CASE(global_control_in_config_space_has_status),
	KUNIT_CASE(table_outside_its_bar_is_refused),
	KUNIT_CASE(table_without_room_in_bar_is_refused),
	KUNIT_CASE(unused_numbers_of_a_table_are_reported),
	KUNIT_CASE(table_at_bar_offset_is_used),
	KUNIT_CASE(table_with_memory_decoding_off_is_refused),
	KUNIT_CASE(table_without_bar_address_is_refused),
	KUNIT_CASE(table_in_port_bar_is_refused),
	KUNIT_CASE(table_on_ram_is_refused),
	KUNIT_CASE(table_reaching_into_ram_is_refused),
	KUNIT_CASE(table_below_ram_is_used),
	KUNIT_CASE(unmappable_table_is_refused),
	KUNIT_CASE(unit_on_interrupt_controller_is_refused),
	KUNIT_CASE(unit_in_foreign_bar_is_refused),
	KUNIT_CASE(unit_in_inactive_bars_is_used),
	KUNIT_CASE(unit_in_table_bar_is_refused),
	KUNIT_CASE(unit_in_busy_region_is_refused),
	KUNIT_CASE(unit_in_busy_region_of_port_is_used),
	KUNIT_CASE_PARAM(unit_on_memory_that_is_not_ram_is_refused, other_memory_gen_params),
	KUNIT_CASE(unit_in_ecam_is_refused),
	KUNIT_CASE(unit_in_function_in_use_is_refused),
	KUNIT_CASE(unit_in_other_vendors_function_is_refused),
	KUNIT_CASE(functions_of_other_vendors_are_not_searched),
	KUNIT_CASE(table_of_all_ones_is_refused),
	KUNIT_CASE(silent_global_control_refuses_table),
	KUNIT_CASE(capability_loop_is_reported),
	KUNIT_CASE(tables_beyond_the_last_are_not_read),
	KUNIT_CASE(silent_units_are_refused),
	KUNIT_CASE(silent_units_are_absent_until_they_answer),
	KUNIT_CASE(silent_unit_of_unknown_type_is_refused),
	KUNIT_CASE(removed_function_refuses_its_unit),
	KUNIT_CASE(removed_global_control_refuses_its_units),
	KUNIT_CASE(chas_beyond_count_msr_are_refused),
	KUNIT_CASE(zero_cha_count_is_ignored),
	KUNIT_CASE(upi_units_follow_their_pci_functions),
	KUNIT_CASE(iio_free_running_counters_are_found),
	KUNIT_CASE(iio_free_running_counters_of_high_stack_are_found),
	KUNIT_CASE(iio_free_running_counters_of_gnr_are_found),
	KUNIT_CASE(imc_free_running_counters_are_found),
	KUNIT_CASE(imc_free_running_counters_use_die_of_table),
	KUNIT_CASE(imc_free_running_counters_at_same_address_are_added_once),
	KUNIT_CASE(imc_free_running_counters_of_second_controller_are_found),
	KUNIT_CASE(imc_free_running_counters_on_ram_are_skipped),
	KUNIT_CASE(silent_free_running_counters_are_skipped),
	KUNIT_CASE(tables_without_map_are_assigned_in_order),
	KUNIT_CASE(tables_are_assigned_by_numa_node),
	KUNIT_CASE(table_of_offline_node_is_assigned_by_ubox),
	KUNIT_CASE(table_of_unknown_node_is_not_assigned),
	KUNIT_CASE(single_numa_node_is_ignored),
	KUNIT_CASE(tables_are_assigned_by_ubox),
	KUNIT_CASE(table_of_offline_socket_is_not_used),
	KUNIT_CASE(surplus_tables_are_distributed_evenly),
	KUNIT_CASE(tables_of_one_function_share_the_die),
	KUNIT_CASE(unknown_processor_with_table_is_generic),
	KUNIT_CASE(unknown_processor_with_bad_table_is_reported),
	KUNIT_CASE(known_processor_without_table_is_hidden),
	KUNIT_CASE(build_without_memory_leaks_nothing),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_fetch",
	.init = fetch_init,
	.exit = fetch_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
