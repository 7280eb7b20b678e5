// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coexistence with the kernel's perf on core counters. Part of the box layer. Runs in process
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
#include "box/pmc_reserve.h"
#include "compat.h"
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

/**
 * ucore_pmc_reserve() - reserve the core counters for one more claimed core box
 * @nr: number of general counters of a core
 *
 * Return: 0, or -EBUSY if perf or another user has reserved the core counters.
 */
int ucore_pmc_reserve(u32 nr)
{
	u32 i;

	lockdep_assert_held(&ucore_catalog.lock);

	for (i = 0; !users && i < nr; i++) {
		if (!reserve_one(i)) {
			release(i);
			return -EBUSY;
		}
	}
	users++;
	return 0;
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

/**
 * ucore_pmc_available() - check whether ucore has reserved the core counters or could do so
 *
 * A reservation covers all counters. Therefore a test of the first counter is sufficient.
 *
 * Return: false if another user has reserved the core counters.
 */
bool ucore_pmc_available(void)
{
	bool free;

	mutex_lock(&ucore_catalog.lock);
	free = users || reserve_one(0);
	if (free && !users)
		release(1);
	mutex_unlock(&ucore_catalog.lock);
	return free;
}
