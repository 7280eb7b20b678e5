// SPDX-License-Identifier: GPL-2.0-only
/*
 * uapi_faultcpu CPU: takes a CPU offline and back, and fails the first allocation that ucore
 * makes in its thread of the kernel's.  There is none: nothing can go wrong for want of memory
 * where nobody could be told.
 */
#include "faults.h"
#include <dirent.h>

static unsigned int cpu;

static bool thread_is(const char *pid, const char *wanted)
{
	char path[300], comm[32] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	if (read(fd, comm, sizeof(comm) - 1) < 0)
		comm[0] = 0;
	close(fd);
	return !strcmp(comm, wanted);
}

/* fail-nth of the thread in which the callbacks of that CPU run */
static int thread_fail_nth(void)
{
	char wanted[32], path[300] = "";
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	must(proc, "/proc: %m");
	snprintf(wanted, sizeof(wanted), "cpuhp/%u\n", cpu);
	while (!*path && (entry = readdir(proc)))
		if (atoi(entry->d_name) && thread_is(entry->d_name, wanted))
			snprintf(path, sizeof(path), "/proc/%s/fail-nth", entry->d_name);
	closedir(proc);
	must(*path, "no thread %s", wanted);
	return open(path, O_RDWR);
}

static void cpu_set(const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
	text_write(path, text);
}

static void hotplug_needs_no_memory(const void *arg)
{
	(void)arg;
	faults_begin();
	close(fault_nth);
	fault_nth = thread_fail_nth();
	must(fault_nth >= 0, "fail-nth: %m");
	faults_within_ucore();
	fault_arm(1);
	cpu_set("0");
	cpu_set("1");
	expect(!fault_disarm(), "ucore allocates memory when a CPU goes or comes");
	faults_everywhere();
}

int main(int argc, char **argv)
{
	static const struct test test = {
		"hotplug_needs_no_memory", hotplug_needs_no_memory, 0, 0,
	};

	if (argc < 2)
		return 2;
	cpu = strtoul(argv[1], NULL, 0);
	return run_tests(&test, 1, 1, argv);
}
