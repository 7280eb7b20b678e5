// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains: freeze and unfreeze, global status, the interrupt's route.
 *
 * Owns the global control and status registers.  Freezing counts reasons: the
 * domain runs when the last one goes, and not while an overflow waits to be
 * serviced, for that froze the domain too.  A domain without global control is
 * frozen and unfrozen by writing the control of each box that counts.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "box/box.h"
#include "box/global_ctl.h"
#include "box/domain.h"
#include "compat.h"
#include "find/desc.h"
#include "ucore_trace.h"
#include "ucore_uapi.h"

DEFINE_MUTEX(ucore_run_lock);	/* domain.h tells what it guards */

/*
 * ---- global control; the domain's lock is held, this CPU is the domain's ----
 */

#define for_each_further(domain, c) \
	for ((c) = (domain)->further; (c) < (domain)->further + (domain)->nr_further; (c)++)

static void global_write(struct ucore_domain *domain, u64 command)
{
	struct ucore_control *c;

	/* every write carries the route: a write without it would unset it */
	domain->io.ops->write64(&domain->io, domain->global->ctl, command | domain->route);
	for_each_further(domain, c)
		c->io.ops->write64(&c->io, c->global->ctl, command | c->route);
}

/* Is the global control a set of enables, as that of a core? */
static bool by_enables(const struct ucore_domain *domain)
{
	return domain->global && domain->global->enables;
}

/* What lets the domain run; before and after ucore's use, enables are as they were found. */
static u64 run_word(const struct ucore_domain *domain)
{
	if (domain->global->enables && !domain->taken)
		return domain->found;
	return domain->global->unfreeze;
}

/*
 * Without global control the boxes freeze one after the other, and unfreeze in the
 * same order: each counts for about the same time.  Nobody knows when within its
 * access a box freezes: the skew is from before the first to after the last.
 */
static void boxes_freeze(struct ucore_domain *domain)
{
	u64 start = ktime_get_mono_fast_ns();
	struct ucore_box *box;

	domain->skew_ns = 0;
	list_for_each_entry(box, &domain->boxes, node) {
		ucore_box_freeze(box);
		if (list_is_last(&box->node, &domain->boxes) && !list_is_singular(&domain->boxes))
			domain->skew_ns = ktime_get_mono_fast_ns() - start;
	}
	domain->skew_max_ns = max(domain->skew_max_ns, domain->skew_ns);
}

/* Does the first write freeze all boxes, or each its own?  The skew allows for both. */
static void globals_freeze(struct ucore_domain *domain)
{
	u64 start = ktime_get_mono_fast_ns();

	global_write(domain, domain->global->freeze);
	domain->skew_ns = ktime_get_mono_fast_ns() - start;
	domain->skew_max_ns = max(domain->skew_max_ns, domain->skew_ns);
}

static void domain_freeze(struct ucore_domain *domain)
{
	if (!domain->global)
		boxes_freeze(domain);
	else if (domain->nr_further)
		globals_freeze(domain);
	else
		global_write(domain, domain->global->freeze);
}

static void domain_unfreeze(struct ucore_domain *domain)
{
	struct ucore_box *box;

	if (domain->global) {
		global_write(domain, run_word(domain));
		return;
	}
	list_for_each_entry(box, &domain->boxes, node)
		ucore_box_unfreeze(box);
}

/**
 * ucore_domain_enable_box() - a programmed box shall count when its domain does
 * @domain: the domain, held frozen
 * @box: the box
 *
 * Under a global freeze the box's own ends now; else it ends with the next unfreeze.
 */
void ucore_domain_enable_box(struct ucore_domain *domain, struct ucore_box *box)
{
	lockdep_assert_held(&domain->lock);

	if (domain->global)
		ucore_box_unfreeze(box);
	else if (box->desc.type->words && list_empty(&box->node))
		list_add_tail(&box->node, &domain->boxes);
}

/*
 * An overflow may freeze the domain before the clock is read for the unfreeze that let
 * it happen: time does not go back for that.
 */
static void frozen_at(struct ucore_domain *domain, u64 now, u32 by)
{
	if (domain->frozen)
		return;
	domain->frozen = true;
	domain->frozen_since = max(now, ucore_domain_counted_at(domain));
	trace_ucore_freeze(domain->id, by, domain->frozen_since, domain->skew_ns);
}

/**
 * ucore_domain_freeze() - freeze the domain, or keep it frozen
 * @domain: the domain
 * @now: time
 */
void ucore_domain_freeze(struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	if (!domain->holds++ && !domain->frozen)
		domain_freeze(domain);
	frozen_at(domain, now, UCORE_FROZEN_BY_WRITE);
}

/**
 * ucore_domain_freeze_overflow() - keep frozen what an overflow froze
 * @domain: the domain
 * @now: when the overflow was noticed
 *
 * It is frozen by a write all the same: an overflow that came in the middle of
 * a unfreeze may have been unfrozen with it.
 */
void ucore_domain_freeze_overflow(struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	if (!domain->holds++)
		domain_freeze(domain);
	frozen_at(domain, now, UCORE_FROZEN_BY_OVERFLOW);
}

/**
 * ucore_domain_unfreeze() - one reason less to stay frozen
 * @domain: the domain
 * @pending: look for an overflow that waits; false right after a service
 *
 * Return: the time, when the domain runs again if nothing else holds it.
 */
u64 ucore_domain_unfreeze(struct ucore_domain *domain, bool pending)
{
	u64 now;

	lockdep_assert_held(&domain->lock);

	if (--domain->holds)
		return ktime_get_mono_fast_ns();
	if (pending && domain->armed && ucore_domain_status(domain))
		return ktime_get_mono_fast_ns();	/* its interrupt will unfreeze the domain */
	domain_unfreeze(domain);
	now = ktime_get_mono_fast_ns();
	domain->frozen = false;
	domain->frozen_ns += now - domain->frozen_since;
	domain->unfrozen = now;
	trace_ucore_unfreeze(domain->id, false, now, now - domain->frozen_since);
	return now;
}

/**
 * ucore_domain_frozen_ns() - how long the domain has been frozen, up to an instant
 * @domain: the domain
 * @now: the instant
 *
 * Return: ns since load.
 */
u64 ucore_domain_frozen_ns(const struct ucore_domain *domain, u64 now)
{
	u64 ns = domain->frozen_ns;

	if (domain->frozen && now > domain->frozen_since)
		ns += now - domain->frozen_since;
	return ns;
}

/**
 * ucore_domain_frozen_unseen() - an overflow of which nobody was told froze the domain earlier
 * @domain: the domain, frozen
 *
 * When is not known: all the time since it was last known to run may have been frozen,
 * and none of it is counted as running.
 */
void ucore_domain_frozen_unseen(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	domain->frozen_since = min(domain->frozen_since, max(domain->looked, domain->unfrozen));
}

/**
 * ucore_domain_status() - which boxes overflowed
 * @domain: the domain
 *
 * Return: the global status, its words folded into one; also bits of boxes that
 * nobody armed: they freeze the domain, too.  Not so where overflows freeze
 * nothing: a bit of a counter that is not armed means nothing.  0 without global
 * control.
 */
u64 ucore_domain_status(struct ucore_domain *domain)
{
	struct ucore_control *c;
	u64 all = 0;

	if (domain->global)
		all = ucore_global_ctl_status(domain->global, &domain->io, domain->status);
	for_each_further(domain, c)
		all |= ucore_global_ctl_status(c->global, &c->io, c->status);
	return by_enables(domain) ? all & domain->armed_mask : all;
}

/**
 * ucore_domain_control_changed() - has somebody else written global control?
 * @domain: the domain, which ucore uses and nothing holds frozen
 *
 * One read for each global control.  An overflow that has just frozen the domain is
 * nobody else's write: then the status is read, too.
 *
 * Return: true if it has, as far as its bits read back.
 */
bool ucore_domain_control_changed(struct ucore_domain *domain)
{
	const struct ucore_control *c;
	bool changed;
	u64 run;

	if (!domain->global || domain->gate)
		return false;
	run = run_word(domain);
	changed = ucore_global_ctl_changed(domain->global, &domain->io, run | domain->route);
	for_each_further(domain, c)
		changed |= ucore_global_ctl_changed(c->global, &c->io, run | c->route);
	return changed && !(domain->armed && ucore_domain_status(domain));
}

/**
 * ucore_domain_overflow_freezes() - does any overflow freeze the domain, whoever armed it?
 * @domain: the domain
 *
 * Return: true if it does, and the global status tells.
 */
bool ucore_domain_overflow_freezes(const struct ucore_domain *domain)
{
	return domain->global && domain->global->nr_status && !by_enables(domain);
}

/**
 * ucore_domain_clear_status() - acknowledge overflows (write 1 to clear)
 * @domain: the domain
 *
 * The bits that were read last are cleared.  The status of their boxes has been
 * cleared before, or these would not signal again.
 */
void ucore_domain_clear_status(struct ucore_domain *domain)
{
	struct ucore_control *c;

	if (domain->global)
		ucore_global_ctl_clear(domain->global, &domain->io, domain->status);
	for_each_further(domain, c)
		ucore_global_ctl_clear(c->global, &c->io, c->status);
}

/**
 * ucore_domain_clear_all() - forget whatever counters have overflowed
 * @domain: the domain, frozen
 *
 * For a status whose bits are those of counters: the manual wants them cleared before
 * event selects change, before counters are reloaded, and when counting has ended.
 * Elsewhere the boxes' own reset does that.
 */
void ucore_domain_clear_all(struct ucore_domain *domain)
{
	ucore_domain_clear_bits(domain, ~0ULL);
}

/**
 * ucore_domain_clear_bits() - the same for some counters; others are another session's
 * @domain: the domain, frozen
 * @bits: bits of the global status
 */
void ucore_domain_clear_bits(struct ucore_domain *domain, u64 bits)
{
	if (domain->global && domain->global->clear && (bits & domain->global->clear_mask))
		domain->io.ops->write64(&domain->io, domain->global->clear,
					bits & domain->global->clear_mask);
}

/* One without a status has no route either: its boxes cannot interrupt. */
static void routes_set(struct ucore_domain *domain, u64 route)
{
	struct ucore_control *c;

	domain->route = route;
	for_each_further(domain, c)
		c->route = route & (c->global->core_sel | c->global->wake);
}

/* Each as it was found. */
static void routes_as_found(struct ucore_domain *domain)
{
	struct ucore_control *c;

	domain->route = domain->found;
	for_each_further(domain, c)
		c->route = c->found;
}

static void routes_write(struct ucore_domain *domain)
{
	if (!domain->global)
		return;
	if (!domain->global->level) {
		global_write(domain, 0);
		return;
	}
	/* it must not set free what is frozen, by us or by an overflow that waits */
	if (domain->frozen || domain->armed)
		global_write(domain, domain->global->freeze);
	if (!domain->frozen && !(domain->armed && ucore_domain_status(domain)))
		global_write(domain, 0);
}

/**
 * ucore_domain_set_route() - which cores get the PMI
 * @domain: the domain
 * @route: pmi_core_sel and the wake bit, 0 for none
 */
void ucore_domain_set_route(struct ucore_domain *domain, u64 route)
{
	lockdep_assert_held(&domain->lock);

	routes_set(domain, route);
	routes_write(domain);
}

/**
 * ucore_domain_acquire() - begin the use of a domain: note what is there
 * @domain: the domain
 *
 * Firmware of the discovery generation may leave the domain frozen (Granite
 * Rapids and later): that is among what is noted, ends with our first unfreeze,
 * and is so again in the end.
 */
void ucore_domain_acquire(struct ucore_domain *domain)
{
	struct ucore_control *c;

	if (!domain->taken && domain->global) {
		domain->found = ucore_global_ctl_found(domain->global, &domain->io);
		for_each_further(domain, c)
			c->found = ucore_global_ctl_found(c->global, &c->io);
	}
	domain->taken = true;
	routes_set(domain, 0);
}

/**
 * ucore_domain_clear_stale() - forget overflows of the past
 * @domain: the domain, on which nothing is armed
 */
void ucore_domain_clear_stale(struct ucore_domain *domain)
{
	if (ucore_domain_status(domain))
		ucore_domain_clear_status(domain);
	domain->looked = ktime_get_mono_fast_ns();
}

/**
 * ucore_domain_enable() - end a freeze that was found
 * @domain: the domain, on which nothing runs
 *
 * Firmware, somebody else's driver or an overflow of the past may have left one, and
 * an E5 shows none of them.  Whoever freezes the domain ends it with the first unfreeze.
 */
void ucore_domain_enable(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	if (domain->global && !domain->frozen)
		domain_unfreeze(domain);
}

/**
 * ucore_domain_release() - end the use of a domain: leave it as it was found
 * @domain: the domain
 */
void ucore_domain_release(struct ucore_domain *domain)
{
	domain->taken = false;
	/* and so it stays: boxes are still to be given back */
	if (!by_enables(domain)) {
		routes_as_found(domain);
		routes_write(domain);
	} else if (!domain->frozen) {
		global_write(domain, domain->found);
	}
}

/**
 * ucore_domain_reset_release() - its registers have been given back, and may change behind our back
 * @domain: the domain, on which nothing counts
 *
 * Whoever holds it frozen does so no longer: the next hold writes the freeze.
 */
void ucore_domain_reset_release(struct ucore_domain *domain)
{
	u64 now = ktime_get_mono_fast_ns();

	lockdep_assert_held(&domain->lock);

	domain->frozen_ns = ucore_domain_frozen_ns(domain, now);
	domain->frozen = false;
	domain->holds = 0;
	domain->throttled = false;
	domain->prolonged = false;
	domain->held = false;
	domain->unfrozen = now;
}

/**
 * ucore_domain_release_offline() - end the use of a domain that no CPU can reach now
 * @domain: the domain
 *
 * A die's first CPU puts things right.  A CPU's own counters were stopped before it
 * went, and may be somebody else's when it comes back: nothing will be touched.
 */
void ucore_domain_release_offline(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	if (by_enables(domain)) {
		domain->taken = false;
		ucore_domain_reset_release(domain);
	} else {
		routes_as_found(domain);
	}
}

/*
 * ---- panic: the other CPUs have been stopped, one of them perhaps within the lock ----
 */

/* Can this CPU reach a window of the domain without a lock? */
static bool within_reach(const struct ucore_domain *domain, const struct ucore_io *io)
{
	switch (io->ops->access) {
	case UCORE_ACCESS_MSR:
		return ucore_domain_has_cpu(domain, raw_smp_processor_id());
	case UCORE_ACCESS_ECAM:
	case UCORE_ACCESS_MMIO:
		return true;
	default:
		return false;	/* the kernel's accessors have one */
	}
}

/**
 * ucore_domain_panic_freeze() - the kernel has panicked: freeze the domain, interrupt nobody
 * @domain: a domain that ucore uses
 *
 * Return: false if its global control is not within reach, or there is none.
 */
bool ucore_domain_panic_freeze(struct ucore_domain *domain)
{
	const struct ucore_control *c;

	if (!domain->global || !within_reach(domain, &domain->io))
		return false;
	for_each_further(domain, c)
		if (!within_reach(domain, &c->io))
			return false;
	routes_set(domain, 0);
	global_write(domain, domain->global->freeze);
	return true;
}

/**
 * ucore_domain_panic_restore() - and leave it to the next kernel as it was found
 * @domain: a domain that was seized, whose boxes have been given back
 */
void ucore_domain_panic_restore(struct ucore_domain *domain)
{
	ucore_domain_clear_stale(domain);
	ucore_domain_clear_all(domain);
	domain->taken = false;
	if (!by_enables(domain))
		routes_as_found(domain);
	global_write(domain, run_word(domain));
}

/**
 * ucore_domain_box_within_reach() - may a box be touched in a panic?
 * @box: one of the domain's boxes
 *
 * Return: false if its registers are another die's, or behind a lock.
 */
bool ucore_domain_box_within_reach(const struct ucore_box *box)
{
	return within_reach(box->domain, &box->io) &&
	       (!box->aux.ops || within_reach(box->domain, &box->aux));
}

/**
 * ucore_watchdog_kick() - have the guard run soon, on this CPU
 * @domain: the domain
 * @delay_ns: how soon
 */
void ucore_watchdog_kick(struct ucore_domain *domain, u64 delay_ns)
{
	domain->watchdog_at = ktime_get_mono_fast_ns() + delay_ns;
	hrtimer_start(&domain->watchdog, ns_to_ktime(domain->watchdog_at), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * ---- CPUs ----
 */

/**
 * ucore_domain_has_cpu() - is this one of the domain's CPUs?
 * @domain: the domain
 * @cpu: an online CPU
 *
 * Return: true if it is.
 */
bool ucore_domain_has_cpu(const struct ucore_domain *domain, int cpu)
{
	if (domain->scope == UCORE_SCOPE_CPU)
		return cpu == domain->cpu;
	return topology_logical_die_id(cpu) == domain->die;
}

/**
 * ucore_domain_core_sel() - the bits that name cores for the PMI
 * @domain: the domain
 *
 * Return: pmi_core_sel, 0 where no PMI can be routed.
 */
u64 ucore_domain_core_sel(const struct ucore_domain *domain)
{
	return domain->global ? domain->global->core_sel : 0;
}

/**
 * ucore_domain_core_bit() - the bit of pmi_core_sel that names a CPU's core
 * @domain: the domain
 * @cpu: one of its CPUs
 *
 * Return: the bit in global control, 0 if there is none.
 */
u64 ucore_domain_core_bit(const struct ucore_domain *domain, int cpu)
{
	u64 core_sel = ucore_domain_core_sel(domain);
	u32 core = topology_core_id(cpu);

	if (!core_sel || core >= 64)
		return 0;
	return BIT_ULL(core) << __ffs64(core_sel) & core_sel;
}

/**
 * ucore_domain_cpu_selectable() - can pmi_core_sel name this CPU's core?
 * @domain: the domain
 * @cpu: one of its CPUs
 *
 * Return: true if it can, or need not: where no PMI can be routed, any CPU
 * will do.
 */
bool ucore_domain_cpu_selectable(const struct ucore_domain *domain, int cpu)
{
	return !ucore_domain_core_sel(domain) || ucore_domain_core_bit(domain, cpu);
}

/**
 * ucore_domain_run() - run a function on the domain's reader and wait for it
 * @domain: the domain
 * @func: runs in hard-irq context
 * @arg: its argument
 *
 * CPU hotplug is held off.  Nothing happens if the domain has no CPU online.
 */
void ucore_domain_run(struct ucore_domain *domain, smp_call_func_t func, void *arg)
{
	/* it may be about to sleep: then READ and its like see it at any moment */
	int reader = READ_ONCE(domain->reader);

	if (reader != UCORE_NO_CPU)
		smp_call_function_single(reader, func, arg, 1);
}

/**
 * ucore_domain_describe() - for GET_DOMAINS
 * @domain: the domain, not locked
 * @out: the answer
 */
void ucore_domain_describe(struct ucore_domain *domain, struct ucore_domain_info *out)
{
	struct list_head *ctx;
	unsigned long flags;

	*out = (struct ucore_domain_info){
		.domain = domain->id,
		.scope = domain->scope,
		.die = domain->die,
		.package = domain->package,
		.cpu = domain->cpu,
		.nr_boxes = domain->nr_boxes,
		.nr_counters = domain->nr_counters,
	};
	raw_spin_lock_irqsave(&domain->lock, flags);
	out->reader = domain->reader;
	out->pmis = domain->pmis;
	out->recovered = domain->recovered;
	out->throttled = domain->throttles;
	out->frozen_ns = domain->frozen_ns;
	out->skew_max_ns = domain->skew_max_ns;
	list_for_each(ctx, &domain->ctxs)
		out->nr_sessions++;
	raw_spin_unlock_irqrestore(&domain->lock, flags);
}

/*
 * ---- life ----
 */

static struct lock_class_key cpu_lock_class;

static int further_init(struct ucore_domain *domain)
{
	const struct ucore_global *global;
	struct ucore_control *c;
	int ret = 0;
	u32 n = 0;

	for (global = domain->global->next; global; global = global->next)
		n++;
	if (!n)
		return 0;
	domain->further = kcalloc(n, sizeof(*domain->further), GFP_KERNEL);
	if (!domain->further)
		return -ENOMEM;
	for (global = domain->global->next; global && !ret; global = global->next) {
		c = &domain->further[domain->nr_further++];
		c->global = global;
		c->io.tally = &domain->tally;
		ret = ucore_global_ctl_window(global, &c->io);
	}
	return ret;
}

/* Its global controls' windows. */
static int global_init(struct ucore_domain *domain, const struct ucore_global *global)
{
	domain->global = global;
	domain->io.tally = &domain->tally;
	if (!global)
		return 0;
	if (global->nr_gated) {
		domain->gate = kzalloc(sizeof(*domain->gate), GFP_KERNEL);
		if (!domain->gate)
			return -ENOMEM;
		domain->gate->ctl = global->ctl;
		domain->gate->nr = global->nr_gated;
		domain->gate->enable = global->gated;
		ucore_soft_global_init(&domain->io, domain->gate);
		return 0;
	}
	return ucore_global_ctl_window(global, &domain->io) ?: further_init(domain);
}

/**
 * ucore_domain_init() - a domain without reader; ucore_readers_init() elects it
 * @domain: zeroed
 * @id: index in the catalog
 * @first: one of its boxes, which tells where it is
 *
 * Return: 0 or -ENOMEM; the domain can be destroyed in any case.
 */
int ucore_domain_init(struct ucore_domain *domain, u32 id, const struct ucore_box_desc *first)
{
	int cpu, ret;

	domain->id = id;
	domain->scope = first->scope;
	domain->die = first->die;
	domain->cpu = first->scope == UCORE_SCOPE_CPU ? first->cpu : UCORE_NO_CPU;
	ret = global_init(domain, first->global);
	raw_spin_lock_init(&domain->lock);
	/* a CPU may hold the locks of both its domains: meet.c */
	if (first->scope == UCORE_SCOPE_CPU)
		lockdep_set_class(&domain->lock, &cpu_lock_class);
	INIT_LIST_HEAD(&domain->ctxs);
	INIT_LIST_HEAD(&domain->boxes);
	domain->reader = UCORE_NO_CPU;
	domain->pin_cpu = UCORE_NO_CPU;
	domain->leaving = UCORE_NO_CPU;
	for_each_online_cpu(cpu)
		if (ucore_domain_has_cpu(domain, cpu))
			domain->package = topology_physical_package_id(cpu);
	return ret;
}

void ucore_domain_destroy(struct ucore_domain *domain)
{
	struct ucore_control *c;

	for_each_further(domain, c)
		ucore_io_close(&c->io);
	kfree(domain->further);
	domain->further = NULL;
	domain->nr_further = 0;
	ucore_io_close(&domain->io);
	kfree(domain->gate);
	domain->gate = NULL;
}
