/* SPDX-License-Identifier: GPL-2.0-only */
/* Selection of the cores that receive the PMI of a domain (pmi_core_sel). Part of the box layer. */
#ifndef UCORE_CORE_SELECT_H
#define UCORE_CORE_SELECT_H

#include <linux/types.h>

struct ucore_domain;

u64 ucore_core_select_mask(const struct ucore_domain *domain);
u64 ucore_core_select_bit(const struct ucore_domain *domain, int cpu);
bool ucore_core_select_possible(const struct ucore_domain *domain, int cpu);
bool ucore_core_select_reaches(const struct ucore_domain *domain, u64 bits, int cpu);
bool ucore_core_select_works(const struct ucore_domain *domain);
bool ucore_core_select_untried(const struct ucore_domain *domain);

#endif /* UCORE_CORE_SELECT_H */
