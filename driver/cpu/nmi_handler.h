/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrival of the overflow interrupt (PMI) as an NMI. */
#ifndef UCORE_NMI_HANDLER_H
#define UCORE_NMI_HANDLER_H

#include <linux/cpumask.h>

struct ucore_pmi_regs;
struct ucore_domain;

/**
 * struct ucore_pmi_trial - NMIs after an overflow of a trial of the PMI (pmi_trial.c)
 * @took: CPUs that took the PMI
 * @disturbed: CPUs that took an NMI of perf, and may have taken the PMI together with it
 */
struct ucore_pmi_trial {
	struct cpumask took;
	struct cpumask disturbed;
};

int ucore_nmi_register(void);
void ucore_nmi_unregister(void);

/* In process context, with the CPU hotplug lock held: */
void ucore_nmi_expect(struct ucore_domain *domain, int cpu);
void ucore_nmi_forget(const struct ucore_domain *domain, int cpu);

/* On the CPU that becomes or ceases to be a target, with interrupts off: */
void ucore_nmi_enable_here(void *arg);
void ucore_nmi_disable_here(void *arg);
void ucore_nmi_reopen(struct ucore_domain *domain);

/* With the domain's lock held: */
void ucore_nmi_service_begin(struct ucore_domain *domain);
void ucore_nmi_service_end(struct ucore_domain *domain);
void ucore_nmi_open(const struct ucore_domain *domain);
const struct ucore_pmi_regs *ucore_nmi_context(struct ucore_domain *domain);

#endif /* UCORE_NMI_HANDLER_H */
