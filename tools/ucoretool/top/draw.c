// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Drawing of the screen of `ucoretool top` with curses. A row has a name, a bar, numbers and a
 * history. The functions do not change the view.
 */
#include <curses.h>
#include <stdarg.h>
#include <string.h>

#include "event_loop.h"
#include "output/walltime.h"
#include "top/draw.h"
#include "top/terminal.h"

#define NAME_WIDTH	15
#define NUMBER_WIDTH	10
#define MIN_BAR		8
#define MAX_BAR		52
#define MIN_HISTORY	8
#define HEAD_LINES	2	/* number of screen lines above the panels */
#define FOOT_LINES	1

/* Widths of the parts of a row in terminal columns, 0 for a part that does not fit */
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

/* Print a text over the whole width of the screen, padded with blanks */
static void put_line(int y, unsigned long attr, const char *text)
{
	put(y, 0, COLS, attr, "%-*s", COLS < 500 ? COLS : 500, text);
}

/* ---- bars and histories ------------------------------------------------ */

/* Return a round number (1, 2 or 5 times a power of 10) of at least @value, for a full bar */
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

/* Values at which a bar of a panel has its full length, for socket rows and for box rows */
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

/* Return the character of a bar's first part (0), second part (1), or of a very short bar (2) */
static const char *part_char(const struct view *view, unsigned int part)
{
	static const char *const blocks[] = { "█", "▒", "▏" };
	static const char *const ascii[] = { "#", "=", "." };

	return view->utf8 ? blocks[part] : ascii[part];
}

/* Text of a bar or history, UTF-8 characters of up to three bytes, printed by one curses call */
struct chars {
	char text[3 * PANEL_HISTORY + 1];
	size_t length;
};

static void char_add(struct chars *chars, const char *c)
{
	size_t length = strlen(c);

	if (chars->length + length >= sizeof(chars->text))
		return;
	memcpy(chars->text + chars->length, c, length);
	chars->length += length;
	chars->text[chars->length] = 0;
}

static void chars_put(const struct chars *chars, int y, int x, enum screen_pair pair)
{
	if (!chars->length)
		return;
	attrset(screen_attr(pair));
	mvaddstr(y, x, chars->text);
	attrset(A_NORMAL);
}

static void part_draw(const struct view *view, int y, int x, int from, int to, unsigned int part)
{
	struct chars chars;

	chars.length = 0;
	for (int i = from; i < to; i++)
		char_add(&chars, part_char(view, part));
	chars_put(&chars, y, x + from, part ? PAIR_SECOND : PAIR_FIRST);
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
		put(y, x + 1, 4, screen_attr(PAIR_FIRST), "%s", part_char(view, 2));
}

static const char *level_char(const struct view *view, unsigned int level)
{
	static const char *const blocks[] = {
		"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	static const char *const ascii[] = { "_", ".", "-", "~", "=", "+", "*", "#" };

	return view->utf8 ? blocks[level] : ascii[level];
}

/* Draw the history of a row up to the visible sample; its largest value has the full height */
static void history_draw(const struct view *view, int y, int x, int width, size_t row)
{
	uint64_t end = view_sample(view) + 1, oldest = panels_oldest(view->panels);
	uint64_t begin = end > oldest + (uint64_t)width ? end - (uint64_t)width : oldest;
	struct chars chars;
	double most = 0;

	if (!view->panels->nr_samples)
		return;
	chars.length = 0;
	for (uint64_t i = begin; i < end; i++)
		if (panel_bar(view->panels, row, i) > most)
			most = panel_bar(view->panels, row, i);
	for (uint64_t i = begin; i < end; i++) {
		double bar = panel_bar(view->panels, row, i);
		double level = most > 0 && bar > 0 ? bar / most * 7 + 0.5 : 0;

		char_add(&chars, __builtin_isnan(bar) ? " " :
			   level_char(view, (unsigned int)level));
	}
	chars_put(&chars, y, x + width - (int)(end - begin), PAIR_HISTORY);
}

/* ---- lines on the screen ----------------------------------------------- */

/* Divide the screen width among the parts of a row: first numbers, then bar, then history */
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
		snprintf(text, size, "full: %s, per box %s", of_sockets, of_boxes);
	else
		snprintf(text, size, "full: %s", of_sockets);
	if ((int)strlen(text) > room)
		*text = 0;
}

/* Print in the heading how many seconds the visible history covers */
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

/* Print a row's name: a socket with a mark for expanded or collapsed, a box with indentation */
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
	char text[NUMBER_LEN], remark[PANEL_NOTE_LEN];
	const char *note = panel_note(view->panels, line->row, remark);
	int x = NAME_WIDTH + layout->bar;

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

/* Print a line with the sums over all sockets, for each panel with the unit MB/s */
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
			 " Left/Right: earlier or later sample   f: continue   w: save   q: quit");
	else
		put_line(LINES - 1, screen_attr(PAIR_KEYS), keys);
}

static const char *const help_lines[] = {
	"Keys",
	"",
	"  Up Down PgUp PgDn Home End   select a line",
	"  Enter, e    show or hide the boxes of the socket or panel",
	"  a           show all boxes, or hide them if all are shown",
	"  s           sort by the next column; after the last, original order",
	"  f, Space    freeze the screen or continue; counting does not stop",
	"  Left Right  earlier or later sample while the screen is frozen",
	"  w, j        save the visible rows as CSV or JSON in this directory",
	"  h, ?        this page      q  quit",
	"",
	"Bars        the first column, then the second. A full bar is the peak of",
	"            the hardware if known, otherwise a round number above the",
	"            largest value. Each history is scaled to its own maximum.",
	"BUSY        utilisation of the memory bus, or of the sending link",
	"MISS        core data reads that missed the last-level cache",
	"P-/T-LIMIT  share of time in which power or heat limited the core clock",
	"-           no value: division by zero, or the box is not counting",
};

static void help_draw(void)
{
	int y = 0;

	erase();
	for (size_t i = 0; i < ARRAY_SIZE(help_lines); i++)
		put(y++, 0, COLS, i ? A_NORMAL : A_BOLD, "%s", help_lines[i]);
	put_line(LINES - 1, screen_attr(PAIR_KEYS), " any key: back");
}

/* Print what a panel does not count, and why, truncated to the width of the screen */
static void trouble_draw(const struct view *view, int y, const struct view_line *line)
{
	put(y, 1, COLS - 1, screen_attr(PAIR_ALERT), "%s",
	    view->panels->panels[line->panel].lines[line->row]);
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
		trouble_draw(view, y, line);
}

static void body_draw(const struct view *view)
{
	struct layout layout = layout_make(view);
	struct scales scales[PANEL_MAX] = { 0 };
	int height = draw_body_height();

	for (unsigned int i = 0; i < view->panels->nr; i++)
		scales[i] = (struct scales) {
			.of_sockets = nice_above(panel_most(view->panels, i, false)),
			.of_boxes = nice_above(panel_most(view->panels, i, true)),
		};
	for (int y = 0; y < height && view->first + (size_t)y < view->nr_lines; y++)
		line_draw(view, HEAD_LINES + y, view->first + (size_t)y, &layout, scales);
}

int draw_body_height(void)
{
	int height = LINES - HEAD_LINES - FOOT_LINES;

	return height > 0 ? height : 0;
}

void draw_screen(const struct view *view)
{
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
