// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Suggestions of events: texts that are written term by term, and that the device accepted.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "suggest/suggest.h"

/* Compare names without case and without the characters between words ("CAS_COUNT.RD") */
bool ucore_suggest_same_name(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (!*a || !*b || tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return *a == *b;
	}
}

void ucore_draft_add(struct ucore_draft *draft, const char *format, ...)
{
	size_t room = sizeof(draft->text) - draft->at;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(draft->text + draft->at, room, format, args);
	va_end(args);
	draft->fits &= length >= 0 && (size_t)length < room;
	if (draft->fits)
		draft->at += (size_t)length;
}

struct ucore_draft ucore_draft_start(const char *type, const char *boxes)
{
	struct ucore_draft draft = { .separator = '/', .fits = true };

	ucore_draft_add(&draft, "%s%s", type, boxes);
	return draft;
}

void ucore_draft_term(struct ucore_draft *draft, const char *key, const char *value)
{
	ucore_draft_add(draft, "%c%s%s%s", draft->separator, key, value ? "=" : "",
			value ? value : "");
	draft->separator = ',';
}

static void draft_end(struct ucore_draft *draft)
{
	if (draft->separator == ',')
		ucore_draft_add(draft, "/");
}

int ucore_suggest_resolve(struct ucore_device *dev, const char *text, struct ucore_error *err)
{
	const char *list = text;
	struct ucore_event event;
	struct ucore_spec spec;

	if (ucore_spec_next(&list, &spec, err) < 1)
		return -EINVAL;
	return ucore_spec_resolve(dev, &spec, &event, err);
}

static void text_suggest(struct ucore_suggestions *s, const char *text)
{
	for (unsigned int i = 0; i < s->nr; i++)
		if (!strcmp(s->text[i], text))
			return;
	if (s->nr < MAX_SUGGESTIONS)
		snprintf(s->text[s->nr++], UCORE_SPEC_LEN, "%s", text);
}

const struct ucore_field_info *ucore_suggest_field(struct ucore_device *dev, const char *type,
						   const char *name, uint32_t id)
{
	const struct ucore_field_info *fields;
	size_t nr;

	for (size_t i = 0; i < dev->nr_boxes; i++) {
		if (strcmp(dev->boxes[i].type, type))
			continue;
		if (ucore_device_fields(dev, dev->boxes[i].box, &fields, &nr, NULL))
			return NULL;
		if (!name)
			return ucore_field_by_id(fields, nr, id);
		for (size_t f = 0; f < nr; f++)
			if (!strcmp(fields[f].name, name))
				return &fields[f];
		return NULL;
	}
	return NULL;
}

void ucore_suggest_draft(struct ucore_suggestions *s, struct ucore_draft *draft, const char *type,
			 const struct ucore_event_desc *desc)
{
	struct ucore_draft filled = *draft;
	bool open = false;

	draft_end(&filled);
	if (filled.fits && !ucore_suggest_resolve(s->dev, filled.text, NULL)) {
		text_suggest(s, filled.text);
		return;
	}
	filled = *draft;
	for (unsigned int i = 0; desc && desc->filter && i < desc->filter->nr; i++) {
		const struct ucore_need *need = &desc->filter->needs[i];
		const struct ucore_field_info *field;

		field = ucore_suggest_field(s->dev, type, NULL, need->field);
		if (need->dflt != UCORE_NEED_VALUE || !field)
			continue;
		ucore_draft_term(draft, field->name, "N");
		ucore_draft_term(&filled, field->name, "0");
		open = true;
	}
	draft_end(draft);
	draft_end(&filled);
	if (open && draft->fits && filled.fits &&
	    !ucore_suggest_resolve(s->dev, filled.text, NULL))
		text_suggest(s, draft->text);
	else if (!*s->refused && draft->fits)
		memcpy(s->refused, draft->text, sizeof(s->refused));
}

void ucore_suggest_text(const struct ucore_suggestions *s, char *text, size_t size)
{
	size_t at = 0;

	for (unsigned int i = 0; i < s->nr && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s'%s'",
				       !i ? "" : i + 1 == s->nr ? " or " : ", ", s->text[i]);
}
