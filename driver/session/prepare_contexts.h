/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preparation of a session: makes domain contexts from the session's events, and copies counts
 * back to the events. The session's lock is held.
 */
#ifndef UCORE_PREPARE_CONTEXTS_H
#define UCORE_PREPARE_CONTEXTS_H

#include <linux/types.h>

struct ucore_domain;
struct ucore_domain_ctx;
struct ucore_event;
struct ucore_session;

int ucore_prepare_ring(struct ucore_session *session, struct ucore_domain_ctx *ctx);
u32 ucore_prepare_flags(const struct ucore_domain_ctx *ctx, const struct ucore_event *event);
int ucore_prepare_ctx(struct ucore_session *session, struct ucore_domain *domain);
void ucore_prepare_settle(struct ucore_session *session, const struct ucore_domain *domain);
void ucore_prepare_free(struct ucore_session *session);
int ucore_prepare_session(struct ucore_session *session);
void ucore_prepare_keep_counts(struct ucore_session *session);

#endif /* UCORE_PREPARE_CONTEXTS_H */
