/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Volume Management Device: -device ucore-vmd. Linux's driver vmd makes a PCI
 * segment above FFFFh from its config BAR. The segment has one function.
 */
#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "qemu/module.h"
#include "qemu/bswap.h"

#define TYPE_UCORE_VMD "ucore-vmd"
OBJECT_DECLARE_SIMPLE_TYPE(UcoreVmd, UCORE_VMD)

#define VMD_DEVICE_ID       0x28c0
#define CHILD_DEVICE_ID     0x09ab      /* of the controllers in a segment */
#define CONFIG_BAR_SIZE     0x100000    /* one bus */
#define MEMORY_BAR_SIZE     0x100000

struct UcoreVmd {
    PCIDevice parent;
    MemoryRegion config, memory[2];
    uint8_t child[PCI_CONFIG_SPACE_SIZE];   /* config space of 00.0 */
};

static uint64_t config_read(void *opaque, hwaddr addr, unsigned size)
{
    const UcoreVmd *v = opaque;
    uint64_t val = 0;

    if (addr >= PCIE_CONFIG_SPACE_SIZE) {
        return MAKE_64BIT_MASK(0, size * 8);    /* no function */
    }
    if (addr + size <= sizeof(v->child)) {
        memcpy(&val, v->child + addr, size);
    }
    return le64_to_cpu(val);
}

static void ignore_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
}

static uint64_t memory_read(void *opaque, hwaddr addr, unsigned size)
{
    return 0;
}

static const MemoryRegionOps config_ops = {
    .read = config_read,
    .write = ignore_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static const MemoryRegionOps memory_ops = {
    .read = memory_read,
    .write = ignore_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static void vmd_realize(PCIDevice *pd, Error **errp)
{
    UcoreVmd *v = UCORE_VMD(pd);

    pci_set_word(v->child + PCI_VENDOR_ID, PCI_VENDOR_ID_INTEL);
    pci_set_word(v->child + PCI_DEVICE_ID, CHILD_DEVICE_ID);
    pci_set_word(v->child + PCI_CLASS_DEVICE, PCI_CLASS_SYSTEM_OTHER);
    memory_region_init_io(&v->config, OBJECT(pd), &config_ops, v,
                          "ucore-vmd-config", CONFIG_BAR_SIZE);
    pci_register_bar(pd, 0, PCI_BASE_ADDRESS_MEM_TYPE_64, &v->config);
    for (unsigned i = 0; i < ARRAY_SIZE(v->memory); i++) {
        memory_region_init_io(&v->memory[i], OBJECT(pd), &memory_ops, v,
                              "ucore-vmd-memory", MEMORY_BAR_SIZE);
        pci_register_bar(pd, 2 + 2 * i, PCI_BASE_ADDRESS_MEM_TYPE_64,
                         &v->memory[i]);
    }
}

static void vmd_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

    k->realize = vmd_realize;
    k->vendor_id = PCI_VENDOR_ID_INTEL;
    k->device_id = VMD_DEVICE_ID;
    k->class_id = PCI_CLASS_STORAGE_RAID;
    DEVICE_CLASS(klass)->hotpluggable = false;
}

static const TypeInfo vmd_info = {
    .name = TYPE_UCORE_VMD,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(UcoreVmd),
    .class_init = vmd_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { }
    },
};

static void vmd_register(void)
{
    type_register_static(&vmd_info);
}

type_init(vmd_register)
