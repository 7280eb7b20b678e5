/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMSR, WRMSR and RDPMC: from a vCPU to a register of its own socket.
 *
 * The helpers of target/i386 call in without the big QEMU lock.  An MSR inside
 * the platform's range that no box has raises #GP, as silicon does.
 */
#include "model.h"
#include "qemu/main-loop.h"

#define NOT_GLOBAL  UINT8_MAX

typedef struct UcoreMsr {
    UcoreBox *box;              /* NULL: a global register */
    UcoreReg reg;
    uint8_t global;
} UcoreMsr;

static void msr_add(UcoreSocket *s, uint32_t addr, UcoreBox *box,
                    const UcoreReg *reg, uint8_t global)
{
    UcoreMsr *msr = g_new0(UcoreMsr, 1);

    msr->box = box;
    msr->global = global;
    if (reg) {
        msr->reg = *reg;
    }
    g_hash_table_insert(s->msrs, GUINT_TO_POINTER(addr), msr);
}

static void socket_msrs_init(UcoreSocket *s)
{
    const UcoreConfig *cfg = &s->machine->config;
    const UcorePlatform *p = cfg->platform;

    s->msrs = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    if (!cfg->uncore) {
        return;
    }
    msr_add(s, p->msr_global_ctl, NULL, NULL, UCORE_GLOBAL_CTL);
    msr_add(s, p->msr_global_status, NULL, NULL, UCORE_GLOBAL_STATUS);
    msr_add(s, p->msr_global_config, NULL, NULL, UCORE_GLOBAL_CONFIG);
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        UcoreBox *box = s->boxes[b];

        for (const UcoreReg *r = box->type->regs;
             box->msr && r->offset != UINT16_MAX; r++) {
            msr_add(s, box->msr + r->offset, box, r, NOT_GLOBAL);
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

static bool free_running_rate(uint32_t addr, uint64_t *rate)
{
    const UcorePlatform *p = ucore->config.platform;

    for (unsigned i = 0; i < ARRAY_SIZE(p->free_running); i++) {
        if (addr && p->free_running[i].msr == addr && ucore->config.uncore) {
            *rate = p->free_running[i].rate;
            return true;
        }
    }
    return false;
}

static bool owns_msr(uint32_t addr)
{
    const UcorePlatform *p = ucore->config.platform;
    uint64_t rate;

    return (addr >= p->msr_first && addr <= p->msr_last) ||
           free_running_rate(addr, &rate);
}

static UcoreMsrResult uncore_rdmsr(UcoreSocket *s, uint32_t addr, uint64_t *val)
{
    const UcoreMsr *msr = g_hash_table_lookup(s->msrs, GUINT_TO_POINTER(addr));
    int64_t now = ucore_sync(ucore);
    uint64_t rate;

    if (free_running_rate(addr, &rate)) {
        s->accesses.rdmsr++;
        *val = ucore_free_running(s, rate, now);
        return UCORE_MSR_DONE;
    }
    if (!msr) {
        s->accesses.msr_fault++;
        return UCORE_MSR_FAULT;
    }
    if (!msr->box) {
        s->accesses.rdmsr++;
        *val = ucore_global_read(s, msr->global);
        return UCORE_MSR_DONE;
    }
    msr->box->accesses.rdmsr++;
    *val = msr->box->dead ? UINT64_MAX : ucore_box_read(msr->box, &msr->reg, now);
    return UCORE_MSR_DONE;
}

static UcoreMsrResult uncore_wrmsr(UcoreSocket *s, uint32_t addr, uint64_t val)
{
    const UcoreMsr *msr = g_hash_table_lookup(s->msrs, GUINT_TO_POINTER(addr));
    int64_t now = ucore_sync(ucore);

    if (!msr) {
        s->accesses.msr_fault++;
        return UCORE_MSR_FAULT;
    }
    if (!msr->box) {
        s->accesses.wrmsr++;
        ucore_global_write(s, msr->global, val, now);
    } else {
        msr->box->accesses.wrmsr++;
        if (!msr->box->dead) {
            ucore_box_write(msr->box, &msr->reg, val, UINT64_MAX, now);
        }
    }
    ucore_socket_rearm(s);
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
    if (ucore_core_owns_msr(addr)) {
        qemu_mutex_lock_iothread();
        result = ucore_core_rdmsr(c, addr, val);
        qemu_mutex_unlock_iothread();
    } else if (owns_msr(addr)) {
        s = socket_of(c);
        qemu_mutex_lock_iothread();
        result = s ? uncore_rdmsr(s, addr, val) : UCORE_MSR_FAULT;
        qemu_mutex_unlock_iothread();
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
    if (ucore_core_owns_msr(addr)) {
        qemu_mutex_lock_iothread();
        result = ucore_core_wrmsr(c, addr, val);
        qemu_mutex_unlock_iothread();
    } else if (owns_msr(addr)) {
        s = socket_of(c);
        qemu_mutex_lock_iothread();
        result = s ? uncore_wrmsr(s, addr, val) : UCORE_MSR_FAULT;
        qemu_mutex_unlock_iothread();
    }
    return result;
}
