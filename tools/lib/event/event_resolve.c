// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Resolution of an event's text on a device: find the boxes, the values of the fields and the
 * counters.  event_term.c applies the terms of the text.
 */
#include <ctype.h>

#include "event/resolver.h"

static const struct ucore_box_info *box_by_event(const struct resolver *r)
{
	for (size_t i = 0; i < r->dev->nr_boxes; i++)
		if (ucore_event_matches(r->event, &r->dev->boxes[i]))
			return &r->dev->boxes[i];
	return NULL;
}

/* ---- filters, thresholds and counters ---------------------------------- */

/* Return the default value of a filter field that the user did not set */
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
	return ucore_term_find(r->event, UCORE_FIELD_FILTER_OPC_0) ||
	       ucore_term_find(r->event, UCORE_FIELD_FILTER_OPC_1);
}

/* Set a filter field of a named event to its default value, unless the user set the field */
static int need_apply(struct resolver *r, const struct ucore_need *need)
{
	const struct ucore_event_desc *desc = &r->event->desc;
	const struct ucore_field_info *field = ucore_term_field(r, NULL, need->field);

	if (!field)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s depends on %s, which the driver does not support. To count without it, write '%s/event=0x%x,umask=0x%x/'",
				       r->event->label, desc->name, desc->filter->spelling,
				       r->event->type, desc->event, desc->umask);
	if (ucore_term_find(r->event, need->field) ||
	    (need->dflt == UCORE_NEED_NO_OPCODE && opcode_given(r)))
		return 0;
	if (need->dflt == UCORE_NEED_VALUE)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': %s needs a filter. Add %s=VALUE (at most 0x%llx)",
				       r->event->label, desc->name, field->name,
				       (unsigned long long)field->max);
	return ucore_term_add(r, need->field, need_value(need, field));
}

static int filters_apply(struct resolver *r)
{
	const struct ucore_filter *filter = r->event->desc.filter;
	int ret = 0;

	for (unsigned int i = 0; filter && i < filter->nr && !ret; i++)
		ret = need_apply(r, &filter->needs[i]);
	/* the thread filter has no effect unless tid_en is set */
	if (!ret && ucore_term_find(r->event, UCORE_FIELD_FILTER_TID) &&
	    !ucore_term_find(r->event, UCORE_FIELD_TID_EN) &&
	    ucore_field_by_id(r->fields, r->nr_fields, UCORE_FIELD_TID_EN))
		ret = ucore_term_add(r, UCORE_FIELD_TID_EN, 1);
	return ret;
}

static int threshold_check(const struct resolver *r)
{
	bool core = ucore_field_by_id(r->fields, r->nr_fields, UCORE_FIELD_USR);
	const struct ucore_term *edge = ucore_term_find(r->event, UCORE_FIELD_EDGE);
	const struct ucore_term *thresh = ucore_term_find(r->event, UCORE_FIELD_THRESH);
	const struct ucore_term *invert = ucore_term_find(r->event, UCORE_FIELD_INVERT);

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

/* Return true for a field of a core's fixed counters: USR, OS, and ANY (both hyper-threads) */
static bool fixed_has_field(uint32_t field)
{
	return field == UCORE_FIELD_USR || field == UCORE_FIELD_OS || field == UCORE_FIELD_ANY;
}

static int fixed_check(struct resolver *r)
{
	bool valid = !(r->given & GIVEN_COUNTER);

	for (unsigned int i = 0; i < r->event->nr_terms; i++)
		valid &= fixed_has_field(r->event->terms[i].field);
	if (!valid && ucore_event_type_is_core(r->event->type))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': invalid term for a fixed counter. Use only usr, os, any, period= and cpu=",
				       r->event->label);
	if (!valid)
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': invalid term for a fixed counter. Use only period=, die= and cpu=",
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
				       "event '%s': %s on this machine has no counter that can count it. See 'ucoretool list'",
				       r->event->label, r->event->type);
	}
	if (!(allowed & one))
		return ucore_error_set(r->err, -ENXIO,
				       "event '%s': %s cannot be counted on counter %u. Use one of the mask 0x%llx",
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
	if (!ucore_term_find(r->event, UCORE_FIELD_EVENT))
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': no event. Give a name or event=CODE",
				       r->event->label);
	ret = filters_apply(r);
	if (!ret)
		ret = threshold_check(r);
	if (!ret)
		ret = counters_apply(r);
	return ret;
}

/* ---- head of an event's text ------------------------------------------- */

/* Return true if @word is a word of @text, such as a box type in a list of box types */
static bool has_word(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
		    !isalnum((unsigned char)at[length]) && at[length] != '_')
			return true;
	return false;
}

/* Explain that the machine has no boxes of a type that other machines have */
static int no_such_type(const struct resolver *r, const char *type)
{
	const char *reason = r->dev->info.reason;
	char core[UCORE_REASON_LEN + 4];
	struct ucore_get_core kind;

	if (!strcmp(type, UCORE_ATOM_TYPE) &&
	    ucore_device_core_of_type(r->dev, type, &kind) == -ENOENT &&
	    ucore_device_has_type(r->dev, UCORE_CORE_TYPE))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': the processor is not hybrid, or no efficient core was online when the module was loaded. Write core/EVENT/ for its cores",
				       r->spec->text);
	if (!strcmp(type, UCORE_CORE_TYPE) && ucore_device_has_type(r->dev, UCORE_ATOM_TYPE))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': no performance core has a box. Write atom/EVENT/ for the efficient cores",
				       r->spec->text);
	if (ucore_event_type_is_core(type))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': the cores' counters are not available%s. See 'ucoretool doctor'",
				       r->spec->text,
				       ucore_event_core_reason(r->dev, type, core, sizeof(core)));
	if (ucore_device_is_absent(r->dev, type, UCORE_ANY, UCORE_ANY))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': no %s of this machine responds. It is powered down, or does not exist",
				       r->spec->text, type);
	if (has_word(reason, type))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': this machine has no %s: %s. See 'ucoretool doctor'",
				       r->spec->text, type, reason);
	return ucore_error_no_box(r->err, r->dev, "event '%s': this machine has no %s",
				  r->spec->text, type);
}

static int unknown_head(struct resolver *r)
{
	struct ucore_metric_desc metric;
	struct ucore_guess guess;
	const char *type;

	if (ucore_metric_find(r->dev->info.platform, r->spec->head, &metric))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': '%s' is a metric, not an event. Use -M",
				       r->spec->text, metric.name);
	type = ucore_event_known_type(r->platform, r->spec->head);
	if (type)
		return no_such_type(r, type);
	ucore_guess_start(&guess, r->spec->head);
	for (size_t i = 0; i < r->dev->nr_boxes; i++)
		if (*r->dev->boxes[i].type)
			ucore_guess_offer(&guess, r->dev->boxes[i].type);
	for (size_t i = 0; r->platform && i < r->platform->nr_events; i++)
		ucore_guess_offer(&guess, ucore_row_names +
				  ucore_rows[r->platform->rows[i]].name);
	return ucore_error_no_box(r->err, r->dev,
				  "event '%s': '%s' is not a box type or full event name of this machine%s%s%s",
				  r->spec->text, r->spec->head,
				  guess.best ? " (did you mean '" : "",
				  guess.best ? guess.best : "", guess.best ? "'?)" : "");
}

/* Find a core event by its full name, which does not select one of several kinds of cores */
static int core_name_apply(struct resolver *r, struct ucore_event_desc *desc)
{
	struct ucore_event_desc other;

	for (size_t p = 1; p < UCORE_DEVICE_PLATFORMS; p++) {
		const struct ucore_platform *platform = ucore_device_platform(r->dev, p);

		if (!ucore_platform_event(platform, NULL, r->spec->head, &other))
			continue;
		if (desc->name)
			return ucore_error_set(r->err, -EINVAL,
					       "event '%s': the processor has several kinds of cores. Write %s/%s/ or %s/%s/, in braces in a formula",
					       r->spec->text, desc->unit->type, desc->name,
					       other.unit->type, other.name);
		*desc = other;
		r->platform = platform;
	}
	return desc->name ? 0 : unknown_head(r);
}

static int head_apply(struct resolver *r, struct ucore_event_desc *desc)
{
	int ret;

	desc->name = NULL;
	if (ucore_event_head(r->dev, r->spec->head, r->event)) {
		if (ucore_event_type_is_core(r->event->type))
			r->platform = ucore_platform_find(r->event->type);
		if (r->spec->nr)
			return 0;
		return ucore_error_set(r->err, -EINVAL,
				       "event '%s': a box without an event. Write %s/EVENT/",
				       r->spec->text, r->spec->head);
	}
	if (!ucore_platform_event(r->platform, NULL, r->spec->head, desc)) {
		ret = core_name_apply(r, desc);
		if (ret)
			return ret;
	}
	snprintf(r->event->type, sizeof(r->event->type), "%s", desc->unit->type);
	return 0;
}

/* Write the die or the CPU that the event selects, or "any die", for error texts */
static void domain_text(const struct ucore_event *event, const struct ucore_box_info *box,
			char *text, size_t size)
{
	if (event->die == UCORE_ANY && event->cpu == UCORE_ANY)
		snprintf(text, size, "any %s", box->cpu < 0 ? "die" : "cpu");
	else
		ucore_domain_name(event->die,
				  event->cpu == UCORE_ANY ? -1 : (int32_t)event->cpu, text, size);
}

/* Check that the first and the last box of a range exist; store a missing number in @missing */
static bool range_exists(const struct resolver *r, uint32_t *missing)
{
	const uint32_t limits[] = { r->event->instance, r->event->last };

	for (size_t e = 0; e < ARRAY_SIZE(limits) && limits[e] != UCORE_ANY; e++) {
		bool found = false;

		for (size_t i = 0; i < r->dev->nr_boxes && !found; i++)
			found = r->dev->boxes[i].instance == limits[e] &&
				ucore_event_matches(r->event, &r->dev->boxes[i]);
		*missing = limits[e];
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
		return no_such_type(r, event->type);
	domain_text(event, box, where, sizeof(where));
	if (event->instance == UCORE_ANY)
		return ucore_error_no_box(r->err, r->dev, "event '%s': %s has no %s",
					  event->label, where, event->type);
	range_exists(r, &missing);
	if (ucore_device_is_absent(r->dev, event->type, missing, UCORE_ANY))
		return ucore_error_set(r->err, -ENOENT,
				       "event '%s': %s%u on %s does not respond. It is powered down, or does not exist",
				       event->label, event->type, missing, where);
	return ucore_error_no_box(r->err, r->dev, "event '%s': no %s%u on %s", event->label,
				  event->type, missing, where);
}

static int items_apply(struct resolver *r)
{
	int ret = 0;

	for (unsigned int i = 0; i < r->spec->nr && !ret; i++)
		ret = ucore_term_apply(r, r->spec->items[i].key, r->spec->items[i].value);
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
		ret = ucore_term_event(&r, &desc);
	if (!ret)
		ret = items_apply(&r);
	if (!ret && (!box_by_event(&r) || !range_exists(&r, &missing)))
		ret = no_such_box(&r);
	if (!ret)
		ret = event_finish(&r);
	if (!ret && r.label)
		snprintf(event->label, sizeof(event->label), "%s", r.label);
	return ret;
}
