// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coexistence with the kernel's perf on core counters. Part of the cpu layer. Runs in process
 * context.
 *
 * perf and ucore use the kernel's reservation of performance registers (reserve_evntsel_nmi()).
 * perf reserves all event selects when its first hardware event begins, and releases them when
 * its last one ends. The event of the NMI watchdog is one of them. ucore reserves them
 * when a session claims the first core box, and releases them with the last core box.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "box/catalog.h"
#include "compat.h"
#include "cpu/pmc_reserve.h"
#include "hw/core.h"

/* Number of claimed core boxes, protected by the catalog's lock. */
static u32 users;

/*
 * Number of reserved event selects, protected by the catalog's lock. It is the largest number of
 * counters of all boxes that were claimed since the first one, because the cores of a hybrid
 * processor differ.
 */
static u32 reserved;

static void release_from(u32 first)
{
	while (reserved > first) {
		reserved--;
		release_evntsel_nmi(CORE_EVTSEL0 + reserved);
		release_perfctr_nmi(CORE_PMC0 + reserved);
	}
}

/*
 * Reserve an event select and its counter register. Both are needed: on CPUs with full-width
 * counter writes, perf checks the event select only.
 */
static bool reserve_one(u32 i)
{
	if (!reserve_evntsel_nmi(CORE_EVTSEL0 + i))
		return false;
	if (reserve_perfctr_nmi(CORE_PMC0 + i))
		return true;
	release_evntsel_nmi(CORE_EVTSEL0 + i);
	return false;
}

/* Reserve the first @nr event selects. */
static int reserve_up_to(u32 nr)
{
	u32 before = reserved;

	for (; reserved < nr; reserved++) {
		if (!reserve_one(reserved)) {
			release_from(before);
			return -EBUSY;
		}
	}
	return 0;
}

/**
 * ucore_pmc_reserve() - reserve the core counters for one more claimed core box
 * @nr: number of general counters of the box
 *
 * Return: 0, or -EBUSY if perf or another user has reserved the core counters.
 */
int ucore_pmc_reserve(u32 nr)
{
	int ret = reserve_up_to(nr);

	lockdep_assert_held(&ucore_catalog.lock);

	WRITE_ONCE(ucore_catalog.core_busy, ret);
	users += !ret;
	return ret;
}

/**
 * ucore_pmc_release() - end the reservation of the core counters by one core box
 *
 * The release for the last core box makes the counters available to perf.
 */
void ucore_pmc_release(void)
{
	lockdep_assert_held(&ucore_catalog.lock);

	if (!--users)
		release_from(0);
}
