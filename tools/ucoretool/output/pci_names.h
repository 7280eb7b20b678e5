/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The PCI devices of this machine by the root bus that they are below, with their names.
 */
#ifndef UCORETOOL_PCI_H
#define UCORETOOL_PCI_H

#include <stddef.h>
#include <stdint.h>

#define PCI_ADDRESS_LEN	16

/**
 * struct pci_device - a function
 * @segment: of the root bus
 * @bus: number of the root bus
 * @slot: device number there of the root port that it is behind, or its own
 * @address: its own place: "0000:3b:00.0"
 * @class: class code, without the interface
 * @vendor: vendor id
 * @device: device id
 * @class_name: as pci.ids says, NULL if that is not there or does not know
 * @vendor_name: the same
 * @device_name: the same
 */
struct pci_device {
	uint32_t segment;
	uint32_t bus;
	uint32_t slot;
	char address[PCI_ADDRESS_LEN];
	uint32_t class;
	uint32_t vendor;
	uint32_t device;
	char *class_name;
	char *vendor_name;
	char *device_name;
};

/**
 * struct pci_devices - those that move data of their own: neither bridges nor parts of the
 *                      chips themselves
 * @device: in the order of their addresses
 * @nr: how many
 */
struct pci_devices {
	struct pci_device *device;
	size_t nr;
};

/**
 * pci_devices_read() - read them from sysfs, and their names from pci.ids if it is there
 * @root: directory that /sys and /usr are below, "" for the real ones
 * @devices: is filled
 *
 * Without a sysfs there are none.  Return: 0 or -ENOMEM.
 */
int pci_devices_read(const char *root, struct pci_devices *devices);

/** pci_devices_free() - forget them */
void pci_devices_free(struct pci_devices *devices);

/** pci_device_text() - "Ethernet controller: Intel Corporation ...", as lspci has it */
void pci_device_text(const struct pci_device *device, char *text, size_t size);

#endif /* UCORETOOL_PCI_H */
