// SPDX-License-Identifier: GPL-2.0-only
/*
 * Global controls of a domain, with the global status and the PMI route. Part of the box layer.
 * Owns the global control and global status registers. The caller holds the domain's lock unless
 * a function says otherwise.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "box/box_registers.h"
#include "box/domain_global_ctl.h"
#include "box/global_ctl_window.h"
#include "compat.h"
#include "find/desc.h"
#include "ucore_trace.h"
#include "ucore_uapi.h"

DEFINE_MUTEX(ucore_run_lock);	/* serializes changes of readers and PMI routes */

/*
 * ---- global control: with the domain's lock held, on a CPU of the domain ----
 */

/*
 * Write all global controls, with the bits that freeze the domain if @freeze is true. Each write
 * contains the bits of the PMI route, because a write without these bits would clear them.
 */
static void write_all(struct ucore_domain *domain, bool freeze)
{
	struct ucore_control *c;

	domain->io.ops->write64(&domain->io, domain->global->ctl,
				(freeze ? domain->global->freeze : 0) | domain->route);
	ucore_domain_for_each_further(domain, c)
		c->io.ops->write64(&c->io, c->global->ctl,
				   (freeze ? c->global->freeze : 0) | c->route);
}

/**
 * ucore_domain_write_freeze() - freeze the domain by all its global controls
 * @domain: domain with a global control
 */
void ucore_domain_write_freeze(struct ucore_domain *domain)
{
	write_all(domain, true);
}

/*
 * Return the value that unfreezes the boxes of a global control. If the control has enable bits,
 * and ucore_domain_acquire() has not been called since the last release, this is @found, the value
 * before ucore's first use.
 */
static u64 run_word(const struct ucore_domain *domain, const struct ucore_global *global, u64 found)
{
	if (ucore_global_restores_run(global) && !domain->acquired)
		return found;
	return global->unfreeze | (domain->overflow_mode ? global->on_overflow : 0);
}

static void write_run(const struct ucore_domain *domain, const struct ucore_global *global,
		      struct ucore_io *io, u64 found, u64 route)
{
	io->ops->write64(io, global->ctl, run_word(domain, global, found) | route);
}

/**
 * ucore_domain_write_run() - unfreeze the domain by all its global controls
 * @domain: domain with a global control
 *
 * A control with enable bits gets the value found before ucore's first use, if
 * ucore_domain_acquire() has not been called since the last release.
 */
void ucore_domain_write_run(struct ucore_domain *domain)
{
	struct ucore_control *c;

	write_run(domain, domain->global, &domain->io, domain->found, domain->route);
	ucore_domain_for_each_further(domain, c)
		write_run(domain, c->global, &c->io, c->found, c->route);
}

/*
 * Return true if only the status bits of armed counters show overflows. Before the first one is
 * armed, a trial needs all bits of counters whose overflow freezes the domain.
 */
static bool only_armed_bits(const struct ucore_domain *domain)
{
	return ucore_domain_has_enables(domain) ||
	       (domain->global && domain->global->wraps && domain->armed);
}

/**
 * ucore_domain_status() - read the global status, which shows the overflowed boxes or counters
 * @domain: domain
 *
 * Return: bitwise OR of all words of the global status, 0 without a global control. If overflows
 * freeze the domain, the value includes boxes that ucore has not armed, because their overflows
 * freeze the domain, too. Bits of unarmed counters that may show a mere wrap are 0.
 */
u64 ucore_domain_status(struct ucore_domain *domain)
{
	struct ucore_control *c;
	u64 all = 0;

	if (domain->global)
		all = ucore_global_ctl_status(domain->global, &domain->io, domain->status);
	ucore_domain_for_each_further(domain, c)
		all |= ucore_global_ctl_status(c->global, &c->io, c->status);
	return only_armed_bits(domain) ? all & domain->armed_mask : all;
}

/**
 * ucore_domain_control_changed() - check whether other software wrote the global control
 * @domain: domain, acquired and not frozen by ucore
 *
 * Costs one register read for each global control. If a control differs, the global status is
 * read as well, because an overflow that freezes the domain also changes the control.
 *
 * Return: true if a global control differs from the value that ucore wrote, and no overflow
 * explains the difference.
 */
bool ucore_domain_control_changed(struct ucore_domain *domain)
{
	const struct ucore_control *c;
	bool changed;

	if (!domain->global || domain->gate)
		return false;
	changed = ucore_global_ctl_changed(domain->global, &domain->io,
					   run_word(domain, domain->global, domain->found) |
					   domain->route);
	ucore_domain_for_each_further(domain, c)
		changed |= ucore_global_ctl_changed(c->global, &c->io,
						    run_word(domain, c->global, c->found) |
						    c->route);
	return changed && !(domain->armed && ucore_domain_status(domain));
}

/* Return true if the level of a global control, which lets boxes count, is not set any more. */
static bool lost_level(const struct ucore_global *global, const struct ucore_io *io)
{
	return global->run_level && !ucore_global_ctl_found(global, io);
}

/**
 * ucore_domain_restart() - let the domain count again if its level was lost
 * @domain: domain that is not frozen, and for which ucore_domain_control_changed() returned true
 *
 * A deep package C-state may clear the whole control. Without this write the boxes would stand
 * until the next START, and no overflow would end a period. Any other change of the control was
 * made by software, and is left.
 */
void ucore_domain_restart(struct ucore_domain *domain)
{
	struct ucore_control *c;

	if (lost_level(domain->global, &domain->io))
		write_run(domain, domain->global, &domain->io, domain->found, domain->route);
	ucore_domain_for_each_further(domain, c)
		if (lost_level(c->global, &c->io))
			write_run(domain, c->global, &c->io, c->found, c->route);
}

/* Return true if a manual or a trial shows what the bits of the global status mean. */
static bool status_is_known(const struct ucore_domain *domain)
{
	return domain->global && domain->global->nr_status &&
	       (!domain->global->untried || READ_ONCE(domain->overflow_proven));
}

/**
 * ucore_domain_overflow_freezes() - check whether an overflow of any counter freezes the domain
 * @domain: domain
 *
 * Return: true if an overflow freezes the domain and sets a bit of the global status.
 */
bool ucore_domain_overflow_freezes(const struct ucore_domain *domain)
{
	return status_is_known(domain) && !ucore_domain_has_enables(domain);
}

/**
 * ucore_domain_clear_status() - clear the overflow bits of the global status
 * @domain: domain
 *
 * Clears the bits that ucore_domain_status() read last. The caller clears the status registers
 * of the boxes first. A box whose own status is not zero would not set its bit of the global
 * status at the next overflow.
 */
void ucore_domain_clear_status(struct ucore_domain *domain)
{
	struct ucore_control *c;

	if (domain->global)
		ucore_global_ctl_clear(domain->global, &domain->io, domain->status,
				       domain->clear);
	ucore_domain_for_each_further(domain, c)
		ucore_global_ctl_clear(c->global, &c->io, c->status, domain->clear);
}

/**
 * ucore_domain_find_clear() - clear the global status, and find out what clears it if that is
 *			       unknown
 * @domain: domain, frozen; no counter overflows
 *
 * Return: true if the status is clear. If nothing clears it, later services clear it as before.
 */
bool ucore_domain_find_clear(struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;
	u8 last = !global->clear_untried ? UCORE_CLEAR_ONES :
		  !global->clear_other ? UCORE_CLEAR_ZERO : UCORE_CLEAR_OTHER;
	u8 before = domain->clear;

	for (domain->clear = UCORE_CLEAR_ONES; domain->clear <= last; domain->clear++) {
		ucore_domain_clear_status(domain);
		if (!ucore_domain_status(domain))
			return true;
	}
	domain->clear = before;
	return false;
}

/**
 * ucore_domain_clear_all() - clear the overflow bits of all counters in the global status
 * @domain: domain, frozen
 *
 * Has an effect only if the global status has one bit for each counter. The manual requires
 * these bits to be cleared before event selects change, before counters are reloaded and when
 * counting has ended. On other domains the box reset clears the status of each box.
 */
void ucore_domain_clear_all(struct ucore_domain *domain)
{
	ucore_domain_clear_bits(domain, ~0ULL);
}

/**
 * ucore_domain_clear_bits() - clear the overflow bits of some counters in the global status
 * @domain: domain, frozen
 * @bits: global status bits to be cleared
 */
void ucore_domain_clear_bits(struct ucore_domain *domain, u64 bits)
{
	if (domain->global && domain->global->clear && (bits & domain->global->clear_mask))
		domain->io.ops->write64(&domain->io, domain->global->clear,
					bits & domain->global->clear_mask);
}

/**
 * ucore_domain_assign_routes() - set the PMI route for the next writes of the global controls
 * @domain: domain
 * @route: value of pmi_core_sel and the wake bit, 0 for no target core
 *
 * No register is written. A global control without a status gets no route, because its boxes
 * cannot interrupt.
 */
void ucore_domain_assign_routes(struct ucore_domain *domain, u64 route)
{
	struct ucore_control *c;

	domain->route = route;
	ucore_domain_for_each_further(domain, c)
		c->route = route & (c->global->core_sel | c->global->wake);
}

/**
 * ucore_domain_assign_found_routes() - set the PMI route to that found before ucore's first use
 * @domain: domain
 *
 * No register is written. The next write of the global controls contains the route. If the value
 * found has enable bits, only ucore_domain_write_run() writes it. A freeze must not set them.
 */
void ucore_domain_assign_found_routes(struct ucore_domain *domain)
{
	struct ucore_control *c;

	domain->route = ucore_domain_restores_run(domain) ? 0 : domain->found;
	ucore_domain_for_each_further(domain, c)
		c->route = ucore_global_restores_run(c->global) ? 0 : c->found;
}

static void routes_write(struct ucore_domain *domain)
{
	if (!domain->global)
		return;
	if (!domain->global->level) {
		write_all(domain, false);
		return;
	}
	/* the write must not end a freeze by ucore or by a pending overflow */
	if (domain->frozen || domain->armed)
		ucore_domain_write_freeze(domain);
	if (!domain->frozen && !(domain->armed && ucore_domain_status(domain)))
		ucore_domain_write_run(domain);
}

/**
 * ucore_domain_set_route() - write the PMI route, which selects the cores that receive the PMI
 * @domain: domain
 * @route: value of pmi_core_sel and the wake bit, 0 for no target core
 */
void ucore_domain_set_route(struct ucore_domain *domain, u64 route)
{
	lockdep_assert_held(&domain->lock);

	ucore_domain_assign_routes(domain, route);
	routes_write(domain);
}

static void find_globals(struct ucore_domain *domain)
{
	struct ucore_control *c;

	domain->found = ucore_global_ctl_found(domain->global, &domain->io);
	ucore_domain_for_each_further(domain, c)
		c->found = ucore_global_ctl_found(c->global, &c->io);
}

/**
 * ucore_domain_acquire() - save the state of the global controls before their first use
 * @domain: domain
 *
 * Firmware may leave a domain frozen (Granite Rapids and later). The first unfreeze by ucore
 * ends that freeze, and ucore_domain_release() restores it.
 */
void ucore_domain_acquire(struct ucore_domain *domain)
{
	if (!domain->acquired && domain->global)
		find_globals(domain);
	domain->acquired = true;
	ucore_domain_assign_routes(domain, 0);
}

/**
 * ucore_domain_note_found() - note the enable bits that a freeze is about to clear
 * @domain: domain that is not acquired, because ucore only restores boxes
 *
 * Other software may have written the level since ucore's last use. The next unfreeze restores it.
 */
void ucore_domain_note_found(struct ucore_domain *domain)
{
	struct ucore_control *c;

	if (domain->global && domain->global->run_level)
		domain->found = ucore_global_ctl_found(domain->global, &domain->io);
	ucore_domain_for_each_further(domain, c)
		if (c->global->run_level)
			c->found = ucore_global_ctl_found(c->global, &c->io);
}

/**
 * ucore_domain_clear_stale() - clear global status bits that were set before ucore's use
 * @domain: domain in which no counter is armed
 */
void ucore_domain_clear_stale(struct ucore_domain *domain)
{
	/* also bits that show no overflow, but not those of counters that other software uses */
	if (status_is_known(domain) &&
	    (ucore_domain_status(domain) || !ucore_domain_has_enables(domain)))
		ucore_domain_clear_status(domain);
	domain->status_clear = ktime_get_mono_fast_ns();
	domain->pmi.clear = domain->status_clear;
}

/**
 * ucore_domain_release() - restore the global controls as found before ucore's first use
 * @domain: domain
 */
void ucore_domain_release(struct ucore_domain *domain)
{
	domain->acquired = false;
	/*
	 * From here on each write of a global control contains the bits found before ucore's
	 * first use. Boxes may still be restored afterwards, with a freeze and an unfreeze of
	 * the domain.
	 */
	ucore_domain_assign_found_routes(domain);
	if (!ucore_domain_restores_run(domain))
		routes_write(domain);
	else if (!domain->frozen)
		ucore_domain_write_run(domain);
}

/**
 * ucore_domain_reset_release() - mark a domain as unfrozen after its registers were restored
 * @domain: domain on which no session counts
 *
 * Other software may change the registers while ucore does not use them. Therefore the next
 * freeze writes the global control again.
 */
void ucore_domain_reset_release(struct ucore_domain *domain)
{
	u64 now = ktime_get_mono_fast_ns();

	lockdep_assert_held(&domain->lock);

	domain->frozen_ns = ucore_domain_frozen_ns(domain, now);
	domain->frozen = false;
	domain->freeze_count = 0;
	domain->throttled = false;
	domain->extended = false;
	domain->kept_frozen = false;
	domain->unfrozen = now;
}

/**
 * ucore_domain_release_offline() - release a domain without an online CPU
 * @domain: domain
 *
 * The registers of a die are restored when its first CPU comes online. Core counters were
 * stopped before their CPU went offline. They may belong to other software afterwards. Therefore
 * this function accesses no register.
 */
void ucore_domain_release_offline(struct ucore_domain *domain)
{
	lockdep_assert_held(&domain->lock);

	if (ucore_domain_has_enables(domain)) {
		domain->acquired = false;
		ucore_domain_reset_release(domain);
	} else {
		ucore_domain_assign_found_routes(domain);
	}
}

/**
 * ucore_domain_kick_watchdog() - start the watchdog on this CPU
 * @domain: domain
 * @delay_ns: time until the watchdog runs (ns)
 */
void ucore_domain_kick_watchdog(struct ucore_domain *domain, u64 delay_ns)
{
	domain->watchdog_at = ktime_get_mono_fast_ns() + delay_ns;
	hrtimer_start(&domain->watchdog, ns_to_ktime(domain->watchdog_at),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * ---- CPUs of a domain ----
 */

/**
 * ucore_domain_has_cpu() - check whether a CPU belongs to a domain
 * @domain: domain
 * @cpu: online CPU
 *
 * Return: true if it does.
 */
bool ucore_domain_has_cpu(const struct ucore_domain *domain, int cpu)
{
	if (domain->scope == UCORE_SCOPE_CPU)
		return cpu == domain->cpu;
	return topology_logical_die_id(cpu) == domain->die;
}

/**
 * ucore_domain_run() - run a function on the domain's reader and wait for it
 * @domain: domain
 * @func: function, called in hard-irq context
 * @arg: argument of @func
 *
 * The caller holds the CPU hotplug lock. Nothing happens if no CPU of the domain is online.
 */
void ucore_domain_run(struct ucore_domain *domain, smp_call_func_t func, void *arg)
{
	/* Suspend may set the reader to UCORE_NO_CPU at any time while a command runs. */
	int reader = READ_ONCE(domain->reader);

	if (reader != UCORE_NO_CPU)
		smp_call_function_single(reader, func, arg, 1);
}

/*
 * ---- init and destroy ----
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

/* Open the windows of the domain's global controls. */
static int global_init(struct ucore_domain *domain, const struct ucore_global *global)
{
	domain->global = global;
	domain->io.tally = &domain->tally;
	if (!global)
		return 0;
	if (global->sel_untried) {
		if (WARN_ON(hweight64(global->core_sel) > 7))	/* UCORE_REACH_TRIED */
			return -EINVAL;
		domain->pmi.reach = kvcalloc(nr_cpu_ids, sizeof(*domain->pmi.reach), GFP_KERNEL);
		if (!domain->pmi.reach)
			return -ENOMEM;
	}
	if (global->nr_gated) {
		domain->gate = kzalloc(sizeof(*domain->gate), GFP_KERNEL);
		if (!domain->gate)
			return -ENOMEM;
		*domain->gate = (struct ucore_gate){
			.status = global->status,
			.clear = global->clear,
			.ctl = global->gated_ctl,
			.ctr = global->gated_ctr,
			.nr = global->nr_gated,
			.enable = global->gated,
			.sign = global->gated_sign,
		};
		ucore_soft_global_init(&domain->io, domain->gate);
		return 0;
	}
	return ucore_global_ctl_window(global, &domain->io) ?: further_init(domain);
}

/**
 * ucore_domain_init() - initialize a domain without a reader
 * @domain: domain, zeroed
 * @id: index of the domain in the catalog
 * @first: description of one of the domain's boxes
 *
 * ucore_readers_init() elects the reader.
 *
 * Return: 0 or -errno. ucore_domain_destroy() must be called in either case.
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
	/* The lock of a CPU's domain nests inside that of its die (session/rendezvous.c). */
	if (first->scope == UCORE_SCOPE_CPU)
		lockdep_set_class(&domain->lock, &cpu_lock_class);
	INIT_LIST_HEAD(&domain->ctxs);
	INIT_LIST_HEAD(&domain->boxes);
	domain->reader = UCORE_NO_CPU;
	domain->pin_cpu = UCORE_NO_CPU;
	domain->leaving = UCORE_NO_CPU;
	for_each_cpu_and(cpu, ucore_domain_cpus(domain), cpu_online_mask)
		if (ucore_domain_has_cpu(domain, cpu))
			domain->package = topology_physical_package_id(cpu);
	return ret;
}

void ucore_domain_destroy(struct ucore_domain *domain)
{
	struct ucore_control *c;

	ucore_domain_for_each_further(domain, c)
		ucore_io_close(&c->io);
	kfree(domain->further);
	domain->further = NULL;
	domain->nr_further = 0;
	ucore_io_close(&domain->io);
	kfree(domain->gate);
	domain->gate = NULL;
	kvfree(domain->pmi.reach);
	domain->pmi.reach = NULL;
}
