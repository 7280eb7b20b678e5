/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The UBox's global registers of one socket: freeze and unfreeze all, the PMI
 * targets, the overflow status; and the strict-mode checks that concern more
 * than one box.
 */
#include "model.h"

static void violate(const UcoreSocket *s, const char *rule, const char *what,
                    uint64_t val)
{
    ucore_violation(s->machine, rule,
                    "socket %u: %s (wrote 0x%" PRIx64 ")", s->id, what, val);
}

static bool box_armed(const UcoreBox *box)
{
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        if (box->ctr[i].armed) {
            return true;
        }
    }
    return false;
}

/*
 * Return true if an armed counter has its BOX_STATUS bit set. Only counters
 * that report in the bits @global of status word @word count, or all if @word
 * is -1.
 */
static bool box_pending(const UcoreBox *box, int word, uint64_t global)
{
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        int up = ucore_global_bit(box, i);
        int bit = ucore_status_bit(box, i);

        if (box->ctr[i].armed && up >= 0 &&
            (word < 0 || (up / 64 == word && (global & BIT_ULL(up % 64)))) &&
            bit >= 0 && (box->status & BIT(bit))) {
            return true;
        }
    }
    return false;
}

static bool box_raised(const UcoreBox *box)
{
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        int up = ucore_global_bit(box, i);

        if (box->ctr[i].armed && up >= 0 &&
            ucore_global_is_set(box->socket, up)) {
            return true;
        }
    }
    return false;
}

static bool socket_armed(const UcoreSocket *s)
{
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (box_armed(s->boxes[b])) {
            return true;
        }
    }
    return false;
}

static void check_unfreeze(const UcoreSocket *s, uint64_t route, uint64_t val)
{
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        const UcoreBox *box = s->boxes[b];

        if (!box_armed(box)) {
            continue;
        }
        if (route && !(val & s->machine->config.core_sel)) {
            violate(s, "core-sel", "unfreeze clears pmi_core_sel while "
                    "counters are armed", val);
            return;
        }
        if (box_pending(box, -1, 0) || box_raised(box)) {
            violate(s, "unfreeze-pending", "unfreeze before an overflow "
                    "status was cleared", val);
            return;
        }
    }
}

static void write_ctl(UcoreSocket *s, unsigned global, uint64_t val,
                      int64_t now)
{
    const UcoreConfig *cfg = &s->machine->config;
    const UcorePlatform *p = cfg->platform;
    uint64_t rw = cfg->wk_on_pmi | cfg->core_sel;

    if (val & ~(p->frz_all | p->unfrz_all | rw)) {
        violate(s, "reserved", "GLOBAL_CTL has reserved bits set", val);
    }
    if ((val & p->frz_all) && (val & p->unfrz_all)) {
        violate(s, "freeze-and-unfreeze", "frz_all and unfrz_all together",
                val);
    }

    /* while counters are armed, a freeze or an unfreeze must keep the route */
    if ((val & cfg->core_sel) || !socket_armed(s) ||
        (p->unfrz_all && !(val & (p->frz_all | p->unfrz_all)))) {
        s->global[global].route = val & cfg->core_sel;
    }
    s->global[global].ctl = val & rw;
    if (val & p->frz_all) {
        if (cfg->frz_all) {
            s->frz |= BIT(global);
            ucore_socket_freeze(s, now, "frz_all", "");
        }
    } else if (!p->unfrz_all || (val & p->unfrz_all)) {
        check_unfreeze(s, s->global[global].route, val);
        ucore_boxes_resume(s, now);
        if (s->stuck) {
            return;
        }
        /* one frozen global control is sufficient to freeze all boxes */
        s->frz &= ~BIT(global);
        if (!s->frz) {
            ucore_socket_unfreeze(s, now);
        }
    }
}

/* Enable the counters that have a bit in the global control. */
static void enable_each(UcoreSocket *s, uint64_t enabled, int64_t now)
{
    s->global[0].enabled = enabled;
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        ucore_box_advance(s->boxes[b], now);
        ucore_box_update(s->boxes[b]);
    }
}

/* Return true if the control of the tile is in memory, and has a freeze bit. */
static bool tile_freezes(const UcorePlatform *p, unsigned tile)
{
    return tile == 1 && p->second_ctl_at;
}

/*
 * Write the global control of a tile of a client processor, whose enable is a
 * level. The socket is frozen while all its tiles stand.
 */
static void write_level(UcoreSocket *s, unsigned tile, uint64_t val,
                        int64_t now)
{
    const UcoreConfig *cfg = &s->machine->config;
    const UcorePlatform *p = cfg->platform;
    uint64_t rw = cfg->wk_on_pmi | cfg->core_sel | p->frz_on_ov;
    bool freezes = tile_freezes(p, tile);
    bool run = freezes ? !(val & p->frz_all) : !!(val & p->run_en);

    if (val & ~(freezes ? p->frz_all : p->run_en | rw)) {
        violate(s, "reserved", "GLOBAL_CTL has reserved bits set", val);
    }
    /* a write that leaves the boxes stopped may change the route */
    if ((val & cfg->core_sel) || !socket_armed(s) ||
        (!run && (s->frz & BIT(tile)))) {
        s->global[tile].route = val & cfg->core_sel;
    }
    s->global[tile].ctl = val & rw;
    if (!run) {
        if (!cfg->frz_all) {
            return;
        }
        s->tile_time[tile] = s->frz & BIT(tile) ? s->tile_time[tile] : now;
        s->frz |= BIT(tile);
        if (s->frz == BIT(cfg->globals) - 1) {
            s->unfreeze_first = UCORE_NEVER;    /* not all tiles counted */
            ucore_socket_freeze(s, now, "frz_all", "");
        } else {
            ucore_tile_changed(s, now);
        }
        return;
    }
    check_unfreeze(s, s->global[tile].route, val);
    ucore_boxes_resume(s, now);
    if (p->run_each) {
        enable_each(s, val & p->run_en, now);
    }
    if (!s->stuck) {
        s->tile_time[tile] = s->frz & BIT(tile) ? now : s->tile_time[tile];
        s->frz &= ~BIT(tile);
        ucore_socket_unfreeze(s, now);
        ucore_tile_changed(s, now);
    }
}

/* Write a register that may clear the status of a client processor. */
static void clear_status(UcoreSocket *s, uint8_t kind, uint64_t val)
{
    const UcoreConfig *cfg = &s->machine->config;
    bool own = kind == UCORE_REG_GLOBAL_STATUS;

    if (cfg->platform->status_read_only) {
        if (own) {
            violate(s, "read-only", "GLOBAL_STATUS is read only", val);
        } else if (cfg->status_clear != UCORE_CLEAR_NEVER) {
            s->global_status[0] &= ~val;
        }
        return;
    }
    if (val & ~cfg->platform->global_status_legal) {
        violate(s, "reserved", "GLOBAL_STATUS has reserved bits set", val);
    }
    switch ((UcoreStatusClear)cfg->status_clear) {
    case UCORE_CLEAR_ONES:
        s->global_status[0] &= own ? ~val : UINT64_MAX;
        break;
    case UCORE_CLEAR_ZERO:
        s->global_status[0] &= own ? val : UINT64_MAX;
        break;
    case UCORE_CLEAR_OTHER:
        s->global_status[0] &= own ? UINT64_MAX : ~val;
        break;
    case UCORE_CLEAR_NEVER:
        break;
    }
}

static void write_status(UcoreSocket *s, unsigned word, uint64_t val)
{
    const GPtrArray *boxes = s->status_boxes[word];
    uint64_t legal = s->status_legal[word];

    if (val & ~legal) {
        violate(s, "reserved", "GLOBAL_STATUS has reserved bits set", val);
    }
    if (val & legal & ~s->global_status[word]) {
        violate(s, "status-not-set", "GLOBAL_STATUS bits that were not set",
                val);
    }
    for (unsigned b = 0; b < boxes->len; b++) {
        if (box_pending(boxes->pdata[b], word, val & s->global_status[word])) {
            violate(s, "global-before-box", "GLOBAL_STATUS cleared before "
                    "BOX_STATUS", val);
            break;
        }
    }
    s->global_status[word] &= ~val;
}

uint64_t ucore_global_read(UcoreSocket *s, const UcoreReg *reg)
{
    const UcoreConfig *cfg = &s->machine->config;
    uint64_t pointer;

    switch (reg->kind) {
    case UCORE_REG_GLOBAL_CTL:
        if (tile_freezes(cfg->platform, reg->index)) {
            return s->frz & BIT(reg->index) ? cfg->platform->frz_all : 0;
        }
        if (cfg->platform->run_en) {
            return s->global[reg->index].ctl |
                   (s->frz & BIT(reg->index) ? 0 :
                    cfg->platform->run_each ? s->global[reg->index].enabled :
                    cfg->platform->run_en);
        }
        return s->global[reg->index].ctl |
               ((s->frz & BIT(reg->index)) && cfg->platform->frz_readable
                ? cfg->platform->frz_all : 0);
    case UCORE_REG_GLOBAL_STATUS:
        return s->global_status[reg->index];
    case UCORE_REG_STATUS_CLEAR:
        return 0;
    case UCORE_REG_GLOBAL_CONFIG:
        return cfg->global_config;
    case UCORE_REG_CPU_BUSES:
        return ucore_pci_cpu_buses(s);
    case UCORE_REG_TABLE:
        ucore_table_pointer(s, &pointer);
        return pointer;
    default:
        g_assert_not_reached();
    }
}

void ucore_global_write(UcoreSocket *s, const UcoreReg *reg, uint64_t val,
                        uint64_t mask, int64_t now)
{
    const UcoreConfig *cfg = &s->machine->config;

    if (cfg->platform->run_en) {
        switch (reg->kind) {
        case UCORE_REG_GLOBAL_CTL:
            write_level(s, reg->index, val & mask, now);
            return;
        case UCORE_REG_GLOBAL_STATUS:
        case UCORE_REG_STATUS_CLEAR:
            clear_status(s, reg->kind, val & mask);
            return;
        }
    }
    switch (reg->kind) {
    case UCORE_REG_GLOBAL_CTL:
        write_ctl(s, reg->index,
                  (ucore_global_read(s, reg) & ~mask) | (val & mask), now);
        break;
    case UCORE_REG_GLOBAL_STATUS:
        write_status(s, reg->index, val & mask);
        break;
    default:
        violate(s, "read-only", "a read-only register written", val);
        break;
    }
}
