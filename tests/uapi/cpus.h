/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers that take CPUs offline and online.  They need root.
 */
#ifndef UAPI_CPUS_H
#define UAPI_CPUS_H

#include "harness.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define MAX_MOVING	32

/* Take a CPU offline or online; return false (EBUSY) while the machine is about to suspend */
static inline bool cpu_set(unsigned int cpu, bool online)
{
	char path[64];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	must(fd >= 0, "%s: %m", path);
	done = write(fd, online ? "1" : "0", 1) == 1;
	must(done || errno == EBUSY, "%s: %m", path);
	close(fd);
	return done;
}

/**
 * struct moving - CPUs that go offline and online at random; in shared memory
 * @nr: number of CPUs
 * @cpu: CPU numbers
 * @moves: number of changes so far
 * @enough: set to end the changes, with all CPUs online
 * @pid: process that makes the changes
 */
struct moving {
	unsigned int nr, cpu[MAX_MOVING];
	atomic_ulong moves;
	atomic_bool enough;
	pid_t pid;
};

/* Change CPUs until @enough is set; @pick(n) returns a random number below n */
static inline void moving_run(struct moving *moving, uint32_t (*pick)(uint32_t))
{
	bool away[MAX_MOVING] = { false };
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!moving->enough) {
		i = pick(moving->nr);
		if (!cpu_set(moving->cpu[i], away[i]))
			continue;
		away[i] = !away[i];
		moving->moves++;
	}
	for (i = 0; i < moving->nr; i++)
		while (away[i] && !cpu_set(moving->cpu[i], true))
			usleep(1000);
	_exit(0);
}

static inline void moving_begin(struct moving *moving, uint32_t (*pick)(uint32_t))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	must(pid >= 0, "fork: %m");
	if (!pid)
		moving_run(moving, pick);
	moving->pid = pid;	/* set by the parent only, because the child shares @moving */
}

/* End the changes; all CPUs are online afterwards */
static inline void moving_end(struct moving *moving)
{
	int status;

	moving->enough = true;
	must(waitpid(moving->pid, &status, 0) == moving->pid, "waitpid: %m");
	must(!status, "CPUs: status %#x", status);
}

#endif
