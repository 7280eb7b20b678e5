// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core triggers of a session: which events perf may count for whom.
 *
 * perf takes an event of the kernel's own from anybody; so whoever asks is held here to what
 * perf asks of those who want to see the kernel and other users' tasks: CAP_PERFMON.
 *
 * Process context; the session's lock is held, the CPU hotplug lock is not: perf takes it.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched/task.h>

#include "irq/perf_trigger.h"
#include "session/core_trigger.h"
#include "session/session_state.h"

static bool type_known(u32 type)
{
	return type == UCORE_PERF_HARDWARE || type == UCORE_PERF_SOFTWARE ||
	       type == UCORE_PERF_RAW;
}

/* Does it make sense, whoever asks? */
static int ask_check(const struct ucore_add_core_trigger *ask)
{
	int cpu;

	if (ask->reserved || !type_known(ask->type) || ask->cpu < -1 ||
	    !ask->tid == (ask->cpu == -1))
		return -EINVAL;
	if (!ask->period || ask->period >> 63)
		return -ERANGE;
	if (ask->cpu < 0)
		return 0;
	if (ask->cpu >= nr_cpu_ids)
		return -ENOENT;
	cpu = array_index_nospec(ask->cpu, nr_cpu_ids);
	if (!cpu_possible(cpu))
		return -ENOENT;
	return cpu_online(cpu) ? 0 : -EAGAIN;
}

static struct task_struct *task_get(u32 tid)
{
	struct pid *pid = find_get_pid(tid);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/* perf's words, in ours. */
static int perf_error(int ret)
{
	switch (ret) {
	case -ENOENT:	/* none of its drivers has the event */
	case -ENOTSUPP:	/* one has, and cannot interrupt */
		return -EOPNOTSUPP;
	case -ENODEV:	/* the CPU has just gone */
		return -EAGAIN;
	default:
		return ret;
	}
}

static struct ucore_perf_trigger *create(const struct ucore_add_core_trigger *ask,
				    struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = ask->type,
		.size = sizeof(attr),
		.config = ask->config,
		.sample_period = ask->period,
		.disabled = 1,
		.exclude_hv = 1,
		.exclude_kernel = ask->flags & UCORE_CORE_TRIGGER_F_USER,
	};

	return ucore_perf_trigger_create(&attr, ask->cpu < 0 ? -1 :
				    array_index_nospec(ask->cpu, nr_cpu_ids), task);
}

/**
 * ucore_core_trigger_add() - one more trigger
 * @session: the session
 * @ask: what for
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_core_trigger_add(struct ucore_session *session, const struct ucore_add_core_trigger *ask)
{
	struct task_struct *task = NULL;
	struct ucore_perf_trigger *trigger;
	int ret = ask_check(ask);

	if (ret)
		return ret;
	if (session->rotate_ns)
		return -EINVAL;
	if (session->running)
		return -EBUSY;
	if (!perfmon_capable())
		return -EACCES;
	if (session->nr_triggers >= UCORE_CORE_TRIGGERS_MAX)
		return -ENOSPC;
	if (ask->tid) {
		task = task_get(ask->tid);
		if (!task)
			return -ESRCH;
	}
	trigger = create(ask, task);
	if (task)
		put_task_struct(task);
	if (IS_ERR(trigger))
		return perf_error(PTR_ERR(trigger));
	list_add_tail(&trigger->node, &session->triggers);
	session->nr_triggers++;
	return 0;
}

/**
 * ucore_core_triggers_start() - let them count
 * @session: the session, which has just started
 */
void ucore_core_triggers_start(struct ucore_session *session)
{
	struct ucore_perf_trigger *trigger;

	list_for_each_entry(trigger, &session->triggers, node)
		ucore_perf_trigger_start(trigger, session->first);
}

/**
 * ucore_core_triggers_stop() - let them count no more
 * @session: the session, which is about to stop
 */
void ucore_core_triggers_stop(struct ucore_session *session)
{
	struct ucore_perf_trigger *trigger;

	list_for_each_entry(trigger, &session->triggers, node)
		ucore_perf_trigger_stop(trigger);
}

/**
 * ucore_core_triggers_remove() - give all back to perf
 * @session: the session, stopped
 */
void ucore_core_triggers_remove(struct ucore_session *session)
{
	struct ucore_perf_trigger *trigger, *next;

	list_for_each_entry_safe(trigger, next, &session->triggers, node) {
		list_del(&trigger->node);
		session->nr_triggers--;
		ucore_perf_trigger_destroy(trigger);
	}
}
