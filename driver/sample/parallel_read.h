/* SPDX-License-Identifier: GPL-2.0-only */
/* Crews: several CPUs of a die read a part's counters together. */
#ifndef UCORE_CREW_H
#define UCORE_CREW_H

#include <linux/types.h>

struct ucore_domain;
struct ucore_part;

bool ucore_cpu_is_isolated(int cpu);

/* Process context: */
int ucore_crew_prepare(struct ucore_domain *domain);
void ucore_crew_exit(struct ucore_domain *domain);
void ucore_crew_elect(struct ucore_part *part, int leaving);
void ucore_crews_elect(struct ucore_domain *domain, int leaving);

/* Under the domain's lock, on the domain: */
void ucore_crew_read(struct ucore_part *part, u64 now);

#endif /* UCORE_CREW_H */
