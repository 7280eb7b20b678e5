// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading of a recorded file, record by record.
 *
 * A recorded file can be damaged or malicious. The library checks the sizes of the records. This
 * code checks the event ids in samples, and the order of records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "report/recording.h"

const struct option_desc recording_options[] = {
	{ 'i', "input", "FILE", "input file (ucore.data), - for standard input" },
	{ OPT_TIME, "time", "FROM,TO",
	  "only samples in this range: seconds since the start, or times of day" },
	{ OPT_PER_SOCKET, "per-socket", NULL,
	  "sum the boxes of a die or CPU, one line per event (default)",
	  .only = ONLY_GROUPING },
	{ OPT_PER_BOX, "per-box", NULL, "one line per event and box", .only = ONLY_GROUPING },
	{ 0 },
};

int recording_open(struct tool *tool, const char *path, const struct clock_window *window,
		   struct recording *recording)
{
	int ret;

	memset(recording, 0, sizeof(*recording));
	ret = ucore_file_open(path, &recording->file, &tool->err);
	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	recording->whole = true;
	recording->header = ucore_file_header(recording->file);
	recording->window = *window;
	clock_window_fix(&recording->window, recording->header->start_real);
	recording->events = ucore_file_events(recording->file);
	recording->last = calloc(recording->header->nr_events, sizeof(*recording->last));
	recording->values = calloc(recording->header->nr_events, sizeof(*recording->values));
	recording->domains = calloc(recording->header->nr_domains, sizeof(*recording->domains));
	if (recording->last && recording->values && recording->domains)
		return 0;
	recording_close(recording);
	return tool_error(tool, "out of memory");
}

void recording_close(struct recording *recording)
{
	free(recording->domains);
	free(recording->values);
	free(recording->last);
	ucore_file_close(recording->file);
	memset(recording, 0, sizeof(*recording));
}

uint64_t recording_since(const struct recording *recording, uint64_t time)
{
	return time > recording->header->start ? time - recording->header->start : 0;
}

bool recording_selected(const struct recording *recording)
{
	uint64_t at = recording_since(recording, ucore_record_time(recording->record));

	return at >= recording->window.from && at <= recording->window.to;
}

/* Return true if the window of --time may omit a part of the recording */
static bool has_window(const struct recording *recording)
{
	return recording->window.from || recording->window.to != UINT64_MAX;
}

int recording_window_check(struct tool *tool, const struct recording *recording)
{
	uint64_t begin = UINT64_MAX, end = 0;

	if (!has_window(recording))
		return 0;
	for (uint32_t i = 0; i < recording->header->nr_domains; i++) {
		const struct recording_domain *domain = &recording->domains[i];

		if (domain->samples)
			return 0;
		if (domain->begin && domain->begin < begin)
			begin = domain->begin;
		if (domain->end > end)
			end = domain->end;
	}
	if (!end)
		return tool_error(tool, "--time: the recording has no samples");
	return tool_usage(tool, "--time: no samples in this window. The recording has samples from %.3f to %.3f s",
			  (double)recording_since(recording, begin) / NSEC_PER_SEC,
			  (double)recording_since(recording, end) / NSEC_PER_SEC);
}

/* ---- records ----------------------------------------------------------- */

/* Copy the values of a sample; false if an event id is not in the file's table or not in order */
static bool values_copy(struct recording *recording, const struct ucore_sample *sample)
{
	const struct ucore_file_event *previous = NULL;

	recording->nr_values = 0;
	for (uint32_t i = 0; i < sample->nr_values; i++) {
		const struct ucore_value *value = &sample->values[i];
		const struct ucore_file_event *event = ucore_file_find(recording->file,
								       value->event);
		uint64_t *last;

		/* Ids must increase, so that no event can have two values in the array @values */
		if (!event || event->domain != sample->domain || (previous && event <= previous))
			return false;
		previous = event;
		last = &recording->last[event - recording->events];
		recording->values[recording->nr_values++] = (struct recording_value) {
			.event = event,
			.count = recording->known ? value->count - *last : 0,
			.total = value->count,
			.flags = value->flags,
		};
		*last = value->count;
	}
	return true;
}

static int sample_process(struct tool *tool, struct recording *recording,
			  const struct ucore_sample *sample)
{
	struct recording_domain *domain = recording->domain;

	recording->known = domain->based;
	recording->enabled = sample->time_enabled - domain->enabled;
	recording->running = sample->time_running - domain->running;
	if (!values_copy(recording, sample))
		return tool_error(tool, "damaged: a sample has values of events that the file header lacks");
	if (!domain->begin)
		domain->begin = sample->time;
	domain->end = sample->time;
	domain->based = true;
	domain->enabled = sample->time_enabled;
	domain->running = sample->time_running;
	if (!recording_selected(recording))
		return 0;
	if (!domain->samples++)
		domain->first = sample->time;
	domain->last = sample->time;
	domain->frozen += sample->frozen_ns;
	return 0;
}

/*
 * Check that the sequence numbers of a domain's records increase. If the first number is not 0, the
 * file does not contain the earlier records.
 */
static int record_check(struct tool *tool, struct recording *recording)
{
	struct recording_domain *domain = recording->domain;
	char name[UCORE_DOMAIN_NAME_LEN];

	if (domain->started && recording->record->seq <= domain->seq)
		return tool_error(tool, "damaged: records of %s are out of order",
				  recording_domain_text(recording, name));
	if (!domain->started)
		domain->based = !recording->record->seq;
	recording->whole &= domain->started || domain->based;
	domain->started = true;
	domain->seq = recording->record->seq;
	return 0;
}

static int record_process(struct tool *tool, struct recording *recording)
{
	const struct ucore_record *record = recording->record;
	struct recording_domain *domain = recording->domain;
	int ret = record_check(tool, recording);

	if (ret)
		return ret;
	recording->before = domain->begin ? domain->end : recording->header->start;
	switch (record->type) {
	case UCORE_RECORD_SAMPLE:
		return sample_process(tool, recording, (const struct ucore_sample *)record);
	case UCORE_RECORD_LOST:
		if (recording_selected(recording))
			domain->lost += ((const struct ucore_lost *)record)->lost;
		return 0;
	case UCORE_RECORD_GAP:
		domain->gaps += recording_selected(recording);
		return 0;
	default:
		return 0;
	}
}

static int entry_process(struct tool *tool, struct recording *recording,
			 const struct ucore_file_entry *entry, const void *data)
{
	if (entry->kind == UCORE_FILE_STATUS) {
		memcpy(&recording->status, data, sizeof(recording->status));
		recording->finished = true;
		return 0;
	}
	if (((const struct ucore_record *)data)->type == UCORE_RECORD_PAD)
		return 0;
	recording->record = data;
	recording->id = entry->domain;
	/* The library has checked that the domain is in the file */
	recording->place = ucore_file_domain(recording->file, entry->domain);
	recording->domain = &recording->domains[recording->place -
						ucore_file_domains(recording->file)];
	return record_process(tool, recording);
}

int recording_next(struct tool *tool, struct recording *recording)
{
	struct ucore_file_entry entry;
	const void *data;
	int ret;

	recording->record = NULL;
	while (!recording->record) {
		ret = ucore_file_next(recording->file, &entry, &data, &tool->err);
		if (ret < 0) {
			tool_fail(tool, ret);
			return EXIT_FAILURE;
		}
		if (!ret)
			return 0;
		ret = entry_process(tool, recording, &entry, data);
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- names and remarks as text ----------------------------------------- */

/* Replace all bytes that are not printable ASCII, because a program can choose its task name */
const char *recording_task_name(const struct ucore_task *task, char *text)
{
	size_t i;

	if (!task->pid)
		return memcpy(text, "idle", sizeof("idle"));
	for (i = 0; i < sizeof(task->comm) - 1 && task->comm[i]; i++)
		text[i] = task->comm[i] < ' ' || task->comm[i] > '~' ? '?' : task->comm[i];
	text[i] = 0;
	return text;
}

const char *recording_domain_text(const struct recording *recording, char *text)
{
	ucore_domain_name(recording->place->die, recording->place->cpu, text,
			  UCORE_DOMAIN_NAME_LEN);
	return text;
}

const char *recording_value_note(uint32_t flags, int32_t cpu)
{
	const char *note = value_note(flags & ~UCORE_VALUE_F_UNFROZEN, cpu);

	if (note)
		return note;
	return flags & UCORE_VALUE_F_OVERFLOW ? "overflow" : value_note(flags, cpu);
}

const char *recording_gap_reason(const struct ucore_gap *gap, int32_t cpu)
{
	switch (gap->reason) {
	case UCORE_GAP_READER_MOVED:
		return "reader moved";
	case UCORE_GAP_OFFLINE:
		return domain_offline_text(cpu);
	case UCORE_GAP_ONLINE:
		return cpu < 0 ? "die online" : "cpu online";
	case UCORE_GAP_BOX_DEAD:
		return "box dead";
	case UCORE_GAP_SUSPEND:
		return "suspended";
	case UCORE_GAP_RESUME:
		return "resumed";
	case UCORE_GAP_FROZEN:
		return "frozen";
	case UCORE_GAP_CONFLICT:
		return "control conflict";
	default:
		return "?";
	}
}

FILE *recording_remarks(const struct out *out)
{
	return out->format == OUT_CSV ? stderr : out->stream;
}

void recording_head(const struct recording *recording, FILE *stream)
{
	const struct ucore_file_header *header = recording->header;
	char text[CLOCK_LEN];

	fprintf(stream, "# recorded %s on %s; CLOCK_MONOTONIC was %llu.%09llu\n",
		clock_date(header->start_real, text), header->platform,
		(unsigned long long)(header->start / NSEC_PER_SEC),
		(unsigned long long)(header->start % NSEC_PER_SEC));
}

/* ---- summary ----------------------------------------------------------- */

struct recording_sum {
	uint64_t samples, lost, gaps, frozen, ns, rated;
	uint64_t first, last;
};

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static struct recording_sum sum_up(const struct recording *recording)
{
	struct recording_sum sum = { .first = UINT64_MAX };

	for (uint32_t i = 0; i < recording->header->nr_domains; i++) {
		const struct recording_domain *domain = &recording->domains[i];

		sum.lost += domain->lost;
		sum.gaps += domain->gaps;
		if (!domain->samples)
			continue;
		sum.samples += domain->samples;
		sum.frozen += domain->frozen;
		sum.ns += domain->last - domain->first;
		sum.rated += domain->samples - 1;
		if (domain->first < sum.first)
			sum.first = domain->first;
		if (domain->last > sum.last)
			sum.last = domain->last;
	}
	/* The final status also counts records that were lost after the last record of the file */
	if (recording->finished && recording->whole && !has_window(recording))
		sum.lost = recording->status.lost;
	return sum;
}

static double cost_ns(const struct recording *recording)
{
	return share((double)recording->status.cost_ns, (double)recording->status.samples);
}

static double cost_accesses(const struct recording *recording)
{
	return share((double)(recording->status.reads + recording->status.writes),
		     (double)recording->status.samples);
}

/* Return true if an earlier omission of the file is about the same box and has the same text */
static bool is_repeated(const struct ucore_file_omission *omissions, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (omissions[j].domain == omissions[i].domain &&
		    omissions[j].instance == omissions[i].instance &&
		    !strcmp(omissions[j].type, omissions[i].type) &&
		    !strcmp(omissions[j].text, omissions[i].text))
			return true;
	return false;
}

/* Print the boxes on which events were not recorded */
static void omissions_print(const struct recording *recording, FILE *stream)
{
	const struct ucore_file_omission *omissions;
	char domain[UCORE_DOMAIN_NAME_LEN];
	size_t nr;

	omissions = ucore_file_omissions(recording->file, &nr);
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_file_domain *of = ucore_file_domain(recording->file,
								       omissions[i].domain);

		if (is_repeated(omissions, i))
			continue;
		ucore_domain_name(of->die, of->cpu, domain, sizeof(domain));
		fprintf(stream, "# not counted: %s%u of %s: %s\n", omissions[i].type,
			omissions[i].instance, domain, omissions[i].text);
	}
}

static void omissions_json(const struct recording *recording, struct out *out)
{
	const struct ucore_file_omission *omissions;
	size_t nr;

	omissions = ucore_file_omissions(recording->file, &nr);
	if (!nr)
		return;
	json_begin(out, "missing", '[');
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_file_domain *of = ucore_file_domain(recording->file,
								       omissions[i].domain);
		char box[UCORE_NAME_LEN + 12];

		if (is_repeated(omissions, i))
			continue;
		snprintf(box, sizeof(box), "%s%u", omissions[i].type, omissions[i].instance);
		json_begin(out, NULL, '{');
		json_number(out, "die", of->die);
		json_text(out, "box", box);
		json_text(out, "reason", ucore_omission_reason(omissions[i].code));
		json_text(out, "text", omissions[i].text);
		json_end(out, '}');
	}
	json_end(out, ']');
}

static void summary_json(const struct recording *recording, const struct recording_sum *sum,
			 struct out *out)
{
	char text[CLOCK_LEN];

	json_line_begin(out);
	json_text(out, "record", "summary");
	json_number(out, "samples", sum->samples);
	json_number(out, "lost", sum->lost);
	json_number(out, "gaps", sum->gaps);
	json_real(out, "samples_per_domain_second",
		  share((double)sum->rated * NSEC_PER_SEC, (double)sum->ns));
	json_real(out, "frozen_percent", 100 * share((double)sum->frozen, (double)sum->ns));
	json_flag(out, "complete", recording->finished);
	json_text(out, "platform", recording->header->platform);
	json_text(out, "start", clock_iso(recording->header->start_real, text));
	if (sum->samples) {
		json_text(out, "first", clock_iso(ucore_file_real(recording->file, sum->first),
						  text));
		json_text(out, "last", clock_iso(ucore_file_real(recording->file, sum->last),
						 text));
	}
	omissions_json(recording, out);
	if (recording->finished) {
		json_real(out, "cost_ns_per_sample", cost_ns(recording));
		json_real(out, "accesses_per_sample", cost_accesses(recording));
		json_number(out, "recovered", recording->status.recovered);
	}
	json_line_end(out);
}

/* Count the events by the scope of their domains, for the words "die" and "CPU" in the summary */
static struct domain_sum events_domains(const struct recording *recording)
{
	struct domain_sum sum = { 0 };

	for (uint32_t i = 0; i < recording->header->nr_events; i++)
		domain_sum_add(&sum, ucore_file_domain(recording->file,
						       recording->events[i].domain)->scope);
	return sum;
}

void recording_summary(const struct recording *recording, struct out *out)
{
	struct recording_sum sum = sum_up(recording);
	struct domain_sum domains = events_domains(recording);
	FILE *stream = recording_remarks(out);

	if (out->format == OUT_JSON) {
		summary_json(recording, &sum, out);
		return;
	}
	fprintf(stream, "# %llu samples, %llu records lost, %llu gaps; %.1f samples/s on each %s, frozen %.4f %% of the time\n",
		(unsigned long long)sum.samples, (unsigned long long)sum.lost,
		(unsigned long long)sum.gaps,
		share((double)sum.rated * NSEC_PER_SEC, (double)sum.ns),
		domain_sum_word(&domains), 100 * share((double)sum.frozen, (double)sum.ns));
	omissions_print(recording, stream);
	if (!recording->finished) {
		fprintf(stream, "# recording was cut short: its cost is not known\n");
		return;
	}
	fprintf(stream, "# cost of a sample: %.2f us, %.1f register accesses\n",
		cost_ns(recording) / NSEC_PER_USEC, cost_accesses(recording));
	if (recording->status.recovered)
		fprintf(stream, "# %llu of %llu overflow interrupts were lost; a timer found the overflows\n",
			(unsigned long long)recording->status.recovered,
			(unsigned long long)recording->status.overflows);
}
