// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of records, shared with user space.
 *
 *	kernel (producer)			user space (consumer)
 *
 *	LOAD consumer->tail	(B)		LOAD producer->head	(A')
 *	   room?				   anything new?
 *	STORE data				LOAD data
 *	STORE producer->head	(A)		STORE consumer->tail	(B')
 *
 * A is a release that pairs with the acquire A': data before head.  B is an
 * acquire that pairs with the release B': data is read before it is given up.
 *
 * The producer keeps its own position and never reads back what it published;
 * the one thing it takes from user space is @tail, which only ever bounds how
 * much room there is: nonsense there reads as no room.  Producer side: under
 * the domain's lock, any context but NMI.  Must not know what a record means.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "sample/ring.h"

/**
 * ucore_ring_create() - a new, empty ring
 * @size: bytes of data, a power of two, at least a page
 * @wakeup: unread bytes that wake the consumer, 0: any
 *
 * Return: NULL if memory is short.
 */
struct ucore_ring *ucore_ring_create(u32 size, u32 wakeup)
{
	struct ucore_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	void *mem;

	if (!ring)
		return NULL;
	/* consumer page, producer page, data: one piece, mapped in two */
	mem = __vmalloc(2 * PAGE_SIZE + size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!mem) {
		kfree(ring);
		return NULL;
	}
	ring->consumer = mem;
	ring->producer = mem + PAGE_SIZE;
	ring->data = mem + 2 * PAGE_SIZE;
	ring->size = size;
	ring->wakeup = max(wakeup, 1U);
	return ring;
}

/**
 * ucore_ring_destroy() - free a ring
 * @ring: the ring, may be NULL; pages still mapped live on until unmapped
 */
void ucore_ring_destroy(struct ucore_ring *ring)
{
	if (!ring)
		return;
	vfree(ring->consumer);
	kfree(ring);
}

/**
 * ucore_ring_mmap() - map one part of a ring
 * @ring: the ring
 * @vma: where, from its start
 * @consumer: the consumer page; otherwise producer page and data, read-only
 *
 * Return: 0; -EINVAL if the mapping is private or has another size than the part;
 * -EPERM if it asks to write the producer's part; -ENOMEM.
 */
int ucore_ring_mmap(struct ucore_ring *ring, struct vm_area_struct *vma, bool consumer)
{
	unsigned long size = consumer ? PAGE_SIZE : PAGE_SIZE + ring->size;
	void *mem = consumer ? (void *)ring->consumer : (void *)ring->producer;
	unsigned long off;
	int ret;

	if (vma->vm_end - vma->vm_start != size || !(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (!consumer) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		vm_flags_clear(vma, VM_MAYWRITE);
	}
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);

	for (off = 0; off < size; off += PAGE_SIZE) {
		ret = vm_insert_page(vma, vma->vm_start + off, vmalloc_to_page(mem + off));
		if (ret)
			return ret;
	}
	return 0;
}

/* Bytes that may be written, as far as the consumer's word can be trusted. */
static u64 ring_room(const struct ucore_ring *ring)
{
	u64 used = ring->next - smp_load_acquire(&ring->consumer->tail);	/* B */

	return used > ring->size ? 0 : ring->size - used;
}

/* Place a record, padding to the start of the ring if it would cross the end. */
static struct ucore_record *ring_place(struct ucore_ring *ring, u32 size)
{
	u32 off = ring->next & (ring->size - 1);
	u32 to_end = ring->size - off;
	u32 pad = size > to_end ? to_end : 0;
	struct ucore_record *rec;

	if (ring_room(ring) < (u64)pad + size)
		return NULL;
	if (pad) {
		/* as little as 8 bytes: type and size, nothing else */
		rec = (void *)(ring->data + off);
		rec->type = UCORE_RECORD_PAD;
		rec->size = pad;
		off = 0;
	}
	ring->next += pad + size;
	return (void *)(ring->data + off);
}

static void record_init(struct ucore_ring *ring, struct ucore_record *rec, u32 type,
			u32 size)
{
	rec->type = type;
	rec->size = size;
	rec->seq = ring->seq++;
}

static void ring_lose(struct ucore_ring *ring, u64 n)
{
	ring->seq += n;
	WRITE_ONCE(ring->lost, ring->lost + n);
	WRITE_ONCE(ring->producer->lost, ring->lost);
}

/**
 * ucore_ring_reserve() - room for a record
 * @ring: the ring
 * @type: UCORE_RECORD_*
 * @size: bytes, head included, a multiple of 8
 * @now: time, should a LOST record have to go first
 *
 * The record is not seen before ucore_ring_commit().
 *
 * Return: the record, its head filled in, the rest undefined; NULL if there is
 * no room: then it counts as lost.
 */
void *ucore_ring_reserve(struct ucore_ring *ring, u32 type, u32 size, u64 now)
{
	u64 start = ring->next;
	struct ucore_record *rec;
	struct ucore_lost *lost;

	if (ring->unreported || ring->skipped) {
		lost = (void *)ring_place(ring, sizeof(*lost));
		if (!lost)
			goto full;
		rec = ring_place(ring, size);
		if (!rec)
			goto full;
		record_init(ring, &lost->hdr, UCORE_RECORD_LOST, sizeof(*lost));
		lost->lost = ring->unreported + ring->skipped;
		lost->time = now;
		WRITE_ONCE(ring->unreported, 0);
		ring->skipped = 0;
	} else {
		rec = ring_place(ring, size);
		if (!rec)
			goto full;
	}
	record_init(ring, rec, type, size);
	return rec;

full:
	ring->next = start;
	WRITE_ONCE(ring->unreported, ring->unreported + 1);
	ring_lose(ring, 1);
	return NULL;
}

/**
 * ucore_ring_skip() - count records that were never made
 * @ring: the ring
 * @n: how many
 *
 * They have numbers, and the next LOST record tells of them; a reader that waits for
 * its watermark is not woken for it.
 */
void ucore_ring_skip(struct ucore_ring *ring, u64 n)
{
	ring->skipped += n;
	ring_lose(ring, n);
}

/**
 * ucore_ring_commit() - publish what was reserved
 * @ring: the ring
 *
 * Return: true if the consumer wants to be woken.
 */
bool ucore_ring_commit(struct ucore_ring *ring)
{
	WRITE_ONCE(ring->head, ring->next);
	smp_store_release(&ring->producer->head, ring->next);	/* A */
	return ucore_ring_readable(ring);
}

/**
 * ucore_ring_readable() - does the consumer want to be woken?
 * @ring: the ring; any context, no lock: a moment's view
 *
 * Yes at its watermark, and when there is no room: a ring may be full below
 * the watermark.
 *
 * Return: true or false.
 */
bool ucore_ring_readable(const struct ucore_ring *ring)
{
	u64 unread = READ_ONCE(ring->head) - READ_ONCE(ring->consumer->tail);

	return unread >= ring->wakeup || (unread && READ_ONCE(ring->unreported));
}
