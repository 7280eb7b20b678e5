// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coexistence with the kernel's perf on core counters. Part of the cpu layer. Runs in process
 * context.
 *
 * perf and ucore use the kernel's reservation of performance registers (reserve_evntsel_nmi()).
 * perf reserves all event selects when its first hardware event begins, which may be the event
 * of the NMI watchdog, and releases them when its last hardware event ends. ucore reserves them
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

static void release(u32 nr)
{
	while (nr--) {
		release_evntsel_nmi(CORE_EVTSEL0 + nr);
		release_perfctr_nmi(CORE_PMC0 + nr);
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

static int reserve_all(u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!reserve_one(i)) {
			release(i);
			return -EBUSY;
		}
	}
	return 0;
}

/**
 * ucore_pmc_reserve() - reserve the core counters for one more claimed core box
 * @nr: number of general counters of a core
 *
 * Return: 0, or -EBUSY if perf or another user has reserved the core counters.
 */
int ucore_pmc_reserve(u32 nr)
{
	int ret = users ? 0 : reserve_all(nr);

	lockdep_assert_held(&ucore_catalog.lock);

	WRITE_ONCE(ucore_catalog.core_busy, ret);
	users += !ret;
	return ret;
}

/**
 * ucore_pmc_release() - end the reservation of the core counters by one core box
 * @nr: number of general counters of a core
 *
 * The release for the last core box makes the counters available to perf.
 */
void ucore_pmc_release(u32 nr)
{
	lockdep_assert_held(&ucore_catalog.lock);

	if (!--users)
		release(nr);
}
