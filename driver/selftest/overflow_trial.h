/* SPDX-License-Identifier: GPL-2.0-only */
/* Trials of overflows, whose effect no manual states. Part of the selftest layer. */
#ifndef UCORE_OVERFLOW_TRIAL_H
#define UCORE_OVERFLOW_TRIAL_H

#include "box/box_registers.h"

/* Checks of a trial */
#define UCORE_OVERFLOW_TRIAL_CHECKS \
	(UCORE_SELFTEST_OVERFLOW_ENABLE | UCORE_SELFTEST_OVERFLOW_STATUS | \
	 UCORE_SELFTEST_OVERFLOW_FREEZE | UCORE_SELFTEST_OVERFLOW_DIE | \
	 UCORE_SELFTEST_OVERFLOW_RESUME)

bool ucore_overflow_trial_open(const struct ucore_box *box);

/* With the domain's lock held, on a CPU of the domain that no session uses: */
void ucore_overflow_trial_reserved(struct ucore_box *box);
void ucore_overflow_trial_run(struct ucore_box *box);

#endif /* UCORE_OVERFLOW_TRIAL_H */
