/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a session. The files of this folder each handle a part of it. */
#ifndef UCORE_SESSION_STATE_H
#define UCORE_SESSION_STATE_H

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
 * struct ucore_session - a session, which a session descriptor refers to
 * @admission: held by a command that uses CPU time of readers, during the wait for admission
 *             and the execution (admission.c). Outermost lock.
 * @caller: held by each command, from the first to the last access to user memory. Keeps
 *          @values, @ran_ns and @domains unchanged until they are copied out. After
 *          @admission.
 * @lock: protects all members that change after creation, except @ctx's pointers and the
 *        rings. After @caller, before the catalog's lock, ucore_run_lock and the CPU hotplug
 *        lock. Never taken under mmap_lock. User memory is never accessed under it, so that a
 *        revoke need not wait for a page fault.
 * @id: session id
 * @pid: process that created the session
 * @comm: name of that process
 * @uid: user of that process
 * @user: user charged for the memory of the rings
 * @flags: UCORE_SESSION_F_*
 * @timer_ns: period of the timer trigger (ns)
 * @rotate_ns: time slice of a group (ns), 0: no groups
 * @nr_readers: number of CPUs of a die that read in parallel, below 2 for only the reader
 * @readers_any: any CPU of a die may take part in a parallel read
 * @readers_cpus: without @readers_any: CPUs that may, the creator's allowed CPUs
 * @groups: ids of the groups that have events, ascending, without group 0; set by a prepare
 * @nr_groups: length of @groups
 * @ring_size: size of each ring (bytes), 0 for none
 * @wakeup: number of unread bytes that wakes pollers
 * @sink: the pollers, with @context if the opener of the device had CAP_PERFMON
 * @rings: protects the contexts' pointers to rings, for mmap and poll, which cannot take @lock
 * @events: list of struct ucore_event
 * @nr_events: length of @events
 * @nr_domains: number of domains that @events are on
 * @nr_boxes: number of boxes that @events are on; protected by the catalog's lock
 * @next_event: next event id
 * @running: the session is started
 * @revoked: all resources are released for good, although the descriptor may remain
 *           (registry.c)
 * @values: snapshot: values, by event; has @nr_events elements while running
 * @ran_ns: snapshot: time (ns) for which each event could count, by event
 * @domains: snapshot: times, by domain
 * @triggers: list of struct ucore_perf_trigger
 * @nr_triggers: length of @triggers
 * @skew_ns: time between the first and the last freeze of the snapshot, of domains and of
 *           boxes (ns)
 * @rendezvous_cpus: temporary CPU mask of ucore_rendezvous() and ucore_admit_budget()
 * @ctx_on_cpu: temporary data of ucore_rendezvous(): first context that each CPU reads
 * @pinned: bit i: the session has chosen the reader of the catalog's domain i
 * @node: in the registry
 * @refs: references: of the descriptor, and of a revoke in progress
 * @first: first context that has counters, as prepared last; @next links the others
 * @ctx: contexts by index of the catalog's domain. Set once (release) and freed at the end, so
 *       that mmap and poll can read the pointers without a lock (acquire).
 */
struct ucore_session {
	struct mutex admission;	/* outermost, see above */
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
	bool revoked;
	struct ucore_value *values;
	u64 *ran_ns;
	struct ucore_read_domain *domains;
	struct list_head triggers;
	u32 nr_triggers;
	u64 skew_ns;
	cpumask_var_t rendezvous_cpus;
	struct ucore_domain_ctx **ctx_on_cpu;
	unsigned long *pinned;
	struct list_head node;
	refcount_t refs;
	struct ucore_domain_ctx *first;
	struct ucore_domain_ctx *ctx[];
};

/*
 * Return true if the session freezes its own boxes on the domain, not the whole domain. The
 * domain of a CPU is always frozen by its global control, which affects no other CPU.
 */
static inline bool ucore_session_freezes_boxes(const struct ucore_session *session,
					       const struct ucore_domain *domain)
{
	return (session->flags & UCORE_SESSION_F_BOX_FREEZE) && domain->scope == UCORE_SCOPE_DIE;
}

/*
 * Iterate over the contexts that have counters, in the order of domains. The session is
 * locked.
 */
#define ucore_for_each_ctx(_ctx, _session) \
	for ((_ctx) = (_session)->first; (_ctx); (_ctx) = (_ctx)->next)

#endif /* UCORE_SESSION_STATE_H */
