// SPDX-License-Identifier: GPL-2.0-only
/*
 * The overflow interrupt: its route, and the service of a domain.
 *
 * An overflow freezes the domain and sends a PMI to the cores of pmi_core_sel;
 * every thread of such a core gets it through its local APIC's LVTPC entry, as
 * an NMI, the same that perf's own counters raise.
 */
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/smp.h>

#include "compat.h"
#include "find/desc.h"
#include "cpu/budget.h"
#include "cpu/nmi.h"
#include "irq/pmi.h"
#include "sample/sample.h"

/*
 * PMIs that may be lost in a row before they are routed to all cores.  One that came is
 * no proof of the route: it may have been perf's, at the right moment.  As long as none
 * came: one, for somebody may have cleared what the CPU needs to take it, which is set
 * again then; and none where that was tried in vain before.
 */
#define MAX_LOSSES	8
#define MAX_LOSSES_UNPROVEN	1

/*
 * ---- service ----
 */

/* Whoever waits for the domain's lock has the CPU; the NMI had it before, if it came here. */
static void charge_from(const struct ucore_pmi_regs *context, u64 now)
{
	ucore_budget_enter(context && context->cpu == raw_smp_processor_id() ?
			   min(context->time, now) : now);
}

static void pmi_service(struct irq_work *work)
{
	struct ucore_domain *domain = container_of(work, struct ucore_domain, pmi.work);
	u64 now = ktime_get_mono_fast_ns();
	const struct ucore_pmi_regs *context;
	struct ucore_interval iv;
	u64 seq;

	raw_spin_lock(&domain->lock);
	seq = domain->pmi.seq;
	context = ucore_nmi_context(domain);
	charge_from(context, now);
	if (context) {
		/* to all cores it comes whatever their numbers are, or it went astray */
		domain->pmi.proven |= !domain->pmi.wide &&
				      cpumask_test_cpu(context->cpu, &domain->pmi.cpus);
		domain->pmi.losses = 0;
	}
	/* a timer, a READ or the guard may have serviced it meanwhile */
	if (domain->armed && (context || ucore_domain_status(domain))) {
		ucore_interval_begin_overflow(&iv, domain, context ? context->time :
					      ktime_get_mono_fast_ns(), false);
		ucore_interval_end(&iv);
	}
	/* nothing is armed yet, or no more, or it was forgotten: the next PMI has another name */
	if (context && domain->pmi.seq == seq) {
		ucore_nmi_service_begin(domain);
		ucore_nmi_service_end(domain);
	}
	/* whether there was something left to be serviced or not */
	ucore_nmi_open(domain);
	ucore_budget_leave();
	raw_spin_unlock(&domain->lock);
}

/*
 * ---- routing ----
 */

/* Is the PMI meant for this CPU?  For those that were chosen, else for the reader. */
static bool cpu_is_target(const struct ucore_domain *domain, int cpu)
{
	return cpu == domain->reader || cpumask_test_cpu(cpu, &domain->pin_cpus);
}

/* All cores are named where it is not known how to name one. */
static bool route_is_wide(const struct ucore_domain *domain)
{
	return domain->pmi.wide || !ucore_domain_cpu_selectable(domain, domain->reader);
}

/* Cores that global control must name, and the CPUs that then get the PMI. */
static u64 route_bits(const struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;
	u64 bits = ucore_domain_core_bit(domain, domain->reader);
	int cpu;

	if (route_is_wide(domain))
		return global->core_sel | global->wake;
	for_each_cpu(cpu, &domain->pin_cpus)
		bits |= ucore_domain_core_bit(domain, cpu);
	return bits | global->wake;
}

/* A CPU's own counters interrupt that CPU, whatever anybody says. */
static bool has_route(const struct ucore_domain *domain)
{
	return domain->scope == UCORE_SCOPE_DIE;
}

static bool cpu_in_route(const struct ucore_domain *domain, int cpu)
{
	int target;

	if (!ucore_domain_has_cpu(domain, cpu))
		return false;
	if (route_is_wide(domain) || cpu_is_target(domain, cpu))
		return true;
	/* both threads of a core get what the core gets */
	for_each_cpu(target, &domain->pin_cpus)
		if (topology_core_id(cpu) == topology_core_id(target))
			return true;
	return topology_core_id(cpu) == topology_core_id(domain->reader);
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

/* Whatever the route is, a PMI may come to any CPU of a die. */
static void expect(struct ucore_domain *domain, int cpu)
{
	if (has_route(domain) && ucore_domain_has_cpu(domain, cpu))
		ucore_nmi_expect(domain, cpu);
}

/**
 * ucore_pmi_enable_cpu() - let a CPU that came online take the PMI too
 * @domain: its domain
 * @cpu: the CPU; ignored unless the PMI is routed to it
 */
void ucore_pmi_enable_cpu(struct ucore_domain *domain, int cpu)
{
	if (!domain->armed)
		return;
	expect(domain, cpu);
	if (!cpu_in_route(domain, cpu))
		return;
	cpumask_set_cpu(cpu, &domain->pmi.cpus);
	ucore_budget_run_on(cpumask_of(cpu), ucore_nmi_enable_here, domain);
}

/**
 * ucore_pmi_disable_cpu() - a CPU is going offline
 * @domain: its domain
 * @cpu: the CPU
 */
void ucore_pmi_disable_cpu(struct ucore_domain *domain, int cpu)
{
	if (!cpumask_test_and_clear_cpu(cpu, &domain->pmi.cpus))
		return;
	ucore_budget_run_on(cpumask_of(cpu), ucore_nmi_disable_here, domain);
}

/**
 * ucore_pmi_enable() - open the way from the domain's overflows to its reader
 * @domain: the domain; has a reader
 *
 * The receiving CPUs first, then the route: no PMI may meet a closed door.
 */
void ucore_pmi_enable(struct ucore_domain *domain)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (cpu == domain->leaving)
			continue;
		expect(domain, cpu);
		if (cpu_in_route(domain, cpu))
			cpumask_set_cpu(cpu, &domain->pmi.cpus);
	}
	WRITE_ONCE(domain->pmi.spread, has_route(domain) && route_is_wide(domain) ?
				       cpumask_weight(&domain->pmi.cpus) : 1);
	ucore_budget_run_on(&domain->pmi.cpus, ucore_nmi_enable_here, domain);
	if (has_route(domain))
		ucore_budget_run(domain, route_here, domain);
}

/* Nothing is armed: whoever arms next begins with the cores that were chosen. */
static void narrow(struct ucore_domain *domain)
{
	domain->pmi.wide = false;
	domain->pmi.losses = 0;
}

/**
 * ucore_pmi_disable() - close it again
 * @domain: the domain
 */
void ucore_pmi_disable(struct ucore_domain *domain)
{
	if (!domain->armed)
		narrow(domain);
	if (cpumask_empty(&domain->pmi.cpus))
		return;
	if (has_route(domain))
		ucore_budget_run(domain, unroute_here, domain);
	ucore_budget_run_on(&domain->pmi.cpus, ucore_nmi_disable_here, domain);
	cpumask_clear(&domain->pmi.cpus);
}

/**
 * ucore_pmi_sync() - wait for a service that is under way or queued
 * @domain: the domain, not locked
 */
void ucore_pmi_sync(struct ucore_domain *domain)
{
	irq_work_sync(&domain->pmi.work);
}

/*
 * pmi_core_sel numbers physical cores, in a way that no manual spells out.  If
 * no PMI ever came by the kernel's core id, name all cores: any CPU of the domain
 * can do the service.
 *
 * No other reader is tried before.  Whom sessions chose is not to be replaced; who was
 * elected is the first CPU that suits, whose core has a low number, the same in any way of
 * numbering that is known; and with the numbers wrong one more is tried in vain, for each 20
 * ms of a frozen domain.  A PMI that comes to a core that was not meant is served there as it
 * is (nmi.c): then none is lost, and nothing is widened.  While it is wide a PMI interrupts
 * all CPUs: fewer are allowed (count_limit()).
 */
static void widen(struct ucore_domain *domain)
{
	if (!domain->pmi.widened)
		pr_info("domain %u: no PMI by core id, routing it to all cores\n", domain->id);
	domain->pmi.widened = true;
	domain->pmi.proven = false;
	domain->pmi.wide = true;
}

static bool too_many_lost(const struct ucore_domain *domain)
{
	const struct ucore_pmi *pmi = &domain->pmi;
	u32 max = pmi->proven ? MAX_LOSSES : pmi->widened ? 0 : MAX_LOSSES_UNPROVEN;

	return pmi->losses > max && ucore_domain_core_sel(domain);
}

/* What the guard cannot do: it concerns other CPUs. */
static void mend(struct work_struct *work)
{
	struct ucore_domain *domain = container_of(work, struct ucore_domain, pmi.mend);

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	if (domain->armed && !domain->pmi.wide && domain->reader != UCORE_NO_CPU) {
		if (too_many_lost(domain))
			widen(domain);
		ucore_pmi_enable(domain);
	}
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_pmi_lost() - an overflow was serviced whose PMI never came
 * @domain: the domain, locked
 *
 * This CPU is opened again at once, others that shall take the PMI by a work.
 */
void ucore_pmi_lost(struct ucore_domain *domain)
{
	ucore_nmi_reopen(domain);
	domain->pmi.losses++;
	if (!domain->pmi.wide &&
	    (too_many_lost(domain) || cpumask_weight(&domain->pmi.cpus) > 1))
		schedule_work(&domain->pmi.mend);
}

void ucore_pmi_init(struct ucore_domain *domain)
{
	domain->pmi.work = IRQ_WORK_INIT_HARD(pmi_service);
	INIT_WORK(&domain->pmi.mend, mend);
}

void ucore_pmi_destroy(struct ucore_domain *domain)
{
	int cpu;

	for_each_possible_cpu(cpu)
		ucore_nmi_forget(domain, cpu);
	cancel_work_sync(&domain->pmi.mend);
	irq_work_sync(&domain->pmi.work);
}

