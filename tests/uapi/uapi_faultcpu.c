// SPDX-License-Identifier: GPL-2.0-only
/*
 * uapi_faultcpu CPU: take a CPU offline and online, and fail the first allocation of ucore in
 * the kernel's hotplug thread. ucore must not allocate there, because no caller could get the
 * error.
 *
 * uapi_faultcpu CPU OTHER: the same with both CPUs of domain 1. READ then reports the gap, even
 * if the first copy of its result fails.
 */
#include "cpus.h"
#include "faults.h"
#include "session.h"
#include <dirent.h>

static unsigned int cpu, other;

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

/* File fail-nth of the hotplug thread that runs the callbacks of a CPU */
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

static void cpu_move(unsigned int which, bool online)
{
	must(cpu_set(which, online), "CPU %u stays as it is", which);
}

static void hotplug_works_without_memory(const void *arg)
{
	(void)arg;
	faults_begin();
	close(fault_nth);
	fault_nth = thread_fail_nth();
	must(fault_nth >= 0, "fail-nth: %m");
	faults_within_ucore();
	fault_arm(1);
	cpu_move(cpu, false);
	cpu_move(cpu, true);
	expect(!fault_disarm(), "ucore allocates memory when a CPU goes or comes");
	faults_everywhere();
}

static void each_gap_is_reported(const void *arg)
{
	static struct snapshot s;
	struct fault_tally tally = { 0 };
	int session = session_create(0, 0, 0), rc;
	unsigned int n = 0;
	bool hit;

	(void)arg;
	add_cas_reads(session, box_on_domain("imc", 0, 1), 0);
	session_start(session);
	faults_begin();
	faults_within_ucore();
	do {
		cpu_move(cpu, false);
		cpu_move(other, false);
		cpu_move(cpu, true);
		cpu_move(other, true);
		fault_arm(++n);
		rc = try_read(session, 0, &s);
		hit = fault_disarm();
		fault_judge(&tally, "READ", n, hit, rc, 0);
		if (rc)
			session_read(session, &s);
		expect(s.values[0].flags & UCORE_VALUE_F_GAP, "fault %u: flags %#x", n,
		       s.values[0].flags);
		session_read(session, &s);
		expect(!(s.values[0].flags & UCORE_VALUE_F_GAP), "fault %u: gap reported twice", n);
	} while (hit && failures < MAX_COMPLAINTS);
	faults_everywhere();
	expect(tally.refused >= 4, "only %u faults", tally.refused);
	close(session);
}

int main(int argc, char **argv)
{
	static const struct test alone = {
		"hotplug_works_without_memory", hotplug_works_without_memory, 0, 0,
	};
	static const struct test both = { "each_gap_is_reported", each_gap_is_reported, 0, 0 };

	if (argc < 2)
		return 2;
	cpu = strtoul(argv[1], NULL, 0);
	other = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;
	return run_tests(other ? &both : &alone, 1, 1, argv);
}
