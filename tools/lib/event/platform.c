// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Platforms (processor generations): processor models and named events, and suggestions for
 * misspelled event names.  The event tables are generated from tools/events/.  The models come from
 * the driver's header hw/models.h.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

const struct ucore_model *ucore_model_find(uint32_t family, uint32_t model, uint32_t stepping)
{
	static const struct ucore_model models[] = {
#define UCORE_MODEL(...) { __VA_ARGS__ },
#include "../../driver/hw/models.h"
	};
	const struct ucore_model *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(models); i++)
		if (models[i].family == family && models[i].model == model &&
		    models[i].stepping <= stepping)
			found = &models[i];
	return found;
}

const struct ucore_platform *ucore_platform_at(size_t i)
{
	return i < ucore_nr_platforms ? &ucore_platforms[i] : NULL;
}

const char *ucore_platform_name(const struct ucore_platform *platform)
{
	return platform->name;
}

size_t ucore_platform_nr_events(const struct ucore_platform *platform)
{
	return platform ? platform->nr_events : 0;
}

const struct ucore_platform *ucore_platform_find(const char *name)
{
	for (size_t i = 0; i < ucore_nr_platforms; i++)
		if (!strcasecmp(ucore_platforms[i].name, name))
			return &ucore_platforms[i];
	return NULL;
}

static void row_expand(const struct ucore_row *row, struct ucore_event_desc *desc)
{
	*desc = (struct ucore_event_desc) {
		.name = ucore_row_names + row->name,
		.unit = &ucore_event_units[row->unit],
		.filter = row->filter ? &ucore_filters[row->filter] : NULL,
		.counters = row->fixed < 0 ? row->counters :
			    1ULL << (UCORE_COUNTER_FIXED + row->fixed),
		.counters_alt = row->counters_alt,
		.umask_ext = row->umask_ext,
		.event = row->event,
		.umask = row->umask,
		.ch_mask = row->ch_mask,
		.fc_mask = row->fc_mask,
		.occ_sel = row->occ_sel,
		.bytes = row->bytes,
		.bytes_per = row->bytes_per,
		.thresh = row->thresh,
	};
}

void ucore_platform_event_at(const struct ucore_platform *platform, size_t i,
			     struct ucore_event_desc *desc)
{
	row_expand(&ucore_rows[platform->rows[i]], desc);
}

static const char *name_short(const char *name, const struct ucore_event_unit *unit)
{
	size_t length = strlen(unit->prefix);

	return strncmp(name, unit->prefix, length) ? name : name + length;
}

const char *ucore_event_desc_short(const struct ucore_event_desc *desc)
{
	return name_short(desc->name, desc->unit);
}

bool ucore_event_desc_fixed(const struct ucore_event_desc *desc)
{
	return desc->counters >= 1ULL << UCORE_COUNTER_FIXED;
}

bool ucore_platform_event(const struct ucore_platform *platform, const char *type,
			  const char *name, struct ucore_event_desc *desc)
{
	for (size_t i = 0; platform && i < platform->nr_events; i++) {
		const struct ucore_row *row = &ucore_rows[platform->rows[i]];
		const struct ucore_event_unit *unit = &ucore_event_units[row->unit];
		const char *full = ucore_row_names + row->name;

		if (type && strcmp(unit->type, type))
			continue;
		if (strcasecmp(full, name) &&
		    (!type || strcasecmp(name_short(full, unit), name)))
			continue;
		row_expand(row, desc);
		return true;
	}
	return false;
}

static bool same_char(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Return true if a[i - 2], a[i - 1] are b[j - 2], b[j - 1] in swapped order */
static bool swapped(const char *a, size_t i, const char *b, size_t j)
{
	return i > 1 && j > 1 && same_char(a[i - 1], b[j - 2]) &&
	       same_char(a[i - 2], b[j - 1]);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Return the number of edits that change word @a to word @b.  An edit inserts, deletes or
 * replaces a character, or swaps two neighbours (Damerau-Levenshtein distance).
 */
static size_t edit_distance(const char *a, const char *b)
{
	/* row k % 3: distances between the first k characters of @a and each prefix of @b */
	size_t rows[3][UCORE_SPEC_LEN + 1];
	size_t length = strlen(b), i;

	if (length > UCORE_SPEC_LEN)
		return SIZE_MAX;
	for (size_t j = 0; j <= length; j++)
		rows[0][j] = j;
	for (i = 1; a[i - 1]; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];

		row[0] = i;
		for (size_t j = 1; j <= length; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1,
				       above[j - 1] + !same_char(a[i - 1], b[j - 1]));
			if (swapped(a, i, b, j))
				row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[(i + 2) % 3][length];
}

void ucore_guess_start(struct ucore_guess *guess, const char *word)
{
	guess->word = word;
	guess->best = NULL;
	/* a name is similar if at most strlen(word) / 3 + 1 characters differ */
	guess->distance = strlen(word) / 3 + 2;
}

void ucore_guess_offer(struct ucore_guess *guess, const char *name)
{
	size_t length = strlen(name), word = strlen(guess->word);
	size_t distance;

	/* the number of edits is at least the difference in length */
	if ((length > word ? length - word : word - length) >= guess->distance)
		return;
	distance = edit_distance(guess->word, name);
	if (distance < guess->distance) {
		guess->distance = distance;
		guess->best = name;
	}
}

const char *ucore_name_similar(const char *word, const char *const *names, size_t nr)
{
	struct ucore_guess guess;

	ucore_guess_start(&guess, word);
	for (size_t i = 0; i < nr; i++)
		ucore_guess_offer(&guess, names[i]);
	return guess.best;
}
