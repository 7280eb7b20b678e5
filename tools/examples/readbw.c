// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * readbw [N]: print the memory read bandwidth once a second, N times or until it is ended, using
 * only the uapi header.
 *
 * Counts the event CAS_COUNT.RD (64 bytes each) on every memory channel of the machine.  One
 * READ returns the counts of all channels at one instant.  Client processors do not have this
 * event.  There it reads the free-running counter of reads of each memory controller.
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

static void check(int result, const char *name)
{
	if (result >= 0)
		return;
	perror(name);
	exit(1);
}

/*
 * Event codes of CAS_COUNT.RD on each platform; since gnr each half of a channel has its event. On
 * nhm and wsm, QMC_NORMAL_READS.ANY counts the reads of all channels.
 */
struct code {
	uint16_t event;
	uint16_t umask;
};

static const struct {
	const char *platform;
	unsigned int nr;
	struct code codes[2];
} cas_count_rd[] = {
	{ "snbep", 1, { { 0x04, 0x03 } } },
	{ "ivbep", 1, { { 0x04, 0x03 } } },
	{ "hswep", 1, { { 0x04, 0x03 } } },
	{ "bdxep", 1, { { 0x04, 0x03 } } },
	{ "bdxde", 1, { { 0x04, 0x03 } } },
	{ "skx", 1, { { 0x04, 0x03 } } },
	{ "clx", 1, { { 0x04, 0x03 } } },
	{ "cpx", 1, { { 0x04, 0x03 } } },
	{ "icx", 1, { { 0x04, 0x0f } } },
	{ "snr", 1, { { 0x04, 0x0f } } },
	{ "spr", 1, { { 0x05, 0xcf } } },
	{ "emr", 1, { { 0x05, 0xcf } } },
	{ "gnr", 2, { { 0x05, 0xcf }, { 0x06, 0xcf } } },
	{ "srf", 2, { { 0x05, 0xcf }, { 0x06, 0xcf } } },
	{ "grr", 2, { { 0x05, 0xcf }, { 0x06, 0xcf } } },
	{ "cwf", 2, { { 0x05, 0xcf }, { 0x06, 0xcf } } },
	{ "nhm", 1, { { 0x2c, 0x07 } } },
	{ "wsm", 1, { { 0x2c, 0x07 } } },
};

#define NR_PLATFORMS	(sizeof(cas_count_rd) / sizeof(cas_count_rd[0]))

/* Return the index of the machine's platform; NR_PLATFORMS if it has no event for memory reads */
static unsigned int platform_find(int device)
{
	struct ucore_get_info info = { .size = sizeof(info) };
	unsigned int i = 0;

	check(ioctl(device, UCORE_GET_INFO, &info), "GET_INFO");
	while (i < NR_PLATFORMS && strcmp(cas_count_rd[i].platform, info.platform))
		i++;
	return i;
}

/* Add the free-running counter of memory reads, which is the first one of each imc_free box */
static void free_running_add(int session, uint32_t box)
{
	struct ucore_add_event add = {
		.size = sizeof(add), .box = box, .counters = 1ULL << UCORE_COUNTER_FIXED,
	};

	check(ioctl(session, UCORE_ADD_EVENT, &add), "ADD_EVENT");
}

static void event_add(int session, uint32_t box, const struct code *code)
{
	struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = code->event },
		{ .field = UCORE_FIELD_UMASK, .value = code->umask },
	};
	struct ucore_add_event add = {
		.size = sizeof(add), .box = box, .nr_terms = 2, .terms = (uintptr_t)terms,
	};

	check(ioctl(session, UCORE_ADD_EVENT, &add), "ADD_EVENT");
}

static void events_of_box_add(int session, uint32_t box, unsigned int platform)
{
	for (unsigned int c = 0; c < cas_count_rd[platform].nr; c++)
		event_add(session, box, &cas_count_rd[platform].codes[c]);
}

static unsigned int events_add(int device, int session)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	struct ucore_get_boxes get = {
		.size = sizeof(get), .nr = MAX_BOXES, .boxes = (uintptr_t)boxes,
	};
	unsigned int platform = platform_find(device), nr = 0;

	check(ioctl(device, UCORE_GET_BOXES, &get), "GET_BOXES");
	for (unsigned int i = 0; i < get.nr; i++) {
		if (strcmp(boxes[i].type, "imc_free") && platform == NR_PLATFORMS)
			continue;
		if (strcmp(boxes[i].type, "imc") && strcmp(boxes[i].type, "uncore") &&
		    platform < NR_PLATFORMS)
			continue;
		if (platform == NR_PLATFORMS)
			free_running_add(session, boxes[i].box);
		else
			events_of_box_add(session, boxes[i].box, platform);
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

int main(int argc, char **argv)
{
	unsigned long times = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct ucore_create_session create = { .size = sizeof(create) };
	struct ucore_command start = { .size = sizeof(start) };
	uint64_t count, time, last_count = 0, last_time;
	int device;

	if (argc > 2 || (argc == 2 && !times)) {
		fprintf(stderr, "usage: readbw [N]\n");
		return 2;
	}
	device = open(UCORE_DEVICE, O_RDWR);
	check(device, UCORE_DEVICE);
	check(ioctl(device, UCORE_CREATE_SESSION, &create), "CREATE_SESSION");
	if (!events_add(device, create.fd)) {
		fprintf(stderr, "this machine has no memory controller boxes\n");
		return 1;
	}
	check(ioctl(create.fd, UCORE_START, &start), "START");
	last_count = session_read(create.fd, &last_time);
	for (unsigned long i = 0; !times || i < times; i++) {
		sleep(1);
		count = session_read(create.fd, &time);
		printf("%10.1f MB/s\n", (double)(count - last_count) * 64 / 1e6 /
		       ((double)(time - last_time) / 1e9));
		if (fflush(stdout)) {
			perror("standard output");
			return 1;
		}
		last_count = count;
		last_time = time;
	}
	return 0;
}
