// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the first E5-2600. The table is compared with a second copy of the manual's
 * numbers. Other tests check the exact register accesses of each step of a session.
 */
#include "fake_machine.h"
#include "irq/conflict.h"
#include "find/static_table.h"

/* Box control: the only words that may be written (327043-001 2.1.1) */
#define LISTEN	0x10000		/* frz_en */
#define FROZEN	0x10100		/* frz_en, frz */
#define RESET	0x10102		/* frz_en, frz, reset of the counters */
#define RUN	0x10000

#define EN	BIT(22)
#define FIXED	BIT_ULL(UCORE_COUNTER_FIXED)

static const u64 no_filters[UCORE_MAX_SHARED];

static const struct ucore_static_table *table(void)
{
	return ucore_platform_snbep.table;
}

/* ---- the table ---- */

static const struct {
	const char *name;
	u32 ctl;		/* legal bits of a general-purpose control, without resets */
	u32 ctl_rst;
	u8 nr_gp;
	u8 nr_fixed;
	u8 width;
	u8 reach;
	u16 regs[12];		/* box control, controls, counters, fixed, filters */
} types[] = {
	{ "cbo", 0xffccffff, BIT(17), 4, 0, 44, UCORE_RESET_CTR,
	  { 0xd04, 0xd10, 0xd11, 0xd12, 0xd13, 0xd16, 0xd17, 0xd18, 0xd19, 0xd14 } },
	{ "ubox", 0x1fc4ffff, BIT(17), 2, 1, 44, 0,
	  { 0xc10, 0xc11, 0xc16, 0xc17, 0xc08, 0xc09 } },
	{ "pcu", 0xdfe4c0ff, BIT(17), 4, 0, 48, UCORE_RESET_CTR,
	  { 0xc24, 0xc30, 0xc31, 0xc32, 0xc33, 0xc36, 0xc37, 0xc38, 0xc39, 0xc34 } },
	{ "ha", 0xffc4ffff, 0, 4, 0, 48, 0,
	  { 0xf4, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0x40, 0x44, 0x48 } },
	{ "imc", 0xffc4ffff, 0, 4, 1, 48, 0,
	  { 0xf4, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8, 0xf0, 0xd0 } },
	{ "qpi", 0xffe4ffff, BIT(17), 4, 0, 48, UCORE_RESET_CTR,
	  { 0xf4, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8 } },
	{ "r2pcie", 0xffc4ffff, BIT(17), 4, 0, 44, UCORE_RESET_CTR,
	  { 0xf4, 0xd8, 0xdc, 0xe0, 0xe4, 0xa0, 0xa8, 0xb0, 0xb8 } },
	{ "r3qpi", 0xffc4ffff, BIT(17), 3, 0, 44, UCORE_RESET_CTR,
	  { 0xf4, 0xd8, 0xdc, 0xe0, 0xa0, 0xa8, 0xb0 } },
};

static u64 control_bits(const struct ucore_box_type *type)
{
	u64 bits = type->ctl_en | type->ctl_ov_en;
	u32 i, j;

	for (i = 0; i < type->nr_fields; i++)
		for (j = 0; j < 2; j++)
			if (type->fields[i].piece[j].slot == UCORE_SLOT_CTL)
				bits |= type->fields[i].piece[j].mask;
	return bits;
}

static u32 registers(const struct ucore_box_type *type, const struct ucore_layout *layout,
		     u16 *regs)
{
	u32 i, n = 0;

	if (layout->box_ctl != UCORE_REG_NONE)
		regs[n++] = layout->box_ctl;
	for (i = 0; i < type->nr_gp; i++)
		regs[n++] = layout->ctl[i];
	for (i = 0; i < type->nr_gp; i++)
		regs[n++] = layout->ctr[i];
	for (i = 0; i < type->nr_fixed; i++) {
		regs[n++] = layout->fixed_ctl[i];
		regs[n++] = layout->fixed_ctr[i];
	}
	for (i = 0; i < layout->nr_shared && !layout->shared_aux; i++)
		regs[n++] = layout->shared[i];
	return n;
}

static void expect_type(struct kunit *test, const struct ucore_box_type *type,
			const struct ucore_layout *layout, u32 base)
{
	u16 regs[32] = { };
	u32 t, i, n = registers(type, layout, regs);

	for (t = 0; t < ARRAY_SIZE(types); t++)
		if (!strcmp(types[t].name, type->name))
			break;
	KUNIT_ASSERT_LT(test, t, (u32)ARRAY_SIZE(types));
	KUNIT_EXPECT_EQ_MSG(test, control_bits(type), (u64)types[t].ctl, "%s", type->name);
	KUNIT_EXPECT_EQ(test, type->ctl_rst, types[t].ctl_rst);
	KUNIT_EXPECT_EQ(test, type->fixed_rst, strcmp(type->name, "imc") ? 0U : (u32)BIT(19));
	KUNIT_EXPECT_EQ(test, type->ctl_ov_en, 0U);
	KUNIT_EXPECT_EQ(test, type->fixed_ov_en, 0U);
	KUNIT_EXPECT_EQ(test, type->fixed_en, type->nr_fixed ? (u32)EN : 0U);
	KUNIT_EXPECT_EQ(test, type->nr_gp, types[t].nr_gp);
	KUNIT_EXPECT_EQ(test, type->nr_fixed, types[t].nr_fixed);
	KUNIT_EXPECT_EQ(test, type->width, types[t].width);
	KUNIT_EXPECT_EQ(test, type->fixed_width, type->nr_fixed ? 48 : 0);
	KUNIT_EXPECT_EQ(test, layout->status, UCORE_REG_NONE);
	KUNIT_EXPECT_EQ(test, type->caps, type->words ? (u32)UCORE_BOX_F_FREEZE : 0U);
	KUNIT_EXPECT_EQ(test, !type->words, !strcmp(type->name, "ubox"));
	if (type->words)
		KUNIT_EXPECT_EQ(test, type->words->reach, types[t].reach);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ_MSG(test, base + regs[i], (u32)types[t].regs[i], "%s register %u",
				    type->name, i);
}

static void box_types_are_as_in_the_manual(struct kunit *test)
{
	u32 i;

	for (i = 0; i < table()->nr_msr; i++)
		expect_type(test, table()->msr[i].type, table()->msr[i].layout,
			    table()->msr[i].base);
	for (i = 0; i < table()->nr_pci; i++)
		expect_type(test, table()->pci[i].type, table()->pci[i].layout, 0);
}

static void pci_ids_are_as_listed(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 instance;
		u16 device;
		u16 aux;
	} ids[] = {
		{ "ha", 0, 0x3c46 }, { "imc", 0, 0x3cb0 }, { "imc", 1, 0x3cb1 },
		{ "imc", 2, 0x3cb4 }, { "imc", 3, 0x3cb5 }, { "qpi", 0, 0x3c41, 0x3c86 },
		{ "qpi", 1, 0x3c42, 0x3c96 }, { "r2pcie", 0, 0x3c43 }, { "r3qpi", 0, 0x3c44 },
		{ "r3qpi", 1, 0x3c45 },
	};
	u32 i;

	KUNIT_ASSERT_EQ(test, table()->nr_pci, (u32)ARRAY_SIZE(ids));
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		KUNIT_EXPECT_STREQ(test, table()->pci[i].type->name, ids[i].name);
		KUNIT_EXPECT_EQ(test, table()->pci[i].instance, ids[i].instance);
		KUNIT_EXPECT_EQ(test, table()->pci[i].device, ids[i].device);
		KUNIT_EXPECT_EQ(test, table()->pci[i].aux, ids[i].aux);
		/* there is no global status */
		KUNIT_EXPECT_EQ(test, table()->pci[i].global_gp, 0ULL);
		KUNIT_EXPECT_EQ(test, table()->pci[i].global_fixed, 0ULL);
	}
	KUNIT_EXPECT_EQ(test, table()->ubox.device, 0x3ce0);
}

/* The platform has neither a global control nor overflow interrupts. */
static void platform_has_no_global_control(struct kunit *test)
{
	const struct ucore_platform *p = &ucore_platform_snbep;

	KUNIT_EXPECT_STREQ(test, p->name, "snbep");
	KUNIT_EXPECT_STREQ(test, p->intree, "snbep_uncore");
	KUNIT_EXPECT_EQ(test, p->caps, 0U);
	KUNIT_EXPECT_NULL(test, table()->global);
	KUNIT_EXPECT_EQ(test, table()->msr[0].base, 0xd00U);
	KUNIT_EXPECT_EQ(test, table()->msr[0].stride, 0x20U);
	KUNIT_EXPECT_EQ(test, table()->msr[0].max, 8U);
	KUNIT_EXPECT_TRUE(test, table()->msr[0].per_core);
}

static void box_control_words_are_as_in_the_manual(struct kunit *test)
{
	const struct ucore_box_words *words;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++) {
		words = ucore_catalog.boxes[i].desc.type->words;
		if (!words)
			continue;
		KUNIT_EXPECT_EQ(test, words->enable, (u32)LISTEN);
		KUNIT_EXPECT_EQ(test, words->freeze, (u32)FROZEN);
		KUNIT_EXPECT_EQ(test, words->run, (u32)RUN);
		if (words->reach)
			KUNIT_EXPECT_EQ(test, words->reset, (u32)RESET);
	}
}

/* The 24 events of the iMC, with the maximum increment per clock */
static void imc_increments_are_as_listed(struct kunit *test)
{
	static const u8 inc[256] = {
		[0x00] = 1, [0x01] = 1, [0x02] = 1, [0x04] = 1, [0x05] = 1, [0x06] = 1,
		[0x07] = 1, [0x08] = 1, [0x09] = 1, [0x10] = 1, [0x11] = 1, [0x12] = 1,
		[0x20] = 1, [0x21] = 1, [0x22] = 1, [0x23] = 1, [0x24] = 1, [0x41] = 1,
		[0x80] = 22, [0x81] = 32, [0x83] = 16, [0x84] = 1, [0x85] = 4, [0x86] = 1,
	};

	fake_expect_increments(test, fake_box(test, 0, "imc", 0), inc, 139);
}

/* Events of a C-Box with an increment of at most one */
static void cbo_increments_are_as_listed(struct kunit *test)
{
	static const u8 inc[256] = {
		[0x00] = 1, [0x02] = 1, [0x04] = 1, [0x05] = 1, [0x07] = 1, [0x12] = 1,
		[0x13] = 1, [0x1b] = 1, [0x1c] = 1, [0x1d] = 1, [0x1e] = 1, [0x31] = 1,
		[0x32] = 1,
	};

	fake_expect_increments(test, fake_box(test, 0, "cbo", 0), inc, 20);
}

static void cbo_filter_fields_share_one_register(struct kunit *test)
{
	static const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x35 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x41 },
		{ .field = UCORE_FIELD_INVERT, .value = 1 },
		{ .field = UCORE_FIELD_THRESH, .value = 3 },
		{ .field = UCORE_FIELD_FILTER_TID, .value = 0x1f },
		{ .field = UCORE_FIELD_FILTER_NID, .value = 0x81 },
		{ .field = UCORE_FIELD_FILTER_STATE, .value = 0x11 },
		{ .field = UCORE_FIELD_FILTER_OPC, .value = 0x182 },
	};
	struct ucore_event_spec spec;

	KUNIT_ASSERT_EQ(test, ucore_event_encode(fake_box(test, 0, "cbo", 0), terms,
						 ARRAY_SIZE(terms), &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0x03804135ULL);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_SHARED(0)],
			0x1fULL | 0x81 << 10 | 0x11 << 18 | 0x182ULL << 23);
}

/* ---- acquiring a box: frz_en, frz, controls, counters ---- */

static void program_cbo_access_sequence_is_exact(struct kunit *test)
{
	static const u64 filters[UCORE_MAX_SHARED] = { 0xc1000000 };
	struct ucore_box *box = fake_box(test, 0, "cbo", 1);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x14), FAKE_W(w, 0x04, LISTEN),
		    FAKE_W(w, 0x04, FROZEN), FAKE_W(w, 0x04, RESET), FAKE_W(w, 0x10, 0),
		    FAKE_W(w, 0x11, 0), FAKE_W(w, 0x12, 0), FAKE_W(w, 0x13, 0),
		    FAKE_W(w, 0x14, 0xc1000000));
}

/* On a shared box each counter is cleared by the reset bit in its control, in one write. */
static void counter_of_shared_box_is_cleared_by_its_reset(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "cbo", 1);
	struct fake_window *w = fake_window(box);
	struct ucore_counter *ctr;

	ctr = fake_ctx_add(fake_ctx(test, 0, 0), box, 2, EN | 0x35, 0);
	fake_poke(w, ctr->reg, 77);
	box->users = 1;
	ucore_counter_prepare(ctr);	/* the reset of the box has cleared it */
	FAKE_EXPECT_NONE(test, bus_of(test));
	box->users = 2;
	ucore_counter_prepare(ctr);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0x12, BIT(17)));
	KUNIT_EXPECT_EQ(test, fake_peek(w, ctr->reg), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(w, 0x12), 0ULL);
	box->users = 0;
}

/* No reset bits: registers are cleared one by one, DCLK by its own reset. */
static void program_imc_clears_each_register(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "imc", 3);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, LISTEN), FAKE_W(w, 0xf4, FROZEN),
		    FAKE_W(w, 0xd8, 0), FAKE_W(w, 0xdc, 0), FAKE_W(w, 0xe0, 0),
		    FAKE_W(w, 0xe4, 0), FAKE_W(w, 0xf0, BIT(19)), FAKE_W(w, 0xa4, 0),
		    FAKE_W(w, 0xa0, 0), FAKE_W(w, 0xac, 0), FAKE_W(w, 0xa8, 0),
		    FAKE_W(w, 0xb4, 0), FAKE_W(w, 0xb0, 0), FAKE_W(w, 0xbc, 0),
		    FAKE_W(w, 0xb8, 0));
}

static void program_ha_clears_each_register(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_R(w, 0x40), FAKE_R(w, 0x44), FAKE_R(w, 0x48),
		    FAKE_W(w, 0xf4, LISTEN), FAKE_W(w, 0xf4, FROZEN), FAKE_W(w, 0xd8, 0),
		    FAKE_W(w, 0xdc, 0), FAKE_W(w, 0xe0, 0), FAKE_W(w, 0xe4, 0),
		    FAKE_W(w, 0xa4, 0), FAKE_W(w, 0xa0, 0), FAKE_W(w, 0xac, 0),
		    FAKE_W(w, 0xa8, 0), FAKE_W(w, 0xb4, 0), FAKE_W(w, 0xb0, 0),
		    FAKE_W(w, 0xbc, 0), FAKE_W(w, 0xb8, 0), FAKE_W(w, 0x40, 0),
		    FAKE_W(w, 0x44, 0), FAKE_W(w, 0x48, 0));
}

static void program_ubox_clears_each_register(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ubox", 0);
	struct fake_window *w = fake_window(box);

	ucore_box_program(box, no_filters);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xc10, 0), FAKE_W(w, 0xc11, 0),
		    FAKE_W(w, 0xc08, 0), FAKE_W(w, 0xc16, 0), FAKE_W(w, 0xc17, 0),
		    FAKE_W(w, 0xc09, 0), FAKE_W(w, 0xc09, BIT_ULL(48) - 1),
		    FAKE_R(w, 0xc09), FAKE_W(w, 0xc09, 0));
}

/* ---- steps of a session ---- */

static struct ucore_session *session_of(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "ubox", 0), 0x42, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "cbo", 0), 0x1d, BIT(2), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 0, FIXED, 0, NULL), 0);
	return s;
}

/* Check that the last writes in the log are these. */
static void expect_writes(struct kunit *test, const struct fake_access *want, u32 nr)
{
	struct fake_bus *bus = bus_of(test);
	u32 i, first = min_t(u32, bus->nr, FAKE_LOG) - nr;

	KUNIT_ASSERT_GE(test, min_t(u32, bus->nr, FAKE_LOG), nr);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_PTR_EQ(test, bus->log[first + i].win, want[i].win);
		KUNIT_EXPECT_EQ(test, bus->log[first + i].op, 'W');
		KUNIT_EXPECT_EQ(test, bus->log[first + i].reg, want[i].reg);
		KUNIT_EXPECT_EQ(test, bus->log[first + i].val, want[i].val);
	}
	fake_bus_clear(bus);
}

/*
 * The UBox is first enabled without an event. Its event is written when everything else is
 * ready. Then the other boxes are unfrozen one by one.
 */
static void start_enables_the_ubox_last(struct kunit *test)
{
	struct fake_window *u = fake_window(fake_box(test, 0, "ubox", 0));
	struct fake_window *c = fake_window(fake_box(test, 0, "cbo", 0));
	struct fake_window *m = fake_window(fake_box(test, 0, "imc", 0));
	const struct fake_access last[] = {
		FAKE_W(u, 0xc11, EN), FAKE_W(c, 0x12, EN | 0x1d), FAKE_W(m, 0xf0, EN),
		FAKE_W(u, 0xc11, EN | 0x42), FAKE_W(c, 0x04, RUN), FAKE_W(m, 0xf4, RUN),
	};

	KUNIT_ASSERT_EQ(test, fake_start(session_of(test)), 0);
	expect_writes(test, last, ARRAY_SIZE(last));
}

/* The fixed counter has no event: it is enabled last. */
static void start_enables_the_fixed_counter_last(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct fake_window *u = fake_window(fake_box(test, 0, "ubox", 0));

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "ubox", 0), 0, FIXED, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(u, 0xc10, 0), FAKE_W(u, 0xc11, 0),
		    FAKE_W(u, 0xc08, 0), FAKE_W(u, 0xc16, 0), FAKE_W(u, 0xc17, 0),
		    FAKE_W(u, 0xc09, 0), FAKE_W(u, 0xc09, BIT_ULL(48) - 1),
		    FAKE_R(u, 0xc09), FAKE_W(u, 0xc09, 0), FAKE_W(u, 0xc08, EN));
}

/* Write frz with frz_en, read, unfreeze in the same order. The running UBox is read last. */
static void read_freezes_box_by_box(struct kunit *test)
{
	struct fake_window *u = fake_window(fake_box(test, 0, "ubox", 0));
	struct fake_window *c = fake_window(fake_box(test, 0, "cbo", 0));
	struct fake_window *m = fake_window(fake_box(test, 0, "imc", 0));
	struct ucore_session *s = session_of(test);

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	fake_poke(u, 0xc17, 11);
	fake_poke(c, 0x18, 22);
	fake_poke(m, 0xd0, 33);
	session_read(s, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(c, 0x04, FROZEN), FAKE_W(m, 0xf4, FROZEN),
		    FAKE_R(c, 0x18), FAKE_R(m, 0xd0), FAKE_R(m, 0xd4), FAKE_R(u, 0xc17),
		    FAKE_W(c, 0x04, RUN), FAKE_W(m, 0xf4, RUN));
	KUNIT_EXPECT_EQ(test, s->values[0].count, 11ULL);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_UNFROZEN);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 22ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, 0U);
	KUNIT_EXPECT_EQ(test, s->values[2].count, 33ULL);
	KUNIT_EXPECT_EQ(test, s->values[2].flags, 0U);
}

static void skew_of_several_boxes_is_reported(struct kunit *test)
{
	struct ucore_domain *domain = &ucore_catalog.domains[0];
	struct ucore_session *one = fake_session(test), *two = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(one, fake_box(test, 0, "ha", 0), 1, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(one), 0);
	session_read(one, false);
	/* a single box needs a single write */
	KUNIT_EXPECT_EQ(test, one->domains[0].skew_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, one->skew_ns, 0ULL);

	KUNIT_ASSERT_EQ(test, fake_add(two, fake_box(test, 0, "pcu", 0), 0, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(two), 0);
	session_read(two, false);
	KUNIT_EXPECT_GT(test, two->domains[0].skew_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, two->skew_ns, two->domains[0].skew_ns);
	KUNIT_EXPECT_EQ(test, domain->skew_max_ns, two->domains[0].skew_ns);
	fake_stop(two);
	session_read(one, false);
	KUNIT_EXPECT_EQ(test, one->domains[0].skew_ns, 0ULL);
	KUNIT_EXPECT_GT(test, domain->skew_max_ns, 0ULL);
}

/* The counts of a stopped session are those of the freeze by STOP, and so is the skew. */
static void read_after_stop_reports_the_skew_of_stop(struct kunit *test)
{
	struct ucore_session *s = session_of(test);

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_stop(s);
	session_read(s, false);
	KUNIT_EXPECT_GT(test, s->domains[0].skew_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, s->domains[0].skew_ns, s->ctx[0]->domain->skew_ns);
	KUNIT_EXPECT_EQ(test, s->skew_ns, s->domains[0].skew_ns);
	/* counts of 0 have no skew */
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->domains[0].skew_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, s->skew_ns, 0ULL);
}

static void sample_reports_the_skew(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;
	const struct ucore_sample *sample;

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, EN | 4, 0);
	fake_ctx_add(ctx, fake_box(test, 0, "imc", 1), 0, EN | 4, 0);
	ctx->timer_ns = NSEC_PER_MSEC;
	raw_spin_lock_irq(&domain->lock);
	ucore_freeze_domain(domain, ktime_get_mono_fast_ns());
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ucore_unfreeze_domain(domain, true));
	raw_spin_unlock_irq(&domain->lock);
	fake_timer_fire(&ctx->timer);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_GT(test, sample->skew_ns, 0ULL);
	KUNIT_EXPECT_GT(test, sample->frozen_ns, sample->skew_ns);
}

/* The box control cannot reset controls: each is cleared by a write, and the box stays frozen. */
static void stop_clears_each_control(struct kunit *test)
{
	struct fake_window *u = fake_window(fake_box(test, 0, "ubox", 0));
	struct fake_window *c = fake_window(fake_box(test, 0, "cbo", 0));
	struct fake_window *m = fake_window(fake_box(test, 0, "imc", 0));
	struct ucore_session *s = session_of(test);

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_bus_clear(bus_of(test));
	fake_stop(s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(c, 0x04, FROZEN), FAKE_W(m, 0xf4, FROZEN),
		    FAKE_R(c, 0x18), FAKE_R(m, 0xd0), FAKE_R(m, 0xd4), FAKE_R(u, 0xc17),
		    FAKE_W(u, 0xc11, 0), FAKE_W(c, 0x12, 0), FAKE_W(m, 0xf0, 0));
	KUNIT_EXPECT_TRUE(test, list_empty(&ucore_catalog.domains[0].boxes));
}

/* RESET uses the reset bit of a control if there is one. A running counter is read instead. */
static void reset_uses_reset_bits_of_controls(struct kunit *test)
{
	struct fake_window *u = fake_window(fake_box(test, 0, "ubox", 0));
	struct fake_window *c = fake_window(fake_box(test, 0, "cbo", 0));
	struct fake_window *m = fake_window(fake_box(test, 0, "imc", 0));
	struct ucore_session *s = session_of(test);

	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_poke(c, 0x18, 22);
	fake_poke(u, 0xc17, 33);
	fake_bus_clear(bus_of(test));
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(c, 0x04, FROZEN), FAKE_W(m, 0xf4, FROZEN),
		    FAKE_R(u, 0xc17), FAKE_W(c, 0x12, EN | BIT(17) | 0x1d),
		    FAKE_W(m, 0xf0, EN | BIT(19)), FAKE_W(c, 0x04, RUN), FAKE_W(m, 0xf4, RUN));
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x18), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x12), EN | 0x1dULL);
	fake_poke(u, 0xc17, 38);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].count, 5ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].count, 0ULL);
}

static void close_restores_filter_and_unfreezes(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "pcu", 0);
	struct fake_window *w = fake_window(box);
	struct ucore_session *s = fake_session(test);

	fake_poke(w, 0xc34, 0xaabb);
	KUNIT_ASSERT_EQ(test, fake_add(s, box, 0, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_stop(s);
	fake_bus_clear(bus_of(test));
	fake_session_close(test, s);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xc24, LISTEN), FAKE_W(w, 0xc24, FROZEN),
		    FAKE_W(w, 0xc24, RESET), FAKE_W(w, 0xc30, 0), FAKE_W(w, 0xc31, 0),
		    FAKE_W(w, 0xc32, 0), FAKE_W(w, 0xc33, 0), FAKE_W(w, 0xc34, 0xaabb),
		    FAKE_W(w, 0xc24, RUN));
}

/* A dead box is no longer frozen and unfrozen, unlike the others. */
static void dead_box_is_not_frozen(struct kunit *test)
{
	struct ucore_box *dead = fake_box(test, 0, "imc", 0), *alive = fake_box(test, 0, "imc", 1);
	struct fake_window *w = fake_window(alive);
	struct ucore_session *s = fake_session(test);

	KUNIT_ASSERT_EQ(test, fake_add(s, dead, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, alive, 4, BIT(0), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	fake_window(dead)->dead = true;
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, s->values[0].flags, (u32)UCORE_VALUE_F_DEAD);
	fake_bus_clear(bus_of(test));
	session_read(s, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(w, 0xf4, FROZEN), FAKE_R(w, 0xa0),
		    FAKE_W(w, 0xf4, RUN));
}

/* Check all values written to box controls in a session with every box. */
static void box_controls_get_legal_words_only(struct kunit *test)
{
	struct fake_bus *bus = bus_of(test);
	struct ucore_session *s = fake_session(test);
	const struct fake_access *a;
	u32 i, seen = 0;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		KUNIT_ASSERT_EQ(test, fake_add(s, &ucore_catalog.boxes[i], 0x40, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	session_read(s, false);
	KUNIT_EXPECT_EQ(test, session_reset(s), 0);
	fake_stop(s);
	fake_session_close(test, s);
	KUNIT_ASSERT_LT(test, bus->nr, (u32)FAKE_LOG);
	for (a = bus->log; a < bus->log + bus->nr; a++) {
		if (a->op != 'W' || !a->win->layout || a->reg != a->win->layout->box_ctl)
			continue;
		seen++;
		if (a->win->type->words->reach)
			KUNIT_EXPECT_TRUE(test, a->val == LISTEN || a->val == FROZEN ||
					  a->val == RESET);
		else
			KUNIT_EXPECT_TRUE(test, a->val == LISTEN || a->val == FROZEN);
	}
	KUNIT_EXPECT_GT(test, seen, 9 * (ucore_catalog.nr_boxes - 1));
	/* and no access of a global control, which does not exist */
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus, fake_global(0), 0), 0U);
}

/*
 * The manual gives the bits of the box control as write-only: what is read is never written back,
 * and is no conflict.
 */
static void write_only_box_controls_are_never_written_back(struct kunit *test)
{
	struct fake_window *u = fake_window(fake_box(test, 0, "ubox", 0));
	struct fake_window *c = fake_window(fake_box(test, 0, "cbo", 0));
	struct fake_window *m = fake_window(fake_box(test, 0, "imc", 0));
	struct ucore_session *s = session_of(test);

	c->write_only = true;
	m->write_only = true;
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x04), (u64)RUN);
	fake_bus_clear(bus_of(test));
	fake_clock_advance(UCORE_CONFLICT_PERIOD_NS);
	fake_timer_fire(&ucore_catalog.domains[0].watchdog);
	KUNIT_EXPECT_EQ(test, fake_bus_count(bus_of(test), c, 'W'), 0U);
	fake_clock_advance(UCORE_CONFLICT_PERIOD_NS);
	fake_timer_fire(&ucore_catalog.domains[0].watchdog);
	KUNIT_EXPECT_EQ(test, session_status(s).conflicts, 0U);
	fake_bus_clear(bus_of(test));
	fake_poke(c, 0x18, 22);
	session_read(s, false);
	FAKE_EXPECT(test, bus_of(test), FAKE_W(c, 0x04, FROZEN), FAKE_W(m, 0xf4, FROZEN),
		    FAKE_R(c, 0x18), FAKE_R(m, 0xd0), FAKE_R(m, 0xd4), FAKE_R(u, 0xc17),
		    FAKE_W(c, 0x04, RUN), FAKE_W(m, 0xf4, RUN));
	KUNIT_EXPECT_EQ(test, s->values[1].count, 22ULL);
	KUNIT_EXPECT_EQ(test, s->values[1].flags, 0U);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x04), (u64)FROZEN);
	fake_session_close(test, s);
	KUNIT_EXPECT_EQ(test, fake_peek(c, 0x04), (u64)RUN);
	KUNIT_EXPECT_EQ(test, fake_peek(m, 0xf4), (u64)RUN);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(box_types_are_as_in_the_manual),
	KUNIT_CASE(pci_ids_are_as_listed),
	KUNIT_CASE(platform_has_no_global_control),
	KUNIT_CASE(box_control_words_are_as_in_the_manual),
	KUNIT_CASE(imc_increments_are_as_listed),
	KUNIT_CASE(cbo_increments_are_as_listed),
	KUNIT_CASE(cbo_filter_fields_share_one_register),
	KUNIT_CASE(program_cbo_access_sequence_is_exact),
	KUNIT_CASE(counter_of_shared_box_is_cleared_by_its_reset),
	KUNIT_CASE(program_imc_clears_each_register),
	KUNIT_CASE(program_ha_clears_each_register),
	KUNIT_CASE(program_ubox_clears_each_register),
	KUNIT_CASE(start_enables_the_ubox_last),
	KUNIT_CASE(start_enables_the_fixed_counter_last),
	KUNIT_CASE(read_freezes_box_by_box),
	KUNIT_CASE(skew_of_several_boxes_is_reported),
	KUNIT_CASE(read_after_stop_reports_the_skew_of_stop),
	KUNIT_CASE(sample_reports_the_skew),
	KUNIT_CASE(stop_clears_each_control),
	KUNIT_CASE(reset_uses_reset_bits_of_controls),
	KUNIT_CASE(close_restores_filter_and_unfreezes),
	KUNIT_CASE(dead_box_is_not_frozen),
	KUNIT_CASE(box_controls_get_legal_words_only),
	KUNIT_CASE(write_only_box_controls_are_never_written_back),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_snbep",
	.init = fake_machine_init_v1,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
