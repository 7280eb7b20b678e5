/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of a running `ucoretool record`, and its summary */
#ifndef UCORETOOL_RECORD_RECORD_H
#define UCORETOOL_RECORD_RECORD_H

#include "count_options.h"
#include "record/flight_recorder.h"

/* A ring, and its next record, which has been read but not written yet (NULL: none) */
struct source {
	struct ucore_ring *ring;
	const struct ucore_record *next;
};

struct record {
	struct count count;
	struct ucore_metrics *metrics;	/* metrics of -M and --when, or NULL */
	struct ucore_file *file;	/* output file, NULL if records go to the flight recorder */
	struct flight flight;
	struct source *sources;
	size_t nr_sources;
	uint64_t wanted;		/* number of samples after which to stop, 0 for no limit */
	uint32_t flags;			/* UCORE_SESSION_F_* of the session */
	uint32_t nr_readers;		/* number of CPUs that read a die's counters, 0 for one */
	uint64_t samples;
	bool timer;			/* true if the session has a timer */
	const char *others;		/* name of a trigger other than the timer, or NULL */
	uint64_t nr_dead;		/* number of gap records about dead boxes */
	uint64_t damaged;		/* number of times that a ring had invalid content */
};

/** record_summary() - print what was recorded in @ns to @path, at what cost, and what was lost */
void record_summary(const struct record *record, const struct ucore_get_status *status,
		    const struct ucore_get_budget *budget, uint64_t ns, const char *path);

#endif /* UCORETOOL_RECORD_RECORD_H */
