/* SPDX-License-Identifier: GPL-2.0-only */
/* Freeze and unfreeze of a domain. Part of the box layer. */
#ifndef UCORE_BOX_FREEZE_H
#define UCORE_BOX_FREEZE_H

#include <linux/types.h>

#include "find/desc.h"

struct ucore_box;
struct ucore_domain;

/**
 * struct ucore_shared - values for the registers that all counters of a box share
 * @box: the box
 * @value: values of the filter and match registers
 */
struct ucore_shared {
	struct ucore_box *box;
	u64 value[UCORE_MAX_SHARED];
};

/* With the domain's lock held, on a CPU of the domain: */
void ucore_freeze_domain(struct ucore_domain *domain, u64 now);
void ucore_freeze_found_overflow(struct ucore_domain *domain);
void ucore_freeze_after_overflow(struct ucore_domain *domain, u64 now);
bool ucore_freeze_ran_on(const struct ucore_domain *domain);
void ucore_freeze_backdate(struct ucore_domain *domain);
u64 ucore_unfreeze_domain(struct ucore_domain *domain, bool pending);
void ucore_unfreeze_found(struct ucore_domain *domain);
void ucore_unfreeze_add_box(struct ucore_domain *domain, struct ucore_box *box);

/* In a panic, without any lock: */
bool ucore_freeze_panic(struct ucore_domain *domain);
void ucore_unfreeze_panic(struct ucore_domain *domain);
bool ucore_freeze_panic_reaches(const struct ucore_box *box);

/* Without a lock, on a CPU of the domain: */
void ucore_freeze_write_shared(void *arg);

#endif /* UCORE_BOX_FREEZE_H */
