/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Semantics of reads and writes of one box's registers, and the checks of the
 * protocol. The kind of access (MSR, config space) is unknown here.
 *
 * The caller has called ucore_sync() and calls ucore_socket_rearm() afterwards.
 */
#include "model.h"

static uint64_t ctl_legal(const UcoreBox *box, unsigned ctr)
{
    return ucore_is_fixed(box, ctr) ? box->type->fixed_legal : box->ctl_legal;
}

static uint64_t ctl_rst(const UcoreBox *box, unsigned ctr)
{
    return ucore_is_fixed(box, ctr) ? box->type->fixed_rst
                                    : box->type->ctl_rst;
}

/*
 * Return true if control @ctl makes counter @ctr count when the box runs. The
 * UBox always runs, and event select 0 stops its counters.
 */
static bool ctl_counts(const UcoreBox *box, unsigned ctr, uint64_t ctl)
{
    return ucore_ctl_enables(box, ctr, ctl) &&
           (box->type->box_ctl || ucore_is_fixed(box, ctr) ||
            ucore_ctl_event(box, ctl));
}

static bool box_counts(const UcoreBox *box)
{
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        if (box->running && ctl_counts(box, i, box->ctr[i].ctl)) {
            return true;
        }
    }
    return false;
}

static void violate(const UcoreBox *box, const char *rule, const char *what,
                    uint64_t val)
{
    ucore_violation(box->socket->machine, rule,
                    "socket %u %s: %s (wrote 0x%" PRIx64 ")",
                    box->socket->id, box->name, what, val);
}

uint64_t ucore_box_read(UcoreBox *box, const UcoreReg *reg, int64_t now)
{
    switch ((UcoreRegKind)reg->kind) {
    case UCORE_REG_BOX_CTL:
        return box->box_ctl;
    case UCORE_REG_TYPE_CTL:
        return 0;
    case UCORE_REG_BOX_STATUS:
        return box->status;
    case UCORE_REG_CTL:
        return box->ctr[reg->index].ctl;
    case UCORE_REG_CTR:
        ucore_box_advance(box, now);
        return box->ctr[reg->index].value;
    case UCORE_REG_FILTER:
        return box->filter[reg->index];
    default:
        g_assert_not_reached();
    }
}

static void write_box_ctl(UcoreBox *box, uint32_t val)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    const UcorePlatform *p = cfg->platform;
    uint32_t reserved = box->type->box_ctl_reserved;

    if ((val & cfg->box_must_be_one) != cfg->box_must_be_one) {
        violate(box, "box-ctl-ones", "BOX_CTL without its must-be-one bits",
                val);
    }
    if (val & (~p->box_legal | reserved)) {
        violate(box, "box-ctl", "BOX_CTL has reserved bits set", val);
    }
    if ((val & p->box_frz) && !ucore_word_freezes(p, val)) {
        violate(box, "frz-without-en", "frz has no effect without frz_en",
                val);
    }
    if ((box->box_ctl & ~val & p->box_frz_en) && ucore_words_count(box)) {
        violate(box, "frz-en-cleared", "frz_en is to stay set while counters "
                "are enabled", val);
    }
    box->box_written = val;
    val &= ~reserved;
    if ((val & (p->box_rst_ctrl | p->box_rst_ctrs)) && box_counts(box) &&
        !ucore_word_freezes(p, val)) {
        violate(box, "reset-running", "reset of a box that counts", val);
    }

    box->box_ctl = val & cfg->box_readable;
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        if (val & p->box_rst_ctrl) {
            box->ctr[i].ctl = 0;
        }
        if ((val & p->box_rst_ctrs) && !(box->stuck & BIT(i))) {
            box->ctr[i].value = 0;
            box->ctr[i].frac = 0;
        }
    }
}

/*
 * Write the control that only the second memory controller has. It resets both
 * controllers.
 */
static void write_type_ctl(const UcoreBox *box, uint32_t val, int64_t now)
{
    const UcorePlatform *p = box->socket->machine->config.platform;

    if (val & ~(p->box_rst_ctrl | p->box_rst_ctrs)) {
        violate(box, "box-ctl", "only the resets of both are known", val);
    }
    for (unsigned b = 0; b < box->socket->nr_boxes; b++) {
        UcoreBox *other = box->socket->boxes[b];

        if (other->type == box->type) {
            ucore_box_advance(other, now);
            write_box_ctl(other, other->box_ctl | (val & ~p->box_frz));
            ucore_box_update(other);
        }
    }
}

static void write_box_status(UcoreBox *box, uint32_t val)
{
    if (!box->type->box_status) {
        violate(box, "no-register", "there is no BOX_STATUS", val);
        return;
    }
    if (val & ~box->type->status_legal) {
        violate(box, "reserved", "BOX_STATUS has reserved bits set", val);
    }
    if (val & box->type->status_legal & ~box->status) {
        violate(box, "status-not-set", "BOX_STATUS bits that were not set",
                val);
    }
    box->status &= ~val;
}

/*
 * The UBox has no box control, so CTL.en is its only means to start and stop a
 * counter. Only a change of a counter that counts before and after the write is
 * an error there.
 */
static void check_ctl_frozen(const UcoreBox *box, unsigned ctr, uint64_t val)
{
    bool was = ctl_counts(box, ctr, box->ctr[ctr].ctl);
    bool will = ctl_counts(box, ctr, val);

    if (box->running && (box->type->box_ctl ? was || will : was && will)) {
        violate(box, "not-frozen", "control of a counter that is not frozen",
                val);
    }
}

/* Write one half of a control of two dwords; the other half is unchanged. */
static void write_ctl(UcoreBox *box, unsigned ctr, uint64_t val, uint64_t mask)
{
    UcoreCounter *c = &box->ctr[ctr];
    uint64_t legal = ctl_legal(box, ctr);
    uint64_t rst = ctl_rst(box, ctr);

    if (val & ~legal) {
        violate(box, "reserved", "counter control has reserved bits set", val);
    }
    val = (c->ctl & ~mask) | (val & mask);
    check_ctl_frozen(box, ctr, val);
    if (ucore_ctl_enables(box, ctr, val) && !ucore_is_fixed(box, ctr) &&
        !ucore_counter_allows(box, ctr, ucore_ctl_event(box, val))) {
        violate(box, "constraint", "event not allowed on this counter", val);
    }

    if ((val & rst) && !(box->stuck & BIT(ctr))) {
        c->value = 0;
    }
    c->frac = 0;
    c->ctl = val & legal & ~(rst | (ucore_is_fixed(box, ctr)
                                    ? 0 : box->type->ctl_wo));
}

static void write_ctr(UcoreBox *box, unsigned ctr, uint64_t val, uint64_t mask)
{
    UcoreCounter *c = &box->ctr[ctr];
    uint64_t legal = MAKE_64BIT_MASK(0, ucore_width(box, ctr));
    uint64_t may = ucore_is_fixed(box, ctr) && box->type->fixed_width_most
                   ? MAKE_64BIT_MASK(0, box->type->fixed_width_most) : legal;

    if (val & mask & ~may) {
        violate(box, "width", "counter written beyond its width", val);
    }
    if (box->running && ctl_counts(box, ctr, c->ctl)) {
        violate(box, "not-frozen", "value of a counter that counts", val);
    }
    if (box->stuck & BIT(ctr)) {
        return;
    }
    c->value = ((c->value & ~mask) | (val & mask)) & legal;
    c->frac = 0;
}

static void write_filter(UcoreBox *box, unsigned index, uint64_t val)
{
    uint64_t legal = box->type->filter_legal[index];

    if (val & ~legal) {
        violate(box, "reserved", "filter has reserved bits set", val);
    }
    if (box_counts(box)) {
        violate(box, "not-frozen", "filter of a box that counts", val);
    }
    box->filter[index] = val & legal;
}

void ucore_box_write(UcoreBox *box, const UcoreReg *reg, uint64_t val,
                     uint64_t mask, int64_t now)
{
    bool was_running = box->running;

    ucore_box_advance(box, now);

    if ((reg->kind == UCORE_REG_BOX_CTL || reg->kind == UCORE_REG_BOX_STATUS) &&
        val >> 32) {
        violate(box, "reserved", "upper half of a 32-bit register", val);
    }
    switch ((UcoreRegKind)reg->kind) {
    case UCORE_REG_BOX_CTL:
        write_box_ctl(box, val);
        break;
    case UCORE_REG_TYPE_CTL:
        write_type_ctl(box, val, now);
        break;
    case UCORE_REG_BOX_STATUS:
        write_box_status(box, val);
        break;
    case UCORE_REG_CTL:
        write_ctl(box, reg->index, val, mask);
        break;
    case UCORE_REG_CTR:
        write_ctr(box, reg->index, val, mask);
        break;
    case UCORE_REG_FILTER:
        write_filter(box, reg->index, val);
        break;
    default:
        g_assert_not_reached();
    }
    ucore_box_update(box);
    ucore_words_written(box, was_running, now);
}

bool ucore_box_refuses(const UcoreBox *box, const UcoreReg *reg, uint64_t val)
{
    const UcoreConfig *cfg = &box->socket->machine->config;

    if (reg->kind == UCORE_REG_CTR && cfg->width_faults) {
        return val & ~MAKE_64BIT_MASK(0, ucore_width(box, reg->index));
    }
    return reg->kind == UCORE_REG_BOX_CTL && box->type->box_ctl_stepwise &&
           cfg->sbox_steps &&
           ctpop64(val & ~(uint64_t)box->box_written) > 1;
}
