// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Panels on the machine at hand: their metrics are offered to one session, what
 * cannot be counted is left out, and of the rest rows are made.  Nothing is
 * allocated once there are rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/walltime.h"
#include "output/domain.h"
#include "top/panel.h"
#include "event_loop.h"

#define NAME_LETTERS	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_."

/* Where a value of the metrics belongs */
struct panel_cell {
	const struct ucore_metric_value *value;
	size_t row;
	unsigned int column;
};

/* ---- choosing ---------------------------------------------------------- */

/* Has the platform the metric, and of each socket, or all events of the definition? */
static bool metric_known(const char *platform, const char *metric)
{
	const struct ucore_platform *events = ucore_platform_find(platform);
	const char *at = metric;
	struct ucore_metric_desc desc;
	struct ucore_event_desc event;
	char name[128];

	if (!strchr(metric, '='))
		return ucore_metric_find(platform, metric, &desc) && !*desc.omitted &&
		       desc.levels & (UCORE_LEVEL_SOCKET | UCORE_LEVEL_BOX);
	while ((at = strstr(at, "UNC_"))) {
		size_t length = strspn(at, NAME_LETTERS);

		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		if (!ucore_platform_event(events, NULL, name, &event))
			return false;
		at += length;
	}
	return true;
}

static const char *metric_of_column(const char *platform, const struct panel_column_desc *desc)
{
	for (unsigned int i = 0; i < PANEL_METRICS && desc->metrics[i]; i++)
		if (metric_known(platform, desc->metrics[i]))
			return desc->metrics[i];
	return NULL;
}

/* Of a group of columns, is there nothing that the platform lacks? */
static bool group_is_whole(const char *platform, const struct panel_desc *desc, unsigned int group)
{
	for (const struct panel_column_desc *column = desc->columns; column->heading; column++)
		if (column->group == group && !(column->flags & NUMBER_TOTAL) &&
		    !metric_of_column(platform, column))
			return false;
	return true;
}

/*
 * The first group of columns that the platform has all of, or else anything of: half of
 * a better one would hide what another says in full.
 */
static unsigned int group_choose(const char *platform, const struct panel_desc *desc)
{
	const struct panel_column_desc *part = NULL;

	for (const struct panel_column_desc *column = desc->columns; column->heading; column++) {
		if (column->flags & NUMBER_TOTAL || !metric_of_column(platform, column))
			continue;
		if (group_is_whole(platform, desc, column->group))
			return column->group;
		if (!part)
			part = column;
	}
	return part ? part->group : 0;
}

static bool has_column(const struct panel *panel, const struct panel_column_desc *desc)
{
	for (unsigned int i = 0; i < panel->nr_columns; i++)
		if (!strcmp(panel->columns[i].desc->heading, desc->heading) &&
		    !strcmp(panel->columns[i].desc->unit, desc->unit))
			return true;
	return false;
}

static int column_offer(struct tool *tool, struct panels *panels, struct panel *panel,
			const struct panel_column_desc *desc)
{
	bool of_boxes = panel->desc->level == UCORE_LEVEL_BOX && !(desc->flags & NUMBER_SOCKET);
	struct panel_column *column = &panel->columns[panel->nr_columns];
	int ret = 0;

	*column = (struct panel_column) { .desc = desc };
	column->text = desc->flags & NUMBER_TOTAL ? desc->metrics[0] :
		       metric_of_column(ucore_device_info(panels->dev)->platform, desc);
	if (!column->text || has_column(panel, desc))
		return 0;
	snprintf(column->metric, sizeof(column->metric), "%.*s",
		 (int)strcspn(column->text, "="), column->text);
	if (!(desc->flags & NUMBER_TOTAL))
		ret = ucore_metrics_offer(of_boxes ? panels->of_boxes : panels->of_sockets,
					  column->text, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	panel->nr_columns++;
	return 0;
}

static int panel_offer(struct tool *tool, struct panels *panels, const struct panel_desc *desc)
{
	unsigned int group = group_choose(ucore_device_info(panels->dev)->platform, desc);
	struct panel *panel = &panels->panels[panels->nr];
	int ret = 0;

	*panel = (struct panel) { .desc = desc };
	for (const struct panel_column_desc *column = desc->columns; !ret && column->heading;
	     column++)
		if (column->group == group)
			ret = column_offer(tool, panels, panel, column);
	panels->nr++;
	return ret;
}

/* ---- what was left out ------------------------------------------------- */

/* Why a metric is not counted; 0 if it is */
static int left_out(const struct panels *panels, const char *metric, struct ucore_error *err)
{
	const struct ucore_metrics *all[] = { panels->of_boxes, panels->of_sockets };
	const char *name;

	for (size_t m = 0; m < ARRAY_SIZE(all); m++)
		for (size_t i = 0; (name = ucore_metrics_left_out(all[m], i)); i++)
			if (!strcmp(name, metric))
				return ucore_metrics_left_out_error(all[m], i, err);
	return 0;
}

/* A total of one column only would say it twice */
static bool total_is_worth(const struct panel *panel)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < panel->nr_columns; i++)
		nr += !!(panel->columns[i].desc->flags & NUMBER_BAR);
	return nr > 1;
}

/* What the machine does not have is not worth a word */
static void trouble_note(const struct panels *panels, struct panel *panel, int code,
			 const struct ucore_error *why)
{
	bool full = code == -ENOSPC || code == -EADDRINUSE;

	if (code == -ENOENT || code == -ENXIO || *panel->trouble)
		return;
	if (full && panels->nr > 1)
		snprintf(panel->trouble, sizeof(panel->trouble),
			 "no counter or filter is left beside the other panels: 'ucoretool top %s' shows it",
			 panel->desc->name);
	else
		snprintf(panel->trouble, sizeof(panel->trouble), "%s", why->text);
}

/* Keep the columns that are counted, the one that is not seen at the end */
static void columns_sift(const struct panels *panels, struct panel *panel)
{
	struct panel_column peak = { 0 };
	struct ucore_error why;
	unsigned int nr = 0;
	int code;

	for (unsigned int i = 0; i < panel->nr_columns; i++) {
		code = left_out(panels, panel->columns[i].metric, &why);
		if (!code && panel->columns[i].desc->flags & NUMBER_PEAK)
			peak = panel->columns[i];
		else if (!code)
			panel->columns[nr++] = panel->columns[i];
		else
			trouble_note(panels, panel, code, &why);
	}
	panel->nr_columns = nr;
	if (!total_is_worth(panel))
		for (unsigned int i = 0; i < panel->nr_columns; i++)
			if (panel->columns[i].desc->flags & NUMBER_TOTAL)
				memmove(&panel->columns[i], &panel->columns[i + 1],
					(--panel->nr_columns - i) * sizeof(panel->columns[0]));
	panel->nr_seen = panel->nr_columns;
	panel->has_peak = peak.desc && panel->nr_seen;
	if (panel->has_peak)
		panel->columns[panel->nr_columns++] = peak;
}

static int panels_sift(struct tool *tool, struct panels *panels)
{
	const char *trouble = "";
	unsigned int nr = 0, nr_seen = 0;

	for (unsigned int i = 0; i < panels->nr; i++) {
		struct panel *panel = &panels->panels[i];

		columns_sift(panels, panel);
		nr_seen += panel->nr_seen;
		if (*panel->trouble && !*trouble)
			trouble = panel->trouble;
		if (panel->nr_seen || *panel->trouble)
			panels->panels[nr++] = *panel;
	}
	panels->nr = nr;
	if (nr_seen)
		return 0;
	if (*trouble)
		return tool_error(tool, "nothing to show: %s", trouble);
	return tool_error(tool, "nothing to show: no metric is known here for a box that is there; 'ucoretool list' shows the boxes, 'ucoretool stat' counts any event");
}

/* ---- rows -------------------------------------------------------------- */

/* Several dies in a socket may have boxes of one name */
static bool dies_share_sockets(const struct ucore_device *dev)
{
	const struct ucore_domain_info *domains;
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < i; j++)
			if (domains[i].package == domains[j].package &&
			    domains[i].die != domains[j].die)
				return true;
	return false;
}

static void row_name(struct panel_row *row, bool with_die)
{
	if (!row->is_box)
		snprintf(row->name, sizeof(row->name), "socket %u", row->socket);
	else if (with_die)
		snprintf(row->name, sizeof(row->name), "%u:%s%u", row->die, row->type,
			 row->instance);
	else
		snprintf(row->name, sizeof(row->name), "%s%u", row->type, row->instance);
}

static bool row_is(const struct panel_row *a, const struct panel_row *b)
{
	return a->panel == b->panel && a->is_box == b->is_box && a->socket == b->socket &&
	       a->die == b->die && a->instance == b->instance && !strcmp(a->type, b->type);
}

static size_t row_find(const struct panels *panels, const struct panel_row *row)
{
	size_t i = 0;

	while (i < panels->nr_rows && !row_is(&panels->rows[i], row))
		i++;
	return i;
}

static void row_add(struct panels *panels, const struct panel_row *row)
{
	if (row_find(panels, row) == panels->nr_rows)
		panels->rows[panels->nr_rows++] = *row;
}

static bool has_sockets(const struct ucore_device *dev)
{
	const struct ucore_domain_info *domains;
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	for (size_t i = 1; i < nr; i++)
		if (domains[i].package != domains[0].package)
			return true;
	return false;
}

/*
 * The panel and the column that show a value; false if none does.  What can be said of
 * all sockets together only is no number of one of several.
 */
static bool column_find(const struct panels *panels, const struct ucore_metric_value *value,
			unsigned int *panel, unsigned int *column)
{
	const char *metric = value->metric->name;

	if (value->level == UCORE_LEVEL_SYSTEM && has_sockets(panels->dev))
		return false;
	for (*panel = 0; *panel < panels->nr; ++*panel)
		for (*column = 0; *column < panels->panels[*panel].nr_columns; ++*column)
			if (!strcasecmp(panels->panels[*panel].columns[*column].metric, metric))
				return true;
	return false;
}

static struct panel_row row_of_value(unsigned int panel, const struct ucore_metric_value *value)
{
	struct panel_row row = { .panel = panel, .socket = value->package };

	if (value->level != UCORE_LEVEL_BOX)
		return row;
	row.is_box = true;
	row.die = value->die;
	row.instance = value->instance;
	snprintf(row.type, sizeof(row.type), "%s", value->type);
	return row;
}

/* Panel by panel, socket by socket, the socket before its boxes */
static int row_compare(const void *left, const void *right)
{
	const struct panel_row *a = left, *b = right;

	if (a->panel != b->panel)
		return a->panel < b->panel ? -1 : 1;
	if (a->socket != b->socket)
		return a->socket < b->socket ? -1 : 1;
	if (a->is_box != b->is_box)
		return a->is_box ? 1 : -1;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	if (strcmp(a->type, b->type))
		return strcmp(a->type, b->type);
	return a->instance < b->instance ? -1 : a->instance > b->instance;
}

/* The values of both levels, one after the other */
static const struct ucore_metric_value *value_at(const struct panels *panels, size_t i)
{
	const struct ucore_metric_value *value;
	size_t nr = 0;

	while ((value = ucore_metrics_value(panels->of_boxes, nr)))
		if (nr++ == i)
			return value;
	return ucore_metrics_value(panels->of_sockets, i - nr);
}

static void rows_link(struct panels *panels)
{
	bool with_die = dies_share_sockets(panels->dev);
	size_t parent = 0;

	for (size_t i = 0; i < panels->nr_rows; i++) {
		struct panel_row *row = &panels->rows[i];
		struct panel *panel = &panels->panels[row->panel];

		row_name(row, with_die);
		if (!panel->nr_rows++)
			panel->first = i;
		if (row->is_box)
			panels->rows[parent].nr_boxes++;
		else
			parent = i;
		row->parent = parent;
	}
}

static void rows_make(struct panels *panels)
{
	const struct ucore_metric_value *value;
	unsigned int panel, column;

	for (size_t i = 0; (value = value_at(panels, i)); i++) {
		struct panel_row row, socket;

		if (!column_find(panels, value, &panel, &column))
			continue;
		row = row_of_value(panel, value);
		socket = (struct panel_row) { .panel = panel, .socket = row.socket };
		row_add(panels, &socket);
		row_add(panels, &row);
	}
	qsort(panels->rows, panels->nr_rows, sizeof(*panels->rows), row_compare);
	rows_link(panels);
}

static void cells_make(struct panels *panels)
{
	const struct ucore_metric_value *value;
	unsigned int panel, column;

	for (size_t i = 0; (value = value_at(panels, i)); i++) {
		struct panel_row row;

		if (!column_find(panels, value, &panel, &column))
			continue;
		row = row_of_value(panel, value);
		panels->cells[panels->nr_cells++] = (struct panel_cell) {
			.value = value, .row = row_find(panels, &row), .column = column,
		};
	}
}

static int rows_open(struct tool *tool, struct panels *panels)
{
	size_t nr = 0;

	while (value_at(panels, nr))
		nr++;
	/* of each value a row, and its socket's */
	panels->rows = calloc(2 * nr + 1, sizeof(*panels->rows));
	panels->cells = calloc(nr + 1, sizeof(*panels->cells));
	if (!panels->rows || !panels->cells)
		return tool_error(tool, "out of memory");
	rows_make(panels);
	cells_make(panels);
	panels->samples = calloc(panels->nr_rows + 1,
				 PANEL_COLUMNS * PANEL_HISTORY * sizeof(*panels->samples));
	return panels->samples ? 0 : tool_error(tool, "out of memory");
}

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
	ret = panels_sift(tool, panels);
	if (ret)
		return ret;
	ret = ucore_delta_create(panels->session, &panels->delta, &tool->err);
	return ret ? tool_fail(tool, ret) : rows_open(tool, panels);
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
			ret = panel_offer(tool, panels, &panel_descs[i]);
	return ret ? ret : metrics_attach(tool, panels);
}

void panels_close(struct panels *panels)
{
	ucore_metrics_free(panels->of_boxes);
	ucore_metrics_free(panels->of_sockets);
	ucore_delta_free(panels->delta);
	free(panels->samples);
	free(panels->cells);
	free(panels->rows);
}

/* ---- samples ----------------------------------------------------------- */

#define NO_COUNT	(UCORE_VALUE_F_DEAD | UCORE_VALUE_F_OFFLINE | UCORE_VALUE_F_PARTIAL)

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

static void numbers_forget(struct panels *panels, uint64_t sample)
{
	for (unsigned int panel = 0; panel < panels->nr; panel++)
		for (unsigned int level = 0; level < 2; level++)
			*most_at(panels, panel, level, sample) = 0;
	for (size_t row = 0; row < panels->nr_rows; row++) {
		panels->rows[row].flags = 0;
		for (unsigned int column = 0; column < PANEL_COLUMNS; column++)
			*number_at(panels, row, column, sample) = __builtin_nan("");
	}
}

/* A count that stands still is no rate of zero */
static void numbers_take(struct panels *panels, uint64_t sample)
{
	for (size_t i = 0; i < panels->nr_cells; i++) {
		const struct panel_cell *cell = &panels->cells[i];

		panels->rows[cell->row].flags |= cell->value->flags;
		if (!(cell->value->flags & NO_COUNT))
			*number_at(panels, cell->row, cell->column, sample) = cell->value->value;
	}
}

/* A socket's number: the sum or the mean of those that its boxes have */
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
			panels->rows[row->parent].flags |= row->flags;
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

static void snapshot_note(struct panels *panels, const struct ucore_snapshot *snap,
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
	snapshot_note(panels, &snap, sample);
	numbers_forget(panels, sample);
	numbers_take(panels, sample);
	panels->nr_samples++;
	sockets_sum(panels, sample);
	totals_make(panels, sample);
	return 0;
}

/* ---- words ------------------------------------------------------------- */

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

const char *panel_note(uint32_t flags)
{
	return value_note(flags & NO_COUNT, -1);
}

/* Commas between thousands, from a thousand on */
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
