/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report --sort: what was counted while who ran.
 */
#ifndef UCORETOOL_WHO_H
#define UCORETOOL_WHO_H

#include "report/tasks.h"

/** who_parse() - "comm,cpu,ip" as RAN_*; returns 0 or the exit code */
int who_parse(struct tool *tool, const char *text, unsigned int *by);

/** who_report() - read a file to its end and print who; returns 0 or the exit code */
int who_report(struct tool *tool, struct recording *recording, const struct clock_window *window,
	       unsigned int by, struct out *out);

#endif /* UCORETOOL_WHO_H */
