/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Injected faults that stay pending until they are possible on hardware.
 *
 * A frozen or disabled counter cannot carry. A box of a frozen die sends no
 * message that could raise a status bit, and a frozen die cannot freeze again.
 * Tests must not confront the driver with events that no hardware produces.
 * Therefore these faults are pending until the first time at which they are
 * possible.
 */
#include "model.h"

/* Return the pending carries of the box that are possible now. */
static uint32_t box_carries(const UcoreBox *box)
{
    uint32_t carries = 0;

    for (unsigned i = 0; box->running && i < box->nr_ctrs; i++) {
        carries |= box->ctr[i].armed ? box->held & BIT(i) : 0;
    }
    return carries;
}

static bool status_held(const UcoreSocket *s)
{
    for (unsigned w = 0; w < UCORE_MAX_STATUS_WORDS; w++) {
        if (s->held_status[w]) {
            return true;
        }
    }
    return false;
}

bool ucore_fault_possible(const UcoreSocket *s)
{
    if (!s->held || s->frozen) {
        return false;
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (box_carries(s->boxes[b])) {
            return true;
        }
    }
    return s->held_freeze || status_held(s);
}

unsigned ucore_fault_carries(UcoreSocket *s, UcoreBox **boxes,
                             uint32_t *counters, unsigned nr)
{
    for (unsigned b = 0; s->held && b < s->nr_boxes; b++) {
        UcoreBox *box = s->boxes[b];
        uint32_t carries = box_carries(box);
        unsigned i = 0;

        if (!carries) {
            continue;
        }
        box->held &= ~carries;
        while (i < nr && boxes[i] != box) {
            i++;
        }
        if (i == nr) {
            boxes[nr] = box;
            counters[nr++] = 0;
        }
        counters[i] |= carries;
    }
    return nr;
}

static bool anything_held(const UcoreSocket *s)
{
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (s->boxes[b]->held) {
            return true;
        }
    }
    return s->held_freeze || status_held(s);
}

void ucore_fault_others(UcoreSocket *s, int64_t now)
{
    if (!s->held) {
        return;
    }
    for (unsigned w = 0; !s->frozen && w < UCORE_MAX_STATUS_WORDS; w++) {
        s->global_status[w] |= s->held_status[w];
        s->held_status[w] = 0;
    }
    if (!s->frozen && s->held_freeze) {
        s->held_freeze = false;
        ucore_socket_freeze(s, now, "inject", "");
    }
    s->held = anything_held(s);
}

void ucore_fault_forget(UcoreSocket *s)
{
    s->held = s->held_freeze = false;
    memset(s->held_status, 0, sizeof(s->held_status));
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        s->boxes[b]->held = 0;
    }
}
