/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading of a recorded file, record by record. The commands script and report process the
 * records.
 */
#ifndef UCORETOOL_REPORT_RECORDING_H
#define UCORETOOL_REPORT_RECORDING_H

#include "output/walltime.h"
#include "output/table.h"
#include "tool.h"

/* Options that report and script share */
extern const struct option_desc recording_options[];

/**
 * struct recording_domain - state of a domain up to the current record
 * @samples: number of samples in the window
 * @lost: number of lost records in the window
 * @gaps: number of gaps in the window
 * @first: time of the first sample in the window (CLOCK_MONOTONIC ns)
 * @last: time of the last sample in the window (CLOCK_MONOTONIC ns)
 * @frozen: sum of the times for which the samples in the window froze the domain (ns)
 * @begin: time of the first sample (CLOCK_MONOTONIC ns), 0: none
 * @end: time of the last sample (CLOCK_MONOTONIC ns), 0: none
 * @seq: sequence number of the last record
 * @enabled: time_enabled of the last sample (ns)
 * @running: time_running of the last sample (ns)
 * @started: true after the first record
 * @based: true if the counts before the next sample are known (from a sample, or 0 at the start)
 */
struct recording_domain {
	uint64_t samples;
	uint64_t lost;
	uint64_t gaps;
	uint64_t first, last;
	uint64_t frozen;
	uint64_t begin, end;
	uint64_t seq;
	uint64_t enabled;
	uint64_t running;
	bool started;
	bool based;
};

/**
 * struct recording_value - count of one event in the current sample
 * @event: description of the event
 * @count: count since the previous sample or the start; 0 if not known
 * @total: count since the start
 * @flags: UCORE_VALUE_F_*
 */
struct recording_value {
	const struct ucore_file_event *event;
	uint64_t count;
	uint64_t total;
	uint32_t flags;
};

/**
 * struct recording - an open recorded file
 * @file: the file, opened by the library
 * @header: header of the file
 * @events: table of the recorded events
 * @window: window of --time
 * @domains: state of each domain, in the order of the file's table of domains
 * @record: current record; NULL after the last one
 * @id: domain id of @record
 * @domain: state of the domain of @record
 * @place: description of the domain of @record
 * @before: time of the domain's sample before @record, or of the start (CLOCK_MONOTONIC ns)
 * @known: true if the counts between @before and @record are known
 * @enabled: time for which counting was enabled since @before (ns)
 * @running: part of @enabled in which the counters were not frozen (ns)
 * @values: counts of the current sample
 * @nr_values: number of elements of @values
 * @whole: true if the file contains the records of all domains from the start of counting on
 * @finished: true if the file is complete, so that @status is valid
 * @status: final statistics of the session
 */
struct recording {
	struct ucore_file *file;
	const struct ucore_file_header *header;
	const struct ucore_file_event *events;
	struct clock_window window;
	struct recording_domain *domains;
	const struct ucore_record *record;
	uint32_t id;
	struct recording_domain *domain;
	const struct ucore_file_domain *place;
	uint64_t before;
	bool known;
	uint64_t enabled;
	uint64_t running;
	struct recording_value *values;
	size_t nr_values;
	bool whole;
	bool finished;
	struct ucore_get_status status;
	uint64_t *last;		/* count of each event at its last sample */
};

/** recording_open() - open a file and check its header; return 0 or the exit code */
int recording_open(struct tool *tool, const char *path, const struct clock_window *window,
		   struct recording *recording);

/** recording_next() - read the next record; return 0 or the exit code */
int recording_next(struct tool *tool, struct recording *recording);

/** recording_close() - close the file and free the memory */
void recording_close(struct recording *recording);

/** recording_since() - return the time from the start of the recording to @time (ns) */
uint64_t recording_since(const struct recording *recording, uint64_t time);

/** recording_selected() - return true if the current record is in the window of --time */
bool recording_selected(const struct recording *recording);

/**
 * recording_window_check() - report a window without samples, after the last record
 *
 * Return: 0 or the exit code.
 */
int recording_window_check(struct tool *tool, const struct recording *recording);

/** recording_domain_text() - return the name of the domain of the current record */
const char *recording_domain_text(const struct recording *recording, char *text);

/**
 * recording_value_note() - return a remark on UCORE_VALUE_F_*; "overflow" if a period ended
 */
const char *recording_value_note(uint32_t flags, int32_t cpu);

/** recording_gap_reason() - return the reason of a gap as text; @cpu is -1 for a die */
const char *recording_gap_reason(const struct ucore_gap *gap, int32_t cpu);

/** recording_task_name() - write the printable name of a task to @text (16 bytes); return @text */
const char *recording_task_name(const struct ucore_task *task, char *text);

/** recording_head() - print the start time and the platform of the recording */
void recording_head(const struct recording *recording, FILE *stream);

/**
 * recording_summary() - print the numbers of samples and lost records, and the cost of a
 * sample
 */
void recording_summary(const struct recording *recording, struct out *out);

/**
 * recording_remarks() - return the stream for remarks: standard error for CSV, otherwise out.stream
 */
FILE *recording_remarks(const struct out *out);

#endif /* UCORETOOL_REPORT_RECORDING_H */
