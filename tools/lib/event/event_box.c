// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Boxes of an event: parse the head of an event's text ("imc0-3"), and match boxes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

bool ucore_event_matches(const struct ucore_event *event, const struct ucore_box_info *box)
{
	return !strcmp(event->type, box->type) &&
	       (event->instance == UCORE_ANY ||
		(event->instance <= box->instance && box->instance <= event->last)) &&
	       (event->die == UCORE_ANY || event->die == box->die) &&
	       (event->cpu == UCORE_ANY || (int32_t)event->cpu == box->cpu);
}

/* Parse a box number of at most six digits, and advance @text past the number */
static bool instance_parse(const char **text, uint32_t *instance)
{
	size_t digits = strspn(*text, "0123456789");

	*instance = (uint32_t)strtoul(*text, NULL, 10);
	*text += digits;
	return digits && digits <= 6;
}

/* Parse the box numbers after a box type: "" (UCORE_ANY), "2" or "0-3" */
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

/*
 * If several box types match the head of an event's text ("imc0-3"), the longest is the type,
 * because types can contain digits ("r2pcie", "type_12").
 */
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

static const char *const core_types[] = { UCORE_CORE_TYPE, UCORE_ATOM_TYPE };

bool ucore_event_type_is_core(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(core_types); i++)
		if (!strcmp(core_types[i], type))
			return true;
	return false;
}

const char *ucore_event_known_type(const struct ucore_platform *platform, const char *head)
{
	size_t best = 0;
	uint32_t first, last;
	const char *found = NULL;
	struct ucore_event_desc desc;

	for (size_t i = 0; i < ARRAY_SIZE(core_types); i++)
		if (!strncasecmp(head, core_types[i], strlen(core_types[i])) &&
		    instances_parse(head + strlen(core_types[i]), &first, &last))
			return core_types[i];
	for (size_t i = 0; platform && i < platform->nr_events; i++) {
		size_t length;

		ucore_platform_event_at(platform, i, &desc);
		length = strlen(desc.unit->type);
		if (length <= best || strncasecmp(head, desc.unit->type, length) ||
		    !instances_parse(head + length, &first, &last))
			continue;
		best = length;
		found = desc.unit->type;
	}
	return found;
}

const char *ucore_event_core_reason(const struct ucore_device *dev, const char *type, char *text,
				    size_t size)
{
	struct ucore_get_core core;

	*text = 0;
	if (!ucore_device_core_of_type(dev, type, &core) && *core.reason)
		snprintf(text, size, " (%s)", core.reason);
	return text;
}
