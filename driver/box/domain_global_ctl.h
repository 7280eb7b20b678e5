/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Domain: a set of boxes that share one global control and one reader CPU. The domain of uncore
 * boxes is a die, and the domain of core counters is a logical CPU (the domain's scope). The
 * reader is a CPU of the domain. It freezes, reads and unfreezes all boxes of the domain
 * together, and also takes the domain's PMI.
 * Without a global control (E5-2600 v1) the reader freezes and unfreezes the boxes one by one,
 * and there is no PMI. Part of the box layer.
 */
#ifndef UCORE_DOMAIN_GLOBAL_CTL_H
#define UCORE_DOMAIN_GLOBAL_CTL_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "box/global_ctl_window.h"
#include "reg/reg.h"

struct ucore_counter_use;
struct ucore_box;
struct ucore_box_desc;
struct ucore_domain_info;
struct ucore_global;
struct ucore_shares;

#define UCORE_NO_CPU	(-1)

/**
 * struct ucore_pmi_regs - task and instruction that a PMI interrupted
 * @time: time of the PMI (ns)
 * @ip: instruction pointer of the interrupted code
 * @pid: process id of the interrupted task in the initial PID namespace
 * @tid: thread id of the interrupted task in the initial PID namespace
 * @cpu: CPU that received the PMI
 * @user: the interrupted code ran in user mode, so that @ip is a user address
 */
struct ucore_pmi_regs {
	u64 time;
	u64 ip;
	u32 pid;
	u32 tid;
	u32 cpu;
	bool user;
};

/* Maximum number of PMIs that a CPU may still expect after their services */
#define UCORE_PMI_MAX_PENDING	8U

/**
 * struct ucore_pmi - state of a domain's overflow interrupt (PMI)
 * @seq: number of the PMI. An odd value identifies the PMI that is being serviced, an even value
 *       means that no service is in progress. Written with the domain's lock held, read in NMI
 *       context.
 * @ended: times at which the last services ended (ns), by ucore_pmi_index(); 0 for a service
 *         whose overflow sent no PMI. Written with the domain's lock held, read in NMI context
 * @stashing: value of @seq whose interrupted context is being saved or has been saved; changed
 *            by cmpxchg in NMI context
 * @stashed: value of @seq to which @context belongs; store-released by the NMI handler
 * @context: task and instruction that the PMI interrupted
 * @received: value of @seq of the last PMI that a CPU received; store-released by the NMI handler
 * @receiver: CPU that received that PMI
 * @work: irq_work that services the PMI in hard-irq context on the CPU that received the PMI
 * @mend: work that repairs the PMI route after a lost PMI, in process context: it unmasks the
 *        PMI on other CPUs or broadcasts it to all cores
 * @wide: the PMI is broadcast to all cores until no counter is armed any more
 * @spread: number of CPUs that one PMI interrupts: all target CPUs if the PMI is broadcast,
 *          otherwise 1; 0 before the PMI was first routed
 * @widened: a broadcast was needed before. Until a PMI arrives at a core chosen by its core id,
 *           the next lost PMI starts another broadcast.
 * @proven: a PMI has arrived at a core chosen by its core id, or in a trial. The bits of
 *          pmi_core_sel are numbered as assumed
 * @losses: number of PMIs lost since the last PMI that arrived
 * @suspect: 1 + the value of @seq at which the watchdog first saw an overflow bit without a
 *           service, 0 for none. If the watchdog sees the bit again at this value, the PMI is
 *           lost.
 * @suspect_time: time at which the watchdog first saw this overflow bit (ns)
 * @clear: time up to which all overflows have been serviced (ns), as a read of the global status
 *         last showed
 * @unreported: 1 + the value of @seq at which the watchdog first saw an armed counter that has
 *              wrapped without a bit in the global status, 0 for none
 * @cpus: CPUs that may receive the PMI; written with the CPU hotplug lock held
 * @enabled: the PMI is routed to @cpus, which may be empty
 * @reach: bits of pmi_core_sel whose PMI interrupts each CPU, as a trial has shown, and
 *         UCORE_REACH_TRIED. Indexed by CPU. NULL if the bits have the numbers of cores
 * @reached: a trial has shown that PMIs arrive (cpu/pmi_trial.c)
 * @incomplete: number of trials that gave no result for all CPUs, since the last one that did
 * @trial: records of the NMI handler during a trial of the PMI, otherwise NULL
 * @poll_ns: time from one poll of the global status to the next (ns). Then no core is selected,
 *           and an overflow freezes the domain without a PMI. 0: overflows send a PMI
 * @poll: hrtimer of these polls, pinned to the reader
 */
struct ucore_pmi {
	u64 seq;
	u64 ended[UCORE_PMI_MAX_PENDING];
	u64 stashing;
	u64 stashed;
	struct ucore_pmi_regs context;
	u64 received;
	u32 receiver;
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
	bool enabled;
	u8 *reach;
	bool reached;
	u8 incomplete;
	struct ucore_pmi_trial *trial;
	u64 poll_ns;
	struct hrtimer poll;
};

/* Flag in ucore_pmi.reach, above the bits of pmi_core_sel: a trial gave a result for the CPU */
#define UCORE_REACH_TRIED	BIT(7)

/* Maximum number of trials of the PMI that give no result for all CPUs */
#define UCORE_PMI_MAX_INCOMPLETE	3

struct ucore_pmi_trial;

/* Return the index of PMI @number, an odd value of ucore_pmi.seq, in ucore_pmi.ended. */
static inline u32 ucore_pmi_index(u64 number)
{
	return number / 2 % UCORE_PMI_MAX_PENDING;
}

/*
 * Mark the last service as one whose overflow sent no PMI. No CPU then takes an NMI of another
 * source for a late PMI.
 */
static inline void ucore_pmi_expect_none(struct ucore_pmi *pmi)
{
	WRITE_ONCE(pmi->ended[ucore_pmi_index(pmi->seq - 1)], 0);
}

/**
 * struct ucore_domain - boxes that are frozen, read and unfrozen together by one reader CPU
 * @id: index of the domain in the catalog
 * @scope: kind of the domain, UCORE_SCOPE_*
 * @die: logical die id of the kernel (topology_logical_die_id())
 * @cpu: CPU of a UCORE_SCOPE_CPU domain, else UCORE_NO_CPU
 * @package: physical package id of the domain's CPUs
 * @first_box: first box of the domain; the boxes of a domain are adjacent in the catalog
 * @nr_boxes: number of boxes
 * @nr_counters: number of counters of all boxes, including fixed counters
 * @global: description of the (first) global control, NULL if boxes are frozen one by one
 * @io: register window of the (first) global control
 * @further: array of the domain's other global controls, or NULL
 * @nr_further: number of entries of @further
 * @gate: soft global control that replaces a missing hardware one, else NULL
 * @tally: number of register reads and writes of the domain
 * @lock: protects all members below except @pin_*, and the registers of the boxes. Taken with
 *        interrupts off on a CPU of the domain. Only the timers' own locks nest inside. The
 *        lock of a CPU's domain nests inside the lock of its die's domain
 *        (session/rendezvous.c).
 * @reader: CPU that accesses the boxes, UCORE_NO_CPU if no CPU of the domain is online; changes
 *          only with the CPU hotplug lock held
 * @ctxs: list of the running domain contexts, one for each session that counts on the domain
 * @nr_ctxs: length of @ctxs
 * @boxes: list of the boxes that count, in the order in which they are frozen and unfrozen;
 *         without those that the global control stops
 * @freeze_count: number of freezes in effect; the domain is unfrozen when it becomes 0
 * @frozen: the counters of the domain are stopped by a freeze
 * @frozen_since: time at which the last freeze began (ns)
 * @unfrozen: time of the last unfreeze (ns)
 * @boxes_unfrozen: time of the last unfreeze of single boxes by their box controls (ns)
 * @frozen_ns: total frozen time from module load to @unfrozen (ns)
 * @skew_ns: in the last freeze, longest possible time from the freeze of the first box to the
 *           freeze of the last box (ns); 0 if a single global control stops all of them
 * @skew_max_ns: largest @skew_ns since the module was loaded (ns)
 * @route: bits of the global control that select the target cores of the PMI, and the wake bit.
 *         Every write of a global control must contain these bits.
 * @found: bits of the global control (the PMI route, enable bits, a level) before ucore's first
 *         use; restored after ucore's last use
 * @overflow_proven: a trial has shown that an overflow freezes the domain and sets its bit of the
 *                   global status (overflow_trial.c)
 * @overflow_mode: each unfreeze lets overflows freeze the domain (struct ucore_global.on_overflow)
 * @clear: what clears the global status, enum ucore_clear
 * @ran_on: the boxes counted until the last freeze, although an overflow should have stopped them
 * @acquired: ucore uses the global control, and @found is valid
 * @status: words of the global status as last read
 * @armed: number of running domain contexts with an overflow trigger
 * @armed_mask: global status bits that the boxes of these domain contexts may set
 * @spurious: counters that ucore has not armed may overflow. Therefore each readout reads the
 *            global status, even if no counter is armed.
 * @status_clear: last time at which the global status was clear while no counter was armed (ns)
 * @probed: last time at which dead boxes were probed (ns)
 * @conflict: first box on which a conflict was found, NULL if none
 * @conflict_log: work that logs @conflict, in process context
 * @readouts: number of readouts that have ended
 * @nr_shared: number of hardware counters that several running sessions use or have used, until
 *             the last of them stops
 * @spent: list of the hardware counters that must be loaded before the domain is unfrozen
 *         (sample/shared_counter.c); empty when the lock is released
 * @multiplexed: list of the running domain contexts that agree to be paused; the paused ones are in
 *               the order in which they count next (irq/multiplex.c)
 * @multiplex: timer that ends their time slices
 * @multiplexing: @multiplex is started
 * @slices: number of time slices
 * @pmi: state of the overflow interrupt
 * @watchdog: timer that reads counters before they wrap twice, finds lost PMIs and ends
 *            throttling
 * @watchdog_at: expiry of @watchdog (ns), 0 if @watchdog has not been started
 * @throttle_start: start of the time window in which overflows are counted for the rate limit
 *                  (ns)
 * @throttle_count: number of overflows in this time window
 * @throttled: until the watchdog runs, a counter whose period ends does not interrupt
 * @extended: the watchdog has delayed the end of this throttling once, because overflows have
 *            exceeded the CPU time budget again
 * @kept_frozen: throttling keeps the domain frozen until the watchdog runs
 * @pmis: number of PMIs serviced
 * @recovered: number of overflows that the watchdog found because their PMI was lost
 * @throttles: number of times that the domain was throttled
 * @shares: counters that each helper CPU reads (sample/parallel_read.c); set once, by the first
 *          session with several readers
 * @leaving: CPU of the domain that is going offline; used by CPU hotplug callbacks only
 * @pin_cpu: reader CPU chosen by SET_PMI_CPUS; UCORE_NO_CPU if none was chosen or all @pin_cpus
 *           are offline; protected by the catalog's lock
 * @pin_cpus: online CPUs chosen by SET_PMI_CPUS to receive the PMI; written with the catalog's
 *            lock and the CPU hotplug lock held, read with the CPU hotplug lock held
 * @pins: number of sessions that have chosen CPUs by SET_PMI_CPUS; protected by the catalog's
 *        lock
 */
struct ucore_domain {
	u32 id;
	u32 scope;
	u32 die;
	int cpu;
	u32 package;
	struct ucore_box *first_box;
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
	u32 nr_ctxs;
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
	bool overflow_proven;
	bool overflow_mode;
	u8 clear;
	bool ran_on;
	bool acquired;
	u64 status[UCORE_MAX_STATUS];
	u32 armed;
	u64 armed_mask;
	bool spurious;
	u64 status_clear;
	u64 probed;
	const struct ucore_box *conflict;
	struct work_struct conflict_log;
	u64 readouts;
	u32 nr_shared;
	struct ucore_counter_use *spent;
	struct list_head multiplexed;
	struct hrtimer multiplex;
	bool multiplexing;
	u64 slices;
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
 * Serializes changes of readers, of PMI routes and of the domains' lists of contexts. Lock
 * order: after a session's lock, before the CPU hotplug lock.
 */
extern struct mutex ucore_run_lock;

int ucore_domain_init(struct ucore_domain *domain, u32 id, const struct ucore_box_desc *first);
void ucore_domain_destroy(struct ucore_domain *domain);

bool ucore_domain_has_cpu(const struct ucore_domain *domain, int cpu);
void ucore_domain_run(struct ucore_domain *domain, smp_call_func_t func, void *arg);

/* With the domain's lock held, on a CPU of the domain: */
u64 ucore_domain_status(struct ucore_domain *domain);
void ucore_domain_clear_status(struct ucore_domain *domain);
bool ucore_domain_find_clear(struct ucore_domain *domain);
void ucore_domain_restart(struct ucore_domain *domain);
bool ucore_domain_overflow_freezes(const struct ucore_domain *domain);
bool ucore_domain_control_changed(struct ucore_domain *domain);
void ucore_domain_write_freeze(struct ucore_domain *domain);
void ucore_domain_write_run(struct ucore_domain *domain);
void ucore_domain_assign_routes(struct ucore_domain *domain, u64 route);
void ucore_domain_assign_found_routes(struct ucore_domain *domain);
void ucore_domain_set_route(struct ucore_domain *domain, u64 route);
void ucore_domain_acquire(struct ucore_domain *domain);
void ucore_domain_note_found(struct ucore_domain *domain);
void ucore_domain_clear_stale(struct ucore_domain *domain);
void ucore_domain_clear_all(struct ucore_domain *domain);
void ucore_domain_clear_bits(struct ucore_domain *domain, u64 bits);
void ucore_domain_release(struct ucore_domain *domain);
void ucore_domain_release_offline(struct ucore_domain *domain);
void ucore_domain_reset_release(struct ucore_domain *domain);
void ucore_domain_kick_watchdog(struct ucore_domain *domain, u64 delay_ns);

/*
 * Return the time (ns) at which the counters last began to count. A later freeze cannot begin
 * earlier than this time.
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

/*
 * Return a mask that contains all online CPUs of a domain, and perhaps CPUs of other dies. The mask
 * of a CPU's domain contains this CPU only. Otherwise a loop over all domains and their CPUs would
 * cost the square of the number of CPUs.
 */
static inline const struct cpumask *ucore_domain_cpus(const struct ucore_domain *domain)
{
	return domain->scope == UCORE_SCOPE_CPU ? cpumask_of(domain->cpu) : cpu_online_mask;
}

/* Return true if the global control has one enable bit per counter, as core counters do. */
static inline bool ucore_domain_has_enables(const struct ucore_domain *domain)
{
	return domain->global && domain->global->enables;
}

/*
 * Return true if a global control has enable bits. After ucore's last use,
 * ucore_domain_write_run() writes the value that they had before its first use.
 */
static inline bool ucore_global_restores_run(const struct ucore_global *global)
{
	return global->enables || global->run_level;
}

/* The same for the first global control of a domain */
static inline bool ucore_domain_restores_run(const struct ucore_domain *domain)
{
	return domain->global && ucore_global_restores_run(domain->global);
}

#define ucore_domain_for_each_further(domain, c) \
	for ((c) = (domain)->further; (c) < (domain)->further + (domain)->nr_further; (c)++)

#endif /* UCORE_DOMAIN_GLOBAL_CTL_H */
