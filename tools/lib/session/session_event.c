// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events of a session: add them to boxes and groups, and remove them.
 */
#include <stdlib.h>

#include "session/session.h"

/* Make room for one more event on every box; free the READ buffers, which are too small then */
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

/*
 * Add an event on a box, or add the box to the omissions.  @first receives the text of the first
 * error, also that of a box that is omitted.
 */
static int box_try(struct ucore_session *session, const struct ucore_event *event,
		   const struct ucore_box_info *box, struct ucore_error *first)
{
	char cause[UCORE_ERROR_LEN];
	struct ucore_error why;
	int ret = box_add(session, event, box);

	if (!ret)
		return 0;
	ucore_session_add_error(session, event, box, ret, &why);
	if (!ucore_session_may_omit(session, ret))
		return ucore_error_set(first, ret, "%s", why.text);
	if (!*first->text)
		*first = why;
	ucore_session_add_cause(event, box, &why, cause);
	return ucore_session_omit(session, session->nr_events, box, ret, cause, first);
}

/* Return true if an omission from number @first on, and before number @i, has the same text */
static bool is_repeated(const struct ucore_session *session, size_t first, size_t i)
{
	for (size_t j = first; j < i; j++)
		if (!strcmp(session->omissions[j].text, session->omissions[i].text))
			return true;
	return false;
}

/*
 * Explain that no box can count an event: @err has the text of the first box, and gets the texts
 * of all different causes.
 */
static int all_omitted(const struct ucore_session *session, const struct ucore_event *event,
		       size_t first, struct ucore_error *err)
{
	const struct ucore_omission *omissions = session->omissions;
	char domain[UCORE_DOMAIN_NAME_LEN], text[UCORE_ERROR_LEN];
	unsigned int nr = 0;
	int length = 0;

	for (size_t i = first; i < session->nr_omissions && length < UCORE_ERROR_LEN; i++) {
		if (is_repeated(session, first, i))
			continue;
		ucore_domain_name(omissions[i].die, omissions[i].cpu, domain, sizeof(domain));
		length += snprintf(text + length, (size_t)(UCORE_ERROR_LEN - length),
				   "%s%s%u of %s: %s", nr++ ? "; " : "", omissions[i].type,
				   omissions[i].instance, domain, omissions[i].text);
	}
	if (nr > 1)
		ucore_error_set(err, 0, "event '%s': no box can count it: %s", event->label, text);
	return omissions[first].code;
}

/* Add an event on each box that it selects */
static int boxes_try(struct ucore_session *session, const struct ucore_event *event,
		     struct ucore_error *err)
{
	size_t before = session->nr_slots, omitted = session->nr_omissions;
	struct ucore_device *dev = session->dev;
	int ret = 0;

	for (size_t i = 0; i < dev->nr_boxes && !ret; i++) {
		struct ucore_box_info box = dev->boxes[i];

		if (ucore_event_matches(event, &box))
			ret = box_try(session, event, &box, err);
	}
	if (ret || session->nr_slots > before)
		return ret;
	if (session->nr_omissions > omitted)
		return all_omitted(session, event, omitted, err);
	return ucore_error_no_box(err, dev, "event '%s': no box of this machine matches",
				  event->label);
}

int ucore_session_add(struct ucore_session *session, const struct ucore_event *event,
		      struct ucore_error *err)
{
	size_t before = session->nr_slots, omitted = session->nr_omissions;
	struct ucore_error why = { "" };
	int ret;

	if (session->replay)
		return ucore_replay_add(session->replay, event, err);
	ret = session_grow(session);
	if (ret)
		return ucore_error_set(err, ret, "out of memory");
	ret = boxes_try(session, event, &why);
	if (!ret)
		ret = ucore_session_omit_hidden(session, event, &why);
	if (ret) {
		slots_remove(session, before);
		session->nr_omissions = omitted;
		return ucore_error_set(err, ret, "%s", why.text);
	}
	session->events[session->nr_events++] = *event;
	if (session->group > session->last_group)
		session->last_group = session->group;
	return 0;
}

int ucore_session_group(struct ucore_session *session, uint32_t group, struct ucore_error *err)
{
	if (group > UCORE_GROUP_MAX || (group && !session->config.rotate_ns))
		return ucore_error_set(err, -EINVAL,
				       "group %u: not possible in this session. Set rotate_ns, and use at most %u",
				       group, UCORE_GROUP_MAX);
	session->group = group;
	return 0;
}

int ucore_session_add_turn(struct ucore_session *session, const struct ucore_event *event,
			   struct ucore_error *err)
{
	uint32_t before = session->group, last = session->last_group;
	int ret = -ENOSPC;

	/* group last + 1 is new and has no events yet */
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
		return ucore_error_set(err, -ENOENT,
				       "event '%s': box %u does not match the event. Use a box of type %s",
				       event->label, box, event->type);
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
	ucore_omissions_truncate(session, nr);
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
