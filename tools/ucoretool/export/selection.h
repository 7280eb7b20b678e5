/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events that the exporter counts. Errors are explained in the tool's err.
 */
#ifndef UCORETOOL_EXPORT_SELECTION_H
#define UCORETOOL_EXPORT_SELECTION_H

#include "export/page.h"

/** selection_find() - find the collectors of this machine; -ENOENT if a selected one is missing */
int selection_find(struct collect *c);

/** selection_add_events() - add the events of -e to the session; 0 or -errno */
int selection_add_events(struct collect *c);

/** selection_add_collector() - add the events of a collector to the session; 0 or -errno */
int selection_add_collector(struct collect *c, unsigned int collector);

/** selection_is_free() - return true if no other session uses the boxes of a collector */
bool selection_is_free(struct collect *c, unsigned int collector);

#endif /* UCORETOOL_EXPORT_SELECTION_H */
