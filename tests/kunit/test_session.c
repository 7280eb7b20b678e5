// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: who may have what, every refusal of the contract, what a start and
 * a stop write, what is left behind, and memory that runs out.
 */
#include <linux/cpu.h>

#include "fake_machine.h"
#include "irq/pmi.h"
#include "irq/timer.h"
#include "session/core_trigger.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)
#define IMC0	BIT_ULL(20)
#define MS	((u64)NSEC_PER_MSEC)

/* ---- creating ---- */

static void create_without_boxes(struct kunit *test)
{
	const struct ucore_create_session config = { };
	u32 boxes = ucore_catalog.nr_boxes;

	ucore_catalog.nr_boxes = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ucore_session_alloc(&config, false)), (long)-ENODEV);
	ucore_catalog.nr_boxes = boxes;
}

static void create_beside_intel_uncore(struct kunit *test)
{
	const struct ucore_create_session config = { };

	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ucore_session_alloc(&config, false)), (long)-EBUSY);
}

static void new_session_holds_nothing(struct kunit *test)
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

/* ---- adding and removing ---- */

static void first_event_claims_last_one_gives_back(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_add_event first, second;

	KUNIT_EXPECT_EQ(test, fake_add(a, box, 4, BIT(0), 0, &first), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(0), 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_add(a, box, 4, BIT(1), 0, &second), 0);
	KUNIT_EXPECT_EQ(test, a->nr_boxes, 1U);
	KUNIT_EXPECT_EQ(test, session_remove(a, first.event), 0);
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(1), 0, NULL), -EBUSY);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, session_remove(a, second.event), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&box->claims));
	KUNIT_EXPECT_EQ(test, fake_add(b, box, 4, BIT(1), 0, NULL), 0);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, a->nr_boxes, 0U);
	FAKE_EXPECT_NONE(test, bus_of(test));	/* all without touching hardware */
}

static void event_ids_are_never_used_again(struct kunit *test)
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

static void refusals_of_add(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, fake_add(s, cbo, 0, 0, 1, NULL), -ERANGE);	/* polled */
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

static void counters_run_out(struct kunit *test)
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

/* TOR_OCCUPANCY wants counter 0, where an event that can go elsewhere sits. */
static void events_make_room_for_others(struct kunit *test)
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

/* A refused event must not leave its box claimed, nor take it from its events. */
static void refused_event_leaves_no_claim(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "cbo", 0);

	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x36, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 0x3b, 0, 0, NULL), -ENOSPC);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&box->claims));
	KUNIT_EXPECT_EQ(test, s->nr_boxes, 1U);
}

static void filters_are_shared(struct kunit *test)
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

/* ---- starting and stopping ---- */

static void start_and_stop_access_by_access(struct kunit *test)
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
	fake_stop(s);		/* stopping twice is no error */
	FAKE_EXPECT_NONE(test, bus_of(test));
}

/* The route is there before the domain runs; no PMI may meet a closed door. */
static void armed_start_access_by_access(struct kunit *test)
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

static void refusals_of_start(struct kunit *test)
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
	ucore_session_ctx(s, 0)->ring->size = 256;	/* no room for two samples and a LOST */
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

static void refusals_while_running(struct kunit *test)
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

static void counts_go_on_over_a_stop(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(box), 0xa0, 700);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 700ULL);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(box), 0xa0), 0ULL);
	fake_poke(fake_window(box), 0xa0, 30);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 730ULL);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	fake_poke(fake_window(box), 0xa0, 8);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_read(s, true), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 8ULL);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].time_enabled, 0ULL);
}

static void read_access_by_access(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct fake_window *gw = fake_global(0), *w = fake_window(box);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);	/* never ran */
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, 0xa0),
		    FAKE_R(w, 0xa4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 2ULL);
	KUNIT_EXPECT_EQ(test, session_read(s, true), 0);
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 5ULL);
	KUNIT_EXPECT_EQ(test, session_status(s).writes, 2ULL);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0xa4), FAKE_R(w, 0xa0), FAKE_R(w, 0xa4));
	KUNIT_EXPECT_EQ(test, s->domains[0].frozen_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 0U);
	KUNIT_EXPECT_EQ(test, s->skew_ns, 0ULL);
	KUNIT_EXPECT_GE(test, s->domains[0].time_enabled, s->domains[0].time_running);
}

/* A READ that finds an overflow waiting takes its sample along the way. */
static void read_meets_an_overflow(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	const struct ucore_sample *sample;

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_overflow(box, 0xa0, 2, BIT(1), IMC0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 102ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	KUNIT_EXPECT_TRUE(test, ucore_session_readable(s));
	sample = fake_record(ucore_session_ctx(s, 0)->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_OVERFLOW);
	KUNIT_EXPECT_EQ(test, sample->values[0].count, 102ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

static void timer_of_a_session(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, session_status(s).reads, 4ULL);	/* whole, low, low */
	KUNIT_EXPECT_EQ(test, session_status(s).writes, 6ULL);
	fake_stop(s);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->timer)->queued);
	KUNIT_EXPECT_FALSE(test, fake_timer_find(&ctx->domain->watchdog)->queued);
}

/* What an event list becomes: enables, widths, guard and low-half limits. */
static void ctxs_are_built_from_events(struct kunit *test)
{
	struct ucore_session *s;
	struct ucore_domain_ctx *ctx;

	s = fake_session_config(test, &(struct ucore_create_session){ });
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(3), 9, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 0, FIXED, 9, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 2), 0x12, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	ctx = ucore_session_ctx(s, 0);
	KUNIT_ASSERT_EQ(test, ctx->nr_ctr, 3U);
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
	KUNIT_EXPECT_EQ(test, ctx->watchdog_ns, 13743895347ULL);	/* 44 bits, 256 a clock */
	KUNIT_EXPECT_EQ(test, ctx->armed_mask, IMC0);
	KUNIT_EXPECT_EQ(test, ctx->box[1].armed_mask, 0ULL);
}

static void whole_sessions_believe_no_low_half(struct kunit *test)
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
		KUNIT_ASSERT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(imc), 'R'), 6U);
}

/* ---- several sessions ---- */

static void two_sessions_on_a_domain(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, domain->route, BIT_ULL(0) | WAKE);	/* b still wants its PMI */
	fake_overflow(pcu, 0xc36, 0, BIT(0), BIT_ULL(2));
	KUNIT_EXPECT_EQ(test, session_read(b, false), 0);
	KUNIT_EXPECT_EQ(test, b->values[0].count, 100ULL);
	fake_session_close(test, b);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), 0ULL);
	KUNIT_EXPECT_TRUE(test, list_empty(&domain->ctxs));
}

/* Starting a second session must not clear an overflow of the first. */
static void start_beside_a_waiting_overflow(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *a = fake_session(test), *b = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(a, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, ha, 1, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	fake_overflow(imc, 0xa0, 0, BIT(1), IMC0);
	KUNIT_EXPECT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_STATUS), IMC0);
	KUNIT_EXPECT_TRUE(test, fake_global(0)->frozen);	/* its PMI will come */
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
	KUNIT_EXPECT_EQ(test, a->values[0].count, 100ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
}

/* ---- what is left behind ---- */

static void close_leaves_it_as_found(struct kunit *test)
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
	fake_session_close(test, s);		/* while it runs */
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

/* As the service does it of an overflow too many. */
static void throttle(struct ucore_domain *domain)
{
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	domain->throttled = true;
	domain->kept_frozen = true;
	raw_spin_unlock_irq(&domain->lock);
}

/* A session that has counted for 30 ms and has then been throttled for 20 ms. */
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

	KUNIT_ASSERT_EQ(test, session_read(s, false), 0);
	read = s->domains;
	KUNIT_EXPECT_GE(test, read->time_enabled, enabled);
	KUNIT_EXPECT_LE(test, read->time_enabled, enabled + MS);
	KUNIT_EXPECT_GE(test, read->time_running, running);
	KUNIT_EXPECT_LE(test, read->time_running, running + MS);
}

/*
 * The hold of a throttled domain is nobody's once the last session has gone, and up to then
 * it was enabled.
 */
static void stop_while_throttled(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct ucore_session *s = throttled_session(test);

	fake_stop(s);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_FALSE(test, domain->throttled);
	KUNIT_EXPECT_EQ(test, domain->freeze_count, 0U);
	expect_times(test, s, 50 * MS, 30 * MS);
}

/* Times begin with the RESET, and not with the freeze that it found. */
static void reset_while_throttled(struct kunit *test)
{
	struct ucore_session *s = throttled_session(test);

	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	fake_clock_advance(5 * MS);
	fake_stop(s);
	expect_times(test, s, 5 * MS, 0);
}

/* START finds the domain frozen: it has nothing of the time before, and does not run. */
static void start_and_stop_while_throttled(struct kunit *test)
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

static void dead_box_in_a_session(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, ha, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(imc), 0xa0, 50);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	fake_window(imc)->dead = true;
	fake_poke(fake_window(ha), 0xa0, 60);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 50ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 60ULL);
	fake_bus_clear(bus_of(test));
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);	/* still told after the stop */
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	KUNIT_EXPECT_EQ(test, fake_start(s), -ENODEV);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(imc), 'W'), 0U);
	KUNIT_EXPECT_TRUE(test, list_empty(&imc->claims));
}

/* It is counted on again by the next START, and flagged until RESET: some of it is missing. */
static void box_that_came_back_counts_again(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct fake_window *w = fake_window(imc);
	struct ucore_session *s = fake_session(test);
	struct ucore_domain *domain = imc->domain;

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	w->dead = true;
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	w->dead = false;
	fake_clock_advance(2 * (u64)NSEC_PER_SEC);
	fake_timer_fire(&domain->watchdog);
	fake_poke(w, 0xa0, 50);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_TRUE(test, imc->dead);		/* as long as it runs */
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	fake_stop(s);

	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	fake_poke(w, 0xa0, 60);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 60ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_counting_reset(s), 0);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
}

/* Its session has gone with it; whoever starts next on the domain resets what came back armed. */
static void start_resets_what_came_back(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct fake_window *w = fake_window(imc);

	KUNIT_ASSERT_EQ(test, fake_add(a, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	w->dead = true;
	KUNIT_EXPECT_EQ(test, session_read(a, false), 0);
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

/* ADD_EVENT asks, too. */
static void box_that_came_back_can_be_had(struct kunit *test)
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

/* ---- the PMI core ---- */

static void choosing_the_pmi_core(struct kunit *test)
{
	struct ucore_session *a = fake_session(test), *b = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	KUNIT_EXPECT_EQ(test, session_set_cpu(a, ~0U), -ENOENT);
	KUNIT_EXPECT_EQ(test, session_set_cpu(a, 1), 0);
	KUNIT_EXPECT_EQ(test, domain->reader, 1);
	KUNIT_EXPECT_EQ(test, session_set_cpu(b, 0), -EBUSY);
	KUNIT_EXPECT_EQ(test, session_set_cpu(b, 1), 0);	/* the same is no conflict */
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

/* The choice of a CPU that has gone binds nobody. */
static void choice_of_a_cpu_that_left(struct kunit *test)
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

static void pmi_core_is_in_the_route(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, session_set_cpu(s, 1), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(1) | WAKE);
	fake_stop(s);
}

/* pmi_core_sel is a mask: all of them are in the route, and the first one reads. */
static void several_cpus_take_the_pmi(struct kunit *test)
{
	static const u32 both[] = { 1, 0 }, reversed[] = { 0, 1 }, twice[] = { 1, 1 };
	static const u32 unknown[] = { 1, ~0U };
	struct ucore_session *s = fake_session(test), *other = fake_session(test);
	struct ucore_domain *domain = &ucore_catalog.domains[0];

	KUNIT_EXPECT_EQ(test, session_set_cpus(s, twice, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, session_set_cpus(s, unknown, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);		/* as a whole, or not at all */
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
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), -EBUSY);	/* the other's choice holds */
	fake_session_close(test, other);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 0), 0);
	KUNIT_EXPECT_EQ(test, domain->reader, 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(0) | WAKE);
	fake_stop(s);
}

/* While a session runs: the route follows the choice, and its end. */
static void route_follows_the_choice(struct kunit *test)
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

/* A chosen CPU that goes offline drops out; the next one reads if it was the reader. */
static void chosen_cpus_leave(struct kunit *test)
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

/* Both sessions run while a third party moves the reader: samples go on. */
static void another_session_moves_a_running_domain(struct kunit *test)
{
	struct ucore_session *s = fake_session(test), *other = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, session_set_cpu(other, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(0), GLOBAL_CTL), BIT_ULL(1) | WAKE);
	KUNIT_EXPECT_TRUE(test, fake_timer_find(&ucore_catalog.domains[0].watchdog)->queued);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 1U);
}

/* ---- what not everybody may ---- */

/* CPUs that the caller may run on, unless it may change that. */
static void cpus_of_others(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	cpumask_var_t was;

	KUNIT_ASSERT_TRUE(test, alloc_cpumask_var(&was, GFP_KERNEL));
	cpumask_copy(was, current->cpus_ptr);
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(0)), 0);
	fake_kernel.lacks = BIT_ULL(CAP_SYS_NICE);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 0), 0);
	fake_kernel.lacks = 0;
	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), 0);
	set_cpus_allowed_ptr(current, was);
	free_cpumask_var(was);
}

/* By address, core, thread, opcode or packet; but not by node, link or state. */
static void which_filters_spy(struct kunit *test)
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
		KUNIT_EXPECT_TRUE_MSG(test, ucore_event_needs_perfmon(terms, 2), "field %u", spying[i]);
		KUNIT_EXPECT_FALSE(test, ucore_event_needs_perfmon(terms, 1));
	}
	for (i = 0; i < ARRAY_SIZE(harmless); i++) {
		terms[1].field = harmless[i];
		KUNIT_EXPECT_FALSE_MSG(test, ucore_event_needs_perfmon(terms, 2), "field %u", harmless[i]);
	}
}

/* Who opened the device with CAP_PERFMON, or has it, may filter by what others do. */
static void filters_that_spy(struct kunit *test)
{
	struct ucore_box *cbo = fake_box(test, 0, "cbo", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_session *s = fake_session(test);

	s->sink.context = false;
	fake_kernel.lacks = BIT_ULL(CAP_PERFMON) | BIT_ULL(CAP_SYS_ADMIN);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_FILTER_OPC, 0x182), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_FILTER_TID, 0), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_TID_EN, 1), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), -EACCES);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_OPC_MATCH, 1), -EACCES);
	KUNIT_EXPECT_TRUE(test, list_empty(&cbo->claims));
	KUNIT_EXPECT_TRUE(test, list_empty(&ha->claims));
	KUNIT_EXPECT_EQ(test, fake_add_field(s, cbo, UCORE_FIELD_FILTER_NID, 1), 0);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_UMASK, 1), 0);
	fake_kernel.lacks = BIT_ULL(CAP_SYS_ADMIN);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), 0);
	fake_kernel.lacks = BIT_ULL(CAP_PERFMON);
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), 0);
	s->sink.context = true;
	fake_kernel.lacks = ~0ULL;
	KUNIT_EXPECT_EQ(test, fake_add_field(s, ha, UCORE_FIELD_ADDR_MATCH, 0x1000), 0);
}

/* ---- rings ---- */

/* A ring is there while its domain has events, and counts for its user so long. */
static void ring_goes_with_the_last_event(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	atomic_long_t *locked = &s->user->locked_vm;
	long before = atomic_long_read(locked);
	struct ucore_ring *mapped;

	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
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
	/* the next event has a new one */
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before + 3);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before);
}

/* An event that was refused leaves neither box nor ring. */
static void refused_event_leaves_no_ring(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = fake_session(test);
	unsigned int *allowance = fake_param("mlock_kb"), kib = *allowance;
	long before = atomic_long_read(&s->user->locked_vm);

	fake_kernel.lacks = BIT_ULL(CAP_IPC_LOCK);
	*allowance = 0;
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), -ENOBUFS);
	*allowance = kib;
	KUNIT_EXPECT_TRUE(test, list_empty(&imc->claims));
	KUNIT_EXPECT_NULL(test, ucore_session_ring(s, 0));
	KUNIT_EXPECT_EQ(test, session_status(s).nr_domains, 0U);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&s->user->locked_vm), before);
	KUNIT_EXPECT_EQ(test, fake_add(s, imc, 4, 0, 0, NULL), 0);
}

/* ---- the timer's first and last instants ---- */

static struct ucore_session *session_of_seconds(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.timer_ns = NSEC_PER_SEC, .ring_size = 4096 });

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	return s;
}

/* STOP comes before the timer does: what is due has its sample, others before it are lost. */
static void stop_samples_what_is_due(struct kunit *test)
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

static void stop_samples_nothing_early(struct kunit *test)
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

/* A domain that goes after the session's first instants has none before it goes. */
static void late_domains_miss_nothing(struct kunit *test)
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

/* ---- memory that runs out ---- */

static int whole_life(struct kunit *test, u32 fail_in)
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
		ret = session_read(s, false);
		fake_stop(s);
	}
	if (!ret)
		ret = session_read(s, false);
	ucore_session_free(s);
	return ret;
}

/* Each allocation fails in turn: ENOMEM, nothing held, and kmemleak finds nothing. */
static void every_allocation_fails_once(struct kunit *test)
{
	u32 i, n;
	int ret;

	for (n = 1; n < 100; n++) {
		ret = whole_life(test, n);
		if (fake_kernel.fail_in)
			break;		/* there were fewer */
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

/* After a start that found no memory the session is as before. */
static void start_again_after_enomem(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	u32 n;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 0, NULL), 0);
	for (n = 1; n <= 4; n++) {
		fake_kernel.fail_in = n;
		KUNIT_EXPECT_EQ(test, fake_start(s), -ENOMEM);
		KUNIT_EXPECT_FALSE(test, s->running);
		fake_kernel.fail_in = n;
		KUNIT_EXPECT_EQ(test, session_read(s, false), -ENOMEM);
		fake_kernel.fail_in = 0;
	}
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(fake_box(test, 0, "imc", 0)), 0xa0, 5);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 5ULL);
}

/* What a start got before it found no memory is freed, by the next one or with the session. */
static void starts_that_fail_keep_nothing(struct kunit *test)
{
	const struct ucore_create_session config = { .timer_ns = MS };
	int before = fake_kernel.held;
	struct ucore_session *s;
	u32 n, again;

	for (n = 1; n <= 8; n++) {
		s = ucore_session_alloc(&config, true);
		KUNIT_ASSERT_FALSE(test, IS_ERR(s));
		KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
		for (again = 0; again < 3; again++) {
			fake_kernel.fail_in = n;
			KUNIT_EXPECT_EQ(test, fake_start(s), -ENOMEM);
		}
		/* the CPUs' list, and of the part's five arrays and the answer's three all but 1 */
		KUNIT_EXPECT_LE(test, fake_kernel.held, before + 1 + 7);
		fake_kernel.fail_in = 0;
		KUNIT_EXPECT_EQ(test, fake_start(s), 0);
		KUNIT_EXPECT_EQ(test, fake_kernel.held, before + 1 + 8);
		fake_stop(s);
		ucore_session_free(s);
		KUNIT_EXPECT_EQ(test, fake_kernel.held, before);
	}
}

/* ---- two domains ---- */

static void both_domains_in_one_session(struct kunit *test)
{
	struct ucore_box *imc[2] = { fake_box(test, 0, "imc", 0), fake_box(test, 1, "imc", 0) };
	struct ucore_session *s = fake_session(test);
	u32 i;

	/* events in turn, so that a domain's are not adjacent */
	for (i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, imc[~i & 1], 4, BIT(i / 2), 0, NULL), 0);
	KUNIT_EXPECT_EQ(test, session_status(s).nr_domains, 2U);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(imc[1]), 0xa0, 10);
	fake_poke(fake_window(imc[0]), 0xa0, 11);
	fake_poke(fake_window(imc[1]), 0xa8, 12);
	fake_poke(fake_window(imc[0]), 0xa8, 13);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
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

/* Timers of all domains count from one instant: when the first of them went. */
static void timers_of_two_domains(struct kunit *test)
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

static void one_domain_without_a_cpu(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 9ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, 0U);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 40ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, (u32)UCORE_VALUE_F_OFFLINE);
	KUNIT_EXPECT_EQ(test, session_reset(s), -EAGAIN);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].armed, 0U);
	KUNIT_EXPECT_TRUE(test, list_empty(&ucore_catalog.domains[1].ctxs));
	KUNIT_EXPECT_EQ(test, fake_start(s), -EAGAIN);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);	/* stopped, it needs no CPU */
	fake_session_close(test, s);
	KUNIT_EXPECT_TRUE(test, gone->dirty);		/* for the CPU that comes */

	cpus_read_lock();
	fake_kernel.cpu_up(1);
	cpus_read_unlock();
	KUNIT_EXPECT_FALSE(test, gone->dirty);
	KUNIT_EXPECT_TRUE(test, list_empty(&gone->claims));
	KUNIT_EXPECT_EQ(test, fake_peek(fake_global(1), GLOBAL_CTL), 0x40ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(1)->frozen);
}

/* The first domain is none of the session's: nothing of it is touched, and RESET has the other. */
static void events_on_the_second_domain_alone(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 1, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(box), 0xa0, 9);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 9ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].domain, 1U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 'W'), 0U);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].time_enabled, 0ULL);
}

/* Skew is between the freezes: a domain that is not frozen has none. */
static void skew_leaves_out_domains_without_a_cpu(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_GE(test, s->domains[0].time, before);
	KUNIT_EXPECT_EQ(test, s->skew_ns, 0ULL);
}

/* One call for both dies; what one of them refuses changes neither. */
static void cpus_of_both_dies(struct kunit *test)
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

static void cpu_of_another_domain(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_EXPECT_EQ(test, session_set_cpu(s, 1), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].pins, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].pins, 1U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].reader, 0);
}

/* Its domain went to sleep between the call and the meeting: it has its last counts. */
static void read_of_a_ctx_that_fell_asleep(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(s, box, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(fake_window(box), 0xa0, 100);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	fake_poke(fake_window(box), 0xa0, 150);
	s->ctx[0]->running = false;
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 100ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_OFFLINE);
	s->ctx[0]->running = true;
}

static void core_trigger_of_a_cpu_that_cannot_be(struct kunit *test)
{
	const struct ucore_add_core_trigger ask = {
		.type = UCORE_PERF_SOFTWARE, .cpu = nr_cpu_ids, .period = 1000,
	};
	struct ucore_session *s = fake_session(test);

	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_core_trigger_add(s, &ask), -ENOENT);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, s->nr_triggers, 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(read_of_a_ctx_that_fell_asleep),
	KUNIT_CASE(core_trigger_of_a_cpu_that_cannot_be),
	KUNIT_CASE(create_without_boxes),
	KUNIT_CASE(create_beside_intel_uncore),
	KUNIT_CASE(new_session_holds_nothing),
	KUNIT_CASE(first_event_claims_last_one_gives_back),
	KUNIT_CASE(event_ids_are_never_used_again),
	KUNIT_CASE(refusals_of_add),
	KUNIT_CASE(counters_run_out),
	KUNIT_CASE(events_make_room_for_others),
	KUNIT_CASE(refused_event_leaves_no_claim),
	KUNIT_CASE(filters_are_shared),
	KUNIT_CASE(start_and_stop_access_by_access),
	KUNIT_CASE(armed_start_access_by_access),
	KUNIT_CASE(refusals_of_start),
	KUNIT_CASE(refusals_while_running),
	KUNIT_CASE(counts_go_on_over_a_stop),
	KUNIT_CASE(read_access_by_access),
	KUNIT_CASE(read_meets_an_overflow),
	KUNIT_CASE(timer_of_a_session),
	KUNIT_CASE(ctxs_are_built_from_events),
	KUNIT_CASE(whole_sessions_believe_no_low_half),
	KUNIT_CASE(two_sessions_on_a_domain),
	KUNIT_CASE(start_beside_a_waiting_overflow),
	KUNIT_CASE(close_leaves_it_as_found),
	KUNIT_CASE(stop_while_throttled),
	KUNIT_CASE(reset_while_throttled),
	KUNIT_CASE(start_and_stop_while_throttled),
	KUNIT_CASE(dead_box_in_a_session),
	KUNIT_CASE(box_that_came_back_counts_again),
	KUNIT_CASE(start_resets_what_came_back),
	KUNIT_CASE(box_that_came_back_can_be_had),
	KUNIT_CASE(choosing_the_pmi_core),
	KUNIT_CASE(choice_of_a_cpu_that_left),
	KUNIT_CASE(pmi_core_is_in_the_route),
	KUNIT_CASE(several_cpus_take_the_pmi),
	KUNIT_CASE(route_follows_the_choice),
	KUNIT_CASE(chosen_cpus_leave),
	KUNIT_CASE(another_session_moves_a_running_domain),
	KUNIT_CASE(cpus_of_others),
	KUNIT_CASE(which_filters_spy),
	KUNIT_CASE(filters_that_spy),
	KUNIT_CASE(ring_goes_with_the_last_event),
	KUNIT_CASE(refused_event_leaves_no_ring),
	KUNIT_CASE(every_allocation_fails_once),
	KUNIT_CASE(start_again_after_enomem),
	KUNIT_CASE(starts_that_fail_keep_nothing),
	KUNIT_CASE(stop_samples_what_is_due),
	KUNIT_CASE(stop_samples_nothing_early),
	KUNIT_CASE(late_domains_miss_nothing),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_session",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

static struct kunit_case cases_2[] = {
	KUNIT_CASE(both_domains_in_one_session),
	KUNIT_CASE(timers_of_two_domains),
	KUNIT_CASE(one_domain_without_a_cpu),
	KUNIT_CASE(events_on_the_second_domain_alone),
	KUNIT_CASE(skew_leaves_out_domains_without_a_cpu),
	KUNIT_CASE(cpu_of_another_domain),
	KUNIT_CASE(cpus_of_both_dies),
	{ }
};

static struct kunit_suite suite_2 = {
	.name = "ucore_session_2_domains",
	.init = fake_machine_init_2,
	.exit = fake_machine_exit,
	.test_cases = cases_2,
};

/* ---- a die, and one of its CPUs as a domain of its own ---- */

/* Their reader does for each what the session asks, once. */
static void one_cpu_reads_both_domains(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, s->values[i].count, 7ULL + i);
		KUNIT_EXPECT_EQ(test, s->domains[i].domain, i);
		KUNIT_EXPECT_EQ(test, s->domains[i].cpu, 0U);
		KUNIT_EXPECT_GT(test, s->domains[i].frozen_ns, 0ULL);
	}
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->values[0].count | s->values[1].count, 0ULL);
	fake_stop(s);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, list_empty(&ucore_catalog.domains[i].ctxs));
		KUNIT_EXPECT_FALSE(test, fake_global(i)->frozen);
	}
}

/* The die's reader moves, and a CPU's domain stays with its CPU. */
static void die_is_read_elsewhere(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, s->domains[0].cpu, 1U);
	KUNIT_EXPECT_EQ(test, s->domains[1].cpu, 0U);
	fake_stop(s);
}

/* The die fell asleep between the call and the meeting: its CPU is read all the same. */
static void a_die_that_fell_asleep_before_its_cpu(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, session_read(s, false), 0);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_window(die), 'R'), 0U);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), fake_global(0), 'W'), 0U);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 0ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_OFFLINE);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 8ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, 0U);
	s->ctx[0]->running = true;
}

static struct kunit_case cases_cpu[] = {
	KUNIT_CASE(one_cpu_reads_both_domains),
	KUNIT_CASE(a_die_that_fell_asleep_before_its_cpu),
	KUNIT_CASE(die_is_read_elsewhere),
	{ }
};

static struct kunit_suite suite_cpu = {
	.name = "ucore_session_cpu_scope",
	.init = fake_machine_init_cpu,
	.exit = fake_machine_exit,
	.test_cases = cases_cpu,
};

kunit_test_suites(&suite, &suite_2, &suite_cpu);
