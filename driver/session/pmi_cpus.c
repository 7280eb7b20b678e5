// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's choice of readers and of the CPUs that take PMIs, by SET_PMI_CPUS. Owns
 * session->pinned, and domain->pins, which is the number of sessions with a choice for the
 * domain. Part of the session layer, above hotplug/reader_cpu.c, which changes the readers.
 * Process context, with the session's lock held.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/sched.h>

#include "box/catalog.h"
#include "box/core_select.h"
#include "hotplug/reader_cpu.h"
#include "session/pmi_cpus.h"
#include "session/session_state.h"

static bool die_has_cpu(const struct ucore_domain *domain, u32 cpu)
{
	return domain->scope == UCORE_SCOPE_DIE && ucore_domain_has_cpu(domain, cpu);
}

/* Check whether a CPU can take the PMI of its die, and whether the caller may choose it. */
static int cpu_check(u32 cpu)
{
	u32 i;

	if (cpu >= nr_cpu_ids)
		return -ENOENT;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (!cpu_possible(cpu))
		return -ENOENT;
	/* a caller without CAP_SYS_NICE may choose only CPUs on which it may run */
	if (!cpumask_test_cpu(cpu, current->cpus_ptr) && !capable(CAP_SYS_NICE))
		return -EPERM;
	if (!cpu_online(cpu))
		return -EAGAIN;
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		if (die_has_cpu(&ucore_catalog.domains[i], cpu))
			return ucore_core_select_possible(&ucore_catalog.domains[i], cpu) ? 0 :
			       -ERANGE;
	return -ENOENT;
}

static int cpus_check(const u32 *cpus, u32 nr, struct cpumask *all)
{
	int ret;
	u32 i;

	for (i = 0; i < nr; i++) {
		ret = cpu_check(cpus[i]);
		if (ret)
			return ret;
		if (cpumask_test_and_set_cpu(array_index_nospec(cpus[i], nr_cpu_ids), all))
			return -EINVAL;
	}
	return 0;
}

/*
 * Set @mask to those of @cpus that belong to the domain. Return the first of them; UCORE_NO_CPU
 * if there is none.
 */
static int domain_choice(const struct ucore_domain *domain, const u32 *cpus, u32 nr,
			 struct cpumask *mask)
{
	int cpu, first = UCORE_NO_CPU;
	u32 i;

	cpumask_clear(mask);
	if (domain->scope != UCORE_SCOPE_DIE)
		return first;	/* do not compare @cpus with each of the machine's CPUs */
	for (i = 0; i < nr; i++) {
		cpu = array_index_nospec(cpus[i], nr_cpu_ids);
		if (!die_has_cpu(domain, cpu))
			continue;
		cpumask_set_cpu(cpu, mask);
		if (first == UCORE_NO_CPU)
			first = cpu;
	}
	return first;
}

/* Return true if another session has chosen other CPUs for the domain than @first and @mask. */
static bool is_pinned_otherwise(const struct ucore_session *session,
				const struct ucore_domain *domain, int first,
			   const struct cpumask *mask)
{
	bool mine = test_bit(domain->id, session->pinned);

	return domain->pins > mine && domain->pin_cpu != UCORE_NO_CPU &&
	       (domain->pin_cpu != first || !cpumask_equal(&domain->pin_cpus, mask));
}

static void domain_pin(struct ucore_session *session, struct ucore_domain *domain, int first,
		       const struct cpumask *mask)
{
	ucore_reader_choose(domain, first, mask);
	domain->pins += !__test_and_set_bit(domain->id, session->pinned);
}

/*
 * Apply the choice to all domains with a CPU of @cpus. Fail with -EBUSY and change no domain if
 * another session has made a different choice for one of them. The catalog's lock is held.
 */
static int domains_pin(struct ucore_session *session, const u32 *cpus, u32 nr,
		       struct cpumask *mask)
{
	struct ucore_domain *domain;
	int first;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		domain = &ucore_catalog.domains[i];
		first = domain_choice(domain, cpus, nr, mask);
		if (first != UCORE_NO_CPU && is_pinned_otherwise(session, domain, first, mask))
			return -EBUSY;
	}
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		domain = &ucore_catalog.domains[i];
		first = domain_choice(domain, cpus, nr, mask);
		if (first != UCORE_NO_CPU)
			domain_pin(session, domain, first, mask);
	}
	return 0;
}

/**
 * ucore_pmi_cpus_set() - choose readers and the CPUs that take PMIs
 * @session: the session, locked
 * @cpus: the CPUs; the first one of each die becomes its reader
 * @nr: length of @cpus
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_pmi_cpus_set(struct ucore_session *session, const u32 *cpus, u32 nr)
{
	cpumask_var_t mask;
	int ret;

	lockdep_assert_held(&session->lock);

	if (session->running)
		return -EBUSY;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	ret = cpus_check(cpus, nr, mask);
	if (!ret) {
		mutex_lock(&ucore_catalog.lock);
		ret = domains_pin(session, cpus, nr, mask);
		mutex_unlock(&ucore_catalog.lock);
	}
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	free_cpumask_var(mask);
	return ret;
}

/**
 * ucore_pmi_cpus_unset() - release the session's choice of CPUs
 * @session: the session, locked and stopped
 *
 * A domain for which no session has chosen CPUs any more keeps its present reader.
 */
void ucore_pmi_cpus_unset(struct ucore_session *session)
{
	struct ucore_domain *domain;
	u32 i;

	lockdep_assert_held(&session->lock);

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	for_each_set_bit(i, session->pinned, ucore_catalog.nr_domains) {
		domain = &ucore_catalog.domains[i];
		if (!--domain->pins)
			ucore_reader_choose(domain, UCORE_NO_CPU, cpu_none_mask);
	}
	bitmap_zero(session->pinned, ucore_catalog.nr_domains);
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}
