/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domains: what shares one global control and one reader.  For the uncore that
 * is a die, for a core's own monitors a logical CPU: the domain's scope.  A
 * domain is frozen, read and unfrozen as a whole by its reader, one of its own
 * CPUs, which also takes its PMI.  Where there is no global control (E5-2600
 * v1) the reader freezes and unfreezes box after box, and there is no PMI.
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
 * struct ucore_pmi_regs - what an interrupt interrupted
 * @time: when it did
 * @ip: instruction
 * @pid: process, initial namespace
 * @tid: thread, initial namespace
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
 * struct ucore_pmi - the overflow interrupt of one domain
 * @seq: even: idle; odd: overflows are being serviced.  One service, one PMI:
 *       the odd value names it.  Written under the domain's lock, read in NMI.
 * @ended: when the last service ended.  As @seq
 * @stashing: PMI whose context is being or has been stashed (NMI, cmpxchg)
 * @stashed: PMI that @context belongs to (released by the NMI that took it)
 * @context: what it interrupted
 * @work: services it, in hard-irq context on the CPU that took it
 * @mend: process context: open the other CPUs again, or route the PMI to all cores
 * @wide: the PMI is routed to all cores, until nothing is armed any more
 * @spread: CPUs that each PMI interrupts though nobody chose them: all that get it if it is
 *          routed to all cores, else 1 or 0
 * @widened: it once was: then the next loss before one arrives by core id is proof enough
 * @proven: a PMI has arrived by core id: it seems that cores are numbered as we think
 * @losses: PMIs lost since one arrived last
 * @suspect: value of @seq at which the guard last saw an unserviced overflow
 * @suspect_time: when the guard saw it
 * @clear: when the guard last saw none
 * @silent: the same as @suspect for a counter that carried without a bit in the global status
 * @cpus: CPUs that may receive it; written with CPU hotplug held off
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
	u64 silent;
	struct cpumask cpus;
};

/**
 * struct ucore_domain - one domain
 * @id: index in the catalog
 * @scope: UCORE_SCOPE_*
 * @die: the kernel's logical die
 * @cpu: the only CPU, for UCORE_SCOPE_CPU; else UCORE_NO_CPU
 * @package: physical package id
 * @nr_boxes: boxes on it
 * @nr_counters: their counters, fixed ones included
 * @global: its global control, the first one if there are several; NULL: there is none,
 *          boxes are frozen one by one
 * @io: window of the global control
 * @further: the others; NULL: there are none
 * @nr_further: how many
 * @gate: in place of a global control that does not exist, else NULL
 * @tally: register accesses
 * @lock: guards everything below but @pin_*, and the boxes' registers.  Taken
 *        with interrupts off on a CPU of the domain; innermost but for the
 *        timers' own locks; a CPU's nests inside its die's (meet.c).
 * @reader: CPU that touches the boxes, UCORE_NO_CPU if none is online; changes
 *          only with CPU hotplug held off
 * @parts: sessions running here
 * @boxes: without global control: boxes that count, in the order in which they
 *         are frozen and unfrozen
 * @holds: reasons to stay frozen
 * @frozen: the domain is frozen
 * @frozen_since: when it was frozen last
 * @unfrozen: when it was unfrozen last
 * @boxes_unfrozen: when single boxes of it were
 * @frozen_ns: how long it had been frozen until then, since load
 * @skew_ns: at most this long from the first box's freeze to the last one's, when it
 *           was frozen last; so, too, with several global controls
 * @skew_max_ns: the longest since load
 * @route: bits that every write of global control must carry: pmi_core_sel and the
 *         wake bit
 * @found: what those bits, or the enables, were before ucore; they are so again after
 *         its last use
 * @taken: @found is valid: ucore uses the global control
 * @status: words of global status, as last read
 * @armed: parts with overflow triggers
 * @armed_mask: global status bits that their boxes may set
 * @stray: something may overflow that no part armed: the status is looked at as if one had
 * @looked: when the status was seen to be clear last, with nothing armed
 * @probed: when dead boxes were asked last whether they answer again
 * @told: the log tells that somebody else writes its controls
 * @pmi: the interrupt
 * @guard: timer that folds wraps, finds lost PMIs and ends throttling
 * @guard_at: when it runs next, 0 if it does not
 * @throttle_start: beginning of the window in which overflows are counted
 * @throttle_count: overflows in it
 * @throttled: too many overflows: until the guard runs counters whose periods end rest
 * @prolonged: ... once more, for what was spent meanwhile
 * @held: it is frozen meanwhile
 * @pmis: overflow interrupts serviced
 * @recovered: overflows found by the guard
 * @throttles: times throttled
 * @shares: what crews' helpers are offered (crew.c); set once, when a session first wants a
 *          crew
 * @leaving: one of its CPUs that is going offline; belongs to CPU hotplug callbacks
 * @pin_cpu: CPU that sessions have chosen as reader, UCORE_NO_CPU once all of
 *           @pin_cpus have gone offline; guarded by the catalog's lock
 * @pin_cpus: CPUs that they have chosen to take the PMI, online ones; written under
 *            the catalog's lock with CPU hotplug held off, read with the latter
 * @pins: how many sessions have chosen; guarded by the catalog's lock
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
	u32 holds;
	bool frozen;
	u64 frozen_since;
	u64 unfrozen;
	u64 boxes_unfrozen;
	u64 frozen_ns;
	u64 skew_ns;
	u64 skew_max_ns;
	u64 route;
	u64 found;
	bool taken;
	u64 status[UCORE_MAX_STATUS];
	u32 armed;
	u64 armed_mask;
	bool stray;
	u64 looked;
	u64 probed;
	bool told;
	struct ucore_pmi pmi;
	struct hrtimer watchdog;
	u64 watchdog_at;
	u64 throttle_start;
	u32 throttle_count;
	bool throttled;
	bool prolonged;
	bool held;
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
 * Serializes what changes readers, routes and the domains' lists of parts.  After
 * a session's lock, before CPU hotplug.
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

/* Without any lock, in a panic: */
bool ucore_domain_panic_freeze(struct ucore_domain *domain);
void ucore_domain_panic_restore(struct ucore_domain *domain);
bool ucore_domain_box_within_reach(const struct ucore_box *box);

/* With the domain's lock held, on the domain: */
void ucore_domain_freeze(struct ucore_domain *domain, u64 now);
void ucore_domain_freeze_overflow(struct ucore_domain *domain, u64 now);
u64 ucore_domain_unfreeze(struct ucore_domain *domain, bool pending);
void ucore_domain_enable_box(struct ucore_domain *domain, struct ucore_box *box);
u64 ucore_domain_status(struct ucore_domain *domain);
void ucore_domain_clear_status(struct ucore_domain *domain);
bool ucore_domain_overflow_freezes(const struct ucore_domain *domain);
bool ucore_domain_control_changed(struct ucore_domain *domain);
void ucore_domain_frozen_unseen(struct ucore_domain *domain);
void ucore_domain_set_route(struct ucore_domain *domain, u64 route);
void ucore_domain_acquire(struct ucore_domain *domain);
void ucore_domain_clear_stale(struct ucore_domain *domain);
void ucore_domain_enable(struct ucore_domain *domain);
void ucore_domain_clear_all(struct ucore_domain *domain);
void ucore_domain_clear_bits(struct ucore_domain *domain, u64 bits);
void ucore_domain_release(struct ucore_domain *domain);
void ucore_domain_release_offline(struct ucore_domain *domain);
void ucore_domain_reset_release(struct ucore_domain *domain);
void ucore_watchdog_kick(struct ucore_domain *domain, u64 delay_ns);
u64 ucore_domain_frozen_ns(const struct ucore_domain *domain, u64 now);

/* No instant of a freeze is before this: samples before it have been taken. */
static inline u64 ucore_domain_counted_at(const struct ucore_domain *domain)
{
	return max(domain->unfrozen, domain->boxes_unfrozen);
}

#endif /* UCORE_DOMAIN_H */
