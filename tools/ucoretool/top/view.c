// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The state of the screen of `ucoretool top`: lines, cursor, expanded rows, sort columns and keys.
 * Each panel has a heading, a row for each socket and, if expanded, a row for each of its boxes.
 */
#include <curses.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "top/draw.h"
#include "top/terminal.h"
#include "top/view.h"

void view_say(struct view *view, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(view->message, sizeof(view->message), format, args);
	va_end(args);
}

/* ---- lines ------------------------------------------------------------- */

static void line_add(struct view *view, enum view_line_kind kind, unsigned int panel, size_t row)
{
	view->lines[view->nr_lines++] = (struct view_line) {
		.kind = kind, .panel = panel, .row = row,
	};
}

struct sorting {
	const struct panels *panels;
	unsigned int column;
	uint64_t sample;
};

/*
 * Compare rows by the number in the sort column, for qsort_r(): the largest first, rows without a
 * number last, equal rows in their original order
 */
static int number_compare(const void *left, const void *right, void *data)
{
	const size_t *a = left, *b = right;
	const struct sorting *sorting = data;
	double of_a = panel_number(sorting->panels, *a, sorting->column, sorting->sample);
	double of_b = panel_number(sorting->panels, *b, sorting->column, sorting->sample);

	if (__builtin_isnan(of_a) || __builtin_isnan(of_b)) {
		if (__builtin_isnan(of_a) != __builtin_isnan(of_b))
			return __builtin_isnan(of_a) ? 1 : -1;
	} else if (of_a != of_b) {
		return of_a > of_b ? -1 : 1;
	}
	return *a < *b ? -1 : *a > *b;
}

static void rows_sort(const struct view *view, unsigned int panel, size_t *rows, size_t nr)
{
	struct sorting sorting = { .panels = view->panels, .sample = view_sample(view) };

	if (view->sort[panel] < 0)
		return;
	sorting.column = (unsigned int)view->sort[panel];
	qsort_r(rows, nr, sizeof(*rows), number_compare, &sorting);
}

/* Store the row indexes of a panel's sockets in display order; return the number of sockets */
static size_t sockets_of(const struct view *view, unsigned int panel, size_t *sockets)
{
	const struct panels *panels = view->panels;
	const struct panel *p = &panels->panels[panel];
	size_t nr = 0;

	for (size_t i = p->first; i < p->first + p->nr_rows; i++)
		if (!panels->rows[i].is_box)
			sockets[nr++] = i;
	rows_sort(view, panel, sockets, nr);
	return nr;
}

static void socket_lines(struct view *view, unsigned int panel, size_t socket, size_t *room)
{
	size_t nr = view->panels->rows[socket].nr_boxes;

	line_add(view, LINE_ROW, panel, socket);
	if (!view->open[socket])
		return;
	for (size_t i = 0; i < nr; i++)
		room[i] = socket + 1 + i;
	rows_sort(view, panel, room, nr);
	for (size_t i = 0; i < nr; i++)
		line_add(view, LINE_ROW, panel, room[i]);
}

static void panel_lines(struct view *view, unsigned int panel)
{
	const struct panel *p = &view->panels->panels[panel];
	size_t *rows = calloc(2 * p->nr_rows + 1, sizeof(*rows));
	size_t nr;

	line_add(view, LINE_PANEL, panel, 0);
	for (size_t i = 0; i < p->nr_lines; i++)
		line_add(view, LINE_TROUBLE, panel, i);
	if (!rows)
		return;
	nr = sockets_of(view, panel, rows);
	for (size_t i = 0; i < nr; i++)
		socket_lines(view, panel, rows[i], rows + nr);
	free(rows);
}

static bool line_is(const struct view_line *a, const struct view_line *b)
{
	return a->kind == b->kind && a->panel == b->panel && a->row == b->row;
}

/* Keep the cursor on the same row, or move it to the row's socket if the row is hidden */
static void cursor_find(struct view *view, struct view_line was)
{
	for (unsigned int tries = 0; tries < 2; tries++) {
		for (size_t i = 0; i < view->nr_lines; i++)
			if (line_is(&view->lines[i], &was)) {
				view->cursor = i;
				return;
			}
		if (was.kind == LINE_ROW)
			was.row = view->panels->rows[was.row].parent;
	}
	view->cursor = 0;
}

static size_t lines_needed(const struct view *view)
{
	size_t nr = 0;

	for (unsigned int panel = 0; panel < view->panels->nr; panel++)
		nr += 1 + view->panels->panels[panel].nr_lines;
	for (size_t i = 0; i < view->panels->nr_rows; i++) {
		const struct panel_row *row = &view->panels->rows[i];

		nr += !row->is_box || view->open[row->parent];
	}
	return nr;
}

static void lines_make(struct view *view)
{
	bool blanks = lines_needed(view) + view->panels->nr - 1 <= (size_t)draw_body_height();
	struct view_line was = { 0 };

	if (view->nr_lines)
		was = view->lines[view->cursor];
	view->nr_lines = 0;
	for (unsigned int panel = 0; panel < view->panels->nr; panel++) {
		if (panel && blanks)
			line_add(view, LINE_BLANK, panel, 0);
		panel_lines(view, panel);
	}
	cursor_find(view, was);
}

static void panel_unfold(struct view *view, const struct panel *panel, bool open)
{
	for (size_t i = panel->first; i < panel->first + panel->nr_rows; i++)
		/* Do not expand a socket with one box, because both have the same numbers */
		view->open[i] = open && view->panels->rows[i].nr_boxes > 1;
}

/* Expand the panels one after the other, as long as all rows fit on the screen */
static void rows_unfold(struct view *view)
{
	const struct panels *panels = view->panels;

	for (unsigned int panel = 0; panel < panels->nr; panel++)
		panel_unfold(view, &panels->panels[panel], false);
	for (unsigned int panel = 0; panel < panels->nr; panel++) {
		panel_unfold(view, &panels->panels[panel], true);
		if (lines_needed(view) > (size_t)draw_body_height())
			panel_unfold(view, &panels->panels[panel], false);
	}
}

/* ---- open and close ---------------------------------------------------- */

int view_open(struct view *view, const struct panels *panels, const char *title)
{
	*view = (struct view) { .panels = panels, .utf8 = screen_utf8() };
	snprintf(view->title, sizeof(view->title), "%s", title);
	for (unsigned int i = 0; i < PANEL_MAX; i++)
		view->sort[i] = -1;
	/* A panel has its rows, and lines: heading, what is not counted, blank line */
	view->lines = calloc(panels->nr_rows + (2 + PANEL_LINES) * PANEL_MAX, sizeof(*view->lines));
	view->open = calloc(panels->nr_rows + 1, sizeof(*view->open));
	if (!view->lines || !view->open)
		return -ENOMEM;
	view_resized(view);
	return 0;
}

void view_close(struct view *view)
{
	free(view->lines);
	free(view->open);
}

void view_resized(struct view *view)
{
	if (!view->touched)
		rows_unfold(view);
	lines_make(view);
}

/* ---- drawing ----------------------------------------------------------- */

/* Scroll by the smallest number of lines that makes the selected line visible */
static void cursor_show(struct view *view)
{
	size_t height = (size_t)draw_body_height();

	if (view->cursor < view->first)
		view->first = view->cursor;
	if (view->cursor >= view->first + height)
		view->first = height ? view->cursor - height + 1 : 0;
	/* Do not leave empty lines at the bottom while lines are hidden at the top */
	if (view->first + height > view->nr_lines)
		view->first = view->nr_lines > height ? view->nr_lines - height : 0;
}

void view_draw(struct view *view)
{
	lines_make(view);
	cursor_show(view);
	draw_screen(view);
}

/* ---- keys -------------------------------------------------------------- */

static bool can_select(const struct view *view, size_t line)
{
	return view->lines[line].kind != LINE_BLANK;
}

static void cursor_move(struct view *view, long by)
{
	long last = (long)view->nr_lines - 1, to = (long)view->cursor + by;
	int step = by < 0 ? -1 : 1;

	to = to < 0 ? 0 : to > last ? last : to;
	while (to >= 0 && to <= last && !can_select(view, (size_t)to))
		to += step;
	if (to >= 0 && to <= last)
		view->cursor = (size_t)to;
}

static bool all_open(const struct view *view, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++)
		if (view->panels->rows[i].nr_boxes && !view->open[i])
			return false;
	return true;
}

/* Collapse @nr rows from @first on if all of them are expanded, otherwise expand all of them */
static void rows_toggle(struct view *view, size_t first, size_t nr)
{
	bool open = !all_open(view, first, nr);

	for (size_t i = first; i < first + nr; i++)
		view->open[i] = open;
	view->touched = true;
}

static void line_toggle(struct view *view)
{
	const struct view_line *line = &view->lines[view->cursor];
	const struct panel *panel = &view->panels->panels[line->panel];

	if (line->kind == LINE_ROW)
		rows_toggle(view, view->panels->rows[line->row].parent, 1);
	else
		rows_toggle(view, panel->first, panel->nr_rows);
}

static void sort_next(struct view *view)
{
	unsigned int panel = view->lines[view->cursor].panel;

	if (++view->sort[panel] >= (int)view->panels->panels[panel].nr_seen)
		view->sort[panel] = -1;
}

static void freeze_toggle(struct view *view)
{
	view->sample = view_sample(view);
	view->frozen = !view->frozen && view->panels->nr_samples;
}

static void time_move(struct view *view, int by)
{
	uint64_t sample = view_sample(view);

	if (!view->frozen)
		return;
	if (by < 0 && sample > panels_oldest(view->panels))
		view->sample = sample - 1;
	else if (by > 0 && sample + 1 < view->panels->nr_samples)
		view->sample = sample + 1;
}

static bool move_key(struct view *view, int key)
{
	long page = draw_body_height() > 1 ? draw_body_height() - 1 : 1;

	switch (key) {
	case KEY_UP:
		cursor_move(view, -1);
		return true;
	case KEY_DOWN:
		cursor_move(view, 1);
		return true;
	case KEY_PPAGE:
		cursor_move(view, -page);
		return true;
	case KEY_NPAGE:
		cursor_move(view, page);
		return true;
	case KEY_HOME:
		cursor_move(view, -(long)view->nr_lines);
		return true;
	case KEY_END:
		cursor_move(view, (long)view->nr_lines);
		return true;
	case KEY_LEFT:
		time_move(view, -1);
		return true;
	case KEY_RIGHT:
		time_move(view, 1);
		return true;
	default:
		return false;
	}
}

static enum view_action key_handle(struct view *view, int key)
{
	switch (key) {
	case 'q':
	case KEY_F(10):
		return ACTION_QUIT;
	case 'w':
		return ACTION_CSV;
	case 'j':
		return ACTION_JSON;
	case 'h':
	case '?':
	case KEY_F(1):
		view->help = true;
		break;
	case '\r':
	case '\n':
	case KEY_ENTER:
	case 'e':
		line_toggle(view);
		break;
	case 'a':
		rows_toggle(view, 0, view->panels->nr_rows);
		break;
	case 's':
		sort_next(view);
		break;
	case 'f':
	case ' ':
		freeze_toggle(view);
		break;
	default:
		move_key(view, key);
	}
	return ACTION_NONE;
}

enum view_action view_keys(struct view *view)
{
	enum view_action action = ACTION_NONE;
	int key;

	while (action == ACTION_NONE && (key = getch()) != ERR) {
		if (key == KEY_RESIZE)
			continue;
		*view->message = 0;
		if (view->help && key != 'q')
			view->help = false;
		else
			action = key_handle(view, key);
		lines_make(view);
	}
	return action;
}
