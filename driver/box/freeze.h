/* SPDX-License-Identifier: GPL-2.0-only */
/* Freeze and unfreeze of a domain. Part of the box layer. */
#ifndef UCORE_BOX_FREEZE_H
#define UCORE_BOX_FREEZE_H

#include <linux/types.h>

struct ucore_box;
struct ucore_domain;

/* With the domain's lock held, on a CPU of the domain: */
void ucore_freeze_domain(struct ucore_domain *domain, u64 now);
void ucore_freeze_after_overflow(struct ucore_domain *domain, u64 now);
void ucore_freeze_backdate(struct ucore_domain *domain);
u64 ucore_unfreeze_domain(struct ucore_domain *domain, bool pending);
void ucore_unfreeze_found(struct ucore_domain *domain);
void ucore_unfreeze_add_box(struct ucore_domain *domain, struct ucore_box *box);

/* In a panic, without any lock: */
bool ucore_freeze_panic(struct ucore_domain *domain);
void ucore_unfreeze_panic(struct ucore_domain *domain);
bool ucore_freeze_panic_reaches(const struct ucore_box *box);

#endif /* UCORE_BOX_FREEZE_H */
