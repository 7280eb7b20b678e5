// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows and errors that the lists of `ucoretool list` share.
 */
#include <string.h>

#include "cli.h"
#include "list/list.h"

void list_row(struct list_rows *rows, const struct cell *cells)
{
	if (!rows->nr++)
		out_head(&rows->out, rows->columns, rows->nr_columns);
	out_row(&rows->out, rows->columns, rows->nr_columns, cells);
}

int list_end(struct tool *tool, struct list_rows *rows, const char *what, const char *pattern,
	     const char *const *names, size_t nr)
{
	const char *similar;

	if (!rows->nr && !pattern)
		out_head(&rows->out, rows->columns, rows->nr_columns);
	if (rows->nr || !pattern)
		return 0;
	if (*pattern == '@')
		return tool_error(tool, "category '%s': no %s has a matching category. See 'ucoretool list %ss'",
				  pattern + 1, what, what);
	similar = ucore_name_similar(pattern, names, nr);
	return tool_error(tool, "pattern '%s': no %s matches on this machine%s%s%s", pattern, what,
			  similar ? " (did you mean '" : "", similar ? similar : "",
			  similar ? "'?)" : "");
}

size_t list_types(const struct ucore_box_info *boxes, size_t nr, const char **types)
{
	size_t nr_types = 0;

	for (size_t i = 0; i < nr; i++) {
		size_t t = 0;

		if (boxes[i].flags & UCORE_BOX_F_ABSENT)
			continue;
		while (t < nr_types && strcmp(types[t], boxes[i].type))
			t++;
		if (t == nr_types && nr_types < LIST_NAMES)
			types[nr_types++] = boxes[i].type;
	}
	return nr_types;
}
