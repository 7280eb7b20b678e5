/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns: may a session have its readers' time, and when? */
#ifndef UCORE_TURN_H
#define UCORE_TURN_H

#include <linux/types.h>

struct ucore_get_budget;
struct ucore_session;

/* Before the session is locked: */
int ucore_admit_begin(struct ucore_session *session, bool moves);
void ucore_admit_end(struct ucore_session *session);

/* With the session's lock held: */
u64 ucore_admit_sample_ns(const struct ucore_session *session);
bool ucore_admit_period(const struct ucore_session *session);
int ucore_admit_budget(struct ucore_session *session, struct ucore_get_budget *out);

#endif /* UCORE_TURN_H */
