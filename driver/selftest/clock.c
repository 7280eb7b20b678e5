// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits of the self-tests, in which a counter counts. Part of the selftest layer.
 *
 * Boxes of client processors have no event that counts clocks. Their events count requests to the
 * last-level cache and to memory, which a wait therefore makes. All functions run with interrupts
 * off.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <asm/special_insns.h>

#include "selftest/clock.h"

/* Time for which a counter counts clocks (us). A clock of 100 MHz has 500 cycles in this time. */
#define CLOCK_US	5

/*
 * Least time for which a counter counts requests (us), and least number of reads of all lines. A
 * slice of the last-level cache has at least four of the lines.
 */
#define TRAFFIC_US	20
#define PASSES		8

/*
 * Memory that the requests read. The lines of a page are spread over all slices of the last-level
 * cache.
 */
#define LINE		64
static u8 lines[64 * LINE] __aligned(LINE);

/* Read lines from memory: remove them from all caches first. */
static void make_traffic(void)
{
	u32 i;

	for (i = 0; i < sizeof(lines); i += LINE)
		clflush(&lines[i]);
	mb();	/* no read may be answered by a cache that the line is about to leave */
	for (i = 0; i < sizeof(lines); i += LINE)
		READ_ONCE(lines[i]);
}

/*
 * Number of clocks or memory requests after which a preloaded counter overflows. They take less
 * time than ucore_clock_wait(), so that the message of the overflow has arrived at the end of this
 * time.
 */
#define OVERFLOW_CLOCKS		64
#define OVERFLOW_REQUESTS	16

/**
 * ucore_clock_preload() - let a counter overflow after a few clocks or memory requests
 * @box: box
 * @clock: its counter, of ucore_clock_find_own() or ucore_clock_find_general(); stopped
 */
void ucore_clock_preload(const struct ucore_box *box, const struct ucore_clock *clock)
{
	u64 last = GENMASK_ULL(ucore_box_width(box, ucore_clock_is_fixed(box)) - 1, 0);

	box->io.ops->write64(&box->io, clock->ctr,
			     last - (clock->traffic ? OVERFLOW_REQUESTS : OVERFLOW_CLOCKS));
}

/**
 * ucore_clock_wait() - wait while counters count
 * @traffic: also make memory requests, for counters that count these
 */
void ucore_clock_wait(bool traffic)
{
	u64 start = ktime_get_mono_fast_ns();
	u32 passes = 0;

	if (!traffic) {
		udelay(CLOCK_US);
		return;
	}
	do {
		make_traffic();
	} while (++passes < PASSES ||
		 ktime_get_mono_fast_ns() - start < TRAFFIC_US * NSEC_PER_USEC);
}
