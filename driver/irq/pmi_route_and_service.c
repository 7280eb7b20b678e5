// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflow interrupt (PMI): its route to CPUs, and the service of a domain's overflows. Part
 * of the irq layer. The service runs in hard-IRQ context under the domain's lock, the routing
 * in process context with CPU hotplug held off.
 *
 * An overflow freezes the domain and sends a PMI to the cores of pmi_core_sel. All threads of
 * such a core receive it as an NMI by the LVTPC entry of their local APICs. The core counters
 * of perf raise the same NMI.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/smp.h>

#include "box/core_select.h"
#include "box/freeze.h"
#include "compat.h"
#include "cpu/budget.h"
#include "cpu/nmi_handler.h"
#include "find/desc.h"
#include "irq/overflow_poll.h"
#include "irq/pmi_route_and_service.h"
#include "sample/parallel_read.h"
#include "sample/readout.h"

/*
 * Number of PMIs that may be lost in a row before the PMI is routed to all cores: MAX_LOSSES if a
 * PMI has arrived at the core whose number pmi_core_sel selects, and MAX_LOSSES_UNPROVEN
 * otherwise. One PMI is no final proof of the core number, because an NMI of perf may have been
 * taken for the PMI. One loss is no proof of a wrong core number, because other software may have
 * disabled PMIs on the CPU. After a loss PMIs are enabled again on the CPUs of the route. If the
 * PMI was routed to all cores before, no loss is allowed.
 */
#define MAX_LOSSES	8
#define MAX_LOSSES_UNPROVEN	1

/*
 * ---- service of overflows ----
 */

/*
 * Begin to charge the CPU time of an overflow service to this CPU. The wait for the domain's lock
 * is included, and the time of the NMI if the PMI arrived on this CPU.
 */
static void service_enter(const struct ucore_pmi_regs *context, u64 now)
{
	ucore_budget_enter(context && context->cpu == raw_smp_processor_id() ?
			   min(context->time, now) : now);
}

static void pmi_service(struct irq_work *work)
{
	struct ucore_domain *domain = container_of(work, struct ucore_domain, pmi.work);
	u64 now = ktime_get_mono_fast_ns();
	const struct ucore_pmi_regs *context;
	struct ucore_readout ro;
	u64 seq;

	raw_spin_lock(&domain->lock);
	seq = domain->pmi.seq;
	context = ucore_nmi_context(domain);
	service_enter(context, now);
	if (context) {
		/* only a PMI at the selected core proves that pmi_core_sel has the right number */
		domain->pmi.proven |= !domain->pmi.wide &&
				      cpumask_test_cpu(context->cpu, &domain->pmi.cpus);
		domain->pmi.losses = 0;
	}
	/* a timer, a READ or the watchdog may have serviced the overflow since the NMI */
	if (domain->armed && (context || ucore_domain_status(domain))) {
		ucore_readout_begin_overflow(&ro, domain, context ? context->time :
					     ktime_get_mono_fast_ns(), false);
		ucore_readout_end(&ro);
	}
	/*
	 * Nothing was serviced. Count a service nevertheless, so that the next PMI has another
	 * sequence number (pmi.seq).
	 */
	if (context && domain->pmi.seq == seq) {
		ucore_nmi_service_begin(domain);
		ucore_nmi_service_end(domain);
	}
	/* unmask the LVTPC of a core, even if no overflow was left to be serviced */
	ucore_nmi_open(domain);
	ucore_budget_leave();
	raw_spin_unlock(&domain->lock);
}

/*
 * ---- route of the PMI to CPUs ----
 */

/*
 * Return true if the PMI is routed to all cores, because the reader's core cannot be selected
 * or the selection does not work.
 */
static bool route_is_wide(const struct ucore_domain *domain)
{
	return domain->pmi.wide || (!domain->pmi.reach &&
				    !ucore_core_select_possible(domain, domain->reader));
}

/*
 * Return the bit that selects the reader's core. If a trial has shown that no bit does, return that
 * of another core, if possible of one that is not isolated. Any CPU can begin a service.
 */
static u64 reader_bit(const struct ucore_domain *domain)
{
	u64 bit = ucore_core_select_bit(domain, domain->reader), other;
	int cpu;

	if (bit || !domain->pmi.reach)
		return bit;
	for_each_cpu_and(cpu, ucore_domain_cpus(domain), cpu_online_mask) {
		if (cpu == domain->leaving || !ucore_domain_has_cpu(domain, cpu))
			continue;
		other = ucore_core_select_bit(domain, cpu);
		if (other && !ucore_parallel_cpu_is_isolated(cpu))
			return other;
		bit = bit ?: other;
	}
	return bit;
}

/* Return the global control bits that select the cores for the PMI and wake sleeping cores. */
static u64 route_bits(const struct ucore_domain *domain)
{
	u64 bits = reader_bit(domain);
	int cpu;

	if (route_is_wide(domain))
		return ucore_core_select_mask(domain) | domain->global->wake;
	for_each_cpu(cpu, &domain->pin_cpus)
		bits |= ucore_core_select_bit(domain, cpu);
	return bits | domain->global->wake;
}

/* Return true if the PMI can be routed: true for a die, false for a CPU's core counters. */
static bool has_route(const struct ucore_domain *domain)
{
	return domain->scope == UCORE_SCOPE_DIE;
}

/*
 * Return true if the CPU receives the domain's PMI with the present route. All threads of a core
 * receive the core's PMI. If no trial has shown which CPUs the bits reach, a PMI that is routed to
 * all cores is expected on each CPU.
 */
static bool cpu_in_route(const struct ucore_domain *domain, int cpu)
{
	if (!ucore_domain_has_cpu(domain, cpu))
		return false;
	if (!has_route(domain) || (route_is_wide(domain) && !domain->pmi.reach))
		return true;
	return ucore_core_select_reaches(domain, route_bits(domain), cpu);
}

/**
 * ucore_pmi_wanted() - check whether an overflow of the domain must send a PMI
 * @domain: the domain; its list of contexts cannot change
 *
 * Return: true if counters are armed, and a session needs a PMI for its overflows. The PMI then
 * serves all sessions of the domain.
 */
bool ucore_pmi_wanted(const struct ucore_domain *domain)
{
	return domain->armed && !ucore_overflow_poll_ns(domain);
}

static void route_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_domain_set_route(domain, route_bits(domain));
	raw_spin_unlock(&domain->lock);
}

static void unroute_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_domain_set_route(domain, 0);
	raw_spin_unlock(&domain->lock);
}

/* Prepare a CPU of a die for misrouted PMIs, which arrive although another core is selected. */
static void expect_misrouted(struct ucore_domain *domain, int cpu)
{
	if (has_route(domain) && ucore_domain_has_cpu(domain, cpu))
		ucore_nmi_expect(domain, cpu);
}

/**
 * ucore_pmi_enable_cpu() - enable the PMI on a CPU that came online
 * @domain: the domain
 * @cpu: CPU of @domain. A CPU outside the route is only prepared for misrouted PMIs.
 */
void ucore_pmi_enable_cpu(struct ucore_domain *domain, int cpu)
{
	if (!ucore_pmi_wanted(domain))
		return;
	expect_misrouted(domain, cpu);
	if (!cpu_in_route(domain, cpu))
		return;
	cpumask_set_cpu(cpu, &domain->pmi.cpus);
	ucore_budget_run_on(cpumask_of(cpu), ucore_nmi_enable_here, domain);
}

/**
 * ucore_pmi_disable_cpu() - disable the PMI on a CPU that goes offline
 * @domain: the domain
 * @cpu: a CPU of @domain
 */
void ucore_pmi_disable_cpu(struct ucore_domain *domain, int cpu)
{
	if (!cpumask_test_and_clear_cpu(cpu, &domain->pmi.cpus))
		return;
	ucore_budget_run_on(cpumask_of(cpu), ucore_nmi_disable_here, domain);
}

/**
 * ucore_pmi_enable() - enable the PMI of a domain on its target CPUs, and set the route
 * @domain: the domain, which has a reader
 *
 * PMIs are enabled on the CPUs before the route is set, so that no PMI arrives while the LVTPC
 * entry is masked.
 */
void ucore_pmi_enable(struct ucore_domain *domain)
{
	bool several;
	int cpu;

	for_each_cpu_and(cpu, ucore_domain_cpus(domain), cpu_online_mask) {
		if (cpu == domain->leaving)
			continue;
		expect_misrouted(domain, cpu);
		if (cpu_in_route(domain, cpu))
			cpumask_set_cpu(cpu, &domain->pmi.cpus);
	}
	domain->pmi.enabled = true;
	several = has_route(domain) && (route_is_wide(domain) || domain->pmi.reach);
	WRITE_ONCE(domain->pmi.spread, several ? cpumask_weight(&domain->pmi.cpus) : 1);
	ucore_budget_run_on(&domain->pmi.cpus, ucore_nmi_enable_here, domain);
	if (has_route(domain))
		ucore_budget_run(domain, route_here, domain);
}

/*
 * Route the PMI to the reader and the chosen cores only, not to all cores, when the route is set
 * the next time. Called while no overflow needs a PMI.
 */
static void route_narrow(struct ucore_domain *domain)
{
	domain->pmi.wide = false;
	domain->pmi.losses = 0;
}

/**
 * ucore_pmi_disable() - clear the route of a domain's PMI, and disable the PMI on its targets
 * @domain: the domain
 */
void ucore_pmi_disable(struct ucore_domain *domain)
{
	if (!ucore_pmi_wanted(domain))
		route_narrow(domain);
	if (!domain->pmi.enabled)
		return;
	domain->pmi.enabled = false;
	if (has_route(domain))
		ucore_budget_run(domain, unroute_here, domain);
	ucore_budget_run_on(&domain->pmi.cpus, ucore_nmi_disable_here, domain);
	cpumask_clear(&domain->pmi.cpus);
}

/**
 * ucore_pmi_sync() - wait until no service of a domain is queued or in progress
 * @domain: the domain, not locked
 */
void ucore_pmi_sync(struct ucore_domain *domain)
{
	irq_work_sync(&domain->pmi.work);
}

static void hold_here(void *arg)
{
	struct ucore_domain *domain = arg;
	struct ucore_readout ro;

	raw_spin_lock(&domain->lock);
	ucore_readout_begin(&ro, domain, ktime_get_mono_fast_ns());
	domain->freeze_count++;
	ucore_readout_end(&ro);
	raw_spin_unlock(&domain->lock);
}

/**
 * ucore_pmi_hold() - service pending overflows, and keep the domain frozen
 * @domain: the domain, whose route or reader is about to change
 *
 * No overflow is lost, because no counter counts while no CPU takes the domain's PMI.
 */
void ucore_pmi_hold(struct ucore_domain *domain)
{
	ucore_budget_run(domain, hold_here, domain);
}

static void release_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_overflow_poll_start(domain);
	ucore_unfreeze_domain(domain, true);
	raw_spin_unlock(&domain->lock);
}

/**
 * ucore_pmi_release() - end ucore_pmi_hold()
 * @domain: the domain. If its PMI is disabled now, the global status is polled
 */
void ucore_pmi_release(struct ucore_domain *domain)
{
	ucore_budget_run(domain, release_here, domain);
}

/**
 * ucore_pmi_require() - enable the PMI of a domain for a context that is about to start
 * @domain: the domain, whose global status may be polled until now
 */
void ucore_pmi_require(struct ucore_domain *domain)
{
	bool polled = domain->pmi.poll_ns;

	if (polled) {
		ucore_pmi_hold(domain);
		ucore_overflow_poll_stop(domain);
	}
	ucore_pmi_enable(domain);
	if (polled)
		ucore_pmi_release(domain);
}

/**
 * ucore_pmi_settle() - disable the PMI of a domain after a STOP, unless an overflow needs it
 * @domain: the domain. If its other contexts need no PMI, the global status is polled
 */
void ucore_pmi_settle(struct ucore_domain *domain)
{
	bool armed = domain->armed && domain->pmi.enabled;

	ucore_overflow_poll_settle(domain);
	if (ucore_pmi_wanted(domain))
		return;
	if (armed)
		ucore_pmi_hold(domain);
	ucore_pmi_disable(domain);
	if (armed)
		ucore_pmi_release(domain);
}

/*
 * Route the PMI to all cores. pmi_core_sel numbers physical cores in a way that no manual
 * defines. If no PMI arrives at the core selected by the kernel's core id, all cores are selected,
 * because any CPU of the domain can do the service.
 *
 * No other reader is tried first. A reader that sessions chose must stay. An elected reader
 * has a low core number, which is the same in all known numberings. With wrong numbers another
 * reader would fail, too, and each attempt freezes the domain for 20 ms. A PMI that arrives at
 * another core is serviced there (nmi_handler.c). Such a PMI is not lost and does not change
 * the route. While the PMI is routed to all cores, each PMI interrupts all CPUs of the die, so
 * that fewer PMIs are allowed (count_limit()).
 */
static void route_widen(struct ucore_domain *domain)
{
	if (!domain->pmi.widened)
		pr_info("domain %u: no PMI by core id, routing it to all cores\n", domain->id);
	domain->pmi.widened = true;
	domain->pmi.proven = false;
	domain->pmi.wide = true;
}

/* Return true if so many PMIs were lost that the PMI must be routed to all cores. */
static bool too_many_lost(const struct ucore_domain *domain)
{
	const struct ucore_pmi *pmi = &domain->pmi;
	u32 max = pmi->proven ? MAX_LOSSES : pmi->widened ? 0 : MAX_LOSSES_UNPROVEN;

	return pmi->losses > max && ucore_core_select_mask(domain);
}

/*
 * Set the route of a domain's PMI again after a loss, to all cores after too many losses. Runs as
 * a work, because the watchdog's timer callback cannot run functions on other CPUs.
 */
static void route_repair(struct work_struct *work)
{
	struct ucore_domain *domain = container_of(work, struct ucore_domain, pmi.mend);

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	if (ucore_pmi_wanted(domain) && !domain->pmi.wide && domain->reader != UCORE_NO_CPU) {
		if (too_many_lost(domain))
			route_widen(domain);
		ucore_pmi_enable(domain);
	}
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_pmi_lost() - enable the PMI of a domain again, after the loss of a PMI
 * @domain: the domain, locked; the overflow of the lost PMI has been serviced
 *
 * The PMI is enabled again on this CPU at once, on other CPUs of the route by a work.
 */
void ucore_pmi_lost(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	ucore_nmi_reopen(domain);
	domain->pmi.losses++;
	if (!domain->pmi.wide &&
	    (too_many_lost(domain) || cpumask_weight(&domain->pmi.cpus) > 1))
		schedule_work(&domain->pmi.mend);
}

void ucore_pmi_init(struct ucore_domain *domain)
{
	domain->pmi.work = IRQ_WORK_INIT_HARD(pmi_service);
	ucore_overflow_poll_init(domain);
	INIT_WORK(&domain->pmi.mend, route_repair);
}

void ucore_pmi_destroy(struct ucore_domain *domain)
{
	int cpu;

	for_each_possible_cpu(cpu)
		ucore_nmi_forget(domain, cpu);
	cancel_work_sync(&domain->pmi.mend);
	irq_work_sync(&domain->pmi.work);
}

