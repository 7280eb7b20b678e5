// SPDX-License-Identifier: GPL-2.0-only
/*
 * The overflow interrupt: from an NMI to the service of a domain.
 *
 * An overflow freezes the domain and sends a PMI to the cores of pmi_core_sel;
 * every thread of such a core gets it through its local APIC's LVTPC entry, as
 * an NMI, the same that perf's own counters raise.
 *
 * The NMI handler does the least: is it ours (one MSR read)?  Then note what
 * was interrupted, unmask LVTPC (the hardware masked it on delivery, and perf
 * unmasks it only if perf itself is active), queue the rest.  The rest runs in
 * hard-irq context: the counters are frozen, so nothing is lost by waiting,
 * and PCI config cycles are legal there and not in an NMI.
 *
 * Which NMI is whose: pmi.seq counts services, even when idle and odd while
 * one is under way.  A PMI is named by the odd value of its service.  Each CPU
 * claims each PMI at most once, also when it comes late, after another thread's
 * or the guard's service; so a second NMI with the status still set is perf's.
 */
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/nmi.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <asm/apic.h>

#include "compat.h"
#include "pmi.h"
#include "sample.h"

#define DEBUGCTL_UNCORE_PMI	BIT_ULL(13)	/* ENABLE_UNCORE_PMI */

#ifndef MSR_IA32_DEBUGCTLMSR
#define MSR_IA32_DEBUGCTLMSR	0x1d9
#endif

/*
 * PMIs lost in a row before they are routed to all cores.  One that came is no
 * proof of the route: it may have been perf's, at the right moment.
 */
#define MAX_LOSSES	8

/* How often the handler looks again when a service ends under its eyes. */
#define NMI_TRIES	4

/**
 * struct pmi_cpu - a CPU that may receive a domain's PMI
 * @domain: whose; NULL: none, and the handler has nothing to do
 * @claimed: last PMI that this CPU claimed
 * @lvtpc: LVTPC as found
 * @set_lvtpc: and to be restored
 * @set_debugctl: we enabled uncore PMIs here
 */
struct pmi_cpu {
	struct ucore_domain *domain;
	u64 claimed;
	u32 lvtpc;
	bool set_lvtpc;
	bool set_debugctl;
};

static DEFINE_PER_CPU(struct pmi_cpu, pmi_cpus);

/*
 * ---- NMI ----
 */

/**
 * struct claim - what an NMI may be
 * @pmi: name of the PMI
 * @count: overflows, 0 if it is serviced already
 * @again: it came during a service, which may have looked too early
 */
struct claim {
	u64 pmi;
	u32 count;
	bool again;
};

/*
 * Overflows in the global status.  Not by the domain's ops: their tally is not
 * for NMIs.  Config space is not for NMIs either: no PMI there.
 */
static u32 count_overflows(const struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;
	u32 i, reg, n = 0;
	u64 status;

	for (i = 0; i < global->nr_status; i++) {
		reg = global->status + i * global->status_stride;
		if (global->size)
			status = readq(domain->io.mmio + reg);
		else if (rdmsrq_safe(reg, &status))
			status = 0;
		if (status != UCORE_REG_DEAD)
			n += hweight64(status);
	}
	return n;
}

static void claim_look(struct ucore_domain *domain, struct claim *claim)
{
	u64 seq;
	int i;

	for (i = 0; i < NMI_TRIES; i++) {
		claim->again = false;
		seq = smp_load_acquire(&domain->pmi.seq);	/* pairs with service_end() */
		if (seq & 1) {
			claim->pmi = seq;
			claim->count = 0;
			claim->again = true;
			return;
		}
		claim->count = count_overflows(domain);
		smp_rmb();	/* the status belongs to seq, if seq is still the same */
		if (READ_ONCE(domain->pmi.seq) == seq)
			break;
	}
	if (claim->count)
		claim->pmi = seq + 1;
	else
		claim->pmi = seq ? seq - 1 : 0;	/* the last one, late */
}

static void context_stash(struct ucore_pmi *pmi, u64 name, struct pt_regs *regs)
{
	u64 taken = READ_ONCE(pmi->taken);

	if (taken >= name || cmpxchg(&pmi->taken, taken, name) != taken)
		return;		/* the core's other thread was first */
	pmi->context = (struct ucore_context){
		.time = ktime_get_mono_fast_ns(),
		.ip = instruction_pointer(regs),
		.user = user_mode(regs),
		.pid = current->tgid,
		.tid = current->pid,
		.cpu = raw_smp_processor_id(),
	};
	smp_store_release(&pmi->stashed, name);	/* context first: pmi_context() */
	irq_work_queue(&pmi->work);
}

static int pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_domain *domain = READ_ONCE(pc->domain);
	struct claim claim;

	if (!domain)
		return NMI_DONE;
	claim_look(domain, &claim);
	if (claim.pmi <= pc->claimed)
		return NMI_DONE;
	pc->claimed = claim.pmi;
	if (claim.count)
		context_stash(&domain->pmi, claim.pmi, regs);
	else if (claim.again)
		irq_work_queue(&domain->pmi.work);
	apic->write(APIC_LVTPC, APIC_DM_NMI);
	return claim.count ?: NMI_HANDLED;
}

/*
 * ---- service ----
 */

static void pmi_service(struct irq_work *work)
{
	struct ucore_domain *domain = container_of(work, struct ucore_domain, pmi.work);
	const struct ucore_context *context;
	struct ucore_interval iv;

	raw_spin_lock(&domain->lock);
	context = ucore_pmi_context(domain);
	if (context) {
		domain->pmi.proven = true;
		domain->pmi.losses = 0;
	}
	/* a timer, a READ or the guard may have serviced it meanwhile */
	if (domain->armed && (context || ucore_domain_status(domain))) {
		ucore_interval_begin_overflow(&iv, domain, context ? context->time :
					      ktime_get_mono_fast_ns(), false);
		ucore_interval_end(&iv);
	}
	raw_spin_unlock(&domain->lock);
}

/**
 * ucore_pmi_service_begin() - the overflows now seen are being serviced
 * @domain: the domain, locked
 */
void ucore_pmi_service_begin(struct ucore_domain *domain)
{
	WRITE_ONCE(domain->pmi.seq, domain->pmi.seq + 1);
	smp_wmb();	/* odd before the status changes: claim_look() */
}

/**
 * ucore_pmi_service_end() - they are acknowledged
 * @domain: the domain, locked
 */
void ucore_pmi_service_end(struct ucore_domain *domain)
{
	/* even after the status is clear: claim_look() */
	smp_store_release(&domain->pmi.seq, domain->pmi.seq + 1);
}

/**
 * ucore_pmi_context() - what the PMI now being serviced, or waiting, interrupted
 * @domain: the domain, locked
 *
 * Return: NULL if it has not arrived.
 */
const struct ucore_context *ucore_pmi_context(struct ucore_domain *domain)
{
	struct ucore_pmi *pmi = &domain->pmi;

	/* pairs with context_stash() */
	return smp_load_acquire(&pmi->stashed) == (pmi->seq | 1) ? &pmi->context : NULL;
}

/*
 * ---- routing ----
 */

static void enable_here(void *arg)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_domain *domain = arg;
	u64 debugctl;
	u32 lvtpc;

	/* a PMI of the past is not to be claimed late here */
	if (!pc->domain)
		pc->claimed = domain->pmi.seq & 1 ? domain->pmi.seq : max(domain->pmi.seq, 1ULL) - 1;

	if (!rdmsrq_safe(MSR_IA32_DEBUGCTLMSR, &debugctl) &&
	    !(debugctl & DEBUGCTL_UNCORE_PMI))
		pc->set_debugctl = !wrmsrq_safe(MSR_IA32_DEBUGCTLMSR,
						debugctl | DEBUGCTL_UNCORE_PMI);
	lvtpc = apic->read(APIC_LVTPC);
	if (lvtpc != APIC_DM_NMI) {
		/* with a core PMU Linux keeps LVTPC open: then leave it open */
		if (!pc->set_lvtpc && !boot_cpu_has(X86_FEATURE_ARCH_PERFMON)) {
			pc->lvtpc = lvtpc;
			pc->set_lvtpc = true;
		}
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	}
	WRITE_ONCE(pc->domain, domain);
}

static void disable_here(void *arg)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	u64 debugctl;

	if (pc->domain != arg)
		return;
	WRITE_ONCE(pc->domain, NULL);
	if (pc->set_debugctl && !rdmsrq_safe(MSR_IA32_DEBUGCTLMSR, &debugctl))
		wrmsrq_safe(MSR_IA32_DEBUGCTLMSR, debugctl & ~DEBUGCTL_UNCORE_PMI);
	if (pc->set_lvtpc)
		apic->write(APIC_LVTPC, pc->lvtpc);
	pc->set_debugctl = false;
	pc->set_lvtpc = false;
}

/* Cores that global control must name, and the CPUs that then get the PMI. */
static u64 route_bits(const struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;

	if (domain->pmi.wide || !ucore_domain_cpu_selectable(domain, domain->reader))
		return global->core_sel | global->wake;
	return ucore_domain_core_bit(domain, domain->reader) | global->wake;
}

static bool cpu_in_route(const struct ucore_domain *domain, int cpu)
{
	if (!ucore_domain_has_cpu(domain, cpu))
		return false;
	if (domain->pmi.wide || !ucore_domain_cpu_selectable(domain, domain->reader))
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

/**
 * ucore_pmi_enable_cpu() - let a CPU that came online take the PMI too
 * @domain: its domain
 * @cpu: the CPU; ignored unless the PMI is routed to it
 */
void ucore_pmi_enable_cpu(struct ucore_domain *domain, int cpu)
{
	if (!domain->armed || !cpu_in_route(domain, cpu))
		return;
	cpumask_set_cpu(cpu, &domain->pmi.cpus);
	smp_call_function_single(cpu, enable_here, domain, 1);
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
	smp_call_function_single(cpu, disable_here, domain, 1);
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

	for_each_online_cpu(cpu)
		if (cpu != domain->leaving && cpu_in_route(domain, cpu))
			cpumask_set_cpu(cpu, &domain->pmi.cpus);
	on_each_cpu_mask(&domain->pmi.cpus, enable_here, domain, true);
	ucore_domain_run(domain, route_here, domain);
}

/**
 * ucore_pmi_disable() - close it again
 * @domain: the domain
 */
void ucore_pmi_disable(struct ucore_domain *domain)
{
	if (cpumask_empty(&domain->pmi.cpus))
		return;
	ucore_domain_run(domain, unroute_here, domain);
	on_each_cpu_mask(&domain->pmi.cpus, disable_here, domain, true);
	cpumask_clear(&domain->pmi.cpus);
}

/*
 * pmi_core_sel numbers physical cores, in a way that no manual spells out.  If
 * no PMI ever came by the kernel's core id, name all cores: any CPU of the domain
 * can do the service.
 */
static void widen(struct work_struct *work)
{
	struct ucore_domain *domain = container_of(work, struct ucore_domain, pmi.widen);

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	if (domain->armed && !domain->pmi.wide && domain->reader != UCORE_NO_CPU) {
		pr_info("domain %u: no PMI by core id, routing it to all cores\n", domain->id);
		domain->pmi.wide = true;
		ucore_pmi_enable(domain);
	}
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_pmi_lost() - an overflow was serviced whose PMI never came
 * @domain: the domain, locked
 */
void ucore_pmi_lost(struct ucore_domain *domain)
{
	/* perhaps for a mask bit that nobody took back */
	if (this_cpu_read(pmi_cpus.domain) == domain)
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	if (++domain->pmi.losses > (domain->pmi.proven ? MAX_LOSSES : 0) && !domain->pmi.wide)
		schedule_work(&domain->pmi.widen);
}

void ucore_pmi_init(struct ucore_domain *domain)
{
	domain->pmi.work = IRQ_WORK_INIT_HARD(pmi_service);
	INIT_WORK(&domain->pmi.widen, widen);
}

void ucore_pmi_destroy(struct ucore_domain *domain)
{
	cancel_work_sync(&domain->pmi.widen);
	irq_work_sync(&domain->pmi.work);
}

/**
 * ucore_pmi_register() - listen to NMIs
 *
 * First in line: perf's handler would unmask LVTPC or clear the core's status
 * before we look.
 *
 * Return: 0 or -errno.
 */
int ucore_pmi_register(void)
{
	return register_nmi_handler(NMI_LOCAL, pmi_nmi, NMI_FLAG_FIRST, "ucore");
}

void ucore_pmi_unregister(void)
{
	unregister_nmi_handler(NMI_LOCAL, "ucore");
}
