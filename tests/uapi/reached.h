/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places of the driver that calls have reached, by KCOV, and the sequences of calls that led
 * there. All data are in memory shared by the processes. There are no locks, because a process
 * may be killed at any time.
 *
 * KCOV covers only code that is compiled for it, which is the driver in the lab's debug kernel.
 * KCOV records the code that a call itself executes. Interrupts and NMIs are not recorded, so
 * IPIs to other CPUs and timers are missing. Other kernel threads and the cleanup at the end of
 * a process are missing, too.
 */
#ifndef UAPI_REACHED_H
#define UAPI_REACHED_H

#include "harness.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/ioctl.h>

#define KCOV_FILE	"/sys/kernel/debug/kcov"
/* linux/kcov.h defines the first command with a long, whose size differs in 32-bit callers */
#define KCOV_INIT	_IOR('c', 1, uint64_t)
#define KCOV_BEGIN	_IO('c', 100)
#define KCOV_PCS	0

#define KCOV_WORDS	32768	/* words of the KCOV buffer, more than a call fills */
#define MAX_PLACES	(1U << 20)	/* entries, more than bytes of code in the module */
#define MAX_STEPS	(1U << 16)
#define MAX_WAYS	256
#define MAX_CALLS	128

/* A sequence: the random state of a process at its start and at each of its calls */
struct way {
	uint64_t nr, calls[MAX_CALLS];
};

/**
 * struct reached - data shared by all processes
 * @places: number of entries of @place that are not 0
 * @kept: number of stored sequences; @way has the latest
 * @way: sequences, each with a checksum, which is wrong if two processes wrote the entry or the
 *       writer was killed
 * @place: reached places, indexed by the lowest bits of the address
 * @step: hashes of pairs of consecutive places
 */
struct reached {
	atomic_ulong places, kept;
	struct {
		struct way way;
		uint64_t sum;
	} way[MAX_WAYS];
	atomic_uchar place[MAX_PLACES], step[MAX_STEPS];
};

struct tracer {
	int fd;
	uint64_t *area;		/* number of places, then the places; NULL without KCOV */
};

static inline struct tracer tracer_make(void)
{
	struct tracer tracer = { .fd = open(KCOV_FILE, O_RDWR | O_CLOEXEC) };

	if (tracer.fd < 0)
		return tracer;
	must(!ioctl(tracer.fd, KCOV_INIT, KCOV_WORDS), "KCOV_INIT_TRACE: %m");
	tracer.area = mmap(NULL, KCOV_WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED,
			   tracer.fd, 0);
	must(tracer.area != MAP_FAILED, "mmap of KCOV: %m");
	return tracer;
}

/* Trace the calls of this process until it ends. Then another process can use the tracer */
static inline void tracer_begin(const struct tracer *tracer)
{
	must(!tracer->area || !ioctl(tracer->fd, KCOV_BEGIN, KCOV_PCS), "KCOV_ENABLE: %m");
}

static inline void tracer_forget(const struct tracer *tracer)
{
	if (tracer->area)
		__atomic_store_n(tracer->area, 0, __ATOMIC_RELAXED);
}

static inline bool is_first(atomic_uchar *seen)
{
	return !atomic_load_explicit(seen, memory_order_relaxed) && !atomic_exchange(seen, 1);
}

/* Return true if the last call reached a new place */
static inline bool reached_more(struct reached *reached, const struct tracer *tracer)
{
	uint64_t n = tracer->area ? __atomic_load_n(tracer->area, __ATOMIC_RELAXED) : 0;
	uint64_t at, step, before = 0;
	bool more = false;

	for (uint64_t i = 1; i <= n && i < KCOV_WORDS; i++) {
		at = tracer->area[i];
		reached->places += is_first(&reached->place[at % MAX_PLACES]);
		step = (at ^ before << 7) * 0x9e3779b97f4a7c15ULL;
		more |= is_first(&reached->step[(step >> 32) % MAX_STEPS]);
		before = at;
	}
	return more;
}

static inline uint64_t way_sum(const struct way *way)
{
	uint64_t sum = way->nr;

	for (unsigned int i = 0; i < MAX_CALLS && i < way->nr; i++)
		sum = (sum ^ way->calls[i]) * 0x9e3779b97f4a7c15ULL;
	return sum;
}

static inline void way_keep(struct reached *reached, const struct way *way)
{
	unsigned int i = reached->kept++ % MAX_WAYS;

	reached->way[i].way = *way;
	reached->way[i].sum = way_sum(way);
}

/* Copy a stored sequence, selected by a random number; return false if it is incomplete */
static inline bool way_get(struct reached *reached, uint64_t which, struct way *way)
{
	unsigned long nr = reached->kept;
	unsigned int i;

	if (!nr)
		return false;
	i = which % (nr < MAX_WAYS ? nr : MAX_WAYS);
	*way = reached->way[i].way;
	return way->nr && way->nr <= MAX_CALLS && reached->way[i].sum == way_sum(way);
}

#endif
