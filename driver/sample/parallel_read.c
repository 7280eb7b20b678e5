// SPDX-License-Identifier: GPL-2.0-only
/*
 * Crews: several CPUs of a die read a part's counters together.
 *
 * Whoever reads the part, on the frozen domain and under its lock, offers a share of the
 * boxes to each of some other CPUs, and rings them: an IPI.  It reads its own share, then
 * takes back each share that nobody has begun, and waits for the others: so it never
 * waits for a CPU that keeps interrupts off, sleeps deeply or is going offline, only for
 * one that reads, interrupts off, a share like its own.
 *
 * A helper takes no lock.  The share that it took is its own, with all that reading its
 * boxes' counters changes: a box is in one share.  Without a share it touches nothing but
 * the domain's struct ucore_shares, which outlives all calls: whatever it was rung for,
 * it may come late, when the offer has been taken back, when another one has been made,
 * when the part is gone.  Then it finds no offer, or takes the new one.
 *
 *   reader                                  helper
 *   write the share                         state: OFFERED -> TAKEN  (A, acquire)
 *   state = OFFERED       (A, release)      read
 *   ...                                     state = DONE             (B, release)
 *   wait for DONE         (B, acquire)
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/processor.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "box/domain.h"
#include "cpu/budget.h"
#include "sample/parallel_read.h"
#include "sample/domain_ctx.h"
#include "sample/bulk_read.h"

enum share_state {
	SHARE_NONE,
	SHARE_OFFERED,
	SHARE_TAKEN,
	SHARE_DONE,
};

/**
 * struct ucore_share - what one helper is offered
 * @csd: rings it
 * @rung: it was rung, and has not begun to look
 * @state: enum share_state; see above
 * @part: the part; this and the following belong to whoever has the share
 * @first: its first box
 * @end: the box after its last one
 * @elapsed: as ucore_part_since_read() has it
 * @tally: accesses
 * @ns: time that it took
 */
struct ucore_share {
	call_single_data_t csd;
	bool rung;
	atomic_t state;
	struct ucore_part *part;
	u32 first;
	u32 end;
	u64 elapsed;
	struct ucore_tally tally;
	u64 ns;
} ____cacheline_aligned;

/**
 * struct ucore_shares - a domain's shares; guarded by its lock but for what helpers do
 * @share: one for each helper; the first one stays unused
 */
struct ucore_shares {
	struct ucore_share share[UCORE_CREW_MAX];
};

/*
 * ---- who: when a session starts, and when CPUs come, go, or are chosen ----
 */

/**
 * ucore_cpu_is_isolated() - was a CPU set apart for work that timers and IPIs would disturb?
 * @cpu: the CPU
 *
 * Return: true if it was (isolcpus, nohz_full).
 */
bool ucore_cpu_is_isolated(int cpu)
{
	bool isolated;

	rcu_read_lock();	/* newer kernels may set others apart meanwhile */
	isolated = !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
		   !housekeeping_test_cpu(cpu, HK_TYPE_TIMER);
	rcu_read_unlock();
	return isolated;
}

static bool is_chosen(const struct ucore_part *part, int cpu)
{
	return part->crew.chosen && cpumask_test_cpu(cpu, &part->domain->pin_cpus);
}

static bool may_help(const struct ucore_part *part, int cpu)
{
	if (!ucore_domain_has_cpu(part->domain, cpu))
		return false;
	return is_chosen(part, cpu) ||
	       (!ucore_cpu_is_isolated(cpu) &&
		(!part->crew.may || cpumask_test_cpu(cpu, part->crew.may)));
}

static bool has_member(const struct ucore_crew *crew, int cpu)
{
	u32 i;

	for (i = 0; i < crew->nr_cpus; i++)
		if (crew->cpu[i] == cpu)
			return true;
	return false;
}

/* Threads of one core share what leads out of it. */
static bool has_core(const struct ucore_crew *crew, int cpu)
{
	u32 i;

	for (i = 0; i < crew->nr_cpus; i++)
		if (topology_core_id(cpu) == topology_core_id(crew->cpu[i]))
			return true;
	return false;
}

/* How well a CPU would do: one that was chosen, then one of a core that has none as yet. */
static int suits(const struct ucore_part *part, const struct ucore_crew *crew, int cpu)
{
	return 2 * is_chosen(part, cpu) + !has_core(crew, cpu);
}

/* The first of those that suit best. */
static int next_helper(const struct ucore_part *part, const struct ucore_crew *crew, int leaving)
{
	int cpu, its, best = UCORE_NO_CPU, most = -1;

	for_each_online_cpu(cpu) {
		if (cpu == leaving || !may_help(part, cpu) || has_member(crew, cpu))
			continue;
		its = suits(part, crew, cpu);
		if (its > most) {
			best = cpu;
			most = its;
		}
	}
	return best;
}

/* Shares of consecutive boxes, none of more than @most reads: how many are there? */
static u32 cut_at_most(const struct ucore_part *part, struct ucore_crew *crew, u32 most)
{
	u32 i, nr = 0, sum = 0;

	for (i = 0; i < part->nr_box; i++) {
		if (sum + part->box[i].cost > most) {
			if (++nr == UCORE_CREW_MAX)
				return U32_MAX;
			sum = 0;
		}
		sum += part->box[i].cost;
		crew->end[nr] = i + 1;
	}
	return nr + 1;
}

/* The longest share is as short as it can be. */
static void cut(struct ucore_part *part, struct ucore_crew *crew)
{
	struct ucore_part_box *pb;
	u32 all = 0, most = 0, j;

	for (pb = part->box; pb < part->box + part->nr_box; pb++) {
		pb->cost = 0;
		for (j = pb->last; j != U32_MAX; j = part->ctr[j].sibling)
			pb->cost += ucore_part_read_cost(part, &part->ctr[j]);
		all += pb->cost;
		most = max(most, pb->cost);
	}
	most = max(most, DIV_ROUND_UP(all, crew->nr_cpus));
	while (cut_at_most(part, crew, most) > crew->nr_cpus)
		most++;
	crew->nr = cut_at_most(part, crew, most);
	crew->longest = most;
}

/* The reader is the first; a crew that has one member has no helper. */
static void members_elect(const struct ucore_part *part, struct ucore_crew *crew, int leaving)
{
	int cpu = READ_ONCE(part->domain->reader);

	crew->nr_cpus = 0;
	while (cpu != UCORE_NO_CPU) {
		crew->cpu[crew->nr_cpus++] = cpu;
		if (crew->nr_cpus == crew->size)
			break;
		cpu = next_helper(part, crew, leaving);
	}
}

/**
 * ucore_crew_elect() - who reads a part, and who reads what of it
 * @part: the part; its domain is not locked
 * @leaving: a CPU that is going offline, or UCORE_NO_CPU
 *
 * CPU hotplug is held off, or it calls.  If there are not so many CPUs the crew is smaller.
 */
void ucore_crew_elect(struct ucore_part *part, int leaving)
{
	struct ucore_crew crew = part->crew;
	unsigned long flags;

	if (crew.size < 2)
		return;
	members_elect(part, &crew, leaving);
	crew.nr = 0;
	if (crew.nr_cpus > 1)
		cut(part, &crew);
	raw_spin_lock_irqsave(&part->domain->lock, flags);
	part->crew = crew;
	raw_spin_unlock_irqrestore(&part->domain->lock, flags);
}

/**
 * ucore_crews_elect() - the same for all parts that run on a domain
 * @domain: the domain, not locked; its list of parts is stable
 * @leaving: a CPU that is going offline, or UCORE_NO_CPU
 *
 * Afterwards @leaving is not rung any more.
 */
void ucore_crews_elect(struct ucore_domain *domain, int leaving)
{
	struct ucore_part *part;

	list_for_each_entry(part, &domain->parts, node)
		ucore_crew_elect(part, leaving);
}

/*
 * ---- helpers ----
 */

/* Interrupts are off, nothing is locked. */
static void help(void *arg)
{
	struct ucore_share *share = arg;
	u64 start = ktime_get_mono_fast_ns();

	ucore_budget_enter(start);
	/* from here on it may be rung again: then this call or that one takes the share */
	smp_store_release(&share->rung, false);	/* pairs with offer(), ucore_crew_exit() */
	if (atomic_cmpxchg_acquire(&share->state, SHARE_OFFERED, SHARE_TAKEN) == SHARE_OFFERED) {
		ucore_part_read_boxes(share->part, share->first, share->end, share->elapsed,
				      &share->tally);
		share->ns = ktime_get_mono_fast_ns() - start;
		atomic_set_release(&share->state, SHARE_DONE);	/* (B) */
	}
	ucore_budget_leave();
}

/*
 * ---- the reader ----
 */

static void offer(struct ucore_part *part, u32 i, int cpu, u64 elapsed)
{
	struct ucore_share *share = &part->domain->shares->share[i];
	bool rung = smp_load_acquire(&share->rung);	/* pairs with help() */

	share->part = part;
	share->first = part->crew.end[i - 1];
	share->end = part->crew.end[i];
	share->elapsed = elapsed;
	share->tally = (struct ucore_tally){ };
	/* who was rung for an earlier offer, and has not come as yet, may take this one */
	if (!rung)
		WRITE_ONCE(share->rung, true);
	atomic_set_release(&share->state, SHARE_OFFERED);	/* (A) */
	if (rung)
		return;
	/* if it cannot be rung it is taken back, unless a late call takes it */
	if (smp_call_function_single_async(cpu, &share->csd))
		WRITE_ONCE(share->rung, false);
}

/*
 * Bit i: share i has been offered.  The first one is this CPU's own.  Whoever is beyond its
 * budget is not asked; the reader is only if another CPU, which took the PMI, is at work.
 */
static u32 offer_all(struct ucore_part *part, u64 elapsed)
{
	const struct ucore_crew *crew = &part->crew;
	u64 now = part->last_read + elapsed;
	u32 i, n = 1, offered = 0;
	int cpu;

	for (i = 1; i <= crew->nr_cpus && n < crew->nr; i++) {
		cpu = crew->cpu[i % crew->nr_cpus];
		if (cpu == smp_processor_id() || ucore_budget_wait_ns(cpu, now))
			continue;
		offer(part, n, cpu, elapsed);
		offered |= BIT(n++);
	}
	return offered;
}

static bool take_back(struct ucore_share *share)
{
	return atomic_cmpxchg_relaxed(&share->state, SHARE_OFFERED, SHARE_NONE) == SHARE_OFFERED;
}

static void await(struct ucore_share *share)
{
	struct ucore_part *part = share->part;

	atomic_cond_read_acquire(&share->state, VAL == SHARE_DONE);	/* (B) */
	atomic_set(&share->state, SHARE_NONE);
	part->domain->tally.reads += share->tally.reads;
	part->stats.cost_ns += share->ns;
	part->stats.helped++;
}

static void read_share(struct ucore_part *part, u32 i, u64 elapsed)
{
	ucore_part_read_boxes(part, i ? part->crew.end[i - 1] : 0, part->crew.end[i], elapsed,
			      &part->domain->tally);
}

static void read_together(struct ucore_part *part)
{
	struct ucore_share *shares = part->domain->shares->share;
	u64 elapsed = ucore_part_since_read(part);
	u32 i, offered = offer_all(part, elapsed);

	for (i = 0; i < part->crew.nr; i++) {
		if (offered & BIT(i) && !take_back(&shares[i]))
			continue;
		offered &= ~BIT(i);
		read_share(part, i, elapsed);
	}
	for (i = 1; i < part->crew.nr; i++)
		if (offered & BIT(i))
			await(&shares[i]);
}

/**
 * ucore_crew_read() - read all counters of a part, once an interval, by its crew if it has one
 * @part: the part
 * @now: the instant: when the domain froze
 */
void ucore_crew_read(struct ucore_part *part, u64 now)
{
	if (part->crew.nr < 2) {
		ucore_part_read(part, now);
	} else if (!part->fresh) {
		read_together(part);
		ucore_part_was_read(part, now);
	}
}

/*
 * ---- life ----
 */

/**
 * ucore_crew_prepare() - have shares for crews of a domain
 * @domain: the domain
 *
 * Sessions may do so at the same time.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_crew_prepare(struct ucore_domain *domain)
{
	struct ucore_shares *shares;
	u32 i;

	if (READ_ONCE(domain->shares))
		return 0;
	shares = kzalloc(sizeof(*shares), GFP_KERNEL);
	if (!shares)
		return -ENOMEM;
	for (i = 0; i < UCORE_CREW_MAX; i++)
		INIT_CSD(&shares->share[i].csd, help, &shares->share[i]);
	if (cmpxchg(&domain->shares, NULL, shares))
		kfree(shares);
	return 0;
}

/**
 * ucore_crew_exit() - no crew reads any more: wait for the last that were rung
 * @domain: the domain; no session is left on it
 */
void ucore_crew_exit(struct ucore_domain *domain)
{
	u32 i;

	if (!domain->shares)
		return;
	for (i = 0; i < UCORE_CREW_MAX; i++)
		/* pairs with help() */
		while (smp_load_acquire(&domain->shares->share[i].rung))
			cpu_relax();
	synchronize_rcu();	/* help() runs with interrupts off: it has ended */
	kfree(domain->shares);
	domain->shares = NULL;
}
