// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: finds and maps the tables.
 *
 * Finds the DVSECs of all Intel PCI functions, reads the MSRs that contain table addresses, and
 * maps the tables. Also provides facts about this machine to the pure functions of discovery.
 * parse_tables.c interprets the content of the tables. Process context, at module load.
 */
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "find/array.h"
#include "find/die_topology.h"
#include "find/discovery/fetch_tables.h"
#include "find/discovery/freeze_trial.h"
#include "find/discovery/other_pci_devices.h"
#include "find/discovery/parse_tables.h"
#include "find/discovery/probe_units.h"
#include "find/discovery/record.h"
#include "find/discovery/unit_check.h"
#include "find/iomem_resources.h"
#include "hw/discovery.h"
#include "reg/reg.h"

#define MAX_DVSECS	8	/* maximum number of DVSECs read from one PCI function */

#define DISC_RECORD_BYTES	(DISC_RECORD_WORDS * sizeof(u64))

/* ---- facts for the parser ---- */

static bool env_on_ram(const struct ucore_disc_env *env, u64 address, u64 size)
{
	return ucore_resource_is_ram(address, size);
}

static bool env_function(const struct ucore_disc_env *env, u32 segment, u32 bus, u32 devfn,
			 struct ucore_disc_function *function)
{
	return ucore_other_devices_own(segment, bus, devfn, function);
}

static bool env_answers(const struct ucore_disc_env *env, const struct ucore_unit *unit)
{
	return ucore_probe_unit(unit);
}

static struct ucore_disc_env env = {
	.on_ram = env_on_ram,
	.function = env_function,
	.answers = env_answers,
};

struct source {
	struct ucore_disc_source source;
	void __iomem *base;
};

static void source_copy(const struct ucore_disc_source *source, u64 *to, u64 offset, u32 words)
{
	void __iomem *from = container_of(source, struct source, source)->base + offset;
	u32 i;

	for (i = 0; i < words; i++)
		to[i] = readq(from + i * sizeof(u64));
}

/* ---- finding tables ---- */

/* Insert a table at position @at of the array, and move the tables behind it. */
static struct ucore_disc_table *table_insert(struct ucore_disc *disc, u32 at)
{
	struct ucore_disc_table *table = ucore_array_grow(disc->table, disc->nr_tables,
							  &disc->max_tables, sizeof(*table));

	if (!table)
		return NULL;
	disc->table = table;
	table += at;
	memmove(table + 1, table, (disc->nr_tables++ - at) * sizeof(*table));
	*table = (struct ucore_disc_table){ };
	return table;
}

/* Return a number that orders PCI functions by segment, bus, device and function. */
static u64 function_order(u32 segment, u32 bus, u32 devfn)
{
	return (u64)segment << 16 | bus << 8 | devfn;
}

/*
 * Add a table of a PCI function. The order of the tables is that of their functions, because the
 * kernel lists PCI buses in any order. Tables of the same function keep their order.
 */
static struct ucore_disc_table *table_of_function(struct ucore_disc *disc, struct pci_dev *pdev)
{
	u32 segment = pci_domain_nr(pdev->bus), bus = pdev->bus->number, at = disc->nr_tables;
	struct ucore_disc_table *table;

	while (at && function_order(disc->table[at - 1].segment, disc->table[at - 1].bus,
				    disc->table[at - 1].devfn) >
		     function_order(segment, bus, pdev->devfn))
		at--;
	table = table_insert(disc, at);
	if (table) {
		table->die = ucore_die_of_bus(pdev->bus, disc->rules->ubox);
		table->die_by = table->die >= 0 ? UCORE_DIE_BY_BUS : UCORE_DIE_BY_NONE;
		table->segment = segment;
		table->bus = bus;
		table->devfn = pdev->devfn;
	}
	return table;
}

/* Find the address of a table from the BARs in config space, without mapping the table. */
static void table_locate(struct ucore_disc_table *t, const struct ucore_pci_config *config)
{
	struct pci_dev *pdev = config->pdev;
	u16 command;
	u64 size;

	t->reason = ucore_parse_bar(&config->config, t->dvsec.bar, &t->address);
	if (t->reason)
		return;
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	if (!(command & PCI_COMMAND_MEMORY)) {
		t->reason = UCORE_TABLE_DISABLED;
		return;
	}
	t->size = UCORE_DISC_MAX_BYTES;
	/* the size of the BAR is known if the kernel has a resource at this address */
	if (pci_resource_start(pdev, t->dvsec.bar) == t->address) {
		size = pci_resource_len(pdev, t->dvsec.bar);
		if (t->dvsec.offset >= size) {
			t->reason = UCORE_TABLE_OUTSIDE;
			return;
		}
		t->size = min_t(u64, size - t->dvsec.offset, UCORE_DISC_MAX_BYTES);
	}
	t->address += t->dvsec.offset;
}

/* Add a table of a PCI function that points to tables, but whose DVSECs were not found. */
static int add_unread_table(struct ucore_disc *disc, struct pci_dev *pdev, u32 reason)
{
	struct ucore_disc_table *t = table_of_function(disc, pdev);

	if (!t)
		return -ENOMEM;
	t->reason = reason;
	return 0;
}

static int find_tables(struct ucore_disc *disc, struct pci_dev *pdev)
{
	bool broken, known = pdev->device == DISC_PCI_DEVICE ||
			     pdev->device == disc->rules->table_device;
	struct ucore_disc_dvsec dvsec[MAX_DVSECS];
	u32 i, n, reason = ucore_other_devices_unreadable(pdev);
	struct ucore_pci_config config;
	struct ucore_disc_table *t;

	if (reason)
		return known ? add_unread_table(disc, pdev, reason) : 0;
	ucore_other_devices_init_config(&config, pdev);
	n = ucore_parse_dvsecs(&config.config, dvsec, ARRAY_SIZE(dvsec), &broken);
	for (i = 0; i < n; i++) {
		t = table_of_function(disc, pdev);
		if (!t)
			return -ENOMEM;
		t->dvsec = dvsec[i];
		table_locate(t, &config);
	}
	if (broken && (n || known))
		return add_unread_table(disc, pdev, UCORE_TABLE_CHAIN);
	return 0;
}

static int find_all_tables(struct ucore_disc *disc)
{
	u32 nr_express = 0, nr_extended = 0;
	struct pci_dev *pdev = NULL;
	int ret = 0;

	while (!ret && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, PCI_ANY_ID, pdev))) {
		nr_express += pci_is_pcie(pdev);
		nr_extended += pdev->cfg_size > PCI_CFG_SPACE_SIZE;
		ret = find_tables(disc, pdev);
	}
	pci_dev_put(pdev);	/* pdev is not NULL if an error ended the loop */
	disc->short_config = nr_express && !nr_extended;
	return ret;
}

/* Return the MSR of this processor that contains the address of a table, 0 if there is none. */
static u32 table_msr(const struct ucore_disc_rules *rules)
{
	const struct ucore_disc_msr *other = rules->other_msrs;

	for (; other && other->msr; other++)
		if (other->family == boot_cpu_data.x86 && other->model == boot_cpu_data.x86_model)
			return other->msr;
	return rules->table_msr;
}

/* Read an MSR of a die. Return 0 if the read faults. */
static u64 read_msr(s32 die, u32 msr)
{
	u64 value = 0;

	cpus_read_lock();
	if (!ucore_msr_probe(ucore_cpu_of_die(die), msr, &value))
		value = 0;
	cpus_read_unlock();
	return value;
}

/*
 * Add the tables whose addresses are in MSRs, one for each die. They follow all tables of PCI
 * functions in the array, and their members about a PCI function are 0.
 */
static int find_msr_tables(struct ucore_disc *disc, const struct ucore_dies *dies)
{
	u32 msr = table_msr(disc->rules), i;
	struct ucore_disc_table *t;
	u64 value;

	for (i = 0; i < dies->nr && msr; i++) {
		value = read_msr(dies->id[i], msr);
		if (!value && !disc->rules->table_msr_expected)
			continue;
		t = table_insert(disc, disc->nr_tables);
		if (!t)
			return -ENOMEM;
		t->die = dies->id[i];
		t->die_by = UCORE_DIE_BY_MSR;
		t->msr = msr;
		t->reason = ucore_parse_table_msr(disc->env, value, &t->address);
		t->size = UCORE_DISC_MAX_BYTES;
	}
	return 0;
}

/* ---- reading tables ---- */

/**
 * ucore_fetch_die_of_bus() - find the die of the PCI functions on a bus
 * @disc: results of discovery, with the tables and their dies
 * @bus: PCI bus
 *
 * Return: logical die of the bus. If it is unknown, logical die of a table whose PCI function is
 * on the bus. UCORE_DIE_* if neither is known.
 */
int ucore_fetch_die_of_bus(const struct ucore_disc *disc, struct pci_bus *bus)
{
	int die = ucore_die_of_bus(bus, disc->rules->ubox);
	u32 i;

	for (i = 0; i < disc->nr_tables && die == UCORE_DIE_UNKNOWN; i++)
		if (!disc->table[i].msr && disc->table[i].segment == pci_domain_nr(bus) &&
		    disc->table[i].bus == bus->number)
			die = disc->table[i].die;
	return die;
}

/* Find the units of one type number by their PCI functions, according to @place. */
static int find_pci_units(struct ucore_disc *disc, const struct ucore_disc_place *place)
{
	int die = UCORE_DIE_UNKNOWN, ret = 0;
	const struct pci_bus *bus = NULL;
	struct pci_dev *pdev = NULL;
	u32 slot;

	while (!ret && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, place->device, pdev))) {
		slot = PCI_SLOT(pdev->devfn);
		/* a unit record has only three bits for the PCI segment */
		if (PCI_FUNC(pdev->devfn) != place->function || slot < place->slot ||
		    slot >= place->slot + place->nr || pci_domain_nr(pdev->bus) > 7)
			continue;
		if (pdev->bus != bus)	/* all functions of a die share one bus */
			die = ucore_fetch_die_of_bus(disc, pdev->bus);
		bus = pdev->bus;
		if (die >= 0)
			ret = ucore_unit_note_pci(disc, die, place, slot - place->slot,
						  pci_domain_nr(pdev->bus), pdev->bus->number);
	}
	pci_dev_put(pdev);
	return ret;
}

/*
 * Map the first @bytes bytes of a table. On failure, set the reason in the table and return
 * false.
 */
static bool table_map(struct ucore_disc_table *t, struct source *source, u64 bytes)
{
	if (t->msr)
		t->reason = ucore_parse_table_memory(&env, t->address, bytes);
	else if (!ucore_resource_is_safe(t->address, bytes, false))
		t->reason = UCORE_TABLE_RAM;
	if (t->reason)
		return false;
	source->base = ucore_resource_map(t->address, bytes);
	if (!source->base) {
		t->reason = UCORE_TABLE_UNMAPPED;
		return false;
	}
	source->source.size = bytes;
	return true;
}

/*
 * Return true if the global control of a table responds. If the die of the table is unknown, an
 * MSR may respond on any die.
 */
static bool global_responds(struct ucore_disc_table *t, const struct ucore_dies *dies)
{
	bool responds = false;
	u32 i;

	if (t->die != UCORE_DIE_UNKNOWN || ucore_record_access(t->word) != UCORE_ACCESS_MSR)
		return ucore_probe_global(t);
	for (i = 0; i < dies->nr && !responds; i++) {
		t->die = dies->id[i];
		responds = ucore_probe_global(t);
	}
	t->die = UCORE_DIE_UNKNOWN;
	return responds;
}

/* Read the global record of a table, which contains the length of the table. */
static void read_global(struct ucore_disc *disc, struct ucore_disc_table *t,
			const struct ucore_dies *dies)
{
	struct source source = { .source = { .copy = source_copy } };

	if (!t->reason && t->die < UCORE_DIE_UNKNOWN)
		t->reason = UCORE_TABLE_DIE;
	if (t->reason || !table_map(t, &source, min_t(u64, t->size, DISC_RECORD_BYTES)))
		return;
	ucore_parse_global(disc, t, &source.source);
	iounmap(source.base);
	if (!t->reason && !global_responds(t, dies))
		t->reason = UCORE_TABLE_GLOBAL;
}

/* Read the units of a table with a valid global record. */
static int read_units(struct ucore_disc *disc, struct ucore_disc_table *t)
{
	struct source source = { .source = { .copy = source_copy } };
	int ret;

	if (t->reason ||
	    !table_map(t, &source, min_t(u64, t->size, (t->max_units + 1ULL) * t->stride)))
		return 0;
	ret = ucore_parse_units(disc, t - disc->table, &source.source);
	iounmap(source.base);
	cond_resched();
	return ret;
}

static int read_all_units(struct ucore_disc *disc)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < disc->rules->nr_places && !ret; i++)
		ret = find_pci_units(disc, &disc->rules->places[i]);
	for (i = 0; i < disc->nr_tables && !ret; i++)
		ret = read_units(disc, &disc->table[i]);
	return ret;
}

/* ---- dies of tables, if no register gives them ---- */

/* Assign dies to the tables with a valid global record whose die is unknown. */
static void assign_dies(struct ucore_disc *disc, const struct ucore_dies *dies)
{
	struct ucore_disc_table *t;

	ucore_parse_assign_dies(disc, dies->id, dies->nr);
	for (t = disc->table; t < disc->table + disc->nr_tables; t++) {
		if (t->reason || t->die_by == UCORE_DIE_BY_BUS || t->die_by == UCORE_DIE_BY_MSR)
			continue;
		if (t->die < 0)
			t->reason = UCORE_TABLE_DIE;
		else if (!global_responds(t, dies))
			t->reason = UCORE_TABLE_GLOBAL;
	}
}

/*
 * Read the units of a table alone, as if the machine had no other table. The units of a table with
 * the same global control as another are judged, too. Return 1 if there are units, 0 if the table
 * is rejected, and an error code only if memory is short. units_drop() follows in any case.
 */
static int units_read_alone(struct ucore_disc *disc, struct ucore_disc_table *t)
{
	int ret = read_units(disc, t);

	if (ret)
		return ret;
	return t->reason == UCORE_TABLE_OK || t->reason == UCORE_TABLE_DUPLICATE;
}

static void units_drop(struct ucore_disc *disc, struct ucore_disc_table *t)
{
	t->reason = UCORE_TABLE_OK;
	t->first = 0;
	t->nr = 0;
	ucore_parse_reset(disc);
}

/* Set @idle to false if another program may use a unit: a trial freezes all dies. */
static int find_users(struct ucore_disc *disc, bool *idle)
{
	struct ucore_disc_table *t;
	int ret = 0;

	for (t = disc->table; t < disc->table + disc->nr_tables && ret >= 0 && *idle; t++) {
		if (t->reason)
			continue;
		ret = units_read_alone(disc, t);
		if (ret == 1)
			*idle = ucore_freeze_trial_idle(disc, t);
		units_drop(disc, t);
	}
	return min(ret, 0);
}

/* Set the die of all tables of the PCI function of table @of that were assigned by a guess. */
static void set_die(struct ucore_disc *disc, const struct ucore_disc_table *of, s32 die, u32 by)
{
	u64 order = function_order(of->segment, of->bus, of->devfn);
	struct ucore_disc_table *t;

	for (t = disc->table; t < disc->table + disc->nr_tables; t++) {
		if (t->die_by != UCORE_DIE_BY_ORDER ||
		    function_order(t->segment, t->bus, t->devfn) != order)
			continue;
		t->die = die;
		t->die_by = by;
	}
}

/* Find dies by trials. Return an error code only if memory is short. */
static int run_trials(struct ucore_disc *disc, const struct ucore_dies *dies, bool *found)
{
	struct ucore_disc_table *t;
	bool idle = true;
	int ret = find_users(disc, &idle);
	s32 die;

	for (t = disc->table; t < disc->table + disc->nr_tables && ret >= 0 && idle; t++) {
		if (t->die_by != UCORE_DIE_BY_ORDER || t->reason ||
		    ucore_record_access(t->word) != UCORE_ACCESS_MSR)
			continue;
		ret = units_read_alone(disc, t);
		die = ret == 1 ? ucore_freeze_trial_table(disc, t, dies) : UCORE_DIE_UNKNOWN;
		units_drop(disc, t);
		if (die != UCORE_DIE_UNKNOWN)
			set_die(disc, t, die, UCORE_DIE_BY_FREEZE);
		*found |= die >= 0;
	}
	return min(ret, 0);
}

/*
 * Replace guesses by the results of trials. Tables without a result are assigned again, because
 * fewer dies are left. A table that no freeze stops belongs to a socket without CPUs, but only if
 * a freeze has stopped another table, so that freezes are known to work. Return an error code only
 * if memory is short.
 */
static int try_guesses(struct ucore_disc *disc, const struct ucore_dies *dies)
{
	struct ucore_disc_table *t;
	bool found = false;
	int ret = run_trials(disc, dies, &found);

	for (t = disc->table; t < disc->table + disc->nr_tables; t++) {
		if (t->die_by == UCORE_DIE_BY_ORDER || (t->die_by == UCORE_DIE_BY_FREEZE && !found))
			t->die = UCORE_DIE_UNKNOWN;
		if (t->die < 0)
			t->die_by = UCORE_DIE_BY_NONE;
	}
	assign_dies(disc, dies);
	return ret;
}

/* Return true if the die of a table is a guess. */
static bool any_guess(const struct ucore_disc *disc)
{
	u32 i;

	for (i = 0; i < disc->nr_tables; i++)
		if (disc->table[i].die_by == UCORE_DIE_BY_ORDER)
			return true;
	return false;
}

/* Find the tables, and read their global records. */
static int find_globals(struct ucore_disc *disc, struct ucore_dies *dies)
{
	int ret = find_all_tables(disc) ?: ucore_dies_list(dies) ?: find_msr_tables(disc, dies);
	u32 i;

	if (ret || !disc->nr_tables)
		return ret;
	ret = ucore_other_devices_collect(&env, disc);
	for (i = 0; i < disc->nr_tables && !ret; i++)
		read_global(disc, &disc->table[i], dies);
	return ret;
}

/**
 * ucore_fetch_tables() - find and read all discovery tables of this machine
 * @disc: results of discovery to be filled in; the caller has set the members rules and may_write
 *
 * Invalid tables and records are also added to the results, with the reason. Registers are written
 * only for trials: if may_write is true, and neither a NUMA node nor a UBox gives the die of a
 * table.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_fetch_tables(struct ucore_disc *disc)
{
	struct ucore_dies dies = { };
	int ret;

	env.phys_bits = boot_cpu_data.x86_phys_bits;
	disc->env = &env;
	ret = find_globals(disc, &dies);
	if (!ret && disc->nr_tables) {
		assign_dies(disc, &dies);
		if (disc->may_write && any_guess(disc))
			ret = try_guesses(disc, &dies);
		ret = ret ?: read_all_units(disc);
	}
	ucore_dies_free(&dies);
	return ret;
}

/** ucore_fetch_drop() - free the list of memory ranges of other devices */
void ucore_fetch_drop(void)
{
	ucore_other_devices_drop(&env);
}
