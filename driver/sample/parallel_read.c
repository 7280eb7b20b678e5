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
 * @elapsed: as ucore_ctx_since_read() has it
 * @tally: accesses
 * @ns: time that it took
 */
struct ucore_share {
	call_single_data_t csd;
	bool rung;
	atomic_t state;
	struct ucore_domain_ctx *ctx;
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
	struct ucore_share share[UCORE_READERS_MAX];
};

/*
 * ---- who: when a session starts, and when CPUs come, go, or are chosen ----
 */

/**
 * ucore_parallel_cpu_is_isolated() - was a CPU set apart for work that timers and IPIs would disturb?
 * @cpu: the CPU
 *
 * Return: true if it was (isolcpus, nohz_full).
 */
bool ucore_parallel_cpu_is_isolated(int cpu)
{
	bool isolated;

	rcu_read_lock();	/* newer kernels may set others apart meanwhile */
	isolated = !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
		   !housekeeping_test_cpu(cpu, HK_TYPE_TIMER);
	rcu_read_unlock();
	return isolated;
}

static bool is_chosen(const struct ucore_domain_ctx *ctx, int cpu)
{
	return ctx->parallel.chosen && cpumask_test_cpu(cpu, &ctx->domain->pin_cpus);
}

static bool may_help(const struct ucore_domain_ctx *ctx, int cpu)
{
	if (!ucore_domain_has_cpu(ctx->domain, cpu))
		return false;
	return is_chosen(ctx, cpu) ||
	       (!ucore_parallel_cpu_is_isolated(cpu) &&
		(!ctx->parallel.may || cpumask_test_cpu(cpu, ctx->parallel.may)));
}

static bool has_member(const struct ucore_parallel *parallel, int cpu)
{
	u32 i;

	for (i = 0; i < parallel->nr_cpus; i++)
		if (parallel->cpu[i] == cpu)
			return true;
	return false;
}

/* Threads of one core share what leads out of it. */
static bool has_core(const struct ucore_parallel *parallel, int cpu)
{
	u32 i;

	for (i = 0; i < parallel->nr_cpus; i++)
		if (topology_core_id(cpu) == topology_core_id(parallel->cpu[i]))
			return true;
	return false;
}

/* How well a CPU would do: one that was chosen, then one of a core that has none as yet. */
static int suits(const struct ucore_domain_ctx *ctx, const struct ucore_parallel *parallel, int cpu)
{
	return 2 * is_chosen(ctx, cpu) + !has_core(parallel, cpu);
}

/* The first of those that suit best. */
static int next_helper(const struct ucore_domain_ctx *ctx, const struct ucore_parallel *parallel, int leaving)
{
	int cpu, its, best = UCORE_NO_CPU, most = -1;

	for_each_online_cpu(cpu) {
		if (cpu == leaving || !may_help(ctx, cpu) || has_member(parallel, cpu))
			continue;
		its = suits(ctx, parallel, cpu);
		if (its > most) {
			best = cpu;
			most = its;
		}
	}
	return best;
}

/* Shares of consecutive boxes, none of more than @most reads: how many are there? */
static u32 cut_at_most(const struct ucore_domain_ctx *ctx, struct ucore_parallel *parallel, u32 most)
{
	u32 i, nr = 0, sum = 0;

	for (i = 0; i < ctx->nr_box; i++) {
		if (sum + ctx->box[i].cost > most) {
			if (++nr == UCORE_READERS_MAX)
				return U32_MAX;
			sum = 0;
		}
		sum += ctx->box[i].cost;
		parallel->end[nr] = i + 1;
	}
	return nr + 1;
}

/* The longest share is as short as it can be. */
static void cut(struct ucore_domain_ctx *ctx, struct ucore_parallel *parallel)
{
	struct ucore_domain_ctx_box *pb;
	u32 all = 0, most = 0, j;

	for (pb = ctx->box; pb < ctx->box + ctx->nr_box; pb++) {
		pb->cost = 0;
		for (j = pb->last; j != U32_MAX; j = ctx->ctr[j].sibling)
			pb->cost += ucore_ctx_read_cost(ctx, &ctx->ctr[j]);
		all += pb->cost;
		most = max(most, pb->cost);
	}
	most = max(most, DIV_ROUND_UP(all, parallel->nr_cpus));
	while (cut_at_most(ctx, parallel, most) > parallel->nr_cpus)
		most++;
	parallel->nr = cut_at_most(ctx, parallel, most);
	parallel->longest = most;
}

/* The reader is the first; a crew that has one member has no helper. */
static void members_elect(const struct ucore_domain_ctx *ctx, struct ucore_parallel *parallel, int leaving)
{
	int cpu = READ_ONCE(ctx->domain->reader);

	parallel->nr_cpus = 0;
	while (cpu != UCORE_NO_CPU) {
		parallel->cpu[parallel->nr_cpus++] = cpu;
		if (parallel->nr_cpus == parallel->size)
			break;
		cpu = next_helper(ctx, parallel, leaving);
	}
}

/**
 * ucore_parallel_elect() - who reads a part, and who reads what of it
 * @part: the part; its domain is not locked
 * @leaving: a CPU that is going offline, or UCORE_NO_CPU
 *
 * CPU hotplug is held off, or it calls.  If there are not so many CPUs the crew is smaller.
 */
void ucore_parallel_elect(struct ucore_domain_ctx *ctx, int leaving)
{
	struct ucore_parallel parallel = ctx->parallel;
	unsigned long flags;

	if (parallel.size < 2)
		return;
	members_elect(ctx, &parallel, leaving);
	parallel.nr = 0;
	if (parallel.nr_cpus > 1)
		cut(ctx, &parallel);
	raw_spin_lock_irqsave(&ctx->domain->lock, flags);
	ctx->parallel = parallel;
	raw_spin_unlock_irqrestore(&ctx->domain->lock, flags);
}

/**
 * ucore_parallel_elect_all() - the same for all parts that run on a domain
 * @domain: the domain, not locked; its list of parts is stable
 * @leaving: a CPU that is going offline, or UCORE_NO_CPU
 *
 * Afterwards @leaving is not rung any more.
 */
void ucore_parallel_elect_all(struct ucore_domain *domain, int leaving)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node)
		ucore_parallel_elect(ctx, leaving);
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
	smp_store_release(&share->rung, false);	/* pairs with offer(), ucore_parallel_exit() */
	if (atomic_cmpxchg_acquire(&share->state, SHARE_OFFERED, SHARE_TAKEN) == SHARE_OFFERED) {
		ucore_bulk_read_boxes(share->ctx, share->first, share->end, share->elapsed,
				      &share->tally);
		share->ns = ktime_get_mono_fast_ns() - start;
		atomic_set_release(&share->state, SHARE_DONE);	/* (B) */
	}
	ucore_budget_leave();
}

/*
 * ---- the reader ----
 */

static void offer(struct ucore_domain_ctx *ctx, u32 i, int cpu, u64 elapsed)
{
	struct ucore_share *share = &ctx->domain->shares->share[i];
	bool rung = smp_load_acquire(&share->rung);	/* pairs with help() */

	share->ctx = ctx;
	share->first = ctx->parallel.end[i - 1];
	share->end = ctx->parallel.end[i];
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
static u32 offer_all(struct ucore_domain_ctx *ctx, u64 elapsed)
{
	const struct ucore_parallel *parallel = &ctx->parallel;
	u64 now = ctx->last_read + elapsed;
	u32 i, n = 1, offered = 0;
	int cpu;

	for (i = 1; i <= parallel->nr_cpus && n < parallel->nr; i++) {
		cpu = parallel->cpu[i % parallel->nr_cpus];
		if (cpu == smp_processor_id() || ucore_budget_wait_ns(cpu, now))
			continue;
		offer(ctx, n, cpu, elapsed);
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
	struct ucore_domain_ctx *ctx = share->ctx;

	atomic_cond_read_acquire(&share->state, VAL == SHARE_DONE);	/* (B) */
	atomic_set(&share->state, SHARE_NONE);
	ctx->domain->tally.reads += share->tally.reads;
	ctx->stats.cost_ns += share->ns;
	ctx->stats.parallel_reads++;
}

static void read_share(struct ucore_domain_ctx *ctx, u32 i, u64 elapsed)
{
	ucore_bulk_read_boxes(ctx, i ? ctx->parallel.end[i - 1] : 0, ctx->parallel.end[i], elapsed,
			      &ctx->domain->tally);
}

static void read_together(struct ucore_domain_ctx *ctx)
{
	struct ucore_share *shares = ctx->domain->shares->share;
	u64 elapsed = ucore_ctx_since_read(ctx);
	u32 i, offered = offer_all(ctx, elapsed);

	for (i = 0; i < ctx->parallel.nr; i++) {
		if (offered & BIT(i) && !take_back(&shares[i]))
			continue;
		offered &= ~BIT(i);
		read_share(ctx, i, elapsed);
	}
	for (i = 1; i < ctx->parallel.nr; i++)
		if (offered & BIT(i))
			await(&shares[i]);
}

/**
 * ucore_parallel_read() - read all counters of a part, once an interval, by its crew if it has one
 * @part: the part
 * @now: the instant: when the domain froze
 */
void ucore_parallel_read(struct ucore_domain_ctx *ctx, u64 now)
{
	if (ctx->parallel.nr < 2) {
		ucore_ctx_read(ctx, now);
	} else if (!ctx->fresh) {
		read_together(ctx);
		ucore_ctx_was_read(ctx, now);
	}
}

/*
 * ---- life ----
 */

/**
 * ucore_parallel_prepare() - have shares for crews of a domain
 * @domain: the domain
 *
 * Sessions may do so at the same time.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_parallel_prepare(struct ucore_domain *domain)
{
	struct ucore_shares *shares;
	u32 i;

	if (READ_ONCE(domain->shares))
		return 0;
	shares = kzalloc(sizeof(*shares), GFP_KERNEL);
	if (!shares)
		return -ENOMEM;
	for (i = 0; i < UCORE_READERS_MAX; i++)
		INIT_CSD(&shares->share[i].csd, help, &shares->share[i]);
	if (cmpxchg(&domain->shares, NULL, shares))
		kfree(shares);
	return 0;
}

/**
 * ucore_parallel_exit() - no crew reads any more: wait for the last that were rung
 * @domain: the domain; no session is left on it
 */
void ucore_parallel_exit(struct ucore_domain *domain)
{
	u32 i;

	if (!domain->shares)
		return;
	for (i = 0; i < UCORE_READERS_MAX; i++)
		/* pairs with help() */
		while (smp_load_acquire(&domain->shares->share[i].rung))
			cpu_relax();
	synchronize_rcu();	/* help() runs with interrupts off: it has ended */
	kfree(domain->shares);
	domain->shares = NULL;
}
