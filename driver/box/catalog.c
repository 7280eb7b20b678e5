// SPDX-License-Identifier: GPL-2.0-only
/*
 * Catalog of all boxes and domains, built once at module load. Part of the box layer. Runs in
 * process context.
 *
 * The platform's finder provides the descriptions of the boxes. Then domains and boxes are
 * allocated and initialized. Boxes are sorted by domain, so that a domain knows its boxes by the
 * first one and their number. Within a domain they keep the order of their descriptions.
 */
#include <linux/nospec.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "find/iomem_resources.h"
#include "platforms/match.h"
#include "ucore_uapi.h"

struct ucore_catalog ucore_catalog = {
	.lock = __MUTEX_INITIALIZER(ucore_catalog.lock),
};

/* Return the sort key of a box's domain. Dies sort before CPUs, each in ascending order. */
static s64 domain_key(const struct ucore_box_desc *desc)
{
	return (s64)desc->scope << 32 | (desc->scope == UCORE_SCOPE_CPU ? desc->cpu : desc->die);
}

/*
 * Find the domain with the smallest sort key above @after. Return the first box description of
 * this domain, NULL if there is no such domain.
 */
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
	box->dead = ucore_box_is_absent(box);
	box->io.tally = &domain->tally;
	if (domain->gate)
		ucore_soft_global_init_box(&box->io, domain->gate);
	else if (desc->pdev)
		ucore_pci_init(&box->io, desc->pdev);
	else if (desc->size && desc->type->fixed_width == 32)
		ret = ucore_mmio_init_32(&box->io, desc->phys, desc->size);
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

/* Initialize the domain of box @first and all boxes of this domain. */
static int fill_domain(const struct ucore_finder *finder, const struct ucore_box_desc *first)
{
	struct ucore_catalog *cat = &ucore_catalog;
	struct ucore_domain *domain = &cat->domains[cat->nr_domains];
	const struct ucore_box_desc *desc;
	int ret;

	ret = ucore_domain_init(domain, cat->nr_domains++, first);
	domain->first_box = &cat->boxes[cat->nr_boxes];
	for (desc = first; desc < finder->desc + finder->nr && !ret; desc++) {
		if (domain_key(desc) != domain_key(first))
			continue;
		ret = box_init(&cat->boxes[cat->nr_boxes], cat->nr_boxes, domain, desc);
		cat->nr_boxes++;
	}
	return ret;
}

/**
 * ucore_catalog_fill() - create domains and boxes from box descriptions
 * @finder: collection of box descriptions
 *
 * Return: 0 or -ENOMEM. After an error ucore_catalog_destroy() frees the partial catalog.
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
 * ucore_catalog_report() - get the report of the discovery tables
 *
 * Return: report, NULL if the platform does not use discovery tables.
 */
const struct ucore_report *ucore_catalog_report(void)
{
	return ucore_catalog.platform ? ucore_catalog.platform->report : NULL;
}

/* Set the reason why no uncore box was found (UCORE_STATE_*). */
static void nothing_found(void)
{
	struct ucore_catalog *cat = &ucore_catalog;

	cat->absent = UCORE_STATE_HIDDEN;
	/* A generic platform without discovery tables is an unknown processor. */
	if (cat->platform == &ucore_platform_generic && !cat->platform->report->nr_tables()) {
		cat->absent = UCORE_STATE_UNKNOWN;
		cat->platform->drop();
		cat->platform = NULL;
		cat->caps = 0;
	}
}

/* Find the uncore boxes and the core boxes of this machine. */
static int find_all(struct ucore_finder *finder)
{
	struct ucore_catalog *cat = &ucore_catalog;
	int ret;

	ucore_resource_map_failed();	/* this call resets the result of an earlier search */
	ret = cat->platform->find(finder, cat->platform);
	if (ret)
		return ret;
	cat->caps = cat->platform->caps | finder->caps;
	if (ucore_resource_map_failed())
		ucore_finder_report(finder, UCORE_CAUSE_NONE,
				    "boxes may be missing: registers could not be mapped, memory was short or dmesg says why");
	strscpy(cat->hidden, finder->hidden, sizeof(cat->hidden));
	cat->cause = finder->cause;
	if (!finder->nr)
		nothing_found();
	ret = ucore_platform_core.find(finder, &ucore_platform_core);
	cat->caps |= finder->caps & UCORE_CAP_CORE;
	return ret;
}

/**
 * ucore_catalog_build() - find the boxes of this machine
 *
 * A machine without boxes is not an error. In this case the catalog is empty, and
 * ucore_catalog.absent contains the reason.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_catalog_build(void)
{
	struct ucore_catalog *cat = &ucore_catalog;
	struct ucore_finder finder = { .may_write = cat->may_write };
	int ret;

	cat->platform = ucore_platform_match();
	if (!cat->platform) {
		cat->absent = UCORE_STATE_NOT_INTEL;
		cat->cause = UCORE_CAUSE_PROCESSOR;
		strscpy(cat->hidden, "not an Intel processor: it has no uncore PMU of this kind",
			sizeof(cat->hidden));
		return 0;
	}
	ret = find_all(&finder);
	if (!ret && finder.nr)
		ret = ucore_catalog_fill(&finder);
	ucore_finder_drop(&finder);	/* the boxes hold references to PCI functions */
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
	cat->logged = 0;
	cat->core_busy = false;
	*cat->hidden = 0;
	cat->cause = UCORE_CAUSE_NONE;
	if (cat->platform && cat->platform->drop)
		cat->platform->drop();
	ucore_platform_core.drop();
}

/**
 * ucore_catalog_box() - find a box by its id
 * @id: id from user space
 *
 * Return: box, NULL if there is none.
 */
struct ucore_box *ucore_catalog_box(u32 id)
{
	if (id >= ucore_catalog.nr_boxes)
		return NULL;
	return &ucore_catalog.boxes[array_index_nospec(id, ucore_catalog.nr_boxes)];
}

/**
 * ucore_catalog_domain() - find a domain by its id
 * @id: id from user space
 *
 * Return: domain, NULL if there is none.
 */
struct ucore_domain *ucore_catalog_domain(u32 id)
{
	if (id >= ucore_catalog.nr_domains)
		return NULL;
	return &ucore_catalog.domains[array_index_nospec(id, ucore_catalog.nr_domains)];
}

/**
 * ucore_catalog_counters() - count the counters of all boxes, including fixed counters
 *
 * Return: number of counters.
 */
u32 ucore_catalog_counters(void)
{
	u32 i, n = 0;

	for (i = 0; i < ucore_catalog.nr_domains; i++)
		n += ucore_catalog.domains[i].nr_counters;
	return n;
}

/**
 * ucore_catalog_describe() - fill in the entry of a domain in the answer to GET_DOMAINS
 * @domain: domain, not locked
 * @out: entry to be filled in
 *
 * Each number is read alone, without the domain's lock. A CPU that waited for the lock with
 * interrupts off would delay the IPI of a rendezvous.
 */
void ucore_catalog_describe(const struct ucore_domain *domain, struct ucore_domain_info *out)
{
	*out = (struct ucore_domain_info){
		.domain = domain->id,
		.scope = domain->scope,
		.die = domain->die,
		.package = domain->package,
		.cpu = domain->cpu,
		.nr_boxes = domain->nr_boxes,
		.nr_counters = domain->nr_counters,
		.reader = READ_ONCE(domain->reader),
		.pmis = READ_ONCE(domain->pmis),
		.recovered = READ_ONCE(domain->recovered),
		.throttled = READ_ONCE(domain->throttles),
		.frozen_ns = READ_ONCE(domain->frozen_ns),
		.skew_max_ns = READ_ONCE(domain->skew_max_ns),
		.nr_sessions = READ_ONCE(domain->nr_ctxs),
	};
}
