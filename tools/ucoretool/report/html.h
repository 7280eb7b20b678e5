/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A page with the time line of a recorded file.
 */
#ifndef UCORETOOL_HTML_H
#define UCORETOOL_HTML_H

#include "report/timeline.h"

/**
 * html_write() - write the page: one file that needs nothing else
 * @timeline: with a series for each box
 * @name: what the page calls the recording
 * @path: where it is written, "-" for standard output
 */
int html_write(struct tool *tool, const struct timeline *timeline, const char *name,
	       const char *path);

#endif /* UCORETOOL_HTML_H */
