// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * readbw: memory read bandwidth once a second, with nothing but the uapi header.
 *
 * Counts CAS_COUNT.RD (event 0x04, umask 0x03; 64 bytes each) on every memory
 * channel of the machine.  One READ returns all of them, taken at one instant.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <ucore.h>

#define MAX_BOXES	4096
#define MAX_DOMAINS	64

static void check(int result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

static unsigned int events_add(int device, int session)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x04 },
		{ .field = UCORE_FIELD_UMASK, .value = 0x03 },
	};
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = MAX_BOXES, .boxes = (uintptr_t)boxes,
	};
	unsigned int nr = 0;

	check(ioctl(device, UCORE_GET_BOXES, &get), "GET_BOXES");
	for (unsigned int i = 0; i < get.nr; i++) {
		struct ucore_event_add add = {
			.size = sizeof(add), .box = boxes[i].box,
			.nr_terms = 2, .terms = (uintptr_t)terms,
		};

		if (strcmp(boxes[i].type, "imc"))
			continue;
		check(ioctl(session, UCORE_EVENT_ADD, &add), "EVENT_ADD");
		nr++;
	}
	return nr;
}

static uint64_t session_read(int session, uint64_t *time)
{
	static struct ucore_value values[MAX_BOXES];
	static struct ucore_read_domain domains[MAX_DOMAINS];
	struct ucore_read read = {
		.size = sizeof(read), .nr_values = MAX_BOXES, .nr_domains = MAX_DOMAINS,
		.values = (uintptr_t)values, .domains = (uintptr_t)domains,
	};
	uint64_t sum = 0;

	check(ioctl(session, UCORE_READ, &read), "READ");
	for (unsigned int i = 0; i < read.nr_values; i++)
		sum += values[i].count;
	*time = domains[0].time;
	return sum;
}

int main(void)
{
	struct ucore_create_session create = { .size = sizeof(create) };
	struct ucore_command start = { .size = sizeof(start) };
	uint64_t count, time, last_count = 0, last_time;
	int device = open(UCORE_DEVICE, O_RDWR);

	check(device, UCORE_DEVICE);
	check(ioctl(device, UCORE_CREATE_SESSION, &create), "CREATE_SESSION");
	if (!events_add(device, create.fd)) {
		fprintf(stderr, "no memory controllers here\n");
		return 1;
	}
	check(ioctl(create.fd, UCORE_START, &start), "START");
	last_count = session_read(create.fd, &last_time);
	for (;;) {
		sleep(1);
		count = session_read(create.fd, &time);
		printf("%10.1f MiB/s\n", (double)(count - last_count) * 64 / (1 << 20) /
		       ((double)(time - last_time) / 1e9));
		fflush(stdout);
		last_count = count;
		last_time = time;
	}
}
