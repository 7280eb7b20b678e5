// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The session: events on counters, started, stopped and read; and why the
 * driver refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static int session_ioctl(const struct ucore_session *session, unsigned long command, void *arg)
{
	return ucore_device_ioctl(session->dev, session->fd, command, arg);
}

/* ---- create and destroy ------------------------------------------------ */

static int config_check(const struct ucore_session_config *config, struct ucore_error *err)
{
	uint32_t ring = config->ring_size;

	if (config->reserved)
		return ucore_error_set(err, -EINVAL,
				       "the session's config asks for what this library does not know");
	if (config->timer_ns && (config->timer_ns < UCORE_TIMER_MIN_NS ||
				 config->timer_ns > UCORE_TIMER_MAX_NS))
		return ucore_error_set(err, -ERANGE, "timer of %llu ns: from %lluus to %llus",
				       (unsigned long long)config->timer_ns,
				       UCORE_TIMER_MIN_NS / 1000, UCORE_TIMER_MAX_NS / 1000000000);
	if (config->rotate_ns && (config->rotate_ns < UCORE_ROTATE_MIN_NS ||
				  config->rotate_ns > UCORE_ROTATE_MAX_NS))
		return ucore_error_set(err, -ERANGE, "turns of %llu ns: from %llums to %llus",
				       (unsigned long long)config->rotate_ns,
				       UCORE_ROTATE_MIN_NS / 1000000,
				       UCORE_ROTATE_MAX_NS / 1000000000);
	if (config->rotate_ns && (config->timer_ns || ring))
		return ucore_error_set(err, -EINVAL,
				       "a session whose events take turns has no samples");
	if (config->nr_readers > UCORE_READERS_MAX)
		return ucore_error_set(err, -ERANGE, "%u readers: at most %u CPUs of each die",
				       config->nr_readers, UCORE_READERS_MAX);
	if (config->rotate_ns && config->nr_readers > 1)
		return ucore_error_set(err, -EINVAL,
				       "a session whose events take turns is read by one CPU of each die");
	if (ring && (ring < UCORE_RING_MIN || ring > UCORE_RING_MAX || ring & (ring - 1)))
		return ucore_error_set(err, -ERANGE,
				       "ring of %u bytes: a power of two from %uK to %uM", ring,
				       UCORE_RING_MIN >> 10, UCORE_RING_MAX >> 20);
	if (config->wakeup && config->wakeup >= ring)
		return ucore_error_set(err, -ERANGE,
				       "wakeup at %u bytes: less than the ring's %u bytes",
				       config->wakeup, ring);
	return 0;
}

/* Of a socket the C library's words for this errno speak */
static const char *error_text(int code)
{
	return code == -ESHUTDOWN ? "somebody ended the session ('ucoretool revoke')" :
				    strerror(-code);
}

/* ENODEV and EBUSY have their reason in INFO, which may have changed since */
static int create_error(struct ucore_device *dev, int code, struct ucore_error *err)
{
	if (code == -EACCES)
		return ucore_error_set(err, code,
				       "cannot create a session: who runs where (tasks) is told to who has opened the device with CAP_PERFMON");
	if ((code == -ENODEV || code == -EBUSY) && !ucore_device_refresh(dev, NULL) &&
	    ucore_device_ready(dev, err))
		return code;
	return ucore_error_set(err, code, "cannot create a session: %s", strerror(-code));
}

int ucore_session_create(struct ucore_device *dev, const struct ucore_session_config *config,
			 struct ucore_session **out, struct ucore_error *err)
{
	static const struct ucore_session_config none;
	struct ucore_session *session;
	int ret;

	if (!config)
		config = &none;
	ret = config_check(config, err);
	if (ret)
		return ret;
	session = calloc(1, sizeof(*session));
	if (!session)
		return ucore_error_set(err, -ENOMEM, "out of memory");

	UCORE_ARG(ucore_create_session, create, .flags = config->flags,
		  .timer_ns = config->timer_ns, .ring_size = config->ring_size,
		  .wakeup = config->wakeup, .rotate_ns = config->rotate_ns,
		  .nr_readers = config->nr_readers);
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_CREATE_SESSION, &create);
	if (ret) {
		free(session);
		return create_error(dev, ret, err);
	}
	session->dev = dev;
	session->fd = create.fd;
	session->config = *config;
	*out = session;
	return 0;
}

void ucore_session_destroy(struct ucore_session *session)
{
	if (!session)
		return;
	session->dev->sys->close(session->fd);
	ucore_reading_free(&session->reading);
	free(session->values);
	free(session->running);
	free(session->slots);
	free(session->events);
	free(session);
}

/* ---- why an event was refused ------------------------------------------ */

#define BOX_LEN		(UCORE_NAME_LEN + 16 + UCORE_DOMAIN_NAME_LEN)

/* "imc0 of die 1" */
static const char *box_text(const struct ucore_box_info *box, char *text)
{
	char domain[UCORE_DOMAIN_NAME_LEN];

	ucore_domain_name(box->die, box->cpu, domain, sizeof(domain));
	snprintf(text, BOX_LEN, "%s%u of %s", box->type, box->instance, domain);
	return text;
}

#define OWNER_LEN	(UCORE_NAME_LEN + 48)

/* "process 4711 (stat)"; of another pid namespace there is no number */
static const char *owner_text(const struct ucore_box_info *box, char *text)
{
	if (box->owner_pid)
		snprintf(text, OWNER_LEN, "process %u (%s)", box->owner_pid, box->owner_comm);
	else
		snprintf(text, OWNER_LEN, "a process outside of this container (%s)",
			 box->owner_comm);
	return text;
}

static int error_busy(struct ucore_session *session, const struct ucore_event *event,
		      uint32_t box, struct ucore_error *err)
{
	UCORE_ARG(ucore_get_status, status);
	const struct ucore_box_info *b;
	struct ucore_get_core core;
	char text[BOX_LEN], owner[OWNER_LEN];

	if (!session_ioctl(session, UCORE_GET_STATUS, &status) &&
	    status.state == UCORE_SESSION_RUNNING)
		return ucore_error_set(err, -EBUSY,
				       "event '%s': the session is running: stop it first",
				       event->label);
	if (!ucore_device_refresh(session->dev, NULL) && ucore_device_ready(session->dev, err))
		return -EBUSY;
	b = &session->dev->boxes[box];
	if (b->cpu < 0 && session->dev->info.state == UCORE_STATE_INTREE)
		return ucore_error_set(err, -EBUSY, "event '%s': %s", event->label,
				       session->dev->info.reason);
	if (b->owner && b->owner != status.session)
		return ucore_error_set(err, -EBUSY,
				       "event '%s': %s %s the counters of %s that this needs: end it, or count on another box",
				       event->label, owner_text(b, owner),
				       b->caps & UCORE_BOX_F_SHARED ? "and others have" : "has",
				       box_text(b, text));
	if (b->caps & UCORE_BOX_F_SHARED)
		return ucore_error_set(err, -EBUSY,
				       "event '%s': other sessions have the counters of %s that this needs ('ucoretool doctor' lists them): end one, or count on another box",
				       event->label, box_text(b, text));
	if (!strcmp(b->type, UCORE_CORE_TYPE) && !ucore_device_core(session->dev, &core, NULL) &&
	    core.state != UCORE_CORE_READY)
		return ucore_error_set(err, -EBUSY, "event '%s': %s", event->label, core.reason);
	return ucore_error_set(err, -EBUSY,
			       "event '%s': %s was in use a moment ago: try again",
			       event->label, box_text(b, text));
}

static int error_full(const struct ucore_session *session, const struct ucore_event *event,
		      const struct ucore_box_info *box, struct ucore_error *err)
{
	unsigned int nr = 0;
	char text[BOX_LEN];

	for (size_t i = 0; i < session->nr_slots; i++)
		nr += session->slots[i].box == box->box;
	return ucore_error_set(err, -ENOSPC,
			       "event '%s': %s is full: no counter that can count it is left (%u general, %u fixed, %u in use)%s: use fewer events",
			       event->label, box_text(box, text), box->nr_counters, box->nr_fixed,
			       nr, session->config.rotate_ns ? "" : "; there is no multiplexing");
}

/* The value that an event wants of a field, if it says so */
static const struct ucore_term *event_term(const struct ucore_event *event, uint32_t field)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == field)
			return &event->terms[i];
	return NULL;
}

/* Two events that share a box and disagree on a field all its counters share */
static const struct ucore_field_info *field_conflict(const struct ucore_field_info *fields, size_t nr,
						const struct ucore_event *a,
						const struct ucore_event *b)
{
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_term *ta = event_term(a, fields[i].field);
		const struct ucore_term *tb = event_term(b, fields[i].field);

		if (fields[i].flags & UCORE_FIELD_F_SHARED && ta && tb && ta->value != tb->value)
			return &fields[i];
	}
	return NULL;
}

/* Another session has the filters: GET_BOXES names one that has */
static int error_filters(struct ucore_session *session, const struct ucore_event *event,
			 const struct ucore_box_info *box, struct ucore_error *err)
{
	UCORE_ARG(ucore_get_status, status);
	uint32_t id = box->box;
	char text[BOX_LEN], owner[OWNER_LEN];

	box_text(box, text);
	if (!session_ioctl(session, UCORE_GET_STATUS, &status) &&
	    !ucore_device_refresh(session->dev, NULL)) {
		box = &session->dev->boxes[id];
		if (box->owner && box->owner != status.session)
			return ucore_error_set(err, -EADDRINUSE,
					       "event '%s': %s wants other values in the filters that the counters of %s share: use its values, end it, or count on another box",
					       event->label, owner_text(box, owner), text);
	}
	return ucore_error_set(err, -EADDRINUSE,
			       "event '%s': another event of %s wants other values in a filter they share",
			       event->label, text);
}

static int error_shared(struct ucore_session *session, const struct ucore_event *event,
			const struct ucore_box_info *box, struct ucore_error *err)
{
	const struct ucore_field_info *fields, *field;
	size_t nr;

	if (ucore_device_fields(session->dev, box->box, &fields, &nr, NULL))
		nr = 0;
	for (size_t i = 0; i < session->nr_slots; i++) {
		const struct ucore_event *other = &session->events[session->slots[i].index];

		if (session->slots[i].box != box->box)
			continue;
		field = field_conflict(fields, nr, event, other);
		if (field)
			return ucore_error_set(err, -EADDRINUSE,
					       "event '%s': %s%u has one %s for all its counters, and '%s' wants another value: use one value, or another box",
					       event->label, box->type, box->instance, field->name,
					       other->label);
	}
	return error_filters(session, event, box, err);
}

static int error_missing(struct ucore_session *session, const struct ucore_event *event,
			 const struct ucore_box_info *box, struct ucore_error *err)
{
	const struct ucore_field_info *fields, *own, *lacking;
	size_t nr = 0, nr_own;
	char text[BOX_LEN];

	if (ucore_device_fields(session->dev, box->box, &fields, &nr, NULL) ||
	    ucore_device_own_fields(session->dev, box->box, &own, &nr_own))
		nr_own = 0;
	for (unsigned int i = 0; i < event->nr_terms && nr_own; i++) {
		uint32_t id = event->terms[i].field;

		lacking = ucore_field_by_id(fields, nr, id);
		if (lacking && !ucore_field_by_id(own, nr_own, id))
			return ucore_error_set(err, -ENXIO,
					       "event '%s': %s has no field '%s', which others of %s have: firmware may hide the function that it is in; see 'ucoretool doctor'",
					       event->label, box_text(box, text), lacking->name,
					       box->type);
	}
	return ucore_error_set(err, -ENXIO,
			       "event '%s': %s cannot count this on counters 0x%llx; see 'ucoretool list fields'",
			       event->label, box->type, (unsigned long long)event->counters);
}

/* Can the counter that the event asks for interrupt? */
static bool interrupts(const struct ucore_event *event, const struct ucore_box_info *box)
{
	return box->caps & (event->counters >> UCORE_COUNTER_FIXED ? UCORE_BOX_F_FIXED_OVERFLOW :
			    UCORE_BOX_F_OVERFLOW);
}

static int add_error(struct ucore_session *session, const struct ucore_event *event,
		     const struct ucore_box_info *box, int code, struct ucore_error *err)
{
	char text[BOX_LEN];

	switch (code) {
	case -EBUSY:
		return error_busy(session, event, box->box, err);
	case -ENOSPC:
		return error_full(session, event, box, err);
	case -EADDRINUSE:
		return error_shared(session, event, box, err);
	case -EOPNOTSUPP:
		return ucore_error_set(err, code,
				       "event '%s': %s cannot interrupt at an overflow: let it be polled (without --no-poll), give the period to an event of another box, or use a timer",
				       event->label, box->type);
	case -ENXIO:
		return error_missing(session, event, box, err);
	case -ERANGE:
		if (event->period && !interrupts(event, box))
			return ucore_error_set(err, code,
					       "event '%s': %s cannot interrupt, and as fast as the event may count a period of %llu needs looks more often than every %llu us: give a longer period",
					       event->label, box->type,
					       (unsigned long long)event->period,
					       UCORE_POLL_MIN_NS / 1000);
		return ucore_error_set(err, code,
				       "event '%s': a value or the period %llu does not fit the %u bits of %s's counters and fields",
				       event->label, (unsigned long long)event->period,
				       event->counters >> UCORE_COUNTER_FIXED ?
				       box->fixed_width : box->width, box->type);
	case -EACCES:
		return ucore_error_set(err, code,
				       "event '%s': %s what other users do: CAP_PERFMON is needed",
				       event->label, box->cpu >= 0 ?
				       "a CPU's own counters show" :
				       "filters by address, opcode, core or thread show");
	case -ENOBUFS:
		return ucore_error_set(err, code,
				       "event '%s': no more memory for rings (%u KiB on each die or CPU with events): use a smaller ring, or raise the limit of locked memory (ulimit -l, or mlock_kb of module ucore)",
				       event->label, session->config.ring_size >> 10);
	case -ENODEV:
		return ucore_error_set(err, code, "event '%s': %s stopped answering",
				       event->label, box_text(box, text));
	default:
		return ucore_error_set(err, code, "event '%s' on %s: %s", event->label,
				       box_text(box, text), strerror(-code));
	}
}

/* ---- events ------------------------------------------------------------ */

/* Room for one more event on every box; READ buffers are made anew */
static int session_grow(struct ucore_session *session)
{
	size_t nr = session->nr_slots + session->dev->nr_boxes;
	struct ucore_event *events;
	struct ucore_slot *slots;

	events = realloc(session->events, (session->nr_events + 1) * sizeof(*events));
	if (!events)
		return -ENOMEM;
	session->events = events;
	slots = realloc(session->slots, (nr ? nr : 1) * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	session->slots = slots;
	ucore_reading_free(&session->reading);
	return 0;
}

static int box_add(struct ucore_session *session, const struct ucore_event *event,
		   const struct ucore_box_info *box)
{
	UCORE_ARG(ucore_add_event, add, .flags = event->flags, .box = box->box,
		  .nr_terms = event->nr_terms, .terms = (uintptr_t)event->terms,
		  .counters = event->counters, .period = event->period, .group = session->group);
	int ret = session_ioctl(session, UCORE_ADD_EVENT, &add);

	if (ret)
		return ret;
	session->slots[session->nr_slots++] = (struct ucore_slot) {
		.event = add.event,
		.index = (uint32_t)session->nr_events,
		.box = box->box,
		.domain = box->domain,
		.instance = box->instance,
		.counter = add.counter,
		.poll_ns = add.poll_ns,
	};
	return 0;
}

static void slots_remove(struct ucore_session *session, size_t keep)
{
	while (session->nr_slots > keep) {
		UCORE_ARG(ucore_remove_event, remove,
			  .event = session->slots[--session->nr_slots].event);
		if (!session->replay)
			session_ioctl(session, UCORE_REMOVE_EVENT, &remove);
	}
}

int ucore_session_add(struct ucore_session *session, const struct ucore_event *event,
		      struct ucore_error *err)
{
	struct ucore_device *dev = session->dev;
	size_t before = session->nr_slots;
	int ret;

	if (session->replay)
		return ucore_replay_add(session->replay, event, err);
	ret = session_grow(session);
	if (ret)
		return ucore_error_set(err, ret, "out of memory");
	for (size_t i = 0; i < dev->nr_boxes; i++) {
		struct ucore_box_info box = dev->boxes[i];

		if (!ucore_event_matches(event, &box))
			continue;
		ret = box_add(session, event, &box);
		if (ret) {
			/* the explanation looks at what is on the box: explain, then undo */
			add_error(session, event, &box, ret, err);
			slots_remove(session, before);
			return ret;
		}
	}
	if (session->nr_slots == before)
		return ucore_error_set(err, -ENOENT, "event '%s': no box of this machine matches",
				       event->label);
	session->events[session->nr_events++] = *event;
	if (session->group > session->last_group)
		session->last_group = session->group;
	return 0;
}

int ucore_session_group(struct ucore_session *session, uint32_t group, struct ucore_error *err)
{
	if (group > UCORE_GROUP_MAX || (group && !session->config.rotate_ns))
		return ucore_error_set(err, -EINVAL, "there is no group %u", group);
	session->group = group;
	return 0;
}

int ucore_session_add_turn(struct ucore_session *session, const struct ucore_event *event,
			   struct ucore_error *err)
{
	uint32_t before = session->group, last = session->last_group;
	int ret = -ENOSPC;

	/* behind the last group there is an empty one */
	for (uint32_t group = 1; ret == -ENOSPC && group <= last + 1 &&
	     group <= UCORE_GROUP_MAX; group++) {
		ret = ucore_session_group(session, group, err);
		if (!ret)
			ret = ucore_session_add(session, event, err);
	}
	session->group = before;
	return ret;
}

int ucore_session_add_box(struct ucore_session *session, const struct ucore_event *event,
			  uint32_t box, struct ucore_error *err)
{
	const struct ucore_device *dev = session->dev;
	struct ucore_event one = *event;

	if (box >= dev->nr_boxes || !ucore_event_matches(event, &dev->boxes[box]))
		return ucore_error_set(err, -ENOENT, "event '%s': box %u is none of its boxes",
				       event->label, box);
	one.instance = dev->boxes[box].instance;
	one.last = one.instance;
	one.die = dev->boxes[box].die;
	one.cpu = dev->boxes[box].cpu < 0 ? UCORE_ANY : (uint32_t)dev->boxes[box].cpu;
	return ucore_session_add(session, &one, err);
}

void ucore_session_truncate(struct ucore_session *session, size_t nr)
{
	size_t keep = 0;

	if (nr >= session->nr_events)
		return;
	while (keep < session->nr_slots && session->slots[keep].index < nr)
		keep++;
	slots_remove(session, keep);
	session->nr_events = nr;
}

static int spec_add(struct ucore_session *session, const struct ucore_spec *spec,
		    struct ucore_error *err)
{
	struct ucore_event *events;
	size_t nr;
	int ret = ucore_spec_expand(session->dev, spec, &events, &nr, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < nr && !ret; i++)
		ret = ucore_session_add(session, &events[i], err);
	free(events);
	return ret;
}

int ucore_session_add_list(struct ucore_session *session, const char *list,
			   struct ucore_error *err)
{
	size_t before = session->nr_events;
	struct ucore_spec spec;
	int ret;

	while ((ret = ucore_spec_next(&list, &spec, err)) > 0) {
		ret = spec_add(session, &spec, err);
		if (ret)
			break;
	}
	if (ret)
		ucore_session_truncate(session, before);
	return ret;
}

/* "CPU 3" or "CPUs 3,0", as far as there is room */
static const char *cpus_text(const uint32_t *cpus, size_t nr, char *text, size_t size)
{
	int at = snprintf(text, size, nr > 1 ? "CPUs " : "CPU ");

	for (size_t i = 0; i < nr && at > 0 && (size_t)at < size; i++)
		at += snprintf(text + at, size - (size_t)at, "%s%u", i ? "," : "", cpus[i]);
	return text;
}

int ucore_session_pmi_cpus(struct ucore_session *session, const uint32_t *cpus, size_t nr,
			   struct ucore_error *err)
{
	UCORE_ARG(ucore_set_pmi_cpus, set, .nr = (uint32_t)nr, .cpus = (uintptr_t)cpus);
	const char *one = nr > 1 ? "one of them: " : "";
	int ret = session_ioctl(session, UCORE_SET_PMI_CPUS, &set);
	char text[64];

	cpus_text(cpus, nr, text, sizeof(text));
	switch (ret) {
	case 0:
		return 0;
	case -EINVAL:
		return ucore_error_set(err, ret, "%s: each one once, and at most %u", text,
				       UCORE_PMI_CPUS_MAX);
	case -ENOENT:
		return ucore_error_set(err, ret, "%s: %sno such CPU, or its die has no boxes",
				       text, one);
	case -EAGAIN:
		return ucore_error_set(err, ret, "%s: %soffline: choose another", text, one);
	case -EPERM:
		return ucore_error_set(err, ret,
				       "%s: %snot a CPU that you may run on: choose another (taskset -p $$), or have CAP_SYS_NICE",
				       text, one);
	case -ERANGE:
		return ucore_error_set(err, ret,
				       "%s: %spmi_core_sel cannot name its core: choose another",
				       text, one);
	case -EBUSY:
		return ucore_error_set(err, ret,
				       "%s: another session has chosen other CPUs for the PMI of this die, or this one runs: use the same ones, or end that session",
				       text);
	default:
		return ucore_error_set(err, ret, "%s for the PMI: %s", text, strerror(-ret));
	}
}

/* ---- start, stop, read ------------------------------------------------- */

static int error_timer(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_get_budget, budget);

	if (session_ioctl(session, UCORE_GET_BUDGET, &budget))
		return ucore_error_set(err, -ERANGE, "cannot start: %s", strerror(ERANGE));
	if (session->config.rotate_ns)
		return ucore_error_set(err, -ERANGE,
				       "cannot start: a change of groups takes more than %u %% of a turn of %.0f us: give longer turns, or fewer events",
				       budget.percent, (double)session->config.rotate_ns / 1000);
	return ucore_error_set(err, -ERANGE,
			       "cannot start: a sample of these events takes %.0f us of a CPU, which is too much for a timer of %.0f us (%u %%, and 10 us between two): from %.0f us on, or with fewer events",
			       (double)budget.sample_ns / 1000,
			       (double)session->config.timer_ns / 1000, budget.percent,
			       (double)((budget.timer_min_ns + 999) / 1000));
}

static int start_error(struct ucore_session *session, int code, struct ucore_error *err)
{
	switch (code) {
	case -ENOENT:
		return ucore_error_set(err, code, "cannot start: the session has no events");
	case -ENOSPC:
		return ucore_error_set(err, code,
				       "cannot start: a ring of %u bytes cannot hold two samples of %zu events: use a larger ring",
				       session->config.ring_size, session->nr_slots);
	case -EALREADY:
		return ucore_error_set(err, code, "cannot start: the session is running");
	case -ERANGE:
		return error_timer(session, err);
	case -EAGAIN:
		return ucore_error_set(err, code,
				       "cannot start: a die has no CPU online, or a CPU just went away: try again");
	case -ENODEV:
		return ucore_error_set(err, code,
				       "cannot start: a box stopped answering; see 'ucoretool list'");
	case -EOPNOTSUPP:
		return ucore_error_set(err, code,
				       "cannot start: this kernel has no tracepoints of its scheduler, so nobody knows which tasks run");
	case -EBUSY:
		return ucore_error_set(err, code,
				       "cannot start: the kernel's intel_uncore driver holds the hardware: modprobe -r intel_uncore");
	default:
		return ucore_error_set(err, code, "cannot start: %s", error_text(code));
	}
}

int ucore_session_start(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_command, command);
	int ret = session_ioctl(session, UCORE_START, &command);

	return ret ? start_error(session, ret, err) : 0;
}

int ucore_session_stop(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_command, command);
	int ret = session_ioctl(session, UCORE_STOP, &command);

	return ret ? ucore_error_set(err, ret, "cannot stop: %s", error_text(ret)) : 0;
}

int ucore_session_reset(struct ucore_session *session, struct ucore_error *err)
{
	UCORE_ARG(ucore_command, command);
	int ret = session_ioctl(session, UCORE_RESET, &command);

	return ret ? ucore_error_set(err, ret, "cannot reset: %s", error_text(ret)) : 0;
}

int ucore_reading_init(struct ucore_reading *reading, const struct ucore_session *session)
{
	size_t nr_domains = session->dev->nr_domains ? session->dev->nr_domains : 1;

	reading->max_values = session->nr_slots ? session->nr_slots : 1;
	reading->max_domains = nr_domains;
	reading->values = calloc(reading->max_values, sizeof(*reading->values));
	reading->domains = calloc(nr_domains, sizeof(*reading->domains));
	if (session->config.rotate_ns)
		reading->running = calloc(reading->max_values, sizeof(*reading->running));
	if (reading->values && reading->domains &&
	    (reading->running || !session->config.rotate_ns))
		return 0;
	ucore_reading_free(reading);
	return -ENOMEM;
}

void ucore_reading_free(struct ucore_reading *reading)
{
	free(reading->values);
	free(reading->running);
	free(reading->domains);
	memset(reading, 0, sizeof(*reading));
}

int ucore_reading_read(struct ucore_reading *reading, const struct ucore_session *session,
		       uint32_t flags)
{
	UCORE_ARG(ucore_read, read, .flags = flags, .nr_values = (uint32_t)reading->max_values,
		  .nr_domains = (uint32_t)reading->max_domains,
		  .values = (uintptr_t)reading->values, .domains = (uintptr_t)reading->domains,
		  .running = (uintptr_t)reading->running);
	int ret = session_ioctl(session, UCORE_READ, &read);

	if (ret)
		return ret;
	if (read.nr_values > reading->max_values || read.nr_domains > reading->max_domains)
		return -EPROTO;
	reading->nr_values = read.nr_values;
	reading->nr_domains = read.nr_domains;
	reading->skew_ns = read.skew_ns;
	return 0;
}

/* The kernel sorts by event id, and so are the slots unless ids were not rising */
int ucore_reading_sort(const struct ucore_reading *reading, const struct ucore_session *session,
		       struct ucore_value *values, uint64_t *running)
{
	size_t next = 0, nr = reading->nr_values;

	for (size_t i = 0; i < session->nr_slots; i++) {
		size_t tried = 0;

		while (tried < nr && reading->values[next].event != session->slots[i].event) {
			next = next + 1 < nr ? next + 1 : 0;
			tried++;
		}
		if (tried == nr)
			return -EPROTO;
		values[i] = reading->values[next];
		if (running)
			running[i] = reading->running[next];
		next = next + 1 < nr ? next + 1 : 0;
	}
	return 0;
}

static int read_buffers(struct ucore_session *session)
{
	size_t nr = session->nr_slots ? session->nr_slots : 1;

	if (session->reading.values)
		return 0;
	free(session->values);
	session->values = calloc(nr, sizeof(*session->values));
	if (session->config.rotate_ns) {
		free(session->running);
		session->running = calloc(nr, sizeof(*session->running));
		if (!session->running)
			return -ENOMEM;
	}
	return session->values ? ucore_reading_init(&session->reading, session) : -ENOMEM;
}

int ucore_session_read(struct ucore_session *session, uint32_t flags, struct ucore_snapshot *snap,
		       struct ucore_error *err)
{
	int ret = read_buffers(session);

	if (ret)
		return ucore_error_set(err, ret, "out of memory");
	ret = ucore_reading_read(&session->reading, session, flags);
	if (!ret)
		ret = ucore_reading_sort(&session->reading, session, session->values,
					 session->running);
	if (ret)
		return ucore_error_set(err, ret, "cannot read the counters: %s", error_text(ret));
	*snap = (struct ucore_snapshot) {
		.nr_values = session->nr_slots,
		.values = session->values,
		.nr_domains = session->reading.nr_domains,
		.domains = session->reading.domains,
		.skew_ns = session->reading.skew_ns,
		.running = session->running,
	};
	return 0;
}

int ucore_session_status(struct ucore_session *session, struct ucore_get_status *status,
			 struct ucore_error *err)
{
	UCORE_ARG(ucore_get_status, answer);
	int ret = session_ioctl(session, UCORE_GET_STATUS, &answer);

	if (ret)
		return ucore_error_set(err, ret, "STATUS: %s", error_text(ret));
	*status = answer;
	return 0;
}

int ucore_session_budget(struct ucore_session *session, struct ucore_get_budget *budget,
			 struct ucore_error *err)
{
	UCORE_ARG(ucore_get_budget, answer);
	int ret = session_ioctl(session, UCORE_GET_BUDGET, &answer);

	if (ret)
		return ucore_error_set(err, ret, "BUDGET: %s", strerror(-ret));
	*budget = answer;
	return 0;
}

int ucore_session_fd(const struct ucore_session *session)
{
	return session->fd;
}

const struct ucore_slot *ucore_session_slots(const struct ucore_session *session, size_t *nr)
{
	*nr = session->nr_slots;
	return session->slots;
}

const struct ucore_event *ucore_session_event(const struct ucore_session *session,
					      uint32_t index)
{
	return index < session->nr_events ? &session->events[index] : NULL;
}
