// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The screen of top.  It is made of lines: each panel has a heading, a row for each
 * socket and, where they are open, for each of its boxes.  A row is its name, a bar,
 * its numbers and its history.
 */
#include <curses.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/walltime.h"
#include "top/terminal.h"
#include "top/view.h"
#include "event_loop.h"

#define NAME_WIDTH	15
#define NUMBER_WIDTH	10
#define MIN_BAR		8
#define MAX_BAR		52
#define MIN_HISTORY	8
#define HEAD_LINES	2	/* above the panels */
#define FOOT_LINES	1

#define KEY_ESC		27

/* How wide things are on this terminal; 0: there is no room for them */
struct layout {
	int bar;
	int numbers;
	int history;
};

/* ---- text -------------------------------------------------------------- */

__attribute__((format(printf, 5, 6)))
static void put(int y, int x, int width, unsigned long attr, const char *format, ...)
{
	char text[512];
	va_list args;

	if (x >= COLS || y >= LINES || width <= 0)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (width > COLS - x)
		width = COLS - x;
	attrset(attr);
	mvprintw(y, x, "%.*s", width, text);
	attrset(A_NORMAL);
}

/* The same, of as many columns as there is room, the rest of them blank */
static void put_line(int y, unsigned long attr, const char *text)
{
	put(y, 0, COLS, attr, "%-*s", COLS < 500 ? COLS : 500, text);
}

void view_say(struct view *view, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(view->message, sizeof(view->message), format, args);
	va_end(args);
}

/* ---- which sample ------------------------------------------------------ */

uint64_t view_sample(const struct view *view)
{
	const struct panels *panels = view->panels;

	if (!view->frozen)
		return panels->nr_samples ? panels->nr_samples - 1 : 0;
	/* what is no longer kept cannot be seen */
	return view->sample < panels_oldest(panels) ? panels_oldest(panels) : view->sample;
}

/* ---- lines ------------------------------------------------------------- */

static int body_height(void)
{
	int height = LINES - HEAD_LINES - FOOT_LINES;

	return height > 0 ? height : 0;
}

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

/* The largest first, those without a number last, equal ones as they are */
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

/* The rows from @first on, a socket and its boxes as one: each socket's number */
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
	if (!p->nr_rows)
		line_add(view, LINE_TROUBLE, panel, 0);
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

/* The cursor stays on what it was on, or goes to the row that it is a part of */
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
		nr += 1 + !view->panels->panels[panel].nr_rows;
	for (size_t i = 0; i < view->panels->nr_rows; i++) {
		const struct panel_row *row = &view->panels->rows[i];

		nr += !row->is_box || view->open[row->parent];
	}
	return nr;
}

static void lines_make(struct view *view)
{
	bool blanks = lines_needed(view) + view->panels->nr - 1 <= (size_t)body_height();
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
		/* the only box of a socket says nothing more */
		view->open[i] = open && view->panels->rows[i].nr_boxes > 1;
}

/* Panel by panel the boxes are seen, as far as all of it finds room */
static void rows_unfold(struct view *view)
{
	const struct panels *panels = view->panels;

	for (unsigned int panel = 0; panel < panels->nr; panel++)
		panel_unfold(view, &panels->panels[panel], false);
	for (unsigned int panel = 0; panel < panels->nr; panel++) {
		panel_unfold(view, &panels->panels[panel], true);
		if (lines_needed(view) > (size_t)body_height())
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
	/* a heading, a blank and a word of trouble for each panel */
	view->lines = calloc(panels->nr_rows + 3 * PANEL_MAX, sizeof(*view->lines));
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

/* ---- bars and histories ------------------------------------------------ */

/* What a full bar is where nothing better is known: a round number */
static double nice_above(double value)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double scale = 1;

	if (!(value > 0))
		return 1;
	while (scale * 10 < value)
		scale *= 10;
	while (scale >= value * 10)
		scale /= 10;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (scale * steps[i] >= value)
			return scale * steps[i];
	return scale * 10;
}

/* The scales of a panel's rows, made once for all of them */
struct scales {
	double of_sockets, of_boxes;
};

static double row_scale(const struct view *view, size_t row, const struct scales *scales)
{
	const struct panel_row *r = &view->panels->rows[row];
	const struct panel *panel = &view->panels->panels[r->panel];
	double peak = __builtin_nan("");

	if (panel->has_peak)
		peak = panel_number(view->panels, row, panel->nr_columns - 1, view_sample(view));
	if (peak > 0)
		return peak;
	return r->is_box ? scales->of_boxes : scales->of_sockets;
}

/* Letters of a bar's parts, and of something that is less than half of one */
static const char *part_letter(const struct view *view, unsigned int part)
{
	static const char *const blocks[] = { "█", "▒", "▏" };
	static const char *const ascii[] = { "#", "=", "." };

	return view->utf8 ? blocks[part] : ascii[part];
}

/* Letters of up to three bytes in a row; one call to curses for all of them */
struct letters {
	char text[3 * PANEL_HISTORY + 1];
	size_t length;
};

static void letter_add(struct letters *letters, const char *letter)
{
	size_t length = strlen(letter);

	if (letters->length + length >= sizeof(letters->text))
		return;
	memcpy(letters->text + letters->length, letter, length);
	letters->length += length;
	letters->text[letters->length] = 0;
}

static void letters_put(const struct letters *letters, int y, int x, enum screen_pair pair)
{
	if (!letters->length)
		return;
	attrset(screen_attr(pair));
	mvaddstr(y, x, letters->text);
	attrset(A_NORMAL);
}

static void part_draw(const struct view *view, int y, int x, int from, int to, unsigned int part)
{
	struct letters letters;

	letters.length = 0;
	for (int i = from; i < to; i++)
		letter_add(&letters, part_letter(view, part));
	letters_put(&letters, y, x + from, part ? PAIR_SECOND : PAIR_FIRST);
}

static void bar_draw(const struct view *view, int y, int x, int width, size_t row,
		     const struct scales *scales)
{
	const struct panel *panel = &view->panels->panels[view->panels->rows[row].panel];
	double scale = row_scale(view, row, scales), sum = 0;
	unsigned int part = 0;
	int at = 0;

	width -= 2;
	put(y, x, 1, A_BOLD, "[");
	put(y, x + 1 + width, 1, A_BOLD, "]");
	for (unsigned int c = 0; c < panel->nr_seen; c++) {
		double number = panel_number(view->panels, row, c, view_sample(view));
		int end;

		if (!(panel->columns[c].desc->flags & NUMBER_BAR))
			continue;
		if (number > 0)
			sum += number;
		end = sum < scale ? (int)(sum / scale * width + 0.5) : width;
		part_draw(view, y, x + 1, at, end, part++);
		at = end;
	}
	if (!at && sum > 0)
		put(y, x + 1, 4, screen_attr(PAIR_FIRST), "%s", part_letter(view, 2));
}

static const char *level_letter(const struct view *view, unsigned int level)
{
	static const char *const blocks[] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	static const char *const ascii[] = { "_", ".", "-", "~", "=", "+", "*", "#" };

	return view->utf8 ? blocks[level] : ascii[level];
}

/* The last samples up to the one that is seen, at the scale of the largest of them */
static void history_draw(const struct view *view, int y, int x, int width, size_t row)
{
	uint64_t end = view_sample(view) + 1, oldest = panels_oldest(view->panels);
	uint64_t begin = end > oldest + (uint64_t)width ? end - (uint64_t)width : oldest;
	struct letters letters;
	double most = 0;

	if (!view->panels->nr_samples)
		return;
	letters.length = 0;
	for (uint64_t i = begin; i < end; i++)
		if (panel_bar(view->panels, row, i) > most)
			most = panel_bar(view->panels, row, i);
	for (uint64_t i = begin; i < end; i++) {
		double bar = panel_bar(view->panels, row, i);
		double level = most > 0 && bar > 0 ? bar / most * 7 + 0.5 : 0;

		letter_add(&letters, __builtin_isnan(bar) ? " " :
			   level_letter(view, (unsigned int)level));
	}
	letters_put(&letters, y, x + width - (int)(end - begin), PAIR_HISTORY);
}

/* ---- lines on the screen ----------------------------------------------- */

/* The numbers first: who has little room wants these; then bars, then histories */
static struct layout layout_make(const struct view *view)
{
	struct layout layout = { 0 };
	int rest;

	for (unsigned int i = 0; i < view->panels->nr; i++)
		if ((int)view->panels->panels[i].nr_seen > layout.numbers)
			layout.numbers = (int)view->panels->panels[i].nr_seen;
	layout.numbers *= NUMBER_WIDTH;
	rest = COLS - NAME_WIDTH - layout.numbers;
	if (rest < MIN_BAR)
		return layout;
	if (rest < MIN_BAR + 2 + MIN_HISTORY) {
		layout.bar = rest;
		return layout;
	}
	layout.bar = rest / 2 < MAX_BAR ? rest / 2 : MAX_BAR;
	layout.history = rest - layout.bar - 2;
	return layout;
}

static void full_text(const struct panel *panel, const struct scales *scales, int room,
		      char *text, size_t size)
{
	char of_sockets[NUMBER_LEN], of_boxes[NUMBER_LEN];

	number_text(scales->of_sockets, of_sockets);
	number_text(scales->of_boxes, of_boxes);
	if (panel->has_peak)
		snprintf(text, size, "full: peak");
	else if (panel->desc->level == UCORE_LEVEL_BOX && room >= 32)
		snprintf(text, size, "full: %s, of a box %s", of_sockets, of_boxes);
	else
		snprintf(text, size, "full: %s", of_sockets);
	if ((int)strlen(text) > room)
		*text = 0;
}

/* Which end of the history is now, and how much of it there is */
static void history_head(const struct view *view, int y, const struct layout *layout)
{
	uint64_t newest = view_sample(view), oldest = panels_oldest(view->panels);
	uint64_t seconds;

	if (!view->panels->nr_samples || layout->history < MIN_HISTORY)
		return;
	if (newest >= oldest + (uint64_t)layout->history)
		oldest = newest - (uint64_t)layout->history + 1;
	seconds = (view->panels->time[newest % PANEL_HISTORY] -
		   view->panels->time[oldest % PANEL_HISTORY]) / NSEC_PER_SEC;
	if (seconds)
		put(y, COLS - layout->history, layout->history, screen_attr(PAIR_HEADING),
		    "last %llu s", (unsigned long long)seconds);
}

static void heading_draw(const struct view *view, int y, const struct view_line *line,
			 const struct layout *layout, const struct scales *scales, bool selected)
{
	const struct panel *panel = &view->panels->panels[line->panel];
	const char *unit = panel_unit(panel);
	char text[64], heading[PANEL_NAME_LEN], full[80];
	int x = NAME_WIDTH + layout->bar;
	int title;

	put_line(y, screen_attr(PAIR_HEADING), "");
	title = snprintf(text, sizeof(text), "%s%s%s", panel->desc->title, *unit ? ", " : "", unit);
	put(y, 0, x, screen_attr(PAIR_HEADING) | (selected ? A_BOLD | A_UNDERLINE : A_BOLD), "%s",
	    text);
	full_text(panel, scales, x - title - 2, full, sizeof(full));
	if (layout->bar && panel->nr_rows)
		put(y, x - (int)strlen(full), (int)strlen(full), screen_attr(PAIR_HEADING), "%s",
		    full);
	for (unsigned int c = 0; c < panel->nr_seen; c++, x += NUMBER_WIDTH) {
		bool sorted = view->sort[line->panel] == (int)c;

		column_heading(panel, c, heading);
		snprintf(text, sizeof(text), "%s%s", sorted ? ">" : "", heading);
		put(y, x, NUMBER_WIDTH, screen_attr(PAIR_HEADING) | (sorted ? A_BOLD : 0), "%*s",
		    NUMBER_WIDTH, text);
	}
	history_head(view, y, layout);
}

/* A socket that can be opened shows that, a box stands a little to the right */
static void name_draw(const struct view *view, int y, size_t row, bool selected)
{
	const struct panel_row *r = &view->panels->rows[row];
	const char *mark = " ";

	if (r->nr_boxes && view->utf8)
		mark = view->open[row] ? "▾" : "▸";
	else if (r->nr_boxes)
		mark = view->open[row] ? "-" : "+";
	attrset(selected ? A_REVERSE : A_NORMAL);
	mvaddstr(y, 0, mark);
	attrset(A_NORMAL);
	put(y, 1, NAME_WIDTH - 2, selected ? A_REVERSE : 0, "%s%-*s", r->is_box ? "  " : " ",
	    r->is_box ? NAME_WIDTH - 4 : NAME_WIDTH - 3, r->name);
}

static void row_draw(const struct view *view, int y, const struct view_line *line,
		     const struct layout *layout, const struct scales *scales, bool selected)
{
	const struct panel *panel = &view->panels->panels[line->panel];
	const char *note = panel_note(view->panels->rows[line->row].flags);
	int x = NAME_WIDTH + layout->bar;
	char text[NUMBER_LEN];

	name_draw(view, y, line->row, selected);
	if (layout->bar)
		bar_draw(view, y, NAME_WIDTH, layout->bar, line->row, scales);
	if (note)
		put(y, NAME_WIDTH + !!layout->bar, (int)strlen(note), screen_attr(PAIR_ALERT),
		    "%s", note);
	for (unsigned int c = 0; c < panel->nr_seen; c++, x += NUMBER_WIDTH)
		put(y, x, NUMBER_WIDTH, c == 0 ? A_BOLD : 0, "%*s", NUMBER_WIDTH,
		    number_text(panel_number(view->panels, line->row, c, view_sample(view)), text));
	if (layout->history)
		history_draw(view, y, COLS - layout->history, layout->history, line->row);
}

/* ---- the screen -------------------------------------------------------- */

static void head_draw(const struct view *view)
{
	const struct panels *panels = view->panels;
	uint64_t sample = view_sample(view);
	char text[VIEW_TITLE_LEN + 60], clock[CLOCK_LEN];

	clock_local(panels->nr_samples ? panels->real[sample % PANEL_HISTORY] :
		    clock_real(now_ns()), clock);
	snprintf(text, sizeof(text), "%s", view->title);
	if (panels->nr_samples && panels->frozen_ns)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 ", frozen %.1f us a read", (double)panels->frozen_ns / 1e3);
	put(0, 0, COLS - 10, A_BOLD, "%s", text);
	if (view->frozen)
		put(0, COLS - 17, 8, screen_attr(PAIR_ALERT) | A_REVERSE, " FROZEN ");
	put(0, COLS - 8, 8, A_NORMAL, "%.8s", clock);
}

/* What all sockets have together, of each panel in MB/s */
static void sums_draw(const struct view *view)
{
	const struct panels *panels = view->panels;
	char number[NUMBER_LEN], text[160] = "";

	for (unsigned int i = 0; i < panels->nr; i++) {
		const struct panel *panel = &panels->panels[i];
		double sum = 0;

		if (!panel->nr_rows || strcmp(panel->columns[0].desc->unit, "MB/s"))
			continue;
		for (size_t row = panel->first; row < panel->first + panel->nr_rows; row++) {
			double bar = panel_bar(panels, row, view_sample(view));

			if (!panels->rows[row].is_box && bar > 0)
				sum += bar;
		}
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s",
			 *text ? "   " : "all, MB/s:  ", panel->desc->name,
			 number_text(sum, number));
	}
	put(1, 0, COLS, A_NORMAL, "%s", text);
}

static void foot_draw(const struct view *view)
{
	const char *keys = " h Help  Enter Expand  a All  s Sort  f Freeze  w Save  q Quit";

	if (*view->message)
		put_line(LINES - 1, screen_attr(PAIR_KEYS) | A_BOLD, view->message);
	else if (view->frozen)
		put_line(LINES - 1, screen_attr(PAIR_KEYS),
			 " Left/Right: back and forth in time   f: go on   w: save   q: quit");
	else
		put_line(LINES - 1, screen_attr(PAIR_KEYS), keys);
}

static const char *const help_lines[] = {
	"Keys",
	"",
	"  Up Down PgUp PgDn Home End   choose a line",
	"  Enter, e    show or hide the boxes of the socket or panel",
	"  a           show or hide all boxes",
	"  s           sort the panel by its next column, and as it was again",
	"  f, Space    freeze the screen, and go on; it is measured meanwhile",
	"  Left Right  back and forth in time while it is frozen",
	"  w, j        save what is seen as CSV or JSON lines, in this directory",
	"  h, ?        this page      q  quit",
	"",
	"Bars        full is the peak of the hardware where it is known, else a",
	"            round number above all that was seen; the first column, then",
	"            the second. Histories have the scale of their own largest.",
	"BUSY        of the memory's bus, or of the link that sends",
	"MISS        data reads of the cores that the last-level cache had not",
	"P-/T-LIMIT  time in which power or heat limited the cores' clock",
	"-           no number: nothing was divided, or the box does not count",
};

static void help_draw(void)
{
	int y = 0;

	erase();
	for (size_t i = 0; i < ARRAY_SIZE(help_lines); i++)
		put(y++, 0, COLS, i ? A_NORMAL : A_BOLD, "%s", help_lines[i]);
	put_line(LINES - 1, screen_attr(PAIR_KEYS), " any key: back");
}

/* What is not shown, in a line that is cut where the screen ends */
static void trouble_draw(const struct view *view, int y, unsigned int panel)
{
	put(y, 2, COLS - 2, screen_attr(PAIR_ALERT), "%s",
	    view->panels->panels[panel].trouble);
}

static void line_draw(const struct view *view, int y, size_t index, const struct layout *layout,
		      const struct scales *scales)
{
	const struct view_line *line = &view->lines[index];
	bool selected = index == view->cursor;

	if (line->kind == LINE_PANEL)
		heading_draw(view, y, line, layout, &scales[line->panel], selected);
	else if (line->kind == LINE_ROW)
		row_draw(view, y, line, layout, &scales[line->panel], selected);
	else if (line->kind == LINE_TROUBLE)
		trouble_draw(view, y, line->panel);
}

/* As little as possible is scrolled for the cursor to be seen */
static void cursor_show(struct view *view)
{
	size_t height = (size_t)body_height();

	if (view->cursor < view->first)
		view->first = view->cursor;
	if (view->cursor >= view->first + height)
		view->first = height ? view->cursor - height + 1 : 0;
	/* no empty lines below while there are some above */
	if (view->first + height > view->nr_lines)
		view->first = view->nr_lines > height ? view->nr_lines - height : 0;
}

static void body_draw(struct view *view)
{
	struct layout layout = layout_make(view);
	struct scales scales[PANEL_MAX] = { 0 };
	int height = body_height();

	for (unsigned int i = 0; i < view->panels->nr; i++)
		scales[i] = (struct scales) {
			.of_sockets = nice_above(panel_most(view->panels, i, false)),
			.of_boxes = nice_above(panel_most(view->panels, i, true)),
		};
	for (int y = 0; y < height && view->first + (size_t)y < view->nr_lines; y++)
		line_draw(view, HEAD_LINES + y, view->first + (size_t)y, &layout, scales);
}

void view_draw(struct view *view)
{
	lines_make(view);
	cursor_show(view);
	if (view->help) {
		help_draw();
	} else {
		erase();
		head_draw(view);
		sums_draw(view);
		body_draw(view);
		foot_draw(view);
	}
	refresh();
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

static bool any_open(const struct view *view, size_t first, size_t nr)
{
	for (size_t i = first; i < first + nr; i++)
		if (view->panels->rows[i].nr_boxes && view->open[i])
			return true;
	return false;
}

/* All of them are opened, or closed if one is open */
static void rows_toggle(struct view *view, size_t first, size_t nr)
{
	bool open = !any_open(view, first, nr);

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
	long page = body_height() > 1 ? body_height() - 1 : 1;

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

static enum view_wish key_take(struct view *view, int key)
{
	switch (key) {
	case 'q':
	case KEY_F(10):
		return WISH_QUIT;
	case 'w':
		return WISH_CSV;
	case 'j':
		return WISH_JSON;
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
	return WISH_NOTHING;
}

enum view_wish view_keys(struct view *view)
{
	enum view_wish wish = WISH_NOTHING;
	int key;

	while (wish == WISH_NOTHING && (key = getch()) != ERR) {
		if (key == KEY_RESIZE)
			continue;
		*view->message = 0;
		if (view->help && key != 'q')
			view->help = false;
		else
			wish = key_take(view, key);
		lines_make(view);
	}
	return wish;
}
