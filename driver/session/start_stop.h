/* SPDX-License-Identifier: GPL-2.0-only */
/* Running a session; its lock is held. */
#ifndef UCORE_RUN_H
#define UCORE_RUN_H

#include <linux/types.h>

struct ucore_session;

int ucore_session_start(struct ucore_session *session);
void ucore_session_stop(struct ucore_session *session);
void ucore_session_halt(struct ucore_session *session);
int ucore_session_reset(struct ucore_session *session);
int ucore_session_read(struct ucore_session *session, bool live);
void ucore_session_unread(struct ucore_session *session);

#endif /* UCORE_RUN_H */
