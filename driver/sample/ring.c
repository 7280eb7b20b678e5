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
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "sample/ring.h"

/* Consumer page, producer page, data: one piece, mapped in two. */
static unsigned long ring_bytes(u32 size)
{
	return 2 * PAGE_SIZE + size;
}

/* To try hard is enough: killing others to get it is not what it is worth. */
#define RING_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * ucore_ring_create() - a new, empty ring
 * @size: bytes of data, a power of two, at least a page
 * @wakeup: unread bytes that wake the consumer, 0: any
 * @user: whose memory it is to be
 *
 * Return: the ring or an ERR_PTR: -ENOBUFS if the user may not have so much, -ENOMEM.
 */
struct ucore_ring *ucore_ring_create(u32 size, u32 wakeup, struct user_struct *user)
{
	struct ucore_ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;
	void *mem;

	if (!ring)
		return ERR_PTR(ret);
	ret = ucore_memlock_charge(&ring->charge, user, ring_bytes(size));
	if (ret)
		goto free;
	mem = __vmalloc(ring_bytes(size), RING_GFP);
	if (!mem) {
		ucore_memlock_uncharge(&ring->charge);
		ret = -ENOMEM;
		goto free;
	}
	ring->consumer = mem;
	ring->producer = mem + PAGE_SIZE;
	ring->data = mem + 2 * PAGE_SIZE;
	ring->size = size;
	ring->wakeup = max(wakeup, 1U);
	refcount_set(&ring->refs, 1);
	return ring;

free:
	kfree(ring);
	return ERR_PTR(ret);
}

/**
 * ucore_ring_get() - have a ring a while longer
 * @ring: the ring
 *
 * Return: the ring.
 */
struct ucore_ring *ucore_ring_get(struct ucore_ring *ring)
{
	refcount_inc(&ring->refs);
	return ring;
}

/**
 * ucore_ring_put() - need a ring no more; the last one frees it
 * @ring: the ring, may be NULL
 */
void ucore_ring_put(struct ucore_ring *ring)
{
	if (!ring || !refcount_dec_and_test(&ring->refs))
		return;
	vfree(ring->consumer);
	ucore_memlock_uncharge(&ring->charge);
	kfree(ring);
}

/* Each mapping has the ring: its memory counts for as long as somebody sees it. */
static void mapping_open(struct vm_area_struct *vma)
{
	ucore_ring_get(vma->vm_private_data);
}

static void mapping_close(struct vm_area_struct *vma)
{
	ucore_ring_put(vma->vm_private_data);
}

static const struct vm_operations_struct mapping_ops = {
	.open = mapping_open,
	.close = mapping_close,
};

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
	vma->vm_private_data = ucore_ring_get(ring);
	vma->vm_ops = &mapping_ops;
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
