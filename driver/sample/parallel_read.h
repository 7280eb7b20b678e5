/* SPDX-License-Identifier: GPL-2.0-only */
/* Crews: several CPUs of a die read a part's counters together. */
#ifndef UCORE_CREW_H
#define UCORE_CREW_H

#include <linux/types.h>

struct ucore_domain;
struct ucore_domain_ctx;

bool ucore_parallel_cpu_is_isolated(int cpu);

/* Process context: */
int ucore_parallel_prepare(struct ucore_domain *domain);
void ucore_parallel_exit(struct ucore_domain *domain);
void ucore_parallel_elect(struct ucore_domain_ctx *ctx, int leaving);
void ucore_parallel_elect_all(struct ucore_domain *domain, int leaving);

/* Under the domain's lock, on the domain: */
void ucore_parallel_read(struct ucore_domain_ctx *ctx, u64 now);

#endif /* UCORE_CREW_H */
