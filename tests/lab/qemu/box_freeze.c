/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freezes by box controls.
 *
 * On every E5 platform, each freeze and unfreeze of a box by its own control is
 * logged. Without global registers, box controls are the only means to freeze a
 * die. The die is then frozen from the freeze of its last box to the unfreeze
 * of the first one. Only boxes with an enabled counter and a box control belong
 * to the die's freeze. The log has the time of each box's freeze and unfreeze,
 * so that a test can verify every value and the skew.
 */
#include "model.h"

bool ucore_words_count(const UcoreBox *box)
{
    for (unsigned i = 0; box->type->box_ctl && i < box->nr_ctrs; i++) {
        if (box->ctr[i].enabled) {
            return true;
        }
    }
    return false;
}

static unsigned boxes_on(const UcoreSocket *s, bool frozen_only)
{
    unsigned nr = 0;

    for (unsigned b = 0; b < s->nr_boxes; b++) {
        nr += ucore_words_count(s->boxes[b]) &&
              !(frozen_only && s->boxes[b]->running);
    }
    return nr;
}

/* Return the time of the first write that froze a box after @since */
static int64_t first_frozen(const UcoreSocket *s, int64_t since, int64_t now)
{
    int64_t first = now;

    for (unsigned b = 0; b < s->nr_boxes; b++) {
        const UcoreBox *box = s->boxes[b];

        if (ucore_words_count(box) && box->word_time > since) {
            first = MIN(first, box->word_time);
        }
    }
    return first;
}

static void socket_frozen(UcoreSocket *s, bool by_word, int64_t now)
{
    int64_t since = s->unfreeze_first == UCORE_NEVER ? -1 : s->unfreeze_first;

    s->words_frozen = true;
    s->frozen_since = now;
    s->seq = ++s->machine->seq;
    /* false if counters were enabled in boxes that were frozen before */
    if (by_word) {
        s->freezes++;
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            ucore_box_advance(s->boxes[b], now);
        }
        ucore_log_words_freeze(s, first_frozen(s, since, now), now);
    }
    s->unfreeze_first = UCORE_NEVER;
}

static void socket_unfrozen(UcoreSocket *s, int64_t now)
{
    uint64_t frozen = s->unfreeze_first - s->frozen_since;

    s->words_frozen = false;
    s->unfreezes++;
    s->frozen_ns += frozen;
    ucore_log_words_unfreeze(s, s->unfreeze_first, now, frozen);
}

static void socket_changed(UcoreSocket *s, bool froze, bool unfrozen, int64_t now)
{
    unsigned on = boxes_on(s, false), frozen = boxes_on(s, true);

    if (s->words_frozen && unfrozen && s->unfreeze_first == UCORE_NEVER) {
        s->unfreeze_first = now;
    }
    if (s->words_frozen && s->unfreeze_first != UCORE_NEVER &&
        (!frozen || (froze && frozen == on))) {
        socket_unfrozen(s, now);
    } else if (s->words_frozen && !on) {
        s->words_frozen = false;        /* all is off: nothing counts again */
    }
    if (!s->words_frozen && on && frozen == on) {
        socket_frozen(s, froze, now);
    }
}

void ucore_words_written(UcoreBox *box, bool was_running, int64_t now)
{
    const UcorePlatform *p = box->socket->machine->config.platform;
    bool changed = box->running != was_running && ucore_words_count(box);

    if (p->discovery) {
        return;
    }
    if (box->running != was_running) {
        box->word_time = now;
    }
    if (changed) {
        ucore_log_box(box, now);
    }
    if (!ucore_has_global(p)) {
        socket_changed(box->socket, changed && !box->running,
                       changed && box->running, now);
    }
}
