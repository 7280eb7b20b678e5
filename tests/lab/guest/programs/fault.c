// SPDX-License-Identifier: GPL-2.0-only
/*
 * A known number of page faults: a core event for tests to count.
 *
 *	fault CPU	prints its pid; then for each line "N K" touches N new pages on that CPU,
 *			makes the kernel touch K new pages, and prints the numbers of its page
 *			faults that perf has counted, all and those in user mode.  The accesses of
 *			user mode and of the kernel alternate
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define PAGE	4096

static void touch(unsigned long pages, unsigned long kernel)
{
	size_t size = (pages + kernel) * PAGE;
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = map;

	madvise(map, size, MADV_NOHUGEPAGE);
	for (unsigned long i = 0; i < pages || i < kernel; i++) {
		if (i < pages) {
			*(volatile char *)at = 1;
			at += PAGE;
		}
		if (i < kernel) {
			uname((struct utsname *)at);	/* the kernel writes to the page */
			at += PAGE;
		}
	}
	munmap(map, size);
}

/* Open a counter of this process's page faults; @user: only those in user mode */
static int counter_open(int user)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS, .exclude_kernel = !!user,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

int main(int argc, char **argv)
{
	unsigned long pages, kernel;
	uint64_t count[2];
	cpu_set_t set;
	int fd[2];

	if (argc < 2)
		return 2;
	CPU_ZERO(&set);
	CPU_SET((unsigned int)atoi(argv[1]), &set);
	for (int i = 0; i < 2; i++)
		fd[i] = counter_open(i);
	if (fd[0] < 0 || fd[1] < 0 || sched_setaffinity(0, sizeof(set), &set)) {
		perror("fault");
		return 1;
	}
	printf("%d\n", getpid());
	fflush(stdout);
	while (scanf("%lu %lu", &pages, &kernel) == 2) {
		touch(pages, kernel);
		for (int i = 0; i < 2; i++)
			if (read(fd[i], &count[i], sizeof(count[i])) != sizeof(count[i]))
				return 1;
		printf("%llu %llu\n", (unsigned long long)count[0], (unsigned long long)count[1]);
		fflush(stdout);
	}
	return 0;
}
