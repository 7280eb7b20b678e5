// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery, the pure half: is this record a box, and if not, why not?
 *
 * Nothing that firmware wrote becomes an offset, a shift, a size or an address
 * before it has been checked here.  A record that fails is kept with its
 * reason, and spoils no other.  Where two records contradict each other the
 * first is believed.
 *
 * Built in user space, too (tests/fuzz): no kernel services but allocation.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/discovery/ranges.h"
#include "find/discovery/discovery.h"
#include "find/topology.h"
#include "hw/discovery.h"

#define PCI_BARS	6
#define PCI_BAR0	0x10

#define GLOBAL_BYTES	8

/*
 * ---- the DVSEC and its BAR ----
 */

/* The vendor in the DVSEC is not looked at: neither Linux nor Intel's PCM do. */
static bool is_discovery(const struct ucore_disc_config *config, u32 at, u32 header)
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
		.bar = FIELD_GET(DISC_DVSEC_TBIR, table),
		.offset = table & DISC_DVSEC_TABLE_OFFSET,
	};
}

/**
 * ucore_disc_walk() - find the DVSECs of PMON discovery of a function
 * @config: its config space
 * @dvsec: the answer
 * @max: room for how many
 * @broken: out: the list of capabilities leads nowhere or in a circle
 *
 * Return: how many were found, before the list broke if it did.
 */
u32 ucore_disc_walk(const struct ucore_disc_config *config, struct ucore_disc_dvsec *dvsec,
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
		/* at the first place these say that there is no list */
		if (header == 0 || header == ~0U) {
			*broken = !first;
			break;
		}
		if (n < max && is_discovery(config, at, header))
			dvsec[n++] = dvsec_at(config, at);
		at = FIELD_GET(DISC_EXT_CAP_NEXT, header) & ~3U;
	}
	return n;
}

/**
 * ucore_disc_bar() - where does a BAR point?
 * @config: config space of the function
 * @bar: number, as the DVSEC has it
 * @address: out: physical address
 *
 * Return: UCORE_TABLE_OK, UCORE_TABLE_BAR or UCORE_TABLE_UNASSIGNED.
 */
u32 ucore_disc_bar(const struct ucore_disc_config *config, u32 bar, u64 *address)
{
	u32 reg = PCI_BAR0 + 4 * bar, low, type;

	if (bar >= PCI_BARS)
		return UCORE_TABLE_BAR;
	low = config->read(config, reg);
	type = (low >> 1) & 3;
	/* a memory BAR of 32 bits (type 0) or of 64 (type 2), prefetchable or not */
	if ((low & 1) || (type & 1) || (type == 2 && bar == PCI_BARS - 1))
		return UCORE_TABLE_BAR;
	*address = low & ~0xfU;
	if (type == 2)
		*address |= (u64)config->read(config, reg + 4) << 32;
	return *address ? UCORE_TABLE_OK : UCORE_TABLE_UNASSIGNED;
}

/**
 * ucore_disc_pointer() - does the value of an MSR point to a table?
 * @env: the machine
 * @value: what the MSR holds
 * @address: out: physical address
 *
 * Return: UCORE_TABLE_OK, UCORE_TABLE_MSR or UCORE_TABLE_RAM.
 */
u32 ucore_disc_pointer(const struct ucore_disc_env *env, u64 value, u64 *address)
{
	if (!value || value == ~0ULL || value & (sizeof(u64) - 1))
		return UCORE_TABLE_MSR;
	*address = value;
	return value >> env->phys_bits ? UCORE_TABLE_RAM : UCORE_TABLE_OK;
}

/**
 * ucore_disc_memory() - may a table be read where an MSR says that it is?
 * @env: the machine
 * @address: first byte
 * @size: bytes, not 0
 *
 * No function has this memory in a BAR of its own: then it must be nobody's.
 *
 * Return: UCORE_TABLE_OK, UCORE_TABLE_RAM or UCORE_TABLE_FOREIGN.
 */
u32 ucore_disc_memory(const struct ucore_disc_env *env, u64 address, u64 size)
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

/*
 * ---- records ----
 */

u32 ucore_disc_access(const u64 *word)
{
	switch (FIELD_GET(DISC_WORD0_ACCESS, word[0])) {
	case DISC_ACCESS_MSR:
		return UCORE_ACCESS_MSR;
	case DISC_ACCESS_MMIO:
		return UCORE_ACCESS_MMIO;
	case DISC_ACCESS_PCI:
		return UCORE_ACCESS_PCI;
	default:
		return ~0U;
	}
}

u32 ucore_disc_unit_type(const struct ucore_unit *unit)
{
	return FIELD_GET(DISC_UNIT2_TYPE, unit->word[2]);
}

u32 ucore_disc_unit_id(const struct ucore_unit *unit)
{
	return FIELD_GET(DISC_UNIT2_ID, unit->word[2]);
}

static bool all_ones(const u64 *word)
{
	return word[0] == ~0ULL || word[1] == ~0ULL || word[2] == ~0ULL;
}

/*
 * ---- claims ----
 */

static u64 register_space(u32 access, s32 die, u64 address)
{
	switch (access) {
	case UCORE_ACCESS_MSR:
		return SPACE_MSR | (u32)die;
	case UCORE_ACCESS_MMIO:
		return SPACE_MEMORY;
	default:
		return SPACE_PCI | (address & DISC_PCI_ADDRESS & ~DISC_PCI_OFFSET);
	}
}

static u64 register_start(u32 access, u64 address)
{
	return access == UCORE_ACCESS_PCI ? FIELD_GET(DISC_PCI_OFFSET, address) : address;
}

/*
 * ---- the global record ----
 */

static bool same_function(const struct ucore_disc_table *a, const struct ucore_disc_table *b)
{
	return a->segment == b->segment && a->bus == b->bus && a->devfn == b->devfn;
}

/* Can the words of global status be reached?  All of them count, or none. */
static void parse_status(const struct ucore_disc *disc, struct ucore_disc_table *table)
{
	u32 access = ucore_disc_access(table->word);
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

/* Is it the first table of a PCI function?  Tables of MSRs come last. */
static bool is_next_function(const struct ucore_disc *disc, const struct ucore_disc_table *t)
{
	return !t->msr && (t == disc->table || !same_function(t, t - 1));
}

/**
 * ucore_disc_deal() - give tables whose bus tells no die to the dies in order
 * @disc: what was found; nothing is parsed yet
 * @dies: dies with a CPU online, in order
 * @nr: how many
 *
 * Each die gets equally many of the functions that have tables.
 */
void ucore_disc_deal(struct ucore_disc *disc, const u32 *dies, u32 nr)
{
	u32 nr_functions = 0, function = 0;
	struct ucore_disc_table *t;

	for (t = disc->table; t != disc->table + disc->nr_tables; t++)
		nr_functions += is_next_function(disc, t);
	for (t = disc->table; t != disc->table + disc->nr_tables; t++) {
		if (t != disc->table && is_next_function(disc, t))
			function++;
		if (t->die == UCORE_DIE_UNKNOWN && nr)
			t->die = dies[nr_functions <= nr ? function :
							   function * nr / nr_functions];
	}
}

/**
 * ucore_disc_parse_global() - read and check a table's global record
 * @disc: what was found so far
 * @table: the table; gets @word, @stride, @max_units, @nr_status and @reason
 * @source: its bytes
 */
void ucore_disc_parse_global(struct ucore_disc *disc, struct ucore_disc_table *table,
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

	access = ucore_disc_access(word);
	table->stride = FIELD_GET(DISC_GLOBAL0_STRIDE, word[0]) * sizeof(u64);
	table->max_units = FIELD_GET(DISC_GLOBAL0_MAX_UNITS, word[0]);
	if (all_ones(word))
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

/* The words of global status. */
static int claim_status(struct ucore_disc *disc, const struct ucore_disc_table *table)
{
	u32 access = ucore_disc_access(table->word);
	u64 start = register_start(access, table->word[1]);

	if (!table->nr_status)
		return 0;
	return ucore_range_add_others(disc, register_space(access, table->die, table->word[1]),
				  start + FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET, table->word[2]),
				  start + table->global_size);
}

/* Those of an IIO stack, row by row. */
static int claim_stack(struct ucore_disc *disc, u64 space,
		       const struct ucore_disc_beside *beside, u32 stack)
{
	u32 first = beside->msr + stack * beside->stride, i, msr, start = 0, end = 0;
	int ret = 0;

	for (i = 0; i < beside->type->nr_fixed && !ret; i++) {
		msr = first + beside->layout->fixed_ctr[i] + (i ? stack * beside->spread : 0);
		if (msr != end) {
			ret = ucore_range_add_row(disc, space, start, end);
			start = msr;
		}
		end = msr + 1;
	}
	return ret ?: ucore_range_add_row(disc, space, start, end);
}

/* MSRs of a die that count without being in a table: CHAs, and what IIO stacks move. */
static int claim_beside(struct ucore_disc *disc, s32 die)
{
	const struct ucore_disc_beside *beside = disc->rules->beside;
	u32 count = disc->rules->count_msr, stack;
	u64 space = SPACE_MSR | (u32)die;
	int ret = count ? ucore_range_add_others(disc, space, count, count + 1) : 0;

	for (stack = 0; beside && stack < beside->max && !ret; stack++)
		ret = claim_stack(disc, space, beside, stack);
	return ret;
}

/*
 * What is the table beside those of its die that are used?  One with the same global
 * control, or one too many with a further one.
 */
static u32 beside_others(const struct ucore_disc *disc, const struct ucore_disc_table *table)
{
	u32 access = ucore_disc_access(table->word), n = 0;
	const struct ucore_disc_table *other;

	for (other = disc->table; other != table; other++) {
		if (other->die != table->die || other->reason != UCORE_TABLE_OK)
			continue;
		if (access == ucore_disc_access(other->word) && table->word[1] == other->word[1])
			return UCORE_TABLE_DUPLICATE;
		n++;
	}
	return n < max(disc->rules->nr_globals, 1U) ? UCORE_TABLE_OK : UCORE_TABLE_CONFLICT;
}

/* Global control is nobody's counter, nor another die's global control. */
static int claim_global(struct ucore_disc *disc, struct ucore_disc_table *table)
{
	u32 access = ucore_disc_access(table->word);
	u64 start = register_start(access, table->word[1]);
	struct ucore_disc_claim claim = {
		.space = register_space(access, table->die, table->word[1]),
		.start = start,
		.end = start + (access == UCORE_ACCESS_MSR ? 1 : GLOBAL_BYTES),
		.unit = UCORE_NO_BOX,
	};

	table->reason = beside_others(disc, table);
	if (table->reason)
		return 0;
	if (ucore_range_overlap(disc, &claim)) {
		table->reason = UCORE_TABLE_GLOBAL;
		return 0;
	}
	return ucore_range_add(disc, &claim, 1) ?: claim_status(disc, table) ?:
	       claim_beside(disc, table->die);
}

/*
 * ---- unit records ----
 */

/* One run of registers, relative to the box control. */
struct run {
	u32 start;
	u32 end;
};

/* The registers of a unit: the box control, controls, counters, the odd ones. */
#define RUN_BOX_CTL	0
#define RUN_CTLS	1
#define RUN_CTRS	2
#define RUN_ODD		3
#define NR_RUNS		7

static bool runs_overlap(struct run a, struct run b)
{
	return a.start < b.end && b.start < a.end;
}

static bool run_is_free(const struct run *runs, u32 nr, struct run run)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (runs_overlap(runs[i], run))
			return false;
	return true;
}

/* Registers that a control, and a counter, takes up. */
static u32 ctl_size(u32 access)
{
	return access == UCORE_ACCESS_MSR ? 1 : sizeof(u32);
}

static u32 ctr_size(u32 access)
{
	return access == UCORE_ACCESS_MSR ? 1 : sizeof(u64);
}

/*
 * Bytes from one control to the next.  MSRs and PCI are clear.  MMIO controls
 * are 4 apart in memory controllers and 8 in CXL boxes; for types that nobody
 * knows, see whether 8 fits before the next register: UNCERTAIN(mmio-stride).
 */
static u32 ctl_stride(const struct ucore_unit *unit, u32 access)
{
	u32 ctl = FIELD_GET(DISC_UNIT0_CTL_OFFSET, unit->word[0]);
	u32 ctr = FIELD_GET(DISC_UNIT0_CTR_OFFSET, unit->word[0]);
	u32 status = FIELD_GET(DISC_UNIT0_STATUS_OFFSET, unit->word[0]);
	u32 next = 0;

	if (access == UCORE_ACCESS_MSR)
		return 1;
	if (access == UCORE_ACCESS_PCI)
		return DISC_PCI_CTL_STRIDE;
	if (unit->rule && unit->rule->ctl_stride)
		return unit->rule->ctl_stride;
	if (ctr > ctl)
		next = ctr;
	if (status > ctl && (!next || status < next))
		next = status;
	if (next &&
	    next - ctl >= DISC_MMIO_CTL_STRIDE_CXL * FIELD_GET(DISC_UNIT0_NUM_REGS, unit->word[0]))
		return DISC_MMIO_CTL_STRIDE_CXL;
	return DISC_MMIO_CTL_STRIDE;
}

/* Do the numbers of a record make sense, whatever the others say? */
static u32 check_numbers(const struct ucore_unit *unit)
{
	u32 regs = FIELD_GET(DISC_UNIT0_NUM_REGS, unit->word[0]);
	u32 ctl = FIELD_GET(DISC_UNIT0_CTL_OFFSET, unit->word[0]);
	u32 ctr = FIELD_GET(DISC_UNIT0_CTR_OFFSET, unit->word[0]);
	u32 width = FIELD_GET(DISC_UNIT0_WIDTH, unit->word[0]);
	u32 access = ucore_disc_access(unit->word);

	if (all_ones(unit->word))
		return UCORE_UNIT_ALL_ONES;
	if (!unit->word[0] || !unit->word[1])
		return UCORE_UNIT_ZERO;
	if (access == ~0U)
		return UCORE_UNIT_ACCESS;
	if (!regs)
		return UCORE_UNIT_NO_COUNTERS;
	if (regs > UCORE_MAX_GP)
		return UCORE_UNIT_COUNTERS;
	if (!width || width > 64)
		return UCORE_UNIT_WIDTH;
	if (!ctl || !ctr)
		return UCORE_UNIT_OFFSET;
	if (access == UCORE_ACCESS_MSR)
		return UCORE_UNIT_OK;
	/* an MMIO counter is one access of 64 bits */
	if (unit->word[1] & 3 || ctl & 3 ||
	    (unit->word[1] + ctr) & (access == UCORE_ACCESS_MMIO ? 7 : 3))
		return UCORE_UNIT_ALIGN;
	return UCORE_UNIT_OK;
}

static void layout_counters(struct ucore_unit *unit, u32 access, struct run *runs)
{
	u32 regs = FIELD_GET(DISC_UNIT0_NUM_REGS, unit->word[0]);
	u32 ctl = FIELD_GET(DISC_UNIT0_CTL_OFFSET, unit->word[0]);
	u32 ctr = FIELD_GET(DISC_UNIT0_CTR_OFFSET, unit->word[0]);
	u32 ctl_step = ctl_stride(unit, access);
	u32 ctr_step = access == UCORE_ACCESS_MSR ? 1 : DISC_CTR_STRIDE;
	u32 i;

	for (i = 0; i < regs; i++) {
		unit->layout.ctl[i] = ctl + i * ctl_step;
		unit->layout.ctr[i] = ctr + i * ctr_step;
	}
	/* 64 bits are one access: misaligned controls are left at 32 */
	unit->layout.wide_ctl = access == UCORE_ACCESS_MSR ||
				(ctl_step == 8 && (access == UCORE_ACCESS_PCI ||
						   !((unit->word[1] + ctl) & 7)));
	unit->type.nr_gp = regs;
	unit->type.width = FIELD_GET(DISC_UNIT0_WIDTH, unit->word[0]);
	runs[RUN_BOX_CTL] = (struct run){ 0, ctl_size(access) };
	runs[RUN_CTLS] = (struct run){ ctl, ctl + regs * ctl_step };
	runs[RUN_CTRS] = (struct run){ ctr, ctr + regs * ctr_step };
}

/* Can one more register be there?  It needs a place of its own, and to be aligned. */
static bool has_room(const struct ucore_unit *unit, u32 access, const struct run *runs, u32 nr,
		     struct run run)
{
	u32 align = access == UCORE_ACCESS_MMIO ? run.end - run.start : ctl_size(access);

	return !((unit->word[1] + run.start) & (align - 1)) && run_is_free(runs, nr, run);
}

/* Status, fixed counter and filter are there unless the unit's own counters are. */
static u32 layout_odd(struct ucore_unit *unit, u32 access, struct run *runs)
{
	u32 status = FIELD_GET(DISC_UNIT0_STATUS_OFFSET, unit->word[0]);
	const struct ucore_disc_type *rule = unit->rule;
	struct ucore_layout *layout = &unit->layout;
	u32 size = ctl_size(access), n = RUN_ODD;
	struct run run, ctr;

	layout->status = UCORE_REG_NONE;
	run = (struct run){ status, status + size };
	if (status && has_room(unit, access, runs, n, run)) {
		layout->status = status;
		runs[n++] = run;
	}
	if (!rule || rule->access != access)
		return n;
	run = (struct run){ rule->fixed_ctl, rule->fixed_ctl + size };
	ctr = (struct run){ rule->fixed_ctr, rule->fixed_ctr + ctr_size(access) };
	if (rule->fixed_ctl && has_room(unit, access, runs, n, run) &&
	    has_room(unit, access, runs, n, ctr)) {
		layout->fixed_ctl[0] = rule->fixed_ctl;
		layout->fixed_ctr[0] = rule->fixed_ctr;
		unit->type.nr_fixed = 1;
		runs[n++] = run;
		runs[n++] = ctr;
	}
	run = (struct run){ rule->filter, rule->filter + size };
	if (rule->filter && has_room(unit, access, runs, n, run)) {
		layout->shared[0] = rule->filter;
		layout->nr_shared = 1;
		runs[n++] = run;
	}
	return n;
}

static u32 runs_end(const struct run *runs, u32 nr)
{
	u32 i, end = 0;

	for (i = 0; i < nr; i++)
		end = max(end, runs[i].end);
	return end;
}

/* PCI windows are the whole config space: then offsets count from its start. */
static void layout_move(struct ucore_unit *unit, u32 by)
{
	struct ucore_layout *layout = &unit->layout;
	u32 i;

	layout->box_ctl += by;
	if (layout->status != UCORE_REG_NONE)
		layout->status += by;
	for (i = 0; i < unit->type.nr_gp; i++) {
		layout->ctl[i] += by;
		layout->ctr[i] += by;
	}
	for (i = 0; i < unit->type.nr_fixed; i++) {
		layout->fixed_ctl[i] += by;
		layout->fixed_ctr[i] += by;
	}
	for (i = 0; i < layout->nr_shared; i++)
		layout->shared[i] += by;
}

static const struct ucore_disc_type *find_rule(const struct ucore_disc_rules *rules, u32 type)
{
	u32 i;

	for (i = 0; i < rules->nr_types; i++)
		if (rules->types[i].id == type)
			return &rules->types[i];
	return NULL;
}

/* What kind of box a unit is, before its numbers are looked at. */
static void unit_identify(const struct ucore_disc *disc, struct ucore_unit *unit)
{
	u32 type = ucore_disc_unit_type(unit);

	unit->rule = find_rule(disc->rules, type);
	unit->type = unit->rule ? *unit->rule->type : *disc->rules->unknown;
	if (unit->rule)
		strscpy(unit->name, unit->type.name, sizeof(unit->name));
	else
		snprintf(unit->name, sizeof(unit->name), "type_%u", type);
}

/* A claim is in the way: whose? */
static void note_hit(struct ucore_disc *disc, struct ucore_unit *unit,
		     const struct ucore_disc_claim *hit)
{
	if (hit->unit == UCORE_DISC_OTHERS) {
		unit->reason = UCORE_UNIT_FOREIGN;
		return;
	}
	unit->reason = FIELD_GET(SPACE_KIND, hit->space) == UCORE_DISC_NAME ?
		       UCORE_UNIT_DUPLICATE : UCORE_UNIT_OVERLAP;
	if (hit->unit != UCORE_NO_BOX) {
		unit->other = disc->unit[hit->unit].record;
		unit->other_table = disc->unit[hit->unit].table;
	}
}

/* A unit's claim on its name: units are sorted by type and id. */
static struct ucore_disc_claim name_of(u32 index, s32 die, u32 type, u32 id)
{
	u64 name = type << 16 | id;

	return (struct ucore_disc_claim){
		.space = SPACE_NAME | (u32)die, .start = name, .end = name + 1, .unit = index,
	};
}

/*
 * A unit's claims on its registers, in their order; true: nobody has anything from the first
 * to the last, as it nearly always is.
 */
static bool claim_runs(struct ucore_disc *disc, const struct ucore_unit *unit,
		       const struct run *runs, u32 nr, struct ucore_disc_claim *claim)
{
	u32 access = ucore_disc_access(unit->word), i, at;
	u64 base = register_start(access, unit->word[1]);
	struct ucore_disc_claim all = {
		.space = register_space(access, unit->die, unit->word[1]),
		.start = base, .end = base + unit->size,
		.unit = unit - disc->unit,
	};

	for (i = 0; i < nr; i++) {
		for (at = i; at && claim[at - 1].start > base + runs[i].start; at--)
			claim[at] = claim[at - 1];
		claim[at] = all;
		claim[at].start = base + runs[i].start;
		claim[at].end = base + runs[i].end;
	}
	return !ucore_range_overlap(disc, &all);
}

/*
 * Claim a unit's name and all its registers, or note who has one of them.  What does
 * not answer claims nothing: it shall not keep a good unit out.
 */
static int unit_claim(struct ucore_disc *disc, struct ucore_unit *unit, const struct run *runs,
		      u32 nr)
{
	struct ucore_disc_claim claim[NR_RUNS];
	struct ucore_disc_claim name = name_of(unit - disc->unit, unit->die,
					       ucore_disc_unit_type(unit),
					       ucore_disc_unit_id(unit));
	bool together = claim_runs(disc, unit, runs, nr, claim);
	const struct ucore_disc_claim *hit = ucore_range_overlap(disc, &name);
	int ret;
	u32 i;

	for (i = 0; i < nr && !hit && !together; i++)
		hit = ucore_range_overlap(disc, &claim[i]);
	if (hit) {
		note_hit(disc, unit, hit);
		return 0;
	}
	if (!disc->env->answers(disc->env, unit)) {
		unit->reason = UCORE_UNIT_NO_ANSWER;
		return 0;
	}
	ret = ucore_range_add(disc, &name, 1);
	if (together)
		return ret ?: ucore_range_add(disc, claim, nr);
	for (i = 0; i < nr && !ret; i++)
		ret = ucore_range_add(disc, &claim[i], 1);
	return ret;
}

static bool unit_broken(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	const u16 *type = disc->rules->broken;

	while (type && *type && *type != ucore_disc_unit_type(unit))
		type++;
	return type && *type;
}

/* A unit of a type that is looked for at known places must be at one of them. */
static bool unit_moved(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	const struct ucore_disc_spot *spot;
	bool known = false;
	u32 i;

	for (i = 0; i < disc->nr_spots; i++) {
		spot = &disc->spot[i];
		if (spot->die != unit->die || spot->place->type != ucore_disc_unit_type(unit))
			continue;
		if (spot->address == (unit->word[1] & DISC_PCI_ADDRESS) &&
		    spot->id == ucore_disc_unit_id(unit))
			return false;
		known = true;
	}
	return known;
}

static int unit_judge(struct ucore_disc *disc, struct ucore_unit *unit)
{
	struct run runs[NR_RUNS];
	u32 access, nr;

	unit->reason = check_numbers(unit);
	if (unit->reason)
		return 0;
	if (unit_moved(disc, unit))
		unit->reason = UCORE_UNIT_RELOCATED;
	else if (unit_broken(disc, unit))
		unit->reason = UCORE_UNIT_BROKEN;
	if (unit->reason)
		return 0;
	access = ucore_disc_access(unit->word);
	layout_counters(unit, access, runs);
	if (!run_is_free(runs, RUN_CTLS, runs[RUN_CTLS]) ||
	    !run_is_free(runs, RUN_CTRS, runs[RUN_CTRS])) {
		unit->reason = UCORE_UNIT_SELF_OVERLAP;
		return 0;
	}
	nr = layout_odd(unit, access, runs);
	unit->size = runs_end(runs, nr);
	unit->reason = ucore_validate_unit(disc->env, unit->rule, access, unit->word[1], unit->size);
	if (unit->reason)
		return 0;
	if (access == UCORE_ACCESS_PCI)
		layout_move(unit, FIELD_GET(DISC_PCI_OFFSET, unit->word[1]));
	return unit_claim(disc, unit, runs, nr);
}

/* Make room for more. */
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

/* Units at known places that the table does not have right. */
static int add_spots(struct ucore_disc *disc, u32 table)
{
	const struct ucore_disc_spot *spot;
	struct ucore_disc_claim name;
	struct ucore_unit *unit;
	int ret = 0;
	u32 i;

	for (i = 0; i < disc->nr_spots && !ret; i++) {
		spot = &disc->spot[i];
		if (spot->die != disc->table[table].die)
			continue;
		name = name_of(disc->nr_units, spot->die, spot->place->type, spot->id);
		if (ucore_range_overlap(disc, &name))
			continue;	/* the table has it right */
		unit = unit_new(disc, table, 0);
		if (!unit)
			return -ENOMEM;
		unit->word[0] = spot->place->word0;
		unit->word[1] = spot->address;
		unit->word[2] = spot->place->type | spot->id << 16;
		unit_identify(disc, unit);
		ret = unit_judge(disc, unit);
	}
	return ret;
}

/**
 * ucore_disc_parse_units() - judge all unit records of a table
 * @disc: what was found so far; gets a unit for each record
 * @table: index of a table whose global record is good
 * @source: its bytes
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_disc_parse_units(struct ucore_disc *disc, u32 table,
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
	ret = claim_global(disc, t);
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
		unit_identify(disc, unit);
		ret = unit_judge(disc, unit);
	}
	return ret ?: t->reason == UCORE_TABLE_OK ? add_spots(disc, table) : 0;
}

/**
 * ucore_disc_note_spot() - a unit has been seen at its known place
 * @disc: what was found so far; its tables are not parsed yet
 * @die: its die
 * @place: the place
 * @id: unit id
 * @segment: PCI segment
 * @bus: PCI bus
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_disc_note_spot(struct ucore_disc *disc, s32 die,
			 const struct ucore_disc_place *place, u32 id, u32 segment, u32 bus)
{
	struct ucore_disc_spot *spot = ucore_array_grow(disc->spot, disc->nr_spots,
							&disc->max_spots, sizeof(*spot));

	if (!spot)
		return -ENOMEM;
	disc->spot = spot;
	spot[disc->nr_spots++] = (struct ucore_disc_spot){
		.die = die,
		.place = place,
		.id = id,
		.address = FIELD_PREP(DISC_PCI_SEGMENT, segment & 7) |
			   FIELD_PREP(DISC_PCI_BUS, bus & 0xff) |
			   FIELD_PREP(DISC_PCI_SLOT, (place->slot + id) & 0x1f) |
			   FIELD_PREP(DISC_PCI_FUNCTION, place->function) | place->offset,
	};
	return 0;
}

/**
 * ucore_disc_trim() - keep as many units of the counted type as there are
 * @disc: what was found
 * @die: die
 * @count: how many there are; the lowest ids stay
 */
void ucore_disc_trim(struct ucore_disc *disc, s32 die, u32 count)
{
	const struct ucore_disc_claims *names = &disc->claims[UCORE_DISC_NAME];
	struct ucore_unit *unit;
	u32 i, n = 0;

	/* names are sorted by type and id */
	for (i = 0; i < names->nr; i++) {
		unit = &disc->unit[names->claim[i].unit];
		if (unit->die == die && !unit->reason &&
		    ucore_disc_unit_type(unit) == disc->rules->count_type && n++ >= count)
			unit->reason = UCORE_UNIT_BEYOND_COUNT;
	}
}

/**
 * ucore_disc_free() - forget everything that was found
 * @disc: what was found
 */
void ucore_disc_free(struct ucore_disc *disc)
{
	u32 i;

	kvfree(disc->table);
	kvfree(disc->unit);
	kvfree(disc->spot);
	for (i = 0; i < UCORE_DISC_SPACES; i++)
		kvfree(disc->claims[i].claim);
	*disc = (struct ucore_disc){ .env = disc->env, .rules = disc->rules };
}
