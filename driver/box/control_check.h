/* SPDX-License-Identifier: GPL-2.0-only */
/* Controls that are not as ucore has written them. */
#ifndef UCORE_CHANGED_H
#define UCORE_CHANGED_H

#include "box/box.h"

/* With the domain's lock held, on the domain, which is not frozen: */
bool ucore_control_check_counter(const struct ucore_counter *ctr);
bool ucore_control_check_box(const struct ucore_box *box, u64 *control, bool *seen);

#endif /* UCORE_CHANGED_H */
