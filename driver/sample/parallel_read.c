// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parallel read of a domain context by several CPUs of a die. Part of the sample
 * layer.
 *
 * The reader holds the domain's lock and has frozen the domain. It offers a share
 * of the boxes to each helper CPU and sends an IPI. The reader then reads its own
 * share, takes back each share that no helper has begun, and waits for the others.
 * Thus the reader waits only for a CPU that is reading with interrupts off. It
 * does not wait for one that has disabled interrupts, sleeps or goes offline.
 *
 * A helper takes no lock. It owns the share that it took, including all state that
 * reading the share's boxes changes, because a box is in one share only. Without a
 * share, a helper accesses nothing but the domain's struct ucore_shares, which
 * outlives all IPIs. An IPI may arrive late: after the offer was taken back, after
 * the next offer, or after the context was freed. The helper then finds no offer,
 * or takes the new one.
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

#include "box/domain_global_ctl.h"
#include "cpu/budget.h"
#include "sample/bulk_read.h"
#include "sample/domain_ctx_counters.h"
#include "sample/parallel_read.h"

enum share_state {
	SHARE_NONE,
	SHARE_OFFERED,
	SHARE_TAKEN,
	SHARE_DONE,
};

/**
 * struct ucore_share - share of the boxes, which is offered to one helper CPU
 * @csd: call data of the IPI to the helper CPU
 * @ipi_sent: an IPI has been sent and help_read() has not started yet
 * @state: enum share_state; the head of this file has the transitions
 * @ctx: domain context to read. @ctx and the following members belong to the reader or to the
 *       helper, according to @state.
 * @first: index in @ctx->box of the first box of the share
 * @end: index after the last box of the share
 * @elapsed: time since the last read, from ucore_ctx_since_read() (ns)
 * @tally: number of register accesses of the helper
 * @ns: CPU time of the helper for the share (ns)
 */
struct ucore_share {
	call_single_data_t csd;
	bool ipi_sent;
	atomic_t state;
	struct ucore_domain_ctx *ctx;
	u32 first;
	u32 end;
	u64 elapsed;
	struct ucore_tally tally;
	u64 ns;
} ____cacheline_aligned;

/**
 * struct ucore_shares - shares of a domain's parallel reads
 * @share: shares by index; share 0 is never offered, so that its entry is unused
 *
 * Protected by the domain's lock, except for the accesses of helper CPUs.
 */
struct ucore_shares {
	struct ucore_share share[UCORE_READERS_MAX];
};

/*
 * ---- choice of the readers and their shares ----
 */

/**
 * ucore_parallel_cpu_is_isolated() - check whether a CPU is isolated
 * @cpu: CPU
 *
 * Return: true if timers and IPIs would disturb the CPU's work (isolcpus, nohz_full).
 */
bool ucore_parallel_cpu_is_isolated(int cpu)
{
	bool isolated;

	rcu_read_lock();	/* newer kernels change the isolated CPUs at run time */
	isolated = !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
		   !housekeeping_test_cpu(cpu, HK_TYPE_TIMER);
	rcu_read_unlock();
	return isolated;
}

/* Return true if the session has chosen the CPU by SET_PMI_CPUS. */
static bool is_chosen(const struct ucore_domain_ctx *ctx, int cpu)
{
	return ctx->parallel.chosen && cpumask_test_cpu(cpu, &ctx->domain->pin_cpus);
}

/* Return true if the CPU may be a helper CPU of the context. */
static bool may_help(const struct ucore_domain_ctx *ctx, int cpu)
{
	if (!ucore_domain_has_cpu(ctx->domain, cpu))
		return false;
	return is_chosen(ctx, cpu) ||
	       (!ucore_parallel_cpu_is_isolated(cpu) &&
		(!ctx->parallel.may || cpumask_test_cpu(cpu, ctx->parallel.may)));
}

/* Return true if the CPU is already among the CPUs that read the context. */
static bool is_reader(const struct ucore_parallel *parallel, int cpu)
{
	u32 i;

	for (i = 0; i < parallel->nr_cpus; i++)
		if (parallel->cpu[i] == cpu)
			return true;
	return false;
}

/*
 * Return true if a thread of the same core already reads the context. The threads of a core
 * share one path to the uncore, so that a second thread would not shorten the read.
 */
static bool core_is_used(const struct ucore_parallel *parallel, int cpu)
{
	u32 i;

	for (i = 0; i < parallel->nr_cpus; i++)
		if (topology_core_id(cpu) == topology_core_id(parallel->cpu[i]))
			return true;
	return false;
}

/*
 * Rate a CPU as helper CPU, from 0 to 3. That the session has chosen the CPU counts more than that
 * no other thread of its core reads the context.
 */
static int rating(const struct ucore_domain_ctx *ctx, const struct ucore_parallel *parallel,
		  int cpu)
{
	return 2 * is_chosen(ctx, cpu) + !core_is_used(parallel, cpu);
}

/* Find the first CPU with the highest rating() that may become a helper; UCORE_NO_CPU if none. */
static int next_helper(const struct ucore_domain_ctx *ctx, const struct ucore_parallel *parallel,
		       int leaving)
{
	int cpu, rate, best = UCORE_NO_CPU, most = -1;

	for_each_online_cpu(cpu) {
		if (cpu == leaving || !may_help(ctx, cpu) || is_reader(parallel, cpu))
			continue;
		rate = rating(ctx, parallel, cpu);
		if (rate > most) {
			best = cpu;
			most = rate;
		}
	}
	return best;
}

/*
 * Divide the boxes into consecutive shares of at most @most register reads. Return the number of
 * shares, U32_MAX if more than UCORE_READERS_MAX are needed.
 */
static u32 cut_shares_at_most(const struct ucore_domain_ctx *ctx, struct ucore_parallel *parallel,
			      u32 most)
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

/* Divide the boxes into a share for each CPU, so that the longest share is as short as possible. */
static void cut_shares(struct ucore_domain_ctx *ctx, struct ucore_parallel *parallel)
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
	while (cut_shares_at_most(ctx, parallel, most) > parallel->nr_cpus)
		most++;
	parallel->nr = cut_shares_at_most(ctx, parallel, most);
	parallel->longest = most;
}

/* Set parallel->cpu to the domain's reader and to helper CPUs. @leaving is no helper. */
static void readers_elect(const struct ucore_domain_ctx *ctx, struct ucore_parallel *parallel,
			  int leaving)
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
 * ucore_parallel_elect() - choose the CPUs that read a context, and their shares
 * @ctx: domain context; its domain is not locked
 * @leaving: CPU that is going offline, or UCORE_NO_CPU
 *
 * The caller holds the CPU hotplug lock, or is a CPU hotplug callback. If the domain has fewer
 * suitable CPUs than the session requests, fewer CPUs read.
 */
void ucore_parallel_elect(struct ucore_domain_ctx *ctx, int leaving)
{
	struct ucore_parallel parallel = ctx->parallel;
	unsigned long flags;

	if (parallel.size < 2)
		return;
	readers_elect(ctx, &parallel, leaving);
	parallel.nr = 0;
	if (parallel.nr_cpus > 1)
		cut_shares(ctx, &parallel);
	raw_spin_lock_irqsave(&ctx->domain->lock, flags);
	ctx->parallel = parallel;
	raw_spin_unlock_irqrestore(&ctx->domain->lock, flags);
}

/**
 * ucore_parallel_elect_all() - choose the reading CPUs for all contexts that run on a domain
 * @domain: domain, not locked; the list of contexts does not change
 * @leaving: CPU that is going offline, or UCORE_NO_CPU
 *
 * @leaving receives no further IPI afterwards.
 */
void ucore_parallel_elect_all(struct ucore_domain *domain, int leaving)
{
	struct ucore_domain_ctx *ctx;

	list_for_each_entry(ctx, &domain->ctxs, node)
		ucore_parallel_elect(ctx, leaving);
}

/*
 * ---- work of a helper CPU ----
 */

/* Read an offered share on a helper CPU, in an IPI with interrupts off and without a lock. */
static void help_read(void *arg)
{
	struct ucore_share *share = arg;
	u64 start = ktime_get_mono_fast_ns();

	ucore_budget_enter(start);
	/* From here on offer() may send another IPI. The first help_read() takes the share. */
	smp_store_release(&share->ipi_sent, false); /* pairs with offer(), ucore_parallel_exit() */
	if (atomic_cmpxchg_acquire(&share->state, SHARE_OFFERED, SHARE_TAKEN) == SHARE_OFFERED) {
		ucore_bulk_read_boxes(share->ctx, share->first, share->end, share->elapsed,
				      &share->tally);
		share->ns = ktime_get_mono_fast_ns() - start;
		atomic_set_release(&share->state, SHARE_DONE);	/* (B), pairs with await() */
	}
	ucore_budget_leave();
}

/*
 * ---- work of the reader ----
 */

/* Offer share @i of the boxes to the helper CPU @cpu, and send an IPI to it. */
static void offer(struct ucore_domain_ctx *ctx, u32 i, int cpu, u64 elapsed)
{
	struct ucore_share *share = &ctx->domain->shares->share[i];
	bool ipi_sent = smp_load_acquire(&share->ipi_sent);	/* pairs with help_read() */

	share->ctx = ctx;
	share->first = ctx->parallel.end[i - 1];
	share->end = ctx->parallel.end[i];
	share->elapsed = elapsed;
	share->tally = (struct ucore_tally){ };
	/* A helper whose earlier IPI has not arrived yet takes this offer. */
	if (!ipi_sent)
		WRITE_ONCE(share->ipi_sent, true);
	atomic_set_release(&share->state, SHARE_OFFERED);	/* (A), pairs with help_read() */
	if (ipi_sent)
		return;
	/* If the IPI cannot be sent, the offer is taken back unless a late IPI takes it. */
	if (smp_call_function_single_async(cpu, &share->csd))
		WRITE_ONCE(share->ipi_sent, false);
}

/*
 * Offer the shares to helper CPUs that are within their CPU time budgets. Return a mask of the
 * offered shares. This CPU reads share 0. If this CPU is not the reader, because another CPU
 * received the PMI, the reader is offered a share, too.
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

/* Take back an offered share. Return false if a helper CPU has taken it. */
static bool revoke_offer(struct ucore_share *share)
{
	return atomic_cmpxchg_relaxed(&share->state, SHARE_OFFERED, SHARE_NONE) == SHARE_OFFERED;
}

/* Wait until a helper CPU has read its share, and add its accesses to the statistics. */
static void await(struct ucore_share *share)
{
	struct ucore_domain_ctx *ctx = share->ctx;

	atomic_cond_read_acquire(&share->state, VAL == SHARE_DONE);	/* (B), see help_read() */
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
		if (offered & BIT(i) && !revoke_offer(&shares[i]))
			continue;
		offered &= ~BIT(i);
		read_share(ctx, i, elapsed);
	}
	for (i = 1; i < ctx->parallel.nr; i++)
		if (offered & BIT(i))
			await(&shares[i]);
}

/**
 * ucore_parallel_read() - read all counters of a context, with helper CPUs if there are any
 * @ctx: domain context
 * @now: instant of the freeze (ns)
 *
 * Does nothing if the context has already been read in this readout.
 */
void ucore_parallel_read(struct ucore_domain_ctx *ctx, u64 now)
{
	if (ctx->parallel.nr < 2 || ctx->paused) {
		ucore_ctx_read(ctx, now);
	} else if (!ctx->fresh) {
		read_together(ctx);
		ucore_ctx_was_read(ctx, now);
	}
}

/*
 * ---- allocation of a domain's shares ----
 */

/**
 * ucore_parallel_prepare() - allocate the shares of a domain, unless they exist
 * @domain: domain
 *
 * Several sessions may call this at the same time.
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
		INIT_CSD(&shares->share[i].csd, help_read, &shares->share[i]);
	if (cmpxchg(&domain->shares, NULL, shares))
		kfree(shares);
	return 0;
}

/**
 * ucore_parallel_exit() - wait for the last IPIs and free the shares of a domain
 * @domain: domain without a session
 */
void ucore_parallel_exit(struct ucore_domain *domain)
{
	u32 i;

	if (!domain->shares)
		return;
	for (i = 0; i < UCORE_READERS_MAX; i++)
		/* pairs with help_read() */
		while (smp_load_acquire(&domain->shares->share[i].ipi_sent))
			cpu_relax();
	synchronize_rcu();	/* until help_read(), which disables interrupts, has ended */
	kfree(domain->shares);
	domain->shares = NULL;
}
