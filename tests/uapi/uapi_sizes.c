// SPDX-License-Identifier: GPL-2.0-only
/*
 * Common behaviour of all commands: size sweep, flags, reserved fields, addresses, kind of
 * descriptor. There is one row for each command, and one result for each row. Each test runs for
 * each row, on a new session in which the row's argument is valid.
 */
#include "session.h"
#include <stddef.h>
#include <sys/resource.h>

/* The layouts are the same for every caller, whatever its word size */
#define LAYOUT(name, bytes) \
	_Static_assert(sizeof(struct name) == (bytes), #name)
LAYOUT(ucore_get_info, 224);
LAYOUT(ucore_domain_info, 80);
LAYOUT(ucore_get_domains, 24);
LAYOUT(ucore_box_info, 96);
LAYOUT(ucore_get_boxes, 32);
LAYOUT(ucore_field_info, 40);
LAYOUT(ucore_get_fields, 32);
LAYOUT(ucore_table_info, 104);
LAYOUT(ucore_get_tables, 24);
LAYOUT(ucore_unit_info, 80);
LAYOUT(ucore_get_units, 32);
LAYOUT(ucore_link_info, 40);
LAYOUT(ucore_get_links, 32);
LAYOUT(ucore_port_info, 32);
LAYOUT(ucore_get_ports, 32);
LAYOUT(ucore_create_session, 40);
LAYOUT(ucore_session_info, 72);
LAYOUT(ucore_get_sessions, 32);
LAYOUT(ucore_revoke_session, 16);
LAYOUT(ucore_term, 16);
LAYOUT(ucore_add_event, 64);
LAYOUT(ucore_remove_event, 16);
LAYOUT(ucore_set_pmi_cpus, 24);
LAYOUT(ucore_add_core_trigger, 40);
LAYOUT(ucore_task, 40);
LAYOUT(ucore_tasks, 32);
LAYOUT(ucore_command, 8);
LAYOUT(ucore_value, 16);
LAYOUT(ucore_read_domain, 48);
LAYOUT(ucore_read, 48);
LAYOUT(ucore_get_status, 120);
LAYOUT(ucore_get_budget, 64);
LAYOUT(ucore_get_ring, 32);
LAYOUT(ucore_record, 16);
LAYOUT(ucore_sample, 104);
LAYOUT(ucore_lost, 32);
LAYOUT(ucore_gap, 48);

#define MAX_ARG		256
#define TAIL		64
#define SIZE_LIMIT	UCORE_SIZE_MAX

struct span {
	uint16_t first, len;
};

struct row {
	const char *name;
	unsigned int nr;
	unsigned int size;
	unsigned int least;	/* size as first published, 0 if it has not changed */
	bool on_session;
	void (*fill)(void *arg);
	uint32_t valid_flags;
	struct span out[4];
	uint16_t reserved[2];
};

/*
 * ---- A session in which every command succeeds --------------------------
 */

static struct fixture {
	int device, session;
	bool found, poisoned;
	uint32_t box, domain, event, cpu;
	uint64_t id;
	struct ucore_term terms[2];
	struct ucore_domain_info domains[4];
	struct ucore_box_info boxes[4];
	struct ucore_field_info fields[4];
	struct ucore_table_info tables[4];
	struct ucore_unit_info units[4];
	struct ucore_link_info ends[4];
	struct ucore_port_info ports[4];
	struct ucore_session_info sessions[4];
	struct ucore_value values[4];
	struct ucore_read_domain read_domains[4];
} fix;

static void fixture_begin(void)
{
	fix.device = device_open();
	fix.session = session_create(0, 8192, 0);
	if (!fix.found) {
		fix.box = box_find("imc", 0);
		fix.domain = box_get(fix.box).domain;
		fix.found = true;
	}
	fix.event = add_cas_reads(fix.session, fix.box, 0);
	fix.id = session_status(fix.session).session;
	fix.terms[0] = (struct ucore_term)TERM(EVENT, 0x04);
	fix.terms[1] = (struct ucore_term)TERM(UMASK, 0x0c);
}

static void fixture_end(void)
{
	close(fix.session);
	close(fix.device);
}

#define FILL(name, type) \
	static void fill_##name(void *arg) \
	{ \
		*(struct type *)arg = (struct type) { .size = sizeof(struct type) }; \
		more_##name(arg); \
	}

static void more_info(struct ucore_get_info *a)
{
	a->abi = 0xdeadbeef;
	memset(a->reason, POISON, sizeof(a->reason));
}
FILL(info, ucore_get_info)

static void more_domains(struct ucore_get_domains *a)
{
	a->nr = ARRAY_SIZE(fix.domains);
	a->total = 0xdeadbeef;
	a->domains = address(fix.domains);
}
FILL(domains, ucore_get_domains)

static void more_boxes(struct ucore_get_boxes *a)
{
	a->nr = ARRAY_SIZE(fix.boxes);
	a->total = 0xdeadbeef;
	a->boxes = address(fix.boxes);
}
FILL(boxes, ucore_get_boxes)

static void more_sessions(struct ucore_get_sessions *a)
{
	a->nr = ARRAY_SIZE(fix.sessions);
	a->total = 0xdeadbeef;
	a->sessions = address(fix.sessions);
}
FILL(sessions, ucore_get_sessions)

static void more_end(struct ucore_revoke_session *a)
{
	a->session = fix.id;
}
FILL(end, ucore_revoke_session)

static void more_fields(struct ucore_get_fields *a)
{
	a->box = fix.box;
	a->nr = ARRAY_SIZE(fix.fields);
	a->total = 0xdeadbeef;
	a->fields = address(fix.fields);
}
FILL(fields, ucore_get_fields)

static void more_tables(struct ucore_get_tables *a)
{
	a->nr = ARRAY_SIZE(fix.tables);
	a->total = 0xdeadbeef;
	a->tables = address(fix.tables);
}
FILL(tables, ucore_get_tables)

static void more_units(struct ucore_get_units *a)
{
	a->nr = ARRAY_SIZE(fix.units);
	a->total = 0xdeadbeef;
	a->units = address(fix.units);
}
FILL(units, ucore_get_units)

static void more_ends(struct ucore_get_links *a)
{
	a->nr = ARRAY_SIZE(fix.ends);
	a->total = 0xdeadbeef;
	a->links = address(fix.ends);
}
FILL(ends, ucore_get_links)

static void more_ports(struct ucore_get_ports *a)
{
	a->nr = ARRAY_SIZE(fix.ports);
	a->total = 0xdeadbeef;
	a->ports = address(fix.ports);
}
FILL(ports, ucore_get_ports)

static void more_create(struct ucore_create_session *a)
{
	a->ring_size = 4096;
	a->fd = -12345;
}
FILL(create, ucore_create_session)

static void more_add(struct ucore_add_event *a)
{
	a->box = fix.box;
	a->nr_terms = ARRAY_SIZE(fix.terms);
	a->terms = address(fix.terms);
	a->event = 0xdeadbeef;
	a->counter = 0xdeadbeef;
	a->poll_ns = 0xdeadbeef;
}
FILL(add, ucore_add_event)

static void more_remove(struct ucore_remove_event *a)
{
	a->event = fix.event;
}
FILL(remove, ucore_remove_event)

static void more_pmi_cpus(struct ucore_set_pmi_cpus *a)
{
	a->nr = 1;
	a->cpus = address(&fix.cpu);
}
FILL(pmi_cpus, ucore_set_pmi_cpus)

/* A page fault of this process, every so often */
static void more_core_trigger(struct ucore_add_core_trigger *a)
{
	a->type = UCORE_PERF_SOFTWARE;
	a->cpu = -1;
	a->tid = (unsigned int)getpid();
	a->config = 2;
	a->period = 1000000;
}
FILL(core_trigger, ucore_add_core_trigger)

static void more_command(struct ucore_command *a)
{
	(void)a;
}
FILL(command, ucore_command)

static void more_read(struct ucore_read *a)
{
	a->nr_values = ARRAY_SIZE(fix.values);
	a->nr_domains = ARRAY_SIZE(fix.read_domains);
	a->values = address(fix.values);
	a->domains = address(fix.read_domains);
	a->skew_ns = 0xdeadbeef;
}
FILL(read, ucore_read)

static void more_status(struct ucore_get_status *a)
{
	a->session = 0xdeadbeef;
	a->writes = 0xdeadbeef;
	a->parallel_reads = 0xdeadbeef;
}
FILL(status, ucore_get_status)

static void more_budget(struct ucore_get_budget *a)
{
	a->percent = 0xdeadbeef;
	a->delayed = 0xdeadbeef;
}
FILL(budget, ucore_get_budget)

static void more_core(struct ucore_get_core *a)
{
	a->state = 0xdeadbeef;
	a->edx = 0xdeadbeef;
	a->kind = 0;
	a->nr_kinds = 0xdeadbeef;
	a->nr_cpus = 0xdeadbeef;
}
FILL(core, ucore_get_core)

static void more_selftest(struct ucore_get_selftest *a)
{
	a->box = 0;
	a->tested = 0xdeadbeef;
	a->writes = 0xdeadbeef;
}
FILL(selftest, ucore_get_selftest)

static void more_ring_info(struct ucore_get_ring *a)
{
	a->domain = fix.domain;
	a->data_size = 0xdeadbeef;
}
FILL(ring_info, ucore_get_ring)

#define OUT(type, field) \
	{ offsetof(struct type, field), sizeof(((struct type *)0)->field) }
#define OUT_TO(type, first, last) \
	{ offsetof(struct type, first), \
	  offsetof(struct type, last) + sizeof(((struct type *)0)->last) - \
	  offsetof(struct type, first) }
#define AT(type, field)	offsetof(struct type, field)

static const struct row rows[] = {
	{ "INFO", UCORE_GET_INFO, sizeof(struct ucore_get_info), 0, false, fill_info,
	  .out = { OUT_TO(ucore_get_info, abi, reason) } },
	{ "GET_DOMAINS", UCORE_GET_DOMAINS, sizeof(struct ucore_get_domains), 0, false,
	  fill_domains, .out = { OUT_TO(ucore_get_domains, nr, total) } },
	{ "GET_BOXES", UCORE_GET_BOXES, sizeof(struct ucore_get_boxes), 0, false, fill_boxes,
	  .out = { OUT_TO(ucore_get_boxes, nr, total) },
	  .reserved = { AT(ucore_get_boxes, reserved) } },
	{ "GET_FIELDS", UCORE_GET_FIELDS, sizeof(struct ucore_get_fields), 0, false, fill_fields,
	  .out = { OUT_TO(ucore_get_fields, nr, total) },
	  .reserved = { AT(ucore_get_fields, reserved) } },
	{ "GET_TABLES", UCORE_GET_TABLES, sizeof(struct ucore_get_tables), 0, false, fill_tables,
	  .out = { OUT_TO(ucore_get_tables, nr, total) } },
	{ "GET_UNITS", UCORE_GET_UNITS, sizeof(struct ucore_get_units), 0, false, fill_units,
	  .out = { OUT_TO(ucore_get_units, nr, total) },
	  .reserved = { AT(ucore_get_units, reserved) } },
	{ "GET_LINKS", UCORE_GET_LINKS, sizeof(struct ucore_get_links), 0, false, fill_ends,
	  .out = { OUT_TO(ucore_get_links, nr, total) },
	  .reserved = { AT(ucore_get_links, reserved) } },
	{ "GET_PORTS", UCORE_GET_PORTS, sizeof(struct ucore_get_ports), 0, false, fill_ports,
	  .out = { OUT_TO(ucore_get_ports, nr, total) },
	  .reserved = { AT(ucore_get_ports, reserved) } },
	{ "GET_SELFTEST", UCORE_GET_SELFTEST, sizeof(struct ucore_get_selftest), 0, false,
	  fill_selftest, .out = { OUT_TO(ucore_get_selftest, tested, reason) } },
	{ "GET_CORE", UCORE_GET_CORE, sizeof(struct ucore_get_core), AT(ucore_get_core, kind),
	  false, fill_core,
	  .out = { OUT_TO(ucore_get_core, state, reason),
		   OUT_TO(ucore_get_core, nr_kinds, type) } },
	{ "CREATE_SESSION", UCORE_CREATE_SESSION, sizeof(struct ucore_create_session),
	  AT(ucore_create_session, rotate_ns), false, fill_create,
	  .valid_flags =
		  UCORE_SESSION_F_BOX_FREEZE | UCORE_SESSION_F_TASKS | UCORE_SESSION_F_FULL_READS |
		  UCORE_SESSION_F_NO_PMI,
	  .out = { OUT(ucore_create_session, fd) } },
	{ "GET_SESSIONS", UCORE_GET_SESSIONS, sizeof(struct ucore_get_sessions), 0, false,
	  fill_sessions, .out = { OUT_TO(ucore_get_sessions, nr, total) } },
	{ "REVOKE_SESSION", UCORE_REVOKE_SESSION, sizeof(struct ucore_revoke_session), 0, false,
	  fill_end },
	{ "ADD_EVENT", UCORE_ADD_EVENT, sizeof(struct ucore_add_event), AT(ucore_add_event, group),
	  true, fill_add, .valid_flags = UCORE_EVENT_F_NO_POLL,
	  .out = { OUT_TO(ucore_add_event, event, poll_ns) },
	  .reserved = { AT(ucore_add_event, reserved) } },
	{ "REMOVE_EVENT", UCORE_REMOVE_EVENT, sizeof(struct ucore_remove_event), 0, true,
	  fill_remove, .reserved = { AT(ucore_remove_event, reserved) } },
	{ "SET_PMI_CPUS", UCORE_SET_PMI_CPUS, sizeof(struct ucore_set_pmi_cpus), 0, true,
	  fill_pmi_cpus, .reserved = { AT(ucore_set_pmi_cpus, reserved) } },
	{ "ADD_CORE_TRIGGER", UCORE_ADD_CORE_TRIGGER, sizeof(struct ucore_add_core_trigger), 0,
	  true, fill_core_trigger, .valid_flags = UCORE_CORE_TRIGGER_F_USER,
	  .reserved = { AT(ucore_add_core_trigger, reserved) } },
	{ "START", UCORE_START, sizeof(struct ucore_command), 0, true, fill_command,
	  .valid_flags = 0 },
	{ "STOP", UCORE_STOP, sizeof(struct ucore_command), 0, true, fill_command,
	  .valid_flags = 0 },
	{ "RESET", UCORE_RESET, sizeof(struct ucore_command), 0, true, fill_command,
	  .valid_flags = 0 },
	{ "READ", UCORE_READ, sizeof(struct ucore_read), AT(ucore_read, running), true, fill_read,
	  .valid_flags = UCORE_READ_F_NO_FREEZE,
	  .out = { OUT_TO(ucore_read, nr_values, nr_domains), OUT(ucore_read, skew_ns) } },
	{ "STATUS", UCORE_GET_STATUS, sizeof(struct ucore_get_status),
	  AT(ucore_get_status, parallel_reads), true, fill_status,
	  .out = { OUT_TO(ucore_get_status, session, parallel_reads) } },
	{ "GET_RING", UCORE_GET_RING, sizeof(struct ucore_get_ring), 0, true, fill_ring_info,
	  .out = { OUT_TO(ucore_get_ring, data_size, producer) } },
	{ "BUDGET", UCORE_GET_BUDGET, sizeof(struct ucore_get_budget), 0, true, fill_budget,
	  .out = { OUT(ucore_get_budget, percent), OUT_TO(ucore_get_budget, sample_ns, delayed) },
	  .reserved = { AT(ucore_get_budget, reserved) } },
};

/*
 * ---- Calls --------------------------------------------------------------
 */

static bool is_output(const struct row *row, unsigned int offset)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(row->out); i++)
		if (offset - row->out[i].first < row->out[i].len)
			return true;
	return false;
}

static bool has_outputs(const struct row *row)
{
	return row->out[0].len;
}

static void arrays_poison(void)
{
	memset(fix.domains, POISON, sizeof(fix.domains));
	memset(fix.boxes, POISON, sizeof(fix.boxes));
	memset(fix.fields, POISON, sizeof(fix.fields));
	memset(fix.tables, POISON, sizeof(fix.tables));
	memset(fix.units, POISON, sizeof(fix.units));
	memset(fix.ends, POISON, sizeof(fix.ends));
	memset(fix.sessions, POISON, sizeof(fix.sessions));
	memset(fix.values, POISON, sizeof(fix.values));
	memset(fix.read_domains, POISON, sizeof(fix.read_domains));
}

static bool arrays_touched(void)
{
	return memory_differs(fix.domains, POISON, sizeof(fix.domains)) >= 0 ||
	       memory_differs(fix.boxes, POISON, sizeof(fix.boxes)) >= 0 ||
	       memory_differs(fix.fields, POISON, sizeof(fix.fields)) >= 0 ||
	       memory_differs(fix.tables, POISON, sizeof(fix.tables)) >= 0 ||
	       memory_differs(fix.units, POISON, sizeof(fix.units)) >= 0 ||
	       memory_differs(fix.ends, POISON, sizeof(fix.ends)) >= 0 ||
	       memory_differs(fix.sessions, POISON, sizeof(fix.sessions)) >= 0 ||
	       memory_differs(fix.values, POISON, sizeof(fix.values)) >= 0 ||
	       memory_differs(fix.read_domains, POISON, sizeof(fix.read_domains)) >= 0;
}

static int call(const struct row *row, void *arg)
{
	int rc;

	/* a failed call left the arrays poisoned, which its probe checked */
	if (!fix.poisoned)
		arrays_poison();
	rc = try_command(row->on_session ? fix.session : fix.device, row->nr, arg);
	if (!rc && row->nr == UCORE_CREATE_SESSION) {
		int fd;

		/* the argument may be unaligned */
		memcpy(&fd, (char *)arg + AT(ucore_create_session, fd), sizeof(fd));
		expect(fd >= 0 && !close(fd), "CREATE_SESSION gave fd %d", fd);
	}
	fix.poisoned = rc;
	return rc;
}

/* The argument, and @len bytes of it, before and after a call */
static void expect_untouched(const struct row *row, const void *before,
			     const void *after, size_t len, bool failed)
{
	const unsigned char *b = before, *a = after;

	for (size_t i = 0; i < len; i++)
		expect(a[i] == b[i] || (!failed && i < row->size && is_output(row, i)),
		       "%s %s and wrote byte %zu", row->name,
		       failed ? "failed" : "succeeded", i);
	if (failed)
		expect(!arrays_touched(), "%s failed and wrote into an array", row->name);
}

/* Make one call and check @len bytes at @arg */
static void probe(const struct row *row, void *arg, size_t len, int want, const char *what)
{
	static unsigned char before[2 * SIZE_LIMIT];
	int rc;

	memcpy(before, arg, len);
	rc = call(row, arg);
	expect(rc == -want, "%s, %s: %s, not %s", row->name, what,
	       error_name(rc), error_name(-want));
	expect_untouched(row, before, arg, len, rc != 0);
}

/* Call probe(); make a new session if the call succeeded and may have changed something */
#define probe_fresh(row, arg, len, want, ...) \
	do { \
		char what_[80]; \
		snprintf(what_, sizeof(what_), __VA_ARGS__); \
		probe(row, arg, len, want, what_); \
		if (!(want)) { \
			fixture_end(); \
			fixture_begin(); \
		} \
	} while (0)

static void *argument(const struct row *row, void *at, uint32_t size)
{
	row->fill(at);
	memcpy(at, &size, sizeof(size));
	return at;
}

/*
 * ---- Tests --------------------------------------------------------------
 */

static unsigned int least(const struct row *row)
{
	return row->least ? row->least : row->size;
}

/* A caller that was built against an older header, down to the first one */
static void older_sizes_are_accepted(const void *arg)
{
	const struct row *row = arg;
	unsigned char buf[MAX_ARG];

	fixture_begin();
	for (unsigned int size = least(row); size < row->size; size += 4) {
		memset(buf, POISON, sizeof(buf));
		probe_fresh(row, argument(row, buf, size), sizeof(buf), 0, "older size %u", size);
	}
}

static void short_sizes_are_refused(const void *arg)
{
	const struct row *row = arg;
	unsigned char buf[MAX_ARG] = { };

	fixture_begin();
	for (unsigned int size = 0; size < least(row); size++)
		probe(row, argument(row, buf, size), sizeof(buf), EINVAL, "short size");
}

static void short_size_at_page_end_is_refused(const void *arg)
{
	const struct row *row = arg;
	unsigned char buf[MAX_ARG] = { };

	fixture_begin();
	for (unsigned int size = 4; size < least(row); size++) {
		void *end = guarded(size);

		argument(row, buf, size);
		memcpy(end, buf, size);
		probe(row, end, size, EINVAL, "short size, nothing mapped behind");
	}
}

static void exact_size_is_accepted(const void *arg)
{
	const struct row *row = arg;
	unsigned char buf[MAX_ARG];

	fixture_begin();
	memset(buf, POISON, sizeof(buf));
	probe(row, argument(row, buf, row->size), sizeof(buf), 0, "exact size");
}

static void long_sizes_are_accepted(const void *arg)
{
	const struct row *row = arg;

	fixture_begin();
	for (unsigned int extra = 1; extra <= TAIL; extra++) {
		unsigned char buf[MAX_ARG + TAIL] = { };

		memset(buf + row->size + extra, POISON, sizeof(buf) - row->size - extra);
		probe_fresh(row, argument(row, buf, row->size + extra), sizeof(buf), 0,
			    "zero tail of %u", extra);
	}
}

static void nonzero_tails_are_refused(const void *arg)
{
	const struct row *row = arg;

	fixture_begin();
	for (unsigned int extra = 1; extra <= TAIL; extra++) {
		for (unsigned int at = 0; at < extra; at += extra > 1 ? extra - 1 : 1) {
			unsigned char buf[MAX_ARG + TAIL] = { };

			argument(row, buf, row->size + extra);
			buf[row->size + at] = 1;
			probe(row, buf, sizeof(buf), E2BIG, "non-zero tail");
		}
	}
}

static void huge_sizes_are_refused(const void *arg)
{
	const struct row *row = arg;
	unsigned char *buf = guarded(2 * SIZE_LIMIT);

	fixture_begin();
	memset(buf, 0, 2 * SIZE_LIMIT);
	probe_fresh(row, argument(row, buf, SIZE_LIMIT), 2 * SIZE_LIMIT, 0,
		    "zeros up to the limit");
	memset(buf, 0, 2 * SIZE_LIMIT);
	probe(row, argument(row, buf, SIZE_LIMIT + 1), 2 * SIZE_LIMIT, E2BIG,
	      "one zero beyond the limit");
	probe(row, argument(row, buf, 2 * SIZE_LIMIT), 2 * SIZE_LIMIT, E2BIG,
	      "zeros beyond the limit");
	probe(row, argument(row, buf, UINT32_MAX), 2 * SIZE_LIMIT, E2BIG, "2^32 - 1");
	buf[SIZE_LIMIT - 1] = 0x80;
	probe(row, argument(row, buf, SIZE_LIMIT), 2 * SIZE_LIMIT, E2BIG,
	      "last byte below the limit set");
}

static void argument_at_page_end_is_accepted(const void *arg)
{
	const struct row *row = arg;

	fixture_begin();
	probe_fresh(row, argument(row, guarded(row->size), row->size), row->size, 0,
		    "ends where the page ends");
	probe_fresh(row, argument(row, guarded(row->size), row->size + 8), row->size, EFAULT,
		    "tail not mapped");
	for (unsigned int len = 4; len < row->size; len += 4) {
		unsigned char buf[MAX_ARG], *end = guarded(len);

		argument(row, buf, row->size);
		memcpy(end, buf, len);
		probe_fresh(row, end, len, EFAULT, "only %u bytes mapped", len);
	}
}

static void invalid_addresses_are_refused(const void *arg)
{
	static const uint64_t wild[] = {
		0, 4, 0xfffffffffffffff0ULL, 0xffff888000000000ULL, 0x7ffffffff000ULL - 4,
		0x800000000000ULL, 0xfffff000,
	};
	const struct row *row = arg;

	fixture_begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(wild); i++) {
		int rc = call(row, (void *)(uintptr_t)wild[i]);

		expect(rc == -EFAULT, "%s at %#llx: %s", row->name,
		       (unsigned long long)wild[i], error_name(rc));
	}
}

static void unaligned_addresses_are_accepted(const void *arg)
{
	const struct row *row = arg;

	fixture_begin();
	for (unsigned int shift = 1; shift < 8; shift++) {
		unsigned char buf[MAX_ARG], moved[MAX_ARG + 8];

		memset(buf, POISON, sizeof(buf));
		argument(row, buf, row->size);
		memcpy(moved + shift, buf, sizeof(buf));
		probe_fresh(row, moved + shift, sizeof(buf), 0, "unaligned by %u", shift);
	}
}

static unsigned int open_files(void)
{
	unsigned int nr = 0;

	for (int fd = 0; fd < 1024; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

/* A command whose output cannot be written must change nothing */
static void read_only_argument_changes_nothing(const void *arg)
{
	const struct row *row = arg;
	int want = has_outputs(row) ? EFAULT : 0;
	unsigned char *buf = guarded(row->size);
	struct ucore_get_status before, after;
	unsigned int files;

	fixture_begin();
	before = session_status(fix.session);
	files = open_files();
	argument(row, buf, row->size);
	memory_protect(buf, row->size, PROT_READ);
	expect_rc_of(try_command(row->on_session ? fix.session : fix.device, row->nr, buf),
		     want, row->name);
	if (!want)
		return;
	after = session_status(fix.session);
	expect_eq(open_files(), files);
	expect_eq(after.nr_events, before.nr_events);
	expect_eq(after.state, before.state);
}

static void unknown_flags_are_refused(const void *arg)
{
	const struct row *row = arg;

	fixture_begin();
	for (unsigned int bit = 0; bit < 32; bit++) {
		unsigned char buf[MAX_ARG] = { };
		uint32_t flag = 1U << bit;

		argument(row, buf, row->size);
		memcpy(buf + 4, &flag, sizeof(flag));
		if (flag & row->valid_flags)
			probe_fresh(row, buf, sizeof(buf), 0, "flag %#x", flag);
		else
			probe_fresh(row, buf, sizeof(buf), EINVAL, "unknown flag %#x", flag);
	}
}

static void nonzero_reserved_fields_are_refused(const void *arg)
{
	static const uint32_t values[] = { 1, 0x80000000, 0xffffffff };
	const struct row *row = arg;

	fixture_begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(row->reserved) && row->reserved[i]; i++) {
		for (unsigned int v = 0; v < ARRAY_SIZE(values); v++) {
			unsigned char buf[MAX_ARG] = { };

			argument(row, buf, row->size);
			memcpy(buf + row->reserved[i], &values[v], sizeof(values[v]));
			probe(row, buf, sizeof(buf), EINVAL, "reserved field");
		}
	}
}

static void wrong_descriptor_is_refused(const void *arg)
{
	const struct row *row = arg;
	unsigned char buf[MAX_ARG] = { };
	int fd;

	fixture_begin();
	fd = row->on_session ? fix.device : fix.session;
	argument(row, buf, row->size);
	expect_rc_of(try_command(fd, row->nr, buf), ENOTTY, row->name);
	expect_rc_of(try_command(fd, row->nr, NULL), ENOTTY, row->name);
}

/* The same number with another direction, size or type is another command */
static void similar_commands_are_refused(const void *arg)
{
	const struct row *row = arg;
	unsigned int nr = row->nr & 0xff;
	const unsigned int similar[] = {
		_IOC(_IOC_READ, UCORE_TYPE, nr, 0),
		_IOC(_IOC_READ | _IOC_WRITE, UCORE_TYPE, nr, row->size),
		_IO(UCORE_TYPE + 1, nr), _IO(UCORE_TYPE - 1, nr),
	};
	unsigned char buf[MAX_ARG] = { };

	fixture_begin();
	argument(row, buf, row->size);
	for (unsigned int i = 0; i < ARRAY_SIZE(similar); i++) {
		expect_rc_of(try_command(row->on_session ? fix.session : fix.device,
					 similar[i], buf), ENOTTY, row->name);
	}
}

static bool number_is_known(unsigned int nr, bool on_session)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].nr == nr && rows[i].on_session == on_session)
			return true;
	return false;
}

static void unknown_numbers(const void *arg)
{
	unsigned char buf[MAX_ARG] = { };

	(void)arg;
	fixture_begin();
	for (unsigned int nr = 0; nr < 256; nr++) {
		for (int session = 0; session < 2; session++) {
			int fd = session ? fix.session : fix.device;

			if (number_is_known(_IO(UCORE_TYPE, nr), session))
				continue;
			expect_rc_of(try_command(fd, _IO(UCORE_TYPE, nr), buf), ENOTTY,
				     session ? "session" : "device");
		}
	}
}

/* Tests of one row, each in its own process and on a new session */
static const struct test per_row[] = {
	{ "older_sizes_are_accepted", older_sizes_are_accepted, 0, 0 },
	{ "short_sizes_are_refused", short_sizes_are_refused, 0, 0 },
	{ "short_size_at_page_end_is_refused", short_size_at_page_end_is_refused, 0, 0 },
	{ "exact_size_is_accepted", exact_size_is_accepted, 0, 0 },
	{ "long_sizes_are_accepted", long_sizes_are_accepted, 0, 0 },
	{ "nonzero_tails_are_refused", nonzero_tails_are_refused, 0, 0 },
	{ "huge_sizes_are_refused", huge_sizes_are_refused, 0, 0 },
	{ "argument_at_page_end_is_accepted", argument_at_page_end_is_accepted, 0, 0 },
	{ "invalid_addresses_are_refused", invalid_addresses_are_refused, 0, 0 },
	{ "unaligned_addresses_are_accepted", unaligned_addresses_are_accepted, 0, 0 },
	{ "read_only_argument_changes_nothing", read_only_argument_changes_nothing, 0, 0 },
	{ "unknown_flags_are_refused", unknown_flags_are_refused, 0, 0 },
	{ "nonzero_reserved_fields_are_refused", nonzero_reserved_fields_are_refused, 0, 0 },
	{ "wrong_descriptor_is_refused", wrong_descriptor_is_refused, 0, 0 },
	{ "similar_commands_are_refused", similar_commands_are_refused, 0, 0 },
};

/* Run all tests of a row as one result. Each failed test is named in a line of its own */
static void row_behaves(const void *arg)
{
	for (unsigned int t = 0; t < ARRAY_SIZE(per_row); t++) {
		struct test test = per_row[t];

		test.arg = arg;
		alarm(TEST_SECONDS);
		expect(test_child(&test) == TEST_OK, "%s failed", test.name);
	}
}

int main(int argc, char **argv)
{
	static struct test tests[ARRAY_SIZE(rows) + 1];
	unsigned int nr = 0;

	for (; nr < ARRAY_SIZE(rows); nr++)
		tests[nr] = (struct test) { rows[nr].name, row_behaves, &rows[nr], 0 };
	tests[nr++] = (struct test) { "unknown_numbers", unknown_numbers, 0, 0 };
	return run_tests(tests, nr, argc, argv);
}
