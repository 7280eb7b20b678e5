/* SPDX-License-Identifier: GPL-2.0-only */
/* Overflow interrupt (PMI): routing and service. */
#ifndef UCORE_PMI_ROUTE_AND_SERVICE_H
#define UCORE_PMI_ROUTE_AND_SERVICE_H

#include "box/domain_global_ctl.h"

void ucore_pmi_init(struct ucore_domain *domain);
void ucore_pmi_destroy(struct ucore_domain *domain);

/* Process context, CPU hotplug held off: */
void ucore_pmi_enable(struct ucore_domain *domain);
void ucore_pmi_disable(struct ucore_domain *domain);
bool ucore_pmi_wanted(const struct ucore_domain *domain);
void ucore_pmi_require(struct ucore_domain *domain);
void ucore_pmi_settle(struct ucore_domain *domain);
void ucore_pmi_hold(struct ucore_domain *domain);
void ucore_pmi_release(struct ucore_domain *domain);
void ucore_pmi_sync(struct ucore_domain *domain);
void ucore_pmi_enable_cpu(struct ucore_domain *domain, int cpu);
void ucore_pmi_disable_cpu(struct ucore_domain *domain, int cpu);

/* Under the domain's lock: */
void ucore_pmi_lost(struct ucore_domain *domain);

#endif /* UCORE_PMI_ROUTE_AND_SERVICE_H */
