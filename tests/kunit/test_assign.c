// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of counter constraints, event conflicts, counter assignment, and wrap times. */
#include <linux/random.h>

#include "fake_machine.h"
#include "event/event.h"
#include "event/place_events.h"

#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)

/* ---- constraints ---- */

struct constraint {
	u16 first;
	u16 last;
	u32 counters;
};

/*
 * Constraints of 327043-001, which also apply to the v2. The event files restrict some events
 * that Linux does not: C-Box 0x03, 0x06, 0x14 and 0x3c, R2PCIe 0x13, 0x23, 0x25 and 0x28. For
 * these the stricter constraint applies.
 */
static const struct constraint cbo[] = {
	{ 0x01, 0x01, 0x1 }, { 0x02, 0x07, 0x3 }, { 0x09, 0x09, 0x3 }, { 0x11, 0x11, 0x1 },
	{ 0x12, 0x14, 0x3 }, { 0x1b, 0x1e, 0xc }, { 0x1f, 0x1f, 0xe }, { 0x21, 0x21, 0x3 },
	{ 0x23, 0x23, 0x3 }, { 0x31, 0x35, 0x3 }, { 0x36, 0x36, 0x1 }, { 0x37, 0x39, 0x3 },
	{ 0x3b, 0x3b, 0x1 }, { 0x3c, 0x3c, 0x3 }, { }
};

static const struct constraint r2pcie[] = {
	{ 0x10, 0x11, 0x3 }, { 0x12, 0x13, 0x1 }, { 0x23, 0x23, 0x1 }, { 0x24, 0x24, 0x3 },
	{ 0x25, 0x25, 0x1 }, { 0x26, 0x26, 0x3 }, { 0x28, 0x28, 0x3 }, { 0x32, 0x34, 0x3 }, { }
};

static const struct constraint r3qpi[] = {
	{ 0x10, 0x12, 0x3 }, { 0x13, 0x13, 0x1 }, { 0x20, 0x26, 0x3 }, { 0x28, 0x34, 0x3 },
	{ 0x36, 0x39, 0x3 }, { }
};

static const struct {
	const char *type;
	const struct constraint *constraints;
	u32 all;
} boxes[] = {
	{ "cbo", cbo, 0xf }, { "r2pcie", r2pcie, 0xf }, { "r3qpi", r3qpi, 0x7 },
	{ "imc", NULL, 0xf }, { "ha", NULL, 0xf }, { "pcu", NULL, 0xf }, { "qpi", NULL, 0xf },
	{ "irp", NULL, 0xf }, { "ubox", NULL, 0x3 },
};

static u32 counters_of(u32 i, u32 event)
{
	const struct constraint *c;

	for (c = boxes[i].constraints; c && c->counters; c++)
		if (event >= c->first && event <= c->last)
			return c->counters;
	return boxes[i].all;
}

static struct ucore_event_spec spec_of(u64 ctl)
{
	return (struct ucore_event_spec){ .value = { ctl }, .claimed = { 0xffff } };
}

static void every_event_is_restricted_to_its_counters(struct kunit *test)
{
	struct ucore_event_spec spec;
	struct ucore_box *box;
	u32 i, event;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		box = fake_box(test, 0, boxes[i].type, 0);
		for (event = 0; event < 256; event++) {
			spec = spec_of(event | 0xa500);
			KUNIT_EXPECT_EQ(test, fake_restrict(box, 0, 0, &spec), 0);
			KUNIT_EXPECT_EQ_MSG(test, spec.counters, (u64)counters_of(i, event),
					    "%s event %#x", boxes[i].type, event);
		}
	}
}

static int restricted(struct ucore_box *box, u64 ctl, u64 counters, u64 period,
		      struct ucore_event_spec *spec)
{
	*spec = spec_of(ctl);
	return fake_restrict(box, counters, period, spec);
}

static void requested_counters_restrict_the_event(struct kunit *test)
{
	struct ucore_box *cb = fake_box(test, 0, "cbo", 0), *r3 = fake_box(test, 0, "r3qpi", 0);
	struct ucore_event_spec spec;

	KUNIT_EXPECT_EQ(test, restricted(cb, 0x00, 0x6, 0, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.counters, 0x6ULL);
	KUNIT_EXPECT_EQ(test, restricted(cb, 0x1b, 0x6, 0, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.counters, 0x4ULL);
	KUNIT_EXPECT_EQ(test, restricted(cb, 0x1b, 0x3, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, restricted(cb, 0x00, 0x10, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, restricted(cb, 0x00, 0x11, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, restricted(r3, 0x00, 0x8, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, restricted(r3, 0x00, 0x4, 0, &spec), 0);
	KUNIT_EXPECT_EQ(test, restricted(r3, 0x00, BIT_ULL(31), 0, &spec), -ENXIO);
}

static void requested_fixed_counter_takes_no_fields(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);
	struct ucore_event_spec spec = { };

	KUNIT_EXPECT_EQ(test, fake_restrict(imc, FIXED, 0, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.counters, FIXED);
	KUNIT_EXPECT_EQ(test, fake_restrict(imc, FIXED << 1, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, fake_restrict(imc, FIXED | FIXED << 1, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, fake_restrict(imc, BIT_ULL(63), 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, fake_restrict(imc, FIXED | 1, 0, &spec), -EINVAL);
	KUNIT_EXPECT_EQ(test, fake_restrict(ha, FIXED, 0, &spec), -ENXIO);
	/* the event has fields, which the fixed counter does not */
	KUNIT_EXPECT_EQ(test, restricted(imc, 0, FIXED, 0, &spec), -ENXIO);
}

static void period_beyond_counter_width_fails(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0), *r2 = fake_box(test, 0, "r2pcie", 0);
	struct ucore_box *ubox = fake_box(test, 0, "ubox", 0);
	struct ucore_event_spec spec;

	KUNIT_EXPECT_EQ(test, restricted(imc, 4, 0, BIT_ULL(48) - 1, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.period, BIT_ULL(48) - 1);
	KUNIT_EXPECT_EQ(test, restricted(imc, 4, 0, BIT_ULL(48), &spec), -ERANGE);
	KUNIT_EXPECT_EQ(test, restricted(imc, 4, 0, ~0ULL, &spec), -ERANGE);
	KUNIT_EXPECT_EQ(test, restricted(imc, 4, 0, 1, &spec), 0);
	KUNIT_EXPECT_EQ(test, restricted(r2, 4, 0, BIT_ULL(44) - 1, &spec), 0);
	KUNIT_EXPECT_EQ(test, restricted(r2, 4, 0, BIT_ULL(44), &spec), -ERANGE);

	/* the UBox's fixed counter is wider than its general-purpose ones */
	KUNIT_EXPECT_EQ(test, restricted(ubox, 4, 0, BIT_ULL(44), &spec), -ERANGE);
	spec = (struct ucore_event_spec){ };
	KUNIT_EXPECT_EQ(test, fake_restrict(ubox, FIXED, BIT_ULL(48) - 1, &spec), 0);
	KUNIT_EXPECT_EQ(test, fake_restrict(ubox, FIXED, BIT_ULL(48), &spec), -ERANGE);
}

static void period_on_box_without_overflow_fails(struct kunit *test)
{
	static const struct {
		const char *type;
		bool can;
	} able[] = {
		{ "cbo", false }, { "irp", false }, { "ubox", true }, { "pcu", true },
		{ "ha", true }, { "imc", true }, { "qpi", true }, { "r2pcie", true },
		{ "r3qpi", true },
	};
	struct ucore_event_spec spec;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(able); i++)
		KUNIT_EXPECT_EQ_MSG(test, restricted(fake_box(test, 0, able[i].type, 0), 0, 0, 9,
						     &spec),
				    able[i].can ? 0 : -EOPNOTSUPP, "%s", able[i].type);
}

/* The capability flags of the box decide, not those of its type. */
static void period_depends_on_capability_of_the_box(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 1);
	struct ucore_event_spec spec = { };

	imc->caps &= ~UCORE_BOX_F_FIXED_OVERFLOW;
	KUNIT_EXPECT_EQ(test, fake_restrict(imc, FIXED, 9, &spec), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, restricted(imc, 4, 0, 9, &spec), 0);
	imc->caps &= ~UCORE_BOX_F_OVERFLOW;
	KUNIT_EXPECT_EQ(test, restricted(imc, 4, 0, 9, &spec), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, restricted(imc, 4, 0, 0, &spec), 0);
}

/* ---- conflicts ---- */

static void shared_registers_conflict_by_field(struct kunit *test)
{
	const struct ucore_event_spec none = { };
	struct ucore_event_spec a = { }, b = { };

	a.claimed[2] = 0xffff;
	a.value[2] = 0x11;
	b.claimed[2] = 0xff0000;
	b.value[2] = 0x220000;
	KUNIT_EXPECT_FALSE(test, ucore_event_conflicts(&a, &b));	/* different fields */
	KUNIT_EXPECT_FALSE(test, ucore_event_conflicts(&a, &none));
	KUNIT_EXPECT_FALSE(test, ucore_event_conflicts(&none, &b));
	b.claimed[2] |= 0xff;
	b.value[2] |= 0x11;
	KUNIT_EXPECT_FALSE(test, ucore_event_conflicts(&a, &b));	/* the same value */
	b.value[2] ^= 0x01;
	KUNIT_EXPECT_TRUE(test, ucore_event_conflicts(&a, &b));
	KUNIT_EXPECT_TRUE(test, ucore_event_conflicts(&b, &a));
	b.value[2] &= ~0xffULL;		/* zero is a value as well */
	KUNIT_EXPECT_TRUE(test, ucore_event_conflicts(&a, &b));
}

static void controls_do_not_conflict(struct kunit *test)
{
	struct ucore_event_spec a = spec_of(0x304), b = spec_of(0xc04);

	KUNIT_EXPECT_FALSE(test, ucore_event_conflicts(&a, &b));
}

static void conflict_in_any_shared_register_is_found(struct kunit *test)
{
	u32 slot;

	for (slot = 1; slot < UCORE_NR_SLOTS; slot++) {
		struct ucore_event_spec a = { }, b = { };

		a.claimed[slot] = BIT_ULL(31);
		a.value[slot] = BIT_ULL(31);
		b.claimed[slot] = BIT_ULL(31);
		KUNIT_EXPECT_TRUE(test, ucore_event_conflicts(&a, &b));
	}
}

/* ---- assignment ---- */

static void assignment_moves_other_events(struct kunit *test)
{
	/* each event moves all earlier ones by one counter */
	static const u64 chain[] = { 0xf, 0x7, 0x3, 0x1 };
	u8 counter[4];

	KUNIT_EXPECT_TRUE(test, ucore_event_assign(chain, 4, counter));
	KUNIT_EXPECT_EQ(test, counter[3], 0);
	KUNIT_EXPECT_EQ(test, counter[2], 1);
	KUNIT_EXPECT_EQ(test, counter[1], 2);
	KUNIT_EXPECT_EQ(test, counter[0], 3);
}

static void failed_assignment_changes_nothing(struct kunit *test)
{
	static const u64 three_on_two[] = { 0x3, 0x3, 0x3 }, five[] = { 0xf, 0xf, 0xf, 0xf, 0xf };
	static const u64 nowhere[] = { 0 };
	u8 counter[5] = { 90, 91, 92, 93, 94 };
	u32 i;

	KUNIT_EXPECT_FALSE(test, ucore_event_assign(three_on_two, 3, counter));
	KUNIT_EXPECT_FALSE(test, ucore_event_assign(five, 5, counter));
	KUNIT_EXPECT_FALSE(test, ucore_event_assign(nowhere, 1, counter));
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, counter[i], 90 + i);
}

static void fixed_counters_are_assigned_separately(struct kunit *test)
{
	static const u64 full[] = { 0xf, FIXED, 0xf, 0xf, 0xf };
	static const u64 twice[] = { FIXED, FIXED };
	u8 counter[5];

	KUNIT_EXPECT_TRUE(test, ucore_event_assign(full, 5, counter));
	KUNIT_EXPECT_EQ(test, counter[1], UCORE_COUNTER_FIXED);
	KUNIT_EXPECT_FALSE(test, ucore_event_assign(twice, 2, counter));
}

/* Try all assignments. Return true if one exists. */
static bool choice_exists(const u64 *allowed, u32 nr, u64 taken)
{
	u32 c;

	if (!nr)
		return true;
	for (c = 0; c < 64; c++)
		if ((*allowed & ~taken & BIT_ULL(c)) &&
		    choice_exists(allowed + 1, nr - 1, taken | BIT_ULL(c)))
			return true;
	return false;
}

static void assignment_agrees_with_exhaustive_search(struct kunit *test)
{
	u32 round, nr, i, found = 0;
	u64 allowed[6], taken;
	u8 counter[6];
	bool ok;

	for (round = 0; round < 4000; round++) {
		nr = 1 + get_random_u32() % 6;
		for (i = 0; i < nr; i++)
			allowed[i] = get_random_u32() & get_random_u32() & 0x1f;
		if (round & 1)
			allowed[nr - 1] = FIXED;
		ok = ucore_event_assign(allowed, nr, counter);
		KUNIT_ASSERT_EQ(test, ok, choice_exists(allowed, nr, 0));
		if (!ok)
			continue;
		found++;
		for (taken = 0, i = 0; i < nr; i++) {
			KUNIT_ASSERT_TRUE(test, allowed[i] & BIT_ULL(counter[i]));
			KUNIT_ASSERT_FALSE(test, taken & BIT_ULL(counter[i]));
			taken |= BIT_ULL(counter[i]);
		}
	}
	KUNIT_EXPECT_GT(test, found, 100U);		/* each result must occur often enough */
	KUNIT_EXPECT_LT(test, found, 3900U);
}

/* ---- placement of groups ---- */

#define MAX_PLACED	12

struct placed {
	struct list_head list;
	struct ucore_event event[MAX_PLACED];
	u32 nr;
};

/* Add an event to the list, in the order of groups. */
static struct ucore_event *placed_add(struct placed *placed, u64 counters, u8 group)
{
	struct ucore_event *new = &placed->event[placed->nr++], *event;

	*new = (struct ucore_event){
		.spec = { .counters = counters }, .group = group, .counter = U8_MAX,
	};
	list_for_each_entry_reverse(event, &placed->list, claim_node)
		if (event->group <= group)
			break;
	list_add(&new->claim_node, &event->claim_node);
	return new;
}

/* Return true if the general events of a group fit on the counters of @set. */
static bool group_fits(const struct placed *placed, u8 group, u64 set)
{
	u64 allowed[MAX_PLACED];
	u32 i, nr = 0;

	for (i = 0; i < placed->nr; i++)
		if (placed->event[i].group == group)
			allowed[nr++] = placed->event[i].spec.counters;
	return choice_exists(allowed, nr, ~set);
}

/* Try all sets of five counters for group 0. Return true if the groups 1 to 3 fit on the others. */
static bool placement_exists(const struct placed *placed, u64 available)
{
	u64 set;

	for (set = 0; set < 32; set++)
		if (!(set & ~available) && group_fits(placed, 0, set) &&
		    group_fits(placed, 1, available & ~set) &&
		    group_fits(placed, 2, available & ~set) &&
		    group_fits(placed, 3, available & ~set))
			return true;
	return false;
}

static void expect_placed(struct kunit *test, const struct placed *placed, u64 available)
{
	const struct ucore_event *a, *b;
	u32 i, j;

	for (i = 0; i < placed->nr; i++) {
		a = &placed->event[i];
		KUNIT_ASSERT_LT(test, a->counter, 64);
		KUNIT_ASSERT_TRUE(test, a->spec.counters & available & BIT_ULL(a->counter));
		for (j = 0; j < i; j++) {
			b = &placed->event[j];
			if (!a->group || !b->group || a->group == b->group)
				KUNIT_ASSERT_NE(test, a->counter, b->counter);
		}
	}
}

static void placement_agrees_with_exhaustive_search(struct kunit *test)
{
	struct placed *placed = kunit_kzalloc(test, sizeof(*placed), GFP_KERNEL);
	u32 round, nr, found = 0, busy = 0;
	struct ucore_event *new = NULL;
	u64 available;
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, placed);
	for (round = 0; round < 4000; round++) {
		INIT_LIST_HEAD(&placed->list);
		placed->nr = 0;
		for (nr = 2 + get_random_u32() % (MAX_PLACED - 2); nr; nr--)
			new = placed_add(placed, (get_random_u32() & 0x1f) ?: 0x1f,
					 get_random_u32() % 4);
		available = round & 1 ? 0x1f : 0x1f & ~BIT(get_random_u32() % 5);
		ret = ucore_place_events(&placed->list, new, ~available);
		KUNIT_ASSERT_EQ(test, !ret, placement_exists(placed, available));
		if (!ret) {
			expect_placed(test, placed, available);
			found++;
			continue;
		}
		KUNIT_ASSERT_EQ(test, ret == -EBUSY, placement_exists(placed, 0xff));
		KUNIT_ASSERT_EQ(test, placed->event[0].counter, U8_MAX);
		busy += ret == -EBUSY;
	}
	KUNIT_EXPECT_GT(test, found, 100U);
	KUNIT_EXPECT_GT(test, busy, 20U);
	KUNIT_EXPECT_LT(test, found + busy, 3900U);
}

/* Each of three groups needs one counter, so that only the fourth is left for group 0. */
static void group_0_gets_the_only_counter_that_all_groups_leave(struct kunit *test)
{
	struct placed *placed = kunit_kzalloc(test, sizeof(*placed), GFP_KERNEL);
	struct ucore_event *always, *new;

	KUNIT_ASSERT_NOT_NULL(test, placed);
	INIT_LIST_HEAD(&placed->list);
	always = placed_add(placed, 0xf, 0);
	placed_add(placed, BIT(0), 1);
	placed_add(placed, BIT(1), 2);
	new = placed_add(placed, BIT(2), 3);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, 0), 0);
	KUNIT_EXPECT_EQ(test, always->counter, 3);
	new = placed_add(placed, BIT(3), 4);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, 0), -ENOSPC);
	KUNIT_EXPECT_EQ(test, always->counter, 3);
}

/* All eight general counters of a box are tried. */
static void all_eight_counters_are_placed(struct kunit *test)
{
	struct placed *placed = kunit_kzalloc(test, sizeof(*placed), GFP_KERNEL);
	struct ucore_event *new;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, placed);
	INIT_LIST_HEAD(&placed->list);
	for (i = 0; i < 8; i++) {
		new = placed_add(placed, 0xff << i & 0xff, i & 1);
		KUNIT_ASSERT_EQ(test, ucore_place_events(&placed->list, new, 0), 0);
	}
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, placed->event[i].counter, i);
	new = placed_add(placed, 0xff, 0);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, 0), -ENOSPC);
}

static void fixed_counter_is_used_once_at_a_time(struct kunit *test)
{
	struct placed *placed = kunit_kzalloc(test, sizeof(*placed), GFP_KERNEL);
	struct ucore_event *new;

	KUNIT_ASSERT_NOT_NULL(test, placed);
	INIT_LIST_HEAD(&placed->list);
	new = placed_add(placed, FIXED, 1);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, FIXED), -EBUSY);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, FIXED << 1), 0);
	KUNIT_EXPECT_EQ(test, new->counter, UCORE_COUNTER_FIXED);
	new = placed_add(placed, FIXED, 2);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, 0), 0);
	new = placed_add(placed, FIXED, 2);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, 0), -ENOSPC);
	list_del(&new->claim_node);
	new = placed_add(placed, FIXED, 0);
	KUNIT_EXPECT_EQ(test, ucore_place_events(&placed->list, new, FIXED), -ENOSPC);
}

/* ---- wrap times ---- */

static void max_increment_of_events_is_as_listed(struct kunit *test)
{
	static const u8 of_imc[256] = {
		[0x00 ... 0x12] = 1, [0x20 ... 0x24] = 1, [0x41 ... 0x43] = 1, [0x80] = 22,
		[0x81] = 32, [0x83] = 16, [0x84] = 1, [0x85] = 4, [0x86] = 1,
	};
	const struct ucore_box *imc = fake_box(test, 0, "imc", 0), *ha = fake_box(test, 0, "ha", 0);

	fake_expect_increments(test, imc, of_imc, 139);
	KUNIT_EXPECT_EQ(test, ucore_event_max_increment(imc->desc.type, 0xffff0381, false), 32U);
	KUNIT_EXPECT_EQ(test, ucore_event_max_increment(imc->desc.type, 0xb0, true), 1U);
	KUNIT_EXPECT_EQ(test, ucore_event_max_increment(ha->desc.type, 0x04, false), 256U);
}

static void wrap_time_follows_width_and_increment(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(44, 1), 3518437208883ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(44, 256), 13743895347ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(48, 1), 56294995342131ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(48, 139), 404999966490ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(48, 256), 219902325555ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(32, 1), 858993459ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(32, 139), 6179809ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_wrap_ns(32, 256), 3355443ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_event_is_restricted_to_its_counters),
	KUNIT_CASE(requested_counters_restrict_the_event),
	KUNIT_CASE(requested_fixed_counter_takes_no_fields),
	KUNIT_CASE(period_beyond_counter_width_fails),
	KUNIT_CASE(period_on_box_without_overflow_fails),
	KUNIT_CASE(period_depends_on_capability_of_the_box),
	KUNIT_CASE(shared_registers_conflict_by_field),
	KUNIT_CASE(controls_do_not_conflict),
	KUNIT_CASE(conflict_in_any_shared_register_is_found),
	KUNIT_CASE(assignment_moves_other_events),
	KUNIT_CASE(failed_assignment_changes_nothing),
	KUNIT_CASE(fixed_counters_are_assigned_separately),
	KUNIT_CASE(assignment_agrees_with_exhaustive_search),
	KUNIT_CASE(placement_agrees_with_exhaustive_search),
	KUNIT_CASE(group_0_gets_the_only_counter_that_all_groups_leave),
	KUNIT_CASE(all_eight_counters_are_placed),
	KUNIT_CASE(fixed_counter_is_used_once_at_a_time),
	KUNIT_CASE(max_increment_of_events_is_as_listed),
	KUNIT_CASE(wrap_time_follows_width_and_increment),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_assign",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
