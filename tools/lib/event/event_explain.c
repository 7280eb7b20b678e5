// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an event counts, in words: a sentence of its own, or the parts of its name
 * one after the other.  Texts and parts are generated from tools/metrics/.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

/* A text that is being put together */
struct explanation {
	char *text;
	size_t size;
	size_t at;
	bool whole;
};

static void put(struct explanation *e, const char *text, size_t length)
{
	for (size_t i = 0; i < length && e->at + 1 < e->size; i++)
		e->text[e->at++] = text[i];
	e->text[e->at] = 0;
}

/* A number where the text has a "#" */
static void put_part(struct explanation *e, const char *text, const char *digits, size_t length)
{
	size_t before = strcspn(text, "#");

	put(e, text, before);
	if (!text[before])
		return;
	put(e, digits, length);
	put(e, text + before + 1, strlen(text + before + 1));
}

/*
 * Does a part match the head of a name?  It ends where a word of the name ends; its
 * "#" is a number, which may be missing.  Returns its length in the name, or 0.
 */
static size_t part_length(const char *part, const char *name, const char **digits, size_t *nr)
{
	size_t at = 0;

	*nr = 0;
	for (; *part; part++) {
		if (*part == '#') {
			*digits = name + at;
			*nr = strspn(name + at, "0123456789");
			at += *nr;
		} else if (name[at] == *part) {
			at++;
		} else {
			return 0;
		}
	}
	return !name[at] || strchr("._", name[at]) ? at : 0;
}

/* The longest part that matches; one without "#" goes before an equally long one */
static const char *part_find(const char *name, size_t *length, const char **digits, size_t *nr)
{
	const char *text = NULL, *digits_here = name;
	size_t nr_here;
	bool exact = false;

	*length = 0;
	for (size_t i = 0; i < ucore_nr_name_parts; i++) {
		const char *part = ucore_name_parts[i].part;
		size_t here = part_length(part, name, &digits_here, &nr_here);

		if (here < *length || !here || (here == *length && exact))
			continue;
		text = ucore_name_parts[i].text;
		*length = here;
		*digits = digits_here;
		*nr = nr_here;
		exact = !strchr(part, '#');
	}
	return text;
}

/* One part of the name, or its next word as it is */
static size_t word_explain(struct explanation *e, const char *name)
{
	const char *digits, *text;
	size_t length, nr;

	text = part_find(name, &length, &digits, &nr);
	if (text) {
		put_part(e, text, digits, nr);
		return length;
	}
	length = strcspn(name, "._");
	/* a number says itself */
	if (strspn(name, "0123456789") < length)
		e->whole = false;
	put(e, name, length);
	return length;
}

/* "umbrella: one, other": what stands before the first point is the umbrella */
static void name_explain(struct explanation *e, const char *name)
{
	bool first = true, point = false;

	while (*name) {
		if (!first)
			put(e, point ? ": " : ", ", 2);
		name += word_explain(e, name);
		point = *name == '.';
		name += *name ? 1 : 0;
		first = false;
	}
}

bool ucore_event_desc_text(const struct ucore_event_desc *desc, char *text, size_t size)
{
	struct explanation e = { .text = text, .size = size, .whole = true };
	const char *name = ucore_event_desc_short(desc);

	for (size_t i = 0; i < ucore_nr_event_texts; i++) {
		const struct ucore_event_text *own = &ucore_event_texts[i];

		if (strcmp(own->type, desc->unit->type) || strcasecmp(own->name, name))
			continue;
		put(&e, own->text, strlen(own->text));
		return true;
	}
	name_explain(&e, name);
	return e.whole;
}
