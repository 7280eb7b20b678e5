// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dies: freeze and release, the reader, CPU hotplug.
 *
 * Owns the global control and status registers, and which CPU touches them.
 * Freezing counts reasons: the die runs when the last one goes, and not while
 * an overflow waits to be serviced, for that froze the die too.
 *
 * Locks: the list of parts changes under the die's lock, in process context,
 * with CPU hotplug held off.  So a hotplug callback, which excludes all of
 * those, may walk the list without it, and cancel timers that take it.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/smp.h>

#include "catalog.h"
#include "compat.h"
#include "die.h"
#include "pmi.h"
#include "sample.h"
#include "timer.h"

DEFINE_MUTEX(ucore_run_lock);	/* die.h tells what it guards */

/*
 * ---- global control; the die's lock is held, this CPU is the die's ----
 */

static void global_write(struct ucore_die *die, u64 command)
{
	/* every write carries the route: a write without it would unset it */
	die->io.ops->write64(&die->io, die->global->ctl, command | die->route);
}

/**
 * ucore_die_hold() - freeze the die, or keep it frozen
 * @die: the die
 * @now: time
 */
void ucore_die_hold(struct ucore_die *die, u64 now)
{
	lockdep_assert_held(&die->lock);

	if (!die->holds++ && !die->frozen)
		global_write(die, die->global->freeze);
	if (!die->frozen) {
		die->frozen = true;
		die->frozen_since = now;
	}
}

/**
 * ucore_die_hold_overflow() - keep frozen what an overflow froze
 * @die: the die
 * @now: when the overflow was noticed
 *
 * It is frozen by a write all the same: an overflow that came in the middle of
 * a release may have been released with it.
 */
void ucore_die_hold_overflow(struct ucore_die *die, u64 now)
{
	lockdep_assert_held(&die->lock);

	if (!die->holds++)
		global_write(die, die->global->freeze);
	if (!die->frozen) {
		die->frozen = true;
		die->frozen_since = now;
	}
}

/**
 * ucore_die_release() - one reason less to stay frozen
 * @die: the die
 * @pending: look for an overflow that waits; false right after a service
 *
 * Return: the time, when the die runs again if nothing else holds it.
 */
u64 ucore_die_release(struct ucore_die *die, bool pending)
{
	u64 now;

	lockdep_assert_held(&die->lock);

	if (--die->holds)
		return ktime_get_mono_fast_ns();
	if (pending && die->armed && ucore_die_status(die))
		return ktime_get_mono_fast_ns();	/* its interrupt will release the die */
	global_write(die, die->global->unfreeze);
	now = ktime_get_mono_fast_ns();
	die->frozen = false;
	die->frozen_ns += now - die->frozen_since;
	return now;
}

/**
 * ucore_die_frozen_ns() - how long the die has been frozen, up to an instant
 * @die: the die
 * @now: the instant
 *
 * Return: ns since load.
 */
u64 ucore_die_frozen_ns(const struct ucore_die *die, u64 now)
{
	u64 ns = die->frozen_ns;

	if (die->frozen && now > die->frozen_since)
		ns += now - die->frozen_since;
	return ns;
}

/**
 * ucore_die_status() - which boxes overflowed
 * @die: the die
 *
 * Return: the global status, its words folded into one; also bits of boxes that
 * nobody armed: they freeze the die, too.
 */
u64 ucore_die_status(struct ucore_die *die)
{
	const struct ucore_global *global = die->global;
	u64 status, all = 0;
	u32 i;

	for (i = 0; i < global->nr_status; i++) {
		status = die->io.ops->read64(&die->io, global->status + i * global->status_stride);
		die->status[i] = status == UCORE_REG_DEAD ? 0 : status;
		all |= die->status[i];
	}
	return all;
}

/**
 * ucore_die_clear_status() - acknowledge overflows (write 1 to clear)
 * @die: the die; the bits last read are cleared.  Their boxes' own status is
 *       clear already, or they would not signal again.
 */
void ucore_die_clear_status(struct ucore_die *die)
{
	const struct ucore_global *global = die->global;
	u32 i;

	for (i = 0; i < global->nr_status; i++)
		if (die->status[i])
			die->io.ops->write64(&die->io, global->status + i * global->status_stride,
					     die->status[i]);
}

/**
 * ucore_die_set_route() - which cores get the PMI
 * @die: the die
 * @route: pmi_core_sel and the wake bit, 0 for none
 */
void ucore_die_set_route(struct ucore_die *die, u64 route)
{
	lockdep_assert_held(&die->lock);

	die->route = route;
	if (!die->global->level) {
		global_write(die, 0);
		return;
	}
	/* it must not set free what is frozen, by us or by an overflow that waits */
	if (die->frozen || die->armed)
		global_write(die, die->global->freeze);
	if (!die->frozen && !(die->armed && ucore_die_status(die)))
		global_write(die, 0);
}

/**
 * ucore_die_take() - first use: note what is there
 * @die: the die
 *
 * Firmware of the discovery generation may leave the die frozen (Granite
 * Rapids and later): that is among what is noted, ends with our first release,
 * and is so again in the end.
 */
void ucore_die_take(struct ucore_die *die)
{
	u64 found;

	if (!die->taken) {
		found = die->io.ops->read64(&die->io, die->global->ctl);
		die->found = found == UCORE_REG_DEAD ? 0 : found & die->global->keep;
	}
	die->taken = true;
	die->route = 0;
}

/**
 * ucore_die_clear_stale() - forget overflows of the past
 * @die: the die, on which nothing is armed
 */
void ucore_die_clear_stale(struct ucore_die *die)
{
	if (ucore_die_status(die))
		ucore_die_clear_status(die);
}

/**
 * ucore_die_give_back() - last use: as it was found, and running
 * @die: the die
 */
void ucore_die_give_back(struct ucore_die *die)
{
	/* and so it stays: boxes are still to be released */
	ucore_die_set_route(die, die->found);
	die->taken = false;
}

/*
 * ---- the reader ----
 */

/**
 * ucore_die_has_cpu() - is this one of the die's CPUs?
 * @die: the die
 * @cpu: an online CPU
 *
 * Return: true if it is.
 */
bool ucore_die_has_cpu(const struct ucore_die *die, int cpu)
{
	return topology_logical_die_id(cpu) == die->id;
}

/**
 * ucore_die_core_bit() - the bit of pmi_core_sel that names a CPU's core
 * @die: the die
 * @cpu: one of its CPUs
 *
 * Return: the bit in global control, 0 if there is none.
 */
u64 ucore_die_core_bit(const struct ucore_die *die, int cpu)
{
	u64 core_sel = die->global->core_sel;
	u32 core = topology_core_id(cpu);

	if (!core_sel || core >= 64)
		return 0;
	return BIT_ULL(core) << __ffs64(core_sel) & core_sel;
}

/**
 * ucore_die_cpu_selectable() - can pmi_core_sel name this CPU's core?
 * @die: the die
 * @cpu: one of its CPUs
 *
 * Return: true if it can, or need not: where no PMI can be routed, any CPU
 * will do.
 */
bool ucore_die_cpu_selectable(const struct ucore_die *die, int cpu)
{
	return !die->global->core_sel || ucore_die_core_bit(die, cpu);
}

/* A reader, if possible the one asked for or at least one that takes PMIs. */
static int elect_reader(const struct ucore_die *die, int leaving)
{
	int cpu, any = UCORE_NO_CPU;

	if (die->pin_cpu != UCORE_NO_CPU && die->pin_cpu != leaving)
		return die->pin_cpu;
	for_each_online_cpu(cpu) {
		if (cpu == leaving || !ucore_die_has_cpu(die, cpu))
			continue;
		if (ucore_die_cpu_selectable(die, cpu))
			return cpu;
		if (any == UCORE_NO_CPU)
			any = cpu;
	}
	return any;
}

/**
 * ucore_die_run() - run a function on the die's reader and wait for it
 * @die: the die
 * @func: runs in hard-irq context
 * @arg: its argument
 *
 * CPU hotplug is held off.  Nothing happens if the die has no CPU online.
 */
void ucore_die_run(struct ucore_die *die, smp_call_func_t func, void *arg)
{
	if (die->reader != UCORE_NO_CPU)
		smp_call_function_single(die->reader, func, arg, 1);
}

struct gap {
	struct ucore_die *die;
	u32 reason;
	int from;
	int to;
};

static void gap_record(const struct gap *gap, u64 now)
{
	struct ucore_part *part;

	list_for_each_entry(part, &gap->die->parts, node)
		ucore_part_gap(part, now, gap->reason, gap->from, gap->to, ~0U);
}

static void gap_here(void *arg)
{
	struct gap *gap = arg;

	raw_spin_lock(&gap->die->lock);
	gap_record(gap, ktime_get_mono_fast_ns());
	raw_spin_unlock(&gap->die->lock);
}

/* Service what waits and keep the die frozen. */
static void move_begin_here(void *arg)
{
	struct ucore_die *die = arg;
	struct ucore_interval iv;

	raw_spin_lock(&die->lock);
	ucore_interval_begin(&iv, die, ktime_get_mono_fast_ns());
	die->holds++;
	ucore_interval_end(&iv);
	raw_spin_unlock(&die->lock);
}

static void move_end_here(void *arg)
{
	struct ucore_die *die = arg;

	raw_spin_lock(&die->lock);
	ucore_die_release(die, true);
	raw_spin_unlock(&die->lock);
}

/*
 * Hand over to another CPU.  The list of parts is stable, timers are cancelled.
 * An overflow while nobody takes PMIs would go unnoticed: so there is none.
 */
static void reader_move(struct ucore_die *die, int cpu)
{
	if (!die->armed) {
		WRITE_ONCE(die->reader, cpu);
	} else {
		ucore_die_run(die, move_begin_here, die);
		ucore_pmi_disable(die);
		WRITE_ONCE(die->reader, cpu);
		ucore_pmi_enable(die);
		ucore_die_run(die, move_end_here, die);
	}
}

/**
 * ucore_die_move() - choose another reader
 * @die: the die
 * @cpu: one of its online CPUs
 *
 * Process context; CPU hotplug and changes to the list of parts are held off.
 *
 * Return: 0, or -ERANGE if the PMI cannot be routed to @cpu.
 */
int ucore_die_move(struct ucore_die *die, int cpu)
{
	if (!ucore_die_cpu_selectable(die, cpu))
		return -ERANGE;
	if (cpu == die->reader)
		return 0;
	ucore_timers_cancel(die);
	reader_move(die, cpu);
	ucore_timers_restart(die);
	return 0;
}

/*
 * ---- CPU hotplug ----
 */

/* The last CPU goes: stop everything while it can still be done. */
static void offline_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_die *die = gap->die;
	struct ucore_interval iv;
	struct ucore_part *part;

	raw_spin_lock(&die->lock);
	ucore_interval_begin(&iv, die, ktime_get_mono_fast_ns());
	list_for_each_entry(part, &die->parts, node)
		ucore_part_halt(&iv, part);
	ucore_interval_end(&iv);
	gap_record(gap, iv.now);
	raw_spin_unlock(&die->lock);
}

/* A box that was released while no CPU could reach it. */
static bool box_is_left_over(const struct ucore_box *box, const struct ucore_die *die)
{
	return box->die == die && box->dirty && !box->owner;
}

static bool die_has_work(const struct ucore_die *die)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (box_is_left_over(&ucore_catalog.boxes[i], die))
			return true;
	return die->taken;
}

/* The first CPU came back: go on, and clean up after sessions closed meanwhile. */
static void online_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_die *die = gap->die;
	u64 now = ktime_get_mono_fast_ns();
	struct ucore_part *part;
	u32 i;

	raw_spin_lock(&die->lock);
	ucore_die_hold(die, now);
	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (box_is_left_over(&ucore_catalog.boxes[i], die))
			ucore_box_release(&ucore_catalog.boxes[i]);
	list_for_each_entry(part, &die->parts, node)
		ucore_part_program(part);
	now = ucore_die_release(die, true);
	list_for_each_entry(part, &die->parts, node)
		ucore_part_go(part, now);
	gap_record(gap, now);
	if (list_empty(&die->parts))
		ucore_die_give_back(die);
	raw_spin_unlock(&die->lock);
}

static struct ucore_die *die_of_cpu(int cpu)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_dies; i++)
		if (ucore_die_has_cpu(&ucore_catalog.dies[i], cpu))
			return &ucore_catalog.dies[i];
	return NULL;
}

/* Another CPU takes over, or the die stops. */
static void reader_leaves(struct ucore_die *die, int cpu)
{
	struct gap gap = { .die = die, .from = cpu, .to = elect_reader(die, cpu) };

	die->leaving = cpu;
	if (gap.to != UCORE_NO_CPU) {
		gap.reason = UCORE_GAP_READER_MOVED;
		reader_move(die, gap.to);
		ucore_die_run(die, gap_here, &gap);
	} else {
		gap.reason = UCORE_GAP_DIE_OFFLINE;
		ucore_die_run(die, offline_here, &gap);
		ucore_pmi_disable(die);
		WRITE_ONCE(die->reader, UCORE_NO_CPU);
		/* throttled in its last interval: then it is armed once more */
		hrtimer_cancel(&die->guard);
	}
	die->leaving = UCORE_NO_CPU;
}

static int cpu_going_offline(unsigned int cpu)
{
	struct ucore_die *die = die_of_cpu(cpu);

	if (!die)
		return 0;

	mutex_lock(&ucore_catalog.lock);
	if (die->pin_cpu == cpu)
		die->pin_cpu = UCORE_NO_CPU;
	mutex_unlock(&ucore_catalog.lock);

	/* a throttled die's guard may sit on any of its CPUs */
	ucore_timers_cancel(die);
	if (die->reader == cpu)
		reader_leaves(die, cpu);
	else
		ucore_pmi_disable_cpu(die, cpu);
	ucore_timers_restart(die);
	return 0;
}

static int cpu_came_online(unsigned int cpu)
{
	struct ucore_die *die = die_of_cpu(cpu);
	struct gap gap = { .die = die, .reason = UCORE_GAP_DIE_ONLINE,
			   .from = UCORE_NO_CPU, .to = cpu };

	if (!die)
		return 0;
	if (die->reader != UCORE_NO_CPU) {
		ucore_pmi_enable_cpu(die, cpu);
		return 0;
	}
	WRITE_ONCE(die->reader, cpu);
	if (!die_has_work(die))
		return 0;	/* at load, say: nothing is touched */
	if (die->armed)
		ucore_pmi_enable(die);
	ucore_die_run(die, online_here, &gap);
	ucore_timers_restart(die);
	return 0;
}

static enum cpuhp_state hotplug_state;

/**
 * ucore_die_hotplug_init() - elect readers, now and whenever CPUs come and go
 *
 * Return: 0 or -errno.
 */
int ucore_die_hotplug_init(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/ucore:online",
				    cpu_came_online, cpu_going_offline);

	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

void ucore_die_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}

/**
 * ucore_die_init() - a die without reader; hotplug_init() elects it
 * @die: zeroed
 * @id: logical die
 * @global: its global control
 *
 * Return: 0 or -ENOMEM; the die can be destroyed in any case.
 */
int ucore_die_init(struct ucore_die *die, u32 id, const struct ucore_global *global)
{
	int cpu, ret = 0;

	die->id = id;
	die->global = global;
	die->io.tally = &die->tally;
	if (global->pdev)
		ucore_io_init_pci(&die->io, global->pdev);
	else if (global->size)
		ret = ucore_io_init_mmio(&die->io, global->phys, global->size);
	else
		ucore_io_init_msr(&die->io, 0);
	raw_spin_lock_init(&die->lock);
	INIT_LIST_HEAD(&die->parts);
	die->reader = UCORE_NO_CPU;
	die->pin_cpu = UCORE_NO_CPU;
	die->leaving = UCORE_NO_CPU;
	for_each_online_cpu(cpu)
		if (ucore_die_has_cpu(die, cpu))
			die->package = topology_physical_package_id(cpu);
	ucore_pmi_init(die);
	ucore_guard_init(die);
	return ret;
}

void ucore_die_destroy(struct ucore_die *die)
{
	hrtimer_cancel(&die->guard);
	ucore_pmi_destroy(die);
	ucore_io_release(&die->io);
}
