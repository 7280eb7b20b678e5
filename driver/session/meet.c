// SPDX-License-Identifier: GPL-2.0-only
/*
 * Meetings: what has to happen on all domains of a session is sent to their
 * readers, in parallel, one IPI for each remote one.  Where domains shall do a
 * thing at the same moment the readers first wait for each other.
 *
 * Process context.  Lock order: session->lock, ucore_run_lock, CPU hotplug,
 * snapshot_lock, domain->lock.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/smp.h>

#include "box/catalog.h"
#include "session/meet.h"
#include "session/session.h"

/**
 * ucore_next_part() - a session's next part that has events
 * @session: the session, locked
 * @i: 0 at first; goes on from domain to domain
 *
 * Return: the part, NULL at the end.
 */
struct ucore_part *ucore_next_part(const struct ucore_session *session, u32 *i)
{
	struct ucore_part *part;

	while (*i < ucore_catalog.nr_domains) {
		part = session->part[(*i)++];
		if (part && part->nr_ctr)
			return part;
	}
	return NULL;
}

/*
 * One meeting of readers at a time: two could each wait for a CPU that waits
 * in the other.
 */
static DEFINE_MUTEX(snapshot_lock);

/*
 * How long readers wait for each other at most, interrupts off: an IPI takes
 * microseconds, a CPU that keeps interrupts off or a preempted virtual one more.
 */
#define MEETING_NS	(2 * NSEC_PER_MSEC)

static void meeting_wait(struct ucore_meeting *m)
{
	u64 deadline = ktime_get_mono_fast_ns() + MEETING_NS;
	u32 spins;

	atomic_dec(&m->missing);
	for (spins = 1; atomic_read(&m->missing) > 0; spins++) {
		/* reading the clock costs more than a turn */
		if (spins % 64 == 0 && ktime_get_mono_fast_ns() > deadline)
			break;
		cpu_relax();
	}
}

/* The session's next part for which this CPU was sent for; *@i as in ucore_next_part(). */
static struct ucore_part *next_part_here(const struct ucore_session *session, u32 *i)
{
	struct ucore_part *part;

	while ((part = ucore_next_part(session, i)))
		if (part->meets_on == smp_processor_id())
			return part;
	return NULL;
}

/*
 * A CPU may read two domains, its die and itself.  Their locks are of two
 * classes, and are taken in the order of the domains.
 */
static void meet_here(void *arg)
{
	struct ucore_meeting *m = arg;
	struct ucore_part *part;
	u32 i;

	for (i = 0; m->prepare && (part = next_part_here(m->session, &i));) {
		raw_spin_lock(&part->domain->lock);
		m->prepare(part);
	}
	if (m->together)
		meeting_wait(m);
	for (i = 0; (part = next_part_here(m->session, &i));) {
		if (!m->prepare)
			raw_spin_lock(&part->domain->lock);
		m->act(part, m);
		raw_spin_unlock(&part->domain->lock);
	}
}

/**
 * ucore_meet() - have all readers of a session's domains do a thing, and wait
 * @session: the session, locked
 * @m: what they do
 *
 * CPU hotplug is held off.  Another session may choose other readers meanwhile:
 * then the old ones do it.  Domains without a CPU are left out.
 */
void ucore_meet(struct ucore_session *session, struct ucore_meeting *m)
{
	struct ucore_part *part;
	u32 i, n;

	cpumask_clear(session->readers);
	for (i = 0; (part = ucore_next_part(session, &i));) {
		part->meets_on = READ_ONCE(part->domain->reader);
		if (part->meets_on != UCORE_NO_CPU)
			cpumask_set_cpu(part->meets_on, session->readers);
	}
	n = cpumask_weight(session->readers);
	m->session = session;
	atomic_set(&m->missing, n);
	if (n > 1)
		mutex_lock(&snapshot_lock);
	on_each_cpu_mask(session->readers, meet_here, m, true);
	if (n > 1)
		mutex_unlock(&snapshot_lock);
}
