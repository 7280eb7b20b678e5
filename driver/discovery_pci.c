// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery, the half that touches the machine: fetch the bytes.
 *
 * Walks all Intel PCI functions for DVSECs of PMON discovery, maps their
 * tables, asks whether what they describe is there, and answers the parser's
 * questions (RAM? such a function?).  What the bytes mean is decided in
 * discovery.c.
 * Process context, at load; what was found stays for reports until unload.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "array.h"
#include "bus.h"
#include "compat.h"
#include "domain.h"
#include "discovery.h"
#include "discovery_pci.h"
#include "hw/discovery.h"
#include "private_pmi.h"

#define MAX_DVSECS	8	/* of a function */

#define DISC_RECORD_BYTES	(DISC_RECORD_WORDS * sizeof(u64))

/* Where I/O and local APICs are */
#define INTERRUPT_START		0xfec00000ULL
#define INTERRUPT_END		0xfef00000ULL

static struct ucore_disc disc;

/* Dies with a CPU online, in order. */
static u32 *dies;
static u32 nr_dies;
static u32 max_dies;

/* Global control of each die with a table, and of which die. */
static struct die_global {
	u32 die;
	struct ucore_global global;
} *die_globals;
static u32 nr_die_globals;

/*
 * ---- what the parser asks ----
 */

static bool env_on_ram(const struct ucore_disc_env *env, u64 address, u64 size)
{
	/* not RAM, but no less harmful to write to */
	if (address < INTERRUPT_END && address + size > INTERRUPT_START)
		return true;
	return region_intersects(address, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	       REGION_DISJOINT;
}

static u32 env_config_size(const struct ucore_disc_env *env, u32 segment, u32 bus, u32 devfn)
{
	struct pci_dev *pdev = pci_get_domain_bus_and_slot(segment, bus, devfn);
	/* nobody else's function: what is written there is not for a PMU */
	u32 size = pdev && pdev->vendor == PCI_VENDOR_ID_INTEL ? pdev->cfg_size : 0;

	pci_dev_put(pdev);
	return size;
}

static struct ucore_disc_env env = {
	.on_ram = env_on_ram,
	.config_size = env_config_size,
};

static bool memory_is_safe(u64 address, u64 size)
{
	return !(address >> env.phys_bits) && !((address + size - 1) >> env.phys_bits) &&
	       !env_on_ram(&env, address, size);
}

struct config {
	struct ucore_disc_config config;
	struct pci_dev *pdev;
};

static u32 config_read(const struct ucore_disc_config *config, u32 reg)
{
	u32 val;

	if (pci_read_config_dword(container_of(config, struct config, config)->pdev, reg, &val))
		return ~0U;
	return val;
}

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
 * ---- which die ----
 */

/* Note the dies with a CPU online, in order. */
static int list_dies(void)
{
	u32 *array, i, die;
	int cpu, ret = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		die = topology_logical_die_id(cpu);
		for (i = 0; i < nr_dies && dies[i] < die; i++)
			;
		if (i < nr_dies && dies[i] == die)
			continue;
		array = ucore_array_grow(dies, nr_dies, &max_dies, sizeof(*dies));
		if (!array) {
			ret = -ENOMEM;
			break;
		}
		dies = array;
		memmove(&dies[i + 1], &dies[i], (nr_dies - i) * sizeof(*dies));
		dies[i] = die;
		nr_dies++;
	}
	cpus_read_unlock();
	return ret;
}

/* The die of all of a NUMA node's CPUs, or UCORE_DIE_*. */
static int die_of_node(int node)
{
	int cpu, die = UCORE_DIE_OFFLINE;

	if (node == NUMA_NO_NODE || num_online_nodes() < 2)
		return UCORE_DIE_UNKNOWN;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (cpu_to_node(cpu) != node)
			continue;
		if (die >= 0 && die != topology_logical_die_id(cpu)) {
			die = UCORE_DIE_UNKNOWN;
			break;
		}
		die = topology_logical_die_id(cpu);
	}
	cpus_read_unlock();
	return die;
}

static int die_of_bus(struct pci_bus *bus)
{
	int die = die_of_node(pcibus_to_node(bus));
	s16 map[UCORE_NR_BUSES];

	if (die != UCORE_DIE_UNKNOWN || !disc.rules->ubox)
		return die;
	ucore_bus_map(disc.rules->ubox, pci_domain_nr(bus), map);
	return map[bus->number];
}

/*
 * ---- tables ----
 */

static struct ucore_disc_table *table_new(struct pci_dev *pdev)
{
	struct ucore_disc_table *table = ucore_array_grow(disc.table, disc.nr_tables,
							  &disc.max_tables, sizeof(*table));

	if (!table)
		return NULL;
	disc.table = table;
	table += disc.nr_tables++;
	*table = (struct ucore_disc_table){
		.die = die_of_bus(pdev->bus),
		.segment = pci_domain_nr(pdev->bus),
		.bus = pdev->bus->number,
		.devfn = pdev->devfn,
	};
	return table;
}

/* The table's place, from config space; nothing is mapped yet. */
static void table_locate(struct ucore_disc_table *t, const struct config *config)
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

static int find_tables(struct pci_dev *pdev)
{
	struct config config = {
		.config = { .read = config_read, .size = pdev->cfg_size },
		.pdev = pdev,
	};
	struct ucore_disc_dvsec dvsec[MAX_DVSECS];
	struct ucore_disc_table *t;
	bool broken;
	u32 i, n;

	n = ucore_disc_walk(&config.config, dvsec, ARRAY_SIZE(dvsec), &broken);
	for (i = 0; i < n; i++) {
		t = table_new(pdev);
		if (!t)
			return -ENOMEM;
		t->dvsec = dvsec[i];
		table_locate(t, &config);
	}
	if (broken && (n || pdev->device == DISC_PCI_DEVICE)) {
		t = table_new(pdev);
		if (!t)
			return -ENOMEM;
		t->reason = UCORE_TABLE_CHAIN;
	}
	return 0;
}

static int find_all_tables(void)
{
	struct pci_dev *pdev = NULL;
	int ret = 0;

	while (!ret && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, PCI_ANY_ID, pdev)))
		ret = find_tables(pdev);
	pci_dev_put(pdev);	/* not NULL if the loop was left early */
	return ret;
}

/*
 * ---- is it there? ----
 */

/**
 * struct probe - MSRs to be read on a die
 * @die: the die
 * @counted: units of the counted type there are
 */
struct probe {
	s32 die;
	u64 counted;
};

/* On a CPU of the die: units whose box control faults are not there. */
static void probe_msrs_here(void *arg)
{
	struct probe *probe = arg;
	struct ucore_unit *unit;
	u64 val;

	for (unit = disc.unit; unit < disc.unit + disc.nr_units; unit++)
		if (unit->die == probe->die && !unit->reason &&
		    ucore_disc_access(unit->word) == UCORE_ACCESS_MSR &&
		    (rdmsrq_safe(unit->word[1], &val) || val == ~0ULL))
			unit->reason = UCORE_UNIT_NO_ANSWER;
	if (disc.rules->count_msr && rdmsrq_safe(disc.rules->count_msr, &probe->counted))
		probe->counted = 0;
}

static int cpu_of_die(s32 die)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (topology_logical_die_id(cpu) == die)
			return cpu;
	return nr_cpu_ids;
}

static bool msr_there(s32 die, u32 msr)
{
	bool there;
	u64 val;

	cpus_read_lock();
	there = ucore_msr_probe(cpu_of_die(die), msr, &val) && val != ~0ULL;
	cpus_read_unlock();
	return there;
}

static struct pci_dev *pdev_at(u64 address)
{
	return pci_get_domain_bus_and_slot(FIELD_GET(DISC_PCI_SEGMENT, address),
					   FIELD_GET(DISC_PCI_BUS, address),
					   PCI_DEVFN(FIELD_GET(DISC_PCI_SLOT, address),
						     FIELD_GET(DISC_PCI_FUNCTION, address)));
}

/*
 * Does the dword at a PCI or MMIO address answer?  MMIO is mapped as it will
 * be later: what cannot be mapped is not there.
 */
static bool dword_there(const u64 *word, u32 size)
{
	void __iomem *base;
	struct pci_dev *pdev;
	u32 val = ~0U;

	if (ucore_disc_access(word) == UCORE_ACCESS_MMIO) {
		base = ioremap(word[1], size);
		if (base) {
			val = readl(base);
			iounmap(base);
		}
	} else {
		pdev = pdev_at(word[1]);
		if (pdev)
			pci_read_config_dword(pdev, FIELD_GET(DISC_PCI_OFFSET, word[1]), &val);
		pci_dev_put(pdev);
	}
	return val != ~0U;
}

static bool global_there(const struct ucore_disc_table *t)
{
	if (ucore_disc_access(t->word) == UCORE_ACCESS_MSR)
		return msr_there(t->die, t->word[1]);
	return dword_there(t->word, max_t(u32, t->global_size, sizeof(u64)));
}

/* One IPI for each die, and one access for each unit. */
static void probe_units(void)
{
	struct ucore_unit *unit;
	struct probe probe;
	u32 i;

	for (unit = disc.unit; unit < disc.unit + disc.nr_units; unit++)
		if (!unit->reason && ucore_disc_access(unit->word) != UCORE_ACCESS_MSR &&
		    !dword_there(unit->word, unit->size))
			unit->reason = UCORE_UNIT_NO_ANSWER;
	for (i = 0; i < nr_dies; i++) {
		probe = (struct probe){ .die = dies[i] };
		cpus_read_lock();
		smp_call_function_single(cpu_of_die(dies[i]), probe_msrs_here, &probe, 1);
		cpus_read_unlock();
		if (probe.counted)
			ucore_disc_trim(&disc, dies[i], min_t(u64, probe.counted, U32_MAX));
	}
}

/*
 * ---- reading them ----
 */

/* A function's die: what its bus tells, or the table on the same bus. */
static int die_of_neighbour(struct pci_bus *bus)
{
	int die = die_of_bus(bus);
	u32 i;

	for (i = 0; i < disc.nr_tables && die == UCORE_DIE_UNKNOWN; i++)
		if (disc.table[i].segment == pci_domain_nr(bus) &&
		    disc.table[i].bus == bus->number)
			die = disc.table[i].die;
	return die;
}

/* Units that are looked for by their functions. */
static int find_spots(const struct ucore_disc_place *place)
{
	struct pci_dev *pdev = NULL;
	int die, ret = 0;
	u32 slot;

	while (!ret && (pdev = pci_get_device(PCI_VENDOR_ID_INTEL, place->device, pdev))) {
		slot = PCI_SLOT(pdev->devfn);
		/* a record has three bits for the segment */
		if (PCI_FUNC(pdev->devfn) != place->function || slot < place->slot ||
		    slot >= place->slot + place->nr || pci_domain_nr(pdev->bus) > 7)
			continue;
		die = die_of_neighbour(pdev->bus);
		if (die >= 0)
			ret = ucore_disc_note_spot(&disc, die, place, slot - place->slot,
						   pci_domain_nr(pdev->bus), pdev->bus->number);
	}
	pci_dev_put(pdev);
	return ret;
}

/* Map @bytes of a table; it keeps a reason if that cannot be. */
static bool table_map(struct ucore_disc_table *t, struct source *source, u64 bytes)
{
	if (!memory_is_safe(t->address, bytes)) {
		t->reason = UCORE_TABLE_RAM;
		return false;
	}
	source->base = ioremap(t->address, bytes);
	if (!source->base) {
		t->reason = UCORE_TABLE_UNMAPPED;
		return false;
	}
	source->source.size = bytes;
	return true;
}

/* The global record tells how long the table is. */
static int read_table(u32 i)
{
	struct ucore_disc_table *t = &disc.table[i];
	struct source source = { .source = { .copy = source_copy } };
	int ret;

	if (!t->reason && t->die < 0)
		t->reason = UCORE_TABLE_DIE;
	if (t->reason || !table_map(t, &source, min_t(u64, t->size, DISC_RECORD_BYTES)))
		return 0;
	ucore_disc_parse_global(&disc, t, &source.source);
	iounmap(source.base);
	if (!t->reason && !global_there(t))
		t->reason = UCORE_TABLE_GLOBAL;
	if (t->reason ||
	    !table_map(t, &source, min_t(u64, t->size, (t->max_units + 1ULL) * t->stride)))
		return 0;
	ret = ucore_disc_parse_units(&disc, i, &source.source);
	iounmap(source.base);
	cond_resched();
	return ret;
}

/*
 * ---- what becomes of it ----
 */

static void describe_global(struct die_global *dg, const struct ucore_disc_table *t)
{
	struct ucore_global *global = &dg->global;

	dg->die = t->die;
	*global = (struct ucore_global){
		.freeze = DISC_GLOBAL_CTL_FRZ_ALL,
		.keep = DISC_GLOBAL_CTL_FRZ_ALL,
		.level = true,
	};
	switch (ucore_disc_access(t->word)) {
	case UCORE_ACCESS_MSR:
		global->ctl = t->word[1];
		break;
	case UCORE_ACCESS_MMIO:
		global->phys = t->word[1];
		global->size = max_t(u32, t->global_size, sizeof(u64));
		break;
	default:
		global->pdev = pdev_at(t->word[1]);
		global->ctl = FIELD_GET(DISC_PCI_OFFSET, t->word[1]);
	}
	/* no manual tells how it routes overflows, so nobody looks at its status */
	if (ucore_private_pmi())
		ucore_private_pmi_describe(global, t);
}

static int describe_globals(void)
{
	struct die_global *dg;
	u32 i;

	die_globals = kvcalloc(disc.nr_tables, sizeof(*die_globals), GFP_KERNEL);
	if (!die_globals)
		return -ENOMEM;
	for (i = 0; i < disc.nr_tables; i++) {
		if (disc.table[i].reason != UCORE_TABLE_OK)
			continue;
		dg = &die_globals[nr_die_globals];
		describe_global(dg, &disc.table[i]);
		/* a function may have gone since it was probed */
		if (ucore_disc_access(disc.table[i].word) != UCORE_ACCESS_PCI || dg->global.pdev)
			nr_die_globals++;
	}
	return 0;
}

static const struct ucore_global *global_of_die(u32 die)
{
	u32 i;

	for (i = 0; i < nr_die_globals; i++)
		if (die_globals[i].die == die)
			return &die_globals[i].global;
	return NULL;
}

/*
 * Can the overflow of its counters be told from that of others'?  By a bit of
 * its own in global status, and by its box status, which else nobody looks at.
 */
static void describe_overflow(struct ucore_box_desc *desc, struct ucore_unit *unit)
{
	const struct ucore_disc_table *t = &disc.table[unit->table];
	u32 position = FIELD_GET(DISC_UNIT2_STATUS_POS, unit->word[2]);
	struct ucore_layout *layout = &unit->layout;

	/* positions are in the status of the table with the die's global control */
	if (!desc->global->nr_status || t->reason || position >= t->nr_status)
		layout->status = UCORE_REG_NONE;
	if (layout->status == UCORE_REG_NONE)
		return;
	if (ucore_disc_access(unit->word) == UCORE_ACCESS_MSR &&
	    !msr_there(unit->die, unit->word[1] + layout->status)) {
		layout->status = UCORE_REG_NONE;
		return;
	}
	desc->global_gp = BIT_ULL(position % 64);
	desc->caps = UCORE_BOX_OVERFLOW;
}

static int add_unit(struct ucore_finder *finder, struct ucore_unit *unit)
{
	struct ucore_box_desc desc = {
		.type = &unit->type,
		.layout = &unit->layout,
		.global = global_of_die(unit->die),
		.die = unit->die,
		.instance = ucore_disc_unit_id(unit),
		.told = &unit->box,
	};

	unit->type.name = unit->name;
	switch (ucore_disc_access(unit->word)) {
	case UCORE_ACCESS_MSR:
		desc.msr = unit->word[1];
		break;
	case UCORE_ACCESS_MMIO:
		desc.phys = unit->word[1];
		desc.size = unit->size;
		break;
	default:
		desc.pdev = pdev_at(unit->word[1]);
		if (!desc.pdev) {
			unit->reason = UCORE_UNIT_FUNCTION;
			return 0;
		}
	}
	describe_overflow(&desc, unit);
	return ucore_finder_add(finder, &desc);
}

/* Do all registers of a box beside a unit answer? */
static bool beside_there(const struct ucore_disc_beside *beside, s32 die, u32 msr)
{
	u32 i;

	for (i = 0; i < beside->type->nr_fixed; i++)
		if (!msr_there(die, msr + beside->layout->fixed_ctr[i]))
			return false;
	return true;
}

/* The box beside a unit that no table has. */
static int add_beside(struct ucore_finder *finder, const struct ucore_unit *unit)
{
	const struct ucore_disc_beside *beside = disc.rules->beside;
	struct ucore_box_desc desc = {
		.global = global_of_die(unit->die),
		.die = unit->die,
		.instance = ucore_disc_unit_id(unit),
	};

	if (!beside || ucore_disc_unit_type(unit) != beside->unit || desc.instance >= beside->max)
		return 0;
	desc.type = beside->type;
	desc.layout = beside->layout;
	desc.msr = beside->msr + desc.instance * beside->stride;
	if (!beside_there(beside, unit->die, desc.msr))
		return 0;
	return ucore_finder_add(finder, &desc);
}

static int add_units(struct ucore_finder *finder)
{
	struct ucore_unit *unit;
	int ret = 0;

	for (unit = disc.unit; unit < disc.unit + disc.nr_units && !ret; unit++) {
		if (!unit->reason && !global_of_die(unit->die))
			unit->reason = UCORE_UNIT_FUNCTION;
		if (!unit->reason)
			ret = add_unit(finder, unit);
	}
	for (unit = disc.unit; unit < disc.unit + disc.nr_units && !ret; unit++)
		if (!unit->reason)
			ret = add_beside(finder, unit);
	return ret;
}

/**
 * ucore_discovery_find() - all boxes of a machine that describes them itself
 * @finder: takes the descriptions
 * @platform: its table is a struct ucore_disc_rules
 *
 * Return: 0 or -ENOMEM; no table, or none that makes sense, is no error.
 */
int ucore_discovery_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	int ret;
	u32 i;

	disc.env = &env;
	disc.rules = platform->table;
	env.phys_bits = boot_cpu_data.x86_phys_bits;
	finder->caps = UCORE_CAP_DISCOVERY;
	ret = find_all_tables();
	if (!ret && disc.nr_tables)
		ret = list_dies();
	if (ret || !disc.nr_tables)
		return ret;
	ucore_disc_deal(&disc, dies, nr_dies);
	for (i = 0; i < disc.rules->nr_places && !ret; i++)
		ret = find_spots(&disc.rules->places[i]);
	for (i = 0; i < disc.nr_tables && !ret; i++)
		ret = read_table(i);
	if (!ret)
		ret = describe_globals();
	if (ret)
		return ret;
	probe_units();
	finder->caps |= UCORE_CAP_GLOBAL_FREEZE;
	if (ucore_private_pmi())
		finder->caps |= UCORE_CAP_OVERFLOW_PMI;
	return add_units(finder);
}

/** ucore_discovery_drop() - forget what was found; the boxes are gone */
void ucore_discovery_drop(void)
{
	u32 i;

	for (i = 0; i < nr_die_globals; i++)
		pci_dev_put(die_globals[i].global.pdev);
	kvfree(die_globals);
	die_globals = NULL;
	nr_die_globals = 0;
	ucore_disc_free(&disc);
	kvfree(dies);
	dies = NULL;
	nr_dies = 0;
	max_dies = 0;
}

/*
 * ---- reports ----
 */

static u32 report_nr_tables(void)
{
	return disc.nr_tables;
}

static u32 report_nr_units(void)
{
	return disc.nr_units;
}

static void report_table(u32 i, struct ucore_table_info *out)
{
	const struct ucore_disc_table *t = &disc.table[i];
	u32 u;

	*out = (struct ucore_table_info){
		.table = i,
		.die = t->die,
		.segment = t->segment,
		.bus = t->bus,
		.device = PCI_SLOT(t->devfn),
		.function = PCI_FUNC(t->devfn),
		.dvsec = t->dvsec.at,
		.bar = t->dvsec.bar,
		.offset = t->dvsec.offset,
		.stride = t->stride,
		.max_units = t->max_units,
		.nr_units = t->nr,
		.access = ucore_disc_access(t->word),
		.num_status = FIELD_GET(DISC_GLOBAL2_NUM_STATUS, t->word[2]),
		.status_offset = FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET, t->word[2]),
		.reason = t->reason,
		.address = t->address,
		.global = t->word[1],
	};
	for (u = 0; u < t->nr; u++)
		out->nr_rejected += disc.unit[t->first + u].reason != UCORE_UNIT_OK;
}

static void report_unit(u32 i, struct ucore_unit_info *out)
{
	const struct ucore_unit *unit = &disc.unit[i];

	*out = (struct ucore_unit_info){
		.table = unit->table,
		.record = unit->record,
		.die = unit->die,
		.reason = unit->reason,
		.box = unit->box,
		.type = ucore_disc_unit_type(unit),
		.id = ucore_disc_unit_id(unit),
		.access = ucore_disc_access(unit->word),
		.other = unit->other,
		.other_table = unit->other_table,
		.word = { unit->word[0], unit->word[1], unit->word[2] },
	};
	strscpy(out->name, unit->name, sizeof(out->name));
}

const struct ucore_report ucore_discovery_report = {
	.nr_tables = report_nr_tables,
	.nr_units = report_nr_units,
	.table = report_table,
	.unit = report_unit,
};
