// SPDX-License-Identifier: GPL-2.0-only
/*
 * The finder: collects the box descriptions from which the catalog is built. Process context,
 * at module load.
 */
#include <linux/pci.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/found_boxes.h"

/**
 * ucore_finder_add() - add one box description
 * @finder: collection of box descriptions
 * @desc: description to be copied; the finder takes over its references to PCI functions
 *
 * Return: 0, or -ENOMEM. After an error the references to PCI functions have been dropped.
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
 * @finder: collection of box descriptions
 * @desc: description of the box to look for
 *
 * Such duplicates occur if firmware gives two sockets the same number.
 *
 * Return: true if the collection contains such a box.
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
 * @finder: collection of box descriptions
 * @address: physical address of the range
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
 * ucore_finder_socket_offline() - set the text that reports a socket without an online CPU
 * @finder: collection of box descriptions, whose member hidden receives the text
 *
 * The boxes of such a socket cannot be probed. Therefore a list of hidden boxes would be wrong.
 */
void ucore_finder_socket_offline(struct ucore_finder *finder)
{
	strscpy(finder->hidden,
		"a socket has no CPU online: bring one online and load ucore again",
		sizeof(finder->hidden));
}

/**
 * ucore_finder_drop() - free all descriptions and drop their references to PCI functions
 * @finder: collection of box descriptions; empty afterwards
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
