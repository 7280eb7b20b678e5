/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IIO stacks with PCI devices (README.md, "Stacks and devices"): registers with
 * the root buses, the devices' traffic, and the true place of each device.
 */
#include "model.h"
#include "qapi/error.h"
#include "hw/pci/pci.h"

#define MAX_IDS     32
#define MAX_DEVICES 64
#define MAX_PATCHES 16
#define MAX_LINKS   8
#define NO_BUS      0xffff

typedef struct {
    uint8_t bus, slot;
    uint16_t id;                /* PCI device id, 0: a root port of QEMU */
} Device;

struct UcoreStacks {
    uint16_t bus[UCORE_MAX_SOCKETS][MAX_IDS];
    unsigned speed[UCORE_MAX_SOCKETS][MAX_LINKS];
    Device device[MAX_DEVICES];
    unsigned nr_devices;
    struct {
        unsigned socket, reg, val;
    } patch[MAX_PATCHES];
    unsigned nr_patches;
    unsigned chop;              /* CAPID4[7:6] */
};

/* ------------------------------------------------------ reading of the map */

typedef enum {
    SPR_PCIE, DMI, XCC_ACCEL, MCC_ACCEL, GNR_PCIE, GNR_ACCEL, GRR_HQM, GRR_NET
} Kind;

typedef struct {
    uint8_t id, box, kind;
} Place;

#define NOWHERE { .kind = 0xff }

static const Place spr_xcc[] = {
    { 0, 1, DMI }, { 1, 2, SPR_PCIE }, { 2, 4, SPR_PCIE }, { 3, 6, SPR_PCIE },
    { 4, 7, SPR_PCIE }, { 5, 9, SPR_PCIE }, { 8, 0, XCC_ACCEL },
    { 9, 3, XCC_ACCEL }, { 10, 5, XCC_ACCEL }, { 11, 8, XCC_ACCEL }, NOWHERE
};
static const Place spr_mcc[] = {
    { 0, 0, SPR_PCIE }, { 1, 1, SPR_PCIE }, { 2, 2, SPR_PCIE }, { 3, 10, DMI },
    { 4, 4, SPR_PCIE }, { 5, 5, SPR_PCIE }, { 8, 3, MCC_ACCEL }, NOWHERE
};
static const Place emr[] = {
    { 0, 7, DMI }, { 1, 1, SPR_PCIE }, { 2, 2, SPR_PCIE }, { 3, 3, SPR_PCIE },
    { 4, 8, SPR_PCIE }, { 5, 6, SPR_PCIE }, { 8, 0, XCC_ACCEL },
    { 9, 4, XCC_ACCEL }, { 10, 5, XCC_ACCEL }, { 11, 9, XCC_ACCEL }, NOWHERE
};
static const Place gnr[] = {
    { 0, 0, GNR_PCIE }, { 1, 2, GNR_PCIE }, { 2, 3, GNR_PCIE },
    { 3, 4, GNR_PCIE }, { 4, 5, GNR_PCIE }, { 5, 7, GNR_PCIE },
    { 28, 8, GNR_PCIE }, { 26, 12, GNR_PCIE }, { 29, 11, GNR_PCIE },
    { 8, 1, GNR_ACCEL }, { 12, 6, GNR_ACCEL }, { 16, 9, GNR_ACCEL },
    { 20, 14, GNR_ACCEL }, NOWHERE
};
static const Place grr[] = {
    { 0, 2, DMI }, { 1, 1, GRR_HQM }, { 2, 0, GRR_NET }, NOWHERE
};

#define CHOP_XCC    3
#define CHOP_MCC    1

static const Place *places(const UcoreConfig *cfg)
{
    if (cfg->platform == &ucore_spr) {
        return cfg->stacks->chop == CHOP_MCC ? spr_mcc : spr_xcc;
    }
    return cfg->platform == &ucore_emr ? emr :
           cfg->platform == &ucore_grr ? grr : gnr;
}

/* Return the parts that count a device @after buses above the root bus */
static unsigned parts(Kind kind, unsigned after, const Device *d)
{
    switch (kind) {
    case DMI:
        return after ? 0 : 1 << 7;
    case SPR_PCIE:
        return !after && d->slot >= 1 && d->slot <= 8 ? 1 << (d->slot - 1) : 0;
    case GNR_PCIE:
        return !after && d->slot >= 2 && d->slot <= 9 ? 1 << (d->slot - 2) : 0;
    case XCC_ACCEL:
    case MCC_ACCEL:
        return after > 3 ? 0 :
               d->id == 0x0b25 || d->id == 0x0cfe ? 7 :
               d->id == 0x2710 ? 1 << (kind == XCC_ACCEL ? 5 : 4) :
               d->id == 0x4940 ? 1 << (kind == XCC_ACCEL ? 4 : 5) : 0;
    case GNR_ACCEL:
        return !after && (d->slot == 1 || d->slot == 2) ? 1 :
               after == 1 && !d->slot ? 1 << 4 :
               after == 3 && !d->slot ? 1 << 5 : 0;
    case GRR_HQM:
        return d->id == 0x2714 ? 1 : 0;
    case GRR_NET:
        return after ? 0 : d->slot == 4 ? 1 : d->slot == 5 ? 2 : 0;
    }
    return 0;
}

/* Return the parts of a device if it belongs to the place's stack, otherwise 0 */
static unsigned parts_at(const UcoreStacks *st, unsigned socket,
                         const Place *place, const Device *d)
{
    unsigned root = st->bus[socket][place->id];

    return root == NO_BUS || d->bus < root ? 0
           : parts(place->kind, d->bus - root, d);
}

unsigned ucore_stacks_parts(const UcoreSocket *s, unsigned box)
{
    const UcoreConfig *cfg = &s->machine->config;
    unsigned mask = 0;

    if (!cfg->stacks) {
        return ~0u;
    }
    for (const Place *p = places(cfg); p->kind != 0xff; p++) {
        for (unsigned i = 0; p->box == box && i < cfg->stacks->nr_devices; i++) {
            mask |= parts_at(cfg->stacks, s->id, p, &cfg->stacks->device[i]);
        }
    }
    return mask;
}

/* ------------------------------------------------------------ config space */

/* unrelated bits are set, too */
#define OTHER_BITS  0x5a3c1248

static void field_set(uint8_t *config, unsigned reg, uint32_t field,
                      uint32_t val)
{
    pci_set_long(config + reg, (OTHER_BITS & ~field) | (val << ctz32(field)));
}

/* the table of root buses */
static void table_fill(const UcoreStacks *st, unsigned socket, uint8_t *config)
{
    uint32_t valid = 0;

    for (unsigned id = 0; id < MAX_IDS; id++) {
        if (st->bus[socket][id] != NO_BUS) {
            valid |= 1u << id;
            config[(id < 16 ? 0x190 : 0x1c0) + id % 16] = st->bus[socket][id];
        }
    }
    pci_set_long(config + 0x1a0, valid);
    for (unsigned i = 0; i < st->nr_patches; i++) {
        if (st->patch[i].socket == socket) {
            pci_set_long(config + st->patch[i].reg, st->patch[i].val);
        }
    }
}

void ucore_stacks_fill(const UcoreSocket *s, UcorePciRole role, unsigned index,
                       uint8_t *config)
{
    const UcoreConfig *cfg = &s->machine->config;

    if (role == UCORE_PCI_BUSES) {
        table_fill(cfg->stacks, s->id, config);
    } else if (role == UCORE_PCI_VARIANT) {
        field_set(config, 0x94, 0xc0, cfg->stacks->chop);
    } else if (role == UCORE_PCI_SPEED) {
        field_set(config, 0x2e0, cfg->platform == &ucore_gnr ||
                  cfg->platform == &ucore_srf ? 0x1e0 : 0x7,
                  cfg->stacks->speed[s->id][index]);
    }
}

/* ---------------------------------------------------------------- scenario */

/* "15.1" or "6a.1:0b25": bus, slot, PCI device id; hexadecimal */
static bool load_devices(UcoreStacks *st, GKeyFile *kf, const char *key,
                         Error **errp)
{
    g_autofree char *text = g_key_file_get_string(kf, "stacks", key, NULL);
    g_auto(GStrv) words = g_strsplit(text ?: "", " ", 0);

    for (unsigned i = 0; words[i]; i++) {
        unsigned bus, slot, id = 0;

        if (!*words[i]) {
            continue;
        }
        if (sscanf(words[i], "%x.%x:%x", &bus, &slot, &id) < 2 || bus > 255 ||
            slot > 31 || st->nr_devices == MAX_DEVICES) {
            error_setg(errp, "ucore: scenario: [stacks] %s: %s", key, words[i]);
            return false;
        }
        st->device[st->nr_devices++] = (Device) { bus, slot, id };
    }
    return true;
}

/* "S:ID = BUS", "S:reg.OFFSET = VALUE", "S:upi-speed.LINK = VALUE" */
static bool load_key(UcoreStacks *st, GKeyFile *kf, const char *key,
                     Error **errp)
{
    unsigned socket, n, val = 0;
    char rest;

    if (!ucore_scenario_uint(kf, "stacks", key, UINT32_MAX, &val, errp)) {
        return false;
    }
    if (sscanf(key, "%u:reg.%x%c", &socket, &n, &rest) == 2 &&
        socket < UCORE_MAX_SOCKETS && n < 0x1000 && n % 4 == 0 &&
        st->nr_patches < MAX_PATCHES) {
        st->patch[st->nr_patches].socket = socket;
        st->patch[st->nr_patches].reg = n;
        st->patch[st->nr_patches++].val = val;
        return true;
    }
    if (sscanf(key, "%u:upi-speed.%u%c", &socket, &n, &rest) == 2 &&
        socket < UCORE_MAX_SOCKETS && n < MAX_LINKS) {
        st->speed[socket][n] = val;
        return true;
    }
    if (sscanf(key, "%u:%u%c", &socket, &n, &rest) == 2 &&
        socket < UCORE_MAX_SOCKETS && n < MAX_IDS && val < 256) {
        st->bus[socket][n] = val;
        return true;
    }
    error_setg(errp, "ucore: scenario: [stacks]: key %s", key);
    return false;
}

static UcoreStacks *stacks_new(void)
{
    UcoreStacks *st = g_new0(UcoreStacks, 1);

    for (unsigned s = 0; s < UCORE_MAX_SOCKETS; s++) {
        for (unsigned id = 0; id < MAX_IDS; id++) {
            st->bus[s][id] = NO_BUS;
        }
        for (unsigned link = 0; link < MAX_LINKS; link++) {
            st->speed[s][link] = 3;
        }
    }
    st->chop = CHOP_XCC;
    return st;
}

bool ucore_stacks_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    g_auto(GStrv) keys = g_key_file_get_keys(kf, "stacks", NULL, NULL);

    if (!keys) {
        return true;
    }
    cfg->stacks = stacks_new();
    if (!ucore_scenario_uint(kf, "stacks", "chop", 3, &cfg->stacks->chop,
                             errp) ||
        !load_devices(cfg->stacks, kf, "ports", errp) ||
        !load_devices(cfg->stacks, kf, "functions", errp)) {
        return false;
    }
    for (unsigned i = 0; keys[i]; i++) {
        if (strcmp(keys[i], "chop") && strcmp(keys[i], "ports") &&
            strcmp(keys[i], "functions") &&
            !load_key(cfg->stacks, kf, keys[i], errp)) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------- functions on stacks' buses */

/* Call @create for the function of each stack, and for each device of the socket */
bool ucore_stacks_functions(const UcoreSocket *s, UcoreStackCreate create,
                            Error **errp)
{
    const UcoreStacks *st = s->machine->config.stacks;

    for (unsigned id = 0; st && id < MAX_IDS; id++) {
        unsigned bus = st->bus[s->id][id];

        /* device 0 of bus 0 is QEMU's host bridge */
        if (bus != NO_BUS && !create(s, UCORE_PCI_STACK, bus, bus ? 0 : 6,
                                     0x09a2, id % 8, errp)) {
            return false;
        }
    }
    for (unsigned i = 0; st && i < st->nr_devices; i++) {
        const Device *d = &st->device[i];

        for (const Place *p = places(&s->machine->config); p->kind != 0xff; p++) {
            if (d->id && parts_at(st, s->id, p, d) &&
                !create(s, UCORE_PCI_DEVICE, d->bus, d->slot, d->id, 0, errp)) {
                return false;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------ oracle */

/* [{"socket":0,"box":2,"bus":21,"device_bus":21,"slot":1,"parts":1}, ...] */
char *ucore_stacks_truth(const UcoreMachine *m)
{
    const UcoreStacks *st = m->config.stacks;
    GString *j = g_string_new("[");

    for (unsigned s = 0; st && s < m->config.sockets; s++) {
        for (const Place *p = places(&m->config); p->kind != 0xff; p++) {
            for (unsigned i = 0; i < st->nr_devices; i++) {
                const Device *d = &st->device[i];
                unsigned mask = parts_at(st, s, p, d);

                if (mask) {
                    g_string_append_printf(j,
                        "%s{\"socket\":%u,\"box\":%u,\"bus\":%u,"
                        "\"device_bus\":%u,\"slot\":%u,\"parts\":%u}",
                        j->len > 1 ? "," : "", s, p->box,
                        st->bus[s][p->id], d->bus, d->slot, mask);
                }
            }
        }
    }
    g_string_append_c(j, ']');
    return g_string_free(j, FALSE);
}
