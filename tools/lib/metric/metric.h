/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal definitions of metrics, shared by the files of this folder.  From bottom to top:
 * metric.c (definitions), metric_choose.c, metric_compile.c, metric_evaluate.c and
 * metric_attach.c.
 */
#ifndef UCORE_METRIC_H
#define UCORE_METRIC_H

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "metric/expr.h"

#define METRIC_SOCKETS_MAX	64	/* maximum number of sockets on which an event is counted */

#define KEY_CHARS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Metric that the user defined; @text contains the strings to which @desc points */
struct definition {
	struct ucore_metric_desc desc;
	char *text;
};

/* Metric that is to be counted: chosen by ucore_metrics_choose() or ucore_metrics_offer() */
struct choice {
	struct ucore_metric_desc desc;
	char *where;		/* copy of desc.where with the user's parameter; NULL: none */
	bool optional;		/* chosen by pattern or category: left out if not countable */
	bool offered;		/* by ucore_metrics_offer(): left out on errors but -ENOMEM */
};

/* Chosen metric that is not counted, with the error (@code, @why) of the attempt */
struct left_out {
	const char *name;
	int code;
	struct ucore_error why;
};

/* Event that one or several formulas use, and its slots in the session */
struct counted {
	char spec[UCORE_SPEC_LEN];
	bool first;		/* "[0]": counted only on the first box of each socket */
	uint32_t group;		/* group of the session in which the event counts */
	char type[UCORE_NAME_LEN];
	size_t begin, end;	/* slots of the event: numbers @begin to @end - 1 */
	uint32_t index, last;	/* first and last ucore_slot.index of the event */
};

enum leaf_kind {
	LEAF_SUM,		/* sum of an event's counts on the boxes of a metric's value */
	LEAF_MEAN,		/* mean of an event's counts on the boxes of a metric's value */
	LEAF_SECONDS,
	LEAF_MILLISECONDS,
	LEAF_SOCKETS,
	LEAF_BOXES,		/* number of boxes of leaf.type on a socket */
	LEAF_CORES,
	LEAF_LINK_SPEED,	/* sum of the speeds of the links of a metric's value */
	LEAF_ZERO,		/* "[optional]" event of a box type that the machine lacks */
};

struct leaf {
	enum leaf_kind kind;
	uint32_t event;		/* index in ucore_metrics.events */
	const char *type;	/* box type of LEAF_BOXES */
	bool optional;		/* "[optional]": 0 in a value without a box of the event */
};

/* Chosen metric whose events have been added to the session */
struct metric {
	struct ucore_metric_desc desc;
	struct ucore_expr expr;
	uint32_t level;		/* UCORE_LEVEL_* of the metric's values */
	unsigned int nr_sockets;
	bool by_type;		/* some event is "[optional]": a box's value is of one box type */
	char missing[UCORE_SPEC_LEN];	/* first event of which LEAF_ZERO stands; "": none */
	bool *excluded;		/* slots on boxes that lack an event of the metric; NULL: none */
};

struct value {
	struct ucore_metric_value public;
	size_t metric;
	uint32_t domain;
	uint64_t running;
};

struct ucore_metrics {
	struct ucore_device *dev;
	struct ucore_session *session;
	unsigned int cores;
	struct definition *definitions;
	size_t nr_definitions;
	struct choice *choices;
	size_t nr_choices;
	struct counted *events;
	size_t nr_events;
	struct leaf *leaves;
	size_t nr_leaves;
	struct metric *metrics;
	size_t nr_metrics;
	struct left_out *left_out;
	size_t nr_left_out;
	struct value *values;
	size_t nr_values;
	size_t nr_slots;	/* number of the session's slots when the metrics were attached */
	struct ucore_link_info *links;	/* of each box; NULL: no metric needs LINK_SPEED */
	struct ucore_intervals *intervals;	/* made by the first ucore_metrics_take() */
};

static inline int no_memory(struct ucore_error *err)
{
	return ucore_error_set(err, -ENOMEM, "out of memory");
}

/* Make room for one more element after @nr; the capacity doubles at each power of two */
static inline void *array_grow(void *array, size_t nr, size_t size)
{
	if (nr & (nr - 1) || !nr)
		return nr ? array : realloc(array, size);
	return realloc(array, 2 * nr * size);
}

#define GROW(array, nr) \
	({ \
		void *grown_ = array_grow(array, nr, sizeof(*(array))); \
		if (grown_) \
			(array) = grown_; \
		grown_; \
	})

/* Find a metric by name: the user's latest definition, otherwise the platform's metric */
bool ucore_metrics_find(const struct ucore_metrics *metrics, const char *name,
			struct ucore_metric_desc *desc);

/* Pass the names of all metrics except @without to a search for a misspelled name */
void ucore_metrics_guess(const struct ucore_metrics *metrics, const char *without,
			 struct ucore_guess *guess);

/*
 * Compile the formula of a metric.  New events and leaves (struct leaf: values for the formula)
 * are added to @metrics.  After a failure the caller must remove them.
 */
int ucore_metrics_compile(struct ucore_metrics *metrics, struct metric *metric,
			  struct ucore_error *err);

/* Return the domain of the session's slot number @slot; NULL if there is none */
const struct ucore_domain_info *ucore_metrics_domain(const struct ucore_metrics *metrics,
						     size_t slot);

/* Return the physical package (socket) of the session's slot number @slot */
uint32_t ucore_metrics_package(const struct ucore_metrics *metrics, size_t slot);

/*
 * Return the next event in a metric's compiled formula, from operation @at on; NULL after the
 * last event.  @at is advanced.
 */
const struct counted *ucore_metrics_event(const struct ucore_metrics *metrics,
					  const struct metric *metric, size_t *at);

/* Return true if an event of a formula is omitted on the box of @omission */
bool ucore_metrics_omits(const struct counted *event, const struct ucore_omission *omission);

/*
 * Return true if the slot's box belongs to the box, socket or system of the value, and counts all
 * events of the metric that it should count
 */
bool ucore_metrics_includes(const struct ucore_metrics *metrics, const struct value *value,
			    size_t slot);

#endif /* UCORE_METRIC_H */
