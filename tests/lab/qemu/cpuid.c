/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUID leaves in addition to those of QEMU, and the TSC.
 *
 * The TSC counts virtual time at an exact rate, which CPUID leaf 15H reports,
 * and is marked invariant. The guest therefore needs no calibration, its clock
 * agrees with the counters' to the nanosecond, and a busy host does not make it
 * reject the TSC as unstable.
 */
#include "model.h"

#define TSC_HZ      2600000000ULL
#define CRYSTAL_HZ  1000000000      /* Linux uses it as the rate of the APIC timer */

uint64_t ucore_tsc(uint64_t ticks)
{
    return ucore ? ucore_muldiv(qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL),
                                TSC_HZ, NANOSECONDS_PER_SECOND, NULL)
                 : ticks;
}

void ucore_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *eax, uint32_t *ebx,
                 uint32_t *ecx, uint32_t *edx)
{
    if (!ucore) {
        return;
    }
    switch (leaf) {
    case 0x7:
        /* IA32_TSC_ADJUST (reads 0): Linux trusts an invariant TSC with it */
        *ebx |= subleaf ? 0 : BIT(1);
        break;
    case 0x15:
        *eax = 10;
        *ebx = TSC_HZ / (CRYSTAL_HZ / 10);
        *ecx = CRYSTAL_HZ;
        *edx = 0;
        break;
    case 0x80000007:
        *edx |= BIT(8);
        break;
    }
    ucore_core_cpuid(leaf, subleaf, eax, ebx, ecx, edx);
}
