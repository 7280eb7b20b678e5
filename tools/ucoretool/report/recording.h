/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of samples, record by record: what script and report do with each is theirs.
 */
#ifndef UCORETOOL_RECORDING_H
#define UCORETOOL_RECORDING_H

#include "output/walltime.h"
#include "output/table.h"
#include "tool.h"

/**
 * struct recording_domain - what has been seen of a domain so far
 * @samples: samples
 * @lost: records that were lost
 * @gaps: gaps
 * @first: time of the first sample
 * @last: time of the last one
 * @frozen: how long all of them froze the domain
 * @seq: number of the last record
 * @enabled: time_enabled of the last sample
 * @running: time_running of the last sample
 * @started: there was a record
 * @based: counts of the next sample can be said since the last one, or the start
 */
struct recording_domain {
	uint64_t samples;
	uint64_t lost;
	uint64_t gaps;
	uint64_t first, last;
	uint64_t frozen;
	uint64_t seq;
	uint64_t enabled;
	uint64_t running;
	bool started;
	bool based;
};

/**
 * struct recording_value - one value of the sample at hand
 * @event: what was counted
 * @count: since the sample before, or the start; 0 if that is not known
 * @total: since the start
 * @flags: UCORE_VALUE_F_*
 */
struct recording_value {
	const struct ucore_file_event *event;
	uint64_t count;
	uint64_t total;
	uint32_t flags;
};

/**
 * struct recording - a file that is being read
 * @file: the file
 * @header: its header
 * @events: its events
 * @domains: beside the file's
 * @record: the record at hand, NULL behind the last
 * @id: domain id of the record
 * @domain: the domain of the record, and where it is
 * @place: the same domain in the file
 * @before: time of the domain's sample before the record, or of the start
 * @known: of a sample: its counts can be said since @before
 * @enabled: of a sample: how long counting was enabled since then
 * @running: of a sample: for how much of that its counters could count
 * @values: of a sample: its values
 * @nr_values: how many there are
 * @whole: nothing was left away before the first record of any domain
 * @finished: @status is valid: recording was not cut short
 * @status: what the session cost
 */
struct recording {
	struct ucore_file *file;
	const struct ucore_file_header *header;
	const struct ucore_file_event *events;
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

/** recording_open() - open a file and check its head; returns 0 or the exit code */
int recording_open(struct tool *tool, const char *path, struct recording *recording);

/** recording_next() - take the next record; returns 0 or the exit code */
int recording_next(struct tool *tool, struct recording *recording);

/** recording_close() - give everything back */
void recording_close(struct recording *recording);

/** recording_since() - how long after the start a moment is */
uint64_t recording_since(const struct recording *recording, uint64_t time);

/** recording_has() - is the moment in the window? */
bool recording_has(const struct recording *recording, const struct clock_window *window,
		   uint64_t time);

/** recording_domain_text() - what people call the domain of the record at hand */
const char *recording_domain_text(const struct recording *recording, char *text);

/** recording_value_note() - value_note() of a sample, or that the event has ended its interval */
const char *recording_value_note(uint32_t flags, int32_t cpu);

/** recording_gap_reason() - why there is a gap on a domain that is @cpu, or a die if that is -1 */
const char *recording_gap_reason(const struct ucore_gap *gap, int32_t cpu);

/** recording_task_name() - what people call a task; @text has room for its comm */
const char *recording_task_name(const struct ucore_task *task, char *text);

/** recording_head() - say when and where it was recorded, if people read it */
void recording_head(const struct recording *recording, FILE *stream);

/** recording_summary() - samples, losses and what a sample cost */
void recording_summary(const struct recording *recording, struct out *out);

/** recording_remarks() - where remarks go that are no rows: not among those of CSV */
FILE *recording_remarks(const struct out *out);

#endif /* UCORETOOL_RECORDING_H */
