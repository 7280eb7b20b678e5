/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * report --by: what was counted while who ran.
 */
#ifndef UCORETOOL_WHO_H
#define UCORETOOL_WHO_H

#include "recording.h"

/* What the rows of report --by are told apart by */
#define WHO_COMM	(1U << 0)
#define WHO_PID		(1U << 1)
#define WHO_TID		(1U << 2)
#define WHO_CPU		(1U << 3)
#define WHO_IP		(1U << 4)

/** who_parse() - "comm,cpu,ip" as WHO_*; returns 0 or the exit code */
int who_parse(struct tool *tool, const char *text, unsigned int *by);

/** who_report() - read a file to its end and print who; returns 0 or the exit code */
int who_report(struct tool *tool, struct recording *recording, const struct clock_window *window,
	       unsigned int by, struct out *out);

#endif /* UCORETOOL_WHO_H */
