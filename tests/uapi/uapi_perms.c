// SPDX-License-Identifier: GPL-2.0-only
/*
 * Permissions: the mode of the device node decides who may count. CAP_PERFMON of the opener
 * shows the interrupted context. CAP_SYS_ADMIN of the caller shows addresses.
 */
#include "ring.h"
#include "user.h"
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define MS		1000000ULL
#define PERIOD		200000

static void context_is_absent_by_default(const void *arg)
{
	struct stat st;

	(void)arg;
	must(!stat(UCORE_DEVICE, &st), "stat: %m");
	expect_eq(st.st_mode & 0007, 0);
	become_user(0);
	expect(open(UCORE_DEVICE, O_RDWR) < 0 && errno == EACCES, "open: %m");
}

/* Return one sample of a session that runs alone; PMIs interrupt this loop */
static struct ucore_sample sample_of(int session, uint32_t domain)
{
	struct ring ring = ring_map(session, domain);
	struct ucore_sample sample;

	session_start(session);
	sample = *ring_wait_sample(&ring, NULL);
	ring_unmap(&ring);
	close(session);
	return sample;
}

/* Return one sample of a new session on an open device */
static struct ucore_sample sample_on(int device)
{
	struct ucore_create_session create = { .size = sizeof(create), .ring_size = 65536 };
	uint32_t box = box_find("imc", 0);

	do_command(device, UCORE_CREATE_SESSION, &create);
	add_cas_reads(create.fd, box, PERIOD);
	return sample_of(create.fd, box_get(box).domain);
}

static struct ucore_sample take_sample(uint64_t timer_ns, uint64_t period)
{
	uint32_t box = box_find("imc", 0);
	int session = session_create(timer_ns, 65536, 0);

	add_cas_reads(session, box, period);
	return sample_of(session, box_get(box).domain);
}

static void expect_context(const struct ucore_sample *s, bool want)
{
	expect_eq(!!(s->flags & UCORE_SAMPLE_F_CONTEXT), want);
	if (want) {
		expect(s->ip, "context without ip");
		return;
	}
	expect_eq(s->ip, 0);
	expect_eq(s->pid, 0);
	expect_eq(s->tid, 0);
	expect_eq(s->flags & UCORE_SAMPLE_F_USER, 0);
}

static void root_sees_context(const void *arg)
{
	struct ucore_sample s = take_sample(0, PERIOD);

	(void)arg;
	expect_context(&s, true);
}

static void user_sees_no_context(const void *arg)
{
	struct ucore_sample s;

	(void)arg;
	everybody_may_count();
	become_user(0);
	s = take_sample(0, PERIOD);
	expect_context(&s, false);
	s = take_sample(MS, 0);
	expect_context(&s, false);
}

static void perfmon_sees_context(const void *arg)
{
	struct ucore_sample s;

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_PERFMON);
	s = take_sample(0, PERIOD);
	expect_context(&s, true);
}

static void other_capabilities_show_no_context(const void *arg)
{
	struct ucore_sample s;

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_SYS_PTRACE | 1ULL << CAP_SYS_RAWIO | 1ULL << CAP_DAC_OVERRIDE);
	s = take_sample(0, PERIOD);
	expect_context(&s, false);
}

/* The permissions are those of the opener, not of a later user of the descriptor */
static void inherited_session_keeps_its_permissions(const void *arg)
{
	uint32_t box = box_find("imc", 0);
	int session = session_create(0, 65536, 0);
	struct ucore_sample s;

	(void)arg;
	everybody_may_count();
	become_user(0);
	add_cas_reads(session, box, PERIOD);
	s = sample_of(session, box_get(box).domain);
	expect_context(&s, true);
}

/*
 * A process with all capabilities creates a session on a device that a user opened. The
 * effective user id decides which capabilities open() stores in the file.
 */
static void device_of_a_user_gives_root_no_context(const void *arg)
{
	struct ucore_create_session create = {
		.size = sizeof(create), .ring_size = 65536, .flags = UCORE_SESSION_F_TASKS,
	};
	struct ucore_sample s;
	int device;

	(void)arg;
	everybody_may_count();
	must(!seteuid(USER), "seteuid: %m");
	device = device_open();
	must(!seteuid(0), "seteuid: %m");
	s = sample_on(device);
	expect_context(&s, false);
	expect_rc(try_command(device, UCORE_CREATE_SESSION, &create), EACCES);
	/* the same process sees context on a device that the process itself opens */
	s = sample_on(device_open());
	expect_context(&s, true);
}

/* A user without capabilities creates a session on a device that root opened */
static void device_of_root_gives_a_user_context(const void *arg)
{
	int device = device_open();
	struct ucore_create_session create = {
		.size = sizeof(create), .ring_size = 65536, .flags = UCORE_SESSION_F_TASKS,
	};
	struct ucore_sample s;

	(void)arg;
	everybody_may_count();
	become_user(0);
	s = sample_on(device);
	expect_context(&s, true);
	expect_rc(try_command(device, UCORE_CREATE_SESSION, &create), 0);
}

/* The context of a sample names this process if only this process runs on the PMI's CPU */
static void context_matches_the_interrupted_code(const void *arg)
{
	uint32_t box = box_find("imc", 0), domain = box_get(box).domain;
	int session = session_create(0, 1 << 20, 0);
	unsigned int mine = 0, user = 0, all = 0;
	const struct ucore_record *record;
	struct ring ring;
	cpu_set_t cpus;

	(void)arg;
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	must(!sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity: %m");
	expect_rc(try_pmi_cpu(session, 0), 0);
	add_cas_reads(session, box, PERIOD);
	ring = ring_map(session, domain);
	session_start(session);
	while (ring_head(&ring) < 100 * 104)
		;
	session_stop(session);
	while ((record = ring_next(&ring))) {
		const struct ucore_sample *s = (const void *)record;

		if (record->type != UCORE_RECORD_SAMPLE)
			continue;
		all++;
		expect_eq(s->cpu, 0);
		mine += s->pid == (unsigned int)getpid() && s->tid == s->pid;
		user += s->pid == (unsigned int)getpid() && (s->flags & UCORE_SAMPLE_F_USER);
	}
	expect(mine > all / 2, "%u of %u samples are of this process", mine, all);
	expect(user > 0, "none of %u samples has a user address", all);
}

/* Tasks and core triggers need the permission of the opener and of the caller */
static void tasks_are_for_perfmon(const void *arg)
{
	struct ucore_add_core_trigger trigger = {
		.size = sizeof(trigger), .type = UCORE_PERF_SOFTWARE, .cpu = 0, .config = 0,
		.period = 1000000,
	};
	struct ucore_create_session create = {
		.size = sizeof(create), .flags = UCORE_SESSION_F_TASKS,
	};
	bool may = arg;

	everybody_may_count();
	become_user(may ? 1ULL << CAP_PERFMON : 1ULL << CAP_SYS_NICE);
	expect_rc(try_command(session_create(0, 65536, 0), UCORE_ADD_CORE_TRIGGER, &trigger),
		  may ? 0 : EACCES);
	expect_rc(try_command(device_open(), UCORE_CREATE_SESSION, &create), may ? 0 : EACCES);
}

static void addresses_are_hidden_from_users(const void *arg)
{
	struct ucore_box_info before = box_get(0), after;

	(void)arg;
	everybody_may_count();
	expect(before.location, "root sees no location");
	become_user(1ULL << CAP_PERFMON);
	after = box_get(0);
	expect_eq(after.location, 0);
	after.location = before.location;
	expect(!memcmp(&before, &after, sizeof(before)), "a user sees another box");
}

static void sys_admin_sees_addresses(const void *arg)
{
	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_SYS_ADMIN);
	expect(box_get(0).location, "CAP_SYS_ADMIN sees no location");
}

/* A user with access to the device can count like root */
static void user_may_count(const void *arg)
{
	int session;

	(void)arg;
	everybody_may_count();
	become_user(0);
	session = session_create(0, 0, 0);
	add_cas_reads(session, box_find("imc", 0), 0);
	expect_rc(try_pmi_cpu(session, 0), 0);
	session_start(session);
	wait_for(session_count(session) > 1000);
}

/*
 * ---- Filters that observe or disturb others ----------------------------
 */

static int try_address(int session)
{
	return try_add(session, box_find("ha", 0),
		       TERMS(TERM(EVENT, 0x20), TERM(UMASK, 0x3), TERM(ADDR_MATCH, 0x1000)));
}

static int try_thread(int session)
{
	return try_add(session, box_find("cbo", 0),
		       TERMS(TERM(EVENT, 0x34), TERM(UMASK, 0x11), TERM(TID_EN, 1),
			     TERM(FILTER_TID, 0)));
}

static int try_opcode(int session)
{
	return try_add(session, box_find("cbo", 1),
		       TERMS(TERM(EVENT, 0x35), TERM(UMASK, 0x1), TERM(FILTER_OPC, 0x182)));
}

/* A mask without a match selects packets, too */
static int try_mask(int session)
{
	return try_add(session, box_find("qpi", 0), TERMS(TERM(EVENT, 0x38), TERM(MASK0, 0x1e00)));
}

static void user_may_not_filter(const void *arg)
{
	int session;

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_SYS_RAWIO | 1ULL << CAP_SYS_NICE);
	session = session_create(0, 0, 0);
	expect_rc(try_address(session), EACCES);
	expect_rc(try_thread(session), EACCES);
	expect_rc(try_opcode(session), EACCES);
	expect_rc(try_mask(session), EACCES);
	expect_eq(session_status(session).nr_events, 0);
	add_cas_reads(session, box_find("imc", 0), 0);
}

/* Loaded with core_pmu=1 */
static int try_core(int session)
{
	return try_add(session, box_find("core", 0), TERMS(TERM(EVENT, 0xc0)));
}

static void user_may_not_use_cores(const void *arg)
{
	int session;

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_SYS_RAWIO | 1ULL << CAP_SYS_NICE);
	session = session_create(0, 0, 0);
	expect_rc(try_core(session), EACCES);
	expect_eq(session_status(session).nr_events, 0);
	add_cas_reads(session, box_find("imc", 0), 0);
}

static void perfmon_may_use_cores(const void *arg)
{
	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_PERFMON);
	expect_rc(try_core(session_create(0, 0, 0)), 0);
}

/* The permission of the process that opened the device applies */
static void inherited_device_may_use_cores(const void *arg)
{
	int session = session_create(0, 0, 0);

	(void)arg;
	become_user(0);
	expect_rc(try_core(session), 0);
}

static int try_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES, .disabled = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void get_core_forever(void)
{
	struct ucore_get_core core = { .size = sizeof(core) };
	int device;

	become_user(0);
	device = device_open();
	for (;;)
		do_command(device, UCORE_GET_CORE, &core);
}

/* perf opens its only hardware event again and again, while a user asks for the state of cores */
static void user_get_core_does_not_disturb_perf(const void *arg)
{
	unsigned int refused = 0, rounds = 5000;
	pid_t child;

	(void)arg;
	everybody_may_count();
	child = fork();
	must(child >= 0, "fork: %m");
	if (!child)
		get_core_forever();
	for (unsigned int i = 0; i < rounds; i++)
		refused += try_perf() != 0;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	expect(!refused, "%u of %u events of perf were refused", refused, rounds);
}

static void file_max_set(const char *value)
{
	FILE *file = fopen("/proc/sys/fs/file-max", "w");

	must(file && fputs(value, file) >= 0 && !fclose(file), "file-max: %m");
}

/* The system-wide limit applies; root's files are not limited */
static void create_at_file_limit_fails(const void *arg)
{
	struct ucore_create_session create = { .size = sizeof(create), .fd = -12345 };
	FILE *file = fopen("/proc/sys/fs/file-max", "r");
	char usual[32];
	pid_t child;
	int fd, status;

	(void)arg;
	must(file && fgets(usual, sizeof(usual), file) && !fclose(file), "file-max: %m");
	everybody_may_count();
	fd = device_open();
	file_max_set("0");	/* the kernel first compares an approximate count */
	child = fork();
	must(child >= 0, "fork: %m");
	if (!child) {
		become_user(0);
		_exit(-try_command(fd, UCORE_CREATE_SESSION, &create));
	}
	must(waitpid(child, &status, 0) == child, "waitpid: %m");
	file_max_set(usual);
	expect_eq(WEXITSTATUS(status), ENFILE);
}

static void perfmon_may_filter(const void *arg)
{
	int session;

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_PERFMON);
	session = session_create(0, 0, 0);
	expect_rc(try_address(session), 0);
	expect_rc(try_thread(session), 0);
	expect_rc(try_opcode(session), 0);
	expect_rc(try_mask(session), 0);
}

static void run_on_cpu_0(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	must(!sched_setaffinity(0, sizeof(cpus), &cpus), "sched_setaffinity: %m");
}

static void user_may_interrupt_only_allowed_cpus(const void *arg)
{
	int session;

	(void)arg;
	everybody_may_count();
	run_on_cpu_0();
	become_user(1ULL << CAP_PERFMON);
	session = session_create(0, 0, 0);
	expect_rc(try_pmi_cpu(session, 1), EPERM);
	expect_rc(try_pmi_cpus(session, (uint32_t[]){ 0, 1 }, 2), EPERM);
	expect_rc(try_pmi_cpu(session, 0), 0);
	expect_rc(try_pmi_cpu(session, 1 << 20), ENOENT);
}

static void sys_nice_may_interrupt_any_cpu(const void *arg)
{
	(void)arg;
	everybody_may_count();
	run_on_cpu_0();
	become_user(1ULL << CAP_SYS_NICE);
	expect_rc(try_pmi_cpu(session_create(0, 0, 0), 1), 0);
}

/* The die of CPU 0 has another CPU, which is not the caller's */
static void user_readers_use_only_allowed_cpus(const void *arg)
{
	static struct snapshot s;
	int session;

	(void)arg;
	everybody_may_count();
	run_on_cpu_0();
	become_user(1ULL << CAP_PERFMON);
	session = session_create_nr_readers(0, 0, UCORE_READERS_MAX);
	expect_rc(try_pmi_cpu(session, 0), 0);
	add_cas_reads(session, box_find("imc", 0), 0);
	add_cas_reads(session, box_find("imc", 1), 0);
	session_start(session);
	for (unsigned int i = 0; i < 100; i++)
		session_read(session, &s);
	expect_eq(session_status(session).parallel_reads, 0);
}

static int try_add_reads(int session, uint32_t box)
{
	return try_add(session, box, TERMS(TERM(EVENT, 0x04), TERM(UMASK, 0x03)));
}

/*
 * ---- REVOKE_SESSION -----------------------------------------------------
 */

static int try_end(uint64_t id)
{
	struct ucore_revoke_session end = { .size = sizeof(end), .session = id };
	int fd = device_open(), rc = try_command(fd, UCORE_REVOKE_SESSION, &end);

	close(fd);
	return rc;
}

/* Find a session in the list; return false if it is absent */
static bool session_listed(uint64_t id, struct ucore_session_info *info)
{
	struct ucore_get_sessions get = {
		.size = sizeof(get), .after = id - 1, .nr = 1, .sessions = address(info),
	};
	int fd = device_open();

	do_command(fd, UCORE_GET_SESSIONS, &get);
	close(fd);
	return get.nr == 1 && info->session == id;
}

static void all_sessions_are_listed(const void *arg)
{
	struct ucore_get_sessions get = { .size = sizeof(get) };
	int empty = session_create(0, 0, 0), full = session_create(5 * MS, 8192, 0);
	uint64_t ids[] = { session_status(empty).session, session_status(full).session };
	struct ucore_session_info info;
	int fd = device_open();

	(void)arg;
	expect_rc(try_pmi_cpu(empty, 0), 0);
	add_cas_reads(full, box_find("imc", 0), 0);
	add_cas_reads(full, box_find("imc", 0), 0);
	session_start(full);
	do_command(fd, UCORE_GET_SESSIONS, &get);
	expect_eq(get.nr, 0);
	expect(get.total >= 2, "%u sessions", get.total);
	must(session_listed(ids[0], &info), "the first session is not listed");
	expect_eq(info.nr_events | info.nr_boxes | info.nr_domains, 0);
	expect_eq(info.nr_pinned, 1);
	expect_eq(info.state, UCORE_SESSION_STOPPED);
	must(session_listed(ids[1], &info), "the second session is not listed");
	expect_eq(info.pid, getpid());
	expect_eq(info.uid, getuid());
	expect_eq(info.state, UCORE_SESSION_RUNNING);
	expect_eq(info.nr_events, 2);
	expect_eq(info.nr_boxes, 1);
	expect_eq(info.nr_domains, 1);
	expect_eq(info.nr_pinned, 0);
	expect_eq(info.ring_size, 8192);
	expect_eq(info.timer_ns, 5 * MS);
	expect(is_text(info.comm, sizeof(info.comm)), "no name");
	expect(!session_listed(ids[1] + 1, &info), "a session that is not there");
	close(empty);
	expect(!session_listed(ids[0], &info), "a closed session is listed");
}

static void root_may_revoke_sessions(const void *arg)
{
	int session = session_create(MS, 8192, 0), other;
	uint32_t box = box_find("imc", 0);
	struct pollfd pollfd = { .fd = session, .events = POLLIN };
	struct ucore_session_info info;
	struct snapshot snapshot;
	struct ring ring;
	uint64_t id, head;

	(void)arg;
	expect_rc(try_end(1ULL << 60), ENOENT);
	expect_rc(try_end(0), ENOENT);
	expect_rc(try_pmi_cpu(session, 0), 0);
	add_cas_reads(session, box, 0);
	id = session_status(session).session;
	ring = ring_map(session, box_get(box).domain);
	session_start(session);
	wait_for(ring_head(&ring) > 0);
	expect_rc(try_end(id), 0);
	expect_eq(box_get(box).owner, 0);
	expect_eq(poll(&pollfd, 1, 0), 1);
	expect_eq(pollfd.revents, POLLHUP | POLLERR);
	expect_rc(try_start(session), ESHUTDOWN);
	expect_rc(try_stop(session), ESHUTDOWN);
	expect_rc(try_read(session, 0, &snapshot), ESHUTDOWN);
	expect_rc(try_add_reads(session, box), ESHUTDOWN);
	/* records written before can still be read, and nothing follows */
	head = ring_head(&ring);
	usleep(5000);
	expect_eq(ring_head(&ring), head);
	must(session_listed(id, &info), "an ended session is not listed");
	expect_eq(info.state, UCORE_SESSION_REVOKED);
	expect_eq(info.nr_events | info.nr_boxes | info.nr_domains | info.nr_pinned, 0);
	expect_rc(try_end(id), 0);
	/* its box and the PMI CPUs of its die are available */
	other = session_create(0, 0, 0);
	expect_rc(try_pmi_cpu(other, 1), 0);
	expect_rc(try_add_reads(other, box), 0);
	ring_unmap(&ring);
	close(session);
}

static void user_may_not_revoke_sessions(const void *arg)
{
	int session = session_create(0, 0, 0);
	uint64_t id = session_status(session).session;

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_PERFMON | 1ULL << CAP_SYS_NICE | 1ULL << CAP_KILL);
	expect_rc(try_end(id), EPERM);
	expect_rc(try_end(0), EPERM);
	expect_eq(session_status(session).state, UCORE_SESSION_STOPPED);
}

/* No process has the descriptor: it is queued in a socket */
static void descriptor_in_flight_can_be_revoked(const void *arg)
{
	int session = session_create(0, 0, 0), pair[2];
	uint64_t id = session_status(session).session;
	char control[CMSG_SPACE(sizeof(int))] = { }, byte = 0;
	struct iovec data = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	uint32_t box = box_find("imc", 0);
	struct ucore_session_info info;

	(void)arg;
	add_cas_reads(session, box, 0);
	session_start(session);
	must(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair: %m");
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &session, sizeof(int));
	must(sendmsg(pair[0], &message, 0) == 1, "sendmsg: %m");
	close(session);
	must(session_listed(id, &info), "not listed");
	expect_eq(info.nr_boxes, 1);
	expect_rc(try_end(id), 0);
	expect_eq(box_get(box).owner, 0);
	close(pair[0]);
	close(pair[1]);
	expect(!session_listed(id, &info), "still listed");
}

/*
 * ---- Memory: RLIMIT_MEMLOCK and 520 KiB for each CPU --------------------
 */

/* Ring size of which a user within the driver's allowance can have one, but not two */
static uint32_t largest_ring(void)
{
	uint32_t size = 512 << 10;

	for (long cpus = sysconf(_SC_NPROCESSORS_ONLN); cpus > 1; cpus /= 2)
		size *= 2;
	return size;
}

static void become_user_without_locked_memory(uint64_t capabilities)
{
	const struct rlimit none = { 0, 0 };

	everybody_may_count();
	must(!setrlimit(RLIMIT_MEMLOCK, &none), "setrlimit: %m");
	become_user(capabilities);
}

/* Describe the ring of a box's domain, which allocates it. */
static int try_get_ring(int session, uint32_t box)
{
	struct ucore_get_ring info = { .size = sizeof(info), .domain = box_get(box).domain };

	return try_command(session, UCORE_GET_RING, &info);
}

static void ring_memory_is_limited(const void *arg)
{
	uint32_t box = box_find("imc", 0), size = largest_ring();
	int first, second;

	(void)arg;
	become_user_without_locked_memory(0);
	first = session_create(0, 2 * size, 0);
	expect_rc(try_add_reads(first, box), 0);
	expect_rc(try_get_ring(first, box), ENOBUFS);
	expect_rc(try_start(first), ENOBUFS);
	close(first);
	first = session_create(0, size, 0);
	second = session_create(0, size, 0);
	expect_rc(try_add_reads(first, box), 0);
	expect_rc(try_add_reads(second, box_find("imc", 1)), 0);
	expect_rc(try_get_ring(first, box), 0);
	expect_rc(try_start(second), ENOBUFS);
	close(first);
	expect_rc(try_start(second), 0);
}

static void mapped_ring_is_charged(const void *arg)
{
	uint32_t box = box_find("imc", 0), size = largest_ring(), event;
	int first, second;
	struct ring ring;

	(void)arg;
	become_user_without_locked_memory(0);
	first = session_create(0, size, 0);
	second = session_create(0, size, 0);
	event = add_cas_reads(first, box, 0);
	ring = ring_map(first, box_get(box).domain);
	expect_rc(try_remove(first, event), 0);
	expect_rc(try_add_reads(second, box), 0);
	expect_rc(try_get_ring(second, box), ENOBUFS);
	expect_eq(ring_head(&ring), 0);		/* the mapping can still be read */
	ring_unmap(&ring);
	expect_rc(try_get_ring(second, box), 0);
	expect_rc(try_add_reads(first, box_find("imc", 1)), 0);
	expect_rc(try_get_ring(first, box), ENOBUFS);
}

/* The ring of one session is all that the user may have: a second one is refused. */
static void removed_events_are_not_charged(const void *arg)
{
	uint32_t box = box_find("imc", 0), size = largest_ring();

	(void)arg;
	become_user_without_locked_memory(0);
	for (unsigned int i = 0; i < 16; i++) {
		int session = session_create(0, size, 0);
		uint32_t event = add_cas_reads(session, box, 0);

		expect_rc(try_get_ring(session, box), 0);
		expect_rc(try_remove(session, event), 0);
	}
}

static void ipc_lock_has_no_ring_limit(const void *arg)
{
	int session;

	(void)arg;
	become_user_without_locked_memory(1ULL << CAP_IPC_LOCK);
	session = session_create(0, 4 * largest_ring(), 0);
	expect_rc(try_add_reads(session, box_find("imc", 0)), 0);
	expect_rc(try_get_ring(session, box_find("imc", 0)), 0);
}

/*
 * ---- Number of sessions -------------------------------------------------
 */

static int sessions[UCORE_SESSIONS_MAX + 1];

/* Permit descriptors for @nr sessions; only root may do so */
static void allow_descriptors(unsigned int nr)
{
	const struct rlimit limit = { nr + 64, nr + 64 };

	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit: %m");
}

/* Become a user who may have the descriptors of @nr sessions */
static void become_user_of_sessions(unsigned int nr, uint64_t capabilities)
{
	allow_descriptors(nr);
	everybody_may_count();
	become_user(capabilities);
}

/* Create @nr sessions */
static void sessions_create(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		sessions[i] = try_create(0, 0, 0);
		must(sessions[i] >= 0, "session %u: %s", i, error_name(sessions[i]));
	}
}

static void sessions_of_a_user_are_limited(const void *arg)
{
	(void)arg;
	become_user_of_sessions(UCORE_SESSIONS_MAX + 1, 0);
	sessions_create(UCORE_SESSIONS_MAX);
	expect_rc(try_create(0, 0, 0), EDQUOT);
	expect_rc(try_create(0, 0, 0), EDQUOT);
	/* one session ends, and one more can be created */
	close(sessions[100]);
	sessions[100] = try_create(0, 0, 0);
	expect(sessions[100] >= 0, "after close: %s", error_name(sessions[100]));
	expect_rc(try_create(0, 0, 0), EDQUOT);
}

/* A revoked session exists until its descriptor is closed */
static void revoked_session_counts_until_it_is_closed(const void *arg)
{
	(void)arg;
	become_user_of_sessions(UCORE_SESSIONS_MAX + 1, 1ULL << CAP_SYS_ADMIN);
	sessions_create(UCORE_SESSIONS_MAX);
	expect_rc(try_end(session_status(sessions[200]).session), 0);
	expect_rc(try_create(0, 0, 0), EDQUOT);
	close(sessions[200]);
	sessions[200] = try_create(0, 0, 0);
	expect(sessions[200] >= 0, "after close: %s", error_name(sessions[200]));
	expect_rc(try_create(0, 0, 0), EDQUOT);
}

static void sys_resource_has_no_limit_of_sessions(const void *arg)
{
	(void)arg;
	become_user_of_sessions(UCORE_SESSIONS_MAX + 1, 1ULL << CAP_SYS_RESOURCE);
	sessions_create(UCORE_SESSIONS_MAX + 1);
}

/* Return the time in which @nr sessions after @id are listed (ns) */
static uint64_t listing_ns(int device, uint64_t id, unsigned int nr)
{
	static struct ucore_session_info infos[UCORE_SESSIONS_MAX];
	struct ucore_get_sessions get = {
		.size = sizeof(get), .after = id, .nr = nr, .sessions = address(infos),
	};
	uint64_t begin = now_ns(), time;

	do_command(device, UCORE_GET_SESSIONS, &get);
	time = now_ns() - begin;
	expect_eq(get.nr, nr);
	return time;
}

/*
 * The time to list a session does not depend on the number of sessions with lower ids. The shortest
 * times are compared, and measured in turn, because a busy host lengthens most of them.
 */
static void last_sessions_are_listed_as_fast_as_the_first(const void *arg)
{
	const unsigned int part = 128;
	int device = device_open();
	uint64_t first = UINT64_MAX, last = UINT64_MAX, first_id, last_id;

	(void)arg;
	allow_descriptors(UCORE_SESSIONS_MAX);
	sessions_create(UCORE_SESSIONS_MAX);
	first_id = session_status(sessions[0]).session;
	last_id = session_status(sessions[UCORE_SESSIONS_MAX - 1 - part]).session;
	for (unsigned int i = 0; i < 20 || (i < 500 && last >= 4 * first); i++) {
		uint64_t time = listing_ns(device, first_id, part);

		first = time < first ? time : first;
		time = listing_ns(device, last_id, part);
		last = time < last ? time : last;
	}
	expect(last < 4 * first, "%u sessions: the first in %llu ns, the last in %llu ns", part,
	       (unsigned long long)first, (unsigned long long)last);
}

static const struct test tests[] = {
	{ "context_is_absent_by_default", context_is_absent_by_default, 0, 0 },
	{ "root_sees_context", root_sees_context, 0, 0 },
	{ "user_sees_no_context", user_sees_no_context, 0, 0 },
	{ "perfmon_sees_context", perfmon_sees_context, 0, 0 },
	{ "other_capabilities_show_no_context", other_capabilities_show_no_context, 0, 0 },
	{ "inherited_session_keeps_its_permissions", inherited_session_keeps_its_permissions, 0,
	  0 },
	{ "device_of_a_user_gives_root_no_context", device_of_a_user_gives_root_no_context, 0, 0 },
	{ "device_of_root_gives_a_user_context", device_of_root_gives_a_user_context, 0, 0 },
	{ "context_matches_the_interrupted_code", context_matches_the_interrupted_code, 0, 0 },
	{ "addresses_are_hidden_from_users", addresses_are_hidden_from_users, 0, 0 },
	{ "sys_admin_sees_addresses", sys_admin_sees_addresses, 0, 0 },
	{ "user_may_count", user_may_count, 0, 0 },
	{ "user_may_not_filter", user_may_not_filter, 0, 0 },
	{ "perfmon_may_filter", perfmon_may_filter, 0, 0 },
	{ "user_has_no_tasks", tasks_are_for_perfmon, 0, 0 },
	{ "perfmon_has_tasks", tasks_are_for_perfmon, "yes", 0 },
	{ "user_may_interrupt_only_allowed_cpus", user_may_interrupt_only_allowed_cpus, 0, 0 },
	{ "sys_nice_may_interrupt_any_cpu", sys_nice_may_interrupt_any_cpu, 0, 0 },
	{ "user_readers_use_only_allowed_cpus", user_readers_use_only_allowed_cpus, 0, 0 },
	{ "all_sessions_are_listed", all_sessions_are_listed, 0, 0 },
	{ "root_may_revoke_sessions", root_may_revoke_sessions, 0, 0 },
	{ "user_may_not_revoke_sessions", user_may_not_revoke_sessions, 0, 0 },
	{ "descriptor_in_flight_can_be_revoked", descriptor_in_flight_can_be_revoked, 0, 0 },
	{ "ring_memory_is_limited", ring_memory_is_limited, 0, 0 },
	{ "mapped_ring_is_charged", mapped_ring_is_charged, 0, 0 },
	{ "removed_events_are_not_charged", removed_events_are_not_charged, 0, 0 },
	{ "ipc_lock_has_no_ring_limit", ipc_lock_has_no_ring_limit, 0, 0 },
	{ "create_at_file_limit_fails", create_at_file_limit_fails, 0, 0 },
	{ "sessions_of_a_user_are_limited", sessions_of_a_user_are_limited, 0, 0 },
	{ "revoked_session_counts_until_it_is_closed", revoked_session_counts_until_it_is_closed,
	  0, 0 },
	{ "sys_resource_has_no_limit_of_sessions", sys_resource_has_no_limit_of_sessions, 0, 0 },
	{ "last_sessions_are_listed_as_fast_as_the_first",
	  last_sessions_are_listed_as_fast_as_the_first, 0, 0 },
};

/* "uapi_perms --cores": tests on a module that was loaded with core_pmu=1 */
static const struct test core_tests[] = {
	{ "user_may_not_use_cores", user_may_not_use_cores, 0, 0 },
	{ "perfmon_may_use_cores", perfmon_may_use_cores, 0, 0 },
	{ "inherited_device_may_use_cores", inherited_device_may_use_cores, 0, 0 },
};

/* "uapi_perms --perf": the same, while perf may use the core counters */
static const struct test perf_tests[] = {
	{ "user_get_core_does_not_disturb_perf", user_get_core_does_not_disturb_perf, 0, 0 },
};

int main(int argc, char **argv)
{
	int verdict;

	if (argc > 1 && !strcmp(argv[1], "--cores"))
		verdict = run_tests(core_tests, ARRAY_SIZE(core_tests), argc - 1, argv + 1);
	else if (argc > 1 && !strcmp(argv[1], "--perf"))
		verdict = run_tests(perf_tests, ARRAY_SIZE(perf_tests), argc - 1, argv + 1);
	else
		verdict = run_tests(tests, ARRAY_SIZE(tests), argc, argv);
	only_root_may_count();
	return verdict;
}
