// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring, with a consumer that checks every record, one that lags, and one
 * that lies.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/random.h>

#include "sample/ring.h"

#define SIZE	4096U
#define LOST	((u32)sizeof(struct ucore_lost))
#define LEAST	((u32)sizeof(struct ucore_record))

/**
 * struct consumer - a user space that believes nothing
 * @ring: the ring; it looks at the pages only
 * @tail: its position
 * @seq: number that the next record must have
 * @records: records seen
 * @lost: losses it was told of
 * @pads: PAD records seen
 * @pad: size of the last one
 * @wrong: something was not as promised
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

/* The pattern of a record's body: its number, so that mixed records show. */
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

/* Consume one record and the padding before it; false if there is none. */
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

static void starts_empty(struct kunit *test)
{
	struct consumer *c = test->priv;

	KUNIT_EXPECT_FALSE(test, consume(c));
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(c->ring));
	KUNIT_EXPECT_EQ(test, c->ring->producer->head, 0ULL);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 0ULL);
}

static void nothing_is_seen_before_commit(struct kunit *test)
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

/* Every distance from the end, with every record size: the pad fills the rest. */
static void wraps_with_padding_of_every_size(struct kunit *test)
{
	struct consumer *c = test->priv;
	u32 to_end, size;

	for (to_end = 8; to_end <= 256; to_end += 8) {
		for (size = LEAST; size <= 256; size += 24) {
			/* bring the position to where @to_end bytes are left */
			while ((c->ring->next & (SIZE - 1)) != SIZE - to_end) {
				u32 left = (SIZE - to_end - c->ring->next) & (SIZE - 1);
				u32 step = left >= 2 * 512 ? 512 : left > 512 ? left - 512 : left;

				/* 8 bytes are no record: go round by another way */
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

/* The smallest pad has room for type and size only. */
static void pad_of_eight_bytes(struct kunit *test)
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

static void fills_to_the_last_byte(struct kunit *test)
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

static void record_as_large_as_the_ring(struct kunit *test)
{
	struct consumer *c = test->priv;

	KUNIT_EXPECT_TRUE(test, push(c->ring, SIZE));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->records, 1ULL);
	KUNIT_EXPECT_FALSE(test, push(c->ring, SIZE + 8));
	KUNIT_EXPECT_FALSE(test, push(c->ring, 0x7ffffff8));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 2ULL);
}

/* What is lost is told by one record, before the next that finds room. */
static void losses_are_told(struct kunit *test)
{
	struct consumer *c = test->priv;
	u32 i;

	for (i = 0; i < SIZE / 256; i++)
		push(c->ring, 256);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_FALSE(test, push(c->ring, 256));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 5ULL);
	KUNIT_EXPECT_EQ(test, c->ring->lost, 5ULL);

	consume(c);		/* room for the record, not for LOST beside it */
	KUNIT_EXPECT_FALSE(test, push(c->ring, 256));
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 6ULL);
	KUNIT_EXPECT_TRUE(test, push(c->ring, 256 - LOST));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, 6ULL);
	KUNIT_EXPECT_EQ(test, c->records, (u64)SIZE / 256 + 2);

	KUNIT_EXPECT_TRUE(test, push(c->ring, 256));	/* and are told once */
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, 6ULL);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 6ULL);
}

/* Records that were never made have numbers, and wake nobody before their time. */
static void skipped_records_are_told(struct kunit *test)
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
	/* with what found no room in one LOST record */
	while (push(c->ring, LEAST))
		;
	ucore_ring_skip(c->ring, 2);
	drain(c);
	KUNIT_EXPECT_TRUE(test, push(c->ring, LEAST));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, 6ULL);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, 6ULL);
}

/* A LOST record may itself be what wraps. */
static void lost_record_wraps(struct kunit *test)
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

/* Any sizes, any pace: what was pushed was consumed or told lost. */
static void random_traffic(struct kunit *test)
{
	struct consumer *c = test->priv;
	u64 pushed = 0, attempts = 0, told;
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
	KUNIT_ASSERT_TRUE(test, push(c->ring, LEAST));	/* tells what is not yet told */
	drain(c);
	told = c->lost;
	KUNIT_EXPECT_EQ(test, told, attempts - pushed);
	KUNIT_EXPECT_EQ(test, c->ring->producer->lost, told);
	KUNIT_EXPECT_GT(test, told, 0ULL);
	KUNIT_EXPECT_GT(test, c->pads, 100ULL);
}

/* ---- a consumer that lies ---- */

/* Nonsense reads as no room, and nothing but data and head is ever written. */
static void tail_that_makes_no_sense(struct kunit *test)
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

	WRITE_ONCE(c->ring->consumer->tail, 0);	/* it comes to its senses */
	KUNIT_EXPECT_TRUE(test, push(c->ring, LEAST));
	drain(c);
	KUNIT_EXPECT_EQ(test, c->lost, (u64)ARRAY_SIZE(tails));
}

/* KASAN and the guard page watch the ends; the pages before data are ours. */
static void random_tails_do_no_harm(struct kunit *test)
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
			tail = next - (r >> 8) % (2 * SIZE);	/* near the truth, unaligned too */
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

/* ---- waking ---- */

static void wakes_at_the_watermark(struct kunit *test)
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

static void wakes_at_every_record_without_one(struct kunit *test)
{
	struct consumer *c = test->priv;

	push(c->ring, LEAST);
	KUNIT_EXPECT_TRUE(test, ucore_ring_readable(c->ring));
	drain(c);
	KUNIT_EXPECT_FALSE(test, ucore_ring_readable(c->ring));
}

/* A ring may be full below its watermark: nobody may sleep then. */
static void wakes_when_there_is_no_room(struct kunit *test)
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

static void mmap_refuses(struct kunit *test)
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

/* All pages of a part, in their order; what the driver writes cannot be made writable. */
static void a_ctx_is_mapped_whole(struct kunit *test)
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

/* The ring is there for as long as somebody sees it, parts of a split mapping too. */
static void a_mapping_has_the_ring(struct kunit *test)
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

/* No memory for its page tables: no mapping, which nobody would close. */
static void a_mapping_that_fails(struct kunit *test)
{
	struct consumer *c = test->priv;
	struct vm_area_struct *vma = area(test, PAGE_SIZE + SIZE, VM_SHARED);

	fake_kernel.no_page = 2;
	KUNIT_EXPECT_EQ(test, ucore_ring_mmap(c->ring, vma, false), -ENOMEM);
	KUNIT_EXPECT_EQ(test, fake_kernel.nr_pages, 1U);
	KUNIT_EXPECT_NULL(test, vma->vm_ops);
	KUNIT_EXPECT_EQ(test, refcount_read(&c->ring->refs), 1U);
}

/* ---- whose memory it is ---- */

#define PAGES	(SIZE / PAGE_SIZE + 2)

static unsigned int *allowance(void)
{
	return fake_param("mlock_kb");
}

static struct ucore_ring *ring_of_user(void)
{
	return ucore_ring_create(SIZE, 0, current_user());
}

/* What a user may have: the limit, and so much for each CPU; then no more. */
static void memory_counts_for_its_user(struct kunit *test)
{
	long before = atomic_long_read(&current_user()->locked_vm);
	unsigned int kib = *allowance();
	struct ucore_ring *ring[2];

	fake_kernel.lacks = BIT_ULL(CAP_IPC_LOCK);
	fake_kernel.memlock = (before + 2 * PAGES) << PAGE_SHIFT;
	*allowance() = 0;
	ring[0] = ring_of_user();
	ring[1] = ring_of_user();
	KUNIT_EXPECT_FALSE(test, IS_ERR(ring[0]) || IS_ERR(ring[1]));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&current_user()->locked_vm),
			before + 2 * (long)PAGES);
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_of_user()), (long)-ENOBUFS);
	/* who maps it has it, too */
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

/* CAP_IPC_LOCK knows no limit, but it is counted all the same. */
static void memory_without_a_limit(struct kunit *test)
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
	fake_kernel.fail_in = 2;	/* the ring is there, its memory is not */
	KUNIT_EXPECT_EQ(test, PTR_ERR(ring_of_user()), (long)-ENOMEM);
	fake_kernel.fail_in = 0;
	KUNIT_EXPECT_EQ(test, atomic_long_read(&current_user()->locked_vm), before);
}

/* Of the caller's cgroup; and the kernel gives up before it kills for it, without a word. */
static void how_memory_is_asked_for(struct kunit *test)
{
	gfp_t gfp = fake_kernel.vmalloc_gfp;

	KUNIT_EXPECT_EQ(test, (u32)(gfp & (GFP_KERNEL_ACCOUNT | __GFP_ZERO)),
			(u32)(GFP_KERNEL_ACCOUNT | __GFP_ZERO));
	KUNIT_EXPECT_TRUE(test, gfp & __GFP_RETRY_MAYFAIL);
	KUNIT_EXPECT_TRUE(test, gfp & __GFP_NOWARN);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(how_memory_is_asked_for),
	KUNIT_CASE(memory_counts_for_its_user),
	KUNIT_CASE(memory_without_a_limit),
	KUNIT_CASE(starts_empty),
	KUNIT_CASE(nothing_is_seen_before_commit),
	KUNIT_CASE(wraps_with_padding_of_every_size),
	KUNIT_CASE(pad_of_eight_bytes),
	KUNIT_CASE(fills_to_the_last_byte),
	KUNIT_CASE(record_as_large_as_the_ring),
	KUNIT_CASE(losses_are_told),
	KUNIT_CASE(skipped_records_are_told),
	KUNIT_CASE(lost_record_wraps),
	KUNIT_CASE(random_traffic),
	KUNIT_CASE(tail_that_makes_no_sense),
	KUNIT_CASE(random_tails_do_no_harm),
	KUNIT_CASE(wakes_at_the_watermark),
	KUNIT_CASE(wakes_at_every_record_without_one),
	KUNIT_CASE(wakes_when_there_is_no_room),
	KUNIT_CASE(mmap_refuses),
	KUNIT_CASE(a_ctx_is_mapped_whole),
	KUNIT_CASE(a_mapping_has_the_ring),
	KUNIT_CASE(a_mapping_that_fails),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_ring",
	.init = ring_init,
	.exit = ring_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
