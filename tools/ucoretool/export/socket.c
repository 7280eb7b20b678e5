// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Listening sockets, TCP and unix. A killed process leaves the file of its unix socket. If no
 * process listens on such a socket, it is replaced. Any other file is left in place.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli.h"
#include "export/socket.h"

#define BACKLOG		256

/* ---- parser of addresses ----------------------------------------------- */

static int path_parse(struct tool *tool, const char *path, struct address *address)
{
	if (!*path || strlen(path) >= sizeof(address->path))
		return tool_usage(tool, "unix socket '%s': the path must have 1 to %zu characters",
				  path,
				  sizeof(address->path) - 1);
	memcpy(address->path, path, strlen(path) + 1);
	return 0;
}

static int address_wrong(struct tool *tool, const char *text)
{
	return tool_usage(tool, "address '%s': not valid. Use HOST:PORT, [HOST]:PORT, :PORT or unix:PATH",
			  text);
}

int address_parse(struct tool *tool, const char *text, struct address *address)
{
	const char *colon = strrchr(text, ':'), *host = text;
	uint64_t port;
	size_t length;

	if (!strncmp(text, "unix:", 5))
		return path_parse(tool, text + 5, address);
	if (*text == '/')
		return path_parse(tool, text, address);
	*address->path = 0;
	if (!colon || !colon[1])
		return address_wrong(tool, text);
	length = (size_t)(colon - text);
	if (*host == '[') {
		if (length < 3 || host[length - 1] != ']')
			return address_wrong(tool, text);
		host++;
		length -= 2;
	} else if (memchr(host, ':', length)) {
		return address_wrong(tool, text);	/* an IPv6 address without brackets */
	}
	if (length >= sizeof(address->host))
		return address_wrong(tool, text);
	memcpy(address->host, host, length);
	address->host[length] = 0;
	/* Check the range here, because getaddrinfo() takes the port modulo 65536 */
	if (parse_u64(tool, "port", colon + 1, 0, UINT16_MAX, &port))
		return EXIT_USAGE;
	snprintf(address->port, sizeof(address->port), "%u", (unsigned int)port);
	return 0;
}

/* ---- unix sockets ------------------------------------------------------ */

static int unix_error(struct tool *tool, const char *path, int code)
{
	return tool_error(tool, "cannot listen on unix:%s: %s", path, strerror(code));
}

/* Remove a unix socket on which no process listens; return 0 if the path is free, or exit code */
static int unix_replace(struct tool *tool, const struct sockaddr_un *name)
{
	struct stat there;
	int fd, ret;

	if (lstat(name->sun_path, &there))
		return errno == ENOENT ? 0 : unix_error(tool, name->sun_path, errno);
	if (!S_ISSOCK(there.st_mode))
		return tool_error(tool, "cannot listen on unix:%s: the file exists and is not a socket. Choose another path",
				  name->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return unix_error(tool, name->sun_path, errno);
	ret = connect(fd, (const struct sockaddr *)name, sizeof(*name)) ? errno : 0;
	close(fd);
	if (ret != ECONNREFUSED)
		return tool_error(tool, "cannot listen on unix:%s: %s", name->sun_path,
				  !ret || ret == EAGAIN ? "another process listens there"
							: strerror(ret));
	return unlink(name->sun_path) ? unix_error(tool, name->sun_path, errno) : 0;
}

static int unix_bind(struct tool *tool, const struct address *address, struct listener *listener)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	struct stat made;
	mode_t before;
	int ret;

	memcpy(name.sun_path, address->path, sizeof(name.sun_path));
	ret = unix_replace(tool, &name);
	if (ret)
		return ret;
	listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->fd < 0)
		return unix_error(tool, address->path, errno);
	/* Set the umask before bind(), so that the file never has wider permissions */
	before = umask(0777 & ~address->mode);
	ret = bind(listener->fd, (struct sockaddr *)&name, sizeof(name)) ? errno : 0;
	umask(before);
	if (ret)
		return unix_error(tool, address->path, ret);
	memcpy(listener->path, address->path, sizeof(listener->path));
	if (!lstat(address->path, &made)) {
		listener->dev = made.st_dev;
		listener->ino = made.st_ino;
	}
	snprintf(listener->text, sizeof(listener->text), "unix:%s", address->path);
	return 0;
}

/* ---- TCP sockets ------------------------------------------------------- */

/* Store the bound address as text, because the kernel chooses the number for port 0 */
static void tcp_name(struct listener *listener)
{
	struct sockaddr_storage name = { 0 };
	socklen_t size = sizeof(name);
	char host[256], port[32];
	bool brackets;

	if (getsockname(listener->fd, (struct sockaddr *)&name, &size) ||
	    getnameinfo((struct sockaddr *)&name, size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV))
		return;
	brackets = name.ss_family == AF_INET6;
	snprintf(listener->text, sizeof(listener->text), "http://%s%s%s:%s/metrics",
		 brackets ? "[" : "", host, brackets ? "]" : "", port);
}

static int tcp_try(const struct addrinfo *info, struct listener *listener)
{
	int on = 1;

	listener->fd = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      info->ai_protocol);
	if (listener->fd < 0)
		return errno;
	setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return bind(listener->fd, info->ai_addr, info->ai_addrlen) ? errno : 0;
}

static int tcp_bind(struct tool *tool, const struct address *address, struct listener *listener)
{
	const struct addrinfo hints = { .ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM };
	struct addrinfo *infos;
	int ret;

	ret = getaddrinfo(*address->host ? address->host : NULL, address->port, &hints, &infos);
	if (ret)
		return tool_error(tool, "cannot listen on %s:%s: %s", address->host, address->port,
				  ret == EAI_SYSTEM ? strerror(errno) : gai_strerror(ret));
	for (const struct addrinfo *info = infos; info; info = info->ai_next) {
		ret = tcp_try(info, listener);
		if (!ret)
			break;
		listener_close(listener);
	}
	freeaddrinfo(infos);
	if (ret)
		return tool_error(tool, "cannot listen on %s:%s: %s", address->host, address->port,
				  strerror(ret));
	tcp_name(listener);
	return 0;
}

/* ---- both kinds of sockets --------------------------------------------- */

int listener_open(struct tool *tool, const struct address *address, struct listener *listener)
{
	int ret;

	*listener = (struct listener) { .fd = -1 };
	ret = *address->path ? unix_bind(tool, address, listener) :
			       tcp_bind(tool, address, listener);
	if (!ret && listen(listener->fd, BACKLOG))
		ret = tool_error(tool, "cannot listen on %s: %s", listener->text, strerror(errno));
	if (ret)
		listener_close(listener);
	return ret;
}

void listener_close(struct listener *listener)
{
	struct stat there;

	if (listener->fd >= 0)
		close(listener->fd);
	listener->fd = -1;
	if (*listener->path && !lstat(listener->path, &there) &&
	    there.st_dev == listener->dev && there.st_ino == listener->ino)
		unlink(listener->path);
	*listener->path = 0;
}
