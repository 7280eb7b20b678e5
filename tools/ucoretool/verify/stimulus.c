// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks of `ucoretool verify` that make something happen and look whether counters tell
 * it: memory that is read and written, overflows that interrupt one CPU after the other.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "verify/boxes.h"

/* ---- memory ------------------------------------------------------------ */

#define LINE_BYTES	64
#define LINES		50000	/* in all, so many at a time: */
#define LINES_AT_ONCE	500
#define LINES_PER_SECOND 1e9	/* of a channel: more than 64 GB/s no DDR5 does */

/*
 * What CAS_COUNT counts: UNCERTAIN(cas).
 * Each line is read, changed and flushed: memory reads and writes it once more.  Slowly:
 * what else goes on does not matter, for the count is only to be no less.
 */
static void touch(volatile unsigned char *buffer)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	for (size_t i = 0; i < LINES; i++) {
		volatile unsigned char *line = buffer + i * LINE_BYTES;

		*line = (unsigned char)(*line + 1);
		_mm_clflush((const void *)line);
		if (i % LINES_AT_ONCE == LINES_AT_ONCE - 1)
			nanosleep(&pause, NULL);
	}
	_mm_mfence();
}

/**
 * struct traffic - what memory controllers counted meanwhile
 * @reads: lines read
 * @writes: lines written
 * @most: of these, what all channels together can do in that time at most
 */
struct traffic {
	uint64_t reads, writes, most;
};

/* Lines read and written: of each channel, or of each of its two schedulers */
static const struct {
	const char *events;
	uint32_t first_write;		/* index of the first that counts writes */
} line_events[] = {
	{ "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/", 1 },
	{ "imc/CAS_COUNT_SCH0.RD/,imc/CAS_COUNT_SCH1.RD/,imc/CAS_COUNT_SCH0.WR/,imc/CAS_COUNT_SCH1.WR/",
	  2 },
};

/* Of a session without events; the error is that of the names which most machines have */
static int lines_add(struct ucore_session *session, uint32_t *first_write,
		     struct ucore_error *err)
{
	struct ucore_error other;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(line_events); i++) {
		*first_write = line_events[i].first_write;
		ret = ucore_session_add_list(session, line_events[i].events, i ? &other : err);
		if (!ret)
			return 0;
	}
	return ret;
}

static int memory_count(struct assume *assume, unsigned char *buffer, struct traffic *traffic)
{
	uint32_t first_write;
	struct ucore_error *err = &assume->tool->err;
	struct ucore_session *session;
	const struct ucore_slot *slots;
	struct ucore_snapshot snap;
	size_t nr;
	int ret = ucore_session_create(assume->dev, NULL, &session, err);

	if (ret)
		return ret;
	ret = lines_add(session, &first_write, err);
	if (!ret)
		ret = ucore_session_start(session, err);
	if (!ret) {
		touch(buffer);
		ret = ucore_session_read(session, 0, &snap, err);
	}
	slots = ucore_session_slots(session, &nr);
	for (size_t i = 0; !ret && i < nr; i++)
		*(slots[i].index < first_write ? &traffic->reads : &traffic->writes) +=
			snap.values[i].count;
	/* half of them count reads, each of a channel or of half a one */
	if (!ret && snap.nr_domains)
		traffic->most = (uint64_t)((double)snap.domains[0].time_enabled / 1e9 *
					   LINES_PER_SECOND) * (nr / 2);
	ucore_session_destroy(session);
	return ret;
}

static bool traffic_fits(uint64_t count, uint64_t most)
{
	return count >= LINES && count <= most;
}

void assume_memory(struct assume *assume)
{
	unsigned char *buffer = calloc(LINES, LINE_BYTES);
	struct traffic traffic = { 0 };
	int ret = buffer ? memory_count(assume, buffer, &traffic) : -ENOMEM;
	bool held = traffic_fits(traffic.reads, traffic.most) &&
		    traffic_fits(traffic.writes, traffic.most);

	free(buffer);
	if (ret == -ENOMEM)
		assume_say(assume, VERDICT_NOT_TRIED, "memory", "out of memory");
	else if (ret)
		assume_say(assume, VERDICT_NOT_TRIED, "memory", "%s", assume->tool->err.text);
	else
		assume_say(assume, held ? VERDICT_HELD : VERDICT_FAILED, "memory",
			   "%u lines were read and written, memory controllers count %llu and %llu of at most %llu",
			   LINES, (unsigned long long)traffic.reads,
			   (unsigned long long)traffic.writes, (unsigned long long)traffic.most);
}

/* ---- interrupts -------------------------------------------------------- */

#define RING_BYTES	(64U << 10)
#define PERIOD		1000000		/* of a clock: a millisecond, more or less */
#define NEVER		(UINT64_C(1) << 42)	/* half an hour of a clock */
#define SAMPLES		2
#define QUIET_MS	100	/* five times as long as the driver waits for an interrupt */
#define QUIET_MAX	100	/* so often, as long as the clock counts ... */
#define STILL_MAX	3	/* ... or stands; links may be asleep */
#define MAX_CPUS	4096

/* A number that the kernel tells of a CPU's place, -1 if it does not */
static long cpu_place(unsigned int cpu, const char *name)
{
	char path[128];
	long value = -1;
	FILE *stream;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, name);
	stream = fopen(path, "re");
	if (!stream)
		return -1;
	if (fscanf(stream, "%ld", &value) != 1)
		value = -1;
	fclose(stream);
	return value;
}

static bool same(unsigned int cpu, unsigned int other, const char *name)
{
	return cpu_place(cpu, name) == cpu_place(other, name);
}

static bool same_die(unsigned int cpu, unsigned int other)
{
	return same(cpu, other, "physical_package_id") && same(cpu, other, "die_id");
}

/* What a CPU was seen to take */
struct arrivals {
	unsigned int samples;
	unsigned int recovered;
	unsigned int elsewhere;
	unsigned int nameless;		/* the status did not tell that it was this overflow */
};

/**
 * struct attempt - overflows of one box's clock, sent to one CPU
 * @box: the box
 * @text: its clock, with a period
 * @cpu: the CPU
 * @event: its event id
 * @others: with all other boxes of the die armed, so that a status bit that is another
 *          box's is taken for that
 */
struct attempt {
	const struct ucore_box_info *box;
	const char *text;
	uint32_t cpu;
	uint32_t event;
	bool others;
};

/**
 * struct quiet - waiting for a sample
 * @times: waits in which none came
 * @still: of these, the last ones in which nothing was counted
 * @count: what had been counted
 */
struct quiet {
	unsigned int times, still;
	uint64_t count;
};

static void sample_judge(const struct attempt *attempt, const struct ucore_sample *sample,
			 struct arrivals *arrivals)
{
	arrivals->samples++;
	if (sample->flags & UCORE_SAMPLE_F_RECOVERED)
		arrivals->recovered++;
	else if (sample->cpu != attempt->cpu && !(same_die(sample->cpu, attempt->cpu) &&
						  same(sample->cpu, attempt->cpu, "core_id")))
		arrivals->elsewhere++;
	if (sample->trigger_event != attempt->event)
		arrivals->nameless++;
}

/*
 * Nothing came.  A read that freezes nothing shows the driver a carry that its interrupt
 * did not, and services none itself.  True: nothing will come.
 */
static bool waits_in_vain(struct assume *assume, struct ucore_session *session,
			  struct quiet *quiet)
{
	struct ucore_snapshot snap;
	uint64_t count = 0;

	if (ucore_session_read(session, UCORE_READ_F_NO_FREEZE, &snap, &assume->tool->err))
		return true;
	for (size_t i = 0; i < snap.nr_values; i++)
		count += snap.values[i].count;
	quiet->still = count == quiet->count ? quiet->still + 1 : 0;
	quiet->count = count;
	return ++quiet->times >= QUIET_MAX || quiet->still >= STILL_MAX;
}

static int samples_take(struct assume *assume, const struct attempt *attempt,
			struct ucore_session *session, struct ucore_ring *ring,
			struct arrivals *arrivals)
{
	struct pollfd fd = { .fd = ucore_session_fd(session), .events = POLLIN };
	const struct ucore_record *record;
	struct quiet quiet = { 0 };
	int ret = 0;

	while (ret >= 0 && arrivals->samples < SAMPLES) {
		ret = ucore_ring_next(ring, &record);
		if (ret == 1 && record->type == UCORE_RECORD_SAMPLE)
			sample_judge(attempt, (const struct ucore_sample *)record, arrivals);
		ucore_ring_release(ring);
		if (!ret && assume->tool->sys->poll(&fd, 1, QUIET_MS) <= 0 &&
		    waits_in_vain(assume, session, &quiet))
			return 0;
	}
	return ret < 0 ? ret : 0;
}

/* Overflows that do not come while anybody looks */
static void others_arm(struct assume *assume, const struct ucore_box_info *box,
		       struct ucore_session *session)
{
	const struct ucore_box_info *boxes;
	char text[UCORE_SPEC_LEN];
	struct ucore_error err;
	size_t nr;

	(void)ucore_device_boxes(assume->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		/* whoever is refused one looks who has it, and then they are listed anew */
		boxes = ucore_device_boxes(assume->dev, &nr);
		if (boxes[i].domain == box->domain && boxes[i].box != box->box &&
		    assume_clock(assume, &boxes[i], NEVER, text, sizeof(text)))
			(void)ucore_session_add_list(session, text, &err);
	}
}

static int attempt_make(struct assume *assume, struct attempt *attempt,
			struct arrivals *arrivals)
{
	const struct ucore_session_config config = { .ring_size = RING_BYTES, .wakeup = 1 };
	struct ucore_error *err = &assume->tool->err;
	struct ucore_session *session;
	struct ucore_ring *ring = NULL;
	size_t nr;
	int ret = ucore_session_create(assume->dev, &config, &session, err);

	if (ret)
		return ret;
	ret = ucore_session_add_list(session, attempt->text, err);
	if (!ret) {
		attempt->event = ucore_session_slots(session, &nr)->event;
		if (attempt->others)
			others_arm(assume, attempt->box, session);
		ret = ucore_session_pmi_cpus(session, &attempt->cpu, 1, err);
	}
	if (!ret)
		ret = ucore_ring_open(session, attempt->box->domain, &ring, err);
	if (!ret)
		ret = ucore_session_start(session, err);
	if (!ret)
		ret = samples_take(assume, attempt, session, ring, arrivals);
	ucore_ring_close(ring);
	ucore_session_destroy(session);
	return ret;
}

/**
 * struct tally - what became of the attempts
 * @good: they arrived where they should
 * @late: nobody got them: the driver found the overflow itself
 * @other: CPUs of other cores did
 * @nameless: they were taken for another counter's
 * @none: nothing was to be seen
 * @refused: there could be none
 * @name: the first CPU of those that failed
 */
struct tally {
	unsigned int good, late, other, nameless, none, refused;
	unsigned int name;
};

static bool tally_failed(const struct tally *tally)
{
	return tally->late || tally->other || tally->nameless;
}

static void arrivals_judge(const struct arrivals *arrivals, unsigned int cpu,
			   struct tally *tally)
{
	bool first = !tally_failed(tally);

	if (!arrivals->samples) {
		tally->none++;
		return;
	}
	if (arrivals->elsewhere)
		tally->other++;
	else if (arrivals->recovered == arrivals->samples)
		tally->late++;
	else if (arrivals->nameless)
		tally->nameless++;
	else
		tally->good++;
	if (first && tally_failed(tally))
		tally->name = cpu;
}

static void interrupts_held(struct assume *assume, const struct ucore_box_info *box,
			    const struct tally *tally)
{
	unsigned int unknown = tally->none + tally->refused;

	if (!unknown)
		assume_say(assume, VERDICT_HELD, "interrupts",
			   "%s%u of die %u: each of %u CPUs got what was sent to it", box->type,
			   box->instance, box->die, tally->good);
	else
		assume_say(assume, VERDICT_HELD, "interrupts",
			   "%s%u of die %u: %u of %u CPUs got what was sent to them, %u could not be tried%s%s",
			   box->type, box->instance, box->die, tally->good, tally->good + unknown,
			   unknown, tally->refused ? ": " : "",
			   tally->refused ? assume->tool->err.text : "");
}

/*
 * Is each CPU told, and no other?  False: that cannot be seen with this box, perhaps with
 * another of its type; it is said only if there is none (@last).
 */
static bool box_interrupts(struct assume *assume, struct attempt *attempt, uint32_t reader,
			   bool last)
{
	const struct ucore_box_info *box = attempt->box;
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	struct tally tally = { 0 };

	for (uint32_t cpu = 0; cpu < nr && cpu < MAX_CPUS; cpu++) {
		struct arrivals arrivals = { 0 };

		if (cpu_place(cpu, "core_id") < 0 || !same_die(cpu, reader))
			continue;	/* offline, or of another die */
		attempt->cpu = cpu;
		if (attempt_make(assume, attempt, &arrivals))
			tally.refused++;
		else
			arrivals_judge(&arrivals, cpu, &tally);
	}
	if (tally_failed(&tally))
		assume_say(assume, VERDICT_FAILED, "interrupts",
			   "%s%u of die %u: %u CPUs got what was sent to them; to nobody %u, to another core %u, without a name %u; CPU %u first",
			   box->type, box->instance, box->die, tally.good, tally.late,
			   tally.other, tally.nameless, tally.name);
	else if (tally.good)
		interrupts_held(assume, box, &tally);
	else if (last)
		assume_say(assume, VERDICT_NOT_TRIED, "interrupts", "%s%u of die %u: %s", box->type,
			   box->instance, box->die,
			   tally.none ? "its clock made no sample" : assume->tool->err.text);
	return tally.good || tally_failed(&tally);
}

static bool same_type(const struct ucore_box_info *box, const struct ucore_box_info *other)
{
	return box->domain == other->domain && !strcmp(box->type, other->type);
}

/**
 * struct candidates - boxes whose overflows may interrupt
 * @box: the boxes, copies: the device's list is made anew meanwhile
 * @nr: how many
 * @answered: with this one it was seen what its type does
 */
struct candidates {
	struct ucore_box_info *box;
	size_t nr;
	bool *answered;
};

/* Has a box of its type on its die told all there is? */
static bool type_answered(const struct candidates *c, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (c->answered[j] && same_type(&c->box[j], &c->box[i]))
			return true;
	return false;
}

static bool last_of_type(const struct candidates *c, size_t i)
{
	for (size_t j = i + 1; j < c->nr; j++)
		if (same_type(&c->box[j], &c->box[i]))
			return false;
	return true;
}

/* Are overflows taken for what they are?  Only if its CPU could be told of any. */
static void box_status(struct assume *assume, struct attempt *attempt, uint32_t reader,
		       struct tally *tally)
{
	struct arrivals arrivals = { 0 };

	attempt->cpu = reader;
	attempt->others = true;
	if (!attempt_make(assume, attempt, &arrivals))
		arrivals_judge(&arrivals, reader, tally);
	attempt->others = false;
}

static void status_say(struct assume *assume, const struct tally *tally)
{
	if (tally_failed(tally))
		assume_say(assume, VERDICT_FAILED, "status",
			   "with all boxes armed, overflows of %u are told by their bits, of %u they are not",
			   tally->good, tally->late + tally->other + tally->nameless);
	else if (tally->good)
		assume_say(assume, VERDICT_HELD, "status",
			   "with all boxes armed, overflows of %u are told by their bits",
			   tally->good);
	else
		assume_say(assume, VERDICT_NOT_TRIED, "status", "nothing interrupts");
}

/* Those whose clock is known, and can interrupt */
static int candidates_find(struct assume *assume, struct candidates *c)
{
	const struct ucore_box_info *boxes;
	char text[UCORE_SPEC_LEN];
	size_t nr;

	boxes = ucore_device_boxes(assume->dev, &nr);
	c->box = calloc(nr ? nr : 1, sizeof(*c->box));
	c->answered = calloc(nr ? nr : 1, sizeof(*c->answered));
	if (!c->box || !c->answered)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_domain_info *domain =
			ucore_device_domain(assume->dev, boxes[i].domain);

		if (boxes[i].cpu < 0 && domain && domain->reader >= 0 &&
		    assume_clock(assume, &boxes[i], PERIOD, text, sizeof(text)))
			c->box[c->nr++] = boxes[i];
	}
	return 0;
}

static void candidates_try(struct assume *assume, struct candidates *c)
{
	struct tally status = { 0 };
	char text[UCORE_SPEC_LEN];

	for (size_t i = 0; i < c->nr; i++) {
		struct attempt attempt = { .box = &c->box[i], .text = text };
		uint32_t reader = (uint32_t)
			ucore_device_domain(assume->dev, c->box[i].domain)->reader;

		(void)assume_clock(assume, &c->box[i], PERIOD, text, sizeof(text));
		if (!type_answered(c, i))
			c->answered[i] = box_interrupts(assume, &attempt, reader,
							last_of_type(c, i));
		box_status(assume, &attempt, reader, &status);
	}
	status_say(assume, &status);
}

void assume_interrupts(struct assume *assume)
{
	struct candidates c = { 0 };
	int ret = candidates_find(assume, &c);

	if (ret)
		assume_say(assume, VERDICT_NOT_TRIED, "interrupts", "out of memory");
	else if (!c.nr)
		assume_say(assume, VERDICT_NOT_TRIED, "interrupts",
			   "no box whose clock is known can interrupt");
	else
		candidates_try(assume, &c);
	free(c.answered);
	free(c.box);
}
