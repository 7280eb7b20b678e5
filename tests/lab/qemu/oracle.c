/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out-of-band access for the tests: the exact counts and events of the model,
 * and commands that inject faults.
 *
 * Results are JSON texts in string properties of the QOM object
 * /machine/ucore-oracle, and one JSON object per line in the log file.
 * README.md describes both.
 */
#include "model.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "exec/address-spaces.h"
#include "hw/core/cpu.h"
#include "sysemu/cpu-timers.h"
#include "qom/object.h"

#define TYPE_UCORE_ORACLE "ucore-oracle"

#define MARKER_PORT         0x5c0
#define MAX_VIOLATIONS      1000

/* ------------------------------------------------------------------ JSON */

/* the last character is sufficient to decide on a comma */
static void json_comma(GString *j)
{
    if (j->len && j->str[j->len - 1] != '{' && j->str[j->len - 1] != '[') {
        g_string_append_c(j, ',');
    }
}

static void json_key(GString *j, const char *key)
{
    json_comma(j);
    if (key) {
        g_string_append_printf(j, "\"%s\":", key);
    }
}

static void json_open(GString *j, const char *key, char bracket)
{
    json_key(j, key);
    g_string_append_c(j, bracket);
}

static void json_u64(GString *j, const char *key, uint64_t val)
{
    json_key(j, key);
    g_string_append_printf(j, "%" PRIu64, val);
}

static void json_bool(GString *j, const char *key, bool val)
{
    json_key(j, key);
    g_string_append(j, val ? "true" : "false");
}

/* only for texts of ours: no quotes, no controls */
static void json_str(GString *j, const char *key, const char *val)
{
    json_key(j, key);
    g_string_append_printf(j, "\"%s\"", val);
}

static void json_counter(GString *j, const UcoreBox *box, unsigned i)
{
    const UcoreCounter *c = &box->ctr[i];

    json_open(j, NULL, '{');
    json_str(j, "box", box->name);
    if (ucore_is_fixed(box, i)) {
        json_str(j, "ctr", "fixed");
    } else {
        json_u64(j, "ctr", i);
    }
    json_u64(j, "value", c->value);
    json_u64(j, "total", c->total);
    json_u64(j, "ctl", c->ctl);
    json_u64(j, "rate", c->rate);
    g_string_append_c(j, '}');
}

/* ------------------------------------------------------------------- log */

bool ucore_log_open(UcoreMachine *m, const char *file, Error **errp)
{
    m->violations = g_array_new(false, true, sizeof(UcoreViolation));
    m->markers = g_array_new(false, true, sizeof(UcoreMarker));
    if (!file) {
        return true;
    }
    m->log = fopen(file, "w");
    if (!m->log) {
        error_setg_file_open(errp, errno, file);
        return false;
    }
    return true;
}

static GString *line_begin(const char *event, int64_t now)
{
    GString *j = g_string_new("{");

    json_str(j, "ev", event);
    json_u64(j, "t", now);
    return j;
}

static void line_end(UcoreMachine *m, GString *j)
{
    g_string_append(j, "}\n");
    fwrite(j->str, 1, j->len, m->log);
    fflush(m->log);
    g_string_free(j, true);
}

/* executed instructions and accesses so far, on the clocked machine */
static void json_clock(GString *j, const UcoreMachine *m)
{
    uint64_t paid = 0;

    if (!m->config.clocked) {
        return;
    }
    json_open(j, "clock", '{');
    json_u64(j, "insns", icount_get_raw());
    for (unsigned i = 0; i < UCORE_COSTS; i++) {
        json_u64(j, ucore_cost_names[i], m->paid[i]);
        paid += m->paid[i] * m->config.price[i];
    }
    json_u64(j, "paid_ns", paid);
    json_u64(j, "busy_ns", icount_to_ns(icount_get_raw()) + paid);
    g_string_append_c(j, '}');
}

static void json_enabled(GString *j, const UcoreBox *box)
{
    for (unsigned i = 0; i < box->nr_ctrs; i++) {
        if (box->ctr[i].enabled) {
            json_counter(j, box, i);
        }
    }
}

static GString *freeze_begin(const UcoreSocket *s, int64_t now,
                             const char *reason, const char *cause)
{
    GString *j = line_begin("freeze", now);

    json_u64(j, "socket", s->id);
    json_u64(j, "seq", s->seq);
    json_str(j, "reason", reason);
    json_open(j, "cause", '[');
    g_string_append_printf(j, "%s]", cause);
    json_clock(j, s->machine);
    json_open(j, "counters", '[');
    for (unsigned b = 0;
         s->machine->config.log_counters && b < s->nr_boxes; b++) {
        json_enabled(j, s->boxes[b]);
    }
    g_string_append_c(j, ']');
    return j;
}

/* the boxes of several tiles, with the times at which they stopped or started */
static void json_tiles(GString *j, const UcoreSocket *s, int64_t now)
{
    int64_t first = s->tile_time[0];

    if (!ucore_has_tiles(s->machine->config.platform)) {
        return;
    }
    for (unsigned g = 1; g < s->machine->config.globals; g++) {
        first = MIN(first, s->tile_time[g]);
    }
    json_u64(j, "first", first);
    json_u64(j, "skew", now - first);
    json_open(j, "boxes", '[');
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        const UcoreBox *box = s->boxes[b];

        if (!box->type->apart) {
            json_open(j, NULL, '{');
            json_str(j, "box", box->name);
            json_u64(j, "t", s->tile_time[ucore_box_tile(box)]);
            g_string_append_c(j, '}');
        }
    }
    g_string_append_c(j, ']');
}

void ucore_log_freeze(UcoreSocket *s, int64_t now, const char *reason,
                      const char *cause)
{
    GString *j;

    if (s->machine->log) {
        j = freeze_begin(s, now, reason, cause);
        json_tiles(j, s, now);
        line_end(s->machine, j);
    }
}

static GString *unfreeze_begin(const UcoreSocket *s, int64_t now,
                               uint64_t frozen)
{
    GString *j = line_begin("unfreeze", now);

    json_u64(j, "socket", s->id);
    json_u64(j, "seq", s->seq);
    json_u64(j, "frozen_ns", frozen);
    json_clock(j, s->machine);
    return j;
}

void ucore_log_unfreeze(UcoreSocket *s, int64_t now, uint64_t frozen)
{
    GString *j;

    if (s->machine->log) {
        j = unfreeze_begin(s, now, frozen);
        json_tiles(j, s, now);
        line_end(s->machine, j);
    }
}

void ucore_log_box(const UcoreBox *box, int64_t now)
{
    UcoreMachine *m = box->socket->machine;
    GString *j;

    if (!m->log) {
        return;
    }
    j = line_begin(box->running ? "box-unfreeze" : "box-freeze", now);
    json_u64(j, "socket", box->socket->id);
    json_str(j, "box", box->name);
    json_open(j, "counters", '[');
    json_enabled(j, box);
    g_string_append_c(j, ']');
    line_end(m, j);
}

/* the boxes frozen or unfroze by their controls since @first, with times */
static void json_words(GString *j, const UcoreSocket *s, bool running,
                       int64_t first, int64_t now)
{
    json_u64(j, "first", first);
    json_u64(j, "skew", now - first);
    json_open(j, "boxes", '[');
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        const UcoreBox *box = s->boxes[b];

        if (ucore_words_count(box) && box->running == running &&
            box->word_time >= first) {
            json_open(j, NULL, '{');
            json_str(j, "box", box->name);
            json_u64(j, "t", box->word_time);
            g_string_append_c(j, '}');
        }
    }
    g_string_append_c(j, ']');
}

void ucore_log_words_freeze(UcoreSocket *s, int64_t first, int64_t now)
{
    GString *j;

    if (!s->machine->log) {
        return;
    }
    j = freeze_begin(s, now, "boxes", "");
    json_words(j, s, false, first, now);
    line_end(s->machine, j);
}

void ucore_log_words_unfreeze(UcoreSocket *s, int64_t first, int64_t now,
                              uint64_t frozen)
{
    GString *j;

    if (!s->machine->log) {
        return;
    }
    j = unfreeze_begin(s, now, frozen);
    json_words(j, s, true, first, now);
    line_end(s->machine, j);
}

void ucore_log_held(UcoreSocket *s, int64_t now, const char *fault)
{
    GString *j;

    if (!s->machine->log) {
        return;
    }
    j = line_begin("held", now);
    json_u64(j, "socket", s->id);
    json_str(j, "fault", fault);
    line_end(s->machine, j);
}

void ucore_log_blocked(UcoreSocket *s, int64_t now, const char *cause)
{
    GString *j;

    if (!s->machine->log) {
        return;
    }
    j = line_begin("blocked", now);
    json_u64(j, "socket", s->id);
    json_open(j, "cause", '[');
    g_string_append_printf(j, "%s]", cause);
    line_end(s->machine, j);
}

void ucore_log_pmi(UcoreCpu *c, int64_t now, uint64_t seq, const char *result)
{
    GString *j;

    if (!ucore->log) {
        return;
    }
    j = line_begin("pmi", now);
    json_u64(j, "cpu", CPU(c->cpu)->cpu_index);
    json_u64(j, "apic_id", c->cpu->apic_id);
    json_u64(j, "socket", MAX(c->cpu->socket_id, 0));
    json_u64(j, "seq", seq);
    json_str(j, "result", result);
    line_end(ucore, j);
}

void ucore_log_pmi_lost(UcoreSocket *s, int64_t now)
{
    GString *j;

    if (!s->machine->log) {
        return;
    }
    j = line_begin("pmi", now);
    json_u64(j, "socket", s->id);
    json_u64(j, "seq", s->seq);
    json_str(j, "result", "lost");
    line_end(s->machine, j);
}

/* counter @i of a core: 0, 1 ... or "fixed0" ... */
static void json_core_name(GString *j, const char *key, unsigned i)
{
    char name[8];

    if (i < UCORE_CORE_MAX_GP) {
        json_u64(j, key, i);
        return;
    }
    snprintf(name, sizeof(name), "fixed%u", i - UCORE_CORE_MAX_GP);
    json_str(j, key, name);
}

static void json_core_counter(GString *j, const UcoreCorePmu *p, unsigned i)
{
    json_open(j, NULL, '{');
    json_core_name(j, "ctr", i);
    json_u64(j, "value", p->value[i]);
    json_u64(j, "total", p->total[i]);
    json_u64(j, "ctl", ucore_core_ctl(p, i));
    json_u64(j, "rate", ucore_core_rate(p, i));
    g_string_append_c(j, '}');
}

/* core counters with a control; @all: all core counters */
static void json_core(GString *j, const UcoreCpu *c, bool all)
{
    json_u64(j, "cpu", CPU(c->cpu)->cpu_index);
    json_u64(j, "apic_id", c->cpu->apic_id);
    json_u64(j, "global_ctrl", c->pmu.global_ctrl);
    json_u64(j, "status", c->pmu.status);
    json_open(j, "counters", '[');
    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        if (ucore_core_has(&c->pmu, i) && (all || ucore_core_ctl(&c->pmu, i))) {
            json_core_counter(j, &c->pmu, i);
        }
    }
    g_string_append_c(j, ']');
}

void ucore_log_core(UcoreCpu *c, int64_t now, const char *event,
                    const char *reason)
{
    GString *j;

    if (!ucore->log || !ucore->record_cores) {
        return;
    }
    j = line_begin(event, now);
    json_str(j, "reason", reason);
    json_core(j, c, false);
    line_end(ucore, j);
}

void ucore_log_core_pmi(UcoreCpu *c, int64_t now, uint32_t cause,
                        const char *result)
{
    GString *j;

    if (!ucore->log || !ucore->record_cores) {
        return;
    }
    j = line_begin("core-pmi", now);
    json_u64(j, "cpu", CPU(c->cpu)->cpu_index);
    json_u64(j, "apic_id", c->cpu->apic_id);
    json_open(j, "cause", '[');
    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        if (cause & BIT(i)) {
            json_core_name(j, NULL, i);
        }
    }
    g_string_append_c(j, ']');
    json_str(j, "result", result);
    line_end(ucore, j);
}

void ucore_violation(UcoreMachine *m, const char *rule, const char *fmt, ...)
{
    UcoreViolation v = {
        .time = ucore_now(),
        .cpu = current_cpu ? current_cpu->cpu_index : -1,
        .rule = rule,
    };
    va_list args;

    if (!m->config.strict) {
        return;
    }
    m->nr_violations++;
    va_start(args, fmt);
    v.text = g_strdup_vprintf(fmt, args);
    va_end(args);
    if (m->log) {
        GString *j = line_begin("violation", v.time);

        json_str(j, "rule", rule);
        json_str(j, "text", v.text);
        line_end(m, j);
    }
    if (m->violations->len < MAX_VIOLATIONS) {
        g_array_append_val(m->violations, v);
    } else {
        g_free(v.text);
    }
}

/* --------------------------------------------------------------- results */

static void put_counters(UcoreMachine *m, GString *j)
{
    int64_t now = ucore_sync(m);

    json_u64(j, "t", now);
    json_open(j, "sockets", '[');
    for (unsigned s = 0; s < m->config.sockets; s++) {
        json_open(j, NULL, '[');
        for (unsigned b = 0; b < m->socket[s].nr_boxes; b++) {
            UcoreBox *box = m->socket[s].boxes[b];

            ucore_box_advance(box, now);
            for (unsigned i = 0; i < box->nr_ctrs; i++) {
                json_counter(j, box, i);
            }
        }
        g_string_append_c(j, ']');
    }
    g_string_append_c(j, ']');
}

static void put_state(UcoreMachine *m, GString *j)
{
    int64_t now = ucore_sync(m);

    json_u64(j, "t", now);
    json_open(j, "sockets", '[');
    for (unsigned i = 0; i < m->config.sockets; i++) {
        const UcoreSocket *s = &m->socket[i];

        json_open(j, NULL, '{');
        json_u64(j, "global_ctl", s->global[0].ctl);
        json_u64(j, "global_status", s->global_status[0]);
        json_open(j, "status_words", '[');
        for (unsigned w = 0; w < m->config.globals * m->config.status_words; w++) {
            json_u64(j, NULL, s->global_status[w]);
        }
        g_string_append_c(j, ']');
        json_bool(j, "frozen", ucore_socket_is_frozen(s));
        json_u64(j, "seq", s->seq);
        json_u64(j, "freezes", s->freezes);
        json_u64(j, "overflow_freezes", s->overflow_freezes);
        json_u64(j, "unfreezes", s->unfreezes);
        json_u64(j, "frozen_ns",
                 s->frozen_ns +
                 (ucore_socket_is_frozen(s) ? now - s->frozen_since : 0));
        json_u64(j, "pmis", s->pmis);
        json_bool(j, "held", s->held);
        json_open(j, "boxes", '[');
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            const UcoreBox *box = s->boxes[b];

            json_open(j, NULL, '{');
            json_str(j, "box", box->name);
            json_u64(j, "box_ctl", box->box_ctl);
            json_u64(j, "status", box->status);
            json_bool(j, "running", box->running);
            json_open(j, "filters", '[');
            for (unsigned f = 0; f < box->type->nr_filters; f++) {
                json_u64(j, NULL, box->filter[f]);
            }
            g_string_append(j, "]}");
        }
        g_string_append(j, "]}");
    }
    g_string_append_c(j, ']');
}

static void accesses_add(UcoreAccesses *sum, const UcoreAccesses *a)
{
    sum->rdmsr += a->rdmsr;
    sum->wrmsr += a->wrmsr;
    sum->msr_fault += a->msr_fault;
    sum->ecam_read += a->ecam_read;
    sum->ecam_write += a->ecam_write;
    sum->cf8_read += a->cf8_read;
    sum->cf8_write += a->cf8_write;
    sum->port_io += a->port_io;
    sum->mmio_read += a->mmio_read;
    sum->mmio_write += a->mmio_write;
}

static void put_access(GString *j, const char *key, const UcoreAccesses *a)
{
    json_open(j, key, '{');
    json_u64(j, "rdmsr", a->rdmsr);
    json_u64(j, "wrmsr", a->wrmsr);
    json_u64(j, "msr_fault", a->msr_fault);
    json_u64(j, "ecam_read", a->ecam_read);
    json_u64(j, "ecam_write", a->ecam_write);
    json_u64(j, "cf8_read", a->cf8_read);
    json_u64(j, "cf8_write", a->cf8_write);
    json_u64(j, "port_io", a->port_io);
    json_u64(j, "mmio_read", a->mmio_read);
    json_u64(j, "mmio_write", a->mmio_write);
    json_u64(j, "all", a->rdmsr + a->wrmsr + a->msr_fault + a->ecam_read +
             a->ecam_write + a->cf8_read + a->cf8_write + a->mmio_read +
             a->mmio_write);
    g_string_append_c(j, '}');
}

static UcoreAccesses socket_accesses(const UcoreSocket *s)
{
    UcoreAccesses sum = s->accesses;

    for (unsigned b = 0; b < s->nr_boxes; b++) {
        accesses_add(&sum, &s->boxes[b]->accesses);
    }
    return sum;
}

static void put_access_totals(UcoreMachine *m, GString *j)
{
    for (unsigned i = 0; i < m->config.sockets; i++) {
        UcoreAccesses sum = socket_accesses(&m->socket[i]);

        put_access(j, NULL, &sum);
    }
}

static void put_accesses(UcoreMachine *m, GString *j)
{
    UcoreAccesses total = { };

    json_u64(j, "t", ucore_now());
    json_open(j, "sockets", '[');
    for (unsigned i = 0; i < m->config.sockets; i++) {
        const UcoreSocket *s = &m->socket[i];
        UcoreAccesses sum = socket_accesses(s);

        json_open(j, NULL, '{');
        json_open(j, "boxes", '{');
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            put_access(j, s->boxes[b]->name, &s->boxes[b]->accesses);
        }
        g_string_append_c(j, '}');
        put_access(j, "global", &s->accesses);
        put_access(j, "total", &sum);
        g_string_append_c(j, '}');
        accesses_add(&total, &sum);
    }
    g_string_append_c(j, ']');
    put_access(j, "total", &total);
}

static void put_cpus(UcoreMachine *m, GString *j)
{
    CPUState *cs;

    json_open(j, "cpus", '[');
    CPU_FOREACH(cs) {
        const UcoreCpu *c = &m->cpu[cs->cpu_index];
        const X86CPU *cpu = X86_CPU(cs);

        json_open(j, NULL, '{');
        json_u64(j, "cpu", cs->cpu_index);
        json_u64(j, "apic_id", cpu->apic_id);
        json_u64(j, "socket", MAX(cpu->socket_id, 0));
        json_u64(j, "core", MAX(cpu->core_id, 0));
        json_u64(j, "thread", MAX(cpu->thread_id, 0));
        json_u64(j, "debugctl", c->debugctl);
        json_u64(j, "pmi_sent", c->pmi_sent);
        json_u64(j, "pmi_delivered", c->pmi_delivered);
        json_u64(j, "pmi_masked", c->pmi_masked);
        json_u64(j, "pmi_debugctl", c->pmi_debugctl);
        json_u64(j, "pmi_asleep", c->pmi_asleep);
        json_u64(j, "core_pmi", c->core_pmi);
        json_u64(j, "core_pmi_masked", c->core_pmi_masked);
        json_u64(j, "core_rdmsr", c->core_rdmsr);
        json_u64(j, "core_wrmsr", c->core_wrmsr);
        json_u64(j, "core_rdpmc", c->core_rdpmc);
        json_u64(j, "ipis", c->ipis);
        json_u64(j, "ipi_targets", c->ipi_targets);
        json_open(j, "ipi_vectors", '{');
        for (unsigned v = 0; v < ARRAY_SIZE(c->ipi_vector); v++) {
            if (c->ipi_vector[v]) {
                char key[8];

                snprintf(key, sizeof(key), "%u", v);
                json_u64(j, key, c->ipi_vector[v]);
            }
        }
        g_string_append_c(j, '}');
        json_u64(j, "rdmsr", c->rdmsr);
        json_u64(j, "wrmsr", c->wrmsr);
        json_u64(j, "pmon", c->pmon);
        json_u64(j, "syscalls", cpu->env.ucore_syscalls - c->syscalls0);
        json_u64(j, "insns", cpu->env.ucore_insns - c->insns0);
        g_string_append_c(j, '}');
    }
    g_string_append_c(j, ']');
}

static void put_cores(UcoreMachine *m, GString *j)
{
    CPUState *cs;

    json_u64(j, "t", ucore_now());
    json_open(j, "cores", '[');
    CPU_FOREACH(cs) {
        UcoreCpu *c = &m->cpu[cs->cpu_index];

        c->cpu = X86_CPU(cs);
        ucore_core_sync(c);
        json_open(j, NULL, '{');
        json_core(j, c, true);
        json_u64(j, "fixed_ctrl", c->pmu.fixed_ctrl);
        g_string_append_c(j, '}');
    }
    g_string_append_c(j, ']');
}

static void put_violations(UcoreMachine *m, GString *j)
{
    json_u64(j, "count", m->nr_violations);
    json_open(j, "list", '[');
    for (unsigned i = 0; i < m->violations->len; i++) {
        const UcoreViolation *v = &g_array_index(m->violations,
                                                 UcoreViolation, i);

        json_open(j, NULL, '{');
        json_u64(j, "t", v->time);
        json_key(j, "cpu");
        g_string_append_printf(j, "%d", v->cpu);
        json_str(j, "rule", v->rule);
        json_str(j, "text", v->text);
        g_string_append_c(j, '}');
    }
    g_string_append_c(j, ']');
}

static void put_markers(UcoreMachine *m, GString *j)
{
    json_open(j, "markers", '[');
    for (unsigned i = 0; i < m->markers->len; i++) {
        const UcoreMarker *k = &g_array_index(m->markers, UcoreMarker, i);

        json_open(j, NULL, '{');
        json_u64(j, "t", k->time);
        json_u64(j, "value", k->value);
        g_string_append_c(j, '}');
    }
    g_string_append_c(j, ']');
}

static const struct {
    const char *name;
    void (*put)(UcoreMachine *m, GString *j);
} results[] = {
    { "counters", put_counters },
    { "state", put_state },
    { "accesses", put_accesses },
    { "cpus", put_cpus },
    { "cores", put_cores },
    { "violations", put_violations },
    { "markers", put_markers },
};

static char *result_get(void (*put)(UcoreMachine *m, GString *j))
{
    GString *j = g_string_new("{");

    put(ucore, j);
    g_string_append_c(j, '}');
    return g_string_free(j, false);
}

#define RESULT(name) \
    static char *get_##name(Object *obj, Error **errp) \
    { \
        return result_get(put_##name); \
    }

RESULT(counters)
RESULT(state)
RESULT(accesses)
RESULT(cpus)
RESULT(cores)
RESULT(violations)
RESULT(markers)

/* accesses of MSRs that no box of any model has, since QEMU's start */
static void put_foreign(UcoreMachine *m, GString *j)
{
    json_open(j, "msrs", '[');
    for (unsigned i = 0; i < UCORE_FOREIGN_MSRS; i++) {
        uint32_t reads = qatomic_read(&m->foreign[i].reads);
        uint32_t writes = qatomic_read(&m->foreign[i].writes);

        if (reads || writes) {
            json_open(j, NULL, '{');
            json_u64(j, "msr", i);
            json_u64(j, "reads", reads);
            json_u64(j, "writes", writes);
            g_string_append_c(j, '}');
        }
    }
    g_string_append_c(j, ']');
}

RESULT(foreign)

/* Return all results, of the same point in time. */
static char *get_all(Object *obj, Error **errp)
{
    GString *j = g_string_new("{");

    for (unsigned i = 0; i < ARRAY_SIZE(results); i++) {
        json_open(j, results[i].name, '{');
        results[i].put(ucore, j);
        g_string_append_c(j, '}');
    }
    g_string_append_c(j, '}');
    return g_string_free(j, false);
}

void ucore_marker(UcoreMachine *m, unsigned value)
{
    UcoreMarker k = {
        .time = ucore_now(),
        .value = value,
    };

    g_array_append_val(m->markers, k);
    if (m->log) {
        GString *j = line_begin("marker", k.time);

        json_u64(j, "value", value);
        json_open(j, "accesses", '[');
        put_access_totals(m, j);
        g_string_append_c(j, ']');
        put_cpus(m, j);
        json_clock(j, m);
        line_end(m, j);
    }
}

/* -------------------------------------------------------------- commands */

/* reset the tallies; registers, totals and time are unchanged */
static void stats_reset(UcoreMachine *m, int64_t now)
{
    CPUState *cs;

    for (unsigned i = 0; i < m->config.sockets; i++) {
        UcoreSocket *s = &m->socket[i];

        memset(&s->accesses, 0, sizeof(s->accesses));
        s->freezes = s->overflow_freezes = s->unfreezes = s->pmis = 0;
        /*
         * the part of a freeze before the reset is not counted at its end
         * either
         */
        s->frozen_ns = ucore_socket_is_frozen(s) ? s->frozen_since - now : 0;
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            memset(&s->boxes[b]->accesses, 0, sizeof(UcoreAccesses));
        }
    }
    CPU_FOREACH(cs) {
        UcoreCpu *c = &m->cpu[cs->cpu_index];
        size_t first = offsetof(UcoreCpu, pmi_sent);

        memset((char *)c + first, 0, offsetof(UcoreCpu, insns0) - first);
        c->insns0 = X86_CPU(cs)->env.ucore_insns;
        c->syscalls0 = X86_CPU(cs)->env.ucore_syscalls;
    }
    for (unsigned i = 0; i < m->violations->len; i++) {
        g_free(g_array_index(m->violations, UcoreViolation, i).text);
    }
    g_array_set_size(m->violations, 0);
    g_array_set_size(m->markers, 0);
    m->nr_violations = 0;
}

typedef struct Command {
    const char *text;
    char **word;                /* [0] is the command */
    unsigned nr;
    int64_t now;
} Command;

static bool arg_u64(const Command *c, unsigned i, uint64_t *val)
{
    char *end;

    if (i >= c->nr) {
        return false;
    }
    *val = strtoull(c->word[i], &end, 0);
    return *c->word[i] && !*end;
}

static UcoreSocket *arg_socket(const Command *c, unsigned i)
{
    uint64_t id;

    return arg_u64(c, i, &id) && id < ucore->config.sockets
           ? &ucore->socket[id] : NULL;
}

static UcoreBox *arg_box(const Command *c, unsigned i)
{
    UcoreSocket *s = arg_socket(c, i);

    return s && i + 1 < c->nr ? ucore_box_find(ucore, s->id, c->word[i + 1])
                              : NULL;
}

/* lose-pmi SOCKET COUNT */
static bool inject_lose_pmi(const Command *c)
{
    UcoreSocket *s = arg_socket(c, 1);
    uint64_t count;

    if (!s || !arg_u64(c, 2, &count)) {
        return false;
    }
    s->lose_pmis = count;
    return true;
}

/* delay-pmi SOCKET NS: delay all PMIs; 0: no delay */
static bool inject_delay_pmi(const Command *c)
{
    UcoreSocket *s = arg_socket(c, 1);
    uint64_t ns;

    if (!s || !arg_u64(c, 2, &ns) || ns > NANOSECONDS_PER_SECOND) {
        return false;
    }
    s->delay_pmis = ns;
    return true;
}

/* double-pmi SOCKET COUNT [NS]: the next ones come again, so much later */
static bool inject_double_pmi(const Command *c)
{
    UcoreSocket *s = arg_socket(c, 1);
    uint64_t count, ns = 0;

    if (!s || !arg_u64(c, 2, &count) || (c->nr > 3 && !arg_u64(c, 3, &ns)) ||
        ns > NANOSECONDS_PER_SECOND) {
        return false;
    }
    s->double_pmis = count;
    s->double_after = ns;
    return true;
}

static UcoreCpu *arg_cpu(const Command *c, unsigned i)
{
    uint64_t apic_id;
    CPUState *cs;

    if (!arg_u64(c, i, &apic_id)) {
        return NULL;
    }
    CPU_FOREACH(cs) {
        if (X86_CPU(cs)->apic_id == apic_id) {
            ucore->cpu[cs->cpu_index].cpu = X86_CPU(cs);
            return &ucore->cpu[cs->cpu_index];
        }
    }
    return NULL;
}

/* pmi APIC-ID: to one CPU, for no reason */
static bool inject_pmi(const Command *c)
{
    UcoreCpu *cpu = arg_cpu(c, 1);

    if (cpu) {
        ucore_pmi_send(cpu, true, c->now, 0);
    }
    return cpu;
}

/* lose-core-pmi APIC-ID COUNT */
static bool inject_lose_core_pmi(const Command *c)
{
    UcoreCpu *cpu = arg_cpu(c, 1);
    uint64_t count;

    if (!cpu || !arg_u64(c, 2, &count)) {
        return false;
    }
    cpu->lose_core_pmis = count;
    return true;
}

/* core-status APIC-ID BITS: of IA32_PERF_GLOBAL_STATUS, for no reason */
static bool inject_core_status(const Command *c)
{
    UcoreCpu *cpu = arg_cpu(c, 1);
    uint64_t bits;

    return cpu && arg_u64(c, 2, &bits) && ucore_core_raise(cpu, bits);
}

/* dead SOCKET BOX, alive SOCKET BOX */
static bool inject_dead(const Command *c)
{
    UcoreBox *box = arg_box(c, 1);

    if (box) {
        box->dead = !strcmp(c->word[0], "dead");
    }
    return box;
}

/* unreported SOCKET BOX, reported SOCKET BOX: no message of an overflow */
static bool inject_unreported(const Command *c)
{
    UcoreBox *box = arg_box(c, 1);

    if (box) {
        box->unreported = !strcmp(c->word[0], "unreported");
    }
    return box;
}

/* ecam-wrong SOCKET BOX, ecam-right SOCKET BOX */
static bool inject_ecam(const Command *c)
{
    UcoreBox *box = arg_box(c, 1);

    if (box) {
        box->ecam_wrong = !strcmp(c->word[0], "ecam-wrong");
    }
    return box;
}

/* fault SOCKET BOX, no-fault SOCKET BOX: its MSRs raise #GP */
static bool inject_fault(const Command *c)
{
    UcoreBox *box = arg_box(c, 1);

    if (!box || box->access != UCORE_ACCESS_MSR) {
        return false;
    }
    box->faults = !strcmp(c->word[0], "fault");
    return true;
}

/* now, if hardware could do it now (fault.c) */
static bool fault_add(const Command *c, UcoreSocket *s)
{
    s->held = true;
    ucore_socket_play(s, c->now);
    if (s->held) {
        ucore_log_held(s, c->now, c->text);
    }
    return true;
}

/* status SOCKET BITS [WORD]: GLOBAL_STATUS bits rise for no reason */
static bool inject_status(const Command *c)
{
    UcoreSocket *s = arg_socket(c, 1);
    uint64_t bits, word = 0;

    if (!s || !arg_u64(c, 2, &bits) || (c->nr > 3 && !arg_u64(c, 3, &word)) ||
        word >= ucore->config.globals * ucore->config.status_words) {
        return false;
    }
    s->held_status[word] |= bits & s->status_legal[word];
    return fault_add(c, s);
}

/* freeze SOCKET: freeze without a reason or a PMI */
static bool inject_freeze(const Command *c)
{
    UcoreSocket *s = arg_socket(c, 1);

    if (!s || !ucore_has_global(ucore->config.platform)) {
        return false;
    }
    s->held_freeze = true;
    return fault_add(c, s);
}

static bool parse_counter(UcoreSocket *s, const char *text, UcoreBox **box,
                          uint32_t *mask)
{
    g_auto(GStrv) part = g_strsplit(text, ".", 2);
    unsigned ctr;

    if (g_strv_length(part) != 2) {
        return false;
    }
    *box = ucore_box_find(ucore, s->id, part[0]);
    if (!*box) {
        return false;
    }
    ctr = strcmp(part[1], "fixed") ? strtoul(part[1], NULL, 0)
                                   : (*box)->type->nr_gp;
    *mask = BIT(ctr);
    return ctr < (*box)->nr_ctrs;
}

/* carry SOCKET BOX.CTR...: overflow all these counters at the same time */
static bool inject_carry(const Command *c)
{
    UcoreSocket *s = arg_socket(c, 1);
    UcoreBox *box;
    uint32_t mask;

    for (unsigned i = 2; s && i < c->nr; i++) {
        if (!parse_counter(s, c->word[i], &box, &mask) || !box->ov_en) {
            return false;
        }
    }
    if (!s || c->nr < 3) {
        return false;
    }
    for (unsigned i = 2; i < c->nr; i++) {
        parse_counter(s, c->word[i], &box, &mask);
        box->held |= mask;
    }
    return fault_add(c, s);
}

/*
 * stuck SOCKET BOX.CTR: the counter does not count and ignores writes.
 * loose SOCKET BOX.CTR: end of the fault.
 */
static bool inject_stuck(const Command *c)
{
    UcoreSocket *s = arg_socket(c, 1);
    UcoreBox *box;
    uint32_t mask;

    if (!s || c->nr < 3 || !parse_counter(s, c->word[2], &box, &mask)) {
        return false;
    }
    ucore_box_advance(box, c->now);
    if (!strcmp(c->word[0], "stuck")) {
        box->stuck |= mask;
    } else {
        box->stuck &= ~mask;
    }
    ucore_box_update(box);
    ucore_socket_rearm(s);
    return true;
}

/* reset: restart the tallies */
static bool inject_reset(const Command *c)
{
    stats_reset(ucore, c->now);
    return true;
}

/* power-on: registers as after a reset, and the tallies */
static bool inject_power_on(const Command *c)
{
    CPUState *cs;

    g_array_set_size(ucore->config.rates, ucore->config.nr_rates);
    ucore_engine_power_on(ucore, c->now);
    CPU_FOREACH(cs) {
        ucore->cpu[cs->cpu_index].debugctl &= ~UCORE_DEBUGCTL_PMI;
        ucore->cpu[cs->cpu_index].lose_core_pmis = 0;
    }
    ucore->record_cores = false;
    stats_reset(ucore, c->now);
    return true;
}

/* rate KEY RATE: as in the scenario, from now on */
static bool inject_rate(const Command *c)
{
    UcoreRate rate = { };

    if (c->nr != 3 || !ucore_scenario_rate(&rate, c->word[1], c->word[2])) {
        return false;
    }
    for (unsigned i = 0; i < ucore->config.sockets; i++) {
        UcoreSocket *s = &ucore->socket[i];

        /* the time so far was counted at the previous rates */
        for (unsigned b = 0; b < s->nr_boxes; b++) {
            ucore_box_advance(s->boxes[b], c->now);
        }
    }
    g_array_append_val(ucore->config.rates, rate);
    for (unsigned i = 0; i < ucore->config.sockets; i++) {
        UcoreSocket *s = &ucore->socket[i];

        for (unsigned b = 0; b < s->nr_boxes; b++) {
            ucore_box_update(s->boxes[b]);
        }
        ucore_socket_rearm(s);
    }
    return true;
}

static bool arg_bool(const Command *c, unsigned i, bool *val)
{
    if (i >= c->nr || (strcmp(c->word[i], "yes") && strcmp(c->word[i], "no"))) {
        return false;
    }
    *val = !strcmp(c->word[i], "yes");
    return true;
}

/* strict yes|no */
static bool inject_strict(const Command *c)
{
    return arg_bool(c, 1, &ucore->config.strict);
}

/* record-cores yes|no */
static bool inject_record_cores(const Command *c)
{
    return arg_bool(c, 1, &ucore->record_cores);
}

/* marker VALUE */
static bool inject_marker(const Command *c)
{
    uint64_t value;

    if (!arg_u64(c, 1, &value)) {
        return false;
    }
    ucore_marker(ucore, value);
    return true;
}

static const struct {
    const char *name;
    bool (*run)(const Command *c);
} commands[] = {
    { "lose-pmi", inject_lose_pmi },
    { "delay-pmi", inject_delay_pmi },
    { "double-pmi", inject_double_pmi },
    { "pmi", inject_pmi },
    { "lose-core-pmi", inject_lose_core_pmi },
    { "core-status", inject_core_status },
    { "record-cores", inject_record_cores },
    { "dead", inject_dead },
    { "alive", inject_dead },
    { "fault", inject_fault },
    { "no-fault", inject_fault },
    { "stuck", inject_stuck },
    { "loose", inject_stuck },
    { "unreported", inject_unreported },
    { "reported", inject_unreported },
    { "ecam-wrong", inject_ecam },
    { "ecam-right", inject_ecam },
    { "status", inject_status },
    { "freeze", inject_freeze },
    { "carry", inject_carry },
    { "reset", inject_reset },
    { "power-on", inject_power_on },
    { "strict", inject_strict },
    { "rate", inject_rate },
    { "marker", inject_marker },
};

static char *get_stacks(Object *obj, Error **errp)
{
    return ucore_stacks_truth(ucore);
}

static void set_command(Object *obj, const char *text, Error **errp)
{
    g_auto(GStrv) words = g_strsplit(text, " ", 0);
    Command c = { text, words, g_strv_length(words), ucore_sync(ucore) };

    for (unsigned i = 0; c.nr && i < ARRAY_SIZE(commands); i++) {
        if (!strcmp(commands[i].name, words[0])) {
            if (!commands[i].run(&c)) {
                error_setg(errp, "ucore: bad arguments: %s", text);
            }
            return;
        }
    }
    error_setg(errp, "ucore: no such command: %s", text);
}

/* ----------------------------------------------------------- marker port */

static uint64_t marker_read(void *opaque, hwaddr addr, unsigned size)
{
    return ((UcoreMachine *)opaque)->markers->len;
}

static void marker_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    ucore_marker(opaque, val);
}

static const MemoryRegionOps marker_ops = {
    .read = marker_read,
    .write = marker_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

void ucore_oracle_init(UcoreMachine *m)
{
    static MemoryRegion port;

    memory_region_init_io(&port, NULL, &marker_ops, m, "ucore-marker", 4);
    memory_region_add_subregion(get_system_io(), MARKER_PORT, &port);
    object_property_add_child(qdev_get_machine(), TYPE_UCORE_ORACLE,
                              object_new(TYPE_UCORE_ORACLE));
}

static void oracle_class_init(ObjectClass *klass, void *data)
{
    object_class_property_add_str(klass, "counters", get_counters, NULL);
    object_class_property_add_str(klass, "state", get_state, NULL);
    object_class_property_add_str(klass, "accesses", get_accesses, NULL);
    object_class_property_add_str(klass, "cpus", get_cpus, NULL);
    object_class_property_add_str(klass, "cores", get_cores, NULL);
    object_class_property_add_str(klass, "violations", get_violations, NULL);
    object_class_property_add_str(klass, "markers", get_markers, NULL);
    object_class_property_add_str(klass, "foreign", get_foreign, NULL);
    object_class_property_add_str(klass, "stacks", get_stacks, NULL);
    object_class_property_add_str(klass, "all", get_all, NULL);
    object_class_property_add_str(klass, "command", NULL, set_command);
}

static const TypeInfo oracle_info = {
    .name = TYPE_UCORE_ORACLE,
    .parent = TYPE_OBJECT,
    .instance_size = sizeof(Object),
    .class_init = oracle_class_init,
};

static void oracle_register(void)
{
    type_register_static(&oracle_info);
}

type_init(oracle_register)
