/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * HTTP for scrapers: one page, made when it is asked for.
 */
#ifndef UCORETOOL_SERVE_H
#define UCORETOOL_SERVE_H

#include "tool.h"

/**
 * struct serve_page - the page that is served
 * @make: makes it: text to be freed, its length in @size; NULL: cannot be made
 * @data: for @make
 * @cache_ns: for how long it is good for others that ask
 */
struct serve_page {
	char *(*make)(void *data, size_t *size);
	void *data;
	uint64_t cache_ns;
};

struct server;

/**
 * serve_open() - serve a page on a socket that listens
 * @fd: the socket; it stays the caller's, who closes it after serve_close()
 *
 * Return: 0 or the exit code of what it said.
 */
int serve_open(struct tool *tool, int fd, const struct serve_page *page, struct server **out);

/** serve_fd() - becomes readable when there is something to do; -1 for NULL */
int serve_fd(const struct server *server);

/** serve_until() - when to call serve_run() at the latest; 0: not before the descriptor says so */
uint64_t serve_until(const struct server *server);

/** serve_run() - do what there is to do, without waiting; NULL is fine */
void serve_run(struct server *server);

/** serve_close() - end all connections; NULL is fine */
void serve_close(struct server *server);

#endif /* UCORETOOL_SERVE_H */
