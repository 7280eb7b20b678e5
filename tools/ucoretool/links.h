/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connections of IIO stacks and UPI links: the PCI devices and the link partners.
 */
#ifndef UCORETOOL_LINKS_H
#define UCORETOOL_LINKS_H

#include "output/table.h"
#include "output/pci_names.h"
#include "tool.h"

#define LINKS_TEXT_LEN	512

/**
 * struct links - the link partners and the PCI devices of a machine
 * @link: array with the link of each box, indexed by box id
 * @devices: PCI devices of the machine
 */
struct links {
	const struct ucore_link_info *link;
	struct pci_devices devices;
};

/**
 * links_open() - read the links from the driver, and the PCI devices from sysfs
 * @tool: the tool
 * @dev: open device
 * @root: as for pci_devices_read(), NULL: ""
 * @links: initialized on success
 *
 * Return: 0 or the exit code.
 */
int links_open(struct tool *tool, struct ucore_device *dev, const char *root, struct links *links);

/** links_close() - free the list of PCI devices */
void links_close(struct links *links);

/** links_port() - return the port in the name of an IIO event ("...PART2"), -1: none */
int links_port(const char *event);

/**
 * links_text() - write the partner of a box's link, or the devices below a stack, as one line
 * @links: all links and devices
 * @box: box id
 * @port: port number, -1: all ports
 * @brief: true for one device and the number of the others
 * @text: output buffer
 * @size: size of @text; LINKS_TEXT_LEN is enough
 *
 * Return: false if the partner is unknown.
 */
bool links_text(const struct links *links, uint32_t box, int port, bool brief, char *text,
		size_t size);

/** links_list() - print a line for each stack, device and link; return an exit code */
int links_list(struct tool *tool, struct ucore_device *dev, const struct out *how,
	       const char *pattern, const char *root);

#endif /* UCORETOOL_LINKS_H */
