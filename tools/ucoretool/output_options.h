/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options that choose the output format, file and grouping of a command.
 */
#ifndef UCORETOOL_OUTPUT_OPTIONS_H
#define UCORETOOL_OUTPUT_OPTIONS_H

#include "output/table.h"
#include "tool.h"

/* Set of boxes whose values are added up: the whole machine, a socket, or no addition */
enum grouping {
	GROUP_TOTAL,
	GROUP_SOCKET,
	GROUP_BOX,
};

/**
 * struct output_args - parsed output options
 * @out: format and separator (-x, -j)
 * @path: path of the output file (-o), NULL: standard output
 * @grouping: --per-socket or --per-box
 */
struct output_args {
	struct out out;
	const char *path;
	enum grouping grouping;
};

/* Option table with -x and -j; commands have -o, --per-socket and --per-box in their own tables */
extern const struct option_desc output_options[];

/**
 * output_option() - parse -x, -j, -o, --per-socket or --per-box
 * @taken: set to true if @letter is one of these options
 *
 * Return: 0 or the exit code.
 */
int output_option(struct tool *tool, struct output_args *args, int letter, const char *value,
		  bool *taken);

/** output_open() - open the output file, or use standard output; return 0 or the exit code */
int output_open(struct tool *tool, const struct output_args *args, struct out *out);

/** output_close() - close the output file, if any; return @ret or the exit code of a failure */
int output_close(struct tool *tool, const struct output_args *args, struct out *out, int ret);

#endif /* UCORETOOL_OUTPUT_OPTIONS_H */
