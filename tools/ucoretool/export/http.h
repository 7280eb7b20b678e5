/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The HTTP server for scrapers. The server has one page, which it creates when a client
 * requests it.
 */
#ifndef UCORETOOL_EXPORT_HTTP_H
#define UCORETOOL_EXPORT_HTTP_H

#include "tool.h"

/**
 * struct serve_page - the page that is served
 * @make: function that returns the text of the page, which the caller frees, and its length in
 *        @size (bytes); NULL on failure
 * @data: argument of @make
 * @cache_ns: time after @make for which requests get the same page (ns)
 */
struct serve_page {
	char *(*make)(void *data, size_t *size);
	void *data;
	uint64_t cache_ns;
};

struct server;

/**
 * serve_open() - serve a page on a listening socket
 * @fd: the socket; the caller closes it after serve_close()
 *
 * Return: 0, or the exit code after an error message.
 */
int serve_open(struct tool *tool, int fd, const struct serve_page *page, struct server **out);

/** serve_fd() - return a descriptor that is readable when serve_run() has work; -1 for NULL */
int serve_fd(const struct server *server);

/** serve_until() - return the CLOCK_MONOTONIC time (ns) of the next serve_run(), 0 for no limit */
uint64_t serve_until(const struct server *server);

/** serve_run() - process pending requests without blocking; @server may be NULL */
void serve_run(struct server *server);

/** serve_close() - close all connections and free the server; @server may be NULL */
void serve_close(struct server *server);

#endif /* UCORETOOL_EXPORT_HTTP_H */
