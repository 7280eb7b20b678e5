// SPDX-License-Identifier: GPL-2.0-only
/*
 * Running a session: start, stop, reset and read on all its domains at once.
 *
 * Process context.  What has to happen on a domain is sent to its reader, to all
 * readers in parallel: one IPI for each remote domain.  Where domains shall do a
 * thing at the same moment they first wait for each other.  Must not know
 * user memory, nor who may have which box (session.c).
 *
 * Lock order: session->lock, ucore_run_lock, CPU hotplug, catalog lock or
 * snapshot_lock, domain->lock.
 */
#include <linux/cpu.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "catalog.h"
#include "compat.h"
#include "pmi.h"
#include "session.h"
#include "timer.h"

/*
 * One meeting of readers at a time: two could each wait for a CPU that waits
 * in the other.
 */
static DEFINE_MUTEX(snapshot_lock);

/* The session's next part that has events; *@i goes on from domain to domain. */
static struct ucore_part *next_part(const struct ucore_session *session, u32 *i)
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
 * ---- readers, in parallel ----
 */

/*
 * How long readers wait for each other at most, interrupts off: an IPI takes
 * microseconds, a CPU that keeps interrupts off or a preempted virtual one more.
 */
#define MEETING_NS	(2 * NSEC_PER_MSEC)

/**
 * struct meeting - a thing that readers do together
 * @session: whose
 * @prepare: what comes before they wait for each other, with the domain's lock
 *           held from then on; may be NULL
 * @act: what they do, with the domain's lock held
 * @together: they wait for each other
 * @base: instant from which timers count
 * @missing: readers that have not arrived
 */
struct meeting {
	struct ucore_session *session;
	void (*prepare)(struct ucore_part *part);
	void (*act)(struct ucore_part *part, const struct meeting *m);
	bool together;
	u64 base;
	atomic_t missing;
};

static void meeting_wait(struct meeting *m)
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

/* The session's next part for which this CPU was sent for; *@i as in next_part(). */
static struct ucore_part *next_part_here(const struct ucore_session *session, u32 *i)
{
	struct ucore_part *part;

	while ((part = next_part(session, i)))
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
	struct meeting *m = arg;
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

/*
 * Have all readers do it and wait for them.  CPU hotplug is held off; another
 * session may choose other readers meanwhile: then the old ones do it.
 */
static void meet(struct ucore_session *session, struct meeting *m)
{
	struct ucore_part *part;
	u32 i, n;

	cpumask_clear(session->readers);
	for (i = 0; (part = next_part(session, &i));) {
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

/*
 * ---- parts: what an event list becomes when it starts ----
 */

/*
 * No more than a thousand extra reads a second, however narrow a table says
 * that counters are; those of 32 bits and more never need more.
 */
#define MIN_GUARD_NS	(2 * NSEC_PER_MSEC)

/* The part's entry for a box, which this session owns: the box remembers where. */
static struct ucore_part_box *part_box(struct ucore_part *part, struct ucore_box *box)
{
	u32 i = box->part_index;

	if (i < part->nr_box && part->box[i].box == box)
		return &part->box[i];
	box->part_index = part->nr_box;
	part->box[part->nr_box] = (struct ucore_part_box){ .box = box, .last = U32_MAX };
	return &part->box[part->nr_box++];
}

static void part_add_counter(struct ucore_part *part, const struct ucore_event *event,
			     u32 slot)
{
	const struct ucore_box_type *type = event->box->desc.type;
	const struct ucore_layout *layout = event->box->desc.layout;
	struct ucore_part_box *pb = part_box(part, event->box);
	bool fixed = event->counter >= UCORE_COUNTER_FIXED;
	u8 i = fixed ? event->counter - UCORE_COUNTER_FIXED : event->counter;
	u8 width = fixed ? type->fixed_width : type->width;
	u64 ctl = event->spec.value[UCORE_SLOT_CTL];
	u32 inc = ucore_event_max_increment(type, ctl, fixed);
	struct ucore_counter *ctr = &part->ctr[part->nr_ctr];
	u32 s;

	*ctr = (struct ucore_counter){
		.box = event->box,
		.total = event->total,
		.mask = GENMASK_ULL(width - 1, 0),
		.ctl = ctl | (fixed ? type->fixed_en : type->ctl_en),
		.period = event->spec.period,
		.event = event->id,
		.slot = slot,
		.flags = event->flags,
		.reg = fixed ? layout->fixed_ctr[i] : layout->ctr[i],
		.ctl_reg = fixed ? layout->fixed_ctl[i] : layout->ctl[i],
		.index = event->counter,
		.sibling = pb->last,
	};
	pb->last = part->nr_ctr++;
	if (event->box->io.ops->counter_cost > 1 && width >= 32)
		ctr->low_ns = ucore_event_wrap_ns(32, inc) / 2;
	part->guard_ns = min(part->guard_ns, max(ucore_event_wrap_ns(width, inc), MIN_GUARD_NS));

	for (s = 0; s < UCORE_MAX_SHARED; s++)
		pb->shared[s] |= event->spec.value[UCORE_SLOT_SHARED(s)];
	if (ctr->period) {
		ctr->ctl |= fixed ? type->fixed_ov_en : type->ctl_ov_en;
		pb->armed_mask |= fixed ? event->box->desc.global_fixed :
					  event->box->desc.global_gp;
		part->armed_mask |= pb->armed_mask;
	}
}

static int part_build(struct ucore_session *session, struct ucore_part *part)
{
	struct ucore_event *event;
	u32 n = 0, slot = 0;

	ucore_part_drop(part);
	part->armed_mask = 0;
	part->guard_ns = U64_MAX;
	list_for_each_entry(event, &session->events, node)
		n += event->box->domain == part->domain;
	if (!n)
		return 0;
	part->ctr = kvcalloc(n, sizeof(*part->ctr), GFP_KERNEL_ACCOUNT);
	part->box = kvcalloc(n, sizeof(*part->box), GFP_KERNEL_ACCOUNT);
	if (!part->ctr || !part->box) {
		ucore_part_drop(part);
		return -ENOMEM;
	}
	list_for_each_entry(event, &session->events, node) {
		if (event->box->domain == part->domain)
			part_add_counter(part, event, slot);
		slot++;
	}
	return 0;
}

static int session_build(struct ucore_session *session)
{
	u32 i, nr_domains = 0;
	int ret;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->part[i])
			continue;
		ret = part_build(session, session->part[i]);
		if (ret)
			return ret;
		nr_domains += session->part[i]->nr_ctr > 0;
	}
	kvfree(session->values);
	kvfree(session->domains);
	session->values = kvcalloc(session->nr_events, sizeof(*session->values),
				   GFP_KERNEL_ACCOUNT);
	session->domains = kvcalloc(nr_domains, sizeof(*session->domains), GFP_KERNEL_ACCOUNT);
	return session->values && session->domains ? 0 : -ENOMEM;
}

/* Counts go back to the events when the session stops. */
static void session_keep_counts(struct ucore_session *session)
{
	struct ucore_counter *ctr;
	struct ucore_event *event;
	struct ucore_part *part;
	u32 i, slot = 0;

	for (i = 0; (part = next_part(session, &i));) {
		for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
			session->values[ctr->slot].count = ctr->total;
			session->values[ctr->slot].flags = ctr->flags;
		}
	}
	/* a counter's slot is its event's place in the list */
	list_for_each_entry(event, &session->events, node) {
		event->total = session->values[slot].count;
		event->flags = session->values[slot++].flags;
	}
}

/*
 * ---- start and stop ----
 */

static void take(struct ucore_part *part, const struct meeting *m)
{
	struct ucore_domain *domain = part->domain;

	if (list_empty(&domain->parts))
		ucore_domain_take(domain);
	if (!domain->armed)
		ucore_domain_clear_stale(domain);
}

/*
 * The domain freezes first and waits for the others with its interrupts off: what
 * it holds up, other sessions' counters among it, shall not be preempted.
 */
static void go_prepare(struct ucore_part *part)
{
	struct ucore_domain *domain = part->domain;

	ucore_domain_hold(domain, ktime_get_mono_fast_ns());
	ucore_part_program(part);
	list_add_tail(&part->node, &domain->parts);
	if (part->armed_mask) {
		domain->armed++;
		domain->armed_mask |= part->armed_mask;
	}
}

static void go(struct ucore_part *part, const struct meeting *m)
{
	ucore_part_go(part, ucore_domain_release(part->domain, true));
	ucore_guard_start(part->domain);
}

static void start_timer(struct ucore_part *part, const struct meeting *m)
{
	ucore_timer_start(part, m->base);
}

/* All domains count their periods from the same instant. */
static void timers_start(struct ucore_session *session)
{
	struct ucore_part *part;
	u64 base = 0;
	u32 i;

	if (!session->timer_ns)
		return;
	for (i = 0; (part = next_part(session, &i));)
		base = max(base, part->resumed);
	meet(session, &(struct meeting){ .act = start_timer, .base = base });
}

/* Two samples, so that one fits wherever the ring's end is, and a LOST record. */
static bool rings_hold_samples(struct ucore_session *session)
{
	struct ucore_sample *sample;
	struct ucore_part *part;
	u32 i;

	for (i = 0; (part = next_part(session, &i));)
		if (part->ring && part->ring->size / 2 < sizeof(struct ucore_lost) +
							 struct_size(sample, values, part->nr_ctr))
			return false;
	return true;
}

static bool boxes_alive(struct ucore_session *session)
{
	struct ucore_event *event;

	list_for_each_entry(event, &session->events, node)
		if (event->box->dead)
			return false;
	return true;
}

static bool domains_online(struct ucore_session *session)
{
	struct ucore_part *part;
	u32 i;

	for (i = 0; (part = next_part(session, &i));)
		if (part->domain->reader == UCORE_NO_CPU)
			return false;
	return true;
}

/**
 * ucore_session_start() - program the boxes and let all domains count together
 * @session: the session, locked
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_session_start(struct ucore_session *session)
{
	struct ucore_part *part;
	int ret;
	u32 i;

	if (session->running)
		return -EALREADY;
	if (!session->nr_events)
		return -ENOENT;
	ret = ucore_session_may_change(session);
	if (ret)
		return ret;
	if (!boxes_alive(session))
		return -ENODEV;
	ret = session_build(session);
	if (ret)
		return ret;
	if (!rings_hold_samples(session))
		return -ENOSPC;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	if (!domains_online(session)) {
		ret = -EAGAIN;
		goto unlock;
	}
	meet(session, &(struct meeting){ .act = take });
	for (i = 0; (part = next_part(session, &i));)
		if (part->armed_mask)
			ucore_pmi_enable(part->domain);
	meet(session, &(struct meeting){ .prepare = go_prepare, .act = go, .together = true });
	timers_start(session);
	session->running = true;
unlock:
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	return ret;
}

/* Forget a part's claim on the interrupt; the domain is locked. */
static void domain_unlist(struct ucore_domain *domain, struct ucore_part *part)
{
	struct ucore_part *other;

	list_del(&part->node);
	if (!part->armed_mask)
		return;
	domain->armed--;
	domain->armed_mask = 0;
	list_for_each_entry(other, &domain->parts, node)
		domain->armed_mask |= other->armed_mask;
}

static void stop(struct ucore_part *part, const struct meeting *m)
{
	struct ucore_interval iv;

	ucore_interval_begin(&iv, part->domain, ktime_get_mono_fast_ns());
	ucore_part_halt(&iv, part);
	ucore_interval_end(&iv);
	domain_unlist(part->domain, part);
}

static void give_back_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_guard_end_throttling(domain);
	ucore_domain_give_back(domain);
	raw_spin_unlock(&domain->lock);
}

static void part_settle(struct ucore_part *part)
{
	struct ucore_domain *domain = part->domain;

	if (domain->reader == UCORE_NO_CPU) {
		raw_spin_lock_irq(&domain->lock);
		domain_unlist(domain, part);
		raw_spin_unlock_irq(&domain->lock);
	}
	hrtimer_cancel(&part->timer);
	if (!domain->armed)
		ucore_pmi_disable(domain);
	if (list_empty(&domain->parts)) {
		hrtimer_cancel(&domain->guard);
		domain->route = domain->found;	/* for a domain that cannot be reached now */
		ucore_domain_run(domain, give_back_here, domain);
	}
}

/**
 * ucore_session_stop() - last counts, then stop the boxes; idempotent
 * @session: the session, locked
 */
void ucore_session_stop(struct ucore_session *session)
{
	struct ucore_part *part;
	u32 i;

	if (!session->running)
		return;
	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	meet(session, &(struct meeting){ .act = stop, .together = true });
	for (i = 0; (part = next_part(session, &i));)
		part_settle(part);
	session->running = false;
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	session_keep_counts(session);
}

/*
 * ---- reset, read ----
 */

static void reset(struct ucore_part *part, const struct meeting *m)
{
	struct ucore_interval iv;

	ucore_interval_begin(&iv, part->domain, ktime_get_mono_fast_ns());
	ucore_part_reset(&iv, part);
	ucore_interval_end(&iv);
}

/**
 * ucore_session_reset() - counts and times to zero
 * @session: the session, locked
 *
 * Return: 0, or -EAGAIN if a running session has a domain without CPU.
 */
int ucore_session_reset(struct ucore_session *session)
{
	struct ucore_event *event;
	int ret = 0;
	u32 i;

	if (session->running) {
		cpus_read_lock();
		if (domains_online(session))
			meet(session, &(struct meeting){ .act = reset, .together = true });
		else
			ret = -EAGAIN;
		cpus_read_unlock();
		return ret;
	}
	list_for_each_entry(event, &session->events, node)
		event->total = 0;
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->part[i])
			continue;
		session->part[i]->enabled_ns = 0;
		session->part[i]->running_ns = 0;
	}
	return 0;
}

/* Index of a part among those of its session that count. */
static u32 part_index(const struct ucore_session *session, const struct ucore_part *part)
{
	const struct ucore_part *other;
	u32 i, n = 0;

	for (i = 0; (other = next_part(session, &i));) {
		if (other == part)
			break;
		n++;
	}
	return n;
}

/* Put one domain's share into the answer; @before as in ucore_part_times(). */
static void snapshot_fill(struct ucore_session *session, const struct ucore_part *part,
			  u64 now, u64 before, u64 frozen_ns)
{
	struct ucore_read_domain *rd = &session->domains[part_index(session, part)];
	int reader = READ_ONCE(part->domain->reader);
	const struct ucore_counter *ctr;
	struct ucore_value *value;

	*rd = (struct ucore_read_domain){
		.domain = part->domain->id,
		.cpu = reader,
		.time = now,
		.frozen_ns = frozen_ns,
	};
	ucore_part_times(part, now, before, &rd->time_enabled, &rd->time_running);
	for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
		value = &session->values[ctr->slot];
		value->event = ctr->event;
		value->flags = ctr->flags & ~UCORE_VALUE_OVERFLOW;
		if (reader == UCORE_NO_CPU)
			value->flags |= UCORE_VALUE_OFFLINE;
		value->count = ctr->total;
	}
}

static void snapshot_live(struct ucore_part *part, const struct meeting *m)
{
	struct ucore_domain *domain = part->domain;
	u64 now = ktime_get_mono_fast_ns(), reads = domain->tally.reads;

	ucore_part_read_running(part, now);
	part->stats.reads += domain->tally.reads - reads;
	snapshot_fill(m->session, part, now, ucore_domain_frozen_ns(domain, now), 0);
}

static void snapshot(struct ucore_part *part, const struct meeting *m)
{
	u64 before = part->stats.frozen_ns;
	struct ucore_interval iv;

	ucore_interval_begin(&iv, part->domain, ktime_get_mono_fast_ns());
	ucore_part_read(&iv, part);
	ucore_interval_end(&iv);
	snapshot_fill(m->session, part, iv.now, iv.frozen_before, part->stats.frozen_ns - before);
}

static void snapshot_running(struct ucore_session *session, bool live)
{
	u64 first = U64_MAX, last = 0, now;
	struct ucore_part *part;
	u32 i, n = 0;

	cpus_read_lock();
	meet(session, &(struct meeting){ .act = live ? snapshot_live : snapshot, .together = true });
	now = ktime_get_mono_fast_ns();
	for (i = 0; (part = next_part(session, &i));) {
		if (part->domain->reader == UCORE_NO_CPU) {
			snapshot_fill(session, part, now, 0, 0);
		} else {
			first = min(first, session->domains[n].time);
			last = max(last, session->domains[n].time);
		}
		n++;
	}
	cpus_read_unlock();
	session->skew_ns = last > first ? last - first : 0;
}

/*
 * A session that never ran, or has changed since it did, has no parts to
 * match its events: they are built as START would.
 */
static int snapshot_stopped(struct ucore_session *session)
{
	u64 now = ktime_get_mono_fast_ns();
	struct ucore_part *part;
	int ret = session_build(session);
	u32 i;

	if (ret)
		return ret;
	for (i = 0; (part = next_part(session, &i));)
		snapshot_fill(session, part, now, 0, 0);
	session->skew_ns = 0;
	return 0;
}

/**
 * ucore_session_read() - one coherent snapshot of all counters of all domains
 * @session: the session, locked
 * @live: do not freeze
 *
 * The answer is in @values, @domains and @skew_ns until the next call.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_session_read(struct ucore_session *session, bool live)
{
	if (!session->running)
		return snapshot_stopped(session);
	snapshot_running(session, live);
	return 0;
}

/*
 * ---- PMI core ----
 */

/* Note the choice, unless another session has made a different one. */
static int domain_pin(struct ucore_session *session, struct ucore_domain *domain, int cpu)
{
	u32 i = domain->id;
	bool mine = test_bit(i, session->pinned);
	int ret = 0;

	mutex_lock(&ucore_catalog.lock);
	if (domain->pins > mine && domain->pin_cpu != cpu && domain->pin_cpu != UCORE_NO_CPU)
		ret = -EBUSY;
	else
		ret = ucore_domain_move(domain, cpu);
	if (!ret) {
		domain->pin_cpu = cpu;
		domain->pins += !mine;
		__set_bit(i, session->pinned);
	}
	mutex_unlock(&ucore_catalog.lock);
	return ret;
}

/**
 * ucore_session_set_cpu() - choose the reader and PMI core of a CPU's domain
 * @session: the session, locked
 * @cpu: the CPU
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_session_set_cpu(struct ucore_session *session, u32 cpu)
{
	int ret = -ENOENT;
	u32 i;

	if (session->running)
		return -EBUSY;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -ENOENT;
	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	if (!cpu_online(cpu)) {
		ret = -EAGAIN;
		goto unlock;
	}
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		if (ucore_domain_has_cpu(&ucore_catalog.domains[i], cpu))
			ret = domain_pin(session, &ucore_catalog.domains[i], cpu);
unlock:
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	return ret;
}

/**
 * ucore_session_unpin() - give up what it chose with ucore_session_set_cpu()
 * @session: the session, locked
 */
void ucore_session_unpin(struct ucore_session *session)
{
	u32 i;

	mutex_lock(&ucore_catalog.lock);
	for_each_set_bit(i, session->pinned, ucore_catalog.nr_domains)
		if (!--ucore_catalog.domains[i].pins)
			ucore_catalog.domains[i].pin_cpu = UCORE_NO_CPU;
	mutex_unlock(&ucore_catalog.lock);
}
