// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Timeline: a recorded file as columns of numbers in memory, one number for each interval. A number
 * takes eight bytes, half of its size in the file.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "report/timeline.h"

#define NONE	SIZE_MAX

/* ---- axes and series --------------------------------------------------- */

static size_t axis_add(struct timeline *timeline, const struct ucore_file_domain *place)
{
	timeline->axes[timeline->nr_axes] = (struct timeline_axis) { .place = place };
	return timeline->nr_axes++;
}

static struct timeline_series *series_add(struct timeline *timeline, size_t axis)
{
	struct timeline_series *series = &timeline->series[timeline->nr_series++];

	*series = (struct timeline_series) { .axis = axis };
	return series;
}

static size_t domain_index(const struct timeline *timeline, uint32_t domain)
{
	struct ucore_file *file = timeline->recording->file;

	return (size_t)(ucore_file_domain(file, domain) - ucore_file_domains(file));
}

struct series_key {
	uint32_t index, domain, event;
	size_t at;
};

static int key_order(const void *a, const void *b)
{
	const struct series_key *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/*
 * Create the series of events: one for each event on each box, or one for each event and domain.
 * The series are in the order of the events on the command line of `ucoretool record`.
 */
static int event_series_make(struct timeline *timeline, bool per_box)
{
	const struct recording *recording = timeline->recording;
	uint32_t nr = recording->header->nr_events;
	struct series_key *keys = calloc(nr, sizeof(*keys));

	if (!keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		keys[i] = (struct series_key) { recording->events[i].index,
						recording->events[i].domain,
						recording->events[i].event, i };
	qsort(keys, nr, sizeof(*keys), key_order);
	for (uint32_t i = 0; i < nr; i++) {
		const struct ucore_file_event *event = &recording->events[keys[i].at];
		size_t domain = domain_index(timeline, event->domain);

		if (timeline->axis_of[domain] == NONE)
			timeline->axis_of[domain] =
				axis_add(timeline, ucore_file_domain(recording->file,
								     event->domain));
		if (!i || per_box || keys[i].index != keys[i - 1].index ||
		    keys[i].domain != keys[i - 1].domain) {
			struct timeline_series *series =
				series_add(timeline, timeline->axis_of[domain]);

			series->event = event;
			series->one_box = per_box;
		}
		timeline->series_of[keys[i].at] = timeline->nr_series - 1;
	}
	free(keys);
	timeline->nr_events = timeline->nr_series;
	return 0;
}

/*
 * Return true if two values of metrics have the same intervals: both belong to one socket (and its
 * boxes), or both to the whole system
 */
static bool same_axis(const struct ucore_metric_value *a, const struct ucore_metric_value *b)
{
	bool all = a->level == UCORE_LEVEL_SYSTEM;

	return all == (b->level == UCORE_LEVEL_SYSTEM) && (all || a->package == b->package);
}

static void metric_series_make(struct timeline *timeline)
{
	const struct ucore_metric_value *value, *other;

	for (size_t i = 0; (value = ucore_metrics_value(timeline->metrics, i)); i++) {
		size_t j = 0;

		while ((other = ucore_metrics_value(timeline->metrics, j)) &&
		       !same_axis(value, other))
			j++;
		timeline->metric_axis[i] = j < i ? timeline->metric_axis[j] :
					   axis_add(timeline, NULL);
		series_add(timeline, timeline->metric_axis[i])->metric = value;
	}
}

static int timeline_prepare(struct timeline *timeline, bool per_box)
{
	const struct ucore_file_header *header = timeline->recording->header;
	size_t nr_values = 0;

	while (timeline->metrics && ucore_metrics_value(timeline->metrics, nr_values))
		nr_values++;
	timeline->axes = calloc(header->nr_domains + nr_values, sizeof(*timeline->axes));
	timeline->series = calloc(header->nr_events + nr_values, sizeof(*timeline->series));
	timeline->series_of = calloc(header->nr_events, sizeof(*timeline->series_of));
	timeline->axis_of = calloc(header->nr_domains, sizeof(*timeline->axis_of));
	timeline->metric_axis = calloc(nr_values + 1, sizeof(*timeline->metric_axis));
	if (!timeline->axes || !timeline->series || !timeline->series_of ||
	    !timeline->axis_of || !timeline->metric_axis)
		return -ENOMEM;
	for (uint32_t i = 0; i < header->nr_domains; i++)
		timeline->axis_of[i] = NONE;
	if (event_series_make(timeline, per_box))
		return -ENOMEM;
	if (timeline->metrics)
		metric_series_make(timeline);
	return 0;
}

void timeline_free(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->nr_axes; i++) {
		free(timeline->axes[i].time);
		free(timeline->axes[i].length);
		free(timeline->axes[i].running);
		free(timeline->axes[i].tasks);
		free(timeline->axes[i].tasks_end);
	}
	for (size_t i = 0; i < timeline->nr_series; i++)
		free(timeline->series[i].values);
	free(timeline->axes);
	free(timeline->series);
	free(timeline->series_of);
	free(timeline->axis_of);
	free(timeline->metric_axis);
	free(timeline->marks);
	task_log_free(&timeline->log);
	memset(timeline, 0, sizeof(*timeline));
}

/* ---- filling of the columns from records ------------------------------- */

static bool column_grow(uint64_t **column, size_t room)
{
	uint64_t *grown = realloc(*column, room * sizeof(**column));

	if (grown)
		*column = grown;
	return grown;
}

static int axis_put(struct timeline_axis *axis, uint64_t time, uint64_t length, uint64_t running)
{
	if (axis->nr == axis->room) {
		size_t room = axis->room ? 2 * axis->room : 64;

		if (!column_grow(&axis->time, room) || !column_grow(&axis->length, room) ||
		    !column_grow(&axis->running, room) || !column_grow(&axis->tasks_end, room))
			return -ENOMEM;
		axis->room = room;
	}
	axis->time[axis->nr] = time;
	axis->length[axis->nr] = length;
	axis->tasks_end[axis->nr] = axis->nr_tasks;
	axis->running[axis->nr++] = running;
	return 0;
}

/* Add a value to the last interval of a series. Earlier intervals without a value get NaN. */
static int series_put(struct timeline_series *series, const struct timeline_axis *axis,
		      double value)
{
	size_t i = axis->nr - 1;

	if (series->room < axis->nr) {
		double *grown = realloc(series->values, axis->room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		for (size_t j = series->room; j < axis->room; j++)
			grown[j] = NAN;
		series->values = grown;
		series->room = axis->room;
	}
	if (isnan(series->values[i])) {
		series->values[i] = value;
		series->nr += !isnan(value);
	} else {
		series->values[i] += value;
	}
	return 0;
}

/*
 * Store the tasks of a sample. If no tasks were recorded, the task that a timer interrupted is not
 * stored, because it is random.
 */
static int tasks_put(struct timeline *timeline, struct timeline_axis *axis,
		     const struct ucore_sample *sample)
{
	struct task_log *log = &timeline->log;

	if (!task_log_has(log, sample) && sample->trigger != UCORE_TRIGGER_CORE)
		return 0;
	if (task_log_sample(log, sample))
		return -ENOMEM;
	if (axis->nr_tasks + log->nr_here > axis->room_tasks) {
		size_t room = 2 * (axis->nr_tasks + log->nr_here);
		uint32_t *grown = realloc(axis->tasks, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		axis->tasks = grown;
		axis->room_tasks = room;
	}
	for (size_t i = 0; i < log->nr_here; i++)
		if (log->keys[log->here[i]].pid)
			axis->tasks[axis->nr_tasks++] = (uint32_t)log->here[i];
	axis->tasks_end[axis->nr - 1] = axis->nr_tasks;
	return 0;
}

static int sample_put(struct timeline *timeline)
{
	const struct recording *recording = timeline->recording;
	const struct ucore_sample *sample = (const struct ucore_sample *)recording->record;
	size_t index = timeline->axis_of[recording->place - ucore_file_domains(recording->file)];
	const struct timeline_series *counted = NULL;
	struct timeline_axis *axis;

	if (index == NONE || !recording->known)
		return 0;
	axis = &timeline->axes[index];
	if (axis_put(axis, recording_since(recording, sample->time), recording->enabled,
		     recording->running) || tasks_put(timeline, axis, sample))
		return -ENOMEM;
	for (size_t i = 0; i < recording->nr_values; i++) {
		const struct recording_value *value = &recording->values[i];
		struct timeline_series *series =
			&timeline->series[timeline->series_of[value->event - recording->events]];

		if (series_put(series, axis, (double)value->count))
			return -ENOMEM;
		series->count += value->count;
		series->flags |= value->flags & ~(uint32_t)UCORE_VALUE_F_OVERFLOW;
		/* Add the running time once for all boxes whose counts are summed in a series */
		if (series != counted)
			series->running += value->flags & UCORE_VALUE_F_UNFROZEN ?
					   recording->enabled : recording->running;
		counted = series;
	}
	return 0;
}

static int metrics_put(struct timeline *timeline, uint64_t time)
{
	const struct ucore_metric_value *value;

	for (size_t i = 0; (value = ucore_metrics_value(timeline->metrics, i)); i++) {
		struct timeline_series *series = &timeline->series[timeline->nr_events + i];
		struct timeline_axis *axis = &timeline->axes[series->axis];

		if (!value->fresh)
			continue;
		/* The first value with a new time adds an interval to the axis */
		if ((!axis->nr || axis->time[axis->nr - 1] != time) &&
		    axis_put(axis, time, value->running, value->running))
			return -ENOMEM;
		if (series_put(series, axis, value->value))
			return -ENOMEM;
		series->flags |= value->flags & ~(uint32_t)UCORE_VALUE_F_OVERFLOW;
	}
	return 0;
}

static int mark_put(struct timeline *timeline)
{
	const struct recording *recording = timeline->recording;
	const struct ucore_record *record = recording->record;
	size_t nr = timeline->nr_marks;
	struct timeline_mark *mark;

	if (!(nr & (nr - 1))) {
		mark = realloc(timeline->marks, (nr ? 2 * nr : 1) * sizeof(*mark));
		if (!mark)
			return -ENOMEM;
		timeline->marks = mark;
	}
	mark = &timeline->marks[timeline->nr_marks++];
	*mark = (struct timeline_mark) {
		.place = recording->place,
		.type = record->type,
		.from = recording_since(recording, recording->before),
		.time = recording_since(recording, ucore_record_time(record)),
	};
	if (record->type == UCORE_RECORD_LOST)
		mark->lost = ((const struct ucore_lost *)record)->lost;
	else
		memcpy(&mark->gap, record, sizeof(mark->gap));
	return 0;
}

static int record_put(struct timeline *timeline)
{
	const struct recording *recording = timeline->recording;
	const struct ucore_record *record = recording->record;
	uint64_t time = recording_since(recording, ucore_record_time(record));
	bool inside = recording_selected(recording);
	int fresh = 0, ret = 0;

	/* Pass all samples to the metrics, because the first interval needs the counts before it */
	if (timeline->metrics)
		fresh = ucore_metrics_take(timeline->metrics, recording->id, record);
	if (fresh < 0 || !inside)
		return fresh < 0 ? fresh : 0;
	if (time > timeline->end)
		timeline->end = time;
	if (record->type == UCORE_RECORD_SAMPLE)
		ret = sample_put(timeline);
	else if (record->type == UCORE_RECORD_TASKS)
		ret = task_log_put(&timeline->log, record);
	else if (record->type == UCORE_RECORD_LOST || record->type == UCORE_RECORD_GAP)
		ret = mark_put(timeline);
	if (!ret && fresh)
		ret = metrics_put(timeline, time);
	return ret;
}

/* Set the intervals without a value at the end of each series to NaN */
static int series_end(struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->nr_series; i++) {
		struct timeline_series *series = &timeline->series[i];
		size_t nr = timeline->axes[series->axis].nr;
		double *grown;

		if (series->room >= nr)
			continue;
		grown = realloc(series->values, nr * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		for (size_t j = series->room; j < nr; j++)
			grown[j] = NAN;
		series->values = grown;
		series->room = nr;
	}
	return 0;
}

int timeline_load(struct tool *tool, struct recording *recording, struct ucore_metrics *metrics,
		  bool per_box, struct timeline *timeline)
{
	int ret;

	*timeline = (struct timeline) {
		.recording = recording, .metrics = metrics,
		.log = { .by = TASK_BY_COMM | TASK_BY_PID },
	};
	if (timeline_prepare(timeline, per_box))
		return tool_error(tool, "out of memory");
	while (!(ret = recording_next(tool, recording)) && recording->record)
		if (record_put(timeline))
			return tool_error(tool, "out of memory");
	if (series_end(timeline))
		return tool_error(tool, "out of memory");
	return ret;
}

/* ---- rates of events and values of metrics ----------------------------- */

double timeline_scale(const struct ucore_file_event *event)
{
	if (!event->bytes)
		return 1;
	return (double)event->bytes / (event->bytes_per ? event->bytes_per : 1) / 1e6;
}

double timeline_rate(const struct timeline *timeline, const struct timeline_series *series,
		     size_t i)
{
	const struct timeline_axis *axis = &timeline->axes[series->axis];
	/* A counter that a freeze does not stop counts for the whole length of the interval */
	uint64_t running = series->flags & UCORE_VALUE_F_UNFROZEN ? axis->length[i] :
								  axis->running[i];

	if (series->metric)
		return series->values[i];
	if (!running)
		return NAN;
	return series->values[i] * timeline_scale(series->event) * NSEC_PER_SEC /
	       (double)running;
}

const char *timeline_unit(const struct timeline_series *series)
{
	if (series->metric)
		return series->metric->metric->unit;
	return series->event->bytes ? "MB/s" : "/s";
}
