/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Who ran at the end of an interval, as the file tells it: the tasks on the CPUs of the die,
 * or whom the sample interrupted.
 */
#ifndef UCORETOOL_RAN_H
#define UCORETOOL_RAN_H

#include "report/recording.h"

/* What tasks are told apart by */
#define RAN_COMM	(1U << 0)
#define RAN_PID		(1U << 1)
#define RAN_TID		(1U << 2)
#define RAN_CPU		(1U << 3)
#define RAN_IP		(1U << 4)

/**
 * struct ran_key - who: what tasks are not told apart by is zero
 * @comm: the name, "idle" of pid 0, "?" where nobody tells
 * @ip: the address that was interrupted
 * @pid: process
 * @tid: thread
 * @cpu: where
 * @user: @ip is one of user mode
 */
struct ran_key {
	char comm[16];
	uint64_t ip;
	uint32_t pid, tid, cpu, user;
};

/**
 * struct ran - who ran, sample by sample
 * @by: RAN_*
 * @keys: all that were seen, in the order in which they came
 * @nr: how many there are
 * @here: places in @keys of those that ran at the sample at hand, each once
 * @nr_here: how many; 0: nobody knows
 * @all: of the sample at hand: all that ran are told, not whom it interrupted
 * @has_tasks: the file has records of tasks
 */
struct ran {
	unsigned int by;
	struct ran_key *keys;
	size_t nr;
	size_t *here;
	size_t nr_here;
	bool all;
	bool has_tasks;

	size_t room, room_here;
	size_t *table;		/* place in @keys + 1, by hash; 0: free */
	size_t size;		/* a power of two */
	struct ucore_tasks *tasks;	/* of the sample that comes, or NULL */
};

/** ran_tasks() - a record TASKS: it is kept for its sample; -ENOMEM */
int ran_tasks(struct ran *ran, const struct ucore_record *record);

/** ran_told() - is there a record of tasks for this sample? */
bool ran_told(const struct ran *ran, const struct ucore_sample *sample);

/**
 * ran_take() - a sample: who ran at its instant
 *
 * A core's event names one task, and so does an address; else all that ran are asked for.
 * Without a record of tasks it is whom the sample interrupted.  Returns 0 or -ENOMEM.
 */
int ran_take(struct ran *ran, const struct ucore_sample *sample);

/** ran_free() - give the memory back */
void ran_free(struct ran *ran);

#endif /* UCORETOOL_RAN_H */
