// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Event names: look one up, guess what a misspelled one meant.
 * The tables themselves are generated, see tools/events/.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

const struct ucore_platform *ucore_platform_list(size_t *nr)
{
	*nr = ucore_nr_platforms;
	return ucore_platforms;
}

const struct ucore_platform *ucore_platform_find(const char *name)
{
	for (size_t i = 0; i < ucore_nr_platforms; i++)
		if (!strcasecmp(ucore_platforms[i].name, name))
			return &ucore_platforms[i];
	return NULL;
}

const char *ucore_event_desc_short(const struct ucore_event_desc *desc)
{
	size_t length = strlen(desc->unit->prefix);

	return strncmp(desc->name, desc->unit->prefix, length) ? desc->name : desc->name + length;
}

bool ucore_event_desc_fixed(const struct ucore_event_desc *desc)
{
	return desc->counters >= 1ULL << UCORE_COUNTER_FIXED;
}

const struct ucore_event_desc *ucore_platform_event(const struct ucore_platform *platform,
						    const char *type, const char *name)
{
	for (size_t i = 0; platform && i < platform->nr_events; i++) {
		const struct ucore_event_desc *desc = &platform->events[i];

		if (type && strcmp(desc->unit->type, type))
			continue;
		if (!strcasecmp(desc->name, name))
			return desc;
		if (type && !strcasecmp(ucore_event_desc_short(desc), name))
			return desc;
	}
	return NULL;
}

/* Edits (insert, delete, replace a letter) that turn one word into the other */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[UCORE_SPEC_LEN + 1];
	size_t length = strlen(b);

	if (length > UCORE_SPEC_LEN)
		return SIZE_MAX;
	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			int from = tolower((unsigned char)a[i - 1]);
			int to = tolower((unsigned char)b[j - 1]);
			size_t best = diagonal + (from != to);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[length];
}

void ucore_guess_start(struct ucore_guess *guess, const char *word)
{
	guess->word = word;
	guess->best = NULL;
	/* a third of the letters may be wrong, further away it is another word */
	guess->distance = strlen(word) / 3 + 2;
}

void ucore_guess_offer(struct ucore_guess *guess, const char *name)
{
	size_t distance = edit_distance(guess->word, name);

	if (distance < guess->distance) {
		guess->distance = distance;
		guess->best = name;
	}
}
