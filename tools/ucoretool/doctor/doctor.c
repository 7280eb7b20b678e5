// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool doctor: checks whether this machine can use ucore, and advises how to fix each
 * problem.  Reads the device and files below --root (/), and modifies nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doctor/doctor.h"

#define CAP_SYS_ADMIN_BIT	21
#define CAP_PERFMON_BIT		38

struct doctor_args {
	const char *root;
	struct out out;
};

static const struct option_desc doctor_options[] = {
	{ 'j', "json", NULL, "print JSON lines" },
	{ OPT_ROOT, "root", "DIR", "read /proc, /sys, /lib and /dev below DIR" },
	{ 0 },
};

static int doctor_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct doctor_args *args = data;

	(void)tool;
	if (letter == OPT_ROOT)
		args->root = value;
	else
		args->out.format = OUT_JSON;
	return 0;
}

static int doctor_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct doctor_args *args = data;

	args->out.stream = stdout;
	if (!args->root)
		args->root = "";
	return argc ? tool_usage(tool, "unexpected argument '%s'", argv[0]) : 0;
}

/* ---- permissions ------------------------------------------------------- */

static void check_context(struct doctor *doctor)
{
	unsigned long long caps = 0;
	char status[8192];
	const char *line;

	doctor_file_read(doctor, "/proc/self/status", status, sizeof(status));
	line = strstr(status, "\nCapEff:");
	if (!line || sscanf(line, "\nCapEff: %llx", &caps) != 1)
		return;
	if (caps >> CAP_PERFMON_BIT & 1 || caps >> CAP_SYS_ADMIN_BIT & 1)
		doctor_report(doctor, VERDICT_OK, "context", NULL,
			      "samples contain the interrupted address and process (CAP_PERFMON)");
	else
		doctor_report(doctor, VERDICT_WARNING, "context",
			      "setcap cap_perfmon+ep on ucoretool, or run as root",
			      "no CAP_PERFMON: samples have no ip, pid and tid; events of cores, and filters by address, core, thread or opcode, are refused");
}

static void check_paranoid(struct doctor *doctor)
{
	char level[16];

	doctor_file_read(doctor, "/proc/sys/kernel/perf_event_paranoid", level, sizeof(level));
	level[strcspn(level, "\n")] = 0;
	if (*level)
		doctor_report(doctor, VERDICT_OK, "paranoid", NULL,
			      "kernel.perf_event_paranoid = %s is not used: the mode of the device node and CAP_PERFMON decide",
			      level);
}

/* ---- run --------------------------------------------------------------- */

static void device_open(struct doctor *doctor)
{
	struct tool *tool = doctor->tool;

	doctor->open_error = ucore_device_open(tool->device, tool->sys, &doctor->dev, &tool->err);
	if (doctor->open_error) {
		doctor->dev = NULL;
		snprintf(doctor->open_text, sizeof(doctor->open_text), "%s", tool->err.text);
	} else {
		doctor->info = ucore_device_info(doctor->dev);
	}
}

static void summary(struct doctor *doctor)
{
	struct out *out = &doctor->out;

	if (out->format != OUT_JSON) {
		fprintf(out->stream, "# problems: %u, warnings: %u\n",
			doctor->count[VERDICT_PROBLEM], doctor->count[VERDICT_WARNING]);
		return;
	}
	json_line_begin(out);
	json_begin(out, "summary", '{');
	json_number(out, "problems", doctor->count[VERDICT_PROBLEM]);
	json_number(out, "warnings", doctor->count[VERDICT_WARNING]);
	json_end(out, '}');
	json_line_end(out);
}

static int doctor_run(struct tool *tool, const void *data)
{
	const struct doctor_args *args = data;
	struct doctor doctor = { .tool = tool, .root = args->root, .out = args->out };
	bool loaded;

	device_open(&doctor);
	doctor_check_processor(&doctor);
	doctor_check_virtual(&doctor);
	loaded = doctor_check_module(&doctor);
	doctor_check_intree(&doctor);
	doctor_check_node(&doctor, loaded);
	if (doctor.dev) {
		doctor_check_boxes(&doctor);
		doctor_check_discovery(&doctor);
		doctor_check_domains(&doctor);
		doctor_check_overflow(&doctor);
		doctor_check_core(&doctor);
		doctor_check_sessions(&doctor);
		doctor_check_selftests(&doctor);
	}
	check_context(&doctor);
	check_paranoid(&doctor);
	summary(&doctor);
	ucore_device_close(doctor.dev);
	return doctor.count[VERDICT_PROBLEM] ? EXIT_FAILURE : 0;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "check whether this machine can use ucore, and show how to fix problems",
	.options = { doctor_options },
	.args_size = sizeof(struct doctor_args),
	.option = doctor_option,
	.finish = doctor_finish,
	.run = doctor_run,
};
