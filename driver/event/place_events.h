/* SPDX-License-Identifier: GPL-2.0-only */
/* Placement: choose counters of a box for the events of one session. Part of the session layer. */
#ifndef UCORE_PLACE_EVENTS_H
#define UCORE_PLACE_EVENTS_H

#include <linux/types.h>

struct list_head;
struct ucore_event;

int ucore_place_events(struct list_head *events, const struct ucore_event *new, u64 taken);

#endif /* UCORE_PLACE_EVENTS_H */
