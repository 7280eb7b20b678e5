// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Conversion of a recorded file to a trace in the Common Trace Format 1.8, for babeltrace2 and
 * Trace Compass. Each domain is a stream, and its samples have a field for each counter.
 *
 * Counts are totals since the start of the recording, as is usual in such traces. The format calls
 * a record an event, and a packet's header has the number of lost events ("discarded") before the
 * packet. Therefore lost records start a new packet.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "output/sink.h"
#include "report/ctf.h"

#define CTF_MAGIC	0xc1fc1fc1U
#define PACKET_BYTES	(1U << 18)	/* a packet of at least this size (bytes) is written */

/* Ids of the record types (samples and gaps) in the trace, the same in each stream */
enum { CTF_SAMPLE, CTF_GAP };

/* Header of each packet, as described by metadata_write() */
struct packet_head {
	uint32_t magic;
	uint32_t stream;
	uint64_t begin, end;		/* times of first and last record (CLOCK_MONOTONIC ns) */
	uint64_t content, size;		/* size of the packet without and with padding (bits) */
	uint64_t seq;
	uint64_t discarded;		/* number of lost records since the start */
	uint32_t die;
	int32_t cpu;
} __attribute__((packed));

/* A stream of the trace: the samples and gaps of one domain */
struct stream {
	FILE *file;
	const struct ucore_file_domain *place;
	struct packet_head head;
	size_t first;			/* index in ctf.order of the domain's first event */
	size_t nr;
	unsigned char *bytes;		/* content of the current packet, without the header */
	size_t used;
	size_t room;
	uint64_t last;			/* time of the last written record (CLOCK_MONOTONIC ns) */
};

struct ctf {
	struct recording *recording;
	int dir;
	const char *path;
	struct stream *streams;
	size_t nr_streams;
	size_t *stream_of;	/* index of each domain's stream, nr_streams if it has none */
	size_t *order;		/* indexes of the file's events, sorted by domain */
	bool *twice;		/* true for each event of the file whose field name is not unique */
	bool failed;		/* true after a write failed */
};

/* ---- names of CTF fields ----------------------------------------------- */

/* Convert an event's label to a CTF field name: imc/CAS_COUNT.RD,die=0/ to CAS_COUNT_RD_die_0 */
static void name_make(const char *label, char *name, size_t size)
{
	const char *slash = strchr(label, '/');
	size_t at = 0;

	if (slash && slash[1])
		label = slash + 1;
	for (; *label && at + 1 < size; label++)
		if (isalnum((unsigned char)*label))
			name[at++] = *label;
		else if (label[1] && at && name[at - 1] != '_')
			name[at++] = '_';
	while (at && name[at - 1] == '_')
		at--;
	name[at] = 0;
}

struct index_name {
	uint32_t index;
	char name[UCORE_SPEC_LEN];
};

static int name_order(const void *a, const void *b)
{
	return strcmp(((const struct index_name *)a)->name, ((const struct index_name *)b)->name);
}

/* Mark the events whose labels are converted to the same field name */
static int twice_find(struct ctf *ctf)
{
	const struct recording *recording = ctf->recording;
	uint32_t nr = recording->header->nr_events, found = 0;
	struct index_name *names = calloc(nr, sizeof(*names));
	bool *seen = calloc(nr, sizeof(*seen));

	ctf->twice = calloc(nr, sizeof(*ctf->twice));
	for (uint32_t i = 0; names && seen && ctf->twice && i < nr; i++) {
		const struct ucore_file_event *event = &recording->events[i];

		if (seen[event->index])
			continue;
		seen[event->index] = true;
		names[found].index = event->index;
		name_make(event->label, names[found++].name, sizeof(names->name));
	}
	if (found)
		qsort(names, found, sizeof(*names), name_order);
	for (uint32_t i = 1; i < found; i++)
		if (!strcmp(names[i].name, names[i - 1].name))
			ctf->twice[names[i].index] = true;
	free(seen);
	free(names);
	return found ? 0 : -ENOMEM;
}

static void field_name(const struct ctf *ctf, const struct ucore_file_event *event, char *text,
		       size_t size)
{
	char type[UCORE_NAME_LEN], name[UCORE_SPEC_LEN];
	size_t at;

	name_make(event->type, type, sizeof(type));
	name_make(event->label, name, sizeof(name));
	at = (size_t)snprintf(text, size, "%s%s%u_%s", isalpha((unsigned char)*type) ? "" : "box",
			      type, event->instance, name);
	if (ctf->twice[event->index] && at < size)
		snprintf(text + at, size - at, "_%u", event->index);
}

/* ---- metadata ---------------------------------------------------------- */

static void clock_write(const struct ctf *ctf, FILE *file)
{
	const struct ucore_file_header *header = ctf->recording->header;
	int64_t offset = (int64_t)(header->start_real - header->start);
	int64_t seconds = offset / (int64_t)NSEC_PER_SEC;
	int64_t rest = offset % (int64_t)NSEC_PER_SEC;

	if (rest < 0) {
		rest += (int64_t)NSEC_PER_SEC;
		seconds--;
	}
	fprintf(file,
		"clock {\n"
		"\tname = monotonic;\n"
		"\tdescription = \"CLOCK_MONOTONIC, set to the wall clock by its offset\";\n"
		"\tfreq = 1000000000;\n"
		"\toffset_s = %lld;\n"
		"\toffset = %lld;\n"
		"\tabsolute = true;\n"
		"};\n\n"
		"typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time_t;\n\n",
		(long long)seconds, (long long)rest);
}

static void trace_write(const struct ctf *ctf, FILE *file)
{
	char platform[UCORE_NAME_LEN];

	name_make(ctf->recording->header->platform, platform, sizeof(platform));
	fprintf(file,
		"/* CTF 1.8 */\n\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		"typealias integer { size = 32; align = 8; signed = true; } := int32_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; base = 16; } := address_t;\n\n"
		"trace {\n"
		"\tmajor = 1;\n"
		"\tminor = 8;\n"
		"\tbyte_order = le;\n"
		"\tpacket.header := struct { uint32_t magic; uint32_t stream_id; };\n"
		"};\n\n"
		"env {\n"
		"\ttracer_name = \"ucoretool\";\n"
		"\tdomain = \"ucore\";\n"
		"\tversion = \"%s\";\n"
		"\tplatform = \"%s\";\n"
		"};\n\n", UCORE_VERSION, platform);
	clock_write(ctf, file);
}

/* Write a label within a comment of the metadata; replace stars, which could end the comment */
static void label_put(const char *label, FILE *file)
{
	for (; *label; label++)
		putc(*label == '*' ? '?' : *label, file);
}

static void counters_write(const struct ctf *ctf, const struct stream *stream, FILE *file)
{
	char name[2 * UCORE_SPEC_LEN];

	for (size_t i = 0; i < stream->nr; i++) {
		const struct ucore_file_event *event =
			&ctf->recording->events[ctf->order[stream->first + i]];

		field_name(ctf, event, name, sizeof(name));
		fprintf(file, "\t\tuint64_t %s;\t/* ", name);
		label_put(event->label, file);
		fputs(" */\n", file);
	}
}

static void stream_write(const struct ctf *ctf, const struct stream *stream, FILE *file)
{
	unsigned int id = stream->head.stream;

	fprintf(file,
		"stream {\n"
		"\tid = %u;\n"
		"\tpacket.context := struct {\n"
		"\t\ttime_t timestamp_begin; time_t timestamp_end;\n"
		"\t\tuint64_t content_size; uint64_t packet_size;\n"
		"\t\tuint64_t packet_seq_num; uint64_t events_discarded;\n"
		"\t\tuint32_t die; int32_t domain_cpu;\n"
		"\t};\n"
		"\tevent.header := struct { uint8_t id; time_t timestamp; };\n"
		"};\n\n"
		"event {\n"
		"\tname = \"ucore_sample\";\n\tid = %u;\n\tstream_id = %u;\n"
		"\tfields := struct {\n"
		"\t\tuint32_t die;\n\t\tuint32_t cpu;\n\t\tuint64_t seq;\n"
		"\t\tenum : uint8_t { overflow = 0, timer = 1, core = 2, other = 3 } trigger;\n"
		"\t\tuint64_t enabled_ns;\n\t\tuint64_t running_ns;\n"
		"\t\tuint64_t frozen_ns;\n\t\tuint64_t skew_ns;\n\t\tuint64_t late_ns;\n"
		"\t\tuint32_t flags;\n\t\tuint32_t pid;\n\t\tuint32_t tid;\n\t\taddress_t ip;\n",
		id, CTF_SAMPLE, id);
	counters_write(ctf, stream, file);
	fprintf(file,
		"\t};\n};\n\n"
		"event {\n"
		"\tname = \"ucore_gap\";\n\tid = %u;\n\tstream_id = %u;\n"
		"\tfields := struct {\n"
		"\t\tuint32_t die;\n"
		"\t\tenum : uint8_t { reader_moved = 0, offline = 1, online = 2, box_dead = 3, suspend = 4, resume = 5, frozen = 6, conflict = 7, other = 255 } reason;\n"
		"\t\tint32_t cpu_from;\n\t\tint32_t cpu_to;\n"
		"\t};\n};\n\n", CTF_GAP, id);
}

static FILE *file_create(struct tool *tool, const struct ctf *ctf, const char *name)
{
	int fd = openat(ctf->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *file = fd < 0 ? NULL : sink_open(fd);

	if (!file) {
		tool_error(tool, "%s/%s: cannot create: %s", ctf->path, name, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	return file;
}

static int metadata_write(struct tool *tool, const struct ctf *ctf)
{
	FILE *file = file_create(tool, ctf, "metadata");
	char name[PATH_MAX];

	if (!file)
		return EXIT_FAILURE;
	trace_write(ctf, file);
	for (size_t i = 0; i < ctf->nr_streams; i++)
		stream_write(ctf, &ctf->streams[i], file);
	snprintf(name, sizeof(name), "%s/metadata", ctf->path);
	return tool_written(tool, name, sink_close(file), 0);
}

/* ---- packets ----------------------------------------------------------- */

static void put(struct stream *stream, const void *data, size_t size)
{
	memcpy(stream->bytes + stream->used, data, size);
	stream->used += size;
}

static void put_u8(struct stream *stream, uint8_t value)
{
	put(stream, &value, sizeof(value));
}

static void put_u32(struct stream *stream, uint32_t value)
{
	put(stream, &value, sizeof(value));
}

static void put_u64(struct stream *stream, uint64_t value)
{
	put(stream, &value, sizeof(value));
}

static void packet_end(struct ctf *ctf, struct stream *stream)
{
	struct packet_head *head = &stream->head;

	if (!stream->used)
		return;
	head->end = stream->last;
	head->content = 8 * (sizeof(*head) + stream->used);
	head->size = head->content;
	fwrite(head, sizeof(*head), 1, stream->file);
	fwrite(stream->bytes, stream->used, 1, stream->file);
	ctf->failed |= ferror(stream->file);
	head->seq++;
	stream->used = 0;
}

static void event_begin(struct ctf *ctf, struct stream *stream, uint8_t id, uint64_t time)
{
	/* Do not let the time decrease in a stream, even if the recording is damaged */
	if (time < stream->last)
		time = stream->last;
	if (stream->used >= PACKET_BYTES)
		packet_end(ctf, stream);
	if (!stream->used)
		stream->head.begin = time;
	stream->last = time;
	put_u8(stream, id);
	put_u64(stream, time);
}

static void sample_put(struct ctf *ctf, struct stream *stream, const struct ucore_sample *sample)
{
	const struct recording *recording = ctf->recording;

	event_begin(ctf, stream, CTF_SAMPLE, sample->time);
	put_u32(stream, stream->place->die);
	put_u32(stream, sample->cpu);
	put_u64(stream, sample->hdr.seq);
	put_u8(stream, sample->trigger <= UCORE_TRIGGER_CORE ? (uint8_t)sample->trigger : 3);
	put_u64(stream, sample->time_enabled);
	put_u64(stream, sample->time_running);
	put_u64(stream, sample->frozen_ns);
	put_u64(stream, sample->skew_ns);
	put_u64(stream, sample->late_ns);
	put_u32(stream, sample->flags);
	put_u32(stream, sample->pid);
	put_u32(stream, sample->tid);
	put_u64(stream, sample->ip);
	for (size_t i = 0; i < stream->nr; i++)
		put_u64(stream, recording->last[ctf->order[stream->first + i]]);
}

static void gap_put(struct ctf *ctf, struct stream *stream, const struct ucore_gap *gap)
{
	event_begin(ctf, stream, CTF_GAP, gap->time);
	put_u32(stream, stream->place->die);
	put_u8(stream, gap->reason <= UCORE_GAP_CONFLICT ? (uint8_t)gap->reason : UINT8_MAX);
	put_u32(stream, (uint32_t)gap->cpu_from);
	put_u32(stream, (uint32_t)gap->cpu_to);
}

static void record_put(struct ctf *ctf)
{
	const struct recording *recording = ctf->recording;
	const struct ucore_record *record = recording->record;
	size_t index = ctf->stream_of[recording->place - ucore_file_domains(recording->file)];
	struct stream *stream = &ctf->streams[index];

	if (index == ctf->nr_streams)
		return;
	if (record->type == UCORE_RECORD_SAMPLE) {
		sample_put(ctf, stream, (const struct ucore_sample *)record);
	} else if (record->type == UCORE_RECORD_GAP) {
		gap_put(ctf, stream, (const struct ucore_gap *)record);
	} else if (record->type == UCORE_RECORD_LOST) {
		packet_end(ctf, stream);
		stream->head.discarded += ((const struct ucore_lost *)record)->lost;
	}
}

/* ---- the trace --------------------------------------------------------- */

/* Open the file of a stream; the buffer has space for a full packet and one more record */
static int stream_open(struct tool *tool, struct ctf *ctf, struct stream *stream)
{
	char name[32];

	snprintf(name, sizeof(name), stream->place->cpu < 0 ? "die%u" : "cpu%u",
		 stream->place->cpu < 0 ? stream->place->die : (unsigned int)stream->place->cpu);
	stream->head.magic = CTF_MAGIC;
	stream->head.die = stream->place->die;
	stream->head.cpu = stream->place->cpu;
	stream->room = PACKET_BYTES + 128 + 8 * stream->nr;
	stream->bytes = malloc(stream->room);
	if (!stream->bytes)
		return tool_error(tool, "out of memory");
	stream->file = file_create(tool, ctf, name);
	return stream->file ? 0 : EXIT_FAILURE;
}

static int event_order(const void *a, const void *b, void *data)
{
	const struct ucore_file_event *events = data;
	const struct ucore_file_event *x = &events[*(const size_t *)a];
	const struct ucore_file_event *y = &events[*(const size_t *)b];

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Sort the events by domain, and create a stream for each domain that has events */
static int streams_make(struct ctf *ctf)
{
	const struct recording *recording = ctf->recording;
	const struct ucore_file_domain *domains = ucore_file_domains(recording->file);
	uint32_t nr = recording->header->nr_events, nr_domains = recording->header->nr_domains;

	ctf->order = calloc(nr, sizeof(*ctf->order));
	ctf->streams = calloc(nr_domains, sizeof(*ctf->streams));
	ctf->stream_of = calloc(nr_domains, sizeof(*ctf->stream_of));
	if (!ctf->order || !ctf->streams || !ctf->stream_of || twice_find(ctf))
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		ctf->order[i] = i;
	qsort_r(ctf->order, nr, sizeof(*ctf->order), event_order, (void *)recording->events);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t id = recording->events[ctf->order[i]].domain;
		struct stream *stream = &ctf->streams[ctf->nr_streams];

		if (!i || stream[-1].place->domain != id) {
			stream->place = ucore_file_domain(recording->file, id);
			stream->head.stream = (uint32_t)ctf->nr_streams++;
			stream->first = i;
			stream++;
		}
		stream[-1].nr++;
	}
	for (uint32_t i = 0; i < nr_domains; i++)
		ctf->stream_of[i] = ctf->nr_streams;
	for (size_t i = 0; i < ctf->nr_streams; i++)
		ctf->stream_of[ctf->streams[i].place - domains] = i;
	return 0;
}

static int records_write(struct tool *tool, struct ctf *ctf)
{
	struct recording *recording = ctf->recording;
	int ret = 0;

	while (!ctf->failed && !(ret = recording_next(tool, recording)) && recording->record)
		if (recording_selected(recording))
			record_put(ctf);
	for (size_t i = 0; i < ctf->nr_streams; i++)
		packet_end(ctf, &ctf->streams[i]);
	return ret ? ret : recording_window_check(tool, recording);
}

static int ctf_fill(struct tool *tool, struct ctf *ctf)
{
	int ret = 0;

	if (streams_make(ctf))
		return tool_error(tool, "out of memory");
	for (size_t i = 0; i < ctf->nr_streams && !ret; i++)
		ret = stream_open(tool, ctf, &ctf->streams[i]);
	if (!ret)
		ret = metadata_write(tool, ctf);
	if (!ret)
		ret = records_write(tool, ctf);
	for (size_t i = 0; i < ctf->nr_streams; i++) {
		struct stream *stream = &ctf->streams[i];

		if (stream->file)
			ret = tool_written(tool, ctf->path, sink_close(stream->file), ret);
		free(stream->bytes);
	}
	return ret;
}

int ctf_write(struct tool *tool, struct recording *recording, const char *path)
{
	struct ctf ctf = { .recording = recording, .path = path };
	int ret;

	if (mkdir(path, 0777))
		return tool_error(tool, "%s: cannot create the directory: %s", path,
				  strerror(errno));
	ctf.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ctf.dir < 0)
		return tool_error(tool, "%s: cannot open: %s", path, strerror(errno));
	ret = ctf_fill(tool, &ctf);
	close(ctf.dir);
	free(ctf.twice);
	free(ctf.order);
	free(ctf.stream_of);
	free(ctf.streams);
	return ret;
}
