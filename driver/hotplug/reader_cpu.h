/* SPDX-License-Identifier: GPL-2.0-only */
/* Readers: election, CPU hotplug, suspend and resume. */
#ifndef UCORE_READER_CPU_H
#define UCORE_READER_CPU_H

struct cpumask;
struct ucore_domain;

void ucore_reader_init(struct ucore_domain *domain);
void ucore_reader_exit(struct ucore_domain *domain);
int ucore_readers_init(void);
void ucore_readers_exit(void);
void ucore_readers_suspend(void);
void ucore_readers_resume(void);
void ucore_reader_choose(struct ucore_domain *domain, int cpu, const struct cpumask *cpus);

#endif /* UCORE_READER_CPU_H */
