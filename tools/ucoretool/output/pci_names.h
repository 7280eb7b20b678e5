/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The PCI devices of this machine with their root bus and their names.
 */
#ifndef UCORETOOL_PCI_NAMES_H
#define UCORETOOL_PCI_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define PCI_ADDRESS_LEN	16

/**
 * struct pci_device - a PCI function
 * @segment: segment of the root bus
 * @bus: number of the root bus
 * @slot: device number on the root bus: that of the root port above the function, or that of the
 *        function if it is on the root bus
 * @address: address of the function: "0000:3b:00.0"
 * @class: class code without the programming interface
 * @vendor: vendor id
 * @device: device id
 * @class_name: name of the class in pci.ids, NULL: unknown
 * @vendor_name: name of the vendor in pci.ids, NULL: unknown
 * @device_name: name of the device in pci.ids, NULL: unknown
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
 * struct pci_devices - PCI functions of classes that transfer data, such as network and storage
 * @device: array of functions, ordered by address
 * @nr: number of functions
 */
struct pci_devices {
	struct pci_device *device;
	size_t nr;
};

/**
 * pci_devices_read() - read the functions from sysfs, and their names from pci.ids
 * @root: directory that contains sys and usr, "" for this machine's
 * @devices: filled; empty if there is no sysfs
 *
 * Return: 0 or -ENOMEM.
 */
int pci_devices_read(const char *root, struct pci_devices *devices);

/** pci_devices_free() - free the array and the names */
void pci_devices_free(struct pci_devices *devices);

/** pci_device_text() - write class, vendor and device of a PCI function, in the format of lspci */
void pci_device_text(const struct pci_device *device, char *text, size_t size);

#endif /* UCORETOOL_PCI_NAMES_H */
