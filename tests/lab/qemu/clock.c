/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocked machine: virtual time is the cost of instructions and accesses.
 *
 * QEMU's icount makes each instruction take 2^shift ns. Other operations of the
 * guest have a cost in section [clock] of the scenario. The cost is added to
 * virtual time after the access, so that a value is that of the start of the
 * access. The vCPU then leaves its translation block, because its budget of
 * instructions was computed for an earlier time.
 *
 * Each vCPU has a clock of its own (hooks.patch, tcg-accel-ops-rr.c), and
 * virtual time is that of the running vCPU. A switch of vCPUs can set virtual
 * time back by 100 ns and the cost of one access. The model's own time then
 * does not advance.
 *
 * A machine without icount has no costs, and the functions here do nothing.
 */
#include "model.h"
#include "qapi/error.h"
#include "sysemu/cpu-timers.h"

/* Maximum cost of one operation (ns): a millisecond */
#define MAX_PRICE   1000000

const char *const ucore_cost_names[UCORE_COSTS] = {
    [UCORE_COST_RDMSR] = "rdmsr",
    [UCORE_COST_WRMSR] = "wrmsr",
    [UCORE_COST_ECAM] = "ecam",
    [UCORE_COST_CF8] = "cf8",
    [UCORE_COST_MMIO] = "mmio",
    [UCORE_COST_RDPMC] = "rdpmc",
    [UCORE_COST_IPI] = "ipi",
    [UCORE_COST_IRQ] = "irq",
    [UCORE_COST_NMI] = "nmi",
    [UCORE_COST_SYSCALL] = "syscall",
    [UCORE_COST_PAUSE] = "pause",
};

bool ucore_clock_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp)
{
    g_auto(GStrv) keys = g_key_file_get_keys(kf, "clock", NULL, NULL);

    cfg->clocked = icount_enabled();
    if (keys && !cfg->clocked) {
        error_setg(errp, "ucore: scenario: [clock] needs icount");
        return false;
    }
    for (unsigned i = 0; keys && keys[i]; i++) {
        unsigned cost = 0;

        while (cost < UCORE_COSTS && strcmp(keys[i], ucore_cost_names[cost])) {
            cost++;
        }
        if (cost == UCORE_COSTS) {
            error_setg(errp, "ucore: scenario: [clock] %s: no such price",
                       keys[i]);
            return false;
        }
        if (!ucore_scenario_uint(kf, "clock", keys[i], MAX_PRICE,
                                 &cfg->price[cost], errp)) {
            return false;
        }
    }
    return true;
}

void ucore_pay(UcoreCost cost, unsigned times)
{
    uint64_t price;

    if (!ucore || !ucore->config.clocked) {
        return;
    }
    price = (uint64_t)ucore->config.price[cost] * times;
    ucore->paid[cost] += times;
    if (price) {
        icount_pass(price);
        if (current_cpu) {
            cpu_exit(current_cpu);
        }
    }
}

void ucore_entered(int vector)
{
    ucore_pay(vector == EXCP02_NMI ? UCORE_COST_NMI : UCORE_COST_IRQ, 1);
}

void ucore_syscall(void)
{
    ucore_pay(UCORE_COST_SYSCALL, 1);
}

/*
 * A vCPU that spins waits for another vCPU, and that vCPU may be waiting for a
 * host CPU. With icount all vCPUs share one thread, which would only lose its
 * time on a busy host.
 */
void ucore_paused(void)
{
    if (!icount_enabled()) {
        sched_yield();
    }
    ucore_pay(UCORE_COST_PAUSE, 1);
}

int64_t ucore_now(void)
{
    static int64_t latest;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (!ucore || !ucore->config.clocked) {
        return now;
    }
    latest = MAX(latest, now);
    return latest;
}
