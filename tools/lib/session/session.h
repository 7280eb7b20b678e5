/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal functions of sessions, shared by the files of this folder.
 */
#ifndef UCORE_SESSION_H
#define UCORE_SESSION_H

#include <errno.h>
#include <string.h>

#include "internal.h"

/* Return true if an event of the session may count for a part of the time only */
static inline bool ucore_session_scales(const struct ucore_session *session)
{
	return session->config.rotate_ns || session->config.flags & UCORE_SESSION_F_MULTIPLEX;
}

static inline int session_ioctl(const struct ucore_session *session, unsigned long command,
				void *arg)
{
	return ucore_device_ioctl(session->dev, session->fd, command, arg);
}

/* Write the text for error @code of ADD_EVENT for an event on a box.  Returns @code. */
int ucore_session_add_error(struct ucore_session *session, const struct ucore_event *event,
			    const struct ucore_box_info *box, int code, struct ucore_error *err);

#endif /* UCORE_SESSION_H */
