/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The exporter's sums of counts (struct series), and of each domain's times and numbers of PMIs,
 * lost PMIs and throttles (struct place). The sums are kept when a session ends.
 */
#ifndef UCORETOOL_EXPORT_TOTALS_H
#define UCORETOOL_EXPORT_TOTALS_H

#include "export/page.h"

/** totals_grow() - return @array with space for one more element; NULL if out of memory */
void *totals_grow(void *array, size_t nr, size_t *max, size_t size);

/** totals_meter() - add the increment from meter.last to @now, a value of the driver */
void totals_meter(struct meter *meter, uint64_t now);

/** totals_place() - find or add the struct place of a domain; NULL if out of memory */
struct place *totals_place(struct collect *c, const struct ucore_domain_info *domain);

/** totals_places_update() - update the struct place of each domain; 0 or -ENOMEM */
int totals_places_update(struct collect *c);

/** totals_places_restart() - prepare for the times of a new session, which start at 0 */
void totals_places_restart(struct collect *c);

/** totals_series() - find or add the series that equals @wanted; NULL if out of memory */
struct series *totals_series(struct collect *c, const struct series *wanted);

/**
 * totals_source() - add the increment of a count (@source, @value) to its series
 *
 * The increment is exact if the event has counted all the time.  Otherwise it is an estimate for
 * the time in which the event had to wait for other sessions.
 */
void totals_source(struct collect *c, struct source *source,
		   const struct ucore_delta_value *value);

#endif /* UCORETOOL_EXPORT_TOTALS_H */
