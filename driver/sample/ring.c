// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rings of records, shared with user space. Part of the sample layer.
 *
 *	kernel (producer)			user space (consumer)
 *
 *	LOAD consumer->tail	(B)		LOAD producer->head	(A')
 *	   room for a record			   unread records
 *	STORE data				LOAD data
 *	STORE producer->head	(A)		STORE consumer->tail	(B')
 *
 * A is a release that pairs with the acquire A', which orders data before head. B is
 * an acquire that pairs with the release B'. Thus data is read before its room is
 * released.
 *
 * The producer keeps its own position and does not read back published values.
 * The only value read from user space is @tail, which is used for nothing but the
 * free room. An invalid @tail results in no room. The producer runs with the
 * domain's lock held, in any context except NMI. Callers write the content of
 * records.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "sample/ring.h"

/* Return the size of a ring's memory: consumer page, producer page and data, in this order. */
static unsigned long ring_bytes(u32 size)
{
	return 2 * PAGE_SIZE + size;
}

/* Allocation flags for ring memory. An allocation fails rather than invokes the OOM killer. */
#define RING_GFP	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * ucore_ring_create() - allocate an empty ring
 * @size: size of the data (bytes), a power of two, at least a page
 * @wakeup: number of unread bytes at which the consumer is woken, 0: each record
 * @user: user to whom the memory is charged
 *
 * Return: ring or an ERR_PTR. The error is -ENOBUFS if the user's limit is exceeded, else
 * -ENOMEM.
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
 * ucore_ring_get() - acquire a reference to a ring
 * @ring: ring
 *
 * Return: @ring.
 */
struct ucore_ring *ucore_ring_get(struct ucore_ring *ring)
{
	refcount_inc(&ring->refs);
	return ring;
}

/**
 * ucore_ring_put() - release a reference to a ring; the last one frees it
 * @ring: ring, may be NULL
 */
void ucore_ring_put(struct ucore_ring *ring)
{
	if (!ring || !refcount_dec_and_test(&ring->refs))
		return;
	vfree(ring->consumer);
	ucore_memlock_uncharge(&ring->charge);
	kfree(ring);
}

/* Each mapping holds a reference, so that the memory stays charged while it is mapped. */
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
 * ucore_ring_mmap() - map one region of a ring into user space
 * @ring: ring
 * @vma: mapping to be filled, of exactly the region's size
 * @consumer: map the consumer page; otherwise the producer page and the data, read-only
 *
 * Return: 0 or an error. -EINVAL means that the mapping is private or differs in size from the
 * region. -EPERM means that a writable mapping of the producer's region was requested. -ENOMEM
 * is possible.
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

/* Return the number of free bytes in a ring. An invalid tail from user space results in 0. */
static u64 ring_room(const struct ucore_ring *ring)
{
	u64 used = ring->next - smp_load_acquire(&ring->consumer->tail);	/* B (file head) */

	return used > ring->size ? 0 : ring->size - used;
}

/*
 * Find room for a record of @size bytes, and advance ring->next. A record that would cross the
 * end of the data is placed at the start, after a PAD record. Return NULL if there is no room.
 */
static struct ucore_record *ring_place(struct ucore_ring *ring, u32 size)
{
	u32 off = ring->next & (ring->size - 1);
	u32 to_end = ring->size - off;
	u32 pad = size > to_end ? to_end : 0;
	struct ucore_record *rec;

	if (ring_room(ring) < (u64)pad + size)
		return NULL;
	if (pad) {
		/* The PAD record may have only 8 bytes: type and size. */
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

/* Count @n records as lost. Each lost record has a sequence number. */
static void ring_lose(struct ucore_ring *ring, u64 n)
{
	ring->seq += n;
	WRITE_ONCE(ring->lost, ring->lost + n);
	WRITE_ONCE(ring->producer->lost, ring->lost);
}

/**
 * ucore_ring_reserve() - reserve space for a record
 * @ring: ring
 * @type: UCORE_RECORD_*
 * @size: size (bytes), including the header, a multiple of 8
 * @now: current time (ns), for a LOST record that may have to precede
 *
 * The record is not visible before ucore_ring_commit().
 *
 * Return: record with its header filled in and the rest undefined; NULL if there is no room and
 * the record counts as lost.
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
 * ucore_ring_skip() - count samples that were not taken as lost records
 * @ring: ring
 * @n: number of these samples
 *
 * Skipped records have sequence numbers, and the next LOST record includes their number. The
 * function does not wake the consumer.
 */
void ucore_ring_skip(struct ucore_ring *ring, u64 n)
{
	ring->skipped += n;
	ring_lose(ring, n);
}

/**
 * ucore_ring_commit() - make all reserved records visible to user space
 * @ring: ring
 *
 * Return: true if the consumer must be woken.
 */
bool ucore_ring_commit(struct ucore_ring *ring)
{
	WRITE_ONCE(ring->head, ring->next);
	smp_store_release(&ring->producer->head, ring->next);	/* A, see the head of the file */
	return ucore_ring_readable(ring);
}

/**
 * ucore_ring_readable() - check whether the consumer of a ring must be woken
 * @ring: ring, not locked, so that the result may be outdated; any context
 *
 * Return: true if the number of unread bytes has reached ring->wakeup, or if a record was lost,
 * because a ring may be full below ring->wakeup.
 */
bool ucore_ring_readable(const struct ucore_ring *ring)
{
	u64 unread = READ_ONCE(ring->head) - READ_ONCE(ring->consumer->tail);

	return unread >= ring->wakeup || (unread && READ_ONCE(ring->unreported));
}
