/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of PMIs: which a CPU has accepted, and which it still expects. */
#ifndef UCORE_PMI_NUMBERS_H
#define UCORE_PMI_NUMBERS_H

#include <linux/types.h>

struct ucore_domain;

/**
 * struct ucore_pmi_slot - a domain whose PMI a CPU may receive
 * @domain: domain that selects this CPU as a target of its PMI; NULL if there is none
 * @accepted: number (pmi.seq) of the last PMI that this CPU accepted
 * @pending: number of PMIs up to @accepted whose NMIs this CPU still expects
 * @pending_until: time from which @pending is not valid (ns)
 */
struct ucore_pmi_slot {
	struct ucore_domain *domain;
	u64 accepted;
	u32 pending;
	u64 pending_until;
};

u64 ucore_number_last(const struct ucore_domain *domain);
bool ucore_number_is_old(const struct ucore_domain *domain, u64 number);
bool ucore_number_may_arrive_here(const struct ucore_domain *domain, u64 number);
void ucore_number_note_received(struct ucore_domain *domain, u64 number);
void ucore_number_accept(struct ucore_pmi_slot *slot, const struct ucore_domain *domain,
			 u64 number, bool doubtful);
void ucore_number_accept_misrouted(struct ucore_pmi_slot *slot,
				   const struct ucore_domain *domain, u64 number);
bool ucore_number_take_pending(struct ucore_pmi_slot *slot, struct ucore_domain *domain);
void ucore_number_begin(struct ucore_pmi_slot *slot, const struct ucore_domain *domain);
void ucore_number_end(struct ucore_pmi_slot *slot, const struct ucore_domain *domain);

#endif /* UCORE_PMI_NUMBERS_H */
