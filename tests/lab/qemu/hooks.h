/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What QEMU's own files call (hooks.patch) and nothing more.
 *
 * Every function works, and does nothing, on a machine without the ucore
 * device.  The MSR functions run in a vCPU thread without the big QEMU lock
 * and take it themselves; the others run wherever QEMU calls them.
 */
#ifndef UCORE_HOOKS_H
#define UCORE_HOOKS_H

struct ArchCPU;

typedef enum {
    UCORE_MSR_PASS,             /* not ours: QEMU goes on */
    UCORE_MSR_DONE,
    UCORE_MSR_FAULT,            /* raise #GP */
} UcoreMsrResult;

UcoreMsrResult ucore_rdmsr(struct ArchCPU *cpu, uint32_t msr, uint64_t *val);
UcoreMsrResult ucore_wrmsr(struct ArchCPU *cpu, uint32_t msr, uint64_t val);

/* false: raise #GP */
bool ucore_rdpmc(struct ArchCPU *cpu, uint32_t index, uint64_t *val);

/* may change what QEMU has answered */
void ucore_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
                 uint32_t *ecx, uint32_t *edx);

/* the time stamp counter; @ticks: what QEMU would say */
uint64_t ucore_tsc(uint64_t ticks);

/* power-on, machine reset and INIT */
void ucore_cpu_reset(struct ArchCPU *cpu);

/* an interrupt command was written; @targets local APICs are addressed */
void ucore_icr_write(struct ArchCPU *cpu, uint8_t mode, uint8_t vector,
                     unsigned targets);

/* an interrupt or NMI is delivered; a system call is made; PAUSE */
void ucore_entered(int vector);
void ucore_syscall(void);
void ucore_paused(void);

/* translated code counts instructions; fixed before the first vCPU runs */
extern bool ucore_count_insns;

#endif
