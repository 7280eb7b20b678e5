/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recorded file as a trace in the Common Trace Format.
 */
#ifndef UCORETOOL_CTF_H
#define UCORETOOL_CTF_H

#include "report/recording.h"

/**
 * ctf_write() - write the trace: a directory that does not exist yet
 * @recording: the file, just opened
 * @window: what lies outside is left out
 *
 * A file that is cut off or damaged is written as far as it goes.
 */
int ctf_write(struct tool *tool, struct recording *recording, const struct clock_window *window,
	      const char *path);

#endif /* UCORETOOL_CTF_H */
