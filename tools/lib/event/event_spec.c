// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Syntax of events: head[/term[=value],.../].  This layer needs no device.  event_resolve.c
 * checks whether the names exist.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "internal.h"

/* Return the length of a list's first event, which ends at a comma outside of the slashes */
static size_t spec_length(const char *list, unsigned int *slashes)
{
	size_t i;

	*slashes = 0;
	for (i = 0; list[i]; i++) {
		if (list[i] == '/')
			++*slashes;
		else if (list[i] == ',' && *slashes % 2 == 0)
			break;
	}
	return i;
}

static int spec_items(struct ucore_spec *spec, char *terms, struct ucore_error *err)
{
	char *term;

	while ((term = strsep(&terms, ","))) {
		char *value = strchr(term, '=');

		if (spec->nr == UCORE_SPEC_ITEMS)
			return ucore_error_set(err, -EINVAL,
					       "event '%s': too many terms. Use at most %d",
					       spec->text, UCORE_SPEC_ITEMS);
		if (value)
			*value++ = 0;
		if (!*term || (value && !*value))
			return ucore_error_set(err, -EINVAL,
					       "event '%s': a term is empty. Write name or name=value",
					       spec->text);
		spec->items[spec->nr].key = term;
		spec->items[spec->nr].value = value;
		spec->nr++;
	}
	return 0;
}

static int spec_split(struct ucore_spec *spec, unsigned int slashes, struct ucore_error *err)
{
	char *slash = strchr(spec->words, '/');

	spec->head = spec->words;
	spec->nr = 0;
	if (strpbrk(spec->text, "{}"))
		return ucore_error_set(err, -EINVAL,
				       "event '%s': braces are not supported, because all events are counted at the same instants. Leave them out",
				       spec->text);
	if (!slash)
		return *spec->head ? 0 : ucore_error_set(err, -EINVAL,
			"event list: an event is empty. Write box/EVENT/, for example imc/CAS_COUNT.RD/");
	if (slashes == 1 && slash[1])
		return ucore_error_set(err, -EINVAL,
				       "event '%s': the second of the two slashes is missing. Write '%s/'",
				       spec->text, spec->text);
	if (slashes != 2 || spec->words[strlen(spec->words) - 1] != '/')
		return ucore_error_set(err, -EINVAL,
				       "event '%s': invalid syntax. Write box/term,.../ with exactly two slashes",
				       spec->text);
	*slash = 0;
	spec->words[strlen(spec->text) - 1] = 0;
	if (!*spec->head)
		return ucore_error_set(err, -EINVAL,
				       "event '%s': no box before the slash. Write box/EVENT/",
				       spec->text);
	if (!slash[1])
		return ucore_error_set(err, -EINVAL,
				       "event '%s': nothing between the slashes. Write box/EVENT/",
				       spec->text);
	return spec_items(spec, slash + 1, err);
}

int ucore_spec_next(const char **list, struct ucore_spec *spec, struct ucore_error *err)
{
	unsigned int slashes;
	size_t length;

	if (!*list)
		return 0;
	length = spec_length(*list, &slashes);
	if (length >= sizeof(spec->text))
		return ucore_error_set(err, -EINVAL,
				       "event '%.40s...': too long. Use at most %zu characters",
				       *list, sizeof(spec->text) - 1);
	for (size_t i = 0; i < length; i++)
		if (!isgraph((unsigned char)(*list)[i]))
			return ucore_error_set(err, -EINVAL,
					       "event '%.*s': invalid character at position %zu. Remove %s",
					       (int)length, *list, i + 1,
					       isspace((unsigned char)(*list)[i]) ? "the space" : "it");
	memset(spec, 0, sizeof(*spec));
	memcpy(spec->text, *list, length);
	memcpy(spec->words, *list, length);
	*list = (*list)[length] ? *list + length + 1 : NULL;
	return spec_split(spec, slashes, err) ? -EINVAL : 1;
}
