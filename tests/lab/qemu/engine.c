/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time: counters advance, carries become overflow messages, messages freeze the
 * socket, and the timer waits for the next armed carry.
 *
 * Counting is lazy. A box has its values as of `synced`. Code that reads or
 * changes a value must first call ucore_sync(), which executes every due carry
 * at its own time in order, and then ucore_box_advance(). A late host timer
 * therefore never changes a value. The registers and their bits are in box.c.
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

/* Return true if the counter has overflowed. */
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
    carry = width < 64 && inc >= BIT_ULL(width) - c->value;
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

/* Return the bit of the global status that an overflow of the counter sets. */
static int reported_bit(const UcoreBox *box, unsigned ctr)
{
    const UcoreSocket *s = box->socket;

    if (s->machine->config.overflow == UCORE_OVERFLOW_OTHER_BIT) {
        box = s->boxes[(box->index + 1) % s->nr_boxes];
    }
    return ucore_global_bit(box, ctr);
}

/* Show the wrap of a counter that requests no PMI in the global status. */
static void wrap_show(UcoreBox *box, unsigned ctr)
{
    int bit = reported_bit(box, ctr);

    if (bit >= 0 && box->socket->machine->config.platform->status_of_wraps) {
        box->socket->global_status[bit / 64] |= BIT_ULL(bit % 64);
    }
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
            if (!c->armed) {
                wrap_show(box, i);
            }
        }
    }
    return carried;
}

/* the boxes that will carry, in order of time; all are advanced to `synced` */
static void box_update_deadline(UcoreBox *box)
{
    int64_t deadline = UCORE_NEVER;

    for (unsigned i = 0; i < box->nr_ctrs && box->running; i++) {
        if (box->ctr[i].armed) {
            deadline = MIN(deadline,
                           counter_deadline(&box->ctr[i], ucore_width(box, i),
                                            box->synced));
        }
    }
    if (deadline == box->deadline) {
        return;
    }
    if (box->deadline != UCORE_NEVER) {
        g_tree_remove(box->socket->deadlines, box);
    }
    box->deadline = deadline;
    if (deadline != UCORE_NEVER) {
        g_tree_insert(box->socket->deadlines, box, box);
    }
}

static int deadline_order(const void *a, const void *b, void *opaque)
{
    const UcoreBox *x = a, *y = b;

    if (x->deadline != y->deadline) {
        return x->deadline < y->deadline ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static gboolean take_first(void *key, void *value, void *first)
{
    *(UcoreBox **)first = value;
    return true;
}

static UcoreBox *first_deadline(UcoreSocket *s)
{
    UcoreBox *first = NULL;

    g_tree_foreach(s->deadlines, take_first, &first);
    return first;
}

/* Return true if the global control of the box's tile stops it. */
static bool is_stopped(const UcoreBox *box)
{
    const UcoreSocket *s = box->socket;

    if (box->type->apart) {
        return false;
    }
    return ucore_has_tiles(s->machine->config.platform)
           ? s->frz & BIT(ucore_box_tile(box)) : s->frozen;
}

static void box_update_running(UcoreBox *box)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    bool box_frozen = box->type->box_ctl && cfg->box_freeze &&
                      ucore_word_freezes(cfg->platform, box->box_ctl);

    box->running = !box_frozen && !box->halted && !is_stopped(box);
    box_update_deadline(box);
}

void ucore_box_update(UcoreBox *box)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    bool messages = !box->type->box_ctl || !cfg->box_ov_en ||
                    !cfg->ov_needs_box_en ||
                    (box->box_ctl & cfg->box_ov_en);

    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        UcoreCounter *c = &box->ctr[i];

        c->enabled = ucore_ctl_enables(box, i, c->ctl) &&
                     (!cfg->platform->run_each ||
                      (box->socket->global[0].enabled &
                       BIT_ULL(ucore_global_bit(box, i))));
        c->armed = c->enabled && (c->ctl & box->ov_en) && messages &&
                   cfg->overflow != UCORE_OVERFLOW_IGNORED;
        c->rate = c->enabled && !(box->stuck & BIT(i)) ? ucore_rate(box, i) : 0;
    }
    box_update_running(box);
}

void ucore_socket_rearm(UcoreSocket *s)
{
    const UcoreBox *first = first_deadline(s);

    s->deadline = first ? first->deadline : UCORE_NEVER;
    if (ucore_fault_possible(s)) {
        s->deadline = MIN(s->deadline,
                          ucore_now() + 1);
    }
    if (s->deadline == UCORE_NEVER) {
        timer_del(&s->timer);
    } else {
        timer_mod_ns(&s->timer, s->deadline);
    }
}

/*
 * One of several tiles stands or counts again, and the socket is not frozen.
 * The end of a freeze is logged when the last tile counts again.
 */
void ucore_tile_changed(UcoreSocket *s, int64_t now)
{
    if (!s->frz && s->unfreeze_first != UCORE_NEVER) {
        ucore_log_unfreeze(s, now, s->unfreeze_first - s->frozen_since);
        s->unfreeze_first = UCORE_NEVER;
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        ucore_box_advance(s->boxes[b], now);
        box_update_running(s->boxes[b]);
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
    s->frz = s->frz ?: BIT(0);
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
    if (ucore_has_tiles(s->machine->config.platform)) {
        s->unfreeze_first = now;
    } else {
        ucore_log_unfreeze(s, now, now - s->frozen_since);
    }
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

/* An overflow freezes only the box itself ([model] overflow = box). */
static void box_halt(UcoreBox *box, int64_t now)
{
    ucore_box_advance(box, now);
    box->halted = true;
    box_update_running(box);
}

void ucore_boxes_resume(UcoreSocket *s, int64_t now)
{
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (s->boxes[b]->halted) {
            ucore_box_advance(s->boxes[b], now);
            s->boxes[b]->halted = false;
            box_update_running(s->boxes[b]);
        }
    }
}

/*
 * Report the overflow of a counter to the UBox. The box sends a message only if
 * the counter's status bit was 0. The UBox then freezes and interrupts only if
 * the box's global status bit was 0. Return true in this case, and set the bit
 * of the global control in @globals.
 */
static bool carry_report(UcoreBox *box, unsigned ctr, uint32_t *globals)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    int bit = ucore_status_bit(box, ctr);
    int global = reported_bit(box, ctr);

    if (bit >= 0) {
        if (box->status & BIT(bit)) {
            return false;
        }
        box->status |= BIT(bit);
    }
    if (global < 0 || box->unreported || ucore_global_is_set(box->socket, global)) {
        return false;
    }
    if (cfg->overflow != UCORE_OVERFLOW_NO_BIT) {
        box->socket->global_status[global / 64] |=
            BIT_ULL(global % 64) | cfg->platform->status_extra;
    }
    *globals |= BIT(global / 64 / cfg->status_words);
    return true;
}

static bool freezes_on_overflow(const UcoreSocket *s)
{
    const UcorePlatform *p = s->machine->config.platform;

    return !p->run_en || ((s->global[0].ctl & p->frz_on_ov) &&
                          (!s->machine->config.freeze_with_pmi ||
                           (s->global[0].ctl & s->machine->config.core_sel)));
}

static void socket_overflow(UcoreSocket *s, int64_t now, UcoreBox **boxes,
                            uint32_t *counters, unsigned nr)
{
    g_autoptr(GString) cause = g_string_new(NULL);
    uint32_t globals = 0;
    bool raised = false;

    g_assert(!s->frozen);
    for (unsigned b = 0; b < nr; b++) {
        for (unsigned i = 0; i < boxes[b]->nr_ctrs; i++) {
            if (!(counters[b] & BIT(i))) {
                continue;
            }
            if (carry_report(boxes[b], i, &globals)) {
                raised = true;
                if (s->machine->config.overflow == UCORE_OVERFLOW_BOX) {
                    box_halt(boxes[b], now);
                }
            }
            g_string_append(cause, cause->len ? ",\"" : "\"");
            ucore_counter_name(boxes[b], i, cause);
            g_string_append_c(cause, '"');
        }
    }
    if (!raised) {
        if (cause->len) {
            ucore_log_blocked(s, now, cause->str);
        }
        return;
    }
    if (s->machine->config.overflow == UCORE_OVERFLOW_BOX) {
        return;
    }
    if (freezes_on_overflow(s)) {
        s->overflow_freezes++;
        s->frz |= globals;
        s->stuck = s->machine->config.overflow == UCORE_OVERFLOW_STUCK;
        ucore_socket_freeze(s, now, "overflow", cause->str);
    }
    for (unsigned g = 0; g < UCORE_MAX_GLOBALS; g++) {
        if ((globals & BIT(g)) && s->machine->config.pmi) {
            ucore_pmi_broadcast(s, g, now);
        }
    }
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
void ucore_socket_play(UcoreSocket *s, int64_t now)
{
    g_autofree UcoreBox **boxes = g_new(UcoreBox *, s->nr_boxes);
    g_autofree uint32_t *counters = g_new(uint32_t, s->nr_boxes);
    unsigned nr = 0;
    UcoreBox *box;

    for (box = first_deadline(s); box && box->deadline == now;
         box = first_deadline(s)) {
        boxes[nr] = box;
        counters[nr++] = ucore_box_advance(box, now) & box_armed(box);
        box_update_deadline(box);
    }
    nr = ucore_fault_carries(s, boxes, counters, nr);
    if (nr) {
        socket_overflow(s, now, boxes, counters, nr);
    }
    ucore_fault_others(s, now);
    ucore_socket_rearm(s);
}

int64_t ucore_sync(UcoreMachine *m)
{
    int64_t now = ucore_now();

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
        ucore_socket_play(first, first->deadline);
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

/*
 * Rotate the status bits whose order differs between manuals ([model]
 * status-shift), so that a driver that depends on their order fails.
 */
static int shifted(const UcoreConfig *cfg, int bit)
{
    int first = cfg->platform->status_doubtful.first;
    int last = cfg->platform->status_doubtful.last;

    if (!last || bit < first || bit > last) {
        return bit;
    }
    return first + (bit - first + cfg->status_shift) % (last - first + 1);
}

static void box_place(UcoreBox *box)
{
    const UcoreConfig *cfg = &box->socket->machine->config;
    const UcorePlatform *p = cfg->platform;
    const UcoreBoxSite *site = box->site;

    if (site->unit.number) {
        ucore_unit_place(box, box->instance);
    } else if (site->in_memory) {
        box->access = UCORE_ACCESS_MMIO;
        box->base = p->mchbar_imc ? UCORE_MCHBAR + p->mchbar_imc +
                                    box->instance * UCORE_MCHBAR_STRIDE
                  : ucore_mmio_window(box->socket) +
                    ucore_mmio_imc(box->socket->machine,
                                   box->instance / p->imc.channels) +
                    p->imc.channel +
                    box->instance % p->imc.channels * p->imc.channel_stride;
    } else if (site->msrs) {
        box->base = site->msrs[box->instance];
    } else if (site->msr) {
        box->base = site->msr + box->instance * site->msr_stride;
    } else {
        box->access = UCORE_ACCESS_PCI;
    }
    if (site->global_nr && box->instance >= site->global_nr) {
        box->global_bit = -1;
    } else {
        box->global_bit = shifted(cfg, site->global_bit0 >= 0
                                       ? site->global_bit0 + box->instance
                                       : site->global_bit[box->instance]);
    }
    box->global_fixed = site->global_fixed;
}

static UcoreBox *box_new(UcoreSocket *s, const UcorePlan *plan,
                         unsigned instance)
{
    const UcoreConfig *cfg = &s->machine->config;
    const UcoreBoxType *t = plan->site->type;
    UcoreBox *box = g_new0(UcoreBox, 1);

    box->type = t;
    box->site = plan->site;
    box->regs = plan->regs;
    box->socket = s;
    box->instance = instance;
    box->deadline = UCORE_NEVER;
    snprintf(box->name, sizeof(box->name), "%s%u", t->name, instance);
    box->ctl_legal = t->ctl_legal;
    box->ov_en = t->ov_en;
    box->width = plan->width ?: t->width;
    box->fixed_width = plan->fixed_width ?: t->fixed_width;
    if (t->ov_en_doubtful && cfg->cbox_ov_en) {
        box->ov_en = t->ov_en_doubtful;
        box->ctl_legal |= box->ov_en;
    }
    box->ctl_legal &= ~(uint64_t)plan->ctl_absent;
    box->nr_ctrs = t->nr_gp + t->fixed;
    box->dead = ucore_scenario_names(cfg->dead, box);
    box->ecam_wrong = ucore_scenario_names(cfg->ecam_wrong, box);
    return box;
}

/* Hidden boxes leave their place and their status bit empty. */
static void socket_boxes_init(UcoreSocket *s)
{
    const UcoreConfig *cfg = &s->machine->config;
    GPtrArray *boxes = g_ptr_array_new();
    unsigned position[UCORE_MAX_GLOBALS] = { };

    for (unsigned n = 0; cfg->uncore && n < cfg->plans->len; n++) {
        const UcorePlan *plan = &g_array_index(cfg->plans, UcorePlan, n);
        unsigned g = ucore_global_of(cfg, &plan->site->unit);

        for (unsigned k = 0; k < plan->count; k++) {
            UcoreBox *box = box_new(s, plan, plan->ids ? g_array_index(
                                        plan->ids, unsigned, k) : k);

            if (cfg->platform->discovery) {
                ucore_unit_place(box, k);
                box->global_bit = 64 * g * cfg->status_words + position[g]++;
                box->global_fixed = -1;
            } else {
                box_place(box);
            }
            if (ucore_scenario_names(cfg->hidden, box)) {
                g_free(box);
            } else {
                box->index = boxes->len;
                g_ptr_array_add(boxes, box);
            }
        }
    }
    s->nr_boxes = boxes->len;
    s->boxes = (UcoreBox **)g_ptr_array_free(boxes, false);
}

/* Assign the boxes of a socket to the words of the global status */
static void socket_status_init(UcoreSocket *s)
{
    const UcorePlatform *p = s->machine->config.platform;

    for (unsigned word = 0; word < UCORE_MAX_STATUS_WORDS; word++) {
        s->status_boxes[word] = g_ptr_array_new();
    }
    for (unsigned word = 0; word < s->machine->config.globals *
                                    s->machine->config.status_words; word++) {
        s->status_legal[word] = p->global_status_legal;
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        int bit = MAX(s->boxes[b]->global_bit, 0);

        g_ptr_array_add(s->status_boxes[bit / 64], s->boxes[b]);
        if (p->discovery) {
            s->status_legal[bit / 64] |= BIT_ULL(bit % 64);
        }
    }
}

/*
 * The global registers, from their control on. Further ones are in memory, but
 * not those of client processors.
 */
static void socket_global_init(UcoreSocket *s, unsigned g)
{
    const UcoreConfig *cfg = &s->machine->config;
    const UcorePlatform *p = cfg->platform;
    bool in_table = g == 1 && p->second_ctl_at;
    UcoreAccess access = in_table || (g && !p->msr_second_ctl)
                         ? UCORE_ACCESS_MMIO : cfg->global_access;
    bool msr = access == UCORE_ACCESS_MSR;
    UcoreReg *reg = g_new0(UcoreReg, cfg->status_words + 4);

    s->global[g].access = access;
    s->global[g].regs = reg;
    s->global[g].base = g ? p->msr_second_ctl : p->msr_global_ctl;
    if (in_table) {
        s->global[g].base = ucore_mmio_window(s) + p->second_ctl_at;
    } else if (!msr) {
        ucore_unit_place_global(s, g);
    }
    if (ucore_has_global(p)) {
        *reg++ = (UcoreReg){ 0, UCORE_REG_GLOBAL_CTL, g, true };
    }
    for (unsigned i = 0; i < cfg->status_words; i++) {
        *reg++ = (UcoreReg){ (g ? 8 : cfg->status_offset) + i * (msr ? 1 : 8),
                             UCORE_REG_GLOBAL_STATUS,
                             g * cfg->status_words + i, true };
    }
    if (p->msr_status_clear) {
        *reg++ = (UcoreReg){ p->msr_status_clear - p->msr_global_ctl,
                             UCORE_REG_STATUS_CLEAR, 0, true };
    }
    *reg = (UcoreReg)UCORE_REGS_END;
}

void ucore_engine_init(UcoreMachine *m)
{
    for (unsigned i = 0; i < m->config.sockets; i++) {
        UcoreSocket *s = &m->socket[i];

        s->machine = m;
        s->id = i;
        s->deadlines = g_tree_new_full(deadline_order, NULL, NULL, NULL);
        timer_init_ns(&s->timer, QEMU_CLOCK_VIRTUAL, socket_timer, m);
        socket_boxes_init(s);
        socket_status_init(s);
        for (unsigned g = 0; g < m->config.globals; g++) {
            socket_global_init(s, g);
        }
    }
}

/* the totals are the truth, which no reset undoes */
static void box_reset(UcoreBox *box, int64_t now)
{
    const UcoreConfig *cfg = &box->socket->machine->config;

    ucore_box_advance(box, now);
    box->box_ctl = 0;
    box->box_written = 0;
    box->word_time = now;
    box->status = 0;
    box->stuck = 0;
    box->faults = false;
    box->unreported = false;
    box->halted = false;
    memset(box->filter, 0, sizeof(box->filter));
    for (unsigned i = 0; i < G_N_ELEMENTS(box->ctr); i++) {
        box->ctr[i] = (UcoreCounter){ .total = box->ctr[i].total };
    }
    box->dead = ucore_scenario_names(cfg->dead, box);
    box->ecam_wrong = ucore_scenario_names(cfg->ecam_wrong, box);
    box->synced = now;
    ucore_box_update(box);
}

/* Reset the registers of boxes and UBoxes, and the faults. */
static void sockets_reset(UcoreMachine *m, int64_t now)
{
    const UcoreConfig *cfg = &m->config;

    for (unsigned i = 0; i < cfg->sockets; i++) {
        UcoreSocket *s = &m->socket[i];

        for (unsigned g = 0; g < cfg->globals; g++) {
            s->global[g].ctl = 0;
            s->global[g].route = 0;
            s->global[g].enabled = 0;
        }
        memset(s->global_status, 0, sizeof(s->global_status));
        s->frozen = cfg->firmware_freeze ||
                    (cfg->platform->run_en && !cfg->platform->run_at_reset);
        s->frz = s->frozen ? BIT(cfg->globals) - 1 : 0;
        s->words_frozen = s->stuck = false;
        s->unfreeze_first = UCORE_NEVER;
        s->frozen_since = now;
        s->frozen_ns = 0;
        s->lose_pmis = s->double_pmis = s->delay_pmis = 0;
        s->pmi_epoch++;
        ucore_fault_forget(s);
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            box_reset(s->boxes[b], now);
        }
        ucore_socket_rearm(s);
    }
}

/* Start a new test: the totals restart, too */
void ucore_engine_power_on(UcoreMachine *m, int64_t now)
{
    sockets_reset(m, now);
    for (unsigned i = 0; i < m->config.sockets; i++) {
        for (unsigned b = 0; b < m->socket[i].nr_boxes; b++) {
            UcoreBox *box = m->socket[i].boxes[b];

            for (unsigned c = 0; c < G_N_ELEMENTS(box->ctr); c++) {
                box->ctr[c].total = 0;
            }
        }
    }
}

/* Reset at power-on, by system_reset, and during a resume from S3. */
void ucore_engine_reset(UcoreMachine *m)
{
    m->epoch = ucore_now();
    sockets_reset(m, m->epoch);
}
