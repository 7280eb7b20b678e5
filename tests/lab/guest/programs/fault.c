// SPDX-License-Identifier: GPL-2.0-only
/*
 * A known number of page faults: a core event for tests to count.
 *
 *	fault CPU	prints its pid; then for each line "N" touches N new pages on that
 *			CPU, and prints the number of its page faults that perf has counted
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE	4096

static void touch(unsigned long pages)
{
	volatile char *map = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)map, pages * PAGE, MADV_NOHUGEPAGE);
	for (unsigned long i = 0; i < pages; i++)
		map[i * PAGE] = 1;
	munmap((void *)map, pages * PAGE);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
	};
	uint64_t count = 0;
	unsigned long n;
	cpu_set_t set;
	long fd;

	if (argc < 2)
		return 2;
	CPU_ZERO(&set);
	CPU_SET((unsigned int)atoi(argv[1]), &set);
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0 || sched_setaffinity(0, sizeof(set), &set)) {
		perror("fault");
		return 1;
	}
	printf("%d\n", getpid());
	fflush(stdout);
	while (scanf("%lu", &n) == 1) {
		touch(n);
		if (read((int)fd, &count, sizeof(count)) != sizeof(count))
			return 1;
		printf("%llu\n", (unsigned long long)count);
		fflush(stdout);
	}
	return 0;
}
