// SPDX-License-Identifier: GPL-2.0-only
/*
 * uapi_stress SECONDS [SEED]: processes that call random commands of sessions on the same
 * boxes. Each process has a second thread on the same descriptor, and some processes are
 * killed. Any errno that the header does not list for a command is a failure.
 */
#include "ring.h"
#include <pthread.h>
#include <stdatomic.h>

#define PROCESSES	8
#define NR_BOXES	6

static uint64_t state, deadline;
static uint32_t boxes[NR_BOXES], domains[NR_BOXES];
/*
 * Flags that a value may have; on a UBox without a global freeze also the flag for unfrozen
 * counters
 */
static uint32_t value_flags = UCORE_VALUE_F_OVERFLOW | UCORE_VALUE_F_OFFLINE | UCORE_VALUE_F_GAP;
static atomic_bool thread_stop;

static uint32_t roll(uint32_t sides)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 16) % sides;
}

/* 0 ends the list */
static void allow(int rc, const char *what, const int *allowed)
{
	if (rc >= 0)
		return;
	for (; *allowed; allowed++)
		if (rc == -*allowed)
			return;
	fail("%s: %s", what, error_name(rc));
}

#define ALLOW(rc, ...)	allow(rc, #rc, (const int []){ __VA_ARGS__, 0 })

struct worker {
	int session;
	uint32_t events[16], nr_events;
	struct ring ring;
};

static void worker_add(struct worker *w)
{
	uint32_t which = roll(NR_BOXES), event;
	struct ucore_term terms[2] = {
		TERM(EVENT, 1 + roll(64)), { .field = UCORE_FIELD_UMASK, .value = roll(16) },
	};
	struct event_spec spec = {
		.box = boxes[which], .terms = terms, .nr_terms = 1 + roll(2),
		.counters = roll(3) ? 0 : 1 + roll(15),
		.period = roll(3) ? 0 : 20000 << roll(8),
	};
	int rc = try_add_spec(w->session, &spec, &event, NULL);

	ALLOW(rc, EBUSY, ENOSPC, EADDRINUSE, EOPNOTSUPP, ENXIO, ERANGE);
	if (!rc && w->nr_events < ARRAY_SIZE(w->events))
		w->events[w->nr_events++] = event;
}

static void worker_remove(struct worker *w)
{
	if (w->nr_events)
		ALLOW(try_remove(w->session, w->events[roll(w->nr_events)]), ENOENT, EBUSY);
}

static void worker_read(struct worker *w)
{
	static struct snapshot s;
	int rc = try_read(w->session, roll(2) ? UCORE_READ_F_NO_FREEZE : 0, &s);

	ALLOW(rc, ENOENT);
	for (uint32_t i = 0; !rc && i < s.read.nr_values; i++)
		expect(!(s.values[i].flags & ~value_flags), "flags %#x", s.values[i].flags);
}

static void worker_drain(struct worker *w)
{
	const struct ucore_record *record;

	if (!w->ring.size) {
		struct ucore_get_ring info;
		uint32_t domain = domains[roll(NR_BOXES)];

		if (try_ring_info(w->session, domain, &info))
			return;
		w->ring = ring_map(w->session, domain);
	}
	while ((record = ring_next(&w->ring)))
		expect(record->type <= UCORE_RECORD_GAP, "record of type %u", record->type);
	ring_release(&w->ring);
}

static void worker_act(struct worker *w)
{
	struct pollfd fd = { .fd = w->session, .events = POLLIN };

	switch (roll(16)) {
	case 0 ... 2:
		worker_add(w);
		break;
	case 3:
		worker_remove(w);
		break;
	case 4 ... 6:
		ALLOW(try_start(w->session), ENOENT, ENOSPC, EALREADY, EAGAIN);
		break;
	case 7:
		expect_rc(try_stop(w->session), 0);
		break;
	case 8:
		ALLOW(try_reset(w->session), EAGAIN);
		break;
	case 9 ... 11:
		worker_read(w);
		break;
	case 12:
		ALLOW(try_pmi_cpu(w->session, roll(5)), ENOENT, EAGAIN, EBUSY);
		break;
	case 13:
		session_status(w->session);
		break;
	case 14:
		expect(poll(&fd, 1, roll(5)) >= 0, "poll: %m");
		break;
	default:
		worker_drain(w);
	}
}

/* Runs concurrently with the worker, on the same session */
static void *second_thread(void *arg)
{
	int session = *(int *)arg;
	struct snapshot *s = malloc(sizeof(*s));

	while (!thread_stop) {
		ALLOW(try_read(session, 0, s), ENOENT);
		ALLOW(try_start(session), ENOENT, ENOSPC, EALREADY, EAGAIN);
		session_status(session);
		expect_rc(try_stop(session), 0);
		usleep(2000);
	}
	free(s);
	return NULL;
}

static void worker_session(void)
{
	static const uint64_t timers[] = { 0, 0, 500000, 1000000, 5000000 };
	static const uint32_t rings[] = { 0, 4096, 16384, 65536 };
	struct worker w = { .session = session_create_nr_readers(timers[roll(ARRAY_SIZE(timers))],
							   rings[roll(ARRAY_SIZE(rings))],
							   roll(4)) };
	bool threaded = !roll(3);
	pthread_t thread;

	thread_stop = false;
	if (threaded)
		must(!pthread_create(&thread, NULL, second_thread, &w.session), "pthread_create");
	for (unsigned int n = 10 + roll(60); n && now_ns() < deadline; n--)
		worker_act(&w);
	thread_stop = true;
	if (threaded)
		pthread_join(thread, NULL);
	if (w.ring.size)
		ring_unmap(&w.ring);
	close(w.session);
}

static void worker_run(unsigned int number, uint64_t seed)
{
	state = (seed + number + 1) * 0x9e3779b97f4a7c15ULL;
	while (now_ns() < deadline && !failures)
		worker_session();
	fflush(stdout);
	_exit(failures ? 1 : 0);
}

/* A worker that is killed at random points and started again */
static void victim_run(uint64_t seed)
{
	while (now_ns() < deadline) {
		pid_t pid;

		state = ++seed * 0x9e3779b97f4a7c15ULL;
		pid = fork();
		if (!pid)
			worker_run(100, seed);
		usleep(5000 + roll(100000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	_exit(0);
}

static void find_boxes(void)
{
	static const struct {
		const char *type;
		unsigned int instance;
	} wanted[] = { { "imc", 0 }, { "imc", 1 }, { "cbo", 0 }, { "ubox", 0 } };
	struct ucore_domain_info info[MAX_DOMAINS];
	unsigned int nr = 0;

	must(domains_get(info) == 2, "the test needs two domains");
	for (int d = 0; d < 2; d++)
		for (unsigned int i = 0; i < 4 && nr < NR_BOXES; i += 1 + d) {
			domains[nr] = info[d].domain;
			boxes[nr++] = box_on_domain(wanted[i].type, wanted[i].instance,
						    info[d].domain);
		}
}

static void ask_for_the_freeze(void)
{
	struct ucore_get_info info = { .size = sizeof(info) };
	int fd = device_open();

	do_command(fd, UCORE_GET_INFO, &info);
	if (!(info.caps & UCORE_CAP_GLOBAL_FREEZE))
		value_flags |= UCORE_VALUE_F_UNFROZEN;
	close(fd);
}

static void everything_is_free(void)
{
	static struct ucore_box_info all[MAX_BOXES];
	struct ucore_domain_info info[MAX_DOMAINS];
	unsigned int nr = boxes_get(all);

	for (unsigned int i = 0; i < nr; i++)
		expect(!all[i].owner, "%s%u is still owned", all[i].type, all[i].instance);
	nr = domains_get(info);
	for (unsigned int i = 0; i < nr; i++)
		expect_eq(info[i].nr_sessions, 0);
}

static unsigned int wait_for_all(const pid_t *pids, unsigned int nr)
{
	unsigned int bad = 0;
	int status;

	for (unsigned int i = 0; i < nr; i++) {
		if (waitpid(pids[i], &status, 0) != pids[i] || status) {
			printf("# process %u: status %#x\n", i, status);
			bad++;
		}
	}
	return bad;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	pid_t pids[PROCESSES];
	unsigned int bad;

	if (argc < 2)
		return 2;
	find_boxes();
	ask_for_the_freeze();
	deadline = now_ns() + strtoull(argv[1], NULL, 0) * 1000000000ULL;
	fflush(stdout);
	for (unsigned int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		if (!pids[i] && i < PROCESSES - 1)
			worker_run(i, seed);
		if (!pids[i])
			victim_run(seed);
	}
	bad = wait_for_all(pids, PROCESSES);
	everything_is_free();
	printf("KTAP version 1\n%s 1 stress\n1..1\n", bad || failures ? "not ok" : "ok");
	return bad || failures ? 1 : 0;
}
