// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * From argv to a command's struct, with the command's option table as the only
 * source: getopt strings and help text are made from it, and completion (complete.c).
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define MAX_OPTIONS	40

static const struct option_desc common_options[] = {
	{ OPT_DEVICE, "device", "NODE", "device node (" UCORE_DEVICE ")" },
	{ 'h', "help", NULL, "this text" },
	{ 0 },
};

/* Those of all commands; the device is the first */
static const struct option_desc *common_of(const struct command *command)
{
	return common_options + command->no_device;
}

/* ---- complaints -------------------------------------------------------- */

int tool_usage(const struct tool *tool, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ucoretool %s: ", tool->command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "; see 'ucoretool %s --help'\n", tool->command->name);
	return EXIT_USAGE;
}

int tool_error(const struct tool *tool, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ucoretool %s: ", tool->command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILURE;
}

bool tool_is_usage(int code)
{
	return code == -EINVAL || code == -ENOENT || code == -ENXIO || code == -ERANGE ||
	       code == -ENOSPC || code == -EADDRINUSE || code == -EOPNOTSUPP;
}

/*
 * The library's message, and the exit code: 2 for what the user asked in vain,
 * 1 for what the machine refused.
 */
int tool_fail(const struct tool *tool, int code)
{
	fprintf(stderr, "ucoretool %s: %s\n", tool->command->name, tool->err.text);
	return tool_is_usage(code) ? EXIT_USAGE : EXIT_FAILURE;
}

/* ---- values ------------------------------------------------------------ */

int parse_u64(struct tool *tool, const char *what, const char *text, uint64_t low, uint64_t high,
	      uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return tool_usage(tool, "%s '%s' is not a number", what, text);
	if (*value < low || *value > high)
		return tool_usage(tool, "%s %s: from %llu to %llu", what, text,
				  (unsigned long long)low, (unsigned long long)high);
	return 0;
}

struct suffix {
	const char *text;
	uint64_t factor;
};

/* The digits behind a point, of a unit of @factor: false if they are finer than it can be */
static bool fraction_add(const char **text, uint64_t factor, uint64_t *value)
{
	for (++*text; isdigit((unsigned char)**text); ++*text) {
		if ((factor % 10 || !factor) && **text != '0')
			return false;
		factor /= 10;
		if (__builtin_add_overflow(*value, factor * (uint64_t)(**text - '0'), value))
			return false;
	}
	return true;
}

/* A decimal number with one of the suffixes: "3", "1.5ms" */
static int parse_suffixed(const char *text, const struct suffix *suffixes, uint64_t *value)
{
	const char *suffix = text + strspn(text, "0123456789");
	const char *point = suffix;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || errno)
		return -EINVAL;
	if (*point == '.')
		suffix += 1 + strspn(point + 1, "0123456789");
	for (; suffixes->text; suffixes++)
		if (!strcasecmp(suffix, suffixes->text))
			break;
	if (!suffixes->text || __builtin_mul_overflow(*value, suffixes->factor, value))
		return -EINVAL;
	if (*point != '.')
		return 0;
	if (suffix == point + 1 || !fraction_add(&point, suffixes->factor, value))
		return -EINVAL;
	return 0;
}

/* A power of two with K or M behind it, from @low (a matter of K) to @high (of M) */
int parse_bytes(struct tool *tool, const char *what, const char *text, uint32_t low,
		uint32_t high, uint32_t *value)
{
	static const struct suffix suffixes[] = {
		{ "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { NULL, 0 },
	};
	uint64_t bytes;

	if (parse_suffixed(text, suffixes, &bytes) || bytes < low || bytes > high ||
	    bytes & (bytes - 1))
		return tool_usage(tool, "%s '%s': a power of two from %uK to %uM", what, text,
				  low >> 10, high >> 20);
	*value = (uint32_t)bytes;
	return 0;
}

/* A time in the largest unit that it is a number of */
static const char *duration_text(uint64_t ns, char *text, size_t size)
{
	static const struct suffix units[] = {
		{ "s", NSEC_PER_SEC }, { "ms", NSEC_PER_MSEC }, { "us", NSEC_PER_USEC },
		{ "ns", 1 },
	};
	const struct suffix *unit = units;

	while (ns % unit->factor)
		unit++;
	snprintf(text, size, "%llu%s", (unsigned long long)(ns / unit->factor), unit->text);
	return text;
}

/* A time with its unit; one without is of milliseconds, where the option says so */
int parse_duration(struct tool *tool, const char *what, const char *text, bool bare_ms,
		   uint64_t low, uint64_t high, uint64_t *ns)
{
	const struct suffix suffixes[] = {
		{ "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC },
		{ "s", NSEC_PER_SEC }, { bare_ms ? "" : NULL, NSEC_PER_MSEC }, { NULL, 0 },
	};
	char from[24], to[24];

	if (parse_suffixed(text, suffixes, ns))
		return tool_usage(tool, "%s '%s': a number with ns, us, ms or s", what, text);
	if (*ns < low || *ns > high)
		return tool_usage(tool, "%s '%s': from %s to %s", what, text,
				  duration_text(low, from, sizeof(from)),
				  duration_text(high, to, sizeof(to)));
	return 0;
}

/* A count, which may have k, M or G behind it: thousands, millions, milliards */
int parse_count(struct tool *tool, const char *what, const char *text, uint64_t low,
		uint64_t high, uint64_t *value)
{
	static const struct suffix suffixes[] = {
		{ "k", 1000 }, { "m", 1000000 }, { "g", 1000000000 }, { NULL, 0 },
	};

	if (parse_suffixed(text, suffixes, value))
		return parse_u64(tool, what, text, low, high, value);
	if (*value < low || *value > high)
		return tool_usage(tool, "%s %s: from %llu to %llu", what, text,
				  (unsigned long long)low, (unsigned long long)high);
	return 0;
}

int parse_separator(struct tool *tool, const char *text, char *separator)
{
	if (!strcmp(text, "\\t"))
		text = "\t";
	if (strlen(text) != 1 || isalnum((unsigned char)*text) || strchr("\"\n\r.-/", *text))
		return tool_usage(tool, "separator '%s': one letter such as , or ; or \\t", text);
	*separator = *text;
	return 0;
}

/* ---- options ----------------------------------------------------------- */

struct getopt_tables {
	char letters[2 * MAX_OPTIONS + 3];
	struct option longs[MAX_OPTIONS + 1];
	size_t nr_letters;
	size_t nr_longs;
};

static void tables_add(struct getopt_tables *tables, const struct option_desc *desc)
{
	for (; desc && desc->letter; desc++) {
		if (desc->letter < OPT_NO_LETTER) {
			tables->letters[tables->nr_letters++] = (char)desc->letter;
			if (desc->arg)
				tables->letters[tables->nr_letters++] = ':';
		}
		if (desc->name)
			tables->longs[tables->nr_longs++] = (struct option) {
				.name = desc->name,
				.has_arg = desc->arg ? required_argument : no_argument,
				.val = desc->letter,
			};
	}
}

static void tables_make(struct getopt_tables *tables, const struct command *command)
{
	memset(tables, 0, sizeof(*tables));
	if (command->runs_command)
		tables->letters[tables->nr_letters++] = '+';
	tables->letters[tables->nr_letters++] = ':';
	tables_add(tables, command->options);
	tables_add(tables, command->more_options);
	tables_add(tables, common_of(command));
}

static int option_bad(struct tool *tool, int letter, char **argv)
{
	char text[3] = { '-', (char)optopt, 0 };
	const char *name = optopt && optopt < OPT_NO_LETTER ? text : argv[optind - 1];

	if (letter == ':')
		return tool_usage(tool, "option %s needs a value", name);
	return tool_usage(tool, "unknown option %s", name);
}

static int options_take(struct tool *tool, const struct command *command, void *args, int argc,
			char **argv)
{
	struct getopt_tables tables;
	int letter, ret = 0;

	tables_make(&tables, command);
	opterr = 0;
	optind = 0;
	while (!ret && (letter = getopt_long(argc, argv, tables.letters, tables.longs,
					     NULL)) != -1) {
		if (letter == '?' || letter == ':')
			return option_bad(tool, letter, argv);
		if (letter == OPT_DEVICE)
			tool->device = optarg;
		else if (letter == 'h')
			return -1;
		else
			ret = command->option(tool, args, letter, optarg);
	}
	return ret;
}

int cli_run(struct tool *tool, const struct command *command, int argc, char **argv)
{
	void *args = calloc(1, command->args_size);
	int ret;

	if (!args)
		return tool_error(tool, "out of memory");
	ret = options_take(tool, command, args, argc, argv);
	if (ret < 0) {
		cli_help(command);
		ret = 0;
	} else if (!ret) {
		ret = command->finish(tool, args, argc - optind, argv + optind);
		if (!ret)
			ret = command->run(tool, args);
	}
	free(args);
	if (fflush(stdout) && !ret)
		ret = tool_error(tool, "cannot write: %s", strerror(errno));
	return ret;
}

/* ---- help -------------------------------------------------------------- */

static void help_options(const struct option_desc *desc)
{
	for (; desc && desc->letter; desc++) {
		char left[48];
		int at = 0;

		if (desc->letter < OPT_NO_LETTER)
			at = snprintf(left, sizeof(left), "-%c%s", desc->letter,
				      desc->name ? ", " : "");
		else
			at = snprintf(left, sizeof(left), "    ");
		snprintf(left + at, sizeof(left) - (size_t)at, "%s%s%s%s", desc->name ? "--" : "",
			 desc->name ? desc->name : "", desc->arg ? " " : "",
			 desc->arg ? desc->arg : "");
		printf("  %-26s %s\n", left, desc->help);
	}
}

void cli_help(const struct command *command)
{
	printf("usage: ucoretool %s [OPTION]...%s%s\n%s\n\n", command->name,
	       command->operands ? " " : "", command->operands ? command->operands : "",
	       command->summary);
	help_options(command->options);
	help_options(command->more_options);
	help_options(common_of(command));
	printf("\n'man ucoretool-%s' says more of each.\n", command->name);
}

const struct option_desc *cli_option(const struct command *command, size_t i)
{
	const struct option_desc *const tables[] = {
		command->options, command->more_options, common_of(command),
	};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (const struct option_desc *desc = tables[t]; desc && desc->letter; desc++)
			if (!i--)
				return desc;
	return NULL;
}
