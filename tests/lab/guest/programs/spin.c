// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the CPU time that remains for a loop, by counting its turns.
 *
 *	spin CPU [CPU]...	runs on each CPU; for the first CPU prints "TIME TURNS" every
 *				20 ms, TIME in ns of CLOCK_MONOTONIC, until it is killed
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS		20000000
#define TURNS		20000	/* turns between two readings of the clock */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int pin(const char *cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)atoi(cpu), &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static void spin(uint64_t turns)
{
	for (volatile uint64_t i = 0; i < turns; i++)
		;
}

int main(int argc, char **argv)
{
	uint64_t turns = 0, last = 0, now;
	int i;

	for (i = argc - 1; i > 1; i--) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (pin(argv[i]))
			return 1;
		for (;;)
			spin(TURNS);
	}
	if (argc < 2 || pin(argv[1])) {
		perror("spin");
		return 1;
	}
	for (;;) {
		spin(TURNS);
		turns += TURNS;
		now = now_ns();
		if (now - last < STEP_NS)
			continue;
		last = now;
		printf("%llu %llu\n", (unsigned long long)now, (unsigned long long)turns);
		fflush(stdout);
	}
}
