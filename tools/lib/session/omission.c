// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Omissions of a session: the boxes on which its events are not counted, with the reasons.
 */
#include <stdlib.h>

#include "session/session.h"

void ucore_session_set_partial(struct ucore_session *session, bool partial)
{
	session->partial = partial;
}

const struct ucore_omission *ucore_session_omissions(const struct ucore_session *session,
						     size_t *nr)
{
	*nr = session->nr_omissions;
	return session->omissions;
}

const char *ucore_omission_reason(int code)
{
	switch (code) {
	case -ENODEV:
		return "dead";
	case -EBUSY:
		return "busy";
	case -EADDRINUSE:
		return "filter";
	case -EACCES:
		return "permission";
	case -ENXIO:
		return "field";
	case -ENOENT:
		return "hidden";
	default:
		return "other";
	}
}

bool ucore_session_may_omit(const struct ucore_session *session, int code)
{
	return session->partial && (code == -ENODEV || code == -EBUSY || code == -EADDRINUSE ||
				    code == -EACCES || code == -ENXIO);
}

int ucore_session_omit(struct ucore_session *session, size_t index,
		       const struct ucore_box_info *box, int code, const char *text,
		       struct ucore_error *err)
{
	const struct ucore_domain_info *domain = ucore_device_domain(session->dev, box->domain);
	size_t nr = session->nr_omissions;
	struct ucore_omission *grown = session->omissions;

	/* the capacity doubles at each power of two */
	if (!(nr & (nr - 1)))
		grown = realloc(grown, (nr ? 2 * nr : 1) * sizeof(*grown));
	if (!grown)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	session->omissions = grown;
	grown[nr] = (struct ucore_omission) {
		.index = (uint32_t)index,
		.box = box->box,
		.domain = box->domain,
		.die = box->die,
		.package = domain ? domain->package : 0,
		.cpu = box->cpu,
		.instance = box->instance,
		.code = code,
	};
	memcpy(grown[nr].type, box->type, sizeof(grown[nr].type));
	snprintf(grown[nr].text, sizeof(grown[nr].text), "%s", text);
	session->nr_omissions++;
	return 0;
}

void ucore_omissions_truncate(struct ucore_session *session, size_t nr)
{
	while (session->nr_omissions && session->omissions[session->nr_omissions - 1].index >= nr)
		session->nr_omissions--;
}

/* ---- boxes that a die lacks -------------------------------------------- */

/* Return true if the event selects a box of a die, apart from the number of the die */
static bool selects(const struct ucore_event *event, const struct ucore_box_info *box)
{
	struct ucore_event any = { .instance = event->instance, .last = event->last,
				   .die = UCORE_ANY, .cpu = event->cpu };

	memcpy(any.type, event->type, sizeof(any.type));
	return box->cpu < 0 && ucore_event_matches(&any, box);
}

/* Return true if the selected boxes have the same number on each die */
static bool same_number(const struct ucore_device *dev, const struct ucore_event *event)
{
	size_t most = 0, least = SIZE_MAX;

	for (size_t i = 0; i < dev->nr_domains; i++) {
		size_t nr = 0;

		if (dev->domains[i].scope != UCORE_SCOPE_DIE)
			continue;
		for (size_t j = 0; j < dev->nr_boxes; j++)
			nr += dev->boxes[j].domain == dev->domains[i].domain &&
			      selects(event, &dev->boxes[j]);
		most = nr > most ? nr : most;
		least = nr < least ? nr : least;
	}
	return most <= least;
}

static bool has_box(const struct ucore_device *dev, uint32_t domain,
		    const struct ucore_box_info *like, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (dev->boxes[i].instance == like->instance &&
		    (domain == UCORE_ANY || dev->boxes[i].domain == domain) &&
		    !strcmp(dev->boxes[i].type, like->type))
			return true;
	return false;
}

/* Return true if a die has boxes of a type, none of which has responded: links that are not used */
static bool has_only_absent(const struct ucore_device *dev, uint32_t domain, const char *type)
{
	for (size_t i = 0; i < dev->nr_boxes; i++)
		if (dev->boxes[i].domain == domain && !strcmp(dev->boxes[i].type, type))
			return false;
	return ucore_device_is_absent(dev, type, UCORE_ANY, domain);
}

static int omit_on_die(struct ucore_session *session, const struct ucore_event *event,
		       const struct ucore_domain_info *domain, struct ucore_error *err)
{
	const struct ucore_device *dev = session->dev;
	bool absent;
	int ret = 0;

	for (size_t i = 0; i < dev->nr_boxes && !ret; i++) {
		struct ucore_box_info box = dev->boxes[i];

		/* only the first die that has the box is compared */
		if (!selects(event, &box) || has_box(dev, UCORE_ANY, &box, i) ||
		    has_box(dev, domain->domain, &box, dev->nr_boxes) ||
		    has_only_absent(dev, domain->domain, box.type))
			continue;
		absent = ucore_device_is_absent(dev, box.type, box.instance, domain->domain);
		box.box = UCORE_ANY;
		box.domain = domain->domain;
		box.die = domain->die;
		ret = ucore_session_omit(session, session->nr_events, &box, -ENOENT,
					 absent ? "does not respond, unlike on another die" :
					 "not found on this die, unlike on another die", err);
	}
	return ret;
}

int ucore_session_omit_hidden(struct ucore_session *session, const struct ucore_event *event,
			      struct ucore_error *err)
{
	const struct ucore_device *dev = session->dev;
	int ret = 0;

	if (same_number(dev, event))
		return 0;
	for (size_t i = 0; i < dev->nr_domains && !ret; i++)
		if (dev->domains[i].scope == UCORE_SCOPE_DIE &&
		    (event->die == UCORE_ANY || event->die == dev->domains[i].die))
			ret = omit_on_die(session, event, &dev->domains[i], err);
	return ret;
}
