/* SPDX-License-Identifier: GPL-2.0-only */
/* START, STOP and RESET of a session. The session's lock is held. */
#ifndef UCORE_START_STOP_RESET_H
#define UCORE_START_STOP_RESET_H

#include <linux/types.h>

struct ucore_session;

int ucore_counting_start(struct ucore_session *session);
void ucore_counting_stop(struct ucore_session *session);
void ucore_counting_halt(struct ucore_session *session);
int ucore_counting_reset(struct ucore_session *session);

#endif /* UCORE_START_STOP_RESET_H */
