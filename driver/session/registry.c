// SPDX-License-Identifier: GPL-2.0-only
/*
 * The roll: all sessions there are, whoever has their descriptors, and ending one
 * without its owner.
 *
 * A session is on the roll while its descriptor lives, be it in flight on a socket.
 * Process context.  The roll's lock is held for moments only and before no other.
 */
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "box/catalog.h"
#include "session/registry.h"
#include "session/start_stop.h"
#include "session/session.h"

static LIST_HEAD(roll);		/* by id */
static u32 nr_sessions;
static DEFINE_MUTEX(roll_lock);

static void roll_put(struct ucore_session *session)
{
	if (refcount_dec_and_test(&session->refs))
		ucore_session_free(session);
}

/* The first session behind an id; the roll is locked. */
static struct ucore_session *roll_next(u64 after)
{
	struct ucore_session *session;

	list_for_each_entry(session, &roll, roll)
		if (session->id > after)
			return session;
	return NULL;
}

/* Ids are given out before the roll is locked, so two may come in the wrong order. */
static void roll_insert(struct ucore_session *session)
{
	struct ucore_session *next = roll_next(session->id);

	list_add_tail(&session->roll, next ? &next->roll : &roll);
	nr_sessions++;
}

/**
 * ucore_registry_add() - a session without events, on the roll
 * @config: checked by the caller
 * @context: who opened the device may see what was interrupted
 *
 * Return: the session or an ERR_PTR: -ENODEV, -EBUSY, -ENOMEM.
 */
struct ucore_session *ucore_registry_add(const struct ucore_create_session *config, bool context)
{
	struct ucore_session *session = ucore_session_alloc(config, context);

	if (IS_ERR(session))
		return session;
	mutex_lock(&roll_lock);
	roll_insert(session);
	mutex_unlock(&roll_lock);
	return session;
}

/**
 * ucore_registry_del() - its descriptor is gone
 * @session: the session
 */
void ucore_registry_del(struct ucore_session *session)
{
	mutex_lock(&roll_lock);
	list_del(&session->roll);
	nr_sessions--;
	mutex_unlock(&roll_lock);
	mutex_lock(&session->lock);
	ucore_counting_halt(session);
	mutex_unlock(&session->lock);
	roll_put(session);
}

/*
 * A moment's view: the session's own lock may be held while its registers are read.
 */
static void describe(const struct ucore_session *session, struct ucore_session_info *out)
{
	*out = (struct ucore_session_info){
		.session = session->id,
		.pid = pid_vnr(session->pid),
		.uid = from_kuid_munged(current_user_ns(), session->uid),
		.flags = session->flags,
		.state = READ_ONCE(session->running) ? UCORE_SESSION_RUNNING :
						       UCORE_SESSION_STOPPED,
		.nr_events = READ_ONCE(session->nr_events),
		.nr_boxes = READ_ONCE(session->nr_boxes),
		.nr_domains = READ_ONCE(session->nr_domains),
		.nr_pinned = bitmap_weight(session->pinned, ucore_catalog.nr_domains),
		.ring_size = session->ring_size,
		.timer_ns = session->timer_ns,
	};
	if (READ_ONCE(session->ended))
		out->state = UCORE_SESSION_REVOKED;
	strscpy(out->comm, session->comm, sizeof(out->comm));
}

/**
 * ucore_registry_describe() - the next session, for GET_SESSIONS
 * @after: id of the one before, 0 at first
 * @out: the answer
 *
 * Return: false if there is none.
 */
bool ucore_registry_describe(u64 after, struct ucore_session_info *out)
{
	const struct ucore_session *session;

	mutex_lock(&roll_lock);
	session = roll_next(after);
	if (session)
		describe(session, out);
	mutex_unlock(&roll_lock);
	return session;
}

/** ucore_registry_count() - how many sessions there are */
u32 ucore_registry_count(void)
{
	return READ_ONCE(nr_sessions);
}

/* A session by its id, referenced; NULL if there is none. */
static struct ucore_session *roll_get(u64 id)
{
	struct ucore_session *session;

	mutex_lock(&roll_lock);
	session = id ? roll_next(id - 1) : NULL;
	if (session && session->id != id)
		session = NULL;
	if (session)
		refcount_inc(&session->refs);
	mutex_unlock(&roll_lock);
	return session;
}

/**
 * ucore_registry_revoke() - end somebody's session
 * @id: its id
 *
 * Its counters stop, its boxes and rings are given back, its CPUs are anybody's; the
 * descriptor stays, and is good for nothing.
 *
 * Return: 0, also if it has ended before; -ENOENT; -EINTR if the caller was killed
 * while it waited for a command of the session.
 */
int ucore_registry_revoke(u64 id)
{
	struct ucore_session *session = roll_get(id);
	int ret;

	if (!session)
		return -ENOENT;
	ret = mutex_lock_killable(&session->lock);
	if (!ret) {
		ucore_counting_halt(session);
		ucore_session_give_up(session);
		mutex_unlock(&session->lock);
		wake_up_interruptible_all(&session->sink.wait);
	}
	roll_put(session);
	return ret;
}
