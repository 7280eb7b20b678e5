// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PCI devices and their names, read from sysfs and pci.ids.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/pci_names.h"
#include "tool.h"

#define DEVICES		"/sys/bus/pci/devices"

/* ---- sysfs ------------------------------------------------------------- */

/* Read a hexadecimal number from a sysfs file of a PCI function; 0 on failure */
static uint32_t number_of(const char *root, const char *address, const char *file)
{
	char path[PATH_MAX];
	unsigned int number = 0;
	FILE *stream;

	snprintf(path, sizeof(path), "%s" DEVICES "/%s/%s", root, address, file);
	stream = fopen(path, "re");
	if (!stream)
		return 0;
	if (fscanf(stream, "%x", &number) != 1)
		number = 0;
	fclose(stream);
	return number;
}

/* Parse root bus and slot from the target of the device's symbolic link (".../pci0000:3a/...") */
static bool place_of(const char *root, struct pci_device *device)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *at;
	ssize_t length;

	snprintf(path, sizeof(path), "%s" DEVICES "/%s", root, device->address);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = 0;
	at = strstr(target, "/pci");
	return at && sscanf(at, "/pci%x:%x/%*x:%*x:%x", &device->segment, &device->bus,
			    &device->slot) == 3;
}

/* Return true for Intel's accelerators DSA and IAX, which have the class of system peripherals */
static bool is_accelerator(const struct pci_device *device)
{
	return device->vendor == 0x8086 && (device->device == 0x0b25 || device->device == 0x0cfe);
}

/*
 * Return true if a device transfers data; false for the classes of memory, bridges, system
 * peripherals and signal processing
 */
static bool moves_data(const struct pci_device *device)
{
	if (is_accelerator(device))
		return true;
	switch (device->class >> 8) {
	case 0x05:
	case 0x06:
	case 0x08:
	case 0x11:
		return false;
	default:
		return true;
	}
}

static int device_add(struct pci_devices *devices, const struct pci_device *device)
{
	struct pci_device *array = realloc(devices->device, (devices->nr + 1) * sizeof(*array));

	if (!array)
		return -ENOMEM;
	devices->device = array;
	array[devices->nr++] = *device;
	return 0;
}

static int device_read(struct pci_devices *devices, const char *root, const char *name)
{
	struct pci_device device = { 0 };

	if (strlen(name) >= sizeof(device.address))
		return 0;
	memcpy(device.address, name, strlen(name) + 1);
	device.class = number_of(root, name, "class") >> 8;
	device.vendor = number_of(root, name, "vendor");
	device.device = number_of(root, name, "device");
	if (*name == '.' || !moves_data(&device) || !place_of(root, &device))
		return 0;
	return device_add(devices, &device);
}

static int sysfs_read(struct pci_devices *devices, const char *root)
{
	struct dirent **entries;
	char path[PATH_MAX];
	int nr, ret = 0;

	snprintf(path, sizeof(path), "%s" DEVICES, root);
	nr = scandir(path, &entries, NULL, alphasort);
	if (nr < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	for (int i = 0; i < nr; i++) {
		if (!ret)
			ret = device_read(devices, root, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

/* ---- pci.ids ----------------------------------------------------------- */

/* Current section of pci.ids: a vendor or a class; the other member is UINT32_MAX */
struct reading {
	uint32_t vendor;
	uint32_t class;
};

static int name_set(char **name, const char *text)
{
	if (!*name)
		*name = strdup(text);
	return *name ? 0 : -ENOMEM;
}

/* Parse the first line of a section of pci.ids: a vendor or a class */
static int head_read(struct pci_devices *devices, struct reading *reading, const char *line)
{
	unsigned int id;
	int at = 0, ret = 0;

	*reading = (struct reading) { UINT32_MAX, UINT32_MAX };
	if (sscanf(line, "C %2x  %n", &id, &at) == 1 && at) {
		reading->class = id;
		return 0;
	}
	if (sscanf(line, "%4x  %n", &id, &at) != 1 || !at)
		return 0;
	reading->vendor = id;
	for (size_t i = 0; i < devices->nr && !ret; i++)
		if (devices->device[i].vendor == id)
			ret = name_set(&devices->device[i].vendor_name, line + at);
	return ret;
}

/* Parse a line within a section of pci.ids: a device or a subclass; skip deeper levels */
static int item_read(struct pci_devices *devices, const struct reading *reading, const char *line)
{
	unsigned int id;
	int at = 0, ret = 0;

	if (sscanf(line, "\t%4x  %n", &id, &at) != 1 || !at || line[1] == '\t')
		return 0;
	for (size_t i = 0; i < devices->nr && !ret; i++) {
		struct pci_device *device = &devices->device[i];

		if (device->vendor == reading->vendor && device->device == id)
			ret = name_set(&device->device_name, line + at);
		if (reading->class <= 0xff && device->class == (reading->class << 8 | id))
			ret = name_set(&device->class_name, line + at);
	}
	return ret;
}

static int names_read(struct pci_devices *devices, FILE *stream)
{
	struct reading reading = { UINT32_MAX, UINT32_MAX };
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	while (!ret && getline(&line, &size, stream) > 0) {
		line[strcspn(line, "\r\n")] = 0;
		if (*line == '\t')
			ret = item_read(devices, &reading, line);
		else if (*line && *line != '#')
			ret = head_read(devices, &reading, line);
	}
	free(line);
	return ret;
}

/* Open pci.ids at one of the paths that distributions use; NULL if there is none */
static FILE *names_open(const char *root)
{
	static const char *const paths[] = {
		"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids",
	};
	FILE *stream = NULL;
	char path[PATH_MAX];

	for (size_t i = 0; !stream && i < ARRAY_SIZE(paths); i++) {
		snprintf(path, sizeof(path), "%s%s", root, paths[i]);
		stream = fopen(path, "re");
	}
	return stream;
}

/* ---- the list of devices ----------------------------------------------- */

int pci_devices_read(const char *root, struct pci_devices *devices)
{
	FILE *names = NULL;
	int ret;

	*devices = (struct pci_devices) { 0 };
	ret = sysfs_read(devices, root);
	if (!ret)
		names = names_open(root);
	if (names) {
		ret = names_read(devices, names);
		fclose(names);
	}
	if (ret)
		pci_devices_free(devices);
	return ret;
}

void pci_devices_free(struct pci_devices *devices)
{
	for (size_t i = 0; i < devices->nr; i++) {
		free(devices->device[i].class_name);
		free(devices->device[i].vendor_name);
		free(devices->device[i].device_name);
	}
	free(devices->device);
	*devices = (struct pci_devices) { 0 };
}

void pci_device_text(const struct pci_device *device, char *text, size_t size)
{
	char class[128], name[160];

	if (device->class_name)
		snprintf(class, sizeof(class), "%s", device->class_name);
	else
		snprintf(class, sizeof(class), "%04x", device->class);
	if (!device->vendor_name)
		snprintf(name, sizeof(name), "%04x:%04x", device->vendor, device->device);
	else if (!device->device_name)
		snprintf(name, sizeof(name), "%s Device %04x", device->vendor_name,
			 device->device);
	else
		snprintf(name, sizeof(name), "%s %s", device->vendor_name, device->device_name);
	snprintf(text, size, "%s: %s", class, name);
}
