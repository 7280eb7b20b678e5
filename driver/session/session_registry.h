/* SPDX-License-Identifier: GPL-2.0-only */
/* Registry of all sessions: creation, release, listing, revocation. */
#ifndef UCORE_SESSION_REGISTRY_H
#define UCORE_SESSION_REGISTRY_H

#include <linux/types.h>

#include "ucore_uapi.h"

struct ucore_session;

struct ucore_session *ucore_registry_add(const struct ucore_create_session *config, bool context);
void ucore_registry_del(struct ucore_session *session);
bool ucore_registry_describe(u64 after, struct ucore_session_info *out);
u32 ucore_registry_count(void);
int ucore_registry_revoke(u64 id);

#endif /* UCORE_SESSION_REGISTRY_H */
