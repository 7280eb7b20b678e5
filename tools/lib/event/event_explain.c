// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Descriptions of events in one line: a text written by hand for common events, otherwise the
 * meanings of the parts of the event's name in sequence.  Both tables are generated from
 * tools/metrics/.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

/* Output buffer of a description; @whole is false if the event's name has an unknown part */
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

/* Append @text, the meaning of a part of a name, with the number @digits in place of its "#" */
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
 * Compare @part, a part of event names such as "RD", with the start of an event's name.  "#" in
 * @part matches a number or nothing.  The match must end at a word boundary of the name.
 * Returns the length of the match in characters, or 0.
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

/*
 * Find the longest part in ucore_name_parts with which @name starts, and return the meaning of
 * the part.  At equal length, prefer a part without "#".
 */
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

/* Append the meaning of the next part of the name; if it is unknown, append the next word */
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
	/* a number has no entry in the table of parts, but is not an unknown part */
	if (strspn(name, "0123456789") < length)
		e->whole = false;
	put(e, name, length);
	return length;
}

/* Write the meanings of the parts of @name, with ":" in place of "." and "," in place of "_" */
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
