/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tasks that ran at the end of an interval. A file has all tasks on the CPUs of the die,
 * or only the task that the sample interrupted.
 */
#ifndef UCORETOOL_REPORT_TASKS_H
#define UCORETOOL_REPORT_TASKS_H

#include "report/recording.h"

/* The properties that distinguish tasks */
#define TASK_BY_COMM	(1U << 0)
#define TASK_BY_PID		(1U << 1)
#define TASK_BY_TID		(1U << 2)
#define TASK_BY_CPU		(1U << 3)
#define TASK_BY_IP		(1U << 4)

/**
 * struct task_key - a task; properties that do not distinguish tasks are zero
 * @comm: name, "idle" for pid 0, "?" if not known
 * @ip: interrupted address
 * @pid: process id
 * @tid: thread id
 * @cpu: CPU
 * @user: 1 if @ip is in user mode
 */
struct task_key {
	char comm[16];
	uint64_t ip;
	uint32_t pid, tid, cpu, user;
};

/**
 * struct task_log - the tasks at the current sample, and all tasks so far
 * @by: TASK_BY_*
 * @keys: all tasks so far, in the order of their first appearance
 * @nr: number of @keys
 * @here: indexes into @keys of the tasks at the current sample, each once
 * @nr_here: number of @here; 0: not known
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
	size_t *table;		/* hash table of index in @keys + 1; 0: free */
	size_t size;		/* of @table, a power of two */
	struct ucore_tasks *tasks;	/* record for the next sample, or NULL */
};

/** task_log_put() - store a TASKS record for the sample that follows; return 0 or -ENOMEM */
int task_log_put(struct task_log *log, const struct ucore_record *record);

/** task_log_has() - return true if a TASKS record is stored for this sample */
bool task_log_has(const struct task_log *log, const struct ucore_sample *sample);

/**
 * task_log_sample() - set the tasks of a sample
 *
 * The result is the interrupted task for a core's event, with TASK_BY_IP, and without a TASKS
 * record. Otherwise the result is all running tasks. Return: 0 or -ENOMEM.
 */
int task_log_sample(struct task_log *log, const struct ucore_sample *sample);

/** task_log_free() - free the memory */
void task_log_free(struct task_log *log);

#endif /* UCORETOOL_REPORT_TASKS_H */
