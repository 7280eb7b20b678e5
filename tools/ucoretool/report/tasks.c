// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Who ran at the end of an interval.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/tasks.h"

/* ---- keys -------------------------------------------------------------- */

static size_t key_hash(const struct ran_key *key)
{
	const unsigned char *at = (const unsigned char *)key;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

/* Where a key is, or would be */
static size_t *table_find(const struct ran *ran, const struct ran_key *key)
{
	size_t at = key_hash(key) & (ran->size - 1);

	while (ran->table[at] && memcmp(&ran->keys[ran->table[at] - 1], key, sizeof(*key)))
		at = (at + 1) & (ran->size - 1);
	return &ran->table[at];
}

static int keys_grow(struct ran *ran)
{
	size_t room = ran->room ? 2 * ran->room : 64;
	struct ran_key *keys = realloc(ran->keys, room * sizeof(*keys));
	size_t *table;

	if (!keys)
		return -ENOMEM;
	ran->keys = keys;
	ran->room = room;
	table = calloc(2 * room, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(ran->table);
	ran->table = table;
	ran->size = 2 * room;
	for (size_t i = 0; i < ran->nr; i++)
		*table_find(ran, &keys[i]) = i + 1;
	return 0;
}

/* It ran at the sample at hand; once, on however many CPUs */
static int here_add(struct ran *ran, const struct ran_key *key)
{
	size_t *place, index;

	if ((ran->nr == ran->room || 2 * ran->room != ran->size) && keys_grow(ran))
		return -ENOMEM;
	place = table_find(ran, key);
	if (!*place) {
		ran->keys[ran->nr] = *key;
		*place = ++ran->nr;
	}
	index = *place - 1;
	for (size_t i = 0; i < ran->nr_here; i++)
		if (ran->here[i] == index)
			return 0;
	if (ran->nr_here == ran->room_here) {
		size_t room = ran->room_here ? 2 * ran->room_here : 16;
		size_t *grown = realloc(ran->here, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		ran->here = grown;
		ran->room_here = room;
	}
	ran->here[ran->nr_here++] = index;
	return 0;
}

static void key_of(const struct ran *ran, const struct ucore_task *task, struct ran_key *key)
{
	memset(key, 0, sizeof(*key));
	if (ran->by & RAN_COMM)
		recording_task_name(task, key->comm);
	if (ran->by & RAN_PID)
		key->pid = task->pid;
	if (ran->by & RAN_TID)
		key->tid = task->tid;
	if (ran->by & RAN_CPU)
		key->cpu = task->cpu;
}

/* ---- samples ----------------------------------------------------------- */

int ran_tasks(struct ran *ran, const struct ucore_record *record)
{
	free(ran->tasks);
	ran->tasks = malloc(record->size);
	if (!ran->tasks)
		return -ENOMEM;
	memcpy(ran->tasks, record, record->size);
	ran->has_tasks = true;
	return 0;
}

bool ran_told(const struct ran *ran, const struct ucore_sample *sample)
{
	return ran->tasks && ran->tasks->time == sample->time &&
	       ran->tasks->domain == sample->domain;
}

/* The task that the sample's own CPU had, if that is known */
static const struct ucore_task *task_of(const struct ran *ran, const struct ucore_sample *sample)
{
	for (uint32_t i = 0; ran_told(ran, sample) && i < ran->tasks->nr_tasks; i++) {
		const struct ucore_task *task = &ran->tasks->tasks[i];

		if (task->flags & UCORE_TASK_F_KNOWN && task->cpu == sample->cpu &&
		    task->tid == sample->tid)
			return task;
	}
	return NULL;
}

/* Whom the sample interrupted */
static int context_take(struct ran *ran, const struct ucore_sample *sample)
{
	const struct ucore_task *known = task_of(ran, sample);
	struct ucore_task task = {
		.pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu, .comm = "?",
	};
	struct ran_key key;

	if (!(sample->flags & UCORE_SAMPLE_F_CONTEXT))
		return 0;
	if (known)
		memcpy(task.comm, known->comm, sizeof(task.comm));
	key_of(ran, &task, &key);
	if (ran->by & RAN_IP) {
		key.ip = sample->ip;
		key.user = !!(sample->flags & UCORE_SAMPLE_F_USER);
	}
	return here_add(ran, &key);
}

int ran_take(struct ran *ran, const struct ucore_sample *sample)
{
	int ret = 0;

	ran->nr_here = 0;
	ran->all = ran_told(ran, sample) && sample->trigger != UCORE_TRIGGER_CORE &&
		   !(ran->by & RAN_IP);
	if (!ran->all)
		return context_take(ran, sample);
	for (uint32_t i = 0; i < ran->tasks->nr_tasks && !ret; i++) {
		const struct ucore_task *task = &ran->tasks->tasks[i];
		struct ran_key key;

		if (!(task->flags & UCORE_TASK_F_KNOWN))
			continue;
		key_of(ran, task, &key);
		ret = here_add(ran, &key);
	}
	return ret;
}

void ran_free(struct ran *ran)
{
	free(ran->keys);
	free(ran->here);
	free(ran->table);
	free(ran->tasks);
	memset(ran, 0, sizeof(*ran));
}
