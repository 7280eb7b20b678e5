// SPDX-License-Identifier: GPL-2.0-only
/* Mapping a ring: offsets, sizes, protections, and invalid accesses of user space. */
#include "ring.h"
#include <setjmp.h>

#define RING_SIZE	16384

static int session;
static uint32_t imc, domain;
static struct ucore_get_ring info;

static void begin(void)
{
	imc = box_find("imc", 0);
	domain = box_get(imc).domain;
	session = session_create(1000000, RING_SIZE, 0);
	add_cas_reads(session, imc, 0);
	info = ring_info(session, domain);
}

static void absent_ring_is_refused(const void *arg)
{
	static const uint32_t bad[] = { 2, 3, 64, 0x7fffffff, 0x80000000, UINT32_MAX };
	int ringless = session_create(0, 0, 0);

	(void)arg;
	begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		expect_rc(try_ring_info(session, bad[i], &info), ENOENT);
		expect_eq(info.data_size, 0);
		expect_eq(info.consumer, 0);
	}
	add_cas_reads(ringless, box_find("imc", 1), 0);
	expect_rc(try_ring_info(ringless, domain, &info), ENOENT);
	expect(mmap(NULL, page_size(), PROT_READ, MAP_SHARED, ringless, 0) == MAP_FAILED,
	       "a session without rings can be mapped");
}

static void ring_offsets_do_not_overlap(const void *arg)
{
	struct ucore_domain_info domains[MAX_DOMAINS];
	struct ucore_get_ring other;
	uint64_t page = page_size();

	(void)arg;
	begin();
	must(domains_get(domains) == 2, "the test needs two domains");
	add_cas_reads(session, box_on_domain("imc", 0, domains[1].domain), 0);
	info = ring_info(session, domains[0].domain);
	other = ring_info(session, domains[1].domain);
	expect_eq(info.data_size, RING_SIZE);
	expect_eq(other.data_size, RING_SIZE);
	expect_eq((info.consumer | info.producer | other.consumer | other.producer) % page, 0);
	/* no two of them overlap */
	expect(info.consumer + page <= info.producer || info.producer + page + RING_SIZE
	       <= info.consumer, "consumer page inside the producer's");
	expect(info.producer + page + RING_SIZE <= other.consumer ||
	       other.producer + page + RING_SIZE <= info.consumer, "the domains' rings overlap");
	/* 32-bit callers can map them: mmap2 has a 32-bit page offset */
	expect(other.producer >> 44 == 0, "offset %#llx", (unsigned long long)other.producer);
}

static void documented_maps_work(const void *arg)
{
	struct ring ring;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	expect_eq(ring_head(&ring), 0);
	expect_eq(ring_lost(&ring), 0);
	expect_eq(ring.consumer->tail, 0);
	expect(memory_differs(ring.producer, 0, page_size() + RING_SIZE) < 0,
	       "a fresh ring is not zero");
	expect(memory_differs(ring.consumer, 0, page_size()) < 0,
	       "a fresh consumer page is not zero");
	/* the whole page is the consumer's */
	memset(ring.consumer, POISON, page_size());
	ring.consumer->tail = 0;
	session_start(session);
	wait_for(ring_head(&ring) > 0);
	ring_wait_sample(&ring, NULL);
	/* a second mapping shows the same */
	expect_eq(ring_map(session, domain).consumer->tail, 0);
}

static void expect_no_map(size_t len, int prot, int flags, uint64_t offset, int want,
			  const char *what)
{
	void *at = mmap(NULL, len, prot, flags, session, offset);

	expect(at == MAP_FAILED && errno == want, "%s: %s", what,
	       at == MAP_FAILED ? strerrorname_np(errno) : "mapped");
	if (at != MAP_FAILED)
		munmap(at, len);
}

static void maps_of_wrong_size_are_refused(const void *arg)
{
	size_t page = page_size();

	(void)arg;
	begin();
	expect_no_map(2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, info.consumer, EINVAL,
		      "two consumer pages");
	expect_no_map(page + RING_SIZE + page, PROT_READ, MAP_SHARED, info.producer, EINVAL,
		      "one page more than the ring");
	expect_no_map(page, PROT_READ, MAP_SHARED, info.producer, EINVAL,
		      "the producer page alone");
	expect_no_map(page + RING_SIZE / 2, PROT_READ, MAP_SHARED, info.producer, EINVAL,
		      "half the ring");
	expect_no_map(1UL << 30, PROT_READ, MAP_SHARED, info.producer, EINVAL, "1 GiB");
	expect_no_map(RING_SIZE, PROT_READ, MAP_SHARED, info.producer + page, EINVAL,
		      "the data alone");
}

static void maps_at_wrong_offset_are_refused(const void *arg)
{
	static const uint64_t bad[] = {
		1ULL << 32, 1ULL << 40, (1ULL << 43) - 65536,
#if __SIZEOF_LONG__ == 8
		1ULL << 60,		/* 2^32 windows, so that a 32-bit index would be 0 */
#endif
	};
	size_t page = page_size();

	(void)arg;
	begin();
	expect_no_map(page, PROT_READ, MAP_SHARED, info.producer + 2 * page, EINVAL,
		      "inside the data");
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		expect_no_map(page, PROT_READ, MAP_SHARED, bad[i], ENOENT, "wild offset");
		expect_no_map(page + RING_SIZE, PROT_READ, MAP_SHARED, bad[i], ENOENT,
			      "wild offset");
	}
}

static void producer_is_read_only(const void *arg)
{
	size_t len = page_size() + RING_SIZE;
	void *at;

	(void)arg;
	begin();
	expect_no_map(len, PROT_READ | PROT_WRITE, MAP_SHARED, info.producer, EPERM,
		      "writable producer");
	expect_no_map(len, PROT_WRITE, MAP_SHARED, info.producer, EPERM, "write-only producer");
	at = map_producer(session, &info);
	must(at != MAP_FAILED, "mmap: %m");
	expect(mprotect(at, len, PROT_READ | PROT_WRITE) && errno == EACCES,
	       "mprotect made the producer writable: %m");
	expect(mprotect(at, page_size(), PROT_WRITE) && errno == EACCES,
	       "mprotect made the producer page writable: %m");
}

static void private_maps_are_refused(const void *arg)
{
	size_t page = page_size();

	(void)arg;
	begin();
	expect_no_map(page, PROT_READ | PROT_WRITE, MAP_PRIVATE, info.consumer, EINVAL,
		      "private consumer");
	expect_no_map(page, PROT_READ, MAP_PRIVATE, info.consumer, EINVAL,
		      "private consumer, read-only");
	expect_no_map(page + RING_SIZE, PROT_READ, MAP_PRIVATE, info.producer, EINVAL,
		      "private producer");
	expect_no_map(page + RING_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, info.producer,
		      EINVAL, "private writable producer");
}

static sigjmp_buf fault;

static void on_fault(int sig)
{
	siglongjmp(fault, sig);
}

static void store_to_producer_faults(const void *arg)
{
	volatile struct ucore_ring_producer *producer;
	struct ring ring;
	int sig;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	producer = (void *)ring.producer;
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	sig = sigsetjmp(fault, 1);
	if (!sig) {
		producer->head = 1;
		fail("a store to the producer page went through");
	}
	expect_eq(sig, SIGSEGV);
	expect_eq(ring_head(&ring), 0);
}

/* Ways around the page table: the kernel writes on the caller's behalf */
static void kernel_refuses_writes_to_producer(const void *arg)
{
	struct ring ring;
	uint64_t evil = 0x1234;
	int mem = open("/proc/self/mem", O_RDWR), zero = open("/dev/zero", O_RDONLY);

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	expect(pwrite(mem, &evil, sizeof(evil), (uintptr_t)ring.producer) < 0,
	       "/proc/self/mem writes to the producer page");
	expect(read(zero, (void *)ring.producer, 8) < 0 && errno == EFAULT,
	       "read() writes to the producer page");
	expect_eq(ring_head(&ring), 0);
	expect_eq(ring_lost(&ring), 0);
}

/* A larger mapping would show the memory behind the ring */
static void mremap_does_not_grow(const void *arg)
{
	size_t page = page_size();
	struct ring ring;
	void *at;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	at = mremap(ring.consumer, page, 2 * page, MREMAP_MAYMOVE);
	expect(at == MAP_FAILED, "the consumer page grew");
	at = mremap((void *)ring.producer, page + RING_SIZE, 2 * (page + RING_SIZE),
		    MREMAP_MAYMOVE);
	expect(at == MAP_FAILED, "the producer's map grew");
}

static void mremap_moves(const void *arg)
{
	size_t page = page_size(), len = page + RING_SIZE;
	struct ring ring;
	void *to, *at;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	to = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	at = mremap((void *)ring.producer, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (at == MAP_FAILED)
		return;		/* refusing is fine, too */
	ring.producer = at;
	ring.data = (char *)at + page;
	session_start(session);
	wait_for(ring_head(&ring) > 0);
	ring_wait_sample(&ring, NULL);
	/* unmap a part; the other part stays */
	munmap((char *)at + page, page);
	wait_for(ring_head(&ring) > RING_SIZE / 2);
}

static void in_the_child(struct ring *ring)
{
	signal(SIGSEGV, SIG_DFL);
	ring->consumer->tail = ring_head(ring);
	_exit(0);
}

static void fork_shares_or_loses(const void *arg)
{
	struct audit audit = { .nr_values = 1 };
	struct ring ring;
	int status;
	pid_t pid;

	(void)arg;
	begin();
	audit.domain = domain;
	ring = ring_map(session, domain);
	session_start(session);
	pid = fork();
	if (!pid)
		in_the_child(&ring);
	must(waitpid(pid, &status, 0) == pid, "waitpid: %m");
	expect(!status || (WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV),
	       "the child: status %#x", status);
	/* the end of the child leaves the parent's descriptors and mappings unchanged */
	wait_for(audit_ring(&audit, &ring) && audit.samples > 5);
	session_stop(session);
	audit_finish(&audit, &ring, session);
}

/* Consume all records of the ring */
static void drain(struct ring *ring)
{
	while (ring_next(ring))
		ring_release(ring);
}

/*
 * A mapping keeps the session open as a descriptor does. The session counts and its box stays
 * claimed until the last mapping is removed.
 */
static void map_outlives_descriptor(const void *arg)
{
	struct ring ring;
	uint64_t id;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	session_start(session);
	wait_for(ring_head(&ring) > 0);
	id = session_status(session).session;
	close(session);
	for (int i = 0; i < 3; i++) {
		drain(&ring);
		ring_wait_sample(&ring, NULL);
	}
	expect_eq(box_get(imc).owner, id);
	munmap(ring.consumer, page_size());
	wait_for(ring_head(&ring) > ring.tail);
	expect_eq(box_get(imc).owner, id);
	munmap((void *)ring.producer, page_size() + RING_SIZE);
	expect_eq(box_get(imc).owner, 0);
}

/* After STOP and close the ring stays constant, and the box stays claimed until the unmap */
static void map_of_stopped_session_stays_constant(const void *arg)
{
	struct ring ring;
	uint64_t head;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	session_start(session);
	wait_for(ring_head(&ring) > 0);
	session_stop(session);
	close(session);
	head = ring_head(&ring);
	usleep(20000);
	expect_eq(ring_head(&ring), head);
	expect(box_get(imc).owner != 0, "the box is given back with the ring mapped");
	ring_unmap(&ring);
	expect_eq(box_get(imc).owner, 0);
}

static void ring_can_be_unmapped_while_running(const void *arg)
{
	struct ring ring;
	uint64_t samples;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	session_start(session);
	wait_for(ring_head(&ring) > 0);
	ring_unmap(&ring);
	samples = session_status(session).samples;
	wait_for(session_status(session).samples > samples + 20);
	ring = ring_map(session, domain);
	expect(ring_head(&ring) > 0, "the ring was lost with its mapping");
}

static void advice_in_a_child(int advice)
{
	struct ring ring = ring_map(session, domain);
	int status;
	pid_t pid = fork();

	if (!pid) {
		ring = ring_map(session, domain);
		madvise(ring.consumer, page_size(), advice);
		madvise((void *)ring.producer, page_size() + RING_SIZE, advice);
		ring.consumer->tail = ring_head(&ring);
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid, "waitpid: %m");
	ring_unmap(&ring);
}

/* Each advice either fails or affects only the caller's mapping */
static void madvise_affects_only_the_caller(const void *arg)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_REMOVE, MADV_FREE, MADV_PAGEOUT, MADV_COLD,
		MADV_DOFORK, MADV_HUGEPAGE, MADV_MERGEABLE, MADV_WIPEONFORK,
	};
	struct ring ring;
	uint64_t head;

	(void)arg;
	begin();
	ring = ring_map(session, domain);
	session_start(session);
	for (unsigned int i = 0; i < ARRAY_SIZE(advice); i++)
		advice_in_a_child(advice[i]);
	head = ring_head(&ring);
	ring.tail = head;
	ring_release(&ring);
	wait_for(ring_head(&ring) > head);
	expect(ring_next(&ring), "no record");
}

static const struct test tests[] = {
	{ "absent_ring_is_refused", absent_ring_is_refused, 0, 0 },
	{ "ring_offsets_do_not_overlap", ring_offsets_do_not_overlap, 0, 0 },
	{ "documented_maps_work", documented_maps_work, 0, 0 },
	{ "maps_of_wrong_size_are_refused", maps_of_wrong_size_are_refused, 0, 0 },
	{ "maps_at_wrong_offset_are_refused", maps_at_wrong_offset_are_refused, 0, 0 },
	{ "producer_is_read_only", producer_is_read_only, 0, 0 },
	{ "private_maps_are_refused", private_maps_are_refused, 0, 0 },
	{ "store_to_producer_faults", store_to_producer_faults, 0, 0 },
	{ "kernel_refuses_writes_to_producer", kernel_refuses_writes_to_producer, 0, 0 },
	{ "mremap_does_not_grow", mremap_does_not_grow, 0, 0 },
	{ "mremap_moves", mremap_moves, 0, 0 },
	{ "fork_shares_or_loses", fork_shares_or_loses, 0, 0 },
	{ "map_outlives_descriptor", map_outlives_descriptor, 0, 0 },
	{ "map_of_stopped_session_stays_constant", map_of_stopped_session_stays_constant, 0, 0 },
	{ "ring_can_be_unmapped_while_running", ring_can_be_unmapped_while_running, 0, 0 },
	{ "madvise_affects_only_the_caller", madvise_affects_only_the_caller, 0, 0 },
};

int main(int argc, char **argv)
{
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
