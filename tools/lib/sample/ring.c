// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ring of one domain, consumer side: access to the records in the mapped memory.
 *
 *	kernel (producer)			this file (consumer)
 *
 *	write record				load head, acquire	A'
 *	store head, release	A		use record
 *	load tail, acquire	B		store tail, release	B'
 *	write where tail has passed
 *
 * A pairs with A': a consumer that reads the new head also sees the records before it.
 * B' pairs with B: the producer overwrites bytes only after reading a tail beyond them,
 * which the consumer stores after its last access.  The kernel does not trust the tail.  The
 * consumer checks head and records, so that a driver bug cannot cause accesses outside of
 * the mapping.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

struct ucore_ring {
	const struct ucore_sys *sys;
	uint32_t domain;
	size_t page;
	size_t data_size;
	struct ucore_ring_consumer *consumer;
	const struct ucore_ring_producer *producer;
	const unsigned char *data;
	uint64_t tail;		/* end of the record returned last (bytes since creation) */
	uint64_t head;		/* end of the driver's data as last read (bytes since creation) */
};

static int ring_map(struct ucore_ring *ring, int fd, const struct ucore_get_ring *info)
{
	void *map;

	map = ring->sys->mmap(ring->page, PROT_READ | PROT_WRITE, fd, info->consumer);
	if (map == MAP_FAILED)
		return -errno;
	ring->consumer = map;
	map = ring->sys->mmap(ring->page + ring->data_size, PROT_READ, fd, info->producer);
	if (map == MAP_FAILED) {
		int ret = -errno;

		ring->sys->munmap(ring->consumer, ring->page);
		return ret;
	}
	ring->producer = map;
	ring->data = (const unsigned char *)map + ring->page;
	return 0;
}

/* Write the name of a domain for error texts, also if the domain id does not exist */
static void domain_text(const struct ucore_device *dev, uint32_t id, char *text, size_t size)
{
	const struct ucore_domain_info *domain = ucore_device_domain(dev, id);

	if (domain)
		ucore_domain_name(domain->die, domain->cpu, text, size);
	else
		snprintf(text, size, "domain %u", id);
}

int ucore_ring_open(struct ucore_session *session, uint32_t domain, struct ucore_ring **out,
		    struct ucore_error *err)
{
	const struct ucore_sys *sys = session->dev->sys;
	UCORE_ARG(ucore_get_ring, info, .domain = domain);
	char name[UCORE_DOMAIN_NAME_LEN];
	struct ucore_ring *ring;
	int ret;

	domain_text(session->dev, domain, name, sizeof(name));
	ret = ucore_device_ioctl(session->dev, session->fd, UCORE_GET_RING, &info);
	if (ret == -ENOBUFS)
		return ucore_session_memory_error(session, ret, err);
	if (ret)
		return ucore_error_set(err, ret, "ring of %s: %s", name, ret == -ENOENT ?
				       "the session has no events in this domain, or no rings" :
				       strerror(-ret));
	if (!info.data_size || info.data_size & (info.data_size - 1))
		return ucore_error_set(err, -EPROTO,
				       "ring of %s: the driver reports an invalid size (%u bytes)",
				       name, info.data_size);
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	ring->sys = sys;
	ring->domain = domain;
	ring->page = (size_t)sysconf(_SC_PAGESIZE);
	ring->data_size = info.data_size;
	ret = ring_map(ring, session->fd, &info);
	if (ret) {
		free(ring);
		return ucore_error_set(err, ret, "ring of %s: cannot map %u bytes: %s", name,
				       info.data_size, strerror(-ret));
	}
	ring->tail = ring->consumer->tail;
	ring->head = ring->tail;
	*out = ring;
	return 0;
}

void ucore_ring_close(struct ucore_ring *ring)
{
	if (!ring)
		return;
	ring->sys->munmap((void *)ring->producer, ring->page + ring->data_size);
	ring->sys->munmap(ring->consumer, ring->page);
	free(ring);
}

uint32_t ucore_ring_domain(const struct ucore_ring *ring)
{
	return ring->domain;
}

/* Skip all data that the driver has written (up to @head), because the content is invalid */
static int ring_skip(struct ucore_ring *ring)
{
	ring->tail = ring->head;
	return -EBADMSG;
}

int ucore_ring_next(struct ucore_ring *ring, const struct ucore_record **record)
{
	for (;;) {
		size_t offset, avail;
		int size;

		if (ring->tail == ring->head)	/* A' */
			ring->head = __atomic_load_n(&ring->producer->head, __ATOMIC_ACQUIRE);
		if (ring->tail == ring->head)
			return 0;
		if (ring->head - ring->tail > ring->data_size || (ring->head | ring->tail) % 8)
			return ring_skip(ring);

		offset = ring->tail & (ring->data_size - 1);
		avail = ring->head - ring->tail;
		if (avail > ring->data_size - offset)
			avail = ring->data_size - offset;
		size = ucore_record_check(ring->data + offset, avail);
		if (size < 0)
			return ring_skip(ring);
		ring->tail += (unsigned int)size;
		*record = (const struct ucore_record *)(ring->data + offset);
		if ((*record)->type != UCORE_RECORD_PAD)
			return 1;
	}
}

void ucore_ring_release(struct ucore_ring *ring)
{
	__atomic_store_n(&ring->consumer->tail, ring->tail, __ATOMIC_RELEASE);	/* B' */
}

uint64_t ucore_ring_lost(const struct ucore_ring *ring)
{
	return __atomic_load_n(&ring->producer->lost, __ATOMIC_RELAXED);
}
