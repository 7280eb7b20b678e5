// SPDX-License-Identifier: GPL-2.0-only
/* The records in the rings: samples, their order, losses, padding; and poll(). */
#include "ring.h"

#define MS		1000000ULL
/* imc/CAS_COUNT.RD/ counts about 10^7 per second on the emulated machine */
#define PERIOD		200000

static int session;
static uint32_t imc, domain;
static struct ring ring;
static struct audit audit;

/* Create a session with one event on imc0, sampled by a timer or by its own overflow */
static uint32_t begin(uint64_t timer_ns, uint32_t ring_size, uint32_t wakeup, uint64_t period)
{
	uint32_t event;

	imc = box_find("imc", 0);
	domain = box_get(imc).domain;
	session = session_create(timer_ns, ring_size, wakeup);
	event = add_cas_reads(session, imc, period);
	ring = ring_map(session, domain);
	audit = (struct audit) { .domain = domain, .nr_values = 1 };
	return event;
}

static const struct ucore_sample *next_sample(void)
{
	return ring_wait_sample(&ring, &audit);
}

/*
 * ---- Samples ------------------------------------------------------------
 */

static void overflow_samples_are_well_formed(const void *arg)
{
	uint32_t event = begin(0, 65536, 0, PERIOD);
	uint64_t count = 0, lost = 0, counted, periods;

	(void)arg;
	session_start(session);
	for (unsigned int i = 0; i < 20; i++) {
		const struct ucore_sample *s = next_sample();

		/* on a slow machine some samples may exceed the budget and are reported as lost */
		periods = 1 + audit.lost - lost;
		counted = s->values[0].count - count;
		expect_eq(s->trigger, UCORE_TRIGGER_OVERFLOW);
		expect_eq(s->trigger_event, event);
		expect_eq(s->values[0].event, event);
		expect_eq(s->values[0].flags, UCORE_VALUE_F_OVERFLOW);
		expect(s->flags & UCORE_SAMPLE_F_CONTEXT, "root sees no context");
		expect(counted >= periods * PERIOD && counted < periods * PERIOD + PERIOD / 10,
		       "sample %u after %llu counts and %llu periods", i,
		       (unsigned long long)counted, (unsigned long long)periods);
		count = s->values[0].count;
		lost = audit.lost;
		ring_release(&ring);
	}
	session_stop(session);
	audit_finish(&audit, &ring, session);
	expect(session_status(session).overflows >= 20, "STATUS reports %llu overflows",
	       (unsigned long long)session_status(session).overflows);
}

static void timer_samples_are_well_formed(const void *arg)
{
	uint64_t start, first;

	(void)arg;
	begin(2 * MS, 65536, 0, 0);
	start = now_ns();
	session_start(session);
	first = next_sample()->time;
	expect(first > start, "a sample before START");
	for (unsigned int i = 0; i < 20; i++) {
		const struct ucore_sample *s = next_sample();

		expect_eq(s->trigger, UCORE_TRIGGER_TIMER);
		expect_eq(s->trigger_event, UCORE_EVENT_NONE);
		expect_eq(s->values[0].flags, 0);
		expect(s->time_enabled > 0 && s->time_enabled <= s->time - start,
		       "enabled for %llu ns, started %llu ns ago",
		       (unsigned long long)s->time_enabled,
		       (unsigned long long)(s->time - start));
		ring_release(&ring);
	}
	/* an emulated CPU may be late, but the timer never runs fast */
	expect(audit.time - first >= 19 * 2 * MS, "20 periods of 2 ms in %llu ns",
	       (unsigned long long)(audit.time - first));
	session_stop(session);
	audit_finish(&audit, &ring, session);
}

static void sample_holds_all_values_of_the_domain(const void *arg)
{
	static const char *const types[] = { "cbo", "ha", "pcu", "qpi", "ubox", "r2pcie" };

	(void)arg;
	begin(0, 65536, 0, PERIOD);
	for (unsigned int i = 0; i < ARRAY_SIZE(types); i++)
		event_add(session, box_on_domain(types[i], 0, domain), TERMS(TERM(EVENT, 0x41)),
			  0, 0);
	audit.nr_values = 1 + ARRAY_SIZE(types);
	session_start(session);
	for (unsigned int i = 0; i < 5; i++) {
		const struct ucore_sample *s = next_sample();

		expect_eq(s->values[0].flags, UCORE_VALUE_F_OVERFLOW);
		for (unsigned int v = 1; v < s->nr_values; v++)
			expect_eq(s->values[v].flags, 0);
		ring_release(&ring);
	}
}

static void each_domain_has_its_ring(const void *arg)
{
	struct ucore_domain_info domains[MAX_DOMAINS];
	struct audit audits[2];
	struct ring rings[2];

	(void)arg;
	must(domains_get(domains) == 2, "the test needs two domains");
	session = session_create(2 * MS, 65536, 0);
	for (int d = 0; d < 2; d++) {
		for (int i = 0; i <= d; i++)
			add_cas_reads(session, box_on_domain("imc", i, domains[d].domain), 0);
		audits[d] = (struct audit) { .domain = domains[d].domain, .nr_values = 1 + d };
	}
	for (int d = 0; d < 2; d++)
		rings[d] = ring_map(session, domains[d].domain);
	session_start(session);
	for (int d = 0; d < 2; d++)
		wait_for(audit_ring(&audits[d], &rings[d]) && audits[d].samples > 10);
	session_stop(session);
	for (int d = 0; d < 2; d++)
		audit_ring(&audits[d], &rings[d]);
	expect_eq(session_status(session).samples, audits[0].samples + audits[1].samples +
		  ring_lost(&rings[0]) + ring_lost(&rings[1]));
}

static void stop_ends_sampling(const void *arg)
{
	uint64_t head;

	(void)arg;
	begin(1 * MS, 65536, 0, PERIOD);
	session_start(session);
	next_sample();
	session_stop(session);
	head = ring_head(&ring);
	usleep(20000);
	expect_eq(ring_head(&ring), head);
	/* sequence numbers continue after a new START */
	session_start(session);
	wait_for(ring_head(&ring) > head);
	session_stop(session);
	audit_finish(&audit, &ring, session);
}

static void reset_restarts_the_period(const void *arg)
{
	(void)arg;
	begin(0, 65536, 0, 50 * PERIOD);
	session_start(session);
	for (unsigned int i = 0; i < 4; i++) {
		usleep(5000);
		session_count(session);		/* READ adds the counts to the session's totals */
		expect_rc(try_reset(session), 0);
	}
	audit.counts_may_fall = true;
	expect(next_sample()->values[0].count < 51 * PERIOD, "the count was not reset");
	expect(audit.counts[0] >= 50 * PERIOD, "a sample after %llu counts",
	       (unsigned long long)audit.counts[0]);
}

/* The frozen time of a sample is missing in time_running of the next one */
static void frozen_time_adds_up(const void *arg)
{
	struct ucore_sample last = { };

	(void)arg;
	begin(0, 65536, 0, PERIOD);
	session_start(session);
	for (unsigned int i = 0; i < 30; i++) {
		const struct ucore_sample *s = next_sample();
		uint64_t paused = (s->time_enabled - last.time_enabled) -
				  (s->time_running - last.time_running);

		expect(last.flags & UCORE_SAMPLE_F_THROTTLED ? paused >= last.frozen_ns :
		       paused == last.frozen_ns,
		       "sample %u: frozen for %llu ns, not running for %llu", i,
		       (unsigned long long)last.frozen_ns, (unsigned long long)paused);
		last = *s;
		ring_release(&ring);
	}
}

/*
 * ---- Losses -------------------------------------------------------------
 */

static void lost_counts_add_up(const void *arg)
{
	(void)arg;
	begin(MS / 2, 4096, 0, 0);
	session_start(session);
	for (unsigned int round = 1; round <= 3; round++) {
		uint64_t lost = ring_lost(&ring);

		wait_for(ring_lost(&ring) > lost + 10);
		audit_ring(&audit, &ring);
		/* the next record that finds room comes with a LOST one */
		wait_for(audit_ring(&audit, &ring) && audit.losses >= round);
	}
	session_stop(session);
	expect(audit.lost > 30, "only %llu lost", (unsigned long long)audit.lost);
	audit_finish(&audit, &ring, session);
}

static void full_ring_is_not_overwritten(const void *arg)
{
	static char before[4096];
	uint64_t head, lost;

	(void)arg;
	begin(MS / 2, 4096, 0, 0);
	session_start(session);
	wait_for(ring_lost(&ring) > session_budget(session).dropped);
	head = ring_head(&ring);
	memcpy(before, ring.data, sizeof(before));
	lost = ring_lost(&ring);
	wait_for(ring_lost(&ring) > lost + 20);
	expect_eq(ring_head(&ring), head);
	expect(!memcmp(before, ring.data, sizeof(before)), "unread records were overwritten");
	expect(head <= 4096 && head > 4096 - 2 * 120 - 32, "a ring full with %llu bytes",
	       (unsigned long long)head);
	session_stop(session);
	audit_finish(&audit, &ring, session);
}

/* Add events on any boxes of the domain except imc0, which has one already */
static void add_more_events(unsigned int nr)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	unsigned int total = boxes_get(boxes);

	for (unsigned int i = 0; i < total; i++) {
		if (boxes[i].domain != domain || boxes[i].box == imc)
			continue;
		for (unsigned int c = 0; c < boxes[i].nr_counters && nr; c++, nr--)
			event_add(session, i, TERMS(TERM(EVENT, 0x41)), 0, 0);
	}
	must(!nr, "%u counters too few on domain %u", nr, domain);
}

/*
 * The smallest pad of 8 bytes is shorter than a record's header. 30 values make records of 584
 * bytes, of which 7 fill 4096 bytes except for 8.
 */
static void padding_fills_the_end_of_the_ring(const void *arg)
{
	static const unsigned int values[] = { 1, 2, 4, 30 };
	static const unsigned int pads[] = { 16, 16, 64, 8 };

	(void)arg;
	for (unsigned int i = 0; i < ARRAY_SIZE(values); i++) {
		const struct ucore_record *record;

		begin(MS / 2, 4096, 0, 0);
		add_more_events(values[i] - 1);
		audit.nr_values = values[i];
		session_start(session);
		while (audit.pads < 3) {
			wait_for((record = ring_next(&ring)));
			if (record->type == UCORE_RECORD_PAD && !audit.losses)
				expect_eq(record->size, pads[i]);
			audit_record(&audit, record);
			ring_release(&ring);
		}
		session_stop(session);
		audit_finish(&audit, &ring, session);
		ring_unmap(&ring);
		close(session);
	}
}

/* Two consumers of different speed: what one loses the other has */
static void lost_records_are_per_session(const void *arg)
{
	struct audit lazy_audit = { .nr_values = 1 };
	struct ring lazy_ring;
	int lazy;

	(void)arg;
	begin(MS, 1 << 20, 0, 0);
	lazy = session_create(MS, 4096, 0);
	add_cas_reads(lazy, box_on_domain("imc", 1, domain), 0);
	lazy_audit.domain = domain;
	lazy_ring = ring_map(lazy, domain);
	session_start(lazy);
	session_start(session);
	wait_for((audit_ring(&audit, &ring),
		  ring_lost(&lazy_ring) > 50 + session_budget(lazy).dropped));
	session_stop(session);
	session_stop(lazy);
	/* an emulated CPU may come late, and this process: the ring holds some seconds */
	expect_eq(ring_lost(&ring), session_budget(session).dropped);
	audit_finish(&audit, &ring, session);
	audit_finish(&lazy_audit, &lazy_ring, lazy);
}

/*
 * ---- poll ---------------------------------------------------------------
 */

static int poll_session(int timeout_ms)
{
	struct pollfd fd = { .fd = session, .events = POLLIN };

	must(poll(&fd, 1, timeout_ms) >= 0, "poll: %m");
	return fd.revents;
}

static void poll_wakes_at_every_record(const void *arg)
{
	(void)arg;
	begin(5 * MS, 65536, 0, 0);
	expect_eq(poll_session(0), 0);
	session_start(session);
	for (unsigned int i = 0; i < 5; i++) {
		expect_eq(poll_session(WAIT_SECONDS * 1000), POLLIN);
		expect(audit_ring(&audit, &ring) > 0, "poll woke for nothing");
	}
	session_stop(session);
	audit_ring(&audit, &ring);
	expect_eq(poll_session(0), 0);
}

static void poll_wakes_at_the_watermark(const void *arg)
{
	(void)arg;
	begin(MS, 16384, 2048, 0);
	session_start(session);
	for (unsigned int i = 0; i < 3; i++) {
		uint64_t unread;

		expect_eq(poll_session(WAIT_SECONDS * 1000), POLLIN);
		unread = ring_head(&ring) - ring.tail;
		expect(unread >= 2048, "poll woke with %llu bytes unread",
		       (unsigned long long)unread);
		audit_ring(&audit, &ring);
	}
	session_stop(session);
	/* below the mark: nothing */
	audit_ring(&audit, &ring);
	session_start(session);
	next_sample();
	session_stop(session);
	if (ring_head(&ring) - ring.consumer->tail < 2048)
		expect_eq(poll_session(0), 0);
	audit_finish(&audit, &ring, session);
}

/* Another record arrives if the host stops this process for longer than a period */
static void poll_sleeps_until_a_record(const void *arg)
{
	uint64_t before, due;
	int woken;

	(void)arg;
	begin(100 * MS, 65536, 0, 0);
	before = now_ns();
	session_start(session);
	expect_eq(poll_session(WAIT_SECONDS * 1000), POLLIN);
	expect(now_ns() - before > 30 * MS, "poll came back %llu ns after START",
	       (unsigned long long)(now_ns() - before));
	do {
		expect(audit_ring(&audit, &ring) > 0, "poll woke for nothing");
		due = (now_ns() - before) / (100 * MS);
		expect(audit.samples <= due, "%llu samples of %llu periods",
		       (unsigned long long)audit.samples, (unsigned long long)due);
		woken = poll_session(10);
	} while (woken && !failures);
	expect_eq(woken, 0);
}

static void poll_wakes_for_either_domain(const void *arg)
{
	struct ucore_domain_info domains[MAX_DOMAINS];

	(void)arg;
	must(domains_get(domains) == 2, "the test needs two domains");
	for (int d = 0; d < 2; d++) {
		session = session_create(5 * MS, 65536, 0);
		add_cas_reads(session, box_on_domain("imc", 0, domains[d].domain), 0);
		session_start(session);
		expect_eq(poll_session(WAIT_SECONDS * 1000), POLLIN);
		close(session);
	}
}

static const struct test tests[] = {
	{ "overflow_samples_are_well_formed", overflow_samples_are_well_formed, 0, 0 },
	{ "timer_samples_are_well_formed", timer_samples_are_well_formed, 0, 0 },
	{ "sample_holds_all_values_of_the_domain", sample_holds_all_values_of_the_domain, 0, 0 },
	{ "each_domain_has_its_ring", each_domain_has_its_ring, 0, 0 },
	{ "stop_ends_sampling", stop_ends_sampling, 0, 0 },
	{ "reset_restarts_the_period", reset_restarts_the_period, 0, 0 },
	{ "frozen_time_adds_up", frozen_time_adds_up, 0, 0 },
	{ "lost_counts_add_up", lost_counts_add_up, 0, 0 },
	{ "full_ring_is_not_overwritten", full_ring_is_not_overwritten, 0, 0 },
	{ "padding_fills_the_end_of_the_ring", padding_fills_the_end_of_the_ring, 0, 0 },
	{ "lost_records_are_per_session", lost_records_are_per_session, 0, 0 },
	{ "poll_wakes_at_every_record", poll_wakes_at_every_record, 0, 0 },
	{ "poll_wakes_at_the_watermark", poll_wakes_at_the_watermark, 0, 0 },
	{ "poll_sleeps_until_a_record", poll_sleeps_until_a_record, 0, 0 },
	{ "poll_wakes_for_either_domain", poll_wakes_for_either_domain, 0, 0 },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
