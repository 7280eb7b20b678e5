/* SPDX-License-Identifier: GPL-2.0-only */
/* Which claims hold the hardware counters of a box, and for which event. */
#ifndef UCORE_COUNTER_HOLDERS_H
#define UCORE_COUNTER_HOLDERS_H

#include "event/event.h"

int ucore_holders_create(struct ucore_box *box);
int ucore_holders_share(struct ucore_box *box);
void ucore_holders_destroy(struct ucore_box *box);
u64 ucore_holders_joins(const struct ucore_event *event, u64 taken);
void ucore_holders_add(const struct ucore_event *event, bool more);
void ucore_holders_drop(struct ucore_box *box, u64 counters);

#endif /* UCORE_COUNTER_HOLDERS_H */
