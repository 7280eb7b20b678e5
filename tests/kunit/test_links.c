// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of GET_LINKS: root buses of IIO stacks and peers of UPI links, from the
 * registers of Skylake-SP, Ice Lake-SP and Snow Ridge.
 */
#include "abi/get_answers.h"
#include "fake_machine.h"
#include "find/die_topology.h"
#include "find/iio_ports.h"

#define BUSES_VALID	BIT_ULL(63)

/* Stack 0 is on bus 0, stack 3 does not exist, stacks 4 and 5 have high bus numbers. */
#define BUSES		(BUSES_VALID | 0xfe85003a1700ULL)

static int links_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 85;
	fake_boot_cpu.x86_stepping = 4;
	return 0;
}

/* Return the reply of GET_LINKS for a box. */
static struct ucore_link_info link_of(struct kunit *test, const char *type, u32 die, u32 instance)
{
	const struct ucore_box *box = box_find(type, die, instance);
	struct ucore_link_info info;

	KUNIT_ASSERT_NOT_NULL_MSG(test, box, "%s%u", type, instance);
	ucore_describe_link(box, &info);
	KUNIT_EXPECT_EQ(test, info.box, box->id);
	KUNIT_EXPECT_EQ(test, info.reserved[0] | info.reserved[1], 0U);
	return info;
}

static void expect_bus(struct kunit *test, const char *type, u32 die, u32 instance, u32 bus)
{
	struct ucore_link_info info = link_of(test, type, die, instance);

	KUNIT_EXPECT_EQ_MSG(test, info.kind, (u32)UCORE_LINK_BUS, "%s%u", type, instance);
	KUNIT_EXPECT_EQ_MSG(test, info.bus, bus, "%s%u", type, instance);
	KUNIT_EXPECT_EQ(test, info.segment | info.die | info.link, 0U);
}

/* Expect rules for @nr ports, of which port 0 is device @port0. */
static void expect_ports(struct kunit *test, u32 instance, u32 nr, u32 port0)
{
	const struct ucore_port_rule *rule = box_find("iio", 0, instance)->desc.ports;
	u32 p;

	KUNIT_ASSERT_EQ_MSG(test, !rule, !nr, "iio%u", instance);
	for (p = 0; p < nr; p++) {
		KUNIT_EXPECT_EQ_MSG(test, rule[p].ports, BIT(p), "iio%u", instance);
		KUNIT_EXPECT_EQ_MSG(test, rule[p].slot, port0 + p, "iio%u", instance);
	}
	KUNIT_EXPECT_TRUE(test, !nr || !rule[nr].ports);
}

static void expect_kind(struct kunit *test, const char *type, u32 instance, u32 kind)
{
	struct ucore_link_info info = link_of(test, type, 0, instance);

	KUNIT_EXPECT_EQ_MSG(test, info.kind, kind, "%s%u", type, instance);
	KUNIT_EXPECT_EQ(test, info.segment | info.bus | info.flags, 0U);
	KUNIT_EXPECT_EQ(test, info.speed | info.die | info.link, 0U);
}

static void ubox_add(u32 device, u32 bus, u32 slot, u32 node, u32 map)
{
	struct fake_function *ubox = fake_pci_add(device, bus, slot, 0);

	ubox->config[0xc0 / 4] = node;
	ubox->config[0xd4 / 4] = map;
}

/* ---- stacks ---- */

/* Add IIO, free-running counters and IRP of each stack, and one PCI box. */
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

static void stacks_of_skylake_have_their_buses(struct kunit *test)
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
	/* only the first stack can be on bus 0 */
	expect_kind(test, "iio", 3, UCORE_LINK_NONE);
	expect_kind(test, "irp", 3, UCORE_LINK_NONE);
	expect_kind(test, "imc", 0, UCORE_LINK_NONE);
}

static void invalid_bus_register_gives_no_link(struct kunit *test)
{
	skx_stacks_answer();
	fake_msr_add(0x300, BUSES & ~BUSES_VALID);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, "iio", 0, UCORE_LINK_NONE);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
}

static void missing_bus_register_gives_no_link(struct kunit *test)
{
	skx_stacks_answer();
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
}

/* No source gives the segment. */
static void bus_without_known_segment_gives_no_link(struct kunit *test)
{
	fake_msr_add(0xa60, 0);
	fake_msr_add(0x300, BUSES);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
}

/* Neighbouring CPUs are on different dies here. */
static bool buses_of_two(u32 msr, u64 *val)
{
	if (msr != 0x300)
		return false;
	*val = BUSES_VALID | (raw_smp_processor_id() % 2 ? 0x9a80 : 0x1700);
	return true;
}

static void bus_register_is_per_die(struct kunit *test)
{
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
	KUNIT_EXPECT_EQ(test, link_of(test, "iio", 1, 2).kind, (u32)UCORE_LINK_NONE);
}

/* Add the function of a stack, with unrelated bits set. */
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

static void stacks_of_ice_lake_have_their_buses(struct kunit *test)
{
	icx_stacks_answer();
	stack_add(0, 0, 0);
	stack_add(1, 0, 1);
	stack_add(2, 0, 4);
	stack_add(2, 1, 6);		/* there is no stack 6 */
	fake_pci_add(0x09a2, 2, 2, 0)->config[0x3f4 / 4] = ~0U;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_bus(test, "iio", 0, 5, 0x3f);
	expect_bus(test, "iio_free", 0, 5, 0x3f);
	expect_bus(test, "irp", 0, 5, 0x3f);
	expect_bus(test, "m2pcie", 0, 5, 0x3f);
	expect_ports(test, 5, 0, 0);	/* the DMI is not a root port */
	expect_bus(test, "iio", 0, 0, 0x7f);
	expect_bus(test, "iio", 0, 3, 0xbf);
	expect_ports(test, 0, 4, 2);
	expect_kind(test, "iio", 1, UCORE_LINK_NONE);
	expect_kind(test, "iio", 2, UCORE_LINK_NONE);
	expect_kind(test, "iio", 4, UCORE_LINK_NONE);
}

/* On Ice Lake-D the numbers belong to other stacks. */
static void stacks_of_ice_lake_d_are_unknown(struct kunit *test)
{
	icx_stacks_answer();
	fake_boot_cpu.x86_model = 108;
	stack_add(1, 0, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.platform->name, "icx");
	expect_kind(test, "iio", 0, UCORE_LINK_NONE);
}

/*
 * The function is on a bus of the stack's socket. The UBox of the next higher bus gives the
 * socket.
 */
static void stacks_belong_to_their_sockets(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	icx_stacks_answer();
	ubox_add(0x3450, 0, 0, 1, 0xfac688);
	ubox_add(0x3450, 2, 0, 0, 0xfac688);
	stack_add(0, 1, 2);
	stack_add(1, 0, 2);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_bus(test, "iio", 1, 1, 0x3f);
	expect_bus(test, "iio", 0, 1, 0x7f);
}

static void stacks_of_snow_ridge_have_their_buses(struct kunit *test)
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

/* ---- UPI links ---- */

/* Add link @i, whose peer is link @link of the socket with node id @node. */
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
	struct ucore_link_info info = link_of(test, "upi", 0, instance);

	KUNIT_EXPECT_EQ_MSG(test, info.kind, (u32)UCORE_LINK_UPI, "upi%u", instance);
	KUNIT_EXPECT_EQ_MSG(test, info.die, die, "upi%u", instance);
	KUNIT_EXPECT_EQ_MSG(test, info.link, link, "upi%u", instance);
	KUNIT_EXPECT_EQ(test, info.segment | info.bus | info.flags | info.speed, 0U);
}

static void links_of_skylake_have_their_peers(struct kunit *test)
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

/* Node ids differ from socket numbers: the UBox has the map. */
static void link_peer_is_mapped_from_node_to_socket(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0x2014, 0, 8, 1, 0xfac681);
	link_add(0, true, 0, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, 1, 1);
}

static void link_to_unknown_socket_has_no_die(struct kunit *test)
{
	ubox_add(0x2014, 0, 8, 0, 0xfac688);
	link_add(0, true, 5, 1);	/* a socket without online CPUs */
	link_add(1, true, 8, 0);	/* a node beyond the map, whose low bits are node 0 */
	link_add(2, true, 0, 0);
	fake_kernel.functions[3].config[0x120 / 4] = ~0U;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, UCORE_NO_DIE, 1);
	expect_link(test, 1, UCORE_NO_DIE, 0);
	expect_kind(test, "upi", 2, UCORE_LINK_NONE);
}

static void link_without_map_has_no_die(struct kunit *test)
{
	link_add(0, true, 0, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, UCORE_NO_DIE, 1);
}

/* With more UBoxes than node ids, the map is not used. */
static void link_of_nine_uboxes_has_no_die(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 9; i++)
		ubox_add(0x2014, 0, i, 0, 0xfac688);
	link_add(0, true, 0, 1);
	fake_kernel.nr_nodes = 10;
	fake_kernel.bus_node[0] = 1;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_link(test, 0, UCORE_NO_DIE, 1);
}

/* No source describes the six links. The stacks are known. */
static void links_of_cooper_lake_are_unknown(struct kunit *test)
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

static void links_of_ice_lake_have_their_peers(struct kunit *test)
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
	KUNIT_CASE(stacks_of_skylake_have_their_buses),
	KUNIT_CASE(invalid_bus_register_gives_no_link),
	KUNIT_CASE(missing_bus_register_gives_no_link),
	KUNIT_CASE(bus_without_known_segment_gives_no_link),
	KUNIT_CASE(bus_register_is_per_die),
	KUNIT_CASE(stacks_of_ice_lake_have_their_buses),
	KUNIT_CASE(stacks_of_ice_lake_d_are_unknown),
	KUNIT_CASE(stacks_belong_to_their_sockets),
	KUNIT_CASE(stacks_of_snow_ridge_have_their_buses),
	KUNIT_CASE(links_of_skylake_have_their_peers),
	KUNIT_CASE(link_peer_is_mapped_from_node_to_socket),
	KUNIT_CASE(link_to_unknown_socket_has_no_die),
	KUNIT_CASE(link_without_map_has_no_die),
	KUNIT_CASE(link_of_nine_uboxes_has_no_die),
	KUNIT_CASE(links_of_cooper_lake_are_unknown),
	KUNIT_CASE(links_of_ice_lake_have_their_peers),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_link_regs",
	.init = links_init,
	.exit = fake_catalog_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
