// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the dies of discovery tables on a machine without NUMA nodes and UBoxes: in the
 * order of their buses, or by a trial that freezes one die after the other.
 */
#include <kunit/test.h>

#include "abi/get_answers.h"
#include "box/catalog.h"
#include "fake_machine.h"
#include "find/discovery/make_boxes.h"

#define BAR_SIZE	0x1000
#define GLOBAL_MSR	0x2ff0
#define IMC(socket)	(0xd0000000ULL + 0x1000000 * (socket))
#define IMC_SIZE	0x68
#define FIXED_CTL	0x54
#define FIXED_CTR	0x38
#define MMIO_WORD	(BIT_ULL(62) | 0x60ULL << 32 | 8 << 24 | 48 << 16 | 0x40 << 8 | 4)
#define MSR_WORD	(BIT_ULL(32) | 8 << 24 | 48 << 16 | 2 << 8 | 4)
#define GUESS		"nothing shows the dies of discovery tables: iMC, UPI and other boxes may be on the wrong die. "
#define SOCKETS		2

/* Global control of each socket, number of writes to them, registers of each socket's iMC */
static struct {
	u64 global[SOCKETS];
	u32 writes;
	u8 *imc[SOCKETS];
	bool imc_stands;
} machine;

static int socket_read(u32 msr, u64 *val)
{
	if (msr != GLOBAL_MSR)
		return -ENOENT;
	*val = machine.global[raw_smp_processor_id() % SOCKETS];
	return 0;
}

static int socket_write(u32 msr, u64 val)
{
	if (msr != GLOBAL_MSR)
		return -ENOENT;
	machine.global[raw_smp_processor_id() % SOCKETS] = val;
	machine.writes++;
	return 0;
}

/* Let the fixed counter of each iMC count, unless its box or its socket is frozen. */
static void sockets_tick(void)
{
	u32 i;

	for (i = 0; i < SOCKETS && !machine.imc_stands; i++)
		if (machine.imc[i] && !(machine.global[i] & 1) && !(*machine.imc[i] & 1) &&
		    *(u32 *)(machine.imc[i] + FIXED_CTL) & BIT(22))
			*(u64 *)(machine.imc[i] + FIXED_CTR) += 1;
}

static int dies_init(struct kunit *test)
{
	fake_kernel_reset();
	fake_cpus_need_two(test);
	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 173;
	fake_boot_cpu.x86_phys_bits = 46;
	fake_kernel.nr_nodes = 1;
	fake_kernel.nr_dies = 2;
	memset(&machine, 0, sizeof(machine));
	fake_core_read = socket_read;
	fake_core_write = socket_write;
	fake_load_hook = sockets_tick;
	return 0;
}

static void dies_exit(struct kunit *test)
{
	fake_catalog_exit(test);
	fake_core_read = NULL;
	fake_core_write = NULL;
}

/* Add a function with a DVSEC and room for a table. */
static struct fake_function *function_add(struct kunit *test, u32 bus, u32 slot, u64 **word)
{
	u64 bar = 0xfe000000 + fake_kernel.nr_functions * 0x10000;
	struct fake_function *function = fake_pci_add(0x09a7, bus, slot, 0);

	*word = (u64 *)fake_memory_add(test, bar, BAR_SIZE);
	function->config[1] = PCI_COMMAND_MEMORY;
	function->config[4] = bar;
	function->config[0x40] = 1 << 16 | 0x23;
	function->config[0x41] = 0x01008086;
	function->config[0x42] = 1;
	function->pdev.pcie_cap = 0x40;
	function->pdev.resource[0].start = bar;
	function->pdev.resource[0].end = bar + BAR_SIZE - 1;
	return function;
}

static void record_set(u64 *word, u32 record, u64 w0, u64 w1, u64 w2)
{
	word[3 * record] = w0;
	word[3 * record + 1] = w1;
	word[3 * record + 2] = w2;
}

/* Add the function of a socket, whose table has a memory channel. */
static struct fake_function *socket_add(struct kunit *test, u32 socket, u32 bus)
{
	struct fake_function *function;
	u64 *word;

	function = function_add(test, bus, 3, &word);
	record_set(word, 0, 1 << 16 | 3 << 8, GLOBAL_MSR, 0);
	record_set(word, 1, MMIO_WORD, IMC(socket), 6);
	if (!machine.imc[socket])
		machine.imc[socket] = fake_memory_add(test, IMC(socket), IMC_SIZE);
	return function;
}

/* Add a function of a GPU, whose memory reads all ones. */
static void gpu_add(struct kunit *test, u32 bus)
{
	u64 *word;

	function_add(test, bus, 0, &word);
	memset(word, 0xff, BAR_SIZE);
}

static struct ucore_table_info table_info(u32 i)
{
	struct ucore_table_info info;

	ucore_discovery_report.table(i, &info);
	return info;
}

static void expect_table(struct kunit *test, u32 i, u32 reason, s32 die, u32 die_by)
{
	KUNIT_ASSERT_LT(test, i, ucore_discovery_report.nr_tables());
	KUNIT_EXPECT_EQ(test, table_info(i).reason, reason);
	KUNIT_EXPECT_EQ(test, table_info(i).die, die);
	KUNIT_EXPECT_EQ(test, table_info(i).die_by, die_by);
}

/* Check that the box of die @die is the memory channel of socket @socket. */
static void expect_imc(struct kunit *test, u32 die, u32 socket)
{
	u32 i, n = 0;

	for (i = 0; i < ucore_catalog.nr_boxes; i++) {
		if (ucore_catalog.boxes[i].desc.die != die)
			continue;
		KUNIT_EXPECT_EQ(test, (u64)ucore_catalog.boxes[i].desc.phys, IMC(socket));
		n++;
	}
	KUNIT_EXPECT_EQ(test, n, 1U);
}

static void expect_reason(struct kunit *test, const char *reason)
{
	KUNIT_EXPECT_STREQ(test, ucore_describe_reason(UCORE_STATE_READY), reason);
	KUNIT_EXPECT_LT(test, strlen(reason), (size_t)UCORE_REASON_LEN - 1);
}

/* ---- order ---- */

/* Orders in which the kernel lists the functions of socket 0, of socket 1 and of a GPU */
static const char * const orders[] = { "01g", "0g1", "10g", "1g0", "g01", "g10" };
KUNIT_ARRAY_PARAM(order, orders, NULL);

static void listed_functions_add(struct kunit *test, const char *order, u32 gpu_bus)
{
	for (; *order; order++) {
		if (*order == 'g')
			gpu_add(test, gpu_bus);
		else
			socket_add(test, *order - '0', *order - '0');
	}
}

static void expect_order(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_imc(test, 0, 0);
	expect_imc(test, 1, 1);
	expect_reason(test, GUESS "A trial needs ucore loaded without intel_uncore");
	KUNIT_EXPECT_EQ(test, ucore_catalog.cause, (u32)UCORE_CAUSE_GUESS);
	KUNIT_EXPECT_EQ(test, machine.writes, 0U);
}

static void tables_follow_their_buses_in_any_order(struct kunit *test)
{
	listed_functions_add(test, *(const char * const *)test->param_value, 2);
	expect_order(test);
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ORDER);
	expect_table(test, 1, UCORE_TABLE_OK, 1, UCORE_DIE_BY_ORDER);
	expect_table(test, 2, UCORE_TABLE_ALL_ONES, -1, UCORE_DIE_BY_NONE);
}

/* The GPU is on the bus of socket 0, before its table. */
static void gpu_before_the_tables_takes_no_share(struct kunit *test)
{
	listed_functions_add(test, *(const char * const *)test->param_value, 0);
	expect_order(test);
	expect_table(test, 0, UCORE_TABLE_ALL_ONES, -1, UCORE_DIE_BY_NONE);
	expect_table(test, 1, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ORDER);
	expect_table(test, 2, UCORE_TABLE_OK, 1, UCORE_DIE_BY_ORDER);
}

/* Reasons for which a function on the bus of socket 0, before its table, has no table */

static const u32 useless_kinds[] = {
	UCORE_TABLE_ASLEEP, UCORE_TABLE_CONFIG, UCORE_TABLE_DISABLED, UCORE_TABLE_EMPTY,
	UCORE_TABLE_GLOBAL,
};

KUNIT_ARRAY_PARAM(useless, useless_kinds, NULL);

static void useless_function_takes_no_share(struct kunit *test)
{
	u32 reason = *(const u32 *)test->param_value;
	struct fake_function *function;
	u64 *word;

	function = function_add(test, 0, 0, &word);
	if (reason != UCORE_TABLE_EMPTY)
		record_set(word, 0, 1 << 16 | 3 << 8, GLOBAL_MSR, 0);
	if (reason == UCORE_TABLE_GLOBAL)
		word[1] = 0x4000;	/* this MSR faults on all dies */
	if (reason == UCORE_TABLE_ASLEEP)
		function->pdev.current_state = PCI_D3hot;
	if (reason == UCORE_TABLE_CONFIG)
		function->pdev.cfg_size = PCI_CFG_SPACE_SIZE;
	if (reason == UCORE_TABLE_DISABLED)
		function->config[1] = 0;
	socket_add(test, 1, 1);
	socket_add(test, 0, 0);
	expect_order(test);
	expect_table(test, 0, reason, -1, UCORE_DIE_BY_NONE);
	expect_table(test, 1, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ORDER);
	expect_table(test, 2, UCORE_TABLE_OK, 1, UCORE_DIE_BY_ORDER);
}

/* The node of one bus is known. The other table is that of the other die. */
static void table_gets_the_die_that_no_node_names(struct kunit *test)
{
	socket_add(test, 0, 1);
	socket_add(test, 1, 0);
	fake_kernel.nr_nodes = 2;
	fake_kernel.bus_node[0] = 1 + 1;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_imc(test, 0, 0);
	expect_imc(test, 1, 1);
	expect_table(test, 0, UCORE_TABLE_OK, 1, UCORE_DIE_BY_BUS);
	expect_table(test, 1, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ORDER);
}

static void tables_of_known_dies_are_no_guess(struct kunit *test)
{
	socket_add(test, 0, 0);
	socket_add(test, 1, 1);
	fake_kernel.nr_nodes = 2;
	fake_kernel.bus_node[0] = 0 + 1;
	fake_kernel.bus_node[1] = 1 + 1;
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_BUS);
	expect_table(test, 1, UCORE_TABLE_OK, 1, UCORE_DIE_BY_BUS);
	expect_reason(test, "");
	KUNIT_EXPECT_EQ(test, machine.writes, 0U);
}

static void only_die_is_no_guess(struct kunit *test)
{
	fake_kernel.nr_dies = 1;
	socket_add(test, 0, 0);
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ONLY);
	expect_reason(test, "");
	KUNIT_EXPECT_EQ(test, machine.writes, 0U);
}

/* Every CPU accesses the MSRs of its own die, whatever table lists them. */
static void guess_without_boxes_in_memory_is_no_problem(struct kunit *test)
{
	u32 bus;
	u64 *word;

	fake_msr_add(0x2000, 0);
	for (bus = 0; bus < 2; bus++) {
		function_add(test, bus, 3, &word);
		record_set(word, 0, 1 << 16 | 3 << 8, GLOBAL_MSR, 0);
		record_set(word, 1, MSR_WORD, 0x2000, 0);
	}
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_table(test, 1, UCORE_TABLE_OK, 1, UCORE_DIE_BY_ORDER);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 2U);
	expect_reason(test, "");
	KUNIT_EXPECT_EQ(test, machine.writes, 0U);
}

/* ---- trial ---- */

static u32 imc_word(u32 socket, u32 reg)
{
	return *(u32 *)(machine.imc[socket] + reg);
}

/* The bus of socket 1 is below that of socket 0. Both are found frozen, and with a count. */
static void trial_corrects_the_order_and_restores_registers(struct kunit *test)
{
	u32 i;

	socket_add(test, 0, 1);
	socket_add(test, 1, 0);
	for (i = 0; i < SOCKETS; i++) {
		machine.global[i] = 0x10001;
		*machine.imc[i] = 1;
		*(u64 *)(machine.imc[i] + FIXED_CTR) = 1234;
	}
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_imc(test, 0, 0);
	expect_imc(test, 1, 1);
	expect_table(test, 0, UCORE_TABLE_OK, 1, UCORE_DIE_BY_FREEZE);
	expect_table(test, 1, UCORE_TABLE_OK, 0, UCORE_DIE_BY_FREEZE);
	expect_reason(test, "");
	for (i = 0; i < SOCKETS; i++) {
		KUNIT_EXPECT_EQ(test, machine.global[i], 0x10001ULL);
		KUNIT_EXPECT_EQ(test, imc_word(i, 0), 1U);
		KUNIT_EXPECT_EQ(test, imc_word(i, FIXED_CTL), 0U);
		KUNIT_EXPECT_EQ(test, *(u64 *)(machine.imc[i] + FIXED_CTR), 1234ULL);
	}
	KUNIT_EXPECT_GT(test, machine.writes, 0U);
}

static void trial_finds_the_die_of_the_only_table(struct kunit *test)
{
	socket_add(test, 0, 0)->pdev.current_state = PCI_D3hot;
	socket_add(test, 1, 1);
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 1U);
	expect_imc(test, 1, 1);
	expect_table(test, 0, UCORE_TABLE_ASLEEP, -1, UCORE_DIE_BY_NONE);
	expect_table(test, 1, UCORE_TABLE_OK, 1, UCORE_DIE_BY_FREEZE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.cause, (u32)UCORE_CAUSE_ASLEEP);
}

/* Only the CPUs of socket 0 are online, and each socket has a table. */
static void trial_finds_the_table_of_a_socket_without_cpus(struct kunit *test)
{
	fake_kernel.nr_dies = 1;
	fake_kernel.leaving = BIT(1);
	socket_add(test, 1, 0);
	socket_add(test, 0, 1);
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 1U);
	expect_imc(test, 0, 0);
	expect_table(test, 0, UCORE_TABLE_DIE, -1, UCORE_DIE_BY_NONE);
	expect_table(test, 1, UCORE_TABLE_OK, 0, UCORE_DIE_BY_FREEZE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.cause, (u32)UCORE_CAUSE_OFFLINE);
}

/* Firmware has frozen that socket, and no CPU can end the freeze, so that its clock stands. */
static void table_of_a_frozen_socket_without_cpus_is_not_used(struct kunit *test)
{
	fake_kernel.nr_dies = 1;
	fake_kernel.leaving = BIT(1);
	machine.global[1] = 1;
	socket_add(test, 0, 0);
	socket_add(test, 1, 1);
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 1U);
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_FREEZE);
	expect_table(test, 1, UCORE_TABLE_DIE, -1, UCORE_DIE_BY_NONE);
	KUNIT_EXPECT_EQ(test, machine.global[1], 1ULL);
}

/* A trial freezes all dies, so that a user of one of them prevents it. */
static void box_in_use_prevents_all_trials(struct kunit *test)
{
	socket_add(test, 0, 1);
	socket_add(test, 1, 0);
	*(u32 *)(machine.imc[0] + FIXED_CTL) = BIT(22);
	*(u64 *)(machine.imc[0] + FIXED_CTR) = 5;
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ORDER);
	expect_table(test, 1, UCORE_TABLE_OK, 1, UCORE_DIE_BY_ORDER);
	expect_reason(test, GUESS "Boot without numa=off, or update the BIOS");
	KUNIT_EXPECT_EQ(test, imc_word(0, FIXED_CTL), (u32)BIT(22));
	KUNIT_EXPECT_EQ(test, imc_word(0, 0), 0U);
}

static void box_whose_clock_stands_gives_no_die(struct kunit *test)
{
	socket_add(test, 0, 0);
	socket_add(test, 1, 1);
	machine.imc_stands = true;
	ucore_catalog.may_write = true;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ORDER);
	expect_table(test, 1, UCORE_TABLE_OK, 1, UCORE_DIE_BY_ORDER);
	expect_reason(test, GUESS "Boot without numa=off, or update the BIOS");
	KUNIT_EXPECT_EQ(test, machine.global[0] | machine.global[1], 0ULL);
}

/* ---- several global controls of a die ---- */

static void second_global_control_of_a_die_is_used(struct kunit *test)
{
	u64 *word;

	fake_kernel.nr_dies = 1;
	socket_add(test, 0, 0);
	function_add(test, 0, 5, &word);
	record_set(word, 0, BIT_ULL(62) | 1 << 16 | 3 << 8, IMC(3), 0);
	record_set(word, 1, MMIO_WORD, IMC(1), 1 << 16 | 6);
	fake_memory_add(test, IMC(3), 8);
	machine.imc[1] = fake_memory_add(test, IMC(1), IMC_SIZE);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ONLY);
	expect_table(test, 1, UCORE_TABLE_OK, 0, UCORE_DIE_BY_ONLY);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 2U);
	KUNIT_ASSERT_NOT_NULL(test, ucore_catalog.boxes[0].desc.global);
	KUNIT_ASSERT_NOT_NULL(test, ucore_catalog.boxes[0].desc.global->next);
	KUNIT_EXPECT_EQ(test, (u64)ucore_catalog.boxes[0].desc.global->next->phys, IMC(3));
	KUNIT_EXPECT_NULL(test, ucore_catalog.boxes[0].desc.global->next->next);
}

/* ---- tables whose addresses are in MSRs ---- */

static void expect_table_msr(struct kunit *test, u32 msr)
{
	u64 *word = (u64 *)fake_memory_add(test, IMC(2), BAR_SIZE);

	fake_kernel.nr_dies = 1;
	record_set(word, 0, BIT_ULL(62) | 1 << 16 | 3 << 8, IMC(3), 0);
	record_set(word, 1, MMIO_WORD, IMC(0), 6);
	fake_memory_add(test, IMC(3), 8);
	machine.imc[0] = fake_memory_add(test, IMC(0), IMC_SIZE);
	fake_msr_add(msr, IMC(2));
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog.nr_boxes, 1U);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.boxes[0].desc.type->name, "type_6");
	expect_table(test, 0, UCORE_TABLE_OK, 0, UCORE_DIE_BY_MSR);
	KUNIT_EXPECT_EQ(test, table_info(0).msr, msr);
}

static void unknown_processor_has_its_table_by_msr_201e(struct kunit *test)
{
	fake_boot_cpu.x86_model = 250;
	expect_table_msr(test, 0x201e);
}

static void nova_lake_has_its_table_by_msr_711(struct kunit *test)
{
	fake_boot_cpu.x86 = 18;
	fake_boot_cpu.x86_model = 3;
	expect_table_msr(test, 0x711);
}

/* The value is 0, or the MSR faults: the processor has no table, which is no error. */
static void unknown_processor_without_table_msr_has_no_table(struct kunit *test)
{
	fake_boot_cpu.x86_model = 250;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_UNKNOWN);
	ucore_catalog_destroy();
	fake_msr_add(0x201e, 0);
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_UNKNOWN);
}

/* A server processor has its table in PCI functions only. */
static void known_processor_does_not_read_msr_201e(struct kunit *test)
{
	socket_add(test, 0, 0);
	fake_kernel.nr_dies = 1;
	fake_msr_add(0x201e, IMC(2));
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_discovery_report.nr_tables(), 1U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(tables_follow_their_buses_in_any_order, order_gen_params),
	KUNIT_CASE_PARAM(gpu_before_the_tables_takes_no_share, order_gen_params),
	KUNIT_CASE_PARAM(useless_function_takes_no_share, useless_gen_params),
	KUNIT_CASE(table_gets_the_die_that_no_node_names),
	KUNIT_CASE(tables_of_known_dies_are_no_guess),
	KUNIT_CASE(only_die_is_no_guess),
	KUNIT_CASE(guess_without_boxes_in_memory_is_no_problem),
	KUNIT_CASE(trial_corrects_the_order_and_restores_registers),
	KUNIT_CASE(trial_finds_the_die_of_the_only_table),
	KUNIT_CASE(trial_finds_the_table_of_a_socket_without_cpus),
	KUNIT_CASE(table_of_a_frozen_socket_without_cpus_is_not_used),
	KUNIT_CASE(box_in_use_prevents_all_trials),
	KUNIT_CASE(box_whose_clock_stands_gives_no_die),
	KUNIT_CASE(second_global_control_of_a_die_is_used),
	KUNIT_CASE(unknown_processor_has_its_table_by_msr_201e),
	KUNIT_CASE(nova_lake_has_its_table_by_msr_711),
	KUNIT_CASE(unknown_processor_without_table_msr_has_no_table),
	KUNIT_CASE(known_processor_does_not_read_msr_201e),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_table_dies",
	.init = dies_init,
	.exit = dies_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
