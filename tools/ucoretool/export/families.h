/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The metric families that the exporter publishes by default. A family has the same meaning on
 * every platform. The table lists the events that each platform counts for it.
 */
#ifndef UCORETOOL_EXPORT_FAMILIES_H
#define UCORETOOL_EXPORT_FAMILIES_H

#include "tool.h"

#define FAMILY_WAYS	7	/* maximum number of alternative event sets of a family */
#define FAMILY_EVENTS	2	/* maximum number of events in a set; their counts are added */

/**
 * struct family - a family of metrics
 * @collector: name of the collector, all of whose families users select together
 * @name: metric name in Prometheus
 * @help: text of the HELP line
 * @label: label that holds the box number; NULL: the counts of a die are added
 * @bytes: bytes per count if the event table has none; 0: the family does not count bytes
 * @ways: alternative sets of events; the exporter uses the first set that the machine has
 */
struct family {
	const char *collector;
	const char *name;
	const char *help;
	const char *label;
	uint32_t bytes;
	const char *ways[FAMILY_WAYS][FAMILY_EVENTS];
};

#define NR_FAMILIES	8
#define NR_COLLECTORS	4

/* Table of all families; the families of a collector are adjacent */
extern const struct family families[NR_FAMILIES];

/* Names of the collectors, in the order of their families */
extern const char *const collectors[NR_COLLECTORS];

#endif /* UCORETOOL_EXPORT_FAMILIES_H */
