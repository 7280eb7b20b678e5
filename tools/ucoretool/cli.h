/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line: options, their values, complaints, help.
 */
#ifndef UCORETOOL_CLI_H
#define UCORETOOL_CLI_H

#include "tool.h"

/** cli_run() - parse @argv for @command and run it; returns the exit code */
int cli_run(struct tool *tool, const struct command *command, int argc, char **argv);

/** cli_help() - print the help text of a command */
void cli_help(const struct command *command);

/** cli_option() - option @i of a command, those of all commands last; NULL behind them */
const struct option_desc *cli_option(const struct command *command, size_t i);

/*
 * Complaints.  Each prints one line and returns the exit code that goes with it:
 * tool_usage() for a wrong command line, tool_error() for what went wrong later,
 * tool_fail() for what the library explained in @tool->err, by its errno @code.
 */
int tool_usage(const struct tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tool_error(const struct tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tool_fail(const struct tool *tool, int code);

/** tool_is_usage() - is the library's -errno about what the user asked for? */
bool tool_is_usage(int code);

/*
 * Values of options.  @what is how a complaint calls the value; they return 0 or
 * the exit code of the complaint that they have printed.
 */
int parse_u64(struct tool *tool, const char *what, const char *text, uint64_t low, uint64_t high,
	      uint64_t *value);
int parse_bytes(struct tool *tool, const char *what, const char *text, uint32_t low,
		uint32_t high, uint32_t *value);
int parse_duration(struct tool *tool, const char *what, const char *text, bool bare_ms,
		   uint64_t low, uint64_t high, uint64_t *ns);
int parse_count(struct tool *tool, const char *what, const char *text, uint64_t low,
		uint64_t high, uint64_t *value);
int parse_separator(struct tool *tool, const char *text, char *separator);

#endif /* UCORETOOL_CLI_H */
