// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses to a domain's global control that are legal in an NMI: count the overflow bits of
 * the global status, and freeze the counters of a core. Part of the cpu layer. The functions
 * run in any context, without a lock.
 */
#include <linux/bitops.h>
#include <linux/io.h>

#include "box/domain_global_ctl.h"
#include "compat.h"
#include "cpu/global_ctl_in_nmi.h"
#include "find/desc.h"
#include "ucore_trace.h"

/*
 * Read a global status register by MMIO or as an MSR. The domain's I/O operations cannot be
 * used, because their tally is not NMI-safe. PCI accesses are not needed, because a domain with
 * its global control in PCI config space has no PMI.
 */
static u64 status_read(const struct ucore_global *global, const struct ucore_io *io, u32 reg)
{
	u64 status;

	if (global->size) {
		status = readq(io->mmio + reg);
		trace_ucore_reg(UCORE_ACCESS_MMIO, false, io->phys + reg, status);
		return status;
	}
	if (rdmsrq_safe(reg, &status))
		status = UCORE_REG_DEAD;
	trace_ucore_reg(UCORE_ACCESS_MSR, false, reg, status);
	return status;
}

/* Count the overflow bits in the status of one global control. */
static u32 count_in(const struct ucore_domain *domain, const struct ucore_global *global,
		    const struct ucore_io *io)
{
	u64 armed = READ_ONCE(domain->armed_mask), status;
	u32 i, n = 0;

	for (i = 0; i < global->nr_status; i++) {
		status = status_read(global, io, global->status + i * global->status_stride);
		if (status == UCORE_REG_DEAD)
			continue;
		/* the status may also have bits of counters that ucore has not armed */
		n += hweight64(global->enables || (global->wraps && armed) ? status & armed :
			       ucore_global_ctl_overflows(global, status));
	}
	return n;
}

/**
 * ucore_overflow_count() - count the overflow bits in the status of all global controls
 * @domain: a domain with a global control
 *
 * Return: the number of status bits set.
 */
u32 ucore_overflow_count(const struct ucore_domain *domain)
{
	u32 i, n;

	if (domain->gate)
		return hweight64(ucore_soft_global_status_in_nmi(domain->gate) &
				 READ_ONCE(domain->armed_mask));
	n = count_in(domain, domain->global, &domain->io);
	for (i = 0; i < domain->nr_further; i++)
		n += count_in(domain, domain->further[i].global, &domain->further[i].io);
	return n;
}

/**
 * ucore_overflow_freeze() - freeze the core counters of this CPU after an overflow
 * @domain: the domain of this CPU
 *
 * An overflow of a core counter does not freeze the counters by itself.
 */
void ucore_overflow_freeze(const struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;

	if (domain->gate) {
		ucore_soft_global_freeze_in_nmi(domain->gate);
		return;
	}
	wrmsrq_safe(global->ctl, global->freeze);
	trace_ucore_reg(UCORE_ACCESS_MSR, true, global->ctl, global->freeze);
}
