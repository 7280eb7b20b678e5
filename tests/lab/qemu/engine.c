/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time: counters advance, carries become overflow messages, messages freeze
 * the socket, and the timer waits for the next armed carry.
 *
 * Counting is lazy.  A box holds its values as of `synced`; whoever looks at
 * or changes one calls ucore_sync() first, which plays every due carry at its
 * own instant in order, and then ucore_box_advance().  A late host timer
 * therefore never changes a value.  Registers and their bits are box.c's.
 */
#include "model.h"

UcoreMachine *ucore;

uint64_t ucore_muldiv(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest)
{
    uint64_t product;

    if (!__builtin_mul_overflow(a, b, &product)) {
        if (rest) {
            *rest = product % c;
        }
        return product / c;
    }

    unsigned __int128 wide = (unsigned __int128)a * b;

    if (rest) {
        *rest = wide % c;
    }
    return wide / c;
}

/* returns whether the counter carried out of its top bit */
static bool counter_advance(UcoreCounter *c, unsigned width, uint64_t dt)
{
    uint64_t rest, inc;
    bool carry;

    inc = ucore_muldiv(c->rate, dt, NANOSECONDS_PER_SECOND, &rest);
    c->frac += rest;
    if (c->frac >= NANOSECONDS_PER_SECOND) {
        c->frac -= NANOSECONDS_PER_SECOND;
        inc++;
    }
    carry = inc >= BIT_ULL(width) - c->value;
    c->value = (c->value + inc) & MAKE_64BIT_MASK(0, width);
    c->total += inc;
    return carry;
}

/* the instant of the next carry */
static int64_t counter_deadline(const UcoreCounter *c, unsigned width,
                                int64_t since)
{
    uint64_t left = BIT_ULL(width) - c->value;
    unsigned __int128 need, dt;

    if (!c->rate) {
        return UCORE_NEVER;
    }
    need = (unsigned __int128)left * NANOSECONDS_PER_SECOND - c->frac;
    dt = (need + c->rate - 1) / c->rate;
    return dt < UCORE_NEVER - since ? since + (int64_t)dt : UCORE_NEVER;
}

uint32_t ucore_box_advance(UcoreBox *box, int64_t now)
{
    uint64_t dt = now - box->synced;
    uint32_t carried = 0;

    box->synced = now;
    if (!box->running || !dt) {
        return 0;
    }
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        UcoreCounter *c = &box->ctr[i];

        if (c->enabled && c->rate &&
            counter_advance(c, ucore_width(box, i), dt)) {
            carried |= BIT(i);
        }
    }
    return carried;
}

static void box_update_running(UcoreBox *box)
{
    const UcorePlatform *p = box->socket->machine->config.platform;
    bool box_frozen = box->type->box_ctl && (box->box_ctl & p->box_frz);

    box->running = !box_frozen && !box->socket->frozen;
}

void ucore_box_update(UcoreBox *box)
{
    const UcorePlatform *p = box->socket->machine->config.platform;
    bool messages = !box->type->box_ctl || !p->box_ov_en ||
                    !box->socket->machine->config.ov_needs_box_en ||
                    (box->box_ctl & p->box_ov_en);

    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        UcoreCounter *c = &box->ctr[i];

        c->enabled = c->ctl & p->ctl_en;
        c->armed = c->enabled && (c->ctl & box->ov_en) && messages;
        c->rate = c->enabled ? ucore_rate(box, i) : 0;
    }
    box_update_running(box);
}

void ucore_socket_rearm(UcoreSocket *s)
{
    int64_t deadline = UCORE_NEVER;

    for (unsigned b = 0; b < s->nr_boxes && !s->frozen; b++) {
        const UcoreBox *box = s->boxes[b];

        for (unsigned i = 0; i < box->nr_ctrs && box->running; i++) {
            if (box->ctr[i].armed) {
                deadline = MIN(deadline,
                               counter_deadline(&box->ctr[i],
                                                ucore_width(box, i),
                                                box->synced));
            }
        }
    }
    s->deadline = deadline;
    if (deadline == UCORE_NEVER) {
        timer_del(&s->timer);
    } else {
        timer_mod_ns(&s->timer, deadline);
    }
}

void ucore_socket_freeze(UcoreSocket *s, int64_t now, const char *reason,
                         const char *cause)
{
    if (s->frozen) {
        return;
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        ucore_box_advance(s->boxes[b], now);
    }
    s->frozen = true;
    s->frozen_since = now;
    s->freezes++;
    s->seq = ++s->machine->seq;
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        box_update_running(s->boxes[b]);
    }
    ucore_log_freeze(s, now, reason, cause);
}

void ucore_socket_unfreeze(UcoreSocket *s, int64_t now)
{
    if (!s->frozen) {
        return;
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        ucore_box_advance(s->boxes[b], now);
    }
    s->frozen = false;
    s->frozen_ns += now - s->frozen_since;
    s->unfreezes++;
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        box_update_running(s->boxes[b]);
    }
    ucore_log_unfreeze(s, now, now - s->frozen_since);
}

void ucore_counter_name(const UcoreBox *box, unsigned ctr, GString *out)
{
    g_string_append(out, box->name);
    if (ucore_is_fixed(box, ctr)) {
        g_string_append(out, ".fixed");
    } else {
        g_string_append_printf(out, ".%u", ctr);
    }
}

/*
 * One counter's carry goes up the hierarchy.  A message leaves the box only
 * when its status bit rises, and the UBox acts only when the global bit does:
 * true when it does.
 */
static bool carry_report(UcoreBox *box, unsigned ctr)
{
    int bit = ucore_status_bit(box, ctr);
    int global = ucore_global_bit(box, ctr);

    if (bit >= 0) {
        if (box->status & BIT(bit)) {
            return false;
        }
        box->status |= BIT(bit);
    }
    if (global < 0 || (box->socket->global_status & BIT_ULL(global))) {
        return false;
    }
    box->socket->global_status |= BIT_ULL(global);
    return true;
}

void ucore_socket_overflow(UcoreSocket *s, int64_t now,
                           UcoreBox **boxes, uint32_t *counters, unsigned nr)
{
    g_autoptr(GString) cause = g_string_new(NULL);
    bool raised = false;

    for (unsigned b = 0; b < nr; b++) {
        for (unsigned i = 0; i < boxes[b]->nr_ctrs; i++) {
            if (!(counters[b] & BIT(i))) {
                continue;
            }
            raised |= carry_report(boxes[b], i);
            g_string_append(cause, cause->len ? ",\"" : "\"");
            ucore_counter_name(boxes[b], i, cause);
            g_string_append_c(cause, '"');
        }
    }
    if (!raised) {
        return;
    }
    if (!s->frozen) {
        s->overflow_freezes++;
        ucore_socket_freeze(s, now, "overflow", cause->str);
    }
    ucore_pmi_broadcast(s, now);
}

static uint32_t box_armed(const UcoreBox *box)
{
    uint32_t armed = 0;

    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        armed |= box->ctr[i].armed ? BIT(i) : 0;
    }
    return armed;
}

/* every carry of the instant is collected before the first one is reported */
static void socket_deadline(UcoreSocket *s)
{
    g_autofree UcoreBox **boxes = g_new(UcoreBox *, s->nr_boxes);
    g_autofree uint32_t *counters = g_new(uint32_t, s->nr_boxes);
    int64_t now = s->deadline;
    unsigned nr = 0;

    for (unsigned b = 0; b < s->nr_boxes; b++) {
        uint32_t armed = box_armed(s->boxes[b]);

        if (armed) {
            counters[nr] = ucore_box_advance(s->boxes[b], now) & armed;
            boxes[nr] = s->boxes[b];
            nr += counters[nr] != 0;
        }
    }
    ucore_socket_overflow(s, now, boxes, counters, nr);
    ucore_socket_rearm(s);
}

int64_t ucore_sync(UcoreMachine *m)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    for (;;) {
        UcoreSocket *first = &m->socket[0];

        for (unsigned s = 1; s < m->config.sockets; s++) {
            if (m->socket[s].deadline < first->deadline) {
                first = &m->socket[s];
            }
        }
        if (first->deadline > now) {
            return now;
        }
        socket_deadline(first);
    }
}

static void socket_timer(void *opaque)
{
    ucore_sync(opaque);
}

UcoreBox *ucore_box_find(UcoreMachine *m, unsigned socket, const char *name)
{
    if (socket >= m->config.sockets) {
        return NULL;
    }
    for (unsigned b = 0; b < m->socket[socket].nr_boxes; b++) {
        if (!strcmp(m->socket[socket].boxes[b]->name, name)) {
            return m->socket[socket].boxes[b];
        }
    }
    return NULL;
}

static UcoreBox *box_new(UcoreSocket *s, const UcoreBoxSite *site,
                         unsigned instance)
{
    const UcoreConfig *cfg = &s->machine->config;
    const UcoreBoxType *t = site->type;
    UcoreBox *box = g_new0(UcoreBox, 1);

    box->type = t;
    box->socket = s;
    box->instance = instance;
    snprintf(box->name, sizeof(box->name), "%s%u", t->name, instance);
    box->msr = site->msr ? site->msr + instance * site->msr_stride : 0;
    box->global_bit = site->global_bit0 >= 0 ? site->global_bit0 + instance
                                             : site->global_bit[instance];
    box->global_fixed = site->global_fixed;
    box->ctl_legal = t->ctl_legal;
    box->ov_en = t->ov_en;
    if (!t->ov_en && cfg->cbox_ov_en) {
        box->ov_en = BIT_ULL(20);
        box->ctl_legal |= box->ov_en;
    }
    box->nr_ctrs = t->nr_gp + t->fixed;
    box->dead = ucore_scenario_names(cfg->dead, box);
    box->ecam_wrong = ucore_scenario_names(cfg->ecam_wrong, box);
    return box;
}

void ucore_engine_init(UcoreMachine *m)
{
    const UcoreConfig *cfg = &m->config;

    for (unsigned i = 0; i < cfg->sockets; i++) {
        UcoreSocket *s = &m->socket[i];
        GPtrArray *boxes = g_ptr_array_new();

        s->machine = m;
        s->id = i;
        timer_init_ns(&s->timer, QEMU_CLOCK_VIRTUAL, socket_timer, m);
        for (unsigned n = 0; cfg->uncore && cfg->platform->boxes[n].type; n++) {
            for (unsigned k = 0; k < cfg->count[n]; k++) {
                UcoreBox *box = box_new(s, &cfg->platform->boxes[n], k);

                if (ucore_scenario_names(cfg->hidden, box)) {
                    g_free(box);
                } else {
                    g_ptr_array_add(boxes, box);
                }
            }
        }
        s->nr_boxes = boxes->len;
        s->boxes = (UcoreBox **)g_ptr_array_free(boxes, false);
    }
}

void ucore_engine_reset(UcoreMachine *m)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    m->epoch = now;
    for (unsigned i = 0; i < m->config.sockets; i++) {
        UcoreSocket *s = &m->socket[i];

        s->global_ctl = 0;
        s->global_status = 0;
        s->frozen = false;
        s->frozen_ns = 0;
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            UcoreBox *box = s->boxes[b];

            box->box_ctl = 0;
            box->status = 0;
            memset(box->filter, 0, sizeof(box->filter));
            memset(box->ctr, 0, sizeof(box->ctr));
            box->synced = now;
            ucore_box_update(box);
        }
        ucore_socket_rearm(s);
    }
}
