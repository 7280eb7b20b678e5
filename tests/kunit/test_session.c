// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of sessions: claims, refused commands, the register accesses of START and STOP,
 * the state after close, PMI CPUs, permissions, and failing allocations.
 */
#include <linux/cpu.h>

#include "fake_machine.h"
#include "irq/pmi_route_and_service.h"
#include "irq/timer.h"
#include "session/core_triggers.h"
#include "session/prepare_contexts.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)
#define IMC0	BIT_ULL(20)
#define MS	((u64)NSEC_PER_MSEC)

/* ---- create ---- */

static void create_without_boxes_fails(struct kunit *test)
{
	const struct ucore_create_session config = { };
	u32 boxes = ucore_catalog.nr_boxes;

	ucore_catalog.nr_boxes = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ucore_session_alloc(&config, false)), (long)-ENODEV);
	ucore_catalog.nr_boxes = boxes;
}

static void create_with_intel_uncore_loaded_fails(struct kunit *test)
{
	const struct ucore_create_session config = { };

	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ucore_session_alloc(&config, false)), (long)-EBUSY);
}

static void new_session_has_no_events_and_no_accesses(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_get_status status = session_status(a);

	KUNIT_EXPECT_EQ(test, status.state, (u32)UCORE_SESSION_STOPPED);
	KUNIT_EXPECT_EQ(test, status.nr_events, 0U);
	KUNIT_EXPECT_EQ(test, status.nr_domains, 0U);
	KUNIT_EXPECT_NE(test, a->id, b->id);
	KUNIT_EXPECT_NULL(test, ucore_session_ctx(a, 0));
	KUNIT_EXPECT_NULL(test, ucore_session_ctx(a, ~0U));
	KUNIT_EXPECT_FALSE(test, ucore_session_readable(a));
	KUNIT_EXPECT_STREQ(test, a->comm, current->group_leader->comm);
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* The locks of a new session are initialized (the debug kernel checks this) and free. */
static void locks_of_new_session_are_free(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct mutex *locks[] = { &s->admission, &s->caller, &s->lock };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(locks); i++) {
		KUNIT_ASSERT_TRUE(test, mutex_trylock(locks[i]));
		mutex_unlock(locks[i]);
	}
}

/* ---- add and remove events ---- */

static void box_is_claimed_by_first_event_and_released_by_last(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event first, second;

	KUNIT_EXPECT_EQ(test, fake_add(a, box, 4, BIT(0), 0, &first), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 5, BIT(0), 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 4, BIT(1), 0, &second), 0);
	KUNIT_EXPECT_EQ(test, a->nr_boxes, 1U);
	KUNIT_EXPECT_EQ(test, session_remove(a, first.event), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 5, BIT(1), 0, NULL), -EBUSY);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, session_remove(a, second.event), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&box->claims));
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(1), 0, NULL), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, a->nr_boxes, 0U);
	FAKE_EXPECT_NONE(test, bus_of(test));	/* no command so far accesses the hardware */
}

static void event_ids_after_remove_are_not_reused(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event add;
	u32 i, last = 0;

	for (i = 0; i < 10; i++) {
		KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, &add), 0);
		if (i)
			KUNIT_EXPECT_GT(test, add.event, last);
		last = add.event;
		KUNIT_EXPECT_EQ(test, session_remove(s, add.event), 0);
		KUNIT_EXPECT_EQ(test, session_remove(s, add.event), -ENOENT);
	}
}

static void add_event_with_bad_arguments_fails(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0), *cbo = fake_box(test, 0, "cbo", 0);
	struct ucore_add_event add = { .box = ucore_catalog.nr_boxes };
	struct ucore_add_event interrupt = {
		.box = cbo->id, .period = 5000000, .flags = UCORE_EVENT_F_NO_POLL,
	};

	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_session_add_event(s, &interrupt, NULL), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ucore_session_add_event(s, &add, NULL), -ENOENT);
	add.box = ~0U;
	KUNIT_EXPECT_EQ(test, ucore_session_add_event(s, &add, NULL), -ENOENT);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x100, 0, 0, NULL), -ERANGE);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0x10, 0, NULL), -ENXIO);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, BIT_ULL(48), NULL), -ERANGE);
	/* the minimum period of a polled event is larger */
	KUNIT_EXPECT_EQ(test, fake_add(s, cbo, 0, 0, 1, NULL), -ERANGE);
	KUNIT_EXPECT_EQ(test, fake_add(s, cbo, 0, FIXED, 0, NULL), -ENXIO);
	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), -EBUSY);
	fake_kernel.intree = false;
	box->dead = true;
	fake_window(box)->dead = true;
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), -ENODEV);
	KUNIT_EXPECT_TRUE(test, list_empty(&box->claims));
	KUNIT_EXPECT_TRUE(test, list_empty(&cbo->claims));
	KUNIT_EXPECT_EQ(test, s->nr_events, 0U);
}

static void add_event_without_free_counter_fails(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event add;
	struct ucore_event *event;
	u32 i, taken = 0;

	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, fake_add(s, box, 4 + i, 0, 0, NULL), 0);
	list_for_each_entry(event, &s->events, node)
		taken |= BIT(event->counter);
	KUNIT_EXPECT_EQ(test, taken, 0xfU);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 9, 0, 0, NULL), -ENOSPC);
	KUNIT_EXPECT_EQ(test, s->nr_events, 4U);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0, FIXED, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, add.counter, (u32)UCORE_COUNTER_FIXED);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0, FIXED, 0, NULL), -ENOSPC);
}

/* TOR_OCCUPANCY needs counter 0. The event that uses counter 0 must move to another one. */
static void placed_event_moves_to_make_room(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);
	struct ucore_add_event any, tor;
	struct ucore_event *event;

	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x00, 0, 0, &any), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x36, 0, 0, &tor), 0);
	KUNIT_EXPECT_EQ(test, tor.counter, 0U);
	list_for_each_entry(event, &s->events, node)
		KUNIT_EXPECT_EQ(test, event->counter == 0, event->id == tor.event);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x01, 0, 0, NULL), -ENOSPC);
}

/* A refused event neither leaves its box claimed nor releases a box that has other events. */
static void refused_event_keeps_claims_unchanged(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);

	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x36, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x3b, 0, 0, NULL), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, s->nr_boxes, 1U);
}

static void filter_register_of_a_box_is_shared(struct kunit *test)
{
	struct ucore_box *a = fake_box(test, 0, "cbo", 0), *b = fake_box(test, 0, "cbo", 1);
	struct ucore_session *s = fake_session(test);

	KUNIT_EXPECT_EQ(test, fake_add_field(s, a, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, a, UCORE_FIELD_FILTER_OPC, 0x180), -EADDRINUSE);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, a, UCORE_FIELD_FILTER_NID, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, b, UCORE_FIELD_FILTER_OPC, 0x180), 0);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(a), 0x1a), 0x18200001ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(b), 0x1a), 0x18000000ULL);
}

/* ---- start and stop ---- */

static void start_and_stop_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(1), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_CTL), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_W(w, 0xf4, 0x30103), FAKE_W(w, 0xf0, 0),
		    FAKE_W(w, 0xd4, 0), FAKE_W(w, 0xd0, 0), FAKE_R(w, 0xf8),
		    FAKE_W(w, 0xdc, 0x400004), FAKE_W(w, 0xf4, 0x30000),
		    FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_TRUE(test, s->running);
	fake_stop(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, 0xa8),
		    FAKE_R(w, 0xac), FAKE_W(w, 0xf4, 0x30103), FAKE_W(gw, GLOBAL_CTL, UNFREEZE),
		    FAKE_W(gw, GLOBAL_CTL, 0));
	fake_stop(s);		/* a second STOP is no error */
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* The PMI route is written before the unfreeze, so that no PMI is lost. */
static void armed_start_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "pcu", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);
	struct ucore_session *s = fake_session(test);
	u64 route = BIT_ULL(0) | WAKE;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0x80, BIT(2), 5000, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(gw, GLOBAL_CTL), FAKE_R(gw, GLOBAL_STATUS),
		    FAKE_W(gw, GLOBAL_CTL, route), FAKE_W(gw, GLOBAL_CTL, FREEZE | route),
		    FAKE_R(w, 0xc34),
		    FAKE_W(w, 0xc24, 0x30103), FAKE_R(w, 0xc35), FAKE_W(w, 0xc34, 0),
		    FAKE_W(w, 0xc38, BIT_ULL(48) - 5000), FAKE_W(w, 0xc32, 0x500080),
		    FAKE_W(w, 0xc24, 0x30000),
		    FAKE_R(gw, GLOBAL_STATUS), FAKE_W(gw, GLOBAL_CTL, UNFREEZE | route));
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), 0ULL);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].armed, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].armed_mask, 0ULL);
}

static void start_in_wrong_state_fails(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_EXPECT_EQ(test, fake_start(s), -ENOENT);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, fake_start(s), -EBUSY);
	fake_kernel.intree = false;
	ucore_catalog.domains[0].reader = UCORE_NO_CPU;
	KUNIT_EXPECT_EQ(test, fake_start(s), -EAGAIN);
	ucore_catalog.domains[0].reader = 0;
	/* too small for two samples and a LOST record */
	ucore_session_ctx(s, 0)->ring->size = 256;
	KUNIT_EXPECT_EQ(test, fake_start(s), -ENOSPC);
	ucore_session_ctx(s, 0)->ring->size = 4096;
	FAKE_EXPECT_NONE(test, bus_of(test));
	box->dead = true;
	fake_window(box)->dead = true;
	KUNIT_EXPECT_EQ(test, fake_start(s), -ENODEV);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), NULL, 'W'), 0U);
	fake_window(box)->dead = false;
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_FALSE(test, box->dead);
	KUNIT_EXPECT_EQ(test, fake_start(s), -EALREADY);
}

static void changes_of_running_session_fail(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, 0, 0, &add), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 5, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, session_remove(s, add.event), -EBUSY);
	KUNIT_EXPECT_EQ(test, session_remove(s, 999), -EBUSY);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 0), -EBUSY);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_remove(s, add.event), 0);
}

static void counts_over_stop_and_start_add_up(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(box), 0xa0, 700);
	fake_stop(s);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 700ULL);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(box), 0xa0), 0ULL);
	fake_poke(fake_window(box), 0xa0, 30);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 730ULL);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	fake_poke(fake_window(box), 0xa0, 8);
	fake_stop(s);
	session_read(s, true);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 8ULL);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].time_enabled, 0ULL);
}

static void read_access_sequence_is_exact(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	/* the session has not been started */
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, 0xa0),
		    FAKE_R(w, 0xa4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 2ULL);
	session_read(s, true);
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 5ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).writes, 2ULL);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xa4), FAKE_R(w, 0xa0), FAKE_R(w, 0xa4));
	KUNIT_EXPECT_EQ(test, s->domains[0].frozen_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 0U);
	KUNIT_EXPECT_EQ(test, s->skew_ns, 0ULL);
	KUNIT_EXPECT_GE(test, s->domains[0].time_enabled, s->domains[0].time_running);
}

/* A READ that finds a pending overflow takes its sample first. */
static void read_with_pending_overflow_takes_sample(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_overflow(box, 0xa0, 2, BIT(1), IMC0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 102ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	KUNIT_EXPECT_TRUE(test, ucore_session_readable(s));
	sample = fake_record(ucore_session_ctx(s, 0)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 102ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

static void session_timer_samples_and_wakes(struct kunit *test)
{
	struct ucore_session *s;
	struct ucore_domain_ctx *ctx;
	u32 i;

	s = fake_session_config(test, &(struct ucore_create_session){
		.timer_ns = 7 * MS, .ring_size = 8192, .wakeup = 200 });
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ucore_session_ctx(s, 0);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ctx->timer)->queued);
	KUNIT_EXPECT_EQ(test, (u64)ktime_to_ns(fake_timer_find(&ctx->timer)->expires),
			ctx->resumed + 7 * MS);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, ucore_session_readable(s), i >= 2);
		fake_timer_fire(&ctx->timer);
	}
	KUNIT_EXPECT_EQ(test, session_status(s).samples, 3ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 4ULL);	/* a full read and two low halves */
	KUNIT_EXPECT_EQ(test, session_status(s).writes, 6ULL);
	fake_stop(s);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->timer)->queued);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->domain->watchdog)->queued);
}

static u32 wakeups;

static int count_wakeup(struct wait_queue_entry *entry, unsigned int mode, int sync, void *key)
{
	wakeups++;
	return 0;
}

static void gap_wakes_the_reader_of_the_ring(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.ring_size = 8192, .wakeup = 1 });
	struct ucore_domain_ctx *ctx;
	DEFINE_WAIT_FUNC(entry, count_wakeup);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ucore_session_ctx(s, 0);
	wakeups = 0;
	add_wait_queue(&s->sink.wait, &entry);
	raw_spin_lock_irq(&ctx->domain->lock);
	ucore_emit_gap(ctx, 1, UCORE_GAP_BOX_DEAD, 0, 0, 0);
	raw_spin_unlock_irq(&ctx->domain->lock);
	irq_work_sync(&s->sink.wake);
	remove_wait_queue(&s->sink.wait, &entry);
	KUNIT_EXPECT_EQ(test, wakeups, 1U);
}

/* Check a context made of events: enables, widths, watchdog period and low-half limits. */
static void ctx_from_events_has_registers_and_limits(struct kunit *test)
{
	struct ucore_session *s;
	struct ucore_domain_ctx *ctx;

	s = fake_session_config(test, &(struct ucore_create_session){ });
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(3), 9, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 0, FIXED, 9, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 2), 0x12, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 1, BIT(2), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ucore_session_ctx(s, 0);
	KUNIT_ASSERT_EQ(test, ctx->nr_ctr, 4U);
	KUNIT_ASSERT_EQ(test, ctx->nr_box, 2U);
	KUNIT_EXPECT_NULL(test, ctx->ring);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].ctl, 0x500004ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].low_ns, 858993459ULL / 2);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].reg, 0xb8);
	KUNIT_EXPECT_EQ(test, ctx->ctr[0].ctl_reg, 0xe4);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].ctl, 0x500000ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].reg, 0xd0);
	KUNIT_EXPECT_EQ(test, ctx->ctr[1].ctl_reg, 0xf0);
	KUNIT_EXPECT_EQ(test, ctx->ctr[2].ctl, 0x400012ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[2].low_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, ctx->ctr[2].mask, BIT_ULL(44) - 1);
	/* without a period: no interrupt, although the box has one */
	KUNIT_EXPECT_EQ(test, ctx->ctr[3].ctl, 0x400001ULL);
	/* 44 bits, at most 256 per clock */
	KUNIT_EXPECT_EQ(test, ctx->watchdog_ns, 13743895347ULL);
	KUNIT_EXPECT_EQ(test, ctx->armed_mask, IMC0);
	KUNIT_EXPECT_EQ(test, ctx->box[1].armed_mask, 0ULL);
}

static void full_reads_session_reads_no_low_halves(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_FULL_READS });
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	u32 i;

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, ucore_session_ctx(s, 0)->ctr[0].low_ns, 0ULL);
	fake_bus_clear(bus_of(test));
	for (i = 0; i < 3; i++)
		session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(imc), 'R'), 6U);
}

/* ---- several sessions ---- */

static void two_sessions_on_a_domain_share_the_route(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *pcu = fake_box(test, 0, "pcu", 0);
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	KUNIT_ASSERT_EQ(test, fake_add(a, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, pcu, 0, BIT(0), 100, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_start(a), 0);
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, domain->armed, 2U);
	KUNIT_EXPECT_EQ(test, domain->armed_mask, IMC0 | BIT_ULL(2));
	fake_stop(a);
	KUNIT_EXPECT_EQ(test, domain->armed, 1U);
	KUNIT_EXPECT_EQ(test, domain->armed_mask, BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, domain->route, BIT_ULL(0) | WAKE);	/* b still needs PMIs */
	fake_overflow(pcu, 0xc36, 0, BIT(0), BIT_ULL(2));
	session_read(b, false);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 100ULL);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), 0ULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&domain->ctxs));
}

/* START of a second session must not clear a pending overflow of the first one. */
static void start_with_pending_overflow_keeps_it(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *a = fake_session(test), *b = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(a, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, ha, 1, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), IMC0);
	/* stays frozen until the PMI is serviced */
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);
	session_read(a, false);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 100ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

/* ---- state after close ---- */

static void close_of_running_session_restores_registers(struct kunit *test)
{
	struct ucore_box *cbo = fake_box(test, 0, "cbo", 0), *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *c = fake_window(cbo), *i = fake_window(imc);
	struct ucore_session *s = fake_session(test);

	fake_poke(gw, GLOBAL_CTL, 0x40);
	fake_poke(c, 0x14, 0xab);
	fake_poke(c, 0x1a, 0xcd);
	KUNIT_ASSERT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_FILTER_OPC, 0x182), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, 0, 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, FIXED, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_session_close(test, s);		/* while the session runs */
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x14), 0xabULL);
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x1a), 0xcdULL);
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x10), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(i, 0xd8), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(i, 0xf0), 0ULL);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), 0x40ULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&cbo->claims));
	KUNIT_EXPECT_TRUE(test, list_empty(&imc->claims));
	KUNIT_EXPECT_FALSE(test, imc->dirty);
}

/* Throttle the domain, as the overflow service does after too many overflows. */
static void throttle(struct ucore_domain *domain)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	raw_spin_unlock_irq(&domain->lock);
}

/* Return a session that has counted for 30 ms and has then been throttled for 20 ms. */
static struct ucore_session *throttled_session(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_clock_advance(30 * MS);
	throttle(&ucore_catalog.domains[0]);
	fake_clock_advance(20 * MS);
	return s;
}

static void expect_times(struct kunit *test, struct ucore_session *s, u64 enabled, u64 running)
{
	const struct ucore_read_domain *read;

	session_read(s, false);
	read = s->domains;
	KUNIT_EXPECT_GE(test, read->time_enabled, enabled);
	KUNIT_EXPECT_LE(test, read->time_enabled, enabled + MS);
	KUNIT_EXPECT_GE(test, read->time_running, running);
	KUNIT_EXPECT_LE(test, read->time_running, running + MS);
}

/* STOP of the last session unfreezes a throttled domain. The throttled time is enabled time. */
static void stop_while_throttled_unfreezes(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct ucore_session *s = throttled_session(test);

	fake_stop(s);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
	expect_times(test, s, 50 * MS, 30 * MS);
}

/* Times restart at RESET, not at the freeze that RESET found. */
static void reset_while_throttled_restarts_times(struct kunit *test)
{
	struct ucore_session *s = throttled_session(test);

	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	fake_clock_advance(5 * MS);
	fake_stop(s);
	expect_times(test, s, 5 * MS, 0);
}

/* A session that starts on a frozen domain has enabled time but no running time. */
static void start_while_throttled_counts_no_running_time(struct kunit *test)
{
	struct ucore_session *s = throttled_session(test), *t = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(t, fake_box(test, 0, "imc", 1), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(t), 0);
	fake_clock_advance(5 * MS);
	fake_stop(t);
	expect_times(test, t, 5 * MS, 0);
	fake_stop(s);
	expect_times(test, s, 55 * MS, 30 * MS);
}

static void dead_box_keeps_count_and_sets_flag(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, ha, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(imc), 0xa0, 50);
	session_read(s, false);
	fake_window(imc)->dead = true;
	fake_poke(fake_window(ha), 0xa0, 60);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 50ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 60ULL);
	fake_bus_clear(bus_of(test));
	fake_stop(s);
	session_read(s, false);	/* the flag stays set after STOP */
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, fake_start(s), -ENODEV);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(imc), 'W'), 0U);
	KUNIT_EXPECT_TRUE(test, list_empty(&imc->claims));
}

/*
 * The next START counts on the recovered box again. The flag stays set until RESET, because
 * some counts are missing.
 */
static void recovered_box_counts_in_running_session(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(imc);
	struct ucore_session *s = fake_session(test);
	struct ucore_domain *domain = imc->domain;

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	w->dead = true;
	session_read(s, false);
	w->dead = false;
	fake_clock_advance(2 * (u64)NSEC_PER_SEC);
	fake_timer_fire(&domain->watchdog);
	fake_poke(w, 0xa0, 50);
	session_read(s, false);
	KUNIT_EXPECT_FALSE(test, imc->dead);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 50ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_GAP);
	fake_poke(w, 0xa0, 60);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 60ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
}

/*
 * The session of a dead armed box is closed. The next START on the domain resets the box when
 * it has recovered.
 */
static void start_resets_recovered_armed_box(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = fake_window(imc);

	KUNIT_ASSERT_EQ(test, fake_add(a, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	w->dead = true;
	session_read(a, false);
	fake_session_close(test, a);
	KUNIT_EXPECT_TRUE(test, imc->dirty);
	w->dead = false;
	KUNIT_EXPECT_NE(test, fake_peek(w, 0xd8), 0ULL);
	KUNIT_ASSERT_EQ(test, fake_add(b, ha, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0xd8), 0ULL);
	KUNIT_EXPECT_FALSE(test, imc->dead);
	KUNIT_EXPECT_FALSE(test, imc->dirty);
	KUNIT_EXPECT_FALSE(test, imc->domain->spurious);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

/* ADD_EVENT checks whether a dead box has recovered. */
static void recovered_box_can_be_claimed(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);

	imc->dead = true;
	fake_window(imc)->dead = true;
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), -ENODEV);
	fake_window(imc)->dead = false;
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
}

/* ---- PMI CPUs ---- */

static void pmi_cpu_choice_with_conflicts_fails(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	KUNIT_EXPECT_EQ(test, session_set_cpu(a, ~0U), -ENOENT);
	KUNIT_EXPECT_EQ(test, session_set_cpu(a, 1), 0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, session_set_cpu(b, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, session_set_cpu(b, 1), 0);	/* the same choice is no conflict */
	KUNIT_EXPECT_EQ(test, session_set_cpu(a, 0), -EBUSY);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, session_set_cpu(a, 0), 0);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	fake_kernel.core_id[1] = 15;
	KUNIT_EXPECT_EQ(test, session_set_cpu(a, 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, domain->pins, 0U);
}

/* The choice of an offline CPU does not bind other sessions. */
static void pmi_cpu_choice_ends_with_the_cpu(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	KUNIT_ASSERT_EQ(test, session_set_cpu(a, 1), 0);
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	KUNIT_EXPECT_EQ(test, session_set_cpu(b, 0), 0);
	KUNIT_EXPECT_EQ(test, session_set_cpu(a, 1), -EBUSY);
	fake_session_close(test, b);
	fake_session_close(test, a);
	KUNIT_EXPECT_EQ(test, domain->pins, 0U);
	KUNIT_EXPECT_EQ(test, domain->pin_cpu, UCORE_NO_CPU);
}

static void chosen_pmi_cpu_is_in_the_route(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, session_set_cpu(s, 1), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(1) | WAKE);
	fake_stop(s);
}

/* pmi_core_sel is a mask: all chosen CPUs are in the route, and the first one is the reader. */
static void chosen_pmi_cpus_are_all_in_the_route(struct kunit *test)
{
	static const u32 both[] = { 1, 0 }, reversed[] = { 0, 1 }, twice[] = { 1, 1 };
	static const u32 unknown[] = { 1, ~0U };
	struct ucore_session *s = fake_session(test), *other = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	KUNIT_EXPECT_EQ(test, session_set_cpus(s, twice, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, session_set_cpus(s, unknown, 2), -ENOENT);
	/* the command fails without any effect */
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	KUNIT_EXPECT_EQ(test, domain->pins, 0U);
	KUNIT_ASSERT_EQ(test, session_set_cpus(s, both, 2), 0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, session_set_cpus(other, reversed, 2), -EBUSY);
	KUNIT_EXPECT_EQ(test, session_set_cpu(other, 1), -EBUSY);
	KUNIT_EXPECT_EQ(test, session_set_cpus(other, both, 2), 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL),
			BIT_ULL(1) | BIT_ULL(0) | WAKE);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(0, &domain->pmi.cpus));
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(1, &domain->pmi.cpus));
	fake_stop(s);
	KUNIT_EXPECT_TRUE(test, cpumask_empty(&domain->pmi.cpus));
	/* the other session's choice stays in force */
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), -EBUSY);
	fake_session_close(test, other);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 0), 0);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(0) | WAKE);
	fake_stop(s);
}

/* While a session runs, the route changes when CPUs are chosen and when the choice ends. */
static void route_of_running_session_follows_the_choice(struct kunit *test)
{
	static const u32 both[] = { 0, 1 };
	struct ucore_session *s = fake_session(test), *other = fake_session(test);
	struct fake_window *gw = fake_global(0);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), BIT_ULL(0) | WAKE);
	KUNIT_EXPECT_EQ(test, session_set_cpus(other, both, 2), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), BIT_ULL(0) | BIT_ULL(1) | WAKE);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ucore_catalog.domains[0].watchdog)->queued);
	fake_session_close(test, other);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), BIT_ULL(0) | WAKE);
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	fake_stop(s);
}

/* A chosen CPU that goes offline leaves the route. The next one becomes the reader if needed. */
static void chosen_cpu_going_offline_leaves_the_route(struct kunit *test)
{
	static const u32 both[] = { 1, 0 };
	struct ucore_session *s = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct fake_window *gw = fake_global(0);

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	KUNIT_ASSERT_EQ(test, session_set_cpus(s, both, 2), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	cpus_read_lock();
	fake_kernel.cpu_down(0);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), BIT_ULL(1) | WAKE);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(0, &domain->pmi.cpus));
	KUNIT_EXPECT_FALSE(test, gw->frozen);
	fake_stop(s);

	KUNIT_ASSERT_EQ(test, session_set_cpus(s, both, 2), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	cpus_read_unlock();
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	KUNIT_EXPECT_EQ(test, domain->pin_cpu, 0);
	KUNIT_EXPECT_EQ(test, fake_peek(gw, GLOBAL_CTL), BIT_ULL(0) | WAKE);
	fake_stop(s);
}

/* Samples continue when another session moves the reader of a running domain. */
static void reader_moved_by_other_session_keeps_sampling(struct kunit *test)
{
	struct ucore_session *s = fake_session(test), *other = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, session_set_cpu(other, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(1) | WAKE);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ucore_catalog.domains[0].watchdog)->queued);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 1U);
}

/* ---- permissions ---- */

/* CPUs outside the caller's affinity mask need CAP_SYS_NICE. */
static void pmi_cpu_outside_affinity_needs_sys_nice(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	cpumask_var_t was;

	KUNIT_ASSERT_TRUE(test, alloc_cpumask_var(&was, GFP_KERNEL));
	cpumask_copy(was, current->cpus_ptr);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	fake_kernel.missing_caps = BIT_ULL(CAP_SYS_NICE);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 0), 0);
	fake_kernel.missing_caps = 0;
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), 0);
	set_cpus_allowed_ptr(current, was);
	free_cpumask_var(was);
}

/*
 * Filters by address, core, thread, opcode or packet disclose, but filters by node, link or
 * state do not.
 */
static void filter_fields_that_disclose_need_perfmon(struct kunit *test)
{
	static const u32 spying[] = {
		UCORE_FIELD_TID_EN, UCORE_FIELD_FILTER_TID, UCORE_FIELD_FILTER_CID,
		UCORE_FIELD_FILTER_OPC, UCORE_FIELD_FILTER_OPC_0, UCORE_FIELD_FILTER_OPC_1,
		UCORE_FIELD_ADDR_MATCH, UCORE_FIELD_OPC_MATCH, UCORE_FIELD_MATCH0,
		UCORE_FIELD_MATCH1, UCORE_FIELD_MASK0, UCORE_FIELD_MASK1,
	};
	static const u32 harmless[] = {
		UCORE_FIELD_EVENT, UCORE_FIELD_UMASK, UCORE_FIELD_EDGE, UCORE_FIELD_THRESH,
		UCORE_FIELD_FILTER_LINK, UCORE_FIELD_FILTER_STATE, UCORE_FIELD_FILTER_NID,
	};
	struct ucore_term terms[2] = { { .field = UCORE_FIELD_EVENT } };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(spying); i++) {
		terms[1].field = spying[i];
		KUNIT_EXPECT_TRUE_MSG(test, ucore_event_needs_perfmon(terms, 2), "field %u",
				      spying[i]);
		KUNIT_EXPECT_FALSE(test, ucore_event_needs_perfmon(terms, 1));
	}
	for (i = 0; i < ARRAY_SIZE(harmless); i++) {
		terms[1].field = harmless[i];
		KUNIT_EXPECT_FALSE_MSG(test, ucore_event_needs_perfmon(terms, 2), "field %u",
				       harmless[i]);
	}
}

/* Disclosing filters need CAP_PERFMON when the device was opened or at ADD_EVENT. */
static void disclosing_filters_without_perfmon_fail(struct kunit *test)
{
	struct ucore_box *cbo = fake_box(test, 0, "cbo", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *s = fake_session(test);

	s->sink.context = false;
	fake_kernel.missing_caps = BIT_ULL(CAP_PERFMON) | BIT_ULL(CAP_SYS_ADMIN);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_FILTER_OPC, 0x182), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_FILTER_TID, 0), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_TID_EN, 1), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_OPC_MATCH, 1), -EACCES);
	KUNIT_EXPECT_TRUE(test, list_empty(&cbo->claims));
	KUNIT_EXPECT_TRUE(test, list_empty(&ha->claims));
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_FILTER_NID, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_UMASK, 1), 0);
	fake_kernel.missing_caps = BIT_ULL(CAP_SYS_ADMIN);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), 0);
	fake_kernel.missing_caps = BIT_ULL(CAP_PERFMON);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), 0);
	s->sink.context = true;
	fake_kernel.missing_caps = ~0ULL;
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), 0);
}

/* ---- rings ---- */

static int get_ring(struct ucore_session *s)
{
	int ret;

	mutex_lock(&s->lock);
	ret = ucore_prepare_ring(s, ucore_session_ctx(s, 0));
	mutex_unlock(&s->lock);
	return ret;
}

/* A ring exists and is charged to its user from GET_RING or START until the last event goes. */
static void ring_is_freed_with_the_last_event(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	atomic_long_t *locked = &s->user->locked_vm;
	long before = atomic_long_read(locked);
	struct ucore_ring *mapped;

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_NULL(test, ucore_session_ring(s, 0));
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before);
	KUNIT_EXPECT_EQ(test, get_ring(s), 0);
	mapped = ucore_session_ring(s, 0);
	KUNIT_EXPECT_NOT_NULL(test, mapped);
	KUNIT_EXPECT_NULL(test, ucore_session_ring(s, 1));
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before + 3);
	KUNIT_EXPECT_EQ(test, session_remove(s, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, ucore_session_ctx(s, 0)->ring, mapped);
	mapped->lost = 7;
	KUNIT_EXPECT_EQ(test, session_remove(s, 1), 0);
	KUNIT_EXPECT_NULL(test, ucore_session_ctx(s, 0)->ring);
	KUNIT_EXPECT_EQ(test, session_status(s).lost, 7ULL);
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before + 3);
	ucore_ring_put(mapped);
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before);
	/* without events there is no ring */
	KUNIT_EXPECT_EQ(test, get_ring(s), 0);
	KUNIT_EXPECT_NULL(test, ucore_session_ring(s, 0));
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before + 3);
	fake_stop(s);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before);
}

/* A user who may lock no memory can add events, but neither get a ring nor start. */
static void ring_beyond_the_memory_limit_is_refused(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	unsigned int *allowance = fake_param("mlock_kb"), kib = *allowance;
	long before = atomic_long_read(&s->user->locked_vm);

	fake_kernel.missing_caps = BIT_ULL(CAP_IPC_LOCK);
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	*allowance = 0;
	KUNIT_EXPECT_EQ(test, get_ring(s), -ENOBUFS);
	KUNIT_EXPECT_EQ(test, fake_start(s), -ENOBUFS);
	*allowance = kib;
	KUNIT_EXPECT_FALSE(test, s->running);
	KUNIT_EXPECT_NULL(test, ucore_session_ring(s, 0));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&s->user->locked_vm), before);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
}

/* ---- first and last period of the timer ---- */

static struct ucore_session *session_of_seconds(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.timer_ns = NSEC_PER_SEC, .ring_size = 4096 });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	return s;
}

/* STOP comes before the timer: the last due period is sampled, earlier ones are dropped. */
static void stop_with_timer_due_takes_sample(struct kunit *test)
{
	struct ucore_session *s = session_of_seconds(test);
	const struct ucore_sample *sample;
	const struct ucore_lost *lost;
	struct ucore_domain_ctx *ctx;

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ucore_session_ctx(s, 0);
	fake_poke(fake_window(fake_box(test, 0, "imc", 0)), 0xa0, 77);
	fake_clock_advance(3 * (u64)NSEC_PER_SEC + NSEC_PER_SEC / 2);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 3ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 2ULL);
	lost = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, lost);
	KUNIT_ASSERT_EQ(test, lost->hdr.type, (u32)UCORE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost->lost, 2ULL);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_ASSERT_EQ(test, sample->hdr.type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_TIMER);
	KUNIT_EXPECT_EQ(test, sample->time, ctx->last_read);
	KUNIT_EXPECT_EQ(test, sample->time_enabled, ctx->enabled_ns);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 77ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

static void stop_before_timer_takes_no_sample(struct kunit *test)
{
	struct ucore_session *s = session_of_seconds(test);
	struct ucore_domain_ctx *ctx;

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ucore_session_ctx(s, 0);
	fake_clock_advance(NSEC_PER_SEC / 2);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 0ULL);
	KUNIT_EXPECT_NULL(test, fake_record(ctx->ring));
}

/* A domain that starts after the session's first periods does not count them as missed. */
static void late_domain_does_not_count_missed_periods(struct kunit *test)
{
	struct ucore_session *s = session_of_seconds(test);
	struct ucore_domain_ctx *ctx;
	u64 base;

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ucore_session_ctx(s, 0);
	base = ctx->resumed - NSEC_PER_SEC / 2;
	ucore_timer_start(ctx, base);
	KUNIT_EXPECT_EQ(test, ctx->timer_due, base + NSEC_PER_SEC);
	base -= 3 * (u64)NSEC_PER_SEC;
	ucore_timer_start(ctx, base);
	KUNIT_EXPECT_EQ(test, ctx->timer_due, base + 4 * (u64)NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, (u64)ktime_to_ns(fake_timer_find(&ctx->timer)->expires),
			ctx->timer_due);
}

/* ---- failing allocations ---- */

static int session_lifecycle(struct kunit *test, u32 fail_in)
{
	const struct ucore_create_session config = { .ring_size = 4096, .timer_ns = MS };
	struct ucore_session *s;
	int ret = 0;

	fake_kernel.fail_in = fail_in;
	s = ucore_session_alloc(&config, true);
	if (IS_ERR(s))
		return PTR_ERR(s);
	ret = fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 100, NULL);
	if (!ret)
		ret = fake_add(s, fake_box(test, 0, "cbo", 0), 0, 0, 0, NULL);
	if (!ret)
		ret = fake_start(s);
	if (!ret) {
		session_read(s, false);
		fake_stop(s);
		session_read(s, false);
	}
	ucore_session_free(s);
	return ret;
}

/* Each allocation fails in turn: the result is -ENOMEM, nothing stays claimed or allocated. */
static void failing_allocation_returns_enomem(struct kunit *test)
{
	u32 i, n;
	int ret;

	for (n = 1; n < 100; n++) {
		ret = session_lifecycle(test, n);
		if (fake_kernel.fail_in)
			break;		/* there are fewer allocations */
		KUNIT_ASSERT_EQ_MSG(test, ret, -ENOMEM, "allocation %u", n);
		KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
		for (i = 0; i < ucore_catalog.nr_boxes; i++) {
			KUNIT_ASSERT_TRUE(test, list_empty(&ucore_catalog.boxes[i].claims));
			KUNIT_ASSERT_FALSE(test, ucore_catalog.boxes[i].dirty);
		}
	}
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_GE(test, n, 10U);
	fake_kernel.fail_in = 0;
}

/* After a START that failed with -ENOMEM the session is unchanged. */
static void session_after_enomem_can_start(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	u32 n;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 0, NULL), 0);
	for (n = 1; n <= 4; n++) {
		fake_kernel.fail_in = n;
		KUNIT_EXPECT_EQ(test, fake_start(s), -ENOMEM);
		KUNIT_EXPECT_FALSE(test, s->running);
		/* READ allocates nothing */
		fake_kernel.fail_in = 1;
		session_read(s, false);
		KUNIT_EXPECT_EQ(test, fake_kernel.fail_in, 1U);
		fake_kernel.fail_in = 0;
	}
	FAKE_EXPECT_NONE(test, bus_of(test));
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(fake_box(test, 0, "imc", 0)), 0xa0, 5);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 5ULL);
}

/* A session has at most UCORE_EVENTS_MAX events. Any more are refused before a box is claimed. */
static void event_beyond_the_limit_is_refused(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);

	s->nr_events = UCORE_EVENTS_MAX;
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, list_empty(&imc->claims));
	s->nr_events = UCORE_EVENTS_MAX - 1;
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, s->nr_events, UCORE_EVENTS_MAX);
	s->nr_events = 1;
}

/* Memory that a failed START leaves is freed by the next START or with the session. */
static void failed_starts_do_not_leak(struct kunit *test)
{
	const struct ucore_create_session config = { .timer_ns = MS };
	int before = fake_kernel.kv_arrays;
	struct ucore_session *s;
	u32 n, again;

	for (n = 1; n <= 5; n++) {
		s = ucore_session_alloc(&config, true);
		KUNIT_ASSERT_FALSE(test, IS_ERR(s));
		KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
		for (again = 0; again < 3; again++) {
			fake_kernel.fail_in = n;
			KUNIT_EXPECT_EQ(test, fake_start(s), -ENOMEM);
		}
		/* the list of CPUs, the three arrays of READ, all but one of the context's five */
		KUNIT_EXPECT_LE(test, fake_kernel.kv_arrays, before + 1 + 3 + 4);
		fake_kernel.fail_in = 0;
		KUNIT_EXPECT_EQ(test, fake_start(s), 0);
		KUNIT_EXPECT_EQ(test, fake_kernel.kv_arrays, before + 1 + 3 + 5);
		fake_stop(s);
		ucore_session_free(s);
		KUNIT_EXPECT_EQ(test, fake_kernel.kv_arrays, before);
	}
}

/* ---- two domains ---- */

static void two_domains_in_one_session_are_read(struct kunit *test)
{
	struct ucore_box *imc[2] = { fake_box(test, 0, "imc", 0), fake_box(test, 1, "imc", 0) };
	struct ucore_session *s = fake_session(test);
	u32 i;

	/* alternate between the domains, so that a domain's events are not adjacent */
	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, imc[~i & 1], 4, BIT(i / 2), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, session_status(s).nr_domains, 2U);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(imc[1]), 0xa0, 10);
	fake_poke(fake_window(imc[0]), 0xa0, 11);
	fake_poke(fake_window(imc[1]), 0xa8, 12);
	fake_poke(fake_window(imc[0]), 0xa8, 13);
	session_read(s, false);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, s->values[i].count, 10ULL + i);
		if (i)
			KUNIT_EXPECT_GT(test, s->values[i].event, s->values[i - 1].event);
	}
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, s->domains[i].domain, i);
		KUNIT_EXPECT_EQ(test, s->domains[i].cpu, i);
	}
	KUNIT_EXPECT_EQ(test, s->skew_ns, abs_diff(s->domains[0].time, s->domains[1].time));
	KUNIT_EXPECT_NOT_NULL(test, ucore_session_ctx(s, 1));
	fake_stop(s);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_FALSE(test, fake_global(1)->frozen);
}

/* Timers of all domains have the same base: the start of the first domain. */
static void timers_of_two_domains_expire_together(struct kunit *test)
{
	struct ucore_session *s;
	struct ucore_domain_ctx *a, *b;
	u64 base;

	s = fake_session_config(test, &(struct ucore_create_session){ .timer_ns = MS });
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	a = ucore_session_ctx(s, 0);
	b = ucore_session_ctx(s, 1);
	KUNIT_EXPECT_EQ(test, ktime_to_ns(fake_timer_find(&a->timer)->expires),
			ktime_to_ns(fake_timer_find(&b->timer)->expires));
	base = ktime_to_ns(fake_timer_find(&a->timer)->expires) - MS;
	KUNIT_EXPECT_TRUE(test, base == a->resumed || base == b->resumed);
}

static void offline_domain_keeps_its_counts(struct kunit *test)
{
	struct ucore_box *here = fake_box(test, 0, "imc", 0), *gone = fake_box(test, 1, "imc", 0);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	fake_poke(fake_global(1), GLOBAL_CTL, 0x40);
	KUNIT_ASSERT_EQ(test, fake_add(s, here, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, gone, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(gone), 0xa0, BIT_ULL(48) - 100 + 40);
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	cpus_read_unlock();

	fake_poke(fake_window(here), 0xa0, 9);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 9ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 40ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, (u32)UCORE_VALUE_F_OFFLINE);
	KUNIT_EXPECT_EQ(test, session_reset(s), -EAGAIN);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].armed, 0U);
	KUNIT_EXPECT_TRUE(test, list_empty(&ucore_catalog.domains[1].ctxs));
	KUNIT_EXPECT_EQ(test, fake_start(s), -EAGAIN);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);	/* a stopped session needs no CPU */
	fake_session_close(test, s);
	/* the next CPU that comes online resets the box */
	KUNIT_EXPECT_TRUE(test, gone->dirty);

	cpus_read_lock();
	fake_kernel.cpu_up(1);
	cpus_read_unlock();
	KUNIT_EXPECT_FALSE(test, gone->dirty);
	KUNIT_EXPECT_TRUE(test, list_empty(&gone->claims));
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(1), GLOBAL_CTL), 0x40ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(1)->frozen);
}

/*
 * A session without events on the first domain neither writes its registers nor depends on it
 * in RESET.
 */
static void events_on_second_domain_leave_first_untouched(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 1, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(box), 0xa0, 9);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 9ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].domain, 1U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 'W'), 0U);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].time_enabled, 0ULL);
}

/* Skew is measured between the freezes. An offline domain is not frozen. */
static void skew_ignores_offline_domains(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	u64 before;

	KUNIT_ASSERT_EQ(test, ucore_readers_init(), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 1, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	cpus_read_lock();
	fake_kernel.cpu_down(1);
	cpus_read_unlock();
	before = ktime_get_mono_fast_ns();
	session_read(s, false);
	KUNIT_EXPECT_GE(test, s->domains[0].time, before);
	KUNIT_EXPECT_EQ(test, s->skew_ns, 0ULL);
}

/* A single call sets the CPUs of both dies. An error on one die leaves both unchanged. */
static void pmi_cpus_of_two_dies_are_set_together(struct kunit *test)
{
	static const u32 both[] = { 1, 0 };
	struct ucore_session *a = fake_session(test), *b = fake_session(test);

	KUNIT_EXPECT_EQ(test, session_set_cpus(a, both, 2), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, 1);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].pins, 1U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].pins, 1U);
	fake_session_close(test, a);
	fake_kernel.core_id[1] = 15;
	KUNIT_EXPECT_EQ(test, session_set_cpus(b, both, 2), -ERANGE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].pins, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].pins, 0U);
}

static void pmi_cpu_pins_only_its_own_domain(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].pins, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].pins, 1U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 0);
}

/* The domain was suspended between the call and the rendezvous: READ returns its last counts. */
static void read_of_suspended_domain_returns_last_counts(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(box), 0xa0, 100);
	session_read(s, false);
	fake_poke(fake_window(box), 0xa0, 150);
	s->ctx[0]->running = false;
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 100ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_OFFLINE);
	s->ctx[0]->running = true;
}

static void core_trigger_on_invalid_cpu_fails(struct kunit *test)
{
	const struct ucore_add_core_trigger ask = {
		.type = UCORE_PERF_SOFTWARE, .cpu = nr_cpu_ids, .period = 1000,
	};
	struct ucore_session *s = fake_session(test);

	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_core_triggers_add(s, &ask), -ENOENT);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, s->nr_triggers, 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(read_of_suspended_domain_returns_last_counts),
	KUNIT_CASE(core_trigger_on_invalid_cpu_fails),
	KUNIT_CASE(create_without_boxes_fails),
	KUNIT_CASE(create_with_intel_uncore_loaded_fails),
	KUNIT_CASE(new_session_has_no_events_and_no_accesses),
	KUNIT_CASE(locks_of_new_session_are_free),
	KUNIT_CASE(box_is_claimed_by_first_event_and_released_by_last),
	KUNIT_CASE(event_ids_after_remove_are_not_reused),
	KUNIT_CASE(add_event_with_bad_arguments_fails),
	KUNIT_CASE(add_event_without_free_counter_fails),
	KUNIT_CASE(placed_event_moves_to_make_room),
	KUNIT_CASE(refused_event_keeps_claims_unchanged),
	KUNIT_CASE(filter_register_of_a_box_is_shared),
	KUNIT_CASE(start_and_stop_access_sequence_is_exact),
	KUNIT_CASE(armed_start_access_sequence_is_exact),
	KUNIT_CASE(start_in_wrong_state_fails),
	KUNIT_CASE(changes_of_running_session_fail),
	KUNIT_CASE(counts_over_stop_and_start_add_up),
	KUNIT_CASE(read_access_sequence_is_exact),
	KUNIT_CASE(read_with_pending_overflow_takes_sample),
	KUNIT_CASE(session_timer_samples_and_wakes),
	KUNIT_CASE(gap_wakes_the_reader_of_the_ring),
	KUNIT_CASE(ctx_from_events_has_registers_and_limits),
	KUNIT_CASE(full_reads_session_reads_no_low_halves),
	KUNIT_CASE(two_sessions_on_a_domain_share_the_route),
	KUNIT_CASE(start_with_pending_overflow_keeps_it),
	KUNIT_CASE(close_of_running_session_restores_registers),
	KUNIT_CASE(stop_while_throttled_unfreezes),
	KUNIT_CASE(reset_while_throttled_restarts_times),
	KUNIT_CASE(start_while_throttled_counts_no_running_time),
	KUNIT_CASE(dead_box_keeps_count_and_sets_flag),
	KUNIT_CASE(recovered_box_counts_in_running_session),
	KUNIT_CASE(start_resets_recovered_armed_box),
	KUNIT_CASE(recovered_box_can_be_claimed),
	KUNIT_CASE(pmi_cpu_choice_with_conflicts_fails),
	KUNIT_CASE(pmi_cpu_choice_ends_with_the_cpu),
	KUNIT_CASE(chosen_pmi_cpu_is_in_the_route),
	KUNIT_CASE(chosen_pmi_cpus_are_all_in_the_route),
	KUNIT_CASE(route_of_running_session_follows_the_choice),
	KUNIT_CASE(chosen_cpu_going_offline_leaves_the_route),
	KUNIT_CASE(reader_moved_by_other_session_keeps_sampling),
	KUNIT_CASE(pmi_cpu_outside_affinity_needs_sys_nice),
	KUNIT_CASE(filter_fields_that_disclose_need_perfmon),
	KUNIT_CASE(disclosing_filters_without_perfmon_fail),
	KUNIT_CASE(ring_is_freed_with_the_last_event),
	KUNIT_CASE(ring_beyond_the_memory_limit_is_refused),
	KUNIT_CASE(failing_allocation_returns_enomem),
	KUNIT_CASE(session_after_enomem_can_start),
	KUNIT_CASE(event_beyond_the_limit_is_refused),
	KUNIT_CASE(failed_starts_do_not_leak),
	KUNIT_CASE(stop_with_timer_due_takes_sample),
	KUNIT_CASE(stop_before_timer_takes_no_sample),
	KUNIT_CASE(late_domain_does_not_count_missed_periods),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_session",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

static struct kunit_case cases_2[] = {
	KUNIT_CASE(two_domains_in_one_session_are_read),
	KUNIT_CASE(timers_of_two_domains_expire_together),
	KUNIT_CASE(offline_domain_keeps_its_counts),
	KUNIT_CASE(events_on_second_domain_leave_first_untouched),
	KUNIT_CASE(skew_ignores_offline_domains),
	KUNIT_CASE(pmi_cpu_pins_only_its_own_domain),
	KUNIT_CASE(pmi_cpus_of_two_dies_are_set_together),
	{ }
};

static struct kunit_suite suite_2 = {
	.name = "ucore_session_2_domains",
	.init = fake_machine_init_2,
	.exit = fake_machine_exit,
	.test_cases = cases_2,
};

/* ---- a die, and a domain with the scope CPU on it ---- */

/* A CPU that is the reader of both domains executes each command once per domain. */
static void one_cpu_reads_die_and_cpu_domain(struct kunit *test)
{
	struct ucore_box *die = fake_box(test, 0, "imc", 0), *cpu = fake_box(test, 1, "imc", 0);
	struct ucore_session *s = fake_session(test);
	u32 i;

	KUNIT_ASSERT_EQ(test, fake_add(s, die, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, cpu, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	for (i = 0; i < 2; i++)
		KUNIT_EXPECT_TRUE(test, list_is_singular(&ucore_catalog.domains[i].ctxs));
	fake_poke(fake_window(die), 0xa0, 7);
	fake_poke(fake_window(cpu), 0xa0, 8);
	session_read(s, false);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, s->values[i].count, 7ULL + i);
		KUNIT_EXPECT_EQ(test, s->domains[i].domain, i);
		KUNIT_EXPECT_EQ(test, s->domains[i].cpu, 0U);
		KUNIT_EXPECT_GT(test, s->domains[i].frozen_ns, 0ULL);
	}
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count | s->values[1].count, 0ULL);
	fake_stop(s);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, list_empty(&ucore_catalog.domains[i].ctxs));
		KUNIT_EXPECT_FALSE(test, fake_global(i)->frozen);
	}
}

/* Moving the die's reader does not move a domain with the scope CPU. */
static void die_reader_moves_without_cpu_domain(struct kunit *test)
{
	struct ucore_box *die = fake_box(test, 0, "imc", 0), *cpu = fake_box(test, 1, "imc", 0);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, die, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, cpu, 4, BIT(0), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 1);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].reader, 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].pins, 0U);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 1U);
	KUNIT_EXPECT_EQ(test, s->domains[1].cpu, 0U);
	fake_stop(s);
}

/* The die was suspended between the call and the rendezvous: the CPU's domain is still read. */
static void suspended_die_does_not_stop_read_of_cpu_domain(struct kunit *test)
{
	struct ucore_box *die = fake_box(test, 0, "imc", 0), *cpu = fake_box(test, 1, "imc", 0);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, die, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, cpu, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(die), 0xa0, 7);
	fake_poke(fake_window(cpu), 0xa0, 8);
	s->ctx[0]->running = false;
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(die), 'R'), 0U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 'W'), 0U);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_OFFLINE);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 8ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, 0U);
	s->ctx[0]->running = true;
}

static struct kunit_case cases_cpu[] = {
	KUNIT_CASE(one_cpu_reads_die_and_cpu_domain),
	KUNIT_CASE(suspended_die_does_not_stop_read_of_cpu_domain),
	KUNIT_CASE(die_reader_moves_without_cpu_domain),
	{ }
};

static struct kunit_suite suite_cpu = {
	.name = "ucore_session_cpu_scope",
	.init = fake_machine_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = cases_cpu,
};

kunit_test_suites(&suite, &suite_2, &suite_cpu);
