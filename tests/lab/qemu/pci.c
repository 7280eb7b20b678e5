/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCI functions of a socket, on its uncore bus and its IIO bus, and the
 * difference between the two ways to reach them: ECAM, or ports CF8h/CFCh.
 *
 * Both ways end in the same config_read and config_write, so the CFCh window
 * of the host bridge is overlaid with one that says so while it forwards.
 */
#include "model.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "exec/address-spaces.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_host.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "driver-hw/e5.h"

#define TYPE_UCORE_PCI "ucore-pci"
OBJECT_DECLARE_SIMPLE_TYPE(UcorePciDevice, UCORE_PCI)

/* clear of the PMON registers, which begin at 40h-54h and at A0h */
#define PCIE_CAP_OFFSET     0x60

struct UcorePciDevice {
    PCIDevice parent;
    UcoreSocket *socket;
    const UcorePciSite *site;
    UcoreBox *box;              /* PMON, FILTER */
    const UcoreReg *regs;
    bool is_pmon[PCIE_CONFIG_SPACE_SIZE / 4];       /* by dword */
};

static bool reg_is_counter(const UcoreReg *reg)
{
    return reg->kind == UCORE_REG_CTR;
}

static bool ecam_lies(const UcorePciDevice *d)
{
    return d->box && d->box->ecam_wrong && !ucore->cf8 &&
           d->site->role == UCORE_PCI_PMON;
}

/* the register that holds the dword at @addr; *shift is 32 in a high half */
static const UcoreReg *reg_at(const UcorePciDevice *d, uint32_t addr,
                              unsigned *shift)
{
    *shift = 0;
    for (const UcoreReg *r = d->regs; r && r->offset != UINT16_MAX; r++) {
        if (addr == r->offset) {
            return r;
        }
        if (reg_is_counter(r) && addr == r->offset + 4) {
            *shift = 32;
            return r;
        }
    }
    return NULL;
}

static void count_access(UcorePciDevice *d, bool write)
{
    UcoreAccesses *a = &d->box->accesses;

    if (ucore->cf8) {
        a->port_io++;
        *(write ? &a->cf8_write : &a->cf8_read) += 1;
    } else {
        *(write ? &a->ecam_write : &a->ecam_read) += 1;
    }
}

static uint32_t ucore_pci_read(PCIDevice *pd, uint32_t addr, int len)
{
    UcorePciDevice *d = UCORE_PCI(pd);
    uint32_t dword = addr & ~3u, val;
    const UcoreReg *reg = NULL;
    unsigned shift;

    if (d->box && d->box->dead) {
        return MAKE_64BIT_MASK(0, len * 8);
    }
    if (d->is_pmon[dword / 4]) {
        reg = reg_at(d, dword, &shift);
    }
    if (reg) {
        count_access(d, false);
        val = ucore_box_read(d->box, reg, ucore_sync(ucore)) >> shift;
        val = extract32(val, (addr & 3) * 8, len * 8);
    } else {
        val = pci_default_read_config(pd, addr, len);
    }
    return ecam_lies(d) ? ~val & MAKE_64BIT_MASK(0, len * 8) : val;
}

static void ucore_pci_write(PCIDevice *pd, uint32_t addr, uint32_t val, int len)
{
    UcorePciDevice *d = UCORE_PCI(pd);
    const UcoreReg *reg = NULL;
    unsigned shift;
    int64_t now;

    if (d->box && d->box->dead) {
        return;
    }
    if (d->is_pmon[addr / 4]) {
        reg = reg_at(d, addr & ~3u, &shift);
    }
    if (!reg) {
        pci_default_write_config(pd, addr, val, len);
        return;
    }

    count_access(d, true);
    if (len != 4 || (addr & 3)) {
        ucore_violation(ucore, "access-size", "socket %u %s: %d-byte write "
                        "at 0x%x", d->socket->id, d->box->name, len, addr);
        return;
    }
    if (ecam_lies(d)) {
        return;
    }
    now = ucore_sync(ucore);
    ucore_box_write(d->box, reg, (uint64_t)val << shift,
                    0xffffffffULL << shift, now);
    ucore_socket_rearm(d->socket);
}

static void socket_map_init(UcorePciDevice *d)
{
    uint32_t map = 0;

    for (unsigned node = 0; node < UCORE_MAX_SOCKETS; node++) {
        map |= node << (3 * node);
    }
    pci_set_long(d->parent.config + E5_UBOX_CPUNODEID,
                 d->socket->id & E5_UBOX_CPUNODEID_NODE);
    pci_set_long(d->parent.config + E5_UBOX_GIDNIDMAP, map);
}

static void ucore_pci_realize(PCIDevice *pd, Error **errp)
{
    UcorePciDevice *d = UCORE_PCI(pd);

    pci_config_set_device_id(pd->config, d->site->device_id);
    pci_config_set_class(pd->config, PCI_CLASS_SYSTEM_OTHER);
    pcie_endpoint_cap_init(pd, PCIE_CAP_OFFSET);
    if (d->site->role == UCORE_PCI_SOCKET_MAP) {
        socket_map_init(d);
    }
    for (const UcoreReg *r = d->regs; r && r->offset != UINT16_MAX; r++) {
        d->is_pmon[r->offset / 4] = true;
        d->is_pmon[r->offset / 4 + 1] |= reg_is_counter(r);
    }
}

static void ucore_pci_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *k = PCI_DEVICE_CLASS(klass);

    k->realize = ucore_pci_realize;
    k->config_read = ucore_pci_read;
    k->config_write = ucore_pci_write;
    k->vendor_id = PCI_VENDOR_ID_INTEL;
    k->revision = 4;
    DEVICE_CLASS(klass)->user_creatable = false;
    DEVICE_CLASS(klass)->hotpluggable = false;
}

static const TypeInfo ucore_pci_info = {
    .name = TYPE_UCORE_PCI,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(UcorePciDevice),
    .class_init = ucore_pci_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { }
    },
};

static void ucore_pci_register(void)
{
    type_register_static(&ucore_pci_info);
}

type_init(ucore_pci_register)

/* ------------------------------------------------------- CF8h and CFCh */

typedef struct UcorePorts {
    MemoryRegion address, data;
    PCIHostState *host;
} UcorePorts;

static UcorePorts ports;

/* the box whose PMON register a CF8h value addresses */
static UcoreBox *config_reg_box(uint32_t config_reg)
{
    PCIDevice *pd = pci_find_device(ports.host->bus,
                                    extract32(config_reg, 16, 8),
                                    extract32(config_reg, 8, 8));
    UcorePciDevice *d;

    pd = (PCIDevice *)object_dynamic_cast(OBJECT(pd), TYPE_UCORE_PCI);
    if (!pd) {
        return NULL;
    }
    d = UCORE_PCI(pd);
    return d->is_pmon[extract32(config_reg, 2, 6)] ? d->box : NULL;
}

static uint64_t cf8_read(void *opaque, hwaddr addr, unsigned size)
{
    return pci_host_conf_le_ops.read(ports.host, addr, size);
}

static void cf8_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    UcoreBox *box;

    pci_host_conf_le_ops.write(ports.host, addr, val, size);
    if (addr == 0 && size == 4 && (val & BIT(31))) {
        box = config_reg_box(val);
        if (box) {
            box->accesses.port_io++;
        }
    }
}

static uint64_t cfc_read(void *opaque, hwaddr addr, unsigned size)
{
    uint64_t val;

    ucore->cf8 = true;
    val = pci_host_data_le_ops.read(ports.host, addr, size);
    ucore->cf8 = false;
    return val;
}

static void cfc_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    ucore->cf8 = true;
    pci_host_data_le_ops.write(ports.host, addr, val, size);
    ucore->cf8 = false;
}

static const MemoryRegionOps cf8_ops = {
    .read = cf8_read,
    .write = cf8_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static const MemoryRegionOps cfc_ops = {
    .read = cfc_read,
    .write = cfc_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

static void ports_init(UcoreMachine *m, Object *host)
{
    ports.host = PCI_HOST_BRIDGE(host);
    memory_region_init_io(&ports.address, NULL, &cf8_ops, m, "ucore-cf8", 4);
    memory_region_init_io(&ports.data, NULL, &cfc_ops, m, "ucore-cfc", 4);
    /* same priority, added later: wins over the bridge's own windows */
    memory_region_add_subregion_overlap(get_system_io(), 0xcf8,
                                        &ports.address, 0);
    memory_region_add_subregion_overlap(get_system_io(), 0xcfc,
                                        &ports.data, 0);
}

/* ---------------------------------------------------------------- buses */

/* args.py gives the extra roots these ids; socket 0's IIO bus is pcie.0 */
static PCIBus *socket_bus(unsigned socket, bool iio, Error **errp)
{
    g_autofree char *name = iio && !socket ? g_strdup("pcie.0")
        : g_strdup_printf("%s%u", iio ? "iio" : "uncore", socket);
    Object *bus = object_resolve_path_type(name, TYPE_PCI_BUS, NULL);

    if (!bus) {
        error_setg(errp, "ucore: no PCI bus named %s", name);
    }
    return (PCIBus *)bus;
}

static bool site_present(UcoreMachine *m, unsigned socket,
                         const UcorePciSite *site)
{
    g_autofree char *name = NULL;

    if (site->role == UCORE_PCI_SOCKET_MAP) {
        return !ucore_scenario_names_site(m->config.hidden, socket, "map");
    }
    if (site->role == UCORE_PCI_FILTER) {
        name = g_strdup_printf("%s%u-filter", site->type->name, site->instance);
        if (ucore_scenario_names_site(m->config.hidden, socket, name)) {
            return false;
        }
    }
    if (site->role == UCORE_PCI_FILLER) {
        return false;
    }
    g_free(name);
    name = g_strdup_printf("%s%u", site->type->name, site->instance);
    return ucore_box_find(m, socket, name);
}

/* a filler is needed where functions of the slot are, but not function 0 */
static bool filler_needed(UcoreMachine *m, unsigned socket,
                          const UcorePciSite *filler)
{
    bool others = false;

    for (const UcorePciSite *p = m->config.platform->pci; p->device_id; p++) {
        if (p->iio == filler->iio && p->slot == filler->slot &&
            site_present(m, socket, p)) {
            if (!p->function) {
                return false;
            }
            others = true;
        }
    }
    return others;
}

static bool site_create(UcoreMachine *m, unsigned socket,
                        const UcorePciSite *site, Error **errp)
{
    PCIBus *bus = socket_bus(socket, site->iio, errp);
    UcorePciDevice *d;
    PCIDevice *pd;

    if (!bus) {
        return false;
    }
    pd = pci_new_multifunction(PCI_DEVFN(site->slot, site->function),
                               true, TYPE_UCORE_PCI);
    d = UCORE_PCI(pd);
    d->socket = &m->socket[socket];
    d->site = site;
    if (site->type) {
        g_autofree char *name = g_strdup_printf("%s%u", site->type->name,
                                                site->instance);

        d->box = ucore_box_find(m, socket, name);
        d->regs = site->role == UCORE_PCI_FILTER ? site->type->filter_regs
                                                 : site->type->regs;
    }
    return pci_realize_and_unref(pd, bus, errp);
}

bool ucore_pci_init(UcoreMachine *m, Error **errp)
{
    Object *host = object_resolve_path("/machine/q35", NULL);

    if (!host) {
        error_setg(errp, "ucore: needs machine q35");
        return false;
    }
    ports_init(m, host);
    for (unsigned s = 0; m->config.uncore && s < m->config.sockets; s++) {
        for (const UcorePciSite *p = m->config.platform->pci; p->device_id;
             p++) {
            bool wanted = p->role == UCORE_PCI_FILLER
                          ? filler_needed(m, s, p) : site_present(m, s, p);

            if (wanted && !site_create(m, s, p, errp)) {
                return false;
            }
        }
    }
    return true;
}
