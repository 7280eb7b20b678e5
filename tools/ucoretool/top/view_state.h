/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of top's screen, which view.c changes and draw.c draws.
 */
#ifndef UCORETOOL_TOP_VIEW_STATE_H
#define UCORETOOL_TOP_VIEW_STATE_H

#include "top/panel.h"

#define VIEW_MESSAGE_LEN	160
#define VIEW_TITLE_LEN		120

enum view_line_kind {
	LINE_PANEL,		/* heading of a panel */
	LINE_ROW,
	LINE_TROUBLE,		/* reason why a panel has no rows */
	LINE_BLANK,
};

struct view_line {
	enum view_line_kind kind;
	unsigned int panel;
	size_t row;		/* for LINE_ROW */
};

/**
 * struct view - state of the screen
 * @panels: panels with their numbers
 * @title: text of the first line
 * @lines: all lines, visible or not
 * @nr_lines: number of @lines
 * @first: index of the first visible line
 * @cursor: index of the selected line
 * @open: true for each socket row whose boxes are shown
 * @touched: true after the user expanded or collapsed rows, which stops the automatic choice
 * @sort: sort column of each panel, or -1
 * @frozen: true while the screen is frozen
 * @sample: number of the sample on a frozen screen
 * @help: true while the help page is shown
 * @utf8: true if the terminal shows block elements
 * @message: message that is shown until the next key
 */
struct view {
	const struct panels *panels;
	char title[VIEW_TITLE_LEN];
	struct view_line *lines;
	size_t nr_lines;
	size_t first;
	size_t cursor;
	bool *open;
	bool touched;
	int sort[PANEL_MAX];
	bool frozen;
	uint64_t sample;
	bool help;
	bool utf8;
	char message[VIEW_MESSAGE_LEN];
};

/** view_sample() - return the number of the visible sample */
static inline uint64_t view_sample(const struct view *view)
{
	const struct panels *panels = view->panels;

	if (!view->frozen)
		return panels->nr_samples ? panels->nr_samples - 1 : 0;
	/* Show the oldest kept sample instead of an older one */
	return view->sample < panels_oldest(panels) ? panels_oldest(panels) : view->sample;
}

#endif /* UCORETOOL_TOP_VIEW_STATE_H */
