// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Format check of records (samples, losses, gaps) in rings and files.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Minimum size of a PAD record in bytes: PAD records can end before the sequence number */
#define PAD_MIN		offsetof(struct ucore_record, seq)

static bool sample_fits(const struct ucore_sample *sample, size_t size)
{
	return size >= sizeof(*sample) &&
	       sample->nr_values == (size - sizeof(*sample)) / sizeof(sample->values[0]) &&
	       (size - sizeof(*sample)) % sizeof(sample->values[0]) == 0;
}

static bool tasks_fit(const struct ucore_tasks *tasks, size_t size)
{
	if (size < sizeof(*tasks) ||
	    tasks->nr_tasks != (size - sizeof(*tasks)) / sizeof(tasks->tasks[0]) ||
	    (size - sizeof(*tasks)) % sizeof(tasks->tasks[0]))
		return false;
	for (uint32_t i = 0; i < tasks->nr_tasks; i++)
		if (!memchr(tasks->tasks[i].comm, 0, sizeof(tasks->tasks[i].comm)))
			return false;
	return true;
}

int ucore_record_check(const void *data, size_t avail)
{
	const struct ucore_record *record = data;
	size_t size;

	if (avail < PAD_MIN)
		return -EBADMSG;
	size = record->size;
	if (size % 8 || size > avail || size > UCORE_FILE_MAX_RECORD)
		return -EBADMSG;

	switch (record->type) {
	case UCORE_RECORD_PAD:
		return size >= PAD_MIN ? (int)size : -EBADMSG;
	case UCORE_RECORD_SAMPLE:
		return sample_fits(data, size) ? (int)size : -EBADMSG;
	case UCORE_RECORD_LOST:
		return size >= sizeof(struct ucore_lost) ? (int)size : -EBADMSG;
	case UCORE_RECORD_GAP:
		return size >= sizeof(struct ucore_gap) ? (int)size : -EBADMSG;
	case UCORE_RECORD_TASKS:
		return tasks_fit(data, size) ? (int)size : -EBADMSG;
	default:
		return size >= sizeof(*record) ? (int)size : -EBADMSG;
	}
}

uint64_t ucore_record_time(const struct ucore_record *record)
{
	switch (record->type) {
	case UCORE_RECORD_SAMPLE:
		return ((const struct ucore_sample *)record)->time;
	case UCORE_RECORD_LOST:
		return ((const struct ucore_lost *)record)->time;
	case UCORE_RECORD_GAP:
		return ((const struct ucore_gap *)record)->time;
	case UCORE_RECORD_TASKS:
		return ((const struct ucore_tasks *)record)->time;
	default:
		return 0;
	}
}
