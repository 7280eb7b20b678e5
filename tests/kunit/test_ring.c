// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the ring, with a consumer that checks every record, a slow one, and one that
 * writes invalid positions.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/random.h>

#include "sample/ring.h"

#define SIZE	4096U
#define LOST	((u32)sizeof(struct ucore_lost))
#define LEAST	((u32)sizeof(struct ucore_record))

/**
 * struct consumer - user space side that validates everything it reads
 * @ring: the ring, of which only the mapped pages are used
 * @tail: read position
 * @seq: expected sequence number of the next record
 * @records: number of records read
 * @lost: number of lost records reported
 * @pads: number of PAD records
 * @pad: size of the last PAD record (bytes)
 * @wrong: description of the first violation, NULL without one
 */
struct consumer {
	struct ucore_ring *ring;
	u64 tail;
	u64 seq;
	u64 records;
	u64 lost;
	u64 pads;
	u32 pad;
	const char *wrong;
};

static int ring_init(struct kunit *test)
{
	struct consumer *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	fake_kernel_reset();
	c->ring = ucore_ring_create(SIZE, 0, current_user());
	KUNIT_ASSERT_FALSE(test, IS_ERR(c->ring));
	test->priv = c;
	return 0;
}

static void ring_exit(struct kunit *test)
{
	struct consumer *c = test->priv;

	KUNIT_EXPECT_NULL(test, c->wrong);
	if (c->wrong)
		kunit_err(test, "consumer: %s\n", c->wrong);
	ucore_ring_put(c->ring);
}

/* Add a record. The body is filled with its number, so that overwritten records are detected. */
static bool push(struct ucore_ring *ring, u32 size)
{
	struct ucore_record *rec = ucore_ring_reserve(ring, UCORE_RECORD_SAMPLE, size, 42);

	if (!rec)
		return false;
	memset(rec + 1, rec->seq, size - sizeof(*rec));
	ucore_ring_commit(ring);
	return true;
}

static void body_check(struct consumer *c, const struct ucore_record *rec)
{
	const u8 *body = (const u8 *)(rec + 1);
	u32 i;

	for (i = 0; i < rec->size - sizeof(*rec); i++)
		if (body[i] != (u8)rec->seq)
			c->wrong = "body of another record";
}

static void record_check(struct consumer *c, const struct ucore_record *rec)
{
	const struct ucore_lost *lost = (const void *)rec;

	c->records++;
	switch (rec->type) {
	case UCORE_RECORD_LOST:
		if (rec->size != sizeof(*lost) || !lost->lost || lost->time != 42)
			c->wrong = "LOST record";
		c->lost += lost->lost;
		c->seq += lost->lost;
		break;
	case UCORE_RECORD_SAMPLE:
		body_check(c, rec);
		break;
	default:
		c->wrong = "unknown type";
	}
	if (rec->seq != c->seq)
		c->wrong = "sequence number";
	c->seq++;
}

/* Consume one record and the padding before it. Return false if there is none. */
static bool consume(struct consumer *c)
{
	struct ucore_ring *ring = c->ring;
	const struct ucore_record *rec;
	u32 off;

	for (;;) {
		/* pairs with ucore_ring_commit() */
		if (c->tail == smp_load_acquire(&ring->producer->head))
			return false;
		off = c->tail & (SIZE - 1);
		rec = (const void *)(ring->data + off);
		if (rec->size < 8 || rec->size % 8 || rec->size > SIZE - off) {
			c->wrong = "size, alignment or contiguity";
			return false;
		}
		if (rec->type != UCORE_RECORD_PAD) {
			record_check(c, rec);
			c->tail += rec->size;
			break;
		}
		if (off + rec->size != SIZE)
			c->wrong = "padding that does not reach the end";
		c->pads++;
		c->pad = rec->size;
		c->tail += rec->size;
	}
	/* pairs with ring_room() */
	smp_store_release(&ring->consumer->tail, c->tail);
	return true;
}

static void drain(struct consumer *c)
{
	while (consume(c))
		;
}

static void new_ring_is_empty(struct kunit *test)
{
	struct consumer *c = test->priv;

	KUNIT_EXPECT_FALSE(test, consume(c));
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(c->ring));
	KUNIT_EXPECT_EQ(test, c->ring->producer->head, 0ULL);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 0ULL);
}

static void reserved_record_is_invisible_before_commit(struct kunit *test)
{
	struct consumer *c = test->priv;
	struct ucore_record *rec;

	rec = ucore_ring_reserve(c->ring, UCORE_RECORD_SAMPLE, LEAST, 42);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, rec->type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, rec->size, LEAST);
	KUNIT_EXPECT_FALSE(test, consume(c));
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(c->ring));
	KUNIT_EXPECT_TRUE(test, ucore_ring_commit(c->ring));
	KUNIT_EXPECT_TRUE(test, consume(c));
}

/* For every distance from the end and every record size, padding fills the rest. */
static void record_at_the_end_wraps_with_padding(struct kunit *test)
{
	struct consumer *c = test->priv;
	u32 to_end, size;

	for (to_end = 8; to_end <= 256; to_end += 8) {
		for (size = LEAST; size <= 256; size += 24) {
			/* advance to the position with @to_end bytes left */
			while ((c->ring->next & (SIZE - 1)) != SIZE - to_end) {
				u32 left = (SIZE - to_end - c->ring->next) & (SIZE - 1);
				u32 step = left >= 2 * 512 ? 512 : left > 512 ? left - 512 : left;

				/* 8 bytes are too small for a record: wrap around once more */
				if (step < LEAST)
					step = 512 + 8;
				KUNIT_ASSERT_TRUE(test, push(c->ring, step));
				drain(c);
			}
			KUNIT_ASSERT_TRUE(test, push(c->ring, size));
			c->pad = 0;
			drain(c);
			KUNIT_ASSERT_NULL(test, c->wrong);
			KUNIT_EXPECT_EQ(test, c->pad, size > to_end ? to_end : 0);
		}
	}
	KUNIT_EXPECT_EQ(test, c->lost, 0ULL);
	KUNIT_EXPECT_GT(test, c->pads, 100ULL);
}

/* The smallest padding has room for type and size only. */
static void smallest_padding_has_eight_bytes(struct kunit *test)
{
	struct consumer *c = test->priv;
	const u32 *pad;

	KUNIT_ASSERT_TRUE(test, push(c->ring, SIZE - 8));
	drain(c);
	KUNIT_ASSERT_TRUE(test, push(c->ring, 24));
	pad = (const u32 *)(c->ring->data + SIZE - 8);
	KUNIT_EXPECT_EQ(test, pad[0], (u32)UCORE_RECORD_PAD);
	KUNIT_EXPECT_EQ(test, pad[1], 8U);
	drain(c);
	KUNIT_EXPECT_EQ(test, c->pad, 8U);
	KUNIT_EXPECT_EQ(test, c->records, 2ULL);
}

static void ring_fills_to_the_last_byte(struct kunit *test)
{
	struct consumer *c = test->priv;
	u32 i;

	for (i = 0; i < SIZE / 128; i++)
		KUNIT_ASSERT_TRUE(test, push(c->ring, 128));
	KUNIT_EXPECT_FALSE(test, push(c->ring, LEAST));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 1ULL);
	drain(c);
	KUNIT_EXPECT_EQ(test, c->records, (u64)SIZE / 128);
}

static void record_of_ring_size_fits(struct kunit *test)
{
	struct consumer *c = test->priv;

	KUNIT_EXPECT_TRUE(test, push(c->ring, SIZE));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->records, 1ULL);
	KUNIT_EXPECT_FALSE(test, push(c->ring, SIZE + 8));
	KUNIT_EXPECT_FALSE(test, push(c->ring, 0x7ffffff8));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 2ULL);
}

/* A LOST record before the next record that fits reports all losses. */
static void lost_records_are_reported(struct kunit *test)
{
	struct consumer *c = test->priv;
	u32 i;

	for (i = 0; i < SIZE / 256; i++)
		push(c->ring, 256);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_FALSE(test, push(c->ring, 256));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 5ULL);
	KUNIT_EXPECT_EQ(test, c->ring->lost, 5ULL);

	consume(c);		/* room for the record, but not for a LOST record with it */
	KUNIT_EXPECT_FALSE(test, push(c->ring, 256));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 6ULL);
	KUNIT_EXPECT_TRUE(test, push(c->ring, 256 - LOST));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, 6ULL);
	KUNIT_EXPECT_EQ(test, c->records, (u64)SIZE / 256 + 2);

	KUNIT_EXPECT_TRUE(test, push(c->ring, 256));	/* losses are reported once */
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, 6ULL);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 6ULL);
}

/* Skipped records have sequence numbers, and do not make the ring readable early. */
static void skipped_records_are_reported(struct kunit *test)
{
	struct consumer *c = test->priv;

	KUNIT_EXPECT_TRUE(test, push(c->ring, LEAST));
	c->ring->wakeup = 4 * LEAST;
	ucore_ring_skip(c->ring, 3);
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(c->ring));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 3ULL);
	KUNIT_EXPECT_TRUE(test, push(c->ring, LEAST));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, 3ULL);
	/* a single LOST record covers skipped and dropped records */
	while (push(c->ring, LEAST))
		;
	ucore_ring_skip(c->ring, 2);
	drain(c);
	KUNIT_EXPECT_TRUE(test, push(c->ring, LEAST));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, 6ULL);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 6ULL);
}

/* A LOST record may itself need padding. */
static void lost_record_at_the_end_wraps(struct kunit *test)
{
	struct consumer *c = test->priv;

	KUNIT_ASSERT_TRUE(test, push(c->ring, SIZE - 512));
	KUNIT_ASSERT_TRUE(test, push(c->ring, 512 - 16));
	KUNIT_EXPECT_FALSE(test, push(c->ring, 512));
	drain(c);
	KUNIT_EXPECT_TRUE(test, push(c->ring, 64));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->pad, 16U);
	KUNIT_EXPECT_EQ(test, c->lost, 1ULL);
}

/* With random sizes and pace, each record is either consumed or reported lost. */
static void random_traffic_is_consumed_or_lost(struct kunit *test)
{
	struct consumer *c = test->priv;
	u64 pushed = 0, attempts = 0, lost;
	u32 i;

	for (i = 0; i < 60000; i++) {
		u32 r = get_random_u32();

		if (r & 1) {
			attempts++;
			pushed += push(c->ring, LEAST + (r >> 8) % 80 * 8);
		} else if (r & 2) {
			consume(c);
		} else if (!(r & 0x7c)) {
			drain(c);
		}
	}
	drain(c);
	/* makes the ring report the remaining losses */
	KUNIT_ASSERT_TRUE(test, push(c->ring, LEAST));
	drain(c);
	lost = c->lost;
	KUNIT_EXPECT_EQ(test, lost, attempts - pushed);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, lost);
	KUNIT_EXPECT_GT(test, lost, 0ULL);
	KUNIT_EXPECT_GT(test, c->pads, 100ULL);
}

/* ---- invalid positions from user space ---- */

/* An invalid tail counts as a full ring. The driver writes only to the data and the head. */
static void invalid_tail_reads_as_full_ring(struct kunit *test)
{
	struct consumer *c = test->priv;
	u64 head = 5 * 512, tails[] = {
		head + 8, head + SIZE, head + SIZE + 8, 1ULL << 63, head - SIZE - 8,
		head - SIZE - 1, 0x100000000ULL + head,
	};
	u32 i;

	for (i = 0; i < 5; i++)
		KUNIT_ASSERT_TRUE(test, push(c->ring, 512));
	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		WRITE_ONCE(c->ring->consumer->tail, tails[i]);
		KUNIT_EXPECT_FALSE_MSG(test, push(c->ring, LEAST), "tail %#llx", tails[i]);
		KUNIT_EXPECT_EQ(test, c->ring->consumer->tail, tails[i]);
		KUNIT_EXPECT_EQ(test, c->ring->producer->head, head);
	}
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, (u64)ARRAY_SIZE(tails));

	WRITE_ONCE(c->ring->consumer->tail, 0);	/* a valid tail again */
	KUNIT_EXPECT_TRUE(test, push(c->ring, LEAST));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, (u64)ARRAY_SIZE(tails));
}

/* KASAN and the guard page detect overruns. The test checks the pages before the data itself. */
static void random_tails_cause_no_bad_writes(struct kunit *test)
{
	struct consumer *c = test->priv;
	struct ucore_ring *ring = c->ring;
	u64 tail, next, *page = (u64 *)ring->producer;
	u32 i, j;

	for (i = 0; i < 30000; i++) {
		u32 r = get_random_u32();

		next = ring->next;
		tail = get_random_u64();
		if (r & 1)
			/* close to a valid position, also unaligned */
			tail = next - (r >> 8) % (2 * SIZE);
		WRITE_ONCE(ring->consumer->tail, tail);
		if (ucore_ring_reserve(ring, UCORE_RECORD_SAMPLE, LEAST + (r >> 4) % 60 * 8, 42))
			ucore_ring_commit(ring);
		ucore_ring_readable(ring);
		KUNIT_ASSERT_EQ(test, ring->consumer->tail, tail);
		KUNIT_ASSERT_LE(test, ring->next - next, 2ULL * SIZE);
		KUNIT_ASSERT_EQ(test, ring->next % 8, 0ULL);
		KUNIT_ASSERT_EQ(test, ring->producer->head, ring->head);
	}
	for (j = 2; j < PAGE_SIZE / sizeof(*page); j++)
		KUNIT_EXPECT_EQ(test, page[j], 0ULL);
}

/* ---- wakeups ---- */

static void ring_at_watermark_is_readable(struct kunit *test)
{
	struct ucore_ring *ring = ucore_ring_create(SIZE, 256, current_user());
	struct consumer c = { .ring = ring };

	KUNIT_ASSERT_NOT_NULL(test, ring);
	KUNIT_EXPECT_TRUE(test, push(ring, 248));
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(ring));
	KUNIT_EXPECT_TRUE(test, push(ring, LEAST));
	KUNIT_EXPECT_TRUE(test, ucore_ring_readable(ring));
	consume(&c);
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(ring));
	ucore_ring_put(ring);
}

static void ring_without_watermark_is_readable_at_each_record(struct kunit *test)
{
	struct consumer *c = test->priv;

	push(c->ring, LEAST);
	KUNIT_EXPECT_TRUE(test, ucore_ring_readable(c->ring));
	drain(c);
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(c->ring));
}

/* A ring may be full below its watermark: readers must be woken. */
static void full_ring_below_watermark_is_readable(struct kunit *test)
{
	struct ucore_ring *ring = ucore_ring_create(SIZE, SIZE - 8, current_user());

	KUNIT_ASSERT_NOT_NULL(test, ring);
	KUNIT_EXPECT_TRUE(test, push(ring, 2048));
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(ring));
	KUNIT_EXPECT_FALSE(test, push(ring, 2056));
	KUNIT_EXPECT_TRUE(test, ucore_ring_readable(ring));
	ucore_ring_put(ring);
}

/* ---- mapping ---- */

static struct vm_area_struct *area(struct kunit *test, unsigned long size, unsigned long flags)
{
	struct vm_area_struct *vma = kunit_kzalloc(test, sizeof(*vma), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, vma);
	vma->vm_start = 0x10000;
	vma->vm_end = vma->vm_start + size;
	vm_flags_set(vma, flags);
	return vma;
}

static int mmap_refusal(struct kunit *test, unsigned long size, unsigned long flags,
			bool consumer)
{
	struct consumer *c = test->priv;

	return ucore_ring_mmap(c->ring, area(test, size, flags), consumer);
}

static void mmap_with_bad_arguments_fails(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mmap_refusal(test, 2 * PAGE_SIZE, VM_SHARED, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, mmap_refusal(test, PAGE_SIZE, 0, true), -EINVAL);
	KUNIT_EXPECT_EQ(test, mmap_refusal(test, PAGE_SIZE, VM_SHARED, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, mmap_refusal(test, 2 * PAGE_SIZE + SIZE, VM_SHARED, false),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, mmap_refusal(test, PAGE_SIZE + SIZE, 0, false), -EINVAL);
	KUNIT_EXPECT_EQ(test, mmap_refusal(test, PAGE_SIZE + SIZE, VM_SHARED | VM_WRITE,
					   false), -EPERM);
	KUNIT_EXPECT_EQ(test, fake_kernel.nr_pages, 0U);
}

/*
 * All pages of the ring are mapped in order. Pages that the driver writes cannot become
 * writable.
 */
static void mmap_maps_all_pages_with_permissions(struct kunit *test)
{
	struct consumer *c = test->priv;
	struct vm_area_struct *vma = area(test, PAGE_SIZE + SIZE, VM_SHARED | VM_MAYWRITE);
	u32 i;

	KUNIT_ASSERT_EQ(test, ucore_ring_mmap(c->ring, vma, false), 0);
	KUNIT_EXPECT_EQ(test, vma->vm_flags, VM_SHARED | VM_DONTEXPAND | VM_DONTDUMP | VM_DONTCOPY);
	KUNIT_ASSERT_EQ(test, fake_kernel.nr_pages, (u32)(SIZE / PAGE_SIZE + 1));
	for (i = 0; i < fake_kernel.nr_pages; i++)
		KUNIT_EXPECT_PTR_EQ(test, fake_kernel.pages[i],
				    vmalloc_to_page((void *)c->ring->producer + i * PAGE_SIZE));
	vma->vm_ops->close(vma);
	fake_kernel.nr_pages = 0;
	vma = area(test, PAGE_SIZE, VM_SHARED | VM_WRITE | VM_MAYWRITE);
	KUNIT_ASSERT_EQ(test, ucore_ring_mmap(c->ring, vma, true), 0);
	KUNIT_EXPECT_EQ(test, vma->vm_flags & (VM_WRITE | VM_MAYWRITE), VM_WRITE | VM_MAYWRITE);
	KUNIT_EXPECT_EQ(test, fake_kernel.nr_pages, 1U);
	KUNIT_EXPECT_PTR_EQ(test, fake_kernel.pages[0], vmalloc_to_page(c->ring->consumer));
	vma->vm_ops->close(vma);
}

/* The ring exists until its last mapping is gone, including parts of a split mapping. */
static void mapping_holds_a_reference(struct kunit *test)
{
	struct consumer *c = test->priv;
	struct vm_area_struct *vma = area(test, PAGE_SIZE, VM_SHARED);

	KUNIT_ASSERT_EQ(test, ucore_ring_mmap(c->ring, vma, true), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&c->ring->refs), 2U);
	vma->vm_ops->open(vma);
	KUNIT_EXPECT_EQ(test, refcount_read(&c->ring->refs), 3U);
	vma->vm_ops->close(vma);
	vma->vm_ops->close(vma);
	KUNIT_EXPECT_EQ(test, refcount_read(&c->ring->refs), 1U);
}

/* Without memory for page tables there is no mapping that could be closed. */
static void failed_mapping_holds_no_reference(struct kunit *test)
{
	struct consumer *c = test->priv;
	struct vm_area_struct *vma = area(test, PAGE_SIZE + SIZE, VM_SHARED);

	fake_kernel.no_page = 2;
	KUNIT_EXPECT_EQ(test, ucore_ring_mmap(c->ring, vma, false), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake_kernel.nr_pages, 1U);
	KUNIT_EXPECT_NULL(test, vma->vm_ops);
	KUNIT_EXPECT_EQ(test, refcount_read(&c->ring->refs), 1U);
}

/* ---- memory accounting ---- */

#define PAGES	(SIZE / PAGE_SIZE + 2)

static unsigned int *allowance(void)
{
	return fake_param("mlock_kb");
}

static struct ucore_ring *ring_of_user(void)
{
	return ucore_ring_create(SIZE, 0, current_user());
}

/* A user may hold RLIMIT_MEMLOCK and an allowance per CPU. Further rings are refused. */
static void ring_memory_is_charged_to_its_user(struct kunit *test)
{
	long before = atomic_long_read(&current_user()->locked_vm);
	unsigned int kib = *allowance();
	struct ucore_ring *ring[2];

	fake_kernel.missing_caps = BIT_ULL(CAP_IPC_LOCK);
	fake_kernel.memlock = (before + 2 * PAGES) << PAGE_SHIFT;
	*allowance() = 0;
	ring[0] = ring_of_user();
	ring[1] = ring_of_user();
	KUNIT_EXPECT_FALSE(test, IS_ERR(ring[0]) || IS_ERR(ring[1]));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&current_user()->locked_vm),
			before + 2 * (long)PAGES);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_of_user()), (long)-ENOBUFS);
	/* a mapping keeps the charge */
	ucore_ring_put(ucore_ring_get(ring[1]));
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_of_user()), (long)-ENOBUFS);
	ucore_ring_put(ring[1]);
	ring[1] = ring_of_user();
	KUNIT_EXPECT_FALSE(test, IS_ERR(ring[1]));
	ucore_ring_put(ring[1]);
	fake_kernel.memlock = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_of_user()), (long)-ENOBUFS);
	*allowance() = (before + 2 * PAGES) << (PAGE_SHIFT - 10);
	ring[1] = ring_of_user();
	KUNIT_EXPECT_FALSE(test, IS_ERR(ring[1]));
	ucore_ring_put(ring[1]);
	ucore_ring_put(ring[0]);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&current_user()->locked_vm), before);
	*allowance() = kib;
}

/* CAP_IPC_LOCK removes the limit. The memory is still counted. */
static void ring_memory_with_ipc_lock_is_unlimited(struct kunit *test)
{
	long before = atomic_long_read(&current_user()->locked_vm);
	unsigned int kib = *allowance();
	struct ucore_ring *ring;

	*allowance() = 0;
	ring = ring_of_user();
	*allowance() = kib;
	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&current_user()->locked_vm), before + (long)PAGES);
	ucore_ring_put(ring);
	fake_kernel.fail_in = 2;	/* the second allocation is the ring's memory */
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_of_user()), (long)-ENOMEM);
	fake_kernel.fail_in = 0;
	KUNIT_EXPECT_EQ(test, atomic_long_read(&current_user()->locked_vm), before);
}

/*
 * The allocation is charged to the caller's cgroup. It fails without OOM kill and without a
 * warning.
 */
static void ring_allocation_flags_are_as_required(struct kunit *test)
{
	gfp_t gfp = fake_kernel.vmalloc_gfp;

	KUNIT_EXPECT_EQ(test, (u32)(gfp & (GFP_KERNEL_ACCOUNT | __GFP_ZERO)),
			(u32)(GFP_KERNEL_ACCOUNT | __GFP_ZERO));
	KUNIT_EXPECT_TRUE(test, gfp & __GFP_RETRY_MAYFAIL);
	KUNIT_EXPECT_TRUE(test, gfp & __GFP_NOWARN);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(ring_allocation_flags_are_as_required),
	KUNIT_CASE(ring_memory_is_charged_to_its_user),
	KUNIT_CASE(ring_memory_with_ipc_lock_is_unlimited),
	KUNIT_CASE(new_ring_is_empty),
	KUNIT_CASE(reserved_record_is_invisible_before_commit),
	KUNIT_CASE(record_at_the_end_wraps_with_padding),
	KUNIT_CASE(smallest_padding_has_eight_bytes),
	KUNIT_CASE(ring_fills_to_the_last_byte),
	KUNIT_CASE(record_of_ring_size_fits),
	KUNIT_CASE(lost_records_are_reported),
	KUNIT_CASE(skipped_records_are_reported),
	KUNIT_CASE(lost_record_at_the_end_wraps),
	KUNIT_CASE(random_traffic_is_consumed_or_lost),
	KUNIT_CASE(invalid_tail_reads_as_full_ring),
	KUNIT_CASE(random_tails_cause_no_bad_writes),
	KUNIT_CASE(ring_at_watermark_is_readable),
	KUNIT_CASE(ring_without_watermark_is_readable_at_each_record),
	KUNIT_CASE(full_ring_below_watermark_is_readable),
	KUNIT_CASE(mmap_with_bad_arguments_fails),
	KUNIT_CASE(mmap_maps_all_pages_with_permissions),
	KUNIT_CASE(mapping_holds_a_reference),
	KUNIT_CASE(failed_mapping_holds_no_reference),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_ring",
	.init = ring_init,
	.exit = ring_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
