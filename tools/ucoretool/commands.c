// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The command table.  The help text, completion and the option parser are derived from it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "complete.h"
#include "hints/hints.h"
#include "output/sink.h"
#include "tool.h"

static const struct command *const commands[] = {
	&command_list,
	&command_info,
	&command_doctor,
	&command_verify,
	&command_stat,
	&command_top,
	&command_record,
	&command_report,
	&command_script,
	&command_export,
	&command_revoke,
};

static void usage_print(FILE *stream)
{
	fputs("usage: ucoretool COMMAND [OPTION]... [-- PROGRAM...]\n\n", stream);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(stream, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n'ucoretool COMMAND --help' lists the options of a command, 'man ucoretool-COMMAND' describes\n"
	      "them.  'man ucoretool' describes events, metrics and everything that commands share.\n",
	      stream);
}

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int command_unknown(const char *name)
{
	char hint[HINT_LEN];

	fprintf(stderr, "ucoretool: unknown command '%s'%s. See 'ucoretool --help'\n", name,
		hint_command(commands, ARRAY_SIZE(commands), name, hint));
	return EXIT_USAGE;
}

static int help_run(int argc, char **argv)
{
	const struct command *command = argc > 2 ? command_find(argv[2]) : NULL;

	if (argc > 2 && !command)
		return command_unknown(argv[2]);
	if (command)
		cli_help(command);
	else
		usage_print(stdout);
	return 0;
}

static int words_run(struct tool *tool, int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
		return help_run(argc, argv);
	if (!strcmp(name, "--version") || !strcmp(name, "-V") || !strcmp(name, "version")) {
		printf("ucoretool %s\n", UCORE_VERSION);
		return 0;
	}
	/* hidden command for the shell scripts in tools/completion/ */
	if (!strcmp(name, "__complete")) {
		complete_words(tool, commands, ARRAY_SIZE(commands), argc - 2, argv + 2);
		return 0;
	}
	tool->command = command_find(name);
	if (!tool->command) {
		if (*name)
			return command_unknown(name);
		usage_print(stderr);
		return EXIT_USAGE;
	}
	return cli_run(tool, tool->command, argc - 1, argv + 1);
}

/* Flush and close standard output; return the errno of the first failed write, or 0 */
static int stdout_close(void)
{
	int error = sink_flush(stdout);

	/* EBADF: standard output was closed from the start, and nothing was written to it */
	return !error && close(STDOUT_FILENO) && errno != EBADF ? errno : error;
}

int ucoretool_run(int argc, char **argv, const struct ucore_sys *sys)
{
	struct tool tool = { .sys = sys };
	int ret;

	/* let write(2) fail, so that the command ends the measured program and its session */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sink_stdout();
	ret = words_run(&tool, argc, argv);
	return tool_written(&tool, NULL, stdout_close(), ret);
}
