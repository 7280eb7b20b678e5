// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/ucore on a machine with boxes: GET_INFO, GET_DOMAINS, GET_BOXES, GET_FIELDS,
 * CREATE_SESSION.
 */
#include "session.h"
#include <sched.h>
#include <sys/resource.h>

static struct ucore_box_info boxes[MAX_BOXES];
static struct ucore_domain_info domains[MAX_DOMAINS];

/*
 * ---- GET_INFO -----------------------------------------------------------
 */

static struct ucore_get_info info_get(void)
{
	struct ucore_get_info info;
	int fd = device_open();

	memset(&info, POISON, sizeof(info));
	info.size = sizeof(info);
	info.flags = 0;
	do_command(fd, UCORE_GET_INFO, &info);
	close(fd);
	return info;
}

static void info_is_complete(const void *arg)
{
	struct ucore_get_info info = info_get();

	(void)arg;
	expect_eq(info.abi, UCORE_ABI_VERSION);
	expect_eq(info.state, UCORE_STATE_READY);
	expect_eq(info.caps, UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_OVERFLOW_PMI);
	expect_eq(info.family, 6);
	expect_eq(info.model, 62);
	expect_eq(info.stepping, 4);
	expect_eq(info.cause, UCORE_CAUSE_NONE);
	expect(is_text(info.platform, sizeof(info.platform)), "platform is no clean text");
	expect(is_text(info.reason, sizeof(info.reason)), "reason is no clean text");
	expect(!strcmp(info.platform, "ivbep"), "platform is '%.16s'", info.platform);
	expect(!info.reason[0], "all is well, but: %.160s", info.reason);
}

static void info_agrees_with_lists(const void *arg)
{
	struct ucore_get_info info = info_get();
	unsigned int nr_domains = domains_get(domains), nr_boxes = boxes_get(boxes);
	unsigned int counters = 0;

	(void)arg;
	expect_eq(nr_domains, info.nr_domains);
	expect_eq(nr_boxes, info.nr_boxes);
	for (unsigned int i = 0; i < nr_boxes; i++)
		counters += boxes[i].nr_counters + boxes[i].nr_fixed;
	expect_eq(counters, info.nr_counters);
}

/*
 * ---- GET_DOMAINS -----------------------------------------------------------
 */

static void domain_boxes_add_up_to_all_boxes(const void *arg)
{
	unsigned int nr = domains_get(domains), nr_boxes = boxes_get(boxes);

	(void)arg;
	expect_eq(nr, 2);
	for (unsigned int d = 0; d < nr; d++) {
		unsigned int mine = 0, counters = 0;

		for (unsigned int i = 0; i < nr_boxes; i++) {
			if (boxes[i].domain != domains[d].domain)
				continue;
			mine++;
			counters += boxes[i].nr_counters + boxes[i].nr_fixed;
		}
		expect_eq(domains[d].nr_boxes, mine);
		expect_eq(domains[d].nr_counters, counters);
		expect_eq(domains[d].nr_sessions, 0);
		expect(domains[d].reader >= 0, "domain %u has no reader", domains[d].domain);
		expect_eq(domains[d].domain, d);
		expect_eq(domains[d].scope, UCORE_SCOPE_DIE);
		expect_eq(domains[d].cpu, -1);
		expect(d == 0 || domains[d].package != domains[d - 1].package,
		       "two domains of one package on this machine");
	}
}

static int try_domains(uint32_t nr, void *at, struct ucore_get_domains *get)
{
	int fd = device_open(), rc;

	*get = (struct ucore_get_domains) {
		.size = sizeof(*get), .nr = nr, .total = 0xdeadbeef, .domains = address(at),
	};
	rc = try_command(fd, UCORE_GET_DOMAINS, get);
	close(fd);
	return rc;
}

static void domains_respect_capacity(const void *arg)
{
	struct ucore_get_domains get;
	struct ucore_domain_info *exact = guarded(2 * sizeof(*exact));

	(void)arg;
	expect_rc(try_domains(0, NULL, &get), 0);
	expect_eq(get.nr, 0);
	expect_eq(get.total, 2);

	memset(domains, POISON, sizeof(domains));
	expect_rc(try_domains(1, domains, &get), 0);
	expect_eq(get.nr, 1);
	expect_eq(get.total, 2);
	expect(memory_differs(&domains[1], POISON, sizeof(domains[1])) < 0, "capacity exceeded");

	expect_rc(try_domains(UINT32_MAX, exact, &get), 0);
	expect_eq(get.nr, 2);
	expect_rc(try_domains(2, (char *)exact + 1, &get), EFAULT);
	expect_eq(get.total, 0xdeadbeef);
	expect_rc(try_domains(1, NULL, &get), EFAULT);
	expect_eq(get.nr, 1);
}

/*
 * ---- GET_BOXES ----------------------------------------------------------
 */

struct type_facts {
	const char *type;
	unsigned int counters, fixed, width, fixed_width, caps;
	bool pci;
};

#define OVERFLOWS	(UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FREEZE)

/* E5-2600 v2 */
static const struct type_facts types[] = {
	{ "cbo", 4, 0, 44, 0, UCORE_BOX_F_FREEZE, false },
	{ "ubox", 2, 1, 44, 48, UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW, false },
	{ "pcu", 4, 0, 48, 0, OVERFLOWS, false },
	{ "ha", 4, 0, 48, 0, OVERFLOWS, true },
	{ "imc", 4, 1, 48, 48, OVERFLOWS | UCORE_BOX_F_FIXED_OVERFLOW, true },
	{ "irp", 4, 0, 48, 0, UCORE_BOX_F_FREEZE, true },
	{ "qpi", 4, 0, 48, 0, OVERFLOWS, true },
	{ "r2pcie", 4, 0, 44, 0, OVERFLOWS, true },
	{ "r3qpi", 3, 0, 44, 0, OVERFLOWS, true },
};

static const struct type_facts *facts_of(const struct ucore_box_info *box)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(types[i].type, box->type))
			return &types[i];
	must(false, "box %u is of an unknown type '%.16s'", box->box, box->type);
	return NULL;
}

static void expect_box(const struct ucore_box_info *box)
{
	const struct type_facts *facts = facts_of(box);

	expect(box->nr_counters == facts->counters && box->nr_fixed == facts->fixed,
	       "%s: %u + %u counters", box->type, box->nr_counters, box->nr_fixed);
	expect(box->width == facts->width && box->fixed_width == facts->fixed_width,
	       "%s: %u and %u bits", box->type, box->width, box->fixed_width);
	expect(box->flags == facts->caps, "%s: caps %#x", box->type, box->flags);
	expect(box->access == (facts->pci ? UCORE_ACCESS_ECAM : UCORE_ACCESS_MSR),
	       "%s: access %u", box->type, box->access);
	expect(box->location, "%s%u: no location for root", box->type, box->instance);
	expect(!box->owner && !box->owner_pid && !box->owner_comm[0],
	       "%s%u: a free box has an owner", box->type, box->instance);
	expect(is_text(box->type, sizeof(box->type)), "type is no clean text");
	expect(is_text(box->owner_comm, sizeof(box->owner_comm)),
	       "owner_comm is no clean text");
}

static void boxes_are_described(const void *arg)
{
	unsigned int nr = boxes_get(boxes);

	(void)arg;
	expect(nr > 20, "only %u boxes", nr);
	for (unsigned int i = 0; i < nr; i++) {
		expect_eq(boxes[i].box, i);
		expect_box(&boxes[i]);
		for (unsigned int j = 0; j < i; j++)
			expect(boxes[i].domain != boxes[j].domain ||
			       boxes[i].instance != boxes[j].instance ||
			       strcmp(boxes[i].type, boxes[j].type),
			       "boxes %u and %u are the same", i, j);
	}
	for (unsigned int t = 0; t < ARRAY_SIZE(types); t++)
		expect(box_find_on(types[t].type, 0, -1) >= 0, "no %s", types[t].type);
}

static int try_boxes(uint32_t first, uint32_t nr, void *at, struct ucore_get_boxes *get)
{
	int fd = device_open(), rc;

	*get = (struct ucore_get_boxes) {
		.size = sizeof(*get), .first = first, .nr = nr, .total = 0xdeadbeef,
		.boxes = address(at),
	};
	rc = try_command(fd, UCORE_GET_BOXES, get);
	close(fd);
	return rc;
}

static void boxes_can_be_read_in_parts(const void *arg)
{
	unsigned int total = boxes_get(boxes);
	struct ucore_get_boxes get;

	(void)arg;
	for (unsigned int first = 0; first < total; first += 3) {
		struct ucore_box_info page[4];
		unsigned int want = total - first < 3 ? total - first : 3;

		memset(page, POISON, sizeof(page));
		expect_rc(try_boxes(first, 3, page, &get), 0);
		expect_eq(get.nr, want);
		expect_eq(get.total, total);
		expect(!memcmp(page, &boxes[first], want * sizeof(page[0])),
		       "boxes from %u differ from the whole list", first);
		expect(memory_differs(&page[want], POISON, sizeof(page[0])) < 0,
		       "capacity exceeded");
	}
}

static void boxes_respect_capacity(const void *arg)
{
	unsigned int total = boxes_get(boxes);
	struct ucore_box_info *exact = guarded(total * sizeof(*exact));
	struct ucore_get_boxes get;

	(void)arg;
	expect_rc(try_boxes(0, 0, NULL, &get), 0);
	expect_eq(get.nr, 0);
	expect_eq(get.total, total);
	expect_rc(try_boxes(total, 4, boxes, &get), 0);
	expect_eq(get.nr, 0);
	expect_eq(get.total, total);
	expect_rc(try_boxes(UINT32_MAX, UINT32_MAX, boxes, &get), 0);
	expect_eq(get.nr, 0);
	expect_rc(try_boxes(0, UINT32_MAX, exact, &get), 0);
	expect_eq(get.nr, total);
	expect_rc(try_boxes(1, UINT32_MAX, exact + 1, &get), 0);
	expect_eq(get.nr, total - 1);
	expect_rc(try_boxes(0, total, (char *)exact + 1, &get), EFAULT);
	expect_eq(get.total, 0xdeadbeef);
	expect_rc(try_boxes(0, 1, NULL, &get), EFAULT);
	expect_eq(get.nr, 1);
}

static int try_ends(uint32_t first, uint32_t nr, void *at, struct ucore_get_links *get)
{
	int fd = device_open(), rc;

	*get = (struct ucore_get_links) {
		.size = sizeof(*get), .first = first, .nr = nr, .total = 0xdeadbeef,
		.links = address(at),
	};
	rc = try_command(fd, UCORE_GET_LINKS, get);
	close(fd);
	return rc;
}

/* There is an element for each box, even if its link is undocumented, as on this processor */
static void links_belong_to_listed_boxes(const void *arg)
{
	unsigned int total = boxes_get(boxes);
	struct ucore_link_info *exact = guarded(total * sizeof(*exact));
	const struct ucore_link_info none = { .kind = UCORE_LINK_NONE };
	struct ucore_get_links get;

	(void)arg;
	expect_rc(try_ends(0, UINT32_MAX, exact, &get), 0);
	expect_eq(get.nr, total);
	expect_eq(get.total, total);
	for (unsigned int i = 0; i < total; i++) {
		expect_eq(exact[i].box, i);
		exact[i].box = 0;
		expect(!memcmp(&exact[i], &none, sizeof(none)), "box %u has an end", i);
	}
	expect_rc(try_ends(total - 2, UINT32_MAX, exact + total - 2, &get), 0);
	expect_eq(get.nr, 2);
	expect_eq(exact[total - 1].box, total - 1);
	expect_rc(try_ends(total, 4, NULL, &get), 0);
	expect_eq(get.nr, 0);
	expect_rc(try_ends(0, total, (char *)exact + 1, &get), EFAULT);
	expect_eq(get.total, 0xdeadbeef);
}

/* Only half of a 32-bit caller's pointer field is a pointer: the rest must be 0 */
static void pointer_with_upper_half_set_is_refused(const void *arg)
{
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = 1, .boxes = address(boxes) | 1ULL << 63,
	};
	int fd = device_open();

	(void)arg;
	expect_rc(try_command(fd, UCORE_GET_BOXES, &get), EFAULT);
	get.boxes = address(boxes) | 1ULL << 40;
	expect_rc(try_command(fd, UCORE_GET_BOXES, &get), EFAULT);
}

static void location_is_an_address(const void *arg)
{
	unsigned int nr = boxes_get(boxes);

	(void)arg;
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int j = 0; j < i; j++)
			/* all dies have the same MSR numbers */
			expect(boxes[i].location != boxes[j].location ||
			       (boxes[i].access == UCORE_ACCESS_MSR &&
				boxes[i].domain != boxes[j].domain),
			       "%s%u and %s%u are at one place",
			       boxes[i].type, boxes[i].instance,
			       boxes[j].type, boxes[j].instance);
}

/*
 * ---- Owner --------------------------------------------------------------
 */

static void box_owner_is_reported(const void *arg)
{
	uint32_t box = box_find("imc", 0);
	int session = session_create(0, 0, 0);
	struct ucore_get_status status = session_status(session);
	struct ucore_box_info info;
	uint32_t event;

	(void)arg;
	expect(status.session, "a session without an id");
	expect_eq(box_get(box).owner, 0);
	event = add_cas_reads(session, box, 0);
	info = box_get(box);
	expect_eq(info.owner, status.session);
	expect_eq(info.owner_pid, getpid());
	expect(!strncmp(info.owner_comm, "uapi_device", 11), "owner is '%.16s'",
	       info.owner_comm);
	expect_rc(try_remove(session, event), 0);
	info = box_get(box);
	expect_eq(info.owner, 0);
	expect_eq(info.owner_pid, 0);
	expect_eq(info.owner_comm[0], 0);
}

static void sessions_have_different_ids(const void *arg)
{
	int one = session_create(0, 0, 0), two = session_create(0, 0, 0);
	uint64_t first = session_status(one).session;

	(void)arg;
	expect(first != session_status(two).session, "two sessions, one id");
	close(one);
	expect(first != session_status(session_create(0, 0, 0)).session,
	       "the id of a closed session is used again");
}

static void owner_in_another_pid_namespace_is_reported(const void *arg)
{
	uint32_t box = box_find("imc", 0);
	int session = session_create(0, 0, 0), status;
	pid_t pid;

	(void)arg;
	add_cas_reads(session, box, 0);
	must(!unshare(CLONE_NEWPID), "unshare: %m");
	pid = fork();
	if (!pid) {
		struct ucore_box_info info = box_get(box);

		expect(info.owner, "an owned box looks free in another namespace");
		expect_eq(info.owner_pid, 0);
		fflush(stdout);
		_exit(failures ? 1 : 0);
	}
	must(waitpid(pid, &status, 0) == pid, "waitpid: %m");
	expect(!status, "in the namespace: status %#x", status);
}

/*
 * ---- GET_FIELDS ---------------------------------------------------------
 */

static int try_fields(uint32_t box, uint32_t nr, void *at, struct ucore_get_fields *get)
{
	int fd = device_open(), rc;

	*get = (struct ucore_get_fields) {
		.size = sizeof(*get), .box = box, .nr = nr, .total = 0xdeadbeef,
		.fields = address(at),
	};
	rc = try_command(fd, UCORE_GET_FIELDS, get);
	close(fd);
	return rc;
}

static void expect_field(const struct ucore_box_info *box, const struct ucore_field_info *field)
{
	expect(field->field, "%s: a field without a number", box->type);
	expect(!(field->flags & ~(UCORE_FIELD_F_SHARED | UCORE_FIELD_F_PERFMON)),
	       "%s.%.16s: flags %#x", box->type, field->name, field->flags);
	expect(field->mask && field->max && field->max <= (field->mask | (field->max >> 1)),
	       "%s.%.16s: max %#llx, mask %#llx", box->type, field->name,
	       (unsigned long long)field->max, (unsigned long long)field->mask);
	expect(field->name[0] && is_text(field->name, sizeof(field->name)),
	       "%s: field %u has no clean name", box->type, field->field);
}

static bool has_field(const struct ucore_field_info *fields, unsigned int nr, uint32_t field)
{
	for (unsigned int i = 0; i < nr; i++)
		if (fields[i].field == field)
			return true;
	return false;
}

static void fields_are_described(const void *arg)
{
	unsigned int nr = boxes_get(boxes);

	(void)arg;
	for (unsigned int i = 0; i < nr; i++) {
		struct ucore_field_info fields[64];
		struct ucore_get_fields get;

		expect_rc(try_fields(i, ARRAY_SIZE(fields), fields, &get), 0);
		expect_eq(get.nr, get.total);
		expect(has_field(fields, get.nr, UCORE_FIELD_EVENT), "%s has no event field",
		       boxes[i].type);
		expect(has_field(fields, get.nr, UCORE_FIELD_FILTER_OPC) ==
		       !strcmp(boxes[i].type, "cbo"), "filter_opc of %s", boxes[i].type);
		expect(!has_field(fields, get.nr, UCORE_FIELD_INVERT),
		       "%s has invert, which v2 has not", boxes[i].type);
		for (unsigned int f = 0; f < get.nr; f++) {
			expect_field(&boxes[i], &fields[f]);
			expect(!has_field(fields, f, fields[f].field),
			       "%s: field %u twice", boxes[i].type, fields[f].field);
		}
	}
}

static void fields_respect_capacity(const void *arg)
{
	uint32_t box = box_find("cbo", 0);
	struct ucore_field_info fields[64], *exact;
	struct ucore_get_fields get;
	uint32_t total;

	(void)arg;
	expect_rc(try_fields(box, 0, NULL, &get), 0);
	expect_eq(get.nr, 0);
	total = get.total;
	expect(total > 5 && total <= 64, "a C-Box has %u fields", total);

	memset(fields, POISON, sizeof(fields));
	expect_rc(try_fields(box, 2, fields, &get), 0);
	expect_eq(get.nr, 2);
	expect_eq(get.total, total);
	expect(memory_differs(&fields[2], POISON, sizeof(fields[2])) < 0, "capacity exceeded");

	exact = guarded(total * sizeof(*exact));
	expect_rc(try_fields(box, UINT32_MAX, exact, &get), 0);
	expect_eq(get.nr, total);
	expect_rc(try_fields(box, total, (char *)exact + 1, &get), EFAULT);
	expect_eq(get.total, 0xdeadbeef);
}

static void fields_of_absent_box_are_refused(const void *arg)
{
	unsigned int total = boxes_get(boxes);
	const uint32_t bad[] = { total, total + 1, 0x7fffffff, 0x80000000, UINT32_MAX };
	struct ucore_field_info field;
	struct ucore_get_fields get;

	(void)arg;
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		expect_rc(try_fields(bad[i], 1, &field, &get), ENOENT);
		expect_eq(get.nr, 1);
		expect_eq(get.total, 0xdeadbeef);
	}
}

/*
 * ---- GET_TABLES, GET_UNITS: the boxes of this machine are in no table ----
 */

static void tables_are_empty_without_discovery(const void *arg)
{
	(void)arg;
	expect_no_tables();
}

/*
 * ---- CREATE_SESSION -----------------------------------------------------
 */

static void expect_create(uint64_t timer_ns, uint32_t ring, uint32_t wakeup, int want)
{
	int fd = try_create(timer_ns, ring, wakeup);

	expect(want ? fd == -want : fd >= 0, "timer %llu, ring %u, wakeup %u: %s",
	       (unsigned long long)timer_ns, ring, wakeup, error_name(fd));
	if (fd >= 0)
		close(fd);
}

static void create_values_out_of_range_are_refused(const void *arg)
{
	static const uint64_t good_timers[] = { 0, 10000, 1000000, 1000000000000ULL };
	static const uint64_t bad_timers[] = {
		1, 9999, 1000000000001ULL, INT64_MAX, 1ULL << 63, UINT64_MAX,
	};
	static const uint32_t bad_rings[] = {
		1, 2048, 4095, 4097, 12288, 1U << 27, 1U << 31, UINT32_MAX,
	};

	(void)arg;
	for (unsigned int i = 0; i < ARRAY_SIZE(good_timers); i++)
		expect_create(good_timers[i], 4096, 0, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad_timers); i++)
		expect_create(bad_timers[i], 4096, 0, ERANGE);
	for (uint32_t size = 4096; size <= 1U << 26; size <<= 1)
		expect_create(0, size, size - 1, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(bad_rings); i++)
		expect_create(0, bad_rings[i], 0, ERANGE);
	expect_create(0, 4096, 4096, ERANGE);
	expect_create(0, 4096, UINT32_MAX, ERANGE);
	expect_create(0, 0, 1, ERANGE);
}

static void expect_nr_readers(uint32_t nr_readers, uint64_t rotate_ns, int rc)
{
	int fd = try_create_as((struct ucore_create_session) {
		.nr_readers = nr_readers, .rotate_ns = rotate_ns,
	});

	expect_rc(fd < 0 ? fd : 0, rc);
	if (fd >= 0)
		close(fd);
}

/* Values 0 and 1 mean the reader alone, and are accepted together with rotation */
static void nr_readers_out_of_range_is_refused(const void *arg)
{
	(void)arg;
	for (uint32_t nr_readers = 0; nr_readers <= UCORE_READERS_MAX; nr_readers++) {
		expect_nr_readers(nr_readers, 0, 0);
		expect_nr_readers(nr_readers, UCORE_ROTATE_MIN_NS, nr_readers > 1 ? EINVAL : 0);
	}
	expect_nr_readers(UCORE_READERS_MAX + 1, 0, ERANGE);
	expect_nr_readers(0x80000000, 0, ERANGE);
	expect_nr_readers(UINT32_MAX, 0, ERANGE);
}

static void session_is_close_on_exec(const void *arg)
{
	int fd = session_create(0, 0, 0);

	(void)arg;
	expect_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

static void create_without_free_descriptors_fails(const void *arg)
{
	struct ucore_create_session create = { .size = sizeof(create), .fd = -12345 };
	struct rlimit limit = { 0, 0 };
	int fd = device_open();

	(void)arg;
	limit.rlim_cur = fd + 1;
	limit.rlim_max = limit.rlim_cur;
	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit: %m");
	expect_rc(try_command(fd, UCORE_CREATE_SESSION, &create), EMFILE);
	expect_eq(create.fd, -12345);
}

static void output_fields_are_ignored(const void *arg)
{
	int session = session_create(0, 0, 0);
	struct ucore_get_status status;

	(void)arg;
	memset(&status, POISON, sizeof(status));
	status.size = sizeof(status);
	status.flags = 0;
	do_command(session, UCORE_GET_STATUS, &status);
	expect_eq(status.state, UCORE_SESSION_STOPPED);
	expect_eq(status.nr_events, 0);
	expect_eq(status.nr_domains, 0);
	expect_eq(status.conflicts, 0);
	expect_eq(status.samples | status.lost | status.overflows | status.recovered, 0);
	expect_eq(status.cost_ns | status.frozen_ns | status.reads | status.writes |
		  status.parallel_reads, 0);
}

static const struct test tests[] = {
	{ "info_is_complete", info_is_complete, 0, 0 },
	{ "info_agrees_with_lists", info_agrees_with_lists, 0, 0 },
	{ "domain_boxes_add_up_to_all_boxes", domain_boxes_add_up_to_all_boxes, 0, 0 },
	{ "domains_respect_capacity", domains_respect_capacity, 0, 0 },
	{ "boxes_are_described", boxes_are_described, 0, 0 },
	{ "boxes_can_be_read_in_parts", boxes_can_be_read_in_parts, 0, 0 },
	{ "boxes_respect_capacity", boxes_respect_capacity, 0, 0 },
	{ "links_belong_to_listed_boxes", links_belong_to_listed_boxes, 0, 0 },
	{ "pointer_with_upper_half_set_is_refused", pointer_with_upper_half_set_is_refused, 0, 0 },
	{ "location_is_an_address", location_is_an_address, 0, 0 },
	{ "box_owner_is_reported", box_owner_is_reported, 0, 0 },
	{ "sessions_have_different_ids", sessions_have_different_ids, 0, 0 },
	{ "fields_are_described", fields_are_described, 0, 0 },
	{ "fields_respect_capacity", fields_respect_capacity, 0, 0 },
	{ "fields_of_absent_box_are_refused", fields_of_absent_box_are_refused, 0, 0 },
	{ "tables_are_empty_without_discovery", tables_are_empty_without_discovery, 0, 0 },
	{ "create_values_out_of_range_are_refused", create_values_out_of_range_are_refused, 0, 0 },
	{ "nr_readers_out_of_range_is_refused", nr_readers_out_of_range_is_refused, 0, 0 },
	{ "session_is_close_on_exec", session_is_close_on_exec, 0, 0 },
	{ "create_without_free_descriptors_fails", create_without_free_descriptors_fails, 0, 0 },
	{ "output_fields_are_ignored", output_fields_are_ignored, 0, 0 },
};

/* Tests that need certain kernels: "uapi_device --on-purpose NAME" */
static const struct test special[] = {
	{ "owner_in_another_pid_namespace_is_reported", owner_in_another_pid_namespace_is_reported,
	  0, 0 },
};

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--on-purpose"))
		return run_tests(special, ARRAY_SIZE(special), argc - 1, argv + 1);
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
