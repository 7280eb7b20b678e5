// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time commands with inputs of growing size. On the clocked machine the time is the number of
 * instructions plus the prices of register accesses:
 *
 *	costs events N...	sessions of N events, in as many groups as N needs
 *	costs box N...		sessions of N events on one box, in N groups
 *	costs boxes N...	sessions with one event on each of N boxes
 *	costs running N...	N sessions that count on one die, with one event each
 *	costs sessions N...	N sessions without events
 *
 * Prints "COMMAND N NS" lines. NS is the shortest time of some tries, because the kernel's own
 * interrupts fall into others. A START is between two markers in the model's log, which has the
 * time for which the die was frozen.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "ucore.h"

#define MAX_BOXES	2048
#define MAX_DOMAINS	64
#define MAX_SESSIONS	20000
#define PAGE		128
#define TRIES		8
#define MARKER_PORT	0x5c0
#define BEFORE_START	1
#define AFTER_START	2
#define SECOND		1000000000ULL
#define SLICE		(SECOND / 20)

static int device;
static struct ucore_box_info boxes[MAX_BOXES];
static unsigned int nr_boxes;
static struct ucore_value values[UCORE_EVENTS_MAX];
static uint64_t running[UCORE_EVENTS_MAX];
static struct ucore_read_domain domains[MAX_DOMAINS];

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

/* Give a command, which must succeed, or fail with @wanted. Return its time (ns). */
static uint64_t timed(int fd, unsigned long command, void *arg, int wanted)
{
	uint64_t from = now_ns(), ns;
	int ret = ioctl(fd, command, arg) ? errno : 0;

	ns = now_ns() - from;
	if (ret == wanted)
		return ns;
	printf("command %#lx: %s\n", command, strerror(ret));
	exit(1);
}

static uint64_t simple(int fd, unsigned long command)
{
	struct ucore_command arg = { .size = sizeof(arg) };

	return timed(fd, command, &arg, 0);
}

static void shortest(uint64_t *least, uint64_t ns)
{
	if (!*least || ns < *least)
		*least = ns;
}

static void show(const char *command, unsigned int n, uint64_t ns)
{
	printf("%s %u %llu\n", command, n, (unsigned long long)ns);
}

static uint64_t start(int fd)
{
	uint64_t ns;

	outb(BEFORE_START, MARKER_PORT);
	ns = simple(fd, UCORE_START);
	outb(AFTER_START, MARKER_PORT);
	return ns;
}

/* ---- one session with events ---- */

static int create(uint64_t rotate_ns)
{
	struct ucore_create_session arg = { .size = sizeof(arg), .rotate_ns = rotate_ns };

	timed(device, UCORE_CREATE_SESSION, &arg, 0);
	return arg.fd;
}

static uint64_t add(int fd, uint32_t box, uint64_t counters, uint32_t group, uint32_t *event,
		    int wanted)
{
	struct ucore_add_event arg = {
		.size = sizeof(arg), .box = box, .counters = counters, .group = group,
	};
	uint64_t ns = timed(fd, UCORE_ADD_EVENT, &arg, wanted);

	*event = arg.event;
	return ns;
}

static uint64_t drop(int fd, uint32_t event)
{
	struct ucore_remove_event arg = { .size = sizeof(arg), .event = event };

	return timed(fd, UCORE_REMOVE_EVENT, &arg, 0);
}

static uint64_t read_counts(int fd, unsigned int n)
{
	struct ucore_read arg = {
		.size = sizeof(arg), .nr_values = n, .nr_domains = MAX_DOMAINS,
		.values = (uintptr_t)values, .running = (uintptr_t)running,
		.domains = (uintptr_t)domains,
	};

	return timed(fd, UCORE_READ, &arg, 0);
}

/* Time all commands of a session with @n events. */
static void time_session(int fd, unsigned int n)
{
	uint64_t begin = 0, stop = 0, reset = 0, read = 0, stopped = 0, status = 0, budget = 0;
	struct ucore_get_status st = { .size = sizeof(st) };
	struct ucore_get_budget bu = { .size = sizeof(bu) };

	for (int i = 0; i < TRIES; i++) {
		shortest(&begin, start(fd));
		shortest(&read, read_counts(fd, n));
		shortest(&reset, simple(fd, UCORE_RESET));
		shortest(&stop, simple(fd, UCORE_STOP));
		shortest(&stopped, read_counts(fd, n));
		shortest(&status, timed(fd, UCORE_GET_STATUS, &st, 0));
		shortest(&budget, timed(fd, UCORE_GET_BUDGET, &bu, 0));
	}
	show("START", n, begin);
	show("READ", n, read);
	show("RESET", n, reset);
	show("STOP", n, stop);
	show("READ-stopped", n, stopped);
	show("GET_STATUS", n, status);
	show("GET_BUDGET", n, budget);
}

/* Time the switches from one group to the next: what the driver counts as cost in some slices. */
static void time_switch(int fd, unsigned int n)
{
	const struct timespec some = { .tv_nsec = TRIES * SLICE + SLICE / 2 };
	struct ucore_get_status before = { .size = sizeof(before) }, after = before;

	simple(fd, UCORE_START);
	timed(fd, UCORE_GET_STATUS, &before, 0);
	nanosleep(&some, NULL);
	timed(fd, UCORE_GET_STATUS, &after, 0);
	simple(fd, UCORE_STOP);
	show("switch", n, (after.cost_ns - before.cost_ns) / TRIES);
	show("switch-frozen", n, (after.frozen_ns - before.frozen_ns) / TRIES);
}

static void time_end(int fd, unsigned int n)
{
	uint64_t from = now_ns();

	close(fd);
	show("close", n, now_ns() - from);
}

/* Add @n events: to all counters of all boxes in group 1, then in group 2, and so on. */
static void time_events(unsigned int n)
{
	uint64_t last = 0, dropped = 0;
	unsigned int nr = 0, b, c;
	int fd = create(SLICE);
	uint32_t event = 0;

	for (uint32_t group = 1; nr < n && group <= UCORE_GROUP_MAX; group++) {
		for (b = 0; nr < n && b < nr_boxes; b++) {
			for (c = 0; nr < n && c < boxes[b].nr_counters; c++, nr++)
				add(fd, boxes[b].box, 1ULL << c, group, &event, 0);
			if (nr < n)
				continue;
			for (int i = 0; i < TRIES; i++) {
				shortest(&dropped, drop(fd, event));
				shortest(&last, add(fd, boxes[b].box, 1ULL << (c - 1), group,
						    &event, 0));
			}
		}
	}
	if (nr < n) {
		printf("only %u counters in all groups\n", nr);
		exit(1);
	}
	show("ADD_EVENT", n, last);
	show("REMOVE_EVENT", n, dropped);
	time_session(fd, n);
	time_switch(fd, n);
	time_end(fd, n);
}

/* Add events to one box: as many as it has counters in each of @n groups. */
static void time_box(unsigned int n)
{
	const struct ucore_box_info *box = boxes;
	uint64_t last = 0, dropped = 0, refused = 0;
	uint32_t event = 0, none;
	int fd = create(SECOND);

	while (!box->nr_counters)
		box++;
	for (unsigned int group = 1; group <= n; group++)
		for (unsigned int c = 0; c < box->nr_counters; c++)
			add(fd, box->box, 0, group, &event, 0);
	for (int i = 0; i < TRIES; i++) {
		shortest(&refused, add(fd, box->box, 0, 0, &none, ENOSPC));
		shortest(&dropped, drop(fd, event));
		shortest(&last, add(fd, box->box, 0, n, &event, 0));
	}
	show("ADD_EVENT", n, last);
	show("ADD_EVENT-refused", n, refused);
	show("REMOVE_EVENT", n, dropped);
	close(fd);
}

/* A session with one event on each of @n boxes */
static void time_boxes(unsigned int n)
{
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = n, .boxes = (uintptr_t)boxes,
	};
	uint64_t listed = 0, last = 0;
	unsigned int nr = 0, b;
	int fd = create(0);
	uint32_t event = 0;

	for (b = 0; nr < n && b < nr_boxes; b++)
		if (boxes[b].nr_counters && ++nr)
			add(fd, boxes[b].box, 1, 0, &event, 0);
	if (nr < n) {
		printf("only %u boxes\n", nr);
		exit(1);
	}
	for (int i = 0; i < TRIES; i++) {
		drop(fd, event);
		shortest(&last, add(fd, boxes[b - 1].box, 1, 0, &event, 0));
		shortest(&listed, timed(device, UCORE_GET_BOXES, &get, 0));
	}
	show("ADD_EVENT", n, last);
	show("GET_BOXES", n, listed);
	time_session(fd, n);
	time_end(fd, n);
}

/* ---- many sessions ---- */

static int fds[MAX_SESSIONS];

static void close_all(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		close(fds[i]);
}

/* Time the last of @n sessions, all of which count one event on the first die. */
static void time_running(unsigned int n)
{
	unsigned int nr = 0;
	uint32_t event;

	for (unsigned int b = 0; nr < n && b < nr_boxes; b++) {
		for (unsigned int c = 0; nr < n && c < boxes[b].nr_counters; c++) {
			fds[nr] = create(0);
			add(fds[nr], boxes[b].box, 1ULL << c, 0, &event, 0);
			if (++nr < n)
				start(fds[nr - 1]);
		}
	}
	if (nr < n) {
		printf("only %u counters\n", nr);
		exit(1);
	}
	time_session(fds[n - 1], n);
	time_end(fds[n - 1], n);
	close_all(n - 1);
}

static struct ucore_session_info infos[PAGE];

/* List all sessions. Set @page to the time of the slowest of the calls, each of one page. */
static uint64_t list(unsigned int n, uint64_t *page)
{
	struct ucore_get_sessions get = {
		.size = sizeof(get), .nr = PAGE, .sessions = (uintptr_t)infos,
	};
	uint64_t all = 0, ns;
	unsigned int nr = 0;

	*page = 0;
	while (get.nr) {
		get.nr = PAGE;
		ns = timed(device, UCORE_GET_SESSIONS, &get, 0);
		all += ns;
		nr += get.nr;
		if (!get.nr)
			break;
		get.after = infos[get.nr - 1].session;
		if (ns > *page)
			*page = ns;
	}
	if (nr == n)
		return all;
	printf("%u sessions instead of %u\n", nr, n);
	exit(1);
}

static void time_sessions(unsigned int n)
{
	const struct rlimit files = { MAX_SESSIONS + 100, MAX_SESSIONS + 100 };
	uint64_t made = 0, ended = 0, all = 0, page, from;
	unsigned int i;

	if (setrlimit(RLIMIT_NOFILE, &files)) {
		perror("setrlimit");
		exit(1);
	}
	for (i = 0; i < n; i++)
		fds[i] = create(0);
	for (i = 0; i < TRIES; i++) {
		from = now_ns();
		close(fds[n - 1]);
		shortest(&ended, now_ns() - from);
		from = now_ns();
		fds[n - 1] = create(0);
		shortest(&made, now_ns() - from);
		shortest(&all, list(n, &page));
	}
	show("CREATE_SESSION", n, made);
	show("close", n, ended);
	show("GET_SESSIONS-all", n, all);
	show("GET_SESSIONS-page", n, page);
	close_all(n);
}

static const struct {
	const char *name;
	void (*run)(unsigned int n);
} kinds[] = {
	{ "events", time_events }, { "box", time_box }, { "boxes", time_boxes },
	{ "running", time_running }, { "sessions", time_sessions },
};

int main(int argc, char **argv)
{
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = MAX_BOXES, .boxes = (uintptr_t)boxes,
	};

	device = open("/dev/ucore", O_RDONLY | O_CLOEXEC);
	if (device < 0 || iopl(3)) {
		perror("/dev/ucore or iopl");
		return 1;
	}
	timed(device, UCORE_GET_BOXES, &get, 0);
	nr_boxes = get.nr;
	for (unsigned int kind = 0; argc > 1 && kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		if (strcmp(argv[1], kinds[kind].name))
			continue;
		for (int i = 2; i < argc; i++)
			kinds[kind].run(strtoul(argv[i], NULL, 0));
		return 0;
	}
	return 2;
}
