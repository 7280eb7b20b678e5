// SPDX-License-Identifier: GPL-2.0-only
/*
 * uapi_faultload FILE PARAMETERS [STEP]: load ucore.ko repeatedly; each time another allocation
 * of its initialisation fails, or every STEPth. The module then fails to load with ENOMEM, or
 * has all boxes, or reports the reason.
 */
#include "faults.h"
#include "session.h"
#include <sys/syscall.h>

#define MANY		5000

static const char *file, *parameters;
static unsigned int step = 1;
static uint64_t init_start, init_end;

/* Find the kernel function that calls the init function of a module, in /proc/kallsyms */
static void find_init(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	unsigned long long at;
	char line[512], name[256];

	must(symbols, "/proc/kallsyms: %m");
	while (!init_end && fgets(line, sizeof(line), symbols)) {
		if (sscanf(line, "%llx %*c %255s", &at, name) != 2)
			continue;
		if (init_start && at > init_start)
			init_end = at;
		if (!strcmp(name, "do_one_initcall"))
			init_start = at;
	}
	fclose(symbols);
	must(init_end, "no do_one_initcall");
}

static int try_load(void)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), rc;

	must(fd >= 0, "%s: %m", file);
	rc = syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;
	close(fd);
	return rc;
}

static void unload(void)
{
	must(!syscall(SYS_delete_module, "ucore", O_NONBLOCK), "delete_module: %m");
}

static struct ucore_get_info ask_info(void)
{
	struct ucore_get_info info = { .size = sizeof(info) };
	int fd = device_open();

	do_command(fd, UCORE_GET_INFO, &info);
	close(fd);
	return info;
}

static void expect_whole(const struct ucore_get_info *whole, unsigned int n)
{
	struct ucore_get_info info = ask_info();

	if (!memcmp(whole, &info, sizeof(info)))
		return;
	expect(*info.reason, "fault %u: %u boxes of %u, %u counters of %u, and no reason", n,
	       info.nr_boxes, whole->nr_boxes, info.nr_counters, whole->nr_counters);
}

static void failed_allocations_of_loading_are_handled(const void *arg)
{
	struct fault_tally tally = { 0 };
	struct ucore_get_info whole;
	unsigned int n = 1;
	bool hit;
	int rc;

	(void)arg;
	alarm(0);	/* the caller has its own timeout */
	find_init();
	must(!try_load(), "it does not load: %m");
	whole = ask_info();
	unload();
	faults_begin();
	faults_within(init_start, init_end);
	do {
		fault_arm(n);
		rc = try_load();
		hit = fault_disarm();
		fault_judge(&tally, "loading", n, hit, rc, 0);
		if (!rc) {
			expect_whole(&whole, n);
			unload();
		}
		n += step;
	} while (hit && n < MANY && failures < MAX_COMPLAINTS);
	faults_everywhere();
	expect(!hit, "it does not end");
	must(!try_load(), "it does not load any more: %m");
	expect_whole(&whole, 0);
	unload();
	printf("# %u faults, %u refused\n", tally.injected, tally.refused);
}

int main(int argc, char **argv)
{
	static const struct test test = {
		"failed_allocations_of_loading_are_handled",
		failed_allocations_of_loading_are_handled, 0, 0
	};

	if (argc < 3)
		return 2;
	file = argv[1];
	parameters = argv[2];
	step = argc > 3 ? strtoul(argv[3], NULL, 0) : 1;
	return run_tests(&test, 1, 1, argv);
}
