// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registry of all sessions, for GET_SESSIONS and REVOKE_SESSION. Owns the list of sessions and
 * their reference counts.
 *
 * A session is in the list while its descriptor exists, also while the descriptor is in flight
 * on a socket. Process context. The list's lock is held for short times only, and no other
 * lock is taken under it.
 */
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "box/catalog.h"
#include "session/session_and_events.h"
#include "session/session_registry.h"
#include "session/start_stop_reset.h"

static LIST_HEAD(sessions);	/* struct ucore_session, by ascending id */
static u32 nr_sessions;
static DEFINE_MUTEX(registry_lock);

static void session_put(struct ucore_session *session)
{
	if (refcount_dec_and_test(&session->refs))
		ucore_session_free(session);
}

/* Find the session with the lowest id above @after; NULL if none. The registry is locked. */
static struct ucore_session *session_next(u64 after)
{
	struct ucore_session *session;

	lockdep_assert_held(&registry_lock);

	list_for_each_entry(session, &sessions, node)
		if (session->id > after)
			return session;
	return NULL;
}

/*
 * Insert a session into the list by its id. Ids are assigned without the registry's lock, so
 * that a session may be inserted after a session with a higher id.
 */
static void session_insert(struct ucore_session *session)
{
	struct ucore_session *next = session_next(session->id);

	lockdep_assert_held(&registry_lock);

	list_add_tail(&session->node, next ? &next->node : &sessions);
	nr_sessions++;
}

/**
 * ucore_registry_add() - create a session without events and register it
 * @config: parameters, checked by the caller
 * @context: samples may contain the interrupted context (IP, PID, TID)
 *
 * Return: the session, or an ERR_PTR with -ENODEV, -EBUSY or -ENOMEM.
 */
struct ucore_session *ucore_registry_add(const struct ucore_create_session *config, bool context)
{
	struct ucore_session *session = ucore_session_alloc(config, context);

	if (IS_ERR(session))
		return session;
	mutex_lock(&registry_lock);
	session_insert(session);
	mutex_unlock(&registry_lock);
	return session;
}

/**
 * ucore_registry_del() - stop and unregister a session whose descriptor was released
 * @session: the session
 */
void ucore_registry_del(struct ucore_session *session)
{
	mutex_lock(&registry_lock);
	list_del(&session->node);
	nr_sessions--;
	mutex_unlock(&registry_lock);
	mutex_lock(&session->lock);
	ucore_counting_halt(session);
	mutex_unlock(&session->lock);
	session_put(session);
}

/*
 * Describe a session for GET_SESSIONS, without the session's lock. A command that reads
 * registers may hold that lock for a long time.
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
	if (READ_ONCE(session->revoked))
		out->state = UCORE_SESSION_REVOKED;
	strscpy(out->comm, session->comm, sizeof(out->comm));
}

/**
 * ucore_registry_describe() - describe the session with the lowest id above @after
 * @after: id of the session described before, 0 for the first session
 * @out: the answer for GET_SESSIONS
 *
 * Return: false if no session has a higher id than @after.
 */
bool ucore_registry_describe(u64 after, struct ucore_session_info *out)
{
	const struct ucore_session *session;

	mutex_lock(&registry_lock);
	session = session_next(after);
	if (session)
		describe(session, out);
	mutex_unlock(&registry_lock);
	return session;
}

/** ucore_registry_count() - return the number of sessions */
u32 ucore_registry_count(void)
{
	return READ_ONCE(nr_sessions);
}

/* Find a session by its id and take a reference; NULL if there is none. */
static struct ucore_session *session_get(u64 id)
{
	struct ucore_session *session;

	mutex_lock(&registry_lock);
	session = id ? session_next(id - 1) : NULL;
	if (session && session->id != id)
		session = NULL;
	if (session)
		refcount_inc(&session->refs);
	mutex_unlock(&registry_lock);
	return session;
}

/**
 * ucore_registry_revoke() - revoke a session
 * @id: id of the session
 *
 * Stops the session, restores its boxes, frees its rings and releases its choice of CPUs. The
 * descriptor remains open, but all its commands fail.
 *
 * Return: 0, also if the session is revoked already; -ENOENT if no session has the id; -EINTR
 * if the caller was killed while it waited for a command of the session.
 */
int ucore_registry_revoke(u64 id)
{
	struct ucore_session *session = session_get(id);
	int ret;

	if (!session)
		return -ENOENT;
	ret = mutex_lock_killable(&session->lock);
	if (!ret) {
		ucore_counting_halt(session);
		ucore_session_release(session);
		mutex_unlock(&session->lock);
		wake_up_interruptible_all(&session->sink.wait);
	}
	session_put(session);
	return ret;
}
