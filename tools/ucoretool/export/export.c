// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool export: publish counters for Prometheus over HTTP or in a textfile for
 * node_exporter.
 *
 * The program has one thread. It reads the counters when a client requests the page, and each time
 * the interval of the textfile ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "export/sessions.h"
#include "export/socket.h"
#include "export/http.h"
#include "export/textfile.h"
#include "event_loop.h"
#include "output/sink.h"

#define DEFAULT_ADDRESS		"127.0.0.1:9739"
#define DEFAULT_INTERVAL	(15 * NSEC_PER_SEC)
#define DEFAULT_CACHE		(100 * NSEC_PER_MSEC)
#define MAX_CACHE		(60 * NSEC_PER_SEC)
#define MIN_INTERVAL		(100 * NSEC_PER_MSEC)
#define MAX_INTERVAL		(3600 * NSEC_PER_SEC)

struct export_args {
	struct collect_args collect;
	char events[COLLECT_MAX_EVENTS][UCORE_SPEC_LEN];
	bool listens;
	bool mode_given;
	struct address address;
	const char *textfile;
	uint64_t interval_ns;
	uint64_t nr_files;
	bool cache_given;
	uint64_t cache_ns;
};

struct exporter {
	struct tool *tool;
	const struct export_args *args;
	struct collect *collect;
	struct listener listener;
	struct server *server;
	uint64_t nr_writes;		/* number of attempts to write the textfile */
	bool last_ok;			/* true if the last attempt succeeded */
	bool any_ok;			/* true if at least one attempt succeeded */
};

static const struct option_desc export_options[] = {
	{ 'l', "listen", "ADDRESS", "serve HTTP at HOST:PORT or unix:PATH (" DEFAULT_ADDRESS ")" },
	{ OPT_SOCKET_MODE, "socket-mode", "MODE",
	  "permissions of the unix socket's file, octal (0660)" },
	{ OPT_CACHE, "cache", "TIME",
	  "answer requests within TIME of a read from that read (100ms)" },
	{ OPT_TEXTFILE, "textfile", "FILE",
	  "write a file for node_exporter (- is standard output)" },
	{ 'I', "interval", "TIME", "time between two writes of the file (15s)" },
	{ OPT_COUNT, "count", "N", "stop after N writes of the file" },
	{ OPT_COLLECT, "collect", "LIST",
	  "collectors: memory, links, llc, io, or none (all that exist)", .repeats = true },
	{ 'e', "event", "LIST", "additional events: box/EVENT,term=value/ ... (may be repeated)",
	  .repeats = true },
	{ OPT_FULL_READS, "full-reads", NULL, "always read both halves of PCI counters" },
	{ OPT_BOX_FREEZE, "box-freeze", NULL,
	  "freeze only the boxes that count, not the whole die" },
	{ OPT_NO_FREEZE, "no-freeze", NULL,
	  "read without a freeze: no pause, but not one instant" },
	{ 0 },
};

/* ---- options ----------------------------------------------------------- */

static int events_option(struct tool *tool, struct export_args *args, const char *list)
{
	struct collect_args *collect = &args->collect;
	int ret;

	collect->events = (const char (*)[UCORE_SPEC_LEN])args->events;
	for (;;) {
		if (collect->nr_events == COLLECT_MAX_EVENTS)
			return tool_usage(tool, "-e: more than %d events. Give fewer events",
					  COLLECT_MAX_EVENTS - 1);
		ret = ucore_list_next(&list, args->events[collect->nr_events], UCORE_SPEC_LEN,
				      &tool->err);
		if (ret <= 0)
			return ret ? tool_fail(tool, ret) : 0;
		collect->nr_events++;
	}
}

static int collect_option(struct tool *tool, struct export_args *args, const char *list)
{
	args->collect.chosen = true;
	if (!strcmp(list, "none"))
		return 0;
	for (;;) {
		size_t length = strcspn(list, ",");
		unsigned int i = 0;

		while (i < NR_COLLECTORS && (strlen(collectors[i]) != length ||
					     strncmp(collectors[i], list, length)))
			i++;
		if (i == NR_COLLECTORS)
			return tool_usage(tool, "collector '%.*s': unknown. Use memory, links, llc, io or none",
					  (int)length, list);
		args->collect.wanted |= 1U << i;
		if (!list[length])
			return 0;
		list += length + 1;
	}
}

static int mode_option(struct tool *tool, struct export_args *args, const char *value)
{
	char *end;
	unsigned long mode = strtoul(value, &end, 8);

	if (strspn(value, "01234567") != strlen(value) || !*value || mode > 0777)
		return tool_usage(tool, "socket mode '%s': not a file mode. Give an octal number such as 0660",
				  value);
	args->address.mode = (mode_t)mode;
	args->mode_given = true;
	return 0;
}

static int file_option(struct tool *tool, struct export_args *args, const char *value)
{
	size_t length = strlen(value);

	if (strcmp(value, "-") && (length < 6 || strcmp(value + length - 5, ".prom") ||
				   value[length - 6] == '/'))
		return tool_usage(tool, "file '%s': the name does not end in .prom, as node_exporter requires. Change the name",
				  value);
	args->textfile = value;
	return 0;
}

static int export_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct export_args *args = data;

	switch (letter) {
	case 'l':
		args->listens = true;
		return address_parse(tool, value, &args->address);
	case OPT_SOCKET_MODE:
		return mode_option(tool, args, value);
	case OPT_CACHE:
		args->cache_given = true;
		return parse_duration(tool, "cache", value, false, 0, MAX_CACHE, &args->cache_ns);
	case OPT_TEXTFILE:
		return file_option(tool, args, value);
	case 'I':
		return parse_duration(tool, "interval", value, false, MIN_INTERVAL, MAX_INTERVAL,
				      &args->interval_ns);
	case OPT_COUNT:
		return parse_u64(tool, "count", value, 1, UINT64_MAX, &args->nr_files);
	case OPT_COLLECT:
		return collect_option(tool, args, value);
	case 'e':
		return events_option(tool, args, value);
	case OPT_FULL_READS:
		args->collect.flags |= UCORE_SESSION_F_FULL_READS;
		return 0;
	case OPT_BOX_FREEZE:
		args->collect.flags |= UCORE_SESSION_F_BOX_FREEZE;
		return 0;
	default:
		args->collect.read_flags = UCORE_READ_F_NO_FREEZE;
		return 0;
	}
}

static int export_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct export_args *args = data;
	int ret;

	if (argc)
		return tool_usage(tool, "unexpected argument '%s'", argv[0]);
	if ((args->nr_files || args->interval_ns) && !args->textfile)
		return tool_usage(tool, "-I and --count: apply to a file only. Give --textfile too");
	if (!args->listens && !args->textfile) {
		ret = address_parse(tool, DEFAULT_ADDRESS, &args->address);
		if (ret)
			return ret;
		args->listens = true;
	}
	if (args->mode_given && !*args->address.path)
		return tool_usage(tool, "--socket-mode: applies to a unix socket only. Give --listen unix:PATH too");
	if (args->cache_given && !args->listens)
		return tool_usage(tool, "--cache: applies to HTTP only. Give --listen too");
	if (args->collect.chosen && !args->collect.wanted && !args->collect.nr_events)
		return tool_usage(tool, "nothing to count. Choose collectors with --collect, or events with -e");
	if (!args->mode_given)
		args->address.mode = 0660;
	if (!args->interval_ns)
		args->interval_ns = DEFAULT_INTERVAL;
	if (!args->cache_given)
		args->cache_ns = DEFAULT_CACHE;
	return 0;
}

/* ---- the textfile ------------------------------------------------------ */

/* Write a page to standard output; return 0 or the exit code */
static int stdout_write(struct tool *tool, const char *text, size_t size)
{
	if (!text)
		return tool_error(tool, "out of memory");
	fwrite(text, 1, size, stdout);
	return tool_written(tool, NULL, sink_flush(stdout), 0);
}

/*
 * Write the textfile. The program ends if the first write fails. A later failure is reported, and
 * the next write is attempted, because the disk may be full for a time, and each write replaces
 * the file. Standard output has no second attempt.
 */
static int file_write(struct exporter *exporter)
{
	const char *path = exporter->args->textfile;
	size_t size = 0;
	char *text = collect_page(exporter->collect, &size);
	int ret;

	if (!strcmp(path, "-")) {
		ret = stdout_write(exporter->tool, text, size);
		free(text);
		exporter->last_ok = !ret;
		exporter->nr_writes++;
		return ret;
	}
	ret = text ? textfile_write(path, text, size) : -ENOMEM;
	free(text);
	if (ret && (exporter->last_ok || !exporter->nr_writes))
		tool_error(exporter->tool, "%s: cannot write: %s", path, strerror(-ret));
	exporter->last_ok = !ret;
	exporter->any_ok |= !ret;
	return exporter->nr_writes++ || !ret ? 0 : EXIT_FAILURE;
}

/*
 * Remove the textfile at exit, because constant counts would look like an idle machine
 */
static void file_remove(const struct exporter *exporter)
{
	const struct export_args *args = exporter->args;

	if (exporter->any_ok && !args->nr_files && strcmp(args->textfile, "-"))
		unlink(args->textfile);
}

/* ---- run --------------------------------------------------------------- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static int export_loop(struct exporter *exporter, struct wait *wait)
{
	const struct export_args *args = exporter->args;
	uint64_t next = args->textfile ? now_ns() : 0;
	enum wait_event event;
	int ret = 0;

	while (!ret) {
		if (next && now_ns() >= next) {
			ret = file_write(exporter);
			if (args->nr_files && exporter->nr_writes == args->nr_files)
				break;
			while (next <= now_ns())
				next += args->interval_ns;
			continue;
		}
		event = wait_for(wait, serve_fd(exporter->server),
				 earlier(next, serve_until(exporter->server)));
		if (event == WAIT_ERROR)
			return tool_error(exporter->tool, "cannot wait: %s", strerror(errno));
		if (event == WAIT_END)
			break;
		serve_run(exporter->server);
	}
	if (!ret && args->nr_files && !exporter->last_ok)
		ret = EXIT_FAILURE;
	return ret;
}

static char *page_make(void *data, size_t *size)
{
	struct exporter *exporter = data;

	return collect_page(exporter->collect, size);
}

static int server_open(struct exporter *exporter)
{
	const struct export_args *args = exporter->args;
	const struct serve_page page = {
		.make = page_make, .data = exporter, .cache_ns = args->cache_ns,
	};
	int ret;

	if (!args->listens)
		return 0;
	ret = listener_open(exporter->tool, &args->address, &exporter->listener);
	if (!ret)
		ret = serve_open(exporter->tool, exporter->listener.fd, &page, &exporter->server);
	if (!ret)
		fprintf(stderr, "ucoretool export: listening on %s\n", exporter->listener.text);
	return ret;
}

static int export_all(struct exporter *exporter)
{
	struct tool *tool = exporter->tool;
	struct wait wait;
	int code, ret;

	/* Block signals before the socket's file exists, so that the file is always removed */
	ret = wait_open(tool, &wait, NULL);
	if (!ret && collect_connect(exporter->collect, &code) == COLLECT_NEVER)
		ret = tool_fail(tool, code);
	if (!ret)
		ret = server_open(exporter);
	if (!ret) {
		ret = export_loop(exporter, &wait);
		file_remove(exporter);
	}
	serve_close(exporter->server);
	listener_close(&exporter->listener);
	return wait_close(tool, &wait, ret);
}

static int export_run(struct tool *tool, const void *data)
{
	const struct export_args *args = data;
	struct exporter exporter = {
		.tool = tool,
		.args = args,
		.collect = collect_create(tool, &args->collect),
		.listener = { .fd = -1 },
	};
	int ret;

	if (!exporter.collect)
		return tool_error(tool, "out of memory");
	ret = export_all(&exporter);
	collect_free(exporter.collect);
	return ret;
}

const struct command command_export = {
	.name = "export",
	.summary = "publish counters for Prometheus, over HTTP or in a file",
	.options = { export_options },
	.args_size = sizeof(struct export_args),
	.option = export_option,
	.finish = export_finish,
	.run = export_run,
};
