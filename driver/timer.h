/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers: the trigger in nanoseconds, and the guard. */
#ifndef UCORE_TIMER_H
#define UCORE_TIMER_H

#include "sample.h"

#define UCORE_TIMER_MIN_NS	100000ULL
#define UCORE_TIMER_MAX_NS	1000000000000ULL

void ucore_guard_init(struct ucore_die *die);
void ucore_guard_start(struct ucore_die *die);
void ucore_guard_end_throttling(struct ucore_die *die);
void ucore_guard_soon(struct ucore_die *die, u64 delay_ns);
void ucore_timer_init(struct ucore_part *part);
void ucore_timer_start(struct ucore_part *part, u64 base);
void ucore_timers_cancel(struct ucore_die *die);
void ucore_timers_restart(struct ucore_die *die);

#endif /* UCORE_TIMER_H */
