/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Completion of command lines.
 */
#ifndef UCORETOOL_COMPLETE_H
#define UCORETOOL_COMPLETE_H

#include "tool.h"

/**
 * complete_words() - print what the last of the words may become, a line each
 * @tool: the system calls; the device is asked for events and metrics
 * @commands: the command table, @nr of them
 * @argc: words of the line behind "ucoretool", and what begins the last one, maybe ""
 * @argv: the words
 *
 * A line ":files" means any file, ":programs" any program.  Where nothing is known there
 * is no line.
 */
void complete_words(struct tool *tool, const struct command *const *commands, size_t nr,
		    int argc, char **argv);

#endif /* UCORETOOL_COMPLETE_H */
