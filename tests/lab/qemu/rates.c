/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast a counter counts: the rule of README.md, "Rates".  rates.py is the
 * same rule for the tests; change both.
 *
 * The chain: raw rate of (type, instance, socket, event, umask), then extended
 * umask and filters, then threshold and its inversion, then edge detect.
 */
#include "model.h"

/* pulses that edge detect sees are this many cycles long */
#define PULSE_CYCLES    4

static const UcoreEventTrait *event_trait(const UcoreBoxType *t,
                                          unsigned event)
{
    for (const UcoreEventTrait *tr = t->traits; tr && tr->event != UINT16_MAX;
         tr++) {
        if (tr->event == event) {
            return tr;
        }
    }
    return NULL;
}

unsigned ucore_event_depth(const UcoreBoxType *type, unsigned event)
{
    const UcoreEventTrait *tr = event_trait(type, event);

    return tr && tr->depth ? tr->depth : 1;
}

static bool rate_matches(const UcoreRate *r, const UcoreBox *box,
                         unsigned event, unsigned umask)
{
    return (!r->type || !strcmp(r->type, box->type->name)) &&
           (r->instance < 0 || r->instance == box->instance) &&
           (r->socket < 0 || r->socket == box->socket->id) &&
           (r->event < 0 || r->event == event) &&
           (r->umask < 0 || r->umask == umask);
}

uint64_t ucore_rate_raw(const UcoreBox *box, unsigned event, unsigned umask)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    const UcoreEventTrait *tr = event_trait(box->type, event);
    uint64_t base;

    for (unsigned i = cfg->rates->len; i--; ) {
        const UcoreRate *r = &g_array_index(cfg->rates, UcoreRate, i);

        if (rate_matches(r, box, event, umask)) {
            return r->rate;
        }
    }
    base = tr && tr->clock
        ? tr->clock
        : 1000000 + 500 * (((event * 256ULL + umask) * 40503 +
                            box->type->id * 7919) % 131071);
    base = base * (1000 + 7 * box->instance + 113 * box->socket->id) / 1000;
    return ucore_muldiv(base, cfg->scale, 1000000, NULL);
}

uint64_t ucore_share(uint64_t rate, uint64_t filter)
{
    return ucore_muldiv(rate, 64 + filter * 37 % 961, 1024, NULL);
}

bool ucore_counter_allows(const UcoreBox *box, unsigned ctr, unsigned event)
{
    for (const UcoreConstraint *c = box->type->constraints;
         c && c->counters; c++) {
        if (event >= c->first && event <= c->last) {
            return c->counters & BIT(ctr);
        }
    }
    return true;
}

unsigned ucore_ctl_event(const UcoreBox *box, uint64_t ctl)
{
    const UcorePlatform *p = box->socket->machine->config.platform;

    return (ctl & p->ctl_ev_sel) | (ctl & box->type->event_ext ? 0x100 : 0);
}

/*
 * Increments are spread evenly over 1..depth, so of the cycles that have one,
 * (depth - thresh + 1) / depth reach the threshold.
 */
static uint64_t threshold(uint64_t rate, unsigned depth, unsigned thresh)
{
    if (thresh > depth) {
        return 0;
    }
    return rate * 2 / (depth + 1) * (depth - thresh + 1) / depth;
}

/* Return true if an event of a stack counts only ports without traffic */
static bool counts_idle_ports(const UcoreBox *box, uint64_t ctl, unsigned event)
{
    return box->socket->machine->config.stacks &&
           !strcmp(box->type->name, "iio") && event != box->type->clock_event &&
           !(extract64(ctl, 36, 12) &
             ucore_stacks_parts(box->socket, box->instance));
}

uint64_t ucore_rate(const UcoreBox *box, unsigned ctr)
{
    const UcorePlatform *p = box->socket->machine->config.platform;
    const UcoreBoxType *t = box->type;
    uint64_t ctl = box->ctr[ctr].ctl;
    unsigned event, umask, thresh;
    uint64_t rate;

    if (ucore_is_fixed(box, ctr)) {
        return ucore_rate_raw(box, UCORE_EVENT_FIXED, 0);
    }
    event = ucore_ctl_event(box, ctl);
    umask = (ctl & p->ctl_umask) >> ctz64(p->ctl_umask);
    thresh = (ctl & t->thresh) >> ctz64(t->thresh);
    if (!ucore_counter_allows(box, ctr, event) ||
        counts_idle_ports(box, ctl, event)) {
        return 0;
    }

    rate = ucore_rate_raw(box, event, umask);
    if (ctl & t->umask_ext) {
        rate = ucore_share(rate, (ctl & t->umask_ext) >> ctz64(t->umask_ext));
    }
    if (t->filter_rate) {
        rate = t->filter_rate(box, ctr, event, umask, rate);
    }
    if ((ctl & p->ctl_edge) && !thresh) {
        thresh = 1;
    }
    if (thresh) {
        rate = threshold(rate, ucore_event_depth(t, event), thresh);
        if (ctl & t->invert) {
            uint64_t cycles = ucore_rate_raw(box, t->clock_event, 0);

            rate = cycles - MIN(rate, cycles);
        }
    }
    if (ctl & p->ctl_edge) {
        rate /= PULSE_CYCLES;
    }
    return rate;
}

uint64_t ucore_free_running(const UcoreSocket *s, uint64_t rate, int64_t now)
{
    rate = rate * (1000 + 113 * s->id) / 1000;
    return ucore_muldiv(rate, now - s->machine->epoch,
                        NANOSECONDS_PER_SECOND, NULL);
}
