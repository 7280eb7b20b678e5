// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: may a session have its readers' time, and when?
 *
 * What a session's samples will take is estimated before it starts; what commands
 * take is charged where they run (meet.c), and whoever gives them waits beforehand
 * until the readers are within their budgets.  Process context.
 */
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "box/catalog.h"
#include "cpu/budget.h"
#include "session/prepare.h"
#include "session/session.h"
#include "session/admission.h"

/*
 * What an access takes, as far as it is known before; what is executed with each that reads
 * a counter, with each value of a record, and with a sample beside: a nanosecond for an
 * instruction (`make bench PLATFORM=clocked` tells how near that is)
 */
#define ACCESS_NS	200
#define READ_NS		40
#define VALUE_NS	10
#define SAMPLE_NS	2300

/*
 * What a helper takes of the reader: a call to queue, an interrupt command to write, and the
 * share's cache lines to and fro; and of all of them the last one's entry, which the reader
 * waits for.
 */
#define IPI_NS		1250
#define CREW_NS		1500

/*
 * ---- waiting ----
 */

/* May the command make the domain's reader work?  To another CPU any die may move. */
static bool concerns(const struct ucore_session *session, const struct ucore_domain *domain,
		     bool moves)
{
	const struct ucore_domain_ctx *ctx = ucore_session_ctx(session, domain->id);

	return moves ? domain->scope == UCORE_SCOPE_DIE : ctx && READ_ONCE(ctx->nr_events);
}

/* Without the session's lock: a reader that changes meanwhile is waited for in vain. */
static u64 wait_ns(const struct ucore_session *session, bool moves)
{
	u64 now = ktime_get_mono_fast_ns(), ns = 0;
	const struct ucore_domain *domain;
	int cpu;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		domain = &ucore_catalog.domains[i];
		if (!concerns(session, domain, moves))
			continue;
		cpu = READ_ONCE(domain->reader);
		if (cpu != UCORE_NO_CPU)
			ns = max(ns, ucore_budget_wait_ns(cpu, now));
	}
	return ns;
}

/**
 * ucore_admit_begin() - wait until the readers have time for a command
 * @session: the session, not locked
 * @moves: the command may move any die to another CPU; else it makes the session's readers
 *         work
 *
 * One command of a session at a time: what callers spend together grows with what
 * sessions have counters, and not with how many threads ask.  A session waits once, and
 * then its turn has come, whatever others have spent meanwhile.
 *
 * Return: 0, and ucore_admit_end() is to follow; -EINTR: the caller is dying.
 */
int ucore_admit_begin(struct ucore_session *session, bool moves)
{
	int ret;

	if (mutex_lock_killable(&session->turn))
		return -EINTR;
	ret = ucore_budget_sleep(wait_ns(session, moves));
	if (ret)
		mutex_unlock(&session->turn);
	return ret;
}

/**
 * ucore_admit_end() - the command has run
 * @session: the session, not locked
 */
void ucore_admit_end(struct ucore_session *session)
{
	mutex_unlock(&session->turn);
}

/*
 * ---- estimates ----
 */

/* At most: the counters of one group are read, and its controls and another's written. */
static u64 switch_accesses(const struct ucore_domain_ctx *ctx)
{
	u16 reads[UCORE_GROUP_MAX + 1] = {}, writes[UCORE_GROUP_MAX + 1] = {};
	const struct ucore_counter *ctr;
	u64 most = 0;
	u32 i, next;

	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++) {
		reads[ctr->group] += ucore_ctx_read_cost(ctx, ctr);
		writes[ctr->group]++;
	}
	for (i = 0; i < ctx->nr_groups; i++) {
		next = ctx->groups[(i + 1) % ctx->nr_groups];
		most = max_t(u64, most, reads[ctx->groups[i]] + writes[ctx->groups[i]] +
					writes[next]);
	}
	return most;
}

/* How long a sample takes its reader, or, where groups take turns, a switch. */
static u64 ctx_work_ns(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_counter *ctr;
	/* freeze and unfreeze: of the domain, or of each box */
	u64 words = ctx->box_freeze || !ctx->domain->global ?
		    2 * ctx->nr_box : 2 * (1 + ctx->domain->nr_further);
	u64 ns = SAMPLE_NS + words * ACCESS_NS + ctx->nr_ctr * VALUE_NS, reads = 0;
	unsigned long flags;
	u32 shares, longest;

	/* CPUs that go and come change it while the session runs */
	raw_spin_lock_irqsave(&ctx->domain->lock, flags);
	shares = ctx->parallel.nr;
	longest = ctx->parallel.longest;
	raw_spin_unlock_irqrestore(&ctx->domain->lock, flags);

	if (ctx->rotate_ns)
		return ns + switch_accesses(ctx) * (ACCESS_NS + READ_NS);
	if (shares > 1)
		return ns + longest * (ACCESS_NS + READ_NS) + CREW_NS + (shares - 1) * IPI_NS;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		reads += ucore_ctx_read_cost(ctx, ctr);
	return ns + reads * (ACCESS_NS + READ_NS);
}

/* Of the domain where it takes longest; 0 without events. */
static u64 work_ns(const struct ucore_session *session)
{
	const struct ucore_domain_ctx *ctx;
	u64 ns = 0;

	ucore_for_each_ctx(ctx, session)
		ns = max(ns, ctx_work_ns(ctx));
	return ns;
}

/**
 * ucore_admit_sample_ns() - what a sample takes of a CPU
 * @session: the session, locked; built
 *
 * Return: an estimate, of the domain where it takes longest; 0 without events.
 */
u64 ucore_admit_sample_ns(const struct ucore_session *session)
{
	u64 ns = work_ns(session);

	return ns ? ucore_budget_charge_ns(ns) : 0;
}

/**
 * ucore_admit_period() - can its readers take the samples of its timer, or its switches?
 * @session: the session, locked; built
 *
 * Return: true if they can within their budgets, or if it has neither.
 */
bool ucore_admit_period(const struct ucore_session *session)
{
	u64 period = session->timer_ns ?: session->nr_groups > 1 ? session->rotate_ns : 0;

	return !period || period >= ucore_budget_period_ns(work_ns(session));
}

/* Each CPU once, though it may read two domains. */
static u64 readers_busy_ns(struct ucore_session *session)
{
	const struct ucore_domain_ctx *ctx;
	u64 busy = 0;
	int cpu;

	cpumask_clear(session->readers);
	ucore_for_each_ctx(ctx, session) {
		cpu = READ_ONCE(ctx->domain->reader);
		if (cpu != UCORE_NO_CPU && !cpumask_test_and_set_cpu(cpu, session->readers))
			busy += ucore_budget_busy_ns(cpu);
	}
	return busy;
}

/**
 * ucore_admit_budget() - for BUDGET
 * @session: the session, locked
 * @out: the answer; size and flags are left alone
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_admit_budget(struct ucore_session *session, struct ucore_get_budget *out)
{
	const struct ucore_domain_ctx *ctx;
	int ret = session->running ? 0 : ucore_prepare_session(session);
	u32 i;

	if (ret)
		return ret;
	out->percent = ucore_budget_percent();
	out->sample_ns = ucore_admit_sample_ns(session);
	out->timer_min_ns = UCORE_TIMER_MIN_NS;
	if (out->sample_ns)
		out->timer_min_ns = max(out->timer_min_ns,
					ucore_budget_period_ns(work_ns(session)));
	out->busy_ns = readers_busy_ns(session);
	out->wait_ns = wait_ns(session, false);
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		ctx = session->ctx[i];
		if (!ctx)
			continue;
		out->dropped += READ_ONCE(ctx->stats.dropped);
		out->delayed += READ_ONCE(ctx->stats.delayed);
	}
	return 0;
}
