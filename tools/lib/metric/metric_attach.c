// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attachment of metrics to a session: adds the events of the chosen metrics, and creates a
 * value for each box, socket or system on which they are counted.
 */
#include "metric/metric.h"

#define PARTS_MAX	METRIC_SOCKETS_MAX	/* maximum number of parts of an event */

/*
 * Socket or die on which an event is added separately.  @code, @cause, @die, @instance and @last
 * describe the first boxes that refused the event, if no box of the part counts it.
 */
struct part {
	uint32_t package;
	bool counted;
	int code;
	uint32_t die;
	uint32_t instance;
	uint32_t last;
	char cause[UCORE_ERROR_LEN];
};

/*
 * Add an event on the boxes of a part.  A refusal is stored in @part and is no error, if the
 * session may omit boxes.
 */
static int part_add(struct ucore_metrics *metrics, struct part *part,
		    const struct ucore_event *event, struct ucore_error *err)
{
	const struct ucore_device *dev = metrics->dev;
	struct ucore_error why;
	size_t first = 0;
	int ret = ucore_session_add(metrics->session, event, &why);

	part->counted |= !ret;
	if (ret && !ucore_session_may_omit(metrics->session, ret))
		return ucore_error_set(err, ret, "%s", why.text);
	if (!ret || part->code)
		return 0;
	part->code = ret;
	part->die = event->die;
	part->instance = event->instance;
	part->last = event->last;
	while (!ucore_event_matches(event, &dev->boxes[first]))
		first++;
	ucore_session_add_cause(event, &dev->boxes[first], &why, part->cause);
	return 0;
}

/* Add the boxes of all parts that do not count to the omissions; fail if no part counts */
static int parts_finish(struct ucore_metrics *metrics, const struct ucore_event *event,
			const struct part *parts, size_t nr, struct ucore_error *err)
{
	struct ucore_session *session = metrics->session;
	struct ucore_event refused = *event;
	size_t nr_counted = 0;
	int ret = 0;

	for (size_t i = 0; i < nr; i++)
		nr_counted += parts[i].counted;
	if (nr && !nr_counted)
		return ucore_error_set(err, parts[0].code, "event '%s': no box can count it: %s",
				       event->label, parts[0].cause);
	for (size_t i = 0; i < nr && !ret; i++) {
		refused.die = parts[i].die;
		refused.instance = parts[i].instance;
		refused.last = parts[i].last;
		for (size_t j = 0; j < metrics->dev->nr_boxes && !parts[i].counted && !ret; j++)
			if (ucore_event_matches(&refused, &metrics->dev->boxes[j]))
				ret = ucore_session_omit(session, session->nr_events - 1,
							 &metrics->dev->boxes[j], parts[i].code,
							 parts[i].cause, err);
	}
	return ret;
}

/* Return the part for a package, and create it if there is none; NULL if there are too many */
static struct part *part_of(struct part *parts, size_t *nr, uint32_t package)
{
	size_t i = 0;

	while (i < *nr && parts[i].package != package)
		i++;
	if (i == PARTS_MAX)
		return NULL;
	if (i == *nr)
		parts[(*nr)++] = (struct part) { .package = package };
	return &parts[i];
}

/* Add an event with "[0]" in the formula: only on the first box of each socket that can count it */
static int first_add(struct ucore_metrics *metrics, const struct ucore_event *event,
		     struct ucore_error *err)
{
	const struct ucore_device *dev = metrics->dev;
	struct part parts[PARTS_MAX];
	struct ucore_event one = *event;
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < dev->nr_boxes && !ret; i++) {
		struct ucore_box_info box = dev->boxes[i];
		const struct ucore_domain_info *domain = ucore_device_domain(dev, box.domain);
		struct part *part;

		if (!ucore_event_matches(event, &box) || !domain)
			continue;
		part = part_of(parts, &nr, domain->package);
		if (!part || part->counted)
			continue;
		one.die = box.die;
		one.instance = box.instance;
		one.last = box.instance;
		ret = part_add(metrics, part, &one, err);
	}
	return ret ? ret : parts_finish(metrics, event, parts, nr, err);
}

/* Add an event for each die, with "LOCAL_NODE" replaced by the mask of the die's NUMA node */
static int local_add(struct ucore_metrics *metrics, const char *text, struct ucore_error *err)
{
	const struct ucore_device *dev = metrics->dev;
	const char *word = strstr(text, "LOCAL_NODE");
	struct ucore_event event = { .text = "" };
	struct part parts[PARTS_MAX];
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < dev->nr_domains && nr < PARTS_MAX && !ret; i++) {
		struct ucore_domain_info domain = dev->domains[i];
		char filled[UCORE_SPEC_LEN + 32];
		const char *list = filled;
		struct ucore_spec spec;

		if (domain.scope != UCORE_SCOPE_DIE || domain.die >= 32)
			continue;
		snprintf(filled, sizeof(filled), "%.*s0x%x,die=%u%s", (int)(word - text), text,
			 1U << domain.die, domain.die, word + strlen("LOCAL_NODE"));
		ret = ucore_spec_next(&list, &spec, err) < 0 ? -EINVAL :
		      ucore_spec_resolve(metrics->dev, &spec, &event, err);
		if (ret)
			break;
		parts[nr] = (struct part) { .package = domain.package };
		ret = part_add(metrics, &parts[nr++], &event, err);
	}
	return ret ? ret : parts_finish(metrics, &event, parts, nr, err);
}

static int event_add(struct ucore_metrics *metrics, struct counted *counted,
		     struct ucore_error *err)
{
	const char *list = counted->spec;
	struct ucore_spec spec;
	struct ucore_event event;
	int ret;

	counted->begin = metrics->session->nr_slots;
	counted->index = (uint32_t)metrics->session->nr_events;
	if (strstr(counted->spec, "LOCAL_NODE")) {
		ret = local_add(metrics, counted->spec, err);
	} else {
		ret = ucore_spec_next(&list, &spec, err) < 0 ? -EINVAL : 0;
		if (!ret && list)
			ret = ucore_error_set(err, -EINVAL,
					      "'%s': more than one event. Use one event for each alias",
					      counted->spec);
		if (!ret)
			ret = ucore_spec_resolve(metrics->dev, &spec, &event, err);
		if (ret == -ENOENT)
			ret = ucore_foreign_error(metrics->dev, &spec, err) ?: ret;
		if (!ret && event.period)
			ret = ucore_error_set(err, -EINVAL,
					      "'%s': metrics do not support period=. Leave it out",
					      counted->spec);
		if (!ret)
			ret = counted->first ? first_add(metrics, &event, err) :
			      ucore_session_add(metrics->session, &event, err);
	}
	if (ret)
		return ret;
	counted->end = metrics->session->nr_slots;
	counted->last = (uint32_t)metrics->session->nr_events - 1;
	if (counted->end == counted->begin)
		return ucore_error_no_box(err, metrics->dev, "'%s': this machine has no such box",
					  counted->spec);
	memcpy(counted->type,
	       metrics->session->events[metrics->session->nr_events - 1].type,
	       sizeof(counted->type));
	return 0;
}

/*
 * Return the UCORE_LEVEL_* that a metric supports.  UCORE_LEVEL_BOX needs a metric whose events
 * all have one box type.
 */
static uint32_t levels_of(const struct ucore_metrics *metrics, const struct metric *metric)
{
	const struct counted *event, *one = NULL;

	if (metric->desc.levels)
		return metric->desc.levels;
	for (size_t at = 0; (event = ucore_metrics_event(metrics, metric, &at));) {
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

/* Explain why the machine cannot count an event, whose box type it lacks */
static int missing_error(struct ucore_metrics *metrics, const char *text, struct ucore_error *err)
{
	struct ucore_event event;
	struct ucore_spec spec;

	if (ucore_spec_next(&text, &spec, err) < 0)
		return -EINVAL;
	return ucore_spec_resolve(metrics->dev, &spec, &event, err);
}

/*
 * Exclude the slots on boxes on which another event of the metric is omitted: a formula must not
 * combine counts of different boxes.  A ratio of sums over different boxes would be wrong.
 */
static int slots_exclude(struct ucore_metrics *metrics, struct metric *metric)
{
	const struct ucore_session *session = metrics->session;
	const struct counted *event;

	for (size_t i = 0; i < session->nr_omissions; i++) {
		const struct ucore_omission *omission = &session->omissions[i];
		bool omitted = false;

		for (size_t at = 0; (event = ucore_metrics_event(metrics, metric, &at));)
			omitted |= ucore_metrics_omits(event, omission);
		if (!omitted || omission->box == UCORE_ANY)
			continue;
		if (!metric->excluded)
			metric->excluded = calloc(session->nr_slots, sizeof(*metric->excluded));
		if (!metric->excluded)
			return -ENOMEM;
		for (size_t slot = 0; slot < session->nr_slots; slot++)
			metric->excluded[slot] |= session->slots[slot].box == omission->box;
	}
	return 0;
}

/* Return true if a box counts all events of the metric that it should count */
static bool any_included(const struct ucore_metrics *metrics, const struct metric *metric)
{
	const struct counted *event;

	for (size_t at = 0; (event = ucore_metrics_event(metrics, metric, &at));)
		for (size_t slot = event->begin; slot < event->end; slot++)
			if (!metric->excluded || !metric->excluded[slot])
				return true;
	return false;
}

/* Compile a metric and add its events.  After a failure the caller must call choice_undo(). */
static int choice_count(struct ucore_metrics *metrics, const struct choice *choice,
			uint32_t level, struct ucore_error *err)
{
	size_t nr_events = metrics->nr_events, at = 0;
	struct metric *metric;
	int ret;

	if (!GROW(metrics->metrics, metrics->nr_metrics))
		return no_memory(err);
	metric = &metrics->metrics[metrics->nr_metrics++];
	*metric = (struct metric) { .desc = choice->desc };
	ret = ucore_metrics_compile(metrics, metric, err);
	if (!ret && !ucore_metrics_event(metrics, metric, &at))
		ret = *metric->missing ? missing_error(metrics, metric->missing, err) :
		      ucore_error_set(err, -EINVAL,
				      "no event in the formula '%.160s'. Add an event",
				      metric->desc.formula);
	for (size_t i = nr_events; !ret && i < metrics->nr_events; i++)
		ret = event_add(metrics, &metrics->events[i], err);
	if (!ret && slots_exclude(metrics, metric))
		ret = no_memory(err);
	if (!ret && !any_included(metrics, metric))
		ret = ucore_error_set(err, -EBUSY, "no box can count all of its events");
	if (!ret)
		metric->level = level_choose(level, levels_of(metrics, metric));
	return ret;
}

/* Remove what a failed choice_count() added: metric, leaves of the formula, and events */
static void choice_undo(struct ucore_metrics *metrics, size_t nr_metrics, size_t nr_events,
			size_t nr_leaves, size_t session_events)
{
	while (metrics->nr_metrics > nr_metrics) {
		ucore_expr_free(&metrics->metrics[--metrics->nr_metrics].expr);
		free(metrics->metrics[metrics->nr_metrics].excluded);
	}
	metrics->nr_events = nr_events;
	metrics->nr_leaves = nr_leaves;
	ucore_session_truncate(metrics->session, session_events);
}

/* Return true if a metric whose events failed with @code is left out; otherwise attaching fails */
static bool may_leave_out(const struct choice *choice, int code)
{
	if (!choice->offered && !choice->optional)
		return false;
	return code != -ENOMEM && (choice->offered || code != -EINVAL);
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

	/* find a group with counters for all events of the metric; group @last + 1 is new */
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
	return 0;
}

/* ---- values of the metrics --------------------------------------------- */

static bool has_value(const struct ucore_metrics *metrics, size_t first, size_t slot)
{
	for (size_t i = first; i < metrics->nr_values; i++)
		if (ucore_metrics_includes(metrics, &metrics->values[i], slot))
			return true;
	return false;
}

static int value_add(struct ucore_metrics *metrics, size_t metric, const char *type, size_t slot)
{
	const struct ucore_domain_info *domain = ucore_metrics_domain(metrics, slot);

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

/* Add the metric's values: for the system, or for each socket or box with one of its events */
static int values_make(struct ucore_metrics *metrics, size_t index)
{
	const struct metric *metric = &metrics->metrics[index];
	size_t first = metrics->nr_values;
	const struct counted *event;
	int ret = 0;

	for (size_t at = 0; !ret && (event = ucore_metrics_event(metrics, metric, &at));)
		for (size_t slot = event->begin; !ret && slot < event->end; slot++)
			if (!(metric->excluded && metric->excluded[slot]) &&
			    !has_value(metrics, first, slot))
				ret = value_add(metrics, index, event->type, slot);
	return ret;
}

/* Return the number of sockets on which the metric's events are counted */
static unsigned int sockets_of(const struct ucore_metrics *metrics, const struct metric *metric)
{
	uint32_t packages[METRIC_SOCKETS_MAX];
	const struct counted *event;
	unsigned int nr = 0;

	for (size_t at = 0; (event = ucore_metrics_event(metrics, metric, &at));)
		for (size_t slot = event->begin; slot < event->end; slot++) {
			uint32_t package = ucore_metrics_package(metrics, slot);
			unsigned int i = 0;

			while (i < nr && packages[i] != package)
				i++;
			if (i == nr && nr < METRIC_SOCKETS_MAX)
				packages[nr++] = package;
		}
	return nr;
}

/* Return true if all chosen metrics come from ucore_metrics_offer() */
static bool all_offered(const struct ucore_metrics *metrics)
{
	for (size_t i = 0; i < metrics->nr_choices; i++)
		if (!metrics->choices[i].offered)
			return false;
	return true;
}

/* Return true if a metric before number @i was left out with the same error code */
static bool code_repeats(const struct ucore_metrics *metrics, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (metrics->left_out[j].code == metrics->left_out[i].code)
			return true;
	return false;
}

/* Explain that all metrics were left out, with each different cause once.  Returns its code. */
static int all_left_out(const struct ucore_metrics *metrics, struct ucore_error *err)
{
	char text[UCORE_ERROR_LEN];
	int code = 0, length = 0;

	for (size_t i = 0; i < metrics->nr_left_out && length < UCORE_ERROR_LEN; i++) {
		const struct left_out *out = &metrics->left_out[i];

		/* -ENOSPC, which rotation can solve, decides */
		if (!code || out->code == -ENOSPC)
			code = out->code;
		if (!code_repeats(metrics, i))
			length += snprintf(text + length, (size_t)(UCORE_ERROR_LEN - length),
					   "%s'%s': %s", length ? "; " : "", out->name,
					   out->why.text);
	}
	return ucore_error_set(err, code, "metrics: none can be counted: %s", text);
}

/* Add the events of all chosen metrics; on failure @err explains the last problem */
static int choices_attach(struct ucore_metrics *metrics, uint32_t level, struct ucore_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < metrics->nr_choices && !ret; i++)
		ret = choice_attach(metrics, &metrics->choices[i], level, err);
	if (!ret && !metrics->nr_metrics && !all_offered(metrics))
		return all_left_out(metrics, err);
	for (size_t i = 0; i < metrics->nr_metrics && !ret; i++) {
		metrics->metrics[i].nr_sockets = sockets_of(metrics, &metrics->metrics[i]);
		ret = values_make(metrics, i) ? no_memory(err) : 0;
	}
	return ret;
}

/* Copy the links if a metric needs LINK_SPEED.  Files of samples have none. */
static int links_attach(struct ucore_metrics *metrics, struct ucore_error *err)
{
	const struct ucore_link_info *links;
	size_t size = metrics->dev->nr_boxes * sizeof(*links);
	bool needed = false;

	for (size_t i = 0; i < metrics->nr_leaves; i++)
		needed |= metrics->leaves[i].kind == LEAF_LINK_SPEED;
	if (!needed || metrics->links || ucore_device_links(metrics->dev, &links, NULL))
		return 0;
	metrics->links = malloc(size ? size : 1);
	if (!metrics->links)
		return no_memory(err);
	memcpy(metrics->links, links, size);
	return 0;
}

int ucore_metrics_attach(struct ucore_metrics *metrics, struct ucore_session *session,
			 uint32_t level, struct ucore_error *err)
{
	size_t session_events = session->nr_events;
	struct ucore_error why;
	int ret;

	if (metrics->session)
		return ucore_error_set(err, -EALREADY, "metrics: already attached to a session");
	metrics->session = session;
	ret = choices_attach(metrics, level, &why);
	if (!ret)
		ret = links_attach(metrics, &why);
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
