/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line parser, the parsers of option values, the error output and the help text.
 */
#ifndef UCORETOOL_CLI_H
#define UCORETOOL_CLI_H

#include "tool.h"

/** cli_run() - parse @argv for @command and run the command; return the exit code */
int cli_run(struct tool *tool, const struct command *command, int argc, char **argv);

/** cli_help() - print the help text of a command */
void cli_help(const struct command *command);

/** cli_option() - return option @i of a command, common options last; NULL after the last one */
const struct option_desc *cli_option(const struct command *command, size_t i);

/*
 * Error output.  Each function prints one line "OBJECT: PROBLEM. ACTION" to standard error
 * and returns the exit code.  tool_usage() reports a wrong command line and tool_error() any
 * other failure.  tool_fail() prints @tool->err, and @code (-errno) selects the exit code.
 */
int tool_usage(const struct tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tool_error(const struct tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int tool_fail(const struct tool *tool, int code);

/**
 * tool_written() - report a failed write to an output, once in a run of the tool
 *
 * A pipe without a reader at standard output is no error to report, because the reader has
 * what it needs.
 *
 * @tool: the tool
 * @path: name of the file, NULL: standard output
 * @error: errno of the write, 0: success
 * @ret: exit code of the caller
 *
 * Return: @ret, or the exit code of the failure if @ret is 0.
 */
int tool_written(struct tool *tool, const char *path, int error, int ret);

/** tool_is_usage() - return true if @code (-errno from libucore) means wrong arguments */
bool tool_is_usage(int code);

/*
 * Parsers of option values.  @what names the value in error messages.  Each parser
 * returns 0, or prints an error message and returns the exit code.
 */
int parse_u64(struct tool *tool, const char *what, const char *text, uint64_t low, uint64_t high,
	      uint64_t *value);
int parse_bytes(struct tool *tool, const char *what, const char *text, uint32_t low,
		uint32_t high, uint32_t *value);
int parse_duration(struct tool *tool, const char *what, const char *text, bool bare_ms,
		   uint64_t low, uint64_t high, uint64_t *ns);
int parse_count(struct tool *tool, const char *what, const char *text, uint64_t low,
		uint64_t high, uint64_t *value);
int parse_list(struct tool *tool, const char *what, const char *text, uint64_t low, uint32_t *list,
	       unsigned int *nr, unsigned int max);
int parse_separator(struct tool *tool, const char *text, char *separator);

#endif /* UCORETOOL_CLI_H */
