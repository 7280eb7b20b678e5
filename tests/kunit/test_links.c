// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where IIO stacks and UPI links lead, by the registers of Skylake-SP, Ice Lake-SP and
 * Snow Ridge, which stand here once more.
 */
#include "abi/describe.h"
#include "fake_machine.h"
#include "find/topology.h"

#define BUSES_VALID	BIT_ULL(63)

/* Stack 0 is on bus 0, 3 is not there, those of 4 and 5 have high numbers. */
#define BUSES		(BUSES_VALID | 0xfe85003a1700ULL)

static int ends_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 85;
	fake_boot_cpu.x86_stepping = 4;
	return 0;
}

/* As GET_LINKS tells it. */
static struct ucore_link_info end_of(struct kunit *test, const char *type, u32 die, u32 instance)
{
	const struct ucore_box *box = box_find(type, die, instance);
	struct ucore_link_info end;

	KUNIT_ASSERT_NOT_NULL_MSG(test, box, "%s%u", type, instance);
	ucore_describe_link(box, &end);
	KUNIT_EXPECT_EQ(test, end.box, box->id);
	KUNIT_EXPECT_EQ(test, end.reserved[0] | end.reserved[1], 0U);
	return end;
}

static void expect_bus(struct kunit *test, const char *type, u32 die, u32 instance, u32 bus)
{
	struct ucore_link_info end = end_of(test, type, die, instance);

	KUNIT_EXPECT_EQ_MSG(test, end.kind, (u32)UCORE_LINK_BUS, "%s%u", type, instance);
	KUNIT_EXPECT_EQ_MSG(test, end.bus, bus, "%s%u", type, instance);
	KUNIT_EXPECT_EQ(test, end.segment | end.die | end.link, 0U);
}

static void expect_ports(struct kunit *test, u32 instance, u32 nr, u32 port0)
{
	struct ucore_link_info end = end_of(test, "iio", 0, instance);

	KUNIT_EXPECT_EQ_MSG(test, end.nr_ports, nr, "iio%u", instance);
	KUNIT_EXPECT_EQ_MSG(test, end.port0, port0, "iio%u", instance);
}

static void expect_kind(struct kunit *test, const char *type, u32 instance, u32 kind)
{
	struct ucore_link_info end = end_of(test, type, 0, instance);

	KUNIT_EXPECT_EQ_MSG(test, end.kind, kind, "%s%u", type, instance);
	KUNIT_EXPECT_EQ(test, end.segment | end.bus | end.nr_ports | end.die | end.link, 0U);
}

static void ubox_add(u32 device, u32 bus, u32 slot, u32 node, u32 map)
{
	struct fake_function *ubox = fake_pci_add(device, bus, slot, 0);

	ubox->config[0xc0 / 4] = node;
	ubox->config[0xd4 / 4] = map;
}

/* ---- stacks ---- */

/* IIO, its free-running counters and IRP of each stack, and a PCI box beside */
static void skx_stacks_answer(void)
{
	u32 s;

	for (s = 0; s < 6; s++) {
		fake_msr_add(0xa40 + 0x20 * s, 0);
		fake_msr_add(0xa45 + 0x20 * s, 0);
		fake_msr_add(0xa58 + 0x20 * s, 0);
	}
	fake_pci_add(0x2042, 0, 10, 2);
}

static void stacks_of_skylake(struct kunit *test)
{
	static const u32 buses[] = { 0x00, 0x17, 0x3a, 0, 0x85, 0xfe };
	u32 s;

	skx_stacks_answer();
	fake_msr_add(0x300, BUSES);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	for (s = 0; s < ARRAY_SIZE(buses); s++) {
		if (s == 3)
			continue;
		expect_bus(test, "iio", 0, s, buses[s]);
		expect_bus(test, "iio_free", 0, s, buses[s]);
		expect_bus(test, "irp", 0, s, buses[s]);
		expect_ports(test, s, 4, 0);
	}
	/* bus 0 is that of the first stack alone */
	expect_kind(test, "iio", 3, UCORE_LINK_NONE);
	expect_kind(test, "irp", 3, UCORE_LINK_NONE);
	expect_kind(test, "imc", 0, UCORE_LINK_NONE);
}

static void buses_that_are_not_valid(struct kunit *test)
{
	skx_stacks_answer();
	fake_msr_add(0x300, BUSES & ~BUSES_VALID);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, "iio", 0, UCORE_LINK_NONE);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
}

static void buses_that_nobody_tells(struct kunit *test)
{
	skx_stacks_answer();
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
}

/* Nothing tells in which segment they are. */
static void buses_of_a_die_without_functions(struct kunit *test)
{
	fake_msr_add(0xa60, 0);
	fake_msr_add(0x300, BUSES);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
}

/* Dies are CPU by CPU here */
static bool buses_of_two(u32 msr, u64 *val)
{
	if (msr != 0x300)
		return false;
	*val = BUSES_VALID | (raw_smp_processor_id() % 2 ? 0x9a80 : 0x1700);
	return true;
}

static void each_die_has_its_own_register(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU");
	fake_kernel.nr_dies = 2;
	ubox_add(0x2014, 0, 8, 0, 0xfac688);
	ubox_add(0x2014, 1, 8, 1, 0xfac688);
	skx_stacks_answer();
	fake_pci_add(0x2042, 1, 10, 2);
	fake_msr_hook = buses_of_two;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_bus(test, "iio", 0, 0, 0x00);
	expect_bus(test, "iio", 0, 1, 0x17);
	expect_bus(test, "iio", 1, 0, 0x80);
	expect_bus(test, "iio", 1, 1, 0x9a);
	KUNIT_EXPECT_EQ(test, end_of(test, "iio", 1, 2).kind, (u32)UCORE_LINK_NONE);
}

/* The function of a stack, with bits that are nobody's business */
static void stack_add(u32 bus, u32 slot, u32 id)
{
	fake_pci_add(0x09a2, bus, slot, 0)->config[0x3f4 / 4] = 0xa5c30005 | id << 4;
}

static void icx_stacks_answer(void)
{
	static const u16 iio[] = { 0xa50, 0xa70, 0xa90, 0xae0, 0xb00, 0xb20 };
	u32 s;

	fake_boot_cpu.x86_model = 106;
	for (s = 0; s < ARRAY_SIZE(iio); s++) {
		fake_msr_add(iio[s], 0);
		fake_msr_add(iio[s] + 5, 0);
		fake_msr_add(iio[s] - 6, 0);
		fake_msr_add(iio[s] - 0x10, 0);
	}
}

static void stacks_of_ice_lake(struct kunit *test)
{
	icx_stacks_answer();
	stack_add(0, 0, 0);
	stack_add(1, 0, 1);
	stack_add(2, 0, 4);
	stack_add(2, 1, 6);		/* there is none */
	fake_pci_add(0x09a2, 2, 2, 0)->config[0x3f4 / 4] = ~0U;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_bus(test, "iio", 0, 5, 0x3f);
	expect_bus(test, "iio_free", 0, 5, 0x3f);
	expect_bus(test, "irp", 0, 5, 0x3f);
	expect_bus(test, "m2pcie", 0, 5, 0x3f);
	expect_ports(test, 5, 0, 0);	/* the DMI is no root port */
	expect_bus(test, "iio", 0, 0, 0x7f);
	expect_bus(test, "iio", 0, 3, 0xbf);
	expect_ports(test, 0, 4, 2);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
	expect_kind(test, "iio", 2, UCORE_LINK_NONE);
	expect_kind(test, "iio", 4, UCORE_LINK_NONE);
}

/* The numbers mean other stacks there. */
static void stacks_of_ice_lake_d(struct kunit *test)
{
	icx_stacks_answer();
	fake_boot_cpu.x86_model = 108;
	stack_add(1, 0, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.platform->name, "icx");
	expect_kind(test, "iio", 0, UCORE_LINK_NONE);
}

/* Each on a bus of its own socket: the next higher one with a UBox tells. */
static void stacks_of_two_sockets(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	icx_stacks_answer();
	ubox_add(0x3450, 0, 0, 1, 0xfac688);
	ubox_add(0x3450, 2, 0, 0, 0xfac688);
	stack_add(0, 1, 2);
	stack_add(1, 0, 2);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	if (!box_find("iio", 1, 1))
		kunit_skip(test, "one CPU");
	expect_bus(test, "iio", 1, 1, 0x3f);
	expect_bus(test, "iio", 0, 1, 0x7f);
}

static void stacks_of_snow_ridge(struct kunit *test)
{
	static const u32 stack_of[] = { 1, 4, 3, 2, 0 };
	u32 s;

	fake_boot_cpu.x86_model = 134;
	for (s = 0; s < ARRAY_SIZE(stack_of); s++) {
		fake_msr_add(0x1e00 + 0x10 * s, 0);
		fake_msr_add(0x1e50 + 0x10 * s, 0);
		fake_msr_add(0x1ea0 + 0x10 * s, 0);
	}
	stack_add(0, 0, 3);
	stack_add(1, 0, 4);
	stack_add(2, 0, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_bus(test, "iio", 0, stack_of[3], 0x3f);
	expect_bus(test, "irp", 0, stack_of[4], 0x7f);
	expect_bus(test, "m2pcie", 0, stack_of[0], 0xbf);
	expect_ports(test, stack_of[3], 0, 0);
	expect_kind(test, "iio", stack_of[1], UCORE_LINK_NONE);
	expect_kind(test, "iio", stack_of[2], UCORE_LINK_NONE);
}

/* ---- links ---- */

/* Link @i, whose other end is link @link of the socket with node id @node */
static void link_add(u32 i, u32 trained, u32 node, u32 link)
{
	struct fake_function *function = fake_pci_add(0x2058, 0, 14 + i, 0);

	function->config[0x120 / 4] = ~BIT(4) & 0x7fffffff;
	if (trained)
		function->config[0x120 / 4] |= BIT(4);
	function->config[0x94 / 4] = 0xa5f0e0ff | node << 16 | link << 8;
}

static void expect_link(struct kunit *test, u32 instance, u32 die, u32 link)
{
	struct ucore_link_info end = end_of(test, "upi", 0, instance);

	KUNIT_EXPECT_EQ_MSG(test, end.kind, (u32)UCORE_LINK_UPI, "upi%u", instance);
	KUNIT_EXPECT_EQ_MSG(test, end.die, die, "upi%u", instance);
	KUNIT_EXPECT_EQ_MSG(test, end.link, link, "upi%u", instance);
	KUNIT_EXPECT_EQ(test, end.segment | end.bus | end.nr_ports, 0U);
}

static void links_of_skylake(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0x2014, 0, 8, 0, 0xfac688);
	link_add(0, true, 1, 2);
	link_add(1, false, 1, 1);
	link_add(2, true, 0, 31);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, 1, 2);
	expect_kind(test, "upi", 1, UCORE_LINK_DOWN);
	expect_link(test, 2, 0, 31);
}

/* Nodes are numbered in another way than sockets: the map tells. */
static void nodes_are_not_sockets(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0x2014, 0, 8, 1, 0xfac681);
	link_add(0, true, 0, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, 1, 1);
}

static void links_to_nobody(struct kunit *test)
{
	ubox_add(0x2014, 0, 8, 0, 0xfac688);
	link_add(0, true, 5, 1);	/* a socket without CPUs */
	link_add(1, true, 9, 0);	/* more than the map has */
	link_add(2, true, 0, 0);
	fake_kernel.functions[3].config[0x120 / 4] = ~0U;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, UCORE_NO_DIE, 1);
	expect_link(test, 1, UCORE_NO_DIE, 0);
	expect_kind(test, "upi", 2, UCORE_LINK_NONE);
}

static void links_without_a_map(struct kunit *test)
{
	link_add(0, true, 0, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, UCORE_NO_DIE, 1);
}

/* With more nodes than it has room for the map says nothing. */
static void links_of_many_nodes(struct kunit *test)
{
	ubox_add(0x2014, 0, 8, 0, 0xfac688);
	link_add(0, true, 0, 1);
	fake_kernel.nr_nodes = 10;
	fake_kernel.bus_node[0] = 1;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, UCORE_NO_DIE, 1);
}

/* Six links, of which no source tells: their stacks are told all the same. */
static void links_of_cooper_lake(struct kunit *test)
{
	fake_boot_cpu.x86_stepping = 11;
	ubox_add(0x2014, 0, 8, 0, 0xfac688);
	link_add(0, true, 0, 1);
	fake_msr_add(0xa60, 0);
	fake_msr_add(0x300, BUSES);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, "upi", 0, UCORE_LINK_NONE);
	expect_bus(test, "iio", 0, 1, 0x17);
}

static void links_of_ice_lake(struct kunit *test)
{
	struct fake_function *function;

	fake_boot_cpu.x86_model = 106;
	ubox_add(0x3450, 0, 0, 0, 0xfac688);
	function = fake_pci_add(0x3441, 0, 3, 1);
	function->config[0x120 / 4] = BIT(4);
	function->config[0x94 / 4] = 2 << 8;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 1, 0, 2);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(stacks_of_skylake),
	KUNIT_CASE(buses_that_are_not_valid),
	KUNIT_CASE(buses_that_nobody_tells),
	KUNIT_CASE(buses_of_a_die_without_functions),
	KUNIT_CASE(each_die_has_its_own_register),
	KUNIT_CASE(stacks_of_ice_lake),
	KUNIT_CASE(stacks_of_ice_lake_d),
	KUNIT_CASE(stacks_of_two_sockets),
	KUNIT_CASE(stacks_of_snow_ridge),
	KUNIT_CASE(links_of_skylake),
	KUNIT_CASE(nodes_are_not_sockets),
	KUNIT_CASE(links_to_nobody),
	KUNIT_CASE(links_without_a_map),
	KUNIT_CASE(links_of_many_nodes),
	KUNIT_CASE(links_of_cooper_lake),
	KUNIT_CASE(links_of_ice_lake),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_link_regs",
	.init = ends_init,
	.exit = fake_catalog_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
