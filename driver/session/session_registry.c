// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registry of all sessions, for GET_SESSIONS and REVOKE_SESSION. Owns the table of sessions and
 * their reference counts, and limits the number of sessions of each user.
 *
 * A session is in the table while its descriptor exists, also while the descriptor is in flight
 * on a socket. Process context. The table's lock is held for short times only, and no other
 * lock of the driver is taken under it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "box/catalog.h"
#include "session/session_and_events.h"
#include "session/session_registry.h"
#include "session/start_stop_reset.h"

static DEFINE_XARRAY_FLAGS(sessions, XA_FLAGS_ACCOUNT);	/* struct ucore_session, by id */
static DEFINE_XARRAY_FLAGS(users, XA_FLAGS_ACCOUNT);	/* number of sessions, by user id */
static u32 nr_sessions;
static DEFINE_MUTEX(registry_lock);	/* protects all of the above */

static void session_put(struct ucore_session *session)
{
	if (refcount_dec_and_test(&session->refs))
		ucore_session_free(session);
}

/* Find the session with the lowest id above @after; NULL if none. The registry is locked. */
static struct ucore_session *session_next(u64 after)
{
	unsigned long id = after;

	lockdep_assert_held(&registry_lock);

	return xa_find_after(&sessions, &id, ULONG_MAX, XA_PRESENT);
}

/*
 * Count a new session of a user. Return -EDQUOT beyond UCORE_SESSIONS_MAX, unless the caller has
 * CAP_SYS_RESOURCE, or -ENOMEM.
 */
static int user_charge(kuid_t uid)
{
	void *count = xa_load(&users, __kuid_val(uid));
	unsigned long n = count ? xa_to_value(count) : 0;

	lockdep_assert_held(&registry_lock);

	if (n >= UCORE_SESSIONS_MAX && !capable(CAP_SYS_RESOURCE))
		return -EDQUOT;
	return xa_err(xa_store(&users, __kuid_val(uid), xa_mk_value(n + 1), GFP_KERNEL));
}

/* Undo user_charge(). Storing over an entry needs no memory, so this cannot fail. */
static void user_uncharge(kuid_t uid)
{
	unsigned long n = xa_to_value(xa_load(&users, __kuid_val(uid)));

	lockdep_assert_held(&registry_lock);

	if (n > 1)
		xa_store(&users, __kuid_val(uid), xa_mk_value(n - 1), GFP_KERNEL);
	else
		xa_erase(&users, __kuid_val(uid));
}

/* Insert a session into the table. Return -EDQUOT or -ENOMEM. */
static int session_insert(struct ucore_session *session)
{
	int ret = user_charge(session->uid);

	if (ret)
		return ret;
	ret = xa_insert(&sessions, session->id, session, GFP_KERNEL);
	if (ret)
		user_uncharge(session->uid);
	else
		nr_sessions++;
	return ret;
}

static void session_erase(const struct ucore_session *session)
{
	xa_erase(&sessions, session->id);
	user_uncharge(session->uid);
	nr_sessions--;
}

/**
 * ucore_registry_add() - create a session without events and register it
 * @config: parameters, checked by the caller
 * @context: samples may contain the interrupted context (IP, PID, TID)
 *
 * Return: the session, or an ERR_PTR with -ENODEV, -EBUSY, -ENOMEM or -EDQUOT.
 */
struct ucore_session *ucore_registry_add(const struct ucore_create_session *config, bool context)
{
	struct ucore_session *session = ucore_session_alloc(config, context);
	int ret;

	if (IS_ERR(session))
		return session;
	mutex_lock(&registry_lock);
	ret = session_insert(session);
	mutex_unlock(&registry_lock);
	if (ret) {
		session_put(session);
		return ERR_PTR(ret);
	}
	return session;
}

/**
 * ucore_registry_del() - stop and unregister a session whose descriptor was released
 * @session: the session
 */
void ucore_registry_del(struct ucore_session *session)
{
	mutex_lock(&registry_lock);
	session_erase(session);
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
	session = xa_load(&sessions, id);
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
