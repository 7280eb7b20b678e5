// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: what there is to count, and who may ask.
 *
 * Process context.  The session's lock is held unless a function says
 * otherwise.  Whose counters of a box are is the business of claim.c, how a session runs
 * that of run.c.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "box/intree.h"
#include "box/selftest.h"
#include "cpu/budget.h"
#include "hotplug/reader_cpu.h"
#include "irq/recovery.h"
#include "session/prepare.h"
#include "session/claim.h"
#include "session/core_trigger.h"
#include "session/session.h"

static atomic64_t next_session = ATOMIC64_INIT(1);

/*
 * ---- events ----
 */

static struct ucore_event *event_find(struct ucore_session *session, u32 id)
{
	struct ucore_event *event;

	list_for_each_entry(event, &session->events, node)
		if (event->id == id)
			return event;
	return NULL;
}

static void selftest_here(void *arg)
{
	struct ucore_box *box = arg;

	raw_spin_lock(&box->domain->lock);
	/* another session may have tried or started it meanwhile */
	if (ucore_selftest_needed(box))
		ucore_selftest_run(box);
	raw_spin_unlock(&box->domain->lock);
}

/**
 * box_selftest() - see whether a box is what it is said to be, once
 * @box: a box that the session has a claim on
 * @learned: out: what events were told of it may no longer be so
 *
 * A box whose domain has no CPU now is tried when it is had the next time.
 *
 * Return: 0; -ENODEV: it cannot count; -EINTR: the caller is dying.
 */
static int box_selftest(struct ucore_box *box, bool *learned)
{
	*learned = false;
	if (ucore_selftest_needed(box)) {
		/* this session waits: nobody else needs its lock, but who ends it */
		if (ucore_budget_await(box->domain))
			return -EINTR;
		mutex_lock(&ucore_run_lock);
		cpus_read_lock();
		ucore_budget_run(box->domain, selftest_here, box);
		cpus_read_unlock();
		mutex_unlock(&ucore_run_lock);
		ucore_selftest_report(box);
	}
	/* by this selftest, or another session's meanwhile */
	*learned = box->selftest.failed;
	return ucore_selftest_failed(box) ? -ENODEV : 0;
}

/* One event more or less: of the claim, on its domain, in all. */
static void events_account(struct ucore_session *session, struct ucore_claim *claim, int by)
{
	struct ucore_domain_ctx *ctx = session->ctx[claim->box->domain->id];

	session->nr_domains -= ctx->nr_events > 0;
	ctx->nr_events += by;
	session->nr_domains += ctx->nr_events > 0;
	session->nr_events += by;
	claim->nr_events += by;
}

/* What it asks for, in the words of its box as far as that is known. */
static int event_encode(struct ucore_event *event, const struct ucore_add_event *add,
		       const struct ucore_term *terms)
{
	int ret;

	memset(&event->spec, 0, sizeof(event->spec));
	ret = ucore_event_encode(event->box, terms, add->nr_terms, &event->spec);
	if (ret)
		return ret;
	return ucore_event_restrict(event->box, add->counters, add->period,
				    add->flags & UCORE_EVENT_F_NO_POLL, &event->spec);
}

static struct ucore_event *event_create(struct ucore_box *box,
					const struct ucore_add_event *add,
					const struct ucore_term *terms)
{
	struct ucore_event *event = kzalloc(sizeof(*event), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!event)
		return ERR_PTR(-ENOMEM);
	event->box = box;
	event->group = add->group;
	ret = event_encode(event, add, terms);
	if (ret) {
		kfree(event);
		return ERR_PTR(ret);
	}
	return event;
}

/* With boxes of cores there is something left; each of the others is asked for (claim.c). */
static bool intree_has_all(void)
{
	return ucore_intree_present() && !(ucore_catalog.caps & UCORE_CAP_CORE);
}

/**
 * ucore_session_may_change() - may events be added, or the session started?
 * @session: the session, locked
 *
 * Return: 0, or -EBUSY: it runs, or intel_uncore holds the hardware.
 */
int ucore_session_may_change(const struct ucore_session *session)
{
	return session->running || intree_has_all() ? -EBUSY : 0;
}

/*
 * Filters that show what others do, and a CPU's own counters, which count whoever runs there
 * and are perf's and the watchdog's, too: for who opened the device, or asks, with
 * CAP_PERFMON.
 */
static int check_perfmon(const struct ucore_session *session, const struct ucore_box *box,
		   const struct ucore_add_event *add, const struct ucore_term *terms)
{
	bool spies = box->domain->scope == UCORE_SCOPE_CPU ||
		     ucore_event_needs_perfmon(terms, add->nr_terms);

	return session->sink.context || !spies || perfmon_capable() ? 0 : -EACCES;
}

/* Groups are of a session that rotates, and that takes no samples. */
static int may_rotate(const struct ucore_session *session, const struct ucore_add_event *add)
{
	if (!session->rotate_ns)
		return add->group ? -EINVAL : 0;
	return add->group > UCORE_GROUP_MAX || add->period ? -EINVAL : 0;
}

/**
 * ucore_session_add_event() - add an event
 * @session: the session, locked
 * @add: the request; gets the event's id and counter
 * @terms: its fields
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_session_add_event(struct ucore_session *session, struct ucore_add_event *add,
		      const struct ucore_term *terms)
{
	struct ucore_box *box = ucore_catalog_box(add->box);
	struct ucore_claim *claim;
	struct ucore_event *event;
	bool learned;
	int ret;

	ret = ucore_session_may_change(session);
	if (ret)
		return ret;
	ret = may_rotate(session, add);
	if (ret)
		return ret;
	if (!box)
		return -ENOENT;
	if (!ucore_recovery_box_is_alive(box))
		return -ENODEV;
	event = event_create(box, add, terms);
	if (IS_ERR(event))
		return PTR_ERR(event);

	ret = check_perfmon(session, box, add, terms);
	if (ret)
		goto free;
	claim = ucore_claim_get(session, box);
	if (IS_ERR(claim)) {
		ret = PTR_ERR(claim);
		goto free;
	}
	ret = ucore_prepare_ctx(session, box->domain);
	if (ret)
		goto settle;
	ret = box_selftest(box, &learned);
	if (!ret && learned)
		ret = event_encode(event, add, terms);
	if (ret)
		goto settle;
	ret = ucore_claim_place(claim, event);
	if (ret)
		goto settle;

	event->claim = claim;
	event->id = session->next_event++;
	list_add_tail(&event->node, &session->events);
	events_account(session, claim, 1);
	add->event = event->id;
	add->counter = event->counter;
	add->poll_ns = event->spec.poll_ns;
	return 0;

settle:
	ucore_prepare_settle(session, box->domain);
	ucore_claim_settle(claim);
free:
	kfree(event);
	return ret;
}

static void event_drop(struct ucore_session *session, struct ucore_event *event)
{
	list_del(&event->node);
	events_account(session, event->claim, -1);
	ucore_prepare_settle(session, event->box->domain);
	ucore_claim_settle(event->claim);
	kfree(event);
}

/**
 * ucore_session_remove_event() - remove an event
 * @session: the session, locked
 * @id: event id
 *
 * Return: 0, -EBUSY or -ENOENT.
 */
int ucore_session_remove_event(struct ucore_session *session, u32 id)
{
	struct ucore_event *event;

	if (session->running)
		return -EBUSY;
	event = event_find(session, id);
	if (!event)
		return -ENOENT;
	event_drop(session, event);
	return 0;
}

/**
 * ucore_session_get_status() - state and costs
 * @session: the session, locked
 * @status: the answer; size and flags are left alone
 */
void ucore_session_get_status(const struct ucore_session *session, struct ucore_get_status *status)
{
	const struct ucore_domain_ctx *ctx;
	u32 i;

	status->session = session->id;
	status->state = session->running ? UCORE_SESSION_RUNNING : UCORE_SESSION_STOPPED;
	status->nr_events = session->nr_events;
	status->nr_domains = session->nr_domains;
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		ctx = session->ctx[i];
		if (!ctx)
			continue;
		status->samples += READ_ONCE(ctx->stats.samples);
		status->lost += ctx->stats.lost + (ctx->ring ? READ_ONCE(ctx->ring->lost) : 0);
		status->overflows += READ_ONCE(ctx->stats.overflows);
		status->recovered += READ_ONCE(ctx->stats.recovered);
		status->polled += READ_ONCE(ctx->stats.polled);
		status->polls += READ_ONCE(ctx->stats.polls);
		status->conflicts += READ_ONCE(ctx->stats.changed);
		status->cost_ns += READ_ONCE(ctx->stats.cost_ns);
		status->frozen_ns += READ_ONCE(ctx->stats.frozen_ns);
		status->reads += READ_ONCE(ctx->stats.reads);
		status->writes += READ_ONCE(ctx->stats.writes);
		status->parallel_reads += READ_ONCE(ctx->stats.parallel_reads);
	}
}

/*
 * ---- PMI CPUs ----
 */

static bool domain_is_chosen(const struct ucore_domain *domain, u32 cpu)
{
	return domain->scope == UCORE_SCOPE_DIE && ucore_domain_has_cpu(domain, cpu);
}

/* Could it take the PMI of its die? */
static int cpu_check(u32 cpu)
{
	u32 i;

	if (cpu >= nr_cpu_ids)
		return -ENOENT;
	cpu = array_index_nospec(cpu, nr_cpu_ids);
	if (!cpu_possible(cpu))
		return -ENOENT;
	/* its interrupts are no one else's to take */
	if (!cpumask_test_cpu(cpu, current->cpus_ptr) && !capable(CAP_SYS_NICE))
		return -EPERM;
	if (!cpu_online(cpu))
		return -EAGAIN;
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		if (domain_is_chosen(&ucore_catalog.domains[i], cpu))
			return ucore_domain_cpu_selectable(&ucore_catalog.domains[i], cpu) ? 0 :
			       -ERANGE;
	return -ENOENT;
}

static int cpus_check(const u32 *cpus, u32 nr, struct cpumask *all)
{
	int ret;
	u32 i;

	for (i = 0; i < nr; i++) {
		ret = cpu_check(cpus[i]);
		if (ret)
			return ret;
		if (cpumask_test_and_set_cpu(array_index_nospec(cpus[i], nr_cpu_ids), all))
			return -EINVAL;
	}
	return 0;
}

/* Those of a domain, and which is the first; UCORE_NO_CPU if there is none. */
static int domain_choice(const struct ucore_domain *domain, const u32 *cpus, u32 nr,
			 struct cpumask *mask)
{
	int cpu, first = UCORE_NO_CPU;
	u32 i;

	cpumask_clear(mask);
	for (i = 0; i < nr; i++) {
		cpu = array_index_nospec(cpus[i], nr_cpu_ids);
		if (!domain_is_chosen(domain, cpu))
			continue;
		cpumask_set_cpu(cpu, mask);
		if (first == UCORE_NO_CPU)
			first = cpu;
	}
	return first;
}

/* Has another session made a different choice? */
static bool domain_is_held(const struct ucore_session *session,
			   const struct ucore_domain *domain, int first,
			   const struct cpumask *mask)
{
	bool mine = test_bit(domain->id, session->pinned);

	return domain->pins > mine && domain->pin_cpu != UCORE_NO_CPU &&
	       (domain->pin_cpu != first || !cpumask_equal(&domain->pin_cpus, mask));
}

static void domain_pin(struct ucore_session *session, struct ucore_domain *domain, int first,
		       const struct cpumask *mask)
{
	ucore_reader_choose(domain, first, mask);
	domain->pins += !__test_and_set_bit(domain->id, session->pinned);
}

/* All domains are asked before the first is changed; the catalog's lock is held. */
static int domains_pin(struct ucore_session *session, const u32 *cpus, u32 nr,
		       struct cpumask *mask)
{
	struct ucore_domain *domain;
	int first;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		domain = &ucore_catalog.domains[i];
		first = domain_choice(domain, cpus, nr, mask);
		if (first != UCORE_NO_CPU && domain_is_held(session, domain, first, mask))
			return -EBUSY;
	}
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		domain = &ucore_catalog.domains[i];
		first = domain_choice(domain, cpus, nr, mask);
		if (first != UCORE_NO_CPU)
			domain_pin(session, domain, first, mask);
	}
	return 0;
}

/**
 * ucore_session_set_cpus() - choose readers and the CPUs that take PMIs
 * @session: the session, locked
 * @cpus: the CPUs; of each die among them the first is to be its reader
 * @nr: how many
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_session_set_cpus(struct ucore_session *session, const u32 *cpus, u32 nr)
{
	cpumask_var_t mask;
	int ret;

	if (session->running)
		return -EBUSY;
	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	ret = cpus_check(cpus, nr, mask);
	if (!ret) {
		mutex_lock(&ucore_catalog.lock);
		ret = domains_pin(session, cpus, nr, mask);
		mutex_unlock(&ucore_catalog.lock);
	}
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
	free_cpumask_var(mask);
	return ret;
}

/* Give up what it chose with ucore_session_set_cpus(). */
static void unpin(struct ucore_session *session)
{
	struct ucore_domain *domain;
	u32 i;

	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	for_each_set_bit(i, session->pinned, ucore_catalog.nr_domains) {
		domain = &ucore_catalog.domains[i];
		if (!--domain->pins)
			ucore_reader_choose(domain, UCORE_NO_CPU, cpu_none_mask);
	}
	bitmap_zero(session->pinned, ucore_catalog.nr_domains);
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/*
 * ---- life ----
 */

static void sink_wake_up(struct irq_work *work)
{
	struct ucore_sink *sink = container_of(work, struct ucore_sink, wake);

	wake_up_interruptible_all(&sink->wait);
}

/**
 * ucore_session_alloc() - a session without events
 * @config: checked by the caller
 * @context: may see what was interrupted
 *
 * Return: the session or an ERR_PTR: -ENODEV, -EBUSY, -ENOMEM.
 */
struct ucore_session *ucore_session_alloc(const struct ucore_create_session *config,
					   bool context)
{
	struct ucore_session *session;

	if (!ucore_catalog.nr_boxes)
		return ERR_PTR(-ENODEV);
	if (intree_has_all())
		return ERR_PTR(-EBUSY);
	session = kzalloc(struct_size(session, ctx, ucore_catalog.nr_domains), GFP_KERNEL_ACCOUNT);
	if (!session)
		return ERR_PTR(-ENOMEM);
	session->pinned = bitmap_zalloc(ucore_catalog.nr_domains, GFP_KERNEL_ACCOUNT);
	if (!session->pinned)
		goto free;
	session->here = kvcalloc(nr_cpu_ids, sizeof(*session->here), GFP_KERNEL_ACCOUNT);
	if (!session->here)
		goto free;
	if (!alloc_cpumask_var(&session->readers, GFP_KERNEL_ACCOUNT))
		goto free;
	if (!alloc_cpumask_var(&session->readers_cpus, GFP_KERNEL_ACCOUNT))
		goto free_readers;
	mutex_init(&session->turn);
	mutex_init(&session->caller);
	mutex_init(&session->lock);
	session->id = atomic64_fetch_inc(&next_session);
	session->pid = get_task_pid(current->group_leader, PIDTYPE_TGID);
	get_task_comm(session->comm, current->group_leader);
	session->uid = current_uid();
	session->user = get_uid(current_user());
	refcount_set(&session->refs, 1);
	session->flags = config->flags;
	session->timer_ns = config->timer_ns;
	session->rotate_ns = config->rotate_ns;
	session->nr_readers = config->nr_readers;
	/* whose interrupts are no one else's to take: as cpu_check() has it */
	session->readers_any = config->nr_readers > 1 && capable(CAP_SYS_NICE);
	cpumask_copy(session->readers_cpus, current->cpus_ptr);
	session->ring_size = config->ring_size;
	session->wakeup = config->wakeup;
	session->sink.context = context;
	init_waitqueue_head(&session->sink.wait);
	init_irq_work(&session->sink.wake, sink_wake_up);
	spin_lock_init(&session->rings);
	INIT_LIST_HEAD(&session->events);
	INIT_LIST_HEAD(&session->triggers);
	return session;

free_readers:
	free_cpumask_var(session->readers);
free:
	kvfree(session->here);
	bitmap_free(session->pinned);
	kfree(session);
	return ERR_PTR(-ENOMEM);
}

/**
 * ucore_session_give_up() - give back all that the session has; cannot fail
 * @session: the session, locked and stopped; it is good for nothing any more
 */
void ucore_session_give_up(struct ucore_session *session)
{
	struct ucore_event *event, *next;

	WRITE_ONCE(session->ended, true);
	ucore_core_triggers_remove(session);
	ucore_claims_give_back(session);
	list_for_each_entry_safe(event, next, &session->events, node)
		event_drop(session, event);
	unpin(session);
}

/**
 * ucore_session_free() - give back what it has, free; cannot fail
 * @session: the session, stopped and no longer reachable
 */
void ucore_session_free(struct ucore_session *session)
{
	if (WARN_ON_ONCE(session->running))
		return;		/* rather lost than freed under its timers */
	mutex_lock(&session->lock);
	ucore_session_give_up(session);
	mutex_unlock(&session->lock);

	irq_work_sync(&session->sink.wake);
	ucore_prepare_free(session);
	kvfree(session->values);
	kvfree(session->ran_ns);
	kvfree(session->domains);
	free_cpumask_var(session->readers_cpus);
	free_cpumask_var(session->readers);
	kvfree(session->here);
	bitmap_free(session->pinned);
	put_pid(session->pid);
	free_uid(session->user);
	kfree(session);
}

/**
 * ucore_session_part() - a part, without a lock
 * @session: the session
 * @index: index of its domain in the catalog
 *
 * Return: NULL if the session never had an event there.
 */
struct ucore_domain_ctx *ucore_session_ctx(const struct ucore_session *session, u64 index)
{
	if (index >= ucore_catalog.nr_domains)
		return NULL;
	index = array_index_nospec(index, ucore_catalog.nr_domains);
	return smp_load_acquire(&session->ctx[index]);	/* pairs with ucore_prepare_ctx() */
}

/**
 * ucore_session_ring() - the ring of a part, without the session's lock
 * @session: the session
 * @index: index of its domain in the catalog
 *
 * Return: the ring, to be put, or NULL if the session has no events there, or no rings.
 */
struct ucore_ring *ucore_session_ring(struct ucore_session *session, u64 index)
{
	struct ucore_domain_ctx *ctx = ucore_session_ctx(session, index);
	struct ucore_ring *ring = NULL;

	if (!ctx)
		return NULL;
	spin_lock(&session->rings);
	if (ctx->ring)
		ring = ucore_ring_get(ctx->ring);
	spin_unlock(&session->rings);
	return ring;
}

/**
 * ucore_session_readable() - would a poller want to know?
 * @session: the session
 *
 * Return: true if there is enough to read.
 */
bool ucore_session_readable(struct ucore_session *session)
{
	struct ucore_domain_ctx *ctx;
	bool readable = false;
	u32 i;

	spin_lock(&session->rings);
	for (i = 0; i < ucore_catalog.nr_domains && !readable; i++) {
		ctx = ucore_session_ctx(session, i);
		readable = ctx && ctx->ring && ucore_ring_readable(ctx->ring);
	}
	spin_unlock(&session->rings);
	return readable;
}
