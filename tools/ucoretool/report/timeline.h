/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timeline: a recorded file as columns of numbers, one number for each interval between samples,
 * for the table and the HTML page of report.
 */
#ifndef UCORETOOL_REPORT_TIMELINE_H
#define UCORETOOL_REPORT_TIMELINE_H

#include "report/tasks.h"

/**
 * struct timeline_axis - time axis: the intervals that several series share
 * @place: domain of the samples; NULL for metrics
 * @nr: number of intervals
 * @room: allocated number of intervals
 * @time: time from the start of the recording to the end of each interval (ns)
 * @length: length of each interval (ns)
 * @running: part of each interval in which the counters were not frozen (ns)
 * @tasks: tasks at the end of the intervals, one interval after the other, as indexes into
 *         timeline.log.keys; NULL without tasks
 * @nr_tasks: number of elements of @tasks
 * @room_tasks: allocated number of elements of @tasks
 * @tasks_end: for each interval, the index in @tasks after its last task
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
 * struct timeline_series - the values of one event or one metric in all intervals
 * @axis: index of the time axis with the intervals
 * @event: event on the first box of the sum
 * @one_box: true if the values belong to one box, false if they are sums over boxes
 * @metric: metric, with the socket or box of its values; NULL for an event
 * @values: count of the event, or value of the metric, in each interval; NaN if there is none
 * @room: allocated number of elements of @values
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
 * struct timeline_mark - mark on the time axis: lost records, or a gap
 * @place: domain of the record
 * @type: UCORE_RECORD_LOST or UCORE_RECORD_GAP
 * @from: time of the last sample before the loss (ns since the start of the recording)
 * @time: end of the loss, or time of the gap (ns since the start of the recording)
 * @lost: number of lost records
 * @gap: gap record, valid with UCORE_RECORD_GAP
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
 * struct timeline - content of a recorded file as columns of numbers
 * @recording: the recorded file
 * @axes: time axis of each domain, then the axes of metrics (one per socket, or one in total)
 * @series: series of events, then series of metrics
 * @marks: losses and gaps
 * @metrics: metrics from which the values come; NULL without metrics
 * @end: time of the last record (ns since the start of the recording)
 * @log: tasks by name and process, from files with TASKS records or with samples of a core
 *       event; idle tasks are in no interval
 */
struct timeline {
	struct recording *recording;
	struct timeline_axis *axes;
	size_t nr_axes;
	struct timeline_series *series;
	size_t nr_series;
	size_t nr_events;	/* number of series of events, the first ones in @series */
	struct timeline_mark *marks;
	size_t nr_marks;
	struct ucore_metrics *metrics;
	uint64_t end;
	struct task_log log;
	size_t *series_of;	/* index of the series of each event in the file */
	size_t *axis_of;	/* index of the axis of each domain in the file */
	size_t *metric_axis;	/* index of the axis of each value of the metrics */
};

/**
 * timeline_load() - read a recorded file to its end into a timeline
 * @recording: file, opened and not read yet
 * @metrics: metrics attached to a replay of the file, or NULL
 * @per_box: true for a series for each box; false to sum the boxes of a domain
 * @timeline: result, also valid for timeline_free() after a failure
 *
 * A damaged file is read up to the damage, and the part that was read is valid.
 * Return: 0 or the exit code.
 */
int timeline_load(struct tool *tool, struct recording *recording, struct ucore_metrics *metrics,
		  bool per_box, struct timeline *timeline);

/** timeline_free() - free the memory of a timeline */
void timeline_free(struct timeline *timeline);

/**
 * timeline_rate() - return the rate of an event, or the value of a metric, in an interval
 * @i: index of the interval
 *
 * A rate is in counts per second, or in MB/s if the event counts bytes. NaN if there is none.
 */
double timeline_rate(const struct timeline *timeline, const struct timeline_series *series,
		     size_t i);

/** timeline_scale() - return the factor from counts per second to the unit of timeline_rate() */
double timeline_scale(const struct ucore_file_event *event);

/** timeline_unit() - return the unit of timeline_rate(): "MB/s", "/s", "%" ... */
const char *timeline_unit(const struct timeline_series *series);

#endif /* UCORETOOL_REPORT_TIMELINE_H */
