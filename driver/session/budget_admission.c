// SPDX-License-Identifier: GPL-2.0-only
/*
 * Admission control: delay commands whose readers exceed their CPU budgets, and refuse timer
 * and rotation periods that are too short.
 *
 * The cost of samples is estimated before a session starts. The cost of a command is charged to
 * the CPUs that execute it (rendezvous.c). A command waits before it runs, until the readers
 * are within their budgets. Part of the session layer. Process context.
 */
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "box/catalog.h"
#include "cpu/budget.h"
#include "session/budget_admission.h"
#include "session/prepare_contexts.h"
#include "session/session_and_events.h"

/*
 * Assumed costs of a sample (ns). ACCESS_NS is the bus access of each register read or write.
 * The others are costs of code: READ_NS for each register read, VALUE_NS for each value in the
 * record, TASK_NS for each CPU whose task is recorded (the cache lines of another CPU), SAMPLE_NS
 * for the rest. Code is estimated at 1 ns for each instruction.
 * `make bench PLATFORM=clocked` measures the error of these values.
 */
#define ACCESS_NS	200
#define READ_NS		40
#define VALUE_NS	10
#define TASK_NS		100
#define SAMPLE_NS	2300

/*
 * Costs of parallel reads on the reader (ns). IPI_NS is paid for each helper CPU, to queue the
 * call, write the interrupt command and transfer the cache lines of the helper's boxes.
 * READERS_NS is paid once for all helpers, because the reader waits until the last helper has
 * entered its interrupt handler.
 */
#define IPI_NS		1250
#define READERS_NS	1500

/*
 * ---- delays of commands ----
 */

/*
 * Return true if a command of the session may use the domain's reader. A command that may
 * make other CPUs the readers of dies (@moves) uses the readers of all dies.
 */
static bool uses_reader(const struct ucore_session *session, const struct ucore_domain *domain,
			bool moves)
{
	const struct ucore_domain_ctx *ctx = ucore_session_ctx(session, domain->id);

	return moves ? domain->scope == UCORE_SCOPE_DIE : ctx && READ_ONCE(ctx->nr_events);
}

/*
 * Return how long a command must wait until all readers that it uses are within their budgets
 * (ns). The session is not locked, so that a reader may change during the wait. The command
 * then waits for the former reader, which is harmless.
 */
static u64 wait_ns(const struct ucore_session *session, bool moves)
{
	u64 now = ktime_get_mono_fast_ns(), ns = 0;
	const struct ucore_domain *domain;
	int cpu;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		domain = &ucore_catalog.domains[i];
		if (!uses_reader(session, domain, moves))
			continue;
		cpu = READ_ONCE(domain->reader);
		if (cpu != UCORE_NO_CPU)
			ns = max(ns, ucore_budget_wait_ns(cpu, now));
	}
	return ns;
}

/**
 * ucore_admit_begin() - admit a command: wait until the readers are within their budgets
 * @session: the session, not locked
 * @moves: the command may make other CPUs the readers, so that it uses the readers of all dies;
 *         otherwise it uses the readers of the session's domains only
 *
 * Only one command of a session is admitted at a time. The CPU time that commands can use
 * together therefore grows with the number of sessions, not with the number of threads. A
 * command waits once. It then runs even if other commands have used the budget during the
 * wait.
 *
 * Return: 0, to be followed by ucore_admit_end(), or -EINTR if the caller is being killed.
 */
int ucore_admit_begin(struct ucore_session *session, bool moves)
{
	int ret;

	if (mutex_lock_killable(&session->admission))
		return -EINTR;
	ret = ucore_budget_sleep(wait_ns(session, moves));
	if (ret)
		mutex_unlock(&session->admission);
	return ret;
}

/**
 * ucore_admit_end() - end an admission, after the command has run
 * @session: the session, not locked
 */
void ucore_admit_end(struct ucore_session *session)
{
	mutex_unlock(&session->admission);
}

/*
 * ---- estimates of the CPU time for samples ----
 */

/*
 * Return the maximum number of register accesses of a group switch: read the counters of one
 * group, write their controls and the controls of the next group.
 */
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

/* Return the number of register writes that freeze the domain or the boxes of a context. */
static u32 words_of_freeze(const struct ucore_domain_ctx *ctx)
{
	u32 i, n = 1 + ctx->domain->nr_further;

	if (ctx->box_freeze || !ctx->domain->global)
		return ctx->nr_box;
	for (i = 0; i < ctx->nr_box; i++)
		n += !ctx->box[i].box->desc.global;
	return n;
}

/* Estimate the reader's CPU time (ns) for a sample of the context, or for a group switch. */
static u64 ctx_work_ns(const struct ucore_domain_ctx *ctx)
{
	const struct ucore_counter *ctr;
	/* register writes of freeze and unfreeze, of the domain or of each box */
	u64 words = 2 * words_of_freeze(ctx);
	u64 ns = SAMPLE_NS + words * ACCESS_NS + ctx->nr_ctr * VALUE_NS + ctx->nr_cpus * TASK_NS;
	u64 reads = 0;
	/*
	 * CPU hotplug may change the shares of parallel reads while the session runs. This estimate
	 * may then be of both divisions, the next one is of the new division.
	 */
	u32 shares = READ_ONCE(ctx->parallel.nr), longest = READ_ONCE(ctx->parallel.longest);

	if (ctx->rotate_ns)
		return ns + switch_accesses(ctx) * (ACCESS_NS + READ_NS);
	if (shares > 1)
		return ns + longest * (ACCESS_NS + READ_NS) + READERS_NS + (shares - 1) * IPI_NS;
	for (ctr = ctx->ctr; ctr < ctx->ctr + ctx->nr_ctr; ctr++)
		reads += ucore_ctx_read_cost(ctx, ctr);
	return ns + reads * (ACCESS_NS + READ_NS);
}

/*
 * Estimate the CPU time (ns) for the samples that the reader of a context takes in one period. The
 * reader of a die may also be the reader of its own core counters. Each sample is a piece of work
 * of its own.
 */
static u64 reader_work_ns(const struct ucore_session *session, const struct ucore_domain_ctx *ctx)
{
	int reader = READ_ONCE(ctx->domain->reader);
	const struct ucore_domain_ctx *core;
	u64 ns = ctx_work_ns(ctx);

	if (ctx->domain->scope == UCORE_SCOPE_CPU || reader == UCORE_NO_CPU)
		return ns;
	ucore_for_each_ctx(core, session)
		if (core->domain->cpu == reader)
			return ns + ucore_budget_charge_ns(0) + ctx_work_ns(core);
	return ns;
}

/* Return the longest reader_work_ns() of all readers (ns); 0 if the session has no events. */
static u64 session_work_ns(const struct ucore_session *session)
{
	const struct ucore_domain_ctx *ctx;
	u64 ns = 0;

	ucore_for_each_ctx(ctx, session)
		ns = max(ns, reader_work_ns(session, ctx));
	return ns;
}

/**
 * ucore_admit_sample_ns() - estimate the CPU time charged for a sample
 * @session: the session, locked and prepared
 *
 * Return: the longest estimate (ns) of all readers; 0 if the session has no events.
 */
u64 ucore_admit_sample_ns(const struct ucore_session *session)
{
	u64 ns = session_work_ns(session);

	return ns ? ucore_budget_charge_ns(ns) : 0;
}

/**
 * ucore_admit_period() - check the timer or rotation period against the readers' budgets
 * @session: the session, locked and prepared
 *
 * Return: true if the readers can take all samples or switches within their budgets, or if the
 * session has neither a timer nor a rotation.
 */
bool ucore_admit_period(const struct ucore_session *session)
{
	u64 period = session->timer_ns ?: session->nr_groups > 1 ? session->rotate_ns : 0;

	lockdep_assert_held(&session->lock);

	return !period || period >= ucore_budget_period_ns(session_work_ns(session));
}

/* Sum the CPU time that ucore used on the session's readers (ns). Each CPU counts once. */
static u64 readers_busy_ns(struct ucore_session *session)
{
	const struct ucore_domain_ctx *ctx;
	u64 busy = 0;
	int cpu;

	cpumask_clear(session->rendezvous_cpus);
	ucore_for_each_ctx(ctx, session) {
		cpu = READ_ONCE(ctx->domain->reader);
		if (cpu != UCORE_NO_CPU && !cpumask_test_and_set_cpu(cpu, session->rendezvous_cpus))
			busy += ucore_budget_busy_ns(cpu);
	}
	return busy;
}

/**
 * ucore_admit_budget() - answer GET_BUDGET
 * @session: the session, locked
 * @out: the answer; size and flags are not changed
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_admit_budget(struct ucore_session *session, struct ucore_get_budget *out)
{
	const struct ucore_domain_ctx *ctx;
	int ret = session->running ? 0 : ucore_prepare_session(session);
	u32 i;

	lockdep_assert_held(&session->lock);

	if (ret)
		return ret;
	out->percent = ucore_budget_percent();
	out->sample_ns = ucore_admit_sample_ns(session);
	out->timer_min_ns = UCORE_TIMER_MIN_NS;
	if (out->sample_ns)
		out->timer_min_ns = max(out->timer_min_ns,
					ucore_budget_period_ns(session_work_ns(session)));
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
