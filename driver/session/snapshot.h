/* SPDX-License-Identifier: GPL-2.0-only */
/* READ of a session: a coherent snapshot of all its counters. The session's lock is held. */
#ifndef UCORE_SNAPSHOT_H
#define UCORE_SNAPSHOT_H

#include <linux/types.h>

struct ucore_session;

void ucore_snapshot_take(struct ucore_session *session, bool no_freeze);
void ucore_snapshot_undo(struct ucore_session *session);

#endif /* UCORE_SNAPSHOT_H */
