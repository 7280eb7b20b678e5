/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The UBox's global registers of one socket: freeze and unfreeze all, who gets
 * the PMI, which boxes overflowed; and the strict-mode checks that concern
 * more than one box.
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

/* armed counters reporting in @global bits whose BOX_STATUS is still set */
static bool box_pending(const UcoreBox *box, uint64_t global)
{
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        int up = ucore_global_bit(box, i);
        int bit = ucore_status_bit(box, i);

        if (box->ctr[i].armed && up >= 0 && (global & BIT_ULL(up)) &&
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
            (box->socket->global_status & BIT_ULL(up))) {
            return true;
        }
    }
    return false;
}

static void check_unfreeze(const UcoreSocket *s, uint64_t val)
{
    const UcorePlatform *p = s->machine->config.platform;

    for (unsigned b = 0; b < s->nr_boxes; b++) {
        const UcoreBox *box = s->boxes[b];

        if (!box_armed(box)) {
            continue;
        }
        if (!(val & p->core_sel)) {
            violate(s, "core-sel", "unfreeze without pmi_core_sel while "
                    "counters are armed", val);
            return;
        }
        if (box_pending(box, UINT64_MAX) || box_raised(box)) {
            violate(s, "unfreeze-pending", "unfreeze before an overflow "
                    "status was cleared", val);
            return;
        }
    }
}

static void write_ctl(UcoreSocket *s, uint64_t val, int64_t now)
{
    const UcorePlatform *p = s->machine->config.platform;
    uint64_t rw = p->wk_on_pmi | p->core_sel;

    if (val & ~(p->frz_all | p->unfrz_all | rw)) {
        violate(s, "reserved", "GLOBAL_CTL has reserved bits set", val);
    }
    if ((val & p->frz_all) && (val & p->unfrz_all)) {
        violate(s, "freeze-and-unfreeze", "frz_all and unfrz_all together",
                val);
    }

    s->global_ctl = val & rw;
    if (val & p->frz_all) {
        ucore_socket_freeze(s, now, "frz_all", "");
    } else if (val & p->unfrz_all) {
        check_unfreeze(s, val);
        ucore_socket_unfreeze(s, now);
    }
}

static void write_status(UcoreSocket *s, uint64_t val)
{
    uint64_t legal = s->machine->config.platform->global_status_legal;

    if (val & ~legal) {
        violate(s, "reserved", "GLOBAL_STATUS has reserved bits set", val);
    }
    if (val & legal & ~s->global_status) {
        violate(s, "status-not-set", "GLOBAL_STATUS bits that were not set",
                val);
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (box_pending(s->boxes[b], val & s->global_status)) {
            violate(s, "global-before-box", "GLOBAL_STATUS cleared before "
                    "BOX_STATUS", val);
            break;
        }
    }
    s->global_status &= ~val;
}

uint64_t ucore_global_read(UcoreSocket *s, UcoreGlobalReg reg)
{
    switch (reg) {
    case UCORE_GLOBAL_CTL:
        return s->global_ctl;
    case UCORE_GLOBAL_STATUS:
        return s->global_status;
    case UCORE_GLOBAL_CONFIG:
        return s->machine->config.global_config;
    }
    g_assert_not_reached();
}

void ucore_global_write(UcoreSocket *s, UcoreGlobalReg reg, uint64_t val,
                        int64_t now)
{
    switch (reg) {
    case UCORE_GLOBAL_CTL:
        write_ctl(s, val, now);
        break;
    case UCORE_GLOBAL_STATUS:
        write_status(s, val);
        break;
    case UCORE_GLOBAL_CONFIG:
        violate(s, "read-only", "GLOBAL_CONFIG written", val);
        break;
    }
}
