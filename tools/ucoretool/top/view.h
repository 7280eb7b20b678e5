/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The screen of top: which lines exist, which of them are visible, and what keys do.
 */
#ifndef UCORETOOL_TOP_VIEW_H
#define UCORETOOL_TOP_VIEW_H

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

/* The action that a key requests from the caller */
enum view_action {
	ACTION_NONE,
	ACTION_QUIT,
	ACTION_CSV,
	ACTION_JSON,
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

/** view_open() - initialise a view of panels on the open terminal; return 0 or -ENOMEM */
int view_open(struct view *view, const struct panels *panels, const char *title);

/** view_close() - free the memory of view_open() */
void view_close(struct view *view);

/** view_resized() - adapt to a new size of the terminal */
void view_resized(struct view *view);

/** view_keys() - process the pressed keys; return the action that the caller must perform */
enum view_action view_keys(struct view *view);

/** view_draw() - draw the screen */
void view_draw(struct view *view);

/** view_sample() - return the number of the visible sample */
uint64_t view_sample(const struct view *view);

/** view_say() - set the message in the last line */
void view_say(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* UCORETOOL_TOP_VIEW_H */
