/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Suggestions of events for a text that is not valid.
 */
#ifndef UCORE_SUGGEST_H
#define UCORE_SUGGEST_H

#include "internal.h"

#define MAX_SUGGESTIONS	3

/**
 * struct ucore_suggestions - events that the device accepts in place of an event's text
 * @dev: device
 * @platform: platform of the device's uncore, or NULL
 * @spec: text of the user
 * @nr: number of elements of @text
 * @text: the suggestions
 * @refused: first draft that the device refused; "" if there is none
 */
struct ucore_suggestions {
	struct ucore_device *dev;
	const struct ucore_platform *platform;
	const struct ucore_spec *spec;
	unsigned int nr;
	char text[MAX_SUGGESTIONS][UCORE_SPEC_LEN];
	char refused[UCORE_SPEC_LEN];
};

/**
 * struct ucore_draft - text of an event while it is written
 * @text: type, box numbers and terms so far
 * @at: length of @text
 * @separator: character before the next term, '/' or ','
 * @fits: false if @text was too small
 */
struct ucore_draft {
	char text[UCORE_SPEC_LEN];
	size_t at;
	char separator;
	bool fits;
};

/* Begin a draft with a box type and box numbers; add formatted text; add a term */
struct ucore_draft ucore_draft_start(const char *type, const char *boxes);
void ucore_draft_add(struct ucore_draft *draft, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void ucore_draft_term(struct ucore_draft *draft, const char *key, const char *value);

/*
 * Suggest a draft if the device accepts it.  "N" stands for the value of a filter that the event
 * @desc needs; @desc is NULL for an event without a name.
 */
void ucore_suggest_draft(struct ucore_suggestions *s, struct ucore_draft *draft, const char *type,
			 const struct ucore_event_desc *desc);

/* Write the suggestions as "'A', 'B' or 'C'" */
void ucore_suggest_text(const struct ucore_suggestions *s, char *text, size_t size);

/* Compare names without case and without the characters between words ("CAS_COUNT.RD") */
bool ucore_suggest_same_name(const char *a, const char *b);

/* Resolve the text of one event; same errors as ucore_spec_resolve() */
int ucore_suggest_resolve(struct ucore_device *dev, const char *text, struct ucore_error *err);

/* Find a field of a box type by name, or by @id if @name is NULL; NULL if none */
const struct ucore_field_info *ucore_suggest_field(struct ucore_device *dev, const char *type,
						   const char *name, uint32_t id);

#endif /* UCORE_SUGGEST_H */
