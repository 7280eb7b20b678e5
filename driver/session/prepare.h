/* SPDX-License-Identifier: GPL-2.0-only */
/* From a session's events to its parts, and back. */
#ifndef UCORE_BUILD_H
#define UCORE_BUILD_H

struct ucore_domain;
struct ucore_session;

int ucore_part_ensure(struct ucore_session *session, struct ucore_domain *domain);
void ucore_part_settle(struct ucore_session *session, const struct ucore_domain *domain);
void ucore_parts_free(struct ucore_session *session);
int ucore_session_build(struct ucore_session *session);
void ucore_session_keep_counts(struct ucore_session *session);

#endif /* UCORE_BUILD_H */
