// SPDX-License-Identifier: GPL-2.0-only
/*
 * uapi_fuzz [-cu] [-k FILE] CALLS [SEED [REST [CPU...]]]: processes that make CALLS random calls
 * (fuzz.h), with REST microseconds between the calls of a process. They send commands to
 * descriptors of right and wrong kinds. They create, cut, move and remove mappings, and write
 * invalid tails. They close, duplicate, inherit and pass descriptors. Processes end at random
 * points and kill each other.
 *
 * The given CPUs go offline and online in any order. The calls wait for them: CALLS_A_MOVE
 * calls for each change.
 *
 * Some processes have a crowd (crowd.h): many sessions of a user without rights. With option -c
 * crowds have up to UCORE_SESSIONS_MAX sessions, or sessions with thousands of events in groups.
 *
 * Errors are an errno that uapi/ucore.h does not list for the call, a process that crashes, and
 * anything that is still claimed after the end of all processes. As many counters must then be
 * free as before.
 *
 * If the kernel has KCOV (reached.h), half of the processes are guided. They repeat sequences
 * of calls that reached new places, sometimes without one of the calls, and continue with other
 * calls. Option -u disables guiding. FILE keeps the reached places for the next run.
 */
#include "cpus.h"
#include "crowd.h"
#include "fuzz.h"
#include "reached.h"
#include "ring.h"
#include <sys/socket.h>

#define WORKERS		6
#define MAX_FDS		6
#define MAX_MAPS	4
#define ROOM		8192
#define CALLS_A_MOVE	250
#define CROWD_EACH	16	/* one process in so many has a crowd, the first one, too */

/* Counters shared by all processes */
static struct shared {
	atomic_ulong calls, maps, kills, ends, passed, led;
	atomic_ulong done[NR_SHAPES], refused[NR_SHAPES];
	atomic_bool stop;
	atomic_int pids[WORKERS];
	atomic_bool crowded[WORKERS];	/* the process has a crowd */
	unsigned long limit;
	unsigned int rest_us;
	struct moving moving;
	struct crowd_counts crowds;
	bool unled;
} *shared;

static struct reached *reached;
static struct tracer tracers[WORKERS];

static int post[2];		/* socket pair for passing descriptors */

enum kind { NO_FD, DEVICE, SESSION, STRANGER };

static struct worker {
	struct {
		int fd;
		enum kind kind;
	} fds[MAX_FDS];
	struct map {
		char *at;
		size_t size;
		bool touch, write;
	} maps[MAX_MAPS];
	char *room;
	unsigned int calls;	/* remaining calls */
	bool changed;		/* the last call changed a descriptor, mapping or session */
	struct way way;		/* calls with such a change */
	struct tracer tracer;
} worker;

/*
 * ---- Descriptors --------------------------------------------------------
 */

static void fd_keep(int fd, enum kind kind)
{
	unsigned int i = roll(MAX_FDS);

	if (fd < 0)
		return;
	if (worker.fds[i].kind != NO_FD)
		close(worker.fds[i].fd);
	worker.fds[i].fd = fd;
	worker.fds[i].kind = kind;
	worker.changed = true;
}

/* Return a random descriptor of a kind, or -1 if there is none */
static int fd_of(enum kind kind)
{
	unsigned int first = roll(MAX_FDS);

	if (kind == SESSION && crowd.nr && roll(2))
		return crowd_member();
	for (unsigned int i = 0; i < MAX_FDS; i++) {
		unsigned int at = (first + i) % MAX_FDS;

		if (worker.fds[at].kind == kind)
			return worker.fds[at].fd;
	}
	return -1;
}

static void fd_close(void)
{
	unsigned int i = roll(MAX_FDS);

	if (worker.fds[i].kind == NO_FD)
		return;
	close(worker.fds[i].fd);
	worker.fds[i].kind = NO_FD;
	worker.changed = true;
}

static void fd_double(void)
{
	unsigned int i = roll(MAX_FDS), to = roll(MAX_FDS);

	if (worker.fds[i].kind == NO_FD)
		return;
	if (worker.fds[to].kind == NO_FD || to == i)
		fd_keep(dup(worker.fds[i].fd), worker.fds[i].kind);
	else if (dup2(worker.fds[i].fd, worker.fds[to].fd) >= 0)
		worker.fds[to].kind = worker.fds[i].kind;
	worker.changed = true;
}

/* A message with a byte for the kind of its descriptor, and space for that descriptor */
struct parcel {
	char kind;
	char control[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec data;
	struct msghdr message;
};

static struct msghdr *parcel_begin(struct parcel *parcel)
{
	memset(parcel, 0, sizeof(*parcel));
	parcel->data = (struct iovec){ &parcel->kind, 1 };
	parcel->message = (struct msghdr) {
		.msg_iov = &parcel->data, .msg_iovlen = 1,
		.msg_control = parcel->control, .msg_controllen = sizeof(parcel->control),
	};
	return &parcel->message;
}

static void fd_send(void)
{
	unsigned int i = roll(MAX_FDS);
	struct parcel parcel;
	struct msghdr *message = parcel_begin(&parcel);
	struct cmsghdr *head = CMSG_FIRSTHDR(message);

	if (worker.fds[i].kind == NO_FD)
		return;
	parcel.kind = worker.fds[i].kind;
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &worker.fds[i].fd, sizeof(int));
	shared->passed += sendmsg(post[0], message, MSG_DONTWAIT) == 1;
}

static void fd_receive(void)
{
	struct parcel parcel;
	struct msghdr *message = parcel_begin(&parcel);
	struct cmsghdr *head;
	int fd;

	if (recvmsg(post[1], message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
		return;
	head = CMSG_FIRSTHDR(message);
	if (!head || head->cmsg_len != CMSG_LEN(sizeof(int)))
		return;
	memcpy(&fd, CMSG_DATA(head), sizeof(int));
	fd_keep(fd, parcel.kind);
}

/* Fork a child, which has all descriptors until it exits */
static void fd_inherit(void)
{
	pid_t pid = fork();

	if (pid)
		return;
	usleep(roll(20000));
	_exit(0);
}

/* Make calls that descriptors of this kind do not support */
static void fd_misuse(void)
{
	int fd = fd_of(roll(2) ? SESSION : DEVICE);
	char bytes[64] = "";
	unsigned int unknown;
	struct pollfd ask = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI };

	if (fd < 0)
		return;
	switch (roll(5)) {
	case 0:
		expect(read(fd, bytes, sizeof(bytes)) < 0, "read() of a descriptor");
		break;
	case 1:
		expect(write(fd, bytes, sizeof(bytes)) < 0, "write() of a descriptor");
		break;
	case 2:
		unknown = _IOC(roll(4), UCORE_TYPE, 0x80 + roll(128), roll(256));
		expect_rc_of(try_command(fd, unknown, bytes), ENOTTY, "an unknown command");
		break;
	case 3:
		expect(poll(&ask, 1, roll(3)) >= 0, "poll: %m");
		break;
	default:
		fcntl(fd, F_SETFL, O_NONBLOCK | (roll(2) ? O_ASYNC : 0));
	}
}

/*
 * ---- Commands -----------------------------------------------------------
 */

static bool command_changes(unsigned int nr)
{
	switch (nr) {
	case UCORE_ADD_EVENT:
	case UCORE_REMOVE_EVENT:
	case UCORE_SET_PMI_CPUS:
	case UCORE_ADD_CORE_TRIGGER:
	case UCORE_START:
	case UCORE_STOP:
	case UCORE_RESET:
	case UCORE_REVOKE_SESSION:
		return true;
	default:	/* CREATE_SESSION gives a descriptor (fd_keep()) */
		return false;
	}
}

static void command_give(const struct shape *shape, int fd, bool right_kind)
{
	struct making making = { .shape = shape, .device = fd_of(DEVICE) };
	void *argument = argument_make(&making, worker.room, ROOM);
	unsigned int which = shape - shapes;
	int rc = try_command(fd, shape->nr, argument);

	if (rc)
		shared->refused[which]++;
	else
		shared->done[which]++;
	worker.changed |= !rc && command_changes(shape->nr);
	if (!right_kind)
		expect(rc == -ENOTTY, "%s of the wrong descriptor: %s", shape->name,
		       error_name(rc));
	else if (rc)
		expect(error_allowed(&making, rc), "%s: %s%s", shape->name, error_name(rc),
		       making.sane ? ", of what makes sense" : "");
	if (!rc && right_kind && shape->nr == UCORE_CREATE_SESSION) {
		struct ucore_create_session create;

		memcpy(&create, argument, sizeof(create));
		fd_keep(create.fd, SESSION);
	}
}

static void command(void)
{
	/* commands with an effect on sessions are chosen more often */
	static const unsigned int favourites[] = {
		UCORE_ADD_EVENT, UCORE_ADD_EVENT, UCORE_ADD_EVENT, UCORE_START, UCORE_START,
		UCORE_READ, UCORE_GET_RING, UCORE_STOP,
	};
	const struct shape *shape = roll(2) ? &shapes[roll(NR_SHAPES)] :
				    shape_of(favourites[roll(ARRAY_SIZE(favourites))]);
	bool right = roll(3 * NASTY);
	int fd = fd_of(shape->on_session == right ? SESSION : DEVICE);

	/* skip most REVOKE_SESSION, because a revoked session accepts no commands */
	if (fd < 0 || (shape->nr == UCORE_REVOKE_SESSION && roll(4)))
		return;
	command_give(shape, fd, right);
}

static void create(void)
{
	int fd = fd_of(DEVICE);

	if (fd < 0)
		fd_keep(open(UCORE_DEVICE, O_RDWR | O_CLOEXEC), DEVICE);
	else
		command_give(shape_of(UCORE_CREATE_SESSION), fd, true);
}

/*
 * ---- Mappings -----------------------------------------------------------
 */

static void map_make(void)
{
	static const int protections[] = { PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE };
	struct map *map = &worker.maps[roll(MAX_MAPS)];
	int session = fd_of(SESSION), protection = protections[roll(3)];
	size_t page = page_size();
	struct ucore_get_ring info;
	bool data = roll(2), plain = roll(4);
	off_t offset;

	if (session < 0 || map->at || try_ring_info(session, roll(made.nr_domains), &info))
		return;
	map->size = data ? page + info.data_size : page;
	offset = data ? info.producer : info.consumer;
	if (plain)
		protection = data ? PROT_READ : PROT_READ | PROT_WRITE;
	else if (roll(2))
		offset = (roll_bits() >> roll(64)) & ~(page - 1) & (UINT64_MAX >> 2);
	else
		map->size = page * (1 + roll(20));
	map->at = mmap(NULL, map->size, protection, roll(NASTY) ? MAP_SHARED : MAP_PRIVATE,
		       session, offset);
	if (map->at == MAP_FAILED) {
		map->at = NULL;
		return;
	}
	shared->maps++;
	worker.changed = true;
	map->touch = protection & PROT_READ;
	map->write = protection & PROT_WRITE;
	expect(!data || !plain || mprotect(map->at, map->size, PROT_READ | PROT_WRITE),
	       "what the kernel writes can be written");
}

static void map_drop(struct map *map)
{
	munmap(map->at, map->size);
	map->at = NULL;
}

static void map_move(struct map *map)
{
	char *to = mmap(NULL, map->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (to == MAP_FAILED)
		return;
	if (mremap(map->at, map->size, map->size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to)
		map->at = to;
	else
		munmap(to, map->size);
}

static void map_handle(void)
{
	struct map *map = &worker.maps[roll(MAX_MAPS)];
	size_t page = page_size();
	void *grown;

	if (!map->at)
		return;
	worker.changed = true;
	switch (roll(8)) {
	case 0:
		map_drop(map);
		break;
	case 1:
		map_move(map);
		break;
	case 2:		/* cut */
		if (map->size > page && !munmap(map->at + map->size - page, page))
			map->size -= page;
		break;
	case 3:
		grown = mremap(map->at, map->size, map->size + page, MREMAP_MAYMOVE);
		expect(grown == MAP_FAILED, "a ring's mapping grows");
		break;
	case 4:
		madvise(map->at, map->size, MADV_DONTNEED);
		map->touch = false;	/* a later page fault may fail */
		break;
	default:
		if (map->touch && map->write && map->size == page)
			__atomic_store_n((uint64_t *)map->at, roll(2) ? roll_bits() : roll(65536),
					 __ATOMIC_RELEASE);
		else if (map->touch)
			__atomic_load_n((uint64_t *)map->at, __ATOMIC_ACQUIRE);
	}
}

/*
 * ---- Processes ----------------------------------------------------------
 */

static void somebody_dies(void)
{
	unsigned int slot = roll(WORKERS);
	int pid = shared->pids[slot];

	/* a crowd lives longer, because it takes seconds to form */
	if (pid == shared->crowds.forming || (shared->crowded[slot] && roll(CROWD_EACH)))
		return;
	if (pid > 1 && !kill(pid, SIGKILL))
		shared->kills++;
}

static void act(void)
{
	if (crowd.nr && !roll(3)) {
		crowd_act(&shared->crowds);
		return;
	}
	switch (roll(32)) {
	case 0 ... 1:
		create();
		break;
	case 2:
		fd_close();
		break;
	case 3:
		fd_double();
		break;
	case 4:
		fd_send();
		break;
	case 5:
		fd_receive();
		break;
	case 6:
		fd_misuse();
		break;
	case 7 ... 8:
		map_make();
		break;
	case 9 ... 10:
		map_handle();
		break;
	case 11:
		if (!roll(8))
			fd_inherit();
		break;
	case 12:
		if (!roll(16))
			somebody_dies();
		break;
	default:
		command();
	}
}

/* Wait while there were more than CALLS_A_MOVE calls for each CPU change */
static void cpus_wait(void)
{
	while (shared->moving.nr && !shared->stop &&
	       shared->calls > (shared->moving.moves + 1) * CALLS_A_MOVE)
		usleep(1000);
}

/* Append a call to the sequence, unless it changed nothing and reached no new place */
static void way_note(uint64_t rolled_from)
{
	struct way *way = &worker.way;
	bool more = reached_more(reached, &worker.tracer);

	if (way->nr >= MAX_CALLS || !(more || worker.changed))
		return;
	way->calls[way->nr++] = rolled_from;
	if (more)
		way_keep(reached, way);
}

/* false: there are to be no more */
static bool call(void)
{
	uint64_t rolled_from = roll_state;

	if (!worker.calls || shared->stop || shared->calls++ >= shared->limit)
		return false;
	worker.calls--;
	alarm(TEST_SECONDS);	/* a timeout for each call, because a busy host is slow */
	cpus_wait();
	tracer_forget(&worker.tracer);
	worker.changed = false;
	act();
	way_note(rolled_from);
	if (failures)
		shared->stop = true;
	if (shared->rest_us)
		usleep(shared->rest_us);
	return true;
}

/* Start with an open device and a session that can count */
static void life_begin(uint64_t seed)
{
	worker.way = (struct way){ .nr = 1, .calls = { seed } };
	roll_begin(seed);
	fd_keep(open(UCORE_DEVICE, O_RDWR | O_CLOEXEC), DEVICE);
	create();
}

/* Reset the state to that of a new process */
static void life_forget(void)
{
	for (unsigned int i = 0; i < MAX_MAPS; i++)
		if (worker.maps[i].at)
			map_drop(&worker.maps[i]);
	for (unsigned int i = 0; i < MAX_FDS; i++)
		if (worker.fds[i].kind != NO_FD)
			close(worker.fds[i].fd);
	memset(worker.fds, 0, sizeof(worker.fds));
}

/* Repeat a sequence of calls, sometimes without one of them */
static void way_repeat(const struct way *way)
{
	unsigned int left_out = roll(2 * way->nr);
	uint64_t own = roll_state;

	life_forget();
	life_begin(way->calls[0]);
	for (unsigned int i = 1; i < way->nr; i++) {
		roll_state = way->calls[i];
		if (i != left_out && !call())
			break;
	}
	roll_state = own;
}

/* Repeat stored sequences that reached new places, each followed by new random calls */
static void life_led(void)
{
	unsigned int on;
	struct way way;

	do {
		if (way_get(reached, roll_bits(), &way))
			way_repeat(&way);
		for (on = 8 + roll(32); on && call(); on--)
			;
	} while (!on);
}

/* Run a worker; it can end at any point */
static void worker_run(unsigned int slot, uint64_t seed)
{
	alarm(TEST_SECONDS);
	worker.room = guarded(ROOM);
	worker.tracer = tracers[slot];
	tracer_begin(&worker.tracer);
	life_begin(seed);
	worker.calls = 50 + roll(500);
	shared->crowded[slot] = !shared->crowds.begun || !roll(CROWD_EACH);
	if (shared->crowded[slot]) {
		crowd_begin(&shared->crowds);
	} else if (!shared->unled && !(seed & 1) && reached->kept) {
		shared->led++;
		life_led();
	}
	while (call())
		;
	fflush(stdout);
	_exit(failures ? TEST_FAILED : TEST_OK);
}

static void worker_begin(unsigned int slot, uint64_t seed)
{
	pid_t pid = fork();

	must(pid >= 0, "fork: %m");
	if (!pid) {
		shared->pids[slot] = getpid();
		worker_run(slot, seed);
	}
	shared->pids[slot] = pid;
}

/* Wait for a worker's end; return false if it failed */
static bool worker_wait(unsigned int *slot)
{
	int status;
	pid_t pid = waitpid(-1, &status, 0);

	must(pid > 0, "waitpid: %m");
	for (*slot = 0; *slot < WORKERS && shared->pids[*slot] != pid; (*slot)++)
		;
	must(*slot < WORKERS, "process %d is nobody's", pid);
	shared->pids[*slot] = 0;
	shared->ends++;
	if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
		fail("a process died of signal %d (%s)", WTERMSIG(status),
		     strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status))
		return false;
	return !failures;
}

static bool fuzz(uint64_t seed)
{
	unsigned int slot, running = WORKERS;
	bool good = true;

	for (slot = 0; slot < WORKERS; slot++)
		worker_begin(slot, seed++);
	while (running) {
		if (!worker_wait(&slot)) {
			good = false;
			shared->stop = true;
		}
		fflush(stdout);
		if (shared->stop || shared->calls >= shared->limit)
			running--;
		else
			worker_begin(slot, seed++);
	}
	return good;
}

/*
 * ---- Checks after all processes have ended ------------------------------
 */

/* Count the general counters that a session can have. Each box gets events until none is free. */
static unsigned int counters_free(void)
{
	int session = session_create(0, 0, 0);
	unsigned int nr = 0;

	for (uint32_t box = 0; box < made.nr_boxes; box++)
		for (uint64_t code = 1; code < 64; ) {
			int rc = try_add(session, box, TERMS(TERM(EVENT, code)), 0, 0);

			if (rc == -ENOSPC || rc == -EBUSY)
				break;
			nr += !rc;
			code += !!rc;
		}
	close(session);
	return nr;
}

/* Check the claims of fuzzers only; other sessions may continue */
static bool something_is_claimed(void)
{
	static struct ucore_session_info sessions[256];
	struct ucore_get_sessions get = {
		.size = sizeof(get), .nr = ARRAY_SIZE(sessions), .sessions = address(sessions),
	};
	int fd = device_open();

	do_command(fd, UCORE_GET_SESSIONS, &get);
	close(fd);
	for (unsigned int i = 0; i < get.nr; i++)
		if (!strncmp(sessions[i].comm, "uapi_fuzz", 9))
			return true;
	return false;
}

static void say_counts(void)
{
	unsigned long done = 0, refused = 0;

	for (unsigned int i = 0; i < NR_SHAPES; i++) {
		printf("# %s: %lu done, %lu refused\n", shapes[i].name,
		       (unsigned long)shared->done[i], (unsigned long)shared->refused[i]);
		done += shared->done[i];
		refused += shared->refused[i];
		/* 20,000 calls include each command at least about ten times */
		expect(shared->done[i] || shared->limit < 10000, "%s was never done",
		       shapes[i].name);
	}
	printf("# %lu calls: %lu commands done, %lu refused, %lu mappings, ", shared->limit, done,
	       refused, (unsigned long)shared->maps);
	printf("%lu descriptors passed, %lu processes, %lu killed\n",
	       (unsigned long)shared->passed, (unsigned long)shared->ends,
	       (unsigned long)shared->kills);
}

static void say_crowds(void)
{
	const struct crowd_counts *crowds = &shared->crowds;

	printf("# %lu crowds: %lu sessions, %lu refused (EDQUOT), %lu events, %lu refused (ENOSPC), ",
	       (unsigned long)crowds->crowds, (unsigned long)crowds->sessions,
	       (unsigned long)crowds->at_limit, (unsigned long)crowds->events,
	       (unsigned long)crowds->full);
	printf("at most %lu in a session\n", (unsigned long)crowds->largest);
}

static void say_reached(void)
{
	if (!tracers[0].area)
		printf("# no KCOV: the calls are not guided\n");
	else
		printf("# %lu places of the driver reached, %lu sequences kept, %lu processes guided\n",
		       (unsigned long)reached->places, (unsigned long)reached->kept,
		       (unsigned long)shared->led);
}

static bool fuzz_while_cpus_move(uint64_t seed)
{
	bool good;

	roll_begin(seed);
	moving_begin(&shared->moving, roll);
	good = fuzz(seed);
	moving_end(&shared->moving);
	printf("# %lu CPU hotplug operations\n", (unsigned long)shared->moving.moves);
	return good;
}

/* Map memory that all processes share, of a file if one is given */
static void *shared_memory(size_t size, const char *file)
{
	int fd = file ? open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	void *at;

	must(!file || (fd >= 0 && !ftruncate(fd, size)), "%s: %m", file);
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | (file ? 0 : MAP_ANONYMOUS),
		  fd, 0);
	must(at != MAP_FAILED, "mmap: %m");
	return at;
}

/* Return the index of the first argument that is no option; 0: invalid option */
static int options_read(int argc, char **argv)
{
	const char *file = NULL;
	int option;

	shared = shared_memory(sizeof(*shared), NULL);
	while ((option = getopt(argc, argv, "+cuk:")) != -1) {
		if (option == 'c')
			shared->crowds.large = true;
		else if (option == 'u')
			shared->unled = true;
		else if (option == 'k')
			file = optarg;
		else
			return 0;
	}
	reached = shared_memory(sizeof(*reached), file);
	for (unsigned int i = 0; i < WORKERS; i++)
		tracers[i] = tracer_make();
	return optind;
}

int main(int argc, char **argv)
{
	int at = options_read(argc, argv), rest = argc - at;
	uint64_t seed = (rest > 1 ? strtoull(argv[at + 1], NULL, 0) : 1) << 32;
	unsigned int free_before;
	bool good;

	if (!at || rest < 1 || rest > 3 + MAX_MOVING)
		return 2;
	must(!socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, post), "socketpair: %m");
	shared->limit = strtoul(argv[at], NULL, 0);
	shared->rest_us = rest > 2 ? strtoul(argv[at + 2], NULL, 0) : 0;
	for (int i = at + 3; i < argc; i++)
		shared->moving.cpu[shared->moving.nr++] = strtoul(argv[i], NULL, 0);
	crowd_allow();
	everybody_may_count();
	making_begin();
	free_before = counters_free();
	fflush(stdout);
	good = shared->moving.nr ? fuzz_while_cpus_move(seed) : fuzz(seed);
	close(post[0]);
	close(post[1]);		/* this also closes the descriptors in flight */
	wait_for(!something_is_claimed());
	wait_for(counters_free() >= free_before);
	only_root_may_count();
	say_counts();
	say_crowds();
	say_reached();
	printf("KTAP version 1\n%s 1 fuzz\n1..1\n", good && !failures ? "ok" : "not ok");
	return good && !failures ? 0 : 1;
}
