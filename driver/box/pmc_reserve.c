// SPDX-License-Identifier: GPL-2.0-only
/*
 * Living beside the kernel's perf: never on the same core counters at once.
 *
 * Both ask the kernel's reservation of performance registers, which is all or
 * nothing on perf's side: it reserves every event select for its first hardware
 * event (the NMI watchdog's is one) and releases them after its last.  So does
 * ucore, for the first core box that a session claims and after the last.
 * Process context.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>

#include "box/catalog.h"
#include "box/pmc_reserve.h"
#include "compat.h"
#include "hw/core.h"

/* Core boxes that sessions have; guarded by the catalog's lock. */
static u32 users;

static void release(u32 nr)
{
	while (nr--) {
		release_evntsel_nmi(CORE_EVTSEL0 + nr);
		release_perfctr_nmi(CORE_PMC0 + nr);
	}
}

/* One pair; perf looks at the event select alone where it writes counters whole. */
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
 * ucore_pmc_reserve() - have the cores' counters, for one more box
 * @nr: general counters of a core
 *
 * Return: 0, or -EBUSY if perf or somebody else has them.
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
 * ucore_pmc_release() - one box less; with the last one perf may have the counters
 * @nr: as in ucore_pmc_reserve()
 */
void ucore_pmc_release(u32 nr)
{
	lockdep_assert_held(&ucore_catalog.lock);

	if (!--users)
		release(nr);
}

/**
 * ucore_pmc_available() - could ucore have the counters now, or has it them?
 *
 * Whoever has one has all: the first tells.
 *
 * Return: false if somebody else has them.
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
