/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Suggestions for unknown options and commands, among them those of perf, LIKWID and Intel PCM.
 */
#ifndef UCORETOOL_HINTS_H
#define UCORETOOL_HINTS_H

#include "tool.h"

#define HINT_LEN	200	/* size of the buffer for a hint */

/**
 * hint_option() - write a hint for an unknown option of a command
 * @command: command
 * @letter: letter of the option, or 0 for a long option
 * @name: name of the long option without "--", which can contain "=VALUE"; or NULL
 * @text: buffer of HINT_LEN bytes, for " (did you mean --count?)" or ". SENTENCE"
 *
 * Return: @text, which is "" if nothing is similar.
 */
const char *hint_option(const struct command *command, int letter, const char *name, char *text);

/**
 * hint_command() - write a hint for an unknown command
 * @commands: all commands
 * @nr: number of elements of @commands
 * @name: word that is no command
 * @text: buffer of HINT_LEN bytes, for " (did you mean 'ucoretool stat'?)"
 *
 * Return: @text, which is "" if nothing is similar.
 */
const char *hint_command(const struct command *const *commands, size_t nr, const char *name,
			 char *text);

#endif /* UCORETOOL_HINTS_H */
