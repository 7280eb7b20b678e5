// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The command line parser: fills a command's argument struct from argv.  The command's
 * option tables are the only source of the getopt strings, the help text and completion.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "hints/hints.h"

#define MAX_OPTIONS	40

static const struct option_desc common_options[] = {
	{ OPT_DEVICE, "device", "NODE", "path of the device node (default: " UCORE_DEVICE ")" },
	{ 'h', "help", NULL, "show this help text" },
	{ 0 },
};

/*
 * Return the table of the options that all commands share.  The first option of the table,
 * --device, is skipped if @command uses no device.
 */
static const struct option_desc *common_of(const struct command *command)
{
	return common_options + command->no_device;
}

/* ---- error output ------------------------------------------------------ */

int tool_usage(const struct tool *tool, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ucoretool %s: ", tool->command->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ". See 'ucoretool %s --help'\n", tool->command->name);
	return EXIT_USAGE;
}

int tool_error(const struct tool *tool, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "ucoretool%s%s: ", tool->command ? " " : "",
		tool->command ? tool->command->name : "");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILURE;
}

int tool_written(struct tool *tool, const char *path, int error, int ret)
{
	if (!error)
		return ret;
	if (!path && error == EPIPE)
		return ret ? ret : EXIT_PIPE;
	if (!tool->write_failed)
		tool_error(tool, "%s: cannot write: %s", path ? path : "standard output",
			   strerror(error));
	tool->write_failed = true;
	return ret ? ret : EXIT_FAILURE;
}

bool tool_is_usage(int code)
{
	return code == -EINVAL || code == -ENOENT || code == -ENXIO || code == -ERANGE ||
	       code == -ENOSPC || code == -EADDRINUSE || code == -EOPNOTSUPP;
}

/* Print tool->err; return EXIT_USAGE for wrong arguments, EXIT_FAILURE for other errors */
int tool_fail(const struct tool *tool, int code)
{
	fprintf(stderr, "ucoretool %s: %s\n", tool->command->name, tool->err.text);
	return tool_is_usage(code) ? EXIT_USAGE : EXIT_FAILURE;
}

/* ---- parsers of option values ------------------------------------------ */

static int range_check(struct tool *tool, const char *what, const char *text, uint64_t low,
		       uint64_t high, uint64_t value)
{
	if (value >= low && value <= high)
		return 0;
	return tool_usage(tool, "%s %s: out of range. Use %llu to %llu", what, text,
			  (unsigned long long)low, (unsigned long long)high);
}

int parse_u64(struct tool *tool, const char *what, const char *text, uint64_t low, uint64_t high,
	      uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || *end || errno)
		return tool_usage(tool, "%s '%s': not a number", what, text);
	return range_check(tool, what, text, low, high, *value);
}

int parse_list(struct tool *tool, const char *what, const char *text, uint64_t low, uint32_t *list,
	       unsigned int *nr, unsigned int max)
{
	char item[16];
	uint64_t number;
	int ret;

	for (;;) {
		size_t length = strcspn(text, ",");

		if (*nr == max)
			return tool_usage(tool, "%s list: more than %u elements", what, max);
		snprintf(item, sizeof(item), "%.*s", (int)length, text);
		ret = parse_u64(tool, what, item, low, INT32_MAX, &number);
		if (ret)
			return ret;
		list[(*nr)++] = (uint32_t)number;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

struct suffix {
	const char *text;
	uint64_t factor;
};

/*
 * Add the digits after a decimal point to @value, multiplied by @factor; return false if the
 * result is not an integer ("1.5ns").
 */
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

/* Parse a decimal number and multiply it by the factor of its suffix: "3", "1.5ms" */
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

/*
 * Parse a size in bytes: a power of two from @low to @high, with an optional suffix K (KiB) or M
 * (MiB).  @low must be a multiple of 1 KiB and @high a multiple of 1 MiB.
 */
int parse_bytes(struct tool *tool, const char *what, const char *text, uint32_t low,
		uint32_t high, uint32_t *value)
{
	static const struct suffix suffixes[] = {
		{ "", 1 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { NULL, 0 },
	};
	uint64_t bytes;

	if (parse_suffixed(text, suffixes, &bytes) || bytes < low || bytes > high ||
	    bytes & (bytes - 1))
		return tool_usage(tool, "%s '%s': not valid. Use a power of two from %uK to %uM",
				  what, text, low >> 10, high >> 20);
	*value = (uint32_t)bytes;
	return 0;
}

/* Write a duration of @ns nanoseconds in the largest unit without a fraction: "10us" */
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

/* Parse a duration with a unit ("200ms"); with @bare_ms a number without a unit is in ms */
int parse_duration(struct tool *tool, const char *what, const char *text, bool bare_ms,
		   uint64_t low, uint64_t high, uint64_t *ns)
{
	const struct suffix suffixes[] = {
		{ "ns", 1 }, { "us", NSEC_PER_USEC }, { "ms", NSEC_PER_MSEC },
		{ "s", NSEC_PER_SEC }, { bare_ms ? "" : NULL, NSEC_PER_MSEC }, { NULL, 0 },
	};
	char from[24], to[24];

	if (parse_suffixed(text, suffixes, ns))
		return tool_usage(tool, "%s '%s': not a time. Use a number with ns, us, ms or s",
				  what, text);
	if (*ns < low || *ns > high)
		return tool_usage(tool, "%s '%s': out of range. Use %s to %s", what, text,
				  duration_text(low, from, sizeof(from)),
				  duration_text(high, to, sizeof(to)));
	return 0;
}

/* Parse a count with an optional suffix k, M or G (10^3, 10^6, 10^9) */
int parse_count(struct tool *tool, const char *what, const char *text, uint64_t low,
		uint64_t high, uint64_t *value)
{
	static const struct suffix suffixes[] = {
		{ "k", 1000 }, { "m", 1000000 }, { "g", 1000000000 }, { NULL, 0 },
	};

	if (parse_suffixed(text, suffixes, value))
		return parse_u64(tool, what, text, low, high, value);
	return range_check(tool, what, text, low, high, *value);
}

int parse_separator(struct tool *tool, const char *text, char *separator)
{
	if (!strcmp(text, "\\t"))
		text = "\t";
	if (strlen(text) != 1 || isalnum((unsigned char)*text) || strchr("\"\n\r.-/", *text))
		return tool_usage(tool, "separator '%s': not valid. Use one character such as , or ; or \\t",
				  text);
	*separator = *text;
	return 0;
}

/* ---- parsing of argv --------------------------------------------------- */

struct getopt_tables {
	char letters[2 * MAX_OPTIONS + 3];
	struct option longs[MAX_OPTIONS + 1];
	size_t nr_letters;
	size_t nr_longs;
};

static void tables_add(struct getopt_tables *tables, const struct option_desc *desc)
{
	for (; desc->letter; desc++) {
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
	for (size_t i = 0; i < MAX_TABLES && command->options[i]; i++)
		tables_add(tables, command->options[i]);
	tables_add(tables, common_of(command));
}

/*
 * Report an option that getopt_long() refused.  optopt is the letter of an unknown short option,
 * 0 for an unknown long option, and the value of a long option with a wrong number of values.
 */
static int option_bad(struct tool *tool, int letter, char **argv)
{
	const char *word = argv[optind - 1];
	bool is_long = !strncmp(word, "--", 2) && (!optopt || strchr(word, '=') || letter == ':');
	char text[3] = { '-', (char)optopt, 0 }, hint[HINT_LEN];
	const char *name = is_long || !optopt || optopt >= OPT_NO_LETTER ? word : text;

	if (letter == ':')
		return tool_usage(tool, "option %s needs a value", name);
	if (optopt && is_long)
		return tool_usage(tool, "option %.*s takes no value", (int)strcspn(word, "="),
				  word);
	return tool_usage(tool, "unknown option %s%s", name,
			  hint_option(tool->command, name == text ? optopt : 0, word + 2, hint));
}

/**
 * struct given - options that were given
 * @values: values of the options with arguments, by the index of cli_option(); NULL: not given
 * @only: given option of each set ONLY_*, NULL: none
 */
struct given {
	const char *values[MAX_OPTIONS];
	const struct option_desc *only[NR_ONLY];
};

/* Write the name of an option as the user knows it: "-i" or "--html" */
static const char *option_name(const struct option_desc *option, char *text, size_t size)
{
	if (option->letter < OPT_NO_LETTER)
		snprintf(text, size, "-%c", option->letter);
	else
		snprintf(text, size, "--%s", option->name);
	return text;
}

/* Check an option against those given before it, and note it; return 0 or an exit code */
static int option_note(struct tool *tool, const struct command *command, struct given *given,
		       int letter, const char *value)
{
	const struct option_desc *option, *other;
	char name[32], other_name[32];
	size_t i = 0;

	while ((option = cli_option(command, i)) && option->letter != letter)
		i++;
	option_name(option, name, sizeof(name));
	if (option->arg && !option->repeats && given->values[i])
		return tool_usage(tool, "%s %s and %s %s: only one is possible. Remove one of them",
				  name, given->values[i], name, value);
	given->values[i] = value;
	if (!option->only)
		return 0;
	other = given->only[option->only];
	given->only[option->only] = option;
	if (!other || other == option)
		return 0;
	return tool_usage(tool, "%s and %s: cannot be combined. Remove one of them",
			  option_name(other, other_name, sizeof(other_name)), name);
}

static int options_parse(struct tool *tool, const struct command *command, void *args, int argc,
			 char **argv)
{
	struct given given = { 0 };
	struct getopt_tables tables;
	int letter, ret = 0;

	tables_make(&tables, command);
	opterr = 0;
	optind = 0;
	while (!ret && (letter = getopt_long(argc, argv, tables.letters, tables.longs,
					     NULL)) != -1) {
		if (letter == '?' || letter == ':')
			return option_bad(tool, letter, argv);
		ret = option_note(tool, command, &given, letter, optarg);
		if (ret)
			return ret;
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
	ret = options_parse(tool, command, args, argc, argv);
	if (ret < 0) {
		cli_help(command);
		ret = 0;
	} else if (!ret) {
		ret = command->finish(tool, args, argc - optind, argv + optind);
		if (!ret)
			ret = command->run(tool, args);
	}
	free(args);
	return ret;
}

/* ---- help -------------------------------------------------------------- */

static void help_options(const struct option_desc *desc)
{
	for (; desc->letter; desc++) {
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
	for (size_t i = 0; i < MAX_TABLES && command->options[i]; i++)
		help_options(command->options[i]);
	help_options(common_of(command));
	printf("\n'man ucoretool-%s' describes the options in detail.\n", command->name);
}

static const struct option_desc *table_option(const struct option_desc *desc, size_t *i)
{
	for (; desc->letter; desc++)
		if (!(*i)--)
			return desc;
	return NULL;
}

const struct option_desc *cli_option(const struct command *command, size_t i)
{
	const struct option_desc *desc = NULL;

	for (size_t t = 0; !desc && t < MAX_TABLES && command->options[t]; t++)
		desc = table_option(command->options[t], &i);
	return desc ? desc : table_option(common_of(command), &i);
}
