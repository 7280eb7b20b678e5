// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks of `ucoretool verify` that generate activity and compare it with the counters: memory
 * accesses, and overflows that interrupt one CPU after the other.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "verify/boxes.h"

/* ---- check of memory accesses ------------------------------------------ */

#define LINE_BYTES	64
#define LINES		50000	/* number of cache lines that the check accesses */
#define LINES_AT_ONCE	500	/* number of cache lines between two pauses of 1 ms */
#define LINES_PER_SECOND 1e9	/* upper limit for a channel: 64 GB/s, more than DDR5 has */

/*
 * Read, modify and flush each cache line of @buffer, which causes one memory read and one memory
 * write per line.  Other memory traffic adds counts, but the check tests a lower limit.
 * UNCERTAIN(cas): meaning of CAS_COUNT.
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
 * struct traffic - memory traffic that the memory controllers counted
 * @reads: number of cache lines read
 * @writes: number of cache lines written
 * @most: maximum number of cache lines that all channels can transfer in the measured time
 */
struct traffic {
	uint64_t reads, writes, most;
};

/* List of events that count cache lines read and written */
struct line_events {
	const char *events;
	uint32_t first_write;		/* index of the first event that counts writes */
	uint32_t channels;		/* maximum number of channels that one box counts */
	uint32_t except;		/* CPU model on which these events count nothing, 0: none */
};

/* Westmere with graphics, whose memory controller is on another die */
#define MODEL_CLARKDALE	0x25

/* Per channel or half channel, per controller of client processors, per package of Nehalem */
static const struct line_events line_events[] = {
	{ "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/", 1, 1 },
	{ "imc/CAS_COUNT_SCH0.RD/,imc/CAS_COUNT_SCH1.RD/,imc/CAS_COUNT_SCH0.WR/,imc/CAS_COUNT_SCH1.WR/",
	  2, 1 },
	{ "imc_free/READ_FREERUN/,imc_free/WRITE_FREERUN/", 1, 2 },
	{ "imc_free/RDCAS_COUNT_FREERUN/,imc_free/WRCAS_COUNT_FREERUN/", 1, 2 },
	{ "uncore/QMC_NORMAL_READS.ANY/,uncore/QMC_WRITES.FULL_ANY/", 1, 3, MODEL_CLARKDALE },
};

/*
 * Add the first possible list of line_events to the session, and store it in @list; @err explains
 * the error of the first one
 */
static int lines_add(struct ucore_session *session, uint32_t model,
		     const struct line_events **list, struct ucore_error *err)
{
	struct ucore_error other;
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(line_events); i++) {
		*list = &line_events[i];
		if (line_events[i].except && line_events[i].except == model)
			continue;
		ret = ucore_session_add_list(session, line_events[i].events, i ? &other : err);
		if (!ret)
			return 0;
	}
	return ret;
}

static int memory_count(struct verify *verify, unsigned char *buffer, struct traffic *traffic)
{
	const struct line_events *list;
	struct ucore_error *err = &verify->tool->err;
	struct ucore_session *session;
	const struct ucore_slot *slots;
	struct ucore_snapshot snap;
	size_t nr;
	int ret = ucore_session_create(verify->dev, NULL, &session, err);

	if (ret)
		return ret;
	ret = lines_add(session, ucore_device_info(verify->dev)->model, &list, err);
	if (!ret)
		ret = ucore_session_start(session, err);
	if (!ret) {
		touch(buffer);
		ret = ucore_session_read(session, 0, &snap, err);
	}
	slots = ucore_session_slots(session, &nr);
	for (size_t i = 0; !ret && i < nr; i++)
		*(slots[i].index < list->first_write ? &traffic->reads : &traffic->writes) +=
			snap.values[i].count;
	/* nr / 2 is the number of boxes (or half channels), each of which has a read event */
	if (!ret && snap.nr_domains)
		traffic->most = (uint64_t)((double)snap.domains[0].time_enabled / 1e9 *
					   LINES_PER_SECOND) * (nr / 2) * list->channels;
	ucore_session_destroy(session);
	return ret;
}

static bool traffic_fits(uint64_t count, uint64_t most)
{
	return count >= LINES && count <= most;
}

void verify_memory(struct verify *verify)
{
	unsigned char *buffer = calloc(LINES, LINE_BYTES);
	struct traffic traffic = { 0 };
	int ret = buffer ? memory_count(verify, buffer, &traffic) : -ENOMEM;
	bool held = traffic_fits(traffic.reads, traffic.most) &&
		    traffic_fits(traffic.writes, traffic.most);

	free(buffer);
	if (ret == -ENOMEM)
		verify_report(verify, VERDICT_NOT_TESTED, "memory", "out of memory");
	else if (ret)
		verify_report(verify, VERDICT_NOT_TESTED, "memory", "%s", verify->tool->err.text);
	else
		verify_report(verify, held ? VERDICT_PASSED : VERDICT_FAILED, "memory",
			      "%u lines were read and written; memory controllers counted %llu reads and %llu writes (limit %llu)",
			      LINES, (unsigned long long)traffic.reads,
			      (unsigned long long)traffic.writes, (unsigned long long)traffic.most);
}

/* ---- check of overflow interrupts -------------------------------------- */

#define RING_BYTES	(64U << 10)
#define PERIOD		1000000		/* clocks between two overflows, about 1 ms */
#define NEVER (UINT64_C(1) << 42) /* period (clocks) of boxes that must not overflow: 30 min */
#define SAMPLES		2
#define QUIET_MS	100	/* length of one wait, 5 times the driver's wait for a PMI */
#define QUIET_MAX	100	/* maximum number of waits if the clock counts */
#define STILL_MAX 3 /* maximum number of waits if the clock stands still (link in low power) */
#define MAX_CPUS	4096

/* Read a number from a file in a CPU's topology folder in sysfs; -1 on failure */
static long cpu_topology(unsigned int cpu, const char *name)
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
	return cpu_topology(cpu, name) == cpu_topology(other, name);
}

static bool same_die(unsigned int cpu, unsigned int other)
{
	return same(cpu, other, "physical_package_id") && same(cpu, other, "die_id");
}

/**
 * struct arrivals - samples of one attempt, by the way in which they arrived
 * @samples: number of samples
 * @recovered: number of samples without a PMI, recovered by the driver's watchdog
 * @elsewhere: number of samples whose PMI arrived on another core
 * @unidentified: number of samples whose status bits did not identify the overflow
 */
struct arrivals {
	unsigned int samples;
	unsigned int recovered;
	unsigned int elsewhere;
	unsigned int unidentified;
};

/**
 * struct attempt - test in which the clock of one box overflows and one CPU takes the PMI
 * @box: box whose clock overflows
 * @text: clock event of the box with a period
 * @cpu: CPU that takes the PMI
 * @event: event id of the clock event
 * @others: true: arm all other boxes of the die, too, so that the driver would assign a wrong
 *          status bit to another box
 */
struct attempt {
	const struct ucore_box_info *box;
	const char *text;
	uint32_t cpu;
	uint32_t event;
	bool others;
};

/**
 * struct quiet - waits for a sample in which no sample arrived
 * @times: number of such waits
 * @still: number of consecutive waits in which the clock did not count
 * @count: count at the end of the last wait
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
		arrivals->unidentified++;
}

/*
 * Return true if the check gives up after a wait without a sample.  The function makes a READ
 * without freeze: the driver then detects a missed overflow, but does not service it.
 */
static bool wait_is_over(struct verify *verify, struct ucore_session *session,
			 struct quiet *quiet)
{
	struct ucore_snapshot snap;
	uint64_t count = 0;

	if (ucore_session_read(session, UCORE_READ_F_NO_FREEZE, &snap, &verify->tool->err))
		return true;
	for (size_t i = 0; i < snap.nr_values; i++)
		count += snap.values[i].count;
	quiet->still = count == quiet->count ? quiet->still + 1 : 0;
	quiet->count = count;
	return ++quiet->times >= QUIET_MAX || quiet->still >= STILL_MAX;
}

static int samples_take(struct verify *verify, const struct attempt *attempt,
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
		if (!ret && verify->tool->sys->poll(&fd, 1, QUIET_MS) <= 0 &&
		    wait_is_over(verify, session, &quiet))
			return 0;
	}
	return ret < 0 ? ret : 0;
}

/* Arm the clocks of all other boxes of the die with the period NEVER, so that none overflows */
static void others_arm(struct verify *verify, const struct ucore_box_info *box,
		       struct ucore_session *session)
{
	const struct ucore_box_info *boxes;
	char text[UCORE_SPEC_LEN];
	struct ucore_error err;
	size_t nr;

	(void)ucore_device_boxes(verify->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		/* ucore_session_add_list() may reload the list of boxes */
		boxes = ucore_device_boxes(verify->dev, &nr);
		if (boxes[i].domain == box->domain && boxes[i].box != box->box &&
		    verify_clock_event(verify, &boxes[i], NEVER, text, sizeof(text)))
			(void)ucore_session_add_list(session, text, &err);
	}
}

static int attempt_make(struct verify *verify, struct attempt *attempt,
			struct arrivals *arrivals)
{
	const struct ucore_session_config config = { .ring_size = RING_BYTES, .wakeup = 1 };
	struct ucore_error *err = &verify->tool->err;
	struct ucore_session *session;
	struct ucore_ring *ring = NULL;
	size_t nr;
	int ret = ucore_session_create(verify->dev, &config, &session, err);

	if (ret)
		return ret;
	ret = ucore_session_add_list(session, attempt->text, err);
	if (!ret) {
		attempt->event = ucore_session_slots(session, &nr)->event;
		if (attempt->others)
			others_arm(verify, attempt->box, session);
		ret = ucore_session_pmi_cpus(session, &attempt->cpu, 1, err);
	}
	if (!ret)
		ret = ucore_ring_open(session, attempt->box->domain, &ring, err);
	if (!ret)
		ret = ucore_session_start(session, err);
	if (!ret)
		ret = samples_take(verify, attempt, session, ring, arrivals);
	ucore_ring_close(ring);
	ucore_session_destroy(session);
	return ret;
}

/**
 * struct tally - number of attempts with each result
 * @good: attempts whose PMIs arrived on the chosen core
 * @late: attempts without a PMI, whose overflows the driver recovered
 * @other: attempts whose PMIs arrived on another core
 * @unidentified: attempts whose overflows the driver assigned to another counter
 * @none: attempts without a sample
 * @refused: attempts that the driver refused
 * @first_failed: first CPU with a failed attempt
 */
struct tally {
	unsigned int good, late, other, unidentified, none, refused;
	unsigned int first_failed;
};

static bool tally_failed(const struct tally *tally)
{
	return tally->late || tally->other || tally->unidentified;
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
	else if (arrivals->unidentified)
		tally->unidentified++;
	else
		tally->good++;
	if (first && tally_failed(tally))
		tally->first_failed = cpu;
}

static void interrupts_passed(struct verify *verify, const struct ucore_box_info *box,
			      const struct tally *tally)
{
	unsigned int unknown = tally->none + tally->refused;

	if (!unknown)
		verify_report(verify, VERDICT_PASSED, "interrupts",
			      "%s%u of die %u: each of %u CPUs received its interrupts", box->type,
			      box->instance, box->die, tally->good);
	else
		verify_report(verify, VERDICT_PASSED, "interrupts",
			      "%s%u of die %u: %u of %u CPUs got interrupts, %u not tested%s%s",
			      box->type, box->instance, box->die, tally->good,
			      tally->good + unknown, unknown, tally->refused ? ": " : "",
			      tally->refused ? verify->tool->err.text : "");
}

/*
 * Check that the PMIs of @attempt's box arrive on each CPU of the die.  Return false if the box
 * gives no result; the missing result is reported only if the box is the last of its type (@last).
 */
static bool box_interrupts(struct verify *verify, struct attempt *attempt, uint32_t reader,
			   bool last)
{
	const struct ucore_box_info *box = attempt->box;
	long nr = sysconf(_SC_NPROCESSORS_CONF);
	struct tally tally = { 0 };

	for (uint32_t cpu = 0; cpu < nr && cpu < MAX_CPUS; cpu++) {
		struct arrivals arrivals = { 0 };

		if (cpu_topology(cpu, "core_id") < 0 || !same_die(cpu, reader))
			continue;	/* @cpu is offline or belongs to another die */
		attempt->cpu = cpu;
		if (attempt_make(verify, attempt, &arrivals))
			tally.refused++;
		else
			arrivals_judge(&arrivals, cpu, &tally);
	}
	if (tally_failed(&tally))
		verify_report(verify, VERDICT_FAILED, "interrupts",
			      "%s%u of die %u: %u CPUs received their interrupts, %u received nothing, %u went to another core, %u were not identified by their status bits; first failure: CPU %u",
			      box->type, box->instance, box->die, tally.good, tally.late,
			      tally.other, tally.unidentified, tally.first_failed);
	else if (tally.good)
		interrupts_passed(verify, box, &tally);
	else if (last)
		verify_report(verify, VERDICT_NOT_TESTED, "interrupts", "%s%u of die %u: %s",
			      box->type, box->instance, box->die,
			      tally.none ? "no overflow of the clock event"
					 : verify->tool->err.text);
	return tally.good || tally_failed(&tally);
}

static bool same_type(const struct ucore_box_info *box, const struct ucore_box_info *other)
{
	return box->domain == other->domain && !strcmp(box->type, other->type);
}

/**
 * struct candidates - boxes with a known clock event and an overflow interrupt
 * @box: copies of the boxes, because the library may reload its list of boxes during the checks
 * @nr: number of boxes
 * @answered: for each box, true if its check gave a result
 */
struct candidates {
	struct ucore_box_info *box;
	size_t nr;
	bool *answered;
};

/* Return true if the check of an earlier box of the same type and die gave a result */
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

/* Check that status bits identify the box that overflowed while all boxes of the die are armed */
static void box_status(struct verify *verify, struct attempt *attempt, uint32_t reader,
		       struct tally *tally)
{
	struct arrivals arrivals = { 0 };

	attempt->cpu = reader;
	attempt->others = true;
	if (!attempt_make(verify, attempt, &arrivals))
		arrivals_judge(&arrivals, reader, tally);
	attempt->others = false;
}

static void status_report(struct verify *verify, const struct tally *tally)
{
	if (tally_failed(tally))
		verify_report(verify, VERDICT_FAILED, "status",
			      "with all boxes armed, the status bits identify the overflows of %u boxes, but not of %u boxes",
			      tally->good, tally->late + tally->other + tally->unidentified);
	else if (tally->good)
		verify_report(verify, VERDICT_PASSED, "status",
			      "with all boxes armed, the status bits identify the overflows of %u boxes",
			      tally->good);
	else
		verify_report(verify, VERDICT_NOT_TESTED, "status", "no box interrupted");
}

/* Find the boxes with a known clock event and an overflow interrupt; return 0 or -ENOMEM */
static int candidates_find(struct verify *verify, struct candidates *c)
{
	const struct ucore_box_info *boxes;
	char text[UCORE_SPEC_LEN];
	size_t nr;

	boxes = ucore_device_boxes(verify->dev, &nr);
	c->box = calloc(nr ? nr : 1, sizeof(*c->box));
	c->answered = calloc(nr ? nr : 1, sizeof(*c->answered));
	if (!c->box || !c->answered)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const struct ucore_domain_info *domain =
			ucore_device_domain(verify->dev, boxes[i].domain);

		if (boxes[i].cpu < 0 && domain && domain->reader >= 0 &&
		    verify_clock_event(verify, &boxes[i], PERIOD, text, sizeof(text)))
			c->box[c->nr++] = boxes[i];
	}
	return 0;
}

static void candidates_try(struct verify *verify, struct candidates *c)
{
	struct tally status = { 0 };
	char text[UCORE_SPEC_LEN];

	for (size_t i = 0; i < c->nr; i++) {
		struct attempt attempt = { .box = &c->box[i], .text = text };
		uint32_t reader = (uint32_t)
			ucore_device_domain(verify->dev, c->box[i].domain)->reader;

		(void)verify_clock_event(verify, &c->box[i], PERIOD, text, sizeof(text));
		if (!type_answered(c, i))
			c->answered[i] = box_interrupts(verify, &attempt, reader,
							last_of_type(c, i));
		box_status(verify, &attempt, reader, &status);
	}
	status_report(verify, &status);
}

void verify_interrupts(struct verify *verify)
{
	struct candidates c = { 0 };
	int ret = candidates_find(verify, &c);

	if (ret)
		verify_report(verify, VERDICT_NOT_TESTED, "interrupts", "out of memory");
	else if (!c.nr)
		verify_report(verify, VERDICT_NOT_TESTED, "interrupts",
			      "no box has a known clock event and an overflow interrupt");
	else
		candidates_try(verify, &c);
	free(c.answered);
	free(c.box);
}
