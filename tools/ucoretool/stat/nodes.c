// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NUMA nodes of the sockets, for `ucoretool stat --per-node`.  They come from sysfs.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "stat/stat.h"

/* Return the number after @prefix in a file name such as "cpu12"; -1 for another name */
static int number_after(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	if (strncmp(name, prefix, length) || !isdigit((unsigned char)name[length]))
		return -1;
	return atoi(name + length);
}

/* Return the socket of a CPU, or -1 if it is offline */
static int socket_of(const char *folder)
{
	char path[512];
	int socket = -1;
	FILE *stream;

	snprintf(path, sizeof(path), "%s/topology/physical_package_id", folder);
	stream = fopen(path, "re");
	if (!stream)
		return -1;
	if (fscanf(stream, "%d", &socket) != 1)
		socket = -1;
	fclose(stream);
	return socket;
}

/* Return the NUMA node of a CPU, whose folder has an entry "nodeN"; -1 if there is none */
static int node_of(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int node = -1;

	while (dir && node < 0 && (entry = readdir(dir)))
		node = number_after(entry->d_name, "node");
	if (dir)
		closedir(dir);
	return node;
}

/* Store the node of a CPU's socket; refuse a second node, and a node of two sockets */
static int node_store(struct tool *tool, int *nodes, int socket, int node)
{
	if (nodes[socket] >= 0 && nodes[socket] != node)
		return tool_error(tool, "--per-node: socket %d has the nodes %d and %d (sub-NUMA clustering), and it is not known which memory channels belong to which. Use --per-socket or --per-box, and see Documentation/numa.md",
				  socket, nodes[socket], node);
	for (int other = 0; other < MAX_SOCKETS; other++)
		if (other != socket && nodes[other] == node)
			return tool_error(tool, "--per-node: node %d has CPUs of the sockets %d and %d. Use --per-socket",
					  node, other, socket);
	nodes[socket] = node;
	return 0;
}

int stat_nodes_read(struct tool *tool, const char *root, int *nodes)
{
	char folder[256], cpu[320];
	struct dirent *entry;
	int ret = 0, nr = 0;
	DIR *dir;

	for (int i = 0; i < MAX_SOCKETS; i++)
		nodes[i] = -1;
	snprintf(folder, sizeof(folder), "%s/sys/devices/system/cpu", root ? root : "");
	dir = opendir(folder);
	while (dir && !ret && (entry = readdir(dir))) {
		int socket, node;

		if (number_after(entry->d_name, "cpu") < 0)
			continue;
		snprintf(cpu, sizeof(cpu), "%s/%.32s", folder, entry->d_name);
		socket = socket_of(cpu);
		node = node_of(cpu);
		if (socket < 0 || socket >= MAX_SOCKETS || node < 0)
			continue;
		ret = node_store(tool, nodes, socket, node);
		nr++;
	}
	if (dir)
		closedir(dir);
	if (!ret && !nr)
		return tool_error(tool, "--per-node: the kernel reports no NUMA nodes in %s. Use --per-socket",
				  folder);
	return ret;
}
