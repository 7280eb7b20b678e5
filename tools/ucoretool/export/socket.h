/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses and listening sockets: TCP and unix.
 */
#ifndef UCORETOOL_EXPORT_SOCKET_H
#define UCORETOOL_EXPORT_SOCKET_H

#include <sys/types.h>
#include <sys/un.h>

#include "tool.h"

/**
 * struct address - address of a listening socket
 * @path: path of a unix socket, empty for TCP
 * @mode: permissions of the unix socket's file
 * @host: host name or numeric address, empty for all addresses
 * @port: port number
 */
struct address {
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	mode_t mode;
	char host[256];
	char port[32];
};

/**
 * struct listener - a listening socket
 * @fd: descriptor, or -1
 * @path: file of a unix socket, empty for TCP
 * @dev: device of that file, to identify the file before its removal
 * @ino: inode of that file
 * @text: address for messages, such as "http://127.0.0.1:9739/metrics"
 */
struct listener {
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	dev_t dev;
	ino_t ino;
	char text[320];
};

/** address_parse() - parse "HOST:PORT", "[HOST]:PORT", ":PORT", "unix:PATH" or "/PATH" */
int address_parse(struct tool *tool, const char *text, struct address *address);

/** listener_open() - bind and listen; return 0, or the exit code after an error message */
int listener_open(struct tool *tool, const struct address *address, struct listener *listener);

/** listener_close() - close the socket, and remove the file of a unix socket */
void listener_close(struct listener *listener);

#endif /* UCORETOOL_EXPORT_SOCKET_H */
