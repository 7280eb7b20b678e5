/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Connections of boxes: the PCI devices below an IIO stack, and the far end of a UPI link.
 */
#ifndef UCORETOOL_LINKS_H
#define UCORETOOL_LINKS_H

#include "output/table.h"
#include "output/pci_names.h"
#include "tool.h"

#define LINKS_TEXT_LEN	512

#define LINK_MAX_PORTS	64

/**
 * struct link_ports - PCI functions of the ports of a stack (GET_PORTS)
 * @nr: number of functions
 * @port: the functions
 */
struct link_ports {
	unsigned int nr;
	struct ucore_port_info port[LINK_MAX_PORTS];
};

/**
 * struct links - connections of all boxes, and the PCI devices of a machine
 * @link: connection of each box (GET_LINKS), indexed by box id
 * @ports: PCI functions of the ports of each box, indexed by box id
 * @devices: PCI devices of the machine
 */
struct links {
	const struct ucore_link_info *link;
	struct link_ports *ports;
	struct pci_devices devices;
};

/**
 * links_open() - read the links from the driver, and the PCI devices from sysfs
 * @tool: the tool
 * @dev: open device
 * @root: folder that contains sys and usr, NULL: /
 * @links: initialized on success
 *
 * Return: 0 or the exit code.
 */
int links_open(struct tool *tool, struct ucore_device *dev, const char *root, struct links *links);

/** links_close() - free the list of PCI devices */
void links_close(struct links *links);

/** links_port() - return the port number in the name of an IIO event ("...PART2"); -1 if none */
int links_port(const char *event);

/**
 * links_text() - write the far end of a UPI link, or the PCI devices below a stack, as one line
 * @links: all links and devices
 * @box: box id
 * @port: port number, -1: all ports
 * @brief: true: write one device, and the number of other devices
 * @text: output buffer
 * @size: size of @text; LINKS_TEXT_LEN is enough
 *
 * Return: false if the connection of the box is unknown.
 */
bool links_text(const struct links *links, uint32_t box, int port, bool brief, char *text,
		size_t size);

/**
 * links_ports() - find the ports of a stack that count the traffic of a PCI device
 *
 * Return: mask of the ports; 0 if the device is not behind the stack, or the ports are unknown.
 */
uint32_t links_ports(const struct links *links, uint32_t box, const struct pci_device *device);

/** links_ports_text() - write a mask of ports as numbers and ranges ("0-2,4") */
void links_ports_text(uint32_t ports, char *text, size_t size);

/** links_device_text() - write the address and the name of a PCI device */
void links_device_text(const struct pci_device *device, char *text, size_t size);

/** links_list() - print a line for each stack, device and link; return an exit code */
int links_list(struct tool *tool, struct ucore_device *dev, const struct out *how,
	       const char *pattern, const char *root);

#endif /* UCORETOOL_LINKS_H */
