// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of event encoding: every field of every box type of the E5-2600 v2, against the
 * register layouts of the manual (329468-002). Layouts are written with bit numbers, not with
 * the driver's own header.
 */
#include "fake_machine.h"
#include "find/static_table.h"
#include "platforms/match.h"
#include "event/event.h"

#define BITS(high, low)	GENMASK_ULL(high, low)

/**
 * struct expect - position of a field of a box type
 * @type: box type
 * @field: UCORE_FIELD_*
 * @legal: bits of a value that may be set
 * @slot: register word (0 is the control, n is the shared register n - 1)
 * @shift: shift from value to word
 */
struct expect {
	const char *type;
	u32 field;
	u64 legal;
	u32 slot;
	u32 shift;
};

#define CTL(_type, _field, _legal, _shift) \
	{ .type = (_type), .field = UCORE_FIELD_##_field, .legal = (_legal), .shift = (_shift) }
#define SHARED(_type, _field, _legal, _slot, _shift) \
	{ .type = (_type), .field = UCORE_FIELD_##_field, .legal = (_legal), \
	  .slot = (_slot), .shift = (_shift) }

/* Control registers of 329468-002. Fields in two pieces are tested separately. */
static const struct expect expects[] = {
	CTL("cbo", EVENT, 0xff, 0),
	CTL("cbo", UMASK, 0xff, 8),
	CTL("cbo", EDGE, 1, 18),
	CTL("cbo", TID_EN, 1, 19),
	CTL("cbo", THRESH, 0xff, 24),
	SHARED("cbo", FILTER_TID, 0x1f, 1, 0),
	SHARED("cbo", FILTER_LINK, 0xf, 1, 5),
	SHARED("cbo", FILTER_STATE, 0x3f, 1, 17),
	SHARED("cbo", FILTER_NID, 0xffff, 2, 0),
	SHARED("cbo", FILTER_OPC, 0x1ff, 2, 20),
	SHARED("cbo", FILTER_C6, 1, 2, 29),
	SHARED("cbo", FILTER_NC, 1, 2, 30),
	SHARED("cbo", FILTER_ISOC, 1, 2, 31),

	CTL("ubox", EVENT, 0xff, 0),
	CTL("ubox", UMASK, 0xff, 8),
	CTL("ubox", EDGE, 1, 18),
	CTL("ubox", THRESH, 0x1f, 24),

	CTL("pcu", EDGE, 1, 18),
	CTL("pcu", THRESH, 0x1f, 24),
	CTL("pcu", OCC_SEL, 3, 14),
	CTL("pcu", OCC_INVERT, 1, 30),
	CTL("pcu", OCC_EDGE, 1, 31),
	SHARED("pcu", BAND0, 0xff, 1, 0),
	SHARED("pcu", BAND1, 0xff, 1, 8),
	SHARED("pcu", BAND2, 0xff, 1, 16),
	SHARED("pcu", BAND3, 0xff, 1, 24),

	CTL("ha", EVENT, 0xff, 0),
	CTL("ha", UMASK, 0xff, 8),
	CTL("ha", EDGE, 1, 18),
	CTL("ha", THRESH, 0xff, 24),
	CTL("ha", OCC_RST, 1, 16),
	SHARED("ha", OPC_MATCH, 0x3f, 3, 0),

	CTL("imc", EVENT, 0xff, 0),
	CTL("imc", UMASK, 0xff, 8),
	CTL("imc", EDGE, 1, 18),
	CTL("imc", THRESH, 0xff, 24),

	CTL("qpi", UMASK, 0xff, 8),
	CTL("qpi", EDGE, 1, 18),
	CTL("qpi", THRESH, 0xff, 24),
	SHARED("qpi", MATCH0, BIT_ULL(31) | BITS(17, 3), 1, 0),
	SHARED("qpi", MATCH1, BITS(19, 16) | BITS(3, 0), 2, 0),
	SHARED("qpi", MASK0, BIT_ULL(31) | BITS(17, 3), 3, 0),
	SHARED("qpi", MASK1, BITS(19, 16) | BITS(3, 0), 4, 0),

	CTL("r2pcie", EVENT, 0xff, 0),
	CTL("r2pcie", UMASK, 0xff, 8),
	CTL("r2pcie", EDGE, 1, 18),
	CTL("r2pcie", THRESH, 0xff, 24),

	CTL("r3qpi", EVENT, 0xff, 0),
	CTL("r3qpi", UMASK, 0xff, 8),
	CTL("r3qpi", EDGE, 1, 18),
	CTL("r3qpi", THRESH, 0xff, 24),

	CTL("irp", EVENT, 0xff, 0),
	CTL("irp", UMASK, 0xff, 8),
	CTL("irp", EDGE, 1, 18),
	CTL("irp", THRESH, 0xff, 24),
};

/* Fields in two pieces */
static const struct {
	const char *type;
	u32 field;
} split[] = {
	{ "pcu", UCORE_FIELD_EVENT }, { "qpi", UCORE_FIELD_EVENT },
	{ "ha", UCORE_FIELD_ADDR_MATCH },
};

static const char * const types[] = {
	"cbo", "ubox", "pcu", "ha", "imc", "qpi", "r2pcie", "r3qpi", "irp",
};

static void type_name(const char * const *type, char *name)
{
	strscpy(name, *type, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(type, types, type_name);

static struct ucore_box *box_of_type(struct kunit *test)
{
	return fake_box(test, 0, *(const char * const *)test->param_value, 0);
}

/* Encode one field. An edge needs a threshold: add one, and remove it from the result. */
static int encode_one(const struct ucore_box *box, u32 field, u64 value,
		      struct ucore_event_spec *spec)
{
	const struct ucore_term terms[] = {
		{ .field = field, .value = value },
		{ .field = UCORE_FIELD_THRESH, .value = 1 },
	};
	int ret = ucore_event_encode(box, terms, field == UCORE_FIELD_EDGE ? 2 : 1, spec);

	if (field == UCORE_FIELD_EDGE) {
		spec->value[0] &= ~BIT_ULL(24);
		spec->claimed[0] &= BIT_ULL(18);
	}
	return ret;
}

static void expect_row(struct kunit *test, const struct ucore_box *box, const struct expect *e)
{
	struct ucore_event_spec spec;
	u32 bit, slot;

	for (bit = 0; bit < 64; bit++) {
		if (!(e->legal & BIT_ULL(bit))) {
			KUNIT_EXPECT_EQ_MSG(test, encode_one(box, e->field, BIT_ULL(bit), &spec),
					    -ERANGE, "%s field %u bit %u", e->type, e->field, bit);
			continue;
		}
		KUNIT_EXPECT_EQ(test, encode_one(box, e->field, BIT_ULL(bit), &spec), 0);
		for (slot = 0; slot < UCORE_NR_SLOTS; slot++) {
			KUNIT_EXPECT_EQ_MSG(test, spec.value[slot],
					    slot == e->slot ? BIT_ULL(bit) << e->shift : 0,
					    "%s field %u bit %u", e->type, e->field, bit);
			KUNIT_EXPECT_EQ_MSG(test, spec.claimed[slot],
					    slot == e->slot ? e->legal << e->shift : 0,
					    "%s field %u", e->type, e->field);
		}
	}
	KUNIT_EXPECT_EQ(test, encode_one(box, e->field, e->legal, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.value[e->slot], e->legal << e->shift);
}

static void each_field_is_encoded_at_its_bits(struct kunit *test)
{
	struct ucore_box *box = box_of_type(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(expects); i++)
		if (!strcmp(expects[i].type, box->desc.type->name))
			expect_row(test, box, &expects[i]);
}

static bool field_expected(const char *type, u32 field)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(expects); i++)
		if (expects[i].field == field && !strcmp(expects[i].type, type))
			return true;
	for (i = 0; i < ARRAY_SIZE(split); i++)
		if (split[i].field == field && !strcmp(split[i].type, type))
			return true;
	return false;
}

/* The table has the fields above and no others. Any other known field is refused with -ENXIO. */
static void other_fields_are_refused(struct kunit *test)
{
	struct ucore_box *box = box_of_type(test);
	struct ucore_event_spec spec;
	int ret;
	u32 field;

	for (field = 0; field < 64; field++) {
		ret = encode_one(box, field, 0, &spec);
		if (!ucore_field_known(field))
			KUNIT_EXPECT_EQ_MSG(test, ret, -EINVAL, "field %u", field);
		else if (field_expected(box->desc.type->name, field))
			KUNIT_EXPECT_EQ_MSG(test, ret, 0, "field %u", field);
		else
			KUNIT_EXPECT_EQ_MSG(test, ret, -ENXIO, "field %u", field);
	}
	KUNIT_EXPECT_EQ(test, encode_one(box, ~0U, 0, &spec), -EINVAL);
}

static void known_fields_match_the_uapi(struct kunit *test)
{
	u32 field;
	bool known;

	for (field = 0; field < 64; field++) {
		known = field >= 1 && field <= 42;
		KUNIT_EXPECT_EQ_MSG(test, ucore_field_known(field), known, "field %u", field);
	}
	KUNIT_EXPECT_FALSE(test, ucore_field_known(~0U));
}

static void fields_of_a_box_do_not_overlap(struct kunit *test)
{
	struct ucore_box *box = box_of_type(test);
	u64 seen[UCORE_NR_SLOTS] = { };
	const struct ucore_piece *piece;
	u32 i, j;

	for (i = 0; i < box->desc.type->nr_fields; i++) {
		for (j = 0; j < 2; j++) {
			piece = &box->desc.type->fields[i].piece[j];
			KUNIT_EXPECT_EQ(test, seen[piece->slot] & piece->mask, 0ULL);
			seen[piece->slot] |= piece->mask;
		}
	}
}

static void repeated_field_is_refused(struct kunit *test)
{
	struct ucore_box *box = box_of_type(test);
	const struct ucore_box_type *type = box->desc.type;
	struct ucore_term terms[3] = { { .field = UCORE_FIELD_THRESH, .value = 1 } };
	struct ucore_event_spec spec;
	u32 i;

	for (i = 0; i < type->nr_fields; i++) {
		terms[1].field = type->fields[i].field;
		terms[2].field = type->fields[i].field;
		KUNIT_EXPECT_EQ_MSG(test, ucore_event_encode(box, terms, 3, &spec), -EINVAL,
				    "field %u", terms[1].field);
	}
}

static void edge_without_threshold_is_refused(struct kunit *test)
{
	struct ucore_box *box = box_of_type(test);
	struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EDGE, .value = 1 },
		{ .field = UCORE_FIELD_THRESH, .value = 0 },
	};
	struct ucore_event_spec spec;

	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, terms, 1, &spec), -EINVAL);
	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, terms, 2, &spec), -EINVAL);
	terms[1].value = 1;
	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, terms, 2, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.value[0], BIT_ULL(18) | BIT_ULL(24));
	swap(terms[0], terms[1]);	/* in either order */
	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, terms, 2, &spec), 0);
	terms[0].value = 0;
	terms[1].value = 0;
	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, terms, 2, &spec), 0);
}

static void nonzero_reserved_member_is_refused(struct kunit *test)
{
	struct ucore_term term = { .field = UCORE_FIELD_EVENT, .reserved = 1 };
	struct ucore_event_spec spec;

	KUNIT_EXPECT_EQ(test, ucore_event_encode(box_of_type(test), &term, 1, &spec), -EINVAL);
}

static void event_without_terms_is_empty(struct kunit *test)
{
	struct ucore_event_spec spec;
	u32 i;

	memset(&spec, 0xff, sizeof(spec));
	KUNIT_EXPECT_EQ(test, ucore_event_encode(box_of_type(test), NULL, 0, &spec), 0);
	for (i = 0; i < UCORE_NR_SLOTS; i++) {
		KUNIT_EXPECT_EQ(test, spec.value[i], 0ULL);
		KUNIT_EXPECT_EQ(test, spec.claimed[i], 0ULL);
	}
	KUNIT_EXPECT_EQ(test, spec.counters, 0ULL);
	KUNIT_EXPECT_EQ(test, spec.period, 0ULL);
}

static void field_descriptions_match_encoding(struct kunit *test)
{
	struct ucore_box *box = box_of_type(test);
	struct ucore_field_info out;
	u32 i, j;

	for (i = 0; i < box->desc.type->nr_fields; i++) {
		memset(&out, 0xff, sizeof(out));
		ucore_field_describe(box, i, &out);
		KUNIT_EXPECT_EQ(test, out.field, box->desc.type->fields[i].field);
		KUNIT_EXPECT_GT(test, strlen(out.name), 0UL);
		for (j = 0; j < ARRAY_SIZE(expects); j++) {
			if (expects[j].field != out.field ||
			    strcmp(expects[j].type, box->desc.type->name))
				continue;
			KUNIT_EXPECT_EQ(test, out.mask, expects[j].legal);
			KUNIT_EXPECT_EQ(test, out.max, expects[j].legal);
			KUNIT_EXPECT_EQ(test, out.flags & UCORE_FIELD_F_SHARED,
					(u32)(expects[j].slot ? UCORE_FIELD_F_SHARED : 0));
		}
	}
}

/* ---- single box types ---- */

static void event_bit_8_is_the_extension_bit(struct kunit *test)
{
	static const char * const have[] = { "qpi", "pcu" };
	struct ucore_event_spec spec;
	struct ucore_box *box;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(have); i++) {
		box = fake_box(test, 0, have[i], 0);
		KUNIT_EXPECT_EQ(test, encode_one(box, UCORE_FIELD_EVENT, 0x138, &spec), 0);
		KUNIT_EXPECT_EQ(test, spec.value[0], BIT_ULL(21) | 0x38);
		KUNIT_EXPECT_EQ(test, spec.claimed[0], BIT_ULL(21) | 0xff);
		KUNIT_EXPECT_EQ(test, encode_one(box, UCORE_FIELD_EVENT, 0x38, &spec), 0);
		KUNIT_EXPECT_EQ(test, spec.value[0], 0x38ULL);
		KUNIT_EXPECT_EQ(test, encode_one(box, UCORE_FIELD_EVENT, 0x1ff, &spec), 0);
		KUNIT_EXPECT_EQ(test, encode_one(box, UCORE_FIELD_EVENT, 0x200, &spec), -ERANGE);
	}
	box = fake_box(test, 0, "imc", 0);
	KUNIT_EXPECT_EQ(test, encode_one(box, UCORE_FIELD_EVENT, 0x100, &spec), -ERANGE);
}

static void address_match_is_split_into_two_registers(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "ha", 0);
	struct ucore_event_spec spec;
	struct ucore_field_info out;
	u32 bit;

	KUNIT_EXPECT_EQ(test, encode_one(box, UCORE_FIELD_ADDR_MATCH, 0x2abcdef12340ULL, &spec),
			0);
	KUNIT_EXPECT_EQ(test, spec.value[1], 0xdef12340ULL);
	KUNIT_EXPECT_EQ(test, spec.value[2], 0x2abcULL);
	KUNIT_EXPECT_EQ(test, spec.claimed[1], 0xffffffc0ULL);
	KUNIT_EXPECT_EQ(test, spec.claimed[2], 0x3fffULL);
	KUNIT_EXPECT_EQ(test, spec.claimed[0], 0ULL);
	KUNIT_EXPECT_EQ(test, spec.claimed[3], 0ULL);
	for (bit = 0; bit < 64; bit++)
		KUNIT_EXPECT_EQ_MSG(test, encode_one(box, UCORE_FIELD_ADDR_MATCH, BIT_ULL(bit),
						     &spec),
				    bit >= 6 && bit <= 45 ? 0 : -ERANGE, "bit %u", bit);
	ucore_field_describe(box, 4, &out);
	KUNIT_EXPECT_EQ(test, out.field, (u32)UCORE_FIELD_ADDR_MATCH);
	KUNIT_EXPECT_EQ(test, out.mask, 0x3fffffffffc0ULL);
	KUNIT_EXPECT_STREQ(test, out.name, "addr_match");
}

/* Firmware may hide the PCI function with a port's match registers. */
static void match_fields_need_their_pci_function(struct kunit *test)
{
	struct ucore_box *box = fake_box(test, 0, "qpi", 1);
	struct ucore_event_spec spec;
	u32 field;

	box->aux.ops = NULL;
	for (field = UCORE_FIELD_MATCH0; field <= UCORE_FIELD_MASK1; field++)
		KUNIT_EXPECT_EQ(test, encode_one(box, field, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, encode_one(box, UCORE_FIELD_EVENT, 0x38, &spec), 0);
}

static void control_words_match_the_manual(struct kunit *test)
{
	static const struct ucore_term cas_rd[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x04 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x03 },
	};
	static const struct ucore_term tor_opcode[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x35 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x01 },
		{ .field = UCORE_FIELD_FILTER_OPC, .value = 0x182 },
		{ .field = UCORE_FIELD_FILTER_NID, .value = 0x2 },
	};
	static const struct ucore_term c3[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x80 },
		{ .field = UCORE_FIELD_OCC_SEL, .value = 2 },
		{ .field = UCORE_FIELD_THRESH, .value = 4 },
		{ .field = UCORE_FIELD_OCC_INVERT, .value = 1 },
	};
	struct ucore_event_spec spec;

	KUNIT_EXPECT_EQ(test, ucore_event_encode(fake_box(test, 0, "imc", 0), cas_rd, 2, &spec),
			0);
	KUNIT_EXPECT_EQ(test, spec.value[0], 0x304ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_encode(fake_box(test, 0, "cbo", 0), tor_opcode, 4,
						 &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.value[0], 0x135ULL);
	KUNIT_EXPECT_EQ(test, spec.value[1], 0ULL);
	KUNIT_EXPECT_EQ(test, spec.value[2], 0x18200002ULL);
	KUNIT_EXPECT_EQ(test, ucore_event_encode(fake_box(test, 0, "pcu", 0), c3, 4, &spec), 0);
	KUNIT_EXPECT_EQ(test, spec.value[0], 0x44008080ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(each_field_is_encoded_at_its_bits, type_gen_params),
	KUNIT_CASE_PARAM(other_fields_are_refused, type_gen_params),
	KUNIT_CASE(known_fields_match_the_uapi),
	KUNIT_CASE_PARAM(fields_of_a_box_do_not_overlap, type_gen_params),
	KUNIT_CASE_PARAM(repeated_field_is_refused, type_gen_params),
	KUNIT_CASE_PARAM(edge_without_threshold_is_refused, type_gen_params),
	KUNIT_CASE_PARAM(nonzero_reserved_member_is_refused, type_gen_params),
	KUNIT_CASE_PARAM(event_without_terms_is_empty, type_gen_params),
	KUNIT_CASE_PARAM(field_descriptions_match_encoding, type_gen_params),
	KUNIT_CASE(event_bit_8_is_the_extension_bit),
	KUNIT_CASE(address_match_is_split_into_two_registers),
	KUNIT_CASE(match_fields_need_their_pci_function),
	KUNIT_CASE(control_words_match_the_manual),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_event",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
