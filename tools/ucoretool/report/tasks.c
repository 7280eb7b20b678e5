// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tasks that ran at the end of an interval, from TASKS records and from the samples' context.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/tasks.h"

/* ---- task keys --------------------------------------------------------- */

static size_t key_hash(const struct task_key *key)
{
	const unsigned char *at = (const unsigned char *)key;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

/* Return the hash table entry of a task key, or the free entry for it */
static size_t *table_find(const struct task_log *log, const struct task_key *key)
{
	size_t at = key_hash(key) & (log->size - 1);

	while (log->table[at] && memcmp(&log->keys[log->table[at] - 1], key, sizeof(*key)))
		at = (at + 1) & (log->size - 1);
	return &log->table[at];
}

static int keys_grow(struct task_log *log)
{
	size_t room = log->room ? 2 * log->room : 64;
	struct task_key *keys = realloc(log->keys, room * sizeof(*keys));
	size_t *table;

	if (!keys)
		return -ENOMEM;
	log->keys = keys;
	log->room = room;
	table = calloc(2 * room, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(log->table);
	log->table = table;
	log->size = 2 * room;
	for (size_t i = 0; i < log->nr; i++)
		*table_find(log, &keys[i]) = i + 1;
	return 0;
}

/* Add a task to the current sample, once even if it ran on several CPUs */
static int here_add(struct task_log *log, const struct task_key *key)
{
	size_t *place, index;

	if ((log->nr == log->room || 2 * log->room != log->size) && keys_grow(log))
		return -ENOMEM;
	place = table_find(log, key);
	if (!*place) {
		log->keys[log->nr] = *key;
		*place = ++log->nr;
	}
	index = *place - 1;
	for (size_t i = 0; i < log->nr_here; i++)
		if (log->here[i] == index)
			return 0;
	if (log->nr_here == log->room_here) {
		size_t room = log->room_here ? 2 * log->room_here : 16;
		size_t *grown = realloc(log->here, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		log->here = grown;
		log->room_here = room;
	}
	log->here[log->nr_here++] = index;
	return 0;
}

static void key_of(const struct task_log *log, const struct ucore_task *task, struct task_key *key)
{
	memset(key, 0, sizeof(*key));
	if (log->by & TASK_BY_COMM)
		recording_task_name(task, key->comm);
	if (log->by & TASK_BY_PID)
		key->pid = task->pid;
	if (log->by & TASK_BY_TID)
		key->tid = task->tid;
	if (log->by & TASK_BY_CPU)
		key->cpu = task->cpu;
}

/* ---- tasks of a sample ------------------------------------------------- */

int task_log_put(struct task_log *log, const struct ucore_record *record)
{
	free(log->tasks);
	log->tasks = malloc(record->size);
	if (!log->tasks)
		return -ENOMEM;
	memcpy(log->tasks, record, record->size);
	log->has_tasks = true;
	return 0;
}

bool task_log_has(const struct task_log *log, const struct ucore_sample *sample)
{
	return log->tasks && log->tasks->time == sample->time &&
	       log->tasks->domain == sample->domain;
}

/* Find the task on the CPU that took the sample; NULL if not known */
static const struct ucore_task *task_of(const struct task_log *log,
					const struct ucore_sample *sample)
{
	for (uint32_t i = 0; task_log_has(log, sample) && i < log->tasks->nr_tasks; i++) {
		const struct ucore_task *task = &log->tasks->tasks[i];

		if (task->flags & UCORE_TASK_F_KNOWN && task->cpu == sample->cpu &&
		    task->tid == sample->tid)
			return task;
	}
	return NULL;
}

/* Add the task that the sample interrupted to the tasks of the sample */
static int context_add(struct task_log *log, const struct ucore_sample *sample)
{
	const struct ucore_task *known = task_of(log, sample);
	struct ucore_task task = {
		.pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu, .comm = "?",
	};
	struct task_key key;

	if (!(sample->flags & UCORE_SAMPLE_F_CONTEXT))
		return 0;
	if (known)
		memcpy(task.comm, known->comm, sizeof(task.comm));
	key_of(log, &task, &key);
	if (log->by & TASK_BY_IP) {
		key.ip = sample->ip;
		key.user = !!(sample->flags & UCORE_SAMPLE_F_USER);
	}
	return here_add(log, &key);
}

int task_log_sample(struct task_log *log, const struct ucore_sample *sample)
{
	int ret = 0;

	log->nr_here = 0;
	log->all = task_log_has(log, sample) && sample->trigger != UCORE_TRIGGER_CORE &&
		   !(log->by & TASK_BY_IP);
	if (!log->all)
		return context_add(log, sample);
	for (uint32_t i = 0; i < log->tasks->nr_tasks && !ret; i++) {
		const struct ucore_task *task = &log->tasks->tasks[i];
		struct task_key key;

		if (!(task->flags & UCORE_TASK_F_KNOWN))
			continue;
		key_of(log, task, &key);
		ret = here_add(log, &key);
	}
	return ret;
}

void task_log_free(struct task_log *log)
{
	free(log->keys);
	free(log->here);
	free(log->table);
	free(log->tasks);
	memset(log, 0, sizeof(*log));
}
