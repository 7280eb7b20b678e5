// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: makes box descriptions from units, and reports tables and units to
 * GET_TABLES and GET_UNITS.
 *
 * Owns the results of discovery, which exist until the module is unloaded. Process context. All
 * functions except the reports run at module load.
 */
#include <linux/bitfield.h>
#include <linux/cpufeature.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "find/die_topology.h"
#include "find/discovery/fetch_tables.h"
#include "find/discovery/freerunning.h"
#include "find/discovery/make_boxes.h"
#include "find/discovery/parse_tables.h"
#include "find/discovery/probe_units.h"
#include "find/discovery/record.h"
#include "find/discovery/unit_check.h"
#include "find/static_table.h"
#include "hw/discovery.h"

static struct ucore_disc disc;

/* Table number of a global control that belongs to boxes beside the tables */
#define NO_TABLE	(~0U)

/*
 * Global control of each accepted table: logical die, index of the table, description. Those of
 * boxes beside the tables come first.
 */
static struct die_global {
	u32 die;
	u32 table;
	struct ucore_global global;
} *die_globals;
static u32 nr_die_globals;

/*
 * Describe the global status of a table, if its record states the place of the status and all
 * words respond. The members about the PMI route stay 0, because no manual documents the route.
 */
static void describe_status(struct ucore_global *global, const struct ucore_disc_table *t)
{
	if (!t->nr_status || disc.rules->beside || !ucore_probe_status(t))
		return;
	global->status = global->ctl + FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET, t->word[2]);
	global->status_stride = t->status_stride;
	global->nr_status = DIV_ROUND_UP(t->nr_status, 64);
	global->untried = true;
}

static void describe_global(struct die_global *dg, const struct ucore_disc_table *t)
{
	struct ucore_global *global = &dg->global;

	dg->die = t->die;
	dg->table = t - disc.table;
	*global = (struct ucore_global){
		.freeze = DISC_GLOBAL_CTL_FRZ_ALL,
		.keep = DISC_GLOBAL_CTL_FRZ_ALL,
		.level = true,
	};
	switch (ucore_record_access(t->word)) {
	case UCORE_ACCESS_MSR:
		global->ctl = t->word[1];
		break;
	case UCORE_ACCESS_MMIO:
		global->phys = t->word[1];
		global->size = max_t(u32, t->global_size, sizeof(u64));
		break;
	default:
		global->pdev = ucore_probe_pdev_at(t->word[1]);
		global->ctl = FIELD_GET(DISC_PCI_OFFSET, t->word[1]);
	}
	describe_status(global, t);
}

/* Append a global control to the list of its die's global controls, in order of their tables. */
static void chain_global(struct die_global *dg)
{
	struct die_global *last;

	for (last = dg - 1; last >= die_globals; last--) {
		if (last->die != dg->die)
			continue;
		last->global.next = &dg->global;
		if (last->table != NO_TABLE)
			pr_info("die %u: discovery table %u has a further global control\n",
				dg->die, dg->table);
		return;
	}
}

/* Return the number of global controls of the boxes beside the tables of a die. */
static u32 nr_beside(void)
{
	const struct ucore_global *global = disc.rules->beside ? disc.rules->beside->global : NULL;
	u32 nr = 0;

	for (; global; global = global->next)
		nr++;
	return nr;
}

/* Describe the global controls of the boxes beside the tables of each die. */
static void describe_beside(const struct ucore_dies *dies)
{
	const struct ucore_global *global;
	struct die_global *dg;
	u32 i;

	for (i = 0; i < dies->nr; i++) {
		for (global = disc.rules->beside->global; global; global = global->next) {
			dg = &die_globals[nr_die_globals++];
			*dg = (struct die_global){
				.die = dies->id[i], .table = NO_TABLE, .global = *global,
			};
			dg->global.next = NULL;
			chain_global(dg);
		}
	}
}

static int describe_globals(void)
{
	struct ucore_dies dies = { };
	int ret = disc.rules->beside ? ucore_dies_list(&dies) : 0;
	struct die_global *dg;
	u32 i;

	if (!ret)
		die_globals = kvcalloc(disc.nr_tables + dies.nr * nr_beside(),
				       sizeof(*die_globals), GFP_KERNEL);
	if (die_globals)
		describe_beside(&dies);
	ucore_dies_free(&dies);
	if (!die_globals)
		return -ENOMEM;
	for (i = 0; i < disc.nr_tables; i++) {
		if (disc.table[i].reason != UCORE_TABLE_OK)
			continue;
		dg = &die_globals[nr_die_globals];
		describe_global(dg, &disc.table[i]);
		/* the PCI function may have been removed after ucore_probe_global() */
		if (ucore_record_access(disc.table[i].word) == UCORE_ACCESS_PCI && !dg->global.pdev)
			continue;
		chain_global(dg);
		nr_die_globals++;
	}
	return 0;
}

/* Return the first global control of a die, NULL if there is none. */
static const struct ucore_global *global_of_die(u32 die)
{
	u32 i;

	for (i = 0; i < nr_die_globals; i++)
		if (die_globals[i].die == die)
			return &die_globals[i].global;
	return NULL;
}

/*
 * Return the global control of a unit's table. For a rejected table, return the first global
 * control of the die.
 */
static const struct ucore_global *global_of_unit(const struct ucore_unit *unit)
{
	u32 i;

	if (disc.table[unit->table].reason)
		return global_of_die(unit->die);
	for (i = 0; i < nr_die_globals; i++)
		if (die_globals[i].table == unit->table)
			return &die_globals[i].global;
	return NULL;
}

/*
 * Describe the overflow status of a box. A box can report overflows only if it has a bit in the
 * global status and its own status register responds. Otherwise the driver does not use the
 * status register of the box. A trial shows whether the box reports overflows
 * (selftest/overflow_trial.c).
 */
static void describe_overflow(struct ucore_box_desc *desc, struct ucore_unit *unit)
{
	const struct ucore_disc_table *t = &disc.table[unit->table];
	const struct ucore_global *global = global_of_unit(unit);
	u32 position = FIELD_GET(DISC_UNIT2_STATUS_POS, unit->word[2]);
	struct ucore_layout *layout = &unit->layout;

	/*
	 * the bit position refers to the global status of the unit's table, and the first global
	 * control of the die shows whether the die has a status at all
	 */
	if (!desc->global->nr_status || !global->nr_status || t->reason ||
	    position >= t->nr_status)
		layout->status = UCORE_REG_NONE;
	if (layout->status == UCORE_REG_NONE)
		return;
	if (ucore_record_access(unit->word) == UCORE_ACCESS_MSR &&
	    !ucore_probe_msr(unit->die, unit->word[1] + layout->status)) {
		layout->status = UCORE_REG_NONE;
		return;
	}
	desc->global_gp = BIT_ULL(position % 64);
	desc->reported_in = global;
	desc->status_position = position;
}

static int add_unit(struct ucore_finder *finder, struct ucore_unit *unit)
{
	struct ucore_box_desc desc = {
		.type = &unit->type,
		.layout = &unit->layout,
		.global = global_of_die(unit->die),
		.die = unit->die,
		.instance = ucore_record_id(unit->word),
		.id_out = &unit->box,
		.absent = unit->absent ? &unit->reason : NULL,
	};

	unit->type.name = unit->name;
	switch (ucore_record_access(unit->word)) {
	case UCORE_ACCESS_MSR:
		desc.msr = unit->word[1];
		break;
	case UCORE_ACCESS_MMIO:
		desc.phys = unit->word[1];
		desc.size = unit->size;
		break;
	default:
		desc.pdev = ucore_probe_pdev_at(unit->word[1]);
		if (!desc.pdev) {
			unit->reason = UCORE_UNIT_FUNCTION;
			return 0;
		}
	}
	describe_overflow(&desc, unit);
	return ucore_finder_add(finder, &desc);
}

static int add_units(struct ucore_finder *finder)
{
	struct ucore_unit *unit;
	int ret = 0;
	u32 i;

	for (unit = disc.unit; unit < disc.unit + disc.nr_units && !ret; unit++) {
		/* a unit that could not be mapped did not respond for this reason */
		if (unit->reason && (!unit->absent || !ucore_probe_can_map(unit)))
			continue;
		if (disc.rules->beside && ucore_record_access(unit->word) == UCORE_ACCESS_MSR)
			unit->reason = UCORE_UNIT_FOREIGN;	/* a box beside the table */
		else if (global_of_unit(unit))
			ret = add_unit(finder, unit);
		else
			unit->reason = UCORE_UNIT_FUNCTION;
	}
	for (unit = disc.unit; unit < disc.unit + disc.nr_units && !ret; unit++)
		if (!unit->reason)
			ret = ucore_freerunning_add(finder, disc.rules, unit,
						    global_of_die(unit->die));
	for (i = 0; i < nr_die_globals && !ret; i++)
		if (global_of_die(die_globals[i].die) == &die_globals[i].global)
			ret = ucore_freerunning_add_mmio(finder, &disc, die_globals[i].die,
							 &die_globals[i].global);
	if (global_of_die(0) && !ret)
		ret = ucore_freerunning_add_fixed(finder, &disc, 0, global_of_die(0));
	ucore_links_find(finder, disc.rules->links, disc.rules->ubox);
	return ret;
}

/*
 * ---- text for the user about missing tables ----
 */

static void report_config(struct ucore_finder *finder)
{
	ucore_finder_report(finder, UCORE_CAUSE_CONFIG,
			    "the kernel reaches only 256 bytes of PCI config space, discovery tables need more: boot without pci=nommconf, see MMCONFIG or ECAM in dmesg");
}

/* Report that the machine has no table. */
static void report_no_tables(struct ucore_finder *finder)
{
	bool known = disc.rules->nr_types;

	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR) && disc.short_config)
		report_config(finder);
	else if (known || boot_cpu_has(X86_FEATURE_HYPERVISOR))
		ucore_finder_report_hidden(finder, "uncore boxes",
					   "no PMON discovery table: look for a BIOS option that enables it");
	else
		ucore_finder_report(finder, UCORE_CAUSE_PROCESSOR,
				    "no table for this Intel processor, and it has no PMON discovery");
}

/* Return the first table that was rejected for @reason, NULL if there is none. */
static const struct ucore_disc_table *rejected_for(u32 reason)
{
	u32 i;

	for (i = 0; i < disc.nr_tables; i++)
		if (disc.table[i].reason == reason)
			return &disc.table[i];
	return NULL;
}

/* Return the number of tables of a die that are used. */
static u32 tables_of_die(u32 die)
{
	u32 i, n = 0;

	for (i = 0; i < disc.nr_tables; i++)
		n += disc.table[i].die == die && disc.table[i].reason == UCORE_TABLE_OK;
	return n;
}

/* Return true if a table was rejected that belongs to a die, or may belong to it. */
static bool rejected_of_die(u32 die)
{
	const struct ucore_disc_table *t;

	for (t = disc.table; t < disc.table + disc.nr_tables; t++)
		if ((t->die == die || t->die == UCORE_DIE_UNKNOWN) &&
		    t->reason != UCORE_TABLE_OK)
			return true;
	return false;
}

/* Report that a die has no usable table, or fewer than other dies. */
static void report_die(struct ucore_finder *finder, u32 die)
{
	const struct ucore_disc_table *asleep = rejected_for(UCORE_TABLE_ASLEEP);

	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		ucore_finder_report(finder, UCORE_CAUSE_GUEST,
				    "a virtual machine hides the discovery table of die %u: run ucore on the host",
				    die);
	else if (rejected_for(UCORE_TABLE_CONFIG))
		report_config(finder);
	else if (asleep)
		ucore_finder_report(finder, UCORE_CAUSE_ASLEEP,
				    "die %u has no discovery table, but PCI function %04x:%02x:%02x.%u sleeps and may have it: wake it and load ucore again",
				    die, asleep->segment, asleep->bus, PCI_SLOT(asleep->devfn),
				    PCI_FUNC(asleep->devfn));
	else if (rejected_of_die(die))
		ucore_finder_report(finder, UCORE_CAUSE_TABLE,
				    "a discovery table of die %u cannot be used: 'ucoretool list --rejected' gives the reason",
				    die);
	else
		ucore_finder_report(finder, UCORE_CAUSE_FIRMWARE,
				    "die %u has no discovery table: look for a BIOS option that hides it",
				    die);
}

/* Report the first die that has no usable table, or fewer than another die. */
static void report_dies(struct ucore_finder *finder, const struct ucore_dies *dies)
{
	u32 i, most = 1;

	for (i = 0; i < dies->nr; i++)
		most = max(most, tables_of_die(dies->id[i]));
	for (i = 0; i < dies->nr; i++)
		if (tables_of_die(dies->id[i]) < most)
			report_die(finder, dies->id[i]);
}

/* Return true if a table whose die is a guess lists a box in memory or in PCI config space. */
static bool guess_matters(void)
{
	const struct ucore_unit *unit;

	for (unit = disc.unit; unit < disc.unit + disc.nr_units; unit++)
		if (!unit->reason && ucore_record_access(unit->word) != UCORE_ACCESS_MSR &&
		    disc.table[unit->table].die_by == UCORE_DIE_BY_ORDER)
			return true;
	return false;
}

/*
 * Report that boxes may be on wrong dies. Boxes in MSRs are not, because a CPU of the die accesses
 * them.
 */
static void report_guess(struct ucore_finder *finder)
{
	if (!guess_matters())
		return;
	/* beside intel_uncore, GET_INFO has another reason than the one below */
	pr_notice("the dies of discovery tables are a guess: 'ucoretool list --rejected'\n");
	if (finder->may_write)
		ucore_finder_report(finder, UCORE_CAUSE_GUESS,
				    "nothing shows the dies of discovery tables: iMC, UPI and other boxes may be on the wrong die. Boot without numa=off, or update the BIOS");
	else
		ucore_finder_report(finder, UCORE_CAUSE_GUESS,
				    "nothing shows the dies of discovery tables: iMC, UPI and other boxes may be on the wrong die. A trial needs ucore loaded without intel_uncore");
}

static bool any_box_responds(const struct ucore_finder *finder)
{
	u32 i;

	for (i = 0; i < finder->nr; i++)
		if (!finder->desc[i].absent)
			return true;
	return false;
}

/* Report the reason why boxes are missing. Only the first report has an effect. */
static int report_missing(struct ucore_finder *finder)
{
	const struct ucore_disc_table *t;
	struct ucore_dies dies = { };
	int ret = ucore_dies_list(&dies);

	if (!ret)
		report_dies(finder, &dies);
	ucore_dies_free(&dies);
	/* each die may have a table in memory beside the one that needs config space */
	if (disc.rules->table_msr_expected && rejected_for(UCORE_TABLE_CONFIG))
		report_config(finder);
	for (t = disc.table; t < disc.table + disc.nr_tables; t++)
		if (t->die < UCORE_DIE_UNKNOWN && t->reason != UCORE_TABLE_ASLEEP)
			ucore_finder_report_no_die(finder, t->segment, t->bus, t->die);
	report_guess(finder);
	if (!any_box_responds(finder))
		ucore_finder_report(finder, UCORE_CAUSE_TABLE,
				    "nothing in the discovery tables can be used: ucoretool list --rejected");
	return ret;
}

/* Add the boxes of all tables, and report missing ones. */
static int find_units(struct ucore_finder *finder)
{
	int ret = ucore_probe_count(&disc) ?: ucore_unit_judge_absent(&disc);

	if (ret)
		return ret;
	finder->caps |= UCORE_CAP_GLOBAL_FREEZE;
	return add_units(finder) ?: report_missing(finder);
}

/* Add the boxes beside the tables. The global controls of a die stop all its boxes together. */
static int find_beside(struct ucore_finder *finder)
{
	u32 i = finder->nr;
	int ret = ucore_static_table_add(finder, disc.rules->beside);

	for (; i < finder->nr; i++)
		if (finder->desc[i].global)
			finder->desc[i].global = global_of_die(finder->desc[i].die);
	return ret;
}

/**
 * ucore_discovery_find() - add all boxes of a machine with discovery tables
 * @finder: collection that receives the box descriptions
 * @platform: platform whose table is a struct ucore_disc_rules
 *
 * Return: 0 or -ENOMEM. A machine without a valid table is not an error.
 */
int ucore_discovery_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	int ret;

	disc.rules = platform->table;
	if (disc.rules->uncertain && ucore_finder_uses_uncertain())
		disc.rules = disc.rules->uncertain;
	disc.may_write = finder->may_write;
	finder->caps = UCORE_CAP_DISCOVERY;
	ret = ucore_fetch_tables(&disc);
	if (!ret && (disc.nr_tables || disc.rules->beside))
		ret = describe_globals();
	if (ret)
		return ret;
	if (disc.nr_tables)
		ret = find_units(finder);
	else
		report_no_tables(finder);
	return ret || !disc.rules->beside ? ret : find_beside(finder);
}

/** ucore_discovery_drop() - free all results of discovery, after all boxes were freed */
void ucore_discovery_drop(void)
{
	u32 i;

	for (i = 0; i < nr_die_globals; i++)
		pci_dev_put(die_globals[i].global.pdev);
	kvfree(die_globals);
	die_globals = NULL;
	nr_die_globals = 0;
	ucore_parse_free(&disc);
	ucore_fetch_drop();
}

/*
 * ---- reports of tables and units to GET_TABLES and GET_UNITS ----
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
		.die = max(t->die, UCORE_DIE_UNKNOWN),	/* all UCORE_DIE_* become -1 */
		.segment = t->segment,
		.bus = t->bus,
		.device = PCI_SLOT(t->devfn),
		.function = PCI_FUNC(t->devfn),
		.dvsec = t->dvsec.at,
		.dvsec_header = t->dvsec.header,
		.type = FIELD_GET(DISC_GLOBAL0_TYPE, t->word[0]),
		.bar = t->dvsec.bar,
		.offset = t->dvsec.offset,
		.stride = t->stride,
		.max_units = t->max_units,
		.nr_units = t->nr,
		.access = ucore_record_access(t->word),
		.num_status = FIELD_GET(DISC_GLOBAL2_NUM_STATUS, t->word[2]),
		.status_offset = FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET, t->word[2]),
		.reason = t->reason,
		.msr = t->msr,
		.die_by = t->die_by,
		.address = t->address,
		.global = t->word[1],
	};
	for (u = 0; u < t->nr; u++)
		out->nr_rejected += disc.unit[t->first + u].reason != UCORE_UNIT_OK;
}

static void report_unit(u32 i, struct ucore_unit_info *out)
{
	const struct ucore_unit *unit = &disc.unit[array_index_nospec(i, disc.nr_units)];

	*out = (struct ucore_unit_info){
		.table = unit->table,
		.record = unit->record,
		.die = max(unit->die, UCORE_DIE_UNKNOWN),
		.reason = READ_ONCE(unit->reason),
		.box = unit->box,
		.type = ucore_record_type(unit->word),
		.id = ucore_record_id(unit->word),
		.access = ucore_record_access(unit->word),
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
