/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a session; its lock is held. */
#ifndef UCORE_RUN_H
#define UCORE_RUN_H

#include <linux/types.h>

struct ucore_session;

int ucore_counting_start(struct ucore_session *session);
void ucore_counting_stop(struct ucore_session *session);
void ucore_counting_halt(struct ucore_session *session);
int ucore_counting_reset(struct ucore_session *session);
int ucore_counting_read(struct ucore_session *session, bool live);
void ucore_counting_unread(struct ucore_session *session);

#endif /* UCORE_RUN_H */
