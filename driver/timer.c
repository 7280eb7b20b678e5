// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timers: the trigger in nanoseconds, and each die's guard.
 *
 * A session's timers are pinned to the readers of its dies and expire at the
 * same instants everywhere; nothing is broadcast.  The guard does what nothing
 * else would do in time: fold a counter before it can wrap twice, find an
 * overflow whose interrupt was lost, and end throttling.
 *
 * Callbacks run in hard-irq context on a CPU of the die and take its lock.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <asm/irq_regs.h>

#include "compat.h"
#include "pmi.h"
#include "timer.h"

/* While overflows are armed, look this often whether one went unnoticed ... */
#define GUARD_ARMED_NS		(20 * NSEC_PER_MSEC)
/* ... and give its interrupt this long to show up. */
#define GUARD_SUSPECT_NS	(1 * NSEC_PER_MSEC)
#define GUARD_MAX_NS		(30ULL * NSEC_PER_SEC)

static void context_here(struct ucore_context *context, u64 now)
{
	struct pt_regs *regs = get_irq_regs();

	*context = (struct ucore_context){
		.time = now,
		.ip = regs ? instruction_pointer(regs) : 0,
		.user = regs && user_mode(regs),
		.pid = current->tgid,
		.tid = current->pid,
		.cpu = raw_smp_processor_id(),
	};
}

static enum hrtimer_restart timer_trigger(struct hrtimer *timer)
{
	struct ucore_part *part = container_of(timer, struct ucore_part, timer);
	struct ucore_die *die = part->die;
	struct ucore_context context;
	struct ucore_interval iv;
	u64 now;

	raw_spin_lock(&die->lock);
	if (!part->running) {
		raw_spin_unlock(&die->lock);
		return HRTIMER_NORESTART;
	}
	now = ktime_get_mono_fast_ns();
	context_here(&context, now);
	ucore_interval_begin(&iv, die, now);
	ucore_interval_set_context(&iv, &context);
	ucore_part_timer_due(&iv, part);
	ucore_interval_end(&iv);
	raw_spin_unlock(&die->lock);

	hrtimer_forward_now(timer, ns_to_ktime(part->timer_ns));
	return HRTIMER_RESTART;
}

/**
 * ucore_timer_init() - prepare a part's timer trigger
 * @part: the part
 */
void ucore_timer_init(struct ucore_part *part)
{
	hrtimer_setup(&part->timer, timer_trigger, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_timer_start() - start a part's timer trigger on this CPU
 * @part: the part
 * @base: instant from which all dies of the session count periods
 */
void ucore_timer_start(struct ucore_part *part, u64 base)
{
	if (part->timer_ns)
		hrtimer_start(&part->timer, ns_to_ktime(base + part->timer_ns),
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * ---- guard ----
 */

/**
 * ucore_guard_soon() - have the guard run soon, on this CPU
 * @die: the die
 * @delay_ns: how soon
 */
void ucore_guard_soon(struct ucore_die *die, u64 delay_ns)
{
	die->guard_at = ktime_get_mono_fast_ns() + delay_ns;
	hrtimer_start(&die->guard, ns_to_ktime(die->guard_at), HRTIMER_MODE_ABS_PINNED_HARD);
}

static u64 guard_period(const struct ucore_die *die)
{
	u64 period = die->armed ? GUARD_ARMED_NS : GUARD_MAX_NS;
	const struct ucore_part *part;

	list_for_each_entry(part, &die->parts, node)
		period = min(period, part->guard_ns / 2);
	return period;
}

/* Read what was not read for long: half of the time in which it could wrap. */
static void fold_wraps(struct ucore_die *die, u64 now)
{
	struct ucore_part *part;

	list_for_each_entry(part, &die->parts, node)
		if (now - part->last_read >= part->guard_ns / 4)
			ucore_part_read_running(part, now);
}

/*
 * An overflow that is still there after its interrupt had its time: the PMI
 * was lost.  Service it, and if none ever came, route it to every core.
 */
static bool find_lost(struct ucore_die *die, u64 now)
{
	struct ucore_interval iv;

	/* with its context there, the interrupt came: its service is queued */
	if (!die->armed || die->holds || ucore_pmi_context(die) || !ucore_die_status(die)) {
		die->pmi.suspect = 0;
		return false;
	}
	if (die->pmi.suspect != die->pmi.seq + 1) {
		die->pmi.suspect = die->pmi.seq + 1;
		die->pmi.suspect_time = now;
		return true;
	}
	die->pmi.suspect = 0;
	ucore_interval_begin_overflow(&iv, die, die->pmi.suspect_time, true);
	ucore_interval_end(&iv);
	ucore_pmi_lost(die);
	return false;
}

/**
 * ucore_guard_end_throttling() - give up the guard's hold, if it has one
 * @die: the die, locked
 */
void ucore_guard_end_throttling(struct ucore_die *die)
{
	if (!die->throttled)
		return;
	die->throttled = false;
	ucore_die_release(die, true);
}

static void guard_work(struct ucore_die *die, u64 now)
{
	u64 next;

	if (list_empty(&die->parts))
		return;
	next = find_lost(die, now) ? GUARD_SUSPECT_NS : guard_period(die);
	fold_wraps(die, now);
	if (!die->throttled)
		ucore_guard_soon(die, next);
}

static enum hrtimer_restart guard_tick(struct hrtimer *timer)
{
	struct ucore_die *die = container_of(timer, struct ucore_die, guard);

	raw_spin_lock(&die->lock);
	die->guard_at = 0;
	if (die->reader != UCORE_NO_CPU) {
		ucore_guard_end_throttling(die);
		guard_work(die, ktime_get_mono_fast_ns());
	}
	raw_spin_unlock(&die->lock);
	/* started again above, or by a START meanwhile, or not wanted any more */
	return HRTIMER_NORESTART;
}

/**
 * ucore_guard_init() - prepare a die's guard
 * @die: the die
 */
void ucore_guard_init(struct ucore_die *die)
{
	hrtimer_setup(&die->guard, guard_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * ucore_guard_start() - start, or adapt to the parts that now run
 * @die: the die, locked
 *
 * Never later than it would have run: many a START must not put it off.
 */
void ucore_guard_start(struct ucore_die *die)
{
	u64 now = ktime_get_mono_fast_ns(), at = now + guard_period(die);

	if (die->throttled)
		return;
	if (die->guard_at)
		at = min(at, max(die->guard_at, now));
	ucore_guard_soon(die, at - now);
}

/*
 * ---- all timers of a die, when its reader changes ----
 */

/**
 * ucore_timers_cancel() - stop the timers of a die
 * @die: the die, not locked; its list of parts cannot change
 */
void ucore_timers_cancel(struct ucore_die *die)
{
	struct ucore_part *part;

	hrtimer_cancel(&die->guard);
	list_for_each_entry(part, &die->parts, node)
		hrtimer_cancel(&part->timer);
}

static void restart_here(void *arg)
{
	struct ucore_die *die = arg;
	struct ucore_part *part;
	u64 now;

	raw_spin_lock(&die->lock);
	now = ktime_get_mono_fast_ns();
	list_for_each_entry(part, &die->parts, node) {
		if (!part->timer_ns)
			continue;
		hrtimer_forward(&part->timer, ns_to_ktime(now), ns_to_ktime(part->timer_ns));
		hrtimer_start_expires(&part->timer, HRTIMER_MODE_ABS_PINNED_HARD);
	}
	ucore_guard_end_throttling(die);
	if (!list_empty(&die->parts))
		ucore_guard_start(die);
	raw_spin_unlock(&die->lock);
}

/**
 * ucore_timers_restart() - start them again on the reader
 * @die: the die, not locked; its list of parts cannot change
 */
void ucore_timers_restart(struct ucore_die *die)
{
	ucore_die_run(die, restart_here, die);
}
