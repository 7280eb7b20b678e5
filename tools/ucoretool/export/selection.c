// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The events that the exporter counts: collectors that the machine has events for, and events of
 * -e. Events are added to the session box by box. Each event on a box has a struct source.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export/selection.h"
#include "export/totals.h"

static struct series series_wanted(const struct collect *c, size_t group,
				   const struct ucore_event *event,
				   const struct ucore_box_info *box)
{
	const struct family *family = group < NR_FAMILIES ? &families[group] : NULL;
	const struct ucore_domain_info *domain = ucore_device_domain(c->dev, box->domain);
	const struct ucore_event_desc *desc = ucore_event_desc_of(event);
	struct series series = {
		.group = group,
		.package = domain ? domain->package : 0,
		.die = box->die,
		.cpu = box->cpu,
		.instance = family && !family->label ? UCORE_ANY : box->instance,
		.bytes = 1,
		.per = 1,
	};

	memcpy(series.type, box->type, sizeof(series.type));
	if (!family || !family->bytes)
		return series;
	series.bytes = desc && desc->bytes ? desc->bytes : family->bytes;
	series.per = desc && desc->bytes ? desc->bytes_per : 1;
	return series;
}

/*
 * Report that two events have one label on the same box, which would be one series with two
 * values
 */
static int given_twice(struct collect *c, const struct ucore_event *event)
{
	snprintf(c->tool->err.text, sizeof(c->tool->err.text),
		 "event '%s': given twice. Remove one, or rename it with name=",
		 ucore_event_label(event));
	return -EINVAL;
}

/* Add a struct source for the count of an event on a box */
static int source_add(struct collect *c, size_t group, const struct ucore_event *event,
		      const struct ucore_box_info *box)
{
	struct series wanted = series_wanted(c, group, event, box), *series;
	struct source *grown;

	series = totals_series(c, &wanted);
	grown = totals_grow(c->sources, c->nr_sources, &c->max_sources, sizeof(*grown));
	if (!series || !grown)
		return -ENOMEM;
	c->sources = grown;
	/* Refuse a series that two events of -e share; counts of a family's events are added */
	if (series->counted && group >= NR_FAMILIES)
		return given_twice(c, event);
	series->counted = true;
	c->sources[c->nr_sources++] = (struct source) {
		.series = (size_t)(series - c->series),
	};
	return 0;
}

/* Add an event on each of its boxes, except boxes that cannot count it */
static int event_add(struct collect *c, size_t group, const struct ucore_event *event)
{
	const struct ucore_box_info *boxes;
	const struct ucore_slot *slots;
	size_t nr, nr_boxes;
	int ret = ucore_session_add(c->session, event, &c->tool->err);

	slots = ucore_session_slots(c->session, &nr);
	boxes = ucore_device_boxes(c->dev, &nr_boxes);
	while (!ret && c->nr_sources < nr)
		ret = source_add(c, group, event, &boxes[slots[c->nr_sources].box]);
	return ret;
}

/* Return the index of the first event set of the family that this machine has; -1 if none */
static int family_way(struct collect *c, const struct family *family)
{
	struct ucore_events *events;

	for (int way = 0; way < FAMILY_WAYS && family->ways[way][0]; way++) {
		int ret = 0;

		for (int i = 0; i < FAMILY_EVENTS && family->ways[way][i] && !ret; i++) {
			ret = ucore_events_find(c->dev, family->ways[way][i], &events,
						&c->tool->err);
			if (!ret)
				ucore_events_free(events);
		}
		if (!ret)
			return way;
	}
	return -1;
}

static int family_add(struct collect *c, size_t group)
{
	const char *const *specs = families[group].ways[c->ways[group]];
	struct ucore_events *events;
	int ret = 0;

	for (int i = 0; i < FAMILY_EVENTS && specs[i] && !ret; i++) {
		ret = ucore_events_find(c->dev, specs[i], &events, &c->tool->err);
		if (ret)
			break;
		ret = event_add(c, group, ucore_events_at(events, 0));
		ucore_events_free(events);
	}
	return ret;
}

static bool belongs(size_t group, unsigned int collector)
{
	return !strcmp(families[group].collector, collectors[collector]);
}

int selection_add_collector(struct collect *c, unsigned int collector)
{
	int ret = 0;

	for (size_t group = 0; group < NR_FAMILIES && !ret; group++)
		if (belongs(group, collector) && c->ways[group] >= 0)
			ret = family_add(c, group);
	return ret;
}

/*
 * Report that a selected collector is not available on this processor. A collector has several
 * alternative sets of events. tool->err has the reason why the last set cannot be counted.
 */
static int collector_missing(struct collect *c, unsigned int collector)
{
	struct ucore_error why = c->tool->err;

	snprintf(c->tool->err.text, sizeof(c->tool->err.text),
		 "collector '%s': not available on this processor: %.*s", collectors[collector],
		 UCORE_ERROR_LEN - 64, why.text);
	return -ENOENT;
}

/* Find the event sets of a collector's families; return true if the machine has at least one */
static bool collector_find(struct collect *c, unsigned int collector)
{
	bool found = false;

	for (size_t group = 0; group < NR_FAMILIES; group++) {
		if (!belongs(group, collector))
			continue;
		c->ways[group] = family_way(c, &families[group]);
		found |= c->ways[group] >= 0;
	}
	return found;
}

/* Find the collectors with events on this machine; -ENOENT if a selected collector has none */
int selection_find(struct collect *c)
{
	for (unsigned int i = 0; i < NR_COLLECTORS; i++) {
		bool wanted = !c->args->chosen || c->args->wanted & 1U << i;
		bool found = collector_find(c, i);

		if (c->args->chosen && wanted && !found)
			return collector_missing(c, i);
		c->states[i] = wanted && found ? COLLECTOR_COUNTING : COLLECTOR_MISSING;
	}
	return 0;
}

/*
 * Find or add an event label, and return its series.group in @group. A label has the same number
 * in all sessions.
 */
static int label_group(struct collect *c, const char *label, size_t *group)
{
	struct event_label *grown;
	size_t i = 0;

	while (i < c->nr_labels && strcmp(c->labels[i].text, label))
		i++;
	*group = NR_FAMILIES + i;
	if (i < c->nr_labels)
		return 0;
	grown = totals_grow(c->labels, c->nr_labels, &c->max_labels, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	c->labels = grown;
	snprintf(c->labels[c->nr_labels++].text, sizeof(grown->text), "%s", label);
	return 0;
}

/* Add an event of -e, or all events that match a pattern */
static int user_add(struct collect *c, const char *text)
{
	struct ucore_events *events;
	struct ucore_event *event;
	size_t group;
	int ret = ucore_events_find(c->dev, text, &events, &c->tool->err);

	if (ret)
		return ret;
	for (size_t i = 0; !ret && (event = ucore_events_at(events, i)); i++) {
		ret = label_group(c, ucore_event_label(event), &group);
		if (!ret)
			ret = event_add(c, group, event);
	}
	ucore_events_free(events);
	return ret;
}

/* Add the events of -e, before the collectors, which use the remaining counters */
int selection_add_events(struct collect *c)
{
	int ret = 0;

	for (size_t i = 0; i < c->args->nr_events && !ret; i++)
		ret = user_add(c, c->args->events[i]);
	return ret;
}

/* Return true if the box responds and no other session uses it */
static bool box_is_free(const struct collect *c, const struct ucore_box_info *box)
{
	if (box->flags & UCORE_BOX_F_DEAD)
		return false;
	return !box->owner || (box->owner == c->session_id && !(box->flags & UCORE_BOX_F_SHARED));
}

/* Return true if a box that the event matches is free */
static bool any_box_is_free(const struct collect *c, const struct ucore_event *event)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(c->dev, &nr);
	for (size_t i = 0; i < nr; i++)
		if (ucore_event_matches(event, &boxes[i]) && box_is_free(c, &boxes[i]))
			return true;
	return false;
}

/* Return true if each family of a collector has a free box */
bool selection_is_free(struct collect *c, unsigned int collector)
{
	struct ucore_events *events;
	bool all = true;

	for (size_t group = 0; group < NR_FAMILIES && all; group++) {
		if (!belongs(group, collector) || c->ways[group] < 0 ||
		    ucore_events_find(c->dev, families[group].ways[c->ways[group]][0], &events,
				      &c->tool->err))
			continue;
		all = any_box_is_free(c, ucore_events_at(events, 0));
		ucore_events_free(events);
	}
	return all;
}

/*
 * Return true if a box that was dead or in use, and therefore is not counted, is free now. perf can
 * have the counters of a core, which no owner shows.
 */
bool selection_gains(const struct collect *c)
{
	const struct ucore_omission *omissions;
	const struct ucore_box_info *boxes;
	size_t nr, nr_boxes;

	boxes = ucore_device_boxes(c->dev, &nr_boxes);
	omissions = ucore_session_omissions(c->session, &nr);
	for (size_t i = 0; i < nr; i++)
		if ((omissions[i].code == -ENODEV || omissions[i].code == -EBUSY) &&
		    omissions[i].cpu < 0 && omissions[i].box < nr_boxes &&
		    box_is_free(c, &boxes[omissions[i].box]))
			return true;
	return false;
}
