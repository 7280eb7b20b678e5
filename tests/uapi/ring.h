/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A mapped ring, and an audit of its records: sequence numbers, LOST records and PAD must add
 * up.
 */
#ifndef UAPI_RING_H
#define UAPI_RING_H

#include "session.h"
#include <poll.h>

struct ring {
	struct ucore_ring_consumer *consumer;
	const struct ucore_ring_producer *producer;
	const char *data;
	uint32_t size;
	uint64_t tail;
};

static inline int try_ring_info(int session, uint32_t domain, struct ucore_get_ring *info)
{
	*info = (struct ucore_get_ring) { .size = sizeof(*info), .domain = domain };
	return try_command(session, UCORE_GET_RING, info);
}

static inline struct ucore_get_ring ring_info(int session, uint32_t domain)
{
	struct ucore_get_ring info;
	int rc = try_ring_info(session, domain, &info);

	must(!rc, "GET_RING of domain %u: %s", domain, error_name(rc));
	return info;
}

static inline void *map_consumer(int session, const struct ucore_get_ring *info)
{
	return mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, session,
		    info->consumer);
}

static inline void *map_producer(int session, const struct ucore_get_ring *info)
{
	return mmap(NULL, page_size() + info->data_size, PROT_READ, MAP_SHARED, session,
		    info->producer);
}

static inline struct ring ring_map(int session, uint32_t domain)
{
	struct ucore_get_ring info = ring_info(session, domain);
	struct ring ring = { .size = info.data_size };

	ring.consumer = map_consumer(session, &info);
	must(ring.consumer != MAP_FAILED, "mmap of the consumer page: %m");
	ring.producer = map_producer(session, &info);
	must(ring.producer != MAP_FAILED, "mmap of the producer page: %m");
	ring.data = (const char *)ring.producer + page_size();
	return ring;
}

static inline void ring_unmap(struct ring *ring)
{
	munmap(ring->consumer, page_size());
	munmap((void *)ring->producer, page_size() + ring->size);
}

/* Return the head. This acquire pairs with the release after the kernel's write of a record */
static inline uint64_t ring_head(const struct ring *ring)
{
	return __atomic_load_n(&ring->producer->head, __ATOMIC_ACQUIRE);
}

static inline uint64_t ring_lost(const struct ring *ring)
{
	return __atomic_load_n(&ring->producer->lost, __ATOMIC_RELAXED);
}

/* Return the space of consumed records to the kernel */
static inline void ring_release(struct ring *ring)
{
	__atomic_store_n(&ring->consumer->tail, ring->tail, __ATOMIC_RELEASE);
}

/* Return the next record, PAD included; NULL: none. The record is valid until ring_release() */
static inline const struct ucore_record *ring_next(struct ring *ring)
{
	uint64_t head = ring_head(ring), at = ring->tail & (ring->size - 1);
	const struct ucore_record *record = (const void *)(ring->data + at);

	if (ring->tail == head)
		return NULL;
	must(head - ring->tail <= ring->size, "%llu bytes in a ring of %u",
	     (unsigned long long)(head - ring->tail), ring->size);
	must(record->size >= 8 && record->size % 8 == 0 && record->size <= head - ring->tail,
	     "a record of %u bytes, with %llu produced", record->size,
	     (unsigned long long)(head - ring->tail));
	must(at + record->size <= ring->size, "a record crosses the end of the ring");
	ring->tail += record->size;
	return record;
}

/*
 * ---- Audit --------------------------------------------------------------
 */

struct audit {
	uint32_t domain, nr_values;
	uint64_t next_seq;	/* sequence number of the next record */
	uint64_t samples, lost, pads, gaps, losses;
	uint64_t time, time_enabled, time_running, frozen_ns;
	uint64_t counts[MAX_EVENTS];
	bool counts_may_fall;	/* after a RESET */
};

static inline void audit_sample(struct audit *audit, const struct ucore_sample *s)
{
	must(s->nr_values == audit->nr_values, "a sample of %u values", s->nr_values);
	must(s->hdr.size == sizeof(*s) + s->nr_values * sizeof(s->values[0]),
	     "a sample of %u bytes", s->hdr.size);
	expect(s->domain == audit->domain, "domain %u in the ring of domain %u", s->domain,
	       audit->domain);
	/* equal times: two triggers while another session had frozen the domain */
	expect(s->time >= audit->time && s->time < now_ns(), "sample %llu: time %llu after %llu",
	       (unsigned long long)s->hdr.seq, (unsigned long long)s->time,
	       (unsigned long long)audit->time);
	expect(s->time_enabled >= audit->time_enabled, "time_enabled goes back");
	expect(s->time_running >= audit->time_running, "time_running goes back");
	expect(s->time_running <= s->time_enabled, "running longer than enabled");
	expect(s->frozen_ns > 0, "a sample that froze nothing");
	for (uint32_t i = 0; i < s->nr_values; i++) {
		expect(i == 0 || s->values[i].event > s->values[i - 1].event,
		       "values are not in the order of event ids");
		expect(s->values[i].count >= audit->counts[i] || audit->counts_may_fall,
		       "event %u goes back", s->values[i].event);
		expect(s->values[i].count == audit->counts[i] || s->time > audit->time,
		       "event %u has two counts at one instant", s->values[i].event);
		audit->counts[i] = s->values[i].count;
	}
	audit->counts_may_fall = false;
	audit->time = s->time;
	audit->time_enabled = s->time_enabled;
	audit->time_running = s->time_running;
	audit->frozen_ns += s->frozen_ns;
	audit->samples++;
}

static inline void audit_record(struct audit *audit, const struct ucore_record *record)
{
	uint64_t missing = 0;

	if (record->type == UCORE_RECORD_PAD) {
		audit->pads++;
		return;
	}
	must(record->size >= sizeof(*record), "record type %u of %u bytes", record->type,
	     record->size);
	switch (record->type) {
	case UCORE_RECORD_SAMPLE:
		audit_sample(audit, (const void *)record);
		break;
	case UCORE_RECORD_LOST:
		must(record->size == sizeof(struct ucore_lost), "LOST of %u bytes",
		     record->size);
		missing = ((const struct ucore_lost *)record)->lost;
		expect(missing > 0, "a LOST record of nothing");
		audit->losses++;
		break;
	case UCORE_RECORD_GAP:
		must(record->size == sizeof(struct ucore_gap), "GAP of %u bytes",
		     record->size);
		audit->gaps++;
		break;
	default:
		must(false, "record of type %u", record->type);
	}
	audit->lost += missing;
	must(record->seq == audit->next_seq + missing,
	     "record %llu (type %u) follows %llu with %llu lost between",
	     (unsigned long long)record->seq, record->type,
	     (unsigned long long)audit->next_seq - 1, (unsigned long long)missing);
	audit->next_seq = record->seq + 1;
}

/* Return the next sample. A LOST record may precede it, because an emulated CPU may be late */
static inline const struct ucore_sample *ring_wait_sample(struct ring *ring, struct audit *audit)
{
	const struct ucore_record *record;

	do {
		wait_for((record = ring_next(ring)));
		if (audit)
			audit_record(audit, record);
	} while (record->type == UCORE_RECORD_PAD || record->type == UCORE_RECORD_LOST);
	must(record->type == UCORE_RECORD_SAMPLE, "record of type %u", record->type);
	return (const void *)record;
}

/* Audit all unread records; return their number */
static inline unsigned int audit_ring(struct audit *audit, struct ring *ring)
{
	const struct ucore_record *record;
	unsigned int nr = 0;

	while ((record = ring_next(ring))) {
		audit_record(audit, record);
		nr++;
	}
	ring_release(ring);
	return nr;
}

/*
 * Audit a stopped session with one ring that is drained: nothing is missing, nothing is
 * duplicated
 */
static inline void audit_finish(struct audit *audit, struct ring *ring, int session)
{
	struct ucore_get_status status = session_status(session);

	audit_ring(audit, ring);
	expect_eq(status.samples, audit->samples + ring_lost(ring));
	expect_eq(status.lost, ring_lost(ring));
	/* losses at the very end have no LOST record */
	expect(audit->lost <= ring_lost(ring), "LOST records report %llu, the ring reports %llu",
	       (unsigned long long)audit->lost, (unsigned long long)ring_lost(ring));
	expect_eq(audit->next_seq, audit->samples + audit->gaps + audit->losses + audit->lost);
}

#endif
