// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building: what an event list becomes when its session starts, and back.
 *
 * Process context; the session's lock is held.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "box/catalog.h"
#include "sample/parallel_read.h"
#include "sample/bulk_read.h"
#include "irq/timer.h"
#include "session/prepare.h"
#include "session/claim.h"
#include "session/rendezvous.h"
#include "session/session_state.h"

static struct ucore_domain_ctx *ctx_create(struct ucore_session *session, struct ucore_domain *domain)
{
	struct ucore_domain_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);

	if (!ctx)
		return NULL;
	ctx->domain = domain;
	ctx->sink = &session->sink;
	ctx->timer_ns = session->timer_ns;
	ctx->box_freeze = ucore_session_freezes_boxes(session, domain);
	ctx->parallel.size = domain->scope == UCORE_SCOPE_DIE ? session->nr_readers : 1;
	ctx->parallel.may = session->readers_any ? NULL : session->readers_cpus;
	ctx->trigger_event = UCORE_EVENT_NONE;
	ucore_timer_init(ctx);
	return ctx;
}

/* The part's ring comes and goes with its events, and what it lost is remembered. */
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

static int ctx_ensure_ring(struct ucore_session *session, struct ucore_domain_ctx *ctx)
{
	struct ucore_ring *ring;

	if (!session->ring_size || ctx->ring)
		return 0;
	ring = ucore_ring_create(session->ring_size, session->wakeup, session->user);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	ctx_set_ring(session, ctx, ring);
	return 0;
}

/* Forget the counters of a part that does not run. */
static void ctx_drop(struct ucore_domain_ctx *ctx)
{
	kvfree(ctx->ctr);
	kvfree(ctx->order);
	kvfree(ctx->address);
	kvfree(ctx->raw);
	kvfree(ctx->box);
	kvfree(ctx->cpu);
	ctx->ctr = NULL;
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
 * ucore_prepare_ctx() - have a part on a domain, with a ring, without counters as yet
 * @session: the session, locked
 * @domain: the domain
 *
 * Return: 0, -ENOBUFS or -ENOMEM.
 */
int ucore_prepare_ctx(struct ucore_session *session, struct ucore_domain *domain)
{
	u32 i = domain->id;
	struct ucore_domain_ctx *ctx;

	if (session->ctx[i])
		return ctx_ensure_ring(session, session->ctx[i]);
	ctx = ctx_create(session, domain);
	if (!ctx)
		return -ENOMEM;
	smp_store_release(&session->ctx[i], ctx);	/* pairs with ucore_session_part() */
	return ctx_ensure_ring(session, ctx);
}

/**
 * ucore_prepare_settle() - a part without events needs no ring
 * @session: the session, locked; it does not run
 * @domain: the domain, on which it may have a part
 */
void ucore_prepare_settle(struct ucore_session *session, const struct ucore_domain *domain)
{
	struct ucore_domain_ctx *ctx = session->ctx[domain->id];

	if (ctx && !ctx->nr_events)
		ctx_set_ring(session, ctx, NULL);
}

/*
 * No more than a thousand extra reads a second, however narrow a table says
 * that counters are; those of 32 bits and more never need more.
 */
#define MIN_WATCHDOG_NS	(2 * NSEC_PER_MSEC)

/* The part's entry for a box: the session's claim on it remembers where. */
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

/* Has the freeze that the part uses been seen not to stop the box, or is there none? */
static bool freeze_fails(const struct ucore_domain_ctx *ctx, const struct ucore_box *box)
{
	if (ctx->box_freeze || !box->desc.global)
		return !box->desc.type->words || box->selftest.failed & UCORE_SELFTEST_BOX_FREEZE;
	return box->selftest.failed & UCORE_SELFTEST_GLOBAL_FREEZE;
}

/* Counters that run whatever is frozen: those without a control, too. */
static u32 unfrozen(const struct ucore_domain_ctx *ctx, const struct ucore_box *box, u16 ctl_reg)
{
	return ctl_reg == UCORE_REG_NONE || freeze_fails(ctx, box) ? UCORE_VALUE_F_UNFROZEN : 0;
}

/* Global status bits that a counter's overflow may set. */
static u64 status_bits(const struct ucore_box *box, bool fixed, u8 i)
{
	const struct ucore_box_type *type = box->desc.type;

	if (type->status_global)
		return BIT_ULL((fixed ? type->status_fixed : type->status_gp_shift) + i);
	return fixed ? box->desc.global_fixed : box->desc.global_gp;
}

/* Counters of other groups with the same register make a ring. */
static void counter_link(struct ucore_domain_ctx *ctx, const struct ucore_domain_ctx_box *pb, u32 new)
{
	struct ucore_counter *ctr = &ctx->ctr[new];
	u32 j;

	ctr->twin = new;
	if (!ctr->group)
		return;		/* its register is its own */
	for (j = pb->last; j != U32_MAX; j = ctx->ctr[j].sibling) {
		if (ctx->ctr[j].index != ctr->index || !ctx->ctr[j].group)
			continue;
		ctr->twin = ctx->ctr[j].twin;
		ctx->ctr[j].twin = new;
		return;
	}
}

/* For how long is a counter's low half enough?  0: always read it whole. */
static u64 low_ns(const struct ucore_session *session, const struct ucore_box *box, u8 width,
		  u32 inc)
{
	if (session->flags & UCORE_SESSION_F_FULL_READS || box->io.ops->counter_cost < 2 || width < 32)
		return 0;
	return ucore_event_wrap_ns(32, inc) / 2;
}

static void ctx_add_counter(struct ucore_session *session, const struct ucore_event *event,
			     u32 slot)
{
	const struct ucore_box_type *type = event->box->desc.type;
	const struct ucore_layout *layout = event->box->desc.layout;
	struct ucore_domain_ctx *ctx = session->ctx[event->box->domain->id];
	struct ucore_domain_ctx_box *pb = ctx_box(ctx, event->claim);
	bool fixed = event->counter >= UCORE_COUNTER_FIXED;
	u8 i = fixed ? event->counter - UCORE_COUNTER_FIXED : event->counter;
	u8 width = ucore_box_width(event->box, fixed);
	u8 least = (fixed ? type->least_fixed_width : type->least_width) ?: width;
	u16 ctl_reg = fixed ? layout->fixed_ctl[i] : layout->ctl[i];
	u64 ctl = event->spec.value[UCORE_SLOT_CTL];
	u32 inc = ucore_event_max_increment(type, ctl, fixed);
	u64 period = event->spec.poll_ns ? 0 : event->spec.period;
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
		.poll_period = event->spec.poll_ns ? event->spec.period : 0,
		.event = event->id,
		.slot = slot,
		.flags = event->flags | unfrozen(ctx, event->box, ctl_reg),
		.reg = fixed ? layout->fixed_ctr[i] : layout->ctr[i],
		.ctl_reg = ctl_reg,
		.index = event->counter,
		.sibling = pb->last,
	};
	counter_link(ctx, pb, ctx->nr_ctr);
	pb->last = ctx->nr_ctr++;
	ucore_counter_poll_from(ctr);
	if (event->spec.poll_ns)
		ctx->poll_ns = min(ctx->poll_ns ?: U64_MAX, event->spec.poll_ns);
	ctr->low_ns = low_ns(session, event->box, width, inc);
	wrap_ns = max(ucore_event_wrap_ns(least, inc), MIN_WATCHDOG_NS);
	ctx->watchdog_ns = min(ctx->watchdog_ns, wrap_ns);
	ctr->wrap_ns = period ? 0 : wrap_ns;	/* its carry freezes it */

	for (s = 0; s < UCORE_MAX_SHARED; s++)
		pb->shared[s] |= event->spec.value[UCORE_SLOT_SHARED(s)];
	pb->filters |= event->spec.filters;
	if (period) {
		pb->armed_mask |= status_bits(event->box, fixed, i);
		ctx->armed_mask |= pb->armed_mask;
	}
}

/* The CPUs whose tasks it tells: those that are online now. */
static int ctx_list_cpus(struct ucore_domain_ctx *ctx)
{
	u32 cpu;

	ctx->cpu = kvcalloc(nr_cpu_ids, sizeof(*ctx->cpu), GFP_KERNEL_ACCOUNT);
	if (!ctx->cpu)
		return -ENOMEM;
	for_each_online_cpu(cpu)
		if (ucore_domain_has_cpu(ctx->domain, cpu))
			ctx->cpu[ctx->nr_cpus++] = cpu;
	return 0;
}

/* Room for the counters of the events that a part has. */
static int ctx_prepare(const struct ucore_session *session, struct ucore_domain_ctx *ctx)
{
	ctx_drop(ctx);
	ctx->armed_mask = 0;
	ctx->poll_ns = 0;
	ctx->watchdog_ns = U64_MAX;
	ctx->rotate_ns = 0;
	if (!ctx->nr_events)
		return 0;
	ctx->ctr = kvcalloc(ctx->nr_events, sizeof(*ctx->ctr), GFP_KERNEL_ACCOUNT);
	ctx->order = kvcalloc(ctx->nr_events, sizeof(*ctx->order), GFP_KERNEL_ACCOUNT);
	ctx->address = kvcalloc(ctx->nr_events, sizeof(*ctx->address), GFP_KERNEL_ACCOUNT);
	ctx->raw = kvcalloc(ctx->nr_events, sizeof(*ctx->raw), GFP_KERNEL_ACCOUNT);
	ctx->box = kvcalloc(ctx->nr_events, sizeof(*ctx->box), GFP_KERNEL_ACCOUNT);
	if (!ctx->ctr || !ctx->order || !ctx->address || !ctx->raw || !ctx->box)
		return -ENOMEM;
	ctx->parallel.chosen = test_bit(ctx->domain->id, session->pinned);
	if (ctx->parallel.size > 1 && ucore_parallel_prepare(ctx->domain))
		return -ENOMEM;
	return session->flags & UCORE_SESSION_F_TASKS && ctx->ring ? ctx_list_cpus(ctx) : 0;
}

/* Prepare all parts, and link those that will have counters. */
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

/* Whose turns there are, and on which domains; the first group begins. */
static void groups_build(struct ucore_session *session)
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

/* Who would read its parts now: START elects once more, with CPU hotplug held off. */
static void parallels_build(struct ucore_session *session)
{
	struct ucore_domain_ctx *ctx;

	if (session->nr_readers < 2)
		return;
	mutex_lock(&ucore_run_lock);	/* readers stay who they are */
	cpus_read_lock();
	ucore_for_each_ctx(ctx, session)
		ucore_parallel_elect(ctx, UCORE_NO_CPU);
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_prepare_session() - make parts of the events, and room for a snapshot
 * @session: the session, locked; it does not run
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_prepare_session(struct ucore_session *session)
{
	int ret = ctxs_prepare(session);
	struct ucore_event *event;
	struct ucore_domain_ctx *ctx;
	u32 slot = 0;

	if (ret) {
		session->first = NULL;
		return ret;
	}
	list_for_each_entry(event, &session->events, node)
		ctx_add_counter(session, event, slot++);
	ucore_for_each_ctx(ctx, session)
		ucore_bulk_read_sort(ctx);
	groups_build(session);
	parallels_build(session);
	kvfree(session->values);
	kvfree(session->ran_ns);
	kvfree(session->domains);
	session->values = kvcalloc(session->nr_events, sizeof(*session->values),
				   GFP_KERNEL_ACCOUNT);
	session->domains = kvcalloc(session->nr_domains, sizeof(*session->domains),
				    GFP_KERNEL_ACCOUNT);
	session->ran_ns = kvcalloc(session->nr_events, sizeof(*session->ran_ns),
				   GFP_KERNEL_ACCOUNT);
	return session->values && session->domains && session->ran_ns ? 0 : -ENOMEM;
}

/**
 * ucore_prepare_keep_counts() - counts go back to the events
 * @session: the session, locked; it has just stopped
 */
void ucore_prepare_keep_counts(struct ucore_session *session)
{
	struct ucore_counter *ctr;
	struct ucore_event *event;
	struct ucore_domain_ctx *ctx;
	u32 slot = 0;

	ucore_for_each_ctx(ctx, session) {
		for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
			session->values[ctr->slot].count = ctr->total;
			session->values[ctr->slot].flags = ctr->flags;
			session->ran_ns[ctr->slot] = ctr->ran_ns;
		}
	}
	/* a counter's slot is its event's place in the list */
	list_for_each_entry(event, &session->events, node) {
		event->total = session->values[slot].count;
		event->ran_ns = session->ran_ns[slot];
		event->flags = session->values[slot++].flags;
	}
}

/**
 * ucore_prepare_free() - free all parts of a session
 * @session: the session, which does not run and is no longer reachable
 */
void ucore_prepare_free(struct ucore_session *session)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->ctx[i])
			continue;
		ctx_drop(session->ctx[i]);
		ucore_ring_put(session->ctx[i]->ring);
		kfree(session->ctx[i]);
	}
}
