// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The panels of `ucoretool top` on this machine: opening, samples, and the texts of numbers.
 * Reading a sample allocates no memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "event_loop.h"
#include "output/domain.h"
#include "output/walltime.h"
#include "top/panel.h"
#include "top/panel_parts.h"

/* ---- open and close ---------------------------------------------------- */

static int metrics_attach(struct tool *tool, struct panels *panels)
{
	int ret = ucore_metrics_attach(panels->of_boxes, panels->session, UCORE_LEVEL_BOX,
				       &tool->err);

	if (!ret)
		ret = ucore_metrics_attach(panels->of_sockets, panels->session,
					   UCORE_LEVEL_SOCKET, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	ret = panel_select_counted(tool, panels);
	if (ret)
		return ret;
	ret = ucore_delta_create(panels->session, &panels->delta, &tool->err);
	return ret ? tool_fail(tool, ret) : panel_rows_make(tool, panels);
}

int panels_open(struct tool *tool, struct ucore_device *dev, struct ucore_session *session,
		unsigned int wanted, struct panels *panels)
{
	int ret;

	*panels = (struct panels) { .dev = dev, .session = session };
	ret = ucore_metrics_create(dev, &panels->of_boxes, &tool->err);
	if (!ret)
		ret = ucore_metrics_create(dev, &panels->of_sockets, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	for (unsigned int i = 0; panel_descs[i].name && !ret; i++)
		if (wanted & 1U << i)
			ret = panel_select_offer(tool, panels, &panel_descs[i]);
	return ret ? ret : metrics_attach(tool, panels);
}

void panels_close(struct panels *panels)
{
	panel_missing_free(panels);
	ucore_metrics_free(panels->of_boxes);
	ucore_metrics_free(panels->of_sockets);
	ucore_delta_free(panels->delta);
	free(panels->samples);
	free(panels->cells);
	free(panels->rows);
}

/* ---- samples ----------------------------------------------------------- */

static double *number_at(const struct panels *panels, size_t row, unsigned int column,
			 uint64_t sample)
{
	return &panels->samples[(row * PANEL_COLUMNS + column) * PANEL_HISTORY +
				sample % PANEL_HISTORY];
}

uint64_t panels_oldest(const struct panels *panels)
{
	return panels->nr_samples < PANEL_HISTORY ? 0 : panels->nr_samples - PANEL_HISTORY;
}

double panel_number(const struct panels *panels, size_t row, unsigned int column,
		    uint64_t sample)
{
	if (sample >= panels->nr_samples || sample < panels_oldest(panels))
		return __builtin_nan("");
	return *number_at(panels, row, column, sample);
}

static double *most_at(struct panels *panels, unsigned int panel, bool of_boxes, uint64_t sample)
{
	return &panels->most[panel][of_boxes][sample % PANEL_HISTORY];
}

double panel_most(const struct panels *panels, unsigned int panel, bool of_boxes)
{
	double most = 0;

	for (uint64_t i = panels_oldest(panels); i < panels->nr_samples; i++)
		if (panels->most[panel][of_boxes][i % PANEL_HISTORY] > most)
			most = panels->most[panel][of_boxes][i % PANEL_HISTORY];
	return most;
}

static void numbers_clear(struct panels *panels, uint64_t sample)
{
	for (unsigned int panel = 0; panel < panels->nr; panel++)
		for (unsigned int level = 0; level < 2; level++)
			*most_at(panels, panel, level, sample) = 0;
	for (size_t row = 0; row < panels->nr_rows; row++) {
		panels->rows[row].flags = 0;
		panels->rows[row].boxes_type = NULL;
		panels->rows[row].nr_counted = 0;
		panels->rows[row].max_counted = 0;
		for (unsigned int column = 0; column < PANEL_COLUMNS; column++)
			*number_at(panels, row, column, sample) = __builtin_nan("");
	}
}

/* Store the number of boxes in a socket's value, if more boxes are missing than in others */
static void socket_count(struct panel_row *row, const struct ucore_metric_value *value)
{
	if (row->boxes_type && value->max_boxes - value->nr_boxes <=
			       row->max_counted - row->nr_counted)
		return;
	row->boxes_type = value->boxes_type;
	row->nr_counted = value->nr_boxes;
	row->max_counted = value->max_boxes;
}

/* Add a box to the number of boxes in the sum of its socket's row */
static void box_count(struct panels *panels, const struct panel_row *box)
{
	struct panel_row *socket = &panels->rows[box->parent];

	if (!socket->max_counted)
		socket->max_counted = socket->nr_omitted;
	socket->boxes_type = box->type;
	socket->max_counted++;
	socket->nr_counted += !(box->flags & UCORE_VALUE_F_DEAD);
	socket->flags |= box->flags;
}

/* Store the values of sample number @sample, except values of boxes that do not count */
static void numbers_store(struct panels *panels, uint64_t sample)
{
	for (size_t i = 0; i < panels->nr_cells; i++) {
		const struct panel_cell *cell = &panels->cells[i];

		panels->rows[cell->row].flags |= cell->value->flags;
		panels->lost |= cell->value->flags & (UCORE_VALUE_F_DEAD | UCORE_VALUE_F_OFFLINE);
		if (!panels->rows[cell->row].is_box)
			socket_count(&panels->rows[cell->row], cell->value);
		if (!(cell->value->flags & NO_COUNT))
			*number_at(panels, cell->row, cell->column, sample) = cell->value->value;
	}
}

/* Calculate a socket's number: the sum or the mean of its boxes' numbers */
static void number_sum(struct panels *panels, size_t socket, unsigned int column,
		       uint64_t sample, bool mean)
{
	double sum = 0;
	size_t nr = 0;

	for (size_t i = 1; i <= panels->rows[socket].nr_boxes; i++) {
		double number = *number_at(panels, socket + i, column, sample);

		if (__builtin_isnan(number))
			continue;
		sum += number;
		nr++;
	}
	if (nr)
		*number_at(panels, socket, column, sample) = mean ? sum / (double)nr : sum;
}

static void sockets_sum(struct panels *panels, uint64_t sample)
{
	for (size_t i = 0; i < panels->nr_rows; i++) {
		const struct panel *panel = &panels->panels[panels->rows[i].panel];
		const struct panel_row *row = &panels->rows[i];

		if (row->is_box)
			box_count(panels, row);
		for (unsigned int c = 0; row->nr_boxes && c < panel->nr_columns; c++)
			number_sum(panels, i, c, sample,
				   panel->columns[c].desc->flags & NUMBER_MEAN);
	}
}

double panel_bar(const struct panels *panels, size_t row, uint64_t sample)
{
	const struct panel *panel = &panels->panels[panels->rows[row].panel];
	double sum = __builtin_nan("");

	for (unsigned int c = 0; c < panel->nr_seen; c++) {
		double number = panel_number(panels, row, c, sample);

		if (panel->columns[c].desc->flags & NUMBER_BAR && !__builtin_isnan(number))
			sum = __builtin_isnan(sum) ? number : sum + number;
	}
	return sum;
}

static void totals_make(struct panels *panels, uint64_t sample)
{
	for (size_t i = 0; i < panels->nr_rows; i++) {
		const struct panel *panel = &panels->panels[panels->rows[i].panel];
		double bar = panel_bar(panels, i, sample);
		double *most = most_at(panels, panels->rows[i].panel, panels->rows[i].is_box,
				       sample);

		if (bar > *most)
			*most = bar;
		for (unsigned int c = 0; c < panel->nr_seen; c++)
			if (panel->columns[c].desc->flags & NUMBER_TOTAL)
				*number_at(panels, i, c, sample) = bar;
	}
}

static void snapshot_store(struct panels *panels, const struct ucore_snapshot *snap,
			   uint64_t sample)
{
	uint64_t *enabled = &panels->time[sample % PANEL_HISTORY];

	*enabled = 0;
	panels->frozen_ns = 0;
	panels->skew_ns = snap->skew_ns;
	for (size_t i = 0; i < snap->nr_domains; i++) {
		if (snap->domains[i].time_enabled > *enabled)
			*enabled = snap->domains[i].time_enabled;
		if (snap->domains[i].frozen_ns > panels->frozen_ns)
			panels->frozen_ns = snap->domains[i].frozen_ns;
	}
	panels->real[sample % PANEL_HISTORY] = clock_real(snap->nr_domains ?
							  snap->domains[0].time : now_ns());
}

int panels_read(struct panels *panels, uint32_t flags, struct ucore_error *err)
{
	uint64_t sample = panels->nr_samples;
	struct ucore_snapshot snap;
	int ret = ucore_session_read(panels->session, flags, &snap, err);

	if (ret)
		return ret;
	ucore_delta_update(panels->delta, &snap);
	ucore_metrics_evaluate(panels->of_boxes, panels->delta);
	ucore_metrics_evaluate(panels->of_sockets, panels->delta);
	snapshot_store(panels, &snap, sample);
	numbers_clear(panels, sample);
	numbers_store(panels, sample);
	/* the numbers of boxes are known after the first evaluation */
	if (!panels->nr_samples++ && panel_missing_boxes(panels)) {
		snprintf(err->text, sizeof(err->text), "out of memory");
		return -ENOMEM;
	}
	sockets_sum(panels, sample);
	totals_make(panels, sample);
	return 0;
}

/* ---- headings, remarks and numbers as text ----------------------------- */

const char *panel_unit(const struct panel *panel)
{
	const char *unit = panel->nr_seen ? panel->columns[0].desc->unit : "";

	for (unsigned int i = 1; i < panel->nr_seen; i++)
		if (*unit && !strcmp(panel->columns[i].desc->unit, unit))
			return unit;
	return "";
}

const char *column_heading(const struct panel *panel, unsigned int column, char *text)
{
	const struct panel_column_desc *desc = panel->columns[column].desc;
	bool known = !*desc->unit || !strcmp(desc->unit, panel_unit(panel));

	snprintf(text, PANEL_NAME_LEN, "%s%s%s", desc->heading, known ? "" : " ",
		 known ? "" : desc->unit);
	return text;
}

/* Format a number as an integer with commas between thousands */
static void number_group(double number, char *text)
{
	char digits[NUMBER_LEN];
	size_t length, at = 0;

	snprintf(digits, sizeof(digits), "%.0f", number);
	length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = 0;
}

const char *number_text(double number, char *text)
{
	if (__builtin_isnan(number))
		snprintf(text, NUMBER_LEN, "-");
	else if (number < 10)
		snprintf(text, NUMBER_LEN, "%.2f", number);
	else if (number < 1000)
		snprintf(text, NUMBER_LEN, "%.1f", number);
	else if (number < 9999999.5)
		number_group(number, text);
	else if (number < 999.95e6)
		snprintf(text, NUMBER_LEN, "%.1fM", number / 1e6);
	else
		snprintf(text, NUMBER_LEN, number < 1e15 ? "%.1fG" : "%.3gG", number / 1e9);
	return text;
}
