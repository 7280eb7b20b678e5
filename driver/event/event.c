// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events: validate fields, encode them into register words, choose counters. Owns the names of
 * the fields. Part of the session layer.
 *
 * Control words are computed completely from the event's fields and never read back from the
 * hardware. All functions are pure and run in any context.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "box/core_select.h"
#include "box/domain_global_ctl.h"
#include "selftest/overflow_trial.h"
#include "event/event.h"

/* For each UCORE_FIELD_*: its name, and whether an event with the field needs CAP_PERFMON. */
static const struct {
	const char *name;
	bool needs_perfmon;
} field_table[UCORE_FIELD_MAX + 1] = {
#define UCORE_FIELD(id, name_, needs_perfmon_, ...) \
	[UCORE_FIELD_##id] = { .name = (name_), .needs_perfmon = (needs_perfmon_) },
#include "hw/fields.h"
};

/**
 * ucore_field_known() - check whether a number is one of UCORE_FIELD_*
 * @field: number from user space
 *
 * Return: true if the number is a field of some box.
 */
bool ucore_field_known(u32 field)
{
	return field < ARRAY_SIZE(field_table) && field_table[field].name;
}

/*
 * Return the mask of those bits of a field's value that a piece stores. A field consists of one
 * or two pieces, each of which is a bit range of a register.
 */
static u64 piece_value_mask(const struct ucore_piece *piece)
{
	return piece->mask ? (piece->mask >> __ffs64(piece->mask)) << piece->shift : 0;
}

static u64 field_value_mask(const struct ucore_field_desc *desc)
{
	return piece_value_mask(&desc->piece[0]) | piece_value_mask(&desc->piece[1]);
}

/**
 * ucore_field_present() - check whether a box has a field of its type
 * @box: the box
 * @desc: a field of the box's type
 *
 * A QPI port's match registers are in a PCI function that firmware may hide. A control
 * register of 32 bits has no extended umask.
 *
 * Return: true if the box has the field.
 */
bool ucore_field_present(const struct ucore_box *box, const struct ucore_field_desc *desc)
{
	u8 slot = desc->piece[0].slot;

	if (slot == UCORE_SLOT_CTL)
		return !(desc->piece[0].mask >> 32) || box->desc.layout->wide_ctl;
	if (slot > box->desc.layout->nr_shared)
		return false;
	return !(box->desc.layout->shared_aux & BIT(slot - 1)) || box->aux.ops;
}

/**
 * ucore_field_describe() - describe a field, for GET_FIELDS
 * @box: the box
 * @i: index among the fields of the box's type
 * @out: the answer
 */
void ucore_field_describe(const struct ucore_box *box, u32 i, struct ucore_field_info *out)
{
	const struct ucore_field_desc *desc = &box->desc.type->fields[i];

	memset(out, 0, sizeof(*out));
	out->field = desc->field;
	out->mask = field_value_mask(desc);
	out->max = out->mask;
	if (desc->piece[0].slot != UCORE_SLOT_CTL)
		out->flags |= UCORE_FIELD_F_SHARED;
	if (field_table[desc->field].needs_perfmon)
		out->flags |= UCORE_FIELD_F_PERFMON;
	strscpy(out->name, field_table[desc->field].name, sizeof(out->name));
}

static const struct ucore_field_desc *field_find(const struct ucore_box *box, u32 field)
{
	const struct ucore_box_type *type = box->desc.type;
	u32 i;

	for (i = 0; i < type->nr_fields; i++)
		if (type->fields[i].field == field)
			return &type->fields[i];
	return NULL;
}

static void piece_store(struct ucore_event_spec *spec, const struct ucore_piece *piece,
			u64 value)
{
	if (!piece->mask)
		return;
	spec->value[piece->slot] |= (value >> piece->shift << __ffs64(piece->mask)) &
				    piece->mask;
	spec->claimed[piece->slot] |= piece->mask;
}

static int term_encode(const struct ucore_box *box, const struct ucore_term *term,
		       struct ucore_event_spec *spec)
{
	const struct ucore_field_desc *desc;
	const struct ucore_piece *piece;

	if (term->reserved || !ucore_field_known(term->field))
		return -EINVAL;
	desc = field_find(box, term->field);
	if (!desc || !ucore_field_present(box, desc))
		return -ENXIO;
	if (term->value & ~field_value_mask(desc))
		return -ERANGE;

	piece = &desc->piece[0];
	if (spec->claimed[piece->slot] & piece->mask)
		return -EINVAL;	/* field given twice */
	piece_store(spec, piece, term->value);
	piece_store(spec, &desc->piece[1], term->value);
	spec->filters |= piece->slot != UCORE_SLOT_CTL ||
			 (term->field == UCORE_FIELD_TID_EN && term->value);
	spec->resets |= term->field == UCORE_FIELD_OCC_RST && term->value;
	spec->perfmon_filters |= piece->slot != UCORE_SLOT_CTL &&
				 field_table[term->field].needs_perfmon;
	return 0;
}

static bool term_set(const struct ucore_term *terms, u32 nr, u32 field)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (terms[i].field == field)
			return terms[i].value;
	return false;
}

/*
 * Return true if the event has the threshold that edge or invert require. Uncore boxes compare
 * with the threshold before they detect edges. Core counters, which have the field usr, detect
 * edges without a threshold.
 */
static bool threshold_ok(const struct ucore_box *box, const struct ucore_term *terms, u32 nr)
{
	bool edge = term_set(terms, nr, UCORE_FIELD_EDGE) && !field_find(box, UCORE_FIELD_USR);

	return !(edge || term_set(terms, nr, UCORE_FIELD_INVERT)) ||
	       term_set(terms, nr, UCORE_FIELD_THRESH);
}

/**
 * ucore_event_encode() - encode fields into register words
 * @box: the box
 * @terms: the fields
 * @nr: length of @terms
 * @spec: receives the words; zeroed first
 *
 * Return: 0; -EINVAL if a field is unknown or given twice, or if edge or invert lack a required
 * threshold (threshold_ok()); -ENXIO if the box does not have a field; -ERANGE if a value does
 * not fit its field.
 */
int ucore_event_encode(const struct ucore_box *box, const struct ucore_term *terms,
		       u32 nr, struct ucore_event_spec *spec)
{
	int ret;
	u32 i;

	memset(spec, 0, sizeof(*spec));
	for (i = 0; i < nr; i++) {
		ret = term_encode(box, &terms[i], spec);
		if (ret)
			return ret;
	}
	if (!threshold_ok(box, terms, nr))
		return -EINVAL;
	if (!(spec->value[UCORE_SLOT_CTL] & box->desc.type->ctl_default))
		spec->value[UCORE_SLOT_CTL] |= box->desc.type->ctl_default;
	return 0;
}

/**
 * ucore_event_needs_perfmon() - check whether an event observes single programs
 * @terms: fields of an event
 * @nr: length of @terms
 *
 * Filters by address, core, thread, opcode or packet separate the accesses of one program from
 * those of another. Read often, such counts are a side channel like the timing of a cache.
 *
 * Return: true if a field is such a filter, so that CAP_PERFMON is required.
 */
bool ucore_event_needs_perfmon(const struct ucore_term *terms, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (ucore_field_known(terms[i].field) && field_table[terms[i].field].needs_perfmon)
			return true;
	return false;
}

static u64 general_mask(const struct ucore_box_type *type)
{
	return type->nr_gp ? GENMASK_ULL(type->nr_gp - 1, 0) : 0;
}

static u64 constraint_mask(const struct ucore_box_type *type, u64 ctl)
{
	const struct ucore_constraint *c;
	u32 event = ctl & 0xff, umask = ctl >> 8 & 0xff;

	for (c = type->constraints; c && c->counters; c++)
		if (event >= c->event && event <= c->last && (!c->umask || c->umask == umask))
			return c->counters & general_mask(type);
	return general_mask(type);
}

static u64 fixed_mask(const struct ucore_box_type *type)
{
	return type->nr_fixed ? GENMASK_ULL(UCORE_COUNTER_FIXED + type->nr_fixed - 1,
					    UCORE_COUNTER_FIXED) : 0;
}

/* Return true if the event has a threshold. Its counter then adds at most 1 in each clock. */
static bool has_threshold(const struct ucore_box *box, const struct ucore_event_spec *spec)
{
	const struct ucore_field_desc *thresh = field_find(box, UCORE_FIELD_THRESH);

	return thresh && (spec->value[UCORE_SLOT_CTL] & thresh->piece[0].mask);
}

/* Number of polls of the global status in the shortest time in which a period can end */
#define STATUS_POLLS	8

/* Return the shortest time in which the event's period can end (ns). */
static u64 shortest_period(const struct ucore_box *box, bool fixed,
			   const struct ucore_event_spec *spec)
{
	u32 inc = ucore_event_max_increment(box->desc.type, spec->value[UCORE_SLOT_CTL], fixed);

	if (has_threshold(box, spec))
		inc = 1;
	return mul_u64_u64_div_u64(spec->period, NSEC_PER_SEC, UCORE_MAX_CLOCK_HZ * inc);
}

/*
 * Return the time between polls: the shortest time in which the event's period can end, so that
 * at most one period ends between two polls (ns). Return 0 if polls would have to be closer than
 * UCORE_POLL_MIN_NS, which limits their overhead. UCORE_POLL_MAX_NS limits the delay of samples.
 */
static u64 poll_time(const struct ucore_box *box, bool fixed, const struct ucore_event_spec *spec)
{
	u64 ns = shortest_period(box, fixed, spec);

	return ns < UCORE_POLL_MIN_NS ? 0 : min(ns, UCORE_POLL_MAX_NS);
}

static int poll_restrict(const struct ucore_box *box, bool fixed, struct ucore_event_spec *spec)
{
	spec->poll_ns = poll_time(box, fixed, spec);
	return spec->poll_ns ? 0 : -ERANGE;
}

/* Return true if the control of a fixed counter has all fields of the event. */
static bool fixed_has_fields(const struct ucore_box_type *type, const struct ucore_event_spec *spec)
{
	u64 rest = spec->claimed[UCORE_SLOT_CTL];
	const struct ucore_fixed_bit *bit;
	u32 i;

	for (bit = type->fixed_bits; bit && bit->ctl; bit++)
		rest &= ~(u64)bit->ctl;
	for (i = UCORE_SLOT_SHARED(0); i < UCORE_NR_SLOTS; i++)
		rest |= spec->claimed[i];
	return !rest;
}

/*
 * Return true if a counter of @width bits can be preloaded so that it overflows after the
 * period. @preload_bits is the number of bits that software can write. The preload sets the
 * highest of these bits. 0 means that software can write all bits, and sets any of them.
 */
static bool period_fits(u64 period, u8 width, u8 preload_bits)
{
	if (preload_bits)
		return period <= BIT_ULL(preload_bits - 1);
	/* a preload of all ones in 64 bits would look like a dead box */
	return width < 64 ? !(period >> width) : period > 1;
}

/*
 * Return true if overflows of the box that end periods interrupt a CPU. A period of a die that
 * interrupts without a freeze does not exist.
 */
static bool interrupts(const struct ucore_box *box)
{
	return box->desc.scope == UCORE_SCOPE_CPU ||
	       (ucore_core_select_works(box->domain) &&
		ucore_domain_overflow_freezes(box->domain));
}

/**
 * ucore_event_needs_trial() - check whether only a trial shows if a period can end by an overflow
 * @box: the box
 * @end: how the end of the period must be noticed
 *
 * Return: true if a trial may show that an overflow of the box ends the period as @end requires: a
 * trial of overflows, or a trial of the PMI.
 */
bool ucore_event_needs_trial(const struct ucore_box *box, enum ucore_period_end end)
{
	const struct ucore_domain *domain = box->domain;

	if (end == UCORE_END_FREEZE)
		return ucore_overflow_trial_open(box);
	if (end == UCORE_END_POLL || !domain->global || !domain->global->sel_untried)
		return false;
	if (ucore_core_select_works(domain))
		return ucore_overflow_trial_open(box);
	return ucore_core_select_untried(domain) &&
	       (ucore_overflow_trial_open(box) ||
		READ_ONCE(box->caps) & UCORE_BOX_F_ANY_OVERFLOW);
}

/*
 * Return true if an overflow of the counters can end the period as required by @end. A trial that
 * has not been made yet may show that it can: of the general counters, or of the fixed counter of a
 * box without general counters.
 */
static bool overflow_ends(const struct ucore_box *box, bool fixed, enum ucore_period_end end)
{
	u32 caps;

	if (end == UCORE_END_POLL)
		return false;
	if (ucore_event_needs_trial(box, end))
		return fixed == !box->desc.type->nr_gp;
	caps = READ_ONCE(box->caps);
	if (!(caps & (fixed ? UCORE_BOX_F_FIXED_OVERFLOW : UCORE_BOX_F_OVERFLOW)))
		return false;
	return end == UCORE_END_FREEZE ? ucore_domain_overflow_freezes(box->domain) :
					 interrupts(box);
}

/*
 * Choose polls of the global status in place of an interrupt. Several polls in the shortest period
 * keep the time short in which the domain stands still.
 */
static void poll_status(const struct ucore_box *box, bool fixed, struct ucore_event_spec *spec)
{
	u64 ns = shortest_period(box, fixed, spec);

	spec->status_poll_ns = clamp(ns / STATUS_POLLS, UCORE_POLL_MIN_NS, UCORE_POLL_MAX_NS);
}

/**
 * ucore_event_restrict() - find the counters that an event may use, and check its period
 * @box: the box
 * @counters: mask of the counters requested, 0 for any general counter
 * @period: overflow period (counts), 0 for none
 * @end: how the end of the period must be noticed
 * @spec: encoded event. The function sets its counters, period, and times between polls
 *
 * Return: 0; -EINVAL if a fixed counter and another counter are requested; -ENXIO if a counter
 * does not exist, if the event can use none of them, or if a fixed counter lacks a field of the
 * event; -EOPNOTSUPP if no overflow ends the period as @end requires; -ERANGE if @period does not
 * fit or is too short for polling.
 */
int ucore_event_restrict(const struct ucore_box *box, u64 counters, u64 period,
			 enum ucore_period_end end, struct ucore_event_spec *spec)
{
	const struct ucore_box_type *type = box->desc.type;
	u64 general = GENMASK_ULL(UCORE_COUNTER_FIXED - 1, 0);
	bool fixed = counters & ~general;

	if (fixed && (counters & general))
		return -EINVAL;
	if (fixed) {
		if (!fixed_has_fields(type, spec))
			return -ENXIO;
		spec->counters = counters & fixed_mask(type);
	} else {
		spec->counters = constraint_mask(type, spec->value[UCORE_SLOT_CTL]);
		if (counters)
			spec->counters &= counters;
	}
	if (!spec->counters || (counters & ~fixed_mask(type) & ~general_mask(type)))
		return -ENXIO;
	if (fixed && hweight64(counters) > 1)
		return -EINVAL;	/* each fixed counter counts another event */

	spec->period = period;
	if (!period)
		return 0;
	if (!overflow_ends(box, fixed, end))
		return end == UCORE_END_ANY || end == UCORE_END_POLL ?
		       poll_restrict(box, fixed, spec) : -EOPNOTSUPP;
	/* after a trial that fails, any period is polled */
	if (!period_fits(period, ucore_box_width(box, fixed), fixed ? 0 : type->preload_bits) &&
	    !(end == UCORE_END_ANY && ucore_event_needs_trial(box, end)))
		return -ERANGE;
	/* a core's counters report all their overflows */
	if (end == UCORE_END_ANY && box->domain->scope != UCORE_SCOPE_CPU)
		spec->fallback_poll_ns = poll_time(box, fixed, spec);
	if (end == UCORE_END_FREEZE)
		poll_status(box, fixed, spec);
	return 0;
}

/**
 * ucore_event_fixed() - compute the control word of a fixed counter
 * @type: box type
 * @ctl: the event's bits, as in the control word of a general counter
 * @counter: number of the fixed counter, from 0
 * @period: the event has an overflow period
 *
 * Return: the control word. If all fixed counters share a control register, the bits of this
 * counter in that register.
 */
u64 ucore_event_fixed(const struct ucore_box_type *type, u64 ctl, u32 counter, bool period)
{
	u64 word = type->fixed_en | (period ? type->fixed_ov_en : 0);
	const struct ucore_fixed_bit *bit;

	for (bit = type->fixed_bits; bit && bit->ctl; bit++)
		if (ctl & bit->ctl)
			word |= bit->field;
	return word << (type->fixed_step * counter);
}

/**
 * ucore_event_conflicts() - check whether two events of a box require different filter values
 * @a: an event
 * @b: another event
 *
 * Return: true if both events set a field in a shared register to different values.
 */
bool ucore_event_conflicts(const struct ucore_event_spec *a,
			   const struct ucore_event_spec *b)
{
	u64 both;
	u32 i;

	for (i = UCORE_SLOT_SHARED(0); i < UCORE_NR_SLOTS; i++) {
		both = a->claimed[i] & b->claimed[i];
		if ((a->value[i] ^ b->value[i]) & both)
			return true;
	}
	return false;
}

/**
 * ucore_filters_add() - add an event to the filters of its session on a box
 * @filters: filters of the session, zeroed at first
 * @event: the event
 */
void ucore_filters_add(struct ucore_filters *filters, const struct ucore_event *event)
{
	u32 i;

	filters->used |= event->spec.filters;
	filters->resets |= event->spec.resets;
	filters->perfmon |= event->spec.perfmon_filters;
	filters->unprivileged |= !event->perfmon;
	for (i = 0; i < UCORE_MAX_SHARED; i++)
		filters->shared[i] |= event->spec.value[UCORE_SLOT_SHARED(i)];
}

/**
 * ucore_filters_agree() - check whether two sessions can share a box
 * @a: filters of a session
 * @b: filters of another session
 *
 * A field that an event leaves out is required to be 0, because 0 can select as any other value
 * does. An event without filters counts with the filters of other sessions. Therefore filters that
 * need CAP_PERFMON do not share a box with events that were added without it. A session that resets
 * an occupancy counter would change the counts of another one.
 *
 * Return: true if the sessions can share a box.
 */
bool ucore_filters_agree(const struct ucore_filters *a, const struct ucore_filters *b)
{
	if (a->resets || b->resets)
		return false;
	if ((a->perfmon && b->unprivileged) || (a->unprivileged && b->perfmon))
		return false;
	return !a->used || !b->used || !memcmp(a->shared, b->shared, sizeof(a->shared));
}

/*
 * Find a counter for an event by a depth-first search for an augmenting path. Events that were
 * assigned before may move to other counters. @tried is the mask of the counters visited, each
 * at most once.
 */
static bool assign_one(const u64 *allowed, u32 event, u8 *owner, u64 *tried)
{
	u64 rest;
	u32 c;

	while ((rest = allowed[event] & ~*tried)) {
		c = __ffs64(rest);
		*tried |= BIT_ULL(c);
		if (owner[c] == U8_MAX || assign_one(allowed, owner[c], owner, tried)) {
			owner[c] = event;
			return true;
		}
	}
	return false;
}

/**
 * ucore_event_assign() - assign a counter to each event of a box
 * @allowed: for each event, mask of the counters it may use
 * @nr: number of events, less than 256
 * @counter: receives the counter of each event; unchanged on failure
 *
 * Return: false if no assignment exists.
 */
bool ucore_event_assign(const u64 *allowed, u32 nr, u8 *counter)
{
	u8 owner[64];
	u64 tried;
	u32 i;

	memset(owner, U8_MAX, sizeof(owner));
	for (i = 0; i < nr; i++) {
		tried = 0;
		if (!assign_one(allowed, i, owner, &tried))
			return false;
	}
	for (i = 0; i < ARRAY_SIZE(owner); i++)
		if (owner[i] != U8_MAX)
			counter[owner[i]] = i;
	return true;
}

/**
 * ucore_event_max_increment() - find the maximum that an event adds in one clock
 * @type: box type
 * @ctl: control word of the event
 * @fixed: the event uses a fixed counter
 *
 * Return: counts per clock.
 */
u32 ucore_event_max_increment(const struct ucore_box_type *type, u64 ctl, bool fixed)
{
	const struct ucore_increment *inc;
	u32 event = ctl & 0xff;

	if (fixed)
		return type->fixed_increment ?: 1;
	for (inc = type->increments; inc && inc->max; inc++)
		if (event >= inc->event && event <= inc->last)
			return inc->max;
	return type->max_increment;
}

/**
 * ucore_event_wrap_ns() - find the shortest time in which a counter can wrap
 * @bits: width of the counter or of its low dword (bits)
 * @max_increment: maximum that the event adds in one clock
 *
 * Return: time (ns), rounded down.
 */
u64 ucore_event_wrap_ns(u32 bits, u32 max_increment)
{
	return mul_u64_u64_div_u64(BIT_ULL(min(bits, 63U)), NSEC_PER_SEC,
				   UCORE_MAX_CLOCK_HZ * max_increment);
}
