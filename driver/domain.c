// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domains: freeze and release, the reader, CPU hotplug.
 *
 * Owns the global control and status registers, and which CPU touches them.
 * Freezing counts reasons: the domain runs when the last one goes, and not while
 * an overflow waits to be serviced, for that froze the domain too.
 *
 * Locks: the list of parts changes under the domain's lock, in process context,
 * with CPU hotplug held off.  So a hotplug callback, which excludes all of
 * those, may walk the list without it, and cancel timers that take it.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/ktime.h>
#include <linux/smp.h>

#include "catalog.h"
#include "compat.h"
#include "domain.h"
#include "pmi.h"
#include "sample.h"
#include "timer.h"

DEFINE_MUTEX(ucore_run_lock);	/* domain.h tells what it guards */

/*
 * ---- global control; the domain's lock is held, this CPU is the domain's ----
 */

static void global_write(struct ucore_domain *domain, u64 command)
{
	/* every write carries the route: a write without it would unset it */
	domain->io.ops->write64(&domain->io, domain->global->ctl, command | domain->route);
}

/**
 * ucore_domain_hold() - freeze the domain, or keep it frozen
 * @domain: the domain
 * @now: time
 */
void ucore_domain_hold(struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	if (!domain->holds++ && !domain->frozen)
		global_write(domain, domain->global->freeze);
	if (!domain->frozen) {
		domain->frozen = true;
		domain->frozen_since = now;
	}
}

/**
 * ucore_domain_hold_overflow() - keep frozen what an overflow froze
 * @domain: the domain
 * @now: when the overflow was noticed
 *
 * It is frozen by a write all the same: an overflow that came in the middle of
 * a release may have been released with it.
 */
void ucore_domain_hold_overflow(struct ucore_domain *domain, u64 now)
{
	lockdep_assert_held(&domain->lock);

	if (!domain->holds++)
		global_write(domain, domain->global->freeze);
	if (!domain->frozen) {
		domain->frozen = true;
		domain->frozen_since = now;
	}
}

/**
 * ucore_domain_release() - one reason less to stay frozen
 * @domain: the domain
 * @pending: look for an overflow that waits; false right after a service
 *
 * Return: the time, when the domain runs again if nothing else holds it.
 */
u64 ucore_domain_release(struct ucore_domain *domain, bool pending)
{
	u64 now;

	lockdep_assert_held(&domain->lock);

	if (--domain->holds)
		return ktime_get_mono_fast_ns();
	if (pending && domain->armed && ucore_domain_status(domain))
		return ktime_get_mono_fast_ns();	/* its interrupt will release the domain */
	global_write(domain, domain->global->unfreeze);
	now = ktime_get_mono_fast_ns();
	domain->frozen = false;
	domain->frozen_ns += now - domain->frozen_since;
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
 * ucore_domain_status() - which boxes overflowed
 * @domain: the domain
 *
 * Return: the global status, its words folded into one; also bits of boxes that
 * nobody armed: they freeze the domain, too.
 */
u64 ucore_domain_status(struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;
	u64 status, all = 0;
	u32 i;

	for (i = 0; i < global->nr_status; i++) {
		status = domain->io.ops->read64(&domain->io, global->status + i * global->status_stride);
		domain->status[i] = status == UCORE_REG_DEAD ? 0 : status;
		all |= domain->status[i];
	}
	return all;
}

/**
 * ucore_domain_clear_status() - acknowledge overflows (write 1 to clear)
 * @domain: the domain; the bits last read are cleared.  Their boxes' own status is
 *       clear already, or they would not signal again.
 */
void ucore_domain_clear_status(struct ucore_domain *domain)
{
	const struct ucore_global *global = domain->global;
	u32 i;

	for (i = 0; i < global->nr_status; i++)
		if (domain->status[i])
			domain->io.ops->write64(&domain->io, global->status + i * global->status_stride,
					     domain->status[i]);
}

/**
 * ucore_domain_set_route() - which cores get the PMI
 * @domain: the domain
 * @route: pmi_core_sel and the wake bit, 0 for none
 */
void ucore_domain_set_route(struct ucore_domain *domain, u64 route)
{
	lockdep_assert_held(&domain->lock);

	domain->route = route;
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
 * ucore_domain_take() - first use: note what is there
 * @domain: the domain
 *
 * Firmware of the discovery generation may leave the domain frozen (Granite
 * Rapids and later): that is among what is noted, ends with our first release,
 * and is so again in the end.
 */
void ucore_domain_take(struct ucore_domain *domain)
{
	u64 found;

	if (!domain->taken) {
		found = domain->io.ops->read64(&domain->io, domain->global->ctl);
		domain->found = found == UCORE_REG_DEAD ? 0 : found & domain->global->keep;
	}
	domain->taken = true;
	domain->route = 0;
}

/**
 * ucore_domain_clear_stale() - forget overflows of the past
 * @domain: the domain, on which nothing is armed
 */
void ucore_domain_clear_stale(struct ucore_domain *domain)
{
	if (ucore_domain_status(domain))
		ucore_domain_clear_status(domain);
}

/**
 * ucore_domain_give_back() - last use: as it was found, and running
 * @domain: the domain
 */
void ucore_domain_give_back(struct ucore_domain *domain)
{
	/* and so it stays: boxes are still to be released */
	ucore_domain_set_route(domain, domain->found);
	domain->taken = false;
}

/*
 * ---- the reader ----
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
 * ucore_domain_core_bit() - the bit of pmi_core_sel that names a CPU's core
 * @domain: the domain
 * @cpu: one of its CPUs
 *
 * Return: the bit in global control, 0 if there is none.
 */
u64 ucore_domain_core_bit(const struct ucore_domain *domain, int cpu)
{
	u64 core_sel = domain->global->core_sel;
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
	return !domain->global->core_sel || ucore_domain_core_bit(domain, cpu);
}

/* A reader, if possible the one asked for or at least one that takes PMIs. */
static int elect_reader(const struct ucore_domain *domain, int leaving)
{
	int cpu, any = UCORE_NO_CPU;

	if (domain->pin_cpu != UCORE_NO_CPU && domain->pin_cpu != leaving)
		return domain->pin_cpu;
	for_each_online_cpu(cpu) {
		if (cpu == leaving || !ucore_domain_has_cpu(domain, cpu))
			continue;
		if (ucore_domain_cpu_selectable(domain, cpu))
			return cpu;
		if (any == UCORE_NO_CPU)
			any = cpu;
	}
	return any;
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
	if (domain->reader != UCORE_NO_CPU)
		smp_call_function_single(domain->reader, func, arg, 1);
}

struct gap {
	struct ucore_domain *domain;
	u32 reason;
	int from;
	int to;
};

static void gap_record(const struct gap *gap, u64 now)
{
	struct ucore_part *part;

	list_for_each_entry(part, &gap->domain->parts, node)
		ucore_part_gap(part, now, gap->reason, gap->from, gap->to, ~0U);
}

static void gap_here(void *arg)
{
	struct gap *gap = arg;

	raw_spin_lock(&gap->domain->lock);
	gap_record(gap, ktime_get_mono_fast_ns());
	raw_spin_unlock(&gap->domain->lock);
}

/* Service what waits and keep the domain frozen. */
static void move_begin_here(void *arg)
{
	struct ucore_domain *domain = arg;
	struct ucore_interval iv;

	raw_spin_lock(&domain->lock);
	ucore_interval_begin(&iv, domain, ktime_get_mono_fast_ns());
	domain->holds++;
	ucore_interval_end(&iv);
	raw_spin_unlock(&domain->lock);
}

static void move_end_here(void *arg)
{
	struct ucore_domain *domain = arg;

	raw_spin_lock(&domain->lock);
	ucore_domain_release(domain, true);
	raw_spin_unlock(&domain->lock);
}

/*
 * Hand over to another CPU.  The list of parts is stable, timers are cancelled.
 * An overflow while nobody takes PMIs would go unnoticed: so there is none.
 */
static void reader_move(struct ucore_domain *domain, int cpu)
{
	if (!domain->armed) {
		WRITE_ONCE(domain->reader, cpu);
	} else {
		ucore_domain_run(domain, move_begin_here, domain);
		ucore_pmi_disable(domain);
		WRITE_ONCE(domain->reader, cpu);
		ucore_pmi_enable(domain);
		ucore_domain_run(domain, move_end_here, domain);
	}
}

/**
 * ucore_domain_move() - choose another reader
 * @domain: the domain
 * @cpu: one of its online CPUs
 *
 * Process context; CPU hotplug and changes to the list of parts are held off.
 *
 * Return: 0, or -ERANGE if the PMI cannot be routed to @cpu.
 */
int ucore_domain_move(struct ucore_domain *domain, int cpu)
{
	if (!ucore_domain_cpu_selectable(domain, cpu))
		return -ERANGE;
	if (cpu == domain->reader)
		return 0;
	ucore_timers_cancel(domain);
	reader_move(domain, cpu);
	ucore_timers_restart(domain);
	return 0;
}

/*
 * ---- CPU hotplug ----
 */

/* The last CPU goes: stop everything while it can still be done. */
static void offline_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_domain *domain = gap->domain;
	struct ucore_interval iv;
	struct ucore_part *part;

	raw_spin_lock(&domain->lock);
	ucore_interval_begin(&iv, domain, ktime_get_mono_fast_ns());
	list_for_each_entry(part, &domain->parts, node)
		ucore_part_halt(&iv, part);
	ucore_interval_end(&iv);
	gap_record(gap, iv.now);
	raw_spin_unlock(&domain->lock);
}

/* A box that was released while no CPU could reach it. */
static bool box_is_left_over(const struct ucore_box *box, const struct ucore_domain *domain)
{
	return box->domain == domain && box->dirty && !box->owner;
}

static bool domain_has_work(const struct ucore_domain *domain)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (box_is_left_over(&ucore_catalog.boxes[i], domain))
			return true;
	return domain->taken;
}

/* The first CPU came back: go on, and clean up after sessions closed meanwhile. */
static void online_here(void *arg)
{
	struct gap *gap = arg;
	struct ucore_domain *domain = gap->domain;
	u64 now = ktime_get_mono_fast_ns();
	struct ucore_part *part;
	u32 i;

	raw_spin_lock(&domain->lock);
	ucore_domain_hold(domain, now);
	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (box_is_left_over(&ucore_catalog.boxes[i], domain))
			ucore_box_release(&ucore_catalog.boxes[i]);
	list_for_each_entry(part, &domain->parts, node)
		ucore_part_program(part);
	now = ucore_domain_release(domain, true);
	list_for_each_entry(part, &domain->parts, node)
		ucore_part_go(part, now);
	gap_record(gap, now);
	if (list_empty(&domain->parts))
		ucore_domain_give_back(domain);
	raw_spin_unlock(&domain->lock);
}

/* Another CPU takes over, or the domain stops. */
static void reader_leaves(struct ucore_domain *domain, int cpu)
{
	struct gap gap = { .domain = domain, .from = cpu, .to = elect_reader(domain, cpu) };

	domain->leaving = cpu;
	if (gap.to != UCORE_NO_CPU) {
		gap.reason = UCORE_GAP_READER_MOVED;
		reader_move(domain, gap.to);
		ucore_domain_run(domain, gap_here, &gap);
	} else {
		gap.reason = UCORE_GAP_OFFLINE;
		ucore_domain_run(domain, offline_here, &gap);
		ucore_pmi_disable(domain);
		WRITE_ONCE(domain->reader, UCORE_NO_CPU);
		/* throttled in its last interval: then it is armed once more */
		hrtimer_cancel(&domain->guard);
	}
	domain->leaving = UCORE_NO_CPU;
}

static void domain_loses(struct ucore_domain *domain, int cpu)
{
	mutex_lock(&ucore_catalog.lock);
	if (domain->pin_cpu == cpu)
		domain->pin_cpu = UCORE_NO_CPU;
	mutex_unlock(&ucore_catalog.lock);

	/* a throttled domain's guard may sit on any of its CPUs */
	ucore_timers_cancel(domain);
	if (domain->reader == cpu)
		reader_leaves(domain, cpu);
	else
		ucore_pmi_disable_cpu(domain, cpu);
	ucore_timers_restart(domain);
}

static int cpu_going_offline(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++)
		if (ucore_domain_has_cpu(&ucore_catalog.domains[i], cpu))
			domain_loses(&ucore_catalog.domains[i], cpu);
	return 0;
}

static void domain_gains(struct ucore_domain *domain, int cpu)
{
	struct gap gap = { .domain = domain, .reason = UCORE_GAP_ONLINE,
			   .from = UCORE_NO_CPU, .to = cpu };

	if (domain->reader != UCORE_NO_CPU) {
		ucore_pmi_enable_cpu(domain, cpu);
		return;
	}
	WRITE_ONCE(domain->reader, cpu);
	if (!domain_has_work(domain))
		return;		/* at load, say: nothing is touched */
	if (domain->armed)
		ucore_pmi_enable(domain);
	ucore_domain_run(domain, online_here, &gap);
	ucore_timers_restart(domain);
}

static int cpu_came_online(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++)
		if (ucore_domain_has_cpu(&ucore_catalog.domains[i], cpu))
			domain_gains(&ucore_catalog.domains[i], cpu);
	return 0;
}

static enum cpuhp_state hotplug_state;

/**
 * ucore_domain_hotplug_init() - elect readers, now and whenever CPUs come and go
 *
 * Return: 0 or -errno.
 */
int ucore_domain_hotplug_init(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/ucore:online",
				    cpu_came_online, cpu_going_offline);

	if (ret < 0)
		return ret;
	hotplug_state = ret;
	return 0;
}

void ucore_domain_hotplug_exit(void)
{
	cpuhp_remove_state_nocalls(hotplug_state);
}

static struct lock_class_key cpu_lock_class;

/* Its global control's window. */
static int global_init(struct ucore_domain *domain, const struct ucore_global *global)
{
	domain->global = global;
	domain->io.tally = &domain->tally;
	if (global->pdev)
		ucore_io_init_pci(&domain->io, global->pdev);
	else if (global->size)
		return ucore_io_init_mmio(&domain->io, global->phys, global->size);
	else
		ucore_io_init_msr(&domain->io, 0);
	return 0;
}

/**
 * ucore_domain_init() - a domain without reader; hotplug_init() elects it
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
	/* a CPU may hold the locks of both its domains: run.c */
	if (first->scope == UCORE_SCOPE_CPU)
		lockdep_set_class(&domain->lock, &cpu_lock_class);
	INIT_LIST_HEAD(&domain->parts);
	domain->reader = UCORE_NO_CPU;
	domain->pin_cpu = UCORE_NO_CPU;
	domain->leaving = UCORE_NO_CPU;
	for_each_online_cpu(cpu)
		if (ucore_domain_has_cpu(domain, cpu))
			domain->package = topology_physical_package_id(cpu);
	ucore_pmi_init(domain);
	ucore_guard_init(domain);
	return ret;
}

void ucore_domain_destroy(struct ucore_domain *domain)
{
	hrtimer_cancel(&domain->guard);
	ucore_pmi_destroy(domain);
	ucore_io_release(&domain->io);
}
