// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The list of the boxes and metrics that a session does not count, and its texts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/missing.h"

#define MAX_INSTANCE	1024	/* boxes with larger numbers are not combined to ranges */

/* ---- the list ---------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_item(const struct missing_item *a, const struct missing_item *b)
{
	return a->die == b->die && a->cpu == b->cpu && a->instance == b->instance &&
	       same_text(a->type, b->type) && same_text(a->event, b->event) &&
	       !strcmp(a->text, b->text);
}

/* Return true if the session counts an event on the box of an omission */
static bool counts_other(const struct ucore_session *session,
			 const struct ucore_omission *omission)
{
	const struct ucore_slot *slots;
	size_t nr;

	slots = ucore_session_slots(session, &nr);
	for (size_t i = 0; i < nr; i++)
		if (slots[i].box == omission->box)
			return true;
	return false;
}

static void box_add(struct missing *missing, const struct ucore_session *session,
		    const struct ucore_omission *omission)
{
	const struct ucore_event *event = ucore_session_event(session, omission->index);
	struct missing_item *item = &missing->items[missing->nr];

	*item = (struct missing_item) {
		.type = omission->type,
		.instance = omission->instance,
		.package = omission->package,
		.die = omission->die,
		.cpu = omission->cpu,
		.code = omission->code,
		.event = counts_other(session, omission) ? ucore_event_label(event) : NULL,
	};
	snprintf(item->text, sizeof(item->text), "%s", omission->text);
	for (size_t i = 0; i < missing->nr; i++)
		if (same_item(&missing->items[i], item))
			return;
	missing->nr++;
}

static void metric_add(struct missing *missing, const struct ucore_metrics *metrics, size_t i)
{
	struct missing_item *item = &missing->items[missing->nr++];
	struct ucore_error why = { "" };

	*item = (struct missing_item) {
		.metric = ucore_metrics_left_out(metrics, i),
		.cpu = -1,
		.code = ucore_metrics_left_out_error(metrics, i, &why),
	};
	snprintf(item->text, sizeof(item->text), "%s", item->code == -ENOSPC ?
		 "no free counters. Count this in another run" : why.text);
}

int missing_find(const struct ucore_session *session, const struct ucore_metrics *metrics,
		 struct missing *missing)
{
	const struct ucore_omission *omissions;
	size_t nr, nr_metrics = 0;

	omissions = ucore_session_omissions(session, &nr);
	while (metrics && ucore_metrics_left_out(metrics, nr_metrics))
		nr_metrics++;
	missing->nr = 0;
	missing->items = calloc(nr + nr_metrics + 1, sizeof(*missing->items));
	if (!missing->items)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		box_add(missing, session, &omissions[i]);
	for (size_t i = 0; i < nr_metrics; i++)
		metric_add(missing, metrics, i);
	return 0;
}

void missing_free(struct missing *missing)
{
	free(missing->items);
	missing->items = NULL;
	missing->nr = 0;
}

/* ---- texts ------------------------------------------------------------- */

/* Return true if two items are printed in one line */
static bool same_line(const struct missing_item *a, const struct missing_item *b)
{
	if (strcmp(a->text, b->text) || !a->metric != !b->metric)
		return false;
	return a->metric || (a->die == b->die && a->cpu == b->cpu &&
			     same_text(a->type, b->type) && same_text(a->event, b->event));
}

/* Print the numbers of a set of boxes as ranges: "0-3,7" */
static void ranges_print(FILE *stream, const bool *set)
{
	const char *comma = "";

	for (unsigned int first = 0, last; first < MAX_INSTANCE; first = last + 1) {
		last = first;
		if (!set[first])
			continue;
		while (last + 1 < MAX_INSTANCE && set[last + 1])
			last++;
		fprintf(stream, last > first ? "%s%u-%u" : "%s%u", comma, first, last);
		comma = ",";
	}
}

static void boxes_print(FILE *stream, const struct missing *missing, size_t first)
{
	const struct missing_item *item = &missing->items[first];
	char domain[UCORE_DOMAIN_NAME_LEN];
	bool set[MAX_INSTANCE] = { false };

	for (size_t i = first; i < missing->nr; i++)
		if (same_line(item, &missing->items[i]) &&
		    missing->items[i].instance < MAX_INSTANCE)
			set[missing->items[i].instance] = true;
	fputs(item->type, stream);
	ranges_print(stream, set);
	ucore_domain_name(item->die, item->cpu, domain, sizeof(domain));
	fprintf(stream, " of %s", domain);
	if (item->event)
		fprintf(stream, ", %s", item->event);
}

static void metrics_print(FILE *stream, const struct missing *missing, size_t first)
{
	const char *comma = "";

	for (size_t i = first; i < missing->nr; i++) {
		const struct missing_item *item = &missing->items[i];

		if (!same_line(&missing->items[first], item))
			continue;
		fprintf(stream, "%s%s", comma, *item->label ? item->label : item->metric);
		comma = ", ";
	}
}

static bool is_printed(const struct missing *missing, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_line(&missing->items[j], &missing->items[i]))
			return true;
	return false;
}

void missing_print(FILE *stream, const char *prefix, const struct missing *missing)
{
	for (size_t i = 0; i < missing->nr; i++) {
		if (is_printed(missing, i))
			continue;
		fprintf(stream, "%s not counted: ", prefix);
		if (missing->items[i].metric)
			metrics_print(stream, missing, i);
		else
			boxes_print(stream, missing, i);
		fprintf(stream, ": %s\n", missing->items[i].text);
	}
}

const char *missing_note(const struct missing_item *item, char *text)
{
	snprintf(text, MISSING_NOTE_LEN, "missing: %s", item->text);
	return text;
}

const char *missing_count(uint32_t nr, uint32_t max, const char *type, char *text)
{
	if (nr >= max)
		return NULL;
	snprintf(text, MISSING_COUNT_LEN, "%u of %u %s", nr, max, type);
	return text;
}

int missing_refuse(const struct tool *tool, const struct missing *missing)
{
	char prefix[48];

	if (!missing->nr)
		return 0;
	snprintf(prefix, sizeof(prefix), "ucoretool %s:", tool->command->name);
	missing_print(stderr, prefix, missing);
	return tool_error(tool, "--strict: something is missing. Leave out --strict to count the rest");
}

int missing_report(const struct tool *tool, const struct ucore_session *session,
		   const struct ucore_metrics *metrics, bool strict)
{
	struct missing missing;
	char prefix[48];
	int ret = 0;

	if (missing_find(session, metrics, &missing))
		return tool_error(tool, "out of memory");
	snprintf(prefix, sizeof(prefix), "ucoretool %s:", tool->command->name);
	if (strict)
		ret = missing_refuse(tool, &missing);
	else
		missing_print(stderr, prefix, &missing);
	missing_free(&missing);
	return ret;
}
