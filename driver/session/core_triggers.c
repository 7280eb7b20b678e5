// SPDX-License-Identifier: GPL-2.0-only
/*
 * Core triggers of a session: check arguments and permissions, and own the session's list of
 * triggers. Part of the session layer.
 *
 * perf does not check the permissions of an event that the kernel creates. The caller
 * therefore needs what perf requires for events that count the kernel and other users' tasks:
 * CAP_PERFMON.
 *
 * Process context. The session's lock is held. The CPU hotplug lock is not, because perf takes
 * it.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/sched/task.h>

#include "irq/perf_event_trigger.h"
#include "session/core_triggers.h"
#include "session/session_state.h"

static bool type_known(u32 type)
{
	return type == UCORE_PERF_HARDWARE || type == UCORE_PERF_SOFTWARE ||
	       type == UCORE_PERF_RAW;
}

/* Validate the arguments. Permissions are checked separately. */
static int config_check(const struct ucore_add_core_trigger *config)
{
	int cpu;

	if (config->reserved || !type_known(config->type) || config->cpu < -1 ||
	    !config->tid == (config->cpu == -1))
		return -EINVAL;
	if (!config->period || config->period >> 63)
		return -ERANGE;
	if (config->cpu < 0)
		return 0;
	if (config->cpu >= nr_cpu_ids)
		return -ENOENT;
	cpu = array_index_nospec(config->cpu, nr_cpu_ids);
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

/* Translate an error of perf_event_create_kernel_counter() to an errno value of the ABI. */
static int perf_error(int ret)
{
	switch (ret) {
	case -ENOENT:	/* no PMU driver has the event */
	case -ENOTSUPP:	/* a PMU driver has the event, but cannot interrupt */
		return -EOPNOTSUPP;
	case -ENODEV:	/* the CPU has just gone offline */
		return -EAGAIN;
	default:
		return ret;
	}
}

static struct ucore_perf_trigger *create(const struct ucore_add_core_trigger *config,
					 struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = config->type,
		.size = sizeof(attr),
		.config = config->config,
		.sample_period = config->period,
		.disabled = 1,
		.exclude_hv = 1,
		.exclude_guest = 1,	/* perf lets guests with a mediated vPMU run (core.md) */
		.exclude_kernel = config->flags & UCORE_CORE_TRIGGER_F_USER,
	};

	return ucore_perf_trigger_create(&attr, config->cpu < 0 ? -1 :
				    array_index_nospec(config->cpu, nr_cpu_ids), task);
}

/**
 * ucore_core_triggers_add() - add a core trigger to a session, for ADD_CORE_TRIGGER
 * @session: the session
 * @config: event, period, and the CPU or thread for which perf counts the event
 *
 * Return: 0 or -errno as in the ABI.
 */
int ucore_core_triggers_add(struct ucore_session *session,
			    const struct ucore_add_core_trigger *config)
{
	struct task_struct *task = NULL;
	struct ucore_perf_trigger *trigger;
	int ret = config_check(config);

	lockdep_assert_held(&session->lock);

	if (ret)
		return ret;
	if (session->rotate_ns || session->flags & UCORE_SESSION_F_MULTIPLEX)
		return -EINVAL;
	if (session->running)
		return -EBUSY;
	if (!perfmon_capable())
		return -EACCES;
	if (session->nr_triggers >= UCORE_CORE_TRIGGERS_MAX)
		return -ENOSPC;
	if (config->tid) {
		task = task_get(config->tid);
		if (!task)
			return -ESRCH;
	}
	trigger = create(config, task);
	if (task)
		put_task_struct(task);
	if (IS_ERR(trigger))
		return perf_error(PTR_ERR(trigger));
	list_add_tail(&trigger->node, &session->triggers);
	session->nr_triggers++;
	return 0;
}

/**
 * ucore_core_triggers_start() - enable the core triggers of a session
 * @session: the session, which has just started
 */
void ucore_core_triggers_start(struct ucore_session *session)
{
	struct ucore_perf_trigger *trigger;

	lockdep_assert_held(&session->lock);

	list_for_each_entry(trigger, &session->triggers, node)
		ucore_perf_trigger_start(trigger, session->first);
}

/**
 * ucore_core_triggers_stop() - disable the core triggers of a session
 * @session: the session, which is about to stop
 */
void ucore_core_triggers_stop(struct ucore_session *session)
{
	struct ucore_perf_trigger *trigger;

	lockdep_assert_held(&session->lock);

	list_for_each_entry(trigger, &session->triggers, node)
		ucore_perf_trigger_stop(trigger);
}

/**
 * ucore_core_triggers_remove() - remove a session's core triggers, release their perf events
 * @session: the session, stopped
 */
void ucore_core_triggers_remove(struct ucore_session *session)
{
	struct ucore_perf_trigger *trigger, *next;

	lockdep_assert_held(&session->lock);

	list_for_each_entry_safe(trigger, next, &session->triggers, node) {
		list_del(&trigger->node);
		session->nr_triggers--;
		ucore_perf_trigger_destroy(trigger);
	}
}
