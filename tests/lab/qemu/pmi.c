/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The UBox's PMI message: pmi_core_sel -> physical cores -> all their threads
 * -> IA32_DEBUGCTL[13] -> LVTPC.
 */
#include "model.h"
#include "hw/i386/apic.h"

void ucore_pmi_send(UcoreCpu *c, bool wake, int64_t now, uint64_t seq)
{
    const UcoreConfig *cfg = &ucore->config;
    const char *result;

    c->pmi_sent++;
    if (cfg->debugctl_gate && !(c->debugctl & UCORE_DEBUGCTL_PMI)) {
        c->pmi_debugctl++;
        result = "debugctl";
    } else if (cfg->hlt_sleeps && !wake && CPU(c->cpu)->halted) {
        c->pmi_asleep++;
        result = "asleep";
    } else if (!apic_deliver_perf(c->cpu->apic_state)) {
        c->pmi_masked++;
        result = "masked";
    } else {
        c->pmi_delivered++;
        result = "delivered";
        ucore_core_uncore_pmi(c);
    }
    ucore_log_pmi(c, now, seq, result);
}

static void message_arrives(UcoreSocket *s, uint64_t ctl, uint64_t seq,
                            int64_t now)
{
    const UcoreConfig *cfg = &s->machine->config;
    uint64_t sel = (ctl & cfg->core_sel) >> ctz64(cfg->core_sel);
    CPUState *cs;

    CPU_FOREACH(cs) {
        X86CPU *cpu = X86_CPU(cs);
        UcoreCpu *c = &s->machine->cpu[cs->cpu_index];

        for (unsigned bit = 0; bit < UCORE_MAX_CORE_SEL; bit++) {
            if ((sel & BIT_ULL(bit)) && cpu->socket_id == s->id &&
                cpu->core_id == cfg->core_map[bit]) {
                c->cpu = cpu;
                ucore_pmi_send(c, ctl & cfg->wk_on_pmi, now, seq);
            }
        }
    }
}

/* A PMI message that a fault delays. */
typedef struct LateMessage {
    UcoreSocket *socket;
    uint64_t ctl, seq;
    unsigned epoch;
    QEMUTimer timer;
} LateMessage;

static void late_message_arrives(void *opaque)
{
    LateMessage *m = opaque;
    int64_t now = ucore_sync(m->socket->machine);

    if (m->epoch == m->socket->pmi_epoch) {
        message_arrives(m->socket, m->ctl, m->seq, now);
    }
    timer_del(&m->timer);
    g_free(m);
}

static void message_send(UcoreSocket *s, uint64_t ctl, int64_t delay,
                         int64_t now)
{
    LateMessage *m;

    if (!delay) {
        message_arrives(s, ctl, s->seq, now);
        return;
    }
    m = g_new0(LateMessage, 1);
    m->socket = s;
    m->ctl = ctl;
    m->seq = s->seq;
    m->epoch = s->pmi_epoch;
    timer_init_ns(&m->timer, QEMU_CLOCK_VIRTUAL, late_message_arrives, m);
    timer_mod_ns(&m->timer, now + delay);
}

void ucore_pmi_broadcast(UcoreSocket *s, unsigned global, int64_t now)
{
    uint64_t ctl = s->global[global].ctl;

    if (!(ctl & s->machine->config.core_sel)) {
        return;
    }
    s->pmis++;
    if (s->lose_pmis) {
        s->lose_pmis--;
        ucore_log_pmi_lost(s, now);
        return;
    }
    message_send(s, ctl, s->delay_pmis, now);
    if (s->double_pmis) {
        s->double_pmis--;
        message_send(s, ctl, s->delay_pmis + s->double_after, now);
    }
}

void ucore_icr_write(X86CPU *cpu, uint8_t mode, uint8_t vector,
                     unsigned targets)
{
    enum { FIXED = 0, LOWEST = 1, NMI = 4 };
    UcoreCpu *c;

    if (!ucore || (mode != FIXED && mode != LOWEST && mode != NMI)) {
        return;
    }
    c = &ucore->cpu[CPU(cpu)->cpu_index];
    c->ipis++;
    c->ipi_targets += targets;
    c->ipi_vector[mode == NMI ? 2 : vector]++;
    ucore_pay(UCORE_COST_IPI, targets);
}
