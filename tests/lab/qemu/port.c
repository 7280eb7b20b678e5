/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI Express root ports whose config space has the registers of a unit. Linux
 * binds its port driver to them.
 */
#include "model.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "hw/pci/pcie_port.h"
#include "hw/qdev-properties.h"

#define TYPE_UCORE_PORT "ucore-port"
OBJECT_DECLARE_SIMPLE_TYPE(UcorePort, UCORE_PORT)

/* numbers of pciex16 and pciex8 in a table, and the first device id of each */
#define NUMBER_X8           22
#define DEVICE_ID_X16       0x0db0
#define DEVICE_ID_X8        0x0db6
#define DEVICE_IDS          4               /* consecutive ids of a kind */

#define SSVID_CAP           0x40
#define PCIE_CAP            0x90
#define AER_CAP             0x100

struct UcorePort {
    PCIESlot parent;
    UcoreBox *box;
    GHashTable *regs;           /* dword -> UcoreTarget */
};

static void (*parent_write)(PCIDevice *pd, uint32_t addr, uint32_t val,
                            int len);

static uint32_t port_read(PCIDevice *pd, uint32_t addr, int len)
{
    const UcoreTarget *t = ucore_map_find(UCORE_PORT(pd)->regs, addr / 4);

    return t ? ucore_pci_read_reg(t, addr, len)
             : pci_default_read_config(pd, addr, len);
}

static void port_write(PCIDevice *pd, uint32_t addr, uint32_t val, int len)
{
    const UcoreTarget *t = ucore_map_find(UCORE_PORT(pd)->regs, addr / 4);

    if (t) {
        ucore_pci_write_reg(t, addr, val, len, false);
    } else {
        parent_write(pd, addr, val, len);
    }
}

bool ucore_port_create(PCIBus *bus, UcoreBox *box, Error **errp)
{
    PCIDevice *pd = pci_new(box->devfn, TYPE_UCORE_PORT);
    UcorePort *port = UCORE_PORT(pd);

    port->box = box;
    port->regs = ucore_map_new();
    ucore_map_dwords(port->regs, box->socket, box, box->regs, box->base);
    qdev_prop_set_uint8(DEVICE(pd), "chassis", 1 + box->socket->id);
    qdev_prop_set_uint16(DEVICE(pd), "slot", PCI_SLOT(box->devfn));
    qdev_prop_set_bit(DEVICE(pd), "hotplug", false);
    if (!pci_realize_and_unref(pd, bus, errp)) {
        return false;
    }
    pci_config_set_device_id(pd->config,
                             (box->site->unit.number == NUMBER_X8
                              ? DEVICE_ID_X8 : DEVICE_ID_X16) +
                             box->instance % DEVICE_IDS);
    return true;
}

static void port_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);
    PCIERootPortClass *rpc = PCIE_ROOT_PORT_CLASS(klass);

    parent_write = k->config_write;
    k->config_read = port_read;
    k->config_write = port_write;
    k->vendor_id = PCI_VENDOR_ID_INTEL;
    k->device_id = DEVICE_ID_X16;
    rpc->ssvid_offset = SSVID_CAP;
    rpc->exp_offset = PCIE_CAP;
    rpc->aer_offset = AER_CAP;
    DEVICE_CLASS(klass)->user_creatable = false;
    DEVICE_CLASS(klass)->hotpluggable = false;
}

static const TypeInfo port_info = {
    .name = TYPE_UCORE_PORT,
    .parent = TYPE_PCIE_ROOT_PORT,
    .instance_size = sizeof(UcorePort),
    .class_init = port_class_init,
};

static void port_register(void)
{
    type_register_static(&port_info);
}

type_init(port_register)
