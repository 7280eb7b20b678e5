/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completion of ucoretool's command lines, for the shell scripts in tools/completion/.
 */
#ifndef UCORETOOL_COMPLETE_H
#define UCORETOOL_COMPLETE_H

#include "tool.h"

/**
 * complete_words() - print the completions of the last word of a command line, one per line
 * @tool: the tool; events and metrics are read from the device
 * @commands: command table
 * @nr: number of commands
 * @argc: number of words after "ucoretool"
 * @argv: words after "ucoretool"; the last one is the word to complete, perhaps ""
 *
 * The line ":files" stands for any file and ":programs" for any program.  Without completions
 * nothing is printed.
 */
void complete_words(struct tool *tool, const struct command *const *commands, size_t nr,
		    int argc, char **argv);

#endif /* UCORETOOL_COMPLETE_H */
