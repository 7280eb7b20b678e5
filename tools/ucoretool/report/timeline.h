/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recorded file as columns of numbers: what report sums up and draws.
 */
#ifndef UCORETOOL_TIMELINE_H
#define UCORETOOL_TIMELINE_H

#include "report/tasks.h"

/**
 * struct timeline_axis - the intervals that series have in common
 * @place: the domain whose samples they are, NULL of metrics
 * @nr: how many there are
 * @room: how many there is memory for
 * @time: when each ended, in ns since the start
 * @length: how long each was, in ns: from sample to sample
 * @running: for how much of it counters could count
 * @ran: of a domain, where tasks were recorded: places in timeline.ran.keys of those that ran
 *       at the ends of the intervals, those of one after those of the other; NULL: none did
 * @nr_ran: how many that are
 * @room_ran: how many there is memory for
 * @ran_end: beside the intervals: how many there are up to the end of each
 */
struct timeline_axis {
	const struct ucore_file_domain *place;
	size_t nr;
	size_t room;
	uint64_t *time;
	uint64_t *length;
	uint64_t *running;
	uint32_t *ran;
	size_t nr_ran;
	size_t room_ran;
	uint64_t *ran_end;
};

/**
 * struct timeline_series - what one event or one metric did
 * @axis: index of its intervals
 * @event: an event: as it was recorded, on the first box of those that are summed up
 * @one_box: it is of that box alone
 * @metric: a metric, and where; NULL for an event
 * @values: beside the axis: counts of an event, values of a metric; NaN where there is none
 * @room: how many values there is memory for
 * @nr: intervals that have a value
 * @count: of an event: all counts
 * @running: of an event: for how long it counted
 * @flags: UCORE_VALUE_F_* of any value
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
 * struct timeline_mark - a moment that is no sample
 * @place: the domain
 * @type: UCORE_RECORD_LOST or UCORE_RECORD_GAP
 * @from: of records that were lost: the sample before, in ns since the start
 * @time: when there was room again, or the gap; in ns since the start
 * @lost: how many were lost
 * @gap: of a gap: the record
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
 * struct timeline - a file, read to its end
 * @recording: the file
 * @axes: intervals: of each domain, then of each socket's metrics
 * @series: events, then metrics
 * @marks: losses and gaps
 * @metrics: what the metrics' values come from, NULL if there are none
 * @end: when the last record was, in ns since the start
 * @ran: who ran, by name and process: of files with records of tasks or samples of a core's
 *       event; the idle are left out
 */
struct timeline {
	struct recording *recording;
	struct timeline_axis *axes;
	size_t nr_axes;
	struct timeline_series *series;
	size_t nr_series;
	size_t nr_events;	/* of the series */
	struct timeline_mark *marks;
	size_t nr_marks;
	struct ucore_metrics *metrics;
	uint64_t end;
	struct ran ran;
	size_t *series_of;	/* beside the file's events */
	size_t *axis_of;	/* beside the file's domains */
	size_t *metric_axis;	/* beside the metrics' values */
};

/**
 * timeline_load() - read a file to its end
 * @recording: the file, just opened
 * @metrics: attached to a replay of the file, or NULL
 * @window: what lies outside is left out
 * @per_box: a series for each box; else the boxes of a domain are summed up
 * @timeline: what is filled, also on failure, for timeline_free()
 *
 * A file that is cut off or damaged is read as far as it goes: what was read is valid.
 * Returns 0 or the exit code.
 */
int timeline_load(struct tool *tool, struct recording *recording, struct ucore_metrics *metrics,
		  const struct clock_window *window, bool per_box, struct timeline *timeline);

/** timeline_free() - give the memory back */
void timeline_free(struct timeline *timeline);

/**
 * timeline_rate() - a value as people want it: of an event its rate, of a metric itself
 * @i: the interval
 *
 * Counts in a second, or MB/s of what stands for bytes.  NaN where there is none.
 */
double timeline_rate(const struct timeline *timeline, const struct timeline_series *series,
		     size_t i);

/** timeline_scale() - what a count in a second of this event is in its unit */
double timeline_scale(const struct ucore_file_event *event);

/** timeline_unit() - the unit of timeline_rate(): "MB/s", "/s", "%" ... */
const char *timeline_unit(const struct timeline_series *series);

#endif /* UCORETOOL_TIMELINE_H */
