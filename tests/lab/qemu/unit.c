/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of the discovery platforms: computes registers and addresses from a
 * site and an instance. Instances beyond the space of a site, and unknown
 * types, use additional spaces of this file, one for each kind of access.
 */
#include "model.h"

#define COUNTER_BYTES       8               /* in memory and config space */
#define UPPER_DWORD         GENMASK(63, 32)

#define EXTRA_MSR           0x8000
#define EXTRA_MSR_LAST      0xffff
#define EXTRA_MSR_STRIDE    0x20

#define EXTRA_MMIO          0x40000000      /* in the socket's window */
#define EXTRA_MMIO_STRIDE   0x1000
#define GLOBAL_MMIO         0x3ff00000
#define GLOBAL_MMIO_STRIDE  0x80000

/* slots 16 to 29 of the uncore bus: a function each, then each a second unit */
#define EXTRA_SLOT          16
#define EXTRA_FUNCTIONS     (14 * 8)
#define EXTRA_CONFIG        0x200
#define EXTRA_CONFIG_STRIDE 0x100

static UcoreReg *reg_add(UcoreReg *reg, unsigned offset, UcoreRegKind kind,
                         unsigned index, bool wide)
{
    *reg = (UcoreReg){ offset, kind, index, wide };
    return reg + 1;
}

const UcoreReg *ucore_unit_regs(const UcoreBoxSite *site)
{
    const UcoreUnitSite *u = &site->unit;
    const UcoreBoxType *t = site->type;
    unsigned ctr_stride = u->access == UCORE_ACCESS_MSR ? 1 : COUNTER_BYTES;
    UcoreReg *regs = g_new0(UcoreReg, 2 * t->nr_gp + 6), *reg = regs;

    reg = reg_add(reg, 0, UCORE_REG_BOX_CTL, 0, false);
    reg = reg_add(reg, u->status, UCORE_REG_BOX_STATUS, 0, false);
    for (unsigned i = 0; i < t->nr_gp; i++) {
        reg = reg_add(reg, u->ctl + i * u->ctl_stride, UCORE_REG_CTL, i,
                      u->wide_ctl);
        reg = reg_add(reg, u->ctr + i * ctr_stride, UCORE_REG_CTR, i, true);
    }
    if (t->fixed) {
        reg = reg_add(reg, u->fixed_ctl, UCORE_REG_CTL, t->nr_gp, false);
        reg = reg_add(reg, u->fixed_ctr, UCORE_REG_CTR, t->nr_gp, true);
    }
    if (t->nr_filters) {
        reg = reg_add(reg, u->filter, UCORE_REG_FILTER, 0, false);
    }
    *reg = (UcoreReg)UCORE_REGS_END;
    return regs;
}

static void place_extra(UcoreBox *box)
{
    UcoreSocket *s = box->socket;
    unsigned n;

    switch (box->access) {
    case UCORE_ACCESS_MSR:
        box->base = EXTRA_MSR + s->extra_msr++ * EXTRA_MSR_STRIDE;
        break;
    case UCORE_ACCESS_MMIO:
        box->base = ucore_mmio_window(s) + EXTRA_MMIO +
                    (uint64_t)s->extra_mmio++ * EXTRA_MMIO_STRIDE;
        break;
    case UCORE_ACCESS_PCI:
        n = s->extra_pci++;
        box->devfn = PCI_DEVFN(EXTRA_SLOT, 0) + n % EXTRA_FUNCTIONS;
        box->base = EXTRA_CONFIG + n / EXTRA_FUNCTIONS * EXTRA_CONFIG_STRIDE;
        break;
    }
}

static void place_function(UcoreBox *box, unsigned nth)
{
    const UcoreUnitSite *u = &box->site->unit;

    box->base = u->base ?: EXTRA_CONFIG;
    box->bus = u->port ? UCORE_BUS_IIO : UCORE_BUS_UNCORE;
    box->devfn = u->devfns ? g_array_index(u->devfns, uint8_t, nth)
                           : PCI_DEVFN(u->slot + box->instance, u->function);
}

void ucore_unit_place(UcoreBox *box, unsigned nth)
{
    const UcoreUnitSite *u = &box->site->unit;
    unsigned i = box->instance;

    box->access = u->access;
    if (u->devfns ? nth >= u->devfns->len : i >= u->nr) {
        place_extra(box);
        return;
    }
    switch (box->access) {
    case UCORE_ACCESS_MSR:
        box->base = u->base + i * u->stride;
        break;
    case UCORE_ACCESS_MMIO:
        box->base = ucore_mmio_window(box->socket) + u->base + i % 2 * u->stride +
                    (uint64_t)(i / 2) * u->pair_stride;
        break;
    case UCORE_ACCESS_PCI:
        place_function(box, nth);
        break;
    }
}

void ucore_unit_place_global(UcoreSocket *s, unsigned global)
{
    if (s->global[global].access == UCORE_ACCESS_MMIO) {
        s->global[global].base = ucore_mmio_window(s) + GLOBAL_MMIO +
                                 global * GLOBAL_MMIO_STRIDE;
    } else {
        s->global[global].base = UCORE_GLOBAL_CONFIG_BASE;
    }
}

bool ucore_msr_is_extra(uint32_t msr)
{
    return msr >= EXTRA_MSR && msr <= EXTRA_MSR_LAST;
}

/*
 * create a site in the spaces of this file; MSRs: controls, counters, fixed,
 * filter
 */
static UcoreBoxSite *site_new(const UcorePlatform *p, UcoreBoxType *type,
                              unsigned number, UcoreAccess access)
{
    UcoreBoxSite *site = g_memdup2(&p->unknown[access], sizeof(*site));
    UcoreUnitSite *u = &site->unit;

    site->type = type;
    u->number = number;
    if (access == UCORE_ACCESS_MSR) {
        u->ctr = MAX(u->ctr, u->ctl + type->nr_gp);
        u->fixed_ctl = u->ctr + type->nr_gp;
        u->fixed_ctr = u->fixed_ctl + 1;
        u->filter = u->fixed_ctr + 1;
    }
    return site;
}

/* byte offsets: counters, controls, fixed control, status, filter */
static void site_spread(UcoreBoxSite *site, unsigned ctl_stride)
{
    UcoreUnitSite *u = &site->unit;
    const UcoreBoxType *t = site->type;

    u->ctl_stride = ctl_stride;
    u->wide_ctl = ctl_stride == 8;
    u->fixed_ctr = u->ctr + t->nr_gp * COUNTER_BYTES;
    u->ctl = MAX(u->ctl, u->fixed_ctr + 8);
    u->fixed_ctl = u->ctl + t->nr_gp * ctl_stride;
    u->status = u->fixed_ctl + 8;
    u->filter = u->status + 4;
}

UcoreBoxSite *ucore_unit_move(const UcorePlatform *p, const UcoreBoxSite *site,
                              UcoreAccess access)
{
    UcoreBoxType *t = g_memdup2(site->type, sizeof(*t));
    UcoreBoxSite *moved = site_new(p, t, site->unit.number, access);

    moved->unit.pointed = site->unit.pointed;
    if (access != UCORE_ACCESS_MSR) {
        site_spread(moved, access == UCORE_ACCESS_PCI ||
                    site->unit.wide_ctl ? 8 : 4);
    }
    return moved;
}

UcoreBoxSite *ucore_unit_unknown(const UcorePlatform *p, unsigned number,
                                 UcoreAccess access, unsigned counters,
                                 unsigned width, unsigned ctl_stride)
{
    UcoreBoxType *t = g_memdup2(p->unknown[access].type, sizeof(*t));
    UcoreBoxSite *site;

    t->name = g_strdup_printf("type_%u", number);
    t->id += number;
    t->nr_gp = counters;
    t->width = width;
    t->status_legal = MAKE_64BIT_MASK(0, counters);
    site = site_new(p, t, number, access);
    if (access == UCORE_ACCESS_PCI) {
        site_spread(site, 8);
    } else if (access == UCORE_ACCESS_MMIO) {
        site_spread(site, ctl_stride);
    }
    if (site->unit.wide_ctl) {
        t->ctl_legal |= UPPER_DWORD;
        t->umask_ext = UPPER_DWORD;
    }
    return site;
}
