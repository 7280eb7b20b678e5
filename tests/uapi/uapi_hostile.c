// SPDX-License-Identifier: GPL-2.0-only
/*
 * A consumer that writes a wrong tail affects only its own ring. The kernel continues, and the
 * ring of a second session is intact. The first ring works again once its tail is valid.
 */
#include "ring.h"
#include <pthread.h>
#include <stdatomic.h>

#define MS		1000000ULL
#define RING_SIZE	4096

static uint32_t domain;

struct party {
	int session;
	struct ring ring;
	struct audit audit;
};

static void party_begin(struct party *party, unsigned int imc, uint64_t timer_ns,
			uint64_t period, uint32_t ring_size)
{
	uint32_t box = box_on_domain("imc", imc, domain);

	party->session = session_create(timer_ns, ring_size, 0);
	add_cas_reads(party->session, box, period);
	party->ring = ring_map(party->session, domain);
	party->audit = (struct audit) { .domain = domain, .nr_values = 1 };
	session_start(party->session);
}

static void begin(struct party *liar, struct party *honest)
{
	domain = box_get(box_find("imc", 0)).domain;
	party_begin(liar, 0, MS / 2, 0, RING_SIZE);
	/* the test reads this ring in the end only; it has space for 17 s */
	party_begin(honest, 1, MS, 0, 1 << 21);
}

static void set_tail(struct party *party, uint64_t tail)
{
	__atomic_store_n(&party->ring.consumer->tail, tail, __ATOMIC_RELEASE);
}

static uint64_t samples(const struct party *party)
{
	return session_status(party->session).samples;
}

static void let_it_sample(const struct party *party, unsigned int nr)
{
	uint64_t until = samples(party) + nr;

	wait_for(samples(party) >= until);
}

/* The ring works again: records come, and their numbers are plausible */
static void expect_recovery(struct party *liar)
{
	const struct ucore_record *record;
	uint64_t seq = 0;

	liar->ring.tail = ring_head(&liar->ring);
	set_tail(liar, liar->ring.tail);
	for (unsigned int i = 0; i < 10; i++) {
		wait_for((record = ring_next(&liar->ring)));
		set_tail(liar, liar->ring.tail);
		if (record->type == UCORE_RECORD_PAD)
			continue;
		expect(record->type == UCORE_RECORD_SAMPLE || record->type == UCORE_RECORD_LOST,
		       "record of type %u", record->type);
		expect(record->seq > seq || !seq, "number %llu after %llu",
		       (unsigned long long)record->seq, (unsigned long long)seq);
		seq = record->seq;
	}
}

static void expect_intact(struct party *honest)
{
	audit_ring(&honest->audit, &honest->ring);
	session_stop(honest->session);
	expect_eq(ring_lost(&honest->ring), session_budget(honest->session).dropped);
	audit_finish(&honest->audit, &honest->ring, honest->session);
	expect(honest->audit.samples > 0, "the honest session has no samples");
}

/* The driver treats an invalid tail as a full ring */
static void senseless_tail(struct party *liar, uint64_t offset_from_head, const char *what)
{
	uint64_t head, lost;

	let_it_sample(liar, 2);
	/* the head may move until the kernel sees the tail */
	set_tail(liar, ring_head(&liar->ring) + offset_from_head);
	let_it_sample(liar, 2);
	head = ring_head(&liar->ring);
	set_tail(liar, head + offset_from_head);
	lost = ring_lost(&liar->ring);
	let_it_sample(liar, 5);
	if (ring_head(&liar->ring) != head)
		fail("%s: the kernel produced %llu bytes", what,
		     (unsigned long long)(ring_head(&liar->ring) - head));
	/* a sample is counted before it is counted as lost */
	wait_for(ring_lost(&liar->ring) >= lost + 4);
	expect_recovery(liar);
}

static void invalid_tails_are_survived(const void *arg)
{
	struct party liar, honest;

	(void)arg;
	begin(&liar, &honest);
	senseless_tail(&liar, 8 * RING_SIZE, "far ahead");
	senseless_tail(&liar, 1ULL << 63, "half the world ahead");
	senseless_tail(&liar, RING_SIZE, "a ring ahead");
	senseless_tail(&liar, 0x10000000000ULL, "2^40 ahead");
	senseless_tail(&liar, -2ULL * RING_SIZE, "a ring too far behind");
	senseless_tail(&liar, -(1ULL << 62), "2^62 behind");
	expect_intact(&honest);
}

static void absolute_tails_are_survived(const void *arg)
{
	static const uint64_t tails[] = {
		UINT64_MAX, UINT64_MAX - 7, 1ULL << 63, 0, 1, 7, RING_SIZE - 1, 0xdeadbeef,
	};
	struct party liar, honest;

	(void)arg;
	begin(&liar, &honest);
	for (unsigned int i = 0; i < ARRAY_SIZE(tails); i++) {
		set_tail(&liar, tails[i]);
		let_it_sample(&liar, 10);
		expect_recovery(&liar);
	}
	expect_intact(&honest);
}

/* Tails in the unread part that are between records, or unaligned */
static void tails_between_records_are_survived(const void *arg)
{
	struct party liar, honest;

	(void)arg;
	begin(&liar, &honest);
	for (unsigned int i = 1; i < 100; i++) {
		set_tail(&liar, ring_head(&liar.ring) - i);
		let_it_sample(&liar, 1);
	}
	expect_recovery(&liar);
	expect_intact(&honest);
}

/*
 * ---- Random writes to the ring while the kernel samples ------------------
 */

struct scribbler {
	struct party *liar;
	atomic_bool stop;
	atomic_ulong stores;
};

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t hostile_tail(const struct ring *ring, uint64_t *state)
{
	uint64_t r = random_next(state), head = ring_head(ring);

	switch (r % 6) {
	case 0:
		return head;
	case 1:
		return head - r % RING_SIZE;
	case 2:
		return head + r % RING_SIZE;
	case 3:
		return head - (r % 64) * 8;
	case 4:
		return -(r % RING_SIZE);
	default:
		return r;
	}
}

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	uint64_t state = 0x9e3779b97f4a7c15ULL;

	while (!s->stop) {
		set_tail(s->liar, hostile_tail(&s->liar->ring, &state));
		s->stores++;
	}
	return NULL;
}

static void scribble_beside(struct party *liar, struct party *honest)
{
	struct scribbler scribbler = { .liar = liar };
	pthread_t thread;

	must(!pthread_create(&thread, NULL, scribble, &scribbler), "pthread_create");
	for (unsigned int i = 0; i < 20; i++) {
		let_it_sample(liar, 10);
		audit_ring(&honest->audit, &honest->ring);
	}
	/* the other session continues to sample during the random writes */
	wait_for(scribbler.stores > 1000);
	scribbler.stop = true;
	pthread_join(thread, NULL);
	expect_recovery(liar);
	expect_intact(honest);
}

static void random_ring_writes_with_timer_are_survived(const void *arg)
{
	struct party liar, honest;

	(void)arg;
	begin(&liar, &honest);
	scribble_beside(&liar, &honest);
}

static void random_ring_writes_with_overflow_are_survived(const void *arg)
{
	struct party liar, honest;

	(void)arg;
	domain = box_get(box_find("imc", 0)).domain;
	party_begin(&liar, 0, 0, 50000, RING_SIZE);
	party_begin(&honest, 1, 0, 200000, 1 << 20);
	scribble_beside(&liar, &honest);
}

/* The kernel does not read its own position back from the mapped page */
static void session_with_bad_tail_closes_during_overflows(const void *arg)
{
	struct party liar, honest;
	struct scribbler scribbler = { .liar = &liar };
	pthread_t thread;

	(void)arg;
	begin(&liar, &honest);
	must(!pthread_create(&thread, NULL, scribble, &scribbler), "pthread_create");
	for (unsigned int i = 0; i < 20; i++) {
		let_it_sample(&liar, 2);
		session_stop(liar.session);
		expect_rc(try_reset(liar.session), 0);
		session_start(liar.session);
	}
	close(liar.session);
	let_it_sample(&honest, 5);
	scribbler.stop = true;
	pthread_join(thread, NULL);
	expect_intact(&honest);
}

static const struct test tests[] = {
	{ "invalid_tails_are_survived", invalid_tails_are_survived, 0, 0 },
	{ "absolute_tails_are_survived", absolute_tails_are_survived, 0, 0 },
	{ "tails_between_records_are_survived", tails_between_records_are_survived, 0, 0 },
	{ "random_ring_writes_with_timer_are_survived", random_ring_writes_with_timer_are_survived,
	  0, 0 },
	{ "random_ring_writes_with_overflow_are_survived",
	  random_ring_writes_with_overflow_are_survived, 0, 0 },
	{ "session_with_bad_tail_closes_during_overflows",
	  session_with_bad_tail_closes_during_overflows, 0, 0 },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
