// SPDX-License-Identifier: GPL-2.0-only
/*
 * The finder: descriptions being collected.  Process context, at load.
 */
#include <linux/pci.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/finder.h"

/**
 * ucore_finder_add() - hand over one description
 * @finder: the collection
 * @desc: the description; references to its PCI functions pass to the finder
 *
 * Return: 0, or -ENOMEM with the references dropped.
 */
int ucore_finder_add(struct ucore_finder *finder, const struct ucore_box_desc *desc)
{
	struct ucore_box_desc *array = ucore_array_grow(finder->desc, finder->nr,
							&finder->capacity, sizeof(*array));

	if (!array) {
		pci_dev_put(desc->pdev);
		pci_dev_put(desc->aux);
		return -ENOMEM;
	}
	finder->desc = array;
	array[finder->nr++] = *desc;
	return 0;
}

/**
 * ucore_finder_knows() - was a box of this type, die and number found before?
 * @finder: the collection
 * @desc: the box
 *
 * Firmware that numbers two sockets alike makes one of both.
 *
 * Return: true if one was.
 */
bool ucore_finder_knows(const struct ucore_finder *finder, const struct ucore_box_desc *desc)
{
	const struct ucore_box_desc *other;

	for (other = finder->desc; other < finder->desc + finder->nr; other++)
		if (other->type == desc->type && other->die == desc->die &&
		    other->instance == desc->instance)
			return true;
	return false;
}

/**
 * ucore_finder_has() - has a box that was found any of these bytes?
 * @finder: the collection
 * @address: physical address in memory
 * @size: bytes
 *
 * Return: true if one has.
 */
bool ucore_finder_has(const struct ucore_finder *finder, u64 address, u32 size)
{
	const struct ucore_box_desc *desc;

	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++)
		if (desc->size && address < desc->phys + desc->size &&
		    desc->phys < address + size)
			return true;
	return false;
}

/**
 * ucore_finder_socket_offline() - say that there is a socket without a CPU online
 * @finder: the collection; gets @hidden
 *
 * Its boxes cannot be asked, and which of them are hidden cannot be told either.
 */
void ucore_finder_socket_offline(struct ucore_finder *finder)
{
	strscpy(finder->hidden,
		"a socket has no CPU online: bring one online and load ucore again",
		sizeof(finder->hidden));
}

/**
 * ucore_finder_drop() - forget all descriptions and their references
 * @finder: the collection
 */
void ucore_finder_drop(struct ucore_finder *finder)
{
	u32 i;

	for (i = 0; i < finder->nr; i++) {
		pci_dev_put(finder->desc[i].pdev);
		pci_dev_put(finder->desc[i].aux);
	}
	kvfree(finder->desc);
	*finder = (struct ucore_finder){ };
}
