// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The exporter's sums of counts (struct series), and of each domain's times and numbers of PMIs,
 * lost PMIs and throttles (struct place). The sums are kept when a session ends: only increments of
 * the driver's values are added.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/totals.h"

void *totals_grow(void *array, size_t nr, size_t *max, size_t size)
{
	size_t more = *max ? 2 * *max : 64;

	if (nr < *max)
		return array;
	array = realloc(array, more * size);
	if (array)
		*max = more;
	return array;
}

void totals_meter(struct meter *meter, uint64_t now)
{
	if (now <= meter->last)
		return;
	meter->total += now - meter->last;
	meter->last = now;
}

/* Add the increment of a driver value, which restarts at 0 when the driver is reloaded */
static void meter_rejoin(struct meter *meter, uint64_t now)
{
	if (now < meter->last)
		meter->last = 0;
	totals_meter(meter, now);
}

struct place *totals_place(struct collect *c, const struct ucore_domain_info *domain)
{
	struct place *grown;

	for (size_t i = 0; i < c->nr_places; i++) {
		struct place *place = &c->places[i];

		if (place->scope == domain->scope && place->die == domain->die &&
		    place->cpu == domain->cpu)
			return place;
	}
	grown = totals_grow(c->places, c->nr_places, &c->max_places, sizeof(*grown));
	if (!grown)
		return NULL;
	c->places = grown;
	c->places[c->nr_places] = (struct place) {
		.scope = domain->scope, .die = domain->die, .cpu = domain->cpu,
	};
	return &c->places[c->nr_places++];
}

int totals_places_update(struct collect *c)
{
	const struct ucore_domain_info *domains;
	size_t nr;

	for (size_t i = 0; i < c->nr_places; i++)
		c->places[i].there = false;
	domains = ucore_device_domains(c->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		struct place *place = totals_place(c, &domains[i]);

		if (!place)
			return -ENOMEM;
		place->package = domains[i].package;
		place->there = true;
		place->online = domains[i].reader >= 0;
		meter_rejoin(&place->frozen, domains[i].frozen_ns);
		meter_rejoin(&place->pmis, domains[i].pmis);
		meter_rejoin(&place->recovered, domains[i].recovered);
		meter_rejoin(&place->throttled, domains[i].throttled);
	}
	return 0;
}

void totals_places_restart(struct collect *c)
{
	for (size_t i = 0; i < c->nr_places; i++) {
		c->places[i].enabled.last = 0;
		c->places[i].running.last = 0;
		c->places[i].read = false;
	}
}

static bool series_is(const struct series *a, const struct series *b)
{
	return a->group == b->group && a->package == b->package && a->die == b->die &&
	       a->cpu == b->cpu && a->instance == b->instance && !strcmp(a->type, b->type);
}

struct series *totals_series(struct collect *c, const struct series *wanted)
{
	struct series *grown;

	for (size_t i = 0; i < c->nr_series; i++)
		if (series_is(&c->series[i], wanted))
			return &c->series[i];
	grown = totals_grow(c->series, c->nr_series, &c->max_series, sizeof(*grown));
	if (!grown)
		return NULL;
	c->series = grown;
	c->series[c->nr_series] = *wanted;
	return &c->series[c->nr_series++];
}

/* Return the part of an increment that exceeds the largest count that was read before */
static uint64_t increment(struct source *source, uint64_t count)
{
	uint64_t again;

	if ((int64_t)count < 0) {
		source->fallen += 0 - count;
		return 0;
	}
	again = count < source->fallen ? count : source->fallen;
	source->fallen -= again;
	return count - again;
}

void totals_source(struct collect *c, struct source *source,
		   const struct ucore_delta_value *value)
{
	struct series *series = &c->series[source->series];
	struct ucore_delta_value all = *value;

	if (value->flags & UCORE_VALUE_F_PARTIAL)
		series->partial = true;
	if (value->flags & UCORE_VALUE_F_DEAD)
		series->dead = true;
	all.count = increment(source, value->count);
	all.possible += source->waited;
	source->waited = all.running || !all.possible ? 0 : all.possible;
	if (all.running == all.possible)
		series->count += all.count;
	else if (all.running)
		series->count += (uint64_t)(ucore_delta_scaled(&all) + 0.5);
}
