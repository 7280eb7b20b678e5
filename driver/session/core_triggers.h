/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core triggers of a session: core events whose overflows take samples (ADD_CORE_TRIGGER). The
 * session's lock is held.
 */
#ifndef UCORE_CORE_TRIGGERS_H
#define UCORE_CORE_TRIGGERS_H

struct ucore_add_core_trigger;
struct ucore_session;

int ucore_core_triggers_add(struct ucore_session *session,
			    const struct ucore_add_core_trigger *config);
void ucore_core_triggers_start(struct ucore_session *session);
void ucore_core_triggers_stop(struct ucore_session *session);
void ucore_core_triggers_remove(struct ucore_session *session);

#endif /* UCORE_CORE_TRIGGERS_H */
