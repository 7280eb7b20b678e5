/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internal state of the resolution of an event's text (event_resolve.c), and the functions of
 * event_term.c, which apply single terms.
 */
#ifndef UCORE_RESOLVER_H
#define UCORE_RESOLVER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

/* State of the resolution of one event's text to boxes, field values and counters */
struct resolver {
	struct ucore_device *dev;
	const struct ucore_platform *platform;
	const struct ucore_spec *spec;
	const struct ucore_box_info *box;		/* first box that the event matches */
	const struct ucore_field_info *fields;
	size_t nr_fields;
	struct ucore_event *event;
	uint32_t given;				/* GIVEN_*: terms applied so far */
	uint32_t counter;			/* value of the term "counter=" (GIVEN_COUNTER) */
	uint32_t fixed;				/* number of the fixed counter (GIVEN_FIXED) */
	const char *label;			/* value of the term "name=", or NULL */
	struct ucore_error *err;
};

#define GIVEN_FIXED	(1U << 0)
#define GIVEN_PERIOD	(1U << 1)
#define GIVEN_COUNTER	(1U << 2)
#define GIVEN_DIE	(1U << 3)
#define GIVEN_CPU	(1U << 4)

/* Find the value that an event sets in a field; NULL if none */
const struct ucore_term *ucore_term_find(const struct ucore_event *event, uint32_t field);

/* Add a field value to the event without range checks.  Errors: -EINVAL (too many values). */
int ucore_term_add(struct resolver *r, uint32_t field, uint64_t value);

/* Find a field of the event's boxes by name, or by @id if @name is NULL; NULL if none */
const struct ucore_field_info *ucore_term_field(struct resolver *r, const char *name, uint32_t id);

/* Apply a named event: set its field values, or its fixed counter */
int ucore_term_event(struct resolver *r, const struct ucore_event_desc *desc);

/* Apply a term "key=value" to the event; @value is NULL for a term without "=" */
int ucore_term_apply(struct resolver *r, const char *key, const char *value);

#endif /* UCORE_RESOLVER_H */
