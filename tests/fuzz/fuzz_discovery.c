// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz test of the discovery parser (driver/find/discovery/parse_tables.c).  For any firmware
 * data, the result must be correct and safe.
 *
 * The input describes a machine: config space, tables, and answers of the environment.  It is
 * parsed in the same order as by fetch_tables.c.  Then checks that share no code with the parser
 * compare the records with the registers that the driver would access.  A failed check prints
 * its name and calls abort().
 *
 * mutate.c generates meaningful inputs.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "find/die_topology.h"
#include "find/discovery/parse_tables.h"
#include "find/discovery/unit_check.h"
#include "hw/discovery.h"
#include "input.h"
#include "platforms/match.h"

#define RANGES		(1100 * 24)
#define MAX_DVSECS	8

/* A mutation run reports the name of the check */
#define MUST(name, truth) do {							\
	if (!(truth)) {								\
		fprintf(stderr, "INVARIANT %s (line %d): %s\n", name, __LINE__,	\
			#truth);						\
		abort();							\
	}									\
} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static u32 fail_in;

void *fuzz_alloc(size_t n, size_t size)
{
	if (fail_in && !--fail_in)
		return NULL;
	return malloc(n * size);
}

/*
 * ---- the environment ----
 */

static const struct input *machine;

static bool on_ram(u64 address, u64 size)
{
	u64 start = (u64)machine->ram_page << 12, end = start + ((u64)machine->ram_pages << 12);

	return address < end && address + size > start;
}

static u32 config_size(u32 devfn)
{
	static const u16 sizes[] = { 0, 256, 4096, 4096 };

	return sizes[machine->functions >> devfn % 4 * 2 & 3];
}

/* The RAM is followed by an equal number of pages of other devices */
static bool on_others(u64 address, u64 size)
{
	u64 start = ((u64)machine->ram_page + machine->ram_pages) << 12;

	return address < start + ((u64)machine->ram_pages << 12) && address + size > start;
}

/* Functions 6 and 7 of each slot are a bridge and a port; function 5 has data at 200h */
static bool function_is_foreign(u32 devfn, u32 start, u32 end)
{
	return (devfn & 7) >= 6 || ((devfn & 7) == 5 && start < 0x210 && end > 0x200);
}

static bool env_on_ram(const struct ucore_disc_env *env, u64 address, u64 size)
{
	MUST("env: a range of memory", size && address + size > address &&
	     !((address + size - 1) >> env->phys_bits));
	return on_ram(address, size);
}

static bool env_function(const struct ucore_disc_env *env, u32 segment, u32 bus, u32 devfn,
			 struct ucore_disc_function *function)
{
	static const u32 classes[8] = { 0, 0x088000, 0x110100, 0, 0, 0, 0x060100, 0x060400 };

	MUST("env: a PCI function", segment < 8 && bus < 256 && devfn < 256);
	function->size = config_size(devfn);
	function->class = classes[devfn & 7];
	if ((devfn & 7) == 5)
		function->taken[0x200 / 256] = 0xf;
	return function->size;
}

/* A quarter of all addresses does not respond */
static bool is_silent(const struct ucore_unit *unit)
{
	return (unit->word[1] >> 4 & 3) == 3;
}

static bool env_answers(const struct ucore_disc_env *env, const struct ucore_unit *unit)
{
	MUST("env: a unit that may be touched", !unit->reason && unit->size);
	return !is_silent(unit);
}

static struct ucore_region others;

static struct ucore_disc_env env = {
	.foreign = { .region = &others, .nr = 1 },
	.on_ram = env_on_ram,
	.function = env_function,
	.answers = env_answers,
};

/* Read config space: the BARs, and the input's data from 100h on */
struct config {
	struct ucore_disc_config config;
	const u8 *extended;
	u32 reads;
};

static u32 dword_at(const struct config *config, u32 reg)
{
	u32 val = 0;

	if (reg >= 0x10 && reg < 0x28)
		return machine->bar[(reg - 0x10) / 4];
	if (reg >= 0x100)
		memcpy(&val, config->extended + reg - 0x100, sizeof(val));
	return val;
}

static u32 config_read(const struct ucore_disc_config *config, u32 reg)
{
	struct config *c = (struct config *)config;

	MUST("config: a dword that is there", !(reg & 3) && reg + 4 <= config->size);
	MUST("config: an end", c->reads++ < 3 * 1024);
	return dword_at(c, reg);
}

/* Copy a table to memory of exactly its size, so that ASan detects reads beyond it */
struct source {
	struct ucore_disc_source source;
	u8 *bytes;
};

static void source_copy(const struct ucore_disc_source *source, u64 *to, u64 offset, u32 words)
{
	const struct source *s = (const struct source *)source;

	MUST("source: bytes that are there", offset <= source->size &&
	     words * sizeof(u64) <= source->size - offset);
	memcpy(to, s->bytes + offset, words * sizeof(u64));
	if (!offset && machine->big != BIG)
		to[0] &= ~(DISC_GLOBAL0_MAX_UNITS & ~((u64)SMALL_UNITS << 16));
}

/*
 * ---- DVSECs and BARs ----
 */

/* Walk the capability list in the simplest way */
static void walk_check(const struct config *config, const struct ucore_disc_dvsec *dvsec, u32 nr,
		       bool broken)
{
	bool seen[1024] = { }, bad = false, first = true;
	u32 at = 0x100, n = 0, header;

	for (; at; first = false) {
		/* a missing list is not a broken list */
		if (at < 0x100 || at + 4 > config->config.size || seen[at / 4]) {
			bad = !first;
			break;
		}
		seen[at / 4] = true;
		header = dword_at(config, at);
		if (!header || header == 0xffffffff) {
			bad = !first;
			break;
		}
		if ((header & 0xffff) == 0x23 && at + 16 <= config->config.size &&
		    (dword_at(config, at + 8) & 0xffff) == 1 && n < MAX_DVSECS) {
			MUST("walk: finds each", n < nr && dvsec[n].at == at);
			MUST("walk: BAR and offset", dvsec[n].bar < 8 &&
			     (dvsec[n].bar | dvsec[n].offset) == dword_at(config, at + 12));
			n++;
		}
		at = header >> 20 & ~3;
	}
	MUST("walk: finds no more", n == nr);
	MUST("walk: reports a broken list", broken == bad);
}

static void bar_check(u32 bar, u32 reason, u64 address)
{
	u32 low = bar < NR_BARS ? machine->bar[bar] : 1;
	u64 want = low & ~15U;

	if (low & 1 || low & 2 || ((low & 4) && bar == NR_BARS - 1)) {
		MUST("bar: not of memory", reason == UCORE_TABLE_BAR);
		return;
	}
	if (low & 4)
		want |= (u64)machine->bar[bar + 1] << 32;
	MUST("bar: unassigned", (reason == UCORE_TABLE_UNASSIGNED) == !want);
	MUST("bar: of memory", want ? reason == UCORE_TABLE_OK : reason != UCORE_TABLE_BAR);
	MUST("bar: address", !want || address == want);
}

static void fuzz_config(const u8 *extended, size_t size)
{
	struct ucore_disc_dvsec dvsec[MAX_DVSECS];
	struct config config = {
		.config = { .read = config_read, .size = 0x100 + size },
		.extended = extended,
	};
	bool broken;
	u64 address;
	u32 n, bar;

	n = ucore_parse_dvsecs(&config.config, dvsec, MAX_DVSECS, &broken);
	walk_check(&config, dvsec, n, broken);
	for (bar = 0; bar < 8; bar++) {
		address = 0;
		bar_check(bar, ucore_parse_bar(&config.config, bar, &address), address);
	}
}

/*
 * ---- registers that the driver would access ----
 */

/* Contiguous registers; addresses of all spaces have one common order */
struct range {
	u64 space;
	u64 start;
	u64 end;
	const struct ucore_unit *unit;	/* NULL: global control */
};

static struct range ranges[RANGES];
static u32 nr_ranges;

static const u64 words_of_ones = ~0ULL;

static u32 raw_access(const u64 *word)
{
	return word[0] >> 62;
}

static u64 raw_space(const u64 *word, s32 die)
{
	switch (raw_access(word)) {
	case 0:
		return 1ULL << 40 | (u32)die;
	case 1:
		return 2ULL << 40;
	default:
		return 3ULL << 40 | (word[1] >> 12 & 0x7ffff);
	}
}

/* @offset is relative as in the layout: for PCI, to the start of config space */
static struct range range_of(const struct ucore_unit *unit, u32 offset, u32 bytes)
{
	bool pci = raw_access(unit->word) == 2, msr = !raw_access(unit->word);
	u64 base = pci ? 0 : unit->word[1];

	return (struct range){
		.space = raw_space(unit->word, unit->die),
		.start = base + offset,
		.end = base + offset + (msr ? 1 : bytes),
		.unit = unit,
	};
}

/* List all registers of a unit with the width of an access */
static u32 unit_ranges(const struct ucore_unit *unit, struct range *out)
{
	const struct ucore_layout *layout = &unit->layout;
	u32 i, n = 0;

	out[n++] = range_of(unit, layout->box_ctl, 4);
	for (i = 0; i < unit->type.nr_gp; i++) {
		out[n++] = range_of(unit, layout->ctl[i], layout->wide_ctl ? 8 : 4);
		out[n++] = range_of(unit, layout->ctr[i], 8);
	}
	for (i = 0; i < unit->type.nr_fixed; i++) {
		out[n++] = range_of(unit, layout->fixed_ctl[i], 4);
		out[n++] = range_of(unit, layout->fixed_ctr[i], 8);
	}
	if (layout->status != UCORE_REG_NONE)
		out[n++] = range_of(unit, layout->status, 4);
	for (i = 0; i < layout->nr_shared; i++)
		out[n++] = range_of(unit, layout->shared[i], 4);
	return n;
}

/*
 * List the registers including the gaps between them: 32-bit controls can be 8 bytes apart.
 * The distance is unknown for a single control.
 */
static u32 taken_ranges(const struct ucore_unit *unit, struct range *out)
{
	struct ucore_unit spaced = *unit;
	const u16 *ctl = unit->layout.ctl;

	spaced.layout.wide_ctl |= unit->type.nr_gp > 1 ? ctl[1] - ctl[0] == 8 :
				  !unit->rule || unit->rule->ctl_stride == 8;
	return unit_ranges(&spaced, out);
}

static struct range global_range(const struct ucore_disc_table *t)
{
	u64 start = raw_access(t->word) == 2 ? t->word[1] & 0xfff : t->word[1];

	return (struct range){
		.space = raw_space(t->word, t->die),
		.start = start,
		.end = start + (raw_access(t->word) ? 8 : 1),
	};
}

static bool range_in_window(const struct range *range, const u64 *word)
{
	u32 devfn = word[1] >> 12 & 0xff;

	switch (raw_access(word)) {
	case 0:
		return range->end > range->start && range->start >= 0x2000 &&
		       range->end <= 0x10000;
	case 1:
		return range->end > range->start && range->end <= 1ULL << env.phys_bits;
	case 2:
		return !(word[1] >> 32) && range->start >= 0x40 &&
		       range->end <= config_size(devfn);
	default:
		return false;
	}
}

static int range_order(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static bool ranges_meet(const struct range *a, const struct range *b)
{
	return a->space == b->space && a->start < b->end && b->start < a->end;
}

/*
 * ---- accepted units ----
 */

static void accepted_numbers(const struct ucore_unit *unit)
{
	const struct ucore_layout *layout = &unit->layout;
	u64 word = unit->word[0];
	u32 i;

	MUST("accepted: counters", unit->type.nr_gp == (word & 0xff) && unit->type.nr_gp >= 1 &&
	     unit->type.nr_gp <= 8);
	MUST("accepted: width", unit->type.width == (word >> 16 & 0xff) && unit->type.width >= 1 &&
	     unit->type.width <= 64);
	MUST("accepted: fixed counters", unit->type.nr_fixed <= 1);
	MUST("accepted: shared registers", layout->nr_shared <= 1);
	MUST("accepted: offsets", layout->ctl[0] - layout->box_ctl == (int)(word >> 8 & 0xff) &&
	     layout->ctr[0] - layout->box_ctl == (int)(word >> 24 & 0xff));
	MUST("accepted: a status of its own", layout->status == UCORE_REG_NONE ||
	     layout->status - layout->box_ctl == (int)(word >> 32 & 0xff));
	for (i = 0; i < unit->type.nr_gp; i++)
		MUST("accepted: a place for each", layout->ctl[i] != UCORE_REG_NONE &&
		     layout->ctr[i] != UCORE_REG_NONE);
	MUST("accepted: words", (word && unit->word[1]) && word != words_of_ones &&
	     unit->word[1] != words_of_ones && unit->word[2] != words_of_ones);
}

/* Check that registers which the record does not contain follow the platform's rule */
static void accepted_odd(const struct ucore_unit *unit)
{
	static const u32 access[] = { UCORE_ACCESS_MSR, UCORE_ACCESS_MMIO, UCORE_ACCESS_PCI };
	const struct ucore_layout *layout = &unit->layout;
	const struct ucore_disc_type *rule = unit->rule;

	if (!unit->type.nr_fixed && !layout->nr_shared)
		return;
	MUST("accepted: a rule for odd registers",
	     rule && rule->access == access[raw_access(unit->word)]);
	MUST("accepted: the rule's fixed counter", !unit->type.nr_fixed ||
	     (rule->fixed_ctl && layout->fixed_ctl[0] - layout->box_ctl == rule->fixed_ctl &&
	      layout->fixed_ctr[0] - layout->box_ctl == rule->fixed_ctr));
	MUST("accepted: the rule's filter", !layout->nr_shared ||
	     (rule->filter && layout->shared[0] - layout->box_ctl == rule->filter));
}

/* Return true if the rule of the unit permits registers in a PCI port function */
static bool may_be_in_ports(const struct ucore_unit *unit)
{
	return unit->rule && unit->rule->port;
}

static void accepted_registers(const struct ucore_unit *unit)
{
	struct range *range = &ranges[nr_ranges];
	u64 base = raw_access(unit->word) == 2 ? unit->layout.box_ctl : unit->word[1];
	u32 n = unit_ranges(unit, range), i;

	for (i = 0; i < n; i++) {
		/* size of the mapping */
		MUST("accepted: all of it in its size", range[i].start >= base &&
		     range[i].end - base <= unit->size);
		MUST("accepted: inside the window", range_in_window(&range[i], unit->word));
		if (raw_access(unit->word) == 1)
			MUST("accepted: not on RAM, nor others'",
			     !on_ram(range[i].start, range[i].end - range[i].start) &&
			     (may_be_in_ports(unit) ||
			      !on_others(range[i].start, range[i].end - range[i].start)));
		if (raw_access(unit->word) == 2)
			MUST("accepted: a function of the uncore's", may_be_in_ports(unit) ||
			     !function_is_foreign(unit->word[1] >> 12 & 0xff, range[i].start,
						  range[i].end));
		if (raw_access(unit->word))
			MUST("accepted: aligned dwords", !(range[i].start & 3));
		if (raw_access(unit->word) == 1 && range[i].end - range[i].start == 8)
			MUST("accepted: aligned counters", !(range[i].start & 7));
	}
	nr_ranges += n;
}

static void accepted_check(const struct ucore_disc *disc)
{
	u32 i;

	nr_ranges = 0;
	for (i = 0; i < disc->nr_tables; i++)
		if (disc->table[i].reason == UCORE_TABLE_OK)
			ranges[nr_ranges++] = global_range(&disc->table[i]);
	for (i = 0; i < disc->nr_units; i++) {
		if (disc->unit[i].reason != UCORE_UNIT_OK)
			continue;
		accepted_numbers(&disc->unit[i]);
		accepted_odd(&disc->unit[i]);
		accepted_registers(&disc->unit[i]);
	}
	qsort(ranges, nr_ranges, sizeof(*ranges), range_order);
	for (i = 1; i < nr_ranges; i++) {
		if (!ranges_meet(&ranges[i - 1], &ranges[i]))
			continue;
		MUST("accepted: not on global control", ranges[i - 1].unit && ranges[i].unit);
		MUST("accepted: not on itself", ranges[i - 1].unit != ranges[i].unit);
		MUST("accepted: not on another", false);
	}
}

static bool same_name(const struct ucore_unit *a, const struct ucore_unit *b)
{
	return a->die == b->die && (u32)a->word[2] == (u32)b->word[2];
}

static int name_order(const void *a, const void *b)
{
	const struct ucore_unit *x = *(const struct ucore_unit **)a;
	const struct ucore_unit *y = *(const struct ucore_unit **)b;

	if (x->die != y->die)
		return x->die < y->die ? -1 : 1;
	if ((u32)x->word[2] != (u32)y->word[2])
		return (u32)x->word[2] < (u32)y->word[2] ? -1 : 1;
	return 0;
}

static void names_check(const struct ucore_disc *disc)
{
	static const struct ucore_unit *named[MAX_TABLES * 1100];
	u32 i, n = 0;

	for (i = 0; i < disc->nr_units; i++)
		if (disc->unit[i].reason == UCORE_UNIT_OK)
			named[n++] = &disc->unit[i];
	qsort(named, n, sizeof(*named), name_order);
	for (i = 1; i < n; i++)
		MUST("names: unique on a die", !same_name(named[i - 1], named[i]));
}

/*
 * ---- reasons ----
 */

static bool is_ones(const u64 *word)
{
	return word[0] == words_of_ones || word[1] == words_of_ones || word[2] == words_of_ones;
}

/* Return true if an earlier accepted unit (before trimming) has this name */
static bool name_was_taken(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	const struct ucore_unit *other;

	for (other = disc->unit; other < unit; other++)
		if (!other->reason && same_name(other, unit))
			return true;
	return false;
}

static bool any_meets(const struct range *range, u32 nr, const struct range *other, u32 nr_other)
{
	u32 i, j;

	for (i = 0; i < nr; i++)
		for (j = 0; j < nr_other; j++)
			if (ranges_meet(&range[i], &other[j]))
				return true;
	return false;
}

static bool registers_were_taken(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	struct range own[32], others[32];
	const struct ucore_unit *other;
	u32 n = taken_ranges(unit, own), i;

	for (i = 0; i < disc->nr_tables; i++) {
		others[0] = global_range(&disc->table[i]);
		if (disc->table[i].reason == UCORE_TABLE_OK && any_meets(own, n, others, 1))
			return true;
	}
	for (other = disc->unit; other < unit; other++)
		if (!other->reason && raw_space(other->word, other->die) == own[0].space &&
		    any_meets(own, n, others, taken_ranges(other, others)))
			return true;
	return false;
}

static bool outside_window(const struct ucore_unit *unit)
{
	struct range own[32];
	u32 n, i;

	/* offsets before layout are relative to the box control */
	if (raw_access(unit->word) == 2 && unit->word[1] >> 32)
		return true;
	n = taken_ranges(unit, own);
	for (i = 0; i < n; i++) {
		if (raw_access(unit->word) == 2) {
			own[i].start += unit->word[1] & 0xfff;
			own[i].end += unit->word[1] & 0xfff;
		}
		if (!range_in_window(&own[i], unit->word))
			return true;
	}
	return false;
}

static bool touches_ram(const struct ucore_unit *unit)
{
	struct range own[32];
	u32 n = taken_ranges(unit, own), i;
	u64 end = 0;

	/* distance from the box control to the last register, including gaps */
	for (i = 0; i < n; i++)
		end = max(end, own[i].end);
	return on_ram(own[0].start, end - own[0].start);
}

/* Return true if the parser must treat the range as another device's */
static bool is_others(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	const struct ucore_disc_ranges *claims = disc->ranges;
	struct range own[32], known;
	u32 n = taken_ranges(unit, own), i, s;
	u64 end = 0, base = raw_access(unit->word) == 2 ? unit->word[1] & 0xfff : 0;

	for (i = 0; i < n; i++)
		end = max(end, own[i].end);
	switch (raw_access(unit->word)) {
	case 0:
		if (own[0].start >= 0xe00 && own[0].start <= 0xfff)
			return true;
		break;
	case 1:
		if (on_others(own[0].start, end - own[0].start))
			return true;
		break;
	default:
		/* offsets are relative to config space only after the window check */
		if (function_is_foreign(unit->word[1] >> 12 & 0xff, own[0].start, end) ||
		    function_is_foreign(unit->word[1] >> 12 & 0xff, base, base + end))
			return true;
	}
	for (s = UCORE_DISC_MEMORY; s <= UCORE_DISC_PCI; s++) {
		for (i = 0; i < claims[s].nr; i++) {
			if (claims[s].range[i].unit != UCORE_DISC_FOREIGN)
				continue;
			known = (struct range){
				.space = own[0].space, .start = claims[s].range[i].start,
				.end = claims[s].range[i].end,
			};
			if (any_meets(own, n, &known, 1))
				return true;
		}
	}
	return false;
}

static bool overlaps_itself(const struct ucore_unit *unit)
{
	struct ucore_unit bare = *unit;
	struct range own[32];
	u32 n, i, j;

	bare.layout.status = UCORE_REG_NONE;	/* not laid out yet */
	bare.word[1] = 0;			/* and the address has not been checked */
	n = taken_ranges(&bare, own);
	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			if (ranges_meet(&own[i], &own[j]))
				return true;
	return false;
}

static bool is_elsewhere(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	bool known = false;
	u32 i;

	for (i = 0; i < disc->nr_pci_units; i++) {
		if (disc->pci_unit[i].die != unit->die ||
		    disc->pci_unit[i].place->type != (unit->word[2] & 0xffff))
			continue;
		if (disc->pci_unit[i].id == (unit->word[2] >> 16 & 0xffff) &&
		    disc->pci_unit[i].address == (unit->word[1] & 0x7fffffff))
			return false;
		known = true;
	}
	return known;
}

/* Return true if the reason is correct; other reasons can apply as well */
static bool reason_is_true(const struct ucore_disc *disc, const struct ucore_unit *unit,
			   u64 table_size)
{
	u32 regs = unit->word[0] & 0xff, width = unit->word[0] >> 16 & 0xff;
	u32 ctl = unit->word[0] >> 8 & 0xff, ctr = unit->word[0] >> 24 & 0xff;
	bool mmio = raw_access(unit->word) == 1;

	switch (unit->reason) {
	case UCORE_UNIT_ZERO:
		return !unit->word[0] || !unit->word[1];
	case UCORE_UNIT_ALL_ONES:
		return is_ones(unit->word);
	case UCORE_UNIT_TRUNCATED:
		return (u64)unit->record * disc->table[unit->table].stride + 24 > table_size;
	case UCORE_UNIT_ACCESS:
		return raw_access(unit->word) == 3;
	case UCORE_UNIT_NO_COUNTERS:
		return !regs;
	case UCORE_UNIT_COUNTERS:
		return regs > 8;
	case UCORE_UNIT_WIDTH:
		return !width || width > 64;
	case UCORE_UNIT_OFFSET:
		return !ctl || !ctr;
	case UCORE_UNIT_SELF_OVERLAP:
		return overlaps_itself(unit);
	case UCORE_UNIT_WINDOW:
		return outside_window(unit);
	case UCORE_UNIT_ALIGN:
		return raw_access(unit->word) &&
		       (unit->word[1] & 3 || ctl & 3 ||
			(unit->word[1] + ctr) & (mmio ? 7 : 3));
	case UCORE_UNIT_RAM:
		return mmio && touches_ram(unit);
	case UCORE_UNIT_DUPLICATE:
		return name_was_taken(disc, unit);
	case UCORE_UNIT_OVERLAP:
		return registers_were_taken(disc, unit);
	case UCORE_UNIT_FUNCTION:
		return raw_access(unit->word) == 2 && !config_size(unit->word[1] >> 12 & 0xff);
	case UCORE_UNIT_RELOCATED:
		return is_elsewhere(disc, unit);
	case UCORE_UNIT_FOREIGN:
		return is_others(disc, unit);
	case UCORE_UNIT_BROKEN:
		return disc->rules->broken &&
		       ((u16)unit->word[2] == 19 || (u16)unit->word[2] == 37);
	case UCORE_UNIT_NO_ANSWER:
		return is_silent(unit);
	default:
		return false;	/* the parser never gives this reason */
	}
}

static void name_check(const struct ucore_unit *unit)
{
	char want[UCORE_NAME_LEN];

	if (unit->reason == UCORE_UNIT_TRUNCATED)
		return;
	if (unit->rule) {
		MUST("unit: its rule", unit->rule->id == (unit->word[2] & 0xffff));
		MUST("unit: its name", !strcmp(unit->name, unit->rule->type->name));
		return;
	}
	snprintf(want, sizeof(want), "type_%u", (u32)(unit->word[2] & 0xffff));
	MUST("unit: its name by number", !strcmp(unit->name, want));
}

static void units_check(const struct ucore_disc *disc, const struct source *source)
{
	const struct ucore_unit *unit;
	const struct ucore_disc_table *t;
	u32 i, k, total = 0;

	for (i = 0; i < disc->nr_tables; i++) {
		t = &disc->table[i];
		total += t->nr;
		if (t->nr)
			MUST("table: all its records", t->nr >= t->max_units &&
			     t->nr - t->max_units <= disc->nr_pci_units &&
			     t->first + t->nr <= disc->nr_units);
		for (k = 0; k < t->nr; k++) {
			unit = &disc->unit[t->first + k];
			MUST("unit: its table and record", unit->table == i &&
			     unit->record == (k < t->max_units ? k + 1 : 0));
			MUST("unit: its die", unit->die == t->die);
			MUST("unit: no box yet", unit->box == UCORE_NO_BOX);
			MUST("unit: no conflict without a reason",
			     (!unit->other && !unit->other_table) ||
			     unit->reason == UCORE_UNIT_DUPLICATE ||
			     unit->reason == UCORE_UNIT_OVERLAP);
			if (unit->reason && !reason_is_true(disc, unit, source[i].source.size)) {
				fprintf(stderr, "reason %u, words %#llx %#llx %#llx\n",
					unit->reason, unit->word[0], unit->word[1],
					unit->word[2]);
				MUST("unit: a true reason", false);
			}
			name_check(unit);
		}
	}
	MUST("tables: have all units", total == disc->nr_units);
}

static void claims_check(const struct ucore_disc *disc)
{
	const struct ucore_disc_range *a, *b;
	u32 i, s;

	for (s = 0; s < UCORE_DISC_SPACES; s++)
		for (i = 1; i < disc->ranges[s].nr; i++) {
			a = &disc->ranges[s].range[i - 1];
			b = &disc->ranges[s].range[i];
			MUST("claims: sorted and apart", a->space < b->space ||
			     (a->space == b->space && a->end <= b->start));
		}
}

/* Status registers are read later without another check */
static void status_check(const struct ucore_disc_table *t, const struct range *control)
{
	u32 first = t->word[2] & 0xff, words = (t->nr_status + 63) / 64;
	bool msr = !raw_access(t->word);
	struct range range = {
		.space = control->space,
		.start = control->start + first,
		.end = control->start + first + words * (msr ? 1 : 8),
	};

	if (!t->nr_status)
		return;
	MUST("status: as many bits as it says", t->nr_status == (t->word[2] >> 8 & 0xffff) &&
	     t->nr_status <= 1024 && t->status_stride == (msr ? 1 : 8));
	MUST("status: in the window", range_in_window(&range, t->word));
	MUST("status: behind the control", range.start >= control->end &&
	     t->global_size == range.end - control->start);
	MUST("status: not on RAM", raw_access(t->word) != 1 ||
	     !on_ram(range.start, range.end - range.start));
	MUST("status: aligned", msr || raw_access(t->word) == 2 || !(range.start & 7));
}

/* Check that the global registers of a used table may be accessed */
static void table_check(const struct ucore_disc_table *t, u64 size)
{
	struct range range = global_range(t);

	switch (t->reason) {
	case UCORE_TABLE_OK:
	case UCORE_TABLE_DUPLICATE:
		MUST("table: words", t->word[0] && t->word[1] && !is_ones(t->word));
		MUST("table: stride", t->stride >= 24 && t->stride == (t->word[0] >> 8 & 0xff) * 8);
		MUST("table: control in the window", range_in_window(&range, t->word));
		MUST("table: control not on RAM", raw_access(t->word) != 1 ||
		     !on_ram(range.start, 8));
		MUST("table: control aligned", !raw_access(t->word) || !(t->word[1] & 3));
		MUST("table: control aligned for 64 bits", raw_access(t->word) != 1 ||
		     !(t->word[1] & 7));
		status_check(t, &range);
		break;
	case UCORE_TABLE_DIE:
		MUST("table: of no die", t->die < UCORE_DIE_UNKNOWN && !t->nr);
		break;
	case UCORE_TABLE_CONFLICT:
	case UCORE_TABLE_LIMIT:
		MUST("table: without units", !t->nr);
		break;
	case UCORE_TABLE_OUTSIDE:
		MUST("table: outside", size < 24);
		break;
	case UCORE_TABLE_ALL_ONES:
		MUST("table: all ones", is_ones(t->word));
		break;
	case UCORE_TABLE_EMPTY:
		MUST("table: empty", !t->word[0] || !t->word[1]);
		break;
	case UCORE_TABLE_STRIDE:
		MUST("table: short records", (t->word[0] >> 8 & 0xff) < 3);
		break;
	default:
		MUST("table: a reason of the parser's", t->reason == UCORE_TABLE_GLOBAL);
	}
}

static void tables_check(const struct ucore_disc *disc, const struct source *source)
{
	u32 i, j, of_die;

	for (i = 0; i < disc->nr_tables; i++) {
		table_check(&disc->table[i], source[i].source.size);
		if (disc->table[i].reason)
			continue;
		for (j = 0, of_die = 1; j < i; j++)
			of_die += !disc->table[j].reason &&
				  disc->table[j].die == disc->table[i].die;
		MUST("tables: as many for a die as there may be", of_die <= 3);
	}
	for (i = 0; i < disc->nr_units; i++) {
		for (j = 0; j < disc->nr_tables; j++)
			if (!disc->table[j].reason && disc->table[j].die == disc->unit[i].die)
				break;
		MUST("units: on dies with global control",
		     disc->unit[i].reason || j < disc->nr_tables);
	}
}

/* Check the effect of trimming on the units of a die */
static void trim_check(struct ucore_disc *disc, s32 die)
{
	u32 i, before = 0, after = 0, lowest = ~0U, id;
	bool counted;

	for (i = 0; i < disc->nr_units; i++)
		before += disc->unit[i].die == die && !disc->unit[i].reason &&
			  (disc->unit[i].word[2] & 0xffff) == disc->rules->count_type;
	ucore_unit_limit(disc, die, machine->count);
	for (i = 0; i < disc->nr_units; i++) {
		if (disc->unit[i].die != die || disc->unit[i].reason != UCORE_UNIT_BEYOND_COUNT)
			continue;
		lowest = min(lowest, (u32)(disc->unit[i].word[2] >> 16 & 0xffff));
	}
	for (i = 0; i < disc->nr_units; i++) {
		counted = (disc->unit[i].word[2] & 0xffff) == disc->rules->count_type;
		id = disc->unit[i].word[2] >> 16 & 0xffff;
		MUST("trim: the counted type alone", counted ||
		     disc->unit[i].reason != UCORE_UNIT_BEYOND_COUNT);
		if (!counted || disc->unit[i].reason || disc->unit[i].die != die)
			continue;
		after++;
		MUST("trim: the lowest stay", id < lowest);
	}
	MUST("trim: as many as there are", after == min(before, (u32)machine->count));
}

/*
 * ---- a machine ----
 */

static int note_spots(struct ucore_disc *disc)
{
	u32 i, id;
	int ret = 0;

	for (i = 0; i < machine->nr_spots % (MAX_SPOTS + 1) && disc->rules->nr_places; i++) {
		id = machine->spot[i] >> 1 & 3;
		ret = ucore_unit_note_pci(disc, machine->spot[i] >> 6 & 1,
					  &disc->rules->places[machine->spot[i] & 1], id, 0,
					   machine->spot[i] >> 3 & 7);
		if (ret)
			break;
	}
	return ret;
}

/* Read the global records like read_global() */
static void parse_globals(struct ucore_disc *disc, const struct source *source)
{
	u32 i;

	for (i = 0; i < disc->nr_tables; i++) {
		if (disc->table[i].die < UCORE_DIE_UNKNOWN)
			disc->table[i].reason = UCORE_TABLE_DIE;
		else
			ucore_parse_global(disc, &disc->table[i], &source[i].source);
	}
}

/* Read the units like read_units() */
static int parse_units(struct ucore_disc *disc, const struct source *source)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < disc->nr_tables && !ret; i++)
		if (!disc->table[i].reason && disc->table[i].die < 0)
			disc->table[i].reason = UCORE_TABLE_DIE;
		else if (!disc->table[i].reason)
			ret = ucore_parse_units(disc, i, &source[i].source);
	return ret;
}

static void all_checks(struct ucore_disc *disc, const struct source *source)
{
	u32 i;

	claims_check(disc);
	for (i = 0; i < disc->nr_units; i++)
		MUST("accepted: where it is known to be", disc->unit[i].reason ||
		     !is_elsewhere(disc, &disc->unit[i]));
	tables_check(disc, source);
	units_check(disc, source);
	names_check(disc);
	accepted_check(disc);
	for (i = 0; machine->count && i < disc->nr_tables; i++)
		trim_check(disc, disc->table[i].die);
}

/* Check that an address from an MSR is used only if a table can be there */
static void pointer_check(u64 value)
{
	u64 address = 0;
	u32 reason = ucore_parse_table_msr(&env, value, &address);

	if (!value || value == words_of_ones || value & 7) {
		MUST("pointer: none", reason == UCORE_TABLE_MSR);
		return;
	}
	MUST("pointer: the address", address == value);
	MUST("pointer: beyond addresses",
	     (reason == UCORE_TABLE_RAM) == !!(value >> env.phys_bits) &&
	     (reason == UCORE_TABLE_RAM || !reason));
	if (reason)
		return;
	reason = ucore_parse_table_memory(&env, address, 24);
	MUST("pointer: nobody's memory", reason || (!on_ram(address, 24) &&
						    !on_others(address, 24)));
	MUST("pointer: for a reason", reason != UCORE_TABLE_FOREIGN || on_others(address, 24));
}

/* Return true if the die has a table with the same global control, apart from the guesses */
static bool die_has_control(const struct ucore_disc *disc, const s32 *before, s32 die,
			    const struct ucore_disc_table *t)
{
	u32 i;

	for (i = 0; i < disc->nr_tables; i++)
		if (before[i] == die && !disc->table[i].reason &&
		    raw_access(disc->table[i].word) == raw_access(t->word) &&
		    disc->table[i].word[1] == t->word[1])
			return true;
	return false;
}

/* Valid tables without a die are assigned to dies in order, others are not */
static void deal_check(struct ucore_disc *disc)
{
	static const u32 dies[] = { 0, 1 };
	u32 i, j, n, nr = 1 + (machine->big & 1);
	s32 before[MAX_TABLES], last = 0;

	for (i = 0; i < disc->nr_tables; i++)
		before[i] = disc->table[i].die;
	ucore_parse_assign_dies(disc, dies, nr);
	for (i = 0; i < disc->nr_tables; i++) {
		if (before[i] != UCORE_DIE_UNKNOWN || disc->table[i].reason) {
			MUST("deal: nothing else", disc->table[i].die == before[i] &&
			     disc->table[i].die_by == UCORE_DIE_BY_NONE);
			continue;
		}
		for (j = 0, n = 0; j < nr; j++)
			n += die_has_control(disc, before, dies[j], &disc->table[i]);
		MUST("deal: to no die that has its control",
		     (n == nr) == (disc->table[i].die == UCORE_DIE_OFFLINE));
		if (n == nr)
			continue;
		MUST("deal: to a die, in order", disc->table[i].die >= last &&
		     disc->table[i].die < (s32)nr);
		MUST("deal: a guess, unless there is one die",
		     disc->table[i].die_by == UCORE_DIE_BY_ORDER ||
		     (nr == 1 && disc->table[i].die_by == UCORE_DIE_BY_ONLY));
		last = disc->table[i].die;
	}
}

static void fuzz_tables(const u8 *data, size_t size)
{
	static const struct ucore_platform * const platforms[] = {
		&ucore_platform_spr, &ucore_platform_gnr, &ucore_platform_generic,
		&ucore_platform_dmr,
	};
	u32 i, nr = machine->nr_tables % MAX_TABLES + 1;
	struct ucore_disc disc = {
		.env = &env,
		.rules = platforms[machine->platform % ARRAY_SIZE(platforms)]->table,
		.nr_tables = nr,
	};
	struct source source[MAX_TABLES];
	int ret;

	env.phys_bits = 36 + machine->phys_bits % 17;
	others.start = ((u64)machine->ram_page + machine->ram_pages) << 12;
	others.end = others.start + ((u64)machine->ram_pages << 12);
	disc.table = calloc(nr, sizeof(*disc.table));
	for (i = 0; i < nr; i++) {
		source[i].source = (struct ucore_disc_source){
			.copy = source_copy, .size = size / nr,
		};
		source[i].bytes = malloc(size / nr);
		memcpy(source[i].bytes, data + i * (size / nr), size / nr);
		disc.table[i].die = machine->die[i] & 2 ? -1 - (machine->die[i] & 1) :
							  machine->die[i] & 1;
		disc.table[i].devfn = machine->die[i] >> 2 & 1;
		pointer_check(size / nr >= 8 ? *(const u64 *)source[i].bytes : size);
	}
	parse_globals(&disc, source);
	deal_check(&disc);
	fail_in = machine->fail_in;
	ret = note_spots(&disc) ?: parse_units(&disc, source);
	MUST("errors: only for lack of memory", !ret || (ret == -ENOMEM && machine->fail_in));
	if (!ret)
		all_checks(&disc, source);
	ucore_parse_free(&disc);
	MUST("free: leaves nothing",
	     !disc.table && !disc.unit && !disc.pci_unit && !disc.nr_units && !disc.max_tables &&
		     !disc.max_units && !disc.max_pci_units && !disc.ranges[0].range);
	for (i = 0; i < nr; i++)
		free(source[i].bytes);
}

/**
 * input_tables() - return the offset of the tables in an input
 * @data: the input
 * @size: size of the input in bytes
 *
 * Return: offset, at most @size.
 */
size_t input_tables(const u8 *data, size_t size)
{
	const struct input *in = (const struct input *)data;
	size_t at = sizeof(*in) + 4 * in->config_dwords;

	return min(at, size);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct input head;
	size_t at;

	memset(&head, 0, sizeof(head));
	memcpy(&head, data, min(size, sizeof(head)));
	machine = &head;
	if (size < sizeof(head)) {
		fuzz_config(data, 0);
		return 0;
	}
	at = input_tables(data, size);
	fuzz_config(data + sizeof(head), (at - sizeof(head)) & ~3);
	fuzz_tables(data + at, size - at);
	return 0;
}
