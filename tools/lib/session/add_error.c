// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Error texts for ADD_EVENT: find the owner of the counters, the event with other values in shared
 * fields, or the missing field.
 */
#include <stdlib.h>

#include "session/session.h"

#define BOX_LEN		(UCORE_NAME_LEN + 16 + UCORE_DOMAIN_NAME_LEN)

/* Write the name of a box for error texts: "imc0 of die 1" */
static const char *box_text(const struct ucore_box_info *box, char *text)
{
	char domain[UCORE_DOMAIN_NAME_LEN];

	ucore_domain_name(box->die, box->cpu, domain, sizeof(domain));
	snprintf(text, BOX_LEN, "%s%u of %s", box->type, box->instance, domain);
	return text;
}

#define OWNER_LEN	(UCORE_NAME_LEN + 48)

/* Write the owner of a box, "process 4711 (stat)"; pid 0: it is in another pid namespace */
static const char *owner_text(const struct ucore_box_info *box, char *text)
{
	if (box->owner_pid)
		snprintf(text, OWNER_LEN, "process %u (%s)", box->owner_pid, box->owner_comm);
	else
		snprintf(text, OWNER_LEN, "a process outside of this container (%s)",
			 box->owner_comm);
	return text;
}

/*
 * Return a text for the users of a box besides @owner.  UCORE_BOX_F_SHARED includes @own, the
 * caller's session, so that the flag is not enough if @own has counters of the box.
 */
static const char *others_text(struct ucore_session *session, const struct ucore_box_info *box,
			       uint64_t own)
{
	struct ucore_session_info *sessions;
	bool shares = false, third = false;
	size_t nr;

	if (!(box->flags & UCORE_BOX_F_SHARED))
		return "";
	for (size_t i = 0; i < session->nr_slots; i++)
		shares |= session->slots[i].box == box->box;
	if (!shares)
		return " and others";
	if (ucore_device_sessions(session->dev, &sessions, &nr, NULL))
		return "";
	for (size_t i = 0; i < nr; i++)
		third |= sessions[i].nr_boxes && sessions[i].session != own &&
			 sessions[i].session != box->owner;
	free(sessions);
	return third ? " and possibly others" : "";
}

/* Checks of the trial that shows what an overflow does */
#define OVERFLOW_CHECKS \
	(UCORE_SELFTEST_OVERFLOW_ENABLE | UCORE_SELFTEST_OVERFLOW_STATUS | \
	 UCORE_SELFTEST_OVERFLOW_FREEZE | UCORE_SELFTEST_OVERFLOW_DIE | \
	 UCORE_SELFTEST_OVERFLOW_RESUME)

/*
 * Return true if the driver does not know yet what an overflow of the box does.  It tries this for
 * a period that must not be polled, while no session counts on the die.
 */
static bool trial_waits(const struct ucore_session *session, const struct ucore_event *event,
			const struct ucore_box_info *box)
{
	struct ucore_get_selftest selftest;

	bool exact = session->config.flags & UCORE_SESSION_F_NO_PMI ||
		     event->flags & UCORE_EVENT_F_NO_POLL;

	return exact && event->period && box->cpu < 0 &&
	       !(session->dev->info.caps & UCORE_CAP_OVERFLOW_PMI) &&
	       !ucore_device_selftest(session->dev, box->box, &selftest, NULL) &&
	       !(selftest.failed & OVERFLOW_CHECKS) &&
	       (selftest.tested & OVERFLOW_CHECKS) != OVERFLOW_CHECKS;
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
				       "event '%s': cannot be added while the session is running. Stop the session first",
				       event->label);
	if (!ucore_device_refresh(session->dev, NULL) && ucore_device_ready(session->dev, err))
		return -EBUSY;
	b = &session->dev->boxes[box];
	if (b->cpu < 0 && session->dev->info.state == UCORE_STATE_INTREE)
		return ucore_error_set(err, -EBUSY, "event '%s': %s", event->label,
				       session->dev->info.reason);
	if (trial_waits(session, event, b))
		return ucore_error_set(err, -EBUSY,
				       "event '%s': %s: its overflow cannot be tried while sessions count on the die, or hold the box. Close them once, run 'ucoretool verify' before they start, or permit polling (without --no-pmi and --no-poll)",
				       event->label, box_text(b, text));
	if (b->owner && b->owner != status.session)
		return ucore_error_set(err, -EBUSY,
				       "event '%s': %s: in use by %s%s. Stop it, or count on another box",
				       event->label, box_text(b, text), owner_text(b, owner),
				       others_text(session, b, status.session));
	if (b->flags & UCORE_BOX_F_SHARED)
		return ucore_error_set(err, -EBUSY,
				       "event '%s': %s: in use by other sessions ('ucoretool doctor' lists them). Stop one, or count on another box",
				       event->label, box_text(b, text));
	if (b->cpu >= 0 && !ucore_device_core_of_type(session->dev, b->type, &core) &&
	    core.state != UCORE_CORE_READY)
		return ucore_error_set(err, -EBUSY, "event '%s': %s", event->label, core.reason);
	return ucore_error_set(err, -EBUSY,
			       "event '%s': %s was in use a moment ago. Try again",
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
			       "event '%s': %s has no free counter for it (%u general, %u fixed, %u in use%s). Use fewer events",
			       event->label, box_text(box, text), box->nr_counters, box->nr_fixed,
			       nr, session->config.rotate_ns ? "" : ", no rotation");
}

/* Find the value that an event sets in a field; NULL if none */
static const struct ucore_term *event_term(const struct ucore_event *event, uint32_t field)
{
	for (unsigned int i = 0; i < event->nr_terms; i++)
		if (event->terms[i].field == field)
			return &event->terms[i];
	return NULL;
}

/* Find a field shared by all counters of a box that two events set differently; NULL if none */
static const struct ucore_field_info *field_conflict(const struct ucore_field_info *fields,
						     size_t nr, const struct ucore_event *a,
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

/* Return true if the event sets a filter that needs CAP_PERFMON and that all counters share */
static bool filters_need_perfmon(struct ucore_session *session, const struct ucore_event *event,
				 const struct ucore_box_info *box)
{
	const uint32_t flags = UCORE_FIELD_F_SHARED | UCORE_FIELD_F_PERFMON;
	const struct ucore_field_info *fields;
	size_t nr;

	if (ucore_device_fields(session->dev, box->box, &fields, &nr, NULL))
		return false;
	for (size_t i = 0; i < nr; i++)
		if ((fields[i].flags & flags) == flags && event_term(event, fields[i].field))
			return true;
	return false;
}

/*
 * Explain that another session or event uses other values in the filters that counters share, or
 * that only one of two sessions has CAP_PERFMON, which the filters of the other need
 */
static int error_filters(struct ucore_session *session, const struct ucore_event *event,
			 const struct ucore_box_info *box, struct ucore_error *err)
{
	UCORE_ARG(ucore_get_status, status);
	uint32_t id = box->box;
	char text[BOX_LEN], owner[OWNER_LEN];
	const char *other = filters_need_perfmon(session, event, box) ?
			    "counts there without CAP_PERFMON, or occ_rst" :
			    "filters that need CAP_PERFMON, or occ_rst";

	box_text(box, text);
	if (!session_ioctl(session, UCORE_GET_STATUS, &status) &&
	    !ucore_device_refresh(session->dev, NULL)) {
		box = &session->dev->boxes[id];
		if (box->owner && box->owner != status.session)
			return ucore_error_set(err, -EADDRINUSE,
					       "event '%s': %s uses other values in the filters that the counters of %s share, or %s. Use the same values, stop the process, or count on another box",
					       event->label, owner_text(box, owner), text,
					       other);
	}
	return ucore_error_set(err, -EADDRINUSE,
			       "event '%s': another event on %s uses other values in a filter that they share. Use the same values, or another box",
			       event->label, text);
}

static int error_shared(struct ucore_session *session, const struct ucore_event *event,
			const struct ucore_box_info *box, struct ucore_error *err)
{
	const struct ucore_field_info *fields, *field;
	char text[BOX_LEN];
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
					       "event '%s': %s has one %s for all its counters, and '%s' sets another value. Use the same value, or another box",
					       event->label, box_text(box, text), field->name,
					       other->label);
	}
	return error_filters(session, event, box, err);
}

/* Return the mask of the general counters on which the driver would accept the event */
static uint64_t counters_accepted(struct ucore_session *session, const struct ucore_event *event,
				  const struct ucore_box_info *box)
{
	uint64_t accepted = 0;

	for (uint32_t i = 0; i < box->nr_counters && i < UCORE_COUNTER_FIXED; i++) {
		UCORE_ARG(ucore_add_event, add, .box = box->box, .nr_terms = event->nr_terms,
			  .terms = (uintptr_t)event->terms, .counters = 1ULL << i,
			  .group = session->group);
		int ret = session_ioctl(session, UCORE_ADD_EVENT, &add);

		if (ret != -ENXIO)
			accepted |= 1ULL << i;
		if (!ret) {
			UCORE_ARG(ucore_remove_event, remove, .event = add.event);

			session_ioctl(session, UCORE_REMOVE_EVENT, &remove);
		}
	}
	return accepted;
}

#define COUNTERS_LEN	160	/* "0, 1, 2" up to 31 */

static const char *counters_text(uint64_t counters, char *text)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < UCORE_COUNTER_FIXED; i++)
		if (counters >> i & 1)
			len += (size_t)snprintf(text + len, COUNTERS_LEN - len, "%s%u",
						len ? ", " : "", i);
	return text;
}

static int error_missing(struct ucore_session *session, const struct ucore_event *event,
			 const struct ucore_box_info *box, struct ucore_error *err)
{
	const struct ucore_field_info *fields, *own, *lacking;
	size_t nr = 0, nr_own;
	char text[BOX_LEN], wanted[COUNTERS_LEN], possible[COUNTERS_LEN];
	uint64_t accepted;

	if (ucore_device_fields(session->dev, box->box, &fields, &nr, NULL) ||
	    ucore_device_own_fields(session->dev, box->box, &own, &nr_own))
		nr_own = 0;
	for (unsigned int i = 0; i < event->nr_terms && nr_own; i++) {
		uint32_t id = event->terms[i].field;

		lacking = ucore_field_by_id(fields, nr, id);
		if (lacking && !ucore_field_by_id(own, nr_own, id))
			return ucore_error_set(err, -ENXIO,
					       "event '%s': %s has no field '%s', unlike other boxes of type %s; firmware may hide its PCI function. See 'ucoretool doctor'",
					       event->label, box_text(box, text), lacking->name,
					       box->type);
	}
	accepted = counters_accepted(session, event, box);
	if (accepted)
		return ucore_error_set(err, -ENXIO,
				       "event '%s': %s cannot count it on counter %s. By the event tables of the manual it counts on counter %s. Use one of these, or leave out 'counter='",
				       event->label, box->type,
				       counters_text(event->counters, wanted),
				       counters_text(accepted, possible));
	return ucore_error_set(err, -ENXIO,
			       "event '%s': %s cannot count it on counters 0x%llx. See 'ucoretool list fields'",
			       event->label, box->type, (unsigned long long)event->counters);
}

/*
 * Return true if the counters that the event can use on the box end its period by their overflow:
 * by an interrupt, or by a freeze if the session needs no interrupt
 */
static bool overflows(const struct ucore_session *session, const struct ucore_event *event,
		      const struct ucore_box_info *box)
{
	bool silent = session->config.flags & UCORE_SESSION_F_NO_PMI;

	if (!silent && box->cpu < 0 && !(session->dev->info.caps & UCORE_CAP_OVERFLOW_PMI))
		return false;
	return box->flags & (event->counters >> UCORE_COUNTER_FIXED ? UCORE_BOX_F_FIXED_OVERFLOW :
			     UCORE_BOX_F_OVERFLOW);
}

/* Explain -ENODEV: the box failed its self-test, or stopped responding */
static int error_dead(const struct ucore_session *session, const struct ucore_event *event,
		      const struct ucore_box_info *box, struct ucore_error *err)
{
	struct ucore_get_selftest selftest;
	char text[BOX_LEN];

	if (!ucore_device_selftest(session->dev, box->box, &selftest, NULL) && *selftest.reason)
		return ucore_error_set(err, -ENODEV,
				       "event '%s': %s: %s. Use another box, or see 'ucoretool doctor'",
				       event->label, box_text(box, text), selftest.reason);
	return ucore_error_set(err, -ENODEV,
			       "event '%s': %s does not respond. Use another box, or try again later",
			       event->label, box_text(box, text));
}

/* Add the event with another period, and remove it again; return 0 or -errno */
static int period_try(struct ucore_session *session, const struct ucore_event *event,
		      const struct ucore_box_info *box, uint64_t period)
{
	UCORE_ARG(ucore_add_event, add, .flags = event->flags, .box = box->box,
		  .nr_terms = event->nr_terms, .terms = (uintptr_t)event->terms,
		  .counters = event->counters, .period = period, .group = session->group);
	int ret = session_ioctl(session, UCORE_ADD_EVENT, &add);
	UCORE_ARG(ucore_remove_event, remove, .event = add.event);

	return ret ? ret : session_ioctl(session, UCORE_REMOVE_EVENT, &remove);
}

/*
 * Find the accepted period that is nearest to the event's period, which was refused. Only the
 * driver knows the limit, which depends on the event. Return 0 if the period @far is refused, too.
 */
static uint64_t period_nearest(struct ucore_session *session, const struct ucore_event *event,
			       const struct ucore_box_info *box, uint64_t far)
{
	uint64_t refused = event->period, accepted = far;

	if (period_try(session, event, box, far))
		return 0;
	while (accepted != refused + 1 && accepted + 1 != refused) {
		uint64_t middle = refused < accepted ? refused + (accepted - refused) / 2 :
						       accepted + (refused - accepted) / 2;
		int ret = period_try(session, event, box, middle);

		if (ret && ret != -ERANGE)
			return 0;
		if (ret)
			refused = middle;
		else
			accepted = middle;
	}
	return accepted;
}

/* A period that is long enough for every poll, and one that is short enough for every counter */
#define PERIOD_LONG	(UINT64_C(1) << 62)
#define PERIOD_SHORT	2

static int error_range(struct ucore_session *session, const struct ucore_event *event,
		       const struct ucore_box_info *box, struct ucore_error *err)
{
	bool polled = !overflows(session, event, box);
	uint64_t nearest = !event->period ? 0 :
			   period_nearest(session, event, box, polled ? PERIOD_LONG : PERIOD_SHORT);

	if (!nearest)
		return ucore_error_set(err, -ERANGE,
				       "event '%s': a field value is too large for %s. See 'ucoretool list fields'",
				       event->label, box->type);
	if (polled)
		return ucore_error_set(err, -ERANGE,
				       "event '%s': %s has no overflow interrupt, so the period is polled. The event can reach %llu counts in less than %llu us, the shortest polling interval. Use a period of at least %llu",
				       event->label, box->type, (unsigned long long)event->period,
				       UCORE_POLL_MIN_NS / 1000, (unsigned long long)nearest);
	return ucore_error_set(err, -ERANGE,
			       "event '%s': the period %llu is too large for the %u-bit counters of %s. Use a period of at most %llu",
			       event->label, (unsigned long long)event->period,
			       event->counters >> UCORE_COUNTER_FIXED ? box->fixed_width :
									box->width,
			       box->type, (unsigned long long)nearest);
}

/* Explain -EOPNOTSUPP of a session without interrupts, with the result of the trial if it failed */
static int error_no_freeze(const struct ucore_session *session, const struct ucore_event *event,
			   const struct ucore_box_info *box, struct ucore_error *err)
{
	const uint32_t checks = UCORE_SELFTEST_OVERFLOW_ENABLE | UCORE_SELFTEST_OVERFLOW_STATUS |
				UCORE_SELFTEST_OVERFLOW_FREEZE | UCORE_SELFTEST_OVERFLOW_DIE |
				UCORE_SELFTEST_OVERFLOW_RESUME;
	struct ucore_get_selftest selftest;
	bool failed = !ucore_device_selftest(session->dev, box->box, &selftest, NULL) &&
		      selftest.failed & checks;

	return ucore_error_set(err, -EOPNOTSUPP,
			       "event '%s': an overflow of %s does not freeze the die%s%s%s. Permit interrupts and polling (without --no-pmi), set the period of an event on another box, or use a timer",
			       event->label, box->type, failed ? " (self-test: " : "",
			       failed ? selftest.reason : "", failed ? ")" : "");
}

int ucore_session_add_error(struct ucore_session *session, const struct ucore_event *event,
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
		if (session->config.flags & UCORE_SESSION_F_NO_PMI)
			return error_no_freeze(session, event, box, err);
		return ucore_error_set(err, code,
				       "event '%s': %s has no overflow interrupt. Permit polling (without --no-poll), set the period of an event on another box, or use a timer",
				       event->label, box->type);
	case -ENXIO:
		return error_missing(session, event, box, err);
	case -ERANGE:
		return error_range(session, event, box, err);
	case -EACCES:
		return ucore_error_set(err, code,
				       "event '%s': CAP_PERFMON is needed, because %s expose the activity of other users",
				       event->label, box->cpu >= 0 ?
				       "core counters" :
				       "filters by address, opcode, core or thread");
	case -ENODEV:
		return error_dead(session, event, box, err);
	default:
		return ucore_error_set(err, code, "event '%s': %s: %s", event->label,
				       box_text(box, text), strerror(-code));
	}
}

/* Skip @prefix at the beginning of @text */
static const char *prefix_skip(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) ? text : text + length;
}

void ucore_session_add_cause(const struct ucore_event *event, const struct ucore_box_info *box,
			     const struct ucore_error *err, char *cause)
{
	char prefix[UCORE_SPEC_LEN + 16], name[BOX_LEN];
	const char *text;
	char *end;

	snprintf(prefix, sizeof(prefix), "event '%s': ", event->label);
	text = prefix_skip(err->text, prefix);
	text = prefix_skip(text, box_text(box, name));
	text += strspn(text, ": ");
	snprintf(cause, UCORE_ERROR_LEN, "%s", text);
	/* the remedy is the next sentence */
	for (end = strstr(cause, ". "); end; end = strstr(end + 1, ". "))
		if (end[2] >= 'A' && end[2] <= 'Z') {
			*end = '\0';
			break;
		}
}
