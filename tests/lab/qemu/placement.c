/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids and places of the units of a discovery platform, from the scenario's
 * [boxes] section (README.md, "Ids and places").
 */
#include "model.h"
#include "qapi/error.h"

#define MAX_ID          0xffff          /* a record has 16 bits */

/* registers of a unit in a PCI Express root port, from the box control */
#define PORT_BASE       0x620
#define PORT_CTL        0x10
#define PORT_CTR        0x30
#define PORT_STATUS     0x8

static bool refuse(const char *key, const char *text, Error **errp)
{
    error_setg(errp, "ucore: scenario: [boxes] %s = %s", key, text);
    return false;
}

/* N, or FIRST-LAST */
static bool parse_range(const char *text, unsigned max, unsigned *first,
                        unsigned *last)
{
    char *end;

    *first = *last = strtoul(text, &end, 0);
    if (end == text) {
        return false;
    }
    if (*end == '-') {
        const char *more = end + 1;

        *last = strtoul(more, &end, 0);
        if (end == more) {
            return false;
        }
    }
    return !*end && *first <= *last && *last <= max;
}

static bool add_ids(GArray *ids, const char *word)
{
    unsigned first, last;

    if (!parse_range(word, MAX_ID, &first, &last)) {
        return false;
    }
    for (unsigned id = first; id <= last; id++) {
        g_array_append_val(ids, id);
    }
    return true;
}

/* SLOTS.FUNCTIONS: all functions of the first slot, then of the next */
static bool add_functions(GArray *devfns, const char *word)
{
    g_auto(GStrv) part = g_strsplit(word, ".", 0);
    unsigned slot, last_slot, first, last;

    if (g_strv_length(part) != 2 ||
        !parse_range(part[0], 31, &slot, &last_slot) ||
        !parse_range(part[1], 7, &first, &last)) {
        return false;
    }
    for (; slot <= last_slot; slot++) {
        for (unsigned function = first; function <= last; function++) {
            uint8_t devfn = PCI_DEVFN(slot, function);

            g_array_append_val(devfns, devfn);
        }
    }
    return true;
}

/* Parse TYPE-@suffix, a list of words, into *@list; NULL if it is not there. */
static bool load_list(GKeyFile *kf, const char *type, const char *suffix,
                      bool (*add)(GArray *list, const char *word),
                      unsigned size, const GArray **list, Error **errp)
{
    g_autofree char *key = g_strconcat(type, suffix, NULL);
    g_autofree char *text = g_key_file_get_string(kf, "boxes", key, NULL);
    g_auto(GStrv) words = g_strsplit(text ?: "", " ", 0);
    GArray *found = g_array_new(false, true, size);

    *list = NULL;
    for (unsigned i = 0; words[i]; i++) {
        if (*words[i] && !add(found, words[i])) {
            return refuse(key, text, errp);
        }
    }
    if (text) {
        *list = found;
    }
    return true;
}

/* TYPE-base, TYPE-stride, TYPE-pair: MSRs, or offsets in the window */
static bool load_addresses(GKeyFile *kf, const char *type, UcoreUnitSite *u,
                           Error **errp)
{
    g_autofree char *base_key = g_strconcat(type, "-base", NULL);
    g_autofree char *stride_key = g_strconcat(type, "-stride", NULL);
    g_autofree char *pair_key = g_strconcat(type, "-pair", NULL);
    unsigned base = 0, stride = u->stride, pair = 0;

    if (!ucore_scenario_uint(kf, "boxes", base_key, 0x3fffffff, &base, errp) ||
        !ucore_scenario_uint(kf, "boxes", stride_key, 0xfffffff, &stride,
                             errp) ||
        !ucore_scenario_uint(kf, "boxes", pair_key, 0xfffffff, &pair, errp)) {
        return false;
    }
    if (base) {
        u->base = base;
        u->stride = stride;
        u->pair_stride = pair ?: 2 * stride;
        u->nr = MAX_ID + 1;
    } else if (pair || stride != u->stride) {
        return refuse(base_key, "(missing)", errp);
    }
    return true;
}

/* TYPE-port */
static bool load_port(GKeyFile *kf, const char *type, UcoreUnitSite *u,
                      Error **errp)
{
    g_autofree char *key = g_strconcat(type, "-port", NULL);

    if (!ucore_scenario_bool(kf, "boxes", key, &u->port, errp)) {
        return false;
    }
    if (!u->port) {
        return true;
    }
    if (!u->devfns || !g_key_file_has_key(kf, "machine", "iio-buses", NULL)) {
        error_setg(errp, "ucore: scenario: [boxes] %s: needs %s-functions, and "
                   "iio-buses of [machine]", key, type);
        return false;
    }
    u->base = PORT_BASE;
    u->ctl = PORT_CTL;
    u->ctr = PORT_CTR;
    u->status = PORT_STATUS;
    return true;
}

bool ucore_placement_load(GKeyFile *kf, const UcoreBoxSite **site,
                          UcorePlan *plan, Error **errp)
{
    UcoreBoxSite *own = g_memdup2(*site, sizeof(*own));
    const char *type = own->type->name;
    UcoreUnitSite *u = &own->unit;

    if (!load_list(kf, type, "-ids", add_ids, sizeof(unsigned), &plan->ids,
                   errp) ||
        !load_list(kf, type, "-functions", add_functions, sizeof(uint8_t),
                   &u->devfns, errp) ||
        !load_addresses(kf, type, u, errp) || !load_port(kf, type, u, errp)) {
        return false;
    }
    if (plan->ids) {
        plan->count = plan->ids->len;
    }
    if (u->devfns && (u->access != UCORE_ACCESS_PCI ||
                      u->devfns->len < plan->count)) {
        error_setg(errp, "ucore: scenario: [boxes] %s-functions: %u places for "
                   "%u units%s", type, u->devfns->len, plan->count,
                   u->access == UCORE_ACCESS_PCI ? "" : " without functions");
        return false;
    }
    *site = own;
    return true;
}
