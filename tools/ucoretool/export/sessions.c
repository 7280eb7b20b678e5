// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the exporter counts.  A session may be lost and another may follow, of a driver that
 * was loaded anew: each series keeps its own total, to which sessions only add.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/walltime.h"
#include "export/sessions.h"
#include "export/page.h"
#include "event_loop.h"

#define RETRY_NS	(2 * NSEC_PER_SEC)	/* between attempts to find a device */
#define RETRY_BUSY_NS	(5 * NSEC_PER_SEC)	/* and to have what others have let go of */

/* ---- create and free --------------------------------------------------- */

struct collect *collect_create(struct tool *tool, const struct collect_args *args)
{
	struct collect *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->started = clock_real(now_ns());
	c->tool = tool;
	c->args = args;
	return c;
}

static void disconnect(struct collect *c)
{
	ucore_session_destroy(c->session);
	ucore_device_close(c->dev);
	c->session = NULL;
	c->dev = NULL;
	c->nr_sources = 0;
}

void collect_free(struct collect *c)
{
	if (!c)
		return;
	disconnect(c);
	free(c->series);
	free(c->sources);
	free(c->places);
	free(c->labels);
	free(c);
}

/* The array with room for one more; NULL: out of memory */
static void *array_grow(void *array, size_t nr, size_t *max, size_t size)
{
	size_t more = *max ? 2 * *max : 64;

	if (nr < *max)
		return array;
	array = realloc(array, more * size);
	if (array)
		*max = more;
	return array;
}

/* A complaint, once: what goes on for hours is not said for hours */
static void complain(struct collect *c)
{
	if (!strcmp(c->said.text, c->tool->err.text))
		return;
	c->said = c->tool->err;
	tool_error(c->tool, "not counting: %s", c->said.text);
}

/* ---- meters ------------------------------------------------------------ */

/* What never falls as long as the driver is the same */
static void meter_follow(struct meter *meter, uint64_t now)
{
	if (now <= meter->last)
		return;
	meter->total += now - meter->last;
	meter->last = now;
}

/* The same behind a driver that may have been loaded anew */
static void meter_rejoin(struct meter *meter, uint64_t now)
{
	if (now < meter->last)
		meter->last = 0;
	meter_follow(meter, now);
}

/* ---- places ------------------------------------------------------------ */

static struct place *place_of(struct collect *c, const struct ucore_domain_info *domain)
{
	struct place *grown;

	for (size_t i = 0; i < c->nr_places; i++) {
		struct place *place = &c->places[i];

		if (place->scope == domain->scope && place->die == domain->die &&
		    place->cpu == domain->cpu)
			return place;
	}
	grown = array_grow(c->places, c->nr_places, &c->max_places, sizeof(*grown));
	if (!grown)
		return NULL;
	c->places = grown;
	c->places[c->nr_places] = (struct place) {
		.scope = domain->scope, .die = domain->die, .cpu = domain->cpu,
	};
	return &c->places[c->nr_places++];
}

/* What the driver says of its domains now */
static int places_update(struct collect *c)
{
	const struct ucore_domain_info *domains;
	size_t nr;

	for (size_t i = 0; i < c->nr_places; i++)
		c->places[i].there = false;
	domains = ucore_device_domains(c->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct place *place = place_of(c, &domains[i]);

		if (!place)
			return -ENOMEM;
		place->package = domains[i].package;
		place->there = true;
		place->online = domains[i].reader >= 0;
		meter_rejoin(&place->frozen, domains[i].frozen_ns);
		meter_rejoin(&place->pmis, domains[i].pmis);
		meter_rejoin(&place->recovered, domains[i].recovered);
		meter_rejoin(&place->throttled, domains[i].throttled);
	}
	return 0;
}

/* Times of a session begin at 0 with it */
static void places_restart(struct collect *c)
{
	for (size_t i = 0; i < c->nr_places; i++) {
		c->places[i].enabled.last = 0;
		c->places[i].running.last = 0;
		c->places[i].read = false;
	}
}

static bool several_dies(const struct ucore_device *dev)
{
	const struct ucore_domain_info *domains;
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < i; j++)
			if (domains[i].package == domains[j].package &&
			    domains[i].die != domains[j].die)
				return true;
	return false;
}

/* ---- from events to series --------------------------------------------- */

static bool series_is(const struct series *a, const struct series *b)
{
	return a->group == b->group && a->package == b->package && a->die == b->die &&
	       a->cpu == b->cpu && a->instance == b->instance && !strcmp(a->type, b->type);
}

/* The series that a box adds to: the same one in each session */
static struct series *series_of(struct collect *c, const struct series *wanted)
{
	struct series *grown;

	for (size_t i = 0; i < c->nr_series; i++)
		if (series_is(&c->series[i], wanted))
			return &c->series[i];
	grown = array_grow(c->series, c->nr_series, &c->max_series, sizeof(*grown));
	if (!grown)
		return NULL;
	c->series = grown;
	c->series[c->nr_series] = *wanted;
	return &c->series[c->nr_series++];
}

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

/* Two of one name on a box would be one series with two values */
static int given_twice(struct collect *c, const struct ucore_event *event)
{
	snprintf(c->tool->err.text, sizeof(c->tool->err.text), "event '%s' is given twice",
		 ucore_event_label(event));
	return -EINVAL;
}

/* An event on one box: a slot of the session */
static int source_add(struct collect *c, size_t group, const struct ucore_event *event,
		      const struct ucore_box_info *box)
{
	struct series wanted = series_wanted(c, group, event, box), *series;
	struct source *grown;
	int ret = ucore_session_add_box(c->session, event, box->box, &c->tool->err);

	if (ret)
		return ret;
	series = series_of(c, &wanted);
	grown = array_grow(c->sources, c->nr_sources, &c->max_sources, sizeof(*grown));
	if (!series || !grown)
		return -ENOMEM;
	c->sources = grown;
	/* what belongs to a family may be added up */
	if (series->counted && group >= NR_FAMILIES)
		return given_twice(c, event);
	series->counted = true;
	c->sources[c->nr_sources++] = (struct source) {
		.series = (size_t)(series - c->series),
	};
	return 0;
}

/* An event on each of its boxes that answers: a dead one takes nothing from the others */
static int event_add(struct collect *c, size_t group, const struct ucore_event *event)
{
	size_t nr, nr_boxes, before = c->nr_sources;
	int ret;

	ucore_device_boxes(c->dev, &nr_boxes);
	for (size_t i = 0; i < nr_boxes; i++) {
		/* a complaint of the library may have asked the driver again */
		const struct ucore_box_info *boxes = ucore_device_boxes(c->dev, &nr);

		if (i >= nr || !ucore_event_matches(event, &boxes[i]) ||
		    boxes[i].caps & UCORE_BOX_F_DEAD)
			continue;
		ret = source_add(c, group, event, &boxes[i]);
		if (ret)
			return ret;
	}
	if (c->nr_sources > before)
		return 0;
	snprintf(c->tool->err.text, sizeof(c->tool->err.text),
		 "event '%s': none of its boxes answers", ucore_event_label(event));
	return -ENODEV;
}

/* The way in which this machine counts a family, -1 if it cannot */
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

static int collector_add(struct collect *c, unsigned int collector)
{
	int ret = 0;

	for (size_t group = 0; group < NR_FAMILIES && !ret; group++)
		if (belongs(group, collector))
			ret = family_add(c, group);
	return ret;
}

/* One that was asked for by name: the last way's complaint says what is missing */
static int collector_missing(struct collect *c, unsigned int collector)
{
	struct ucore_error why = c->tool->err;

	snprintf(c->tool->err.text, sizeof(c->tool->err.text),
		 "this machine has no events for collector '%s': %.*s", collectors[collector],
		 UCORE_ERROR_LEN - 64, why.text);
	return -ENOENT;
}

/* Which collectors the machine has events for, and whether that is what was asked for */
static int collectors_find(struct collect *c)
{
	for (unsigned int i = 0; i < NR_COLLECTORS; i++) {
		bool wanted = !c->args->chosen || c->args->wanted & 1U << i;

		c->states[i] = wanted ? COLLECTOR_COUNTING : COLLECTOR_MISSING;
	}
	for (size_t group = 0; group < NR_FAMILIES; group++) {
		c->ways[group] = family_way(c, &families[group]);
		for (unsigned int i = 0; i < NR_COLLECTORS; i++) {
			if (!belongs(group, i) || c->ways[group] >= 0 || !c->states[i])
				continue;
			if (c->args->chosen)
				return collector_missing(c, i);
			c->states[i] = COLLECTOR_MISSING;
		}
	}
	return 0;
}

/* ---- connecting -------------------------------------------------------- */

/* The group of the events that are called so: the same one in each session */
static int label_group(struct collect *c, const char *label, size_t *group)
{
	struct event_label *grown;
	size_t i = 0;

	while (i < c->nr_labels && strcmp(c->labels[i].text, label))
		i++;
	*group = NR_FAMILIES + i;
	if (i < c->nr_labels)
		return 0;
	grown = array_grow(c->labels, c->nr_labels, &c->max_labels, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	c->labels = grown;
	snprintf(c->labels[c->nr_labels++].text, sizeof(grown->text), "%s", label);
	return 0;
}

/* An event, or those that a pattern means */
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

/* What the user asked for goes first: it is the collectors that go without */
static int users_add(struct collect *c)
{
	int ret = 0;

	for (size_t i = 0; i < c->args->nr_events && !ret; i++)
		ret = user_add(c, c->args->events[i]);
	return ret;
}

static void session_drop(struct collect *c)
{
	ucore_session_destroy(c->session);
	c->session = NULL;
	c->nr_sources = 0;
	for (size_t i = 0; i < c->nr_series; i++) {
		c->series[i].counted = false;
		c->series[i].refused = false;
	}
}

/* A session with all events; one that does not find its place takes its collector away */
static int session_build(struct collect *c, unsigned int *failed)
{
	struct ucore_session_config config = { .flags = c->args->flags };
	int ret;

	*failed = NR_COLLECTORS;
	session_drop(c);
	ret = ucore_session_create(c->dev, &config, &c->session, &c->tool->err);
	if (!ret)
		ret = users_add(c);
	for (unsigned int i = 0; i < NR_COLLECTORS && !ret; i++) {
		if (c->states[i] != COLLECTOR_COUNTING)
			continue;
		ret = collector_add(c, i);
		if (ret)
			*failed = i;
	}
	return ret;
}

/* Has nobody else a box that the event wants? */
static bool boxes_are_free(const struct collect *c, const struct ucore_event *event)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(c->dev, &nr);
	for (size_t i = 0; i < nr; i++)
		if (ucore_event_matches(event, &boxes[i]) && boxes[i].owner &&
		    (boxes[i].owner != c->session_id || boxes[i].caps & UCORE_BOX_F_SHARED))
			return false;
	return true;
}

/* Has whoever had the boxes of a collector let go of them? */
static bool has_become_free(struct collect *c, unsigned int collector)
{
	struct ucore_events *events;
	bool all = true;

	for (size_t group = 0; group < NR_FAMILIES && all; group++) {
		if (!belongs(group, collector) || c->ways[group] < 0 ||
		    ucore_events_find(c->dev, families[group].ways[c->ways[group]][0], &events,
				      &c->tool->err))
			continue;
		all = boxes_are_free(c, ucore_events_at(events, 0));
		ucore_events_free(events);
	}
	return all;
}

/* Counters are another session's, or filters */
static bool is_busy(struct collect *c, unsigned int collector, int ret)
{
	struct ucore_get_status status;

	if (ret != -EADDRINUSE)
		return ret == -EBUSY;
	if (ucore_session_status(c->session, &status, NULL))
		return false;
	c->session_id = status.session;
	return !has_become_free(c, collector);
}

static int session_make(struct collect *c)
{
	unsigned int failed;
	int ret;

	while ((ret = session_build(c, &failed)) && failed < NR_COLLECTORS && ret != -ENOMEM) {
		c->states[failed] = is_busy(c, failed, ret) ? COLLECTOR_BUSY : COLLECTOR_REFUSED;
		if (c->told[failed] != c->states[failed])
			tool_error(c->tool, "%s is left out: %s", collectors[failed],
				   c->tool->err.text);
		c->told[failed] = c->states[failed];
	}
	if (ret || c->nr_sources)
		return ret;
	snprintf(c->tool->err.text, sizeof(c->tool->err.text),
		 "there is nothing left to count; choose events with -e");
	return -ENOENT;
}

static bool somebody_has(const struct collect *c, enum state state)
{
	for (unsigned int i = 0; i < NR_COLLECTORS; i++)
		if (c->states[i] == state)
			return true;
	return false;
}

static int device_open(struct collect *c)
{
	struct tool *tool = c->tool;
	int ret = ucore_device_open(tool->device, tool->sys, &c->dev, &tool->err);

	if (!ret)
		ret = ucore_device_ready(c->dev, &tool->err);
	if (!ret) {
		c->several_dies = several_dies(c->dev);
		places_restart(c);
		ret = places_update(c);
	}
	return ret;
}

static int session_start(struct collect *c)
{
	struct ucore_get_status status = { 0 };
	int ret = ucore_session_start(c->session, &c->tool->err);

	if (!ret)
		ret = ucore_session_status(c->session, &status, &c->tool->err);
	c->session_id = status.session;
	return ret;
}

static enum collect_verdict connect_now(struct collect *c, int *code)
{
	bool may_last = false;

	c->tried = now_ns();
	*code = device_open(c);
	if (!*code) {
		*code = collectors_find(c);
		if (!*code)
			*code = session_make(c);
		may_last = tool_is_usage(*code) && !somebody_has(c, COLLECTOR_BUSY);
	}
	if (!*code)
		*code = session_start(c);
	if (!*code) {
		*c->said.text = 0;
		memcpy(c->told, c->states, sizeof(c->told));
		return COLLECT_COUNTING;
	}
	disconnect(c);
	return may_last ? COLLECT_NEVER : COLLECT_LATER;
}

enum collect_verdict collect_connect(struct collect *c, int *code)
{
	enum collect_verdict verdict = connect_now(c, code);

	if (verdict == COLLECT_LATER)
		complain(c);
	return verdict;
}

/* ---- reading ----------------------------------------------------------- */

static void source_follow(struct collect *c, struct source *source,
			  const struct ucore_value *value)
{
	struct series *series = &c->series[source->series];

	if (value->flags & UCORE_VALUE_F_PARTIAL)
		series->refused = true;
	if (value->count <= source->last)
		return;
	series->count += value->count - source->last;
	source->last = value->count;
}

static int counters_read(struct collect *c)
{
	struct ucore_snapshot snap;
	int ret = ucore_session_read(c->session, c->args->read_flags, &snap, &c->tool->err);

	if (ret)
		return ret;
	c->nr_reads++;
	c->skew_ns = snap.skew_ns;
	/* each event was added to one box: slots are sources */
	for (size_t i = 0; i < snap.nr_values && i < c->nr_sources; i++)
		source_follow(c, &c->sources[i], &snap.values[i]);
	for (size_t i = 0; i < snap.nr_domains; i++) {
		const struct ucore_read_domain *read = &snap.domains[i];
		const struct ucore_domain_info *domain = ucore_device_domain(c->dev, read->domain);
		struct place *place = domain ? place_of(c, domain) : NULL;

		if (!place)
			continue;
		place->read = true;
		meter_follow(&place->enabled, read->time_enabled);
		meter_follow(&place->running, read->time_running);
	}
	return 0;
}

static bool can_have_more(struct collect *c)
{
	if (now_ns() < c->tried + RETRY_BUSY_NS)
		return false;
	for (unsigned int i = 0; i < NR_COLLECTORS; i++)
		if (c->states[i] == COLLECTOR_BUSY && has_become_free(c, i))
			return true;
	return false;
}

static void connect_again(struct collect *c)
{
	int code;

	if (now_ns() < c->tried + RETRY_NS)
		return;
	if (connect_now(c, &code) == COLLECT_COUNTING)
		tool_error(c->tool, "counting");
	else
		complain(c);
}

/* Counters and domains as they are now; if that fails everything is given back */
static void update(struct collect *c)
{
	int ret;

	if (!c->session)
		connect_again(c);
	if (!c->session)
		return;
	ret = counters_read(c);
	if (!ret)
		ret = ucore_device_refresh(c->dev, &c->tool->err);
	if (!ret)
		ret = places_update(c);
	if (!ret && can_have_more(c)) {
		/* what has been read is in the totals; the new session begins with what it has */
		disconnect(c);
		connect_again(c);
		ret = c->session ? counters_read(c) : 0;
	}
	if (!ret)
		return;
	c->nr_failures++;
	complain(c);
	disconnect(c);
	c->tried = now_ns();
}

/* ---- the page ---------------------------------------------------------- */

char *collect_page(struct collect *c, size_t *size)
{
	char *text = NULL;
	FILE *stream;
	int ret;

	update(c);
	stream = open_memstream(&text, size);
	if (!stream)
		return NULL;
	ret = totals_print(c, stream);
	if (!fclose(stream) && !ret)
		return text;
	free(text);
	return NULL;
}
