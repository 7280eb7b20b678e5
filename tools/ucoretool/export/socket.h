/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses to listen on: TCP and unix sockets.
 */
#ifndef UCORETOOL_LISTEN_H
#define UCORETOOL_LISTEN_H

#include <sys/types.h>
#include <sys/un.h>

#include "tool.h"

/**
 * struct address - where to listen
 * @path: of a unix socket, empty for TCP
 * @mode: of that socket's file
 * @host: name or number, empty for all addresses
 * @port: name or number
 */
struct address {
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	mode_t mode;
	char host[256];
	char port[32];
};

/**
 * struct listener - a socket that listens
 * @fd: the socket, or -1
 * @path: the file that goes with it, empty for TCP
 * @dev: the file that we made: nobody else's is removed
 * @ino: of the same
 * @text: the address in words: "http://127.0.0.1:9739/metrics"
 */
struct listener {
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t dev;
	ino_t ino;
	char text[320];
};

/** address_parse() - "HOST:PORT", "[HOST]:PORT", ":PORT", "unix:PATH" or "/PATH" */
int address_parse(struct tool *tool, const char *text, struct address *address);

/** listener_open() - bind and listen; returns 0 or the exit code of what it said */
int listener_open(struct tool *tool, const struct address *address, struct listener *listener);

/** listener_close() - close the socket and remove its file */
void listener_close(struct listener *listener);

#endif /* UCORETOOL_LISTEN_H */
