// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the task that runs on each CPU at each context switch, and looks up the task for a
 * sample. Part of the sample layer.
 *
 * While a session needs tasks, and for UCORE_TASKS_LINGER afterwards, probes are attached to the
 * scheduler's tracepoints sched_switch and task_rename. Each CPU records the next task and the
 * time in its own struct task_slot. A sample reads the task slots of other CPUs without an
 * interrupt. A task slot also keeps the previous task, because records are written after the
 * unfreeze and describe the instant of the freeze.
 *
 * Probes run on their own CPU, with interrupts off, and take no lock. A lookup does not wait: if
 * a task slot keeps changing, the task of its CPU counts as unknown.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "box/domain_global_ctl.h"
#include "sample/domain_ctx_counters.h"
#include "sample/running_tasks.h"

/* Number of attempts to read a struct task_slot, which its CPU may change meanwhile */
#define TRIES	4

/**
 * struct task_slot - the two tasks that ran last on a CPU
 * @seq: sequence counter of this struct; written by its CPU with interrupts off, read by
 *       any CPU
 * @now: task that runs now; now.since is 0 if the task is unknown
 * @before: task that ran before @now
 */
struct task_slot {
	seqcount_t seq;
	struct ucore_task now;
	struct ucore_task before;
};

static DEFINE_PER_CPU(struct task_slot, task_slots);

/* Protects the probes and the number of sessions that use them. Nests inside session locks. */
static DEFINE_MUTEX(tasks_lock);
static unsigned int tasks_users;
static bool probes_attached;

/**
 * ucore_tasks_note() - record that a task starts to run on this CPU
 * @time: instant at which the task starts to run (ns)
 * @pid: process id in the initial namespace
 * @tid: thread id in the initial namespace
 * @comm: name of the task
 *
 * Interrupts are off.
 */
void ucore_tasks_note(u64 time, u32 pid, u32 tid, const char *comm)
{
	struct task_slot *slot = this_cpu_ptr(&task_slots);

	raw_write_seqcount_begin(&slot->seq);
	slot->before = slot->now;
	slot->now.pid = pid;
	slot->now.tid = tid;
	slot->now.since = time;
	strscpy_pad(slot->now.comm, comm, sizeof(slot->now.comm));
	raw_write_seqcount_end(&slot->seq);
}

/**
 * ucore_tasks_lookup() - look up the task that ran on a CPU at a given time
 * @cpu: CPU number
 * @time: instant at which the task ran (ns), at most one task switch ago
 * @out: task; without UCORE_TASK_F_KNOWN if the CPU is offline, has switched more than once
 *       since @time, or keeps switching
 */
void ucore_tasks_lookup(u32 cpu, u64 time, struct ucore_task *out)
{
	const struct task_slot *slot = per_cpu_ptr(&task_slots, cpu);
	unsigned int seq;
	int i;

	for (i = 0; i < TRIES && cpu_online(cpu); i++) {
		seq = raw_seqcount_begin(&slot->seq);
		*out = slot->now.since <= time ? slot->now : slot->before;
		if (read_seqcount_retry(&slot->seq, seq))
			continue;
		if (!out->since || out->since > time)
			break;
		out->cpu = cpu;
		out->flags = UCORE_TASK_F_KNOWN;
		return;
	}
	*out = (struct ucore_task){ .cpu = cpu };
}

/*
 * ---- probes of the scheduler's tracepoints ----
 */

static void note_task(const struct task_struct *task, const char *comm)
{
	ucore_tasks_note(ktime_get_mono_fast_ns(), task->tgid, task->pid, comm);
}

static void switched(void *data, bool preempt, struct task_struct *prev,
		     struct task_struct *next, unsigned int prev_state)
{
	note_task(next, next->comm);
}

/* Record the new name of the running task after exec or prctl. */
static void renamed(void *data, struct task_struct *task, const char *comm)
{
	unsigned long flags;

	local_irq_save(flags);
	if (task == current)
		note_task(task, comm);
	local_irq_restore(flags);
}

static void note_here(void *arg)
{
	note_task(current, current->comm);
}

/* Scheduler tracepoints, and the functions attached to them */
static struct probe {
	const char *name;
	void *run;
	struct tracepoint *tp;
} probes[] = {
	{ "sched_switch", switched },
	{ "task_rename", renamed },
};

static void probe_find(struct tracepoint *tp, void *arg)
{
	struct probe *probe;

	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++)
		if (!strcmp(tp->name, probe->name))
			probe->tp = tp;
}

static void probes_remove(const struct probe *end)
{
	const struct probe *probe;

	for (probe = probes; probe < end; probe++)
		tracepoint_probe_unregister(probe->tp, probe->run, NULL);
	tracepoint_synchronize_unregister();
}

static int probes_add(void)
{
	struct probe *probe;
	int ret;

	for_each_kernel_tracepoint(probe_find, NULL);
	for (probe = probes; probe < probes + ARRAY_SIZE(probes); probe++) {
		ret = probe->tp ? tracepoint_probe_register(probe->tp, probe->run, NULL) :
				  -EOPNOTSUPP;
		if (ret) {
			probes_remove(probe);
			return ret;
		}
	}
	return 0;
}

/* Mark the tasks of all CPUs as unknown, because no probe was attached until now. */
static void slots_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu_ptr(&task_slots, cpu)->now.since = 0;
		per_cpu_ptr(&task_slots, cpu)->before.since = 0;
	}
}

/*
 * Remove the probes if no session uses them. Runs as a work some seconds after the last use,
 * because adding and removing probes interrupts all CPUs, and a session may be stopped and
 * started again and again.
 */
static void probes_expire(struct work_struct *work)
{
	mutex_lock(&tasks_lock);
	if (probes_attached && !tasks_users) {
		probes_remove(probes + ARRAY_SIZE(probes));
		probes_attached = false;
	}
	mutex_unlock(&tasks_lock);
}

static DECLARE_DELAYED_WORK(expiry, probes_expire);

/* Attach the probes, and record the task that runs on each CPU. Interrupts all CPUs. */
static int probes_attach(void)
{
	int ret;

	slots_clear();
	ret = probes_add();
	if (ret)
		return ret;
	on_each_cpu(note_here, NULL, true);
	probes_attached = true;
	return 0;
}

/**
 * ucore_tasks_get() - record running tasks until ucore_tasks_put()
 *
 * Adds the probes, unless they are still there from a previous use.
 *
 * Context: process; the CPU hotplug lock is not held.
 *
 * Return: 0 or an error. ucore_tasks_put() must follow a success. -EOPNOTSUPP means that the
 * kernel lacks the tracepoints.
 */
int ucore_tasks_get(void)
{
	int ret = 0;

	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		return -EOPNOTSUPP;
	mutex_lock(&tasks_lock);
	cancel_delayed_work(&expiry);
	if (!probes_attached)
		ret = probes_attach();
	tasks_users += !ret;
	mutex_unlock(&tasks_lock);
	return ret;
}

/**
 * ucore_tasks_put() - end the use of recorded tasks
 *
 * After the last use the probes stay for UCORE_TASKS_LINGER.
 */
void ucore_tasks_put(void)
{
	mutex_lock(&tasks_lock);
	if (!--tasks_users)
		schedule_delayed_work(&expiry, UCORE_TASKS_LINGER);
	mutex_unlock(&tasks_lock);
}

/** ucore_tasks_exit() - remove the probes at once; no session uses them */
void ucore_tasks_exit(void)
{
	cancel_delayed_work_sync(&expiry);
	probes_expire(NULL);
}

/*
 * ---- TASKS records ----
 */

/**
 * ucore_tasks_size() - get the size of a context's TASKS record
 * @ctx: domain context
 *
 * Return: size (bytes), 0 if the session has no TASKS records.
 */
u32 ucore_tasks_size(const struct ucore_domain_ctx *ctx)
{
	struct ucore_tasks *tasks;

	return ctx->nr_cpus ? struct_size(tasks, tasks, ctx->nr_cpus) : 0;
}

/**
 * ucore_tasks_fill() - fill in a TASKS record of a context
 * @ctx: domain context
 * @tasks: record whose header is already filled in
 * @time: instant of the sample (ns)
 */
void ucore_tasks_fill(const struct ucore_domain_ctx *ctx, struct ucore_tasks *tasks, u64 time)
{
	u32 i;

	tasks->time = time;
	tasks->domain = ctx->domain->id;
	tasks->nr_tasks = ctx->nr_cpus;
	for (i = 0; i < ctx->nr_cpus; i++)
		ucore_tasks_lookup(ctx->cpu[i], time, &tasks->tasks[i]);
}
