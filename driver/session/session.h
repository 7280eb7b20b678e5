/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sessions: who counts what, and whether it runs.
 */
#ifndef UCORE_SESSION_H
#define UCORE_SESSION_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "sample/part.h"
#include "session/event.h"

struct pid;

/**
 * struct ucore_session - what a session descriptor stands for
 * @lock: guards everything but what is const after creation and @part's
 *        pointers.  Outermost: before the catalog's lock, ucore_run_lock
 *        and the CPU hotplug lock.  Never taken under mmap_lock.
 * @id: session id
 * @pid: process that created it
 * @comm: its name
 * @flags: UCORE_SESSION_*
 * @timer_ns: timer trigger
 * @ring_size: bytes of each ring, 0 for none
 * @wakeup: unread bytes that wake pollers
 * @sink: the pollers
 * @events: list of struct ucore_event
 * @nr_events: length of @events
 * @next_event: next event id
 * @running: started
 * @values: a snapshot, by event; as many as @nr_events while running
 * @domains: a snapshot, by domain
 * @skew_ns: of that snapshot
 * @readers: scratch: CPUs to send an IPI to
 * @pinned: bit i: has chosen the reader of the catalog's domain i
 * @part: by index of the catalog's domain; set once (release), freed at the end,
 *        so that mmap and poll may look without a lock (acquire)
 */
struct ucore_session {
	struct mutex lock;	/* outermost, see above */
	u64 id;
	struct pid *pid;
	char comm[TASK_COMM_LEN];
	u32 flags;
	u64 timer_ns;
	u32 ring_size;
	u32 wakeup;
	struct ucore_sink sink;

	struct list_head events;
	u32 nr_events;
	u32 next_event;
	bool running;
	struct ucore_value *values;
	struct ucore_read_domain *domains;
	u64 skew_ns;
	cpumask_var_t readers;
	unsigned long *pinned;
	struct ucore_part *part[];
};

struct ucore_session *ucore_session_create(const struct ucore_create_session *config,
					   bool context);
void ucore_session_destroy(struct ucore_session *session);

/* With the session's lock held: */
int ucore_session_add(struct ucore_session *session, struct ucore_event_add *add,
		      const struct ucore_term *terms);
int ucore_session_remove(struct ucore_session *session, u32 event);
int ucore_session_may_change(const struct ucore_session *session);
u32 ucore_session_nr_domains(const struct ucore_session *session);
void ucore_session_status(const struct ucore_session *session, struct ucore_status *status);
int ucore_session_set_cpu(struct ucore_session *session, u32 cpu);

/* Without: */
struct ucore_part *ucore_session_part(const struct ucore_session *session, u32 index);
bool ucore_session_readable(const struct ucore_session *session);

#endif /* UCORE_SESSION_H */
