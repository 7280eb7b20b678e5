/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMSR, WRMSR and RDPMC: from a vCPU to a register of its own socket.
 *
 * The helpers of target/i386 call in without the big QEMU lock.  An MSR inside
 * the platform's range that no box has raises #GP, as silicon does.
 */
#include "model.h"
#include "qemu/main-loop.h"

static void free_add(UcoreSocket *s, uint32_t msr, uint64_t rate)
{
    ucore_map_free_msr(s->msrs, s, msr, rate,
                       s->machine->config.platform->iio_free.width);
}

/* README.md, "Rates": the clock and the ports of one IIO stack */
static void stack_free_add(UcoreSocket *s, unsigned stack)
{
    const UcorePlatform *p = s->machine->config.platform;
    uint64_t scale = 1000 + 7 * stack;
    unsigned parts = ucore_stacks_parts(s, stack);
    uint32_t clock = p->iio_free.clocks ? p->iio_free.clocks[stack]
                     : p->iio_free.clock + stack * p->iio_free.clock_stride;
    uint32_t first = p->iio_free.ins ? p->iio_free.ins[stack] - p->iio_free.in
                     : stack * p->iio_free.stack_stride;

    free_add(s, clock, UCORE_FREE_CLOCK / 1000 * scale);
    for (unsigned port = 0; port < p->iio_free.ports; port++) {
        uint32_t at = first + port * p->iio_free.port_stride;
        uint64_t more = UCORE_FREE_PORT * port;
        uint64_t traffic = parts & 1u << port ? scale : 0;

        free_add(s, p->iio_free.in + at,
                 (UCORE_FREE_IN + more) / 1000 * traffic);
        free_add(s, p->iio_free.out + at,
                 (UCORE_FREE_OUT + more) / 1000 * traffic);
        if (p->iio_free.util) {
            at = p->iio_free.util + first + 2 * port;
            free_add(s, at, (UCORE_FREE_UTIL_IN + more) / 1000 * scale);
            free_add(s, at + 1, (UCORE_FREE_UTIL_OUT + more) / 1000 * scale);
        }
    }
}

static void socket_msrs_init(UcoreSocket *s)
{
    static const UcoreReg config[] = {
        { 0, UCORE_REG_GLOBAL_CONFIG }, UCORE_REGS_END
    };
    static const UcoreReg buses[] = {
        { 0, UCORE_REG_CPU_BUSES }, UCORE_REGS_END
    };
    static const UcoreReg table[] = {
        { 0, UCORE_REG_TABLE }, UCORE_REGS_END
    };
    const UcoreConfig *cfg = &s->machine->config;
    const UcorePlatform *p = cfg->platform;
    uint64_t pointer;

    s->msrs = ucore_map_new();
    if (!cfg->uncore) {
        return;
    }
    for (unsigned g = 0; g < cfg->globals; g++) {
        if (s->global[g].access == UCORE_ACCESS_MSR) {
            ucore_map_msrs(s->msrs, s, NULL, s->global[g].regs,
                           s->global[g].base);
        }
    }
    if (cfg->table_msr && ucore_table_pointer(s, &pointer)) {
        ucore_map_msrs(s->msrs, s, NULL, table, cfg->table_msr);
    }
    if (p->msr_global_config) {
        ucore_map_msrs(s->msrs, s, NULL, config, p->msr_global_config);
    }
    if (p->msr_cpu_buses) {
        ucore_map_msrs(s->msrs, s, NULL, buses, p->msr_cpu_buses);
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        UcoreBox *box = s->boxes[b];

        if (box->access == UCORE_ACCESS_MSR) {
            ucore_map_msrs(s->msrs, s, box, box->regs, box->base);
        }
    }
    for (unsigned i = 0; i < ARRAY_SIZE(p->free_running); i++) {
        if (p->free_running[i].msr) {
            ucore_map_free_msr(s->msrs, s, p->free_running[i].msr,
                               p->free_running[i].rate, 0);
        }
    }
    for (unsigned b = 0; b < s->nr_boxes && p->iio_free.ports; b++) {
        if (!strcmp(s->boxes[b]->type->name, "iio")) {
            stack_free_add(s, s->boxes[b]->instance);
        }
    }
}

void ucore_msr_init(UcoreMachine *m)
{
    for (unsigned i = 0; i < m->config.sockets; i++) {
        socket_msrs_init(&m->socket[i]);
    }
}

static UcoreCpu *cpu_of(X86CPU *cpu)
{
    int index = CPU(cpu)->cpu_index;

    if (!ucore || index < 0 || index >= UCORE_MAX_CPUS) {
        return NULL;
    }
    ucore->cpu[index].cpu = cpu;
    return &ucore->cpu[index];
}

static UcoreSocket *socket_of(const UcoreCpu *c)
{
    unsigned id = MAX(c->cpu->socket_id, 0);

    return id < ucore->config.sockets ? &ucore->socket[id] : NULL;
}

static bool owns_msr(uint32_t addr)
{
    const UcorePlatform *p = ucore->config.platform;

    for (unsigned i = 0; i < ARRAY_SIZE(p->free_running); i++) {
        if (addr && p->free_running[i].msr == addr && ucore->config.uncore) {
            return true;
        }
    }
    for (unsigned i = 0; i < ARRAY_SIZE(p->msrs); i++) {
        if (p->msrs[i].last && addr >= p->msrs[i].first &&
            addr <= p->msrs[i].last) {
            return true;
        }
    }
    if (addr && ucore->config.uncore &&
        (addr == p->msr_cpu_buses || addr == ucore->config.table_msr)) {
        return true;
    }
    return p->discovery && ucore_msr_is_extra(addr);
}

/*
 * Return true for MSRs of the uncore that belong to the core from version 4 of
 * its performance monitoring on.
 */
static bool is_before_core(uint32_t addr)
{
    const UcorePlatform *p = ucore->config.platform;

    return p->run_en && ucore->config.core.version < 4 &&
           addr >= p->msr_global_ctl && addr <= p->msr_status_clear;
}

static UcoreMsrResult uncore_rdmsr(UcoreSocket *s, uint32_t addr, uint64_t *val)
{
    const UcoreTarget *t = ucore_map_find(s->msrs, addr);
    int64_t now = ucore_sync(ucore);

    if (ucore->config.ignored) {
        *val = 0;
        return UCORE_MSR_DONE;
    }
    if (!t || (t->box && t->box->faults)) {
        s->accesses.msr_fault++;
        return UCORE_MSR_FAULT;
    }
    ucore_target_accesses(t)->rdmsr++;
    *val = ucore_target_read(t, now);
    return UCORE_MSR_DONE;
}

static UcoreMsrResult uncore_wrmsr(UcoreSocket *s, uint32_t addr, uint64_t val)
{
    const UcoreTarget *t = ucore_map_find(s->msrs, addr);
    int64_t now = ucore_sync(ucore);

    if (ucore->config.ignored) {
        return UCORE_MSR_DONE;
    }
    if (!t || t->reg->kind == UCORE_REG_FREE ||
        (t->box && (t->box->faults ||
                    ucore_box_refuses(t->box, t->reg, val)))) {
        s->accesses.msr_fault++;
        return UCORE_MSR_FAULT;
    }
    ucore_target_accesses(t)->wrmsr++;
    ucore_target_write(t, val, UINT64_MAX, now);
    return UCORE_MSR_DONE;
}

UcoreMsrResult ucore_rdmsr(X86CPU *cpu, uint32_t addr, uint64_t *val)
{
    UcoreCpu *c = cpu_of(cpu);
    UcoreMsrResult result = UCORE_MSR_PASS;
    UcoreSocket *s;

    if (!c) {
        return UCORE_MSR_PASS;
    }
    c->rdmsr++;
    if (ucore_core_owns_msr(addr) && !is_before_core(addr)) {
        qemu_mutex_lock_iothread();
        result = ucore_core_rdmsr(c, addr, val);
        ucore_pay(UCORE_COST_RDMSR, 1);
        qemu_mutex_unlock_iothread();
    } else if (owns_msr(addr)) {
        s = socket_of(c);
        qemu_mutex_lock_iothread();
        result = s ? uncore_rdmsr(s, addr, val) : UCORE_MSR_FAULT;
        ucore_pay(UCORE_COST_RDMSR, 1);
        qemu_mutex_unlock_iothread();
    } else if (addr < UCORE_FOREIGN_MSRS) {
        qatomic_inc(&ucore->foreign[addr].reads);
    }
    return result;
}

UcoreMsrResult ucore_wrmsr(X86CPU *cpu, uint32_t addr, uint64_t val)
{
    UcoreCpu *c = cpu_of(cpu);
    UcoreMsrResult result = UCORE_MSR_PASS;
    UcoreSocket *s;

    if (!c) {
        return UCORE_MSR_PASS;
    }
    c->wrmsr++;
    if (ucore_core_owns_msr(addr) && !is_before_core(addr)) {
        qemu_mutex_lock_iothread();
        result = ucore_core_wrmsr(c, addr, val);
        ucore_pay(UCORE_COST_WRMSR, 1);
        qemu_mutex_unlock_iothread();
    } else if (owns_msr(addr)) {
        s = socket_of(c);
        qemu_mutex_lock_iothread();
        result = s ? uncore_wrmsr(s, addr, val) : UCORE_MSR_FAULT;
        ucore_pay(UCORE_COST_WRMSR, 1);
        qemu_mutex_unlock_iothread();
    } else if (addr < UCORE_FOREIGN_MSRS) {
        qatomic_inc(&ucore->foreign[addr].writes);
    }
    return result;
}
