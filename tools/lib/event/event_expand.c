// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Texts of several events: patterns (*, ?, [), and names of core events without a box on a hybrid
 * processor.  Find the events, and resolve each of them as if the user had written it alone.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

struct expansion {
	struct ucore_device *dev;
	const struct ucore_spec *spec;
	unsigned int item;		/* number of the term with a pattern (spec->nr: none) */
	struct ucore_event *events;
	size_t nr;
	size_t capacity;
	struct ucore_error *err;
};

static bool is_pattern(const char *word)
{
	return strpbrk(word, "*?[");
}

static bool matches(const char *pattern, const char *word)
{
	return !fnmatch(pattern, word, FNM_CASEFOLD);
}

static unsigned int pattern_item(const struct ucore_spec *spec)
{
	for (unsigned int i = 0; i < spec->nr; i++)
		if (!spec->items[i].value && is_pattern(spec->items[i].key))
			return i;
	return spec->nr;
}

/* ---- resolution of one event ------------------------------------------- */

static bool events_reserve(struct expansion *e)
{
	size_t capacity = e->capacity ? 2 * e->capacity : 4;
	struct ucore_event *events;

	if (e->nr < e->capacity)
		return true;
	events = realloc(e->events, capacity * sizeof(*events));
	if (!events)
		return false;
	e->events = events;
	e->capacity = capacity;
	return true;
}

static int resolve(struct expansion *e, const struct ucore_spec *spec)
{
	int ret;

	if (!events_reserve(e))
		return ucore_error_set(e->err, -ENOMEM, "out of memory");
	ret = ucore_spec_resolve(e->dev, spec, &e->events[e->nr], e->err);
	e->nr += !ret;
	return ret;
}

/*
 * Resolve the user's text after replacing its head by @head, and (unless @name is NULL) the term
 * with the pattern by @name.  @head can have a term, "core/LLC_MISSES".
 */
static int written_resolve(struct expansion *e, const char *head, const char *name)
{
	char text[2 * UCORE_SPEC_LEN];
	struct ucore_spec spec;
	const char *list = text, *slash = strchr(head, '/');
	size_t at = (size_t)snprintf(text, sizeof(text), "%s", head);

	for (unsigned int i = 0; i < e->spec->nr && at < sizeof(text); i++) {
		const char *value = e->spec->items[i].value;

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%c%s%s%s",
				       i || slash ? ',' : '/',
				       name && i == e->item ? name : e->spec->items[i].key,
				       value ? "=" : "", value ? value : "");
	}
	if ((e->spec->nr || slash) && at < sizeof(text))
		at += (size_t)snprintf(text + at, sizeof(text) - at, "/");
	if (at >= UCORE_SPEC_LEN)
		return ucore_error_set(e->err, -EINVAL,
				       "event '%s': too long after expansion of the pattern. Use fewer terms",
				       e->spec->text);
	return ucore_spec_next(&list, &spec, e->err) < 0 ? -EINVAL : resolve(e, &spec);
}

/* ---- patterns in terms ------------------------------------------------- */

/* Add each event of the box type @type whose name matches the pattern in a term */
static int names_expand(struct expansion *e, const char *head, const char *type)
{
	const char *pattern = e->spec->items[e->item].key;
	struct ucore_event_desc desc;
	size_t before = e->nr;
	int ret = 0;

	for (size_t p = 0; p < UCORE_DEVICE_PLATFORMS; p++) {
		const struct ucore_platform *platform = ucore_device_platform(e->dev, p);

		for (size_t i = 0; platform && i < platform->nr_events && !ret; i++) {
			ucore_platform_event_at(platform, i, &desc);
			if (!strcmp(desc.unit->type, type) &&
			    (matches(pattern, ucore_event_desc_short(&desc)) ||
			     matches(pattern, desc.name)))
				ret = written_resolve(e, head, ucore_event_desc_short(&desc));
		}
	}
	if (ret || e->nr > before)
		return ret;
	return ucore_error_set(e->err, -ENOENT,
			       "event '%s': no event of %s matches '%s'. See 'ucoretool list events'",
			       e->spec->text, type, pattern);
}

static int type_expand(struct expansion *e, const char *head, const char *type)
{
	return e->item < e->spec->nr ? names_expand(e, head, type) : written_resolve(e, head, NULL);
}

/* ---- patterns in heads ------------------------------------------------- */

static bool is_first_of_type(const struct ucore_device *dev, size_t box)
{
	for (size_t i = 0; i < box; i++)
		if (!strcmp(dev->boxes[i].type, dev->boxes[box].type))
			return false;
	return true;
}

/*
 * Return true for an error that other box types need not have, such as an unknown event.  Such
 * an error does not end the search.
 */
static bool is_type_error(int code)
{
	return code == -ENOENT || code == -EINVAL || code == -ENXIO || code == -ERANGE;
}

/* Add the events of each box type that matches the head; set @found if a type matches */
static int types_expand(struct expansion *e, bool *found)
{
	const struct ucore_device *dev = e->dev;
	struct ucore_error first = { "" };
	int ret, code = 0;

	*found = false;
	for (size_t i = 0; i < dev->nr_boxes; i++) {
		const char *type = dev->boxes[i].type;
		size_t before = e->nr;

		if (!*type || !is_first_of_type(dev, i) || !matches(e->spec->head, type))
			continue;
		*found = true;
		ret = type_expand(e, type, type);
		if (!ret)
			continue;
		e->nr = before;
		if (!is_type_error(ret))
			return ret;
		if (!code && e->err)
			first = *e->err;
		code = code ? code : ret;
	}
	if (e->nr || !code)
		return 0;
	return ucore_error_set(e->err, code, "%s", first.text);
}

/* Return true if the machine has boxes of both kinds of cores */
static bool is_hybrid(const struct ucore_device *dev)
{
	return ucore_device_platform(dev, 1) && ucore_device_platform(dev, 2);
}

/* Add an event by its full name.  An event of cores has the same name on each kind of cores. */
static int full_name_resolve(struct expansion *e, const struct ucore_event_desc *desc, bool core)
{
	char head[2 * UCORE_SPEC_LEN];

	if (!core || !is_hybrid(e->dev))
		return written_resolve(e, desc->name, NULL);
	snprintf(head, sizeof(head), "%s/%s", desc->unit->type, desc->name);
	return written_resolve(e, head, NULL);
}

/*
 * Add each event whose full name is the head, or matches the pattern in it, from platform @first
 * on.  A kind of cores that lacks the event is skipped, unless no other kind has it.
 */
static int full_names_expand(struct expansion *e, size_t first)
{
	struct ucore_event_desc desc;
	size_t before = e->nr;
	int ret, lacks = 0;

	for (size_t p = first; p < UCORE_DEVICE_PLATFORMS; p++) {
		const struct ucore_platform *platform = ucore_device_platform(e->dev, p);

		for (size_t i = 0; platform && i < platform->nr_events; i++) {
			ucore_platform_event_at(platform, i, &desc);
			if (!matches(e->spec->head, desc.name))
				continue;
			ret = full_name_resolve(e, &desc, p);
			if (ret == -ENXIO && p && is_hybrid(e->dev))
				lacks = ret;
			else if (ret)
				return ret;
		}
	}
	return e->nr > before ? 0 : lacks;
}

static int head_expand(struct expansion *e)
{
	struct ucore_event event;
	bool found;
	int ret;

	if (!is_pattern(e->spec->head)) {
		if (ucore_event_head(e->dev, e->spec->head, &event))
			return type_expand(e, e->spec->head, event.type);
		if (is_hybrid(e->dev)) {
			ret = full_names_expand(e, 1);
			if (ret || e->nr)
				return ret;
		}
		/* the head is no box: ucore_spec_resolve() explains the error */
		return resolve(e, e->spec);
	}
	ret = types_expand(e, &found);
	if (!ret && !found)
		ret = full_names_expand(e, 0);
	if (ret || e->nr)
		return ret;
	return ucore_error_no_box(e->err, e->dev,
				  "event '%s': no box type or full event name of this machine matches '%s'",
				  e->spec->text, e->spec->head);
}

static bool is_named(const struct ucore_spec *spec)
{
	for (unsigned int i = 0; i < spec->nr; i++)
		if (!strcasecmp(spec->items[i].key, "name"))
			return true;
	return false;
}

int ucore_spec_expand(struct ucore_device *dev, const struct ucore_spec *spec,
		      struct ucore_event **events, size_t *nr, struct ucore_error *err)
{
	struct expansion e = { .dev = dev, .spec = spec, .item = pattern_item(spec), .err = err };
	int ret = ucore_device_ready(dev, err);

	if (!ret)
		ret = e.item == spec->nr && !is_pattern(spec->head) && !is_hybrid(dev) ?
		      resolve(&e, spec) : head_expand(&e);
	if (ret == -ENOENT)
		ret = ucore_foreign_error(dev, spec, err) ?: ret;
	if (!ret && e.nr > 1 && is_named(spec))
		ret = ucore_error_set(err, -EINVAL,
				      "event '%s': name= is not possible for %zu events. Leave it out, or select one event",
				      spec->text, e.nr);
	if (ret) {
		free(e.events);
		return ret;
	}
	*events = e.events;
	*nr = e.nr;
	return 0;
}
