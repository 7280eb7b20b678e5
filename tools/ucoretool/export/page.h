/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The exporter's state. selection.c adds events to the session, sessions.c reads the counters,
 * totals.c adds up the counts of all sessions, and page.c prints the sums.
 */
#ifndef UCORETOOL_EXPORT_PAGE_H
#define UCORETOOL_EXPORT_PAGE_H

#include "export/families.h"
#include "output/missing.h"
#include "tool.h"

struct collect_args;

/* Prometheus counter: @total is the sum of all increments of a value that the driver reports */
struct meter {
	uint64_t total;
	uint64_t last;		/* value that the driver reported last */
};

/*
 * Domain, with its times (enabled, running, frozen) and its numbers of PMIs, lost PMIs and
 * throttles since the start of the exporter. Scope, die and CPU identify the domain, because a
 * reload of the driver changes domain ids.
 */
struct place {
	uint32_t scope;
	uint32_t die;
	uint32_t package;
	int32_t cpu;
	bool there;		/* true if the loaded driver reports the domain */
	bool online;
	bool read;		/* true if the session has counters in the domain */
	struct meter enabled;
	struct meter running;
	struct meter frozen;
	struct meter pmis;
	struct meter recovered;
	struct meter throttled;
};

/* Time series of Prometheus: one line of the page with labels and a count */
struct series {
	size_t group;		/* index in families, or NR_FAMILIES + index in collect.labels */
	uint32_t package;
	uint32_t die;
	int32_t cpu;
	char type[UCORE_NAME_LEN];
	uint32_t instance;	/* number of the box, UCORE_ANY for the sum over a die's boxes */
	uint32_t bytes;		/* @per counts are @bytes bytes; 1 and 1 if no bytes are counted */
	uint32_t per;
	uint64_t count;
	bool counted;		/* true if the present session of the exporter counts the event */
	bool partial;		/* true if a box reported UCORE_VALUE_F_PARTIAL */
	bool dead;		/* true if a box did not respond at the last READ */
};

/* Label of an event that the user selected with -e */
struct event_label {
	char text[UCORE_SPEC_LEN];
};

/* Event on one box in the session: its @last count, and the index of the series that it adds to */
struct source {
	size_t series;
	uint64_t waited;	/* time in which the event waited since it last counted (ns) */
	uint64_t fallen;	/* difference to the largest count that was read */
};

enum state {
	COLLECTOR_MISSING,	/* not selected, or without events on this machine */
	COLLECTOR_COUNTING,
	COLLECTOR_BUSY,		/* another session uses the counters of the collector */
	COLLECTOR_REFUSED,	/* too few counters, or all boxes of the collector are dead */
};

struct collect {
	struct tool *tool;
	const struct collect_args *args;
	struct ucore_device *dev;
	struct ucore_session *session;	/* NULL while the exporter cannot count */
	uint64_t session_id;
	uint64_t tried;			/* last session start or failure (CLOCK_MONOTONIC ns) */
	struct ucore_error reported;	/* last error that was printed; it is not repeated */
	enum state states[NR_COLLECTORS];
	enum state states_reported[NR_COLLECTORS];
	int codes[NR_COLLECTORS];	/* errors of collectors that do not count (-errno) */
	struct missing missing;		/* boxes that the session does not count */
	char *missing_text;		/* text about them that was printed last */
	int ways[NR_FAMILIES];		/* index of each family's event set, -1 if there is none */
	struct series *series;
	size_t nr_series, max_series;
	struct ucore_delta *delta;	/* counts since the last READ, for each source */
	struct source *sources;
	size_t nr_sources, max_sources;
	struct place *places;
	size_t nr_places, max_places;
	struct event_label *labels;	/* labels of the events of -e */
	size_t nr_labels, max_labels;
	bool several_dies;		/* sockets have several dies: lines get a die label */
	uint64_t skew_ns;		/* ucore_snapshot.skew_ns of the last READ (ns) */
	uint64_t nr_reads;
	uint64_t nr_failures;
	uint64_t started;		/* start of the exporter, CLOCK_REALTIME (ns) */
};

/** totals_print() - print the whole page; return 0, or -errno if @stream has an error */
int totals_print(const struct collect *collect, FILE *stream);

#endif /* UCORETOOL_EXPORT_PAGE_H */
