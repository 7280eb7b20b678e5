/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The screen of top: which lines there are, where they stand, what keys do to them.
 */
#ifndef UCORETOOL_VIEW_H
#define UCORETOOL_VIEW_H

#include "top/panel.h"

#define VIEW_MESSAGE_LEN	160
#define VIEW_TITLE_LEN		120

enum view_line_kind {
	LINE_PANEL,		/* its heading */
	LINE_ROW,
	LINE_TROUBLE,		/* why there are no rows */
	LINE_BLANK,
};

struct view_line {
	enum view_line_kind kind;
	unsigned int panel;
	size_t row;		/* of LINE_ROW */
};

/* What a key asks of whoever owns the view */
enum view_wish {
	WISH_NOTHING,
	WISH_QUIT,
	WISH_CSV,
	WISH_JSON,
};

/**
 * struct view - what the user sees
 * @panels: what is measured
 * @title: what stands at the top
 * @lines: all lines, @nr_lines of them, whether they find room or not
 * @nr_lines: how many there are
 * @first: the first of them that is on the screen
 * @cursor: the one that keys are about
 * @open: beside the panels' rows: a socket's boxes are seen
 * @touched: the user has opened or closed something: sizes no longer decide
 * @sort: of each panel, the column that its rows are sorted by, or -1
 * @frozen: the screen stands still
 * @sample: the sample that is seen while it does
 * @help: the page about keys is seen
 * @message: what is to be said once, until the next key
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

/** view_open() - a view of panels on the terminal, which is open; 0 or -ENOMEM */
int view_open(struct view *view, const struct panels *panels, const char *title);

/** view_close() - free what view_open() made */
void view_close(struct view *view);

/** view_resized() - the terminal has another size now */
void view_resized(struct view *view);

/** view_keys() - take the keys that have been pressed */
enum view_wish view_keys(struct view *view);

/** view_draw() - put it on the terminal */
void view_draw(struct view *view);

/** view_sample() - the sample that is seen */
uint64_t view_sample(const struct view *view);

/** view_say() - tell the user something */
void view_say(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* UCORETOOL_VIEW_H */
