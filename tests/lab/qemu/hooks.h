/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that QEMU's own files call (hooks.patch).
 *
 * On a machine without the ucore device, every function can be called and does
 * nothing. The MSR functions run in a vCPU thread without the big QEMU lock and
 * take it themselves. The other functions run in the context of QEMU's call.
 */
#ifndef UCORE_HOOKS_H
#define UCORE_HOOKS_H

struct ArchCPU;

typedef enum {
    UCORE_MSR_PASS,             /* let QEMU handle the MSR */
    UCORE_MSR_DONE,
    UCORE_MSR_FAULT,            /* raise #GP */
} UcoreMsrResult;

UcoreMsrResult ucore_rdmsr(struct ArchCPU *cpu, uint32_t msr, uint64_t *val);
UcoreMsrResult ucore_wrmsr(struct ArchCPU *cpu, uint32_t msr, uint64_t val);

/* false: raise #GP */
bool ucore_rdpmc(struct ArchCPU *cpu, uint32_t index, uint64_t *val);

/* may change QEMU's values */
void ucore_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
                 uint32_t *ecx, uint32_t *edx);

/* return the time stamp counter; @ticks: QEMU's value */
uint64_t ucore_tsc(uint64_t ticks);

/* power-on, machine reset and INIT */
void ucore_cpu_reset(struct ArchCPU *cpu);

/* an interrupt command was written; @targets local APICs are addressed */
void ucore_icr_write(struct ArchCPU *cpu, uint8_t mode, uint8_t vector,
                     unsigned targets);

/* called when an interrupt or NMI is delivered, at a system call, at PAUSE */
void ucore_entered(int vector);
void ucore_syscall(void);
void ucore_paused(void);

/* translated code counts instructions; fixed before the first vCPU runs */
extern bool ucore_count_insns;

#endif
