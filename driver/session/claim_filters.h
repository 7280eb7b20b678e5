/* SPDX-License-Identifier: GPL-2.0-only */
/* Filters of a shared box: the values that claims require in its shared registers. */
#ifndef UCORE_CLAIM_FILTERS_H
#define UCORE_CLAIM_FILTERS_H

#include "session/claim.h"

/**
 * struct ucore_filters - values that the claims of a box require in its shared registers
 * @box: the box
 * @shared: values of the filter and match registers, 0 for a register that no claim uses
 */
struct ucore_filters {
	struct ucore_box *box;
	u64 shared[UCORE_MAX_SHARED];
};

bool ucore_filters_agree(const struct ucore_claim *claim, const struct ucore_event *new);
void ucore_filters_collect(struct ucore_filters *filters, struct ucore_box *box);
void ucore_filters_update(const struct ucore_filters *before);

#endif /* UCORE_CLAIM_FILTERS_H */
