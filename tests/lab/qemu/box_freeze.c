/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Freezes that are made of box controls.
 *
 * A box that its own word freezes or unfreezes is logged on every E5 platform.
 * Where there are no global registers, such words are the only way to hold a
 * die: it is frozen from the moment when the last of its boxes stands still,
 * until the first one counts again.  Which boxes belong to it: those that have
 * a counter switched on and a box control.  The log says when each of them
 * froze and unfroze, so a test can judge every value, and the skew.
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

/* of the words that froze boxes after @since */
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
    /* else counters were switched on in boxes that stood still already */
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
