// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parser of the options that choose the output format, file and grouping.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "output/sink.h"
#include "output_options.h"

const struct option_desc output_options[] = {
	{ 'x', "field-separator", "SEP", "print CSV with this separator",
	  .only = ONLY_FORMAT },
	{ 'j', "json", NULL, "print JSON lines", .only = ONLY_FORMAT },
	{ 0 },
};

int output_option(struct tool *tool, struct output_args *args, int letter, const char *value,
		  bool *taken)
{
	*taken = true;
	switch (letter) {
	case 'x':
		args->out.format = OUT_CSV;
		return parse_separator(tool, value, &args->out.separator);
	case 'j':
		args->out.format = OUT_JSON;
		return 0;
	case 'o':
		args->path = value;
		return 0;
	case OPT_PER_SOCKET:
		args->grouping = GROUP_SOCKET;
		return 0;
	case OPT_PER_BOX:
		args->grouping = GROUP_BOX;
		return 0;
	default:
		*taken = false;
		return 0;
	}
}

int output_open(struct tool *tool, const struct output_args *args, struct out *out)
{
	*out = args->out;
	out->stream = args->path ? sink_create(args->path) : stdout;
	return out->stream ? 0 :
	       tool_error(tool, "%s: cannot create: %s", args->path, strerror(errno));
}

int output_close(struct tool *tool, const struct output_args *args, struct out *out, int ret)
{
	return args->path ? tool_written(tool, args->path, sink_close(out->stream), ret) : ret;
}
