// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selection of the cores that receive the PMI of a domain: the bits of the global control in the
 * field pmi_core_sel. Part of the box layer.
 *
 * On servers bit n selects the core with the kernel's core id n. No source states which CPUs a bit
 * reaches on client processors, or that it reaches any. A trial finds out (cpu/pmi_trial.c). Before
 * it has passed, such a domain selects no core.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "box/catalog.h"
#include "box/core_select.h"
#include "box/domain_global_ctl.h"
#include "find/desc.h"

/**
 * ucore_core_select_mask() - get the bits of the global control that select cores for the PMI
 * @domain: domain
 *
 * Return: mask of the field pmi_core_sel, 0 if the domain cannot route a PMI.
 */
u64 ucore_core_select_mask(const struct ucore_domain *domain)
{
	if (!domain->global || (domain->pmi.reach && !READ_ONCE(domain->pmi.reached)))
		return 0;
	return domain->global->core_sel;
}

/* Return the bits of pmi_core_sel, from bit 0 on, whose PMI interrupts the CPU. */
static u64 bits_of(const struct ucore_domain *domain, int cpu)
{
	u32 core = topology_core_id(cpu);

	if (domain->pmi.reach)
		return READ_ONCE(domain->pmi.reach[cpu]) & ~UCORE_REACH_TRIED;
	return core < 64 ? BIT_ULL(core) : 0;
}

/**
 * ucore_core_select_bit() - get a bit of pmi_core_sel that selects a CPU's core
 * @domain: domain
 * @cpu: CPU of the domain
 *
 * Return: bit of the global control, 0 if no bit selects the core.
 */
u64 ucore_core_select_bit(const struct ucore_domain *domain, int cpu)
{
	u64 core_sel = ucore_core_select_mask(domain), bits;

	if (!core_sel)
		return 0;
	bits = bits_of(domain, cpu) << __ffs64(core_sel) & core_sel;
	return bits & -bits;
}

/**
 * ucore_core_select_possible() - check whether a CPU can receive the domain's PMI
 * @domain: domain
 * @cpu: CPU of the domain
 *
 * Return: true if pmi_core_sel has a bit for the CPU's core. Also true if the domain cannot
 * route a PMI, because then every CPU is equally suitable.
 */
bool ucore_core_select_possible(const struct ucore_domain *domain, int cpu)
{
	return !ucore_core_select_mask(domain) || ucore_core_select_bit(domain, cpu);
}

/**
 * ucore_core_select_reaches() - check whether a PMI interrupts a CPU
 * @domain: domain
 * @bits: bits of the global control that select the cores
 * @cpu: CPU of the domain
 *
 * Return: true if one of @bits selects the CPU's core.
 */
bool ucore_core_select_reaches(const struct ucore_domain *domain, u64 bits, int cpu)
{
	u64 core_sel = ucore_core_select_mask(domain);

	return core_sel && bits_of(domain, cpu) << __ffs64(core_sel) & core_sel & bits;
}

/**
 * ucore_core_select_works() - check whether PMIs of the domain interrupt a CPU
 * @domain: domain
 *
 * Return: true if the domain can route PMIs. If a trial has shown which CPUs they interrupt, one
 * of these must be online.
 */
bool ucore_core_select_works(const struct ucore_domain *domain)
{
	int cpu;

	if (!domain->pmi.reach)
		return ucore_core_select_mask(domain);
	for_each_online_cpu(cpu)
		if (ucore_domain_has_cpu(domain, cpu) && ucore_core_select_bit(domain, cpu))
			return true;
	return false;
}

/**
 * ucore_core_select_untried() - check whether a trial would show which CPUs PMIs reach
 * @domain: domain
 *
 * Return: true if no source states this, and a CPU of the domain is online that has not been tried.
 * False after several trials that gave no result for a CPU, and after an overflow whose freeze did
 * not end.
 */
bool ucore_core_select_untried(const struct ucore_domain *domain)
{
	int cpu;

	if (!domain->pmi.reach || READ_ONCE(domain->pmi.incomplete) >= UCORE_PMI_MAX_INCOMPLETE ||
	    READ_ONCE(ucore_catalog.overflow_sticks))
		return false;
	for_each_online_cpu(cpu)
		if (ucore_domain_has_cpu(domain, cpu) &&
		    !(READ_ONCE(domain->pmi.reach[cpu]) & UCORE_REACH_TRIED))
			return true;
	return false;
}
