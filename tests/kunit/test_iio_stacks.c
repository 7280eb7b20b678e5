// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of IIO stacks from Sapphire Rapids on: root buses from the table of a package, ports,
 * and the speed of QPI and UPI links.
 */
#include "fake_machine.h"
#include "find/discovery/discovery.h"
#include "find/found_boxes.h"
#include "find/iio_ports.h"
#include "find/static_table_desc.h"
#include "find/upi_iio_links.h"

#define NR_BOXES	16
#define NO_ID		0xff
#define MSM_BUS		1	/* index of the bus of the table */
#define XCC		0xa5c300fa
#define MCC		0xa5c3007a

struct stacks {
	struct ucore_box_type type;
	struct ucore_box_desc box[NR_BOXES];
	struct ucore_finder finder;
	struct fake_function *msm;
};

static int stacks_init(struct kunit *test)
{
	struct stacks *st = kunit_kzalloc(test, sizeof(*st), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, st);
	test->priv = st;
	fake_kernel_reset();
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 143;
	st->type = (struct ucore_box_type){ .name = "iio", .link_kind = UCORE_LINK_BUS };
	for (i = 0; i < NR_BOXES; i++)
		st->box[i] = (struct ucore_box_desc){ .type = &st->type, .instance = i };
	st->finder = (struct ucore_finder){ .desc = st->box, .nr = NR_BOXES };
	return 0;
}

static void stacks_exit(struct kunit *test)
{
	u32 i;

	for (i = 0; i < fake_kernel.nr_functions; i++)
		KUNIT_EXPECT_EQ_MSG(test, fake_kernel.functions[i].refs, 0, "function %u", i);
}

static const struct ucore_link_regs *regs_of(const struct ucore_platform *platform)
{
	const struct ucore_disc_rules *rules = platform->table;

	return rules->links;
}

static void find(struct kunit *test, const struct ucore_platform *platform)
{
	const struct ucore_disc_rules *rules = platform->table;
	struct stacks *st = test->priv;

	ucore_links_find(&st->finder, rules->links, rules->ubox);
}

static void bus_set(struct fake_function *msm, u32 id, u8 bus)
{
	u8 *config = (u8 *)msm->config;

	config[(id < 16 ? 0x190 : 0x1c0) + id % 16] = bus;
	msm->config[0x1a0 / 4] |= BIT(id);
}

/* Add the table of root buses, in which id n has bus @first + n, and the functions it needs. */
static void table_add(struct kunit *test, u32 capid4, u8 first)
{
	struct stacks *st = test->priv;
	u32 id;

	st->msm = fake_pci_add(0x09a6, MSM_BUS, 3, 0);
	for (id = 0; id < 31; id++)
		bus_set(st->msm, id, first + id);
	fake_pci_add(0x325b, MSM_BUS, 30, 2)->config[0x94 / 4] = MCC;
	fake_pci_add(0x325b, MSM_BUS, 30, 3)->config[0x94 / 4] = capid4;
	/* the package of Granite Rapids is in the first root bus */
	fake_kernel.buses[0].number = first;
	fake_pci_add(0x09a2, 0, 0, 0)->config[0x3f4 / 4] = 0xa5c30070;
}

/* @id: id of the root bus of each box; @doubted: mask of the boxes that are unverified */
struct map {
	const char *name;
	const struct ucore_platform *platform;
	u32 model;
	u32 capid4;
	u8 id[NR_BOXES];
	u32 doubted;
};

#define ___	NO_ID

#define GNR_IDS { 0, 8, 1, 2, 3, 4, 12, 5, 28, 16, ___, 29, 26, ___, 20, ___ }

static const struct map maps[] = {
	{ "XCC", &ucore_platform_spr, 143, XCC,
	  { 8, 0, 1, 9, 2, 10, 3, 4, 11, 5, ___, ___, ___, ___, ___, ___ }, 0 },
	{ "MCC", &ucore_platform_spr, 143, MCC,
	  { 0, 1, 2, 8, 4, 5, ___, ___, ___, ___, 3, ___, ___, ___, ___, ___ }, BIT(0) | BIT(4) },
	{ "EMR", &ucore_platform_emr, 207, 0,
	  { 8, 1, 2, 3, 9, 10, 5, 0, 4, 11, ___, ___, ___, ___, ___, ___ }, GENMASK(9, 0) },
	{ "GNR", &ucore_platform_gnr, 173, 0, GNR_IDS, BIT(11) | BIT(12) },
	{ "SRF", &ucore_platform_srf, 175, 0, GNR_IDS, BIT(11) | BIT(12) },
	{ "GNR-D", &ucore_platform_gnr, 174, 0, GNR_IDS, GENMASK(15, 0) },
	{ "CWF", &ucore_platform_cwf, 221, 0, GNR_IDS, GENMASK(15, 0) },
};

static void map_describe(const struct map *map, char *desc)
{
	strscpy(desc, map->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(map, maps, map_describe);

static void root_bus_belongs_to_its_box(struct kunit *test)
{
	const struct map *map = test->param_value;
	struct stacks *st = test->priv;
	const struct ucore_link_info *link;
	u32 i;

	fake_boot_cpu.x86_model = map->model;
	table_add(test, map->capid4, 0x20);
	find(test, map->platform);
	for (i = 0; i < NR_BOXES; i++) {
		link = &st->box[i].link;
		KUNIT_EXPECT_EQ_MSG(test, link->kind,
				    map->id[i] == NO_ID ? UCORE_LINK_NONE : UCORE_LINK_BUS,
				    "box %u", i);
		if (map->id[i] == NO_ID)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, link->bus, 0x20U + map->id[i], "box %u", i);
		KUNIT_EXPECT_EQ_MSG(test, link->flags,
				    map->doubted & BIT(i) ? UCORE_LINK_F_UNVERIFIED : 0, "%u", i);
	}
}

static u32 nr_found(struct kunit *test)
{
	struct stacks *st = test->priv;
	u32 i, n = 0;

	for (i = 0; i < NR_BOXES; i++)
		n += st->box[i].link.kind != UCORE_LINK_NONE;
	return n;
}

static void spare_and_unreadable_tables_are_ignored(struct kunit *test)
{
	struct stacks *st = test->priv;

	table_add(test, XCC, 0x20);
	st->msm->config[0x1a0 / 4] = 0;
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 0U);
	st->msm->config[0x1a0 / 4] = ~0U;
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 0U);
	/* the second table is used */
	bus_set(fake_pci_add(0x09a6, MSM_BUS, 4, 0), 1, 0x55);
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 1U);
	KUNIT_EXPECT_EQ(test, st->box[2].link.bus, 0x55U);
}

static void duplicate_buses_are_not_used(struct kunit *test)
{
	struct stacks *st = test->priv;

	table_add(test, XCC, 0x20);
	bus_set(st->msm, 2, 0x21);
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, st->box[2].link.kind, (u32)UCORE_LINK_NONE);	/* id 1 */
	KUNIT_EXPECT_EQ(test, st->box[4].link.kind, (u32)UCORE_LINK_NONE);	/* id 2 */
	KUNIT_EXPECT_EQ(test, nr_found(test), 8U);
}

static void table_of_all_ones_gives_no_bus(struct kunit *test)
{
	struct stacks *st = test->priv;

	table_add(test, XCC, 0x20);
	memset(&st->msm->config[0x190 / 4], 0xff, 16);
	memset(&st->msm->config[0x1c0 / 4], 0xff, 16);
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 0U);
}

static void invalid_ids_give_no_bus(struct kunit *test)
{
	struct stacks *st = test->priv;

	table_add(test, XCC, 0x20);
	st->msm->config[0x1a0 / 4] = BIT(3) | BIT(14) | BIT(31);
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 1U);
	KUNIT_EXPECT_EQ(test, st->box[6].link.bus, 0x23U);
}

static void unknown_die_variant_gives_no_bus(struct kunit *test)
{
	struct fake_function *caps;

	table_add(test, XCC, 0x20);
	caps = &fake_kernel.functions[2];
	KUNIT_ASSERT_EQ(test, caps->pdev.device, 0x325b);
	caps->config[0x94 / 4] = 0x80;
	find(test, &ucore_platform_spr);
	caps->config[0x94 / 4] = ~0U;
	find(test, &ucore_platform_spr);
	caps->pdev.devfn = PCI_DEVFN(30, 4);
	caps->config[0x94 / 4] = XCC;
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 0U);
}

/* Neither the bus of the table nor the first root bus gives the die. */
static void table_without_die_is_ignored(struct kunit *test)
{
	table_add(test, 0, 0x20);
	fake_kernel.functions[3].config[0x3f4 / 4] = ~0U;
	find(test, &ucore_platform_gnr);
	fake_kernel.functions[3].config[0x3f4 / 4] = 7;		/* no such package */
	find(test, &ucore_platform_gnr);
	fake_kernel.functions[3].config[0x3f4 / 4] = 0;
	fake_kernel.functions[3].pdev.devfn = PCI_DEVFN(1, 0);
	find(test, &ucore_platform_gnr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 0U);
}

/* ---- ports ---- */

/* Return the mask of the ports that GET_PORTS reports for a function, 0 if it is not listed. */
static u32 ports_of(struct kunit *test, u32 box, u32 bus, u32 device)
{
	struct stacks *st = test->priv;
	struct ucore_port_info info;
	struct ucore_port_walk walk;
	u32 ports = 0;

	ucore_port_walk_begin(&walk, &st->box[box]);
	while (ucore_port_walk_next(&walk, &info)) {
		KUNIT_EXPECT_EQ(test, info.segment | info.function, 0U);
		if (info.bus != bus || info.device != device)
			continue;
		KUNIT_EXPECT_EQ(test, ports, 0U);
		ports = info.ports;
	}
	ucore_port_walk_end(&walk);
	return ports;
}

static void root_ports_of_a_stack_are_consecutive_devices(struct kunit *test)
{
	table_add(test, XCC, 0x20);
	fake_kernel.buses[2].number = 0x21;
	fake_pci_add(0x352a, 2, 1, 0);
	fake_pci_add(0x352a, 2, 8, 0);
	fake_pci_add(0x352a, 2, 9, 0);
	fake_pci_add(0x352a, 2, 3, 1);
	find(test, &ucore_platform_spr);
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x21, 1), (u32)BIT(0));
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x21, 8), (u32)BIT(7));
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x21, 9), 0U);
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x21, 3), 0U);
	KUNIT_EXPECT_EQ(test, ports_of(test, 4, 0x22, 1), 0U);
	/* the DMI */
	KUNIT_EXPECT_EQ(test, ports_of(test, 1, 0x20, UCORE_ALL_DEVICES), (u32)BIT(7));
}

static void last_port_of_granite_rapids_is_device_9(struct kunit *test)
{
	table_add(test, 0, 0x20);
	fake_kernel.buses[2].number = 0x21;
	fake_pci_add(0x0db1, 2, 1, 0);
	fake_pci_add(0x0db1, 2, 2, 0);
	fake_pci_add(0x0db1, 2, 9, 0);
	find(test, &ucore_platform_gnr);
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x21, 1), 0U);
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x21, 2), (u32)BIT(0));
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x21, 9), (u32)BIT(7));
}

/* The accelerators of stack 0 (id 8, bus 28) are on its root bus and on the next three. */
static void accelerators_have_the_ports_of_their_die_variant(struct kunit *test)
{
	static const struct {
		u32 capid4, box, hqm, qat;
	} variants[] = { { XCC, 0, BIT(5), BIT(4) }, { MCC, 3, BIT(4), BIT(5) } };
	u32 v;

	table_add(test, XCC, 0x20);
	fake_kernel.buses[0].number = 0x28;
	fake_kernel.buses[2].number = 0x2b;
	fake_pci_add(0x0b25, 0, 1, 0);
	fake_pci_add(0x0cfe, 0, 2, 0);
	fake_pci_add(0x4940, 0, 3, 0);
	fake_pci_add(0x2710, 2, 0, 0);
	for (v = 0; v < ARRAY_SIZE(variants); v++) {
		fake_kernel.functions[2].config[0x94 / 4] = variants[v].capid4;
		find(test, &ucore_platform_spr);
		KUNIT_EXPECT_EQ(test, ports_of(test, variants[v].box, 0x28, 1), 7U);
		KUNIT_EXPECT_EQ(test, ports_of(test, variants[v].box, 0x28, 2), 7U);
		KUNIT_EXPECT_EQ(test, ports_of(test, variants[v].box, 0x28, 3), variants[v].qat);
		KUNIT_EXPECT_EQ(test, ports_of(test, variants[v].box, 0x2b, 0), variants[v].hqm);
	}
	fake_kernel.buses[2].number = 0x2c;
	KUNIT_EXPECT_EQ(test, ports_of(test, 3, 0x2c, 0), 0U);
}

static void stacks_of_grand_ridge_have_their_ports(struct kunit *test)
{
	struct stacks *st = test->priv;

	fake_boot_cpu.x86_model = 182;
	fake_pci_add(0x09a2, 0, 0, 0)->config[0x3f4 / 4] = 0xa5c30000;		/* the DMI */
	fake_pci_add(0x09a2, 1, 0, 0)->config[0x3f4 / 4] = 0xa5c30020;
	fake_pci_add(0x09a2, 2, 0, 0)->config[0x3f4 / 4] = 0xa5c30010;
	fake_pci_add(0x09a2, 2, 1, 0)->config[0x3f4 / 4] = 0xa5c30030;		/* no stack 3 */
	fake_pci_add(0x09a2, 2, 2, 0)->config[0x3f4 / 4] = ~0U;
	fake_pci_add(0x5788, 1, 4, 0);
	fake_pci_add(0x5789, 1, 5, 0);
	fake_pci_add(0x2714, 2, 7, 0);
	find(test, &ucore_platform_grr);
	KUNIT_EXPECT_EQ(test, nr_found(test), 3U);
	KUNIT_EXPECT_EQ(test, st->box[2].link.bus, 0x3fU);
	KUNIT_EXPECT_EQ(test, ports_of(test, 2, 0x3f, UCORE_ALL_DEVICES), (u32)BIT(7));
	KUNIT_EXPECT_EQ(test, ports_of(test, 0, 0x7f, 4), (u32)BIT(0));
	KUNIT_EXPECT_EQ(test, ports_of(test, 0, 0x7f, 5), (u32)BIT(1));
	KUNIT_EXPECT_EQ(test, ports_of(test, 1, 0xbf, 7), (u32)BIT(0));
}

/* ---- speed ---- */

/* Return the speed of a link whose register has the value @val. */
static u32 speed_of(struct kunit *test, const struct ucore_link_regs *regs, u32 function, u32 reg,
		    u32 val, struct ucore_link_info *link)
{
	struct ucore_box_type type = { .name = "upi", .link_kind = UCORE_LINK_UPI };
	struct ucore_link_regs only_speed = { .speed = regs->speed };
	struct ucore_box_desc desc = { .type = &type };
	struct ucore_finder finder = { .desc = &desc, .nr = 1 };

	fake_kernel.nr_functions = 0;
	desc.pdev = &fake_pci_add(0x3241, 0, 2, 1)->pdev;
	fake_pci_add(0x3241, 0, 3, function)->config[reg / 4] = ~val;	/* another link */
	fake_pci_add(0x3242, 0, 2, function)->config[reg / 4] = val;
	ucore_links_find(&finder, &only_speed, NULL);
	*link = desc.link;
	return desc.link.speed;
}

static void speed_of_upi_link_is_read(struct kunit *test)
{
	static const u32 spr[] = { 2500, 12800, 14400, 16000, 20000, 0, 0, 0 };
	static const u32 gnr[] = { 0, 12800, 14400, 16000, 0, 0, 0, 0, 20000, 24000, 0, 0, 0, 0, 0,
				   0 };
	struct ucore_link_info link;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(spr); i++)
		KUNIT_EXPECT_EQ(test, speed_of(test, regs_of(&ucore_platform_spr), 2, 0x2e0,
					       0x5a5a5a58 | i, &link), spr[i]);
	for (i = 0; i < ARRAY_SIZE(gnr); i++)
		KUNIT_EXPECT_EQ(test, speed_of(test, regs_of(&ucore_platform_gnr), 2, 0x2e0,
					       0x5a5a5a1f | i << 5, &link), gnr[i]);
	KUNIT_EXPECT_EQ(test, speed_of(test, regs_of(&ucore_platform_spr), 2, 0x2e0, ~0U, &link),
			0U);
	KUNIT_EXPECT_PTR_EQ(test, regs_of(&ucore_platform_emr)->speed, NULL);
}

/* Granite Rapids has no other register that tells whether a link is trained. */
static void lowest_speed_of_granite_rapids_may_be_a_link_that_is_down(struct kunit *test)
{
	struct ucore_link_info link;

	KUNIT_EXPECT_EQ(test, speed_of(test, regs_of(&ucore_platform_gnr), 2, 0x2e0, 0xfffffe1f,
				       &link), 0U);
	KUNIT_EXPECT_EQ(test, link.kind, (u32)UCORE_LINK_DOWN);
	KUNIT_EXPECT_EQ(test, link.flags, UCORE_LINK_F_UNVERIFIED);
	speed_of(test, regs_of(&ucore_platform_spr), 2, 0x2e0, 0xfffffff8, &link);
	KUNIT_EXPECT_EQ(test, link.kind, (u32)UCORE_LINK_NONE);
	KUNIT_EXPECT_EQ(test, link.flags, 0U);
}

static void speed_of_qpi_link_is_read(struct kunit *test)
{
	static const u32 speeds[] = { 0, 4800, 5600, 6400, 7200, 8000, 8800, 9600 };
	static const struct ucore_platform *const platforms[] = {
		&ucore_platform_snbep, &ucore_platform_ivbep, &ucore_platform_hswep,
		&ucore_platform_bdxep,
	};
	const struct ucore_static_table *table;
	struct ucore_link_info link;
	u32 p, i;

	for (p = 0; p < ARRAY_SIZE(platforms); p++) {
		table = platforms[p]->table;
		for (i = 0; i < ARRAY_SIZE(speeds); i++)
			KUNIT_EXPECT_EQ(test, speed_of(test, table->links, 0, 0xd4, 0xa5a5a5a0 | i,
						       &link), speeds[i]);
		KUNIT_EXPECT_EQ(test, link.kind, (u32)UCORE_LINK_NONE);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(root_bus_belongs_to_its_box, map_gen_params),
	KUNIT_CASE(spare_and_unreadable_tables_are_ignored),
	KUNIT_CASE(duplicate_buses_are_not_used),
	KUNIT_CASE(table_of_all_ones_gives_no_bus),
	KUNIT_CASE(invalid_ids_give_no_bus),
	KUNIT_CASE(unknown_die_variant_gives_no_bus),
	KUNIT_CASE(table_without_die_is_ignored),
	KUNIT_CASE(root_ports_of_a_stack_are_consecutive_devices),
	KUNIT_CASE(last_port_of_granite_rapids_is_device_9),
	KUNIT_CASE(accelerators_have_the_ports_of_their_die_variant),
	KUNIT_CASE(stacks_of_grand_ridge_have_their_ports),
	KUNIT_CASE(speed_of_upi_link_is_read),
	KUNIT_CASE(lowest_speed_of_granite_rapids_may_be_a_link_that_is_down),
	KUNIT_CASE(speed_of_qpi_link_is_read),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_iio_stacks",
	.init = stacks_init,
	.exit = stacks_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
