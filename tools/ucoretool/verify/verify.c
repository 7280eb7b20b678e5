// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool verify: is this machine what ucore takes it for?  For processors that nobody
 * of us has: what held, what failed and what could not be tried, as a report that can be
 * sent to strangers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verify/boxes.h"
#include "cli.h"

#define SECONDS_MAX	3600

struct verify_args {
	const char *report;
	uint64_t seconds;
	bool yes;
};

static const struct option_desc verify_options[] = {
	{ OPT_REPORT, "report", "FILE", "write the findings there, too" },
	{ OPT_SECONDS, "seconds", "N", "count clocks for so long (1)" },
	{ 'y', "yes", NULL, "begin without asking" },
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
	return argc ? tool_usage(tool, "'%s' is one word too many", argv[0]) : 0;
}

/* Said before anything is touched */
static void plan_say(const struct assume *assume)
{
	size_t nr;

	ucore_device_boxes(assume->dev, &nr);
	printf("ucoretool verify will\n"
	       "- try each of %zu boxes that is free: write its controls and counters, stop and\n"
	       "  freeze it; a die on which nothing runs stands still for some 100 us each time\n"
	       "- count clocks for %llu s, and reads and writes of memory of its own\n"
	       "- have a box of each type interrupt each CPU of its die, some times\n"
	       "It takes about a second beside that, and some ms for each CPU and type of box.\n"
	       "Other sessions count on, but boxes that they have are not tried: better end them.\n"
	       "CPUs other than the caller's own need CAP_SYS_NICE (root).\n\n",
	       nr, (unsigned long long)assume->seconds);
	fflush(stdout);
}

/* 0: go on */
static int plan_agreed(struct tool *tool, bool yes)
{
	char answer[16];

	if (yes)
		return 0;
	if (!isatty(STDIN_FILENO))
		return tool_usage(tool, "nobody to ask: say --yes");
	printf("Begin? [y/N] ");
	fflush(stdout);
	if (fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y'))
		return 0;
	return tool_error(tool, "nothing was done");
}

static void report_head(const struct assume *assume)
{
	const struct ucore_get_info *info = ucore_device_info(assume->dev);

	if (assume->report)
		fprintf(assume->report,
			"ucore %s, ABI %u, platform %s, family %u model %u stepping %u, %u boxes on %u domains\n\n",
			UCORE_VERSION, info->abi, info->platform, info->family, info->model,
			info->stepping, info->nr_boxes, info->nr_domains);
}

static void sum_write(const struct assume *assume, FILE *stream)
{
	fprintf(stream, "\n%u held, %u failed, %u not tried\n", assume->count[VERDICT_HELD],
		assume->count[VERDICT_FAILED], assume->count[VERDICT_NOT_TRIED]);
}

static int checks_run(struct assume *assume)
{
	int ret;

	report_head(assume);
	assume_discovery(assume);
	ret = assume_selftests(assume);
	if (ret)
		return tool_fail(assume->tool, ret);
	/* what selftests have shown is not claimed any more: widths, overflows */
	ret = ucore_device_refresh(assume->dev, &assume->tool->err);
	if (ret)
		return tool_fail(assume->tool, ret);
	assume_clocks(assume);
	assume_memory(assume);
	assume_interrupts(assume);
	sum_write(assume, stdout);
	if (assume->report)
		sum_write(assume, assume->report);
	return assume->count[VERDICT_FAILED] ? EXIT_FAILURE : 0;
}

static int machine_verify(struct assume *assume, const struct verify_args *args)
{
	struct tool *tool = assume->tool;
	int code = plan_agreed(tool, args->yes);

	if (code)
		return code;
	if (args->report) {
		assume->report = fopen(args->report, "we");
		if (!assume->report)
			return tool_error(tool, "%s: %s", args->report, strerror(errno));
	}
	code = checks_run(assume);
	if (assume->report && fclose(assume->report))
		code = tool_error(tool, "%s: %s", args->report, strerror(errno));
	free(assume->selftests);
	return code;
}

static int verify_run(struct tool *tool, const void *data)
{
	const struct verify_args *args = data;
	struct assume assume = { .tool = tool, .seconds = args->seconds };
	int ret = ucore_device_open(tool->device, tool->sys, &assume.dev, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	ret = ucore_device_ready(assume.dev, &tool->err);
	if (ret) {
		ret = tool_fail(tool, ret);
	} else {
		plan_say(&assume);
		ret = machine_verify(&assume, args);
	}
	ucore_device_close(assume.dev);
	return ret;
}

const struct command command_verify = {
	.name = "verify",
	.summary = "is the machine what ucore takes it for? tries it",
	.options = verify_options,
	.args_size = sizeof(struct verify_args),
	.option = verify_option,
	.finish = verify_finish,
	.run = verify_run,
};
