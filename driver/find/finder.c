// SPDX-License-Identifier: GPL-2.0-only
/*
 * The finder: collects the box descriptions from which the catalog is built. Process context,
 * at module load.
 */
#include <linux/pci.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/finder.h"

/**
 * ucore_finder_add() - add one description
 * @finder: the collection
 * @desc: the description; its PCI function references pass to the finder
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
 * ucore_finder_knows() - check whether a box of the same type, die and number was added
 * @finder: the collection
 * @desc: the box
 *
 * Firmware that gives two sockets the same number would produce such duplicates.
 *
 * Return: true if there is such a box.
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
 * ucore_finder_has() - check whether an added box overlaps an address range
 * @finder: the collection
 * @address: physical address
 * @size: size of the range (bytes)
 *
 * Return: true if a memory-mapped box overlaps the range.
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
 * ucore_finder_socket_offline() - report a socket without an online CPU
 * @finder: the collection; sets @hidden
 *
 * The boxes of such a socket cannot be probed, so that a list of hidden boxes would be wrong.
 */
void ucore_finder_socket_offline(struct ucore_finder *finder)
{
	strscpy(finder->hidden,
		"a socket has no CPU online: bring one online and load ucore again",
		sizeof(finder->hidden));
}

/**
 * ucore_finder_drop() - drop all descriptions and their references
 * @finder: the collection; empty afterwards
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
