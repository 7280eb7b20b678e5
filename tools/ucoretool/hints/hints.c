// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tables of options and commands of other tools, with what ucoretool has for them.
 */
#include <stdio.h>
#include <string.h>

#include "hints/hints.h"

#define MAX_NAMES	64	/* maximum number of names that are compared with a word */

/**
 * struct option_hint - option of another tool
 * @command: command of ucoretool for which the row holds, or NULL: all
 * @letter: letter of the option, or 0
 * @name: long name of the option, or NULL
 * @option: long option of ucoretool with the same meaning, or NULL.  The row holds only for
 *          commands with this option.
 * @text: sentence if there is no such option, or NULL
 */
struct option_hint {
	const char *command;
	int letter;
	const char *name;
	const char *option;
	const char *text;
};

static const char no_process[] =
	"Uncore counters count all processes. "
	"To count until process PID ends, add '-- tail --pid=PID -f /dev/null'";
static const char no_repeat[] =
	"There is no repetition. "
	"Print intervals with -I TIME --count N, or run the command several times";
static const char no_cpu[] =
	"Uncore boxes belong to dies. "
	"Select a die by die=N in the event, the CPU of a core event by cpu=N, "
	"and the CPUs that take the PMI by --pmi-cpus";

static const struct option_hint option_hints[] = {
	{ NULL, 'V', "version", NULL, "Use 'ucoretool --version'" },
	{ "stat", 'r', "repeat", NULL, no_repeat },
	{ "stat", 'p', "pid", NULL, no_process },
	{ "stat", 't', "tid", NULL, no_process },
	{ "stat", 'G', "cgroup", NULL,
	  "Uncore counters count all processes, not those of a cgroup" },
	{ "stat", 'C', "cpu", NULL, no_cpu },
	{ "stat", 0, "per-core", NULL, "Count core/EVENT/ with --per-box" },
	{ "stat", 0, "per-thread", NULL, "Count core/EVENT/ with --per-box" },
	{ "stat", 0, "per-die", "per-socket", NULL },
	{ "stat", 0, "per-channel", "per-box", NULL },
	{ "stat", 'A', "no-aggr", "per-box", NULL },
	{ "stat", 0, "no-merge", "per-box", NULL },
	{ "stat", 'd', "detailed", NULL, "Count a category of metrics: -M @memory, -M @llc" },
	{ "stat", 0, "topdown", NULL, "Count a category of metrics: -M @tma" },
	{ "stat", 'g', "group", "metric", NULL },
	{ "stat", 'S', NULL, "timeout", NULL },
	{ "stat", 0, "append", NULL, "Append with the shell: >>FILE" },
	{ "record", 'F', "freq", NULL, "Use the period of a timer: 1000 Hz is --timer 1ms" },
	{ "record", 'm', "mmap-pages", "ring-size", NULL },
	{ "record", 'g', "call-graph", NULL, "Samples contain counts and have no call chain" },
	{ "record", 0, "overwrite", "keep", NULL },
	{ "record", 0, "snapshot", "keep", NULL },
	{ "record", 0, "switch-output", "keep", NULL },
	{ "record", 'k', "clockid", NULL, "Times are always of CLOCK_MONOTONIC" },
	{ "report", 's', NULL, "sort", NULL },
	{ "report", 0, "stdio", NULL, "Text is the default" },
	{ "script", 'F', "fields", NULL, "Select columns of the CSV: -x, and cut" },
	{ "top", 'd', "delay", "interval", NULL },
	{ "top", 'b', "batch-mode", "batch", NULL },
	{ "export", 'M', "metric", NULL, "Use -e for events, and --collect for collectors" },
	{ "export", 'p', "port", "listen", NULL },
	{ NULL, 'n', "iterations", "count", NULL },
	{ NULL, 0, "interval-count", "count", NULL },
	{ NULL, 0, "interval-print", "interval", NULL },
	{ NULL, 0, "duration", "timeout", NULL },
	{ NULL, 0, "metrics", "metric", NULL },
	{ NULL, 0, "json-output", "json", NULL },
	{ NULL, 0, "csv", "field-separator", NULL },
};

/* Word that is no command, and the command line that does the work */
static const struct {
	const char *name;
	const char *line;
} command_hints[] = {
	{ "bench", "verify" },
	{ "boxes", "list boxes" },
	{ "check", "doctor" },
	{ "count", "stat" },
	{ "diag", "doctor" },
	{ "dump", "script" },
	{ "end", "revoke" },
	{ "events", "list events" },
	{ "exporter", "export" },
	{ "fields", "list fields" },
	{ "iostat", "top io" },
	{ "kill", "revoke" },
	{ "latency", "top llc" },
	{ "links", "top links" },
	{ "live", "top" },
	{ "llc", "top llc" },
	{ "mem", "top memory" },
	{ "memory", "top memory" },
	{ "metrics", "list metrics" },
	{ "monitor", "top" },
	{ "numa", "top links" },
	{ "power", "top power" },
	{ "prometheus", "export" },
	{ "sample", "record" },
	{ "selftest", "verify" },
	{ "serve", "export" },
	{ "show", "info" },
	{ "status", "doctor" },
	{ "stop", "revoke" },
	{ "test", "verify" },
	{ "topology", "list --topology" },
	{ "watch", "top" },
};

/* ---- options ----------------------------------------------------------- */

static bool has_option(const struct command *command, const char *name)
{
	for (size_t t = 0; t < MAX_TABLES && command->options[t]; t++)
		for (const struct option_desc *desc = command->options[t]; desc->letter; desc++)
			if (desc->name && !strcmp(desc->name, name))
				return true;
	return false;
}

static const struct option_hint *row_find(const struct command *command, int letter,
					  const char *name, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_hints); i++) {
		const struct option_hint *row = &option_hints[i];

		if ((row->command && strcmp(row->command, command->name)) ||
		    (row->option && !has_option(command, row->option)))
			continue;
		if (letter ? row->letter == letter :
			     row->name && strlen(row->name) == length &&
			     !strncmp(row->name, name, length))
			return row;
	}
	return NULL;
}

/* Return the command's long option that is most similar to a name; NULL if none is */
static const char *option_similar(const struct command *command, const char *name, size_t length)
{
	const char *names[MAX_NAMES] = { "help", "version" };
	char word[64];
	size_t nr = 2;

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	for (size_t t = 0; t < MAX_TABLES && command->options[t]; t++)
		for (const struct option_desc *desc = command->options[t]; desc->letter; desc++)
			if (desc->name && nr < MAX_NAMES)
				names[nr++] = desc->name;
	return ucore_name_similar(word, names, nr);
}

const char *hint_option(const struct command *command, int letter, const char *name, char *text)
{
	size_t length = letter ? 0 : strcspn(name, "=");
	const struct option_hint *row = row_find(command, letter, name, length);
	const char *option = row ? row->option : NULL;

	*text = 0;
	if (row && row->text)
		snprintf(text, HINT_LEN, ". %s", row->text);
	if (!row && !letter)
		option = option_similar(command, name, length);
	/* no command has this option */
	if (option && !strcmp(option, "version"))
		return hint_option(command, 0, option, text);
	if (option)
		snprintf(text, HINT_LEN, " (did you mean --%s?)", option);
	return text;
}

/* ---- commands ---------------------------------------------------------- */

const char *hint_command(const struct command *const *commands, size_t nr, const char *name,
			 char *text)
{
	const char *names[MAX_NAMES] = { "help", "--help", "version", "--version" }, *line = NULL;
	size_t nr_names = 4;

	for (size_t i = 0; i < ARRAY_SIZE(command_hints); i++)
		if (!strcmp(command_hints[i].name, name))
			line = command_hints[i].line;
	for (size_t i = 0; i < nr && nr_names < MAX_NAMES; i++)
		names[nr_names++] = commands[i]->name;
	if (!line)
		line = ucore_name_similar(name, names, nr_names);
	*text = 0;
	if (line)
		snprintf(text, HINT_LEN, " (did you mean 'ucoretool %s'?)", line);
	return text;
}
