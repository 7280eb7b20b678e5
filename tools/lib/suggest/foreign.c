// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events that are written as in perf, Intel PCM or LIKWID, or without a box: translate them into
 * the texts that ucore accepts.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "suggest/foreign_tables.h"
#include "suggest/suggest.h"

/* ---- terms ------------------------------------------------------------- */

/* Return the events of a box type: those of the machine's uncore, or those of cores */
static const struct ucore_platform *platform_of(const struct ucore_suggestions *s,
						const char *type)
{
	return ucore_event_type_is_core(type) ? ucore_platform_find(type) : s->platform;
}

/* Find the row of an event's name, which may be followed by perf's modifiers ("cycles:u") */
static const struct ucore_foreign_core *core_find(const char *name)
{
	size_t length = strcspn(name, ":");

	for (const struct ucore_foreign_core *row = ucore_foreign_cores; row->name; row++)
		if (strlen(row->name) == length && !strncasecmp(row->name, name, length))
			return row;
	return NULL;
}

/* Find the event of a box type by a name whose words are separated by other characters */
static bool event_find(const struct ucore_suggestions *s, const char *type, const char *name,
		       struct ucore_event_desc *desc)
{
	const struct ucore_platform *platform = platform_of(s, type);
	const struct ucore_foreign_core *core;

	if (ucore_platform_event(platform, type, name, desc))
		return true;
	for (size_t i = 0; platform && i < platform->nr_events; i++) {
		ucore_platform_event_at(platform, i, desc);
		if (!strcmp(desc->unit->type, type) &&
		    (ucore_suggest_same_name(ucore_event_desc_short(desc), name) ||
		     ucore_suggest_same_name(desc->name, name)))
			return true;
	}
	core = ucore_event_type_is_core(type) ? core_find(name) : NULL;
	return core && core->event && ucore_platform_event(platform, type, core->event, desc);
}

/* Compare a name with the name in a row, where "#" is the last digit; store that digit */
static bool row_matches(const char *row, const char *name, char *digit)
{
	size_t length = strlen(row);

	*digit = 0;
	if (row[length - 1] != '#')
		return ucore_suggest_same_name(row, name);
	*digit = name[strlen(name) - 1];
	return strlen(name) == length && isdigit((unsigned char)*digit) &&
	       !strncasecmp(row, name, length - 1);
}

/* Add the terms of a row of the table of events, with the digit in place of "#" */
static void row_add(struct ucore_draft *draft, const struct ucore_foreign_event *row, char digit)
{
	ucore_draft_term(draft, row->terms, NULL);
	if (digit && draft->fits)
		*strchr(draft->text, '#') = digit;
}

/*
 * Add an event's name, or the terms of alternative number @way of a foreign name.  Stores the
 * event in @desc, whose name is NULL if the platform has none.  Returns false after the last
 * alternative.
 */
static bool event_add(const struct ucore_suggestions *s, struct ucore_draft *draft,
		      const char *type, const char *name, unsigned int way,
		      struct ucore_event_desc *desc)
{
	char digit;

	if (event_find(s, type, name, desc)) {
		ucore_draft_term(draft, ucore_event_desc_short(desc), NULL);
		return !way;
	}
	desc->name = NULL;
	for (const struct ucore_foreign_event *row = ucore_foreign_events; row->type; row++) {
		if (strcmp(row->type, type) || !row_matches(row->name, name, &digit) || way--)
			continue;
		row_add(draft, row, digit);
		return true;
	}
	return false;
}

/* Add the fields of a control register's value.  Returns false if no field has a bit of it. */
static bool config_add(const struct ucore_suggestions *s, struct ucore_draft *draft,
		       const char *type, const char *text)
{
	char *end, value[24];
	uint64_t config = strtoull(text, &end, 0);

	if (*end)
		return false;
	for (const struct ucore_foreign_bits *bits = ucore_foreign_config; bits->width; bits++) {
		uint64_t mask = (1ULL << bits->width) - 1, part = config >> bits->shift & mask;
		const struct ucore_field_info *field = NULL;

		if (bits->field)
			field = ucore_suggest_field(s->dev, type, bits->field, 0);
		if (bits->field && (!field || part > field->max))
			continue;
		config &= ~(mask << bits->shift);
		if (!bits->field || (!part && bits->shift))
			continue;
		snprintf(value, sizeof(value), "0x%llx", (unsigned long long)part);
		ucore_draft_term(draft, bits->field, bits->width > 1 ? value : NULL);
	}
	return !config;
}

/* Return true for a term that is the name of an event, and not a field, "fixed" or perf's "inv" */
static bool is_event_name(const struct ucore_suggestions *s, const char *type, unsigned int item)
{
	const char *key = s->spec->items[item].key;

	return !s->spec->items[item].value && !ucore_suggest_field(s->dev, type, key, 0) &&
	       strcasecmp(key, "fixed") && strcasecmp(key, "inv");
}

/*
 * Add all terms of the user's text, with alternative number @way of the event's name.  Returns
 * false if a term is unknown, or after the last alternative.
 */
static bool items_add(const struct ucore_suggestions *s, struct ucore_draft *draft,
		      const char *type, unsigned int way, struct ucore_event_desc *desc)
{
	bool named = false;

	desc->name = NULL;
	for (unsigned int i = 0; i < s->spec->nr; i++) {
		const char *key = s->spec->items[i].key, *value = s->spec->items[i].value;
		bool ok = true;

		if (is_event_name(s, type, i)) {
			ok = !named && event_add(s, draft, type, key, way, desc);
			named = true;
		} else if (value && !strcasecmp(key, "config")) {
			ok = config_add(s, draft, type, value);
		} else if (!value || strncasecmp(key, "config", 6) || strtoull(value, NULL, 0)) {
			/* the registers of perf's config1 and config2 are 0 by default */
			ucore_draft_term(draft, key, value);
		}
		if (!ok)
			return false;
	}
	return named || !way;
}

/* ---- boxes and PMUs ---------------------------------------------------- */

/*
 * Split "uncore_imc_3", "uncore_imc*" or "cha0-3" into a name and box numbers.  @name has
 * UCORE_SPEC_LEN characters.  Returns the box numbers, which may be "".
 */
static const char *pmu_split(const char *head, char *name)
{
	static const char prefix[] = "uncore_";
	size_t length;

	if (!strncasecmp(head, prefix, strlen(prefix)))
		head += strlen(prefix);
	snprintf(name, UCORE_SPEC_LEN, "%.*s", (int)strcspn(head, "*?["), head);
	length = strlen(name);
	head += length;
	while (length && strchr("0123456789-", name[length - 1]))
		length--;
	head -= strlen(name) - length;
	while (length && name[length - 1] == '_')
		length--;
	name[length] = 0;
	return head;
}

static void type_suggest(struct ucore_suggestions *s, const char *type, const char *head)
{
	char boxes[UCORE_SPEC_LEN];
	struct ucore_event_desc desc;
	struct ucore_draft draft;

	if (!ucore_device_has_type(s->dev, type))
		return;
	snprintf(boxes, sizeof(boxes), "%.*s", (int)strspn(head, "0123456789-"), head);
	for (unsigned int way = 0;; way++) {
		draft = ucore_draft_start(type, boxes);
		if (!items_add(s, &draft, type, way, &desc))
			return;
		ucore_suggest_draft(s, &draft, type, desc.name ? &desc : NULL);
	}
}

/* Suggest events for "PMU/term,.../" */
static void pmu_suggest(struct ucore_suggestions *s)
{
	char name[UCORE_SPEC_LEN], type[UCORE_SPEC_LEN];
	const char *boxes = pmu_split(s->spec->head, name);
	size_t length = strlen(name);

	for (size_t i = 0; i <= length; i++)
		type[i] = (char)tolower((unsigned char)name[i]);
	type_suggest(s, type, boxes);
	for (const struct ucore_foreign_type *row = ucore_foreign_types; row->name && !s->nr; row++)
		if (!strcmp(row->name, type))
			type_suggest(s, row->type, boxes);
}

/* ---- names without a box ----------------------------------------------- */

/* Suggest an event by its full or short name, with the terms that follow in the user's text */
static void event_suggest(struct ucore_suggestions *s, const struct ucore_event_desc *desc,
			  bool full)
{
	struct ucore_draft draft = ucore_draft_start(full ? desc->name : desc->unit->type, "");

	if (!full)
		ucore_draft_term(&draft, ucore_event_desc_short(desc), NULL);
	for (unsigned int i = 0; i < s->spec->nr; i++)
		ucore_draft_term(&draft, s->spec->items[i].key, s->spec->items[i].value);
	ucore_suggest_draft(s, &draft, desc->unit->type, desc);
}

static void names_suggest(struct ucore_suggestions *s, const struct ucore_platform *platform,
			  const char *name)
{
	struct ucore_event_desc desc;

	for (size_t i = 0; platform && i < platform->nr_events; i++) {
		bool is_short, is_full;

		ucore_platform_event_at(platform, i, &desc);
		is_short = ucore_suggest_same_name(ucore_event_desc_short(&desc), name);
		is_full = ucore_suggest_same_name(desc.name, name);
		if ((is_short || is_full) && ucore_device_has_type(s->dev, desc.unit->type))
			event_suggest(s, &desc, !is_short);
	}
}

static void foreign_names_suggest(struct ucore_suggestions *s, const char *name)
{
	struct ucore_draft draft;
	char digit;

	for (const struct ucore_foreign_event *row = ucore_foreign_events; row->type; row++) {
		if (!row_matches(row->name, name, &digit) ||
		    !ucore_device_has_type(s->dev, row->type))
			continue;
		draft = ucore_draft_start(row->type, "");
		row_add(&draft, row, digit);
		ucore_suggest_draft(s, &draft, row->type, NULL);
	}
}

/* Suggest the event with the most similar short name, for a misspelled name without a box */
static void similar_suggest(struct ucore_suggestions *s)
{
	struct ucore_event_desc desc;
	struct ucore_guess guess;

	ucore_guess_start(&guess, s->spec->head);
	/* names of events are long and similar: a sixth of the characters may differ */
	guess.distance = strlen(s->spec->head) / 6 + 2;
	for (size_t i = 0; s->platform && i < s->platform->nr_events; i++) {
		ucore_platform_event_at(s->platform, i, &desc);
		if (ucore_device_has_type(s->dev, desc.unit->type)) {
			ucore_guess_offer(&guess, ucore_event_desc_short(&desc));
			ucore_guess_offer(&guess, desc.name);
		}
	}
	/* a word that is as near to a box type as to an event is meant to be the box type */
	for (size_t i = 0; guess.best && i < s->dev->nr_boxes; i++) {
		struct ucore_guess type;

		ucore_guess_start(&type, s->spec->head);
		if (*s->dev->boxes[i].type)
			ucore_guess_offer(&type, s->dev->boxes[i].type);
		if (type.best && type.distance <= guess.distance)
			return;
	}
	if (guess.best)
		names_suggest(s, s->platform, guess.best);
}

static void name_suggest(struct ucore_suggestions *s)
{
	names_suggest(s, s->platform, s->spec->head);
	for (size_t p = 1; p < UCORE_DEVICE_PLATFORMS; p++)
		names_suggest(s, ucore_device_platform(s->dev, p), s->spec->head);
	if (!s->nr)
		foreign_names_suggest(s, s->spec->head);
}

/* ---- LIKWID: EVENT:COUNTER[:OPTION[=VALUE]]... --------------------------- */

static const char *option_field(const char *option, size_t length)
{
	for (const struct ucore_foreign_option *row = ucore_foreign_options; row->option; row++)
		if (strlen(row->option) == length && !strncasecmp(row->option, option, length))
			return row->field;
	return NULL;
}

/* Add the options of a counter ("EDGEDETECT:THRESHOLD=0x1"); false if one is unknown */
static bool options_add(struct ucore_draft *draft, const char *options)
{
	while (*options) {
		size_t length = strcspn(options, ":"), key = strcspn(options, ":=");
		const char *field = option_field(options, key);

		if (!field)
			return false;
		ucore_draft_add(draft, ",%s%.*s", field, (int)(length - key), options + key);
		options += length + (options[length] == ':');
	}
	return true;
}

/* Return the length of the box number in the rest of a counter's name, "1C0" or "1FIX" */
static size_t counter_box_length(const char *rest)
{
	size_t digits = strspn(rest, "0123456789");

	return !strncmp(rest + digits, "C", 1) || !strncmp(rest + digits, "FIX", 3) ? digits : 0;
}

static void unit_suggest(struct ucore_suggestions *s, const char *type, const char *rest)
{
	const char *options = strchr(rest, ':');
	char event[UCORE_SPEC_LEN], boxes[UCORE_SPEC_LEN];
	struct ucore_event_desc desc;
	struct ucore_draft draft;

	snprintf(event, sizeof(event), "%.*s", (int)strcspn(s->spec->head, ":"), s->spec->head);
	snprintf(boxes, sizeof(boxes), "%.*s", (int)counter_box_length(rest), rest);
	for (unsigned int way = 0;; way++) {
		draft = ucore_draft_start(type, boxes);
		if (!event_add(s, &draft, type, event, way, &desc) ||
		    (options && !options_add(&draft, options + 1)))
			return;
		ucore_suggest_draft(s, &draft, type, desc.name ? &desc : NULL);
	}
}

/* Suggest events for a counter of LIKWID; return the type of its boxes, NULL if there is none */
static const char *counter_suggest(struct ucore_suggestions *s)
{
	const char *counter = strchr(s->spec->head, ':'), *type = NULL;

	if (!counter || s->spec->nr)
		return NULL;
	counter++;
	for (const struct ucore_foreign_unit *row = ucore_foreign_units; row->unit; row++) {
		if (s->nr || strncasecmp(counter, row->unit, strlen(row->unit)) ||
		    !ucore_device_has_type(s->dev, row->type))
			continue;
		type = type ? type : row->type;
		unit_suggest(s, row->type, counter + strlen(row->unit));
	}
	return type;
}

/* ---- events of cores --------------------------------------------------- */

static bool is_other_pmu(const char *head)
{
	for (size_t i = 0; ucore_foreign_pmus[i]; i++)
		if (!strcasecmp(ucore_foreign_pmus[i], head))
			return true;
	return false;
}

/* Return true for the name of a tracepoint, SYSTEM:EVENT in lower case */
static bool is_tracepoint(const char *head)
{
	size_t system = strspn(head, "abcdefghijklmnopqrstuvwxyz0123456789_");
	const char *event = head + system + 1;

	return system && head[system] == ':' && *event &&
	       event[strspn(event, "abcdefghijklmnopqrstuvwxyz0123456789_")] == 0;
}

/* Add the modes of perf's modifiers: ":u" is "usr", ":k" is "os" */
static void modes_add(struct ucore_draft *draft, const char *modifiers)
{
	bool user = strchr(modifiers, 'u'), kernel = strchr(modifiers, 'k');

	if (user != kernel)
		ucore_draft_term(draft, user ? "usr" : "os", NULL);
}

/* Suggest an event of a kind of cores, with perf's modifiers, if the machine has such cores */
static void core_suggest(struct ucore_suggestions *s, const char *type, const char *event,
			 const char *modifiers)
{
	struct ucore_draft draft = ucore_draft_start(type, "");

	if (!ucore_device_has_type(s->dev, type))
		return;
	ucore_draft_term(&draft, event, NULL);
	if (modifiers)
		modes_add(&draft, modifiers);
	ucore_suggest_draft(s, &draft, type, NULL);
}

/*
 * Suggest a core event, or explain that it cannot be counted.  Returns 0 after a suggestion, or
 * if the text is no such event.
 */
static int core_explain(struct ucore_suggestions *s, struct ucore_error *err)
{
	const struct ucore_foreign_core *row = core_find(s->spec->head);
	const char *modifiers = strchr(s->spec->head, ':');
	char reason[UCORE_REASON_LEN + 4];
	struct ucore_event_desc desc;
	const char *event;

	if (row ? !row->event : is_other_pmu(s->spec->head) || is_tracepoint(s->spec->head))
		return ucore_error_set(err, -ENOENT,
				       "event '%s': not an event of the uncore. perf counts it: perf stat -e %s",
				       s->spec->text, s->spec->text);
	if (row)
		event = row->event;
	else if (ucore_platform_event(ucore_platform_find(UCORE_CORE_TYPE), NULL, s->spec->head,
				      &desc))
		event = desc.name;
	else
		return 0;
	if (!ucore_device_platform(s->dev, 1) && !ucore_device_platform(s->dev, 2))
		return ucore_error_set(err, -ENOENT,
				       "event '%s': this is core/%s/, but the cores' counters are not available%s. See 'ucoretool doctor'",
				       s->spec->text, event,
				       ucore_event_core_reason(s->dev, UCORE_CORE_TYPE, reason,
							       sizeof(reason)));
	/* upper case after the colon is a counter of LIKWID */
	if (modifiers && !islower((unsigned char)modifiers[1]))
		modifiers = NULL;
	core_suggest(s, UCORE_CORE_TYPE, event, modifiers);
	core_suggest(s, UCORE_ATOM_TYPE, event, modifiers);
	return 0;
}

/* ---- errors ------------------------------------------------------------ */

/* Explain why there is no suggestion for a known kind of text; 0 if there is no such kind */
static int refusal_error(struct ucore_suggestions *s, const char *counter_type,
			 struct ucore_error *err)
{
	if (*s->refused)
		return ucore_suggest_resolve(s->dev, s->refused, err);
	if (!counter_type)
		return 0;
	return ucore_error_set(err, -ENOENT,
			       "event '%s': a counter of LIKWID, but %s has no such event or option. See 'ucoretool list events %s'",
			       s->spec->text, counter_type, counter_type);
}

/* Return true for a text whose error names the problem: a missing box, or a metric */
static bool is_known(const struct ucore_suggestions *s)
{
	const char *type = ucore_event_known_type(s->platform, s->spec->head);
	struct ucore_metric_desc metric;
	struct ucore_event_desc event;

	return (type && !ucore_device_has_type(s->dev, type)) ||
	       ucore_platform_event(s->platform, NULL, s->spec->head, &event) ||
	       ucore_metric_find(s->dev->info.platform, s->spec->head, &metric);
}

int ucore_foreign_error(struct ucore_device *dev, const struct ucore_spec *spec,
			struct ucore_error *err)
{
	struct ucore_suggestions s = { .dev = dev, .spec = spec };
	char text[UCORE_ERROR_LEN];
	const char *counter_type = NULL;
	int ret;

	s.platform = ucore_platform_find(dev->info.platform);
	ret = core_explain(&s, err);
	if (ret || is_known(&s))
		return ret;
	if (!s.nr)
		counter_type = counter_suggest(&s);
	if (!s.nr && spec->nr)
		pmu_suggest(&s);
	if (!s.nr)
		name_suggest(&s);
	if (!s.nr && !*s.refused && !counter_type)
		similar_suggest(&s);
	if (!s.nr)
		return refusal_error(&s, counter_type, err);
	ucore_suggest_text(&s, text, sizeof(text));
	return ucore_error_set(err, -ENOENT,
			       "event '%.80s': no such event (did you mean %s?). See 'ucoretool list events'",
			       spec->text, text);
}
