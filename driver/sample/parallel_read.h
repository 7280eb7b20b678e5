/* SPDX-License-Identifier: GPL-2.0-only */
/* Parallel read of a domain context by several CPUs of a die. Part of the sample layer. */
#ifndef UCORE_SAMPLE_PARALLEL_READ_H
#define UCORE_SAMPLE_PARALLEL_READ_H

#include <linux/types.h>

struct ucore_domain;
struct ucore_domain_ctx;

bool ucore_parallel_cpu_is_isolated(int cpu);

/* In process context: */
int ucore_parallel_prepare(struct ucore_domain *domain);
void ucore_parallel_exit(struct ucore_domain *domain);
void ucore_parallel_elect(struct ucore_domain_ctx *ctx, int leaving);
void ucore_parallel_elect_all(struct ucore_domain *domain, int leaving);

/* With the domain's lock held, on a CPU of the domain: */
void ucore_parallel_read(struct ucore_domain_ctx *ctx, u64 now);

#endif /* UCORE_SAMPLE_PARALLEL_READ_H */
