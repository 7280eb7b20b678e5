/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of the screen of `ucoretool top`, which view.c changes and draw.c draws.
 */
#ifndef UCORETOOL_TOP_VIEW_STATE_H
#define UCORETOOL_TOP_VIEW_STATE_H

#include "top/panel.h"

#define VIEW_MESSAGE_LEN	160
#define VIEW_TITLE_LEN		120

enum view_line_kind {
	LINE_PANEL,		/* heading of a panel */
	LINE_ROW,
	LINE_TROUBLE,		/* reason why a column or a box of a panel is not counted */
	LINE_BLANK,
};

struct view_line {
	enum view_line_kind kind;
	unsigned int panel;
	size_t row;		/* for LINE_ROW index in panels.rows, else in panel.lines */
};

/**
 * struct view - state of the screen
 * @panels: panels with their numbers
 * @title: text of the first line
 * @lines: all lines between head and foot, also those that do not fit on the screen
 * @nr_lines: number of elements of @lines
 * @first: index of the first line on the screen
 * @cursor: index of the selected line
 * @open: true for each socket row whose boxes are shown
 * @touched: true after the user expanded or collapsed rows; then top does not change @open itself
 * @sort: column by which each panel is sorted, -1: not sorted
 * @frozen: true while the screen shows one sample and does not follow new samples
 * @sample: number of the sample that a frozen screen shows
 * @help: true while the help page is shown
 * @utf8: true if the terminal can show UTF-8 block characters
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

/** view_sample() - return the number of the sample that the screen shows */
static inline uint64_t view_sample(const struct view *view)
{
	const struct panels *panels = view->panels;

	if (!view->frozen)
		return panels->nr_samples ? panels->nr_samples - 1 : 0;
	/* A frozen screen shows the oldest kept sample if its sample is no longer kept */
	return view->sample < panels_oldest(panels) ? panels_oldest(panels) : view->sample;
}

#endif /* UCORETOOL_TOP_VIEW_STATE_H */
