/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Types that all commands of ucoretool share.
 *
 * Each command is a row of the table in commands.c.  cli.c parses argv into the
 * command's own argument struct, option by option.  run() sees only that struct.
 */
#ifndef UCORETOOL_H
#define UCORETOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libucore.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MAX_TABLES	3	/* maximum number of option tables of a command */

#define EXIT_USAGE	2
#define EXIT_PIPE	141	/* 128 + SIGPIPE: standard output is a pipe without a reader */
#define EXIT_FULL	3	/* internal to stat: too few counters, retry with rotation */

#define NSEC_PER_SEC	UINT64_C(1000000000)
#define NSEC_PER_MSEC	UINT64_C(1000000)
#define NSEC_PER_USEC	UINT64_C(1000)

/* option_desc.letter of options that have only a long name */
enum {
	OPT_NO_LETTER = 256,
	OPT_AFTER,
	OPT_BATCH,
	OPT_BOX_FREEZE,
	OPT_SORT,
	OPT_CACHE,
	OPT_COLLECT,
	OPT_CORE_EVENT,
	OPT_COUNT,
	OPT_READERS,
	OPT_CTF,
	OPT_DEVICE,
	OPT_DISCOVERY,
	OPT_HTML,
	OPT_NO_PMI,
	OPT_NO_POLL,
	OPT_KEEP,
	OPT_NO_FREEZE,
	OPT_FULL_READS,
	OPT_METRIC_FILE,
	OPT_NO_ROTATE,
	OPT_PER_BOX,
	OPT_PER_DEVICE,
	OPT_PER_NODE,
	OPT_PER_SOCKET,
	OPT_PLATFORM,
	OPT_PMI_CPUS,
	OPT_REJECTED,
	OPT_REPORT,
	OPT_RING_SIZE,
	OPT_ROOT,
	OPT_ROTATE,
	OPT_SECONDS,
	OPT_SOCKET_MODE,
	OPT_STRICT,
	OPT_TASKS,
	OPT_TEXTFILE,
	OPT_TIME,
	OPT_TIMEOUT,
	OPT_TIMER,
	OPT_TOPOLOGY,
	OPT_TOTALS,
	OPT_WHEN,
};

/* Sets of options that cannot be combined with each other, see option_desc.only */
enum option_only {
	ONLY_NONE,
	ONLY_FORMAT,		/* format of the output */
	ONLY_GROUPING,		/* boxes whose values are added up */
	ONLY_LISTING,		/* what list prints */
	ONLY_ROTATION,
	ONLY_TARGET,		/* target of a core event */
	NR_ONLY,
};

/**
 * struct tool - context of a run of ucoretool
 * @sys: system calls passed to the library
 * @command: row of the command that runs
 * @device: path of the device node, NULL: the default path
 * @write_failed: true after a failed write was reported; later ones have the same cause
 * @err: error text of the last failed library call
 */
struct tool {
	const struct ucore_sys *sys;
	const struct command *command;
	const char *device;
	bool write_failed;
	struct ucore_error err;
};

/**
 * struct option_desc - description of an option
 * @letter: short option, or OPT_* for an option without a letter
 * @name: long option, or NULL
 * @arg: name of the argument in the help text, NULL: no argument
 * @help: description in one line
 * @repeats: true if an option with an argument may be given more than once
 * @only: set of options of which only one may be given, ONLY_*
 */
struct option_desc {
	int letter;
	const char *name;
	const char *arg;
	const char *help;
	bool repeats;
	enum option_only only;
};

/**
 * struct command - row of the command table
 * @name: name of the command
 * @operands: synopsis of the operands for the help text, or NULL
 * @summary: description in one line
 * @options: option tables in the order of the help text, NULL after the last one; each
 *           table ends with a zero letter
 * @runs_command: true if the first operand ends the options, because the operands
 *                are a program and the program's own options
 * @no_device: true if the command uses no device and has no option --device
 * @args_size: size of the argument struct that option(), finish() and run() share;
 *             the struct is zeroed before the first call of option()
 * @option: parse one option; return 0 or an exit code
 * @finish: take the operands and check all arguments; return 0 or an exit code
 * @run: execute the command; return the exit code
 */
struct command {
	const char *name;
	const char *operands;
	const char *summary;
	const struct option_desc *options[MAX_TABLES];
	bool runs_command;
	bool no_device;
	size_t args_size;
	int (*option)(struct tool *tool, void *args, int letter, const char *value);
	int (*finish)(struct tool *tool, void *args, int argc, char **argv);
	int (*run)(struct tool *tool, const void *args);
};

/* Rows of the command table, each defined in the file of the command */
extern const struct command command_list, command_info, command_doctor, command_stat,
			    command_top, command_record, command_report, command_script,
			    command_export, command_revoke, command_verify;

#endif /* UCORETOOL_H */
