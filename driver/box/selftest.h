/* SPDX-License-Identifier: GPL-2.0-only */
/* Trials: what is believed of a box is tried when a session has it first. */
#ifndef UCORE_TRIAL_H
#define UCORE_TRIAL_H

#include "box/box.h"

/* Process context, by the session that owns the box: */
bool ucore_trial_due(const struct ucore_box *box);
bool ucore_trial_refuses(const struct ucore_box *box);
void ucore_trial_tell(struct ucore_box *box);
struct ucore_trial ucore_trial_of(struct ucore_box *box);
const char *ucore_trial_reason(const struct ucore_trial *trial);

u32 ucore_trial_event_bits(const struct ucore_box *box);

/* With the domain's lock held, on the domain: */
void ucore_trial_run(struct ucore_box *box);

#endif /* UCORE_TRIAL_H */
