/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Totals of the exporter, which are kept when a session is lost.
 */
#ifndef UCORETOOL_EXPORT_TOTALS_H
#define UCORETOOL_EXPORT_TOTALS_H

#include "export/page.h"

/** totals_grow() - return @array with space for one more element; NULL if out of memory */
void *totals_grow(void *array, size_t nr, size_t *max, size_t size);

/** totals_meter() - add the increment of a driver value since the last call to a total */
void totals_meter(struct meter *meter, uint64_t now);

/** totals_place() - find or add the place of a domain; NULL if out of memory */
struct place *totals_place(struct collect *c, const struct ucore_domain_info *domain);

/** totals_places_update() - update all places from the driver's domains; 0 or -ENOMEM */
int totals_places_update(struct collect *c);

/** totals_places_restart() - reset the times of all places for a new session */
void totals_places_restart(struct collect *c);

/** totals_series() - find or add the series that equals @wanted; NULL if out of memory */
struct series *totals_series(struct collect *c, const struct series *wanted);

/** totals_source() - add the increment of a slot's count to the total of its series */
void totals_source(struct collect *c, struct source *source, const struct ucore_value *value);

#endif /* UCORETOOL_EXPORT_TOTALS_H */
