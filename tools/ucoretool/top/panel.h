/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The data behind top, without its display: panels (memory, last-level cache, links ...) with
 * rows for sockets and boxes, and their numbers over time. One session counts all of them.
 * This layer does not use the terminal.
 */
#ifndef UCORETOOL_TOP_PANEL_H
#define UCORETOOL_TOP_PANEL_H

#include "output/missing.h"
#include "tool.h"

#define PANEL_MAX		8
#define PANEL_COLUMNS		6	/* maximum number of columns of a panel, with hidden ones */
#define PANEL_METRICS		5	/* maximum number of alternative metrics of a column */
#define PANEL_COLUMN_DESCS	12
#define PANEL_HISTORY		600	/* number of kept samples, one for each READ */
#define PANEL_NAME_LEN		24
#define PANEL_NOTE_LEN		96
#define PANEL_LINES		12	/* maximum number of lines with reasons of a panel */

/* panel_column_desc.flags */
#define NUMBER_BAR		(1U << 0)	/* the number is a part of the row's bar */
#define NUMBER_MEAN		(1U << 1)	/* a socket has the mean of its boxes, no sum */
#define NUMBER_TOTAL		(1U << 2)	/* sum of the NUMBER_BAR columns, not a metric */
#define NUMBER_PEAK		(1U << 3)	/* hidden column: highest possible bar */
#define NUMBER_SOCKET		(1U << 4)	/* only sockets have the number, boxes have none */

/**
 * struct panel_column_desc - description of a possible column of a panel
 * @heading: heading of the column
 * @unit: unit in the heading
 * @flags: NUMBER_*
 * @group: number of the column's group. A panel shows the first group for which the platform has
 *         all columns, otherwise the first group for which it has any column
 * @metrics: names of metrics, or their definitions from events; the first one that the
 *           platform has is used. For NUMBER_TOTAL: the name of the sum
 */
struct panel_column_desc {
	const char *heading;
	const char *unit;
	unsigned int flags;
	unsigned int group;
	const char *metrics[PANEL_METRICS];
};

/**
 * struct panel_desc - description of a panel, the same on all machines
 * @name: name on the command line
 * @title: title on the screen
 * @level: UCORE_LEVEL_BOX (numbers for each box) or UCORE_LEVEL_SOCKET (for each socket only)
 * @columns: possible columns; an entry without a heading ends the array
 */
struct panel_desc {
	const char *name;
	const char *title;
	uint32_t level;
	struct panel_column_desc columns[PANEL_COLUMN_DESCS];
};

/** panel_descs - all panels in the order of the screen; an entry without a name ends the array */
extern const struct panel_desc panel_descs[];

/**
 * struct panel_column - column of a panel on this machine
 * @desc: description of the column
 * @metric: name of the metric
 * @text: name or definition that selected the metric
 */
struct panel_column {
	const struct panel_column_desc *desc;
	char metric[48];
	const char *text;
};

/**
 * struct panel - a panel on this machine
 * @desc: description of the panel
 * @columns: columns; the visible ones come first
 * @nr_columns: number of @columns
 * @nr_seen: number of visible columns
 * @first: index of the panel's first row in panels.rows; a socket's row precedes its boxes
 * @nr_rows: number of rows of the panel
 * @has_peak: true if the last column is NUMBER_PEAK
 * @missing: columns and boxes that are not counted, with the reasons
 * @lines: lines of @text
 * @nr_lines: number of @lines
 * @text: @missing as text
 */
struct panel {
	const struct panel_desc *desc;
	struct panel_column columns[PANEL_COLUMNS];
	unsigned int nr_columns;
	unsigned int nr_seen;
	size_t first;
	size_t nr_rows;
	bool has_peak;
	struct missing missing;
	const char *lines[PANEL_LINES];
	unsigned int nr_lines;
	char *text;
};

/**
 * struct panel_row - row of a panel: a socket, or a box of a socket
 * @panel: index of the panel
 * @is_box: true for a box
 * @socket: number of the socket
 * @die: die of a box
 * @type: type of a box, empty for a socket
 * @instance: number of a box
 * @name: name on the screen
 * @parent: for a box, index of its socket's row
 * @nr_boxes: number of box rows of a socket, which follow the socket's row
 * @flags: UCORE_VALUE_F_* of the last read
 * @nr_omitted: for a socket with box rows, number of boxes that have no row
 * @boxes_type: type of the boxes in the sum of a socket, NULL if it is unknown
 * @nr_counted: number of boxes in this sum at the last read
 * @max_counted: number of boxes that should be in the sum
 */
struct panel_row {
	unsigned int panel;
	bool is_box;
	uint32_t socket;
	uint32_t die;
	char type[UCORE_NAME_LEN];
	uint32_t instance;
	char name[PANEL_NAME_LEN];
	size_t parent;
	size_t nr_boxes;
	uint32_t flags;
	uint32_t nr_omitted;
	const char *boxes_type;
	uint32_t nr_counted;
	uint32_t max_counted;
};

/**
 * struct panels - all panels of this machine, and their numbers over time
 * @panels: the @nr panels that have columns, or that have none for a reason (panel.missing)
 * @rows: rows of all panels, one panel after the other
 * @time: time since the start at each sample (ns), indexed modulo PANEL_HISTORY
 * @real: wall-clock time of each sample (ns), indexed modulo PANEL_HISTORY
 * @nr_samples: number of samples since the start; the last PANEL_HISTORY samples are kept
 * @frozen_ns: longest time for which the last read froze a die (ns)
 * @lost: true if a box did not count at a read
 * @skew_ns: time between the first and the last freeze of the last read (ns)
 */
struct panels {
	struct panel panels[PANEL_MAX];
	unsigned int nr;
	struct panel_row *rows;
	size_t nr_rows;
	uint64_t time[PANEL_HISTORY];
	uint64_t real[PANEL_HISTORY];
	uint64_t nr_samples;
	uint64_t frozen_ns;
	uint64_t skew_ns;
	bool lost;
	/* Session and metrics from which the numbers come, private to panel*.c */
	struct ucore_device *dev;
	struct ucore_session *session;
	struct ucore_metrics *of_boxes, *of_sockets;
	struct ucore_delta *delta;
	struct panel_cell *cells;
	size_t nr_cells;
	double *samples;
	double most[PANEL_MAX][2][PANEL_HISTORY];
};

/**
 * panels_open() - select the panels and columns of this machine, and add their events to a session
 * @dev: the device
 * @session: session of @dev without events; @dev and @session must outlive the panels
 * @wanted: selected panels; bit i is panel_descs[i]
 *
 * Return: 0, or an exit code after an error message.
 */
int panels_open(struct tool *tool, struct ucore_device *dev, struct ucore_session *session,
		unsigned int wanted, struct panels *panels);

/** panels_refuse() - with --strict: print an error if anything is missing; 0 or the exit code */
int panels_refuse(const struct tool *tool, const struct panels *panels);

/** panels_close() - free the memory of panels_open() */
void panels_close(struct panels *panels);

/** panels_read() - read the next sample; return 0 or -errno, explained in @err */
int panels_read(struct panels *panels, uint32_t flags, struct ucore_error *err);

/** panels_oldest() - return the number of the oldest sample that is kept */
uint64_t panels_oldest(const struct panels *panels);

/** panel_number() - return the number in a row and column at a sample; NaN if there is none */
double panel_number(const struct panels *panels, size_t row, unsigned int column,
		    uint64_t sample);

/** panel_bar() - return the sum of a row's NUMBER_BAR columns; NaN if none has a number */
double panel_bar(const struct panels *panels, size_t row, uint64_t sample);

/** panel_most() - return the largest bar of a panel's sockets, or boxes, in all kept samples */
double panel_most(const struct panels *panels, unsigned int panel, bool of_boxes);

/** panel_unit() - return the unit of the first column if another column has it, too, else "" */
const char *panel_unit(const struct panel *panel);

/**
 * column_heading() - return the heading of a column, with its unit if it differs from the
 * panel's
 */
const char *column_heading(const struct panel *panel, unsigned int column, char *text);

/* Flags of values that are not shown, because the box did not count all the time */
#define NO_COUNT	(UCORE_VALUE_F_DEAD | UCORE_VALUE_F_OFFLINE | UCORE_VALUE_F_PARTIAL)

/**
 * panel_note() - write a remark on a row at the last read: its flags UCORE_VALUE_F_*, and
 * "7 of 8 imc"
 * @text: buffer of PANEL_NOTE_LEN characters
 *
 * Return: @text, or NULL if there is no remark.
 */
const char *panel_note(const struct panels *panels, size_t row, char *text);

#define NUMBER_LEN		24

/** number_text() - format a number in 9 characters: "1,234,567", "98.7", "0.05", "12.3M", "-" */
const char *number_text(double number, char *text);

#endif /* UCORETOOL_TOP_PANEL_H */
