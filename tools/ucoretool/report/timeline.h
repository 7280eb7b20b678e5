/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recorded file as columns of numbers, for report's table and page.
 */
#ifndef UCORETOOL_REPORT_TIMELINE_H
#define UCORETOOL_REPORT_TIMELINE_H

#include "report/tasks.h"

/**
 * struct timeline_axis - intervals that several series share
 * @place: domain of the samples; NULL for metrics
 * @nr: number of intervals
 * @room: allocated number of intervals
 * @time: end of each interval since the start (ns)
 * @length: length of each interval (ns)
 * @running: time of each interval for which the counters were not frozen (ns)
 * @tasks: indexes into timeline.log.keys of the tasks at the end of each interval, one interval
 *       after the other; NULL without tasks
 * @nr_tasks: number of @tasks
 * @room_tasks: allocated number of @tasks
 * @tasks_end: end of each interval's part of @tasks
 */
struct timeline_axis {
	const struct ucore_file_domain *place;
	size_t nr;
	size_t room;
	uint64_t *time;
	uint64_t *length;
	uint64_t *running;
	uint32_t *tasks;
	size_t nr_tasks;
	size_t room_tasks;
	uint64_t *tasks_end;
};

/**
 * struct timeline_series - the values of one event or one metric
 * @axis: index of the axis with the intervals
 * @event: event on the first of the boxes that are summed
 * @one_box: true if the values are of one box
 * @metric: metric and its location; NULL for an event
 * @values: count of the event or value of the metric for each interval; NaN if there is none
 * @room: allocated number of @values
 * @nr: number of intervals with a value
 * @count: sum of the counts of an event
 * @running: time for which the event counted (ns)
 * @flags: UCORE_VALUE_F_* of all values
 */
struct timeline_series {
	size_t axis;
	const struct ucore_file_event *event;
	bool one_box;
	const struct ucore_metric_value *metric;
	double *values;
	size_t room;
	size_t nr;
	uint64_t count;
	uint64_t running;
	uint32_t flags;
};

/**
 * struct timeline_mark - lost records, or a gap
 * @place: domain
 * @type: UCORE_RECORD_LOST or UCORE_RECORD_GAP
 * @from: time of the sample before the loss since the start (ns)
 * @time: end of the loss, or time of the gap, since the start (ns)
 * @lost: number of lost records
 * @gap: record of a gap
 */
struct timeline_mark {
	const struct ucore_file_domain *place;
	uint32_t type;
	uint64_t from;
	uint64_t time;
	uint64_t lost;
	struct ucore_gap gap;
};

/**
 * struct timeline - a file that was read to its end
 * @recording: the file
 * @axes: intervals of each domain, then of each socket's metrics
 * @series: events, then metrics
 * @marks: losses and gaps
 * @metrics: source of the metrics' values; NULL without metrics
 * @end: time of the last record since the start (ns)
 * @log: tasks by name and process, from files with TASKS records or samples of a core's
 *       event; idle tasks are in no interval
 */
struct timeline {
	struct recording *recording;
	struct timeline_axis *axes;
	size_t nr_axes;
	struct timeline_series *series;
	size_t nr_series;
	size_t nr_events;	/* number of series that are events */
	struct timeline_mark *marks;
	size_t nr_marks;
	struct ucore_metrics *metrics;
	uint64_t end;
	struct task_log log;
	size_t *series_of;	/* series of each event in the file */
	size_t *axis_of;	/* axis of each domain in the file */
	size_t *metric_axis;	/* axis of each metric value */
};

/**
 * timeline_load() - read a file to its end
 * @recording: file, opened and not read yet
 * @metrics: metrics attached to a replay of the file, or NULL
 * @window: time window of the records to use
 * @per_box: true for a series for each box; false to sum the boxes of a domain
 * @timeline: result, also valid for timeline_free() after a failure
 *
 * A damaged file is read up to the damage, and the part that was read is valid.
 * Return: 0 or the exit code.
 */
int timeline_load(struct tool *tool, struct recording *recording, struct ucore_metrics *metrics,
		  const struct clock_window *window, bool per_box, struct timeline *timeline);

/** timeline_free() - free the memory */
void timeline_free(struct timeline *timeline);

/**
 * timeline_rate() - return the rate of an event, or the value of a metric
 * @i: index of the interval
 *
 * A rate is in counts per second, or in MB/s if the event counts bytes. NaN if there is none.
 */
double timeline_rate(const struct timeline *timeline, const struct timeline_series *series,
		     size_t i);

/** timeline_scale() - return the factor from counts per second to the unit of the event */
double timeline_scale(const struct ucore_file_event *event);

/** timeline_unit() - return the unit of timeline_rate(): "MB/s", "/s", "%" ... */
const char *timeline_unit(const struct timeline_series *series);

#endif /* UCORETOOL_REPORT_TIMELINE_H */
