// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool verify: tests whether the hardware behaves as ucore assumes.  Users send its report for
 * processors that the developers do not have.  The report contains no private data.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify/boxes.h"
#include "cli.h"
#include "output/sink.h"

#define SECONDS_MAX	3600

struct verify_args {
	const char *report;
	uint64_t seconds;
	bool yes;
};

static const struct option_desc verify_options[] = {
	{ OPT_REPORT, "report", "FILE", "also write the findings to FILE" },
	{ OPT_SECONDS, "seconds", "N", "count clocks for N seconds (1)" },
	{ 'y', "yes", NULL, "start without confirmation" },
	{ 0 },
};

static int verify_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct verify_args *args = data;

	switch (letter) {
	case OPT_REPORT:
		args->report = value;
		return 0;
	case OPT_SECONDS:
		return parse_u64(tool, "seconds", value, 1, SECONDS_MAX, &args->seconds);
	default:
		args->yes = true;
		return 0;
	}
}

static int verify_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct verify_args *args = data;

	if (!args->seconds)
		args->seconds = 1;
	return argc ? tool_usage(tool, "unexpected argument '%s'", argv[0]) : 0;
}

/* Check that the findings could be written so far; return 0 or the exit code */
static int findings_check(const struct verify *verify)
{
	int ret = tool_written(verify->tool, NULL, sink_flush(stdout), 0);

	return verify->report ? tool_written(verify->tool, verify->report_path,
					     sink_flush(verify->report), ret) : ret;
}

/* Print which checks will run, before the hardware is accessed; return 0 or the exit code */
static int plan_print(const struct verify *verify)
{
	printf("ucoretool verify will\n"
	       "- test each of %u boxes unless it is in use: write its controls and counters, stop\n"
	       "  and freeze it; a die on which nothing counts is frozen for about 100 us each time\n"
	       "- count clocks for %llu s, and memory reads and writes of its own\n"
	       "- let a box of each type interrupt each CPU of its die a few times, or let each box\n"
	       "  overflow once on platforms without overflow interrupts\n"
	       "This takes about a second more, and some ms for each CPU and type of box.\n"
	       "Other sessions continue to count, but their boxes are not tested: stop them first.\n"
	       "Interrupts to CPUs outside the caller's affinity need CAP_SYS_NICE (root).\n\n",
	       ucore_device_info(verify->dev)->nr_boxes, (unsigned long long)verify->seconds);
	return findings_check(verify);
}

/* Let the user confirm the checks, unless @yes (--yes); return 0 or the exit code */
static int plan_confirm(struct tool *tool, bool yes)
{
	char answer[16];

	if (yes)
		return 0;
	if (!isatty(STDIN_FILENO))
		return tool_usage(tool, "standard input: not a terminal. Use --yes to start without confirmation");
	printf("Start? [y/N] ");
	fflush(stdout);
	if (fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y'))
		return 0;
	return tool_error(tool, "not confirmed, nothing was done");
}

static void report_head(const struct verify *verify)
{
	const struct ucore_get_info *info = ucore_device_info(verify->dev);

	if (verify->report)
		fprintf(verify->report,
			"ucore %s, ABI %u, platform %s, family %u model %u stepping %u, %u boxes on %u domains\n\n",
			UCORE_VERSION, info->abi, info->platform, info->family, info->model,
			info->stepping, info->nr_boxes, info->nr_domains);
}

static void end_write(const struct verify *verify, FILE *stream)
{
	verify_types(verify, stream);
	fprintf(stream, "\n%u passed, %u failed, %u not tested\n", verify->count[VERDICT_PASSED],
		verify->count[VERDICT_FAILED], verify->count[VERDICT_NOT_TESTED]);
}

static int checks_run(struct verify *verify)
{
	static void (*const checks[])(struct verify *verify) = {
		verify_clocks, verify_memory, verify_interrupts,
	};
	int ret;

	report_head(verify);
	verify_discovery(verify);
	ret = verify_selftests(verify);
	if (ret)
		return tool_fail(verify->tool, ret);
	/* read the boxes again: the self-tests may have removed capabilities and reduced widths */
	ret = ucore_device_refresh(verify->dev, &verify->tool->err);
	if (ret)
		return tool_fail(verify->tool, ret);
	ret = findings_check(verify);
	for (size_t i = 0; i < ARRAY_SIZE(checks) && !ret; i++) {
		checks[i](verify);
		ret = findings_check(verify);
	}
	if (ret)
		return ret;
	end_write(verify, stdout);
	if (verify->report)
		end_write(verify, verify->report);
	return verify->count[VERDICT_FAILED] ? EXIT_FAILURE : 0;
}

static int machine_verify(struct verify *verify, const struct verify_args *args)
{
	struct tool *tool = verify->tool;
	int code = plan_print(verify);

	if (!code)
		code = plan_confirm(tool, args->yes);
	if (code)
		return code;
	if (args->report) {
		verify->report = sink_create(args->report);
		verify->report_path = args->report;
		if (!verify->report)
			return tool_error(tool, "%s: cannot create: %s", args->report,
					  strerror(errno));
	}
	code = checks_run(verify);
	if (verify->report)
		code = tool_written(tool, args->report, sink_close(verify->report), code);
	free(verify->selftests);
	return code;
}

static int verify_run(struct tool *tool, const void *data)
{
	const struct verify_args *args = data;
	struct verify verify = { .tool = tool, .seconds = args->seconds };
	int ret = ucore_device_open(tool->device, tool->sys, &verify.dev, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	ret = ucore_device_ready(verify.dev, &tool->err);
	ret = ret ? tool_fail(tool, ret) : machine_verify(&verify, args);
	ucore_device_close(verify.dev);
	return ret;
}

const struct command command_verify = {
	.name = "verify",
	.summary = "test whether the hardware behaves as ucore assumes",
	.options = { verify_options },
	.args_size = sizeof(struct verify_args),
	.option = verify_option,
	.finish = verify_finish,
	.run = verify_run,
};
