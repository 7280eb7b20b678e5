/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report --sort: the table that attributes the counts of intervals to tasks.
 */
#ifndef UCORETOOL_REPORT_ATTRIBUTION_H
#define UCORETOOL_REPORT_ATTRIBUTION_H

#include "report/tasks.h"

/** attribution_parse() - parse "comm,cpu,ip" to TASK_BY_* bits; return 0 or the exit code */
int attribution_parse(struct tool *tool, const char *text, unsigned int *by);

/**
 * attribution_report() - read a file to its end and print the table; return 0 or the exit code
 */
int attribution_report(struct tool *tool, struct recording *recording, unsigned int by,
		       struct out *out);

#endif /* UCORETOOL_REPORT_ATTRIBUTION_H */
