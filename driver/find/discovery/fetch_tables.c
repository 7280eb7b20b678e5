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
#include "find/discovery/other_pci_devices.h"
#include "find/discovery/parse_tables.h"
#include "find/discovery/probe_units.h"
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

static struct ucore_disc_table *table_new(struct ucore_disc *disc)
{
	struct ucore_disc_table *table = ucore_array_grow(disc->table, disc->nr_tables,
							  &disc->max_tables, sizeof(*table));

	if (!table)
		return NULL;
	disc->table = table;
	table += disc->nr_tables++;
	*table = (struct ucore_disc_table){ };
	return table;
}

static struct ucore_disc_table *table_of_function(struct ucore_disc *disc, struct pci_dev *pdev)
{
	struct ucore_disc_table *table = table_new(disc);

	if (table) {
		table->die = ucore_die_of_bus(pdev->bus, disc->rules->ubox);
		table->segment = pci_domain_nr(pdev->bus);
		table->bus = pdev->bus->number;
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

/*
 * Return true if a PCI function sleeps (D1 to D3). A function that the kernel has suspended is
 * not accessed, and its state is not changed. The kernel may not know the state of a function
 * without a driver. The function's power management register gives the state then.
 */
static bool function_sleeps(struct pci_dev *pdev)
{
	u16 control;

	if (pdev->current_state == PCI_D1 || pdev->current_state == PCI_D2 ||
	    pdev->current_state == PCI_D3hot || pdev->current_state == PCI_D3cold)
		return true;
	return pdev->pm_cap &&
	       !pci_read_config_word(pdev, pdev->pm_cap + PCI_PM_CTRL, &control) &&
	       control & PCI_PM_CTRL_STATE_MASK;
}

/* Return the reason why the DVSECs of a PCI function cannot be read, UCORE_TABLE_OK for none. */
static u32 unreadable(struct pci_dev *pdev)
{
	if (function_sleeps(pdev))
		return UCORE_TABLE_ASLEEP;
	if (pci_is_pcie(pdev) && pdev->cfg_size <= PCI_CFG_SPACE_SIZE)
		return UCORE_TABLE_CONFIG;
	return UCORE_TABLE_OK;
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
	u32 i, n, reason = unreadable(pdev);
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

/* Read the address of a table from an MSR of its die, without mapping the table. */
static void table_locate_msr(struct ucore_disc *disc, struct ucore_disc_table *t)
{
	u64 value;

	t->reason = UCORE_TABLE_MSR;
	cpus_read_lock();
	if (ucore_msr_probe(ucore_cpu_of_die(t->die), t->msr, &value))
		t->reason = ucore_parse_table_msr(disc->env, value, &t->address);
	cpus_read_unlock();
	t->size = UCORE_DISC_MAX_BYTES;
}

/*
 * Add the tables whose addresses are in MSRs, one for each die. They follow all tables of PCI
 * functions in the array, and their members about a PCI function are 0.
 */
static int find_msr_tables(struct ucore_disc *disc, const struct ucore_dies *dies)
{
	struct ucore_disc_table *t;
	u32 i;

	for (i = 0; i < dies->nr && disc->rules->table_msr; i++) {
		t = table_new(disc);
		if (!t)
			return -ENOMEM;
		t->die = dies->id[i];
		t->msr = disc->rules->table_msr;
		table_locate_msr(disc, t);
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
	else if (!ucore_resource_is_safe(t->address, bytes))
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

/* Read a table in two steps: the global record contains the length of the table. */
static int read_table(struct ucore_disc *disc, u32 i)
{
	struct ucore_disc_table *t = &disc->table[i];
	struct source source = { .source = { .copy = source_copy } };
	int ret;

	if (!t->reason && t->die < 0)
		t->reason = UCORE_TABLE_DIE;
	if (t->reason || !table_map(t, &source, min_t(u64, t->size, DISC_RECORD_BYTES)))
		return 0;
	ucore_parse_global(disc, t, &source.source);
	iounmap(source.base);
	if (!t->reason && !ucore_probe_global(t))
		t->reason = UCORE_TABLE_GLOBAL;
	if (t->reason ||
	    !table_map(t, &source, min_t(u64, t->size, (t->max_units + 1ULL) * t->stride)))
		return 0;
	ret = ucore_parse_units(disc, i, &source.source);
	iounmap(source.base);
	cond_resched();
	return ret;
}

/* Find all tables, and assign a die to the tables whose die is unknown. */
static int find_tables_of_dies(struct ucore_disc *disc)
{
	struct ucore_dies dies = { };
	int ret = find_all_tables(disc) ?: ucore_dies_list(&dies);

	if (!ret)
		ret = find_msr_tables(disc, &dies);
	if (!ret)
		ucore_parse_assign_dies(disc, dies.id, dies.nr);
	ucore_dies_free(&dies);
	return ret;
}

/**
 * ucore_fetch_tables() - find and read all discovery tables of this machine
 * @disc: results of discovery to be filled in; the caller has set the member rules
 *
 * Invalid tables and records are also added to the results, with the reason.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_fetch_tables(struct ucore_disc *disc)
{
	int ret;
	u32 i;

	env.phys_bits = boot_cpu_data.x86_phys_bits;
	disc->env = &env;
	ret = find_tables_of_dies(disc);
	if (ret || !disc->nr_tables)
		return ret;
	ret = ucore_other_devices_collect(&env, disc);
	for (i = 0; i < disc->rules->nr_places && !ret; i++)
		ret = find_pci_units(disc, &disc->rules->places[i]);
	for (i = 0; i < disc->nr_tables && !ret; i++)
		ret = read_table(disc, i);
	return ret;
}

/** ucore_fetch_drop() - free the list of memory ranges of other devices */
void ucore_fetch_drop(void)
{
	ucore_other_devices_drop(&env);
}
