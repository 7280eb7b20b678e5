// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets of metrics: creation, release, and the definitions that the user gives in arguments and
 * files.
 */
#include "metric/metric.h"

#define MAX_TEXT	4096	/* maximum length of a definition in characters */

int ucore_metrics_create(struct ucore_device *dev, struct ucore_metrics **out,
			 struct ucore_error *err)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return no_memory(err);
	(*out)->dev = dev;
	return 0;
}

void ucore_metrics_free(struct ucore_metrics *metrics)
{
	if (!metrics)
		return;
	for (size_t i = 0; i < metrics->nr_definitions; i++)
		free(metrics->definitions[i].text);
	for (size_t i = 0; i < metrics->nr_choices; i++)
		free(metrics->choices[i].where);
	for (size_t i = 0; i < metrics->nr_metrics; i++) {
		ucore_expr_free(&metrics->metrics[i].expr);
		free(metrics->metrics[i].excluded);
	}
	free(metrics->definitions);
	free(metrics->choices);
	free(metrics->events);
	free(metrics->leaves);
	free(metrics->metrics);
	free(metrics->left_out);
	free(metrics->values);
	free(metrics->links);
	ucore_intervals_free(metrics->intervals);
	free(metrics);
}

void ucore_metrics_cores(struct ucore_metrics *metrics, unsigned int cores)
{
	metrics->cores = cores;
}

/* ---- definitions of metrics by the user -------------------------------- */

static char *blanks_cut(char *text)
{
	size_t length;

	text += strspn(text, " \t\r\n");
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	return text;
}

static bool is_name(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("_.", *text))
			return false;
	return true;
}

/* Split "KEY=VALUE" and strip blanks.  Returns the key, or NULL if the key is not valid. */
static char *key_cut(char *text, char **value)
{
	char *equals = strchr(text, '=');

	if (!equals)
		return NULL;
	*equals = 0;
	*value = blanks_cut(equals + 1);
	text = blanks_cut(text);
	return is_name(text) ? text : NULL;
}

/* Parse "unit=", "text=" and "ALIAS=EVENT" after the formula; store the aliases in @where */
static int parts_parse(struct ucore_metric_desc *desc, char *rest, char *where,
		       struct ucore_error *err)
{
	char *part;

	*where = 0;
	desc->where = where;
	while ((part = strsep(&rest, ";"))) {
		char *value = NULL, *key;

		part = blanks_cut(part);
		if (!*part)
			continue;
		key = key_cut(part, &value);
		if (!key || !*value)
			return ucore_error_set(err, -EINVAL,
					       "metric '%s': '%s' is invalid after ';'. Write ALIAS=EVENT, unit=UNIT or text=TEXT",
					       desc->name, part);
		if (!strcmp(key, "unit"))
			desc->unit = value;
		else if (!strcmp(key, "text"))
			desc->text = value;
		else
			where += sprintf(where, "%s%s=%s", *desc->where ? "; " : "", key, value);
	}
	return 0;
}

static int definition_parse(struct definition *definition, char *text, char *where,
			    struct ucore_error *err)
{
	struct ucore_metric_desc *desc = &definition->desc;
	char *rest = text, *formula;

	*desc = (struct ucore_metric_desc) {
		.unit = "", .category = "", .text = "", .omitted = "",
	};
	text = blanks_cut(strsep(&rest, ";"));
	desc->name = key_cut(text, &formula);
	if (!desc->name)
		return ucore_error_set(err, -EINVAL,
				       "metric '%.60s': not a definition. Write NAME=FORMULA, and ';' before each ALIAS=EVENT",
				       text);
	desc->formula = formula;
	if (!*formula)
		return ucore_error_set(err, -EINVAL, "metric '%s': no formula. Write %s=FORMULA",
				       desc->name, desc->name);
	return parts_parse(desc, rest, where, err);
}

int ucore_metrics_define(struct ucore_metrics *metrics, const char *text,
			 struct ucore_error *err)
{
	struct definition *definition;
	size_t length = strlen(text);
	char *copy;
	int ret;

	if (length > MAX_TEXT)
		return ucore_error_set(err, -EINVAL,
				       "metric '%.40s...': too long. Use at most %d characters",
				       text, MAX_TEXT);
	if (!GROW(metrics->definitions, metrics->nr_definitions))
		return no_memory(err);
	/* a copy of @text, then the aliases separated by "; " (at most 2 * length) */
	copy = malloc(3 * length + 3);
	if (!copy)
		return no_memory(err);
	memcpy(copy, text, length + 1);
	definition = &metrics->definitions[metrics->nr_definitions];
	ret = definition_parse(definition, copy, copy + length + 1, err);
	if (ret) {
		free(copy);
		return ret;
	}
	definition->text = copy;
	metrics->nr_definitions++;
	return 0;
}

static int line_define(struct ucore_metrics *metrics, const char *line, const char *name,
		       unsigned int number, struct ucore_error *err)
{
	struct ucore_error why;
	int ret;

	line += strspn(line, " \t\r\n");
	if (!*line || *line == '#')
		return 0;
	ret = ucore_metrics_define(metrics, line, &why);
	return ret ? ucore_error_set(err, ret, "%s, line %u: %s", name, number, why.text) : 0;
}

int ucore_metrics_load(struct ucore_metrics *metrics, FILE *stream, const char *name,
		       struct ucore_error *err)
{
	char line[MAX_TEXT + 2];
	unsigned int number = 0, first = 1;
	size_t at = 0;
	int ret = 0;

	while (!ret && fgets(line + at, (int)(sizeof(line) - at), stream)) {
		size_t length = strlen(line);

		number++;
		/* fgets() returned a short line without a newline: the line contains a NUL byte */
		if (length + 1 != sizeof(line) && !feof(stream) &&
		    (!length || line[length - 1] != '\n'))
			return ucore_error_set(err, -EINVAL,
					       "%s, line %u: not a text file (NUL byte)", name,
					       number);
		if (length + 1 == sizeof(line))
			return ucore_error_set(err, -EINVAL,
					       "%s, line %u: too long. Use at most %d characters",
					       name, number, MAX_TEXT);
		if (length >= 2 && line[length - 2] == '\\' && line[length - 1] == '\n') {
			at = length - 2;
			continue;
		}
		ret = line_define(metrics, line, name, first, err);
		at = 0;
		first = number + 1;
	}
	if (!ret && at)
		return ucore_error_set(err, -EINVAL,
				       "%s, line %u: the last line ends with a backslash. Remove it",
				       name, number);
	if (!ret && ferror(stream))
		return ucore_error_set(err, -EIO, "%s: cannot read: %s", name, strerror(errno));
	return ret;
}

bool ucore_metrics_find(const struct ucore_metrics *metrics, const char *name,
			struct ucore_metric_desc *desc)
{
	for (size_t i = metrics->nr_definitions; i > 0; i--) {
		if (strcasecmp(metrics->definitions[i - 1].desc.name, name))
			continue;
		*desc = metrics->definitions[i - 1].desc;
		return true;
	}
	return ucore_metric_find(metrics->dev->info.platform, name, desc);
}

void ucore_metrics_guess(const struct ucore_metrics *metrics, const char *without,
			 struct ucore_guess *guess)
{
	struct ucore_metric_desc desc;

	for (size_t i = 0; i < metrics->nr_definitions; i++)
		if (strcasecmp(metrics->definitions[i].desc.name, without))
			ucore_guess_offer(guess, metrics->definitions[i].desc.name);
	for (size_t i = 0; ucore_metric_at(metrics->dev->info.platform, i, &desc); i++)
		ucore_guess_offer(guess, desc.name);
}
