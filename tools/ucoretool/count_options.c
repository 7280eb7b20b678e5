// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Options of stat and record that choose the events, the PMI CPUs and the duration.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "count_options.h"

const struct option_desc count_options[] = {
	{ 'e', "event", "LIST", "events: box/EVENT,term=value/ ... (may be repeated)",
	  .repeats = true },
	{ OPT_PMI_CPUS, "pmi-cpus", "LIST",
	  "CPUs that take the PMI; the first of each die also reads the die's boxes",
	  .repeats = true },
	{ 'D', "delay", "TIME",
	  "start to count after TIME (1.5s, 200ms; a number without a unit is in ms)" },
	{ OPT_TIMEOUT, "timeout", "TIME", "stop after TIME (a number without a unit is in ms)" },
	{ OPT_FULL_READS, "full-reads", NULL,
	  "always read both halves of PCI counters (default: the low half, when that is exact)" },
	{ OPT_BOX_FREEZE, "box-freeze", NULL,
	  "freeze each counted box separately, not the whole die" },
	{ OPT_READERS, "readers", "N",
	  "number of CPUs of each die that read its counters (1 to 8)" },
	{ OPT_STRICT, "strict", NULL, "fail if a box or a metric cannot be counted" },
	{ 'a', "all-cpus", NULL, "no effect: uncore counting is always system-wide (as in perf)" },
	{ 0 },
};

static int events_option(struct tool *tool, struct count_args *args, const char *value)
{
	char text[UCORE_SPEC_LEN];
	const char *list = value;
	int ret;

	if (args->nr_lists == MAX_LISTS)
		return tool_usage(tool, "-e: given more than %d times. Use a list", MAX_LISTS);
	while ((ret = ucore_list_next(&list, text, sizeof(text), &tool->err)) > 0)
		;
	if (ret)
		return tool_fail(tool, ret);
	args->lists[args->nr_lists++] = value;
	return 0;
}

static int readers_option(struct tool *tool, struct count_args *args, const char *value)
{
	uint64_t nr_readers;
	int ret = parse_u64(tool, "readers", value, 1, UCORE_READERS_MAX, &nr_readers);

	if (!ret)
		args->nr_readers = (uint32_t)nr_readers;
	return ret;
}

static int time_option(struct tool *tool, const char *what, const char *value, uint64_t *ns)
{
	return parse_duration(tool, what, value, true, 0, INT32_MAX * NSEC_PER_MSEC, ns);
}

int count_option(struct tool *tool, struct count_args *args, int letter, const char *value,
		 bool *taken)
{
	*taken = true;
	switch (letter) {
	case 'e':
		return events_option(tool, args, value);
	case OPT_PMI_CPUS:
		return parse_list(tool, "CPU", value, 0, args->cpus, &args->nr_cpus, MAX_CPUS);
	case 'D':
		return time_option(tool, "delay", value, &args->delay_ns);
	case OPT_TIMEOUT:
		return time_option(tool, "timeout", value, &args->timeout_ns);
	case OPT_FULL_READS:
		args->flags |= UCORE_SESSION_F_FULL_READS;
		return 0;
	case OPT_BOX_FREEZE:
		args->flags |= UCORE_SESSION_F_BOX_FREEZE;
		return 0;
	case OPT_READERS:
		return readers_option(tool, args, value);
	case OPT_STRICT:
		args->strict = true;
		return 0;
	case 'a':
		return 0;
	default:
		*taken = false;
		return 0;
	}
}

int count_finish(struct tool *tool, struct count_args *args, int argc, char **argv)
{
	if (!args->nr_lists && !args->nr_others)
		return tool_usage(tool, "no event. Add -e, for example -e imc/CAS_COUNT.RD/");
	if (argc)
		args->command = argv;
	return 0;
}

/* ---- creation and start of the session --------------------------------- */

/* Set the period of -c for the first event; refuse "period=" in stat (@triggers is NULL) */
static int period_apply(struct tool *tool, struct ucore_event *event, bool first,
			const struct count_triggers *triggers)
{
	uint64_t period = ucore_event_period(event);

	if (period && !triggers)
		return tool_usage(tool, "event '%s': period= is for samples. Use 'ucoretool record'",
				  ucore_event_label(event));
	if (triggers && triggers->interrupt)
		ucore_event_set_flags(event, UCORE_EVENT_F_NO_POLL);
	if (!first || !triggers || !triggers->period)
		return 0;
	if (period)
		return tool_usage(tool, "event '%s': has both -c and period=. Remove one of them",
				  ucore_event_label(event));
	ucore_event_set_period(event, triggers->period);
	return 0;
}

static int event_add(struct tool *tool, struct count *count, struct ucore_event *event,
		     const struct count_triggers *triggers, bool *triggered)
{
	bool first = !ucore_session_event(count->session, 0);
	int ret = period_apply(tool, event, first, triggers);

	if (ret)
		return ret;
	*triggered |= ucore_event_period(event) != 0;
	ret = count->rotates ? ucore_session_add_turn(count->session, event, &tool->err) :
			       ucore_session_add(count->session, event, &tool->err);
	if (ret == -ENOSPC && count->may_rotate)
		return EXIT_FULL;
	return ret ? tool_fail(tool, ret) : 0;
}

/* Add the event @text, or each event that the pattern @text matches */
static int text_add(struct tool *tool, struct count *count, const char *text,
		    const struct count_triggers *triggers, bool *triggered)
{
	struct ucore_events *events;
	struct ucore_event *event;
	int ret = ucore_events_find(count->dev, text, &events, &tool->err);

	if (ret)
		return tool_fail(tool, ret);
	for (size_t i = 0; !ret && (event = ucore_events_at(events, i)); i++)
		ret = event_add(tool, count, event, triggers, triggered);
	ucore_events_free(events);
	return ret;
}

static int events_add(struct tool *tool, const struct count_args *args, struct count *count,
		      const struct ucore_session_config *config,
		      const struct count_triggers *triggers)
{
	bool triggered = config->timer_ns || !triggers || triggers->others;
	char text[UCORE_SPEC_LEN];
	int ret;

	for (unsigned int i = 0; i < args->nr_lists; i++) {
		const char *list = args->lists[i];

		while (ucore_list_next(&list, text, sizeof(text), &tool->err) > 0) {
			ret = text_add(tool, count, text, triggers, &triggered);
			if (ret)
				return ret;
		}
	}
	if (triggered)
		return 0;
	return tool_usage(tool, "no trigger. Add --timer TIME, -c PERIOD, --core-event NAME, or period=N in an event");
}

static int cpus_set(struct tool *tool, const struct count_args *args, struct count *count)
{
	int ret;

	if (!args->nr_cpus)
		return 0;
	ret = ucore_session_pmi_cpus(count->session, args->cpus, args->nr_cpus, &tool->err);
	return ret ? tool_fail(tool, ret) : 0;
}

int count_open(struct tool *tool, const struct count_args *args,
	       const struct ucore_session_config *config, const struct count_triggers *triggers,
	       struct count *count)
{
	int ret;

	memset(count, 0, sizeof(*count));
	count->rotates = config->rotate_ns;
	count->strict = args->strict;
	count->may_rotate = args->may_rotate && !count->rotates;
	ret = ucore_device_open(tool->device, tool->sys, &count->dev, &tool->err);
	if (!ret)
		ret = ucore_device_ready(count->dev, &tool->err);
	if (!ret)
		ret = ucore_session_create(count->dev, config, &count->session, &tool->err);
	if (!ret)
		ucore_session_set_partial(count->session, !count->strict);
	if (ret) {
		/* -ERANGE: an option's value is out of range; other errors depend on the machine */
		tool_fail(tool, ret);
		ret = ret == -ERANGE ? EXIT_USAGE : EXIT_FAILURE;
	}
	if (!ret)
		ret = events_add(tool, args, count, config, triggers);
	if (!ret)
		ret = cpus_set(tool, args, count);
	if (ret)
		count_close(count);
	return ret;
}

void count_close(struct count *count)
{
	ucore_session_destroy(count->session);
	ucore_device_close(count->dev);
}

/* Start the session, then the program; with a delay: the program, and the session after it */
int count_start(struct tool *tool, const struct count_args *args, struct count *count,
		struct wait *wait)
{
	uint64_t until = now_ns() + args->delay_ns;
	int ret = 0;

	if (args->delay_ns)
		ret = wait_release(tool, wait);
	while (!ret && now_ns() < until)
		if (wait_for(wait, -1, until) == WAIT_END)
			break;
	if (ret)
		return ret;
	wait->start = now_ns();
	ret = ucore_session_start(count->session, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	if (args->timeout_ns)
		wait->end = wait->start + args->timeout_ns;
	return args->delay_ns ? 0 : wait_release(tool, wait);
}
