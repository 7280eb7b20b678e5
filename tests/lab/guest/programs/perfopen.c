// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open a hardware event of the kernel's perf on one CPU:
 *
 *	perfopen CPU		prints the errno, 0 for success
 *	perfopen CPU hold	counts until it is killed
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	long fd;

	if (argc < 2)
		return 2;
	fd = syscall(SYS_perf_event_open, &attr, -1, atoi(argv[1]), -1, 0);
	printf("%d\n", fd < 0 ? errno : 0);
	fflush(stdout);
	if (fd >= 0 && argc > 2 && !strcmp(argv[2], "hold"))
		pause();
	return fd < 0;
}
