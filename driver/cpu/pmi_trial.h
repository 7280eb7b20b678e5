/* SPDX-License-Identifier: GPL-2.0-only */
/* Trial of the PMI of client processors. Part of the cpu layer. */
#ifndef UCORE_PMI_TRIAL_H
#define UCORE_PMI_TRIAL_H

#include <linux/types.h>

struct ucore_box;

/* In process context, with ucore_run_lock and the CPU hotplug lock held: */
void ucore_pmi_trial_run(struct ucore_box *box);

bool ucore_pmi_trial_wanted(const struct ucore_box *box);

#endif /* UCORE_PMI_TRIAL_H */
