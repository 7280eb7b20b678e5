/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions: who counts what, and whether it runs.
 */
#ifndef UCORE_SESSION_H
#define UCORE_SESSION_H

#include <linux/types.h>

#include "session/session_state.h"

struct ucore_session *ucore_session_alloc(const struct ucore_create_session *config,
					   bool context);
void ucore_session_free(struct ucore_session *session);

/* With the session's lock held: */
void ucore_session_give_up(struct ucore_session *session);
int ucore_session_add_event(struct ucore_session *session, struct ucore_add_event *add,
		      const struct ucore_term *terms);
int ucore_session_remove_event(struct ucore_session *session, u32 event);
int ucore_session_may_change(const struct ucore_session *session);
void ucore_session_get_status(const struct ucore_session *session, struct ucore_get_status *status);
int ucore_session_set_cpus(struct ucore_session *session, const u32 *cpus, u32 nr);

/* Without: */
struct ucore_domain_ctx *ucore_session_ctx(const struct ucore_session *session, u64 index);
struct ucore_ring *ucore_session_ring(struct ucore_session *session, u64 index);
bool ucore_session_readable(struct ucore_session *session);

#endif /* UCORE_SESSION_H */
