/* SPDX-License-Identifier: GPL-2.0-only */
/* Accesses to a domain's global control that are legal in an NMI. */
#ifndef UCORE_GLOBAL_CTL_IN_NMI_H
#define UCORE_GLOBAL_CTL_IN_NMI_H

#include <linux/types.h>

struct ucore_domain;

u32 ucore_overflow_count(const struct ucore_domain *domain);
void ucore_overflow_freeze(const struct ucore_domain *domain);

#endif /* UCORE_GLOBAL_CTL_IN_NMI_H */
