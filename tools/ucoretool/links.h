/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where stacks and links lead, for people and programs.
 */
#ifndef UCORETOOL_ENDS_H
#define UCORETOOL_ENDS_H

#include "output/table.h"
#include "output/pci_names.h"
#include "tool.h"

#define ENDS_TEXT_LEN	512

/**
 * struct ends - what is at the other end of the boxes of a device
 * @end: of each box, by its id
 * @devices: those of the machine
 */
struct ends {
	const struct ucore_link_info *end;
	struct pci_devices devices;
};

/** ends_open() - ask the driver and the kernel; @root as for pci_devices_read(); an exit code */
int ends_open(struct tool *tool, struct ucore_device *dev, const char *root, struct ends *ends);

/** ends_close() - forget them */
void ends_close(struct ends *ends);

/** ends_port() - the port that an event of a stack is of by its name, -1: of all or of none */
int ends_port(const char *event);

/**
 * ends_text() - what is there, in one line; false: nothing is known
 * @ends: all of them
 * @box: box id
 * @port: number of a port, -1: all
 * @brief: one device, and how many there are beside it
 * @text: is written
 * @size: room there: ENDS_TEXT_LEN is enough
 */
bool ends_text(const struct ends *ends, uint32_t box, int port, bool brief, char *text,
	       size_t size);

/** ends_list() - a line for each stack, device and link; returns an exit code */
int ends_list(struct tool *tool, struct ucore_device *dev, const struct out *how,
	      const char *pattern, const char *root);

#endif /* UCORETOOL_ENDS_H */
