/* SPDX-License-Identifier: GPL-2.0-only */
/* Hardware counters that several sessions use. Part of the sample layer. */
#ifndef UCORE_SAMPLE_SHARED_COUNTER_H
#define UCORE_SAMPLE_SHARED_COUNTER_H

#include "box/counter.h"

struct ucore_domain;

void ucore_shared_program(struct ucore_counter *ctr);
void ucore_shared_start_unfrozen(struct ucore_counter *ctr);
void ucore_shared_detach(struct ucore_counter *ctr);
bool ucore_shared_leave(struct ucore_counter *ctr);
void ucore_shared_update_at(struct ucore_counter *ctr, u64 now);
void ucore_shared_update(struct ucore_counter *ctr, enum ucore_read_mode mode);
bool ucore_shared_begin_read(const struct ucore_counter *ctr);
void ucore_shared_take(struct ucore_counter *ctr);
bool ucore_shared_period_ended(struct ucore_counter *ctr);
u64 ucore_shared_counted_past_end(const struct ucore_counter *ctr);
void ucore_shared_rearm(struct ucore_counter *ctr);
void ucore_shared_throttle(struct ucore_counter *ctr);
void ucore_shared_unthrottle(struct ucore_counter *ctr);
void ucore_shared_load_spent(struct ucore_domain *domain);
void ucore_shared_reload(struct ucore_counter *ctr);
void ucore_shared_disarm(struct ucore_counter *ctr);

#endif /* UCORE_SAMPLE_SHARED_COUNTER_H */
