// SPDX-License-Identifier: GPL-2.0-only
/*
 * The catalog: all boxes of all domains, built once at load.
 *
 * Two passes: the platform hands over descriptions, then domains and boxes are
 * allocated and filled.  Boxes are sorted by domain; those of one domain keep the
 * order in which they were found.  Process context.
 */
#include <linux/nospec.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "find/resources.h"
#include "platforms/match.h"

struct ucore_catalog ucore_catalog = {
	.lock = __MUTEX_INITIALIZER(ucore_catalog.lock),
};

/* Where a box is, as a number: dies before CPUs, in the order of their ids. */
static s64 domain_key(const struct ucore_box_desc *desc)
{
	return (s64)desc->scope << 32 | (desc->scope == UCORE_SCOPE_CPU ? desc->cpu : desc->die);
}

/* A box of the next domain after the one at @after; NULL if there is none. */
static const struct ucore_box_desc *next_domain(const struct ucore_finder *finder, s64 after)
{
	const struct ucore_box_desc *desc, *next = NULL;

	for (desc = finder->desc; desc < finder->desc + finder->nr; desc++)
		if (domain_key(desc) > after && (!next || domain_key(desc) < domain_key(next)))
			next = desc;
	return next;
}

static u32 count_domains(const struct ucore_finder *finder)
{
	const struct ucore_box_desc *desc;
	s64 key = -1;
	u32 n = 0;

	while ((desc = next_domain(finder, key))) {
		key = domain_key(desc);
		n++;
	}
	return n;
}

static int box_init(struct ucore_box *box, u32 id, struct ucore_domain *domain,
		    const struct ucore_box_desc *desc)
{
	int ret = 0;

	box->desc = *desc;
	box->id = id;
	box->domain = domain;
	INIT_LIST_HEAD(&box->node);
	INIT_LIST_HEAD(&box->claims);
	box->caps = desc->type->caps | desc->caps;
	box->io.tally = &domain->tally;
	if (domain->gate)
		ucore_soft_global_init_box(&box->io, domain->gate);
	else if (desc->pdev)
		ucore_pci_init(&box->io, desc->pdev);
	else if (desc->size)
		ret = ucore_mmio_init(&box->io, desc->phys, desc->size);
	else
		ucore_msr_init(&box->io, desc->msr);
	if (desc->aux) {
		box->aux.tally = &domain->tally;
		ucore_pci_init(&box->aux, desc->aux);
	}
	if (desc->id_out)
		*desc->id_out = id;
	domain->nr_boxes++;
	domain->nr_counters += desc->type->nr_gp + desc->type->nr_fixed;
	return ret;
}

/* All boxes that are where the first one is. */
static int fill_domain(const struct ucore_finder *finder, const struct ucore_box_desc *first)
{
	struct ucore_catalog *cat = &ucore_catalog;
	struct ucore_domain *domain = &cat->domains[cat->nr_domains];
	const struct ucore_box_desc *desc;
	int ret;

	ret = ucore_domain_init(domain, cat->nr_domains++, first);
	for (desc = first; desc < finder->desc + finder->nr && !ret; desc++) {
		if (domain_key(desc) != domain_key(first))
			continue;
		ret = box_init(&cat->boxes[cat->nr_boxes], cat->nr_boxes, domain, desc);
		cat->nr_boxes++;
	}
	return ret;
}

/**
 * ucore_catalog_fill() - make domains and boxes of descriptions
 * @finder: the descriptions
 *
 * Return: 0 or -ENOMEM; then ucore_catalog_destroy() takes back what was made.
 */
int ucore_catalog_fill(const struct ucore_finder *finder)
{
	struct ucore_catalog *cat = &ucore_catalog;
	const struct ucore_box_desc *desc;
	s64 key = -1;
	int ret = 0;

	cat->boxes = kvcalloc(finder->nr, sizeof(*cat->boxes), GFP_KERNEL);
	cat->domains = kvcalloc(count_domains(finder), sizeof(*cat->domains), GFP_KERNEL);
	if (!cat->boxes || !cat->domains)
		return -ENOMEM;
	while (!ret && (desc = next_domain(finder, key))) {
		key = domain_key(desc);
		ret = fill_domain(finder, desc);
	}
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

/* The platform is known, or thought to be, and has no box. */
static void nothing_found(void)
{
	struct ucore_catalog *cat = &ucore_catalog;

	cat->absent = UCORE_STATE_HIDDEN;
	/* a processor of which nothing is known, then */
	if (cat->platform == &ucore_platform_generic && !cat->platform->report->nr_tables()) {
		cat->absent = UCORE_STATE_UNKNOWN;
		cat->platform->drop();
		cat->platform = NULL;
		cat->caps = 0;
	}
}

/* The boxes of the uncore, and those of the cores beside them. */
static int find_all(struct ucore_finder *finder)
{
	struct ucore_catalog *cat = &ucore_catalog;
	int ret;

	ucore_resource_map_failed();	/* of an earlier look */
	ret = cat->platform->find(finder, cat->platform);
	if (ret)
		return ret;
	cat->caps = cat->platform->caps | finder->caps;
	strscpy(cat->hidden, finder->hidden, sizeof(cat->hidden));
	if (ucore_resource_map_failed() && !*cat->hidden)
		strscpy(cat->hidden,
			"boxes may be missing: registers could not be mapped, memory was short or dmesg says why",
			sizeof(cat->hidden));
	if (!finder->nr)
		nothing_found();
	ret = ucore_platform_core.find(finder, &ucore_platform_core);
	cat->caps |= finder->caps & UCORE_CAP_CORE;
	return ret;
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
	int ret;

	cat->platform = ucore_platform_match();
	if (!cat->platform) {
		cat->absent = UCORE_STATE_NOT_INTEL;
		return 0;
	}
	ret = find_all(&finder);
	if (!ret && finder.nr)
		ret = ucore_catalog_fill(&finder);
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
		ucore_io_close(&cat->boxes[i].io);
		ucore_io_close(&cat->boxes[i].aux);
	}
	for (i = 0; i < cat->nr_domains; i++)
		ucore_domain_destroy(&cat->domains[i]);
	kvfree(cat->boxes);
	kvfree(cat->domains);
	cat->boxes = NULL;
	cat->domains = NULL;
	cat->nr_boxes = 0;
	cat->nr_domains = 0;
	cat->caps = 0;
	cat->told = 0;
	*cat->hidden = 0;
	if (cat->platform && cat->platform->drop)
		cat->platform->drop();
	ucore_platform_core.drop();
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
 * ucore_catalog_domain() - a domain by its id
 * @id: from user space
 *
 * Return: NULL if there is no such domain.
 */
struct ucore_domain *ucore_catalog_domain(u32 id)
{
	if (id >= ucore_catalog.nr_domains)
		return NULL;
	return &ucore_catalog.domains[array_index_nospec(id, ucore_catalog.nr_domains)];
}

/**
 * ucore_catalog_counters() - counters of all boxes, fixed ones included
 *
 * Return: how many.
 */
u32 ucore_catalog_counters(void)
{
	u32 i, n = 0;

	for (i = 0; i < ucore_catalog.nr_domains; i++)
		n += ucore_catalog.domains[i].nr_counters;
	return n;
}
