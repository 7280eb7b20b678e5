/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version of the core PMU ([core] of the scenario), and its description in
 * CPUID. The description is correct unless the scenario changes it. CPUs of a
 * hybrid processor are of two kinds, each with a core PMU of its own.
 */
#include "model.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"

#define CPUID_1_ECX_PDCM        BIT(15)
#define CPUID_7_EDX_HYBRID      BIT(15)
#define CPUID_A_EDX_NO_ANY      BIT(15)
#define TYPE_PERFORMANCE        0x40
#define TYPE_EFFICIENT          0x20

/* Set the features of a version that the scenario does not set. */
static void core_preset(UcoreCoreConfig *core)
{
    core->gp = core->version >= 5 ? 8 : core->version >= 3 ? 4 : 2;
    core->width = core->version >= 3 ? 48 : 40;
    core->fixed = core->version >= 5 ? 4 : core->version >= 2 ? 3 : 0;
    core->fixed_width = core->width;
    core->events = 7;
    core->full_width = core->version >= 4;
    core->any = core->version == 3 || core->version == 4;
}

static void core_truth(UcoreCoreConfig *core)
{
    core->eax = core->version | core->gp << 8 | core->width << 16 |
                core->events << 24;
    core->ebx = core->unavailable;
    core->ecx = core->version >= 5 ? BIT(core->fixed) - 1 : 0;
    core->edx = core->version >= 2 ? core->fixed | core->fixed_width << 5 : 0;
    if (core->version >= 5 && !core->any) {
        core->edx |= CPUID_A_EDX_NO_ANY;
    }
}

static bool core_possible(const UcoreCoreConfig *core, Error **errp)
{
    if (core->version && core->gp && core->width >= 32 &&
        core->fixed_width >= 32 && (core->version >= 2 || !core->fixed) &&
        (core->version >= 3 || !core->any)) {
        return true;
    }
    error_setg(errp, "ucore: scenario: [core]: need a version, a counter, "
               "widths of 32 to 63 bits; version 2 for fixed counters, 3 for "
               "any");
    return false;
}

static bool load_uint(GKeyFile *kf, const char *key, unsigned max,
                      unsigned *val, Error **errp)
{
    return ucore_scenario_uint(kf, "core", key, max, val, errp);
}

static bool load_bool(GKeyFile *kf, const char *key, bool *val, Error **errp)
{
    return ucore_scenario_bool(kf, "core", key, val, errp);
}

/* Load the properties in which efficient cores differ. */
static bool atom_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    UcoreCoreConfig *atom = &cfg->atom;

    cfg->core.type = TYPE_PERFORMANCE;
    *atom = cfg->core;
    atom->type = TYPE_EFFICIENT;
    atom->gp -= MIN(2, atom->gp - 1);
    atom->fixed -= MIN(1, atom->fixed);
    atom->metrics = false;
    if (!load_uint(kf, "atoms", UINT32_MAX, &cfg->atoms, errp) ||
        !load_uint(kf, "atom-type", 255, &atom->type, errp) ||
        !load_uint(kf, "atom-counters", UCORE_CORE_MAX_GP, &atom->gp, errp) ||
        !load_uint(kf, "atom-fixed", UCORE_CORE_MAX_FIXED, &atom->fixed,
                   errp) ||
        !load_uint(kf, "atom-unavailable", 0x7f, &atom->unavailable, errp) ||
        !load_bool(kf, "atom-full-width", &atom->full_width, errp) ||
        !core_possible(atom, errp)) {
        return false;
    }
    core_truth(atom);
    return true;
}

bool ucore_core_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    UcoreCoreConfig *core = &cfg->core;

    core->version = 3;
    if (!load_uint(kf, "version", 255, &core->version, errp)) {
        return false;
    }
    core_preset(core);
    if (!load_uint(kf, "counters", UCORE_CORE_MAX_GP, &core->gp, errp) ||
        !load_uint(kf, "width", 63, &core->width, errp)) {
        return false;
    }
    core->fixed_width = core->width;
    if (!load_uint(kf, "fixed", UCORE_CORE_MAX_FIXED, &core->fixed, errp) ||
        !load_uint(kf, "fixed-width", 63, &core->fixed_width, errp) ||
        !load_uint(kf, "events", 255, &core->events, errp) ||
        !load_uint(kf, "unavailable", 0x7f, &core->unavailable, errp) ||
        !load_bool(kf, "full-width", &core->full_width, errp) ||
        !load_bool(kf, "any", &core->any, errp) ||
        !load_bool(kf, "hybrid", &core->hybrid, errp) ||
        !load_bool(kf, "uncore-bit", &core->uncore_bit, errp) ||
        !load_bool(kf, "metrics", &core->metrics, errp) ||
        !core_possible(core, errp) || !atom_load(cfg, kf, errp)) {
        return false;
    }
    core_truth(core);
    return load_uint(kf, "eax", UINT32_MAX, &core->eax, errp) &&
           load_uint(kf, "ebx", UINT32_MAX, &core->ebx, errp) &&
           load_uint(kf, "ecx", UINT32_MAX, &core->ecx, errp) &&
           load_uint(kf, "edx", UINT32_MAX, &core->edx, errp);
}

const UcoreCoreConfig *ucore_core_config(int cpu)
{
    const UcoreConfig *cfg = &ucore->config;

    return cpu < 32 && (cfg->atoms & BIT(cpu)) ? &cfg->atom : &cfg->core;
}

/* Linux uses IA32_PERF_CAPABILITIES only if all CPUs have it. */
bool ucore_core_capabilities(void)
{
    return ucore->config.core.full_width ||
           (ucore->config.atoms && ucore->config.atom.full_width);
}

/* QEMU asks for CPUID outside of a vCPU, too, before the machine runs. */
void ucore_core_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                      uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    const UcoreCoreConfig *core;

    core = ucore_core_config(current_cpu ? current_cpu->cpu_index : 0);
    if (!ucore->config.core_pmu) {
        return;
    }
    switch (leaf) {
    case 0x1:
        *ecx |= ucore_core_capabilities() ? CPUID_1_ECX_PDCM : 0;
        break;
    case 0x7:
        *edx |= core->hybrid && !subleaf ? CPUID_7_EDX_HYBRID : 0;
        break;
    case 0xa:
        *eax = core->eax;
        *ebx = core->ebx;
        *ecx = core->ecx;
        *edx = core->edx;
        break;
    case 0x1a:
        *eax = core->hybrid ? core->type << 24 : 0;
        break;
    }
}
