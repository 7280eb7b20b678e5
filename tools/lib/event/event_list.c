// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Public functions for events: find the events of a text, and access their properties.  They
 * call event_spec.c (syntax), event_resolve.c (meaning) and event_expand.c (patterns).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

int ucore_list_next(const char **list, char *text, size_t size, struct ucore_error *err)
{
	struct ucore_spec spec;
	int ret = ucore_spec_next(list, &spec, err);

	if (ret > 0)
		snprintf(text, size, "%s", spec.text);
	return ret;
}

int ucore_events_find(struct ucore_device *dev, const char *text, struct ucore_events **out,
		      struct ucore_error *err)
{
	struct ucore_events *events;
	const char *list = text;
	struct ucore_spec spec;
	int ret;

	if (ucore_spec_next(&list, &spec, err) < 1)
		return -EINVAL;
	if (list)
		return ucore_error_set(err, -EINVAL,
				       "event '%s': this is more than one event. Give a single event",
				       text);
	events = calloc(1, sizeof(*events));
	if (!events)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	ret = ucore_spec_expand(dev, &spec, &events->events, &events->nr, err);
	if (ret)
		free(events);
	else
		*out = events;
	return ret;
}

void ucore_events_free(struct ucore_events *events)
{
	if (!events)
		return;
	free(events->events);
	free(events);
}

struct ucore_event *ucore_events_at(struct ucore_events *events, size_t i)
{
	return i < events->nr ? &events->events[i] : NULL;
}

const char *ucore_event_text(const struct ucore_event *event)
{
	return event->text;
}

const char *ucore_event_label(const struct ucore_event *event)
{
	return event->label;
}

const char *ucore_event_type(const struct ucore_event *event)
{
	return event->type;
}

const struct ucore_event_desc *ucore_event_desc_of(const struct ucore_event *event)
{
	return event->desc.name ? &event->desc : NULL;
}

uint64_t ucore_event_period(const struct ucore_event *event)
{
	return event->period;
}

void ucore_event_set_period(struct ucore_event *event, uint64_t period)
{
	event->period = period;
}

void ucore_event_set_flags(struct ucore_event *event, uint32_t flags)
{
	event->flags = flags;
}
