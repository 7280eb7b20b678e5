// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Replay: a device and a session made from a file of samples.  The device has no driver.
 * Adding an event to the session searches the recorded events.  The requested and the recorded
 * events are resolved with the recorded fields, and compared by their field values.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct ucore_replay {
	const struct ucore_file *file;
	struct ucore_device dev;
	struct ucore_session session;
	struct ucore_event *events;	/* recorded events, indexed by ucore_file_event.index */
	bool *resolved;			/* resolved[i]: the text of events[i] was resolved */
	const struct ucore_file_event **on;	/* pointers to the file's events, sorted by box */
	size_t *first_on;		/* nr_boxes + 1 indices: first element of @on of each box */
};

/* ---- recorded domains, boxes and fields -------------------------------- */

static int replay_ioctl(int fd, unsigned long command, void *arg)
{
	(void)fd;
	(void)command;
	(void)arg;
	errno = ENOTTY;
	return -1;
}

static int domains_make(struct ucore_replay *replay)
{
	const struct ucore_file_domain *domains = ucore_file_domains(replay->file);
	struct ucore_device *dev = &replay->dev;

	dev->nr_domains = ucore_file_header(replay->file)->nr_domains;
	dev->domains = calloc(dev->nr_domains, sizeof(*dev->domains));
	for (size_t i = 0; dev->domains && i < dev->nr_domains; i++)
		dev->domains[i] = (struct ucore_domain_info) {
			.domain = domains[i].domain,
			.scope = domains[i].scope,
			.die = domains[i].die,
			.package = domains[i].package,
			.cpu = domains[i].cpu,
			.reader = -1,
		};
	return dev->domains ? 0 : -ENOMEM;
}

static int boxes_make(struct ucore_replay *replay)
{
	const struct ucore_file_box *boxes = ucore_file_boxes(replay->file);
	struct ucore_device *dev = &replay->dev;

	dev->nr_boxes = ucore_file_header(replay->file)->nr_boxes;
	dev->boxes = calloc(dev->nr_boxes, sizeof(*dev->boxes));
	for (size_t i = 0; dev->boxes && i < dev->nr_boxes; i++) {
		const struct ucore_file_domain *domain = ucore_file_domain(replay->file,
									   boxes[i].domain);

		dev->boxes[i] = (struct ucore_box_info) {
			.box = (uint32_t)i,
			.domain = boxes[i].domain,
			.die = domain->die,
			.cpu = domain->cpu,
			.instance = boxes[i].instance,
			.nr_counters = boxes[i].nr_counters,
			.nr_fixed = boxes[i].nr_fixed,
		};
		memcpy(dev->boxes[i].type, boxes[i].type, sizeof(dev->boxes[i].type));
	}
	return dev->boxes ? 0 : -ENOMEM;
}

/* Make the field set of each box type; the file has the fields of a type contiguously */
static int sets_make(struct ucore_replay *replay)
{
	const struct ucore_file_field *fields = ucore_file_fields(replay->file);
	size_t nr = ucore_file_header(replay->file)->nr_fields;
	struct ucore_device *dev = &replay->dev;

	dev->sets = calloc(nr ? nr : 1, sizeof(*dev->sets));
	if (!dev->sets)
		return -ENOMEM;
	for (size_t i = 0, end; i < nr; i = end) {
		struct ucore_field_set *set = &dev->sets[dev->nr_sets];

		for (end = i + 1; end < nr && !strcmp(fields[i].type, fields[end].type);)
			end++;
		set->fields = calloc(end - i, sizeof(*set->fields));
		if (!set->fields)
			return -ENOMEM;
		memcpy(set->type, fields[i].type, sizeof(set->type));
		for (size_t j = i; j < end; j++)
			set->fields[set->nr++] = fields[j].field;
		dev->nr_sets++;
	}
	return 0;
}

/* ---- recorded events --------------------------------------------------- */

/* Resolve the recorded events, once for all events with the same index and thus the same text */
static int events_resolve(struct ucore_replay *replay)
{
	const struct ucore_file_event *events = ucore_file_events(replay->file);
	uint32_t nr = ucore_file_header(replay->file)->nr_events;
	bool *tried = calloc(nr, sizeof(*tried));

	replay->events = calloc(nr, sizeof(*replay->events));
	replay->resolved = calloc(nr, sizeof(*replay->resolved));
	for (uint32_t i = 0; tried && replay->events && replay->resolved && i < nr; i++) {
		const char *list = events[i].text;
		uint32_t index = events[i].index;
		struct ucore_spec spec;

		if (tried[index])
			continue;
		tried[index] = true;
		replay->resolved[index] = ucore_spec_next(&list, &spec, NULL) > 0 &&
			!ucore_spec_resolve(&replay->dev, &spec, &replay->events[index], NULL);
	}
	free(tried);
	return tried && replay->events && replay->resolved ? 0 : -ENOMEM;
}

struct box_key {
	uint32_t domain;
	uint32_t instance;
	const char *type;
	size_t box;
};

static int key_order(const void *a, const void *b)
{
	const struct box_key *x = a, *y = b;

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return strcmp(x->type, y->type);
}

static struct box_key *keys_make(const struct ucore_device *dev)
{
	struct box_key *keys = calloc(dev->nr_boxes, sizeof(*keys));

	for (size_t i = 0; keys && i < dev->nr_boxes; i++)
		keys[i] = (struct box_key) {
			dev->boxes[i].domain, dev->boxes[i].instance, dev->boxes[i].type, i,
		};
	if (keys)
		qsort(keys, dev->nr_boxes, sizeof(*keys), key_order);
	return keys;
}

/* Find the box id of each recorded event.  Returns false if an event's box does not exist. */
static bool boxes_find(const struct ucore_replay *replay, const struct box_key *keys,
		       size_t *box_of)
{
	const struct ucore_file_event *events = ucore_file_events(replay->file);

	for (uint32_t i = 0; i < ucore_file_header(replay->file)->nr_events; i++) {
		struct box_key key = { events[i].domain, events[i].instance, events[i].type, 0 };
		const struct box_key *found = bsearch(&key, keys, replay->dev.nr_boxes,
						      sizeof(key), key_order);

		if (!found)
			return false;
		box_of[i] = found->box;
	}
	return true;
}

/* Sort the recorded events by box and event id (counting sort) */
static void events_sort(struct ucore_replay *replay, const size_t *box_of)
{
	const struct ucore_file_event *events = ucore_file_events(replay->file);
	uint32_t nr = ucore_file_header(replay->file)->nr_events;
	size_t nr_boxes = replay->dev.nr_boxes;

	for (uint32_t i = 0; i < nr; i++)
		replay->first_on[box_of[i] + 1]++;
	for (size_t i = 0; i < nr_boxes; i++)
		replay->first_on[i + 1] += replay->first_on[i];
	for (uint32_t i = nr; i > 0; i--)
		replay->on[--replay->first_on[box_of[i - 1] + 1]] = &events[i - 1];
	/* first_on[box + 1] is now the index of the first event of @box: shift by one element */
	memmove(replay->first_on, replay->first_on + 1, nr_boxes * sizeof(*replay->first_on));
	replay->first_on[nr_boxes] = nr;
}

static int events_place(struct ucore_replay *replay, struct ucore_error *err)
{
	uint32_t nr = ucore_file_header(replay->file)->nr_events;
	struct box_key *keys = keys_make(&replay->dev);
	size_t *box_of = calloc(nr, sizeof(*box_of));
	int ret = 0;

	replay->on = calloc(nr, sizeof(*replay->on));
	replay->first_on = calloc(replay->dev.nr_boxes + 1, sizeof(*replay->first_on));
	if (!keys || !box_of || !replay->on || !replay->first_on)
		ret = -ENOMEM;
	else if (!boxes_find(replay, keys, box_of))
		ret = ucore_error_set(err, -EBADMSG,
				      "file of samples: damaged: an event refers to an unknown box");
	else
		events_sort(replay, box_of);
	free(box_of);
	free(keys);
	return ret;
}

int ucore_replay_open(const struct ucore_file *file, struct ucore_replay **out,
		      struct ucore_error *err)
{
	static const struct ucore_sys no_driver = { .ioctl = replay_ioctl };
	struct ucore_replay *replay = calloc(1, sizeof(*replay));
	int ret;

	if (!replay)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	replay->file = file;
	replay->dev.sys = &no_driver;
	replay->dev.fd = -1;
	replay->dev.recorded = true;
	replay->dev.info.caps = UCORE_CAP_CORE;
	memcpy(replay->dev.info.platform, ucore_file_header(file)->platform,
	       sizeof(replay->dev.info.platform));
	replay->session.dev = &replay->dev;
	replay->session.fd = -1;
	replay->session.replay = replay;
	ucore_error_set(err, 0, "out of memory");
	ret = domains_make(replay);
	if (!ret)
		ret = boxes_make(replay);
	if (!ret)
		ret = sets_make(replay);
	if (!ret)
		ret = events_place(replay, err);
	if (!ret)
		ret = events_resolve(replay);
	if (ret)
		ucore_replay_close(replay);
	else
		*out = replay;
	return ret;
}

void ucore_replay_close(struct ucore_replay *replay)
{
	if (!replay)
		return;
	for (size_t i = 0; i < replay->dev.nr_sets; i++)
		free(replay->dev.sets[i].fields);
	free(replay->dev.sets);
	free(replay->dev.boxes);
	free(replay->dev.domains);
	free(replay->session.events);
	free(replay->session.slots);
	free(replay->session.omissions);
	free(replay->first_on);
	free(replay->on);
	free(replay->resolved);
	free(replay->events);
	free(replay);
}

struct ucore_device *ucore_replay_device(struct ucore_replay *replay)
{
	return &replay->dev;
}

struct ucore_session *ucore_replay_session(struct ucore_replay *replay)
{
	return &replay->session;
}

/* ---- requested events -------------------------------------------------- */

static bool has_term(const struct ucore_event *event, const struct ucore_term *term)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == term->field)
			return event->terms[i].value == term->value;
	/* the value of a field that the event does not set is 0 */
	return !term->value;
}

static bool is_fixed(const struct ucore_event *event)
{
	return event->counters >> UCORE_COUNTER_FIXED;
}

/* Return true if two events have the same type, fixed counter and field values */
static bool same_event(const struct ucore_event *a, const struct ucore_event *b)
{
	if (strcmp(a->type, b->type) || is_fixed(a) != is_fixed(b) ||
	    (is_fixed(a) && a->counters != b->counters))
		return false;
	/* on an IRP box, different counters can count different halves of the box */
	if (a->counters && b->counters && !(a->counters & b->counters))
		return false;
	for (unsigned int i = 0; i < a->nr_terms; i++)
		if (!has_term(b, &a->terms[i]))
			return false;
	for (unsigned int i = 0; i < b->nr_terms; i++)
		if (!has_term(a, &b->terms[i]))
			return false;
	return true;
}

/* Find the recorded event on a box that is equal to @event (same_event()); NULL if none */
static const struct ucore_file_event *event_on(const struct ucore_replay *replay, size_t box,
					       const struct ucore_event *event)
{
	for (size_t i = replay->first_on[box]; i < replay->first_on[box + 1]; i++) {
		uint32_t index = replay->on[i]->index;

		if (replay->resolved[index] && same_event(event, &replay->events[index]))
			return replay->on[i];
	}
	return NULL;
}

static int session_grow(struct ucore_session *session)
{
	size_t nr = session->nr_slots + session->dev->nr_boxes;
	struct ucore_event *events;
	struct ucore_slot *slots;

	events = realloc(session->events, (session->nr_events + 1) * sizeof(*events));
	if (events)
		session->events = events;
	slots = realloc(session->slots, nr * sizeof(*slots));
	if (slots)
		session->slots = slots;
	return events && slots ? 0 : -ENOMEM;
}

static int event_missing(const struct ucore_event *event, const struct ucore_box_info *box,
			 struct ucore_error *err)
{
	char domain[UCORE_DOMAIN_NAME_LEN];

	ucore_domain_name(box->die, box->cpu, domain, sizeof(domain));
	return ucore_error_set(err, -ENOENT,
			       "event '%s': not recorded on %s%u of %s. 'ucoretool report' lists the recorded events",
			       event->label, box->type, box->instance, domain);
}

/* Find the omission of an event on a box in the file; NULL if there is none */
static const struct ucore_file_omission *omission_on(const struct ucore_replay *replay,
						     const struct ucore_box_info *box)
{
	const struct ucore_file_omission *omissions;
	size_t nr;

	omissions = ucore_file_omissions(replay->file, &nr);
	for (size_t i = 0; i < nr; i++)
		if (omissions[i].domain == box->domain && omissions[i].instance == box->instance &&
		    !strcmp(omissions[i].type, box->type))
			return &omissions[i];
	return NULL;
}

/* A box that the recording omitted is an omission of the replay, too; another one is an error */
static int not_recorded(struct ucore_replay *replay, const struct ucore_event *event,
			const struct ucore_box_info *box, struct ucore_error *err)
{
	const struct ucore_file_omission *omission = omission_on(replay, box);
	int ret = event_missing(event, box, err);

	return omission ? ucore_session_omit(&replay->session, replay->session.nr_events, box,
					     omission->code, omission->text, err) : ret;
}

int ucore_replay_add(struct ucore_replay *replay, const struct ucore_event *event,
		     struct ucore_error *err)
{
	struct ucore_session *session = &replay->session;
	size_t before = session->nr_slots, omitted = session->nr_omissions;
	int ret = 0;

	if (session_grow(session))
		return ucore_error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < replay->dev.nr_boxes && !ret; i++) {
		const struct ucore_box_info *box = &replay->dev.boxes[i];
		const struct ucore_file_event *on;

		if (!ucore_event_matches(event, box))
			continue;
		on = event_on(replay, i, event);
		if (!on) {
			ret = not_recorded(replay, event, box, err);
			continue;
		}
		session->slots[session->nr_slots++] = (struct ucore_slot) {
			.event = on->event,
			.index = (uint32_t)session->nr_events,
			.box = (uint32_t)i,
			.domain = on->domain,
			.instance = on->instance,
			.counter = on->counter,
		};
	}
	if (!ret && session->nr_slots == before && session->nr_omissions == omitted)
		ret = ucore_error_set(err, -ENOENT,
				      "event '%s': no box of the recorded machine matches",
				      event->label);
	else if (!ret && session->nr_slots == before)
		ret = -ENOENT;	/* with the text of event_missing() */
	if (!ret)
		ret = ucore_session_omit_hidden(session, event, err);
	if (ret) {
		session->nr_slots = before;
		session->nr_omissions = omitted;
		return ret;
	}
	session->events[session->nr_events++] = *event;
	return 0;
}
