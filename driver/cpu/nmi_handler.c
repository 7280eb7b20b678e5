// SPDX-License-Identifier: GPL-2.0-only
/*
 * NMI handlers: decide whether an NMI is a PMI of a domain, and record the interrupted
 * context. Owns each CPU's list of domains whose PMI it may receive. Part of the cpu layer.
 *
 * A handler reads the global status and sometimes port 61h, saves the interrupted context
 * (stash) and unmasks LVTPC. It queues the service, which reads the counters and clears the
 * status in hard-IRQ context (irq/pmi_route_and_service.c). No counts are lost before the
 * service, because the counters are frozen. PCI config cycles are illegal in an NMI.
 *
 * The hardware masks LVTPC on delivery, and perf unmasks LVTPC only while perf counts. For an
 * overflow of a core counter, LVTPC is unmasked after the status is cleared. Otherwise some
 * cores raise the interrupt without end.
 *
 * Each PMI has a number (pmi_numbers.c). pmi_nmi() decides on a target, a CPU that the PMI is
 * routed to. unknown_nmi() decides on other CPUs of the die, if neither perf, another handler nor
 * port 61h explains the NMI.
 *
 *   pmi.seq  status  PMI      target, new number  other CPU, new number  any CPU, known number
 *   -------  ------  -------  ------------------  ---------------------  ---------------------
 *   even     set     seq + 1  stash, service      stash, service         core: ours, die: (1)
 *   odd      any     seq      service once more   service once more      core: ours, die: (1)
 *   even     clear   seq - 1  ours if (2)         ours if (3)            ours if (1)
 *
 * "ours": the handler returns NMI_HANDLED. In all other cases: NMI_DONE, unless (1) holds.
 *
 * (1) A PMI is pending, port 61h reports no error, and the core's counters of perf do not explain
 *     the NMI. The claim takes one from the number of pending PMIs.
 * (2) The service ended less than a second ago, port 61h reports no error, and perf does not
 *     explain the NMI. Without the limit a CPU that missed a PMI would accept any later NMI
 *     instead.
 * (3) The service ended less than a second ago. No CPU has certainly received the PMI yet,
 *     because a READ or a STOP serviced the overflow, or the other thread of this core has received
 *     it.
 *
 * perf explains an NMI if a core counter has overflowed. If the status of the die is set, too, the
 * PMI is accepted and serviced at once, but its own NMI may still follow. It stays pending here,
 * and no other CPU takes it for received.
 *
 * While the status shows an overflow of a trial of the PMI (pmi_trial.c), a handler only records
 * the CPU that took the NMI.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/sched.h>
#include <asm/apic.h>
#include <asm/x86_init.h>

#include "box/domain_global_ctl.h"
#include "compat.h"
#include "cpu/global_ctl_in_nmi.h"
#include "cpu/nmi_handler.h"
#include "cpu/pmi_numbers.h"
#include "find/desc.h"
#include "hw/core.h"
#include "ucore_trace.h"

#define DEBUGCTL_UNCORE_PMI	BIT_ULL(13)	/* ENABLE_UNCORE_PMI: UNCERTAIN(debugctl) */

/* SERR and IOCHK bits of port 61h, and the value that a read of a missing port returns */
#define PORT_ERRORS	0xc0
#define NO_PORT		0xff

/* Maximum number of reads of the global status if services end during the reads */
#define MAX_TRIES	4

/**
 * struct pmi_cpu - state of a CPU that may receive PMIs
 * @slot: one entry for each scope: the domain of the CPU's die, and the CPU's own domain
 * @die: die whose PMI may be misrouted to this CPU; NULL if ucore has never enabled overflow
 *       interrupts on the die, or if the CPU is going offline
 * @lvtpc: value of LVTPC before ucore changed it
 * @set_lvtpc: ucore has changed LVTPC, and must restore @lvtpc
 * @set_debugctl: ucore has set the bit of IA32_DEBUGCTL that enables uncore PMIs on this CPU
 * @core_status: this CPU has IA32_PERF_GLOBAL_STATUS
 */
struct pmi_cpu {
	struct ucore_pmi_slot slot[UCORE_SCOPE_CPU + 1];
	struct ucore_domain *die;
	u32 lvtpc;
	bool set_lvtpc;
	bool set_debugctl;
	bool core_status;
};

static DEFINE_PER_CPU(struct pmi_cpu, pmi_cpus);

/*
 * ---- NMI ----
 */

/**
 * struct candidate - the PMI that may have caused an NMI
 * @pmi: number of the PMI (pmi.seq)
 * @count: number of overflow bits in the global status; 0 if the overflows are serviced already
 * @again: a service is in progress that may have read the status before this overflow; another
 *         service must follow
 */
struct candidate {
	u64 pmi;
	u32 count;
	bool again;
};

static void candidate_find(struct ucore_domain *domain, struct candidate *cand)
{
	u64 seq;
	int i;

	for (i = 0; i < MAX_TRIES; i++) {
		cand->again = false;
		/* pairs with ucore_nmi_service_end() */
		seq = smp_load_acquire(&domain->pmi.seq);
		if (seq & 1) {
			cand->pmi = seq;
			cand->count = 0;
			cand->again = true;
			return;
		}
		cand->count = ucore_overflow_count(domain);
		smp_rmb();	/* the status is that of seq if seq is unchanged */
		if (READ_ONCE(domain->pmi.seq) == seq)
			break;
	}
	/* without overflows: late arrival of the last PMI */
	cand->pmi = cand->count ? seq + 1 : max(seq, 1ULL) - 1;
}

static void context_stash(struct ucore_pmi *pmi, u64 number, struct pt_regs *regs)
{
	u64 stashing = READ_ONCE(pmi->stashing);

	if (stashing >= number || cmpxchg(&pmi->stashing, stashing, number) != stashing)
		return;		/* another CPU has saved the context of this PMI */
	pmi->context = (struct ucore_pmi_regs){
		.time = ktime_get_mono_fast_ns(),
		.ip = instruction_pointer(regs),
		.user = user_mode(regs),
		.pid = current->tgid,
		.tid = current->pid,
		.cpu = raw_smp_processor_id(),
	};
	smp_store_release(&pmi->stashed, number);	/* pairs with ucore_nmi_context() */
	irq_work_queue(&pmi->work);
}

/*
 * Return true if port 61h reports a hardware error. Linux reads the port only if no handler
 * claims the NMI. Therefore a handler must not claim an uncertain NMI while an error is
 * reported.
 */
static bool nmi_error_pending(void)
{
	u8 reason = x86_platform.get_nmi_reason();

	return reason != NO_PORT && (reason & PORT_ERRORS);
}

/* Return IA32_PERF_GLOBAL_STATUS of this CPU, 0 if it does not exist. */
static u64 core_status_read(const struct pmi_cpu *pc)
{
	u64 status;

	return pc->core_status && !rdmsrq_safe(CORE_GLOBAL_STATUS, &status) ? status : 0;
}

/*
 * Clear the bit by which a client processor reports the PMI in IA32_PERF_GLOBAL_STATUS. No source
 * states whether the bit would block the next PMI.
 */
static void core_status_clear_uncore(u64 status)
{
	u64 uncore = status & CORE_STATUS_UNCORE;

	if (uncore)
		wrmsrq_safe(CORE_OVF_CTL, uncore);
}

/* Claim an NMI for the oldest pending PMI, unless port 61h reports an error. */
static int pending_take(struct ucore_pmi_slot *slot, struct ucore_domain *domain)
{
	if (nmi_error_pending())
		return NMI_DONE;
	return ucore_number_take_pending(slot, domain) ? NMI_HANDLED : NMI_DONE;
}

/* Accept an NMI. Return the number of overflows, or NMI_HANDLED if they are serviced already. */
static int pmi_accept(struct ucore_domain *domain, const struct candidate *cand,
		      struct pt_regs *regs)
{
	trace_ucore_pmi(domain->id, cand->pmi, cand->count);
	if (cand->count && domain->global->enables)
		ucore_overflow_freeze(domain);
	if (cand->count)
		context_stash(&domain->pmi, cand->pmi, regs);
	else if (cand->again)
		irq_work_queue(&domain->pmi.work);
	return cand->count ?: NMI_HANDLED;
}

/*
 * Handle an NMI while the status shows an overflow of a trial of the die's PMI: record that this
 * CPU took the PMI, or that perf explains the NMI (@explained). Return the number of NMIs handled.
 */
static int trial_nmi(struct ucore_pmi_slot *slot, const struct candidate *cand,
		     struct ucore_pmi_trial *trial, bool explained)
{
	if (explained) {
		cpumask_set_cpu(raw_smp_processor_id(), &trial->disturbed);
		return NMI_DONE;
	}
	cpumask_set_cpu(raw_smp_processor_id(), &trial->took);
	slot->accepted = cand->pmi;
	ucore_number_note_received(slot->domain, cand->pmi);
	return cand->count;
}

/*
 * Handle an NMI on a target of a die's PMI. @explained: perf explains the NMI. Return the number
 * of NMIs handled.
 */
static int die_nmi(struct ucore_pmi_slot *slot, const struct candidate *cand, bool explained,
		   struct pt_regs *regs)
{
	struct ucore_domain *die = slot->domain;
	struct ucore_pmi_trial *trial = READ_ONCE(die->pmi.trial);
	bool serviced = !cand->count && !cand->again;

	if (trial && cand->count)
		return trial_nmi(slot, cand, trial, explained);
	if (explained && (serviced || cand->pmi <= slot->accepted))
		return NMI_DONE;
	if (cand->pmi <= slot->accepted)
		return pending_take(slot, die);
	if (serviced && (ucore_number_is_old(die, cand->pmi) || nmi_error_pending()))
		return NMI_DONE;
	ucore_number_accept(slot, die, cand->pmi, explained);
	if (!explained)
		ucore_number_note_received(die, cand->pmi);
	return pmi_accept(die, cand, regs);
}

/*
 * Handle an NMI on a CPU whose core counters may have overflowed. Set @waiting if an overflow
 * waits for the service that unmasks LVTPC. Another NMI during this time comes from a second core
 * counter that overflowed shortly before the freeze. It cannot come from perf, because perf has
 * no counter on a core whose counters ucore uses. Return the number of NMIs handled.
 */
static int core_nmi(struct ucore_pmi_slot *slot, const struct candidate *cand, bool *waiting,
		    struct pt_regs *regs)
{
	struct ucore_domain *core = slot->domain;
	bool serviced = !cand->count && !cand->again;

	*waiting = core->global->enables && !serviced;
	if (cand->pmi <= slot->accepted)
		return *waiting ? NMI_HANDLED : pending_take(slot, core);
	if (serviced && (ucore_number_is_old(core, cand->pmi) || nmi_error_pending()))
		return NMI_DONE;
	slot->accepted = cand->pmi;
	ucore_number_note_received(core, cand->pmi);
	return pmi_accept(core, cand, regs);
}

static int pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_pmi_slot *die = &pc->slot[UCORE_SCOPE_DIE];
	struct ucore_pmi_slot *core = &pc->slot[UCORE_SCOPE_CPU];
	int handled = NMI_DONE;
	bool waiting = false;
	struct candidate cand;
	u64 status;

	if (READ_ONCE(die->domain)) {
		candidate_find(die->domain, &cand);
		status = core_status_read(pc);
		handled += die_nmi(die, &cand, status & CORE_STATUS_OVERFLOWS, regs);
		if (handled)
			core_status_clear_uncore(status);
	}
	if (READ_ONCE(core->domain)) {
		candidate_find(core->domain, &cand);
		handled += core_nmi(core, &cand, &waiting, regs);
	}
	if (handled && !waiting)
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	return handled;
}

/*
 * ---- NMIs that no handler claimed ----
 */

/* Accept a PMI that was not routed to this core. */
static int misrouted_pmi(struct ucore_pmi_slot *slot, struct ucore_domain *die,
			 struct pt_regs *regs)
{
	struct candidate cand = { .pmi = ucore_number_last(die) };

	/* without targets only the last PMI can arrive; the status may be another user's */
	if (!cpumask_empty(&die->pmi.cpus))
		candidate_find(die, &cand);
	if (cand.pmi <= slot->accepted || (!cand.count && !cand.again &&
					   (ucore_number_is_old(die, cand.pmi) ||
					    !ucore_number_may_arrive_here(die, cand.pmi))))
		return NMI_DONE;
	ucore_number_accept_misrouted(slot, die, cand.pmi);
	ucore_number_note_received(die, cand.pmi);
	return pmi_accept(die, &cand, regs);
}

static int unknown_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_pmi_slot *slot = &pc->slot[UCORE_SCOPE_DIE];
	struct ucore_domain *die = smp_load_acquire(&pc->die);	/* pairs with ucore_nmi_expect() */
	int handled;

	/* pmi_nmi() decides on a CPU that is a target */
	if (!die || READ_ONCE(slot->domain))
		return NMI_DONE;
	handled = misrouted_pmi(slot, die, regs) ?: pending_take(slot, die);
	/* if the CPU has a core PMU, Linux keeps LVTPC unmasked */
	if (handled && boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	return handled;
}

/*
 * ---- service, under the domain's lock ----
 */

/* Unmask LVTPC, which an earlier interrupt may have masked, if this CPU may receive the PMI. */
static void unmask(const struct ucore_domain *domain)
{
	if (this_cpu_read(pmi_cpus.slot[domain->scope].domain) == domain)
		apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/**
 * ucore_nmi_service_begin() - begin the service of the overflows in the global status
 * @domain: the domain, locked
 */
void ucore_nmi_service_begin(struct ucore_domain *domain)
{
	WRITE_ONCE(domain->pmi.seq, domain->pmi.seq + 1);
	smp_wmb();	/* pmi.seq is odd before the status changes; pairs with candidate_find() */
}

/**
 * ucore_nmi_open() - unmask LVTPC after the overflow status of a core is cleared
 * @domain: the domain, locked. Nothing happens for a die, because its NMI handler has unmasked
 *          LVTPC.
 *
 * If LVTPC was masked when a PMI of the die arrived, this PMI is lost. Therefore the global
 * status of the die is checked.
 */
void ucore_nmi_open(const struct ucore_domain *domain)
{
	struct ucore_domain *die = this_cpu_read(pmi_cpus.slot[UCORE_SCOPE_DIE].domain);

	if (!domain->global->enables)
		return;
	unmask(domain);
	if (die && ucore_overflow_count(die))
		irq_work_queue(&die->pmi.work);
}

/**
 * ucore_nmi_service_end() - end a service, after the overflow status was cleared
 * @domain: the domain, locked; about to be unfrozen
 */
void ucore_nmi_service_end(struct ucore_domain *domain)
{
	WRITE_ONCE(domain->pmi.ended[ucore_pmi_index(domain->pmi.seq)], ktime_get_mono_fast_ns());
	/* pmi.seq becomes even after the status is clear; pairs with candidate_find() */
	smp_store_release(&domain->pmi.seq, domain->pmi.seq + 1);
	ucore_nmi_open(domain);
}

/**
 * ucore_nmi_context() - get the context that a PMI interrupted
 * @domain: the domain, locked
 *
 * The PMI is that of the service in progress, or of the next service if none is in progress.
 *
 * Return: context of the PMI, NULL if the PMI has not arrived.
 */
const struct ucore_pmi_regs *ucore_nmi_context(struct ucore_domain *domain)
{
	struct ucore_pmi *pmi = &domain->pmi;

	/* pairs with context_stash() */
	return smp_load_acquire(&pmi->stashed) == (pmi->seq | 1) ? &pmi->context : NULL;
}

/*
 * ---- CPUs that may receive the PMI ----
 */

/* Enable uncore PMIs in IA32_DEBUGCTL of this CPU, and record whether to disable them later. */
static void debugctl_enable(struct pmi_cpu *pc)
{
	u64 debugctl;

	if (!rdmsrq_safe(MSR_IA32_DEBUGCTLMSR, &debugctl) && !(debugctl & DEBUGCTL_UNCORE_PMI))
		pc->set_debugctl = !wrmsrq_safe(MSR_IA32_DEBUGCTLMSR,
						debugctl | DEBUGCTL_UNCORE_PMI);
}

/* Return true if this CPU has IA32_PERF_GLOBAL_STATUS. */
static bool core_status_exists(void)
{
	u64 status;

	return boot_cpu_has(X86_FEATURE_ARCH_PERFMON) &&
	       !rdmsrq_safe(CORE_GLOBAL_STATUS, &status);
}

/**
 * ucore_nmi_expect() - expect misrouted PMIs of a die on one of its CPUs
 * @domain: the die
 * @cpu: the CPU, which is not interrupted
 */
void ucore_nmi_expect(struct ucore_domain *domain, int cpu)
{
	struct pmi_cpu *pc = per_cpu_ptr(&pmi_cpus, cpu);
	struct ucore_pmi_slot *slot = &pc->slot[UCORE_SCOPE_DIE];

	if (pc->die)
		return;
	*slot = (struct ucore_pmi_slot){
		.accepted = ucore_number_last(domain),
	};
	smp_store_release(&pc->die, domain);	/* pairs with unknown_nmi() */
}

/**
 * ucore_nmi_forget() - stop expecting PMIs, before the CPU goes offline or the domain is freed
 * @domain: the domain, of any scope
 * @cpu: any CPU
 */
void ucore_nmi_forget(const struct ucore_domain *domain, int cpu)
{
	struct pmi_cpu *pc = per_cpu_ptr(&pmi_cpus, cpu);

	if (pc->die == domain)
		WRITE_ONCE(pc->die, NULL);
	if (domain->cpu == cpu && !pc->slot[UCORE_SCOPE_CPU].domain)
		pc->slot[UCORE_SCOPE_CPU].accepted = 0;
}

/**
 * ucore_nmi_enable_here() - make this CPU a target of a domain's PMI
 * @arg: the domain
 */
void ucore_nmi_enable_here(void *arg)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_domain *domain = arg;
	struct ucore_pmi_slot *slot = &pc->slot[domain->scope];
	u32 lvtpc;

	ucore_number_begin(slot, domain);
	if (domain->scope == UCORE_SCOPE_DIE) {
		debugctl_enable(pc);
		pc->core_status = core_status_exists();
		core_status_clear_uncore(core_status_read(pc));
	}
	lvtpc = apic->read(APIC_LVTPC);
	if (lvtpc != APIC_DM_NMI) {
		/* if the CPU has a core PMU, Linux keeps LVTPC unmasked: do not restore it */
		if (!pc->set_lvtpc && !boot_cpu_has(X86_FEATURE_ARCH_PERFMON)) {
			pc->lvtpc = lvtpc;
			pc->set_lvtpc = true;
		}
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	}
	WRITE_ONCE(slot->domain, domain);
}

/**
 * ucore_nmi_disable_here() - remove this CPU from the targets of a domain's PMI
 * @arg: the domain
 */
void ucore_nmi_disable_here(void *arg)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_domain *domain = arg;
	u64 debugctl;

	if (pc->slot[domain->scope].domain != domain)
		return;
	ucore_number_end(&pc->slot[domain->scope], domain);
	if (pc->slot[UCORE_SCOPE_DIE].domain || pc->slot[UCORE_SCOPE_CPU].domain)
		return;		/* the domain of the other scope still targets this CPU */
	if (pc->set_debugctl && !rdmsrq_safe(MSR_IA32_DEBUGCTLMSR, &debugctl))
		wrmsrq_safe(MSR_IA32_DEBUGCTLMSR, debugctl & ~DEBUGCTL_UNCORE_PMI);
	if (pc->set_lvtpc)
		apic->write(APIC_LVTPC, pc->lvtpc);
	pc->set_debugctl = false;
	pc->set_lvtpc = false;
}

/**
 * ucore_nmi_reopen() - enable this CPU for the PMI again, if it is a target
 * @domain: the domain, locked, whose PMI did not arrive
 *
 * Other software, such as a hypervisor that switches IA32_DEBUGCTL, may have disabled uncore
 * PMIs.
 */
void ucore_nmi_reopen(struct ucore_domain *domain)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);

	if (pc->slot[domain->scope].domain != domain)
		return;
	if (domain->scope == UCORE_SCOPE_DIE)
		debugctl_enable(pc);
	unmask(domain);
}

/**
 * ucore_nmi_register() - register the NMI handlers
 *
 * pmi_nmi() is registered as the first local handler. Otherwise perf's handler would unmask
 * LVTPC or clear the core's status first. unknown_nmi() runs after all local handlers.
 *
 * Return: 0 or -errno.
 */
int ucore_nmi_register(void)
{
	int ret = register_nmi_handler(NMI_UNKNOWN, unknown_nmi, 0, "ucore");

	if (ret)
		return ret;
	ret = register_nmi_handler(NMI_LOCAL, pmi_nmi, NMI_FLAG_FIRST, "ucore");
	if (ret)
		unregister_nmi_handler(NMI_UNKNOWN, "ucore");
	return ret;
}

void ucore_nmi_unregister(void)
{
	unregister_nmi_handler(NMI_LOCAL, "ucore");
	unregister_nmi_handler(NMI_UNKNOWN, "ucore");
}
