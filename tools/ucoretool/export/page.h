/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What collect.c adds up and totals.c prints.
 */
#ifndef UCORETOOL_TOTALS_H
#define UCORETOOL_TOTALS_H

#include "export/families.h"
#include "tool.h"

struct collect_args;

/* Adds up what something grew by; what is below the last value has begun anew, or is wrong */
struct meter {
	uint64_t total;
	uint64_t last;
};

/* A domain, by what it is called, for ids may change with a driver */
struct place {
	uint32_t scope;
	uint32_t die;
	uint32_t package;
	int32_t cpu;
	bool there;		/* the driver has it now */
	bool online;
	bool read;		/* counters of ours are there */
	struct meter enabled;
	struct meter running;
	struct meter frozen;
	struct meter pmis;
	struct meter recovered;
	struct meter throttled;
};

/* What is exported as one line */
struct series {
	size_t group;		/* of families; labels have the numbers behind them */
	uint32_t package;
	uint32_t die;
	int32_t cpu;
	char type[UCORE_NAME_LEN];
	uint32_t instance;	/* UCORE_ANY: of all boxes of the die */
	uint32_t bytes;		/* that so many counts stand for; 1 for 1 of what is no bytes */
	uint32_t per;
	uint64_t count;
	bool counted;		/* in this session */
	bool refused;		/* its box counts something else */
};

/* What an event of the user's is called */
struct event_label {
	char text[UCORE_SPEC_LEN];
};

/* A slot of the session */
struct source {
	size_t series;
	uint64_t last;
};

enum state {
	COLLECTOR_MISSING,	/* the machine has no such events, or nobody asked */
	COLLECTOR_COUNTING,
	COLLECTOR_BUSY,		/* somebody else has its boxes */
	COLLECTOR_REFUSED,	/* it does not fit beside the others, or has no box that answers */
};

struct collect {
	struct tool *tool;
	const struct collect_args *args;
	struct ucore_device *dev;
	struct ucore_session *session;	/* it counts; NULL while nothing can be counted */
	uint64_t session_id;
	uint64_t tried;			/* when a device was last looked for */
	struct ucore_error said;	/* the last complaint, which is not repeated */
	enum state states[NR_COLLECTORS];
	enum state told[NR_COLLECTORS];	/* what has been said of them */
	int ways[NR_FAMILIES];		/* -1: the machine has none of them */
	struct series *series;
	size_t nr_series, max_series;
	struct source *sources;
	size_t nr_sources, max_sources;
	struct place *places;
	size_t nr_places, max_places;
	struct event_label *labels;	/* of the user's events */
	size_t nr_labels, max_labels;
	bool several_dies;		/* on a socket: then the socket alone does not tell where */
	uint64_t skew_ns;
	uint64_t nr_reads;
	uint64_t nr_failures;
	uint64_t started;		/* of CLOCK_REALTIME */
};

/** totals_print() - the whole page, as of now; -errno if it cannot be written */
int totals_print(const struct collect *collect, FILE *stream);

#endif /* UCORETOOL_TOTALS_H */
