/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ucoretool: what a command is.
 *
 * A command is a row of the table in commands.c, and has a file of its own in
 * cmd/.  cli.c turns argv into the command's own struct, option by option; run()
 * sees only that struct.
 */
#ifndef UCORETOOL_H
#define UCORETOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libucore.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define EXIT_USAGE	2
#define EXIT_FULL	3	/* within stat: events do not fit, and may take turns */

#define NSEC_PER_SEC	UINT64_C(1000000000)
#define NSEC_PER_MSEC	UINT64_C(1000000)
#define NSEC_PER_USEC	UINT64_C(1000)

/* Options without a letter */
enum {
	OPT_NO_LETTER = 256,
	OPT_AFTER,
	OPT_BOX_FREEZE,
	OPT_SORT,
	OPT_CACHE,
	OPT_COLLECT,
	OPT_CORE_EVENT,
	OPT_READERS,
	OPT_CTF,
	OPT_DEVICE,
	OPT_DISCOVERY,
	OPT_HTML,
	OPT_NO_POLL,
	OPT_KEEP,
	OPT_NO_FREEZE,
	OPT_FULL_READS,
	OPT_METRIC_FILE,
	OPT_NO_ROTATE,
	OPT_PER_BOX,
	OPT_PER_DEVICE,
	OPT_PER_SOCKET,
	OPT_PLATFORM,
	OPT_REJECTED,
	OPT_REPORT,
	OPT_ROOT,
	OPT_ROTATE,
	OPT_SECONDS,
	OPT_SOCKET_MODE,
	OPT_TASKS,
	OPT_TEXTFILE,
	OPT_TIME,
	OPT_TIMEOUT,
	OPT_TIMER,
	OPT_TOPOLOGY,
	OPT_TOTALS,
	OPT_WHEN,
};

/**
 * struct tool - one run of ucoretool
 * @sys: the system calls that the library is given
 * @command: the row that is being run
 * @device: the device node, or NULL for the default one
 * @err: where calls of the library explain their failure
 */
struct tool {
	const struct ucore_sys *sys;
	const struct command *command;
	const char *device;
	struct ucore_error err;
};

/**
 * struct option_desc - one option of a command
 * @letter: the short option, or OPT_* if it has none
 * @name: the long option, or NULL if it has none
 * @arg: what the help text calls its argument, or NULL if it takes none
 * @help: what it does, in one line
 */
struct option_desc {
	int letter;
	const char *name;
	const char *arg;
	const char *help;
};

/**
 * struct command - one row of the command table
 * @name: the word that the user types
 * @operands: what follows the options, for the help text
 * @summary: what it does, in one line
 * @options: its options; a zero letter ends them
 * @more_options: further options that end in the same way, or NULL
 * @runs_command: the first operand ends the options, because a program to run
 *                and its own options follow
 * @no_device: it needs none, and takes no option that names one
 * @args_size: the size of the struct that the following functions share; it is
 *             zeroed before the first of them is called
 * @option: takes one option and returns 0 or an exit code
 * @finish: takes the operands, checks the whole and returns 0 or an exit code
 * @run: does the work and returns the exit code
 */
struct command {
	const char *name;
	const char *operands;
	const char *summary;
	const struct option_desc *options;
	const struct option_desc *more_options;
	bool runs_command;
	bool no_device;
	size_t args_size;
	int (*option)(struct tool *tool, void *args, int letter, const char *value);
	int (*finish)(struct tool *tool, void *args, int argc, char **argv);
	int (*run)(struct tool *tool, const void *args);
};

/* The rows of the table, each in its file of cmd/ */
extern const struct command command_list, command_info, command_doctor, command_stat,
			    command_top, command_record, command_report, command_script,
			    command_export, command_revoke, command_verify;

#endif /* UCORETOOL_H */
