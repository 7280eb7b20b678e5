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

#define METRIC_SOCKETS_MAX	64	/* maximum number of sockets with an event each */

#define KEY_CHARS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Definition by the user; the strings of @desc are stored in @text */
struct definition {
	struct ucore_metric_desc desc;
	char *text;
};

/* Chosen metric */
struct choice {
	struct ucore_metric_desc desc;
	char *where;		/* @desc.where with the user's parameters, or NULL */
	bool optional;		/* may be left out for the reasons of may_leave_out() */
	bool offered;		/* may be left out for any reason except ENOMEM */
};

/* Chosen metric that is not counted */
struct left_out {
	const char *name;
	int code;
	struct ucore_error why;
};

/* Event of one or several formulas, and its slots in the session */
struct counted {
	char spec[UCORE_SPEC_LEN];
	bool first;		/* only on the first box of each socket */
	uint32_t group;		/* group of the session */
	char type[UCORE_NAME_LEN];
	size_t begin, end;	/* slots of the session: [begin, end) */
};

enum leaf_kind {
	LEAF_SUM,		/* sum of an event's counts */
	LEAF_MEAN,		/* mean of an event's counts over its boxes */
	LEAF_SECONDS,
	LEAF_MILLISECONDS,
	LEAF_SOCKETS,
	LEAF_BOXES,		/* number of boxes of a type on a socket */
	LEAF_CORES,
};

struct leaf {
	enum leaf_kind kind;
	uint32_t event;		/* index in ucore_metrics.events */
	const char *type;	/* box type of LEAF_BOXES */
};

/* Chosen metric that is counted */
struct metric {
	struct ucore_metric_desc desc;
	struct ucore_expr expr;
	uint32_t level;		/* UCORE_LEVEL_* of the values */
	unsigned int nr_sockets;
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
	size_t nr_slots;	/* slots of the session after attaching */
	struct ucore_intervals *intervals;	/* NULL before the first record */
};

static inline int no_memory(struct ucore_error *err)
{
	return ucore_error_set(err, -ENOMEM, "out of memory");
}

/* Make room for element @nr; the capacity is the next power of two */
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

/* Find a metric by name: first the user's latest definition, then the platform's */
bool ucore_metrics_find(const struct ucore_metrics *metrics, const char *name,
			struct ucore_metric_desc *desc);

/* Offer the names of all metrics to a search for a misspelled name */
void ucore_metrics_guess(const struct ucore_metrics *metrics, struct ucore_guess *guess);

/*
 * Compile the formula of a metric.  New events and leaves are added to @metrics.  After a
 * failure the caller must remove them.
 */
int ucore_metrics_compile(struct ucore_metrics *metrics, struct metric *metric,
			  struct ucore_error *err);

/* Return the domain of a slot; NULL if there is none */
const struct ucore_domain_info *ucore_metrics_domain(const struct ucore_metrics *metrics,
						     size_t slot);

/* Return the package of a slot's domain */
uint32_t ucore_metrics_package(const struct ucore_metrics *metrics, size_t slot);

/* Return the next event of a metric, starting with operation @at; NULL after the last */
const struct counted *ucore_metrics_event(const struct ucore_metrics *metrics,
					  const struct metric *metric, size_t *at);

/* Return true if the slot contributes to the value */
bool ucore_metrics_includes(const struct ucore_metrics *metrics, const struct value *value,
			    size_t slot);

#endif /* UCORE_METRIC_H */
