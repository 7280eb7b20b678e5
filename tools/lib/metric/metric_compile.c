// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Compiler of formulas: resolves names to aliases, constants, events and other metrics.
 */
#include "metric/metric.h"

#define MAX_NESTED	8	/* maximum nesting depth of metrics in formulas of metrics */

struct compiler {
	struct ucore_metrics *metrics;
	struct metric *metric;
	const struct ucore_metric_desc *desc;
};

/* Suffixes of an event in an alias */
struct suffixes {
	bool one;		/* "[one]": first box of each socket, mean in place of the sum */
	bool optional;		/* "[optional]": 0 without boxes of the event's type */
};

/* Return the text that an alias stands for, with its length in @nr; NULL if no such alias */
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
		    other->type == leaf->type && other->optional == leaf->optional)
			return ucore_expr_leaf(expr, (uint32_t)i, err);
	}
	if (!GROW(metrics->leaves, metrics->nr_leaves))
		return no_memory(err);
	metrics->leaves[metrics->nr_leaves] = *leaf;
	return ucore_expr_leaf(expr, (uint32_t)metrics->nr_leaves++, err);
}

/* Find a constant of formulas, such as SOCKET_COUNT, by its name */
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
		{ "LINK_SPEED", { LEAF_LINK_SPEED } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (!strcasecmp(constants[i].name, name)) {
			*leaf = constants[i].leaf;
			return true;
		}
	return false;
}

static int event_compile(struct ucore_metrics *metrics, struct ucore_expr *expr,
			 const char *spec, bool first, const struct suffixes *suffixes,
			 struct ucore_error *err)
{
	struct leaf leaf = {
		.kind = suffixes->one ? LEAF_MEAN : LEAF_SUM, .optional = suffixes->optional,
	};
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

/*
 * Find an event with slashes in a formula that lacks the braces: "imc/CAS_COUNT.RD/" where @name
 * is "imc".  Returns true if the machine accepts the event, and stores its text in @text.
 */
static bool event_without_braces(struct compiler *c, const char *name, char *text)
{
	size_t length = strlen(name);

	for (const char *at = strstr(c->desc->formula, name); at; at = strstr(at + 1, name)) {
		const char *end = at[length] == '/' ? strchr(at + length + 1, '/') : NULL;
		const char *list = text;
		struct ucore_event event;
		struct ucore_spec spec;

		if (!end || end - at + 2 > UCORE_SPEC_LEN)
			continue;
		snprintf(text, UCORE_SPEC_LEN, "%.*s", (int)(end - at + 1), at);
		if (ucore_spec_next(&list, &spec, NULL) == 1 &&
		    !ucore_spec_resolve(c->metrics->dev, &spec, &event, NULL))
			return true;
	}
	return false;
}

static int unknown_name(struct compiler *c, const char *name, struct ucore_error *err)
{
	const struct ucore_platform *platform = ucore_platform_find(c->metrics->dev->info.platform);
	struct ucore_event_desc desc;
	char text[UCORE_SPEC_LEN];
	struct ucore_guess guess;

	if (event_without_braces(c, name, text))
		return ucore_error_set(err, -ENOENT,
				       "'%s' is an event with slashes. Write it in braces: {%s}",
				       text, text);
	ucore_guess_start(&guess, name);
	ucore_metrics_guess(c->metrics, c->desc->name, &guess);
	for (size_t i = 0; platform && i < platform->nr_events && guess.distance; i++) {
		ucore_platform_event_at(platform, i, &desc);
		ucore_guess_offer(&guess, desc.name);
		if (!strcasecmp(ucore_event_desc_short(&desc), name)) {
			guess.best = desc.name;
			guess.distance = 0;
		}
	}
	return ucore_error_set(err, -ENOENT,
			       "'%s' is no alias, event, metric or constant%s%s%s. Write events with slashes in braces: {box/EVENT/}",
			       name, guess.best ? " (did you mean '" : "",
			       guess.best ? guess.best : "", guess.best ? "'?)" : "");
}

static int name_compile(struct ucore_expr_names *names, struct ucore_expr *expr, const char *name,
			bool first, struct ucore_error *err);

/* Compile the formula of a metric whose name occurs in the formula of another metric */
static int nested_compile(struct ucore_expr_names *names, struct ucore_expr *expr,
			  const struct ucore_metric_desc *desc, struct ucore_error *err)
{
	struct compiler *outer = names->data;
	struct compiler inner = {
		.metrics = outer->metrics, .metric = outer->metric, .desc = desc,
	};
	struct ucore_expr_names inner_names = {
		.compile = name_compile, .data = &inner, .depth = names->depth + 1,
	};

	if (inner_names.depth > MAX_NESTED)
		return ucore_error_set(err, -EINVAL,
				       "'%s' refers to itself, or metrics are nested deeper than %d",
				       desc->name, MAX_NESTED);
	if (*desc->omitted)
		return ucore_error_set(err, -ENXIO, "'%s' cannot be counted at one instant: %s",
				       desc->name, desc->omitted);
	return ucore_expr_parse(expr, desc->formula, &inner_names, err);
}

static bool is_event(const struct compiler *c, const char *name)
{
	const struct ucore_platform *platform = ucore_platform_find(c->metrics->dev->info.platform);
	const struct ucore_platform *core = ucore_platform_find(UCORE_CORE_TYPE);
	struct ucore_event_desc desc;

	return strchr(name, '/') || ucore_platform_event(platform, NULL, name, &desc) ||
	       ucore_platform_event(core, NULL, name, &desc);
}

/* Cut the suffix @suffix from an alias's event; return true if it was there */
static bool suffix_cut(char *value, const char *suffix)
{
	char *at = strstr(value, suffix);

	if (at)
		*at = 0;
	return at;
}

/* Return true if the machine has boxes of the type of an event, which is a full name */
static bool event_has_boxes(const struct compiler *c, const char *name)
{
	const struct ucore_device *dev = c->metrics->dev;
	struct ucore_event_desc desc;

	if (!ucore_platform_event(ucore_platform_find(dev->info.platform), NULL, name, &desc))
		return true;
	for (size_t i = 0; i < dev->nr_boxes; i++)
		if (!strcmp(dev->boxes[i].type, desc.unit->type))
			return true;
	return false;
}

static int zero_compile(struct compiler *c, struct ucore_expr *expr, const char *name,
			struct ucore_error *err)
{
	const struct leaf leaf = { LEAF_ZERO };

	/* the first event is the one that an error names */
	if (!*c->metric->missing)
		snprintf(c->metric->missing, sizeof(c->metric->missing), "%s", name);
	return leaf_compile(c->metrics, expr, &leaf, err);
}

/* Compile a name in a formula: an alias, otherwise a constant, an event or a metric */
static int name_compile(struct ucore_expr_names *names, struct ucore_expr *expr, const char *name,
			bool first, struct ucore_error *err)
{
	struct compiler *c = names->data;
	struct ucore_metric_desc desc;
	char value[UCORE_SPEC_LEN];
	const char *alias;
	struct suffixes suffixes = { 0 };
	struct leaf leaf;
	size_t nr;

	alias = alias_find(c->desc->where, name, &nr);
	if (alias) {
		if (nr >= sizeof(value))
			return ucore_error_set(err, -EINVAL,
					       "alias '%s': too long. Use at most %zu characters",
					       name, sizeof(value) - 1);
		memcpy(value, alias, nr);
		value[nr] = 0;
		suffixes.one = suffix_cut(value, "[one]");
		suffixes.optional = suffix_cut(value, "[optional]");
		if (!*value)
			return ucore_error_set(err, -EINVAL, "alias '%s': names no event", name);
		name = value;
		c->metric->by_type |= suffixes.optional;
	}
	first |= suffixes.one;
	if (!first && constant_find(name, &leaf))
		return leaf_compile(c->metrics, expr, &leaf, err);
	if (suffixes.optional && !event_has_boxes(c, name))
		return zero_compile(c, expr, name, err);
	if (is_event(c, name))
		return event_compile(c->metrics, expr, name, first, &suffixes, err);
	if (first || !ucore_metrics_find(c->metrics, name, &desc))
		return unknown_name(c, name, err);
	return nested_compile(names, expr, &desc, err);
}

int ucore_metrics_compile(struct ucore_metrics *metrics, struct metric *metric,
			  struct ucore_error *err)
{
	struct compiler c = { .metrics = metrics, .metric = metric, .desc = &metric->desc };
	struct ucore_expr_names names = { .compile = name_compile, .data = &c };

	return ucore_expr_parse(&metric->expr, metric->desc.formula, &names, err);
}
