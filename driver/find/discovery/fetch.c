// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: fetch the bytes.
 *
 * Walks all Intel PCI functions for DVSECs of PMON discovery, asks each die's MSR that
 * points to a table, maps the tables, and answers the parser's questions (RAM? such a
 * function? does it answer?).
 * What the bytes mean is decided in parse.c.  Process context, at load.
 */
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "find/array.h"
#include "find/discovery/fetch.h"
#include "find/discovery/other_devices.h"
#include "find/discovery/probe.h"
#include "find/memory.h"
#include "find/topology.h"
#include "hw/discovery.h"
#include "reg/reg.h"

#define MAX_DVSECS	8	/* of a function */

#define DISC_RECORD_BYTES	(DISC_RECORD_WORDS * sizeof(u64))

/*
 * ---- what the parser asks ----
 */

static bool env_on_ram(const struct ucore_disc_env *env, u64 address, u64 size)
{
	return ucore_memory_is_ram(address, size);
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

/*
 * ---- tables ----
 */

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

/* The table's place, from config space; nothing is mapped yet. */
static void table_locate(struct ucore_disc_table *t, const struct ucore_pci_config *config)
{
	struct pci_dev *pdev = config->pdev;
	u16 command;
	u64 size;

	t->reason = ucore_disc_bar(&config->config, t->dvsec.bar, &t->address);
	if (t->reason)
		return;
	pci_read_config_word(pdev, PCI_COMMAND, &command);
	if (!(command & PCI_COMMAND_MEMORY)) {
		t->reason = UCORE_TABLE_DISABLED;
		return;
	}
	t->size = UCORE_DISC_MAX_BYTES;
	/* the kernel knows the size, unless it has given the BAR no resource */
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

static int find_tables(struct ucore_disc *disc, struct pci_dev *pdev)
{
	struct ucore_disc_dvsec dvsec[MAX_DVSECS];
	struct ucore_pci_config config;
	struct ucore_disc_table *t;
	bool broken;
	u32 i, n;

	ucore_pci_config_init(&config, pdev);
	n = ucore_disc_walk(&config.config, dvsec, ARRAY_SIZE(dvsec), &broken);
	for (i = 0; i < n; i++) {
		t = table_of_function(disc, pdev);
		if (!t)
			return -ENOMEM;
		t->dvsec = dvsec[i];
		table_locate(t, &config);
	}
	if (broken && (n || pdev->device == DISC_PCI_DEVICE ||
		       pdev->device == disc->rules->table_device)) {
		t = table_of_function(disc, pdev);
		if (!t)
			return -ENOMEM;
		t->reason = UCORE_TABLE_CHAIN;
	}
	return 0;
}

static int find_all_tables(struct ucore_disc *disc)
{
	struct pci_dev *pdev = NULL;
	int ret = 0;

	while (!ret && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, PCI_ANY_ID, pdev)))
		ret = find_tables(disc, pdev);
	pci_dev_put(pdev);	/* not NULL if the loop was left early */
	return ret;
}

/* The table's place, from an MSR of its die; nothing is mapped yet. */
static void table_point(struct ucore_disc *disc, struct ucore_disc_table *t)
{
	u64 value;

	t->reason = UCORE_TABLE_MSR;
	cpus_read_lock();
	if (ucore_msr_probe(ucore_cpu_of_die(t->die), t->msr, &value))
		t->reason = ucore_disc_pointer(disc->env, value, &t->address);
	cpus_read_unlock();
	t->size = UCORE_DISC_MAX_BYTES;
}

/* After those of functions: the fields that tell of a function mean nothing in these. */
static int find_pointed_tables(struct ucore_disc *disc, const struct ucore_dies *dies)
{
	struct ucore_disc_table *t;
	u32 i;

	for (i = 0; i < dies->nr && disc->rules->table_msr; i++) {
		t = table_new(disc);
		if (!t)
			return -ENOMEM;
		t->die = dies->id[i];
		t->msr = disc->rules->table_msr;
		table_point(disc, t);
	}
	return 0;
}

/*
 * ---- reading them ----
 */

/**
 * ucore_fetch_die_of_bus() - the die of the functions on a bus
 * @disc: tables, with their dies
 * @bus: the bus
 *
 * Return: what the bus tells, or a table on it; UCORE_DIE_* if neither does.
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

/* Units that are looked for by their functions. */
static int find_spots(struct ucore_disc *disc, const struct ucore_disc_place *place)
{
	int die = UCORE_DIE_UNKNOWN, ret = 0;
	const struct pci_bus *bus = NULL;
	struct pci_dev *pdev = NULL;
	u32 slot;

	while (!ret && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, place->device, pdev))) {
		slot = PCI_SLOT(pdev->devfn);
		/* a record has three bits for the segment */
		if (PCI_FUNC(pdev->devfn) != place->function || slot < place->slot ||
		    slot >= place->slot + place->nr || pci_domain_nr(pdev->bus) > 7)
			continue;
		if (pdev->bus != bus)	/* all of a die are on one */
			die = ucore_fetch_die_of_bus(disc, pdev->bus);
		bus = pdev->bus;
		if (die >= 0)
			ret = ucore_disc_note_spot(disc, die, place, slot - place->slot,
						   pci_domain_nr(pdev->bus), pdev->bus->number);
	}
	pci_dev_put(pdev);
	return ret;
}

/* Map @bytes of a table; it keeps a reason if that cannot be. */
static bool table_map(struct ucore_disc_table *t, struct source *source, u64 bytes)
{
	if (t->msr)
		t->reason = ucore_disc_memory(&env, t->address, bytes);
	else if (!ucore_memory_is_safe(t->address, bytes))
		t->reason = UCORE_TABLE_RAM;
	if (t->reason)
		return false;
	source->base = ucore_memory_map(t->address, bytes);
	if (!source->base) {
		t->reason = UCORE_TABLE_UNMAPPED;
		return false;
	}
	source->source.size = bytes;
	return true;
}

/* The global record tells how long the table is. */
static int read_table(struct ucore_disc *disc, u32 i)
{
	struct ucore_disc_table *t = &disc->table[i];
	struct source source = { .source = { .copy = source_copy } };
	int ret;

	if (!t->reason && t->die < 0)
		t->reason = UCORE_TABLE_DIE;
	if (t->reason || !table_map(t, &source, min_t(u64, t->size, DISC_RECORD_BYTES)))
		return 0;
	ucore_disc_parse_global(disc, t, &source.source);
	iounmap(source.base);
	if (!t->reason && !ucore_probe_global(t))
		t->reason = UCORE_TABLE_GLOBAL;
	if (t->reason ||
	    !table_map(t, &source, min_t(u64, t->size, (t->max_units + 1ULL) * t->stride)))
		return 0;
	ret = ucore_disc_parse_units(disc, i, &source.source);
	iounmap(source.base);
	cond_resched();
	return ret;
}

/* All tables; those whose die nothing tells get one. */
static int find_tables_of_dies(struct ucore_disc *disc)
{
	struct ucore_dies dies = { };
	int ret = find_all_tables(disc) ?: ucore_dies_list(&dies);

	if (!ret)
		ret = find_pointed_tables(disc, &dies);
	if (!ret)
		ucore_disc_deal(disc, dies.id, dies.nr);
	ucore_dies_free(&dies);
	return ret;
}

/**
 * ucore_fetch_tables() - the units of all tables of this machine
 * @disc: takes them; its rules are set
 *
 * Return: 0 or -ENOMEM; what does not make sense is noted with its reason.
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
		ret = find_spots(disc, &disc->rules->places[i]);
	for (i = 0; i < disc->nr_tables && !ret; i++)
		ret = read_table(disc, i);
	return ret;
}

/** ucore_fetch_drop() - forget what is others' */
void ucore_fetch_drop(void)
{
	ucore_other_devices_drop(&env);
}
