/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The HTML page with the time line of a recorded file.
 */
#ifndef UCORETOOL_REPORT_HTML_H
#define UCORETOOL_REPORT_HTML_H

#include "report/timeline.h"

/**
 * html_write() - write the page as one self-contained file
 * @timeline: timeline with a series for each box
 * @name: name of the recording in the page
 * @path: output file, "-" for standard output
 */
int html_write(struct tool *tool, const struct timeline *timeline, const char *name,
	       const char *path);

#endif /* UCORETOOL_REPORT_HTML_H */
