/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The exporter's state. selection.c and sessions.c fill the session, totals.c accumulates the
 * counts, and page.c prints them.
 */
#ifndef UCORETOOL_EXPORT_PAGE_H
#define UCORETOOL_EXPORT_PAGE_H

#include "export/families.h"
#include "tool.h"

struct collect_args;

/* A total that only grows. The increments of a driver value are added to it. */
struct meter {
	uint64_t total;
	uint64_t last;
};

/* A domain, identified by its location because ids may change when the driver is reloaded */
struct place {
	uint32_t scope;
	uint32_t die;
	uint32_t package;
	int32_t cpu;
	bool there;		/* the driver reports the domain now */
	bool online;
	bool read;		/* the session has counters in the domain */
	struct meter enabled;
	struct meter running;
	struct meter frozen;
	struct meter pmis;
	struct meter recovered;
	struct meter throttled;
};

/* A sample: one line of the page */
struct series {
	size_t group;		/* index into families, or NR_FAMILIES + index into labels */
	uint32_t package;
	uint32_t die;
	int32_t cpu;
	char type[UCORE_NAME_LEN];
	uint32_t instance;	/* UCORE_ANY: sum over all boxes of the die */
	uint32_t bytes;		/* @per counts are @bytes bytes; 1 and 1 if no bytes are counted */
	uint32_t per;
	uint64_t count;
	bool counted;		/* the current session counts it */
	bool partial;		/* a box reported a partial value */
};

/* The label of an event that was selected with -e */
struct event_label {
	char text[UCORE_SPEC_LEN];
};

/* A value of the session, and the series to which it adds */
struct source {
	size_t series;
	uint64_t last;
};

enum state {
	COLLECTOR_MISSING,	/* no such events on this machine, or not selected */
	COLLECTOR_COUNTING,
	COLLECTOR_BUSY,		/* another session uses its counters */
	COLLECTOR_REFUSED,	/* too few counters, or all boxes are dead */
};

struct collect {
	struct tool *tool;
	const struct collect_args *args;
	struct ucore_device *dev;
	struct ucore_session *session;	/* NULL while nothing can be counted */
	uint64_t session_id;
	uint64_t tried;			/* time of the last attempt to connect (ns) */
	struct ucore_error reported;	/* the last error printed, which is not repeated */
	enum state states[NR_COLLECTORS];
	enum state states_reported[NR_COLLECTORS];
	int ways[NR_FAMILIES];		/* -1: no set of events exists here */
	struct series *series;
	size_t nr_series, max_series;
	struct source *sources;
	size_t nr_sources, max_sources;
	struct place *places;
	size_t nr_places, max_places;
	struct event_label *labels;	/* of the events of -e */
	size_t nr_labels, max_labels;
	bool several_dies;		/* on a socket: lines have a die label */
	uint64_t skew_ns;		/* of the last read */
	uint64_t nr_reads;
	uint64_t nr_failures;
	uint64_t started;		/* CLOCK_REALTIME (ns) */
};

/** totals_print() - print the whole page; return 0, or -errno if @stream has an error */
int totals_print(const struct collect *collect, FILE *stream);

#endif /* UCORETOOL_EXPORT_PAGE_H */
