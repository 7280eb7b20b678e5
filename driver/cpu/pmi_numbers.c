// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers of PMIs: account which PMIs a CPU has accepted and which it still expects, so that
 * each NMI of a PMI is claimed once and no other NMI is. Part of the cpu layer. The functions run
 * in any context on the CPU that owns the slot, without a lock.
 *
 * pmi.seq counts services. The value is even between services and odd during a service. A PMI's
 * number is the odd value of its service. Each CPU accepts each number at most once, and counts
 * the PMIs that it expects (pending). Pending PMIs are forgotten after LATE_NS.
 *
 * These PMIs become pending, if their services ended less than LATE_NS ago:
 *
 *   event                        PMIs that become pending on the CPU
 *   ---------------------------  ------------------------------------------------------------
 *   target accepts number N      numbers before N that it has not accepted: a late NMI may
 *                                find the status of the next overflow and accept its number
 *   target accepts number N in   number N, too: the NMI may be perf's, and that of the PMI may
 *   an NMI that perf explains    follow here or on another CPU
 *   other CPU accepts number N   numbers before N that no CPU has received
 *   CPU ceases to be a target    numbers that it has not accepted, because a STOP or a READ
 *                                serviced the overflows before their NMIs arrived
 *   CPU becomes a target         numbers that no CPU has received
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/topology.h>

#include "box/domain_global_ctl.h"
#include "cpu/pmi_numbers.h"
#include "find/desc.h"

/*
 * Longest delay (ns) between a service and its PMI. Hardware needs at most half a millisecond,
 * but firmware, or a hypervisor on a busy host, may delay the delivery much longer.
 */
#define LATE_NS		(1ULL * NSEC_PER_SEC)

/* Longest time (ns) from a service to the next PMI, for which PMIs stay pending */
#define CLOSE_NS	(100ULL * NSEC_PER_MSEC)

/* Return the time since the service of PMI @number ended (ns), 0 if it has not ended. */
static u64 service_age(const struct ucore_domain *domain, u64 number)
{
	u64 ended = READ_ONCE(domain->pmi.ended[ucore_pmi_index(number)]);

	return number < READ_ONCE(domain->pmi.seq) ? ktime_get_mono_fast_ns() - ended : 0;
}

/**
 * ucore_number_last() - get the number of the last PMI that was serviced or is in service
 * @domain: the domain
 *
 * Return: the number, 0 if there was none.
 */
u64 ucore_number_last(const struct ucore_domain *domain)
{
	u64 seq = READ_ONCE(domain->pmi.seq);

	return seq & 1 ? seq : max(seq, 1ULL) - 1;
}

/**
 * ucore_number_is_old() - check whether a PMI was serviced too long ago to arrive now
 * @domain: the domain
 * @number: number of the PMI
 *
 * Return: true if the service of the PMI ended more than LATE_NS ago.
 */
bool ucore_number_is_old(const struct ucore_domain *domain, u64 number)
{
	return service_age(domain, number) > LATE_NS;
}

/**
 * ucore_number_may_arrive_here() - check whether a serviced PMI may still arrive on this CPU
 * @domain: a domain that does not select this CPU as a target
 * @number: number of the PMI
 *
 * Return: true if no CPU, or only this core, has received the PMI.
 */
bool ucore_number_may_arrive_here(const struct ucore_domain *domain, u64 number)
{
	const struct ucore_pmi *pmi = &domain->pmi;

	/* pairs with ucore_number_note_received() */
	return smp_load_acquire(&pmi->received) < number ||
	       topology_core_id(READ_ONCE(pmi->receiver)) ==
	       topology_core_id(raw_smp_processor_id());
}

/**
 * ucore_number_note_received() - record that this CPU received a PMI
 * @domain: the domain
 * @number: number of the PMI. Nothing happens if another CPU has received it before.
 */
void ucore_number_note_received(struct ucore_domain *domain, u64 number)
{
	struct ucore_pmi *pmi = &domain->pmi;

	if (READ_ONCE(pmi->received) >= number)
		return;
	WRITE_ONCE(pmi->receiver, raw_smp_processor_id());
	/* pairs with ucore_number_may_arrive_here() */
	smp_store_release(&pmi->received, number);
}

/* Return the number of PMIs after @after and before @before that may still be in flight. */
static u32 in_flight(const struct ucore_domain *domain, u64 after, u64 before)
{
	u32 n = 0;

	while (n < UCORE_PMI_MAX_PENDING && before > after + 2 &&
	       service_age(domain, before - 2) <= LATE_NS) {
		before -= 2;
		n++;
	}
	return n;
}

/*
 * Expect the PMIs after @after and before @before that may still be in flight, and @extra more.
 */
static void pending_add(struct ucore_pmi_slot *slot, const struct ucore_domain *domain, u64 after,
			u64 before, u32 extra)
{
	u64 now = ktime_get_mono_fast_ns();
	u32 more = in_flight(domain, after, before) + extra;

	if (now >= slot->pending_until)
		slot->pending = 0;
	slot->pending = min(slot->pending + more, UCORE_PMI_MAX_PENDING);
	if (more || service_age(domain, ucore_number_last(domain)) < CLOSE_NS)
		slot->pending_until = now + LATE_NS;
}

/* Expect the PMIs before @before that neither this CPU has accepted nor any CPU has received. */
static void pending_add_unreceived(struct ucore_pmi_slot *slot, const struct ucore_domain *domain,
				   u64 before)
{
	pending_add(slot, domain, max(slot->accepted, READ_ONCE(domain->pmi.received)), before, 0);
}

/**
 * ucore_number_accept() - accept a PMI on a target of a die
 * @slot: the target's slot
 * @domain: the die
 * @number: number of the PMI
 * @doubtful: the NMI may be another one than that of the PMI
 */
void ucore_number_accept(struct ucore_pmi_slot *slot, const struct ucore_domain *domain,
			 u64 number, bool doubtful)
{
	pending_add(slot, domain, slot->accepted, number, doubtful);
	slot->accepted = number;
}

/**
 * ucore_number_accept_misrouted() - accept a PMI on a CPU that is not a target
 * @slot: the CPU's slot
 * @domain: the die
 * @number: number of the PMI
 */
void ucore_number_accept_misrouted(struct ucore_pmi_slot *slot,
				   const struct ucore_domain *domain, u64 number)
{
	pending_add_unreceived(slot, domain, number);
	slot->accepted = number;
}

/**
 * ucore_number_take_pending() - take an NMI for that of the oldest pending PMI
 * @slot: the CPU's slot
 * @domain: the domain
 *
 * Return: true if a PMI was pending.
 */
bool ucore_number_take_pending(struct ucore_pmi_slot *slot, struct ucore_domain *domain)
{
	if (!slot->pending || ktime_get_mono_fast_ns() >= slot->pending_until)
		return false;
	slot->pending--;
	ucore_number_note_received(domain, slot->accepted - 2 * slot->pending);
	return true;
}

/**
 * ucore_number_begin() - begin to accept PMIs, and expect the last if no CPU has received them
 * @slot: slot of the CPU that becomes a target
 * @domain: the domain
 */
void ucore_number_begin(struct ucore_pmi_slot *slot, const struct ucore_domain *domain)
{
	u64 number = ucore_number_last(domain);

	if (slot->domain)
		return;
	pending_add_unreceived(slot, domain, number + 2);
	slot->accepted = max(slot->accepted, number);
}

/**
 * ucore_number_end() - accept no new PMIs, and expect those that were sent before
 * @slot: slot of the CPU that ceases to be a target
 * @domain: the domain
 */
void ucore_number_end(struct ucore_pmi_slot *slot, const struct ucore_domain *domain)
{
	u64 number = ucore_number_last(domain);

	pending_add(slot, domain, slot->accepted, number + 2, 0);
	slot->accepted = max(slot->accepted, number);
	WRITE_ONCE(slot->domain, NULL);
}
