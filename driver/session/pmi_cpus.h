/* SPDX-License-Identifier: GPL-2.0-only */
/* A session's choice of readers and of the CPUs that take PMIs. */
#ifndef UCORE_PMI_CPUS_H
#define UCORE_PMI_CPUS_H

#include <linux/types.h>

struct ucore_session;

/* The session's lock is held: */
int ucore_pmi_cpus_set(struct ucore_session *session, const u32 *cpus, u32 nr);
void ucore_pmi_cpus_unset(struct ucore_session *session);

#endif /* UCORE_PMI_CPUS_H */
