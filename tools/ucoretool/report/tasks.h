/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tasks that ran at the end of an interval. A recorded file (--tasks) has the tasks on all CPUs
 * of the die. Another file has only the task that the sample interrupted.
 */
#ifndef UCORETOOL_REPORT_TASKS_H
#define UCORETOOL_REPORT_TASKS_H

#include "report/recording.h"

/* Properties that distinguish tasks (report --sort); task_log.by is a mask of them */
#define TASK_BY_COMM	(1U << 0)
#define TASK_BY_PID		(1U << 1)
#define TASK_BY_TID		(1U << 2)
#define TASK_BY_CPU		(1U << 3)
#define TASK_BY_IP		(1U << 4)

/**
 * struct task_key - identity of a task; properties that are not in task_log.by are 0
 * @comm: name of the task, "idle" for pid 0, "?" if not known
 * @ip: interrupted instruction address
 * @pid: process id
 * @tid: thread id
 * @cpu: CPU on which the task ran
 * @user: 1 if the task was interrupted in user mode
 */
struct task_key {
	char comm[16];
	uint64_t ip;
	uint32_t pid, tid, cpu, user;
};

/**
 * struct task_log - the tasks at the current sample, and all tasks of earlier samples
 * @by: mask of TASK_BY_*
 * @keys: all tasks so far, in the order of their first appearance
 * @nr: number of elements of @keys
 * @here: tasks at the current sample, as indexes into @keys, each once
 * @nr_here: number of elements of @here, 0 if the tasks are not known
 * @all: true if @here lists the running task of every CPU, false if it lists only the
 *       interrupted task
 * @has_tasks: true if the file has records of tasks
 */
struct task_log {
	unsigned int by;
	struct task_key *keys;
	size_t nr;
	size_t *here;
	size_t nr_here;
	bool all;
	bool has_tasks;

	size_t room, room_here;
	size_t *table;		/* hash table: index in @keys + 1, or 0 for a free element */
	size_t size;		/* number of elements of @table, a power of two */
	struct ucore_tasks *tasks;	/* TASKS record for the next sample, or NULL */
};

/** task_log_put() - store a TASKS record for the sample that follows; return 0 or -ENOMEM */
int task_log_put(struct task_log *log, const struct ucore_record *record);

/** task_log_has() - return true if a TASKS record is stored for this sample */
bool task_log_has(const struct task_log *log, const struct ucore_sample *sample);

/**
 * task_log_sample() - set task_log.here to the tasks of a sample
 *
 * The result is only the interrupted task in three cases: the trigger is a core event, task_log.by
 * has TASK_BY_IP, or there is no TASKS record. Otherwise it is the running task of each CPU.
 *
 * Return: 0 or -ENOMEM.
 */
int task_log_sample(struct task_log *log, const struct ucore_sample *sample);

/** task_log_free() - free the memory of a task log */
void task_log_free(struct task_log *log);

#endif /* UCORETOOL_REPORT_TASKS_H */
