/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session is; the files of this folder each know a part of its life. */
#ifndef UCORE_STATE_H
#define UCORE_STATE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "box/domain.h"
#include "sample/domain_ctx.h"
#include "session/event.h"

struct pid;
struct user_struct;

/**
 * struct ucore_session - what a session descriptor stands for
 * @turn: held by a command that makes readers work, while it waits for their time and
 *        runs (turn.c).  Outermost.
 * @caller: held by each command, from its first look at its caller's memory to the last;
 *          guards that @values, @ran_ns and @domains stay what they are until they are
 *          delivered.  After @turn.
 * @lock: guards everything but what is const after creation, @part's pointers and
 *        their rings.  After @caller: before the catalog's lock, ucore_run_lock
 *        and the CPU hotplug lock.  Never taken under mmap_lock, and no user memory is
 *        touched under it: whoever ends the session need not wait for that.
 * @id: session id
 * @pid: process that created it
 * @comm: its name
 * @uid: its user
 * @user: whose memory its rings are
 * @flags: UCORE_SESSION_*
 * @timer_ns: timer trigger
 * @rotate_ns: how long a group's turn is, 0: no groups
 * @crew: CPUs of a die that read it together; below 2: the reader alone
 * @crew_any: any of a die's CPUs may be asked to help
 * @crew_cpus: else these may: the creator's
 * @groups: groups that have events, rising, without group 0; as last built
 * @nr_groups: how many
 * @ring_size: bytes of each ring, 0 for none
 * @wakeup: unread bytes that wake pollers
 * @sink: the pollers; its @context: who opened the device had CAP_PERFMON
 * @rings: guards that parts have their rings, for mmap and poll, which cannot take @lock
 * @events: list of struct ucore_event
 * @nr_events: length of @events
 * @nr_domains: domains that they are on
 * @next_event: next event id
 * @nr_boxes: boxes that they are on; guarded by the catalog's lock
 * @running: started
 * @ended: for good, though the descriptor lives (roll.c)
 * @values: a snapshot, by event; as many as @nr_events while running
 * @ran_ns: a snapshot: how long each event could count, by event
 * @domains: a snapshot, by domain
 * @triggers: list of struct ucore_perf_trigger
 * @nr_triggers: length of @triggers
 * @skew_ns: time between the first and the last freeze of that snapshot, of
 *           domains and of boxes
 * @readers: scratch for ucore_rendezvous(): CPUs that do the work
 * @here: scratch for ucore_rendezvous(): the first part of each of them, by CPU
 * @pinned: bit i: the session has chosen the reader of the catalog's domain i
 * @roll: in the roll of all sessions
 * @refs: the descriptor, and who is ending it
 * @first: parts that have counters, as last built, linked by their @next
 * @part: by index of the catalog's domain; set once (release), freed at the end,
 *        so that mmap and poll may look without a lock (acquire)
 */
struct ucore_session {
	struct mutex turn;	/* outermost, see above */
	struct mutex caller;	/* see above */
	struct mutex lock;
	u64 id;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	kuid_t uid;
	struct user_struct *user;
	u32 flags;
	u64 timer_ns;
	u64 rotate_ns;
	u32 nr_readers;
	bool readers_any;
	cpumask_var_t readers_cpus;
	u8 groups[UCORE_GROUP_MAX];
	u32 nr_groups;
	u32 ring_size;
	u32 wakeup;
	struct ucore_sink sink;
	spinlock_t rings;	/* see above */

	struct list_head events;
	u32 nr_events;
	u32 nr_domains;
	u32 nr_boxes;
	u32 next_event;
	bool running;
	bool ended;
	struct ucore_value *values;
	u64 *ran_ns;
	struct ucore_read_domain *domains;
	struct list_head triggers;
	u32 nr_triggers;
	u64 skew_ns;
	cpumask_var_t readers;
	struct ucore_domain_ctx **here;
	unsigned long *pinned;
	struct list_head roll;
	refcount_t refs;
	struct ucore_domain_ctx *first;
	struct ucore_domain_ctx *ctx[];
};

/*
 * Does it freeze its own boxes there, and not the domain?  A CPU is a domain of its own,
 * which its global control freezes without touching anybody else.
 */
static inline bool ucore_session_freezes_boxes(const struct ucore_session *session,
					       const struct ucore_domain *domain)
{
	return (session->flags & UCORE_SESSION_F_BOX_FREEZE) && domain->scope == UCORE_SCOPE_DIE;
}

/* The session's parts that have counters, in the order of domains; session locked */
#define ucore_for_each_ctx(_ctx, _session) \
	for ((_ctx) = (_session)->first; (_ctx); (_ctx) = (_ctx)->next)

#endif /* UCORE_STATE_H */
