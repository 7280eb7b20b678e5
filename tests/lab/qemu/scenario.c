/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a scenario file (README.md, "Scenarios") into UcoreConfig.  args.py
 * reads the same file for the parts that QEMU's command line decides.
 */
#include "model.h"
#include "qapi/error.h"

bool ucore_count_insns;

/* families of platforms/list.h, with and without a discovery table */
enum {
    FAMILY_e5 = false, FAMILY_skx = false, FAMILY_icx = false,
    FAMILY_snr = false, FAMILY_spr = true, FAMILY_gnr = true,
    FAMILY_dmr = true, FAMILY_client = false
};

static const struct {
    const char *name;
    const UcorePlatform *platform;
    bool discovery;
} platforms[] = {
#define UCORE_PLATFORM(name, cpuid_family, model, stepping, family) \
    { #name, &ucore_##name, FAMILY_##family },
#include "platforms/list.h"
};

const char *const ucore_access_names[] = { "msr", "mmio", "pci", NULL };

/* GError, when set, becomes *errp */
static bool failed(GError *err, Error **errp)
{
    if (!err) {
        return false;
    }
    error_setg(errp, "ucore: scenario: %s", err->message);
    g_error_free(err);
    return true;
}

bool ucore_scenario_uint(GKeyFile *kf, const char *group, const char *key,
                     unsigned max, unsigned *val, Error **errp)
{
    g_autofree char *text = g_key_file_get_string(kf, group, key, NULL);
    char *end;
    unsigned long n;

    if (!text) {
        return true;
    }
    n = strtoul(text, &end, 0);
    if (end == text || *end || n > max) {
        error_setg(errp, "ucore: scenario: [%s] %s = %s: need a number up to "
                   "%u", group, key, text, max);
        return false;
    }
    *val = n;
    return true;
}

bool ucore_scenario_bool(GKeyFile *kf, const char *group, const char *key,
                     bool *val, Error **errp)
{
    g_autofree char *text = g_key_file_get_string(kf, group, key, NULL);

    if (!text) {
        return true;
    }
    if (!strcmp(text, "yes")) {
        *val = true;
    } else if (!strcmp(text, "no")) {
        *val = false;
    } else {
        error_setg(errp, "ucore: scenario: [%s] %s = %s: need yes or no",
                   group, key, text);
        return false;
    }
    return true;
}

bool ucore_scenario_choice(GKeyFile *kf, const char *group, const char *key,
                           const char *const *names, unsigned *val,
                           Error **errp)
{
    g_autofree char *text = g_key_file_get_string(kf, group, key, NULL);

    if (!text) {
        return true;
    }
    for (unsigned i = 0; names[i]; i++) {
        if (!strcmp(text, names[i])) {
            *val = i;
            return true;
        }
    }
    error_setg(errp, "ucore: scenario: [%s] %s = %s: no such choice", group,
               key, text);
    return false;
}

static bool load_platform(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    g_autofree char *name = g_key_file_get_string(kf, "machine", "platform",
                                                  NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(platforms); i++) {
        if (!name || !strcmp(name, platforms[i].name)) {
            cfg->platform = platforms[i].platform;
            /* args.py relies on the list */
            g_assert(cfg->platform->discovery == platforms[i].discovery);
            return true;
        }
    }
    error_setg(errp, "ucore: scenario: no platform named %s", name);
    return false;
}

static void plan_add(UcoreConfig *cfg, UcorePlan plan)
{
    plan.regs = cfg->platform->discovery || plan.site->unit.number
                ? ucore_unit_regs(plan.site) : plan.site->type->regs;
    g_array_append_val(cfg->plans, plan);
}

/* Parse NAME-access: use another kind of access than the hardware. */
static bool load_access(UcoreConfig *cfg, GKeyFile *kf,
                        const UcoreBoxSite **site, Error **errp)
{
    g_autofree char *key = g_strdup_printf("%s-access", (*site)->type->name);
    unsigned access = (*site)->unit.access;

    if (!ucore_scenario_choice(kf, "boxes", key, ucore_access_names, &access,
                               errp)) {
        return false;
    }
    if (access != (*site)->unit.access) {
        *site = ucore_unit_move(cfg->platform, *site, access);
    }
    return true;
}

/* type_N = COUNT, with type_N-access, -counters, -width, -stride */
static bool load_unknown(UcoreConfig *cfg, GKeyFile *kf, const char *name,
                         Error **errp)
{
    unsigned count = 0, access = 0, counters = 4, width = 48, stride = 4;
    g_autofree char *access_key = g_strconcat(name, "-access", NULL);
    g_autofree char *counters_key = g_strconcat(name, "-counters", NULL);
    g_autofree char *width_key = g_strconcat(name, "-width", NULL);
    g_autofree char *stride_key = g_strconcat(name, "-stride", NULL);
    char *end;
    unsigned number = strtoul(name + strlen("type_"), &end, 10);

    if (!ucore_scenario_uint(kf, "boxes", name, 1000, &count, errp) ||
        !ucore_scenario_choice(kf, "boxes", access_key, ucore_access_names,
                               &access, errp) ||
        !ucore_scenario_uint(kf, "boxes", counters_key, 12, &counters, errp) ||
        !ucore_scenario_uint(kf, "boxes", width_key, 63, &width, errp) ||
        !ucore_scenario_uint(kf, "boxes", stride_key, 8, &stride, errp)) {
        return false;
    }
    if (*end || number > UINT16_MAX || !counters || !width ||
        (stride != 4 && stride != 8)) {
        error_setg(errp, "ucore: scenario: [boxes] %s: need type_N, a stride "
                   "of 4 or 8, no width or number of counters 0", name);
        return false;
    }
    plan_add(cfg, (UcorePlan){
        .site = ucore_unit_unknown(cfg->platform, number, access, counters,
                                   width, stride),
        .count = count,
    });
    return true;
}

static bool load_all_unknown(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    g_auto(GStrv) keys = g_key_file_get_keys(kf, "boxes", NULL, NULL);

    for (unsigned i = 0; keys && keys[i]; i++) {
        if (g_str_has_prefix(keys[i], "type_") && !strchr(keys[i], '-') &&
            !load_unknown(cfg, kf, keys[i], errp)) {
            return false;
        }
    }
    return true;
}

/* TYPE-width, TYPE-fixed-width, where manuals differ; 0: the platform's */
static bool load_width(GKeyFile *kf, const char *type, const char *suffix,
                       unsigned *width, Error **errp)
{
    g_autofree char *key = g_strconcat(type, suffix, NULL);

    return ucore_scenario_uint(kf, "boxes", key, 63, width, errp);
}

/* Set the chop field of CAPID4, which depends on the number of SBOXes. */
static bool load_chop(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    for (unsigned n = 0; n < cfg->plans->len; n++) {
        const UcorePlan *plan = &g_array_index(cfg->plans, UcorePlan, n);

        if (!strcmp(plan->site->type->name, "sbox")) {
            cfg->chop = plan->count > cfg->platform->chop0_sboxes;
        }
    }
    return ucore_scenario_uint(kf, "boxes", "chop", 3, &cfg->chop, errp);
}

/* choose as many slices with a CHA as there are boxes, with gaps */
static bool load_fuses(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    unsigned all = ctpop64(cfg->platform->capid6_slices);
    unsigned count = g_array_index(cfg->plans, UcorePlan, 0).count;
    g_autofree char *text = g_key_file_get_string(kf, "boxes", "fuses", NULL);
    char *end;

    if (!text) {
        for (unsigned i = 0; all && i < count; i++) {
            cfg->fuses |= BIT_ULL((i * all + all - 1) / count);
        }
        return true;
    }
    cfg->fuses = strtoull(text, &end, 0);
    if (end == text || *end) {
        error_setg(errp, "ucore: scenario: [boxes] fuses = %s: need a number",
                   text);
        return false;
    }
    return true;
}

static bool load_boxes(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    const UcorePlatform *p = cfg->platform;

    cfg->plans = g_array_new(false, true, sizeof(UcorePlan));
    for (const UcoreBoxSite *site = p->boxes; site->type; site++) {
        const UcoreBoxType *t = site->type;
        UcorePlan plan = {
            .site = site,
            .count = site == p->boxes ? MIN(cfg->cores, t->nr_max)
                     : p->discovery ? 0 : MIN(1, t->nr_max),
        };
        g_autofree char *key = g_strconcat(t->name, "-ctl-absent", NULL);

        if (!ucore_scenario_uint(kf, "boxes", t->name, t->nr_max, &plan.count,
                                 errp) ||
            !ucore_scenario_uint(kf, "boxes", key, UINT32_MAX,
                                 &plan.ctl_absent, errp) ||
            (p->discovery
             ? !load_access(cfg, kf, &plan.site, errp) ||
               !ucore_placement_load(kf, &plan.site, &plan, errp)
             : !load_width(kf, t->name, "-width", &plan.width, errp) ||
               !load_width(kf, t->name, "-fixed-width", &plan.fixed_width,
                           errp))) {
            return false;
        }
        plan_add(cfg, plan);
    }
    cfg->global_config = g_array_index(cfg->plans, UcorePlan, 0).count +
                         p->count_extra;
    if (p->discovery) {
        return ucore_scenario_uint(kf, "discovery", "cha-count", UINT32_MAX,
                                   &cfg->global_config, errp) &&
               load_all_unknown(cfg, kf, errp);
    }
    return ucore_scenario_uint(kf, "boxes", "global-config", UINT32_MAX,
                               &cfg->global_config, errp) &&
           load_chop(cfg, kf, errp) && load_fuses(cfg, kf, errp);
}

/* Read which tables a socket has, and where they are. */
static bool load_tables(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    static const char *const second_names[] = { "no", "yes", "own", NULL };
    unsigned second = 0;

    if (!ucore_scenario_choice(kf, "discovery", "second-table", second_names,
                               &second, errp)) {
        return false;
    }
    cfg->second_own = second == 2;
    return cfg->platform->msr_table ||
           ucore_scenario_uint(kf, "discovery", "table-msr", UINT32_MAX,
                               &cfg->table_msr, errp);
}

/* Read the access of the global registers, and what an overflow does. */
static bool load_global(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    static const char *const overflow_names[] = {
        "freeze", "ignored", "box", "no-bit", "other-bit", "stuck", NULL
    };
    static const char *const clear_names[] = {
        "ones", "zero", "other", "never", NULL
    };
    const UcorePlatform *p = cfg->platform;
    unsigned units = 0;

    if ((p->discovery || p->run_en) &&
        (!ucore_scenario_choice(kf, "model", "overflow", overflow_names,
                                &cfg->overflow, errp) ||
         !ucore_scenario_choice(kf, "model", "status-clear", clear_names,
                                &cfg->status_clear, errp))) {
        return false;
    }
    cfg->table_msr = p->msr_table;
    if (p->discovery && !load_tables(cfg, kf, errp)) {
        return false;
    }
    cfg->globals = 1 + (p->msr_table || cfg->second_own || ucore_has_tiles(p)) +
                   (p->msr_second_ctl && p->second_ctl_at);
    if (!p->discovery) {
        cfg->wk_on_pmi = p->wk_on_pmi;
        cfg->core_sel = p->core_sel;
        cfg->status_offset = p->msr_global_status - p->msr_global_ctl;
        cfg->status_words = ucore_has_global(p) && p->msr_global_status
                            ? MAX(1, p->global_status_words) : 0;
        return ucore_scenario_uint(kf, "model", "status-shift", 31,
                                   &cfg->status_shift, errp) &&
               (!p->msr_table || ucore_table_load(cfg, kf, errp));
    }
    for (unsigned i = 0; i < cfg->plans->len; i++) {
        const UcorePlan *plan = &g_array_index(cfg->plans, UcorePlan, i);

        cfg->status_bits[ucore_global_of(cfg, &plan->site->unit)] +=
            plan->count;
        units += plan->count;
    }
    if (units > 64 * UCORE_MAX_STATUS_WORDS / cfg->globals - 1) {
        error_setg(errp, "ucore: scenario: %u units in a socket: a table "
                   "tells of 1023", units);
        return false;
    }
    if (!ucore_scenario_choice(kf, "discovery", "global-access",
                               ucore_access_names, &cfg->global_access,
                               errp)) {
        return false;
    }
    units = MAX(cfg->status_bits[0], cfg->status_bits[1]);
    cfg->status_words = MAX(1, DIV_ROUND_UP(units, 64));
    /* between the control and SPR's next MSR there is room for 12 words */
    cfg->status_offset = cfg->global_access != UCORE_ACCESS_MSR ? 8
                         : cfg->status_words <= 12 ? 2 : 0xf0;
    return ucore_scenario_uint(kf, "discovery", "status-offset", 255,
                               &cfg->status_offset, errp) &&
           ucore_table_load(cfg, kf, errp);
}

/* "*" or a number */
static bool parse_selector(const char *text, int *val)
{
    char *end;

    if (!strcmp(text, "*")) {
        *val = -1;
        return true;
    }
    *val = strtol(text, &end, 0);
    return end != text && !*end;
}

/* type.instance.socket.event.umask, or type.instance.socket.fixed */
bool ucore_scenario_rate(UcoreRate *r, const char *key, const char *text)
{
    g_auto(GStrv) part = g_strsplit(key, ".", 0);
    unsigned n = g_strv_length(part);
    char *end;

    r->umask = -1;
    if (n < 4 || n > 5 || !parse_selector(part[1], &r->instance) ||
        !parse_selector(part[2], &r->socket)) {
        return false;
    }
    if (n == 4 && !strcmp(part[3], "fixed")) {
        r->event = UCORE_EVENT_FIXED;
    } else if (n != 5 || !parse_selector(part[3], &r->event) ||
               !parse_selector(part[4], &r->umask)) {
        return false;
    }
    r->rate = strtoull(text, &end, 0);
    r->type = strcmp(part[0], "*") ? g_strdup(part[0]) : NULL;
    return end != text && !*end;
}

static bool load_rates(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    g_auto(GStrv) keys = g_key_file_get_keys(kf, "rates", NULL, NULL);

    cfg->rates = g_array_new(false, true, sizeof(UcoreRate));
    for (unsigned i = 0; keys && keys[i]; i++) {
        g_autofree char *text = g_key_file_get_string(kf, "rates", keys[i],
                                                      NULL);
        UcoreRate r = { };

        if (!strcmp(keys[i], "scale")) {
            cfg->scale = g_ascii_strtod(text, NULL) * 1e6 + 0.5;
        } else if (ucore_scenario_rate(&r, keys[i], text)) {
            g_array_append_val(cfg->rates, r);
            cfg->nr_rates++;
        } else {
            error_setg(errp, "ucore: scenario: [rates] %s = %s", keys[i],
                       text);
            return false;
        }
    }
    return true;
}

static GHashTable *load_names(GKeyFile *kf, const char *key)
{
    GHashTable *set = g_hash_table_new_full(g_str_hash, g_str_equal,
                                            g_free, NULL);
    g_autofree char *text = g_key_file_get_string(kf, "faults", key, NULL);
    g_auto(GStrv) names = g_strsplit(text ?: "", " ", 0);

    for (unsigned i = 0; names[i]; i++) {
        if (*names[i]) {
            g_hash_table_add(set, g_strdup(names[i]));
        }
    }
    return set;
}

static bool load_core_map(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    g_autofree char *text = g_key_file_get_string(kf, "faults", "core-map",
                                                  NULL);
    g_auto(GStrv) ids = g_strsplit(text ?: "", " ", 0);
    unsigned bit = 0;

    for (unsigned i = 0; i < ARRAY_SIZE(cfg->core_map); i++) {
        cfg->core_map[i] = text ? -1 : (int)i;
    }
    for (unsigned i = 0; ids[i]; i++) {
        char *end;

        if (!*ids[i]) {
            continue;
        }
        if (bit == ARRAY_SIZE(cfg->core_map)) {
            error_setg(errp, "ucore: scenario: core-map is too long");
            return false;
        }
        cfg->core_map[bit++] = strtol(ids[i], &end, 0);
        if (*end) {
            error_setg(errp, "ucore: scenario: core-map: %s", ids[i]);
            return false;
        }
    }
    return true;
}

/* BOX_CTL[17:16] of v3 and v4: the tables of the manuals disagree */
static void take_box_ctl(UcoreConfig *cfg)
{
    const UcorePlatform *p = cfg->platform;
    uint32_t ov_en = cfg->box_enables ? p->box_ov_en_doubtful : 0;
    uint32_t enables = cfg->box_enables ? ov_en | p->box_frz_en_doubtful : 0;

    cfg->box_ov_en = p->box_ov_en | ov_en;
    cfg->box_must_be_one = p->box_must_be_one | enables;
    cfg->box_readable = p->box_readable | enables;
}

static bool load_options(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    struct {
        const char *group, *key;
        bool *val, preset;
    } options[] = {
        { "machine", "uncore", &cfg->uncore, true },
        { "machine", "core-pmu", &cfg->core_pmu, true },
        { "machine", "insns", &cfg->insns, true },
        { "machine", "imc-map", &cfg->imc_map, false },
        { "model", "strict", &cfg->strict, true },
        { "model", "cbox-ov-en", &cfg->cbox_ov_en, false },
        { "model", "debugctl-gate", &cfg->debugctl_gate, true },
        { "model", "hlt-sleeps", &cfg->hlt_sleeps, false },
        { "model", "firmware-freeze", &cfg->firmware_freeze, false },
        { "model", "frz-all", &cfg->frz_all, true },
        { "model", "log-counters", &cfg->log_counters, true },
        { "model", "ov-needs-box-en", &cfg->ov_needs_box_en, true },
        { "model", "box-enables", &cfg->box_enables, false },
        { "model", "box-freeze", &cfg->box_freeze, true },
        { "machine", "msrs-ignored", &cfg->ignored, false },
        { "model", "sbox-steps", &cfg->sbox_steps, true },
        { "model", "pmi", &cfg->pmi, true },
        { "model", "freeze-with-pmi", &cfg->freeze_with_pmi, false },
        { "model", "width-faults", &cfg->width_faults, false },
        { "machine", "mchbar", &cfg->mchbar, true },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
        *options[i].val = options[i].preset;
        if (!ucore_scenario_bool(kf, options[i].group, options[i].key,
                                 options[i].val, errp)) {
            return false;
        }
    }
    ucore_count_insns = cfg->insns;
    cfg->iio_buses = cfg->platform->discovery &&
                     g_key_file_has_key(kf, "machine", "iio-buses", NULL);
    take_box_ctl(cfg);
    return true;
}

bool ucore_scenario_load(UcoreMachine *m, const char *file, Error **errp)
{
    g_autoptr(GKeyFile) kf = g_key_file_new();
    UcoreConfig *cfg = &m->config;
    GError *err = NULL;

    g_key_file_load_from_file(kf, file, G_KEY_FILE_NONE, &err);
    if (failed(err, errp)) {
        return false;
    }
    cfg->sockets = 1;
    cfg->cores = 2;
    cfg->threads = 1;
    cfg->scale = 1000000;
    cfg->hidden = load_names(kf, "hide");
    cfg->dead = load_names(kf, "dead");
    cfg->ecam_wrong = load_names(kf, "ecam-wrong");
    return ucore_scenario_uint(kf, "machine", "sockets", UCORE_MAX_SOCKETS,
                    &cfg->sockets, errp) &&
           ucore_scenario_uint(kf, "machine", "cores", 64, &cfg->cores, errp) &&
           ucore_scenario_uint(kf, "machine", "threads", 64, &cfg->threads,
                    errp) &&
           ucore_scenario_uint(kf, "machine", "nodes", 128, &cfg->nodes, errp) &&
           load_platform(cfg, kf, errp) &&
           load_options(cfg, kf, errp) &&
           ucore_clock_load(cfg, kf, errp) &&
           ucore_core_load(cfg, kf, errp) &&
           load_boxes(cfg, kf, errp) &&
           load_global(cfg, kf, errp) &&
           ucore_stacks_load(cfg, kf, errp) &&
           load_rates(cfg, kf, errp) &&
           load_core_map(cfg, kf, errp);
}

bool ucore_scenario_names_site(GHashTable *set, unsigned socket,
                               const char *name)
{
    g_autofree char *with_socket = g_strdup_printf("%u:%s", socket, name);

    return g_hash_table_contains(set, name) ||
           g_hash_table_contains(set, with_socket);
}

bool ucore_scenario_names(GHashTable *set, const UcoreBox *box)
{
    return ucore_scenario_names_site(set, box->socket->id, box->name);
}
