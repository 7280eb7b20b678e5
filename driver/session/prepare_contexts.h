/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preparation of a session: makes domain contexts from the session's events, and copies counts
 * back to the events. The session's lock is held.
 */
#ifndef UCORE_PREPARE_CONTEXTS_H
#define UCORE_PREPARE_CONTEXTS_H

struct ucore_domain;
struct ucore_session;

int ucore_prepare_ctx(struct ucore_session *session, struct ucore_domain *domain);
void ucore_prepare_settle(struct ucore_session *session, const struct ucore_domain *domain);
void ucore_prepare_free(struct ucore_session *session);
int ucore_prepare_session(struct ucore_session *session);
void ucore_prepare_keep_counts(struct ucore_session *session);

#endif /* UCORE_PREPARE_CONTEXTS_H */
