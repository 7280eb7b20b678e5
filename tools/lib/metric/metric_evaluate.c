// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Evaluation of metrics from deltas (two READs), or from the records of a ring.  No function
 * allocates memory, except the first ucore_metrics_take().
 */
#include "metric/metric.h"

const struct ucore_domain_info *ucore_metrics_domain(const struct ucore_metrics *metrics,
						     size_t slot)
{
	return ucore_device_domain(metrics->dev, metrics->session->slots[slot].domain);
}

uint32_t ucore_metrics_package(const struct ucore_metrics *metrics, size_t slot)
{
	const struct ucore_domain_info *domain = ucore_metrics_domain(metrics, slot);

	return domain ? domain->package : 0;
}

const struct counted *ucore_metrics_event(const struct ucore_metrics *metrics,
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

static const char *box_type(const struct ucore_metrics *metrics, size_t slot)
{
	return metrics->dev->boxes[metrics->session->slots[slot].box].type;
}

bool ucore_metrics_omits(const struct counted *event, const struct ucore_omission *omission)
{
	return omission->index >= event->index && omission->index <= event->last;
}

/* Return true if the slot's box belongs to the box, socket or system of the value */
static bool in_scope(const struct ucore_metrics *metrics, const struct value *value, size_t slot)
{
	switch (value->public.level) {
	case UCORE_LEVEL_SYSTEM:
		return true;
	case UCORE_LEVEL_SOCKET:
		return ucore_metrics_package(metrics, slot) == value->public.package;
	default:
		if (metrics->metrics[value->metric].by_type &&
		    strcmp(box_type(metrics, slot), value->public.type))
			return false;
		return metrics->session->slots[slot].domain == value->domain &&
		       metrics->session->slots[slot].instance == value->public.instance;
	}
}

bool ucore_metrics_includes(const struct ucore_metrics *metrics, const struct value *value,
			    size_t slot)
{
	const bool *excluded = metrics->metrics[value->metric].excluded;

	return !(excluded && excluded[slot]) && in_scope(metrics, value, slot);
}

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
		if (ucore_metrics_includes(e->metrics, e->value, slot)) {
			sum += ucore_delta_scaled(&e->slots[slot]);
			nr++;
		}
	if (!nr)
		return leaf->optional ? 0 : __builtin_nan("");
	return leaf->kind == LEAF_MEAN ? sum / (double)nr : sum;
}

/* Return the number of boxes of @type on the value's socket; whole system: mean over sockets */
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

/*
 * Return the sum of the speeds (MT/s) of the links whose events the metric counts; NaN if the speed
 * of one of them is unknown.  Links that are not trained add nothing.
 */
static double speed_value(const struct evaluation *e)
{
	const struct ucore_metrics *metrics = e->metrics;
	const struct metric *metric = &metrics->metrics[e->value->metric];
	const struct counted *event;
	size_t at = 0;
	double sum = 0;

	event = ucore_metrics_event(metrics, metric, &at);
	for (size_t slot = event ? event->begin : 0; event && slot < event->end; slot++) {
		const struct ucore_link_info *link;

		if (!ucore_metrics_includes(metrics, e->value, slot))
			continue;
		link = &metrics->links[metrics->session->slots[slot].box];
		if (!link->speed && link->kind != UCORE_LINK_DOWN)
			return __builtin_nan("");
		sum += link->speed;
	}
	return sum;
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
	case LEAF_ZERO:
		return 0;
	case LEAF_LINK_SPEED:
		return e->metrics->links ? speed_value(e) : __builtin_nan("");
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

/* Return true if an omitted box belongs to the socket or system of the value */
static bool omission_matters(const struct value *value, const struct ucore_omission *omission)
{
	return value->public.level == UCORE_LEVEL_SYSTEM ||
	       (value->public.level == UCORE_LEVEL_SOCKET &&
		omission->package == value->public.package);
}

/*
 * Set the number of boxes that counted an event, and of those that should have, if more boxes are
 * missing than of the metric's other events
 */
static void value_count_boxes(const struct ucore_metrics *metrics, struct value *value,
			      const struct counted *event, const struct ucore_delta_value *slots)
{
	const struct ucore_session *session = metrics->session;
	struct ucore_metric_value *public = &value->public;
	uint32_t nr = 0, max = 0;

	for (size_t slot = event->begin; slot < event->end; slot++) {
		max += in_scope(metrics, value, slot);
		nr += ucore_metrics_includes(metrics, value, slot) &&
		      !(slots[slot].flags & UCORE_VALUE_F_DEAD);
	}
	for (size_t i = 0; i < session->nr_omissions; i++)
		max += ucore_metrics_omits(event, &session->omissions[i]) &&
		       omission_matters(value, &session->omissions[i]);
	if (public->max_boxes && max - nr <= public->max_boxes - public->nr_boxes)
		return;
	public->nr_boxes = nr;
	public->max_boxes = max;
	public->boxes_type = event->type;
}

/* Set running (longest of all counters), share (smallest) and flags (OR) of a metric's value */
static void value_prepare(const struct ucore_metrics *metrics, struct value *value,
			  const struct ucore_delta_value *slots)
{
	const struct metric *metric = &metrics->metrics[value->metric];
	const struct counted *event;

	value->running = 0;
	value->public.flags = 0;
	value->public.share = 1;
	value->public.max_boxes = 0;
	value->public.nr_boxes = 0;
	for (size_t at = 0; (event = ucore_metrics_event(metrics, metric, &at));) {
		value_count_boxes(metrics, value, event, slots);
		for (size_t slot = event->begin; slot < event->end; slot++) {
			if (!ucore_metrics_includes(metrics, value, slot))
				continue;
			/* counts of rotated groups are scaled to the time @possible */
			if (slots[slot].possible > value->running)
				value->running = slots[slot].possible;
			value->public.share = less(value->public.share, share_of(&slots[slot]));
			value->public.flags |= slots[slot].flags;
		}
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

/* Evaluate the values of the whole system, or those of one package and its boxes */
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
