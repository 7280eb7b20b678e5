// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who runs where: the task of each CPU, noted at each switch, looked up at a sample.
 *
 * While a session wants to know, probes sit on the scheduler's tracepoints sched_switch and
 * task_rename: each CPU notes what it switches to, and when, in a seat of its own.  A sample
 * reads the seats of other CPUs and interrupts none.  A seat has the task before, too: the
 * records are written when the domain runs again, and tell of the instant at which it froze.
 *
 * Probes run on their own CPU, a switch's with interrupts off, and take no lock.  A look
 * waits for nobody: a seat that is being written again and again is not known.
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

#include "box/domain.h"
#include "sample/domain_ctx.h"
#include "sample/tasks.h"

#define TRIES	4

/**
 * struct seat - who runs on a CPU
 * @seq: written by that CPU with interrupts off, read by any
 * @now: the task that runs; its @since is 0 if that is not known
 * @before: the one before
 */
struct seat {
	seqcount_t seq;
	struct ucore_task now;
	struct ucore_task before;
};

static DEFINE_PER_CPU(struct seat, seats);

static DEFINE_MUTEX(who_lock);		/* guards @who_users and the probes; inside of sessions' */
static unsigned int who_users;

/**
 * ucore_tasks_note() - a task begins to run on this CPU
 * @time: when
 * @pid: its process
 * @tid: itself
 * @comm: its name
 *
 * Interrupts are off.
 */
void ucore_tasks_note(u64 time, u32 pid, u32 tid, const char *comm)
{
	struct seat *seat = this_cpu_ptr(&seats);

	raw_write_seqcount_begin(&seat->seq);
	seat->before = seat->now;
	seat->now.pid = pid;
	seat->now.tid = tid;
	seat->now.since = time;
	strscpy_pad(seat->now.comm, comm, sizeof(seat->now.comm));
	raw_write_seqcount_end(&seat->seq);
}

/**
 * ucore_tasks_lookup() - who ran on a CPU?
 * @cpu: the CPU
 * @time: at which moment: a short while ago
 * @out: the answer; not KNOWN if the CPU is offline, or has switched more than once since,
 *       or is at it
 */
void ucore_tasks_lookup(u32 cpu, u64 time, struct ucore_task *out)
{
	const struct seat *seat = per_cpu_ptr(&seats, cpu);
	unsigned int seq;
	int i;

	for (i = 0; i < TRIES && cpu_online(cpu); i++) {
		seq = raw_seqcount_begin(&seat->seq);
		*out = seat->now.since <= time ? seat->now : seat->before;
		if (read_seqcount_retry(&seat->seq, seq))
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
 * ---- probes ----
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

/* By exec or prctl: the task goes on under another name. */
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

/* What was noted the last time is of no use any more. */
static void seats_clear(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu_ptr(&seats, cpu)->now.since = 0;
		per_cpu_ptr(&seats, cpu)->before.since = 0;
	}
}

/**
 * ucore_tasks_get() - have it noted who runs where
 *
 * Process context, CPU hotplug not held off.
 *
 * Return: 0, and ucore_tasks_put() is to follow; -EOPNOTSUPP where the kernel has no such
 * tracepoints; -ENOMEM.
 */
int ucore_tasks_get(void)
{
	int ret = 0;

	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		return -EOPNOTSUPP;
	mutex_lock(&who_lock);
	if (!who_users) {
		seats_clear();
		ret = probes_add();
		if (!ret)
			on_each_cpu(note_here, NULL, true);
	}
	who_users += !ret;
	mutex_unlock(&who_lock);
	return ret;
}

/** ucore_tasks_put() - one less wants to know; afterwards no probe runs if none does */
void ucore_tasks_put(void)
{
	mutex_lock(&who_lock);
	if (!--who_users)
		probes_remove(probes + ARRAY_SIZE(probes));
	mutex_unlock(&who_lock);
}

/*
 * ---- records ----
 */

/**
 * ucore_tasks_size() - of a part's record
 * @part: the part
 *
 * Return: bytes; 0: it has none.
 */
u32 ucore_tasks_size(const struct ucore_domain_ctx *ctx)
{
	struct ucore_tasks *tasks;

	return ctx->nr_cpus ? struct_size(tasks, tasks, ctx->nr_cpus) : 0;
}

/**
 * ucore_tasks_fill() - tell who ran on each CPU of a part
 * @part: the part
 * @tasks: the record, but for its head
 * @time: at which moment
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
