// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Deltas: differences of the counts and of the times between two snapshots.
 */
#include <errno.h>
#include <stdlib.h>

#include "internal.h"

/* Count and times (ns) of one slot (event on one box) at the last snapshot */
struct delta_last {
	uint64_t count;
	uint64_t enabled;
	uint64_t running;
	uint64_t possible;
};

struct ucore_delta {
	const struct ucore_session *session;
	size_t nr;
	struct delta_last *last;
	struct ucore_delta_value *values;
};

int ucore_delta_create(const struct ucore_session *session, struct ucore_delta **out,
		       struct ucore_error *err)
{
	struct ucore_delta *delta = calloc(1, sizeof(*delta));
	size_t room = session->nr_slots ? session->nr_slots : 1;

	if (delta) {
		delta->session = session;
		delta->nr = session->nr_slots;
		delta->last = calloc(room, sizeof(*delta->last));
		delta->values = calloc(room, sizeof(*delta->values));
	}
	if (!delta || !delta->last || !delta->values) {
		ucore_delta_free(delta);
		return ucore_error_set(err, -ENOMEM, "out of memory");
	}
	*out = delta;
	return 0;
}

void ucore_delta_free(struct ucore_delta *delta)
{
	if (!delta)
		return;
	free(delta->values);
	free(delta->last);
	free(delta);
}

static const struct ucore_read_domain *read_domain(const struct ucore_snapshot *snap,
						   uint32_t domain)
{
	for (size_t i = 0; i < snap->nr_domains; i++)
		if (snap->domains[i].domain == domain)
			return &snap->domains[i];
	return NULL;
}

static void value_update(struct ucore_delta_value *to, struct delta_last *last,
			 const struct ucore_value *value, const struct ucore_read_domain *domain,
			 const uint64_t *slice_time)
{
	uint64_t running, possible;

	*to = (struct ucore_delta_value) {
		.count = value->count - last->count,
		.flags = value->flags,
	};
	last->count = value->count;
	if (!domain)
		return;
	/* no freeze stops an UNFROZEN counter: it also counts while the domain is frozen */
	possible = value->flags & UCORE_VALUE_F_UNFROZEN ? domain->time_enabled :
							 domain->time_running;
	/* for an event that is in no group, the driver reports time_running as @slice_time */
	running = slice_time && *slice_time != domain->time_running ? *slice_time : possible;
	to->enabled = domain->time_enabled - last->enabled;
	/* @running can be lower than last->running, if UCORE_VALUE_F_UNFROZEN has changed */
	to->running = running > last->running ? running - last->running : 0;
	last->enabled = domain->time_enabled;
	last->running = running;
	to->possible = possible > last->possible ? possible - last->possible : 0;
	last->possible = possible;
}

void ucore_delta_update(struct ucore_delta *delta, const struct ucore_snapshot *snap)
{
	const struct ucore_read_domain *domain = NULL;

	for (size_t i = 0; i < delta->nr && i < snap->nr_values; i++) {
		uint32_t id = delta->session->slots[i].domain;

		/* search only if the domain changes: neighbouring slots usually have the same */
		if (!domain || domain->domain != id)
			domain = read_domain(snap, id);
		value_update(&delta->values[i], &delta->last[i], &snap->values[i], domain,
			     snap->running ? &snap->running[i] : NULL);
	}
}

void ucore_delta_add(struct ucore_delta *delta, const struct ucore_delta *other)
{
	for (size_t i = 0; i < delta->nr; i++) {
		delta->values[i].count += other->values[i].count;
		delta->values[i].enabled += other->values[i].enabled;
		delta->values[i].running += other->values[i].running;
		delta->values[i].possible += other->values[i].possible;
		delta->values[i].flags |= other->values[i].flags;
	}
}

const struct ucore_delta_value *ucore_delta_values(const struct ucore_delta *delta, size_t *nr)
{
	*nr = delta->nr;
	return delta->values;
}

double ucore_delta_scaled(const struct ucore_delta_value *value)
{
	if (value->running == value->possible)
		return (double)value->count;
	if (!value->running)
		return __builtin_nan("");
	return (double)value->count * ((double)value->possible / (double)value->running);
}
