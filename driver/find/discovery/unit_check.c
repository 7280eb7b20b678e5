// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: accepts or rejects unit records, one at a time.
 *
 * Decides whether a unit record is a box, computes the register offsets, and reserves the
 * registers. For a rejected unit the reason is recorded. A rejected unit does not affect other
 * units. Every value that firmware wrote is checked before it becomes an offset, shift, size or
 * address.
 *
 * Pure functions: no kernel services except allocation. Also built in user space (tests/fuzz).
 * Process context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/discovery/range_list.h"
#include "find/discovery/record.h"
#include "find/discovery/register_address_check.h"
#include "find/discovery/unit_check.h"
#include "hw/discovery.h"

/* Run: consecutive registers of a unit, as offsets from the box control (MSRs or bytes) */
struct run {
	u32 start;
	u32 end;
};

/* Index of each run of a unit: box control, counter controls, counters, optional registers */
#define RUN_BOX_CTL	0
#define RUN_CTLS	1
#define RUN_CTRS	2
#define RUN_OPTIONAL	3
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

/* Return the size of a control register (MSRs or bytes). */
static u32 ctl_size(u32 access)
{
	return access == UCORE_ACCESS_MSR ? 1 : sizeof(u32);
}

/* Return the size of a counter register (MSRs or bytes). */
static u32 ctr_size(u32 access)
{
	return access == UCORE_ACCESS_MSR ? 1 : sizeof(u64);
}

/*
 * Return the distance between the controls of two counters (MSRs or bytes). The distance is
 * fixed for MSRs and for PCI config space. MMIO controls are 8 bytes apart (Intel 817760, which
 * describes the counter block), but 4 bytes apart in memory controllers. For an unknown type number
 * the result is 8 if all controls then fit before the next register, and 4 if they do not.
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

/*
 * Check the values in a unit record, without regard to other records. Return UCORE_UNIT_OK, or
 * the reason to reject the unit.
 */
static u32 check_numbers(const struct ucore_unit *unit)
{
	u32 regs = FIELD_GET(DISC_UNIT0_NUM_REGS, unit->word[0]);
	u32 ctl = FIELD_GET(DISC_UNIT0_CTL_OFFSET, unit->word[0]);
	u32 ctr = FIELD_GET(DISC_UNIT0_CTR_OFFSET, unit->word[0]);
	u32 width = FIELD_GET(DISC_UNIT0_WIDTH, unit->word[0]);
	u32 access = ucore_record_access(unit->word);

	if (ucore_record_all_ones(unit->word))
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
	/* an MMIO counter is accessed as one 64-bit word */
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
	/* 64-bit accesses must be aligned: misaligned controls are accessed as 32 bits */
	unit->layout.wide_ctl = access == UCORE_ACCESS_MSR ||
				(ctl_step == 8 && (access == UCORE_ACCESS_PCI ||
						   !((unit->word[1] + ctl) & 7)));
	unit->type.nr_gp = regs;
	unit->type.width = FIELD_GET(DISC_UNIT0_WIDTH, unit->word[0]);
	runs[RUN_BOX_CTL] = (struct run){ 0, ctl_size(access) };
	runs[RUN_CTLS] = (struct run){ ctl, ctl + regs * ctl_step };
	runs[RUN_CTRS] = (struct run){ ctr, ctr + regs * ctr_step };
}

/* Return true if the registers @run are aligned and overlap none of the @nr runs of the unit. */
static bool run_fits(const struct ucore_unit *unit, u32 access, const struct run *runs, u32 nr,
		     struct run run)
{
	u32 align = access == UCORE_ACCESS_MMIO ? run.end - run.start : ctl_size(access);

	return !((unit->word[1] + run.start) & (align - 1)) && run_is_free(runs, nr, run);
}

/*
 * Add the optional registers of a unit: status, fixed counter and filter. A register that is
 * misaligned or overlaps other registers of the unit is left out. Return the number of runs.
 */
static u32 layout_optional(struct ucore_unit *unit, u32 access, struct run *runs)
{
	u32 status = FIELD_GET(DISC_UNIT0_STATUS_OFFSET, unit->word[0]);
	const struct ucore_disc_type *rule = unit->rule;
	struct ucore_layout *layout = &unit->layout;
	u32 size = ctl_size(access), n = RUN_OPTIONAL;
	struct run run, ctr;

	layout->status = UCORE_REG_NONE;
	run = (struct run){ status, status + size };
	if (status && run_fits(unit, access, runs, n, run)) {
		layout->status = status;
		runs[n++] = run;
	}
	if (!rule || rule->access != access)
		return n;
	run = (struct run){ rule->fixed_ctl, rule->fixed_ctl + size };
	ctr = (struct run){ rule->fixed_ctr, rule->fixed_ctr + ctr_size(access) };
	if (rule->fixed_ctl && run_fits(unit, access, runs, n, run) &&
	    run_fits(unit, access, runs, n, ctr)) {
		layout->fixed_ctl[0] = rule->fixed_ctl;
		layout->fixed_ctr[0] = rule->fixed_ctr;
		unit->type.nr_fixed = 1;
		runs[n++] = run;
		runs[n++] = ctr;
	}
	run = (struct run){ rule->filter, rule->filter + size };
	if (rule->filter && run_fits(unit, access, runs, n, run)) {
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

/*
 * Add @by to all register offsets of a unit in PCI config space. The offsets are then relative
 * to the start of config space, because the register window is the whole config space.
 */
static void layout_relocate(struct ucore_unit *unit, u32 by)
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

/* Set the platform data, the box type and the name of a unit, according to its type number. */
static void unit_identify(const struct ucore_disc *disc, struct ucore_unit *unit)
{
	u32 type = ucore_record_type(unit->word);

	unit->rule = find_rule(disc->rules, type);
	unit->type = unit->rule ? *unit->rule->type : *disc->rules->unknown;
	if (unit->rule)
		strscpy(unit->name, unit->type.name, sizeof(unit->name));
	else
		snprintf(unit->name, sizeof(unit->name), "type_%u", type);
}

/*
 * Reject a unit whose registers or name another unit or device has. Store the reason, and the
 * number of the other unit's record in its table.
 */
static void note_conflict(struct ucore_disc *disc, struct ucore_unit *unit,
			  const struct ucore_disc_range *conflict)
{
	if (conflict->unit == UCORE_DISC_FOREIGN) {
		unit->reason = UCORE_UNIT_FOREIGN;
		return;
	}
	unit->reason = FIELD_GET(SPACE_KIND, conflict->space) == UCORE_DISC_NAME ?
		       UCORE_UNIT_DUPLICATE : UCORE_UNIT_OVERLAP;
	if (conflict->unit != UCORE_NO_BOX) {
		unit->other = disc->unit[conflict->unit].record;
		unit->other_table = disc->unit[conflict->unit].table;
	}
}

/*
 * Return the reserved range for the name of a unit. The name is a number made of the type number
 * and the unit id, so that names sort by both.
 */
static struct ucore_disc_range name_range(u32 index, s32 die, u32 type, u32 id)
{
	u64 name = type << 16 | id;

	return (struct ucore_disc_range){
		.space = SPACE_NAME | (u32)die, .start = name, .end = name + 1, .unit = index,
	};
}

/**
 * ucore_unit_name_reserved() - check whether an accepted unit of a die has this type and id
 * @disc: results of discovery so far
 * @die: logical die
 * @type: type number
 * @id: unit id
 *
 * Return: true if there is such a unit.
 */
bool ucore_unit_name_reserved(struct ucore_disc *disc, s32 die, u32 type, u32 id)
{
	const struct ucore_disc_range name = name_range(UCORE_NO_BOX, die, type, id);

	return ucore_range_overlap(disc, &name);
}

/*
 * Fill @range with the ranges of a unit's registers, in ascending order. Return true if no range
 * is reserved between the first and the last register, which is the common case.
 */
static bool ranges_of_runs(struct ucore_disc *disc, const struct ucore_unit *unit,
			   const struct run *runs, u32 nr, struct ucore_disc_range *range)
{
	u32 access = ucore_record_access(unit->word), i, at;
	u64 base = ucore_range_start(access, unit->word[1]);
	struct ucore_disc_range all = {
		.space = ucore_range_space(access, unit->die, unit->word[1]),
		.start = base, .end = base + unit->size,
		.unit = unit - disc->unit,
	};

	for (i = 0; i < nr; i++) {
		for (at = i; at && range[at - 1].start > base + runs[i].start; at--)
			range[at] = range[at - 1];
		range[at] = all;
		range[at].start = base + runs[i].start;
		range[at].end = base + runs[i].end;
	}
	return !ucore_range_overlap(disc, &all);
}

/*
 * Reserve the name and all registers of a unit, or reject the unit because of a conflicting
 * range. Nothing is reserved for a unit that does not respond, because such a unit must not
 * cause the rejection of a valid unit. ucore_unit_judge_absent() judges it again.
 */
static int unit_reserve(struct ucore_disc *disc, struct ucore_unit *unit, const struct run *runs,
			u32 nr)
{
	struct ucore_disc_range range[NR_RUNS];
	struct ucore_disc_range name = name_range(unit - disc->unit, unit->die,
						  ucore_record_type(unit->word),
						  ucore_record_id(unit->word));
	bool span_free = ranges_of_runs(disc, unit, runs, nr, range);
	const struct ucore_disc_range *conflict = ucore_range_overlap(disc, &name);
	int ret;
	u32 i;

	for (i = 0; i < nr && !conflict && !span_free; i++)
		conflict = ucore_range_overlap(disc, &range[i]);
	if (conflict) {
		note_conflict(disc, unit, conflict);
		return 0;
	}
	if (!unit->absent && !disc->env->answers(disc->env, unit)) {
		unit->reason = UCORE_UNIT_NO_ANSWER;
		return 0;
	}
	ret = ucore_range_add(disc, &name, 1);
	if (span_free)
		return ret ?: ucore_range_add(disc, range, nr);
	for (i = 0; i < nr && !ret; i++)
		ret = ucore_range_add(disc, &range[i], 1);
	return ret;
}

static bool unit_broken(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	const u16 *type = disc->rules->broken;

	while (type && *type && *type != ucore_record_type(unit->word))
		type++;
	return type && *type;
}

/*
 * Return true if a unit must be rejected because its registers are at another address. For some
 * type numbers the units of the die were found by their PCI functions (disc->pci_unit). A record
 * with such a type number is wrong if no unit found has the id and the address of the record, or
 * if it repeats an earlier record, as in tables of Sapphire Rapids MCC.
 */
static bool unit_relocated(struct ucore_disc *disc, const struct ucore_unit *unit)
{
	u32 type = ucore_record_type(unit->word), id = ucore_record_id(unit->word);
	const struct ucore_disc_pci_unit *pci_unit;
	bool known = false;
	u32 i;

	for (i = 0; i < disc->nr_pci_units; i++) {
		pci_unit = &disc->pci_unit[i];
		if (pci_unit->die != unit->die || pci_unit->place->type != type)
			continue;
		if (pci_unit->address == (unit->word[1] & DISC_PCI_ADDRESS) && pci_unit->id == id)
			return ucore_unit_name_reserved(disc, unit->die, type, id);
		known = true;
	}
	return known;
}

/**
 * ucore_unit_judge() - accept or reject a unit
 * @disc: results of discovery so far; the registers of an accepted unit are added to ranges
 * @unit: unit in @disc, with the words of its record. This function sets its members reason,
 *        name, type and layout.
 *
 * Return: 0 or -ENOMEM. A rejected unit is not an error.
 */
int ucore_unit_judge(struct ucore_disc *disc, struct ucore_unit *unit)
{
	struct run runs[NR_RUNS];
	u32 access, nr;

	unit_identify(disc, unit);
	unit->reason = check_numbers(unit);
	if (unit->reason)
		return 0;
	if (unit_relocated(disc, unit))
		unit->reason = UCORE_UNIT_RELOCATED;
	else if (unit_broken(disc, unit))
		unit->reason = UCORE_UNIT_BROKEN;
	if (unit->reason)
		return 0;
	access = ucore_record_access(unit->word);
	layout_counters(unit, access, runs);
	if (!run_is_free(runs, RUN_CTLS, runs[RUN_CTLS]) ||
	    !run_is_free(runs, RUN_CTRS, runs[RUN_CTRS])) {
		unit->reason = UCORE_UNIT_SELF_OVERLAP;
		return 0;
	}
	nr = layout_optional(unit, access, runs);
	unit->size = runs_end(runs, nr);
	unit->reason = ucore_validate_unit(disc->env, unit->rule, access, unit->word[1],
					   unit->size);
	if (unit->reason)
		return 0;
	if (access == UCORE_ACCESS_PCI)
		layout_relocate(unit, FIELD_GET(DISC_PCI_OFFSET, unit->word[1]));
	return unit_reserve(disc, unit, runs, nr);
}

/* Judge a unit that does not respond again, and keep the reason if it can become a box. */
static int judge_absent(struct ucore_disc *disc, struct ucore_unit *unit)
{
	int ret;

	unit->layout = (struct ucore_layout){ };
	unit->absent = true;
	ret = ucore_unit_judge(disc, unit);
	if (unit->reason)
		unit->absent = false;
	else
		unit->reason = UCORE_UNIT_NO_ANSWER;
	return ret;
}

/**
 * ucore_unit_judge_absent() - find the units that do not respond now, but may respond later
 * @disc: results of discovery, with the units of all tables
 *
 * Sets the member absent of these units, and reserves their registers. A unit that conflicts with
 * a unit that responds is rejected. Only units of known type numbers are used, because other
 * records may be wrong, and a device that appears later may use their addresses. Units in MSRs are
 * not used, because an MSR that faults does not exist.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_unit_judge_absent(struct ucore_disc *disc)
{
	struct ucore_unit *unit;
	int ret = 0;

	for (unit = disc->unit; unit < disc->unit + disc->nr_units && !ret; unit++)
		if (unit->reason == UCORE_UNIT_NO_ANSWER && unit->rule &&
		    ucore_record_access(unit->word) != UCORE_ACCESS_MSR)
			ret = judge_absent(disc, unit);
	return ret;
}

/**
 * ucore_unit_note_pci() - add a unit that was found by its PCI function
 * @disc: results of discovery, before the tables are parsed
 * @die: logical die of the unit
 * @place: rule by which the unit was found
 * @id: unit id
 * @segment: PCI segment of the function
 * @bus: PCI bus of the function
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_unit_note_pci(struct ucore_disc *disc, s32 die,
			const struct ucore_disc_place *place, u32 id, u32 segment, u32 bus)
{
	struct ucore_disc_pci_unit *pci_unit;

	pci_unit = ucore_array_grow(disc->pci_unit, disc->nr_pci_units, &disc->max_pci_units,
				    sizeof(*pci_unit));
	if (!pci_unit)
		return -ENOMEM;
	disc->pci_unit = pci_unit;
	pci_unit[disc->nr_pci_units++] = (struct ucore_disc_pci_unit){
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
 * ucore_unit_limit() - reject units of a die that exceed the number that an MSR reports
 * @disc: results of discovery, with all units
 * @die: logical die
 * @count: real number of units whose type number is count_type of the rules. The units with the
 *         lowest ids stay accepted.
 */
void ucore_unit_limit(struct ucore_disc *disc, s32 die, u32 count)
{
	const struct ucore_disc_ranges *names = &disc->ranges[UCORE_DISC_NAME];
	struct ucore_unit *unit;
	u32 i, n = 0;

	/* names are sorted by type and id */
	for (i = 0; i < names->nr; i++) {
		unit = &disc->unit[names->range[i].unit];
		if (unit->die == die && !unit->reason &&
		    ucore_record_type(unit->word) == disc->rules->count_type && n++ >= count)
			unit->reason = UCORE_UNIT_BEYOND_COUNT;
	}
}
