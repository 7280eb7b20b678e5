// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freeze trial: finds the die of a box in memory or PCI config space. A counter of the box counts
 * clocks while the global control of each die, an MSR, is frozen in turn. The box belongs to the
 * die whose freeze stops the counter.
 *
 * The trial writes only registers that a session would also write. Each register gets its earlier
 * value back. The caller ensures that nobody else uses the uncore. Process context, at module
 * load.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "find/clock.h"
#include "find/die_topology.h"
#include "find/discovery/freeze_trial.h"
#include "find/discovery/probe_units.h"
#include "find/discovery/record.h"
#include "hw/discovery.h"
#include "reg/reg.h"

/* Time for which a counter counts clocks (us). A clock of 100 MHz has 500 cycles in this time. */
#define CLOCK_TRIAL_US	5

/* Maximum number of units tried to find the die of a table */
#define MAX_TRIALS	8

/* Number of trials of each die. All results must agree, because an idle state may stop a clock. */
#define ROUNDS		2

/**
 * struct freeze_trial - input of a freeze trial
 * @io: registers of the box, in memory or PCI config space
 * @type: type of the box, which must have a clock
 * @layout: register offsets of the box
 * @msr: MSR number of the global control of each die
 * @freeze: bit of the global control that freezes the die; a write without this bit unfreezes it
 */
struct freeze_trial {
	struct ucore_io io;
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 msr;
	u64 freeze;
};

static bool is_zero(const struct freeze_trial *trial, u16 reg)
{
	return reg == UCORE_REG_NONE || !trial->io.ops->read(&trial->io, reg);
}

/* Return true if no counter of the unit is programmed, so that no other program uses it. */
static bool is_idle(const struct freeze_trial *trial)
{
	u32 i;

	for (i = 0; i < trial->type->nr_gp; i++)
		if (!is_zero(trial, trial->layout->ctl[i]))
			return false;
	for (i = 0; i < trial->type->nr_fixed; i++)
		if (!is_zero(trial, trial->layout->fixed_ctl[i]))
			return false;
	return true;
}

/* Return true if the clock counter does not change for CLOCK_TRIAL_US. */
static bool stands(const struct freeze_trial *trial, u16 ctr)
{
	u64 before = trial->io.ops->read_running(&trial->io, ctr);

	udelay(CLOCK_TRIAL_US);
	return trial->io.ops->read_running(&trial->io, ctr) == before;
}

static void set_global(const struct freeze_trial *trial, u32 die, u64 val)
{
	ucore_msr_set(ucore_cpu_of_die(die), trial->msr, val);
}

/*
 * Freeze and unfreeze each die in turn. Return the only die whose freeze stops the counter,
 * UCORE_DIE_OFFLINE if none does, UCORE_DIE_UNKNOWN if the result is ambiguous.
 */
static s32 try_dies(const struct freeze_trial *trial, const struct ucore_dies *dies,
		    const u64 *found, u16 ctr)
{
	s32 die = UCORE_DIE_OFFLINE;
	bool stopped;
	u32 i;

	for (i = 0; i < dies->nr; i++) {
		set_global(trial, dies->id[i], found[i] | trial->freeze);
		udelay(CLOCK_TRIAL_US);		/* until the freeze has reached the box */
		stopped = stands(trial, ctr);
		set_global(trial, dies->id[i], found[i] & ~trial->freeze);
		if (stands(trial, ctr) || (stopped && die >= 0))
			return UCORE_DIE_UNKNOWN;
		if (stopped)
			die = dies->id[i];
	}
	return die;
}

/* Let the counter of the box count clocks, and try all dies. All dies are unfrozen. */
static s32 run_clock(const struct freeze_trial *trial, const struct ucore_dies *dies,
		     const u64 *found)
{
	const struct ucore_box_words *words = trial->type->words;
	const struct ucore_io *io = &trial->io;
	u16 box_ctl = trial->layout->box_ctl;
	struct ucore_clock clock;
	s32 die, again;
	u64 count, ctl;
	u32 round;

	ucore_find_clock(trial->type, trial->layout, &clock);
	ctl = io->ops->read(io, box_ctl);
	io->ops->write(io, box_ctl, words->freeze);
	count = io->ops->read64(io, clock.ctr);
	io->ops->write(io, clock.ctl, clock.word);
	io->ops->write(io, box_ctl, words->run);
	die = stands(trial, clock.ctr) ? UCORE_DIE_UNKNOWN :
					 try_dies(trial, dies, found, clock.ctr);
	for (round = 1; round < ROUNDS && die != UCORE_DIE_UNKNOWN; round++) {
		again = try_dies(trial, dies, found, clock.ctr);
		if (again != die)
			die = UCORE_DIE_UNKNOWN;
	}
	io->ops->write(io, box_ctl, words->freeze);
	io->ops->write(io, clock.ctl, 0);
	io->ops->write64(io, clock.ctr, count);
	io->ops->write(io, box_ctl, ctl & ~(u64)(words->reset & ~words->freeze));
	return die;
}

/*
 * Return the logical die whose freeze stops the unit, UCORE_DIE_OFFLINE if no freeze stops it, and
 * UCORE_DIE_UNKNOWN if the trial has no result.
 */
static s32 find_die(const struct freeze_trial *trial, const struct ucore_dies *dies)
{
	u64 *found = kcalloc(dies->nr, sizeof(*found), GFP_KERNEL);
	s32 die = UCORE_DIE_UNKNOWN;
	u32 i, nr = 0;

	if (!found)
		return die;
	cpus_read_lock();
	while (nr < dies->nr &&
	       ucore_msr_probe(ucore_cpu_of_die(dies->id[nr]), trial->msr, &found[nr]))
		nr++;
	if (nr == dies->nr) {
		for (i = 0; i < nr; i++)
			set_global(trial, dies->id[i], found[i] & ~trial->freeze);
		die = run_clock(trial, dies, found);
		for (i = 0; i < nr; i++)
			set_global(trial, dies->id[i], found[i]);
	}
	cpus_read_unlock();
	kfree(found);
	return die;
}

static bool is_at_known_place(const struct ucore_disc *disc, const struct ucore_unit *unit)
{
	u32 i;

	for (i = 0; i < disc->rules->nr_places; i++)
		if (disc->rules->places[i].type == ucore_record_type(unit->word))
			return true;
	return false;
}

/*
 * Open the registers of a unit in memory or PCI config space for a trial. Return false if this is
 * impossible. The record of a unit that is searched at a known place may be wrong, so that the unit
 * is not tried.
 */
static bool trial_open(const struct ucore_disc *disc, const struct ucore_unit *unit,
		       struct freeze_trial *trial)
{
	struct pci_dev *pdev;

	if (unit->reason || ucore_record_access(unit->word) == UCORE_ACCESS_MSR ||
	    is_at_known_place(disc, unit))
		return false;
	trial->type = &unit->type;
	trial->layout = &unit->layout;
	if (ucore_record_access(unit->word) == UCORE_ACCESS_MMIO)
		return !ucore_mmio_init(&trial->io, unit->word[1], unit->size);
	pdev = ucore_probe_pdev_at(unit->word[1]);
	if (!pdev)
		return false;
	ucore_pci_init(&trial->io, pdev);
	pci_dev_put(pdev);
	return true;
}

/**
 * ucore_freeze_trial_idle() - check whether no counter of a table's units is programmed
 * @disc: results of discovery, with the units of the table
 * @t: the table
 *
 * Return: false if a control of a unit in memory or PCI config space is not zero, because another
 * program may use it.
 */
bool ucore_freeze_trial_idle(const struct ucore_disc *disc, const struct ucore_disc_table *t)
{
	struct freeze_trial trial;
	struct ucore_tally tally = { };
	bool idle = true;
	u32 i;

	for (i = t->first; i < t->first + t->nr && idle; i++) {
		trial = (struct freeze_trial){ .io.tally = &tally };
		if (!trial_open(disc, &disc->unit[i], &trial))
			continue;
		idle = is_idle(&trial);
		ucore_io_close(&trial.io);
	}
	return idle;
}

/**
 * ucore_freeze_trial_table() - find the die whose freeze stops the units of a table
 * @disc: results of discovery, with the units of the table
 * @t: table whose global control is an MSR
 * @dies: dies with an online CPU
 *
 * The units are tried one by one, up to the first that a freeze stops.
 *
 * Return: logical die; UCORE_DIE_OFFLINE if no freeze stops any unit, so that the table belongs to
 * no die with an online CPU; UCORE_DIE_UNKNOWN without a result.
 */
s32 ucore_freeze_trial_table(const struct ucore_disc *disc, const struct ucore_disc_table *t,
			     const struct ucore_dies *dies)
{
	s32 die = UCORE_DIE_OFFLINE, result;
	struct freeze_trial trial;
	struct ucore_tally tally = { };
	struct ucore_clock clock;
	u32 i, tried = 0;

	for (i = t->first; i < t->first + t->nr && tried < MAX_TRIALS && die < 0; i++) {
		trial = (struct freeze_trial){
			.io.tally = &tally, .msr = t->word[1], .freeze = DISC_GLOBAL_CTL_FRZ_ALL,
		};
		if (!ucore_find_clock(&disc->unit[i].type, &disc->unit[i].layout, &clock) ||
		    !trial_open(disc, &disc->unit[i], &trial))
			continue;
		result = find_die(&trial, dies);
		ucore_io_close(&trial.io);
		tried++;
		if (result != UCORE_DIE_OFFLINE)
			die = result;
	}
	return tried ? die : UCORE_DIE_UNKNOWN;
}
