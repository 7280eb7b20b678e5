/* SPDX-License-Identifier: GPL-2.0-only */
/* A session's core triggers; its lock is held. */
#ifndef UCORE_CORE_TRIGGER_H
#define UCORE_CORE_TRIGGER_H

struct ucore_add_core_trigger;
struct ucore_session;

int ucore_core_trigger_add(struct ucore_session *session, const struct ucore_add_core_trigger *ask);
void ucore_core_triggers_start(struct ucore_session *session);
void ucore_core_triggers_stop(struct ucore_session *session);
void ucore_core_triggers_remove(struct ucore_session *session);

#endif /* UCORE_CORE_TRIGGER_H */
