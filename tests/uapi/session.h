/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common helpers: open the device, find a box, add an event; one function for each command.
 * Functions named try_...() return 0 or -errno. Other functions succeed or end the subtest.
 */
#ifndef UAPI_SESSION_H
#define UAPI_SESSION_H

#include "harness.h"
#include <fcntl.h>
#include <sys/ioctl.h>
#include "ucore.h"

#define MAX_BOXES	512
#define MAX_DOMAINS	16
#define MAX_EVENTS	256

static inline int try_command(int fd, unsigned int nr, void *arg)
{
	return ioctl(fd, nr, arg) ? -errno : 0;
}

#define do_command(fd, nr, arg) \
	do { \
		int rc_ = try_command(fd, nr, arg); \
		must(!rc_, "%s: %s", #nr, error_name(rc_)); \
	} while (0)

static inline uint64_t address(const void *p)
{
	return (uintptr_t)p;
}

/*
 * ---- Domains and boxes --------------------------------------------------
 */

static inline int device_open(void)
{
	int fd = open(UCORE_DEVICE, O_RDWR | O_CLOEXEC);

	must(fd >= 0, "open " UCORE_DEVICE ": %m");
	return fd;
}

static inline unsigned int domains_get(struct ucore_domain_info *domains)
{
	struct ucore_get_domains get = {
		.size = sizeof(get), .nr = MAX_DOMAINS, .domains = address(domains),
	};
	int fd = device_open();

	do_command(fd, UCORE_GET_DOMAINS, &get);
	close(fd);
	return get.nr;
}

static inline unsigned int boxes_get(struct ucore_box_info *boxes)
{
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = MAX_BOXES, .boxes = address(boxes),
	};
	int fd = device_open();

	do_command(fd, UCORE_GET_BOXES, &get);
	close(fd);
	return get.nr;
}

static inline struct ucore_box_info box_get(uint32_t box)
{
	struct ucore_box_info info;
	struct ucore_get_boxes get = {
		.size = sizeof(get), .first = box, .nr = 1, .boxes = address(&info),
	};
	int fd = device_open();

	do_command(fd, UCORE_GET_BOXES, &get);
	must(get.nr == 1, "no box %u", box);
	close(fd);
	return info;
}

/* Return true for printable text that only zeros follow, so that no kernel memory leaks */
static inline bool is_text(const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return len < size && memory_differs(text + len, 0, size - len) < 0;
}

/* Check that GET_TABLES and GET_UNITS return no elements */
static inline void expect_no_tables(void)
{
	struct ucore_table_info table;
	struct ucore_unit_info unit;
	struct ucore_get_tables tables = {
		.size = sizeof(tables), .nr = 1, .total = 0xdeadbeef,
		.tables = address(&table),
	};
	struct ucore_get_units units = {
		.size = sizeof(units), .nr = 1, .total = 0xdeadbeef, .units = address(&unit),
	};
	int fd = device_open();

	memset(&table, POISON, sizeof(table));
	memset(&unit, POISON, sizeof(unit));
	do_command(fd, UCORE_GET_TABLES, &tables);
	do_command(fd, UCORE_GET_UNITS, &units);
	expect_eq(tables.nr | tables.total | units.nr | units.total, 0);
	expect(memory_differs(&table, POISON, sizeof(table)) < 0, "a table was written");
	expect(memory_differs(&unit, POISON, sizeof(unit)) < 0, "a unit was written");
	tables = (struct ucore_get_tables){ .size = sizeof(tables), .nr = 1 };
	units = (struct ucore_get_units){ .size = sizeof(units), .nr = 1, .first = UINT32_MAX };
	expect_rc(try_command(fd, UCORE_GET_TABLES, &tables), 0);
	expect_rc(try_command(fd, UCORE_GET_UNITS, &units), 0);
	close(fd);
}

/* @domain: -1 for the first domain that has such a box */
static inline int box_find_on(const char *type, unsigned int instance, int domain)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	unsigned int nr = boxes_get(boxes);

	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(boxes[i].type, type) && boxes[i].instance == instance &&
		    (domain < 0 || boxes[i].domain == (unsigned int)domain))
			return boxes[i].box;
	return -1;
}

static inline uint32_t box_find(const char *type, unsigned int instance)
{
	int box = box_find_on(type, instance, -1);

	must(box >= 0, "this machine has no %s%u", type, instance);
	return box;
}

static inline uint32_t box_on_domain(const char *type, unsigned int instance, int domain)
{
	int box = box_find_on(type, instance, domain);

	must(box >= 0, "domain %d has no %s%u", domain, type, instance);
	return box;
}

/*
 * ---- Sessions -----------------------------------------------------------
 */

/* Create a session from an argument without its size; return the descriptor, or -errno */
static inline int try_create_as(struct ucore_create_session create)
{
	int fd = device_open(), rc;

	create.size = sizeof(create);
	rc = try_command(fd, UCORE_CREATE_SESSION, &create);
	close(fd);
	return rc ?: create.fd;
}

static inline int try_create(uint64_t timer_ns, uint32_t ring_size, uint32_t wakeup)
{
	return try_create_as((struct ucore_create_session) {
		.timer_ns = timer_ns, .ring_size = ring_size, .wakeup = wakeup,
	});
}

static inline int session_create(uint64_t timer_ns, uint32_t ring_size, uint32_t wakeup)
{
	int fd = try_create(timer_ns, ring_size, wakeup);

	must(fd >= 0, "CREATE_SESSION: %s", error_name(fd));
	return fd;
}

/* Create a session whose dies are each read by up to @nr_readers CPUs */
static inline int session_create_nr_readers(uint64_t timer_ns, uint32_t ring_size,
					    uint32_t nr_readers)
{
	int fd = try_create_as((struct ucore_create_session) {
		.timer_ns = timer_ns, .ring_size = ring_size, .nr_readers = nr_readers,
	});

	must(fd >= 0, "CREATE_SESSION: %s", error_name(fd));
	return fd;
}

#define TERM(field_, value_)	{ .field = UCORE_FIELD_##field_, .value = (value_) }
#define TERMS(...)		((struct ucore_term[]){ __VA_ARGS__ }), \
				ARRAY_SIZE(((struct ucore_term[]){ __VA_ARGS__ }))

struct event_spec {
	uint32_t box;
	const struct ucore_term *terms;
	uint32_t nr_terms;
	uint64_t counters;
	uint64_t period;
	uint32_t flags;
};

static inline struct ucore_add_event event_argument(const struct event_spec *spec)
{
	return (struct ucore_add_event) {
		.size = sizeof(struct ucore_add_event), .flags = spec->flags, .box = spec->box,
		.nr_terms = spec->nr_terms, .terms = address(spec->terms),
		.counters = spec->counters, .period = spec->period,
		.event = UCORE_EVENT_NONE, .counter = UCORE_EVENT_NONE,
	};
}

/* Add an event; return 0 or -errno. Out parameters may be NULL */
static inline int try_add_spec(int session, const struct event_spec *spec,
			       uint32_t *event, uint32_t *counter)
{
	struct ucore_add_event add = event_argument(spec);
	int rc = try_command(session, UCORE_ADD_EVENT, &add);

	if (rc && (add.event != UCORE_EVENT_NONE || add.counter != UCORE_EVENT_NONE))
		fail("ADD_EVENT failed and wrote its outputs");
	if (event)
		*event = add.event;
	if (counter)
		*counter = add.counter;
	return rc;
}

#define try_add(session, ...) \
	try_add_spec(session, &(struct event_spec){ __VA_ARGS__ }, NULL, NULL)

static inline uint32_t event_add_spec(int session, const struct event_spec *spec)
{
	uint32_t event;
	int rc = try_add_spec(session, spec, &event, NULL);

	must(!rc, "ADD_EVENT on box %u: %s", spec->box, error_name(rc));
	return event;
}

#define event_add(session, ...) \
	event_add_spec(session, &(struct event_spec){ __VA_ARGS__ })

/* Add imc/CAS_COUNT.RD/, which always counts on the emulated machine */
static inline uint32_t add_cas_reads(int session, uint32_t box, uint64_t period)
{
	return event_add(session, box, TERMS(TERM(EVENT, 0x04), TERM(UMASK, 0x03)),
			 0, period);
}

static inline int try_remove(int session, uint32_t event)
{
	struct ucore_remove_event remove = { .size = sizeof(remove), .event = event };

	return try_command(session, UCORE_REMOVE_EVENT, &remove);
}

static inline int try_simple(int session, unsigned int nr)
{
	struct ucore_command command = { .size = sizeof(command) };

	return try_command(session, nr, &command);
}

static inline int try_start(int session)
{
	return try_simple(session, UCORE_START);
}

static inline int try_stop(int session)
{
	return try_simple(session, UCORE_STOP);
}

static inline int try_reset(int session)
{
	return try_simple(session, UCORE_RESET);
}

static inline void session_start(int session)
{
	int rc = try_start(session);

	must(!rc, "START: %s", error_name(rc));
}

static inline void session_stop(int session)
{
	int rc = try_stop(session);

	must(!rc, "STOP: %s", error_name(rc));
}

static inline int try_pmi_cpus(int session, const uint32_t *cpus, uint32_t nr)
{
	struct ucore_set_pmi_cpus set = { .size = sizeof(set), .nr = nr, .cpus = address(cpus) };

	return try_command(session, UCORE_SET_PMI_CPUS, &set);
}

static inline int try_pmi_cpu(int session, uint32_t cpu)
{
	return try_pmi_cpus(session, &cpu, 1);
}

static inline struct ucore_get_budget session_budget(int session)
{
	struct ucore_get_budget budget = { .size = sizeof(budget) };

	do_command(session, UCORE_GET_BUDGET, &budget);
	return budget;
}

static inline struct ucore_get_status session_status(int session)
{
	struct ucore_get_status status = { .size = sizeof(status) };

	do_command(session, UCORE_GET_STATUS, &status);
	return status;
}

struct snapshot {
	struct ucore_read read;
	struct ucore_value values[MAX_EVENTS];
	struct ucore_read_domain domains[MAX_DOMAINS];
};

static inline int try_read(int session, uint32_t flags, struct snapshot *s)
{
	memset(s, POISON, sizeof(*s));
	s->read = (struct ucore_read) {
		.size = sizeof(s->read), .flags = flags,
		.nr_values = MAX_EVENTS, .nr_domains = MAX_DOMAINS,
		.values = address(s->values), .domains = address(s->domains),
	};
	return try_command(session, UCORE_READ, &s->read);
}

static inline void session_read(int session, struct snapshot *s)
{
	int rc = try_read(session, 0, s);

	must(!rc, "READ: %s", error_name(rc));
}

/* Return the count of a session with one event */
static inline uint64_t session_count(int session)
{
	static struct snapshot s;

	session_read(session, &s);
	must(s.read.nr_values >= 1, "READ gave no values");
	return s.values[0].count;
}

#endif
