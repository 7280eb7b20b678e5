// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Intervals of metrics: what the slots of a session (events on boxes) counted between two
 * evaluations.  A sample covers one domain.  An interval of a package or of the whole system is
 * complete when each of its domains has had a sample.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct interval_domain {
	uint32_t domain;
	uint32_t package;
	size_t begin, end;	/* slots of the domain: order[begin] to order[end - 1] */
	uint64_t enabled;	/* ucore_sample.time_enabled of the last sample (ns) */
	uint64_t running;	/* ucore_sample.time_running of the last sample (ns) */
	bool started;		/* a record of the domain has been received */
	bool based;		/* base counts for the next sample are known */
	bool offline;		/* no CPU, or suspend: intervals do not wait for a sample */
	bool sampled[NR_INTERVALS];	/* the interval of the package or system has a sample */
};

struct ucore_intervals {
	const struct ucore_session *session;
	size_t nr;
	size_t *order;		/* slot numbers sorted by domain, then by event id */
	uint64_t *last;		/* count of each slot at the last sample */
	uint64_t *running;	/* counting time of each slot at the last sample (ns) */
	struct ucore_delta_value *values[NR_INTERVALS];
	struct interval_domain *domains;
	size_t nr_domains;
};

static int slot_order(const void *a, const void *b, void *data)
{
	const struct ucore_slot *slots = data;
	const struct ucore_slot *x = &slots[*(const size_t *)a], *y = &slots[*(const size_t *)b];

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

static void domains_make(struct ucore_intervals *intervals)
{
	const struct ucore_session *session = intervals->session;
	struct interval_domain *last = NULL;

	for (size_t i = 0; i < intervals->nr; i++) {
		uint32_t id = session->slots[intervals->order[i]].domain;
		const struct ucore_domain_info *info = ucore_device_domain(session->dev, id);

		if (!last || last->domain != id) {
			last = &intervals->domains[intervals->nr_domains++];
			*last = (struct interval_domain) {
				.domain = id, .package = info ? info->package : 0, .begin = i,
			};
		}
		last->end = i + 1;
	}
}

int ucore_intervals_create(const struct ucore_session *session, struct ucore_intervals **out)
{
	struct ucore_intervals *intervals = calloc(1, sizeof(*intervals));
	size_t nr = session->nr_slots, room = nr ? nr : 1;

	if (!intervals)
		return -ENOMEM;
	intervals->session = session;
	intervals->nr = nr;
	intervals->order = calloc(room, sizeof(*intervals->order));
	intervals->last = calloc(room, sizeof(*intervals->last));
	intervals->running = calloc(room, sizeof(*intervals->running));
	intervals->domains = calloc(room, sizeof(*intervals->domains));
	for (int i = 0; i < NR_INTERVALS; i++)
		intervals->values[i] = calloc(room, sizeof(*intervals->values[i]));
	if (!intervals->order || !intervals->last || !intervals->running ||
	    !intervals->domains || !intervals->values[INTERVAL_PACKAGE] ||
	    !intervals->values[INTERVAL_ALL]) {
		ucore_intervals_free(intervals);
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr; i++)
		intervals->order[i] = i;
	if (nr)
		qsort_r(intervals->order, nr, sizeof(*intervals->order), slot_order,
			session->slots);
	domains_make(intervals);
	*out = intervals;
	return 0;
}

void ucore_intervals_free(struct ucore_intervals *intervals)
{
	if (!intervals)
		return;
	for (int i = 0; i < NR_INTERVALS; i++)
		free(intervals->values[i]);
	free(intervals->domains);
	free(intervals->running);
	free(intervals->last);
	free(intervals->order);
	free(intervals);
}

static struct interval_domain *domain_find(struct ucore_intervals *intervals, uint32_t id)
{
	size_t low = 0, high = intervals->nr_domains;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (intervals->domains[middle].domain < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < intervals->nr_domains && intervals->domains[low].domain == id ?
	       &intervals->domains[low] : NULL;
}

/* Add a slot's counts and times since the last sample to the package's and system's intervals */
static void slot_take(struct ucore_intervals *intervals, const struct interval_domain *domain,
		      size_t slot, const struct ucore_sample *sample,
		      const struct ucore_value *value)
{
	/* no freeze stops an UNFROZEN counter: it also counts while the domain is frozen */
	uint64_t running = value->flags & UCORE_VALUE_F_UNFROZEN ? sample->time_enabled :
								 sample->time_running;
	uint64_t before = intervals->running[slot];

	for (int i = 0; i < NR_INTERVALS; i++) {
		struct ucore_delta_value *to = &intervals->values[i][slot];

		if (!domain->based)
			continue;
		to->count += value->count - intervals->last[slot];
		to->enabled += sample->time_enabled - domain->enabled;
		/* @running can be lower than @before, if the flag UNFROZEN has changed */
		to->running += running > before ? running - before : 0;
		to->possible = to->running;
		to->flags |= value->flags;
	}
	intervals->last[slot] = value->count;
	intervals->running[slot] = running;
}

/* Add a sample to the intervals.  Values of samples and slots are both sorted by event id. */
static void sample_take(struct ucore_intervals *intervals, struct interval_domain *domain,
			const struct ucore_sample *sample)
{
	size_t at = domain->begin;

	for (uint32_t i = 0; i < sample->nr_values; i++) {
		const struct ucore_value *value = &sample->values[i];
		const struct ucore_slot *slots = intervals->session->slots;

		while (at < domain->end && slots[intervals->order[at]].event < value->event)
			at++;
		/* in a replay, slots of several requested events can share one recorded event */
		for (size_t j = at; j < domain->end &&
		     slots[intervals->order[j]].event == value->event; j++)
			slot_take(intervals, domain, intervals->order[j], sample, value);
	}
	for (int i = 0; i < NR_INTERVALS; i++)
		domain->sampled[i] = domain->based;
	domain->enabled = sample->time_enabled;
	domain->running = sample->time_running;
	domain->based = true;
	domain->offline = false;
}

/* Return true if each online domain of the package or system has had a sample in its interval */
static bool is_complete(const struct ucore_intervals *intervals, enum ucore_interval_scope scope,
			uint32_t package)
{
	for (size_t i = 0; i < intervals->nr_domains; i++) {
		const struct interval_domain *domain = &intervals->domains[i];

		if ((scope == INTERVAL_ALL || domain->package == package) && !domain->offline &&
		    !domain->sampled[scope])
			return false;
	}
	return true;
}

/* Return true if the domain has no samples after the gap: no CPU online, or suspend */
static bool stops_samples(const struct ucore_gap *gap)
{
	return gap->reason == UCORE_GAP_OFFLINE || gap->reason == UCORE_GAP_SUSPEND;
}

unsigned int ucore_intervals_take(struct ucore_intervals *intervals, uint32_t id,
				  const struct ucore_record *record, uint32_t *package)
{
	struct interval_domain *domain = domain_find(intervals, id);
	unsigned int complete = 0;

	if (!domain || record->type == UCORE_RECORD_PAD)
		return 0;
	/* counts begin at 0 if this is record number 0; otherwise the base is unknown */
	if (!domain->started)
		domain->based = !record->seq;
	domain->started = true;
	if (record->type == UCORE_RECORD_GAP)
		domain->offline |= stops_samples((const struct ucore_gap *)record);
	if (record->type != UCORE_RECORD_SAMPLE)
		return 0;
	sample_take(intervals, domain, (const struct ucore_sample *)record);
	for (int i = 0; i < NR_INTERVALS; i++)
		if (is_complete(intervals, (enum ucore_interval_scope)i, domain->package))
			complete |= 1U << i;
	*package = domain->package;
	return complete;
}

const struct ucore_delta_value *ucore_intervals_values(const struct ucore_intervals *intervals,
						       enum ucore_interval_scope scope)
{
	return intervals->values[scope];
}

void ucore_intervals_begin(struct ucore_intervals *intervals, enum ucore_interval_scope scope,
			   uint32_t package)
{
	for (size_t i = 0; i < intervals->nr_domains; i++) {
		struct interval_domain *domain = &intervals->domains[i];

		if (scope != INTERVAL_ALL && domain->package != package)
			continue;
		domain->sampled[scope] = false;
		for (size_t j = domain->begin; j < domain->end; j++)
			memset(&intervals->values[scope][intervals->order[j]], 0,
			       sizeof(intervals->values[scope][0]));
	}
}
