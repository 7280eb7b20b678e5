// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the reason and the cause that GET_INFO reports if boxes or discovery tables are
 * missing: virtual machine, firmware, config space, sleeping functions.
 */
#include "abi/get_answers.h"
#include "fake_machine.h"
#include "find/discovery/make_boxes.h"

#define BAR_SIZE	0x1000
#define CONFIG_TEXT	"the kernel reaches only 256 bytes of PCI config space, discovery tables need more: boot without pci=nommconf, see MMCONFIG or ECAM in dmesg"

static int missing_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 143;
	fake_boot_cpu.x86_phys_bits = 46;
	fake_kernel.nr_nodes = 1;
	return 0;
}

static void guest(void)
{
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_HYPERVISOR);
}

static void expect_state(struct kunit *test, u32 state, u32 cause, const char *reason)
{
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), state);
	KUNIT_EXPECT_EQ(test, ucore_describe_cause(state), cause);
	KUNIT_EXPECT_STREQ(test, ucore_describe_reason(state), reason);
	KUNIT_EXPECT_LT(test, strlen(reason), (size_t)UCORE_REASON_LEN - 1);
}

/* ---- discovery tables ---- */

/* Add the UBox of a socket. */
static void ubox_add(u32 bus, u32 package)
{
	struct fake_function *ubox = fake_pci_add(0x3250, bus, 20, 0);

	ubox->config[0xc0 / 4] = package;
	ubox->config[0xd4 / 4] = 0xfac688;
}

/* Add a function with a valid DVSEC, and with a table of one CHA in its BAR. */
static struct fake_function *table_add(struct kunit *test, u32 bus)
{
	u64 bar = 0xfe000000 + fake_kernel.nr_functions * 0x10000;
	struct fake_function *function = fake_pci_add(0x09a7, bus, fake_kernel.nr_functions, 0);
	u64 *word = (u64 *)fake_memory_add(test, bar, BAR_SIZE);

	function->config[1] = PCI_COMMAND_MEMORY;
	function->config[4] = bar;
	function->config[0x40] = 1 << 16 | 0x23;
	function->config[0x41] = 0x01008086;
	function->config[0x42] = 1;
	function->pdev.pcie_cap = 0x40;
	function->pdev.resource[0].start = bar;
	function->pdev.resource[0].end = bar + BAR_SIZE - 1;
	word[0] = 1 << 16 | 3 << 8;
	word[1] = 0x2ff0;
	word[3] = 1ULL << 32 | 8 << 24 | 48 << 16 | 2 << 8 | 4;
	word[4] = 0x2000;
	return function;
}

/* Make a machine with two dies, and with a table of die 0 only. */
static struct fake_function *one_of_two_tables(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	fake_msr_add(0x2ff0, 0);
	fake_msr_add(0x2000, 0);
	ubox_add(0, 0);
	ubox_add(1, 1);
	return table_add(test, 0);
}

static u32 table_reason(u32 i)
{
	struct ucore_table_info info;

	ucore_discovery_report.table(i, &info);
	return info.reason;
}

static void machine_with_both_tables_has_no_problem(struct kunit *test)
{
	one_of_two_tables(test);
	table_add(test, 1);
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_NONE, "");
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
}

static void die_without_a_table_is_reported(struct kunit *test)
{
	one_of_two_tables(test);
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_FIRMWARE,
		     "die 1 has no discovery table: look for a BIOS option that hides it");
}

static void die_with_a_rejected_table_is_reported(struct kunit *test)
{
	one_of_two_tables(test);
	table_add(test, 1)->config[1] = 0;
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_TABLE,
		     "a discovery table of die 1 cannot be used: 'ucoretool list --rejected' gives the reason");
}

static void missing_tables_of_a_known_processor_are_hidden_by_firmware(struct kunit *test)
{
	expect_state(test, UCORE_STATE_HIDDEN, UCORE_CAUSE_FIRMWARE,
		     "no PMON discovery table: look for a BIOS option that enables it");
}

/* ---- virtual machines ---- */

static void tables_missing_in_a_guest_are_hidden_by_the_host(struct kunit *test)
{
	guest();
	expect_state(test, UCORE_STATE_HIDDEN, UCORE_CAUSE_GUEST,
		     "a virtual machine hides the uncore boxes: run ucore on the host");
}

static void die_of_a_guest_without_a_table_names_the_guest(struct kunit *test)
{
	guest();
	one_of_two_tables(test);
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_GUEST,
		     "a virtual machine hides the discovery table of die 1: run ucore on the host");
}

static void unknown_processor_of_a_guest_names_the_guest(struct kunit *test)
{
	guest();
	fake_boot_cpu.x86_model = 250;
	expect_state(test, UCORE_STATE_UNKNOWN, UCORE_CAUSE_GUEST,
		     "a virtual machine hides the uncore boxes: run ucore on the host");
}

static void pci_boxes_missing_in_a_guest_are_hidden_by_the_host(struct kunit *test)
{
	guest();
	fake_boot_cpu.x86_model = 62;
	fake_msr_add(0xc24, 0);
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_GUEST,
		     "a virtual machine hides the PCI boxes: run ucore on the host");
}

/* ---- extended config space ---- */

static void config_shorten(struct fake_function *function)
{
	function->pdev.cfg_size = PCI_CFG_SPACE_SIZE;
}

/* As with pci=nommconf: the function exists, but its DVSEC cannot be read. */
static void table_beyond_reachable_config_space_names_the_kernel(struct kunit *test)
{
	config_shorten(table_add(test, 0));
	expect_state(test, UCORE_STATE_HIDDEN, UCORE_CAUSE_CONFIG, CONFIG_TEXT);
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 1U);
	KUNIT_EXPECT_EQ(test, table_reason(0), (u32)UCORE_TABLE_CONFIG);
}

/* The kernel uses the memory-mapped config space of one socket only. */
static void short_config_space_of_one_socket_names_the_kernel(struct kunit *test)
{
	one_of_two_tables(test);
	config_shorten(table_add(test, 1));
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_CONFIG, CONFIG_TEXT);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 1U);
}

/* The id of the function that points to a table is unknown here. */
static void unknown_processor_without_extended_config_space_names_the_kernel(struct kunit *test)
{
	struct fake_function *function = fake_pci_add(0x1234, 0, 3, 0);

	fake_boot_cpu.x86_model = 250;
	function->pdev.pcie_cap = 0x40;
	config_shorten(function);
	expect_state(test, UCORE_STATE_UNKNOWN, UCORE_CAUSE_CONFIG, CONFIG_TEXT);
}

/* A function of PCI, not PCI Express, has 256 bytes. */
static void short_config_space_of_conventional_pci_is_no_problem(struct kunit *test)
{
	fake_boot_cpu.x86_model = 250;
	config_shorten(fake_pci_add(0x1234, 0, 3, 0));
	expect_state(test, UCORE_STATE_UNKNOWN, UCORE_CAUSE_PROCESSOR,
		     "no table for this Intel processor, and it has no PMON discovery");
}

/* ---- sleeping functions ---- */

/* The table of the sleeping function would be a duplicate if the driver read it. */
static void sleeping_function_is_not_read(struct kunit *test)
{
	one_of_two_tables(test);
	table_add(test, 1);
	table_add(test, 0)->pdev.current_state = PCI_D3hot;
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_NONE, "");
	KUNIT_ASSERT_EQ(test, ucore_discovery_report.nr_tables(), 3U);
	KUNIT_EXPECT_EQ(test, table_reason(1), (u32)UCORE_TABLE_ASLEEP);
}

/* The kernel does not know the state, and the power management register has it. */
static void state_of_an_unbound_function_is_in_its_register(struct kunit *test)
{
	struct fake_function *function;

	one_of_two_tables(test);
	function = table_add(test, 1);
	function->pdev.current_state = PCI_UNKNOWN;
	function->pdev.pm_cap = 0x80;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, table_reason(1), (u32)UCORE_TABLE_OK);
	ucore_catalog_destroy();
	function->config[(0x80 + PCI_PM_CTRL) / 4] = 3;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, table_reason(1), (u32)UCORE_TABLE_ASLEEP);
}

static void die_without_a_table_names_the_sleeping_function(struct kunit *test)
{
	one_of_two_tables(test);
	table_add(test, 0)->pdev.current_state = PCI_D3cold;
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_ASLEEP,
		     "die 1 has no discovery table, but PCI function 0000:3f:03.0 sleeps and may have it: wake it and load ucore again");
}

/* Other functions, for example of a network card, point to no table. */
static void sleeping_function_of_another_id_is_skipped(struct kunit *test)
{
	one_of_two_tables(test);
	table_add(test, 1);
	fake_pci_add(0x1572, 0, 9, 0)->pdev.current_state = PCI_D3hot;
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_NONE, "");
	KUNIT_EXPECT_EQ(test, ucore_discovery_report.nr_tables(), 2U);
}

/* ---- links of one socket ---- */

/* Add a box of each type of Skylake-SP except for the links. */
static void skylake_without_links(u32 bus)
{
	struct fake_function *ubox = fake_pci_add(0x2014, bus, 8, 0);

	ubox->config[0xc0 / 4] = bus;
	ubox->config[0xd4 / 4] = 0xfac688;
	fake_pci_add(0x2042, bus, 10, 2);
	fake_pci_add(0x2066, bus, 8, 0);
	fake_pci_add(0x2088, bus, 21, 1);
}

static void missing_links_of_one_socket_are_no_problem(struct kunit *test)
{
	fake_boot_cpu.x86_model = 85;
	fake_boot_cpu.x86_stepping = 4;
	skylake_without_links(0);
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_NONE, "");
}

static void missing_links_of_two_sockets_are_reported(struct kunit *test)
{
	fake_kernel.nr_dies = 2;
	fake_boot_cpu.x86_model = 85;
	fake_boot_cpu.x86_stepping = 4;
	skylake_without_links(0);
	skylake_without_links(1);
	expect_state(test, UCORE_STATE_READY, UCORE_CAUSE_FIRMWARE,
		     "a BIOS option may hide boxes: upi, m3upi");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(machine_with_both_tables_has_no_problem),
	KUNIT_CASE(die_without_a_table_is_reported),
	KUNIT_CASE(die_with_a_rejected_table_is_reported),
	KUNIT_CASE(missing_tables_of_a_known_processor_are_hidden_by_firmware),
	KUNIT_CASE(tables_missing_in_a_guest_are_hidden_by_the_host),
	KUNIT_CASE(die_of_a_guest_without_a_table_names_the_guest),
	KUNIT_CASE(unknown_processor_of_a_guest_names_the_guest),
	KUNIT_CASE(pci_boxes_missing_in_a_guest_are_hidden_by_the_host),
	KUNIT_CASE(table_beyond_reachable_config_space_names_the_kernel),
	KUNIT_CASE(short_config_space_of_one_socket_names_the_kernel),
	KUNIT_CASE(unknown_processor_without_extended_config_space_names_the_kernel),
	KUNIT_CASE(short_config_space_of_conventional_pci_is_no_problem),
	KUNIT_CASE(sleeping_function_is_not_read),
	KUNIT_CASE(state_of_an_unbound_function_is_in_its_register),
	KUNIT_CASE(die_without_a_table_names_the_sleeping_function),
	KUNIT_CASE(sleeping_function_of_another_id_is_skipped),
	KUNIT_CASE(missing_links_of_one_socket_are_no_problem),
	KUNIT_CASE(missing_links_of_two_sockets_are_reported),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_missing",
	.init = missing_init,
	.exit = fake_catalog_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
