// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault injection for every call: each allocation and each copy of user memory fails once. The
 * errno is ENOMEM or EFAULT, and no state has changed, including the caller's descriptors. The
 * same call then succeeds, and undoing it leaves nothing. Another session runs concurrently,
 * with its ring mapped.
 *
 * A call may also succeed after a failed allocation if the kernel has a fallback.
 */
#include "faults.h"
#include "ring.h"
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#define RING_SIZE	8192
#define MANY		2000	/* more faults than a call can have, so that the test fails */
#define PERIOD		200000
#define TIMER_NS	10000000
#define MAX_FDS		32	/* limit of the process, so that each free number can be counted */

/*
 * ---- State of the callers -----------------------------------------------
 */

static struct world {
	int device, session, other, epoll;
	struct ring ring;		/* of @other */
	struct ucore_get_ring info;	/* of @session */
	void *map;
	uint32_t box, spare, domain, cpu, event, victim_event;
	uint64_t id;
	union {
		struct ucore_domain_info domains[4];
		struct ucore_box_info boxes[4];
		struct ucore_field_info fields[4];
		struct ucore_link_info links[4];
		struct ucore_port_info ports[4];
		struct ucore_session_info sessions[4];
	} out;
	struct snapshot snapshot;
} world;

static struct claims {
	uint32_t sessions, running, events, boxes, domains, pinned, owned, active, fds;
} quiet;

/*
 * Return the number of descriptor numbers that this process cannot use. A number that the kernel
 * has reserved without a file is not in /proc/self/fd, but dup() does not return it.
 */
static uint32_t fds_in_use(void)
{
	int fd[MAX_FDS], nr = 0;

	while (nr < MAX_FDS && (fd[nr] = dup(world.device)) >= 0)
		nr++;
	must(nr < MAX_FDS && errno == EMFILE, "%d times dup: %m", nr);
	for (int i = 0; i < nr; i++)
		close(fd[i]);
	return MAX_FDS - (uint32_t)nr;
}

/* Return the claims of all sessions, the state of boxes and domains, and the descriptors in use */
static struct claims claims_now(void)
{
	static struct ucore_session_info sessions[64];
	static struct ucore_box_info boxes[MAX_BOXES];
	static struct ucore_domain_info domains[MAX_DOMAINS];
	struct ucore_get_sessions get = {
		.size = sizeof(get), .nr = ARRAY_SIZE(sessions), .sessions = address(sessions),
	};
	struct claims claims;
	unsigned int nr;

	memset(&claims, 0, sizeof(claims));
	do_command(world.device, UCORE_GET_SESSIONS, &get);
	claims.sessions = get.total;
	for (unsigned int i = 0; i < get.nr; i++) {
		claims.running += sessions[i].state == UCORE_SESSION_RUNNING;
		claims.events += sessions[i].nr_events;
		claims.boxes += sessions[i].nr_boxes;
		claims.domains += sessions[i].nr_domains;
		claims.pinned += sessions[i].nr_pinned;
	}
	nr = boxes_get(boxes);
	for (unsigned int i = 0; i < nr; i++)
		claims.owned += !!boxes[i].owner;
	nr = domains_get(domains);
	for (unsigned int i = 0; i < nr; i++)
		claims.active += domains[i].nr_sessions;
	claims.fds = fds_in_use();
	return claims;
}

static void expect_unchanged(const struct claims *before, const char *name, unsigned int n)
{
	struct claims now = claims_now();

	expect(!memcmp(before, &now, sizeof(now)),
	       "%s, fault %u: sessions %u, %u running, %u events, boxes %u, %u, domains %u, %u, pinned %u, descriptors %u (before %u)",
	       name, n, now.sessions, now.running, now.events, now.boxes, now.owned, now.domains,
	       now.active, now.pinned, now.fds, before->fds);
}

static void session_begin(void)
{
	world.session = session_create(0, RING_SIZE, 0);
	world.event = add_cas_reads(world.session, world.box, PERIOD);
	world.info = ring_info(world.session, world.domain);
	world.id = session_status(world.session).session;
}

static void world_begin(void)
{
	const struct rlimit limit = { MAX_FDS, MAX_FDS };
	struct ucore_domain_info domains[MAX_DOMAINS];

	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit: %m");
	world.device = device_open();
	quiet = claims_now();
	world.epoll = epoll_create1(EPOLL_CLOEXEC);
	must(world.epoll >= 0, "epoll_create1: %m");
	world.box = box_find("imc", 0);
	world.spare = box_find("cbo", 0);
	world.domain = box_get(world.box).domain;
	domains_get(domains);
	world.cpu = domains[world.domain].reader;
	world.other = session_create(TIMER_NS, RING_SIZE, 0);
	add_cas_reads(world.other, box_on_domain("imc", 1, world.domain), 0);
	session_start(world.other);
	world.ring = ring_map(world.other, world.domain);
	session_begin();
}

static void world_end(void)
{
	close(world.session);
	ring_unmap(&world.ring);
	close(world.other);
	close(world.epoll);
	close(fault_nth);
	expect_unchanged(&quiet, "the end", 0);
	close(world.device);
}

/*
 * ---- Calls (return 0 or -errno), and functions that undo them -----------
 */

static void nothing(void)
{
}

static void session_renew(void)
{
	close(world.session);
	session_begin();
}

static void running_begin(void)
{
	session_begin();
	session_start(world.session);
}

static void running_renew(void)
{
	session_renew();
	session_start(world.session);
}

#define ASK(name_, type, nr_, ...) \
	static int ask_##name_(void) \
	{ \
		struct type argument = { .size = sizeof(argument), __VA_ARGS__ }; \
		return try_command(world.device, nr_, &argument); \
	}
#define SOME(field)	.nr = ARRAY_SIZE(world.out.field), .field = address(world.out.field)

ASK(info, ucore_get_info, UCORE_GET_INFO)
ASK(core, ucore_get_core, UCORE_GET_CORE)
ASK(domains, ucore_get_domains, UCORE_GET_DOMAINS, SOME(domains))
ASK(boxes, ucore_get_boxes, UCORE_GET_BOXES, SOME(boxes))
ASK(fields, ucore_get_fields, UCORE_GET_FIELDS, .box = world.box, SOME(fields))
ASK(links, ucore_get_links, UCORE_GET_LINKS, SOME(links))
ASK(ports, ucore_get_ports, UCORE_GET_PORTS, .box = world.box, SOME(ports))
ASK(selftest, ucore_get_selftest, UCORE_GET_SELFTEST, .box = world.box)
ASK(tables, ucore_get_tables, UCORE_GET_TABLES)
ASK(units, ucore_get_units, UCORE_GET_UNITS)
ASK(sessions, ucore_get_sessions, UCORE_GET_SESSIONS, SOME(sessions))
ASK(end, ucore_revoke_session, UCORE_REVOKE_SESSION, .session = world.id)

static int victim = -1;

static int call_open(void)
{
	victim = open(UCORE_DEVICE, O_RDWR | O_CLOEXEC);
	return victim < 0 ? -errno : 0;
}

static void victim_close(void)
{
	close(victim);
}

static int call_create(void)
{
	struct ucore_create_session create = { .size = sizeof(create), .ring_size = RING_SIZE };
	int rc = try_command(world.device, UCORE_CREATE_SESSION, &create);

	victim = create.fd;
	return rc;
}

/* Add the first event on its box and on its domain; this allocates a ring */
static int call_add_first(void)
{
	static const struct ucore_term terms[] = { TERM(EVENT, 0x04), TERM(UMASK, 0x03) };
	struct event_spec spec = { world.box, terms, ARRAY_SIZE(terms), 0, PERIOD, 0 };

	return try_add_spec(victim, &spec, &world.victim_event, NULL);
}

static void first_remove(void)
{
	expect_rc(try_remove(victim, world.victim_event), 0);
}

static int call_add_more(void)
{
	static const struct ucore_term terms[] = { TERM(EVENT, 0x34), TERM(UMASK, 0x11) };
	struct event_spec spec = { world.spare, terms, ARRAY_SIZE(terms), 0, 0, 0 };

	return try_add_spec(world.session, &spec, &world.victim_event, NULL);
}

static void more_remove(void)
{
	expect_rc(try_remove(world.session, world.victim_event), 0);
}

static int call_remove(void)
{
	return try_remove(world.session, world.event);
}

static int call_cpus(void)
{
	return try_pmi_cpu(world.session, world.cpu);
}

static int call_core_trigger(void)
{
	struct ucore_add_core_trigger trigger = {
		.size = sizeof(trigger), .type = UCORE_PERF_SOFTWARE, .cpu = -1,
		.tid = (unsigned int)getpid(), .config = 2, .period = 1000000,
	};

	return try_command(world.session, UCORE_ADD_CORE_TRIGGER, &trigger);
}

static int call_start(void)
{
	return try_start(world.session);
}

static int call_stop(void)
{
	return try_stop(world.session);
}

static void start_again(void)
{
	session_start(world.session);
}

static void stop_again(void)
{
	session_stop(world.session);
}

static int call_reset(void)
{
	return try_reset(world.session);
}

static int call_read(void)
{
	return try_read(world.session, 0, &world.snapshot);
}

static int call_live(void)
{
	return try_read(world.session, UCORE_READ_F_NO_FREEZE, &world.snapshot);
}

static int call_status(void)
{
	struct ucore_get_status status = { .size = sizeof(status) };

	return try_command(world.session, UCORE_GET_STATUS, &status);
}

static int call_budget(void)
{
	struct ucore_get_budget budget = { .size = sizeof(budget) };

	return try_command(world.session, UCORE_GET_BUDGET, &budget);
}

static int call_ring_info(void)
{
	struct ucore_get_ring info;

	return try_ring_info(world.session, world.domain, &info);
}

static int call_map_consumer(void)
{
	world.map = map_consumer(world.session, &world.info);
	return world.map == MAP_FAILED ? -errno : 0;
}

static void consumer_unmap(void)
{
	must(!munmap(world.map, page_size()), "munmap: %m");
}

static int call_map_producer(void)
{
	world.map = map_producer(world.session, &world.info);
	return world.map == MAP_FAILED ? -errno : 0;
}

static void producer_unmap(void)
{
	must(!munmap(world.map, page_size() + world.info.data_size), "munmap: %m");
}

static int call_poll(void)
{
	struct pollfd fd = { .fd = world.session, .events = POLLIN };

	return poll(&fd, 1, 0) < 0 ? -errno : 0;
}

static int call_epoll(void)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(world.epoll, EPOLL_CTL_ADD, world.session, &event) ? -errno : 0;
}

static void epoll_forget(void)
{
	must(!epoll_ctl(world.epoll, EPOLL_CTL_DEL, world.session, NULL), "epoll_ctl: %m");
}

static int call_dup(void)
{
	victim = dup(world.session);
	return victim < 0 ? -errno : 0;
}

static int call_fork(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0)
		return -errno;
	must(waitpid(pid, NULL, 0) == pid, "waitpid: %m");
	return 0;
}

static int post[2];

static void post_begin(void)
{
	session_start(world.session);
	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, post), "socketpair: %m");
}

/* Close the socket with the descriptors in flight */
static void post_end(void)
{
	close(post[0]);
	close(post[1]);
}

/* Send a descriptor to this process; receive it, or one that an earlier call has sent */
static int call_pass(void)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &world.session, sizeof(int));
	victim = -1;
	if (sendmsg(post[0], &message, 0) < 0 || recvmsg(post[1], &message, 0) < 0)
		return -errno;
	head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_len != CMSG_LEN(sizeof(int)))
		return -EFAULT;		/* the receiver had no space for the descriptor */
	memcpy(&victim, CMSG_DATA(head), sizeof(int));
	return 0;
}

static int call_close(void)
{
	return close(world.session) ? -errno : 0;
}

/*
 * ---- Each call with all of its faults -----------------------------------
 */

/**
 * struct path - a call under test
 * @call: function that makes the call
 * @undo: function that undoes a successful call
 * @begin: function that prepares the calls
 * @end: function that undoes @begin
 * @kernel: inject faults in the whole kernel, not only in ucore
 * @least: minimum number of injected faults
 * @also: valid errno in addition to ENOMEM and EFAULT
 */
struct path {
	int (*call)(void);
	void (*undo)(void);
	void (*begin)(void);
	void (*end)(void);
	bool kernel;
	unsigned int least;
	int also;
};

static void victim_begin(void)
{
	/* close the session that holds the box, so that the victim can use it */
	close(world.session);
	world.session = session_create(0, 0, 0);
	victim = session_create(0, RING_SIZE, 0);
}

/* Replace world.session by one created with @create, without events */
static void other_kind(struct ucore_create_session create)
{
	create.size = sizeof(create);
	close(world.session);
	do_command(world.device, UCORE_CREATE_SESSION, &create);
	world.session = create.fd;
}

/* The first session with task records registers probes of scheduler tracepoints. */
static void tasks_begin(void)
{
	struct ucore_create_session create = {
		.ring_size = RING_SIZE, .flags = UCORE_SESSION_F_TASKS,
	};

	other_kind(create);
	world.event = add_cas_reads(world.session, world.box, PERIOD);
}

/* A session with two boxes, of which a helper CPU reads one */
static void nr_readers_begin(void)
{
	other_kind((struct ucore_create_session){ .ring_size = RING_SIZE, .nr_readers = 2 });
	add_cas_reads(world.session, world.box, 0);
	event_add(world.session, world.spare, TERMS(TERM(EVENT, 0x34), TERM(UMASK, 0x11)));
}

static void nr_readers_start(void)
{
	nr_readers_begin();
	session_start(world.session);
}

static void boxes_begin(void)
{
	other_kind((struct ucore_create_session){ .flags = UCORE_SESSION_F_BOX_FREEZE });
	add_cas_reads(world.session, world.box, 0);
}

/* A session with two groups that rotate on all counters of the box */
static void groups_begin(void)
{
	static const struct ucore_term terms[] = { TERM(EVENT, 0x04), TERM(UMASK, 0x03) };
	struct event_spec spec = { world.box, terms, ARRAY_SIZE(terms), 0, 0, 0 };
	struct ucore_add_event add;

	other_kind((struct ucore_create_session){ .rotate_ns = UCORE_ROTATE_MIN_NS });
	for (unsigned int i = 0; i < 8; i++) {
		add = event_argument(&spec);
		add.group = 1 + i / 4;
		do_command(world.session, UCORE_ADD_EVENT, &add);
	}
}

static void groups_start(void)
{
	groups_begin();
	session_start(world.session);
}

static void add_again(void)
{
	world.event = add_cas_reads(world.session, world.box, PERIOD);
}

static void consumer_map(void)
{
	must(!call_map_consumer(), "mmap: %m");
}

static int call_unmap(void)
{
	return munmap(world.map, page_size()) ? -errno : 0;
}

static void fail_each(const void *arg)
{
	const struct path *path = arg;
	struct fault_tally tally = { 0 };
	struct claims before;
	unsigned int n = 0;
	bool hit;
	int rc;

	world_begin();
	if (path->begin)
		path->begin();
	faults_begin();		/* opens a descriptor, which belongs to the state before */
	before = claims_now();
	if (path->kernel)
		faults_everywhere();
	else
		faults_within_ucore();
	do {
		must(++n < MANY, "it does not end");
		fault_arm(n);
		rc = path->call();
		hit = fault_disarm();
		fault_judge(&tally, "the call", n, hit, rc, path->also);
		if (rc) {
			expect_unchanged(&before, "refused", n);
			expect_rc_of(path->call(), 0, "the same call again");
		}
		path->undo();
		expect_unchanged(&before, "undone", n);
	} while (hit && failures < MAX_COMPLAINTS);
	faults_everywhere();
	if (path->end)
		path->end();
	world_end();
	expect(tally.injected >= path->least, "only %u faults", tally.injected);
	printf("# %u faults, %u refused\n", tally.injected, tally.refused);
}

#define TRIED(name_, ...) \
	{ #name_, fail_each, &(const struct path){ __VA_ARGS__ }, "each_fault_of_" }

/* These include the kernel's own work for a call. Sockets return ENOBUFS for ENOMEM */
static const struct test tests[] = {
	TRIED(open, call_open, victim_close, .kernel = true, .least = 3),
	TRIED(info, ask_info, nothing, .least = 2),
	TRIED(get_core, ask_core, nothing, .least = 2),
	TRIED(get_domains, ask_domains, nothing, .least = 3),
	TRIED(get_boxes, ask_boxes, nothing, .least = 6),
	TRIED(get_fields, ask_fields, nothing, .least = 4),
	TRIED(get_links, ask_links, nothing, .least = 6),
	TRIED(get_ports, ask_ports, nothing, .least = 2),
	TRIED(get_selftest, ask_selftest, nothing, .least = 2),
	TRIED(get_tables, ask_tables, nothing, .least = 2),
	TRIED(get_units, ask_units, nothing, .least = 2),
	TRIED(get_sessions, ask_sessions, nothing, .least = 4),
	TRIED(create, call_create, victim_close, .least = 6),
	TRIED(revoke_session, ask_end, session_renew, .least = 1),
	TRIED(revoke_running, ask_end, running_renew, .begin = running_renew, .least = 1),
	TRIED(add_first, call_add_first, first_remove, .begin = victim_begin, .end = victim_close,
	      .least = 7),
	TRIED(add_more, call_add_more, more_remove, .least = 5),
	TRIED(remove, call_remove, add_again, .least = 1),
	TRIED(set_pmi_cpus, call_cpus, session_renew, .least = 3),
	TRIED(core_trigger, call_core_trigger, session_renew, .least = 2),
	TRIED(start, call_start, stop_again, .least = 5),
	TRIED(start_with_tasks, call_start, stop_again, .begin = tasks_begin, .least = 5),
	TRIED(start_with_readers, call_start, stop_again, .begin = nr_readers_begin, .least = 5),
	TRIED(start_with_box_freeze, call_start, stop_again, .begin = boxes_begin, .least = 3),
	TRIED(start_groups, call_start, stop_again, .begin = groups_begin, .least = 5),
	TRIED(read_with_readers, call_read, nothing, .begin = nr_readers_start, .least = 4),
	TRIED(read_groups, call_read, nothing, .begin = groups_start, .least = 4),
	TRIED(stop, call_stop, start_again, .begin = start_again, .least = 1),
	TRIED(reset, call_reset, nothing, .least = 1),
	TRIED(reset_running, call_reset, nothing, .begin = start_again, .least = 1),
	TRIED(read, call_read, nothing, .least = 4),
	TRIED(read_running, call_read, nothing, .begin = start_again, .least = 4),
	TRIED(live, call_live, nothing, .begin = start_again, .least = 4),
	TRIED(status, call_status, nothing, .begin = start_again, .least = 2),
	TRIED(budget, call_budget, nothing, .least = 6),
	TRIED(budget_running, call_budget, nothing, .begin = start_again, .least = 2),
	TRIED(ring_info, call_ring_info, nothing, .least = 2),
	TRIED(mmap_consumer, call_map_consumer, consumer_unmap, .kernel = true, .least = 2),
	TRIED(mmap_producer, call_map_producer, producer_unmap, .begin = start_again,
	      .kernel = true, .least = 2),
	TRIED(munmap, call_unmap, consumer_map, .begin = consumer_map, .end = consumer_unmap,
	      .kernel = true),
	TRIED(poll, call_poll, nothing, .begin = start_again, .kernel = true, .least = 1),
	TRIED(epoll, call_epoll, epoll_forget, .kernel = true, .least = 2),
	TRIED(dup, call_dup, victim_close, .begin = start_again, .kernel = true),
	TRIED(fork, call_fork, nothing, .begin = start_again, .kernel = true, .least = 10,
	      .also = EAGAIN),
	TRIED(passing, call_pass, victim_close, .begin = post_begin, .end = post_end,
	      .kernel = true, .least = 5, .also = ENOBUFS),
	TRIED(close, call_close, session_begin, .kernel = true),
	TRIED(close_running, call_close, running_begin, .begin = running_renew, .kernel = true),
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
