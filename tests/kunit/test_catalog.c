// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the catalog: the real finder on fake PCI functions, MSRs and CPUs, and the
 * reasons that are reported when boxes are missing.
 */
#include <linux/cpu.h>

#include "abi/get_answers.h"
#include "fake_machine.h"
#include "find/die_topology.h"
#include "find/hidden_box_report.h"
#include "find/static_table.h"
#include "platforms/match.h"

#define ECAM_BASE	0x80000000ULL

struct bench {
	struct {
		struct acpi_table_mcfg mcfg;
		struct acpi_mcfg_allocation entry;
	} table;
};

static int catalog_init(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 62;
	b->table.mcfg.header.length = sizeof(b->table);
	b->table.entry.address = ECAM_BASE;
	b->table.entry.end_bus_number = 0xff;
	fake_kernel.mcfg = &b->table.mcfg.header;
	fake_kernel.ecam_base = ECAM_BASE;
	return 0;
}

/* Add a UBox function with a bus-to-socket map. The device id depends on the CPU model. */
static void ubox_add(u32 bus, u32 package)
{
	u32 device = fake_boot_cpu.x86_model == 62 ? 0x0e1e :
		     fake_boot_cpu.x86_model == 63 ? 0x2f1e : 0x6f1e;
	struct fake_function *ubox = fake_pci_add(device, bus, 11, 0);

	ubox->config[0x40 / 4] = package;
	ubox->config[0x54 / 4] = 0xfac688;
}

static void state_without_boxes(struct kunit *test, u32 state)
{
	KUNIT_EXPECT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), state);
	KUNIT_EXPECT_GT(test, strlen(ucore_describe_reason(state)), 10UL);
	KUNIT_EXPECT_LT(test, strlen(ucore_describe_reason(state)), (size_t)UCORE_REASON_LEN);
	KUNIT_EXPECT_NULL(test, ucore_catalog_box(0));
	KUNIT_EXPECT_NULL(test, ucore_catalog_domain(0));
}

static void state_on_other_vendor_is_not_intel(struct kunit *test)
{
	fake_boot_cpu.x86_vendor = X86_VENDOR_AMD;
	state_without_boxes(test, UCORE_STATE_NOT_INTEL);
}

static void state_of_model_without_table_is_unknown(struct kunit *test)
{
	fake_boot_cpu.x86_model = 250;
	state_without_boxes(test, UCORE_STATE_UNKNOWN);
}

static void state_outside_family_6_is_unknown(struct kunit *test)
{
	fake_boot_cpu.x86 = 15;
	state_without_boxes(test, UCORE_STATE_UNKNOWN);
}

static void state_without_answering_boxes_is_hidden(struct kunit *test)
{
	state_without_boxes(test, UCORE_STATE_HIDDEN);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_HIDDEN), "BIOS"));
}

static void state_in_virtual_machine_is_hidden(struct kunit *test)
{
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_HYPERVISOR);
	state_without_boxes(test, UCORE_STATE_HIDDEN);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_HIDDEN),
					   "virtual machine"));
}

/* The in-tree driver can be loaded and unloaded at any time: the state changes accordingly. */
static void state_follows_the_intree_driver(struct kunit *test)
{
	fake_msr_add(0xc24, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_INTREE);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_INTREE),
					   "initcall_blacklist=intel_uncore_init"));
	fake_kernel.intree_module = true;
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_INTREE),
					   "modprobe -r intel_uncore"));
	fake_kernel.intree_module = false;
	fake_kernel.intree = false;
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_READY);
}

static void hidden_pci_boxes_are_reported(struct kunit *test)
{
	fake_msr_add(0xc24, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_READY), "PCI"));
}

static void msr_boxes_that_answer_are_added(struct kunit *test)
{
	fake_kernel.nr_cores = 3;
	/* C-Boxes 0, 2 and 3, and number 3 is beyond the three cores */
	fake_msr_add(0xd04, 0);
	fake_msr_add(0xd44, 0);
	fake_msr_add(0xd64, 0);
	/* the UBox has no box control: its first counter control is probed */
	fake_msr_add(0xc10, 0);
	fake_msr_add(0xc24, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 4U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("cbo", 0, 0));
	KUNIT_EXPECT_NULL(test, box_find("cbo", 0, 1));
	KUNIT_ASSERT_NOT_NULL(test, box_find("cbo", 0, 2));
	KUNIT_EXPECT_NULL(test, box_find("cbo", 0, 3));
	KUNIT_EXPECT_EQ(test, box_find("cbo", 0, 2)->desc.global_gp, BIT_ULL(5));
	KUNIT_EXPECT_EQ(test, box_find("cbo", 0, 2)->io.msr, 0xd40U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("ubox", 0, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("pcu", 0, 0));
}

static void cboxes_are_limited_to_fifteen(struct kunit *test)
{
	u32 i, n = 0;

	fake_kernel.nr_cores = 20;
	for (i = 0; i < 20; i++)
		fake_msr_add(0xd04 + 0x20 * i, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	for (i = 0; i < 20; i++)
		n += !!box_find("cbo", 0, i);
	KUNIT_EXPECT_EQ(test, n, 15U);
}

/* Bus 3f belongs to socket 1, bus 7f to socket 0, in either order. */
static void pci_boxes_belong_to_their_sockets(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 1);
	ubox_add(1, 0);
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb4, 1, 16, 4);
	fake_pci_add(0x0e30, 1, 14, 1);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_domains, 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 3U);
	KUNIT_ASSERT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_ASSERT_NOT_NULL(test, box_find("imc", 1, 0));
	KUNIT_EXPECT_EQ(test, box_find("imc", 0, 0)->io.pdev->bus->number, 0x7f);
	KUNIT_EXPECT_EQ(test, box_find("imc", 1, 0)->io.pdev->bus->number, 0x3f);
	KUNIT_EXPECT_NOT_NULL(test, box_find("ha", 0, 0));
	KUNIT_EXPECT_EQ(test, box_find("ha", 0, 0)->io.ops->access, (u32)UCORE_ACCESS_ECAM);
}

/* The IRP is on the IIO bus, which has no UBox: the UBox of the next higher bus counts. */
static void bus_without_ubox_uses_next_higher_one(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(1, 1);
	fake_pci_add(0x0e39, 0, 5, 6);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, box_find("irp", 1, 0));
}

static void bus_of_no_socket_is_skipped(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 0);
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb5, 2, 16, 5);		/* above every UBox */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
}

static void single_socket_needs_no_ubox(struct kunit *test)
{
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb5, 2, 16, 5);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 1));
}

/* Firmware numbers two sockets alike: boxes of both would have the same name. */
static void second_function_of_a_box_is_skipped(struct kunit *test)
{
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb4, 1, 16, 4);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_EXPECT_EQ(test, box_find("imc", 0, 0)->io.pdev->bus->number, 0x3f);
}

/* The boxes of a socket without online CPUs are not assigned to other sockets. */
static void socket_without_cpus_is_skipped(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 3);
	fake_pci_add(0x0eb4, 0, 16, 4);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_HIDDEN);
}

/* The same with an online socket: the boxes are not assigned to it. */
static void offline_socket_next_to_online_one_is_skipped(struct kunit *test)
{
	ubox_add(0, 0);
	ubox_add(1, 1);
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb4, 1, 16, 4);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_ASSERT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_EXPECT_EQ(test, box_find("imc", 0, 0)->io.pdev->bus->number, 0x3f);
	/* the reason is the offline socket, not the firmware */
	KUNIT_EXPECT_STREQ(test, ucore_describe_reason(UCORE_STATE_READY),
			   "a socket has no CPU online: bring one online and load ucore again");
	/* a failed self-test has lower priority */
	ucore_catalog.failed = "imc0 failed";
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_READY), "socket"));
	*ucore_catalog.hidden = '\0';
	KUNIT_EXPECT_STREQ(test, ucore_describe_reason(UCORE_STATE_READY), "imc0 failed");
	ucore_catalog.failed = NULL;
}

/* A die without a CPU has no CPU to read its MSRs: they do not answer. */
static void msr_of_die_without_cpu_does_not_answer(struct kunit *test)
{
	u64 val = 7;

	fake_kernel.nr_dies = 2;
	fake_msr_add(0xc24, 0);
	cpus_read_lock();
	KUNIT_EXPECT_EQ(test, ucore_cpu_of_die(0), 0);
	KUNIT_EXPECT_EQ(test, ucore_cpu_of_die(1), 1);
	KUNIT_EXPECT_EQ(test, ucore_cpu_of_die(2), (int)nr_cpu_ids);
	KUNIT_EXPECT_TRUE(test, ucore_msr_probe(ucore_cpu_of_die(1), 0xc24, &val));
	KUNIT_EXPECT_FALSE(test, ucore_msr_probe(ucore_cpu_of_die(2), 0xc24, &val));
	cpus_read_unlock();
}

/* An unreadable UBox is ignored: its bus counts as one without a UBox. */
static void unreadable_ubox_is_ignored(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 1);
	ubox_add(1, 0);
	fake_kernel.functions[0].pdev.error_state = pci_channel_io_perm_failure;
	fake_pci_add(0x0eb4, 0, 16, 4);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 0));
}

/* Buses of the other segment have the same numbers. */
static void ubox_of_another_segment_is_ignored(struct kunit *test)
{
	static struct pci_sysdata other = { .domain = 1 };

	fake_kernel.nr_dies = 2;
	fake_kernel.buses[2].sysdata = &other;
	fake_kernel.buses[2].number = fake_kernel.buses[0].number;
	ubox_add(0, 1);
	ubox_add(2, 0);
	fake_pci_add(0x0eb4, 0, 16, 4);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 0));
}

/* The first allocation fails: no reference to a PCI function is leaked. */
static void build_without_memory_releases_functions(struct kunit *test)
{
	ubox_add(0, 0);
	fake_pci_add(0x0e32, 0, 8, 2);
	fake_pci_add(0x0e86, 0, 8, 6);
	fake_kernel.fail_in = 1;
	KUNIT_EXPECT_EQ(test, ucore_catalog_build(), -ENOMEM);
	fake_msr_add(0xc24, 0);
	fake_kernel.fail_in = 1;
	KUNIT_EXPECT_EQ(test, ucore_catalog_build(), -ENOMEM);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, fake_kernel.kv_arrays, 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
}

static void qpi_port_finds_its_filter_function(struct kunit *test)
{
	ubox_add(0, 0);
	fake_pci_add(0x0e32, 0, 8, 2);
	fake_pci_add(0x0e33, 0, 9, 2);
	fake_pci_add(0x0e96, 1, 9, 6);		/* of another socket */
	fake_pci_add(0x0e86, 0, 8, 6);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_NOT_NULL(test, box_find("qpi", 0, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("qpi", 0, 0)->aux.ops);
	KUNIT_EXPECT_EQ(test, box_find("qpi", 0, 0)->aux.pdev->device, 0x0e86);
	KUNIT_EXPECT_NULL(test, box_find("qpi", 0, 1)->aux.ops);
}

/* Ids ascend by domain and, within a domain, in the order of the table. */
static void box_ids_follow_domain_and_table_order(struct kunit *test)
{
	u32 i;

	fake_kernel.nr_dies = 2;
	ubox_add(0, 1);
	ubox_add(1, 0);
	fake_pci_add(0x0eb5, 0, 16, 5);
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb4, 1, 16, 4);
	fake_msr_add(0xc24, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 5U);
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[i].id, i);
		KUNIT_EXPECT_PTR_EQ(test, ucore_catalog_box(i), &ucore_catalog.boxes[i]);
		KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[i].domain->id, (u32)(i >= 2));
		KUNIT_EXPECT_EQ(test, ucore_catalog.boxes[i].caps,
				ucore_catalog.boxes[i].desc.type->caps);
		KUNIT_EXPECT_PTR_EQ(test, ucore_catalog.boxes[i].io.tally,
				    &ucore_catalog.boxes[i].domain->tally);
	}
	KUNIT_EXPECT_PTR_EQ(test, box_find("pcu", 1, 0), ucore_catalog_box(2));
	KUNIT_EXPECT_PTR_EQ(test, box_find("imc", 1, 0), ucore_catalog_box(3));
	KUNIT_EXPECT_PTR_EQ(test, box_find("imc", 1, 1), ucore_catalog_box(4));
	KUNIT_EXPECT_NULL(test, ucore_catalog_box(5));
	KUNIT_EXPECT_NULL(test, ucore_catalog_box(~0U));
	KUNIT_EXPECT_PTR_EQ(test, ucore_catalog_domain(1), &ucore_catalog.domains[1]);
	KUNIT_EXPECT_NULL(test, ucore_catalog_domain(2));
	KUNIT_EXPECT_EQ(test, ucore_catalog_counters(), 4U * 2 + 5 * 3);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_counters, 4U + 5);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].nr_boxes, 2U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].nr_boxes, 3U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].package, 1U);
}

/* ---- more than eight NUMA nodes ---- */

/* The UBoxes map bus 3f to socket 1, NUMA maps it to socket 0. */
static void contradicting_maps(u32 nr_nodes)
{
	fake_kernel.nr_dies = 2;
	fake_kernel.nr_nodes = nr_nodes;
	ubox_add(0, 1);
	ubox_add(1, 0);
	fake_kernel.bus_node[0] = 1;	/* node 0 */
	fake_kernel.bus_node[1] = 2;
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb5, 1, 16, 5);
}

static void buses_with_eight_nodes_are_mapped_by_ubox(struct kunit *test)
{
	contradicting_maps(8);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 1));
}

static void buses_with_nine_nodes_are_mapped_by_numa(struct kunit *test)
{
	contradicting_maps(9);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 1));
}

/* Firmware without _PXM: the kernel knows no node of the bus. */
static void bus_without_node_of_nine_is_mapped_by_ubox(struct kunit *test)
{
	contradicting_maps(9);
	fake_kernel.bus_node[0] = 0;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 1));
}

/* Such a node contains only HBM or persistent memory. */
static void bus_with_a_node_without_cpus_is_mapped_by_ubox(struct kunit *test)
{
	contradicting_maps(9);
	fake_kernel.bus_node[0] = 1 + 5;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 0));
}

/* Nine UBoxes cannot have different node ids of three bits. */
static void bus_of_nine_uboxes_needs_a_node(struct kunit *test)
{
	u32 i;

	contradicting_maps(9);
	for (i = 0; i < 7; i++)
		fake_pci_add(0x0e1e, 2, i, 0);
	fake_kernel.bus_node[0] = 0;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 1, 1));
	KUNIT_EXPECT_STREQ(test, ucore_describe_reason(UCORE_STATE_READY),
			   "the kernel knows no NUMA node of bus 0000:3f, and its UBox does not give the socket: update the BIOS (ACPI _PXM of the bus)");
	KUNIT_EXPECT_EQ(test, ucore_describe_cause(UCORE_STATE_READY), (u32)UCORE_CAUSE_NODE);
}

static void bus_without_number_in_its_ubox_is_mapped_by_numa(struct kunit *test)
{
	contradicting_maps(8);
	fake_kernel.functions[0].config[0x54 / 4] = 0;	/* no socket has node id 1 */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("imc", 0, 1));
}

/* ---- hidden boxes ---- */

static void expect_reason(struct kunit *test, const char *text)
{
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_STREQ(test, ucore_describe_reason(UCORE_STATE_READY), text);
}

/* Types missing on all sockets are listed once, others by socket with their number. */
static void hidden_boxes_are_listed_by_type_and_socket(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 0);
	ubox_add(1, 1);
	fake_pci_add(0x0eb4, 0, 16, 4);
	fake_pci_add(0x0eb5, 0, 16, 5);
	fake_pci_add(0x0eb4, 1, 16, 4);
	fake_pci_add(0x0e34, 0, 19, 1);
	expect_reason(test, "a BIOS option may hide boxes: ha, qpi, r3qpi, irp; "
			    "die 1: imc (1 of 2), r2pcie");
}

/* Add one box of each type. Nothing counts as hidden, although larger models have more. */
static void all_pci_types(u32 bus)
{
	fake_pci_add(0x0e30, bus, 14, 1);
	fake_pci_add(0x0eb4, bus, 16, 4);
	fake_pci_add(0x0e32, bus, 8, 2);
	fake_pci_add(0x0e34, bus, 19, 1);
	fake_pci_add(0x0e36, bus, 19, 5);
	fake_pci_add(0x0e39, bus, 5, 6);
}

static void complete_socket_reports_no_hidden_boxes(struct kunit *test)
{
	ubox_add(0, 0);
	all_pci_types(0);
	fake_pci_add(0x0e86, 0, 8, 6);
	expect_reason(test, "");
}

static void hidden_boxes_of_one_socket_name_the_die(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 0);
	ubox_add(1, 1);
	fake_pci_add(0x0eb4, 0, 16, 4);
	all_pci_types(1);
	fake_pci_add(0x0e86, 1, 8, 6);
	expect_reason(test, "a BIOS option may hide boxes: die 0: ha, qpi, r2pcie, r3qpi, irp");
}

/* The counters of a port are visible, its match registers are not. */
static void hidden_filter_functions_are_reported(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	ubox_add(0, 0);
	ubox_add(1, 1);
	all_pci_types(0);
	all_pci_types(1);
	fake_pci_add(0x0e86, 0, 8, 6);
	expect_reason(test, "a BIOS option may hide boxes: die 1: filters of 1 qpi");
}

static void hidden_filter_function_of_the_only_box_is_reported(struct kunit *test)
{
	ubox_add(0, 0);
	fake_pci_add(0x0e32, 0, 8, 2);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_READY),
					   "filters of 1 qpi"));
}

/* A list that is too long ends in dots. */
static void long_list_of_hidden_boxes_is_truncated(struct kunit *test)
{
	static const struct ucore_box_type types[16] = {
		[0 ... 15] = { .name = "a_long_name" },
	};
	struct ucore_static_pci rows[ARRAY_SIZE(types)] = { };
	struct ucore_static_table table = { .pci = rows, .nr_pci = ARRAY_SIZE(rows) };
	struct ucore_box_desc desc = { .pdev = &fake_pci_add(0x0eb4, 0, 16, 4)->pdev };
	struct ucore_finder finder = { .desc = &desc, .nr = 1 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		rows[i].type = &types[i];
	KUNIT_EXPECT_EQ(test, ucore_hidden_box_report(&finder, &table), 0);
	KUNIT_EXPECT_EQ(test, strlen(finder.hidden), (size_t)UCORE_REASON_LEN - 1);
	KUNIT_EXPECT_STREQ(test, &finder.hidden[UCORE_REASON_LEN - 8], "g_na...");
}

/* ---- v3, v4 and Xeon D ---- */

/**
 * struct sboxes - number of SBOXes of a die
 * @model: CPUID model
 * @chop: CAPID4.CHOP, -1 if its PCI function is hidden
 * @nr: expected number of SBOXes, of four that answer
 */
struct sboxes {
	u32 model;
	int chop;
	u32 nr;
};

static const struct sboxes sboxes[] = {
	{ 63, 0, 2 }, { 63, 1, 4 }, { 63, 3, 4 }, { 63, -1, 4 },
	{ 79, 0, 0 }, { 79, 1, 4 }, { 79, -1, 4 },
	{ 86, 0, 0 }, { 86, 1, 0 }, { 86, -1, 0 },
};

static void sboxes_name(const struct sboxes *s, char *name)
{
	snprintf(name, KUNIT_PARAM_DESC_SIZE, "model %u chop %d", s->model, s->chop);
}

KUNIT_ARRAY_PARAM(sboxes, sboxes, sboxes_name);

/* Add the PCU function with CAPID4. */
static void pcu_add(u32 bus, u32 chop)
{
	u32 device = fake_boot_cpu.x86_model == 63 ? 0x2fc0 : 0x6fc0;

	fake_pci_add(device, bus, 30, 3)->config[0x94 / 4] = chop << 6 | 0xffffff3f;
}

static u32 boxes_found(const char *type, u32 die)
{
	u32 i, n = 0;

	for (i = 0; i < 64; i++)
		n += !!box_find(type, die, i);
	return n;
}

static void sbox_count_follows_capid4(struct kunit *test)
{
	const struct sboxes *s = test->param_value;
	u32 i;

	fake_boot_cpu.x86_model = s->model;
	fake_msr_add(0x710, 0);
	for (i = 0; i < 4; i++)
		fake_msr_add(0x720 + 0xa * i, 0);
	if (s->chop >= 0)
		pcu_add(0, s->chop);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_NOT_NULL(test, box_find("pcu", 0, 0));
	KUNIT_ASSERT_EQ(test, boxes_found("sbox", 0), s->nr);
	if (s->nr)
		KUNIT_EXPECT_EQ(test, box_find("sbox", 0, s->nr - 1)->io.msr,
				0x720U + 0xa * (s->nr - 1));
}

/* Each socket has its own CAPID4. */
static void sbox_count_is_per_socket(struct kunit *test)
{
	u32 i;

	fake_boot_cpu.x86_model = 63;
	fake_kernel.nr_dies = 2;
	for (i = 0; i < 4; i++)
		fake_msr_add(0x720 + 0xa * i, 0);
	ubox_add(0, 1);
	ubox_add(1, 0);
	pcu_add(0, 0);
	pcu_add(1, 2);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, boxes_found("sbox", 1), 2U);
	KUNIT_EXPECT_EQ(test, boxes_found("sbox", 0), 4U);
}

/* Large-cache models have more slices than cores: the UBox configuration gives the number. */
static void cbox_count_follows_ubox_configuration(struct kunit *test)
{
	u32 i;

	fake_boot_cpu.x86_model = 63;
	fake_kernel.nr_cores = 2;
	fake_msr_add(0x702, 0xffe0 | 5);
	for (i = 0; i < 18; i++)
		fake_msr_add(0xe00 + 0x10 * i, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, boxes_found("cbo", 0), 5U);
	KUNIT_EXPECT_EQ(test, box_find("cbo", 0, 4)->io.msr, 0xe40U);
}

/* Up to 18 on v3 and 24 on v4, none of them with a bit in the global status. */
static void cboxes_are_limited_and_have_no_global_bits(struct kunit *test)
{
	static const struct {
		u32 model, nr;
	} cases[] = { { 63, 18 }, { 79, 24 }, { 86, 24 } };
	u32 c, i;

	fake_kernel.nr_cores = 30;
	for (i = 0; i < 30; i++)
		fake_msr_add(0xe00 + 0x10 * i, 0);
	for (c = 0; c < ARRAY_SIZE(cases); c++) {
		fake_boot_cpu.x86_model = cases[c].model;
		KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
		KUNIT_ASSERT_EQ(test, boxes_found("cbo", 0), cases[c].nr);
		for (i = 0; i < cases[c].nr; i++)
			KUNIT_EXPECT_EQ(test, box_find("cbo", 0, i)->desc.global_gp, 0ULL);
		ucore_catalog_destroy();
	}
}

/* The R3QPI functions are visible but have no link. There is one home agent. */
static void xeon_d_has_no_r3qpi_boxes(struct kunit *test)
{
	static const u32 devices[] = { 0x6f30, 0x6f38, 0x6fb0, 0x6fb1, 0x6fb4, 0x6fb5, 0x6fd0,
				       0x6f34, 0x6f36, 0x6f37, 0x6f32, 0x6f39, 0x6f7d };
	u32 i;

	fake_boot_cpu.x86_model = 86;
	ubox_add(0, 0);
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		fake_pci_add(devices[i], 0, i + 12, 0);
	expect_reason(test, "");
	KUNIT_EXPECT_EQ(test, boxes_found("ha", 0), 1U);
	KUNIT_EXPECT_EQ(test, boxes_found("imc", 0), 4U);
	KUNIT_EXPECT_EQ(test, boxes_found("r2pcie", 0), 1U);
	KUNIT_EXPECT_EQ(test, boxes_found("irp", 0), 1U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 7U);
}

/* Ports 0 and 1 of v3 have filter functions. Port 2 has none, which does not count as hidden. */
static void qpi_port_2_of_v3_has_no_filter(struct kunit *test)
{
	fake_boot_cpu.x86_model = 63;
	ubox_add(0, 0);
	fake_pci_add(0x2f32, 0, 8, 2);
	fake_pci_add(0x2f86, 0, 8, 6);
	fake_pci_add(0x2f3a, 0, 10, 2);
	expect_reason(test, "a BIOS option may hide boxes: ha, imc, r2pcie, irp");
	KUNIT_ASSERT_NOT_NULL(test, box_find("qpi", 0, 0));
	KUNIT_EXPECT_NOT_NULL(test, box_find("qpi", 0, 0)->aux.ops);
	KUNIT_ASSERT_NOT_NULL(test, box_find("qpi", 0, 2));
	KUNIT_EXPECT_NULL(test, box_find("qpi", 0, 2)->aux.ops);
}

static void finder_keeps_300_boxes(struct kunit *test)
{
	struct ucore_finder finder = { };
	struct ucore_box_desc desc = { };
	u32 i;

	for (i = 0; i < 300; i++) {
		desc.instance = i;
		KUNIT_ASSERT_EQ(test, ucore_finder_add(&finder, &desc), 0);
	}
	for (i = 0; i < 300; i++)
		KUNIT_EXPECT_EQ(test, finder.desc[i].instance, i);
	ucore_finder_drop(&finder);
	KUNIT_EXPECT_EQ(test, finder.nr, 0U);
}

static void finder_add_at(struct kunit *test, struct ucore_finder *finder, u32 scope, u32 die,
			  u32 cpu, u32 instance)
{
	const struct ucore_platform *p = &ucore_platform_ivbep;
	const struct ucore_static_table *table = p->table;
	const struct ucore_box_desc desc = {
		.type = table->msr[0].type, .layout = table->msr[0].layout,
		.global = table->global, .scope = scope, .die = die, .cpu = cpu,
		.instance = instance,
	};

	KUNIT_ASSERT_EQ(test, ucore_finder_add(finder, &desc), 0);
}

/* The iterator visits exactly the boxes of the domain. @id is the id of its first box. */
static void expect_boxes_of_domain(struct kunit *test, struct ucore_domain *domain, u32 *id)
{
	const struct ucore_box *box;

	ucore_for_each_box(box, domain) {
		KUNIT_EXPECT_EQ(test, box->id, *id);
		KUNIT_EXPECT_PTR_EQ(test, box->domain, domain);
		(*id)++;
	}
	KUNIT_EXPECT_TRUE(test, *id == ucore_catalog.nr_boxes ||
			  ucore_catalog_box(*id)->domain != domain);
}

/* Die domains come before CPU domains, each in numerical order. Boxes are in the order found. */
static void domains_are_sorted_by_scope_and_number(struct kunit *test)
{
	static const struct {
		u32 scope, die;
		int cpu;
		u32 nr_boxes;
	} expected[] = {
		{ UCORE_SCOPE_DIE, 0, -1, 1 }, { UCORE_SCOPE_DIE, 1, -1, 2 },
		{ UCORE_SCOPE_CPU, 0, 0, 1 }, { UCORE_SCOPE_CPU, 1, 1, 2 },
	};
	struct ucore_finder finder = { };
	struct ucore_domain *domain;
	u32 i, id = 0;

	fake_kernel.nr_dies = 2;
	finder_add_at(test, &finder, UCORE_SCOPE_CPU, 1, 1, 0);
	finder_add_at(test, &finder, UCORE_SCOPE_DIE, 1, 0, 5);
	finder_add_at(test, &finder, UCORE_SCOPE_CPU, 0, 0, 0);
	finder_add_at(test, &finder, UCORE_SCOPE_CPU, 1, 1, 1);
	finder_add_at(test, &finder, UCORE_SCOPE_DIE, 0, 0, 0);
	finder_add_at(test, &finder, UCORE_SCOPE_DIE, 1, 0, 6);
	KUNIT_ASSERT_EQ(test, ucore_catalog_fill(&finder), 0);
	ucore_finder_drop(&finder);

	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_domains, (u32)ARRAY_SIZE(expected));
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		domain = ucore_catalog_domain(i);
		KUNIT_EXPECT_EQ(test, domain->id, i);
		KUNIT_EXPECT_EQ(test, domain->scope, expected[i].scope);
		KUNIT_EXPECT_EQ(test, domain->die, expected[i].die);
		KUNIT_EXPECT_EQ(test, domain->cpu, expected[i].cpu);
		KUNIT_EXPECT_EQ(test, domain->nr_boxes, expected[i].nr_boxes);
		expect_boxes_of_domain(test, domain, &id);
	}
	KUNIT_EXPECT_EQ(test, id, ucore_catalog.nr_boxes);
	KUNIT_EXPECT_NULL(test, ucore_catalog_domain(i));
	/* ids continue from domain to domain */
	KUNIT_EXPECT_EQ(test, ucore_catalog_box(1)->desc.instance, 5U);
	KUNIT_EXPECT_EQ(test, ucore_catalog_box(2)->desc.instance, 6U);
	KUNIT_EXPECT_PTR_EQ(test, ucore_catalog_box(5)->domain, ucore_catalog_domain(3));
	/* a CPU belongs to the domain of its die and to its own */
	KUNIT_EXPECT_TRUE(test, ucore_domain_has_cpu(ucore_catalog_domain(1), 1));
	KUNIT_EXPECT_TRUE(test, ucore_domain_has_cpu(ucore_catalog_domain(3), 1));
	KUNIT_EXPECT_FALSE(test, ucore_domain_has_cpu(ucore_catalog_domain(3), 3));
	KUNIT_EXPECT_FALSE(test, ucore_domain_has_cpu(ucore_catalog_domain(2), 1));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(state_on_other_vendor_is_not_intel),
	KUNIT_CASE(state_of_model_without_table_is_unknown),
	KUNIT_CASE(state_outside_family_6_is_unknown),
	KUNIT_CASE(state_without_answering_boxes_is_hidden),
	KUNIT_CASE(state_in_virtual_machine_is_hidden),
	KUNIT_CASE(state_follows_the_intree_driver),
	KUNIT_CASE(hidden_pci_boxes_are_reported),
	KUNIT_CASE(msr_boxes_that_answer_are_added),
	KUNIT_CASE(cboxes_are_limited_to_fifteen),
	KUNIT_CASE(pci_boxes_belong_to_their_sockets),
	KUNIT_CASE(bus_without_ubox_uses_next_higher_one),
	KUNIT_CASE(bus_of_no_socket_is_skipped),
	KUNIT_CASE(single_socket_needs_no_ubox),
	KUNIT_CASE(second_function_of_a_box_is_skipped),
	KUNIT_CASE(socket_without_cpus_is_skipped),
	KUNIT_CASE(offline_socket_next_to_online_one_is_skipped),
	KUNIT_CASE(msr_of_die_without_cpu_does_not_answer),
	KUNIT_CASE(unreadable_ubox_is_ignored),
	KUNIT_CASE(ubox_of_another_segment_is_ignored),
	KUNIT_CASE(build_without_memory_releases_functions),
	KUNIT_CASE(qpi_port_finds_its_filter_function),
	KUNIT_CASE(box_ids_follow_domain_and_table_order),
	KUNIT_CASE(buses_with_eight_nodes_are_mapped_by_ubox),
	KUNIT_CASE(buses_with_nine_nodes_are_mapped_by_numa),
	KUNIT_CASE(bus_without_node_of_nine_is_mapped_by_ubox),
	KUNIT_CASE(bus_with_a_node_without_cpus_is_mapped_by_ubox),
	KUNIT_CASE(bus_of_nine_uboxes_needs_a_node),
	KUNIT_CASE(bus_without_number_in_its_ubox_is_mapped_by_numa),
	KUNIT_CASE(hidden_boxes_are_listed_by_type_and_socket),
	KUNIT_CASE(complete_socket_reports_no_hidden_boxes),
	KUNIT_CASE(hidden_boxes_of_one_socket_name_the_die),
	KUNIT_CASE(hidden_filter_functions_are_reported),
	KUNIT_CASE(hidden_filter_function_of_the_only_box_is_reported),
	KUNIT_CASE(long_list_of_hidden_boxes_is_truncated),
	KUNIT_CASE_PARAM(sbox_count_follows_capid4, sboxes_gen_params),
	KUNIT_CASE(sbox_count_is_per_socket),
	KUNIT_CASE(cbox_count_follows_ubox_configuration),
	KUNIT_CASE(cboxes_are_limited_and_have_no_global_bits),
	KUNIT_CASE(xeon_d_has_no_r3qpi_boxes),
	KUNIT_CASE(qpi_port_2_of_v3_has_no_filter),
	KUNIT_CASE(finder_keeps_300_boxes),
	KUNIT_CASE(domains_are_sorted_by_scope_and_number),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_catalog",
	.init = catalog_init,
	.exit = fake_catalog_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
