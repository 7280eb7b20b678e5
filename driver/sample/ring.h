/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings of records. Part of the sample layer. The producer is the holder of the domain's lock.
 * The consumer is in user space and is not trusted.
 */
#ifndef UCORE_RING_H
#define UCORE_RING_H

#include <linux/bits.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "sample/memlock.h"
#include "ucore_uapi.h"

struct vm_area_struct;

/**
 * struct ucore_ring - records of a session on one domain
 * @consumer: page with the consumer's position, mapped writable into user space
 * @producer: page with the producer's position, mapped read-only into user space
 * @data: buffer of records, directly behind @producer
 * @size: size of @data (bytes), a power of two
 * @wakeup: number of unread bytes at which the consumer is woken
 * @head: position after the last published record (bytes since creation)
 * @next: position after the last reserved record (bytes since creation)
 * @seq: sequence number of the next record
 * @lost: total number of lost records: without room, or skipped by ucore_ring_skip()
 * @unreported: number of records without room since the last LOST record
 * @skipped: number of records skipped by ucore_ring_skip() since the last LOST record
 * @refs: reference count: one of the context, one of each mapping
 * @charge: charge of the ring's memory to a user
 *
 * All members except the consumer page belong to the producer.
 */
struct ucore_ring {
	struct ucore_ring_consumer *consumer;
	struct ucore_ring_producer *producer;
	u8 *data;
	u32 size;
	u32 wakeup;
	u64 head;
	u64 next;
	u64 seq;
	u64 lost;
	u64 unreported;
	u64 skipped;
	refcount_t refs;
	struct ucore_charge charge;
};

struct ucore_ring *ucore_ring_create(u32 size, u32 wakeup, struct user_struct *user);
struct ucore_ring *ucore_ring_get(struct ucore_ring *ring);
void ucore_ring_put(struct ucore_ring *ring);
int ucore_ring_mmap(struct ucore_ring *ring, struct vm_area_struct *vma, bool consumer);

void *ucore_ring_reserve(struct ucore_ring *ring, u32 type, u32 size, u64 now);
void ucore_ring_skip(struct ucore_ring *ring, u64 n);
bool ucore_ring_commit(struct ucore_ring *ring);
bool ucore_ring_readable(const struct ucore_ring *ring);

#endif /* UCORE_RING_H */
