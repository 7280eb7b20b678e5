/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events that the exporter counts. The functions store the text of an error in tool->err.
 */
#ifndef UCORETOOL_EXPORT_SELECTION_H
#define UCORETOOL_EXPORT_SELECTION_H

#include "export/page.h"

#define COLLECT_MAX_EVENTS	256

/**
 * struct collect_args - events and collectors that the user selected
 * @events: events and patterns of -e
 * @nr_events: number of @events
 * @wanted: selected collectors, bit i for collectors[i]
 * @chosen: true to count only the collectors in @wanted, false for all collectors of the machine
 * @flags: UCORE_SESSION_F_*
 * @read_flags: UCORE_READ_F_*
 */
struct collect_args {
	const char (*events)[UCORE_SPEC_LEN];
	size_t nr_events;
	unsigned int wanted;
	bool chosen;
	uint32_t flags;
	uint32_t read_flags;
};

/** selection_find() - find this machine's collectors; -ENOENT if a selected one has no events */
int selection_find(struct collect *c);

/** selection_add_events() - add the events of -e to the session; 0 or -errno */
int selection_add_events(struct collect *c);

/** selection_add_collector() - add the events of a collector to the session; 0 or -errno */
int selection_add_collector(struct collect *c, unsigned int collector);

/** selection_is_free() - return true if all families of a collector have a box that is free */
bool selection_is_free(struct collect *c, unsigned int collector);

/** selection_gains() - return true if a box that the session omits has become free */
bool selection_gains(const struct collect *c);

#endif /* UCORETOOL_EXPORT_SELECTION_H */
