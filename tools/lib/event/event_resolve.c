// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the words of a spec mean on a device: which boxes, which fields with
 * which values, which counters.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

/* What resolving a spec needs at hand */
struct resolver {
	struct ucore_device *dev;
	const struct ucore_platform *platform;
	const struct ucore_spec *spec;
	const struct ucore_box_info *box;		/* a box of the type, for its fields */
	const struct ucore_field_info *fields;
	size_t nr_fields;
	struct ucore_event *event;
	uint32_t given;				/* GIVEN_* */
	uint32_t counter;			/* with GIVEN_COUNTER */
	uint32_t fixed;				/* fixed counter with GIVEN_FIXED */
	const char *label;			/* of "name=", or NULL */
	struct ucore_error *err;
};

#define GIVEN_FIXED	(1U << 0)
#define GIVEN_PERIOD	(1U << 1)
#define GIVEN_COUNTER	(1U << 2)
#define GIVEN_DIE	(1U << 3)
#define GIVEN_CPU	(1U << 4)

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *end || errno ? -EINVAL : 0;
}

bool ucore_event_matches(const struct ucore_event *event, const struct ucore_box_info *box)
{
	return !strcmp(event->type, box->type) &&
	       (event->instance == UCORE_ANY ||
		(event->instance <= box->instance && box->instance <= event->last)) &&
	       (event->die == UCORE_ANY || event->die == box->die) &&
	       (event->cpu == UCORE_ANY || (int32_t)event->cpu == box->cpu);
}

static const struct ucore_box_info *box_by_event(const struct resolver *r)
{
	for (size_t i = 0; i < r->dev->nr_boxes; i++)
		if (ucore_event_matches(r->event, &r->dev->boxes[i]))
			return &r->dev->boxes[i];
	return NULL;
}

/* ---- terms ------------------------------------------------------------- */

static const struct ucore_term *term_find(const struct ucore_event *event, uint32_t field)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == field)
			return &event->terms[i];
	return NULL;
}

static int term_add(struct resolver *r, uint32_t field, uint64_t value)
{
	struct ucore_event *event = r->event;

	if (event->nr_terms == UCORE_TERMS_MAX)
		return ucore_error_set(r->err, -EINVAL, "event '%s': more than %d field values",
				       event->label, UCORE_TERMS_MAX);
	event->terms[event->nr_terms].field = field;
	event->terms[event->nr_terms].value = value;
	event->nr_terms++;
	return 0;
}

static int term_add_field(struct resolver *r, const struct ucore_field_info *field, uint64_t value)
{
	if (term_find(r->event, field->field))
		return ucore_error_set(r->err, -EINVAL, "event '%s': %s is given twice",
				       r->event->label, field->name);
	if (value > field->max || value & ~field->mask)
		return ucore_error_set(r->err, -ERANGE,
				       "event '%s': %s=0x%llx does not fit: at most 0x%llx, bits of 0x%llx",
				       r->event->label, field->name, (unsigned long long)value,
				       (unsigned long long)field->max,
				       (unsigned long long)field->mask);
	return term_add(r, field->field, value);
}

/* perf writes umask and extended umask as one number: its low 8 bits are the umask */
static int umask_add(struct resolver *r, const struct ucore_field_info *field, uint64_t value)
{
	const struct ucore_field_info *ext = ucore_field_by_id(r->fields, r->nr_fields,
							  UCORE_FIELD_UMASK_EXT);
	int ret;

	if (!ext || value <= field->max)
		return term_add_field(r, field, value);
	ret = term_add_field(r, field, value & 0xff);
	return ret ? ret : term_add_field(r, ext, value >> 8);
}

/* Translate the names that Intel's manuals and perf give to fields of cores. */
static const char *field_alias(const char *name)
{
	if (!strcasecmp(name, "inv"))
		return "invert";
	if (!strcasecmp(name, "cmask"))
		return "thresh";
	return name;
}

/* By its name, or, if that is NULL, by its number */
static const struct ucore_field_info *field_listed(const struct resolver *r, const char *name,
					      uint32_t id)
{
	for (size_t i = 0; i < r->nr_fields; i++)
		if (name ? !strcasecmp(r->fields[i].name, field_alias(name)) : r->fields[i].field == id)
			return &r->fields[i];
	return NULL;
}

/* Where firmware hides a function its box lacks fields that others of the type have */
static const struct ucore_field_info *field_find(struct resolver *r, const char *name, uint32_t id)
{
	const struct ucore_field_info *field = field_listed(r, name, id);
	struct resolver own = *r;

	for (size_t i = 0; i < r->dev->nr_boxes && !field; i++) {
		const struct ucore_box_info *box = &r->dev->boxes[i];

		if (!ucore_event_matches(r->event, box) ||
		    ucore_device_own_fields(r->dev, box->box, &own.fields, &own.nr_fields))
			continue;
		field = field_listed(&own, name, id);
	}
	if (field) {
		r->fields = own.fields;
		r->nr_fields = own.nr_fields;
	}
	return field;
}

/* The one box type that has an event of this name, NULL if none or several do */
static const char *type_of_event(const struct resolver *r, const char *name)
{
	struct ucore_event_desc desc;
	const char *type = NULL;

	for (size_t i = 0; r->platform && i < r->platform->nr_events; i++) {
		ucore_platform_event_at(r->platform, i, &desc);
		if (strcasecmp(desc.name, name) &&
		    strcasecmp(ucore_event_desc_short(&desc), name))
			continue;
		if (type && strcmp(type, desc.unit->type))
			return NULL;
		type = desc.unit->type;
	}
	return type;
}

/* The event whose name has more in its first part: CAS_COUNT.RD is CAS_COUNT_SCH0.RD there */
static const char *event_with_more(const struct resolver *r, const char *name)
{
	size_t head = strcspn(name, "."), tail = strlen(name) - head;
	struct ucore_event_desc desc;

	for (size_t i = 0; r->platform && i < r->platform->nr_events; i++) {
		const char *of_platform;
		size_t length;

		ucore_platform_event_at(r->platform, i, &desc);
		of_platform = ucore_event_desc_short(&desc);
		length = strlen(of_platform);
		if (!strcmp(desc.unit->type, r->event->type) && length > head + tail &&
		    of_platform[head] == '_' && !strncasecmp(of_platform, name, head) &&
		    tail && !strcasecmp(of_platform + length - tail, name + head))
			return of_platform;
	}
	return NULL;
}

static int unknown_term(struct resolver *r, const char *key, bool may_be_event)
{
	const char *type = may_be_event ? type_of_event(r, key) : NULL, *more = NULL;
	struct ucore_guess guess;

	if (type)
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': %s is no event of %s but of %s: write %s/%s/",
				       r->event->label, key, r->event->type, type, type, key);
	ucore_guess_start(&guess, key);
	for (size_t i = 0; i < r->nr_fields; i++)
		ucore_guess_offer(&guess, r->fields[i].name);
	if (may_be_event)
		more = event_with_more(r, key);
	for (size_t i = 0; may_be_event && r->platform && i < r->platform->nr_events; i++) {
		struct ucore_event_desc desc;

		ucore_platform_event_at(r->platform, i, &desc);
		if (strcmp(desc.unit->type, r->event->type))
			continue;
		ucore_guess_offer(&guess, ucore_event_desc_short(&desc));
		ucore_guess_offer(&guess, desc.name);
	}
	if (more)
		guess.best = more;
	return ucore_error_set(r->err, -ENOENT,
			       "event '%s': %s has no %s '%s'%s%s%s; see 'ucoretool list %s'",
			       r->event->label, r->event->type,
			       may_be_event ? "event or field" : "field", key,
			       guess.best ? ": did you mean '" : "", guess.best ? guess.best : "",
			       guess.best ? "'?" : "", may_be_event ? "events" : "fields");
}

/* A word of our own that takes a number */
static int own_term(struct resolver *r, uint32_t flag, const char *key, const char *value,
		    uint64_t low, uint64_t high, uint64_t *number)
{
	if (r->given & flag)
		return ucore_error_set(r->err, -EINVAL, "event '%s': %s is given twice",
				       r->event->label, key);
	if (!value || parse_number(value, number))
		return ucore_error_set(r->err, -EINVAL, "event '%s': %s takes a number",
				       r->event->label, key);
	if (*number < low || *number > high)
		return ucore_error_set(r->err, -ERANGE, "event '%s': %s=%s: from %llu to %llu",
				       r->event->label, key, value, (unsigned long long)low,
				       (unsigned long long)high);
	r->given |= flag;
	return 0;
}

static int die_term(struct resolver *r, const char *value)
{
	uint64_t die;
	int ret = own_term(r, GIVEN_DIE, "die", value, 0, UCORE_ANY - 1, &die);

	if (ret)
		return ret;
	r->event->die = (uint32_t)die;
	for (size_t i = 0; i < r->dev->nr_domains; i++)
		if (r->dev->domains[i].die == r->event->die)
			return 0;
	return ucore_error_set(r->err, -ENOENT, "event '%s': no die %u here; see 'ucoretool info'",
			       r->event->label, r->event->die);
}

static int cpu_term(struct resolver *r, const char *value)
{
	uint64_t cpu;
	int ret = own_term(r, GIVEN_CPU, "cpu", value, 0, INT32_MAX, &cpu);

	if (ret)
		return ret;
	r->event->cpu = (uint32_t)cpu;
	for (size_t i = 0; i < r->dev->nr_domains; i++)
		if (r->dev->domains[i].cpu == (int32_t)cpu)
			return 0;
	return ucore_error_set(r->err, -ENOENT,
			       "event '%s': cpu %u has no boxes of its own here; see 'ucoretool info'",
			       r->event->label, r->event->cpu);
}

static int period_term(struct resolver *r, const char *value)
{
	return own_term(r, GIVEN_PERIOD, "period", value, 1, UINT64_MAX, &r->event->period);
}

static int counter_term(struct resolver *r, const char *value)
{
	uint64_t counter = 0;
	uint32_t nr = r->box->nr_counters < UCORE_COUNTER_FIXED ? r->box->nr_counters :
		      UCORE_COUNTER_FIXED;
	int ret = own_term(r, GIVEN_COUNTER, "counter", value, 0, nr ? nr - 1 : 0, &counter);

	r->counter = (uint32_t)counter;
	return ret;
}

static bool event_given(const struct resolver *r)
{
	return r->event->desc.name || r->given & GIVEN_FIXED;
}

static int fixed_take(struct resolver *r, uint64_t counter)
{
	if (!r->box->nr_fixed)
		return ucore_error_set(r->err, -ENXIO, "event '%s': %s has no fixed counter",
				       r->event->label, r->event->type);
	if (counter >= r->box->nr_fixed)
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s has no fixed counter %llu: there are %u, from 0",
				       r->event->label, r->event->type,
				       (unsigned long long)counter, r->box->nr_fixed);
	r->fixed = (uint32_t)counter;
	r->given |= GIVEN_FIXED;
	return 0;
}

static int fixed_term(struct resolver *r, const char *value)
{
	uint64_t counter = 0;

	if (event_given(r))
		return ucore_error_set(r->err, -EINVAL, "event '%s': 'fixed' is a second event",
				       r->event->label);
	if (value && parse_number(value, &counter))
		return ucore_error_set(r->err, -EINVAL, "event '%s': fixed=%s is not a number",
				       r->event->label, value);
	return fixed_take(r, counter);
}

/* A part of a named event: zero is what a field has when nobody speaks of it */
static int desc_field(struct resolver *r, uint32_t field, uint64_t value)
{
	if (!value)
		return 0;
	if (!ucore_field_by_id(r->fields, r->nr_fields, field))
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s needs a field that %s does not have here; see 'ucoretool list fields'",
				       r->event->label, r->event->desc.name, r->event->type);
	return term_add(r, field, value);
}

/* Predefined events of the cores, which a processor may lack: by code and umask */
static uint32_t core_event_bit(const struct ucore_event_desc *desc)
{
	static const struct {
		uint32_t bit;
		uint16_t event;
		uint8_t umask;
	} events[] = {
		{ UCORE_CORE_EVENT_CYCLES, 0x3c, 0x00 },
		{ UCORE_CORE_EVENT_INSTRUCTIONS, 0xc0, 0x00 },
		{ UCORE_CORE_EVENT_REFERENCE, 0x3c, 0x01 },
		{ UCORE_CORE_EVENT_LLC_REFERENCES, 0x2e, 0x4f },
		{ UCORE_CORE_EVENT_LLC_MISSES, 0x2e, 0x41 },
		{ UCORE_CORE_EVENT_BRANCHES, 0xc4, 0x00 },
		{ UCORE_CORE_EVENT_MISPREDICTS, 0xc5, 0x00 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i].event == desc->event && events[i].umask == desc->umask)
			return events[i].bit;
	return 0;
}

/* Does CPUID say that the processor has it? */
static int core_event_check(const struct resolver *r, const struct ucore_event_desc *desc)
{
	struct ucore_get_core core;

	if (strcmp(r->event->type, UCORE_CORE_TYPE) || ucore_event_desc_fixed(desc) ||
	    ucore_device_core(r->dev, &core, NULL) || core_event_bit(desc) & core.events)
		return 0;
	return ucore_error_set(r->err, -ENXIO,
			       "event '%s': this processor does not have %s (CPUID.0AH says); raw '%s/event=0x%x,umask=0x%x/' counts what it may",
			       r->event->label, desc->name, r->event->type, desc->event,
			       desc->umask);
}

static int desc_apply(struct resolver *r, const struct ucore_event_desc *desc)
{
	int ret;

	if (event_given(r))
		return ucore_error_set(r->err, -EINVAL, "event '%s': '%s' is a second event",
				       r->event->label, desc->name);
	r->event->desc = *desc;
	if (ucore_event_desc_fixed(desc))
		return fixed_take(r, (uint64_t)__builtin_ctzll(desc->counters) -
				     UCORE_COUNTER_FIXED);
	if (term_find(r->event, UCORE_FIELD_EVENT) || term_find(r->event, UCORE_FIELD_UMASK))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s has its own event and umask: write one or the other",
				       r->event->label, desc->name);
	if ((desc->umask_ext && term_find(r->event, UCORE_FIELD_UMASK_EXT)) ||
	    (desc->ch_mask && term_find(r->event, UCORE_FIELD_CH_MASK)) ||
	    (desc->fc_mask && term_find(r->event, UCORE_FIELD_FC_MASK)))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s has masks of its own: write one or the other",
				       r->event->label, desc->name);
	ret = core_event_check(r, desc);
	if (!ret)
		ret = term_add(r, UCORE_FIELD_EVENT, desc->event);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_UMASK, desc->umask);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_OCC_SEL, desc->occ_sel);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_UMASK_EXT, desc->umask_ext);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_CH_MASK, desc->ch_mask);
	return ret ? ret : desc_field(r, UCORE_FIELD_FC_MASK, desc->fc_mask);
}

/* What the event shall be called */
static int name_term(struct resolver *r, const char *value)
{
	if (r->label || !value)
		return ucore_error_set(r->err, -EINVAL, "event '%s': %s", r->event->label,
				       value ? "name is given twice" : "name= takes a word");
	r->label = value;
	return 0;
}

static int item_apply(struct resolver *r, const char *key, const char *value)
{
	const struct ucore_field_info *field;
	struct ucore_event_desc desc;
	uint64_t number = 1;

	if (!strcasecmp(key, "die"))
		return die_term(r, value);
	if (!strcasecmp(key, "cpu"))
		return cpu_term(r, value);
	if (!strcasecmp(key, "period"))
		return period_term(r, value);
	if (!strcasecmp(key, "counter"))
		return counter_term(r, value);
	if (!strcasecmp(key, "fixed"))
		return fixed_term(r, value);
	if (!strcasecmp(key, "name"))
		return name_term(r, value);
	if (!value && ucore_platform_event(r->platform, r->event->type, key, &desc))
		return desc_apply(r, &desc);
	field = field_find(r, key, 0);
	if (!field)
		return unknown_term(r, key, !value);
	if (value && parse_number(value, &number))
		return ucore_error_set(r->err, -EINVAL, "event '%s': %s=%s is not a number",
				       r->event->label, key, value);
	if (field->field == UCORE_FIELD_UMASK)
		return umask_add(r, field, number);
	return term_add_field(r, field, number);
}

/* ---- what follows from the terms --------------------------------------- */

/* What a filter is set to that the user did not set */
static uint64_t need_value(const struct ucore_need *need, const struct ucore_field_info *field)
{
	switch (need->dflt) {
	case UCORE_NEED_GIVEN:
		return need->value;
	case UCORE_NEED_ALL:
	case UCORE_NEED_NO_OPCODE:
		return field->mask;
	}
	return 0;
}

static bool opcode_given(const struct resolver *r)
{
	return term_find(r->event, UCORE_FIELD_FILTER_OPC_0) ||
	       term_find(r->event, UCORE_FIELD_FILTER_OPC_1);
}

/* A filter that the event depends on and the user did not set */
static int need_apply(struct resolver *r, const struct ucore_need *need)
{
	const struct ucore_event_desc *desc = &r->event->desc;
	const struct ucore_field_info *field = field_find(r, NULL, need->field);

	if (!field)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s depends on %s, which the driver has no field for; raw '%s/event=0x%x,umask=0x%x/' counts without it",
				       r->event->label, desc->name, desc->filter->spelling,
				       r->event->type, desc->event, desc->umask);
	if (term_find(r->event, need->field) ||
	    (need->dflt == UCORE_NEED_NO_OPCODE && opcode_given(r)))
		return 0;
	if (need->dflt == UCORE_NEED_VALUE)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s needs a filter: add %s=VALUE (at most 0x%llx)",
				       r->event->label, desc->name, field->name,
				       (unsigned long long)field->max);
	return term_add(r, need->field, need_value(need, field));
}

static int filters_apply(struct resolver *r)
{
	const struct ucore_filter *filter = r->event->desc.filter;
	int ret = 0;

	for (unsigned int i = 0; filter && i < filter->nr && !ret; i++)
		ret = need_apply(r, &filter->needs[i]);
	/* filter_tid does nothing without tid_en: who gives it means it */
	if (!ret && term_find(r->event, UCORE_FIELD_FILTER_TID) &&
	    !term_find(r->event, UCORE_FIELD_TID_EN) &&
	    ucore_field_by_id(r->fields, r->nr_fields, UCORE_FIELD_TID_EN))
		ret = term_add(r, UCORE_FIELD_TID_EN, 1);
	return ret;
}

static int threshold_check(const struct resolver *r)
{
	bool core = ucore_field_by_id(r->fields, r->nr_fields, UCORE_FIELD_USR);
	const struct ucore_term *edge = term_find(r->event, UCORE_FIELD_EDGE);
	const struct ucore_term *thresh = term_find(r->event, UCORE_FIELD_THRESH);
	const struct ucore_term *invert = term_find(r->event, UCORE_FIELD_INVERT);

	if (!ucore_field_by_id(r->fields, r->nr_fields, UCORE_FIELD_THRESH) ||
	    (thresh && thresh->value))
		return 0;
	if (edge && edge->value && !core)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': edge counts nothing without a threshold. Add thresh=1",
				       r->event->label);
	if (invert && invert->value)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': invert counts nothing without a threshold. Add thresh=1",
				       r->event->label);
	return 0;
}

/* Those of cores can tell user mode from the kernel, and threads from each other */
static bool fixed_has_field(uint32_t field)
{
	return field == UCORE_FIELD_USR || field == UCORE_FIELD_OS || field == UCORE_FIELD_ANY;
}

static int fixed_check(struct resolver *r)
{
	bool taken = !(r->given & GIVEN_COUNTER);

	for (unsigned int i = 0; i < r->event->nr_terms; i++)
		taken &= fixed_has_field(r->event->terms[i].field);
	if (!taken && !strcmp(r->event->type, UCORE_CORE_TYPE))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': a fixed counter takes no terms but usr, os, any, period= and cpu=",
				       r->event->label);
	if (!taken)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': a fixed counter takes no terms but period=, die= and cpu=",
				       r->event->label);
	r->event->counters = 1ULL << (UCORE_COUNTER_FIXED + r->fixed);
	return 0;
}

static int counters_apply(struct resolver *r)
{
	const struct ucore_event_desc *desc = r->event->desc.name ? &r->event->desc : NULL;
	uint64_t have = r->box->nr_counters < UCORE_COUNTER_FIXED ?
			(1ULL << r->box->nr_counters) - 1 : UINT32_MAX;
	uint64_t allowed = desc ? desc->counters | desc->counters_alt : have;
	uint64_t one = 1ULL << r->counter;

	if (!(r->given & GIVEN_COUNTER)) {
		r->event->counters = desc ? desc->counters & have : 0;
		if (!desc || r->event->counters)
			return 0;
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s here has none of the counters it can use",
				       r->event->label, r->event->type);
	}
	if (!(allowed & one))
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s cannot count on counter %u (counters 0x%llx can)",
				       r->event->label, desc->name, r->counter,
				       (unsigned long long)allowed);
	r->event->counters = one;
	return 0;
}

static int event_finish(struct resolver *r)
{
	int ret;

	if (r->given & GIVEN_FIXED)
		return fixed_check(r);
	if (!term_find(r->event, UCORE_FIELD_EVENT))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': no event: give a name or event=CODE",
				       r->event->label);
	ret = filters_apply(r);
	if (!ret)
		ret = threshold_check(r);
	if (!ret)
		ret = counters_apply(r);
	return ret;
}

/* ---- the head ---------------------------------------------------------- */

/* A number of at most six digits; @text is moved behind it */
static bool instance_parse(const char **text, uint32_t *instance)
{
	size_t digits = strspn(*text, "0123456789");

	*instance = (uint32_t)strtoul(*text, NULL, 10);
	*text += digits;
	return digits && digits <= 6;
}

/* "", "2" or "0-3" */
static bool instances_parse(const char *text, uint32_t *first, uint32_t *last)
{
	*first = UCORE_ANY;
	*last = UCORE_ANY;
	if (!*text)
		return true;
	if (!instance_parse(&text, first))
		return false;
	*last = *first;
	if (*text == '-') {
		text++;
		if (!instance_parse(&text, last))
			return false;
	}
	return !*text && *first <= *last;
}

/* A type's own digits ("r2pcie", "type_12") are part of its name */
bool ucore_event_head(const struct ucore_device *dev, const char *head, struct ucore_event *event)
{
	size_t best = 0;

	for (size_t i = 0; i < dev->nr_boxes; i++) {
		const char *type = dev->boxes[i].type;
		size_t length = strlen(type);
		uint32_t first, last;

		if (length <= best || strncasecmp(head, type, length) ||
		    !instances_parse(head + length, &first, &last))
			continue;
		best = length;
		memcpy(event->type, type, sizeof(event->type));
		event->instance = first;
		event->last = last;
	}
	return best;
}

static int unknown_head(struct resolver *r)
{
	struct ucore_metric_desc metric;
	struct ucore_guess guess;

	if (ucore_metric_find(r->dev->info.platform, r->spec->head, &metric))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': '%s' is a metric (-M), not an event",
				       r->spec->text, metric.name);
	ucore_guess_start(&guess, r->spec->head);
	for (size_t i = 0; i < r->dev->nr_boxes; i++)
		ucore_guess_offer(&guess, r->dev->boxes[i].type);
	for (size_t i = 0; r->platform && i < r->platform->nr_events; i++)
		ucore_guess_offer(&guess, ucore_row_names +
				  ucore_rows[r->platform->rows[i]].name);
	return ucore_error_set(r->err, -ENOENT,
			       "event '%s': '%s' is no box type and no full event name here%s%s%s; see 'ucoretool list'",
			       r->spec->text, r->spec->head,
			       guess.best ? ": did you mean '" : "", guess.best ? guess.best : "",
			       guess.best ? "'?" : "");
}

static int head_apply(struct resolver *r, struct ucore_event_desc *desc)
{
	desc->name = NULL;
	if (ucore_event_head(r->dev, r->spec->head, r->event)) {
		if (!strcmp(r->event->type, UCORE_CORE_TYPE))
			r->platform = ucore_platform_find(UCORE_CORE_TYPE);
		if (r->spec->nr)
			return 0;
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': a box without an event: write %s/EVENT/",
				       r->spec->text, r->spec->head);
	}
	if (!ucore_platform_event(r->platform, NULL, r->spec->head, desc)) {
		const struct ucore_platform *core = ucore_platform_find(UCORE_CORE_TYPE);

		if (!(r->dev->info.caps & UCORE_CAP_CORE) ||
		    !ucore_platform_event(core, NULL, r->spec->head, desc))
			return unknown_head(r);
		r->platform = core;
	}
	snprintf(r->event->type, sizeof(r->event->type), "%s", desc->unit->type);
	return 0;
}

/* The die or the CPU that the event asks for, or what it leaves open */
static void asked_text(const struct ucore_event *event, const struct ucore_box_info *box,
		       char *text, size_t size)
{
	if (event->die == UCORE_ANY && event->cpu == UCORE_ANY)
		snprintf(text, size, "any %s", box->cpu < 0 ? "die" : "cpu");
	else
		ucore_domain_name(event->die,
				  event->cpu == UCORE_ANY ? -1 : (int32_t)event->cpu, text, size);
}

/* Do the first and the last of the boxes that are asked for exist? */
static bool ends_exist(const struct resolver *r, uint32_t *missing)
{
	const uint32_t ends[] = { r->event->instance, r->event->last };

	for (size_t e = 0; e < ARRAY_SIZE(ends) && ends[e] != UCORE_ANY; e++) {
		bool found = false;

		for (size_t i = 0; i < r->dev->nr_boxes && !found; i++)
			found = r->dev->boxes[i].instance == ends[e] &&
				ucore_event_matches(r->event, &r->dev->boxes[i]);
		*missing = ends[e];
		if (!found)
			return false;
	}
	return true;
}

static int no_such_box(const struct resolver *r)
{
	const struct ucore_event *event = r->event;
	uint32_t missing = event->instance;
	const struct ucore_box_info *box = NULL;
	char where[UCORE_DOMAIN_NAME_LEN];

	for (size_t i = 0; i < r->dev->nr_boxes && !box; i++)
		if (!strcmp(r->dev->boxes[i].type, event->type))
			box = &r->dev->boxes[i];
	if (!box)
		return ucore_error_set(r->err, -ENOENT, "event '%s': this machine has no %s",
				       event->label, event->type);
	asked_text(event, box, where, sizeof(where));
	if (event->instance == UCORE_ANY)
		return ucore_error_set(r->err, -ENOENT, "event '%s': %s has no %s",
				       event->label, where, event->type);
	ends_exist(r, &missing);
	return ucore_error_set(r->err, -ENOENT,
			       "event '%s': no %s%u on %s; see 'ucoretool list'", event->label,
			       event->type, missing, where);
}

static int items_apply(struct resolver *r)
{
	int ret = 0;

	for (unsigned int i = 0; i < r->spec->nr && !ret; i++)
		ret = item_apply(r, r->spec->items[i].key, r->spec->items[i].value);
	return ret;
}

int ucore_spec_resolve(struct ucore_device *dev, const struct ucore_spec *spec,
		       struct ucore_event *event, struct ucore_error *err)
{
	struct resolver r = { .dev = dev, .spec = spec, .event = event, .err = err };
	struct ucore_event_desc desc;
	int ret = ucore_device_ready(dev, err);
	uint32_t missing;

	if (ret)
		return ret;
	memset(event, 0, sizeof(*event));
	memcpy(event->text, spec->text, sizeof(event->text));
	memcpy(event->label, spec->text, sizeof(event->label));
	event->instance = UCORE_ANY;
	event->last = UCORE_ANY;
	event->die = UCORE_ANY;
	event->cpu = UCORE_ANY;
	r.platform = ucore_platform_find(dev->info.platform);

	ret = head_apply(&r, &desc);
	if (ret)
		return ret;
	r.box = box_by_event(&r);
	if (!r.box)
		return no_such_box(&r);
	ret = ucore_device_fields(dev, r.box->box, &r.fields, &r.nr_fields, err);
	if (!ret && desc.name)
		ret = desc_apply(&r, &desc);
	if (!ret)
		ret = items_apply(&r);
	if (!ret && (!box_by_event(&r) || !ends_exist(&r, &missing)))
		ret = no_such_box(&r);
	if (!ret)
		ret = event_finish(&r);
	if (!ret && r.label)
		snprintf(event->label, sizeof(event->label), "%s", r.label);
	return ret;
}
