/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What top shows, without how: panels (memory, last-level cache, links ...) whose
 * rows are sockets and boxes, their numbers over time.  One session counts all of
 * it.  Nothing here knows a terminal.
 */
#ifndef UCORETOOL_PANEL_H
#define UCORETOOL_PANEL_H

#include "tool.h"

#define PANEL_MAX		8
#define PANEL_COLUMNS		6	/* of a row, those not seen included */
#define PANEL_METRICS		4	/* ways to have a column, of which a platform has one */
#define PANEL_COLUMN_DESCS	12
#define PANEL_HISTORY		600	/* samples kept of each number */
#define PANEL_NAME_LEN		24

/* panel_column_desc.flags */
#define NUMBER_BAR		(1U << 0)	/* a part of the row's bar */
#define NUMBER_MEAN		(1U << 1)	/* a socket has the mean of its boxes, no sum */
#define NUMBER_TOTAL		(1U << 2)	/* no metric: the sum of the bar's columns */
#define NUMBER_PEAK		(1U << 3)	/* not seen: the most that a bar can be */
#define NUMBER_SOCKET		(1U << 4)	/* of sockets only, in a panel of boxes */

/**
 * struct panel_column_desc - one kind of number
 * @heading: what people read above it
 * @unit: its unit, as they read it
 * @flags: COLUMN_*
 * @group: of the groups of a panel, the first that the platform has all of is shown, or, if
 *         there is none, anything of
 * @metrics: names of metrics, or definitions of such from events; the first that the
 *           platform has is meant.  Of a NUMBER_TOTAL: its name
 */
struct panel_column_desc {
	const char *heading;
	const char *unit;
	unsigned int flags;
	unsigned int group;
	const char *metrics[PANEL_METRICS];
};

/**
 * struct panel_desc - one panel, as it could be
 * @name: as the user writes it
 * @title: as the user reads it
 * @level: of what the numbers are: UCORE_LEVEL_BOX or _SOCKET
 * @columns: what can be in it; no heading ends them
 */
struct panel_desc {
	const char *name;
	const char *title;
	uint32_t level;
	struct panel_column_desc columns[PANEL_COLUMN_DESCS];
};

/** panel_descs - all panels, in the order in which they are shown; no name ends them */
extern const struct panel_desc panel_descs[];

/**
 * struct panel_column - a number that this machine has
 * @desc: which one
 * @metric: the metric's name
 * @text: how the metric was chosen: its name or its definition
 */
struct panel_column {
	const struct panel_column_desc *desc;
	char metric[48];
	const char *text;
};

/**
 * struct panel - what is shown of a panel here
 * @desc: which one
 * @columns: its columns, @nr_columns of them; those that are seen come first
 * @nr_columns: how many there are
 * @nr_seen: how many of them are seen
 * @first: its rows are these, a socket before its boxes
 * @nr_rows: how many rows there are
 * @has_peak: its rows have a NUMBER_PEAK, the last column
 * @trouble: why there is nothing although there could be, or empty
 */
struct panel {
	const struct panel_desc *desc;
	struct panel_column columns[PANEL_COLUMNS];
	unsigned int nr_columns;
	unsigned int nr_seen;
	size_t first;
	size_t nr_rows;
	bool has_peak;
	char trouble[UCORE_ERROR_LEN];
};

/**
 * struct panel_row - a socket, or a box of one
 * @panel: index of its panel
 * @is_box: it is a box
 * @socket: its socket
 * @die: the box's die
 * @type: the box's type, empty for a socket
 * @instance: the box's number
 * @name: what people call it
 * @parent: a box's socket row
 * @nr_boxes: a socket's rows of boxes, which follow it
 * @flags: UCORE_VALUE_F_* of the last read
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
};

/**
 * struct panels - everything that is measured
 * @panels: those with something to say, @nr of them
 * @rows: of all panels, one panel after the other
 * @time: how long had been counted at each sample, in ns, modulo PANEL_HISTORY
 * @real: the wall clock's time then, in ns
 * @nr_samples: reads so far; the last PANEL_HISTORY of them are kept
 * @frozen_ns: how long the last read held a die, the longest of all dies
 * @skew_ns: how far the dies were apart at the last read
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
	/* how the numbers come; for panel.c alone */
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
 * panels_open() - choose what this machine has, and add its events to a session
 * @dev: the device
 * @session: a session of it without events; both outlive the panels
 * @wanted: bit i: panel_descs[i]
 *
 * Return: 0 or an exit code, after a complaint.
 */
int panels_open(struct tool *tool, struct ucore_device *dev, struct ucore_session *session,
		unsigned int wanted, struct panels *panels);

/** panels_close() - free what panels_open() made */
void panels_close(struct panels *panels);

/** panels_read() - one READ of the session: the next sample; 0 or -errno, explained in @err */
int panels_read(struct panels *panels, uint32_t flags, struct ucore_error *err);

/** panels_oldest() - the number of the oldest sample that is still kept */
uint64_t panels_oldest(const struct panels *panels);

/** panel_number() - a number of a row in a sample that is kept; NaN if there is none */
double panel_number(const struct panels *panels, size_t row, unsigned int column,
		    uint64_t sample);

/** panel_bar() - the sum of the columns of a row's bar; NaN if none has a number */
double panel_bar(const struct panels *panels, size_t row, uint64_t sample);

/** panel_most() - the largest bar of a panel's sockets, or boxes, in all samples that are kept */
double panel_most(const struct panels *panels, unsigned int panel, bool of_boxes);

/** panel_unit() - the unit of its first column, if others have it, too, or empty */
const char *panel_unit(const struct panel *panel);

/** column_heading() - what stands above a column: with its unit, if that is not the panel's */
const char *column_heading(const struct panel *panel, unsigned int column, char *text);

/** panel_note() - what is to be said of UCORE_VALUE_F_* of a row, or NULL */
const char *panel_note(uint32_t flags);

#define NUMBER_LEN		24

/** number_text() - a number of at most 9 letters: "1,234,567", "98.7", "0.05", "12.3M", "-" */
const char *number_text(double number, char *text);

#endif /* UCORETOOL_PANEL_H */
