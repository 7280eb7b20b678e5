// SPDX-License-Identifier: GPL-2.0-only
/*
 * The NMI: is it ours, and what did it interrupt?
 *
 * The NMI handler does the least: is it ours (one MSR read; port 61h, if that says no,
 * and one may be late)?  Then note what was interrupted, unmask LVTPC (the hardware
 * masked it on delivery, and perf unmasks it only if perf itself is active), queue the
 * rest.  For a core's overflow
 * LVTPC is opened when its status has been cleared: some cores raise the interrupt
 * again as long as it is set, and nothing else would ever run.  The rest runs in
 * hard-irq context: the counters are frozen, so nothing is lost by waiting,
 * and PCI config cycles are legal there and not in an NMI.
 *
 * Which NMI is whose: pmi.seq counts services, even when idle and odd while
 * one is under way.  A PMI is named by the odd value of its service.  Each CPU
 * claims each PMI at most once, also when it comes late, after another thread's
 * or the guard's service; so a second NMI with the status still set is perf's.  Too late
 * none is claimed: a CPU that a PMI never reached would take the next NMI of anybody, an
 * hour later, for it.
 *
 * An NMI that comes late may find the next overflow there already, and claim that: then the
 * PMI of this one, under way since before LVTPC was opened, finds its name taken.  So who
 * skips names may claim as many NMIs more.
 *
 * A PMI may go astray: to a core that was not meant, if cores are numbered in another way
 * than we think, or to a CPU that has just ceased to receive it.  Of NMIs that nobody else
 * has claimed, neither perf nor the port that tells of errors, unknown_nmi() asks whether they
 * are that.  So NMIs of others cost nothing more on CPUs that receive no PMI.
 */
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/nmi.h>
#include <linux/sched.h>
#include <linux/topology.h>
#include <asm/apic.h>
#include <asm/x86_init.h>

#include "box/domain.h"
#include "compat.h"
#include "find/desc.h"
#include "cpu/nmi.h"
#include "ucore_trace.h"

#define DEBUGCTL_UNCORE_PMI	BIT_ULL(13)	/* ENABLE_UNCORE_PMI: UNCERTAIN(debugctl) */

#ifndef MSR_IA32_DEBUGCTLMSR
#define MSR_IA32_DEBUGCTLMSR	0x1d9
#endif

/*
 * A PMI that comes later than this after its service is somebody else's.  Hardware needs
 * half a millisecond at most, but firmware, or a hypervisor on a busy host, may keep a CPU
 * for much longer from taking it.
 */
#define LATE_NS		(1ULL * NSEC_PER_SEC)

/*
 * Overflows that follow each other so closely may each be claimed by the NMI of the one
 * before: then what is owed is passed on.
 */
#define CLOSE_NS	(100ULL * NSEC_PER_MSEC)

/* More are not under way at once. */
#define MAX_OWED	8

/* SERR and IOCHK in port 61h; what is read where there is none */
#define PORT_ERRORS	0xc0
#define NO_PORT		0xff

/* How often the handler looks again when a service ends under its eyes. */
#define NMI_TRIES	4

/**
 * struct pmi_slot - a domain whose PMI a CPU may receive
 * @domain: which; NULL: none
 * @claimed: last of its PMIs that this CPU claimed
 * @owed: how many NMIs more are ours: for as many earlier PMIs it has claimed none, and
 *        the NMI of one may be what it took for that of the last
 * @owed_until: for how long
 * @last: the last one that it may have been sent before it ceased to receive them; 0: none
 * @left: when that was
 */
struct pmi_slot {
	struct ucore_domain *domain;
	u64 claimed;
	u32 owed;
	u64 owed_until;
	u64 last;
	u64 left;
};

/**
 * struct pmi_cpu - a CPU that may receive PMIs
 * @slot: of its die, and of itself: by scope
 * @die: its die, whose PMI may go astray to it; NULL: it never had one, or the CPU leaves
 * @lvtpc: LVTPC as found
 * @set_lvtpc: and to be restored
 * @set_debugctl: we enabled uncore PMIs here
 */
struct pmi_cpu {
	struct pmi_slot slot[UCORE_SCOPE_CPU + 1];
	struct ucore_domain *die;
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
 * Not by the domain's ops: their tally is not for NMIs.  Config space is not for
 * NMIs either: no PMI there.
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

/* Overflows in the status of one global control. */
static u32 count_in(const struct ucore_domain *domain, const struct ucore_global *global,
		    const struct ucore_io *io)
{
	u32 i, n = 0;
	u64 status;

	for (i = 0; i < global->nr_status; i++) {
		status = status_read(global, io, global->status + i * global->status_stride);
		if (status == UCORE_REG_DEAD)
			continue;
		/* of counters that are not armed nobody is told */
		n += hweight64(global->enables ? status & READ_ONCE(domain->armed_mask) : status);
	}
	return n;
}

/* Overflows in the global status, or in each. */
static u32 count_overflows(const struct ucore_domain *domain)
{
	u32 i, n = count_in(domain, domain->global, &domain->io);

	for (i = 0; i < domain->nr_further; i++)
		n += count_in(domain, domain->further[i].global, &domain->further[i].io);
	return n;
}

static void claim_look(struct ucore_domain *domain, struct claim *claim)
{
	u64 seq;
	int i;

	for (i = 0; i < NMI_TRIES; i++) {
		claim->again = false;
		/* pairs with ucore_nmi_service_end() */
		seq = smp_load_acquire(&domain->pmi.seq);
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
	u64 stashing = READ_ONCE(pmi->stashing);

	if (stashing >= name || cmpxchg(&pmi->stashing, stashing, name) != stashing)
		return;		/* the core's other thread was first */
	pmi->context = (struct ucore_pmi_regs){
		.time = ktime_get_mono_fast_ns(),
		.ip = instruction_pointer(regs),
		.user = user_mode(regs),
		.pid = current->tgid,
		.tid = current->pid,
		.cpu = raw_smp_processor_id(),
	};
	smp_store_release(&pmi->stashed, name);	/* context first: ucore_nmi_context() */
	irq_work_queue(&pmi->work);
}

/* Does a core's overflow wait for its service, which opens LVTPC? */
static bool claim_waits(const struct ucore_domain *domain, const struct claim *claim)
{
	return domain->global->enables && (claim->count || claim->again);
}

/* What no overflow freezes is frozen here: its CPU is this one. */
static void freeze_here(const struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;

	wrmsrq_safe(global->ctl, global->freeze);
	trace_ucore_reg(UCORE_ACCESS_MSR, true, global->ctl, global->freeze);
}

static bool pmi_expired(const struct ucore_domain *domain)
{
	return ktime_get_mono_fast_ns() > READ_ONCE(domain->pmi.ended) + LATE_NS;
}

/*
 * Does port 61h tell of an error?  Linux asks it only if nobody claims the NMI: so where
 * nothing else says that it is ours, the error goes first.
 */
static bool nmi_error_pending(void)
{
	u8 reason = x86_platform.get_nmi_reason();

	return reason != NO_PORT && (reason & PORT_ERRORS);
}

/* What it may be was serviced already: too long ago, or an error is told. */
static bool too_late(const struct ucore_domain *domain, const struct claim *claim)
{
	return !claim->count && !claim->again && (pmi_expired(domain) || nmi_error_pending());
}

/*
 * A name is about to be claimed.  For each that it skips one NMI more may be, but not whatever
 * comes later.
 */
static void pending_add(struct pmi_slot *slot, const struct ucore_domain *domain, u64 name)
{
	u64 skipped = (name - slot->claimed - 1) / 2, now = ktime_get_mono_fast_ns();

	if (now >= slot->owed_until)
		slot->owed = 0;
	slot->owed = min_t(u64, slot->owed + skipped, MAX_OWED);
	if (skipped || now < READ_ONCE(domain->pmi.ended) + CLOSE_NS)
		slot->owed_until = now + LATE_NS;
}

static bool has_pending(const struct pmi_slot *slot)
{
	return slot->owed && ktime_get_mono_fast_ns() < slot->owed_until;
}

static bool pending_take(struct pmi_slot *slot)
{
	if (!has_pending(slot))
		return false;
	slot->owed--;
	return true;
}

/* Its name is taken.  It is ours if a core's overflow waits, or if one is owed. */
static int claimed_before(struct pmi_slot *slot, const struct claim *claim)
{
	if (claim_waits(slot->domain, claim))
		return NMI_HANDLED;
	return has_pending(slot) && !nmi_error_pending() && pending_take(slot) ? NMI_HANDLED : NMI_DONE;
}

/* It is ours.  How many overflows, or that it is serviced already. */
static int claim_take(struct ucore_domain *domain, const struct claim *claim,
		      struct pt_regs *regs)
{
	trace_ucore_pmi(domain->id, claim->pmi, claim->count);
	if (claim->count && domain->global->enables)
		freeze_here(domain);
	if (claim->count)
		context_stash(&domain->pmi, claim->pmi, regs);
	else if (claim->again)
		irq_work_queue(&domain->pmi.work);
	return claim->count ?: NMI_HANDLED;
}

/*
 * Is it this domain's?  How many overflows, or that it is serviced already.  By its name
 * it may be claimed already; but while a core's overflow waits another NMI is not perf's,
 * which has no counter there: a second counter carried around the freeze.
 */
static int slot_nmi(struct pmi_slot *slot, struct pt_regs *regs, bool *waits)
{
	struct ucore_domain *domain = READ_ONCE(slot->domain);
	struct claim claim;

	if (!domain)
		return NMI_DONE;
	claim_look(domain, &claim);
	*waits |= claim_waits(domain, &claim);
	if (claim.pmi <= slot->claimed)
		return claimed_before(slot, &claim);
	if (too_late(domain, &claim))
		return NMI_DONE;
	if (domain->scope == UCORE_SCOPE_DIE)
		pending_add(slot, domain, claim.pmi);
	slot->claimed = claim.pmi;
	return claim_take(domain, &claim, regs);
}

static int pmi_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	int i, handled = NMI_DONE;
	bool waits = false;

	for (i = 0; i < ARRAY_SIZE(pc->slot); i++)
		handled += slot_nmi(&pc->slot[i], regs, &waits);
	if (handled && !waits)
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	return handled;
}

/*
 * ---- NMIs that nobody claimed ----
 */

/*
 * It has been serviced.  Did it come to the other thread of this core, or has it come to
 * nobody yet, whom a READ was ahead of?
 */
static bool may_come_here(const struct ucore_domain *domain, u64 name)
{
	const struct ucore_pmi *pmi = &domain->pmi;

	/* pairs with context_stash() */
	return smp_load_acquire(&pmi->stashed) != name ||
	       topology_core_id(READ_ONCE(pmi->context.cpu)) ==
	       topology_core_id(raw_smp_processor_id());
}

/* A PMI that no CPU of this core was meant to receive. */
static int misrouted_pmi(struct pmi_slot *slot, struct ucore_domain *die, struct pt_regs *regs)
{
	struct claim claim;

	if (cpumask_empty(&die->pmi.cpus))
		return NMI_DONE;	/* the way is shut: what the status says is not our doing */
	claim_look(die, &claim);
	if (claim.pmi <= slot->claimed)
		return NMI_DONE;
	if (!claim.count && !claim.again && (pmi_expired(die) || !may_come_here(die, claim.pmi)))
		return NMI_DONE;
	slot->claimed = claim.pmi;
	return claim_take(die, &claim, regs);
}

static bool left_lately(const struct pmi_slot *slot)
{
	return slot->last && ktime_get_mono_fast_ns() < slot->left + LATE_NS;
}

/* One that was under way when this CPU ceased to receive them. */
static int late_pmi(struct pmi_slot *slot)
{
	if (!left_lately(slot))
		return NMI_DONE;
	if (slot->claimed >= slot->last)
		return pending_take(slot) ? NMI_HANDLED : NMI_DONE;
	slot->claimed = slot->last;
	return NMI_HANDLED;
}

static int unknown_nmi(unsigned int type, struct pt_regs *regs)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct pmi_slot *slot = &pc->slot[UCORE_SCOPE_DIE];
	struct ucore_domain *die = smp_load_acquire(&pc->die);	/* ucore_nmi_expect() */
	int handled;

	/* who is meant to receive it has looked already */
	if (!die || READ_ONCE(slot->domain))
		return NMI_DONE;
	handled = misrouted_pmi(slot, die, regs) ?: late_pmi(slot);
	/* with a core PMU Linux has it open here, too */
	if (handled && boot_cpu_has(X86_FEATURE_ARCH_PERFMON))
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	return handled;
}

/*
 * ---- service, under the domain's lock ----
 */

/*
 * Open this CPU's LVTPC entry, if it may receive the PMI: delivery of an earlier
 * interrupt may have set the mask, and nobody cleared it.
 */
static void unmask(const struct ucore_domain *domain)
{
	if (this_cpu_read(pmi_cpus.slot[domain->scope].domain) == domain)
		apic->write(APIC_LVTPC, APIC_DM_NMI);
}

/**
 * ucore_nmi_service_begin() - the overflows now seen are being serviced
 * @domain: the domain, locked
 */
void ucore_nmi_service_begin(struct ucore_domain *domain)
{
	WRITE_ONCE(domain->pmi.seq, domain->pmi.seq + 1);
	smp_wmb();	/* odd before the status changes: claim_look() */
}

/**
 * ucore_nmi_open() - a core's status is clear: open the LVTPC entry of its CPU
 * @domain: a domain, locked; that of a die has opened it in the NMI
 *
 * What the die has signalled while it was shut is lost: so see whether it has.
 */
void ucore_nmi_open(const struct ucore_domain *domain)
{
	struct ucore_domain *die = this_cpu_read(pmi_cpus.slot[UCORE_SCOPE_DIE].domain);

	if (!domain->global->enables)
		return;
	unmask(domain);
	if (die && count_overflows(die))
		irq_work_queue(&die->pmi.work);
}

/**
 * ucore_nmi_service_end() - they are acknowledged
 * @domain: the domain, locked; about to run again
 */
void ucore_nmi_service_end(struct ucore_domain *domain)
{
	WRITE_ONCE(domain->pmi.ended, ktime_get_mono_fast_ns());
	/* even after the status is clear: claim_look() */
	smp_store_release(&domain->pmi.seq, domain->pmi.seq + 1);
	ucore_nmi_open(domain);
}

/**
 * ucore_nmi_context() - what the PMI now being serviced, or waiting, interrupted
 * @domain: the domain, locked
 *
 * Return: NULL if it has not arrived.
 */
const struct ucore_pmi_regs *ucore_nmi_context(struct ucore_domain *domain)
{
	struct ucore_pmi *pmi = &domain->pmi;

	/* pairs with context_stash() */
	return smp_load_acquire(&pmi->stashed) == (pmi->seq | 1) ? &pmi->context : NULL;
}

/*
 * ---- CPUs that may receive it ----
 */

/* Let uncore PMIs in; who finds them shut shuts them again in the end. */
static void debugctl_enable(struct pmi_cpu *pc)
{
	u64 debugctl;

	if (!rdmsrq_safe(MSR_IA32_DEBUGCTLMSR, &debugctl) && !(debugctl & DEBUGCTL_UNCORE_PMI))
		pc->set_debugctl = !wrmsrq_safe(MSR_IA32_DEBUGCTLMSR,
						debugctl | DEBUGCTL_UNCORE_PMI);
}

/* The last PMI that has a name. */
static u64 last_name(const struct ucore_domain *domain)
{
	u64 seq = READ_ONCE(domain->pmi.seq);

	return seq & 1 ? seq : max(seq, 1ULL) - 1;
}

/* This CPU shall not claim a PMI that came before it was enabled, unless it was before. */
static void slot_begin(struct pmi_slot *slot, const struct ucore_domain *domain)
{
	u64 name = last_name(domain);

	if (slot->domain || (left_lately(slot) && slot->last == name))
		return;
	slot->claimed = name;
	slot->owed = 0;
}

/* What is under way now may still come, for a while. */
static void slot_end(struct pmi_slot *slot, const struct ucore_domain *domain)
{
	slot->last = pmi_expired(domain) ? 0 : last_name(domain);
	slot->left = ktime_get_mono_fast_ns();
	WRITE_ONCE(slot->domain, NULL);
}

/**
 * ucore_nmi_expect() - a die's PMI may go astray to one of its CPUs
 * @domain: the die
 * @cpu: the CPU, which is not interrupted for that
 */
void ucore_nmi_expect(struct ucore_domain *domain, int cpu)
{
	struct pmi_cpu *pc = per_cpu_ptr(&pmi_cpus, cpu);
	struct pmi_slot *slot = &pc->slot[UCORE_SCOPE_DIE];

	if (pc->die)
		return;
	*slot = (struct pmi_slot){ .claimed = last_name(domain) };
	smp_store_release(&pc->die, domain);	/* unknown_nmi() */
}

/**
 * ucore_nmi_forget() - no more, for the CPU leaves, or the domain goes
 * @domain: the domain, of any scope
 * @cpu: one of its CPUs, or of another's
 */
void ucore_nmi_forget(const struct ucore_domain *domain, int cpu)
{
	struct pmi_cpu *pc = per_cpu_ptr(&pmi_cpus, cpu);

	if (pc->die == domain)
		WRITE_ONCE(pc->die, NULL);
}

/**
 * ucore_nmi_enable_here() - let this CPU take a domain's PMI
 * @arg: the domain
 */
void ucore_nmi_enable_here(void *arg)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_domain *domain = arg;
	struct pmi_slot *slot = &pc->slot[domain->scope];
	u32 lvtpc;

	slot_begin(slot, domain);
	if (domain->scope == UCORE_SCOPE_DIE)
		debugctl_enable(pc);
	lvtpc = apic->read(APIC_LVTPC);
	if (lvtpc != APIC_DM_NMI) {
		/* with a core PMU Linux keeps LVTPC open: then leave it open */
		if (!pc->set_lvtpc && !boot_cpu_has(X86_FEATURE_ARCH_PERFMON)) {
			pc->lvtpc = lvtpc;
			pc->set_lvtpc = true;
		}
		apic->write(APIC_LVTPC, APIC_DM_NMI);
	}
	WRITE_ONCE(slot->domain, domain);
}

/**
 * ucore_nmi_disable_here() - this CPU takes it no longer
 * @arg: the domain
 */
void ucore_nmi_disable_here(void *arg)
{
	struct pmi_cpu *pc = this_cpu_ptr(&pmi_cpus);
	struct ucore_domain *domain = arg;
	u64 debugctl;

	if (pc->slot[domain->scope].domain != domain)
		return;
	slot_end(&pc->slot[domain->scope], domain);
	if (pc->slot[UCORE_SCOPE_DIE].domain || pc->slot[UCORE_SCOPE_CPU].domain)
		return;		/* the other one still takes its PMI here */
	if (pc->set_debugctl && !rdmsrq_safe(MSR_IA32_DEBUGCTLMSR, &debugctl))
		wrmsrq_safe(MSR_IA32_DEBUGCTLMSR, debugctl & ~DEBUGCTL_UNCORE_PMI);
	if (pc->set_lvtpc)
		apic->write(APIC_LVTPC, pc->lvtpc);
	pc->set_debugctl = false;
	pc->set_lvtpc = false;
}

/**
 * ucore_nmi_reopen() - open this CPU again, if it may receive the PMI
 * @domain: a domain whose PMI did not come, locked
 *
 * Somebody (a hypervisor's switch of IA32_DEBUGCTL) may have cleared the bit that lets
 * uncore PMIs in.
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
 * ucore_nmi_register() - listen to NMIs
 *
 * First in line: perf's handler would unmask LVTPC or clear the core's status
 * before we look.  And again where all others have looked.
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
