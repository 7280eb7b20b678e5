/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a session (struct ucore_session), which the files of this folder share. */
#ifndef UCORE_SESSION_STATE_H
#define UCORE_SESSION_STATE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>

#include "box/domain_global_ctl.h"
#include "sample/domain_ctx_counters.h"
#include "event/event.h"

struct pid;
struct user_struct;

/**
 * struct ucore_session - a session: its events, its state on each domain, its parameters
 * @admission: held by a command that uses CPU time of readers, during the wait for admission
 *             and the execution (budget_admission.c). Outermost lock.
 * @caller: held by each command, from the first to the last access to user memory. Keeps
 *          @values, @ran_ns and @domains unchanged until they are copied out. Taken after
 *          @admission.
 * @lock: protects all members that change after creation, except @ctx's pointers and the
 *        rings. Taken after @caller, before the catalog's lock, ucore_run_lock and the CPU hotplug
 *        lock. Never taken under mmap_lock. User memory is never accessed under it, so that a
 *        revoke need not wait for a page fault.
 * @id: session id
 * @pid: process that created the session
 * @comm: name of the process @pid
 * @uid: user of the process @pid
 * @user: user to whom the memory of the rings is charged
 * @flags: UCORE_SESSION_F_*
 * @timer_ns: period of the timer trigger (ns)
 * @rotate_ns: time slice of a group (ns), 0: no groups
 * @nr_readers: requested number of CPUs of a die that read in parallel, below 2 if the reader
 *              reads alone
 * @readers_any: any CPU of a die may take part in a parallel read (CAP_SYS_NICE)
 * @readers_cpus: CPUs that may take part in a parallel read without @readers_any: the CPU
 *                affinity of the session's creator
 * @groups: ids of the groups that have events, ascending, without group 0; set by
 *          ucore_prepare_session()
 * @nr_groups: length of @groups
 * @ring_size: size of each ring (bytes), 0 for none
 * @wakeup: number of unread bytes of a ring that wakes pollers
 * @sink: wait queue of the pollers, and permission to see interrupted contexts
 * @rings: spinlock of the contexts' pointers to rings, for mmap and poll, which cannot take
 *         @lock
 * @events: list of struct ucore_event
 * @nr_events: length of @events
 * @nr_domains: number of domains with @events
 * @nr_boxes: number of boxes with @events; protected by the catalog's lock
 * @next_event: id of the next event to be added
 * @running: the session is between START and STOP
 * @revoked: the session was revoked or freed, so that all its resources are released, although
 *           its descriptor may still be open (session_registry.c)
 * @values: snapshot of READ: value of each event, in the order of @events
 * @ran_ns: snapshot of READ: time for which each event could count (ns), in the order of
 *          @events
 * @max_values: length of @values and of @ran_ns, at least @nr_events
 * @domains: snapshot of READ: times of each domain, in the order of domain ids
 * @max_domains: length of @domains, at least @nr_domains
 * @triggers: list of the session's core triggers (struct ucore_perf_trigger)
 * @nr_triggers: length of @triggers
 * @skew_ns: snapshot of READ: time between the first and the last freeze of a domain or of a
 *           box (ns)
 * @rendezvous_cpus: temporary CPU mask of ucore_rendezvous() and ucore_admit_budget()
 * @ctx_on_cpu: temporary data of ucore_rendezvous(): for each CPU, the first context that it
 *              reads
 * @pinned: bitmap by domain id: the session has chosen the reader and the PMI CPUs of the
 *          domain (SET_PMI_CPUS)
 * @refs: number of references: one of the descriptor, one of each revoke in progress
 * @first: first context with counters, set by ucore_prepare_session(); ucore_domain_ctx.next
 *         links the others
 * @ctx: contexts by domain id, NULL for a domain that never had an event. Set once (release)
 *       and freed at the end, so that mmap and poll can read the pointers without a lock
 *       (acquire).
 */
struct ucore_session {
	struct mutex admission;	/* outermost lock */
	struct mutex caller;	/* held during each command */
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
	spinlock_t rings;	/* protects ucore_domain_ctx.ring */

	struct list_head events;
	u32 nr_events;
	u32 nr_domains;
	u32 nr_boxes;
	u32 next_event;
	bool running;
	bool revoked;
	struct ucore_value *values;
	u64 *ran_ns;
	u32 max_values;
	struct ucore_read_domain *domains;
	u32 max_domains;
	struct list_head triggers;
	u32 nr_triggers;
	u64 skew_ns;
	cpumask_var_t rendezvous_cpus;
	struct ucore_domain_ctx **ctx_on_cpu;
	unsigned long *pinned;
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
 * Iterate over the session's contexts that have counters, in the order of domain ids. The
 * session is locked.
 */
#define ucore_for_each_ctx(_ctx, _session) \
	for ((_ctx) = (_session)->first; (_ctx); (_ctx) = (_ctx)->next)

#endif /* UCORE_SESSION_STATE_H */
