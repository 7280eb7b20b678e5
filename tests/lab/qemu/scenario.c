/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a scenario file (README.md, "Scenarios") into UcoreConfig.  args.py
 * reads the same file for the parts that QEMU's command line decides.
 */
#include "model.h"
#include "qapi/error.h"

bool ucore_count_insns;

static const UcorePlatform *const platforms[] = { &ucore_ivbep };

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

static bool get_uint(GKeyFile *kf, const char *group, const char *key,
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

static bool get_bool(GKeyFile *kf, const char *group, const char *key,
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

static bool load_platform(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    g_autofree char *name = g_key_file_get_string(kf, "machine", "platform",
                                                  NULL);

    for (unsigned i = 0; i < ARRAY_SIZE(platforms); i++) {
        if (!name || !strcmp(name, platforms[i]->name)) {
            cfg->platform = platforms[i];
            return true;
        }
    }
    error_setg(errp, "ucore: scenario: no platform named %s", name);
    return false;
}

static bool load_boxes(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    for (unsigned i = 0; cfg->platform->boxes[i].type; i++) {
        const UcoreBoxType *t = cfg->platform->boxes[i].type;
        bool by_core = t->id == cfg->platform->boxes[0].type->id;

        cfg->count[i] = by_core ? MIN(cfg->cores, t->nr_max)
                                : MIN(1, t->nr_max);
        if (!get_uint(kf, "boxes", t->name, t->nr_max, &cfg->count[i], errp)) {
            return false;
        }
    }
    cfg->global_config = cfg->count[0];
    return get_uint(kf, "boxes", "global-config", UINT32_MAX,
                    &cfg->global_config, errp);
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
static bool parse_rate(UcoreRate *r, const char *key, const char *text)
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
        } else if (parse_rate(&r, keys[i], text)) {
            g_array_append_val(cfg->rates, r);
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

static bool load_options(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    struct {
        const char *group, *key;
        bool *val, preset;
    } options[] = {
        { "machine", "uncore", &cfg->uncore, true },
        { "machine", "core-pmu", &cfg->core_pmu, true },
        { "machine", "insns", &cfg->insns, true },
        { "model", "strict", &cfg->strict, true },
        { "model", "cbox-ov-en", &cfg->cbox_ov_en, false },
        { "model", "debugctl-gate", &cfg->debugctl_gate, true },
        { "model", "hlt-sleeps", &cfg->hlt_sleeps, false },
        { "model", "ov-needs-box-en", &cfg->ov_needs_box_en, true },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(options); i++) {
        *options[i].val = options[i].preset;
        if (!get_bool(kf, options[i].group, options[i].key, options[i].val,
                      errp)) {
            return false;
        }
    }
    ucore_count_insns = cfg->insns;
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
    cfg->scale = 1000000;
    cfg->hidden = load_names(kf, "hide");
    cfg->dead = load_names(kf, "dead");
    cfg->ecam_wrong = load_names(kf, "ecam-wrong");
    return get_uint(kf, "machine", "sockets", UCORE_MAX_SOCKETS,
                    &cfg->sockets, errp) &&
           get_uint(kf, "machine", "cores", 64, &cfg->cores, errp) &&
           load_platform(cfg, kf, errp) &&
           load_options(cfg, kf, errp) &&
           load_boxes(cfg, kf, errp) &&
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
