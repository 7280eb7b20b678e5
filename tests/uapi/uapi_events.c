// SPDX-License-Identifier: GPL-2.0-only
/* ADD_EVENT and REMOVE_EVENT: validation of events, and the counters they may use. */
#include "session.h"

static int session;

static void begin(void)
{
	session = session_create(0, 0, 0);
}

/*
 * ---- Malformed arguments ------------------------------------------------
 */

static void absent_box_is_refused(const void *arg)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	unsigned int total = boxes_get(boxes);
	const uint32_t bad[] = { total, total + 1, 0x80000000, UINT32_MAX };

	(void)arg;
	begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		expect_rc(try_add(session, bad[i], TERMS(TERM(EVENT, 4)), 0, 0), ENOENT);
}

static void invalid_terms_are_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0);

	(void)arg;
	begin();
	expect_rc(try_add(session, imc, TERMS({ .field = 0, .value = 4 }), 0, 0), EINVAL);
	expect_rc(try_add(session, imc, TERMS({ UCORE_FIELD_MAX + 1, 0, 4 }), 0, 0),
		  EINVAL);
	expect_rc(try_add(session, imc, TERMS({ .field = 64, .value = 4 }), 0, 0), EINVAL);
	expect_rc(try_add(session, imc, TERMS({ .field = 0xffffffff, .value = 4 }), 0, 0),
		  EINVAL);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4), TERM(UMASK, 3), TERM(EVENT, 4)),
			  0, 0), EINVAL);
	expect_rc(try_add(session, imc, TERMS({ UCORE_FIELD_EVENT, 1, 4 }), 0, 0), EINVAL);
	expect_rc(try_add(session, imc, TERMS({ UCORE_FIELD_EVENT, 0x80000000, 4 }), 0, 0),
		  EINVAL);
	expect_eq(session_status(session).nr_events, 0);
	expect_eq(box_get(imc).owner, 0);
}

static void too_many_terms_are_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0);
	struct ucore_term *exact = guarded(2 * sizeof(*exact));
	struct ucore_term many[40];

	(void)arg;
	begin();
	exact[0] = (struct ucore_term)TERM(EVENT, 4);
	exact[1] = (struct ucore_term)TERM(UMASK, 3);
	expect_rc(try_add(session, imc, exact, 2, 0, 0), 0);
	expect_rc(try_add(session, imc, exact, 3, 0, 0), EFAULT);
	expect_rc(try_add(session, imc, NULL, 1, 0, 0), EFAULT);
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = (struct ucore_term)TERM(EVENT, 4);
	expect_rc(try_add(session, imc, many, 33, 0, 0), EINVAL);
	expect_rc(try_add(session, imc, NULL, 33, 0, 0), EINVAL);
	expect_rc(try_add(session, imc, NULL, UINT32_MAX, 0, 0), EINVAL);
	expect_rc(try_add(session, imc, NULL, 0x10000001, 0, 0), EINVAL);
	expect_eq(session_status(session).nr_events, 1);
}

static void edge_without_threshold_is_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0);

	(void)arg;
	begin();
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4), TERM(EDGE, 1)), 0, 0), EINVAL);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4), TERM(EDGE, 1), TERM(THRESH, 1)),
			  0, 0), 0);
}

/*
 * ---- Fields -------------------------------------------------------------
 */

static void absent_fields_are_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0), cbo = box_find("cbo", 0);

	(void)arg;
	begin();
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4), TERM(FILTER_OPC, 0x182)), 0, 0),
		  ENXIO);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4), TERM(INVERT, 1)), 0, 0), ENXIO);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4), TERM(UMASK_EXT, 1)), 0, 0), ENXIO);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 4), TERM(BAND0, 1)), 0, 0), ENXIO);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 4), TERM(ADDR_MATCH, 64)), 0, 0),
		  ENXIO);
	expect_eq(box_get(imc).owner, 0);
	expect_eq(box_get(cbo).owner, 0);
}

/* An event that was taken goes again, with its session: the next one finds the box free. */
static int try_field(uint32_t box, const struct ucore_field_info *field, uint64_t value)
{
	struct ucore_term terms[2] = {
		{ .field = field->field, .value = value }, TERM(THRESH, 1),
	};
	int rc = try_add(session, box, terms, field->field == UCORE_FIELD_EDGE ? 2 : 1, 0, 0);

	if (!rc) {
		close(session);
		begin();
	}
	return rc;
}

static void field_range(uint32_t box, const struct ucore_field_info *f)
{
	if (f->max != UINT64_MAX)
		expect_rc_of(try_field(box, f, f->max + 1), ERANGE, f->name);
	expect_rc_of(try_field(box, f, f->max | 1ULL << 63), f->max >> 63 ? 0 : ERANGE,
		     f->name);
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(f->mask & 1ULL << bit))
			expect_rc_of(try_field(box, f, 1ULL << bit), ERANGE, f->name);
	}
}

/* The largest value of every field of every box is accepted, and one more is refused */
static void field_values_out_of_range_are_refused(const void *arg)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	unsigned int total = boxes_get(boxes);
	int device = device_open();

	(void)arg;
	begin();
	for (unsigned int i = 0; i < total; i++) {
		struct ucore_field_info f[64];
		struct ucore_get_fields get = {
			.size = sizeof(get), .box = i, .nr = 64, .fields = address(f),
		};

		if (boxes[i].domain != boxes[0].domain || boxes[i].instance)
			continue;
		do_command(device, UCORE_GET_FIELDS, &get);
		for (unsigned int n = 0; n < get.nr; n++)
			field_range(i, &f[n]);
	}
}

/*
 * ---- Counters -----------------------------------------------------------
 */

static void absent_counters_are_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0), cbo = box_find("cbo", 0);
	uint32_t r3 = box_find("r3qpi", 0);
	uint64_t fixed = 1ULL << UCORE_COUNTER_FIXED;

	(void)arg;
	begin();
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 1 << 4, 0), ENXIO);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 1ULL << 31, 0), ENXIO);
	expect_rc(try_add(session, imc, NULL, 0, fixed << 1, 0), ENXIO);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 1ULL << 63, 0), ENXIO);
	expect_rc(try_add(session, cbo, NULL, 0, fixed, 0), ENXIO);
	expect_rc(try_add(session, r3, TERMS(TERM(EVENT, 1)), 1 << 3, 0), ENXIO);
	expect_eq(session_status(session).nr_events, 0);
}

static void fixed_counter_is_used_once(const void *arg)
{
	uint32_t imc = box_find("imc", 0), counter;
	struct event_spec spec = { .box = imc, .counters = 1ULL << UCORE_COUNTER_FIXED };
	int rc;

	(void)arg;
	begin();
	expect_rc(try_add_spec(session, &spec, NULL, &counter), 0);
	expect_eq(counter, UCORE_COUNTER_FIXED);
	expect_rc(try_add_spec(session, &spec, NULL, NULL), ENOSPC);
	close(session);
	begin();
	rc = try_add(session, imc, TERMS(TERM(EVENT, 4)), 1ULL << UCORE_COUNTER_FIXED, 0);
	expect(rc == -EINVAL || rc == -ENXIO, "terms on a fixed counter: %s", error_name(rc));
}

static void requested_counter_is_used(const void *arg)
{
	uint32_t imc = box_find("imc", 0), counter;

	(void)arg;
	begin();
	for (int want = 3; want >= 0; want--) {
		struct event_spec spec = { imc, TERMS(TERM(EVENT, 4)), 1ULL << want, 0 };

		expect_rc(try_add_spec(session, &spec, NULL, &counter), 0);
		expect_eq(counter, want);
	}
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 1, 0), ENOSPC);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 0, 0), ENOSPC);
	expect_eq(session_status(session).nr_events, 4);
}

static void every_counter_of_every_box_is_usable(const void *arg)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	unsigned int total = boxes_get(boxes);

	(void)arg;
	begin();
	for (unsigned int i = 0; i < total; i++) {
		unsigned int event = strcmp(boxes[i].type, "cbo") ? 0x01 : 0x41;

		for (unsigned int c = 0; c < boxes[i].nr_counters; c++)
			expect_rc(try_add(session, i, TERMS(TERM(EVENT, event)), 0, 0), 0);
		expect_rc(try_add(session, i, TERMS(TERM(EVENT, 0x41)), 0, 0), ENOSPC);
		expect_eq(box_get(i).owner, session_status(session).session);
	}
	expect_eq(session_status(session).nr_domains, 2);
}

/* C-Box TOR_OCCUPANCY counts on counter 0 only */
static const struct ucore_term tor_occupancy[] = {
	TERM(EVENT, 0x36), TERM(UMASK, 0x08),
};

static void constrained_event_uses_its_counters_only(const void *arg)
{
	uint32_t cbo = box_find("cbo", 0), counter;
	struct event_spec tor = { cbo, tor_occupancy, 2, 0, 0 };

	(void)arg;
	begin();
	expect_rc(try_add(session, cbo, tor_occupancy, 2, 0x2, 0), ENXIO);
	expect_rc(try_add(session, cbo, tor_occupancy, 2, 0xe, 0), ENXIO);
	expect_rc(try_add_spec(session, &tor, NULL, &counter), 0);
	expect_eq(counter, 0);
	expect_rc(try_add_spec(session, &tor, NULL, NULL), ENOSPC);
}

/* An event that can use any counter moves away for one that needs a certain counter */
static void event_moves_to_make_room(const void *arg)
{
	uint32_t cbo = box_find("cbo", 0), counter;
	struct event_spec tor = { cbo, tor_occupancy, 2, 0, 0 };

	(void)arg;
	begin();
	for (int i = 0; i < 3; i++)
		event_add(session, cbo, TERMS(TERM(EVENT, 0x00)), 0, 0);
	expect_rc(try_add_spec(session, &tor, NULL, &counter), 0);
	expect_eq(counter, 0);
	close(session);

	begin();
	event_add(session, cbo, TERMS(TERM(EVENT, 0x00)), 0x1, 0);
	expect_rc(try_add_spec(session, &tor, NULL, NULL), ENOSPC);
}

/*
 * ---- Shared registers ---------------------------------------------------
 */

static void conflicting_filters_are_refused(const void *arg)
{
	uint32_t cbo = box_find("cbo", 0), pcu = box_find("pcu", 0);
	uint32_t first;

	(void)arg;
	begin();
	first = event_add(session, cbo, TERMS(TERM(EVENT, 0x35), TERM(UMASK, 1),
					      TERM(FILTER_OPC, 0x182)), 0, 0);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x35), TERM(UMASK, 1),
					      TERM(FILTER_OPC, 0x180)), 0, 0), EADDRINUSE);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x35), TERM(UMASK, 1),
					      TERM(FILTER_OPC, 0x182)), 0, 0), 0);
	expect_rc(try_add(session, box_find("cbo", 1),
			  TERMS(TERM(EVENT, 0x35), TERM(UMASK, 1), TERM(FILTER_OPC, 0x180)),
			  0, 0), 0);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x00)), 0, 0), 0);

	event_add(session, pcu, TERMS(TERM(EVENT, 0x0b), TERM(BAND0, 12)), 0, 0);
	expect_rc(try_add(session, pcu, TERMS(TERM(EVENT, 0x0b), TERM(BAND0, 13)), 0, 0),
		  EADDRINUSE);
	expect_rc(try_add(session, pcu, TERMS(TERM(EVENT, 0x0c), TERM(BAND1, 13)), 0, 0), 0);
	expect_rc(try_remove(session, first), 0);
}

/* After the last event with a filter value is removed, another value is accepted */
static void removed_event_frees_its_filter(const void *arg)
{
	uint32_t ha = box_find("ha", 0), first;

	(void)arg;
	begin();
	first = event_add(session, ha, TERMS(TERM(EVENT, 0x20), TERM(UMASK, 1),
					     TERM(ADDR_MATCH, 0x1000)), 0, 0);
	expect_rc(try_add(session, ha, TERMS(TERM(EVENT, 0x20), TERM(UMASK, 1),
					     TERM(ADDR_MATCH, 0x2000)), 0, 0), EADDRINUSE);
	expect_rc(try_remove(session, first), 0);
	expect_rc(try_add(session, ha, TERMS(TERM(EVENT, 0x20), TERM(UMASK, 1),
					     TERM(ADDR_MATCH, 0x2000)), 0, 0), 0);
}

/*
 * ---- Periods ------------------------------------------------------------
 */

static void period_out_of_range_is_refused(const void *arg)
{
	static const struct {
		const char *type;
		unsigned int width;
	} boxes[] = { { "imc", 48 }, { "ha", 48 }, { "r2pcie", 44 }, { "ubox", 44 } };
	uint64_t fixed = 1ULL << UCORE_COUNTER_FIXED;

	(void)arg;
	for (unsigned int i = 0; i < ARRAY_SIZE(boxes); i++) {
		uint32_t box = box_find(boxes[i].type, 0);
		uint64_t top = 1ULL << boxes[i].width;

		begin();
		expect_rc(try_add(session, box, TERMS(TERM(EVENT, 0x42)), 0, top), ERANGE);
		expect_rc(try_add(session, box, TERMS(TERM(EVENT, 0x42)), 0, UINT64_MAX), ERANGE);
		expect_rc(try_add(session, box, TERMS(TERM(EVENT, 0x42)), 0, top - 1), 0);
		expect_rc(try_add(session, box, TERMS(TERM(EVENT, 0x42)), 0, 1), 0);
		close(session);
	}
	begin();
	expect_rc(try_add(session, box_find("ubox", 0), NULL, 0, fixed, 1ULL << 48), ERANGE);
	expect_rc(try_add(session, box_find("ubox", 0), NULL, 0, fixed, (1ULL << 48) - 1), 0);
}

/* CLOCKTICKS counts once per clock, and the driver assumes at most 5 GHz */
static void period_without_interrupt_or_polling_is_refused(const void *arg)
{
	uint32_t cbo = box_find("cbo", 0), irp = box_find("irp", 0);

	(void)arg;
	begin();
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x00)), 0, 1000000,
			  UCORE_EVENT_F_NO_POLL), EOPNOTSUPP);
	expect_rc(try_add(session, irp, TERMS(TERM(EVENT, 0x00)), 0, 1000000,
			  UCORE_EVENT_F_NO_POLL), EOPNOTSUPP);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x00)), 0, 499999), ERANGE);
	expect_eq(box_get(cbo).owner, 0);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x00)), 0, 0), 0);
}

static uint64_t poll_of(uint32_t box, uint64_t counters, uint64_t period, uint32_t flags)
{
	const struct ucore_term event = TERM(EVENT, 0x00);
	struct ucore_add_event add = {
		.size = sizeof(add), .flags = flags, .box = box, .counters = counters,
		.nr_terms = counters < 1ULL << UCORE_COUNTER_FIXED, .terms = address(&event),
		.period = period, .poll_ns = UINT64_MAX,
	};

	expect_rc(try_command(session, UCORE_ADD_EVENT, &add), 0);
	return add.poll_ns;
}

static void polled_period_reports_its_interval(const void *arg)
{
	uint32_t cbo = box_find("cbo", 0);

	(void)arg;
	begin();
	expect_eq(poll_of(cbo, 1, 500000, 0), UCORE_POLL_MIN_NS);
	expect_eq(poll_of(cbo, 2, 1000000, 0), 200000);
	expect_eq(poll_of(cbo, 4, 1ULL << 60, 0), UCORE_POLL_MAX_NS);
	expect_eq(poll_of(cbo, 8, 0, 0), 0);
	expect_eq(poll_of(box_find("imc", 0), 1, 1000, UCORE_EVENT_F_NO_POLL), 0);
}

/*
 * ---- Owners of counters, filters and boxes -----------------------------
 */

static void counters_of_another_session_are_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0), event;
	int other = session_create(0, 0, 0);

	(void)arg;
	begin();
	expect_rc(try_add(other, imc, TERMS(TERM(EVENT, 4)), 1 << 1, 0), 0);
	expect_eq(box_get(imc).owner, session_status(other).session);
	expect(!(box_get(imc).flags & UCORE_BOX_F_SHARED), "shared by one session");
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 5)), 1 << 1, 0), EBUSY);
	event = event_add(session, imc, TERMS(TERM(EVENT, 5)), 1 << 0, 0);
	expect_eq(box_get(imc).owner, session_status(other).session);
	expect(box_get(imc).flags & UCORE_BOX_F_SHARED, "two sessions do not share");
	expect_rc(try_add(other, imc, TERMS(TERM(EVENT, 4)), 1 << 0, 0), EBUSY);
	/* both sessions can use the remaining counters, until all are in use */
	expect_rc(try_add(other, imc, TERMS(TERM(EVENT, 6)), 0, 0), 0);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 7)), 0, 0), 0);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 8)), 0, 0), EBUSY);
	expect_rc(try_add(other, imc, TERMS(TERM(EVENT, 8)), 0, 0), EBUSY);
	expect_rc(try_remove(session, event), 0);
	expect_rc(try_add(other, imc, TERMS(TERM(EVENT, 4)), 1 << 0, 0), 0);
	close(session);
	expect_eq(box_get(imc).owner, session_status(other).session);
	expect_rc(try_add(other, imc, TERMS(TERM(EVENT, 4)), 0, 0), 0);
	expect_rc(try_add(other, imc, TERMS(TERM(EVENT, 4)), 0, 0), ENOSPC);
	close(other);
	expect_eq(box_get(imc).owner, 0);
}

/* Sessions share the counters of equal events, however many sessions there are. */
static void equal_events_of_sessions_share_a_counter(const void *arg)
{
	uint32_t imc = box_find("imc", 0);
	int sessions[UCORE_BOX_SESSIONS_MAX];
	int more = session_create(0, 0, 0);

	(void)arg;
	begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(sessions); i++) {
		sessions[i] = session_create(0, 0, 0);
		for (unsigned int event = 4; event < 8; event++)
			expect_rc(try_add(sessions[i], imc, TERMS(TERM(EVENT, event)), 0, 0), 0);
	}
	expect_rc(try_add(more, imc, TERMS(TERM(EVENT, 4)), 0, 0), EBUSY);
	for (unsigned int i = 0; i < ARRAY_SIZE(sessions); i++)
		close(sessions[i]);
	expect_rc(try_add(more, imc, TERMS(TERM(EVENT, 8)), 0, 0), 0);
	close(more);
}

/* The owner of the filters is reported. A session that uses equal filters may share them. */
static void filters_of_another_session_are_refused(const void *arg)
{
	uint32_t cbo = box_find("cbo", 0);
	int first = session_create(0, 0, 0), other = session_create(0, 0, 0);

	(void)arg;
	begin();
	expect_rc(try_add(first, cbo, TERMS(TERM(EVENT, 0)), 1 << 3, 0), 0);
	expect_rc(try_add(other, cbo, TERMS(TERM(EVENT, 0x35), TERM(UMASK, 1),
					    TERM(FILTER_OPC, 0x182)), 0, 0), 0);
	expect_eq(box_get(cbo).owner, session_status(other).session);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x35), TERM(UMASK, 1),
					      TERM(FILTER_OPC, 0x180)), 0, 0), EADDRINUSE);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x34), TERM(UMASK, 0x11),
					      TERM(FILTER_STATE, 1)), 0, 0), EADDRINUSE);
	expect_rc(try_add(session, cbo, TERMS(TERM(EVENT, 0x35), TERM(UMASK, 1),
					      TERM(FILTER_OPC, 0x182)), 0, 0), 0);
	close(other);
	expect_eq(box_get(cbo).owner, session_status(session).session);
	expect_rc(try_add(first, cbo, TERMS(TERM(EVENT, 0x34), TERM(UMASK, 0x11),
					    TERM(FILTER_STATE, 1)), 0, 0), EADDRINUSE);
	close(session);
	expect_rc(try_add(first, cbo, TERMS(TERM(EVENT, 0x34), TERM(UMASK, 0x11),
					    TERM(FILTER_STATE, 1)), 0, 0), 0);
}

/* The boxes are frozen by their own controls, so no other session can count on them. */
static void boxes_frozen_by_another_session_are_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0);
	int device = device_open();
	struct ucore_create_session create = {
		.size = sizeof(create), .flags = UCORE_SESSION_F_BOX_FREEZE,
	};

	(void)arg;
	begin();
	do_command(device, UCORE_CREATE_SESSION, &create);
	expect_rc(try_add(create.fd, imc, TERMS(TERM(EVENT, 4)), 0, 0), 0);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 0, 0), EBUSY);
	close(create.fd);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 0, 0), 0);
	do_command(device, UCORE_CREATE_SESSION, &create);
	expect_rc(try_add(create.fd, imc, TERMS(TERM(EVENT, 4)), 0, 0), EBUSY);
	close(create.fd);
}

static void running_session_refuses_changes(const void *arg)
{
	uint32_t imc = box_find("imc", 0), event;

	(void)arg;
	begin();
	event = add_cas_reads(session, imc, 0);
	session_start(session);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 0, 0), EBUSY);
	expect_rc(try_add(session, box_find("imc", 1), TERMS(TERM(EVENT, 4)), 0, 0), EBUSY);
	expect_rc(try_remove(session, event), EBUSY);
	expect_eq(box_get(box_find("imc", 1)).owner, 0);
	session_stop(session);
	expect_rc(try_add(session, imc, TERMS(TERM(EVENT, 4)), 0, 0), 0);
	expect_rc(try_remove(session, event), 0);
}

static void event_ids_are_not_reused(const void *arg)
{
	uint32_t imc = box_find("imc", 0), seen[8], nr = 0;

	(void)arg;
	begin();
	for (int round = 0; round < 4; round++) {
		seen[nr++] = add_cas_reads(session, imc, 0);
		seen[nr++] = add_cas_reads(session, imc, 0);
		expect_rc(try_remove(session, seen[nr - 2]), 0);
		expect_rc(try_remove(session, seen[nr - 1]), 0);
	}
	for (unsigned int i = 0; i < nr; i++) {
		expect(seen[i] != UCORE_EVENT_NONE, "event id %#x means none", seen[i]);
		for (unsigned int j = 0; j < i; j++)
			expect(seen[i] != seen[j], "event id %u given twice", seen[i]);
	}
}

static void remove_of_absent_event_is_refused(const void *arg)
{
	uint32_t imc = box_find("imc", 0), event;
	int other = session_create(0, 0, 0);

	(void)arg;
	begin();
	expect_rc(try_remove(session, 0), ENOENT);
	event = add_cas_reads(session, imc, 0);
	expect_rc(try_remove(session, event + 1), ENOENT);
	expect_rc(try_remove(session, UCORE_EVENT_NONE), ENOENT);
	expect_rc(try_remove(other, event), ENOENT);
	expect_rc(try_remove(session, event), 0);
	expect_rc(try_remove(session, event), ENOENT);
}

static const struct test tests[] = {
	{ "absent_box_is_refused", absent_box_is_refused, 0, 0 },
	{ "invalid_terms_are_refused", invalid_terms_are_refused, 0, 0 },
	{ "too_many_terms_are_refused", too_many_terms_are_refused, 0, 0 },
	{ "edge_without_threshold_is_refused", edge_without_threshold_is_refused, 0, 0 },
	{ "absent_fields_are_refused", absent_fields_are_refused, 0, 0 },
	{ "field_values_out_of_range_are_refused", field_values_out_of_range_are_refused, 0, 0 },
	{ "absent_counters_are_refused", absent_counters_are_refused, 0, 0 },
	{ "fixed_counter_is_used_once", fixed_counter_is_used_once, 0, 0 },
	{ "requested_counter_is_used", requested_counter_is_used, 0, 0 },
	{ "every_counter_of_every_box_is_usable", every_counter_of_every_box_is_usable, 0, 0 },
	{ "constrained_event_uses_its_counters_only", constrained_event_uses_its_counters_only, 0,
	  0 },
	{ "event_moves_to_make_room", event_moves_to_make_room, 0, 0 },
	{ "conflicting_filters_are_refused", conflicting_filters_are_refused, 0, 0 },
	{ "removed_event_frees_its_filter", removed_event_frees_its_filter, 0, 0 },
	{ "period_out_of_range_is_refused", period_out_of_range_is_refused, 0, 0 },
	{ "period_without_interrupt_or_polling_is_refused",
	  period_without_interrupt_or_polling_is_refused, 0, 0 },
	{ "polled_period_reports_its_interval", polled_period_reports_its_interval, 0, 0 },
	{ "counters_of_another_session_are_refused", counters_of_another_session_are_refused, 0,
	  0 },
	{ "equal_events_of_sessions_share_a_counter",
	  equal_events_of_sessions_share_a_counter, 0, 0 },
	{ "filters_of_another_session_are_refused", filters_of_another_session_are_refused, 0, 0 },
	{ "boxes_frozen_by_another_session_are_refused",
	  boxes_frozen_by_another_session_are_refused, 0, 0 },
	{ "running_session_refuses_changes", running_session_refuses_changes, 0, 0 },
	{ "event_ids_are_not_reused", event_ids_are_not_reused, 0, 0 },
	{ "remove_of_absent_event_is_refused", remove_of_absent_event_is_refused, 0, 0 },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
