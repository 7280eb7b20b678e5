/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PCI function of a sleeping GPU: -device ucore-sleeper. It has the id and
 * the DVSEC of a discovery table, but its power state is D3, and its memory
 * reads all ones.
 */
#include "model.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "hw/pci/pci.h"
#include "hw/pci/pcie.h"

#define TYPE_UCORE_SLEEPER "ucore-sleeper"
OBJECT_DECLARE_SIMPLE_TYPE(UcoreSleeper, UCORE_SLEEPER)

#define TABLE_DEVICE_ID     0x09a7
#define PCIE_CAP            0x40
#define PM_CAP              0x80
#define DVSEC               0x100
#define BAR_SIZE            0x10000
#define STATE_D3            3

struct UcoreSleeper {
    PCIDevice parent;
    MemoryRegion bar;
};

static uint64_t sleeper_read(void *opaque, hwaddr addr, unsigned size)
{
    ucore_violation(ucore, "asleep", "memory of a function in D3 read at 0x%"
                    PRIx64, (uint64_t)addr);
    return MAKE_64BIT_MASK(0, size * 8);
}

static void sleeper_write(void *opaque, hwaddr addr, uint64_t val,
                          unsigned size)
{
    ucore_violation(ucore, "asleep", "memory of a function in D3 written at 0x%"
                    PRIx64, (uint64_t)addr);
}

static const MemoryRegionOps sleeper_ops = {
    .read = sleeper_read,
    .write = sleeper_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

static void sleeper_realize(PCIDevice *pd, Error **errp)
{
    UcoreSleeper *s = UCORE_SLEEPER(pd);

    pcie_endpoint_cap_init(pd, PCIE_CAP);
    if (pci_add_capability(pd, PCI_CAP_ID_PM, PM_CAP, PCI_PM_SIZEOF, errp) < 0) {
        return;
    }
    /* version 3; the state stays D3 */
    pci_set_word(pd->config + PM_CAP + PCI_PM_PMC, 3);
    pci_set_word(pd->config + PM_CAP + PCI_PM_CTRL, STATE_D3);
    /* length 10h, PMON discovery, one entry of four dwords; table in BAR 0 */
    pci_set_long(pd->config + DVSEC, 1 << 16 | 0x23);
    pci_set_long(pd->config + DVSEC + 4, 0x10 << 20 | 1 << 16 | 0x8086);
    pci_set_long(pd->config + DVSEC + 8, 4 << 24 | 1 << 16 | 1);
    memory_region_init_io(&s->bar, OBJECT(pd), &sleeper_ops, s,
                          "ucore-sleeper", BAR_SIZE);
    pci_register_bar(pd, 0, PCI_BASE_ADDRESS_MEM_TYPE_64, &s->bar);
}

static void sleeper_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

    k->realize = sleeper_realize;
    k->vendor_id = PCI_VENDOR_ID_INTEL;
    k->device_id = TABLE_DEVICE_ID;
    k->class_id = PCI_CLASS_SYSTEM_OTHER;
    DEVICE_CLASS(klass)->hotpluggable = false;
}

static const TypeInfo sleeper_info = {
    .name = TYPE_UCORE_SLEEPER,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(UcoreSleeper),
    .class_init = sleeper_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { }
    },
};

static void sleeper_register(void)
{
    type_register_static(&sleeper_info);
}

type_init(sleeper_register)
