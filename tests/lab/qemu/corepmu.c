/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's architectural performance monitoring (version 3) and
 * IA32_DEBUGCTL, so that the NMI watchdog and `perf record` run beside the
 * uncore and share LVTPC with it.
 *
 * Counters run on virtual time whatever the CPU does, halted or not, at the
 * rates of README.md; a control that selects neither user nor kernel mode
 * counts nothing, and no other mode or counter-mask field has an effect.
 */
#include "model.h"
#include "qemu/main-loop.h"
#include "hw/i386/apic.h"

#define MSR_PMC0            0x0c1
#define MSR_EVTSEL0         0x186
#define MSR_DEBUGCTL        0x1d9
#define MSR_FIXED0          0x309
#define MSR_FIXED_CTRL      0x38d
#define MSR_GLOBAL_STATUS   0x38e
#define MSR_GLOBAL_CTRL     0x38f
#define MSR_GLOBAL_OVF      0x390

#define EVTSEL_USR          BIT_ULL(16)
#define EVTSEL_OS           BIT_ULL(17)
#define EVTSEL_INT          BIT_ULL(20)
#define EVTSEL_EN           BIT_ULL(22)
#define FIXED_RINGS         3
#define FIXED_PMI           8

#define DEBUGCTL_BITS       0xffc3      /* 0, 1, 6 to 15 */
#define DEBUGCTL_FREEZE     BIT_ULL(12)

#define VALUE_MASK          MAKE_64BIT_MASK(0, UCORE_CORE_WIDTH)
#define GLOBAL_BITS         (MAKE_64BIT_MASK(0, UCORE_CORE_GP) | \
                             MAKE_64BIT_MASK(32, UCORE_CORE_FIXED))

static uint64_t event_rate(unsigned event, unsigned umask)
{
    switch (event << 8 | umask) {
    case 0x3c00:
    case 0x3c01:
        return 2600000000;
    case 0xc000:
        return 1300000000;
    default:
        return 1000000 + 500 * ((event * 256ULL + umask) * 40503 % 131071);
    }
}

/* the index of a counter's bit in the global registers */
static unsigned global_bit(unsigned i)
{
    return i < UCORE_CORE_GP ? i : 32 + i - UCORE_CORE_GP;
}

static uint64_t counter_rate(const UcoreCorePmu *p, unsigned i)
{
    static const uint64_t fixed[] = { 1300000000, 2600000000, 2600000000 };
    uint64_t sel;

    if (!(p->global_ctrl & BIT_ULL(global_bit(i)))) {
        return 0;
    }
    if (i >= UCORE_CORE_GP) {
        i -= UCORE_CORE_GP;
        return p->fixed_ctrl >> (4 * i) & FIXED_RINGS ? fixed[i] : 0;
    }
    sel = p->evtsel[i];
    return (sel & EVTSEL_EN) && (sel & (EVTSEL_USR | EVTSEL_OS))
           ? event_rate(extract64(sel, 0, 8), extract64(sel, 8, 8)) : 0;
}

static bool counter_interrupts(const UcoreCorePmu *p, unsigned i)
{
    return i < UCORE_CORE_GP
           ? p->evtsel[i] & EVTSEL_INT
           : p->fixed_ctrl >> (4 * (i - UCORE_CORE_GP)) & FIXED_PMI;
}

static int64_t pmu_deadline(const UcoreCorePmu *p)
{
    int64_t first = UCORE_NEVER;

    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        uint64_t rate = counter_rate(p, i), left, dt;

        if (!rate || !counter_interrupts(p, i)) {
            continue;
        }
        left = VALUE_MASK + 1 - p->value[i];
        dt = ucore_muldiv(left, NANOSECONDS_PER_SECOND, rate, NULL) + 1;
        first = MIN(first, p->synced + (int64_t)dt);
    }
    return first;
}

static void pmu_rearm(UcoreCorePmu *p)
{
    p->deadline = pmu_deadline(p);
    if (p->deadline == UCORE_NEVER) {
        timer_del(p->timer);
    } else {
        timer_mod_ns(p->timer, p->deadline);
    }
}

/* returns whether an interrupting counter overflowed */
static bool pmu_advance(UcoreCorePmu *p, int64_t now)
{
    uint64_t dt = now - p->synced;
    bool interrupt = false;

    p->synced = now;
    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        uint64_t rate = counter_rate(p, i), inc, rest;

        if (!rate || !dt) {
            continue;
        }
        inc = ucore_muldiv(rate, dt, NANOSECONDS_PER_SECOND, &rest);
        p->frac[i] += rest;
        inc += p->frac[i] / NANOSECONDS_PER_SECOND;
        p->frac[i] %= NANOSECONDS_PER_SECOND;
        if (inc > VALUE_MASK - p->value[i]) {
            p->status |= BIT_ULL(global_bit(i));
            interrupt |= counter_interrupts(p, i);
        }
        p->value[i] = (p->value[i] + inc) & VALUE_MASK;
    }
    return interrupt;
}

void ucore_core_pmi_freeze(UcoreCpu *c)
{
    if ((c->debugctl & DEBUGCTL_FREEZE) && c->pmu.timer) {
        pmu_advance(&c->pmu, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
        c->pmu.global_ctrl = 0;
        pmu_rearm(&c->pmu);
    }
}

static void pmu_sync(UcoreCpu *c)
{
    if (!pmu_advance(&c->pmu, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL))) {
        return;
    }
    if (apic_deliver_perf(c->cpu->apic_state)) {
        c->core_pmi++;
        ucore_core_pmi_freeze(c);
    } else {
        c->core_pmi_masked++;
    }
}

static void pmu_timer(void *opaque)
{
    UcoreCpu *c = opaque;

    pmu_sync(c);
    pmu_rearm(&c->pmu);
}

static void pmu_prepare(UcoreCpu *c)
{
    if (!c->pmu.timer) {
        c->pmu.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, pmu_timer, c);
        c->pmu.synced = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        c->pmu.global_ctrl = MAKE_64BIT_MASK(0, UCORE_CORE_GP);
    }
    pmu_sync(c);
}

bool ucore_core_owns_msr(uint32_t msr)
{
    if (msr == MSR_DEBUGCTL) {
        return true;
    }
    return ucore->config.core_pmu &&
           ((msr >= MSR_PMC0 && msr < MSR_PMC0 + UCORE_CORE_GP) ||
            (msr >= MSR_EVTSEL0 && msr < MSR_EVTSEL0 + UCORE_CORE_GP) ||
            (msr >= MSR_FIXED0 && msr < MSR_FIXED0 + UCORE_CORE_FIXED) ||
            (msr >= MSR_FIXED_CTRL && msr <= MSR_GLOBAL_OVF));
}

UcoreMsrResult ucore_core_rdmsr(UcoreCpu *c, uint32_t msr, uint64_t *val)
{
    UcoreCorePmu *p = &c->pmu;

    pmu_prepare(c);
    switch (msr) {
    case MSR_DEBUGCTL:
        *val = c->debugctl;
        break;
    case MSR_PMC0 ... MSR_PMC0 + UCORE_CORE_GP - 1:
        *val = p->value[msr - MSR_PMC0];
        break;
    case MSR_EVTSEL0 ... MSR_EVTSEL0 + UCORE_CORE_GP - 1:
        *val = p->evtsel[msr - MSR_EVTSEL0];
        break;
    case MSR_FIXED0 ... MSR_FIXED0 + UCORE_CORE_FIXED - 1:
        *val = p->value[UCORE_CORE_GP + msr - MSR_FIXED0];
        break;
    case MSR_FIXED_CTRL:
        *val = p->fixed_ctrl;
        break;
    case MSR_GLOBAL_STATUS:
        *val = p->status;
        break;
    case MSR_GLOBAL_CTRL:
        *val = p->global_ctrl;
        break;
    case MSR_GLOBAL_OVF:
        *val = 0;
        break;
    }
    pmu_rearm(p);
    return UCORE_MSR_DONE;
}

static void counter_set(UcoreCorePmu *p, unsigned i, uint64_t val)
{
    p->value[i] = val & VALUE_MASK;
    p->frac[i] = 0;
}

UcoreMsrResult ucore_core_wrmsr(UcoreCpu *c, uint32_t msr, uint64_t val)
{
    UcoreCorePmu *p = &c->pmu;

    pmu_prepare(c);
    switch (msr) {
    case MSR_DEBUGCTL:
        if (val & ~(uint64_t)DEBUGCTL_BITS) {
            return UCORE_MSR_FAULT;
        }
        c->debugctl = val;
        break;
    case MSR_PMC0 ... MSR_PMC0 + UCORE_CORE_GP - 1:
        /* 32 bits, sign-extended: there is no full-width alias */
        counter_set(p, msr - MSR_PMC0, (int64_t)(int32_t)val);
        break;
    case MSR_EVTSEL0 ... MSR_EVTSEL0 + UCORE_CORE_GP - 1:
        if (val >> 32) {
            return UCORE_MSR_FAULT;
        }
        p->evtsel[msr - MSR_EVTSEL0] = val;
        break;
    case MSR_FIXED0 ... MSR_FIXED0 + UCORE_CORE_FIXED - 1:
        if (val & ~VALUE_MASK) {
            return UCORE_MSR_FAULT;
        }
        counter_set(p, UCORE_CORE_GP + msr - MSR_FIXED0, val);
        break;
    case MSR_FIXED_CTRL:
        if (val >> (4 * UCORE_CORE_FIXED)) {
            return UCORE_MSR_FAULT;
        }
        p->fixed_ctrl = val;
        break;
    case MSR_GLOBAL_STATUS:
        return UCORE_MSR_FAULT;
    case MSR_GLOBAL_CTRL:
        if (val & ~GLOBAL_BITS) {
            return UCORE_MSR_FAULT;
        }
        p->global_ctrl = val;
        break;
    case MSR_GLOBAL_OVF:
        p->status &= ~val;
        break;
    }
    pmu_rearm(p);
    return UCORE_MSR_DONE;
}

bool ucore_rdpmc(X86CPU *cpu, uint32_t index, uint64_t *val)
{
    bool fixed = index & BIT(30);
    UcoreCpu *c;

    index &= ~BIT(30);
    if (!ucore || !ucore->config.core_pmu ||
        index >= (fixed ? UCORE_CORE_FIXED : UCORE_CORE_GP)) {
        return false;
    }
    c = &ucore->cpu[CPU(cpu)->cpu_index];
    c->cpu = cpu;
    qemu_mutex_lock_iothread();
    pmu_prepare(c);
    *val = c->pmu.value[fixed ? UCORE_CORE_GP + index : index];
    pmu_rearm(&c->pmu);
    qemu_mutex_unlock_iothread();
    return true;
}

void ucore_cpu_reset(X86CPU *cpu)
{
    int index = CPU(cpu)->cpu_index;
    QEMUTimer *timer;
    UcoreCpu *c;

    if (!ucore || index < 0 || index >= UCORE_MAX_CPUS) {
        return;
    }
    c = &ucore->cpu[index];
    timer = c->pmu.timer;
    memset(&c->pmu, 0, sizeof(c->pmu));
    c->debugctl = 0;
    if (timer) {
        timer_free(timer);
    }
}
