/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks that run on each CPU, from the scheduler's tracepoints. Part of the sample layer. */
#ifndef UCORE_RUNNING_TASKS_H
#define UCORE_RUNNING_TASKS_H

#include <linux/jiffies.h>
#include <linux/types.h>

#include "ucore_uapi.h"

struct ucore_domain_ctx;

/* Time (jiffies) for which the probes stay attached after their last use */
#define UCORE_TASKS_LINGER	(5 * HZ)

int ucore_tasks_get(void);
void ucore_tasks_put(void);
void ucore_tasks_exit(void);

void ucore_tasks_note(u64 time, u32 pid, u32 tid, const char *comm);
void ucore_tasks_lookup(u32 cpu, u64 time, struct ucore_task *out);

u32 ucore_tasks_size(const struct ucore_domain_ctx *ctx);
void ucore_tasks_fill(const struct ucore_domain_ctx *ctx, struct ucore_tasks *tasks, u64 time);

#endif /* UCORE_RUNNING_TASKS_H */
