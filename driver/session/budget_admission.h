/* SPDX-License-Identifier: GPL-2.0-only */
/* Admission control: estimates and delays that keep readers within their CPU budgets. */
#ifndef UCORE_BUDGET_ADMISSION_H
#define UCORE_BUDGET_ADMISSION_H

#include <linux/types.h>

struct ucore_get_budget;
struct ucore_session;

/* The session is not locked: */
int ucore_admit_begin(struct ucore_session *session, bool moves);
void ucore_admit_end(struct ucore_session *session);

/* The session's lock is held: */
u64 ucore_admit_sample_ns(const struct ucore_session *session);
bool ucore_admit_period(const struct ucore_session *session);
int ucore_admit_budget(struct ucore_session *session, struct ucore_get_budget *out);

#endif /* UCORE_BUDGET_ADMISSION_H */
