// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preparation of a session. Makes domain contexts, counters and snapshot buffers from the event
 * list before a START. Copies counts back to the events after a STOP. Part of the session
 * layer. Process context; the session's lock is held.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "box/catalog.h"
#include "box/counter_use.h"
#include "selftest/selftest.h"
#include "irq/timer.h"
#include "sample/bulk_read.h"
#include "sample/parallel_read.h"
#include "session/claim.h"
#include "session/prepare_contexts.h"
#include "session/session_state.h"

static struct ucore_domain_ctx *ctx_create(struct ucore_session *session,
					   struct ucore_domain *domain)
{
	struct ucore_domain_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);

	if (!ctx)
		return NULL;
	ctx->domain = domain;
	INIT_LIST_HEAD(&ctx->claims);
	INIT_LIST_HEAD(&ctx->multiplex_node);
	ctx->multiplex = session->flags & UCORE_SESSION_F_MULTIPLEX;
	ctx->sink = &session->sink;
	ctx->timer_ns = session->timer_ns;
	ctx->box_freeze = ucore_session_freezes_boxes(session, domain);
	ctx->parallel.size = domain->scope == UCORE_SCOPE_DIE ? session->nr_readers : 1;
	ctx->parallel.may = session->readers_any ? NULL : session->readers_cpus;
	ctx->trigger_event = UCORE_EVENT_NONE;
	ucore_timer_init(ctx);
	return ctx;
}

/*
 * Replace the context's ring by @ring, or by NULL after the last event on the domain was
 * removed. The number of records lost in the old ring is added to the statistics.
 */
static void ctx_set_ring(struct ucore_session *session, struct ucore_domain_ctx *ctx,
			 struct ucore_ring *ring)
{
	struct ucore_ring *old = ctx->ring;

	spin_lock(&session->rings);
	ctx->ring = ring;
	spin_unlock(&session->rings);
	if (old)
		ctx->stats.lost += old->lost;
	ucore_ring_put(old);
}

/* Free the arrays of counters, boxes and CPUs of a context that does not run. */
static void ctx_free_counters(struct ucore_domain_ctx *ctx)
{
	kvfree(ctx->ctr);
	kvfree(ctx->order);
	kvfree(ctx->address);
	kvfree(ctx->raw);
	kvfree(ctx->box);
	kvfree(ctx->cpu);
	kfree(ctx->in_group);
	kvfree(ctx->turns);
	ctx->ctr = NULL;
	ctx->always = NULL;
	ctx->in_group = NULL;
	ctx->turns = NULL;
	ctx->order = NULL;
	ctx->address = NULL;
	ctx->raw = NULL;
	ctx->box = NULL;
	ctx->cpu = NULL;
	ctx->nr_cpus = 0;
	ctx->nr_ctr = 0;
	ctx->nr_box = 0;
}

/**
 * ucore_prepare_ctx() - create a session's context on a domain, unless it exists
 * @session: the session, locked
 * @domain: the domain
 *
 * ucore_prepare_session() adds the counters, ucore_prepare_ring() the ring.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_prepare_ctx(struct ucore_session *session, struct ucore_domain *domain)
{
	u32 i = domain->id;
	struct ucore_domain_ctx *ctx;

	lockdep_assert_held(&session->lock);

	if (session->ctx[i])
		return 0;
	ctx = ctx_create(session, domain);
	if (!ctx)
		return -ENOMEM;
	smp_store_release(&session->ctx[i], ctx);	/* pairs with ucore_session_ctx() */
	return 0;
}

/**
 * ucore_prepare_ring() - allocate the ring of a context, unless it exists
 * @session: the session, locked
 * @ctx: one of its contexts
 *
 * Does nothing if the session has no rings, or no event on the domain.
 *
 * Return: 0, -ENOBUFS or -ENOMEM.
 */
int ucore_prepare_ring(struct ucore_session *session, struct ucore_domain_ctx *ctx)
{
	struct ucore_ring *ring;

	lockdep_assert_held(&session->lock);

	if (!session->ring_size || !ctx->nr_events || ctx->ring)
		return 0;
	ring = ucore_ring_create(session->ring_size, session->wakeup, session->user);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	ctx_set_ring(session, ctx, ring);
	return 0;
}

/**
 * ucore_prepare_settle() - free the ring of a context without events
 * @session: the session, locked and stopped
 * @domain: the domain; the session need not have a context on it
 */
void ucore_prepare_settle(struct ucore_session *session, const struct ucore_domain *domain)
{
	struct ucore_domain_ctx *ctx = session->ctx[domain->id];

	lockdep_assert_held(&session->lock);

	if (ctx && !ctx->nr_events)
		ctx_set_ring(session, ctx, NULL);
}

/*
 * Lower limit of the wrap time (ns) from which the watchdog period of a context is computed.
 * Whatever width a discovery table states, the watchdog then reads a counter at most 1000 times
 * a second. Counters of 32 bits and more never wrap in a shorter time.
 */
#define MIN_WATCHDOG_NS	(2 * NSEC_PER_MSEC)

/* Find the context's entry for the claimed box, or add one. The claim stores the entry's index. */
static struct ucore_domain_ctx_box *ctx_box(struct ucore_domain_ctx *ctx, struct ucore_claim *claim)
{
	struct ucore_box *box = claim->box;
	u32 i = claim->ctx_index;

	if (i < ctx->nr_box && ctx->box[i].box == box)
		return &ctx->box[i];
	claim->ctx_index = ctx->nr_box;
	ctx->box[ctx->nr_box] = (struct ucore_domain_ctx_box){ .box = box, .last = U32_MAX };
	return &ctx->box[ctx->nr_box++];
}

/*
 * Return UCORE_VALUE_F_UNFROZEN for a counter that a freeze does not stop, such as a counter
 * without a control register; otherwise 0.
 */
static u32 unfrozen(const struct ucore_domain_ctx *ctx, const struct ucore_box *box, u16 ctl_reg)
{
	return ctl_reg == UCORE_REG_NONE || ucore_selftest_freeze_fails(box, ctx->box_freeze) ?
	       UCORE_VALUE_F_UNFROZEN : 0;
}

/**
 * ucore_prepare_flags() - get the flags of an event's value before the next START
 * @ctx: the session's context on the event's domain
 * @event: the event
 *
 * Return: UCORE_VALUE_F_*.
 */
u32 ucore_prepare_flags(const struct ucore_domain_ctx *ctx, const struct ucore_event *event)
{
	const struct ucore_layout *layout = event->box->desc.layout;
	u16 ctl_reg = event->counter < UCORE_COUNTER_FIXED ? layout->ctl[event->counter] :
		      layout->fixed_ctl[event->counter - UCORE_COUNTER_FIXED];

	return event->flags | unfrozen(ctx, event->box, ctl_reg);
}

/* Return the global status bits that an overflow of the counter may set. */
static u64 status_bits(const struct ucore_box *box, bool fixed, u8 i)
{
	const struct ucore_box_type *type = box->desc.type;

	if (type->status_global)
		return BIT_ULL((fixed ? type->status_fixed : type->status_gp_shift) + i);
	return fixed ? box->desc.global_fixed : box->desc.global_gp;
}

/* Return the use of the event's hardware counter, NULL for a free-running counter. */
static struct ucore_counter_use *counter_use(const struct ucore_event *event, u16 ctl_reg)
{
	struct ucore_box *box = event->box;

	if (!box->uses || ctl_reg == UCORE_REG_NONE)
		return NULL;
	return &box->uses[ucore_counter_use_index(box, event->counter)];
}

/* Return the register of a counter in a group, NULL for group 0, which shares it with no group. */
static struct ucore_register_turns *register_of(const struct ucore_domain_ctx *ctx,
						const struct ucore_domain_ctx_box *cb,
						const struct ucore_event *event)
{
	u32 i = event->counter < UCORE_COUNTER_FIXED ? event->counter :
		UCORE_MAX_GP + event->counter - UCORE_COUNTER_FIXED;

	return event->group ? &ctx->turns[(cb - ctx->box) * UCORE_MAX_COUNTERS + i] : NULL;
}

/*
 * Return the longest time since the last read for which the low dword of the counter suffices
 * (ns). Return 0 if the full counter must always be read.
 */
static u64 low_ns(const struct ucore_session *session, const struct ucore_box *box, u8 width,
		  u32 inc)
{
	if (session->flags & UCORE_SESSION_F_FULL_READS || box->io.ops->counter_cost < 2 ||
	    width < 32)
		return 0;
	return ucore_event_wrap_ns(32, inc) / 2;
}

/*
 * Return the time between polls of the event (ns), 0 if its counter interrupts. The box may have
 * been found unable to interrupt after the event was added (irq/unreported_overflow.c).
 */
static u64 event_poll_ns(const struct ucore_event *event)
{
	if (READ_ONCE(event->box->caps) & UCORE_BOX_F_ANY_OVERFLOW)
		return event->spec.poll_ns;
	return event->spec.poll_ns ?: event->spec.fallback_poll_ns;
}

static void ctx_add_counter(struct ucore_session *session, const struct ucore_event *event,
			    u32 slot)
{
	const struct ucore_box_type *type = event->box->desc.type;
	const struct ucore_layout *layout = event->box->desc.layout;
	struct ucore_domain_ctx *ctx = session->ctx[event->box->domain->id];
	struct ucore_domain_ctx_box *cb = ctx_box(ctx, event->claim);
	bool fixed = event->counter >= UCORE_COUNTER_FIXED;
	u8 i = fixed ? event->counter - UCORE_COUNTER_FIXED : event->counter;
	u8 width = ucore_box_width(event->box, fixed);
	u8 least = (fixed ? type->least_fixed_width : type->least_width) ?: width;
	u16 ctl_reg = fixed ? layout->fixed_ctl[i] : layout->ctl[i];
	u64 ctl = event->spec.value[UCORE_SLOT_CTL];
	u32 inc = ucore_event_max_increment(type, ctl, fixed);
	u64 poll_ns = event_poll_ns(event);
	u64 period = poll_ns ? 0 : event->spec.period;
	struct ucore_counter *ctr = &ctx->ctr[ctx->nr_ctr];
	u64 wrap_ns;
	u32 s;

	*ctr = (struct ucore_counter){
		.box = event->box,
		.total = event->total,
		.group = event->group,
		.ran_ns = event->ran_ns,
		.mask = GENMASK_ULL(width - 1, 0),
		.ctl = fixed ? ucore_event_fixed(type, ctl, i, period) :
			       ctl | type->ctl_en | (period ? type->ctl_ov_en : 0),
		.period = period,
		.poll_period = poll_ns ? event->spec.period : 0,
		.poll_ns = event->spec.fallback_poll_ns,
		.event = event->id,
		.slot = slot,
		.flags = ucore_prepare_flags(ctx, event) & ~UCORE_VALUE_F_PARTIAL,
		.reg = fixed ? layout->fixed_ctr[i] : layout->ctr[i],
		.ctl_reg = ctl_reg,
		.index = event->counter,
		.use = counter_use(event, ctl_reg),
		.turns = register_of(ctx, cb, event),
		.sibling = cb->last,
	};
	cb->last = ctx->nr_ctr++;
	ucore_counter_poll_from(ctr);
	if (poll_ns)
		ctx->poll_ns = min(ctx->poll_ns ?: U64_MAX, poll_ns);
	ctr->low_ns = low_ns(session, event->box, width, inc);
	wrap_ns = max(ucore_event_wrap_ns(least, inc), MIN_WATCHDOG_NS);
	ctx->watchdog_ns = min(ctx->watchdog_ns, wrap_ns);
	ctr->wrap_ns = period ? 0 : wrap_ns;	/* an armed counter is frozen by its overflow */

	for (s = 0; s < UCORE_MAX_SHARED; s++)
		cb->shared[s] |= event->spec.value[UCORE_SLOT_SHARED(s)];
	cb->filters |= event->spec.filters;
	if (period) {
		cb->armed_mask |= status_bits(event->box, fixed, i);
		ctx->armed_mask |= cb->armed_mask;
		if (event->spec.status_poll_ns)
			ctx->status_poll_ns = min(ctx->status_poll_ns ?: U64_MAX,
						  event->spec.status_poll_ns);
	}
}

/* List the online CPUs of the domain, whose running tasks the TASKS records contain. */
static int ctx_list_cpus(struct ucore_domain_ctx *ctx)
{
	u32 nr = ctx->domain->scope == UCORE_SCOPE_CPU ? 1 : nr_cpu_ids, cpu;

	ctx->cpu = kvcalloc(nr, sizeof(*ctx->cpu), GFP_KERNEL_ACCOUNT);
	if (!ctx->cpu)
		return -ENOMEM;
	for_each_cpu_and(cpu, ucore_domain_cpus(ctx->domain), cpu_online_mask)
		if (ucore_domain_has_cpu(ctx->domain, cpu))
			ctx->cpu[ctx->nr_cpus++] = cpu;
	return 0;
}

static int ctx_prepare_groups(struct ucore_domain_ctx *ctx)
{
	ctx->in_group = kcalloc(UCORE_GROUP_MAX + 1, sizeof(*ctx->in_group), GFP_KERNEL_ACCOUNT);
	ctx->turns = kvcalloc(ctx->nr_claims, UCORE_MAX_COUNTERS * sizeof(*ctx->turns),
			      GFP_KERNEL_ACCOUNT);
	return ctx->in_group && ctx->turns ? 0 : -ENOMEM;
}

/* Allocate the arrays of counters and boxes for the events of a context. */
static int ctx_prepare(const struct ucore_session *session, struct ucore_domain_ctx *ctx)
{
	ctx_free_counters(ctx);
	ctx->armed_mask = 0;
	ctx->status_poll_ns = 0;
	ctx->poll_ns = 0;
	ctx->watchdog_ns = U64_MAX;
	ctx->rotate_ns = 0;
	if (!ctx->nr_events)
		return 0;
	ctx->ctr = kvcalloc(ctx->nr_events, sizeof(*ctx->ctr), GFP_KERNEL_ACCOUNT);
	ctx->order = kvcalloc(ctx->nr_events, sizeof(*ctx->order), GFP_KERNEL_ACCOUNT);
	ctx->address = kvcalloc(ctx->nr_events, sizeof(*ctx->address), GFP_KERNEL_ACCOUNT);
	ctx->raw = kvcalloc(ctx->nr_events, sizeof(*ctx->raw), GFP_KERNEL_ACCOUNT);
	ctx->box = kvcalloc(ctx->nr_claims, sizeof(*ctx->box), GFP_KERNEL_ACCOUNT);
	if (!ctx->ctr || !ctx->order || !ctx->address || !ctx->raw || !ctx->box)
		return -ENOMEM;
	if (session->rotate_ns && ctx_prepare_groups(ctx))
		return -ENOMEM;
	ctx->parallel.chosen = test_bit(ctx->domain->id, session->pinned);
	if (ctx->parallel.size > 1 && ucore_parallel_prepare(ctx->domain))
		return -ENOMEM;
	return session->flags & UCORE_SESSION_F_TASKS && session->ring_size ?
	       ctx_list_cpus(ctx) : 0;
}

/* Allocate the arrays of all contexts, and link the contexts that have events. */
static int ctxs_prepare(struct ucore_session *session)
{
	struct ucore_domain_ctx **end = &session->first, *ctx;
	u32 i, n = 0;
	int ret = 0;

	for (i = 0; i < ucore_catalog.nr_domains && !ret; i++) {
		ctx = session->ctx[i];
		if (!ctx)
			continue;
		ret = ctx_prepare(session, ctx);
		if (!ctx->nr_events)
			continue;
		ctx->index = n++;
		*end = ctx;
		end = &ctx->next;
	}
	*end = NULL;
	return ret;
}

/*
 * Set up rotation: list the session's groups, set the time slice of the contexts that have
 * events in groups, and select the first group.
 */
static void groups_prepare(struct ucore_session *session)
{
	const struct ucore_event *event;
	struct ucore_domain_ctx *ctx;
	u64 groups = 0;

	list_for_each_entry(event, &session->events, node)
		groups |= BIT_ULL(event->group);
	session->nr_groups = 0;
	for (groups &= ~BIT_ULL(0); groups; groups &= groups - 1)
		session->groups[session->nr_groups++] = __ffs64(groups);
	ucore_for_each_ctx(ctx, session) {
		ctx->groups = session->groups;
		ctx->nr_groups = session->nr_groups;
		ctx->group = session->nr_groups ? session->groups[0] : 0;
	}
	if (session->nr_groups < 2)
		return;
	list_for_each_entry(event, &session->events, node)
		if (event->group)
			session->ctx[event->box->domain->id]->rotate_ns = session->rotate_ns;
}

/*
 * Elect the CPUs that would read the contexts in parallel now. START elects them again, with
 * CPU hotplug held off.
 */
static void readers_elect(struct ucore_session *session)
{
	struct ucore_domain_ctx *ctx;

	if (session->nr_readers < 2)
		return;
	mutex_lock(&ucore_run_lock);	/* excludes changes of readers */
	cpus_read_lock();
	ucore_for_each_ctx(ctx, session)
		ucore_parallel_elect(ctx, UCORE_NO_CPU);
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_prepare_session() - make domain contexts of a session's events
 * @session: the session, locked and stopped
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_prepare_session(struct ucore_session *session)
{
	int ret = ctxs_prepare(session);
	struct ucore_event *event;
	struct ucore_domain_ctx *ctx;
	u32 slot = 0;

	lockdep_assert_held(&session->lock);

	if (ret) {
		session->first = NULL;
		return ret;
	}
	list_for_each_entry(event, &session->events, node) {
		ctx_add_counter(session, event, slot++);
		cond_resched();
	}
	groups_prepare(session);
	ucore_for_each_ctx(ctx, session) {
		ucore_ctx_link_counters(ctx);
		ucore_bulk_read_sort(ctx);
		cond_resched();
	}
	readers_elect(session);
	return 0;
}

/**
 * ucore_prepare_keep_counts() - copy the counts of a session's contexts back to its events
 * @session: the session, locked, which has just stopped
 */
void ucore_prepare_keep_counts(struct ucore_session *session)
{
	struct ucore_counter *ctr;
	struct ucore_event *event;
	struct ucore_domain_ctx *ctx;
	u32 slot = 0;

	lockdep_assert_held(&session->lock);

	ucore_for_each_ctx(ctx, session) {
		for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
			session->values[ctr->slot].count = ctr->total;
			session->values[ctr->slot].flags = ctr->flags;
			session->ran_ns[ctr->slot] = ctr->ran_ns;
		}
	}
	/* entry @slot of the snapshot belongs to the event at position @slot of the list */
	list_for_each_entry(event, &session->events, node) {
		event->total = session->values[slot].count;
		event->ran_ns = session->ran_ns[slot];
		event->flags = session->values[slot++].flags;
	}
}

/**
 * ucore_prepare_free() - free all domain contexts of a session
 * @session: the session, stopped and no longer reachable
 */
void ucore_prepare_free(struct ucore_session *session)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->ctx[i])
			continue;
		ctx_free_counters(session->ctx[i]);
		ucore_ring_put(session->ctx[i]->ring);
		kfree(session->ctx[i]);
	}
}
