// SPDX-License-Identifier: GPL-2.0-only
/*
 * uapi_faultsleep 0: suspend the machine (S3), and fail the first allocation of ucore during
 * suspend and resume. ucore must not allocate there, because no caller could get the error.
 *
 * uapi_faultsleep N: fail the Nth allocation of the kernel there. The machine must suspend
 * anyway, or report the error.
 *
 * The caller must wake the machine.
 */
#include "faults.h"

static unsigned int nth;

/* Suspend the machine once; return 0 after the resume, or -errno */
static int suspend_once(void)
{
	int fd = open("/sys/power/state", O_WRONLY), rc;

	must(fd >= 0, "/sys/power/state: %m");
	if (nth)
		faults_everywhere();
	else
		faults_within_ucore();
	fault_arm(nth ?: 1);
	rc = write(fd, "mem", 3) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

static void fault_during_suspend(const void *arg)
{
	bool hit;
	int rc;

	(void)arg;
	text_write("/sys/power/mem_sleep", "deep");
	faults_begin();
	rc = suspend_once();
	hit = fault_disarm();
	faults_everywhere();
	printf("# fault %u: %s, %s\n", nth, hit ? "injected" : "none",
	       rc ? error_name(rc) : "suspended");
	expect(nth || !hit, "ucore allocates memory during suspend");
	expect(!rc || hit, "%s without a fault", error_name(rc));
}

int main(int argc, char **argv)
{
	char name[32];
	const struct test test = { name, fault_during_suspend, 0, 0 };

	if (argc != 2)
		return 2;
	nth = strtoul(argv[1], NULL, 0);
	snprintf(name, sizeof(name), "fault_%u_of_suspend", nth);
	return run_tests(&test, 1, 1, argv);
}
