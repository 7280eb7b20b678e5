// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The HTTP server, built on libmicrohttpd. The server runs in the program's only thread, whose
 * main loop waits for the server's epoll descriptor. No operation blocks, so that a slow client
 * does not delay another. A connection may send one request, and is closed after CONNECTION_NS.
 *
 * libmicrohttpd is loaded with dlopen() when the server starts, because it depends on a dozen
 * libraries (TLS) that commands without a server do not need. A build without libmicrohttpd has
 * stubs instead.
 */
#include "cli.h"
#include "export/http.h"

#ifdef UCORE_HTTP

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "export/text_format.h"
#include "event_loop.h"

#define LIBRARY		"libmicrohttpd.so.12"
#define MAX_CONNECTIONS	512U
#define CONNECTION_NS	(10 * NSEC_PER_SEC)	/* maximum lifetime of a connection */
#define CONNECTION_SIZE	16384U			/* maximum size of a request in bytes */

struct library {
	void *handle;
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
	__typeof__(MHD_get_daemon_info) *get_daemon_info;
	__typeof__(MHD_get_timeout) *get_timeout;
	__typeof__(MHD_run) *run;
	__typeof__(MHD_get_connection_info) *get_connection_info;
	__typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
	__typeof__(MHD_add_response_header) *add_response_header;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_destroy_response) *destroy_response;
};

struct connection {
	TAILQ_ENTRY(connection) link;
	int fd;
	uint64_t deadline;
	bool late;		/* deadline passed: shut down, not in server.connections */
};

struct server {
	struct library http;
	struct MHD_Daemon *daemon;
	struct serve_page page;
	struct MHD_Response *made;	/* cached response with the page, or NULL */
	uint64_t made_at;		/* time at which @made was made (CLOCK_MONOTONIC ns) */
	struct MHD_Response *root, *missing, *refused;
	TAILQ_HEAD(, connection) connections;	/* open connections, ordered by deadline */
};

/* ---- libmicrohttpd ----------------------------------------------------- */

static int library_open(struct tool *tool, struct library *http)
{
	const struct {
		const char *name;
		void *pointer;
	} functions[] = {
		{ "MHD_start_daemon", &http->start_daemon },
		{ "MHD_stop_daemon", &http->stop_daemon },
		{ "MHD_get_daemon_info", &http->get_daemon_info },
		{ "MHD_get_timeout", &http->get_timeout },
		{ "MHD_run", &http->run },
		{ "MHD_get_connection_info", &http->get_connection_info },
		{ "MHD_create_response_from_buffer", &http->create_response_from_buffer },
		{ "MHD_add_response_header", &http->add_response_header },
		{ "MHD_queue_response", &http->queue_response },
		{ "MHD_destroy_response", &http->destroy_response },
	};

	http->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!http->handle)
		return tool_error(tool, "--listen: cannot load libmicrohttpd: %s. Install it (Debian: libmicrohttpd12)",
				  dlerror());
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *function = dlsym(http->handle, functions[i].name);

		if (!function)
			return tool_error(tool, LIBRARY ": function %s is missing. Install libmicrohttpd12",
					  functions[i].name);
		memcpy(functions[i].pointer, &function, sizeof(function));
	}
	return 0;
}

/* ---- responses --------------------------------------------------------- */

static struct MHD_Response *response_make(struct server *server, char *text, size_t size,
					  enum MHD_ResponseMemoryMode mode, const char *type)
{
	struct library *http = &server->http;
	struct MHD_Response *response;

	response = http->create_response_from_buffer(size, text, mode);
	if (!response)
		return NULL;
	http->add_response_header(response, "Content-Type", type);
	/* Close the connection after its response, so that another client can connect */
	http->add_response_header(response, "Connection", "close");
	return response;
}

static struct MHD_Response *response_fixed(struct server *server, const char *text,
					   const char *type)
{
	return response_make(server, (char *)(uintptr_t)text, strlen(text),
			     MHD_RESPMEM_PERSISTENT, type);
}

/* Return the page, from the cache if it is younger than cache_ns; NULL if out of memory */
static struct MHD_Response *page_response(struct server *server)
{
	uint64_t now = now_ns();
	struct MHD_Response *made;
	size_t size;
	char *text;

	if (server->made && now < server->made_at + server->page.cache_ns)
		return server->made;
	text = server->page.make(server->page.data, &size);
	if (!text)
		return NULL;
	made = response_make(server, text, size, MHD_RESPMEM_MUST_FREE, EXPOSE_TYPE);
	if (!made) {
		free(text);
		return NULL;
	}
	/* libmicrohttpd keeps a reference to the old page while a connection sends it */
	if (server->made)
		server->http.destroy_response(server->made);
	server->made = made;
	server->made_at = now;
	return made;
}

static enum MHD_Result answer(void *data, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct server *server = data;
	struct MHD_Response *response;
	unsigned int code = MHD_HTTP_OK;

	(void)version;
	(void)upload;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return server->http.queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
						       server->refused);
	/*
	 * libmicrohttpd calls this function after the headers, for each part of the body (which
	 * is ignored), and at the end of the request
	 */
	if (!*state) {
		*state = server;
		return MHD_YES;
	}
	if (*upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	if (!strcmp(url, "/metrics")) {
		response = page_response(server);
	} else if (!strcmp(url, "/")) {
		response = server->root;
	} else {
		response = server->missing;
		code = MHD_HTTP_NOT_FOUND;
	}
	return response ? server->http.queue_response(connection, code, response) : MHD_NO;
}

/* ---- connections ------------------------------------------------------- */

static void connection_add(struct server *server, struct MHD_Connection *client, void **state)
{
	const union MHD_ConnectionInfo *info;
	struct connection *connection = calloc(1, sizeof(*connection));

	if (!connection)
		return;
	info = server->http.get_connection_info(client, MHD_CONNECTION_INFO_CONNECTION_FD);
	connection->fd = info ? info->connect_fd : -1;
	connection->deadline = now_ns() + CONNECTION_NS;
	TAILQ_INSERT_TAIL(&server->connections, connection, link);
	*state = connection;
}

static void connection_notify(void *data, struct MHD_Connection *client, void **state,
			      enum MHD_ConnectionNotificationCode code)
{
	struct server *server = data;
	struct connection *connection = *state;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		connection_add(server, client, state);
		return;
	}
	if (connection && !connection->late)
		TAILQ_REMOVE(&server->connections, connection, link);
	free(connection);
	*state = NULL;
}

/*
 * Shut down connections after their deadline. Then libmicrohttpd reads an end of file and closes
 * them.
 */
static void connections_expire(struct server *server, uint64_t now)
{
	struct connection *connection;

	while ((connection = TAILQ_FIRST(&server->connections)) && connection->deadline <= now) {
		TAILQ_REMOVE(&server->connections, connection, link);
		connection->late = true;
		shutdown(connection->fd, SHUT_RDWR);
	}
}

/* ---- the server -------------------------------------------------------- */

static int responses_make(struct tool *tool, struct server *server)
{
	server->root = response_fixed(server, "<html><head><title>ucore</title></head><body>"
				      "<a href=\"/metrics\">Metrics</a></body></html>\n",
				      "text/html; charset=utf-8");
	server->missing = response_fixed(server, "not found: see /metrics\n", "text/plain");
	server->refused = response_fixed(server, "GET and HEAD only\n", "text/plain");
	if (!server->root || !server->missing || !server->refused)
		return tool_error(tool, "out of memory");
	server->http.add_response_header(server->refused, "Allow", "GET, HEAD");
	return 0;
}

/* Start libmicrohttpd with a duplicate of @listening, because it closes its socket when it stops */
static int daemon_start(struct tool *tool, struct server *server, int listening)
{
	int fd = fcntl(listening, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return tool_error(tool, "cannot listen: %s", strerror(errno));
	server->daemon = server->http.start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, answer, server,
						   MHD_OPTION_LISTEN_SOCKET, (MHD_socket)fd,
						   MHD_OPTION_CONNECTION_LIMIT, MAX_CONNECTIONS,
						   MHD_OPTION_CONNECTION_MEMORY_LIMIT,
						   (size_t)CONNECTION_SIZE,
						   MHD_OPTION_NOTIFY_CONNECTION,
						   connection_notify, server, MHD_OPTION_END);
	if (!server->daemon)
		return tool_error(tool, "libmicrohttpd: cannot start the HTTP server");
	return 0;
}

int serve_open(struct tool *tool, int fd, const struct serve_page *page, struct server **out)
{
	struct server *server = calloc(1, sizeof(*server));
	int ret;

	if (!server)
		return tool_error(tool, "out of memory");
	TAILQ_INIT(&server->connections);
	server->page = *page;
	ret = library_open(tool, &server->http);
	if (!ret)
		ret = responses_make(tool, server);
	if (!ret)
		ret = daemon_start(tool, server, fd);
	if (ret) {
		serve_close(server);
		return ret;
	}
	*out = server;
	return 0;
}

int serve_fd(const struct server *server)
{
	const union MHD_DaemonInfo *info;

	if (!server)
		return -1;
	info = server->http.get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	return info ? info->epoll_fd : -1;
}

uint64_t serve_until(const struct server *server)
{
	const struct connection *first;
	MHD_UNSIGNED_LONG_LONG ms;
	uint64_t until = 0;

	if (!server)
		return 0;
	first = TAILQ_FIRST(&server->connections);
	if (first)
		until = first->deadline;
	if (server->http.get_timeout(server->daemon, &ms) == MHD_YES &&
	    (!until || now_ns() + ms * NSEC_PER_MSEC < until))
		until = now_ns() + ms * NSEC_PER_MSEC;
	return until;
}

void serve_run(struct server *server)
{
	if (!server)
		return;
	connections_expire(server, now_ns());
	server->http.run(server->daemon);
}

static void response_drop(struct server *server, struct MHD_Response *response)
{
	if (response)
		server->http.destroy_response(response);
}

void serve_close(struct server *server)
{
	if (!server)
		return;
	if (server->daemon)
		server->http.stop_daemon(server->daemon);
	response_drop(server, server->made);
	response_drop(server, server->root);
	response_drop(server, server->missing);
	response_drop(server, server->refused);
	/* Do not unload libmicrohttpd, because it does not free all its state */
	free(server);
}

#else

int serve_open(struct tool *tool, int fd, const struct serve_page *page, struct server **out)
{
	(void)fd;
	(void)page;
	(void)out;
	return tool_error(tool, "--listen: this ucoretool was built without libmicrohttpd. Install libmicrohttpd-dev and rebuild, or use --textfile");
}

int serve_fd(const struct server *server)
{
	(void)server;
	return -1;
}

uint64_t serve_until(const struct server *server)
{
	(void)server;
	return 0;
}

void serve_run(struct server *server)
{
	(void)server;
}

void serve_close(struct server *server)
{
	(void)server;
}

#endif /* UCORE_HTTP */
