// SPDX-License-Identifier: GPL-2.0-only
/*
 * The finder: collects the box descriptions from which the catalog is built. Process context,
 * at module load.
 */
#include <linux/cpufeature.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "find/array.h"
#include "find/die_topology.h"
#include "find/found_boxes.h"

static bool uncertain;
module_param(uncertain, bool, 0444);
MODULE_PARM_DESC(uncertain,
		 "use the likely values of undocumented facts about Ice Lake, Snow Ridge and Diamond Rapids");

/**
 * ucore_finder_uses_uncertain() - check whether the user wants platform data that is uncertain
 *
 * Return: true with the module parameter uncertain=1.
 */
bool ucore_finder_uses_uncertain(void)
{
	return uncertain;
}

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
 * ucore_finder_report() - set the text about missing boxes, unless there is one already
 * @finder: collection of box descriptions, whose members hidden and cause are set
 * @cause: cause of the problem, UCORE_CAUSE_*
 * @format: printf format of the text
 */
void ucore_finder_report(struct ucore_finder *finder, u32 cause, const char *format, ...)
{
	va_list args;

	if (*finder->hidden)
		return;
	finder->cause = cause;
	va_start(args, format);
	vsnprintf(finder->hidden, sizeof(finder->hidden), format, args);
	va_end(args);
}

/**
 * ucore_finder_report_hidden() - report that all boxes of a kind are hidden
 * @finder: collection of box descriptions
 * @boxes: name of the boxes, as the object of the sentence
 * @problem: sentence for a machine whose firmware hides the boxes
 *
 * A virtual machine cannot change the BIOS of its host. Therefore it gets another sentence.
 */
void ucore_finder_report_hidden(struct ucore_finder *finder, const char *boxes,
				const char *problem)
{
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		ucore_finder_report(finder, UCORE_CAUSE_GUEST,
				    "a virtual machine hides the %s: run ucore on the host", boxes);
	else
		ucore_finder_report(finder, UCORE_CAUSE_FIRMWARE, "%s", problem);
}

/**
 * ucore_finder_report_no_die() - report a PCI bus whose die is unknown or offline
 * @finder: collection of box descriptions
 * @segment: PCI segment of the bus
 * @bus: PCI bus with boxes or a discovery table
 * @die: UCORE_DIE_*
 *
 * The boxes of a socket without an online CPU cannot be probed. Therefore a list of hidden boxes
 * would be wrong.
 */
void ucore_finder_report_no_die(struct ucore_finder *finder, u32 segment, u32 bus, int die)
{
	if (die == UCORE_DIE_OFFLINE)
		ucore_finder_report(finder, UCORE_CAUSE_OFFLINE,
				    "a socket has no CPU online: bring one online and load ucore again");
	else if (die == UCORE_DIE_NO_NODE)
		ucore_finder_report(finder, UCORE_CAUSE_NODE,
				    "the kernel knows no NUMA node of bus %04x:%02x, and its UBox does not give the socket: update the BIOS (ACPI _PXM of the bus)",
				    segment, bus);
	else
		ucore_finder_report_hidden(finder, "UBoxes, which give the dies of PCI boxes",
					   "the UBoxes, which give the dies of PCI boxes, are hidden: look for a BIOS option that hides them");
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
