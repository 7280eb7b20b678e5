// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: interprets the content of tables, and reserves registers outside of units.
 *
 * Every value that firmware wrote is checked here or in unit_check.c before it becomes an
 * offset, shift, size or address. For an invalid table the reason is recorded. An invalid table
 * does not affect other tables. If two records contradict each other, the first record applies.
 *
 * Pure functions: no kernel services except allocation. Also built in user space (tests/fuzz).
 * Process context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/die_topology.h"
#include "find/discovery/parse_tables.h"
#include "find/discovery/range_list.h"
#include "find/discovery/record.h"
#include "find/discovery/register_address_check.h"
#include "find/discovery/unit_check.h"
#include "hw/discovery.h"

#define PCI_BARS	6
#define PCI_BAR0	0x10

#define GLOBAL_BYTES	8

/* ---- DVSEC and BAR ---- */

/*
 * Return true for a DVSEC that points to a discovery table. Its vendor field is ignored, as in
 * Linux and Intel PCM.
 */
static bool is_pmon_dvsec(const struct ucore_disc_config *config, u32 at, u32 header)
{
	u32 id;

	if (FIELD_GET(DISC_EXT_CAP_ID, header) != DISC_EXT_CAP_ID_DVSEC ||
	    at + DISC_DVSEC_SIZE > config->size)
		return false;
	id = config->read(config, at + DISC_DVSEC_HEADER2);
	return FIELD_GET(DISC_DVSEC_ENTRY_ID, id) == DISC_DVSEC_ENTRY_PMON;
}

static struct ucore_disc_dvsec dvsec_at(const struct ucore_disc_config *config, u32 at)
{
	u32 table = config->read(config, at + DISC_DVSEC_TABLE);

	return (struct ucore_disc_dvsec){
		.at = at,
		.header = config->read(config, at + DISC_DVSEC_HEADER1),
		.bar = FIELD_GET(DISC_DVSEC_TBIR, table),
		.offset = table & DISC_DVSEC_TABLE_OFFSET,
	};
}

/**
 * ucore_parse_dvsecs() - find the DVSECs of a PCI function that point to discovery tables
 * @config: config space of the function
 * @dvsec: out: array of the DVSECs found
 * @max: number of DVSECs that @dvsec has room for
 * @broken: out: true if the list of extended capabilities is invalid or circular
 *
 * Return: number of DVSECs found. If the list is broken, DVSECs after the broken entry are not
 * found.
 */
u32 ucore_parse_dvsecs(const struct ucore_disc_config *config, struct ucore_disc_dvsec *dvsec,
		       u32 max, bool *broken)
{
	u64 seen[UCORE_DISC_CONFIG_BYTES / sizeof(u32) / 64] = { };
	u32 at = DISC_EXT_CAP_FIRST, header, n = 0;
	bool first;

	*broken = false;
	for (first = true; at; first = false) {
		if (at < DISC_EXT_CAP_FIRST || at + sizeof(header) > config->size ||
		    seen[at / 256] & BIT_ULL(at / 4 % 64)) {
			*broken = !first;
			break;
		}
		seen[at / 256] |= BIT_ULL(at / 4 % 64);
		header = config->read(config, at);
		/* these values in the first header mean an empty list */
		if (header == 0 || header == ~0U) {
			*broken = !first;
			break;
		}
		if (n < max && is_pmon_dvsec(config, at, header))
			dvsec[n++] = dvsec_at(config, at);
		at = FIELD_GET(DISC_EXT_CAP_NEXT, header) & ~3U;
	}
	return n;
}

/**
 * ucore_parse_bar() - decode the address of a BAR
 * @config: config space of the PCI function
 * @bar: BAR number from the DVSEC
 * @address: out: physical address of the BAR
 *
 * Return: UCORE_TABLE_OK, UCORE_TABLE_BAR or UCORE_TABLE_UNASSIGNED.
 */
u32 ucore_parse_bar(const struct ucore_disc_config *config, u32 bar, u64 *address)
{
	u32 reg = PCI_BAR0 + 4 * bar, low, type;

	if (bar >= PCI_BARS)
		return UCORE_TABLE_BAR;
	low = config->read(config, reg);
	type = (low >> 1) & 3;
	/* accept a memory BAR of 32 bits (type 0) or 64 bits (type 2), prefetchable or not */
	if ((low & 1) || (type & 1) || (type == 2 && bar == PCI_BARS - 1))
		return UCORE_TABLE_BAR;
	*address = low & ~0xfU;
	if (type == 2)
		*address |= (u64)config->read(config, reg + 4) << 32;
	return *address ? UCORE_TABLE_OK : UCORE_TABLE_UNASSIGNED;
}

/**
 * ucore_parse_table_msr() - decode the table address in an MSR
 * @env: facts about the machine
 * @value: value of the MSR
 * @address: out: physical address of the table
 *
 * Return: UCORE_TABLE_OK, UCORE_TABLE_MSR or UCORE_TABLE_RAM.
 */
u32 ucore_parse_table_msr(const struct ucore_disc_env *env, u64 value, u64 *address)
{
	if (!value || value == ~0ULL || value & (sizeof(u64) - 1))
		return UCORE_TABLE_MSR;
	*address = value;
	return value >> env->phys_bits ? UCORE_TABLE_RAM : UCORE_TABLE_OK;
}

/**
 * ucore_parse_table_memory() - check whether a table can be at the address from an MSR
 * @env: facts about the machine
 * @address: physical address of the table
 * @size: size of the table (bytes), not 0
 *
 * The table is not in a BAR of a PCI function with a DVSEC. Therefore no device may use the
 * range.
 *
 * Return: UCORE_TABLE_OK, UCORE_TABLE_RAM or UCORE_TABLE_FOREIGN.
 */
u32 ucore_parse_table_memory(const struct ucore_disc_env *env, u64 address, u64 size)
{
	switch (ucore_validate_unit(env, NULL, UCORE_ACCESS_MMIO, address, size)) {
	case UCORE_UNIT_OK:
		return UCORE_TABLE_OK;
	case UCORE_UNIT_FOREIGN:
		return UCORE_TABLE_FOREIGN;
	default:
		return UCORE_TABLE_RAM;
	}
}

/* ---- the global record ---- */

static bool same_function(const struct ucore_disc_table *a, const struct ucore_disc_table *b)
{
	return a->segment == b->segment && a->bus == b->bus && a->devfn == b->devfn;
}

/*
 * Check the location of the global status in the global record. Set nr_status of the table to
 * the number of status bits, or to 0 if a word of the global status cannot be used.
 */
static void parse_status(const struct ucore_disc *disc, struct ucore_disc_table *table)
{
	u32 access = ucore_record_access(table->word);
	u32 offset = FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET, table->word[2]);
	u32 bits = FIELD_GET(DISC_GLOBAL2_NUM_STATUS, table->word[2]);
	u32 stride = access == UCORE_ACCESS_MSR ? DISC_GLOBAL_STATUS_STRIDE_MSR :
						  DISC_GLOBAL_STATUS_STRIDE;
	u32 size = offset + DIV_ROUND_UP(bits, 64) * stride;

	table->nr_status = 0;
	if (!bits || bits > UCORE_DISC_MAX_STATUS || offset % stride || offset < stride ||
	    ucore_validate_unit(disc->env, NULL, access, table->word[1], size))
		return;
	table->nr_status = bits;
	table->status_stride = stride;
	table->global_size = size;
}

/*
 * Return true if a table has a valid global record, but its die is still unknown. A table without
 * a valid record may belong to another device, for example to a GPU.
 */
static bool needs_die(const struct ucore_disc_table *t)
{
	return !t->msr && t->reason == UCORE_TABLE_OK && t->die == UCORE_DIE_UNKNOWN;
}

/* Return the number of PCI functions with tables that need a die. */
static u32 count_functions(const struct ucore_disc *disc)
{
	const struct ucore_disc_table *t, *last = NULL;
	u32 n = 0;

	for (t = disc->table; t != disc->table + disc->nr_tables; t++) {
		if (!needs_die(t))
			continue;
		n += !last || !same_function(t, last);
		last = t;
	}
	return n;
}

/* Return true if two tables have the same global control. */
static bool same_global(const struct ucore_disc_table *a, const struct ucore_disc_table *b)
{
	return ucore_record_access(a->word) == ucore_record_access(b->word) &&
	       a->word[1] == b->word[1];
}

/*
 * Return true if several PCI functions have tables that need a die and have the same global
 * control. Such tables belong to different dies, because a die has each control only once.
 */
static bool globals_repeat(const struct ucore_disc *disc)
{
	const struct ucore_disc_table *a, *b;

	for (a = disc->table; a != disc->table + disc->nr_tables; a++)
		for (b = disc->table; b != a; b++)
			if (needs_die(a) && needs_die(b) && !same_function(a, b) &&
			    same_global(a, b))
				return true;
	return false;
}

/*
 * Return true if a table of a PCI function is known to belong to a die. With @like, only tables
 * with the same global control as @like count.
 */
static bool has_table(const struct ucore_disc *disc, u32 die, const struct ucore_disc_table *like)
{
	const struct ucore_disc_table *t;

	for (t = disc->table; t != disc->table + disc->nr_tables; t++)
		if (!t->msr && t->reason == UCORE_TABLE_OK && t->die == (s32)die &&
		    t->die_by != UCORE_DIE_BY_ORDER && (!like || same_global(t, like)))
			return true;
	return false;
}

/*
 * Mark tables that belong to a socket without CPUs: each die has another table with the same
 * global control, and a die has each control only once.
 */
static void mark_offline(struct ucore_disc *disc, const u32 *dies, u32 nr)
{
	struct ucore_disc_table *t;
	u32 i, n;

	for (t = disc->table; t != disc->table + disc->nr_tables && nr; t++) {
		for (i = 0, n = 0; i < nr && needs_die(t); i++)
			n += has_table(disc, dies[i], t);
		if (n == nr)
			t->die = UCORE_DIE_OFFLINE;
	}
}

/* Return die number @n of the dies in @dies that have no table. */
static u32 die_without_table(const struct ucore_disc *disc, const u32 *dies, u32 n)
{
	for (;; dies++)
		if (!has_table(disc, *dies, NULL) && !n--)
			return *dies;
}

/**
 * ucore_parse_assign_dies() - assign dies to the tables whose PCI bus has no known die
 * @disc: results of discovery, after all global records were parsed
 * @dies: array of the dies with an online CPU, ascending
 * @nr: number of entries of @dies
 *
 * The PCI functions are distributed evenly, in the order of their places, over the dies that have
 * no table, or over all dies if each has one. With several dies this is a guess.
 */
void ucore_parse_assign_dies(struct ucore_disc *disc, const u32 *dies, u32 nr)
{
	u32 nr_functions, function = 0, nr_free = 0, i;
	struct ucore_disc_table *t, *last = NULL;
	bool only;

	mark_offline(disc, dies, nr);
	nr_functions = count_functions(disc);
	only = nr == 1 && !globals_repeat(disc);
	for (i = 0; i < nr; i++)
		nr_free += !has_table(disc, dies[i], NULL);
	for (t = disc->table; t != disc->table + disc->nr_tables && nr; t++) {
		if (!needs_die(t))
			continue;
		function += last && !same_function(t, last);
		last = t;
		i = nr_functions <= (nr_free ?: nr) ? function :
						     function * (nr_free ?: nr) / nr_functions;
		t->die_by = UCORE_DIE_BY_ORDER;
		t->die = nr_free ? die_without_table(disc, dies, i) : dies[i];
	}
	for (t = disc->table; t != disc->table + disc->nr_tables && only; t++)
		if (t->die_by == UCORE_DIE_BY_ORDER)
			t->die_by = UCORE_DIE_BY_ONLY;
}

/**
 * ucore_parse_global() - read and check the global record of a table
 * @disc: results of discovery so far
 * @table: table; this function sets its members word, stride, max_units, nr_status and reason
 * @source: readable content of the table
 */
void ucore_parse_global(struct ucore_disc *disc, struct ucore_disc_table *table,
			const struct ucore_disc_source *source)
{
	u64 *word = table->word;
	u32 access;

	table->stride = 0;
	table->max_units = 0;
	table->reason = UCORE_TABLE_OUTSIDE;
	if (source->size < DISC_RECORD_WORDS * sizeof(u64))
		return;
	source->copy(source, word, 0, DISC_RECORD_WORDS);

	access = ucore_record_access(word);
	table->stride = FIELD_GET(DISC_GLOBAL0_STRIDE, word[0]) * sizeof(u64);
	table->max_units = FIELD_GET(DISC_GLOBAL0_MAX_UNITS, word[0]);
	if (ucore_record_all_ones(word))
		table->reason = UCORE_TABLE_ALL_ONES;
	else if (!word[0] || !word[1])
		table->reason = UCORE_TABLE_EMPTY;
	else if (table->stride < DISC_RECORD_WORDS * sizeof(u64))
		table->reason = UCORE_TABLE_STRIDE;
	else if (access == ~0U || (access == UCORE_ACCESS_MMIO && word[1] & 7) ||
		 (access == UCORE_ACCESS_PCI && word[1] & 3) ||
		 ucore_validate_unit(disc->env, NULL, access, word[1],
				     access == UCORE_ACCESS_MSR ? 1 : GLOBAL_BYTES))
		table->reason = UCORE_TABLE_GLOBAL;
	else
		table->reason = UCORE_TABLE_OK;
	if (!table->reason)
		parse_status(disc, table);
}

/* Reserve the registers of the global status of a table. */
static int reserve_status(struct ucore_disc *disc, const struct ucore_disc_table *table)
{
	u32 access = ucore_record_access(table->word);
	u64 start = ucore_range_start(access, table->word[1]);
	u64 space = ucore_range_space(access, table->die, table->word[1]);

	if (!table->nr_status)
		return 0;
	return ucore_range_add_foreign(disc, space,
				       start + FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET,
							 table->word[2]),
				       start + table->global_size);
}

/* Reserve the MSR with the address of the table. */
static int reserve_table_msr(struct ucore_disc *disc, const struct ucore_disc_table *table)
{
	if (!table->msr)
		return 0;
	return ucore_range_add_foreign(disc, SPACE_MSR | (u32)table->die, table->msr,
				       table->msr + 1);
}

/*
 * Reserve the MSRs of the free-running counters of IIO stack @stack, one range for each run of
 * consecutive MSRs.
 */
static int reserve_stack(struct ucore_disc *disc, u64 space,
			 const struct ucore_disc_free_msr *boxes, u32 stack)
{
	u32 first = boxes->msr + stack * boxes->stride, i, msr, start = 0, end = 0;
	int ret = 0;

	for (i = 0; i < boxes->type->nr_fixed && !ret; i++) {
		msr = first + boxes->layout->fixed_ctr[i] + (i ? stack * boxes->extra_stride : 0);
		if (msr != end) {
			ret = ucore_range_add_row(disc, space, start, end);
			start = msr;
		}
		end = msr + 1;
	}
	return ret ?: ucore_range_add_row(disc, space, start, end);
}

/*
 * Reserve the uncore MSRs of a die that no table lists: the register with the number of CHAs,
 * and the free-running counters.
 */
static int reserve_unlisted(struct ucore_disc *disc, s32 die)
{
	const struct ucore_disc_free_msr *boxes = disc->rules->free_msr;
	u32 count = disc->rules->count_msr, stack;
	u64 space = SPACE_MSR | (u32)die;
	int ret = count ? ucore_range_add_foreign(disc, space, count, count + 1) : 0;

	for (stack = 0; boxes && stack < boxes->max && !ret; stack++)
		ret = reserve_stack(disc, space, boxes, stack);
	return ret;
}

/*
 * Compare a table with the accepted tables of its die. Return UCORE_TABLE_DUPLICATE if another
 * table has the same global control, UCORE_TABLE_CONFLICT if the die would have more global
 * controls than any known processor, otherwise UCORE_TABLE_OK.
 */
static u32 compare_tables(const struct ucore_disc *disc, const struct ucore_disc_table *table)
{
	const struct ucore_disc_table *other;
	u32 n = 0;

	for (other = disc->table; other != table; other++) {
		if (other->die != table->die || other->reason != UCORE_TABLE_OK)
			continue;
		if (same_global(table, other))
			return UCORE_TABLE_DUPLICATE;
		n++;
	}
	return n < DISC_MAX_GLOBALS ? UCORE_TABLE_OK : UCORE_TABLE_CONFLICT;
}

/*
 * Reserve the registers of the global control of a table. The table is rejected if they overlap
 * a unit or another global control.
 */
static int reserve_global(struct ucore_disc *disc, struct ucore_disc_table *table)
{
	u32 access = ucore_record_access(table->word);
	u64 start = ucore_range_start(access, table->word[1]);
	struct ucore_disc_range range = {
		.space = ucore_range_space(access, table->die, table->word[1]),
		.start = start,
		.end = start + (access == UCORE_ACCESS_MSR ? 1 : GLOBAL_BYTES),
		.unit = UCORE_NO_BOX,
	};

	table->reason = compare_tables(disc, table);
	if (table->reason)
		return 0;
	if (ucore_is_global_beside(disc->rules, access, start) ||
	    ucore_range_overlap(disc, &range)) {
		table->reason = UCORE_TABLE_GLOBAL;
		return 0;
	}
	return ucore_range_add(disc, &range, 1) ?: reserve_status(disc, table) ?:
	       reserve_table_msr(disc, table) ?: reserve_unlisted(disc, table->die);
}

/* ---- units of a table ---- */

/* Make room for @more units in the array of units. */
static int units_expect(struct ucore_disc *disc, u32 more)
{
	struct ucore_unit *unit = ucore_array_grow_by(disc->unit, disc->nr_units, more,
						      &disc->max_units, sizeof(*unit));

	if (!unit && more)
		return -ENOMEM;
	disc->unit = unit;
	return 0;
}

static struct ucore_unit *unit_new(struct ucore_disc *disc, u32 table, u32 record)
{
	struct ucore_unit *unit;

	if (units_expect(disc, 1))
		return NULL;
	unit = &disc->unit[disc->nr_units++];
	*unit = (struct ucore_unit){
		.table = table,
		.record = record,
		.die = disc->table[table].die,
		.box = UCORE_NO_BOX,
	};
	disc->table[table].nr++;
	return unit;
}

/*
 * Add the units of the table's die that were found by their PCI functions, and that the table
 * lacks or describes wrongly.
 */
static int add_pci_units(struct ucore_disc *disc, u32 table)
{
	const struct ucore_disc_pci_unit *pci_unit;
	struct ucore_unit *unit;
	int ret = 0;
	u32 i;

	for (i = 0; i < disc->nr_pci_units && !ret; i++) {
		pci_unit = &disc->pci_unit[i];
		if (pci_unit->die != disc->table[table].die)
			continue;
		if (ucore_unit_name_reserved(disc, pci_unit->die, pci_unit->place->type,
					     pci_unit->id))
			continue;	/* the record of this unit in the table is correct */
		unit = unit_new(disc, table, 0);
		if (!unit)
			return -ENOMEM;
		unit->word[0] = pci_unit->place->word0;
		unit->word[1] = pci_unit->address;
		unit->word[2] = pci_unit->place->type | pci_unit->id << 16;
		ret = ucore_unit_judge(disc, unit);
	}
	return ret;
}

/**
 * ucore_parse_units() - accept or reject all unit records of a table
 * @disc: results of discovery so far; one unit is added for each record
 * @table: index of a table with a valid global record
 * @source: readable content of the table
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_parse_units(struct ucore_disc *disc, u32 table,
		      const struct ucore_disc_source *source)
{
	struct ucore_disc_table *t = &disc->table[table];
	struct ucore_unit *unit;
	u64 offset;
	int ret;
	u32 i;

	t->first = disc->nr_units;
	t->nr = 0;
	if (disc->nr_units + t->max_units > UCORE_DISC_MAX_TOTAL) {
		t->reason = UCORE_TABLE_LIMIT;
		return 0;
	}
	ret = reserve_global(disc, t);
	if (t->reason && t->reason != UCORE_TABLE_DUPLICATE)
		return 0;
	ret = ret ?: units_expect(disc, t->max_units);
	for (i = 1; i <= t->max_units && !ret; i++) {
		unit = unit_new(disc, table, i);
		if (!unit)
			return -ENOMEM;
		offset = (u64)i * t->stride;
		if (offset + DISC_RECORD_WORDS * sizeof(u64) > source->size) {
			unit->reason = UCORE_UNIT_TRUNCATED;
			continue;
		}
		source->copy(source, unit->word, offset, DISC_RECORD_WORDS);
		ret = ucore_unit_judge(disc, unit);
	}
	return ret ?: t->reason == UCORE_TABLE_OK ? add_pci_units(disc, table) : 0;
}

/**
 * ucore_parse_reset() - free all units and reserved ranges
 * @disc: results of discovery; the tables and their global records are kept
 */
void ucore_parse_reset(struct ucore_disc *disc)
{
	u32 i;

	kvfree(disc->unit);
	kvfree(disc->pci_unit);
	disc->unit = NULL;
	disc->pci_unit = NULL;
	disc->nr_units = 0;
	disc->max_units = 0;
	disc->nr_pci_units = 0;
	disc->max_pci_units = 0;
	for (i = 0; i < UCORE_DISC_SPACES; i++) {
		kvfree(disc->ranges[i].range);
		disc->ranges[i] = (struct ucore_disc_ranges){ };
	}
}

/**
 * ucore_parse_free() - free all results of discovery
 * @disc: results of discovery; only the members env and rules are kept
 */
void ucore_parse_free(struct ucore_disc *disc)
{
	ucore_parse_reset(disc);
	kvfree(disc->table);
	*disc = (struct ucore_disc){ .env = disc->env, .rules = disc->rules };
}
