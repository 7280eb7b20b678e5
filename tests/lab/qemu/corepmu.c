/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's architectural performance monitoring, as configured by
 * corecpuid.c, and IA32_DEBUGCTL. The users are the driver's core boxes, and
 * perf with its NMI watchdog. The core PMU shares LVTPC with the uncore.
 *
 * Counters run on virtual time whether the CPU is halted or not, at the rates
 * of README.md ("The core PMU").
 */
#include "model.h"
#include "qemu/main-loop.h"
#include "hw/i386/apic.h"

#define MSR_PMC0            0x0c1
#define MSR_EVTSEL0         0x186
#define MSR_DEBUGCTL        0x1d9
#define MSR_FIXED0          0x309
#define MSR_CAPABILITIES    0x345
#define MSR_FIXED_CTRL      0x38d
#define MSR_GLOBAL_STATUS   0x38e
#define MSR_GLOBAL_CTRL     0x38f
#define MSR_GLOBAL_OVF      0x390   /* version 4: GLOBAL_STATUS_RESET */
#define MSR_STATUS_SET      0x391
#define MSR_GLOBAL_INUSE    0x392
#define MSR_A_PMC0          0x4c1

#define EVTSEL_USR          BIT_ULL(16)
#define EVTSEL_OS           BIT_ULL(17)
#define EVTSEL_EDGE         BIT_ULL(18)
#define EVTSEL_INT          BIT_ULL(20)
#define EVTSEL_ANY          BIT_ULL(21)
#define EVTSEL_EN           BIT_ULL(22)
#define EVTSEL_INV          BIT_ULL(23)
#define EVTSEL_CMASK        24
#define EVTSEL_BITS         0xffffffff

#define FIXED_OS            1
#define FIXED_USR           2
#define FIXED_ANY           4
#define FIXED_PMI           8

#define STATUS_TOPA         BIT_ULL(55)
#define STATUS_LBR_FRZ      BIT_ULL(58)
#define STATUS_CTR_FRZ      BIT_ULL(59)
#define STATUS_ASCI         BIT_ULL(60)
#define STATUS_UNCORE       BIT_ULL(61)
#define STATUS_BUFFER       BIT_ULL(62)
#define STATUS_CHANGED      BIT_ULL(63)
#define INUSE_PMI           BIT_ULL(63)
#define GLOBAL_METRICS      BIT_ULL(48)     /* of GLOBAL_CTRL: PERF_METRICS */

#define DEBUGCTL_BITS       0xffc3      /* 0, 1, 6 to 15 */
#define DEBUGCTL_FREEZE_LBR BIT_ULL(11)
#define DEBUGCTL_FREEZE     BIT_ULL(12)

#define CYCLES              2600000000ULL
#define PULSE_CYCLES        4

/* Return the configuration of the CPU that has the PMU @p. */
static const UcoreCoreConfig *config(const UcoreCorePmu *p)
{
    return ucore_core_config(container_of(p, UcoreCpu, pmu) - ucore->cpu);
}

/* ------------------------------------------------------------- counters */

bool ucore_core_has(const UcoreCorePmu *p, unsigned i)
{
    return i < UCORE_CORE_MAX_GP ? i < config(p)->gp
                                 : i - UCORE_CORE_MAX_GP < config(p)->fixed;
}

static uint64_t value_mask(const UcoreCorePmu *p, unsigned i)
{
    return MAKE_64BIT_MASK(0, i < UCORE_CORE_MAX_GP ? config(p)->width
                                                    : config(p)->fixed_width);
}

/* Return the bit of a counter in the global registers */
static uint64_t global_bit(unsigned i)
{
    return BIT_ULL(i < UCORE_CORE_MAX_GP ? i : 32 + i - UCORE_CORE_MAX_GP);
}

static uint64_t global_bits(const UcoreCorePmu *p)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        bits |= ucore_core_has(p, i) ? global_bit(i) : 0;
    }
    return bits;
}

uint64_t ucore_core_ctl(const UcoreCorePmu *p, unsigned i)
{
    return i < UCORE_CORE_MAX_GP
           ? p->evtsel[i] : extract64(p->fixed_ctrl,
                                      4 * (i - UCORE_CORE_MAX_GP), 4);
}

/* Return true if the control word @ctl enables counter @i. */
static bool ctl_enables(unsigned i, uint64_t ctl)
{
    return i < UCORE_CORE_MAX_GP
           ? (ctl & EVTSEL_EN) && (ctl & (EVTSEL_USR | EVTSEL_OS))
           : ctl & (FIXED_USR | FIXED_OS);
}

static bool counter_interrupts(const UcoreCorePmu *p, unsigned i)
{
    return ucore_core_ctl(p, i) &
           (i < UCORE_CORE_MAX_GP ? EVTSEL_INT : FIXED_PMI);
}

/* the AND of its two enables, of which version 1 has one */
static bool counter_counts(const UcoreCorePmu *p, unsigned i)
{
    if (!ucore_core_has(p, i) || !ctl_enables(i, ucore_core_ctl(p, i))) {
        return false;
    }
    return config(p)->version < 2 ||
           ((p->global_ctrl & global_bit(i)) && !(p->status & STATUS_CTR_FRZ));
}

static bool pmu_counts(const UcoreCorePmu *p)
{
    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        if (counter_counts(p, i)) {
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- rates */

static uint64_t event_rate(unsigned event, unsigned umask)
{
    switch (event << 8 | umask) {
    case 0x3c00:
    case 0x3c01:
        return CYCLES;
    case 0xc000:
        return CYCLES / 2;
    default:
        return 1000000 + 500 * ((event * 256ULL + umask) * 40503 % 131071);
    }
}

static bool event_missing(const UcoreCorePmu *p, unsigned event,
                          unsigned umask)
{
    static const uint16_t predefined[] = {
        0x3c00, 0xc000, 0x3c01, 0x2e4f, 0x2e41, 0xc400, 0xc500,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(predefined); i++) {
        if (predefined[i] == (event << 8 | umask)) {
            return config(p)->unavailable & BIT(i);
        }
    }
    return false;
}

/* three fifths of everything happens in user mode */
static uint64_t in_rings(uint64_t rate, bool usr, bool os)
{
    return usr && os ? rate : usr ? rate * 3 / 5 : rate - rate * 3 / 5;
}

static uint64_t general_rate(const UcoreCorePmu *p, uint64_t ctl)
{
    unsigned event = extract64(ctl, 0, 8), umask = extract64(ctl, 8, 8);
    unsigned cmask = extract64(ctl, EVTSEL_CMASK, 8);
    uint64_t depth = event == 0xc0 ? 4 : 1, rate;
    bool usr = ctl & EVTSEL_USR, os = ctl & EVTSEL_OS;

    rate = event_missing(p, event, umask) ? 0 : event_rate(event, umask);
    rate = in_rings(rate, usr, os);
    if ((ctl & EVTSEL_ANY) && event != 0x3c) {
        rate *= ucore->config.threads;
    }
    if ((ctl & EVTSEL_EDGE) && !cmask) {
        cmask = 1;
    }
    if (cmask) {
        rate = cmask > depth ? 0 : rate * 2 / (depth + 1) *
                                   (depth - cmask + 1) / depth;
        if (ctl & EVTSEL_INV) {
            uint64_t cycles = in_rings(CYCLES, usr, os);

            rate = cycles - MIN(rate, cycles);
        }
    }
    return ctl & EVTSEL_EDGE ? rate / PULSE_CYCLES : rate;
}

static uint64_t fixed_rate(unsigned i, uint64_t ctl)
{
    static const uint64_t fixed[] = { CYCLES / 2, CYCLES, CYCLES, 4 * CYCLES };
    uint64_t rate = in_rings(fixed[i], ctl & FIXED_USR, ctl & FIXED_OS);

    return (ctl & FIXED_ANY) && i == 0 ? rate * ucore->config.threads : rate;
}

uint64_t ucore_core_rate(const UcoreCorePmu *p, unsigned i)
{
    uint64_t ctl = ucore_core_ctl(p, i);

    if (!counter_counts(p, i)) {
        return 0;
    }
    return i < UCORE_CORE_MAX_GP ? general_rate(p, ctl)
                                 : fixed_rate(i - UCORE_CORE_MAX_GP, ctl);
}

/* ----------------------------------------------------------------- time */

static int64_t counter_deadline(const UcoreCorePmu *p, unsigned i)
{
    uint64_t rate = ucore_core_rate(p, i);
    unsigned __int128 need, dt;

    if (!rate || !counter_interrupts(p, i)) {
        return UCORE_NEVER;
    }
    need = (unsigned __int128)(value_mask(p, i) + 1 - p->value[i]) *
           NANOSECONDS_PER_SECOND - p->frac[i];
    dt = (need + rate - 1) / rate;
    return dt < UCORE_NEVER - p->synced ? p->synced + (int64_t)dt
                                        : UCORE_NEVER;
}

static void pmu_rearm(UcoreCorePmu *p)
{
    int64_t first = UCORE_NEVER;

    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        first = MIN(first, counter_deadline(p, i));
    }
    if (first == UCORE_NEVER) {
        timer_del(p->timer);
    } else {
        timer_mod_ns(p->timer, first);
    }
}

/* Return true if the counter has overflowed. */
static bool counter_advance(UcoreCorePmu *p, unsigned i, uint64_t dt)
{
    uint64_t inc, rest;
    bool carry;

    inc = ucore_muldiv(ucore_core_rate(p, i), dt, NANOSECONDS_PER_SECOND,
                       &rest);
    p->frac[i] += rest;
    inc += p->frac[i] / NANOSECONDS_PER_SECOND;
    p->frac[i] %= NANOSECONDS_PER_SECOND;
    carry = inc > value_mask(p, i) - p->value[i];
    p->value[i] = (p->value[i] + inc) & value_mask(p, i);
    p->total[i] += inc;
    return carry;
}

/* returns the counters that carried and are to interrupt, one bit each */
static uint32_t pmu_advance(UcoreCorePmu *p, int64_t now)
{
    uint64_t dt = now - p->synced, carried = 0;
    uint32_t interrupt = 0;

    p->synced = now;
    for (unsigned i = 0; i < UCORE_CORE_CTRS && dt; i++) {
        if (counter_counts(p, i) && counter_advance(p, i, dt)) {
            carried |= global_bit(i);
            interrupt |= counter_interrupts(p, i) ? BIT(i) : 0;
        }
    }
    p->status |= carried;
    return interrupt;
}

/* ------------------------------------------------------------------ PMI */

/* Apply the effects of a PMI to the counters of the CPU that receives it. */
static void pmi_freeze(UcoreCpu *c, int64_t now)
{
    UcoreCorePmu *p = &c->pmu;
    bool counted = pmu_counts(p);

    if (config(p)->version >= 4) {
        p->status |= c->debugctl & DEBUGCTL_FREEZE ? STATUS_CTR_FRZ : 0;
        p->status |= c->debugctl & DEBUGCTL_FREEZE_LBR ? STATUS_LBR_FRZ : 0;
    } else if (c->debugctl & DEBUGCTL_FREEZE) {
        p->global_ctrl = 0;
    }
    if (counted && !pmu_counts(p)) {
        ucore_log_core(c, now, "core-freeze", "pmi");
    }
}

static void pmi_send(UcoreCpu *c, int64_t now, uint32_t cause)
{
    const char *result = "masked";

    if (c->lose_core_pmis) {
        c->lose_core_pmis--;
        result = "lost";
    } else if (apic_deliver_perf(c->cpu->apic_state)) {
        c->core_pmi++;
        result = "delivered";
    } else {
        c->core_pmi_masked++;
    }
    ucore_log_core_pmi(c, now, cause, result);
    if (!strcmp(result, "delivered")) {
        pmi_freeze(c, now);
    }
}

static int64_t pmu_sync(UcoreCpu *c)
{
    int64_t now = ucore_now();
    uint32_t cause = pmu_advance(&c->pmu, now);

    if (cause) {
        pmi_send(c, now, cause);
    }
    return now;
}

static void pmu_timer(void *opaque)
{
    UcoreCpu *c = opaque;

    pmu_sync(c);
    pmu_rearm(&c->pmu);
}

static int64_t pmu_prepare(UcoreCpu *c)
{
    if (!c->pmu.timer) {
        c->pmu.timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, pmu_timer, c);
        c->pmu.synced = ucore_now();
        c->pmu.global_ctrl = MAKE_64BIT_MASK(0, config(&c->pmu)->gp);
    }
    return pmu_sync(c);
}

void ucore_core_sync(UcoreCpu *c)
{
    if (ucore->config.core_pmu) {
        pmu_prepare(c);
        pmu_rearm(&c->pmu);
    }
}

void ucore_core_uncore_pmi(UcoreCpu *c)
{
    const UcoreCoreConfig *core = config(&c->pmu);
    int64_t now;

    if (!ucore->config.core_pmu || core->version < 2 ||
        !(core->uncore_bit ||
          c->debugctl & (DEBUGCTL_FREEZE | DEBUGCTL_FREEZE_LBR))) {
        return;
    }
    now = pmu_prepare(c);
    c->pmu.status |= core->uncore_bit ? STATUS_UNCORE : 0;
    pmi_freeze(c, now);
    pmu_rearm(&c->pmu);
}

/* ------------------------------------------------------------ registers */

/* Bits that GLOBAL_OVF_CTRL takes. */
static uint64_t status_bits(const UcoreCorePmu *p)
{
    uint64_t bits = global_bits(p) | STATUS_BUFFER | STATUS_CHANGED;

    if (config(p)->version >= 3) {
        bits |= STATUS_UNCORE;
    }
    if (config(p)->version >= 4) {
        bits |= STATUS_TOPA | STATUS_LBR_FRZ | STATUS_CTR_FRZ | STATUS_ASCI;
    }
    return bits;
}

static uint64_t fixed_ctrl_bits(const UcoreCorePmu *p)
{
    uint64_t field = FIXED_OS | FIXED_USR | FIXED_PMI, bits = 0;

    field |= config(p)->any ? FIXED_ANY : 0;
    for (unsigned i = 0; i < config(p)->fixed; i++) {
        bits |= field << (4 * i);
    }
    return bits;
}

static bool within(uint32_t msr, uint32_t first, unsigned nr)
{
    return msr >= first && msr - first < nr;
}

/*
 * Return true for MSRs of the architectural PMU. Those that the configured
 * processor does not have raise #GP.
 */
bool ucore_core_owns_msr(uint32_t msr)
{
    return msr == MSR_DEBUGCTL ||
           (ucore->config.core_pmu &&
            (within(msr, MSR_PMC0, UCORE_CORE_MAX_GP) ||
             within(msr, MSR_A_PMC0, UCORE_CORE_MAX_GP) ||
             within(msr, MSR_EVTSEL0, UCORE_CORE_MAX_GP) ||
             within(msr, MSR_FIXED0, UCORE_CORE_MAX_FIXED) ||
             msr == MSR_CAPABILITIES ||
             (msr >= MSR_FIXED_CTRL && msr <= MSR_GLOBAL_INUSE)));
}

static bool msr_exists(const UcoreCorePmu *p, uint32_t msr)
{
    const UcoreCoreConfig *cfg = config(p);

    switch (msr) {
    case MSR_DEBUGCTL:
        return true;
    case MSR_CAPABILITIES:
        return ucore_core_capabilities();
    case MSR_FIXED_CTRL ... MSR_GLOBAL_OVF:
        return cfg->version >= 2;
    case MSR_STATUS_SET:
    case MSR_GLOBAL_INUSE:
        return cfg->version >= 4;
    }
    return within(msr, MSR_PMC0, cfg->gp) ||
           within(msr, MSR_EVTSEL0, cfg->gp) ||
           within(msr, MSR_FIXED0, cfg->fixed) ||
           (cfg->full_width && within(msr, MSR_A_PMC0, cfg->gp));
}

/* The counter behind an address, -1: it is another register. */
static int counter_at(uint32_t msr)
{
    if (within(msr, MSR_PMC0, UCORE_CORE_MAX_GP)) {
        return msr - MSR_PMC0;
    }
    if (within(msr, MSR_A_PMC0, UCORE_CORE_MAX_GP)) {
        return msr - MSR_A_PMC0;
    }
    if (within(msr, MSR_FIXED0, UCORE_CORE_MAX_FIXED)) {
        return UCORE_CORE_MAX_GP + msr - MSR_FIXED0;
    }
    return -1;
}

/* Return GLOBAL_INUSE: counters with an event, and whether one can interrupt. */
static uint64_t inuse(const UcoreCorePmu *p)
{
    uint64_t bits = 0;

    for (unsigned i = 0; i < UCORE_CORE_CTRS; i++) {
        uint64_t ctl = ucore_core_ctl(p, i);

        if (i < UCORE_CORE_MAX_GP ? ctl & 0xff : ctl) {
            bits |= global_bit(i);
        }
        bits |= counter_interrupts(p, i) ? INUSE_PMI : 0;
    }
    return bits;
}

static uint64_t msr_value(const UcoreCpu *c, uint32_t msr)
{
    const UcoreCorePmu *p = &c->pmu;
    int i = counter_at(msr);

    if (i >= 0) {
        return p->value[i];
    }
    switch (msr) {
    case MSR_DEBUGCTL:
        return c->debugctl;
    case MSR_CAPABILITIES:
        return config(p)->full_width ? UCORE_CORE_CAP_FULL_WIDTH : 0;
    case MSR_FIXED_CTRL:
        return p->fixed_ctrl;
    case MSR_GLOBAL_STATUS:
        return p->status;
    case MSR_GLOBAL_CTRL:
        return p->global_ctrl;
    case MSR_GLOBAL_INUSE:
        return inuse(p);
    case MSR_GLOBAL_OVF:
    case MSR_STATUS_SET:
        return 0;
    }
    return p->evtsel[msr - MSR_EVTSEL0];
}

UcoreMsrResult ucore_core_rdmsr(UcoreCpu *c, uint32_t msr, uint64_t *val)
{
    if (!msr_exists(&c->pmu, msr)) {
        return UCORE_MSR_FAULT;
    }
    pmu_prepare(c);
    c->core_rdmsr += msr != MSR_DEBUGCTL;
    *val = msr_value(c, msr);
    pmu_rearm(&c->pmu);
    return UCORE_MSR_DONE;
}

/* Bits that a write may set; others fault. */
static uint64_t legal_bits(const UcoreCorePmu *p, uint32_t msr)
{
    int i = counter_at(msr);

    if (within(msr, MSR_PMC0, UCORE_CORE_MAX_GP)) {
        return UINT64_MAX;          /* bits above 32 are ignored */
    }
    if (i >= 0) {
        return value_mask(p, i);
    }
    switch (msr) {
    case MSR_DEBUGCTL:
        return DEBUGCTL_BITS;
    case MSR_FIXED_CTRL:
        return fixed_ctrl_bits(p);
    case MSR_GLOBAL_CTRL:
        return global_bits(p) | (config(p)->metrics ? GLOBAL_METRICS : 0);
    case MSR_GLOBAL_OVF:
        return status_bits(p);
    case MSR_STATUS_SET:
        return status_bits(p) & ~STATUS_CHANGED;
    case MSR_CAPABILITIES:
    case MSR_GLOBAL_STATUS:
    case MSR_GLOBAL_INUSE:
        return 0;                   /* nothing at all may be written */
    }
    return config(p)->any ? EVTSEL_BITS : EVTSEL_BITS & ~EVTSEL_ANY;
}

static bool read_only(uint32_t msr)
{
    return msr == MSR_CAPABILITIES || msr == MSR_GLOBAL_STATUS ||
           msr == MSR_GLOBAL_INUSE;
}

/*
 * Strict mode: report a change of counter @i while it counts or while its
 * overflow bit is set
 */
static void check_counter(const UcoreCorePmu *p, unsigned i, uint32_t msr,
                          uint64_t val)
{
    if (counter_counts(p, i)) {
        ucore_violation(ucore, "core-running", "MSR %xh written %" PRIx64
                        "h while its counter counts", msr, val);
    }
    if (config(p)->version >= 2 && (p->status & global_bit(i))) {
        ucore_violation(ucore, "core-status", "MSR %xh written %" PRIx64
                        "h while its counter's overflow is set", msr, val);
    }
}

/* a control may start and stop any time */
static void check_control(const UcoreCorePmu *p, unsigned i, uint32_t msr,
                          uint64_t old, uint64_t val)
{
    uint64_t what = i < UCORE_CORE_MAX_GP ? EVTSEL_BITS & ~EVTSEL_EN : 0xf;

    if (((old ^ val) & what) && ctl_enables(i, val)) {
        check_counter(p, i, msr, val);
    }
}

static void check_write(const UcoreCorePmu *p, uint32_t msr, uint64_t val)
{
    int i = counter_at(msr);

    if (!ucore->record_cores) {
        return;                     /* writes by perf are not checked */
    }
    if (msr == MSR_FIXED_CTRL) {
        for (unsigned f = 0; f < config(p)->fixed; f++) {
            check_control(p, UCORE_CORE_MAX_GP + f, msr,
                          extract64(p->fixed_ctrl, 4 * f, 4),
                          extract64(val, 4 * f, 4));
        }
    } else if (i >= 0) {
        check_counter(p, i, msr, val);
    } else if (within(msr, MSR_EVTSEL0, config(p)->gp)) {
        i = msr - MSR_EVTSEL0;
        check_control(p, i, msr, p->evtsel[i], val);
    }
}

static void counter_write(UcoreCorePmu *p, unsigned i, uint32_t msr,
                          uint64_t val)
{
    if (within(msr, MSR_PMC0, UCORE_CORE_MAX_GP)) {
        val = (int64_t)(int32_t)val;
    }
    p->value[i] = val & value_mask(p, i);
    p->frac[i] = 0;
    /* no guest can read the status of version 1; the log shows the last carry */
    if (config(p)->version < 2) {
        p->status &= ~global_bit(i);
    }
}

static void msr_store(UcoreCpu *c, uint32_t msr, uint64_t val)
{
    UcoreCorePmu *p = &c->pmu;
    int i = counter_at(msr);

    if (i >= 0) {
        counter_write(p, i, msr, val);
        return;
    }
    switch (msr) {
    case MSR_DEBUGCTL:
        c->debugctl = val;
        break;
    case MSR_FIXED_CTRL:
        p->fixed_ctrl = val;
        break;
    case MSR_GLOBAL_CTRL:
        p->global_ctrl = val;
        break;
    case MSR_GLOBAL_OVF:
        p->status &= ~val;
        break;
    case MSR_STATUS_SET:
        p->status |= val;
        break;
    default:
        p->evtsel[msr - MSR_EVTSEL0] = val;
        break;
    }
}

static bool write_faults(const UcoreCorePmu *p, uint32_t msr, uint64_t val)
{
    if (!msr_exists(p, msr)) {
        return true;
    }
    if (!read_only(msr) && !(val & ~legal_bits(p, msr))) {
        return false;
    }
    if (ucore->record_cores && msr != MSR_DEBUGCTL) {
        ucore_violation(ucore, "core-reserved", "MSR %xh written %" PRIx64 "h",
                        msr, val);
    }
    return true;
}

UcoreMsrResult ucore_core_wrmsr(UcoreCpu *c, uint32_t msr, uint64_t val)
{
    UcoreCorePmu *p = &c->pmu;
    bool counted;
    int64_t now;

    now = pmu_prepare(c);
    if (write_faults(p, msr, val)) {
        pmu_rearm(p);
        return UCORE_MSR_FAULT;
    }
    c->core_wrmsr += msr != MSR_DEBUGCTL;
    check_write(p, msr, val);
    counted = pmu_counts(p);
    msr_store(c, msr, val);
    if (counted != pmu_counts(p)) {
        ucore_log_core(c, now, counted ? "core-freeze" : "core-unfreeze",
                       "write");
    }
    pmu_rearm(p);
    return UCORE_MSR_DONE;
}

bool ucore_core_raise(UcoreCpu *c, uint64_t bits)
{
    if (!ucore->config.core_pmu || config(&c->pmu)->version < 2) {
        return false;
    }
    pmu_prepare(c);
    c->pmu.status |= bits & status_bits(&c->pmu);
    pmu_rearm(&c->pmu);
    return true;
}

bool ucore_rdpmc(X86CPU *cpu, uint32_t index, uint64_t *val)
{
    bool fixed = index & BIT(30);
    const UcoreCoreConfig *core;
    UcoreCpu *c;

    if (!ucore || !ucore->config.core_pmu) {
        return false;
    }
    index &= ~BIT(30);
    core = ucore_core_config(CPU(cpu)->cpu_index);
    if (index >= (fixed ? core->fixed : core->gp)) {
        return false;
    }
    c = &ucore->cpu[CPU(cpu)->cpu_index];
    c->cpu = cpu;
    qemu_mutex_lock_iothread();
    pmu_prepare(c);
    c->core_rdpmc++;
    *val = c->pmu.value[fixed ? UCORE_CORE_MAX_GP + index : index];
    pmu_rearm(&c->pmu);
    ucore_pay(UCORE_COST_RDPMC, 1);
    qemu_mutex_unlock_iothread();
    return true;
}

/* the totals are the truth, which no reset undoes */
void ucore_cpu_reset(X86CPU *cpu)
{
    int index = CPU(cpu)->cpu_index;
    UcoreCorePmu fresh = { };
    UcoreCpu *c;

    if (!ucore || index < 0 || index >= UCORE_MAX_CPUS) {
        return;
    }
    c = &ucore->cpu[index];
    if (c->pmu.timer) {
        pmu_advance(&c->pmu, ucore_now());
        timer_free(c->pmu.timer);
    }
    memcpy(fresh.total, c->pmu.total, sizeof(fresh.total));
    c->pmu = fresh;
    c->debugctl = 0;
}
