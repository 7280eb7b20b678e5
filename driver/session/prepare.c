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

static struct ucore_part *part_create(struct ucore_session *session, struct ucore_domain *domain)
{
	struct ucore_part *part = kzalloc(sizeof(*part), GFP_KERNEL_ACCOUNT);

	if (!part)
		return NULL;
	part->domain = domain;
	part->sink = &session->sink;
	part->timer_ns = session->timer_ns;
	part->box_freeze = ucore_session_freezes_boxes(session, domain);
	part->crew.size = domain->scope == UCORE_SCOPE_DIE ? session->crew : 1;
	part->crew.may = session->crew_any ? NULL : session->crew_cpus;
	part->trigger_event = UCORE_EVENT_NONE;
	ucore_timer_init(part);
	return part;
}

/* The part's ring comes and goes with its events, and what it lost is remembered. */
static void part_set_ring(struct ucore_session *session, struct ucore_part *part,
			  struct ucore_ring *ring)
{
	struct ucore_ring *old = part->ring;

	spin_lock(&session->rings);
	part->ring = ring;
	spin_unlock(&session->rings);
	if (old)
		part->stats.lost += old->lost;
	ucore_ring_put(old);
}

static int part_ensure_ring(struct ucore_session *session, struct ucore_part *part)
{
	struct ucore_ring *ring;

	if (!session->ring_size || part->ring)
		return 0;
	ring = ucore_ring_create(session->ring_size, session->wakeup, session->user);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	part_set_ring(session, part, ring);
	return 0;
}

/* Forget the counters of a part that does not run. */
static void part_drop(struct ucore_part *part)
{
	kvfree(part->ctr);
	kvfree(part->order);
	kvfree(part->address);
	kvfree(part->raw);
	kvfree(part->box);
	kvfree(part->cpu);
	part->ctr = NULL;
	part->order = NULL;
	part->address = NULL;
	part->raw = NULL;
	part->box = NULL;
	part->cpu = NULL;
	part->nr_cpus = 0;
	part->nr_ctr = 0;
	part->nr_box = 0;
}

/**
 * ucore_part_ensure() - have a part on a domain, with a ring, without counters as yet
 * @session: the session, locked
 * @domain: the domain
 *
 * Return: 0, -ENOBUFS or -ENOMEM.
 */
int ucore_part_ensure(struct ucore_session *session, struct ucore_domain *domain)
{
	u32 i = domain->id;
	struct ucore_part *part;

	if (session->part[i])
		return part_ensure_ring(session, session->part[i]);
	part = part_create(session, domain);
	if (!part)
		return -ENOMEM;
	smp_store_release(&session->part[i], part);	/* pairs with ucore_session_part() */
	return part_ensure_ring(session, part);
}

/**
 * ucore_part_settle() - a part without events needs no ring
 * @session: the session, locked; it does not run
 * @domain: the domain, on which it may have a part
 */
void ucore_part_settle(struct ucore_session *session, const struct ucore_domain *domain)
{
	struct ucore_part *part = session->part[domain->id];

	if (part && !part->nr_events)
		part_set_ring(session, part, NULL);
}

/*
 * No more than a thousand extra reads a second, however narrow a table says
 * that counters are; those of 32 bits and more never need more.
 */
#define MIN_GUARD_NS	(2 * NSEC_PER_MSEC)

/* The part's entry for a box: the session's claim on it remembers where. */
static struct ucore_part_box *part_box(struct ucore_part *part, struct ucore_claim *claim)
{
	struct ucore_box *box = claim->box;
	u32 i = claim->part_index;

	if (i < part->nr_box && part->box[i].box == box)
		return &part->box[i];
	claim->part_index = part->nr_box;
	part->box[part->nr_box] = (struct ucore_part_box){ .box = box, .last = U32_MAX };
	return &part->box[part->nr_box++];
}

/* Has the freeze that the part uses been seen not to stop the box, or is there none? */
static bool freeze_fails(const struct ucore_part *part, const struct ucore_box *box)
{
	if (part->box_freeze || !box->desc.global)
		return !box->desc.type->words || box->trial.failed & UCORE_TRIAL_BOX_FREEZE;
	return box->trial.failed & UCORE_TRIAL_GLOBAL_FREEZE;
}

/* Counters that run whatever is frozen: those without a control, too. */
static u32 unfrozen(const struct ucore_part *part, const struct ucore_box *box, u16 ctl_reg)
{
	return ctl_reg == UCORE_REG_NONE || freeze_fails(part, box) ? UCORE_VALUE_UNFROZEN : 0;
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
static void counter_link(struct ucore_part *part, const struct ucore_part_box *pb, u32 new)
{
	struct ucore_counter *ctr = &part->ctr[new];
	u32 j;

	ctr->twin = new;
	if (!ctr->group)
		return;		/* its register is its own */
	for (j = pb->last; j != U32_MAX; j = part->ctr[j].sibling) {
		if (part->ctr[j].index != ctr->index || !part->ctr[j].group)
			continue;
		ctr->twin = part->ctr[j].twin;
		part->ctr[j].twin = new;
		return;
	}
}

/* For how long is a counter's low half enough?  0: always read it whole. */
static u64 low_ns(const struct ucore_session *session, const struct ucore_box *box, u8 width,
		  u32 inc)
{
	if (session->flags & UCORE_SESSION_WHOLE || box->io.ops->counter_cost < 2 || width < 32)
		return 0;
	return ucore_event_wrap_ns(32, inc) / 2;
}

static void part_add_counter(struct ucore_session *session, const struct ucore_event *event,
			     u32 slot)
{
	const struct ucore_box_type *type = event->box->desc.type;
	const struct ucore_layout *layout = event->box->desc.layout;
	struct ucore_part *part = session->part[event->box->domain->id];
	struct ucore_part_box *pb = part_box(part, event->claim);
	bool fixed = event->counter >= UCORE_COUNTER_FIXED;
	u8 i = fixed ? event->counter - UCORE_COUNTER_FIXED : event->counter;
	u8 width = ucore_box_width(event->box, fixed);
	u8 least = (fixed ? type->least_fixed_width : type->least_width) ?: width;
	u16 ctl_reg = fixed ? layout->fixed_ctl[i] : layout->ctl[i];
	u64 ctl = event->spec.value[UCORE_SLOT_CTL];
	u32 inc = ucore_event_max_increment(type, ctl, fixed);
	u64 period = event->spec.poll_ns ? 0 : event->spec.period;
	struct ucore_counter *ctr = &part->ctr[part->nr_ctr];
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
		.flags = event->flags | unfrozen(part, event->box, ctl_reg),
		.reg = fixed ? layout->fixed_ctr[i] : layout->ctr[i],
		.ctl_reg = ctl_reg,
		.index = event->counter,
		.sibling = pb->last,
	};
	counter_link(part, pb, part->nr_ctr);
	pb->last = part->nr_ctr++;
	ucore_counter_poll_from(ctr);
	if (event->spec.poll_ns)
		part->poll_ns = min(part->poll_ns ?: U64_MAX, event->spec.poll_ns);
	ctr->low_ns = low_ns(session, event->box, width, inc);
	wrap_ns = max(ucore_event_wrap_ns(least, inc), MIN_GUARD_NS);
	part->guard_ns = min(part->guard_ns, wrap_ns);
	ctr->wrap_ns = period ? 0 : wrap_ns;	/* its carry freezes it */

	for (s = 0; s < UCORE_MAX_SHARED; s++)
		pb->shared[s] |= event->spec.value[UCORE_SLOT_SHARED(s)];
	pb->filters |= event->spec.filters;
	if (period) {
		pb->armed_mask |= status_bits(event->box, fixed, i);
		part->armed_mask |= pb->armed_mask;
	}
}

/* The CPUs whose tasks it tells: those that are online now. */
static int part_list_cpus(struct ucore_part *part)
{
	u32 cpu;

	part->cpu = kvcalloc(nr_cpu_ids, sizeof(*part->cpu), GFP_KERNEL_ACCOUNT);
	if (!part->cpu)
		return -ENOMEM;
	for_each_online_cpu(cpu)
		if (ucore_domain_has_cpu(part->domain, cpu))
			part->cpu[part->nr_cpus++] = cpu;
	return 0;
}

/* Room for the counters of the events that a part has. */
static int part_prepare(const struct ucore_session *session, struct ucore_part *part)
{
	part_drop(part);
	part->armed_mask = 0;
	part->poll_ns = 0;
	part->guard_ns = U64_MAX;
	part->rotate_ns = 0;
	if (!part->nr_events)
		return 0;
	part->ctr = kvcalloc(part->nr_events, sizeof(*part->ctr), GFP_KERNEL_ACCOUNT);
	part->order = kvcalloc(part->nr_events, sizeof(*part->order), GFP_KERNEL_ACCOUNT);
	part->address = kvcalloc(part->nr_events, sizeof(*part->address), GFP_KERNEL_ACCOUNT);
	part->raw = kvcalloc(part->nr_events, sizeof(*part->raw), GFP_KERNEL_ACCOUNT);
	part->box = kvcalloc(part->nr_events, sizeof(*part->box), GFP_KERNEL_ACCOUNT);
	if (!part->ctr || !part->order || !part->address || !part->raw || !part->box)
		return -ENOMEM;
	part->crew.chosen = test_bit(part->domain->id, session->pinned);
	if (part->crew.size > 1 && ucore_crew_prepare(part->domain))
		return -ENOMEM;
	return session->flags & UCORE_SESSION_TASKS && part->ring ? part_list_cpus(part) : 0;
}

/* Prepare all parts, and link those that will have counters. */
static int parts_prepare(struct ucore_session *session)
{
	struct ucore_part **end = &session->first, *part;
	u32 i, n = 0;
	int ret = 0;

	for (i = 0; i < ucore_catalog.nr_domains && !ret; i++) {
		part = session->part[i];
		if (!part)
			continue;
		ret = part_prepare(session, part);
		if (!part->nr_events)
			continue;
		part->index = n++;
		*end = part;
		end = &part->next;
	}
	*end = NULL;
	return ret;
}

/* Whose turns there are, and on which domains; the first group begins. */
static void groups_build(struct ucore_session *session)
{
	const struct ucore_event *event;
	struct ucore_part *part;
	u64 groups = 0;

	list_for_each_entry(event, &session->events, node)
		groups |= BIT_ULL(event->group);
	session->nr_groups = 0;
	for (groups &= ~BIT_ULL(0); groups; groups &= groups - 1)
		session->groups[session->nr_groups++] = __ffs64(groups);
	ucore_for_each_part(part, session) {
		part->groups = session->groups;
		part->nr_groups = session->nr_groups;
		part->group = session->nr_groups ? session->groups[0] : 0;
	}
	if (session->nr_groups < 2)
		return;
	list_for_each_entry(event, &session->events, node)
		if (event->group)
			session->part[event->box->domain->id]->rotate_ns = session->rotate_ns;
}

/* Who would read its parts now: START elects once more, with CPU hotplug held off. */
static void crews_build(struct ucore_session *session)
{
	struct ucore_part *part;

	if (session->crew < 2)
		return;
	mutex_lock(&ucore_run_lock);	/* readers stay who they are */
	cpus_read_lock();
	ucore_for_each_part(part, session)
		ucore_crew_elect(part, UCORE_NO_CPU);
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

/**
 * ucore_session_build() - make parts of the events, and room for a snapshot
 * @session: the session, locked; it does not run
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_session_build(struct ucore_session *session)
{
	int ret = parts_prepare(session);
	struct ucore_event *event;
	struct ucore_part *part;
	u32 slot = 0;

	if (ret) {
		session->first = NULL;
		return ret;
	}
	list_for_each_entry(event, &session->events, node)
		part_add_counter(session, event, slot++);
	ucore_for_each_part(part, session)
		ucore_part_order(part);
	groups_build(session);
	crews_build(session);
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
 * ucore_session_keep_counts() - counts go back to the events
 * @session: the session, locked; it has just stopped
 */
void ucore_session_keep_counts(struct ucore_session *session)
{
	struct ucore_counter *ctr;
	struct ucore_event *event;
	struct ucore_part *part;
	u32 slot = 0;

	ucore_for_each_part(part, session) {
		for (ctr = part->ctr; ctr < part->ctr + part->nr_ctr; ctr++) {
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
 * ucore_parts_free() - free all parts of a session
 * @session: the session, which does not run and is no longer reachable
 */
void ucore_parts_free(struct ucore_session *session)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		if (!session->part[i])
			continue;
		part_drop(session->part[i]);
		ucore_ring_put(session->part[i]->ring);
		kfree(session->part[i]);
	}
}
