/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion of a recorded file to a trace in the Common Trace Format.
 */
#ifndef UCORETOOL_REPORT_CTF_H
#define UCORETOOL_REPORT_CTF_H

#include "report/recording.h"

/**
 * ctf_write() - write the trace to a new directory
 * @recording: file, opened and not read yet
 * @path: path of the directory
 *
 * A damaged file is converted up to the damage.
 */
int ctf_write(struct tool *tool, struct recording *recording, const char *path);

#endif /* UCORETOOL_REPORT_CTF_H */
