/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core triggers of a session: core events whose overflows take samples (ADD_CORE_TRIGGER). The
 * session's lock is held.
 */
#ifndef UCORE_CORE_TRIGGERS_H
#define UCORE_CORE_TRIGGERS_H

struct ucore_add_core_trigger;
struct ucore_session;

int ucore_core_trigger_add(struct ucore_session *session,
			   const struct ucore_add_core_trigger *config);
void ucore_core_trigger_start_all(struct ucore_session *session);
void ucore_core_trigger_stop_all(struct ucore_session *session);
void ucore_core_trigger_remove_all(struct ucore_session *session);

#endif /* UCORE_CORE_TRIGGERS_H */
