// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Owns the exporter's device and session, opens them again after a failure, and adds the counts
 * to the Prometheus counters, which continue from one session to the next.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "output/walltime.h"
#include "export/page.h"
#include "export/selection.h"
#include "export/sessions.h"
#include "export/totals.h"
#include "event_loop.h"

#define RETRY_NS	(2 * NSEC_PER_SEC)	/* time between attempts to open the device */
#define RETRY_BUSY_NS	(5 * NSEC_PER_SEC)	/* time between attempts to add busy collectors */

/* ---- create and free --------------------------------------------------- */

struct collect *collect_create(struct tool *tool, const struct collect_args *args)
{
	struct collect *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->started = clock_real(now_ns());
	c->tool = tool;
	c->args = args;
	return c;
}

static void session_drop(struct collect *c)
{
	missing_free(&c->missing);
	ucore_delta_free(c->delta);
	c->delta = NULL;
	ucore_session_destroy(c->session);
	c->session = NULL;
	c->nr_sources = 0;
	for (size_t i = 0; i < c->nr_series; i++) {
		c->series[i].counted = false;
		c->series[i].partial = false;
	}
}

static void disconnect(struct collect *c)
{
	session_drop(c);
	ucore_device_close(c->dev);
	c->dev = NULL;
	c->nr_sources = 0;
}

void collect_free(struct collect *c)
{
	if (!c)
		return;
	disconnect(c);
	free(c->missing_text);
	free(c->series);
	free(c->sources);
	free(c->places);
	free(c->labels);
	free(c);
}

/* Print the last error, unless the last printed error has the same text */
static void report_once(struct collect *c)
{
	if (!strcmp(c->reported.text, c->tool->err.text))
		return;
	c->reported = c->tool->err;
	tool_error(c->tool, "not counting: %s", c->reported.text);
}

/* ---- opening device and session ---------------------------------------- */

/*
 * Create a session with all events; @failed is the collector whose event could not be added,
 * or NR_COLLECTORS
 */
static int session_build(struct collect *c, unsigned int *failed)
{
	bool multiplex = !(c->args->flags & UCORE_SESSION_F_BOX_FREEZE);
	struct ucore_session_config config = {
		.flags = c->args->flags | (multiplex ? UCORE_SESSION_F_MULTIPLEX : 0),
	};
	int ret;

	*failed = NR_COLLECTORS;
	session_drop(c);
	ret = ucore_session_create(c->dev, &config, &c->session, &c->tool->err);
	if (!ret) {
		ucore_session_set_partial(c->session, true);
		ret = selection_add_events(c);
	}
	for (unsigned int i = 0; i < NR_COLLECTORS && !ret; i++) {
		if (c->states[i] != COLLECTOR_COUNTING)
			continue;
		ret = selection_add_collector(c, i);
		if (ret)
			*failed = i;
	}
	return ret;
}

/*
 * Return true if a collector failed for a time only: another session uses its counters or filters,
 * or its boxes do not respond
 */
static bool is_busy(struct collect *c, unsigned int collector, int ret)
{
	struct ucore_get_status status;

	if (ret != -EADDRINUSE)
		return ret == -EBUSY || ret == -ENODEV;
	if (ucore_session_status(c->session, &status, NULL))
		return false;
	c->session_id = status.session;
	return !selection_is_free(c, collector);
}

/* List the boxes that the session does not count, and report them if the list has changed */
static int omissions_report(struct collect *c)
{
	char *text = NULL;
	FILE *stream;
	size_t size;
	int ret;

	missing_free(&c->missing);
	stream = open_memstream(&text, &size);
	if (!stream)
		return -ENOMEM;
	ret = missing_find(c->session, NULL, &c->missing);
	missing_print(stream, "ucoretool export:", &c->missing);
	if (fclose(stream) || ret) {
		free(text);
		return -ENOMEM;
	}
	if (!c->missing_text || strcmp(c->missing_text, text))
		fputs(text, stderr);
	free(c->missing_text);
	c->missing_text = text;
	return 0;
}

static int session_make(struct collect *c)
{
	unsigned int failed;
	int ret;

	while ((ret = session_build(c, &failed)) && failed < NR_COLLECTORS && ret != -ENOMEM) {
		c->states[failed] = is_busy(c, failed, ret) ? COLLECTOR_BUSY : COLLECTOR_REFUSED;
		c->codes[failed] = ret;
		if (c->states_reported[failed] != c->states[failed])
			tool_error(c->tool, "collector '%s': left out: %s", collectors[failed],
				   c->tool->err.text);
		c->states_reported[failed] = c->states[failed];
	}
	if (!ret && c->nr_sources)
		return omissions_report(c);
	if (ret)
		return ret;
	snprintf(c->tool->err.text, sizeof(c->tool->err.text),
		 "nothing left to count. Choose events with -e");
	return -ENOENT;
}

static bool any_collector_is(const struct collect *c, enum state state)
{
	for (unsigned int i = 0; i < NR_COLLECTORS; i++)
		if (c->states[i] == state)
			return true;
	return false;
}

static int device_open(struct collect *c)
{
	struct tool *tool = c->tool;
	int ret = ucore_device_open(tool->device, tool->sys, &c->dev, &tool->err);

	if (!ret)
		ret = ucore_device_ready(c->dev, &tool->err);
	if (!ret) {
		c->several_dies = domain_several_dies(c->dev);
		totals_places_restart(c);
		ret = totals_places_update(c);
	}
	return ret;
}

static int session_start(struct collect *c)
{
	struct ucore_get_status status = { 0 };
	int ret = ucore_delta_create(c->session, &c->delta, &c->tool->err);

	if (!ret)
		ret = ucore_session_start(c->session, &c->tool->err);
	if (!ret)
		ret = ucore_session_status(c->session, &status, &c->tool->err);
	c->session_id = status.session;
	return ret;
}

static enum collect_verdict connect_now(struct collect *c, int *code)
{
	bool permanent = false;

	c->tried = now_ns();
	*code = device_open(c);
	if (!*code) {
		*code = selection_find(c);
		if (!*code)
			*code = session_make(c);
		permanent = tool_is_usage(*code) && !any_collector_is(c, COLLECTOR_BUSY);
	}
	if (!*code)
		*code = session_start(c);
	if (!*code) {
		*c->reported.text = 0;
		memcpy(c->states_reported, c->states, sizeof(c->states_reported));
		return COLLECT_COUNTING;
	}
	disconnect(c);
	return permanent ? COLLECT_NEVER : COLLECT_LATER;
}

enum collect_verdict collect_connect(struct collect *c, int *code)
{
	enum collect_verdict verdict = connect_now(c, code);

	if (verdict == COLLECT_LATER)
		report_once(c);
	return verdict;
}

/* ---- reading ----------------------------------------------------------- */

static int counters_read(struct collect *c)
{
	const struct ucore_delta_value *deltas;
	struct ucore_snapshot snap;
	size_t nr;
	int ret = ucore_session_read(c->session, c->args->read_flags, &snap, &c->tool->err);

	if (ret)
		return ret;
	for (size_t i = 0; i < c->nr_series; i++)
		c->series[i].dead = false;
	c->nr_reads++;
	c->skew_ns = snap.skew_ns;
	/*
	 * Value i belongs to source i. Each source is one event on one box, and both arrays are
	 * in the order of adding.
	 */
	ucore_delta_update(c->delta, &snap);
	deltas = ucore_delta_values(c->delta, &nr);
	for (size_t i = 0; i < nr && i < c->nr_sources; i++)
		totals_source(c, &c->sources[i], &deltas[i]);
	for (size_t i = 0; i < snap.nr_domains; i++) {
		const struct ucore_read_domain *read = &snap.domains[i];
		const struct ucore_domain_info *domain = ucore_device_domain(c->dev, read->domain);
		struct place *place = domain ? totals_place(c, domain) : NULL;

		if (!place)
			continue;
		place->read = true;
		totals_meter(&place->enabled, read->time_enabled);
		totals_meter(&place->running, read->time_running);
	}
	return 0;
}

/* Return true if a collector or a box that is not counted can be counted now */
static bool more_is_free(struct collect *c)
{
	if (now_ns() < c->tried + RETRY_BUSY_NS)
		return false;
	if (selection_gains(c))
		return true;
	for (unsigned int i = 0; i < NR_COLLECTORS; i++)
		if (c->states[i] == COLLECTOR_BUSY && selection_is_free(c, i))
			return true;
	return false;
}

static void connect_again(struct collect *c)
{
	int code;

	if (now_ns() < c->tried + RETRY_NS)
		return;
	if (connect_now(c, &code) == COLLECT_COUNTING)
		tool_error(c->tool, "counting");
	else
		report_once(c);
}

/*
 * Read all counters, add the counts since the last read to their series, and update the
 * statistics of all domains. A failure closes the session and the device.
 */
static void update(struct collect *c)
{
	int ret;

	if (!c->session)
		connect_again(c);
	if (!c->session)
		return;
	ret = counters_read(c);
	if (!ret)
		ret = ucore_device_refresh(c->dev, &c->tool->err);
	if (!ret)
		ret = totals_places_update(c);
	if (!ret && more_is_free(c)) {
		/*
		 * Create a new session, which also counts what was busy or dead. No counts
		 * are lost, because counters_read() has added all counts to their series.
		 */
		disconnect(c);
		connect_again(c);
		ret = c->session ? counters_read(c) : 0;
	}
	if (!ret)
		return;
	c->nr_failures++;
	report_once(c);
	disconnect(c);
	c->tried = now_ns();
}

/* ---- the page ---------------------------------------------------------- */

char *collect_page(struct collect *c, size_t *size)
{
	char *text = NULL;
	FILE *stream;
	int ret;

	update(c);
	stream = open_memstream(&text, size);
	if (!stream)
		return NULL;
	ret = totals_print(c, stream);
	if (!fclose(stream) && !ret)
		return text;
	free(text);
	return NULL;
}
