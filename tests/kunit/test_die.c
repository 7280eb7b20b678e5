// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freezing and releasing a die, what every global write carries, who reads,
 * and what CPU hotplug does to it.
 */
#include <linux/cpu.h>

#include "../../driver/pmi.h"
#include "fake_machine.h"

#define CORE(n)	BIT_ULL(n)

static struct ucore_die *die_of(struct kunit *test)
{
	return &ucore_catalog.dies[0];
}

static struct fake_bus *bus_of(struct kunit *test)
{
	return &fake_machine(test)->bus;
}

static void hold(struct ucore_die *die, u64 now)
{
	raw_spin_lock_irq(&die->lock);
	ucore_die_hold(die, now);
	raw_spin_unlock_irq(&die->lock);
}

static void hold_overflow(struct ucore_die *die, u64 now)
{
	raw_spin_lock_irq(&die->lock);
	ucore_die_hold_overflow(die, now);
	raw_spin_unlock_irq(&die->lock);
}

static void release(struct ucore_die *die, bool pending)
{
	raw_spin_lock_irq(&die->lock);
	ucore_die_release(die, pending);
	raw_spin_unlock_irq(&die->lock);
}

static void set_route(struct ucore_die *die, u64 route)
{
	raw_spin_lock_irq(&die->lock);
	ucore_die_set_route(die, route);
	raw_spin_unlock_irq(&die->lock);
}

static void frozen_once_released_once(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	hold(die, 100);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE));
	hold(die, 200);
	hold(die, 300);
	release(die, true);
	release(die, true);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, die->frozen_since, 100ULL);
	release(die, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, die->frozen);
	KUNIT_EXPECT_EQ(test, die->holds, 0U);
}

/* A write without the route would unset it. */
static void every_write_carries_the_route(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	set_route(die, CORE(3) | WAKE);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, CORE(3) | WAKE));
	hold(die, 1);
	release(die, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | CORE(3) | WAKE),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | CORE(3) | WAKE));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(3) | WAKE);
}

/* Routing a frozen die's PMI must not release it. */
static void route_changes_nothing_else(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	hold(die, 1);
	set_route(die, CORE(0));
	KUNIT_EXPECT_TRUE(test, gw->frozen);
	release(die, false);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	set_route(die, 0);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
}

/* Whoever releases while an overflow waits must leave the die frozen to it. */
static void waiting_overflow_keeps_it_frozen(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	die->armed = 1;
	die->armed_mask = BIT_ULL(20);
	hold(die, 100);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(20));
	fake_bus_clear(bus_of(test));
	release(die, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS));
	KUNIT_EXPECT_TRUE(test, die->frozen);
	KUNIT_EXPECT_EQ(test, die->holds, 0U);

	hold(die, 500);			/* frozen already: no second write */
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, die->frozen_since, 100ULL);
	release(die, false);		/* and the service releases it */
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_FALSE(test, die->frozen);
}

/* A bit that no armed box owns froze the die, too. */
static void unknown_overflow_keeps_it_frozen(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	die->armed = 1;
	die->armed_mask = BIT_ULL(20);
	hold(die, 100);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(2));
	release(die, true);
	KUNIT_EXPECT_TRUE(test, gw->frozen);
}

/* Nothing is armed: the status is not even read. */
static void release_unarmed_is_one_access(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	hold(die, 1);
	fake_bus_clear(bus_of(test));
	release(die, true);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
}

/* Frozen by the hardware, and by a write: a release may have crossed it. */
static void holding_what_an_overflow_froze(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	hold_overflow(die, 700);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE));
	KUNIT_EXPECT_TRUE(test, die->frozen);
	KUNIT_EXPECT_EQ(test, die->frozen_since, 700ULL);
	hold(die, 800);
	FAKE_EXPECT_NONE(test, bus_of(test));
	release(die, false);
	release(die, false);
	KUNIT_EXPECT_FALSE(test, die->frozen);
}

static void frozen_time(struct kunit *test)
{
	struct ucore_die *die = die_of(test);
	u64 begin;

	die->frozen_ns = 1000;
	KUNIT_EXPECT_EQ(test, ucore_die_frozen_ns(die, 99999), 1000ULL);
	hold(die, 5000);
	KUNIT_EXPECT_EQ(test, ucore_die_frozen_ns(die, 5000), 1000ULL);
	KUNIT_EXPECT_EQ(test, ucore_die_frozen_ns(die, 5300), 1300ULL);
	KUNIT_EXPECT_EQ(test, ucore_die_frozen_ns(die, 4000), 1000ULL);	/* before it froze */
	release(die, false);

	die->frozen_ns = 0;
	begin = ktime_get_mono_fast_ns();
	hold(die, begin);
	release(die, false);
	KUNIT_EXPECT_LE(test, die->frozen_ns, ktime_get_mono_fast_ns() - begin);
}

static void status_is_whole(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	die->armed_mask = BIT_ULL(20) | BIT_ULL(2);
	fake_poke(gw, GLOBAL_STATUS, BIT_ULL(20) | BIT_ULL(5));
	KUNIT_EXPECT_EQ(test, ucore_die_status(die), BIT_ULL(20) | BIT_ULL(5));
	gw->dead = true;
	KUNIT_EXPECT_EQ(test, ucore_die_status(die), 0ULL);
}

static void clearing_is_by_writing_ones(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);

	fake_poke(gw, GLOBAL_STATUS, 0x100001);
	ucore_die_status(die_of(test));
	fake_poke(gw, GLOBAL_STATUS, 0x300005);		/* two more have come since */
	fake_bus_clear(bus_of(test));
	ucore_die_clear_status(die_of(test));
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_STATUS, 0x100001));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_STATUS), 0x200004ULL);
}

static void taken_and_given_back(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	fake_poke(gw, GLOBAL_CTL, CORE(6) | WAKE);
	fake_poke(gw, GLOBAL_STATUS, 0x5);
	raw_spin_lock_irq(&die->lock);
	ucore_die_take(die);
	ucore_die_clear_stale(die);
	raw_spin_unlock_irq(&die->lock);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_CTL), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_STATUS, 0x5));
	KUNIT_EXPECT_EQ(test, die->found, CORE(6) | WAKE);

	set_route(die, CORE(1) | WAKE);
	raw_spin_lock_irq(&die->lock);
	ucore_die_give_back(die);
	raw_spin_unlock_irq(&die->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(6) | WAKE);
}

/* Boxes are released after the die was given back: that must not undo it. */
static void what_was_found_stays_after_a_late_release(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	fake_poke(gw, GLOBAL_CTL, CORE(6) | WAKE);
	raw_spin_lock_irq(&die->lock);
	ucore_die_take(die);
	ucore_die_give_back(die);
	ucore_die_hold(die, 1);
	ucore_die_release(die, true);
	raw_spin_unlock_irq(&die->lock);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), CORE(6) | WAKE);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
}

static void nothing_stale_nothing_cleared(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	raw_spin_lock_irq(&die->lock);
	ucore_die_clear_stale(die);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS));
	gw->dead = true;
	ucore_die_clear_stale(die);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_STATUS));
	raw_spin_unlock_irq(&die->lock);
}

/* ---- the reader ---- */

static void which_cores_can_be_named(struct kunit *test)
{
	struct ucore_die *die = die_of(test);

	fake_kernel.core_id[1] = 14;
	KUNIT_EXPECT_TRUE(test, ucore_die_cpu_selectable(die, 0));
	KUNIT_EXPECT_TRUE(test, ucore_die_cpu_selectable(die, 1));
	fake_kernel.core_id[1] = 15;
	KUNIT_EXPECT_FALSE(test, ucore_die_cpu_selectable(die, 1));
	fake_kernel.core_id[1] = 64;
	KUNIT_EXPECT_FALSE(test, ucore_die_cpu_selectable(die, 1));
	fake_kernel.core_id[1] = ~0U;
	KUNIT_EXPECT_FALSE(test, ucore_die_cpu_selectable(die, 1));
}

static void cpu_note(void *arg)
{
	*(int *)arg = raw_smp_processor_id();
}

static void runs_on_the_reader(struct kunit *test)
{
	struct ucore_die *die = die_of(test);
	int cpu = -5;

	cpus_read_lock();
	die->reader = 1;
	ucore_die_run(die, cpu_note, &cpu);
	KUNIT_EXPECT_EQ(test, cpu, 1);
	cpu = -5;
	die->reader = UCORE_NO_CPU;
	ucore_die_run(die, cpu_note, &cpu);
	KUNIT_EXPECT_EQ(test, cpu, -5);
	cpus_read_unlock();
}

static void moving_the_reader(struct kunit *test)
{
	struct ucore_die *die = die_of(test);

	cpus_read_lock();
	KUNIT_EXPECT_EQ(test, ucore_die_move(die, 1), 0);
	KUNIT_EXPECT_EQ(test, die->reader, 1);
	fake_kernel.core_id[0] = 20;
	KUNIT_EXPECT_EQ(test, ucore_die_move(die, 0), -ERANGE);
	KUNIT_EXPECT_EQ(test, die->reader, 1);
	cpus_read_unlock();
	FAKE_EXPECT_NONE(test, bus_of(test));	/* nothing armed, nothing touched */
}

/* The die stands still meanwhile: an overflow would go unnoticed. */
static void moving_takes_the_interrupt_along(struct kunit *test)
{
	struct fake_window *gw = fake_global(0);
	struct ucore_die *die = die_of(test);

	cpus_read_lock();
	die->armed = 1;
	ucore_pmi_enable(die);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, ucore_die_move(die, 1), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE | CORE(0) | WAKE),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_CTL, 0),
		    FAKE_W(gw, GLOBAL_CTL, CORE(1) | WAKE), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE | CORE(1) | WAKE));
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&die->pmi.cpus, cpumask_of(1)));
	die->armed = 0;
	ucore_pmi_disable(die);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&die->pmi.cpus));
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), 0ULL);
	cpus_read_unlock();
}

/* ---- hotplug: the callbacks, called by hand ---- */

static struct ucore_part *running_part(struct kunit *test, u32 die)
{
	struct ucore_part *part = fake_part(test, die, 4096);

	fake_part_add(part, fake_box(test, die, "imc", 0), 0, 0x400304, 0);
	raw_spin_lock_irq(&part->die->lock);
	ucore_part_program(part);
	fake_part_list(part);
	ucore_part_go(part, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&part->die->lock);
	fake_bus_clear(bus_of(test));
	return part;
}

static void cpu_down(u32 cpu)
{
	cpus_read_lock();
	fake_kernel.cpu_down(cpu);
	cpus_read_unlock();
}

static void cpu_up(u32 cpu)
{
	cpus_read_lock();
	fake_kernel.cpu_up(cpu);
	cpus_read_unlock();
}

static void gap_check(struct kunit *test, struct ucore_part *part, u32 reason, int from, int to)
{
	const struct ucore_gap *gap = fake_record(part->ring);

	KUNIT_ASSERT_NOT_NULL(test, gap);
	KUNIT_EXPECT_EQ(test, gap->hdr.type, (u32)UCORE_RECORD_GAP);
	KUNIT_EXPECT_EQ(test, gap->hdr.size, (u32)sizeof(*gap));
	KUNIT_EXPECT_EQ(test, gap->reason, reason);
	KUNIT_EXPECT_EQ(test, gap->cpu_from, from);
	KUNIT_EXPECT_EQ(test, gap->cpu_to, to);
	KUNIT_EXPECT_EQ(test, gap->die, part->die->id);
	KUNIT_EXPECT_EQ(test, gap->box, 0xffffffffU);
	KUNIT_EXPECT_EQ(test, gap->reserved, 0U);
	KUNIT_EXPECT_GT(test, gap->time, 0ULL);
}

static int hotplug_init(struct kunit *test)
{
	int ret = fake_machine_init(test);

	return ret ?: ucore_die_hotplug_init();
}

static void reader_leaves(struct kunit *test)
{
	struct ucore_part *part = running_part(test, 0);

	cpu_down(0);
	KUNIT_EXPECT_EQ(test, part->die->reader, 1);
	KUNIT_EXPECT_TRUE(test, part->running);
	gap_check(test, part, UCORE_GAP_READER_MOVED, 0, 1);
	FAKE_EXPECT_NONE(test, bus_of(test));	/* the boxes count on */
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&part->die->guard)->queued);
}

static void another_cpu_leaves(struct kunit *test)
{
	struct ucore_part *part = running_part(test, 0);

	cpu_down(1);
	KUNIT_EXPECT_EQ(test, part->die->reader, 0);
	KUNIT_EXPECT_NULL(test, fake_record(part->ring));
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&part->die->guard)->queued);
}

/* A core that pmi_core_sel can name is preferred, and what a session chose before it. */
static void choice_of_the_next_reader(struct kunit *test)
{
	struct ucore_die *die = die_of(test);

	if (num_online_cpus() < 2)
		return;
	die->reader = 1;
	die->pins = 1;
	die->pin_cpu = 0;
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, die->reader, 0);
	fake_kernel.core_id[1] = 33;	/* not selectable, but all there is */
	cpu_down(0);
	KUNIT_EXPECT_EQ(test, die->reader, 1);
	die->pins = 0;
}

/* What a session chose holds until that CPU leaves. */
static void choice_ends_with_its_cpu(struct kunit *test)
{
	struct ucore_die *die = die_of(test);

	die->pins = 1;
	die->pin_cpu = 1;
	die->reader = 1;
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, die->pin_cpu, UCORE_NO_CPU);
	KUNIT_EXPECT_EQ(test, die->reader, 0);
	die->pins = 0;
}

/* The CPU that leaves is no receiver any more when another takes over. */
static void leaving_cpu_takes_no_interrupt(struct kunit *test)
{
	struct ucore_part *part = fake_part(test, 0, 4096);
	struct ucore_die *die = part->die;

	fake_kernel.core_id[1] = 0;	/* threads of one core */
	fake_part_add(part, fake_box(test, 0, "imc", 0), 0, 0x500304, 100);
	raw_spin_lock_irq(&die->lock);
	ucore_part_program(part);
	fake_part_list(part);
	ucore_part_go(part, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&die->lock);
	cpus_read_lock();
	ucore_pmi_enable(die);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&die->pmi.cpus), 2U);
	cpus_read_unlock();
	cpu_down(0);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&die->pmi.cpus, cpumask_of(1)));
	KUNIT_EXPECT_EQ(test, fake_kernel.debugctl[0], 0ULL);
	gap_check(test, part, UCORE_GAP_READER_MOVED, 0, 1);
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, cpumask_weight(&die->pmi.cpus), 2U);
	KUNIT_EXPECT_FALSE(test, die->frozen);
}

static void throttling_ends_when_a_cpu_leaves(struct kunit *test)
{
	struct ucore_part *part = running_part(test, 0);
	struct ucore_die *die = part->die;

	hold(die, ktime_get_mono_fast_ns());
	die->throttled = true;
	cpu_down(1);
	KUNIT_EXPECT_FALSE(test, die->throttled);
	KUNIT_EXPECT_FALSE(test, die->frozen);
}

static int hotplug_init_2(struct kunit *test)
{
	int ret = fake_machine_init_2(test);

	return ret ?: ucore_die_hotplug_init();
}

static void last_cpu_leaves_and_one_comes(struct kunit *test)
{
	struct ucore_part *part = running_part(test, 1);
	struct fake_window *win = fake_window(part->ctr[0].box);
	struct ucore_die *die = part->die;
	u64 enabled, running, later;

	fake_poke(win, 0xa0, 500);
	cpu_down(1);
	KUNIT_EXPECT_EQ(test, die->reader, UCORE_NO_CPU);
	KUNIT_EXPECT_FALSE(test, part->running);
	KUNIT_EXPECT_EQ(test, part->ctr[0].total, 500ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(win, 0xd8), 0ULL);	/* nothing is left armed */
	KUNIT_EXPECT_FALSE(test, die->frozen);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&die->guard)->queued);
	gap_check(test, part, UCORE_GAP_DIE_OFFLINE, 1, -1);
	part_times(part, ktime_get_mono_fast_ns(), &enabled, &running);

	cpu_up(1);
	KUNIT_EXPECT_EQ(test, die->reader, 1);
	KUNIT_EXPECT_TRUE(test, part->running);
	KUNIT_EXPECT_EQ(test, fake_peek(win, 0xd8), 0x400304ULL);
	gap_check(test, part, UCORE_GAP_DIE_ONLINE, -1, 1);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&die->guard)->queued);
	KUNIT_EXPECT_FALSE(test, die->frozen);

	/* counts go on from where they were */
	fake_poke(win, 0xa0, 30);
	raw_spin_lock_irq(&die->lock);
	ucore_part_read_running(part, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&die->lock);
	KUNIT_EXPECT_EQ(test, part->ctr[0].total, 530ULL);
	part_times(part, ktime_get_mono_fast_ns(), &later, &running);
	KUNIT_EXPECT_GE(test, later, enabled);
}

/* A box whose session closed while its die had no CPU is cleaned up later. */
static void first_cpu_cleans_up(struct kunit *test)
{
	struct ucore_box *left = fake_box(test, 1, "cbo", 0), *clean = fake_box(test, 1, "cbo", 1);
	struct fake_window *w = fake_window(left);
	static const u64 filters[UCORE_MAX_SHARED] = { 0x1f, 0x2 };

	fake_poke(w, 0x14, 0xab);
	ucore_box_program(left, filters);
	ucore_catalog.dies[1].reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x14), 0xabULL);
	KUNIT_EXPECT_FALSE(test, left->dirty);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(clean), 0), 0U);
	KUNIT_EXPECT_FALSE(test, fake_global(1)->frozen);
}

/* At load, say: electing a reader changes no hardware. */
static void cpu_comes_and_there_is_nothing_to_do(struct kunit *test)
{
	ucore_catalog.dies[1].reader = UCORE_NO_CPU;
	cpu_up(1);
	KUNIT_EXPECT_EQ(test, ucore_catalog.dies[1].reader, 1);
	cpu_up(0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.dies[0].reader, 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(frozen_once_released_once),
	KUNIT_CASE(every_write_carries_the_route),
	KUNIT_CASE(route_changes_nothing_else),
	KUNIT_CASE(waiting_overflow_keeps_it_frozen),
	KUNIT_CASE(unknown_overflow_keeps_it_frozen),
	KUNIT_CASE(release_unarmed_is_one_access),
	KUNIT_CASE(holding_what_an_overflow_froze),
	KUNIT_CASE(frozen_time),
	KUNIT_CASE(status_is_whole),
	KUNIT_CASE(clearing_is_by_writing_ones),
	KUNIT_CASE(taken_and_given_back),
	KUNIT_CASE(what_was_found_stays_after_a_late_release),
	KUNIT_CASE(nothing_stale_nothing_cleared),
	KUNIT_CASE(which_cores_can_be_named),
	KUNIT_CASE(runs_on_the_reader),
	KUNIT_CASE(moving_the_reader),
	KUNIT_CASE(moving_takes_the_interrupt_along),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_die",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

static struct kunit_case hotplug_cases[] = {
	KUNIT_CASE(reader_leaves),
	KUNIT_CASE(another_cpu_leaves),
	KUNIT_CASE(choice_of_the_next_reader),
	KUNIT_CASE(choice_ends_with_its_cpu),
	KUNIT_CASE(leaving_cpu_takes_no_interrupt),
	KUNIT_CASE(throttling_ends_when_a_cpu_leaves),
	{ }
};

static struct kunit_suite hotplug_suite = {
	.name = "ucore_hotplug",
	.init = hotplug_init,
	.exit = fake_machine_exit,
	.test_cases = hotplug_cases,
};

static struct kunit_case hotplug_2_cases[] = {
	KUNIT_CASE(last_cpu_leaves_and_one_comes),
	KUNIT_CASE(first_cpu_cleans_up),
	KUNIT_CASE(cpu_comes_and_there_is_nothing_to_do),
	{ }
};

static struct kunit_suite hotplug_2_suite = {
	.name = "ucore_hotplug_2_dies",
	.init = hotplug_init_2,
	.exit = fake_machine_exit,
	.test_cases = hotplug_2_cases,
};

kunit_test_suites(&suite, &hotplug_suite, &hotplug_2_suite);
