// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics that are chosen, counted and evaluated: which events their formulas need,
 * which slots of the session belong to a value, and the values of each interval.
 * Nothing is allocated by evaluating.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "metric/expr.h"

#define MAX_NESTED	8	/* metrics in formulas of metrics */
#define MAX_TEXT	4096	/* letters of a definition */
#define DIES_AT_ONCE	64	/* sockets or dies that get an event each */

#define KEY_LETTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* A definition of the user: its strings lie one behind the other in @text */
struct definition {
	struct ucore_metric_desc desc;
	char *text;
};

/* What is chosen: by its name, or one of a category or a pattern, which may be left out */
struct choice {
	struct ucore_metric_desc desc;
	char *where;		/* NULL, or the table's with the user's values in it */
	bool optional;
	bool offered;		/* optional, whatever the reason */
};

/* What was chosen and is not counted */
struct left_out {
	const char *name;
	int code;
	struct ucore_error why;
};

/* An event of formulas, and where in the session it is counted */
struct counted {
	char spec[UCORE_SPEC_LEN];
	bool first;		/* on the first box of each socket only */
	uint32_t group;		/* of the session */
	char type[UCORE_NAME_LEN];
	size_t begin, end;	/* slots of the session */
};

enum leaf_kind {
	LEAF_SUM,		/* of the counts of an event */
	LEAF_MEAN,		/* of its boxes */
	LEAF_SECONDS,
	LEAF_MILLISECONDS,
	LEAF_SOCKETS,
	LEAF_BOXES,		/* of a type, for each socket */
	LEAF_CORES,
};

struct leaf {
	enum leaf_kind kind;
	uint32_t event;		/* index of ucore_metrics.events */
	const char *type;	/* of LEAF_BOXES */
};

/* A chosen metric that is counted */
struct metric {
	struct ucore_metric_desc desc;
	struct ucore_expr expr;
	uint32_t level;		/* of its values */
	unsigned int nr_sockets;
};

struct value {
	struct ucore_metric_value public;
	size_t metric;
	uint32_t domain;
	uint64_t running;
};

struct ucore_metrics {
	struct ucore_device *dev;
	struct ucore_session *session;
	unsigned int cores;
	struct definition *definitions;
	size_t nr_definitions;
	struct choice *choices;
	size_t nr_choices;
	struct counted *events;
	size_t nr_events;
	struct leaf *leaves;
	size_t nr_leaves;
	struct metric *metrics;
	size_t nr_metrics;
	struct left_out *left_out;
	size_t nr_left_out;
	struct value *values;
	size_t nr_values;
	size_t nr_slots;	/* of the session, when it had all events of the metrics */
	struct ucore_intervals *intervals;	/* once a record has been taken */
};

static int no_memory(struct ucore_error *err)
{
	return ucore_error_set(err, -ENOMEM, "out of memory");
}

/* Room for one more element behind the @nr that there are */
static void *array_grow(void *array, size_t nr, size_t size)
{
	/* at powers of two, and whenever it is full then */
	if (nr & (nr - 1) || !nr)
		return nr ? array : realloc(array, size);
	return realloc(array, 2 * nr * size);
}

#define GROW(array, nr) \
	({ \
		void *grown_ = array_grow(array, nr, sizeof(*(array))); \
		if (grown_) \
			(array) = grown_; \
		grown_; \
	})

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
	for (size_t i = 0; i < metrics->nr_metrics; i++)
		ucore_expr_free(&metrics->metrics[i].expr);
	free(metrics->definitions);
	free(metrics->choices);
	free(metrics->events);
	free(metrics->leaves);
	free(metrics->metrics);
	free(metrics->left_out);
	free(metrics->values);
	ucore_intervals_free(metrics->intervals);
	free(metrics);
}

void ucore_metrics_cores(struct ucore_metrics *metrics, unsigned int cores)
{
	metrics->cores = cores;
}

/* ---- definitions ------------------------------------------------------- */

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

/* "KEY=VALUE" in two, blanks cut away; NULL if there is no name before the '=' */
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

/* The parts behind the formula: unit and text are taken, aliases are joined again in @where */
static int parts_take(struct ucore_metric_desc *desc, char *rest, char *where,
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
					       "metric '%s': '%s': write ALIAS=EVENT, unit=UNIT or text=TEXT behind ';'",
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
				       "metric '%.60s': write NAME=FORMULA, and ';' before each ALIAS=EVENT",
				       text);
	desc->formula = formula;
	if (!*formula)
		return ucore_error_set(err, -EINVAL, "metric '%s': no formula", desc->name);
	return parts_take(desc, rest, where, err);
}

int ucore_metrics_define(struct ucore_metrics *metrics, const char *text,
			 struct ucore_error *err)
{
	struct definition *definition;
	size_t length = strlen(text);
	char *copy;
	int ret;

	if (length > MAX_TEXT)
		return ucore_error_set(err, -EINVAL, "metric '%.40s...': longer than %d letters",
				       text, MAX_TEXT);
	if (!GROW(metrics->definitions, metrics->nr_definitions))
		return no_memory(err);
	/* what is joined behind the text is no longer than the text, but for its separators */
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
		/* a line that ends before its end has a zero in it */
		if (length + 1 != sizeof(line) && !feof(stream) &&
		    (!length || line[length - 1] != '\n'))
			return ucore_error_set(err, -EINVAL, "%s, line %u: is no text", name,
					       number);
		if (length + 1 == sizeof(line))
			return ucore_error_set(err, -EINVAL,
					       "%s, line %u: longer than %d letters", name, number,
					       MAX_TEXT);
		if (length >= 2 && line[length - 2] == '\\' && line[length - 1] == '\n') {
			at = length - 2;
			continue;
		}
		ret = line_define(metrics, line, name, first, err);
		at = 0;
		first = number + 1;
	}
	if (!ret && at)
		return ucore_error_set(err, -EINVAL, "%s, line %u: ends with a backslash", name,
				       number);
	if (!ret && ferror(stream))
		return ucore_error_set(err, -EIO, "%s: cannot read: %s", name, strerror(errno));
	return ret;
}

/* By name: the user's, the latest first, then the platform's */
static bool metric_find(const struct ucore_metrics *metrics, const char *name,
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

static void guess_metrics(const struct ucore_metrics *metrics, struct ucore_guess *guess)
{
	struct ucore_metric_desc desc;

	for (size_t i = 0; i < metrics->nr_definitions; i++)
		ucore_guess_offer(guess, metrics->definitions[i].desc.name);
	for (size_t i = 0; ucore_metric_at(metrics->dev->info.platform, i, &desc); i++)
		ucore_guess_offer(guess, desc.name);
}

/* ---- choosing ---------------------------------------------------------- */

/* The choice of the same name, with the same values in it where some were given */
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

/* @where is given away */
static int choice_add(struct ucore_metrics *metrics, const struct ucore_metric_desc *desc,
		      char *where, bool optional, struct ucore_error *err)
{
	struct choice *choice = choice_find(metrics, desc->name, where);

	if (choice) {
		/* what is named must be counted, even if a pattern has chosen it before */
		optional &= choice->optional;
		free(where);
		where = choice->where;
	} else if (GROW(metrics->choices, metrics->nr_choices)) {
		choice = &metrics->choices[metrics->nr_choices++];
	} else {
		free(where);
		return no_memory(err);
	}
	/* the name may have got another meaning since */
	*choice = (struct choice) { .desc = *desc, .where = where, .optional = optional };
	if (where)
		choice->desc.where = where;
	return 0;
}

/* What the table leaves to the user: "band0=N" */
static const char *open_value(const char *where)
{
	const char *open = strstr(where, "=N/");

	while (open && open > where && (isalnum((unsigned char)open[-1]) || open[-1] == '_'))
		open--;
	return open;
}

/* The table's events with "band0=12" in place of "band0=N" */
static int value_fill(const struct ucore_metric_desc *desc, const char *given, char **where,
		      struct ucore_error *err)
{
	const char *open = open_value(desc->where);
	size_t key = open ? strcspn(open, "=") : 0;
	size_t length = strspn(given, KEY_LETTERS);

	if (!open)
		return ucore_error_set(err, -EINVAL, "metric '%s': leaves nothing open: drop ':%s'",
				       desc->name, given);
	if (strncasecmp(given, open, key) || given[key] != '=' ||
	    length != key || !isdigit((unsigned char)given[key + 1]) ||
	    given[key + 1 + strspn(given + key + 1, KEY_LETTERS)])
		return ucore_error_set(err, -EINVAL,
				       "metric '%s': '%s': write %.*s=NUMBER", desc->name, given,
				       (int)key, open);
	if (asprintf(where, "%.*s%s%s", (int)(open - desc->where), desc->where, given,
		     open + key + 2) < 0) {
		*where = NULL;
		return no_memory(err);
	}
	return 0;
}

/* Is the word one of those with blanks between? */
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
				       "metric '%s' is not known here: a category is written '@%s'",
				       name, name);
	if (strchr(name, '/') ||
	    ucore_platform_event(ucore_platform_find(platform), NULL, name, &desc))
		return ucore_error_set(err, -ENOENT,
				       "metric '%s' is not known here: it is written like an event (-e); a metric of it is 'x={%s}'",
				       name, name);
	ucore_guess_start(&guess, name);
	guess_metrics(metrics, &guess);
	return ucore_error_set(err, -ENOENT, "metric '%s' is not known here%s%s%s; see 'ucoretool list metrics'",
			       name, guess.best ? ": did you mean '" : "",
			       guess.best ? guess.best : "", guess.best ? "'?" : "");
}

static int name_choose(struct ucore_metrics *metrics, char *name, struct ucore_error *err)
{
	struct ucore_metric_desc desc;
	char *given = strchr(name, ':'), *where = NULL;
	const char *open;
	int ret;

	if (given)
		*given++ = 0;
	if (!metric_find(metrics, name, &desc))
		return unknown_metric(metrics, name, err);
	if (*desc.omitted)
		return ucore_error_set(err, -ENXIO,
				       "metric '%s' cannot be counted at one instant: %s",
				       desc.name, desc.omitted);
	open = open_value(desc.where);
	if (!given && open)
		return ucore_error_set(err, -EINVAL, "metric '%s' leaves %.*s open: write %s:%.*s=NUMBER",
				       desc.name, (int)strcspn(open, "="), open, desc.name,
				       (int)strcspn(open, "="), open);
	ret = given ? value_fill(&desc, given, &where, err) : 0;
	return ret ? ret : choice_add(metrics, &desc, where, false, err);
}

static bool pattern_takes(const char *word, const struct ucore_metric_desc *desc)
{
	if (*word == '@')
		return has_word(desc->category, word + 1);
	return !fnmatch(word, desc->name, FNM_CASEFOLD);
}

/* Each category once */
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

/* What a name that fits a pattern means; a metric that leaves something open is not meant */
static int fitting_choose(struct ucore_metrics *metrics, const char *name, size_t *found,
			  struct ucore_error *err)
{
	struct ucore_metric_desc desc;

	if (!metric_find(metrics, name, &desc) || *desc.omitted || open_value(desc.where))
		return 0;
	++*found;
	return choice_add(metrics, &desc, NULL, true, err);
}

static int pattern_choose(struct ucore_metrics *metrics, const char *word,
			  struct ucore_error *err)
{
	const char *platform = metrics->dev->info.platform;
	struct ucore_metric_desc desc;
	char categories[200];
	size_t found = 0;
	int ret = 0;

	for (size_t i = 0; i < metrics->nr_definitions && !ret; i++)
		if (pattern_takes(word, &metrics->definitions[i].desc))
			ret = fitting_choose(metrics, metrics->definitions[i].desc.name, &found,
					     err);
	for (size_t i = 0; !ret && ucore_metric_at(platform, i, &desc); i++)
		if (pattern_takes(word, &desc))
			ret = fitting_choose(metrics, desc.name, &found, err);
	if (ret || found)
		return ret;
	if (*word != '@')
		return ucore_error_set(err, -ENOENT, "no metric is like '%s' here; see 'ucoretool list metrics'",
				       word);
	categories_text(platform, categories, sizeof(categories));
	return ucore_error_set(err, -ENOENT, "no category '%s' of metrics here%s%s", word + 1,
			       *categories ? ": there are " : "", categories);
}

/* A name, then '=': a definition, whatever else is in it */
static bool is_definition(const char *text)
{
	text += strspn(text, " \t");
	text += strspn(text, KEY_LETTERS ".");
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
					      "a metric is empty: write a name, @CATEGORY or NAME=FORMULA");
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

/* ---- names in formulas ------------------------------------------------- */

struct compiler {
	struct ucore_metrics *metrics;
	const struct ucore_metric_desc *desc;
};

/* What an alias stands for, and of how many letters that is; NULL if it is none */
static const char *alias_find(const char *where, const char *name, size_t *nr)
{
	size_t length = strlen(name);

	while (*where) {
		size_t part = strcspn(where, ";");

		if (part > length && !strncmp(where, name, length) && where[length] == '=') {
			*nr = part - length - 1;
			return where + length + 1;
		}
		where += part + (where[part] == ';');
		where += strspn(where, " ");
	}
	return NULL;
}

static int leaf_compile(struct ucore_metrics *metrics, struct ucore_expr *expr,
			const struct leaf *leaf, struct ucore_error *err)
{
	for (size_t i = 0; i < metrics->nr_leaves; i++) {
		const struct leaf *other = &metrics->leaves[i];

		if (other->kind == leaf->kind && other->event == leaf->event &&
		    other->type == leaf->type)
			return ucore_expr_leaf(expr, (uint32_t)i, err);
	}
	if (!GROW(metrics->leaves, metrics->nr_leaves))
		return no_memory(err);
	metrics->leaves[metrics->nr_leaves] = *leaf;
	return ucore_expr_leaf(expr, (uint32_t)metrics->nr_leaves++, err);
}

/* Words that are no events */
static bool constant_find(const char *name, struct leaf *leaf)
{
	static const struct {
		const char *name;
		struct leaf leaf;
	} constants[] = {
		{ "DURATIONTIMEINSECONDS", { LEAF_SECONDS } },
		{ "seconds", { LEAF_SECONDS } },
		{ "DURATIONTIMEINMILLISECONDS", { LEAF_MILLISECONDS } },
		{ "SOCKET_COUNT", { LEAF_SOCKETS } },
		{ "CHAS_PER_SOCKET", { LEAF_BOXES, .type = "cha" } },
		{ "CBOXES_PER_SOCKET", { LEAF_BOXES, .type = "cbo" } },
		{ "CHANNELS_PER_SOCKET", { LEAF_BOXES, .type = "imc" } },
		{ "QPI_PORTS_PER_SOCKET", { LEAF_BOXES, .type = "qpi" } },
		{ "CORES_PER_SOCKET", { LEAF_CORES } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (!strcasecmp(constants[i].name, name)) {
			*leaf = constants[i].leaf;
			return true;
		}
	return false;
}

static int event_compile(struct ucore_metrics *metrics, struct ucore_expr *expr,
			 const char *spec, bool first, bool mean, struct ucore_error *err)
{
	struct leaf leaf = { .kind = mean ? LEAF_MEAN : LEAF_SUM };
	struct counted *event;

	for (; leaf.event < metrics->nr_events; leaf.event++) {
		event = &metrics->events[leaf.event];
		if (!strcmp(event->spec, spec) && event->first == first &&
		    event->group == metrics->session->group)
			return leaf_compile(metrics, expr, &leaf, err);
	}
	if (!GROW(metrics->events, metrics->nr_events))
		return no_memory(err);
	event = &metrics->events[metrics->nr_events++];
	*event = (struct counted) { .first = first, .group = metrics->session->group };
	snprintf(event->spec, sizeof(event->spec), "%s", spec);
	return leaf_compile(metrics, expr, &leaf, err);
}

static int unknown_name(struct compiler *c, const char *name, struct ucore_error *err)
{
	const struct ucore_platform *platform = ucore_platform_find(c->metrics->dev->info.platform);
	struct ucore_event_desc desc;
	struct ucore_guess guess;

	ucore_guess_start(&guess, name);
	guess_metrics(c->metrics, &guess);
	for (size_t i = 0; platform && i < platform->nr_events; i++) {
		ucore_platform_event_at(platform, i, &desc);
		ucore_guess_offer(&guess, desc.name);
	}
	return ucore_error_set(err, -ENOENT,
			       "'%s' is no alias, event, metric or constant here%s%s%s", name,
			       guess.best ? ": did you mean '" : "", guess.best ? guess.best : "",
			       guess.best ? "'?" : "");
}

static int name_compile(struct ucore_expr_names *names, struct ucore_expr *expr, const char *name,
			bool first, struct ucore_error *err);

/* A metric in the formula of another one */
static int nested_compile(struct ucore_expr_names *names, struct ucore_expr *expr,
			  const struct ucore_metric_desc *desc, struct ucore_error *err)
{
	struct compiler *outer = names->data;
	struct compiler inner = { .metrics = outer->metrics, .desc = desc };
	struct ucore_expr_names these = {
		.compile = name_compile, .data = &inner, .depth = names->depth + 1,
	};

	if (these.depth > MAX_NESTED)
		return ucore_error_set(err, -EINVAL,
				       "'%s' leads back to itself, or through more than %d metrics",
				       desc->name, MAX_NESTED);
	if (*desc->omitted)
		return ucore_error_set(err, -ENXIO, "'%s' cannot be counted at one instant: %s",
				       desc->name, desc->omitted);
	return ucore_expr_parse(expr, desc->formula, &these, err);
}

static bool is_event(const struct compiler *c, const char *name)
{
	const struct ucore_platform *platform = ucore_platform_find(c->metrics->dev->info.platform);
	const struct ucore_platform *core = ucore_platform_find(UCORE_CORE_TYPE);
	struct ucore_event_desc desc;

	return strchr(name, '/') || ucore_platform_event(platform, NULL, name, &desc) ||
	       ucore_platform_event(core, NULL, name, &desc);
}

/* An alias goes before all; its "[one]" is one box of each socket */
static int name_compile(struct ucore_expr_names *names, struct ucore_expr *expr, const char *name,
			bool first, struct ucore_error *err)
{
	struct compiler *c = names->data;
	struct ucore_metric_desc desc;
	char value[UCORE_SPEC_LEN];
	const char *alias;
	struct leaf leaf;
	char *one = NULL;
	size_t nr;

	alias = alias_find(c->desc->where, name, &nr);
	if (alias) {
		if (nr >= sizeof(value))
			return ucore_error_set(err, -EINVAL,
					       "'%s' stands for more than %zu letters", name,
					       sizeof(value) - 1);
		memcpy(value, alias, nr);
		value[nr] = 0;
		name = value;
		one = strstr(value, "[one]");
		if (one)
			*one = 0;
	}
	if (!first && !one && constant_find(name, &leaf))
		return leaf_compile(c->metrics, expr, &leaf, err);
	if (is_event(c, name))
		return event_compile(c->metrics, expr, name, first || one, !!one, err);
	if (first || one || !metric_find(c->metrics, name, &desc))
		return unknown_name(c, name, err);
	return nested_compile(names, expr, &desc, err);
}

/* ---- counting ---------------------------------------------------------- */

static const struct ucore_domain_info *domain_of(const struct ucore_metrics *metrics, size_t slot)
{
	return ucore_device_domain(metrics->dev, metrics->session->slots[slot].domain);
}

static uint32_t package_of(const struct ucore_metrics *metrics, size_t slot)
{
	const struct ucore_domain_info *domain = domain_of(metrics, slot);

	return domain ? domain->package : 0;
}

/* The first box of the event on each socket, one event for each of them */
static int first_add(struct ucore_metrics *metrics, struct ucore_event *event,
		     struct ucore_error *err)
{
	const struct ucore_device *dev = metrics->dev;
	const struct ucore_box_info *boxes[DIES_AT_ONCE];
	uint32_t packages[DIES_AT_ONCE];
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < dev->nr_boxes && nr < DIES_AT_ONCE; i++) {
		const struct ucore_box_info *box = &dev->boxes[i];
		const struct ucore_domain_info *domain = ucore_device_domain(dev, box->domain);
		size_t j = 0;

		if (!ucore_event_matches(event, box) || !domain)
			continue;
		while (j < nr && packages[j] != domain->package)
			j++;
		if (j == nr) {
			packages[nr] = domain->package;
			boxes[nr++] = box;
		}
	}
	for (size_t i = 0; i < nr && !ret; i++) {
		event->die = boxes[i]->die;
		event->instance = boxes[i]->instance;
		event->last = event->instance;
		ret = ucore_session_add(metrics->session, event, err);
	}
	return ret;
}

/* "LOCAL_NODE" is another node for each die: the bit of its number */
static int local_add(struct ucore_metrics *metrics, const char *text, struct ucore_error *err)
{
	const struct ucore_device *dev = metrics->dev;
	const char *word = strstr(text, "LOCAL_NODE");
	int ret = 0;

	for (size_t i = 0; i < dev->nr_domains && !ret; i++) {
		const struct ucore_domain_info *domain = &dev->domains[i];
		char filled[UCORE_SPEC_LEN + 32];
		const char *list = filled;
		struct ucore_spec spec;
		struct ucore_event event;

		if (domain->scope != UCORE_SCOPE_DIE || domain->die >= 32)
			continue;
		snprintf(filled, sizeof(filled), "%.*s0x%x,die=%u%s", (int)(word - text), text,
			 1U << domain->die, domain->die, word + strlen("LOCAL_NODE"));
		ret = ucore_spec_next(&list, &spec, err) < 0 ? -EINVAL :
		      ucore_spec_resolve(metrics->dev, &spec, &event, err);
		if (!ret)
			ret = ucore_session_add(metrics->session, &event, err);
	}
	return ret;
}

static int event_add(struct ucore_metrics *metrics, struct counted *counted,
		     struct ucore_error *err)
{
	const char *list = counted->spec;
	struct ucore_spec spec;
	struct ucore_event event;
	int ret;

	counted->begin = metrics->session->nr_slots;
	if (strstr(counted->spec, "LOCAL_NODE")) {
		ret = local_add(metrics, counted->spec, err);
	} else {
		ret = ucore_spec_next(&list, &spec, err) < 0 ? -EINVAL : 0;
		if (!ret && list)
			ret = ucore_error_set(err, -EINVAL, "'%s': one event for each alias",
					      counted->spec);
		if (!ret)
			ret = ucore_spec_resolve(metrics->dev, &spec, &event, err);
		if (!ret && event.period)
			ret = ucore_error_set(err, -EINVAL,
					      "'%s': period= makes samples: a metric takes none",
					      counted->spec);
		if (!ret)
			ret = counted->first ? first_add(metrics, &event, err) :
			      ucore_session_add(metrics->session, &event, err);
	}
	if (ret)
		return ret;
	counted->end = metrics->session->nr_slots;
	if (counted->end == counted->begin)
		return ucore_error_set(err, -ENOENT, "'%s': no box here", counted->spec);
	memcpy(counted->type,
	       metrics->session->events[metrics->session->nr_events - 1].type,
	       sizeof(counted->type));
	return 0;
}

/* The next event of a metric, beginning with operation @at; NULL behind the last */
static const struct counted *metric_event(const struct ucore_metrics *metrics,
					  const struct metric *metric, size_t *at)
{
	while (*at < metric->expr.nr) {
		const struct ucore_expr_op *op = &metric->expr.ops[(*at)++];
		const struct leaf *leaf;

		if (op->kind != EXPR_LEAF)
			continue;
		leaf = &metrics->leaves[op->leaf];
		if (leaf->kind <= LEAF_MEAN)
			return &metrics->events[leaf->event];
	}
	return NULL;
}

/* Boxes of one type, all of them, can be told one by one */
static uint32_t levels_of(const struct ucore_metrics *metrics, const struct metric *metric)
{
	const struct counted *event, *one = NULL;

	if (metric->desc.levels)
		return metric->desc.levels;
	for (size_t at = 0; (event = metric_event(metrics, metric, &at));) {
		if (event->first || (one && strcmp(one->type, event->type)))
			return UCORE_LEVEL_SYSTEM | UCORE_LEVEL_SOCKET;
		one = event;
	}
	return UCORE_LEVEL_SYSTEM | UCORE_LEVEL_SOCKET | UCORE_LEVEL_BOX;
}

static uint32_t level_choose(uint32_t level, uint32_t levels)
{
	while (level > UCORE_LEVEL_SYSTEM && !(levels & level))
		level >>= 1;
	return level;
}

/* Compile a metric and count its events; what is half done stays for choice_undo() */
static int choice_count(struct ucore_metrics *metrics, const struct choice *choice,
			uint32_t level, struct ucore_error *err)
{
	struct compiler c = { .metrics = metrics, .desc = &choice->desc };
	struct ucore_expr_names names = { .compile = name_compile, .data = &c };
	size_t nr_events = metrics->nr_events, at = 0;
	struct metric *metric;
	int ret;

	if (!GROW(metrics->metrics, metrics->nr_metrics))
		return no_memory(err);
	metric = &metrics->metrics[metrics->nr_metrics++];
	*metric = (struct metric) { .desc = choice->desc };
	ret = ucore_expr_parse(&metric->expr, metric->desc.formula, &names, err);
	if (!ret && !metric_event(metrics, metric, &at))
		ret = ucore_error_set(err, -EINVAL, "no event in the formula '%.160s'",
				      metric->desc.formula);
	for (size_t i = nr_events; !ret && i < metrics->nr_events; i++)
		ret = event_add(metrics, &metrics->events[i], err);
	if (!ret)
		metric->level = level_choose(level, levels_of(metrics, metric));
	return ret;
}

/* As it was before choice_count() failed */
static void choice_undo(struct ucore_metrics *metrics, size_t nr_metrics, size_t nr_events,
			size_t nr_leaves, size_t session_events)
{
	while (metrics->nr_metrics > nr_metrics)
		ucore_expr_free(&metrics->metrics[--metrics->nr_metrics].expr);
	metrics->nr_events = nr_events;
	metrics->nr_leaves = nr_leaves;
	ucore_session_truncate(metrics->session, session_events);
}

/* Reasons of this machine, not of the metric: a metric of a category may do without */
static bool may_leave_out(const struct choice *choice, int code)
{
	if (choice->offered)
		return code != -ENOMEM;
	if (!choice->optional)
		return false;
	return code == -ENOSPC || code == -EADDRINUSE || code == -ENOENT || code == -ENXIO;
}

static int choice_attach(struct ucore_metrics *metrics, const struct choice *choice,
			 uint32_t level, struct ucore_error *err)
{
	size_t nr_metrics = metrics->nr_metrics, nr_events = metrics->nr_events;
	size_t nr_leaves = metrics->nr_leaves, session_events = metrics->session->nr_events;
	struct ucore_error why;
	struct ucore_session *session = metrics->session;
	uint32_t group = session->config.rotate_ns ? 1 : 0, last = session->last_group;
	int ret;

	/* a metric is of one group, whole; behind the last group there is an empty one */
	do {
		session->group = group;
		ret = choice_count(metrics, choice, level, &why);
		if (!ret)
			break;
		choice_undo(metrics, nr_metrics, nr_events, nr_leaves, session_events);
		session->last_group = last;
	} while (ret == -ENOSPC && group && ++group <= last + 1 && group <= UCORE_GROUP_MAX);
	session->group = 0;
	if (!ret)
		return 0;
	if (!may_leave_out(choice, ret))
		return ucore_error_set(err, ret, "metric '%s': %s", choice->desc.name, why.text);
	if (!GROW(metrics->left_out, metrics->nr_left_out))
		return no_memory(err);
	metrics->left_out[metrics->nr_left_out++] = (struct left_out) {
		.name = choice->desc.name, .code = ret, .why = why,
	};
	/* should it be the last */
	return ucore_error_set(err, 0, "metric '%s': %s", choice->desc.name, why.text);
}

/* ---- values ------------------------------------------------------------ */

/* Is the slot one of those that the value is about? */
static bool value_takes(const struct ucore_metrics *metrics, const struct value *value,
			size_t slot)
{
	switch (value->public.level) {
	case UCORE_LEVEL_SYSTEM:
		return true;
	case UCORE_LEVEL_SOCKET:
		return package_of(metrics, slot) == value->public.package;
	default:
		return metrics->session->slots[slot].domain == value->domain &&
		       metrics->session->slots[slot].instance == value->public.instance;
	}
}

static bool has_value(const struct ucore_metrics *metrics, size_t first, size_t slot)
{
	for (size_t i = first; i < metrics->nr_values; i++)
		if (value_takes(metrics, &metrics->values[i], slot))
			return true;
	return false;
}

static int value_add(struct ucore_metrics *metrics, size_t metric, const char *type, size_t slot)
{
	const struct ucore_domain_info *domain = domain_of(metrics, slot);

	if (!GROW(metrics->values, metrics->nr_values))
		return -ENOMEM;
	metrics->values[metrics->nr_values++] = (struct value) {
		.public = {
			.metric = &metrics->metrics[metric].desc,
			.level = metrics->metrics[metric].level,
			.package = domain ? domain->package : 0,
			.die = domain ? domain->die : 0,
			.cpu = domain ? domain->cpu : -1,
			.type = type,
			.instance = metrics->session->slots[slot].instance,
			.value = __builtin_nan(""),
		},
		.metric = metric,
		.domain = metrics->session->slots[slot].domain,
	};
	return 0;
}

/* A value for each socket or box that an event of the metric is counted on */
static int values_make(struct ucore_metrics *metrics, size_t index)
{
	const struct metric *metric = &metrics->metrics[index];
	size_t first = metrics->nr_values;
	const struct counted *event;
	int ret = 0;

	for (size_t at = 0; !ret && (event = metric_event(metrics, metric, &at));)
		for (size_t slot = event->begin; !ret && slot < event->end; slot++)
			if (!has_value(metrics, first, slot))
				ret = value_add(metrics, index, event->type, slot);
	return ret;
}

/* Sockets that the metric's events are counted on */
static unsigned int sockets_of(const struct ucore_metrics *metrics, const struct metric *metric)
{
	uint32_t packages[DIES_AT_ONCE];
	const struct counted *event;
	unsigned int nr = 0;

	for (size_t at = 0; (event = metric_event(metrics, metric, &at));)
		for (size_t slot = event->begin; slot < event->end; slot++) {
			uint32_t package = package_of(metrics, slot);
			unsigned int i = 0;

			while (i < nr && packages[i] != package)
				i++;
			if (i == nr && nr < DIES_AT_ONCE)
				packages[nr++] = package;
		}
	return nr;
}

/* Nobody insisted on any of them */
static bool all_offered(const struct ucore_metrics *metrics)
{
	for (size_t i = 0; i < metrics->nr_choices; i++)
		if (!metrics->choices[i].offered)
			return false;
	return true;
}

/* All choices, or what explains why not */
static int choices_attach(struct ucore_metrics *metrics, uint32_t level, struct ucore_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < metrics->nr_choices && !ret; i++)
		ret = choice_attach(metrics, &metrics->choices[i], level, err);
	if (!ret && !metrics->nr_metrics && !all_offered(metrics)) {
		struct ucore_error last = *err;

		return ucore_error_set(err, -ENOSPC, "none of the metrics can be counted here; %.300s",
				       last.text);
	}
	for (size_t i = 0; i < metrics->nr_metrics && !ret; i++) {
		metrics->metrics[i].nr_sockets = sockets_of(metrics, &metrics->metrics[i]);
		ret = values_make(metrics, i) ? no_memory(err) : 0;
	}
	return ret;
}

int ucore_metrics_attach(struct ucore_metrics *metrics, struct ucore_session *session,
			 uint32_t level, struct ucore_error *err)
{
	size_t session_events = session->nr_events;
	struct ucore_error why;
	int ret;

	if (metrics->session)
		return ucore_error_set(err, -EALREADY, "the metrics are counted already");
	metrics->session = session;
	ret = choices_attach(metrics, level, &why);
	metrics->nr_slots = session->nr_slots;
	if (!ret)
		return 0;
	choice_undo(metrics, 0, 0, 0, session_events);
	metrics->nr_values = 0;
	metrics->nr_left_out = 0;
	metrics->session = NULL;
	return ucore_error_set(err, ret, "%s", why.text);
}

const char *ucore_metrics_left_out(const struct ucore_metrics *metrics, size_t i)
{
	return i < metrics->nr_left_out ? metrics->left_out[i].name : NULL;
}

int ucore_metrics_left_out_error(const struct ucore_metrics *metrics, size_t i,
				 struct ucore_error *err)
{
	if (i >= metrics->nr_left_out)
		return 0;
	return ucore_error_set(err, metrics->left_out[i].code, "%s", metrics->left_out[i].why.text);
}

/* ---- evaluating -------------------------------------------------------- */

struct evaluation {
	const struct ucore_metrics *metrics;
	const struct ucore_delta_value *slots;
	const struct value *value;
};

static double counts_value(const struct evaluation *e, const struct leaf *leaf)
{
	const struct counted *event = &e->metrics->events[leaf->event];
	double sum = 0;
	size_t nr = 0;

	for (size_t slot = event->begin; slot < event->end; slot++)
		if (value_takes(e->metrics, e->value, slot)) {
			sum += ucore_delta_scaled(&e->slots[slot]);
			nr++;
		}
	if (!nr)
		return __builtin_nan("");
	return leaf->kind == LEAF_MEAN ? sum / (double)nr : sum;
}

/* Boxes of a type on the socket, or on a socket of the mean */
static double boxes_value(const struct evaluation *e, const char *type, double sockets)
{
	const struct ucore_device *dev = e->metrics->dev;
	size_t nr = 0;

	if (e->value->public.level == UCORE_LEVEL_BOX)
		return 1;
	for (size_t i = 0; i < dev->nr_boxes; i++) {
		const struct ucore_domain_info *domain;

		if (strcmp(dev->boxes[i].type, type))
			continue;
		domain = ucore_device_domain(dev, dev->boxes[i].domain);
		nr += e->value->public.level == UCORE_LEVEL_SYSTEM ||
		      (domain && domain->package == e->value->public.package);
	}
	return (double)nr / sockets;
}

static double leaf_value(void *data, uint32_t index)
{
	const struct evaluation *e = data;
	const struct leaf *leaf = &e->metrics->leaves[index];
	double sockets = e->value->public.level == UCORE_LEVEL_SYSTEM ?
			 e->metrics->metrics[e->value->metric].nr_sockets : 1;

	switch (leaf->kind) {
	case LEAF_SECONDS:
		return (double)e->value->running / 1e9;
	case LEAF_MILLISECONDS:
		return (double)e->value->running / 1e6;
	case LEAF_SOCKETS:
		return sockets;
	case LEAF_BOXES:
		return boxes_value(e, leaf->type, sockets);
	case LEAF_CORES:
		return e->metrics->cores ? e->metrics->cores : __builtin_nan("");
	default:
		return counts_value(e, leaf);
	}
}

static double less(double a, double b)
{
	return a < b ? a : b;
}

static double share_of(const struct ucore_delta_value *value)
{
	return value->possible ? (double)value->running / (double)value->possible : 1;
}

/* The longest time that one of its counters counted, and what is to be said of any */
static void value_prepare(const struct ucore_metrics *metrics, struct value *value,
			  const struct ucore_delta_value *slots)
{
	const struct metric *metric = &metrics->metrics[value->metric];
	const struct counted *event;

	value->running = 0;
	value->public.flags = 0;
	value->public.share = 1;
	for (size_t at = 0; (event = metric_event(metrics, metric, &at));)
		for (size_t slot = event->begin; slot < event->end; slot++) {
			if (!value_takes(metrics, value, slot))
				continue;
			/* counts are scaled to it */
			if (slots[slot].possible > value->running)
				value->running = slots[slot].possible;
			value->public.share = less(value->public.share, share_of(&slots[slot]));
			value->public.flags |= slots[slot].flags;
		}
}

static void value_evaluate(struct ucore_metrics *metrics, struct value *value,
			   const struct ucore_delta_value *slots)
{
	struct evaluation e = { .metrics = metrics, .slots = slots, .value = value };

	value_prepare(metrics, value, slots);
	value->public.running = value->running;
	value->public.value = ucore_expr_value(&metrics->metrics[value->metric].expr, leaf_value,
					       &e);
}

void ucore_metrics_evaluate(struct ucore_metrics *metrics, const struct ucore_delta *delta)
{
	const struct ucore_delta_value *slots;
	size_t nr;

	slots = ucore_delta_values(delta, &nr);
	for (size_t i = 0; i < metrics->nr_values; i++)
		if (nr < metrics->nr_slots)
			metrics->values[i].public.value = __builtin_nan("");
		else
			value_evaluate(metrics, &metrics->values[i], slots);
}

/* The values of all sockets, or those of one and its boxes */
static int scope_evaluate(struct ucore_metrics *metrics, enum ucore_interval_scope scope,
			  uint32_t package)
{
	bool of_all = scope == INTERVAL_ALL;
	int nr = 0;

	for (size_t i = 0; i < metrics->nr_values; i++) {
		struct value *value = &metrics->values[i];
		bool all = value->public.level == UCORE_LEVEL_SYSTEM;

		if (all != of_all || (!all && value->public.package != package))
			continue;
		value_evaluate(metrics, value, ucore_intervals_values(metrics->intervals, scope));
		value->public.fresh = true;
		nr++;
	}
	ucore_intervals_begin(metrics->intervals, scope, package);
	return nr;
}

int ucore_metrics_take(struct ucore_metrics *metrics, uint32_t domain,
		       const struct ucore_record *record)
{
	unsigned int complete;
	uint32_t package = 0;
	int nr = 0;

	if (!metrics->intervals && ucore_intervals_create(metrics->session, &metrics->intervals))
		return -ENOMEM;
	for (size_t i = 0; i < metrics->nr_values; i++)
		metrics->values[i].public.fresh = false;
	complete = ucore_intervals_take(metrics->intervals, domain, record, &package);
	for (int i = 0; i < NR_INTERVALS; i++)
		if (complete & 1U << i)
			nr += scope_evaluate(metrics, (enum ucore_interval_scope)i, package);
	return nr;
}

const struct ucore_metric_value *ucore_metrics_value(const struct ucore_metrics *metrics,
						     size_t i)
{
	return i < metrics->nr_values ? &metrics->values[i].public : NULL;
}
