// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Terms of an event's text: fields, event names, fixed counters, period, counter, die, CPU and
 * label, and the errors for unknown terms.
 */
#include <ctype.h>

#include "event/resolver.h"

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *end || errno ? -EINVAL : 0;
}

const struct ucore_term *ucore_term_find(const struct ucore_event *event, uint32_t field)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == field)
			return &event->terms[i];
	return NULL;
}

int ucore_term_add(struct resolver *r, uint32_t field, uint64_t value)
{
	struct ucore_event *event = r->event;

	if (event->nr_terms == UCORE_TERMS_MAX)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': too many field values. Use at most %d",
				       event->label, UCORE_TERMS_MAX);
	event->terms[event->nr_terms].field = field;
	event->terms[event->nr_terms].value = value;
	event->nr_terms++;
	return 0;
}

static int term_add_field(struct resolver *r, const struct ucore_field_info *field, uint64_t value)
{
	if (ucore_term_find(r->event, field->field))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s is given twice. Give it once",
				       r->event->label, field->name);
	if (value > field->max || value & ~field->mask)
		return ucore_error_set(r->err, -ERANGE,
				       "event '%s': %s=0x%llx is out of range. Use at most 0x%llx, with bits of 0x%llx",
				       r->event->label, field->name, (unsigned long long)value,
				       (unsigned long long)field->max,
				       (unsigned long long)field->mask);
	return ucore_term_add(r, field->field, value);
}

/* Add a unit mask.  perf writes umask (low 8 bits) and extended umask as one number. */
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

/* Translate a core field's name in perf or Intel's manuals ("inv") to the driver's name */
static const char *field_alias(const char *name)
{
	if (!strcasecmp(name, "inv"))
		return "invert";
	if (!strcasecmp(name, "cmask"))
		return "thresh";
	return name;
}

/* Find a field in the resolver's list of fields by name, or by @id if @name is NULL */
static const struct ucore_field_info *field_listed(const struct resolver *r, const char *name,
						   uint32_t id)
{
	for (size_t i = 0; i < r->nr_fields; i++)
		if (name ? !strcasecmp(r->fields[i].name, field_alias(name)) :
			   r->fields[i].field == id)
			return &r->fields[i];
	return NULL;
}

/*
 * Find a field that at least one of the event's boxes has.  The first box can lack the field,
 * because firmware can hide a PCI function.  On success the resolver's list of fields is the
 * list of the box that has the field.
 */
const struct ucore_field_info *ucore_term_field(struct resolver *r, const char *name, uint32_t id)
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

/* Find the box type that has an event of this name; NULL if no type or several types have it */
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

/*
 * Suggest an event for the unknown name @name: one that has additional words before the period
 * (CAS_COUNT_SCH0.RD for CAS_COUNT.RD).
 */
static const char *event_with_longer_head(const struct resolver *r, const char *name)
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
	const char *type = may_be_event ? type_of_event(r, key) : NULL, *longer = NULL;
	struct ucore_guess guess;

	if (type)
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': %s is not an event of %s, but of %s. Write %s/%s/",
				       r->event->label, key, r->event->type, type, type, key);
	ucore_guess_start(&guess, key);
	for (size_t i = 0; i < r->nr_fields; i++)
		ucore_guess_offer(&guess, r->fields[i].name);
	if (may_be_event)
		longer = event_with_longer_head(r, key);
	for (size_t i = 0; may_be_event && r->platform && i < r->platform->nr_events; i++) {
		struct ucore_event_desc desc;

		ucore_platform_event_at(r->platform, i, &desc);
		if (strcmp(desc.unit->type, r->event->type))
			continue;
		ucore_guess_offer(&guess, ucore_event_desc_short(&desc));
		ucore_guess_offer(&guess, desc.name);
	}
	if (longer)
		guess.best = longer;
	return ucore_error_set(r->err, -ENOENT,
			       "event '%s': %s has no %s '%s'%s%s%s. See 'ucoretool list %s'",
			       r->event->label, r->event->type,
			       may_be_event ? "event or field" : "field", key,
			       guess.best ? " (did you mean '" : "", guess.best ? guess.best : "",
			       guess.best ? "'?)" : "", may_be_event ? "events" : "fields");
}

/* Parse the value (@low to @high) of a term like "period", whose GIVEN_* bit is @flag */
static int number_term(struct resolver *r, uint32_t flag, const char *key, const char *value,
		       uint64_t low, uint64_t high, uint64_t *number)
{
	if (r->given & flag)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s is given twice. Give it once",
				       r->event->label, key);
	if (!value || parse_number(value, number))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s takes a number. Write %s=N",
				       r->event->label, key, key);
	if (*number < low || *number > high)
		return ucore_error_set(r->err, -ERANGE,
				       "event '%s': %s=%s is out of range. Use %llu to %llu",
				       r->event->label, key, value, (unsigned long long)low,
				       (unsigned long long)high);
	r->given |= flag;
	return 0;
}

static int die_term(struct resolver *r, const char *value)
{
	uint64_t die;
	int ret = number_term(r, GIVEN_DIE, "die", value, 0, UCORE_ANY - 1, &die);

	if (ret)
		return ret;
	r->event->die = (uint32_t)die;
	for (size_t i = 0; i < r->dev->nr_domains; i++)
		if (r->dev->domains[i].die == r->event->die)
			return 0;
	return ucore_error_set(r->err, -ENOENT,
			       "event '%s': this machine has no die %u. See 'ucoretool info'",
			       r->event->label, r->event->die);
}

static int cpu_term(struct resolver *r, const char *value)
{
	uint64_t cpu;
	int ret = number_term(r, GIVEN_CPU, "cpu", value, 0, INT32_MAX, &cpu);

	if (ret)
		return ret;
	r->event->cpu = (uint32_t)cpu;
	for (size_t i = 0; i < r->dev->nr_domains; i++)
		if (r->dev->domains[i].cpu == (int32_t)cpu)
			return 0;
	return ucore_error_set(r->err, -ENOENT,
			       "event '%s': cpu %u has no core box. See 'ucoretool info'",
			       r->event->label, r->event->cpu);
}

static int period_term(struct resolver *r, const char *value)
{
	return number_term(r, GIVEN_PERIOD, "period", value, 1, UINT64_MAX, &r->event->period);
}

static int counter_term(struct resolver *r, const char *value)
{
	uint64_t counter = 0;
	uint32_t nr = r->box->nr_counters < UCORE_COUNTER_FIXED ? r->box->nr_counters :
		      UCORE_COUNTER_FIXED;
	int ret = number_term(r, GIVEN_COUNTER, "counter", value, 0, nr ? nr - 1 : 0, &counter);

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
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s has no fixed counter. See 'ucoretool list'",
				       r->event->label, r->event->type);
	if (counter >= r->box->nr_fixed && r->event->desc.name &&
	    r->box->flags & UCORE_BOX_F_FREE_RUNNING)
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': no public source has the register of this event. 'modprobe ucore uncertain=1' uses the likely one, if there is one",
				       r->event->label);
	if (counter >= r->box->nr_fixed)
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s has no fixed counter %llu. There are %u, numbered from 0",
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
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': 'fixed' is a second event. Give one event",
				       r->event->label);
	if (value && parse_number(value, &counter))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': fixed=%s is not a number. Write fixed=N",
				       r->event->label, value);
	return fixed_take(r, counter);
}

/* Add a named event's @value of a field.  0 is not added: a field without a value is 0. */
static int desc_field(struct resolver *r, uint32_t field, uint64_t value)
{
	if (!value)
		return 0;
	if (!ucore_field_by_id(r->fields, r->nr_fields, field))
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s needs a field that %s does not have on this machine. See 'ucoretool list fields'",
				       r->event->label, r->event->desc.name, r->event->type);
	return ucore_term_add(r, field, value);
}

/* Return the UCORE_CORE_EVENT_* bit of an architectural core event; 0 for other events */
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

/* Refuse an architectural core event that CPUID.0AH reports as not available */
static int core_event_check(const struct resolver *r, const struct ucore_event_desc *desc)
{
	struct ucore_get_core core;

	if (!ucore_event_type_is_core(r->event->type) || ucore_event_desc_fixed(desc) ||
	    ucore_device_core_of_type(r->dev, r->event->type, &core) ||
	    core_event_bit(desc) & core.events)
		return 0;
	return ucore_error_set(r->err, -ENXIO,
			       "event '%s': box type '%s' does not have %s (CPUID.0AH). To count the code anyway, write '%s/event=0x%x,umask=0x%x/'",
			       r->event->label, r->event->type, desc->name, r->event->type,
			       desc->event, desc->umask);
}

int ucore_term_event(struct resolver *r, const struct ucore_event_desc *desc)
{
	int ret;

	if (event_given(r))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': '%s' is a second event. Give one event",
				       r->event->label, desc->name);
	r->event->desc = *desc;
	if (ucore_event_desc_fixed(desc))
		return fixed_take(r, (uint64_t)__builtin_ctzll(desc->counters) -
				     UCORE_COUNTER_FIXED);
	if (ucore_term_find(r->event, UCORE_FIELD_EVENT) ||
	    ucore_term_find(r->event, UCORE_FIELD_UMASK))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s defines event and umask itself. Write either the name or the fields",
				       r->event->label, desc->name);
	if ((desc->umask_ext && ucore_term_find(r->event, UCORE_FIELD_UMASK_EXT)) ||
	    (desc->ch_mask && ucore_term_find(r->event, UCORE_FIELD_CH_MASK)) ||
	    (desc->fc_mask && ucore_term_find(r->event, UCORE_FIELD_FC_MASK)))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s defines these masks itself. Write either the name or the fields",
				       r->event->label, desc->name);
	if (desc->thresh && ucore_term_find(r->event, UCORE_FIELD_THRESH))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s defines the threshold itself. Write either the name or the fields",
				       r->event->label, desc->name);
	ret = core_event_check(r, desc);
	if (!ret)
		ret = ucore_term_add(r, UCORE_FIELD_EVENT, desc->event);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_UMASK, desc->umask);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_OCC_SEL, desc->occ_sel);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_UMASK_EXT, desc->umask_ext);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_CH_MASK, desc->ch_mask);
	if (!ret)
		ret = desc_field(r, UCORE_FIELD_FC_MASK, desc->fc_mask);
	return ret ? ret : desc_field(r, UCORE_FIELD_THRESH, desc->thresh);
}

/* Store the value of the term "name=", the label of the event */
static int name_term(struct resolver *r, const char *value)
{
	if (r->label || !value)
		return ucore_error_set(r->err, -EINVAL, "event '%s': %s", r->event->label,
				       value ? "name is given twice. Give it once" :
				       "name takes a word. Write name=WORD");
	r->label = value;
	return 0;
}

int ucore_term_apply(struct resolver *r, const char *key, const char *value)
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
		return ucore_term_event(r, &desc);
	field = ucore_term_field(r, key, 0);
	if (!field)
		return unknown_term(r, key, !value);
	if (value && parse_number(value, &number))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s=%s is not a number. Write %s=N",
				       r->event->label, key, value, key);
	if (field->field == UCORE_FIELD_UMASK)
		return umask_add(r, field, number);
	return term_add_field(r, field, number);
}
