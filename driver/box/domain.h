/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains of boxes that share one global control and one reader CPU. An uncore domain is a die,
 * and a core domain is a logical CPU (the domain's scope). The reader freezes, reads and
 * unfreezes the domain as a whole. The reader is a CPU of the domain and also takes its PMI.
 * Without a global control (E5-2600 v1) the reader freezes and unfreezes the boxes one by one,
 * and there is no PMI. Part of the box layer.
 */
#ifndef UCORE_DOMAIN_H
#define UCORE_DOMAIN_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "box/global_ctl.h"
#include "reg/reg.h"

struct ucore_box;
struct ucore_box_desc;
struct ucore_domain_info;
struct ucore_global;
struct ucore_shares;

#define UCORE_NO_CPU	(-1)

/**
 * struct ucore_pmi_regs - context that an interrupt interrupted
 * @time: time of the interrupt (ns)
 * @ip: instruction pointer
 * @pid: process id in the initial namespace
 * @tid: thread id in the initial namespace
 * @cpu: CPU
 * @user: @ip is a user address
 */
struct ucore_pmi_regs {
	u64 time;
	u64 ip;
	u32 pid;
	u32 tid;
	u32 cpu;
	bool user;
};

/**
 * struct ucore_pmi - overflow interrupt of a domain
 * @seq: sequence number, odd while overflows are serviced; written with the domain's lock held,
 *       read in NMI context. Each odd value identifies one PMI.
 * @ended: end of the last service (ns); access as @seq
 * @stashing: sequence number whose context is or was saved (NMI context, cmpxchg)
 * @stashed: sequence number that @context belongs to, store-released by the NMI handler
 * @context: context that the PMI interrupted
 * @work: irq work that services the PMI in hard-irq context on the CPU that received it
 * @mend: work that unmasks the PMI on other CPUs or broadcasts it to all cores (process
 *        context)
 * @wide: the PMI is broadcast to all cores until nothing is armed any more
 * @spread: number of CPUs that receive each PMI without having been chosen: all CPUs of a
 *          broadcast, else 1 or 0
 * @widened: a broadcast was needed before; until a PMI arrives by core id, the next loss starts
 *           another one
 * @proven: a PMI has arrived by core id, so that the core numbering is as assumed
 * @losses: PMIs lost since the last arrival
 * @suspect: value of @seq at which the watchdog last saw an unserviced overflow
 * @suspect_time: time at which the watchdog saw that overflow (ns)
 * @clear: time at which the watchdog last saw no overflow (ns)
 * @unreported: as @suspect, for an armed counter that wrapped without a global status bit
 * @cpus: CPUs that may receive the PMI; written with CPU hotplug locked
 */
struct ucore_pmi {
	u64 seq;
	u64 ended;
	u64 stashing;
	u64 stashed;
	struct ucore_pmi_regs context;
	struct irq_work work;
	struct work_struct mend;
	bool wide;
	u32 spread;
	bool widened;
	bool proven;
	u32 losses;
	u64 suspect;
	u64 suspect_time;
	u64 clear;
	u64 unreported;
	struct cpumask cpus;
};

/**
 * struct ucore_domain - a domain
 * @id: index in the catalog
 * @scope: UCORE_SCOPE_*
 * @die: logical die of the kernel
 * @cpu: CPU of a UCORE_SCOPE_CPU domain, else UCORE_NO_CPU
 * @package: physical package id
 * @nr_boxes: number of boxes
 * @nr_counters: number of counters, including fixed ones
 * @global: description of the (first) global control, NULL if boxes are frozen one by one
 * @io: register window of the global control
 * @further: further global controls, or NULL
 * @nr_further: number of further global controls
 * @gate: soft global control that replaces a missing hardware one, else NULL
 * @tally: register accesses
 * @lock: protects all members below except @pin_*, and the registers of the boxes. Taken with
 *        interrupts off on a CPU of the domain. Only the timers' own locks nest inside. The
 *        lock of a CPU's domain nests inside the lock of its die's domain (rendezvous.c).
 * @reader: CPU that accesses the boxes, UCORE_NO_CPU if none is online; changes only with CPU
 *          hotplug locked
 * @ctxs: contexts of the sessions that run on the domain
 * @boxes: without a global control: boxes that count, in the order of freeze and unfreeze
 * @freeze_count: number of users that keep the domain frozen
 * @frozen: the domain is frozen
 * @frozen_since: start of the last freeze (ns)
 * @unfrozen: time of the last unfreeze (ns)
 * @boxes_unfrozen: time of the last unfreeze of single boxes (ns)
 * @frozen_ns: total frozen time since load, up to @unfrozen (ns)
 * @skew_ns: longest possible time from the first box's freeze to the last one's in the last
 *           freeze (ns), 0 with a single global control
 * @skew_max_ns: largest @skew_ns since load (ns)
 * @route: bits that every write of a global control must carry: pmi_core_sel and wake bit
 * @found: route bits or enables before ucore's first use, restored after its last use
 * @acquired: the domain is acquired, and @found is valid
 * @status: words of the global status as last read
 * @armed: number of contexts with an overflow trigger
 * @armed_mask: global status bits that the boxes of these contexts may set
 * @spurious: unarmed counters may overflow, so that intervals read the status though nothing is
 *         armed
 * @status_clear: last time at which the status was clear with nothing armed (ns)
 * @probed: time of the last probe of dead boxes (ns)
 * @conflict_logged: a conflict on the domain's controls has been logged
 * @pmi: overflow interrupt
 * @watchdog: timer that folds wraps, finds lost PMIs and ends throttling
 * @watchdog_at: expiry of @watchdog (ns), 0: not started
 * @throttle_start: start of the window in which overflows are counted (ns)
 * @throttle_count: overflows in the window
 * @throttled: throttled until the watchdog runs: counters whose periods end do not interrupt
 * @extended: the pause has been extended once for CPU time spent since it began
 * @kept_frozen: the domain stays frozen until the watchdog runs
 * @pmis: overflow interrupts serviced
 * @recovered: overflows found by the watchdog
 * @throttles: number of times throttled
 * @shares: work shares for helper CPUs (parallel_read.c); set once, by the first session with
 *          several readers
 * @leaving: CPU of the domain that is going offline; used by CPU hotplug callbacks only
 * @pin_cpu: reader CPU chosen by sessions, UCORE_NO_CPU if none or once all @pin_cpus are
 *           offline; protected by the catalog's lock
 * @pin_cpus: online CPUs chosen by sessions for the PMI; written with the catalog's lock held
 *            and CPU hotplug locked, read with CPU hotplug locked
 * @pins: number of sessions that have chosen CPUs; protected by the catalog's lock
 */
struct ucore_domain {
	u32 id;
	u32 scope;
	u32 die;
	int cpu;
	u32 package;
	u32 nr_boxes;
	u32 nr_counters;
	const struct ucore_global *global;
	struct ucore_io io;
	struct ucore_control *further;
	u32 nr_further;
	struct ucore_gate *gate;
	struct ucore_tally tally;

	raw_spinlock_t lock;
	int reader;
	struct list_head ctxs;
	struct list_head boxes;
	u32 freeze_count;
	bool frozen;
	u64 frozen_since;
	u64 unfrozen;
	u64 boxes_unfrozen;
	u64 frozen_ns;
	u64 skew_ns;
	u64 skew_max_ns;
	u64 route;
	u64 found;
	bool acquired;
	u64 status[UCORE_MAX_STATUS];
	u32 armed;
	u64 armed_mask;
	bool spurious;
	u64 status_clear;
	u64 probed;
	bool conflict_logged;
	struct ucore_pmi pmi;
	struct hrtimer watchdog;
	u64 watchdog_at;
	u64 throttle_start;
	u32 throttle_count;
	bool throttled;
	bool extended;
	bool kept_frozen;
	u64 pmis;
	u64 recovered;
	u64 throttles;
	struct ucore_shares *shares;

	int leaving;
	int pin_cpu;
	struct cpumask pin_cpus;
	u32 pins;
};

/*
 * Serializes changes of readers, routes and the domains' lists of contexts. Lock order: after a
 * session's lock, before CPU hotplug.
 */
extern struct mutex ucore_run_lock;

int ucore_domain_init(struct ucore_domain *domain, u32 id, const struct ucore_box_desc *first);
void ucore_domain_destroy(struct ucore_domain *domain);

bool ucore_domain_has_cpu(const struct ucore_domain *domain, int cpu);
u64 ucore_domain_core_sel(const struct ucore_domain *domain);
u64 ucore_domain_core_bit(const struct ucore_domain *domain, int cpu);
bool ucore_domain_cpu_selectable(const struct ucore_domain *domain, int cpu);
void ucore_domain_run(struct ucore_domain *domain, smp_call_func_t func, void *arg);
void ucore_domain_describe(struct ucore_domain *domain, struct ucore_domain_info *out);

/* With the domain's lock held, on a CPU of the domain: */
u64 ucore_domain_status(struct ucore_domain *domain);
void ucore_domain_clear_status(struct ucore_domain *domain);
bool ucore_domain_overflow_freezes(const struct ucore_domain *domain);
bool ucore_domain_control_changed(struct ucore_domain *domain);
u64 ucore_domain_run_word(const struct ucore_domain *domain);
void ucore_domain_write_global(struct ucore_domain *domain, u64 command);
void ucore_domain_assign_routes(struct ucore_domain *domain, u64 route);
void ucore_domain_assign_found_routes(struct ucore_domain *domain);
void ucore_domain_set_route(struct ucore_domain *domain, u64 route);
void ucore_domain_acquire(struct ucore_domain *domain);
void ucore_domain_clear_stale(struct ucore_domain *domain);
void ucore_domain_clear_all(struct ucore_domain *domain);
void ucore_domain_clear_bits(struct ucore_domain *domain, u64 bits);
void ucore_domain_release(struct ucore_domain *domain);
void ucore_domain_release_offline(struct ucore_domain *domain);
void ucore_domain_reset_release(struct ucore_domain *domain);
void ucore_domain_kick_watchdog(struct ucore_domain *domain, u64 delay_ns);

/*
 * Return the earliest possible time of the next freeze, because samples up to then have been
 * taken.
 */
static inline u64 ucore_domain_counted_at(const struct ucore_domain *domain)
{
	return max(domain->unfrozen, domain->boxes_unfrozen);
}

/**
 * ucore_domain_frozen_ns() - get the total frozen time of a domain up to an instant
 * @domain: domain
 * @now: instant (ns)
 *
 * Return: frozen time since load (ns).
 */
static inline u64 ucore_domain_frozen_ns(const struct ucore_domain *domain, u64 now)
{
	u64 ns = domain->frozen_ns;

	if (domain->frozen && now > domain->frozen_since)
		ns += now - domain->frozen_since;
	return ns;
}

/* Return true if the global control is a set of enable bits, as on a core. */
static inline bool ucore_domain_has_enables(const struct ucore_domain *domain)
{
	return domain->global && domain->global->enables;
}

#define ucore_domain_for_each_further(domain, c) \
	for ((c) = (domain)->further; (c) < (domain)->further + (domain)->nr_further; (c)++)

#endif /* UCORE_DOMAIN_H */
