// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choice of metrics by name, category, pattern or definition, and the parameters of metrics.
 */
#include <fnmatch.h>

#include "metric/metric.h"

/* Find a chosen metric with the same name and parameters (@where); NULL if none */
static struct choice *choice_find(const struct ucore_metrics *metrics, const char *name,
				  const char *where)
{
	for (size_t i = 0; i < metrics->nr_choices; i++) {
		struct choice *choice = &metrics->choices[i];

		if (!strcasecmp(choice->desc.name, name) && !where == !choice->where &&
		    (!where || !strcmp(choice->where, where)))
			return choice;
	}
	return NULL;
}

/* Add a metric to the chosen ones.  The choice takes ownership of @where. */
static int choice_add(struct ucore_metrics *metrics, const struct ucore_metric_desc *desc,
		      char *where, bool optional, struct ucore_error *err)
{
	struct choice *choice = choice_find(metrics, desc->name, where);

	if (choice) {
		/* a metric that is chosen by name is not optional */
		optional &= choice->optional;
		free(where);
		where = choice->where;
	} else if (GROW(metrics->choices, metrics->nr_choices)) {
		choice = &metrics->choices[metrics->nr_choices++];
	} else {
		free(where);
		return no_memory(err);
	}
	/* a new definition of the name replaces the old one */
	*choice = (struct choice) { .desc = *desc, .where = where, .optional = optional };
	if (where)
		choice->desc.where = where;
	return 0;
}

/* Find a parameter without a value ("band0=N"), which the user must set; NULL if none */
static const char *open_value(const char *where)
{
	const char *open = strstr(where, "=N/");

	while (open && open > where && (isalnum((unsigned char)open[-1]) || open[-1] == '_'))
		open--;
	return open;
}

/* Allocate a copy of @desc->where with "band0=12" in place of "band0=N" */
static int value_fill(const struct ucore_metric_desc *desc, const char *given, char **where,
		      struct ucore_error *err)
{
	const char *open = open_value(desc->where);
	size_t key = open ? strcspn(open, "=") : 0;
	size_t length = strspn(given, KEY_CHARS);

	if (!open)
		return ucore_error_set(err, -EINVAL,
				       "metric '%s': has no parameter. Leave out ':%s'",
				       desc->name, given);
	if (strncasecmp(given, open, key) || given[key] != '=' ||
	    length != key || !isdigit((unsigned char)given[key + 1]) ||
	    given[key + 1 + strspn(given + key + 1, KEY_CHARS)])
		return ucore_error_set(err, -EINVAL,
				       "metric '%s': invalid parameter '%s'. Write %.*s=NUMBER",
				       desc->name, given, (int)key, open);
	if (asprintf(where, "%.*s%s%s", (int)(open - desc->where), desc->where, given,
		     open + key + 2) < 0) {
		*where = NULL;
		return no_memory(err);
	}
	return 0;
}

/* Return true if @word is in a list of words separated by blanks */
static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (*words) {
		size_t n = strcspn(words, " ");

		if (n == length && !strncasecmp(words, word, n))
			return true;
		words += n + (words[n] == ' ');
	}
	return false;
}

static bool is_category(const char *platform, const char *name)
{
	struct ucore_metric_desc desc;

	for (size_t i = 0; ucore_metric_at(platform, i, &desc); i++)
		if (has_word(desc.category, name))
			return true;
	return false;
}

static int unknown_metric(const struct ucore_metrics *metrics, const char *name,
			  struct ucore_error *err)
{
	const char *platform = metrics->dev->info.platform;
	struct ucore_event_desc desc;
	struct ucore_guess guess;

	if (is_category(platform, name))
		return ucore_error_set(err, -ENOENT,
				       "metric '%s': unknown on this machine. For the category, write '@%s'",
				       name, name);
	if (strchr(name, '/') ||
	    ucore_platform_event(ucore_platform_find(platform), NULL, name, &desc))
		return ucore_error_set(err, -ENOENT,
				       "metric '%s': this is an event. Use -e, or write the metric 'x={%s}'",
				       name, name);
	ucore_guess_start(&guess, name);
	ucore_metrics_guess(metrics, "", &guess);
	return ucore_error_set(err, -ENOENT,
			       "metric '%s': unknown on this machine%s%s%s. See 'ucoretool list metrics'",
			       name, guess.best ? " (did you mean '" : "",
			       guess.best ? guess.best : "", guess.best ? "'?)" : "");
}

static int name_choose(struct ucore_metrics *metrics, char *name, struct ucore_error *err)
{
	struct ucore_metric_desc desc;
	char *given = strchr(name, ':'), *where = NULL;
	const char *open;
	int ret;

	if (given)
		*given++ = 0;
	if (!ucore_metrics_find(metrics, name, &desc))
		return unknown_metric(metrics, name, err);
	if (*desc.omitted)
		return ucore_error_set(err, -ENXIO,
				       "metric '%s': cannot be counted at one instant: %s",
				       desc.name, desc.omitted);
	open = open_value(desc.where);
	if (!given && open)
		return ucore_error_set(err, -EINVAL,
				       "metric '%s': needs the parameter %.*s. Write %s:%.*s=NUMBER",
				       desc.name, (int)strcspn(open, "="), open, desc.name,
				       (int)strcspn(open, "="), open);
	ret = given ? value_fill(&desc, given, &where, err) : 0;
	return ret ? ret : choice_add(metrics, &desc, where, false, err);
}

static bool pattern_matches(const char *word, const struct ucore_metric_desc *desc)
{
	if (*word == '@')
		return has_word(desc->category, word + 1);
	return !fnmatch(word, desc->name, FNM_CASEFOLD);
}

/* Write a list of all categories of a platform */
static void categories_text(const char *platform, char *text, size_t size)
{
	struct ucore_metric_desc desc;
	size_t at = 0;

	*text = 0;
	for (size_t i = 0; ucore_metric_at(platform, i, &desc); i++) {
		const char *words = desc.category;

		while (*words) {
			size_t n = strcspn(words, " ");
			char word[32];

			snprintf(word, sizeof(word), "%.*s", (int)n, words);
			if (!has_word(text, word) && at < size)
				at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " " : "",
						       word);
			words += n + (words[n] == ' ');
		}
	}
}

/*
 * Choose a metric that matches a pattern, unless the metric needs a parameter or has
 * ucore_metric_desc.omitted.
 */
static int fitting_choose(struct ucore_metrics *metrics, const char *name, size_t *found,
			  struct ucore_error *err)
{
	struct ucore_metric_desc desc;

	if (!ucore_metrics_find(metrics, name, &desc) || *desc.omitted || open_value(desc.where))
		return 0;
	++*found;
	return choice_add(metrics, &desc, NULL, true, err);
}

static int pattern_choose(struct ucore_metrics *metrics, const char *word,
			  struct ucore_error *err)
{
	const char *platform = metrics->dev->info.platform;
	struct ucore_metric_desc desc;
	char categories[200], copy[200];
	struct ucore_guess guess;
	size_t found = 0;
	int ret = 0;

	for (size_t i = 0; i < metrics->nr_definitions && !ret; i++)
		if (pattern_matches(word, &metrics->definitions[i].desc))
			ret = fitting_choose(metrics, metrics->definitions[i].desc.name, &found,
					     err);
	for (size_t i = 0; !ret && ucore_metric_at(platform, i, &desc); i++)
		if (pattern_matches(word, &desc))
			ret = fitting_choose(metrics, desc.name, &found, err);
	if (ret || found)
		return ret;
	if (*word != '@')
		return ucore_error_set(err, -ENOENT,
				       "metric '%s': no metric of this machine matches. See 'ucoretool list metrics'",
				       word);
	categories_text(platform, categories, sizeof(categories));
	memcpy(copy, categories, sizeof(copy));
	ucore_guess_start(&guess, word + 1);
	for (char *rest = copy, *name; (name = strsep(&rest, " "));)
		ucore_guess_offer(&guess, name);
	return ucore_error_set(err, -ENOENT,
			       "metric category '%s': unknown on this machine%s%s%s%s%s", word + 1,
			       guess.best ? " (did you mean '@" : "", guess.best ? guess.best : "",
			       guess.best ? "'?)" : "", *categories ? ". Use one of " : "",
			       categories);
}

/* Return true if the text is a definition of a metric: begins with a name and '=' */
static bool is_definition(const char *text)
{
	text += strspn(text, " \t");
	text += strspn(text, KEY_CHARS ".");
	text += strspn(text, " \t");
	return *text == '=';
}

int ucore_metrics_choose(struct ucore_metrics *metrics, const char *list,
			 struct ucore_error *err)
{
	char *copy, *rest, *word;
	int ret;

	if (is_definition(list)) {
		ret = ucore_metrics_define(metrics, list, err);
		return ret ? ret : choice_add(metrics,
			&metrics->definitions[metrics->nr_definitions - 1].desc, NULL, false, err);
	}
	copy = strdup(list);
	if (!copy)
		return no_memory(err);
	rest = copy;
	ret = 0;
	while (!ret && (word = strsep(&rest, ","))) {
		if (!*word)
			ret = ucore_error_set(err, -EINVAL,
					      "metric list: a metric is empty. Write a name, @CATEGORY or NAME=FORMULA");
		else if (*word == '@' || strpbrk(word, "*?["))
			ret = pattern_choose(metrics, word, err);
		else
			ret = name_choose(metrics, word, err);
	}
	free(copy);
	return ret;
}

int ucore_metrics_offer(struct ucore_metrics *metrics, const char *metric,
			struct ucore_error *err)
{
	size_t nr = metrics->nr_choices;
	int ret = ucore_metrics_choose(metrics, metric, err);

	for (; !ret && nr < metrics->nr_choices; nr++) {
		metrics->choices[nr].optional = true;
		metrics->choices[nr].offered = true;
	}
	return ret;
}
