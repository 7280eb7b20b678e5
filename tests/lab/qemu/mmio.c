/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boxes with MMIO registers: one window per socket, outside RAM and BARs.
 * Registers have 4 or 8 bytes; an address without a register reads all ones.
 */
#include "model.h"
#include "exec/address-spaces.h"

/* memory controllers of the generations before discovery */
#define IMC_FIRST           0x100000
#define IMC_STRIDE          0x40000
#define IMC_FREE_WIDTH      48
/* those of spr and emr; their units are at 22800h (platforms/spr.c) */
#define DISC_IMC_FIRST      0x80000
#define DISC_IMC_STRIDE     0x80000

uint64_t ucore_mmio_window(const UcoreSocket *s)
{
    return s->machine->config.platform->host_bridge
           ? UCORE_MCHBAR : UCORE_MMIO_BASE + s->id * UCORE_MMIO_SIZE;
}

uint64_t ucore_mmio_imc(const UcoreMachine *m, unsigned controller)
{
    return m->config.platform->discovery
           ? DISC_IMC_FIRST + controller * DISC_IMC_STRIDE
           : IMC_FIRST + controller * IMC_STRIDE;
}

static const UcoreTarget *target_at(const UcoreSocket *s, hwaddr addr)
{
    return ucore_map_find(s->mmio, addr / 4);
}

static uint32_t read_dword(const UcoreTarget *t, int64_t now)
{
    return t ? ucore_target_read(t, now) >> t->shift : UINT32_MAX;
}

static uint64_t window_read(void *opaque, hwaddr addr, unsigned size)
{
    const UcoreSocket *s = opaque;
    const UcoreTarget *low = target_at(s, addr);
    const UcoreTarget *high = target_at(s, addr + 4);
    int64_t now = ucore_sync(ucore);
    uint64_t val;

    if (low || (size == 8 && high)) {
        ucore_target_accesses(low ?: high)->mmio_read++;
    }
    ucore_pay(UCORE_COST_MMIO, 1);
    if (size == 8) {
        return read_dword(low, now) | (uint64_t)read_dword(high, now) << 32;
    }
    val = read_dword(low, now) >> (addr & 3) * 8;
    return val & MAKE_64BIT_MASK(0, size * 8);
}

static void nothing_there(const UcoreSocket *s, hwaddr addr, uint64_t val)
{
    ucore_violation(s->machine, "no-register", "socket %u: memory window "
                    "offset 0x%" PRIx64 " (wrote 0x%" PRIx64 ")", s->id,
                    (uint64_t)addr, val);
}

static void write_dword(const UcoreSocket *s, hwaddr addr, uint32_t val,
                        int64_t now)
{
    const UcoreTarget *t = target_at(s, addr);

    if (t) {
        ucore_target_write(t, (uint64_t)val << t->shift,
                           0xffffffffULL << t->shift, now);
    } else if (val) {
        nothing_there(s, addr, val);
    }
}

/* 8 bytes are one write of an 8-byte register, else two writes */
static void window_write(void *opaque, hwaddr addr, uint64_t val,
                         unsigned size)
{
    const UcoreSocket *s = opaque;
    const UcoreTarget *t = target_at(s, addr);
    int64_t now = ucore_sync(ucore);

    ucore_pay(UCORE_COST_MMIO, 1);
    if (!t) {
        nothing_there(s, addr, val);
        return;
    }
    ucore_target_accesses(t)->mmio_write++;
    if (size < 4 || (addr & 3)) {
        ucore_violation(s->machine, "access-size", "socket %u %s: %u-byte "
                        "write at 0x%" PRIx64, s->id,
                        t->box ? t->box->name : "global", size,
                        (uint64_t)addr);
    } else if (size == 8 && !t->shift && ucore_reg_is_wide(t->reg)) {
        ucore_target_write(t, val, UINT64_MAX, now);
    } else {
        write_dword(s, addr, val, now);
        if (size == 8) {
            write_dword(s, addr + 4, val >> 32, now);
        }
    }
}

static const MemoryRegionOps window_ops = {
    .read = window_read,
    .write = window_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

/* Add the free-running counters of a memory controller; README.md, "Rates" */
static void imc_free_add(UcoreSocket *s, unsigned controller)
{
    static const struct {
        uint32_t offset;
        uint64_t rate;
        bool persistent, queue, traffic;
    } counters[] = {
        { 0x2290, UCORE_FREE_READ, .traffic = true },
        { 0x2298, UCORE_FREE_WRITE, .traffic = true },
        { 0x22a0, UCORE_FREE_PMM_READ, .persistent = true },
        { 0x22a8, UCORE_FREE_PMM_WRITE, .persistent = true },
        { 0x22b0, UCORE_FREE_DCLK },
        { 0x2318, UCORE_FREE_RPQ, .queue = true },
        { 0x2320, UCORE_FREE_WPQ, .queue = true },
    };
    const UcorePlatform *p = s->machine->config.platform;

    for (unsigned i = 0; i < ARRAY_SIZE(counters); i++) {
        if ((p->imc.persistent || !counters[i].persistent) &&
            (p->discovery ? !counters[i].traffic : !counters[i].queue)) {
            ucore_map_free_dwords(s->mmio, s,
                                  ucore_mmio_imc(s->machine, controller) +
                                  counters[i].offset,
                                  counters[i].rate / 1000 *
                                  (1000 + 7 * controller), IMC_FREE_WIDTH);
        }
    }
}

/* Add the traffic of the memory controllers behind MCHBAR */
static void mchbar_add(UcoreSocket *s)
{
    const UcorePlatform *p = s->machine->config.platform;

    for (unsigned mc = 0; mc < p->mchbar_controllers; mc++) {
        for (unsigned i = 0; i < ARRAY_SIZE(p->mchbar); i++) {
            if (p->mchbar[i].offset) {
                ucore_map_free_dwords(s->mmio, s, p->mchbar[i].offset +
                                      mc * UCORE_MCHBAR_STRIDE,
                                      p->mchbar[i].rate / 1000 *
                                      (1000 + 7 * mc), p->mchbar[i].width);
            }
        }
    }
}

void ucore_mmio_init(UcoreMachine *m)
{
    static MemoryRegion window[UCORE_MAX_SOCKETS];
    const UcorePlatform *p = m->config.platform;
    bool needed = m->config.uncore && (p->discovery || p->imc.controllers ||
                                       p->mchbar_controllers);

    for (unsigned i = 0; needed && i < m->config.sockets; i++) {
        UcoreSocket *s = &m->socket[i];
        uint64_t base = ucore_mmio_window(s);

        s->mmio = ucore_map_new();
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            UcoreBox *box = s->boxes[b];

            if (box->access == UCORE_ACCESS_MMIO) {
                ucore_map_dwords(s->mmio, s, box, box->regs, box->base - base);
            }
            if ((box->site->in_memory && p->imc.controllers) ||
                (m->config.imc_map && !strcmp(box->type->name, "imc") &&
                 box->instance < p->imc.controllers * p->imc.channels)) {
                imc_free_add(s, box->instance / p->imc.channels);
            }
        }
        for (unsigned g = 0; g < m->config.globals; g++) {
            if (s->global[g].access == UCORE_ACCESS_MMIO) {
                ucore_map_dwords(s->mmio, s, NULL, s->global[g].regs,
                                 s->global[g].base - base);
            }
        }
        mchbar_add(s);
        memory_region_init_io(&window[i], NULL, &window_ops, s, "ucore-window",
                              p->host_bridge ? UCORE_MCHBAR_SIZE
                                             : UCORE_MMIO_SIZE);
        memory_region_add_subregion(get_system_memory(), base, &window[i]);
        if (m->config.table_msr) {
            ucore_table_map(s);
        }
    }
}
