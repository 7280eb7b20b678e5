/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps from addresses to registers, shared by msr.c, pci.c and mmio.c. The maps
 * are created once. The cost of a lookup does not depend on the number of boxes.
 */
#include "model.h"

GHashTable *ucore_map_new(void)
{
    return g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

static UcoreTarget *map_add(GHashTable *map, UcoreSocket *s, UcoreBox *box,
                            const UcoreReg *reg, uint64_t key, unsigned shift)
{
    UcoreTarget *t = g_new0(UcoreTarget, 1);

    t->socket = s;
    t->box = box;
    t->reg = reg;
    t->shift = shift;
    g_hash_table_insert(map, (void *)(uintptr_t)key, t);
    return t;
}

void ucore_map_msrs(GHashTable *map, UcoreSocket *s, UcoreBox *box,
                    const UcoreReg *regs, uint64_t base)
{
    for (const UcoreReg *r = regs; r->offset != UINT16_MAX; r++) {
        map_add(map, s, box, r, base + r->offset, 0);
    }
}

void ucore_map_dwords(GHashTable *map, UcoreSocket *s, UcoreBox *box,
                      const UcoreReg *regs, uint64_t base)
{
    for (const UcoreReg *r = regs; r->offset != UINT16_MAX; r++) {
        map_add(map, s, box, r, (base + r->offset) / 4, 0);
        if (ucore_reg_is_wide(r)) {
            map_add(map, s, box, r, (base + r->offset) / 4 + 1, 32);
        }
    }
}

static void map_free(GHashTable *map, UcoreSocket *s, uint64_t key,
                     unsigned shift, uint64_t rate, unsigned width)
{
    static const UcoreReg free_running = { .kind = UCORE_REG_FREE };
    UcoreTarget *t;

    if (ucore_map_find(map, key)) {
        return;
    }
    t = map_add(map, s, NULL, &free_running, key, shift);
    t->rate = rate;
    t->width = width;
}

void ucore_map_free_msr(GHashTable *map, UcoreSocket *s, uint32_t msr,
                        uint64_t rate, unsigned width)
{
    map_free(map, s, msr, 0, rate, width);
}

void ucore_map_free_dwords(GHashTable *map, UcoreSocket *s, uint64_t base,
                           uint64_t rate, unsigned width)
{
    map_free(map, s, base / 4, 0, rate, width);
    if (!width || width > 32) {
        map_free(map, s, base / 4 + 1, 32, rate, width);
    }
}

const UcoreTarget *ucore_map_find(GHashTable *map, uint64_t key)
{
    return g_hash_table_lookup(map, (void *)(uintptr_t)key);
}

bool ucore_reg_is_wide(const UcoreReg *reg)
{
    return reg->kind == UCORE_REG_CTR || reg->wide;
}

/* Return the tally of a current access, and count the access for its CPU */
UcoreAccesses *ucore_target_accesses(const UcoreTarget *t)
{
    if (current_cpu) {
        ucore->cpu[current_cpu->cpu_index].pmon++;
    }
    return t->box ? &t->box->accesses : &t->socket->accesses;
}

uint64_t ucore_target_read(const UcoreTarget *t, int64_t now)
{
    if (t->reg->kind == UCORE_REG_FREE) {
        return extract64(ucore_free_running(t->socket, t->rate, now), 0,
                         t->width ?: 64);
    }
    if (!t->box) {
        return ucore_global_read(t->socket, t->reg);
    }
    return t->box->dead ? UINT64_MAX : ucore_box_read(t->box, t->reg, now);
}

void ucore_target_write(const UcoreTarget *t, uint64_t val, uint64_t mask,
                        int64_t now)
{
    if (!t->box) {
        ucore_global_write(t->socket, t->reg, val, mask, now);
    } else if (!t->box->dead) {
        ucore_box_write(t->box, t->reg, val, mask, now);
    }
    ucore_socket_rearm(t->socket);
}
