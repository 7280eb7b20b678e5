/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions: event list, status, creation and release. */
#ifndef UCORE_SESSION_AND_EVENTS_H
#define UCORE_SESSION_AND_EVENTS_H

#include <linux/types.h>

#include "session/session_state.h"

struct ucore_session *ucore_session_alloc(const struct ucore_create_session *config, bool context);
void ucore_session_free(struct ucore_session *session);

/* The session's lock is held: */
void ucore_session_release(struct ucore_session *session);
int ucore_session_add_event(struct ucore_session *session, struct ucore_add_event *add,
			    const struct ucore_term *terms);
int ucore_session_remove_event(struct ucore_session *session, u32 event);
int ucore_session_may_change(const struct ucore_session *session);
void ucore_session_get_status(const struct ucore_session *session, struct ucore_get_status *status);

/* The session's lock is not held: */
struct ucore_domain_ctx *ucore_session_ctx(const struct ucore_session *session, u64 index);
struct ucore_ring *ucore_session_ring(struct ucore_session *session, u64 index);
bool ucore_session_readable(struct ucore_session *session);

#endif /* UCORE_SESSION_AND_EVENTS_H */
