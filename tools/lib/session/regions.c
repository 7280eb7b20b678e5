// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions: counts between the begin and the end of marked sections of a program, summed up by
 * name and thread.
 *
 * Each begin and each end is one READ into buffers that were allocated when the thread joined.
 * All computation takes place after the READ of the end.  Therefore a region contains almost
 * none of the library's own work.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "session/session.h"

struct ucore_region {
	char name[UCORE_REGION_NAME_LEN];
	uint32_t thread;
	unsigned int open;		/* number of begins that have no end yet */
	uint64_t count;
	uint64_t time_ns;
	struct ucore_delta *delta;	/* counts, summed over all executions of the region */
};

struct region_thread {
	struct region_thread *next;
	struct ucore_regions *regions;
	uint32_t number;
	struct ucore_region *names;	/* regions of this thread, one for each name */
	size_t nr_names;
	struct region_frame {
		struct ucore_region *region;
		struct ucore_reading begin;	/* no READ if an outer region has the same name */
	} frames[UCORE_REGION_DEPTH];
	unsigned int depth;
	struct ucore_reading end;
	struct ucore_value *values;	/* values of a reading in slot order */
	struct ucore_delta *step;	/* delta between the READs of begin and end */
};

/* Joining threads update @threads and @nr_threads atomically; any thread can read them */
struct ucore_regions {
	struct ucore_session *session;
	size_t nr_slots;
	uint32_t flags;
	size_t max_names;
	struct region_thread *threads;
	uint32_t nr_threads;
};

/* Calling thread's state; thread-local, so that ucore_region_begin() needs only a name */
static __thread struct region_thread *current;

int ucore_regions_create(struct ucore_session *session, uint32_t flags, size_t names,
			 struct ucore_regions **out, struct ucore_error *err)
{
	struct ucore_regions *regions;

	if (names > UCORE_REGION_NAMES_MAX)
		return ucore_error_set(err, -ERANGE,
				       "regions: %zu names is out of range. Use at most %d", names,
				       UCORE_REGION_NAMES_MAX);
	if (ucore_session_scales(session))
		return ucore_error_set(err, -EINVAL,
				       "regions: too short for event groups and multiplexing. Use a session without them");
	regions = calloc(1, sizeof(*regions));
	if (!regions)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	regions->session = session;
	regions->nr_slots = session->nr_slots;
	regions->flags = flags;
	regions->max_names = names ? names : UCORE_REGION_NAMES;
	*out = regions;
	return 0;
}

/* ---- joining and leaving of threads ------------------------------------ */

static void thread_free(struct region_thread *thread)
{
	for (size_t i = 0; thread->names && i < thread->regions->max_names; i++)
		ucore_delta_free(thread->names[i].delta);
	for (unsigned int i = 0; i < UCORE_REGION_DEPTH; i++)
		ucore_reading_free(&thread->frames[i].begin);
	ucore_reading_free(&thread->end);
	ucore_delta_free(thread->step);
	free(thread->values);
	free(thread->names);
	free(thread);
}

void ucore_regions_free(struct ucore_regions *regions)
{
	if (!regions)
		return;
	if (current && current->regions == regions)
		current = NULL;
	while (regions->threads) {
		struct region_thread *thread = regions->threads;

		regions->threads = thread->next;
		thread_free(thread);
	}
	free(regions);
}

/* Allocate all buffers that the regions of a thread need */
static int thread_fill(struct region_thread *thread)
{
	const struct ucore_regions *regions = thread->regions;
	const struct ucore_session *session = regions->session;
	int ret = ucore_reading_init(&thread->end, session);

	thread->values = calloc(regions->nr_slots ? regions->nr_slots : 1,
				sizeof(*thread->values));
	thread->names = calloc(regions->max_names, sizeof(*thread->names));
	if (!thread->values || !thread->names)
		return -ENOMEM;
	for (unsigned int i = 0; i < UCORE_REGION_DEPTH && !ret; i++)
		ret = ucore_reading_init(&thread->frames[i].begin, session);
	if (!ret)
		ret = ucore_delta_create(session, &thread->step, NULL);
	for (size_t i = 0; i < regions->max_names && !ret; i++)
		ret = ucore_delta_create(session, &thread->names[i].delta, NULL);
	return ret;
}

/* Return true if events were added since the buffers were allocated */
static bool session_changed(const struct ucore_regions *regions)
{
	return regions->session->nr_slots != regions->nr_slots;
}

int ucore_regions_join(struct ucore_regions *regions, struct ucore_error *err)
{
	struct region_thread *thread;

	if (current)
		return ucore_error_set(err, current->regions == regions ? -EALREADY : -EBUSY,
				       "regions: the thread has already joined. Leave the other regions first");
	if (session_changed(regions))
		return ucore_error_set(err, -ESTALE,
				       "regions: the session's events have changed. Create the regions after the last event");
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	thread->regions = regions;
	if (thread_fill(thread)) {
		thread_free(thread);
		return ucore_error_set(err, -ENOMEM, "out of memory");
	}
	thread->number = __atomic_fetch_add(&regions->nr_threads, 1, __ATOMIC_RELAXED);
	thread->next = __atomic_load_n(&regions->threads, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&regions->threads, &thread->next, thread, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	current = thread;
	return 0;
}

void ucore_regions_leave(void)
{
	current = NULL;
}

/* ---- begin and end of a region ----------------------------------------- */

static int region_find(struct region_thread *thread, const char *name,
		       struct ucore_region **region)
{
	size_t length = strlen(name), i = 0;

	if (!length || length >= UCORE_REGION_NAME_LEN)
		return -ENAMETOOLONG;
	while (i < thread->nr_names && strcmp(thread->names[i].name, name))
		i++;
	if (i == thread->regions->max_names)
		return -ENOSPC;
	*region = &thread->names[i];
	if (i < thread->nr_names)
		return 0;
	memcpy((*region)->name, name, length + 1);
	(*region)->thread = thread->number;
	thread->nr_names++;
	return 0;
}

int ucore_region_begin(const char *name)
{
	struct region_thread *thread = current;
	struct ucore_region *region;
	struct region_frame *frame;
	int ret;

	if (!thread)
		return -ESRCH;
	if (thread->depth == UCORE_REGION_DEPTH)
		return -EOVERFLOW;
	if (session_changed(thread->regions))
		return -ESTALE;
	ret = region_find(thread, name, &region);
	if (ret)
		return ret;
	frame = &thread->frames[thread->depth];
	frame->region = region;
	if (!region->open) {
		ret = ucore_reading_read(&frame->begin, thread->regions->session,
					 thread->regions->flags);
		if (ret)
			return ret;
	}
	region->open++;
	thread->depth++;
	return 0;
}

/* Return the time of a READ (ns): the latest of its domains, as offline domains have older times */
static uint64_t reading_time(const struct ucore_reading *reading)
{
	uint64_t time = 0;

	for (size_t i = 0; i < reading->nr_domains; i++)
		if (reading->domains[i].time > time)
			time = reading->domains[i].time;
	return time;
}

static int step_to(struct region_thread *thread, const struct ucore_reading *reading)
{
	const struct ucore_snapshot snap = {
		.nr_values = thread->regions->nr_slots,
		.values = thread->values,
		.nr_domains = reading->nr_domains,
		.domains = reading->domains,
	};
	int ret = ucore_reading_sort(reading, thread->regions->session, thread->values,
				     NULL);

	if (!ret)
		ucore_delta_update(thread->step, &snap);
	return ret;
}

static int frame_account(struct region_thread *thread, const struct region_frame *frame)
{
	struct ucore_region *region = frame->region;
	int ret = step_to(thread, &frame->begin);

	if (!ret)
		ret = step_to(thread, &thread->end);
	if (ret)
		return ret;
	ucore_delta_add(region->delta, thread->step);
	region->time_ns += reading_time(&thread->end) - reading_time(&frame->begin);
	return 0;
}

int ucore_region_end(const char *name)
{
	struct region_thread *thread = current;
	struct region_frame *frame;
	int ret = 0;

	if (!thread)
		return -ESRCH;
	if (!thread->depth || strcmp(thread->frames[thread->depth - 1].region->name, name))
		return -EINVAL;
	frame = &thread->frames[thread->depth - 1];
	if (frame->region->open == 1) {
		if (session_changed(thread->regions))
			ret = -ESTALE;
		if (!ret)
			ret = ucore_reading_read(&thread->end, thread->regions->session,
						 thread->regions->flags);
		if (!ret)
			ret = frame_account(thread, frame);
	}
	thread->depth--;
	frame->region->open--;
	if (!ret)
		frame->region->count++;
	return ret;
}

/* ---- results of regions ------------------------------------------------ */

static const struct region_thread *thread_at(const struct ucore_regions *regions, uint32_t number)
{
	const struct region_thread *thread = __atomic_load_n(&regions->threads, __ATOMIC_ACQUIRE);

	while (thread && thread->number != number)
		thread = thread->next;
	return thread;
}

const struct ucore_region *ucore_regions_at(const struct ucore_regions *regions, size_t i)
{
	uint32_t nr_threads = __atomic_load_n(&regions->nr_threads, __ATOMIC_RELAXED);

	for (uint32_t number = 0; number < nr_threads; number++) {
		const struct region_thread *thread = thread_at(regions, number);

		/* joining increments nr_threads before the thread is in the list */
		if (!thread)
			continue;
		if (i < thread->nr_names)
			return &thread->names[i];
		i -= thread->nr_names;
	}
	return NULL;
}

const char *ucore_region_name(const struct ucore_region *region)
{
	return region->name;
}

uint32_t ucore_region_thread(const struct ucore_region *region)
{
	return region->thread;
}

uint64_t ucore_region_count(const struct ucore_region *region)
{
	return region->count;
}

uint64_t ucore_region_time(const struct ucore_region *region)
{
	return region->time_ns;
}

const struct ucore_delta *ucore_region_delta(const struct ucore_region *region)
{
	return region->delta;
}
