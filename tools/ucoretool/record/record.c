// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool record: copy records from the rings to a file.
 *
 * poll() on the session waits for all rings. The driver wakes the program when a quarter of a ring
 * is full, or earlier if fewer samples are requested. With --keep, records are kept in memory, and
 * the flight recorder writes files.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "record/core_event.h"
#include "count_options.h"
#include "output/domain.h"
#include "output/sink.h"
#include "record/record.h"
#include "metric_options.h"
#include "output/missing.h"
#include "event_loop.h"
#include "output_options.h"
#include "tool.h"

#define RING_DEFAULT	(1U << 20)
#define RING_DEFAULT_CPU (1U << 17)	/* default ring size (bytes) if each CPU has a ring */
#define DRAIN_NS	(250 * NSEC_PER_MSEC)	/* longest time between two reads of the rings */

struct record_args {
	struct count_args count;
	struct count_triggers triggers;
	uint64_t timer_ns;
	uint64_t nr_samples;
	uint32_t ring_size;
	struct output_args output;
	struct metric_args metrics;
	struct flight_args flight;
	struct core_args core;
};

static const struct option_desc record_options[] = {
	{ 'c', "period", "N",
	  "take a sample every N counts of the first event, or of --core-event" },
	{ OPT_CORE_EVENT, "core-event", "NAME",
	  "take samples at a core's event: instructions, page-faults:u ... (-p, -C or a program)" },
	{ 'p', "pid", "LIST", "count the --core-event of these processes",
	  .repeats = true, .only = ONLY_TARGET },
	{ 'C', "cpu", "LIST", "count the --core-event on these CPUs",
	  .repeats = true, .only = ONLY_TARGET },
	{ OPT_TASKS, "tasks", NULL, "record the tasks on the die's CPUs with each sample" },
	{ OPT_NO_POLL, "no-poll", NULL, "reject periods that can only be polled" },
	{ OPT_NO_PMI, "no-pmi", NULL,
	  "let overflows freeze the die without an interrupt, and poll its status" },
	{ OPT_TIMER, "timer", "TIME", "take a sample every TIME (10us to 1000s)" },
	{ 'o', "output", "FILE", "output file (ucore.data), - for standard output" },
	{ OPT_RING_SIZE, "ring-size", "SIZE",
	  "size of the ring of a die (1M), or of a CPU with core events (128K), a power of two" },
	{ OPT_COUNT, "count", "N", "stop after N samples" },
	{ 'M', "metric", "LIST",
	  "also record the events of metrics: names, @CATEGORY, or NAME=FORMULA",
	  .repeats = true },
	{ OPT_METRIC_FILE, "metric-file", "FILE",
	  "read metric definitions from FILE, one NAME=FORMULA per line",
	  .repeats = true },
	{ OPT_KEEP, "keep", "TIME[,BYTES]",
	  "flight recorder: keep the last TIME in memory, write files at --when or SIGUSR2" },
	{ OPT_WHEN, "when", "METRIC>N", "write the kept samples when this becomes true" },
	{ OPT_AFTER, "after", "TIME", "continue for TIME after --when before the file is written" },
	{ OPT_PER_SOCKET, "per-socket", NULL,
	  "test --when for each socket, not for the whole system", .only = ONLY_GROUPING },
	{ OPT_PER_BOX, "per-box", NULL, "test --when for each box", .only = ONLY_GROUPING },
	{ 0 },
};

static int record_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct record_args *args = data;
	bool taken;
	int ret = count_option(tool, &args->count, letter, value, &taken);

	if (taken)
		return ret;
	switch (letter) {
	case 'c':
		return parse_count(tool, "period", value, 1, UINT64_MAX, &args->triggers.period);
	case OPT_NO_POLL:
		args->triggers.interrupt = true;
		return 0;
	case OPT_NO_PMI:
		args->count.flags |= UCORE_SESSION_F_NO_PMI;
		return 0;
	case OPT_CORE_EVENT:
	case 'p':
	case 'C':
		return core_event_option(tool, &args->core, letter, value);
	case OPT_TASKS:
		args->count.flags |= UCORE_SESSION_F_TASKS;
		return 0;
	case OPT_TIMER:
		return parse_duration(tool, "timer", value, false, UCORE_TIMER_MIN_NS,
				      UCORE_TIMER_MAX_NS, &args->timer_ns);
	case OPT_RING_SIZE:
		return parse_bytes(tool, "ring size", value, UCORE_RING_MIN, UCORE_RING_MAX,
				   &args->ring_size);
	case OPT_COUNT:
		return parse_u64(tool, "count", value, 1, UINT64_MAX, &args->nr_samples);
	case 'M':
	case OPT_METRIC_FILE:
		return metric_option(tool, &args->metrics, letter, value);
	case OPT_KEEP:
		return flight_keep(tool, &args->flight, value);
	case OPT_WHEN:
		return flight_when(tool, &args->flight, value);
	case OPT_AFTER:
		return parse_duration(tool, "after", value, false, 0, INT32_MAX * NSEC_PER_MSEC,
				      &args->flight.after_ns);
	default:
		return output_option(tool, &args->output, letter, value, &taken);
	}
}

/* Return true if an event of -e is counted on core boxes, so that each CPU has a ring */
static bool counts_cores(const struct count_args *args)
{
	char text[UCORE_SPEC_LEN];

	for (unsigned int i = 0; i < args->nr_lists; i++) {
		const char *list = args->lists[i];

		while (ucore_list_next(&list, text, sizeof(text), NULL) > 0)
			if (!strncasecmp(text, "core", 4) || !strncasecmp(text, "atom", 4))
				return true;
	}
	return false;
}

/* Return the UCORE_LEVEL_* of the values that --when tests, 0 for all sockets together */
static uint32_t flight_level(enum grouping grouping)
{
	static const uint32_t levels[] = {
		[GROUP_TOTAL] = 0,
		[GROUP_SOCKET] = UCORE_LEVEL_SOCKET,
		[GROUP_BOX] = UCORE_LEVEL_BOX,
	};

	return levels[grouping];
}

static int record_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct record_args *args = data;

	if (!args->ring_size)
		args->ring_size = counts_cores(&args->count) ? RING_DEFAULT_CPU : RING_DEFAULT;
	args->flight.level = flight_level(args->output.grouping);
	if (flight_finish(tool, &args->flight, args->output.path))
		return EXIT_USAGE;
	/* Count the metric of the condition, too */
	if (args->flight.when && metric_option(tool, &args->metrics, 'M', args->flight.metric))
		return EXIT_USAGE;
	if (metric_finish(tool, &args->metrics))
		return EXIT_USAGE;
	if (!args->output.path)
		args->output.path = args->flight.keep_ns ? FLIGHT_NAME : "ucore.data";
	args->count.nr_others = args->metrics.nr_lists;
	if (count_finish(tool, &args->count, argc, argv))
		return EXIT_USAGE;
	return core_event_finish(tool, &args->core, &args->count, &args->triggers);
}

/* ---- rings ------------------------------------------------------------- */

static bool source_exists(const struct record *record, uint32_t domain)
{
	for (size_t i = 0; i < record->nr_sources; i++)
		if (ucore_ring_domain(record->sources[i].ring) == domain)
			return true;
	return false;
}

static int sources_open(struct tool *tool, struct record *record)
{
	const struct ucore_slot *slots;
	size_t nr;

	slots = ucore_session_slots(record->count.session, &nr);
	record->sources = calloc(nr, sizeof(*record->sources));
	if (!record->sources)
		return tool_error(tool, "out of memory");
	for (size_t i = 0; i < nr; i++) {
		int ret;

		if (source_exists(record, slots[i].domain))
			continue;
		ret = ucore_ring_open(record->count.session, slots[i].domain,
				      &record->sources[record->nr_sources].ring, &tool->err);
		if (ret) {
			tool_fail(tool, ret);
			return EXIT_FAILURE;
		}
		record->nr_sources++;
	}
	return 0;
}

static void source_fill(struct record *record, struct source *source)
{
	while (!source->next && ucore_ring_next(source->ring, &source->next) < 0)
		record->damaged++;
}

/* Return the ring whose next record is the oldest; NULL if all rings are empty */
static struct source *source_oldest(struct record *record)
{
	struct source *oldest = NULL;

	for (size_t i = 0; i < record->nr_sources; i++) {
		struct source *source = &record->sources[i];

		source_fill(record, source);
		if (source->next && (!oldest || ucore_record_time(source->next) <
						ucore_record_time(oldest->next)))
			oldest = source;
	}
	return oldest;
}

/* Report a failed write to the file or to standard output; return the exit code */
static int file_fail(struct tool *tool, int ret)
{
	int error = sink_flush(stdout);

	if (error)
		return tool_written(tool, NULL, error, 0);
	tool->write_failed = true;
	return tool_fail(tool, ret);
}

static bool record_full(const struct record *record)
{
	return record->wanted && record->samples >= record->wanted;
}

/* Report a box that stopped responding.  It is counted again when it responds. */
static void dead_box_report(struct record *record, const struct ucore_record *next)
{
	const struct ucore_gap *gap = (const void *)next;
	const struct ucore_box_info *boxes;
	char domain[UCORE_DOMAIN_NAME_LEN];
	size_t nr;

	if (next->type != UCORE_RECORD_GAP || gap->reason != UCORE_GAP_BOX_DEAD)
		return;
	record->nr_dead++;
	boxes = ucore_device_boxes(record->count.dev, &nr);
	if (gap->box >= nr)
		return;
	ucore_domain_name(boxes[gap->box].die, boxes[gap->box].cpu, domain, sizeof(domain));
	fprintf(stderr, "ucoretool record: %s%u of %s does not respond and is not counted\n",
		boxes[gap->box].type, boxes[gap->box].instance, domain);
}

static int record_put(struct tool *tool, struct record *record, const struct source *source)
{
	uint32_t domain = ucore_ring_domain(source->ring);
	int ret;

	record->samples += source->next->type == UCORE_RECORD_SAMPLE;
	dead_box_report(record, source->next);
	if (!record->file)
		return flight_add(tool, &record->flight, domain, source->next);
	ret = ucore_file_write(record->file, domain, source->next, &tool->err);
	return ret ? file_fail(tool, ret) : 0;
}

/* Write all unread records of the rings, merged in the order of time */
static int rings_drain(struct tool *tool, struct record *record)
{
	struct source *source;
	int ret = 0;

	while (!ret && !record_full(record) && (source = source_oldest(record))) {
		ret = record_put(tool, record, source);
		source->next = NULL;
	}
	for (size_t i = 0; i < record->nr_sources; i++)
		ucore_ring_release(record->sources[i].ring);
	if (ret || !record->file)
		return ret;
	ret = ucore_file_flush(record->file, &tool->err);
	return ret ? file_fail(tool, ret) : 0;
}

/* ---- run --------------------------------------------------------------- */

/* Write the unread records of the rings after the session has stopped */
static int rings_end(struct tool *tool, struct record *record)
{
	int ret = rings_drain(tool, record);

	return !ret && !record->file && flight_end(tool, &record->flight) ? EXIT_FAILURE : ret;
}

/* Write the remaining records of a revoked session, whose rings are still mapped */
static int record_revoked(struct tool *tool, struct record *record)
{
	int ret = rings_end(tool, record);

	if (ret)
		return ret;
	return tool_error(tool,
			  "session: revoked by 'ucoretool revoke' after %llu samples",
			  (unsigned long long)record->samples);
}

static int record_loop(struct tool *tool, struct record *record, struct wait *wait)
{
	int fd = ucore_session_fd(record->count.session);
	enum wait_event event;
	int ret;

	do {
		event = wait_for(wait, fd, now_ns() + DRAIN_NS);
		if (event == WAIT_ERROR && errno == ESHUTDOWN)
			return record_revoked(tool, record);
		if (event == WAIT_ERROR)
			return tool_error(tool, "cannot wait for records: %s", strerror(errno));
		ret = rings_drain(tool, record);
		if (!ret && wait->dump)
			ret = flight_dump(tool, &record->flight);
		wait->dump = false;
	} while (!ret && event != WAIT_END && !record_full(record));
	return ret;
}

/* Stop the session, write the remaining records, finish the file, print the summary */
static int record_end(struct tool *tool, struct record *record, uint64_t start,
		      const char *path)
{
	struct ucore_get_budget budget = { 0 };
	struct ucore_get_status status;
	int ret = ucore_session_stop(record->count.session, &tool->err);
	uint64_t ns = now_ns() - start;

	if (ret)
		return tool_fail(tool, ret);
	ret = rings_end(tool, record);
	if (ret)
		return ret;
	ret = ucore_session_status(record->count.session, &status, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	if (record->file)
		ret = ucore_file_finish(record->file, &status, &tool->err);
	if (ret)
		return file_fail(tool, ret);
	/* With an older driver without GET_BUDGET, @budget stays 0 */
	ucore_session_budget(record->count.session, &budget, NULL);
	record_summary(record, &status, &budget, ns, strcmp(path, "-") ? path : "standard output");
	return 0;
}

/*
 * Run the recording, from START to the last record. The file's header is written after START,
 * because it contains the start time. Until the header is written, records stay in the rings.
 */
static int record_count(struct tool *tool, struct record *record, const struct record_args *args,
			const struct ucore_session_config *config, struct wait *wait)
{
	int ret = count_start(tool, &args->count, &record->count, wait);

	if (ret)
		return ret;
	record->flight.start = wait->start;
	if (record->file) {
		ucore_file_cores(record->file, socket_cores());
		ret = ucore_file_begin(record->file, record->count.dev, record->count.session,
				       config, wait->start, &tool->err);
		if (ret)
			return file_fail(tool, ret);
	}
	ret = record_loop(tool, record, wait);
	return ret ? ret : record_end(tool, record, wait->start, args->output.path);
}

/* Open the destination of the records: the file, or the flight recorder */
static int target_open(struct tool *tool, struct record *record, const struct record_args *args,
		       const struct ucore_session_config *config)
{
	if (args->flight.keep_ns) {
		record->flight = (struct flight) {
			.args = &args->flight,
			.path = args->output.path,
			.dev = record->count.dev,
			.session = record->count.session,
			.config = config,
			.metrics = record->metrics,
		};
		return flight_open(tool, &record->flight);
	}
	if (!ucore_file_create(args->output.path, &record->file, &tool->err))
		return 0;
	tool_fail(tool, -EIO);
	return EXIT_FAILURE;
}

static int record_session(struct tool *tool, struct record *record,
			  const struct record_args *args,
			  const struct ucore_session_config *config)
{
	int ret = sources_open(tool, record);
	struct wait wait;

	if (!ret)
		ret = target_open(tool, record, args, config);
	if (ret)
		return ret;
	ret = wait_open(tool, &wait, args->count.command);
	if (!ret && args->flight.keep_ns)
		ret = wait_signal(tool, &wait, SIGUSR2);
	if (!ret)
		ret = core_event_add(tool, &args->core, &record->count, &wait);
	if (!ret)
		ret = record_count(tool, record, args, config, &wait);
	return wait_close(tool, &wait, ret);
}

static uint32_t record_wakeup(const struct record_args *args)
{
	uint32_t quarter = args->ring_size / 4;

	if (args->nr_samples && args->nr_samples < quarter / sizeof(struct ucore_sample))
		return (uint32_t)(args->nr_samples * sizeof(struct ucore_sample));
	return quarter;
}

static int record_run(struct tool *tool, const void *data)
{
	const struct record_args *args = data;
	struct ucore_session_config config = {
		.flags = args->count.flags,
		.timer_ns = args->timer_ns,
		.ring_size = args->ring_size,
		.wakeup = record_wakeup(args),
		.nr_readers = args->count.nr_readers,
	};
	struct record record = {
		.wanted = args->nr_samples,
		.flags = args->count.flags,
		.nr_readers = args->count.nr_readers,
		.timer = args->timer_ns,
		.others = args->core.name ? args->core.name :
			  args->triggers.period || !args->timer_ns ? "the events" : NULL,
	};
	int ret = count_open(tool, &args->count, &config, &args->triggers, &record.count);

	if (ret)
		return ret;
	if (args->metrics.nr_lists)
		ret = metrics_open(tool, &args->metrics, record.count.dev, record.count.session,
				   socket_cores(), args->flight.level ? args->flight.level :
				   UCORE_LEVEL_SYSTEM, false, &record.metrics);
	if (!ret)
		ret = missing_report(tool, record.count.session, record.metrics,
				     record.count.strict);
	if (!ret)
		ret = record_session(tool, &record, args, &config);
	if (!ret && record.count.strict && record.nr_dead)
		ret = tool_error(tool, "--strict: a box stopped responding");
	flight_close(&record.flight);
	ucore_metrics_free(record.metrics);
	ucore_file_close(record.file);
	for (size_t i = 0; i < record.nr_sources; i++)
		ucore_ring_close(record.sources[i].ring);
	free(record.sources);
	count_close(&record.count);
	return ret;
}

const struct command command_record = {
	.name = "record",
	.operands = "[--] [PROGRAM...]",
	.summary = "write samples, taken at overflows or by a timer, to a file",
	.options = { count_options, record_options },
	.runs_command = true,
	.args_size = sizeof(struct record_args),
	.option = record_option,
	.finish = record_finish,
	.run = record_run,
};
