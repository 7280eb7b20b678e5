// SPDX-License-Identifier: GPL-2.0-only
/*
 * The catalog: all boxes of all dies, built once at load.
 *
 * Two passes: the platform hands over descriptions, then dies and boxes are
 * allocated and filled, by die, each die's boxes as they were found.  Process
 * context.
 */
#include <linux/nospec.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "catalog.h"
#include "intree.h"

struct ucore_catalog ucore_catalog = {
	.lock = __MUTEX_INITIALIZER(ucore_catalog.lock),
};

/* The lowest die id above @after that has boxes; -1 if there is none. */
static s64 next_die(const struct ucore_finder *finder, s64 after)
{
	s64 die = -1;
	u32 i;

	for (i = 0; i < finder->nr; i++)
		if (finder->desc[i].die > after && (die < 0 || finder->desc[i].die < die))
			die = finder->desc[i].die;
	return die;
}

static u32 count_dies(const struct ucore_finder *finder)
{
	s64 die = -1;
	u32 n = 0;

	while ((die = next_die(finder, die)) >= 0)
		n++;
	return n;
}

static int box_init(struct ucore_box *box, u32 id, struct ucore_die *die,
		    const struct ucore_box_desc *desc)
{
	int ret = 0;

	box->desc = *desc;
	box->id = id;
	box->die = die;
	box->caps = desc->type->caps | desc->caps;
	box->io.tally = &die->tally;
	if (desc->pdev)
		ucore_io_init_pci(&box->io, desc->pdev);
	else if (desc->size)
		ret = ucore_io_init_mmio(&box->io, desc->phys, desc->size);
	else
		ucore_io_init_msr(&box->io, desc->msr);
	if (desc->aux) {
		box->aux.tally = &die->tally;
		ucore_io_init_pci(&box->aux, desc->aux);
	}
	if (desc->told)
		*desc->told = id;
	die->nr_boxes++;
	return ret;
}

static int fill_die(const struct ucore_finder *finder, struct ucore_die *die, u32 id)
{
	struct ucore_catalog *cat = &ucore_catalog;
	int ret;
	u32 i;

	cat->nr_dies++;
	ret = ucore_die_init(die, id, finder->global ? finder->global(id) :
						       cat->platform->global);
	for (i = 0; i < finder->nr && !ret; i++) {
		if (finder->desc[i].die != id)
			continue;
		ret = box_init(&cat->boxes[cat->nr_boxes], cat->nr_boxes, die, &finder->desc[i]);
		cat->nr_boxes++;
	}
	return ret;
}

/* What was counted is destroyed if this fails. */
static int fill(const struct ucore_finder *finder)
{
	struct ucore_die *die = ucore_catalog.dies;
	s64 id = -1;
	int ret = 0;

	while (!ret && (id = next_die(finder, id)) >= 0)
		ret = fill_die(finder, die++, id);
	return ret;
}

/**
 * ucore_catalog_report() - what discovery saw
 *
 * Return: NULL where boxes are not found that way.
 */
const struct ucore_report *ucore_catalog_report(void)
{
	return ucore_catalog.platform ? ucore_catalog.platform->report : NULL;
}

static u32 nr_tables(void)
{
	const struct ucore_report *report = ucore_catalog_report();

	return report ? report->nr_tables() : 0;
}

/**
 * ucore_catalog_build() - find out what this machine has
 *
 * A machine without boxes is no error: the catalog is empty and says why.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_catalog_build(void)
{
	struct ucore_catalog *cat = &ucore_catalog;
	struct ucore_finder finder = { };
	u32 nr_dies;
	int ret;

	cat->platform = ucore_platform_match();
	if (!cat->platform) {
		cat->absent = UCORE_STATE_NOT_INTEL;
		return 0;
	}

	ret = cat->platform->find(&finder, cat->platform);
	if (ret)
		goto drop;
	cat->caps = cat->platform->caps | finder.caps;
	if (!finder.nr) {
		cat->absent = UCORE_STATE_HIDDEN;
		/* a processor of which nothing is known, then */
		if (cat->platform == &ucore_platform_generic && !nr_tables()) {
			cat->absent = UCORE_STATE_UNKNOWN;
			cat->platform->drop();
			cat->platform = NULL;
			cat->caps = 0;
		}
		goto drop;
	}
	nr_dies = count_dies(&finder);
	cat->boxes = kvcalloc(finder.nr, sizeof(*cat->boxes), GFP_KERNEL);
	cat->dies = kvcalloc(nr_dies, sizeof(*cat->dies), GFP_KERNEL);
	ret = cat->boxes && cat->dies ? fill(&finder) : -ENOMEM;
drop:
	ucore_finder_drop(&finder);	/* the boxes hold references of their own */
	if (ret)
		ucore_catalog_destroy();
	return ret;
}

void ucore_catalog_destroy(void)
{
	struct ucore_catalog *cat = &ucore_catalog;
	u32 i;

	for (i = 0; i < cat->nr_boxes; i++) {
		ucore_io_release(&cat->boxes[i].io);
		ucore_io_release(&cat->boxes[i].aux);
	}
	for (i = 0; i < cat->nr_dies; i++)
		ucore_die_destroy(&cat->dies[i]);
	kvfree(cat->boxes);
	kvfree(cat->dies);
	cat->boxes = NULL;
	cat->dies = NULL;
	cat->nr_boxes = 0;
	cat->nr_dies = 0;
	cat->caps = 0;
	if (cat->platform && cat->platform->drop)
		cat->platform->drop();
}

/**
 * ucore_catalog_state() - can sessions be created?
 *
 * Return: UCORE_STATE_*; the in-tree driver may come and go at any time.
 */
u32 ucore_catalog_state(void)
{
	if (ucore_intree_present())
		return UCORE_STATE_INTREE;
	return ucore_catalog.absent;
}

static bool pci_boxes_found(void)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (ucore_catalog.boxes[i].io.pdev)
			return true;
	return false;
}

static const char *hidden_reason(void)
{
	if (nr_tables())
		return "nothing in the discovery tables can be used: ucoretool list --rejected";
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
		return "a virtual machine hides the uncore boxes: run ucore on the host";
	if (ucore_catalog_report())
		return "no PMON discovery table: look for a BIOS option that enables it";
	return "no uncore box answers: look for a BIOS option that hides them";
}

/**
 * ucore_catalog_reason() - one sentence on the state, and what to do
 * @state: UCORE_STATE_*
 *
 * Return: a constant string, empty when all is well.
 */
const char *ucore_catalog_reason(u32 state)
{
	switch (state) {
	case UCORE_STATE_NOT_INTEL:
		return "not an Intel processor: it has no uncore PMU of this kind";
	case UCORE_STATE_UNKNOWN:
		return "no table for this Intel processor, and it has no PMON discovery";
	case UCORE_STATE_HIDDEN:
		return hidden_reason();
	case UCORE_STATE_INTREE:
		return "the kernel's intel_uncore driver holds the boxes: modprobe -r intel_uncore";
	}
	if (!ucore_catalog_report() && !pci_boxes_found())
		return "the PCI boxes are hidden: look for a BIOS option that hides them";
	return "";
}

/**
 * ucore_catalog_box() - a box by its id
 * @id: from user space
 *
 * Return: NULL if there is no such box.
 */
struct ucore_box *ucore_catalog_box(u32 id)
{
	if (id >= ucore_catalog.nr_boxes)
		return NULL;
	return &ucore_catalog.boxes[array_index_nospec(id, ucore_catalog.nr_boxes)];
}

/**
 * ucore_catalog_die() - a die by its id
 * @id: from user space
 *
 * Return: NULL if there is no such die, or it has no boxes.
 */
struct ucore_die *ucore_catalog_die(u32 id)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_dies; i++)
		if (ucore_catalog.dies[i].id == id)
			return &ucore_catalog.dies[i];
	return NULL;
}

/**
 * ucore_catalog_counters() - counters of a die's boxes, fixed ones included
 * @die: the die, NULL for all
 *
 * Return: how many.
 */
u32 ucore_catalog_counters(const struct ucore_die *die)
{
	const struct ucore_box *box;
	u32 i, n = 0;

	for (i = 0; i < ucore_catalog.nr_boxes; i++) {
		box = &ucore_catalog.boxes[i];
		if (!die || box->die == die)
			n += box->desc.type->nr_gp + box->desc.type->nr_fixed;
	}
	return n;
}
