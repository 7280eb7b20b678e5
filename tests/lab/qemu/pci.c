/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PCI functions of a socket, on its uncore bus and its other buses, and the
 * two access methods: ECAM, or ports CF8h/CFCh.
 *
 * Both methods end in the same config_read and config_write. The CFCh window of
 * the host bridge is therefore overlaid with a window that records the method
 * and forwards the access.
 */
#include "model.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "exec/address-spaces.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pci_host.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"

#define TYPE_UCORE_PCI "ucore-pci"
OBJECT_DECLARE_SIMPLE_TYPE(UcorePciDevice, UCORE_PCI)

/* between the PMON registers, which begin at 40h to 54h and at A0h */
#define PCIE_CAP_OFFSET     0x60

struct UcorePciDevice {
    PCIDevice parent;
    UcoreSocket *socket;
    UcorePciRole role;
    uint16_t device_id;
    uint8_t stack;              /* UCORE_PCI_STACK, _SPEED: number of it */
    UcoreBox *box;              /* NULL: none, or several */
    GHashTable *regs;           /* dword -> UcoreTarget */
};

static bool ecam_fails(const UcorePciDevice *d, const UcoreTarget *t)
{
    const UcoreBox *box = t ? t->box : d->box;

    return box && box->ecam_wrong && !ucore->cf8 && d->role == UCORE_PCI_PMON;
}

static void count_access(const UcoreTarget *t, bool write)
{
    UcoreAccesses *a = ucore_target_accesses(t);

    if (ucore->cf8) {
        a->port_io++;
        *(write ? &a->cf8_write : &a->cf8_read) += 1;
    } else {
        *(write ? &a->ecam_write : &a->ecam_read) += 1;
    }
}

static void pay_access(void)
{
    ucore_pay(ucore->cf8 ? UCORE_COST_CF8 : UCORE_COST_ECAM, 1);
}

uint32_t ucore_pci_read_reg(const UcoreTarget *t, uint32_t addr, int len)
{
    uint32_t val;

    count_access(t, false);
    val = ucore_target_read(t, ucore_sync(ucore)) >> t->shift;
    val = extract32(val, (addr & 3) * 8, len * 8);
    pay_access();
    return val;
}

void ucore_pci_write_reg(const UcoreTarget *t, uint32_t addr, uint32_t val,
                         int len, bool lost)
{
    count_access(t, true);
    if (len != 4 || (addr & 3)) {
        ucore_violation(ucore, "access-size", "socket %u %s: %d-byte write "
                        "at 0x%x", t->socket->id,
                        t->box ? t->box->name : "global", len, addr);
        return;
    }
    if (!lost) {
        ucore_target_write(t, (uint64_t)val << t->shift,
                           0xffffffffULL << t->shift, ucore_sync(ucore));
    }
    pay_access();
}

static uint32_t ucore_pci_read(PCIDevice *pd, uint32_t addr, int len)
{
    UcorePciDevice *d = UCORE_PCI(pd);
    const UcoreTarget *t = ucore_map_find(d->regs, addr / 4);
    uint32_t val;

    if (d->box && d->box->dead) {
        return MAKE_64BIT_MASK(0, len * 8);
    }
    val = t ? ucore_pci_read_reg(t, addr, len)
            : pci_default_read_config(pd, addr, len);
    return ecam_fails(d, t) ? ~val & MAKE_64BIT_MASK(0, len * 8) : val;
}

static void ucore_pci_write(PCIDevice *pd, uint32_t addr, uint32_t val, int len)
{
    UcorePciDevice *d = UCORE_PCI(pd);
    const UcoreTarget *t = ucore_map_find(d->regs, addr / 4);

    if (d->box && d->box->dead) {
        return;
    }
    if (!t) {
        if (d->role == UCORE_PCI_TABLE && addr == PCI_COMMAND) {
            val = ucore_table_filter_command(d->socket, val);
        }
        pci_default_write_config(pd, addr, val, len);
        return;
    }
    ucore_pci_write_reg(t, addr, val, len, ecam_fails(d, t));
}

/* the registers have space for eight nodes; with more they are not used */
static void socket_map_init(UcorePciDevice *d)
{
    const UcorePlatform *p = ucore->config.platform;
    uint32_t map = 0;

    if (ucore->config.nodes > UCORE_MAX_SOCKETS) {
        return;
    }
    for (unsigned node = 0; node < UCORE_MAX_SOCKETS; node++) {
        map |= node << (3 * node);
    }
    pci_set_long(d->parent.config + p->map_cpunodeid, d->socket->id);
    pci_set_long(d->parent.config + p->map_gidnidmap, map);
}

/* unrelated bits are set, too, so that a driver without a mask fails */
#define CAPS_OTHER      0xa5c3005a

static void caps_set(UcorePciDevice *d, unsigned reg, uint32_t field,
                     uint32_t val)
{
    pci_set_long(d->parent.config + reg, (CAPS_OTHER & ~field) | val);
    pci_set_long(d->parent.wmask + reg, 0);
}

static void caps_init(UcorePciDevice *d)
{
    const UcoreConfig *cfg = &ucore->config;
    const UcorePlatform *p = cfg->platform;

    if (p->capid4) {
        caps_set(d, p->capid4, p->capid4_chop,
                 cfg->chop << ctz32(p->capid4_chop));
    }
    if (p->capid6) {
        caps_set(d, p->capid6, p->capid6_slices, cfg->fuses);
    }
    if (p->capid6_slices >> 32) {
        caps_set(d, p->capid6 + 4, p->capid6_slices >> 32, cfg->fuses >> 32);
    }
}

/* Register 3F4h has the socket [3:0] and the stack [6:4]; README.md, "Links" */
static void stack_init(UcorePciDevice *d)
{
    caps_set(d, 0x3f4, GENMASK(6, 0), d->stack << 4 | d->socket->id);
}

/*
 * Connect link 0 of a socket with link 1 of its neighbor, and link 1 with
 * link 0. The other links have no peer.
 */
static void link_init(UcorePciDevice *d)
{
    const UcorePlatform *p = ucore->config.platform;
    unsigned peer = d->socket->id ^ 1, link = d->box->instance ^ 1;
    bool trained = peer < ucore->config.sockets && link < 2;

    caps_set(d, p->link_status, BIT(4), trained ? BIT(4) : 0);
    caps_set(d, p->link_peer, GENMASK(19, 16) | GENMASK(12, 8),
             trained ? peer << 16 | link << 8 : 0);
}

static bool is_link(const UcorePciDevice *d)
{
    return d->role == UCORE_PCI_PMON && ucore->config.platform->link_status &&
           d->box && !strcmp(d->box->type->name, "upi");
}

static bool controller_there(const UcoreSocket *s, unsigned controller)
{
    unsigned channels = ucore->config.platform->imc.channels;

    for (unsigned b = 0; b < s->nr_boxes; b++) {
        if (!strcmp(s->boxes[b]->type->name, "imc") &&
            s->boxes[b]->instance / channels == controller) {
            return true;
        }
    }
    return false;
}

/*
 * The first register has the base address of all memory controllers. Each of
 * the others has the offset of one controller, 0 if the controller is absent.
 */
static void imc_map_init(UcorePciDevice *d)
{
    caps_set(d, 0xd0, GENMASK(28, 0), ucore_mmio_window(d->socket) >> 23);
    for (unsigned m = 0; m < ucore->config.platform->imc.controllers; m++) {
        caps_set(d, 0xd8 + 4 * m, GENMASK(10, 0),
                 controller_there(d->socket, m)
                 ? ucore_mmio_imc(ucore, m) >> 12 : 0);
    }
}

static void ucore_pci_realize(PCIDevice *pd, Error **errp)
{
    UcorePciDevice *d = UCORE_PCI(pd);

    pci_config_set_device_id(pd->config, d->device_id);
    pci_config_set_class(pd->config, PCI_CLASS_SYSTEM_OTHER);
    pcie_endpoint_cap_init(pd, PCIE_CAP_OFFSET);
    if (d->role == UCORE_PCI_SOCKET_MAP) {
        socket_map_init(d);
    } else if (d->role == UCORE_PCI_CAPS) {
        caps_init(d);
    } else if (d->role == UCORE_PCI_IMC_MAP) {
        imc_map_init(d);
    } else if (d->role == UCORE_PCI_STACK) {
        stack_init(d);
    } else if (d->role == UCORE_PCI_BUSES || d->role == UCORE_PCI_VARIANT ||
               d->role == UCORE_PCI_SPEED) {
        ucore_stacks_fill(d->socket, d->role, d->stack, pd->config);
    } else if (d->role == UCORE_PCI_DEVICE) {
        pci_config_set_class(pd->config, d->device_id == 0x0b25 ||
                             d->device_id == 0x0cfe ? PCI_CLASS_SYSTEM_OTHER
                             : PCI_CLASS_PROCESSOR_CO);
    } else if (is_link(d)) {
        link_init(d);
    } else if (d->role == UCORE_PCI_TABLE) {
        ucore_table_attach(pd, d->socket, errp);
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

/* Return the box whose PMON register a CF8h value addresses */
static UcoreBox *config_reg_box(uint32_t config_reg)
{
    PCIDevice *pd = pci_find_device(ports.host->bus,
                                    extract32(config_reg, 16, 8),
                                    extract32(config_reg, 8, 8));
    const UcoreTarget *t;

    pd = (PCIDevice *)object_dynamic_cast(OBJECT(pd), TYPE_UCORE_PCI);
    if (!pd) {
        return NULL;
    }
    t = ucore_map_find(UCORE_PCI(pd)->regs, extract32(config_reg, 2, 6));
    return t ? t->box : NULL;
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

/* ---------------------------------------------------------- host bridge */

#define MCHBAR_CONFIG   0x48        /* address, and enable in bit 0 */

static uint32_t (*q35_read)(PCIDevice *pd, uint32_t addr, int len);

/* SeaBIOS knows the host bridge of Q35 only. It never enters long mode. */
static bool is_kernel(void)
{
    return current_cpu && (X86_CPU(current_cpu)->env.efer & MSR_EFER_LMA);
}

static uint32_t bridge_read(PCIDevice *pd, uint32_t addr, int len)
{
    const UcoreConfig *cfg = &ucore->config;
    uint8_t config[PCI_CONFIG_SPACE_SIZE];

    if (addr + len > sizeof(config) || !is_kernel()) {
        return q35_read(pd, addr, len);
    }
    memcpy(config, pd->config, sizeof(config));
    pci_set_word(config + PCI_DEVICE_ID, cfg->platform->host_bridge);
    pci_set_quad(config + MCHBAR_CONFIG, UCORE_MCHBAR | cfg->mchbar);
    return ldl_le_p((uint8_t[4]){ config[addr], len > 1 ? config[addr + 1] : 0,
                                  len > 2 ? config[addr + 2] : 0,
                                  len > 3 ? config[addr + 3] : 0 });
}

/* Give the host bridge the id and the MCHBAR of a client processor. */
static void host_bridge_init(void)
{
    PCIDevice *pd = pci_find_device(ports.host->bus, 0, 0);

    q35_read = pd->config_read;
    pd->config_read = bridge_read;
}

/* ---------------------------------------------------------------- buses */

/*
 * args.py gives the extra roots these ids; socket 0's IIO bus is pcie.0, unless
 * the scenario has iio-buses
 */
static PCIBus *socket_bus(unsigned socket, UcorePciBus which, Error **errp)
{
    static const char *const names[] = { "uncore", "iio", "above" };
    bool on_host = which == UCORE_BUS_IIO && !socket &&
                   !ucore->config.iio_buses;
    g_autofree char *name = on_host
        ? g_strdup("pcie.0") : g_strdup_printf("%s%u", names[which], socket);
    Object *bus = object_resolve_path_type(name, TYPE_PCI_BUS, NULL);

    if (!bus) {
        error_setg(errp, "ucore: no PCI bus named %s", name);
    }
    return (PCIBus *)bus;
}

/*
 * Stack 0 is on the IIO bus, 3 on the uncore bus, 5 is absent. The buses of the
 * other stacks are empty
 */
uint64_t ucore_pci_cpu_buses(const UcoreSocket *s)
{
    uint8_t first = pci_bus_num(socket_bus(s->id, UCORE_BUS_IIO, &error_abort));
    uint8_t links = pci_bus_num(socket_bus(s->id, UCORE_BUS_UNCORE,
                                           &error_abort));
    uint8_t bus[8] = { first, first + 4, first + 8, links, first + 16 };

    return BIT_ULL(63) | ldq_le_p(bus);
}

unsigned ucore_pci_bus_number(const UcoreSocket *s, UcorePciBus which)
{
    return pci_bus_num(socket_bus(s->id, which, &error_abort));
}

static bool site_present(UcoreMachine *m, unsigned socket,
                         const UcorePciSite *site)
{
    g_autofree char *name = NULL;

    switch ((UcorePciRole)site->role) {
    case UCORE_PCI_SOCKET_MAP:
        return !ucore_scenario_names_site(m->config.hidden, socket, "map");
    case UCORE_PCI_CAPS:
        return !ucore_scenario_names_site(m->config.hidden, socket, "caps");
    case UCORE_PCI_IMC_MAP:
        return !ucore_scenario_names_site(m->config.hidden, socket, "imc-map");
    case UCORE_PCI_STACK:
        return !ucore_scenario_names_site(m->config.hidden, socket, "stack");
    case UCORE_PCI_OTHER:
        return true;
    default:
        break;
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
        if (p->bus == filler->bus && p->slot == filler->slot &&
            site_present(m, socket, p)) {
            if (!p->function) {
                return false;
            }
            others = true;
        }
    }
    return others;
}

static UcorePciDevice *function_new(UcoreSocket *s, unsigned devfn,
                                    UcorePciRole role, uint16_t device_id)
{
    PCIDevice *pd = pci_new_multifunction(devfn, true, TYPE_UCORE_PCI);
    UcorePciDevice *d = UCORE_PCI(pd);

    d->socket = s;
    d->role = role;
    d->device_id = device_id;
    d->regs = ucore_map_new();
    return d;
}

static bool function_plug(UcorePciDevice *d, UcorePciBus which, Error **errp)
{
    PCIBus *bus = socket_bus(d->socket->id, which, errp);

    return bus && pci_realize_and_unref(&d->parent, bus, errp);
}

static bool site_create(UcoreMachine *m, unsigned socket,
                        const UcorePciSite *site, Error **errp)
{
    UcorePciDevice *d = function_new(&m->socket[socket],
                                     PCI_DEVFN(site->slot, site->function),
                                     site->role, site->device_id);

    d->stack = site->instance;
    if (site->type) {
        g_autofree char *name = g_strdup_printf("%s%u", site->type->name,
                                                site->instance);

        d->box = ucore_box_find(m, socket, name);
        ucore_map_dwords(d->regs, d->socket, d->box,
                         site->role == UCORE_PCI_FILTER
                         ? site->type->filter_regs : d->box->regs, 0);
    }
    return function_plug(d, site->bus, errp);
}

/* the functions that the platform's list names */
static bool listed_create(UcoreMachine *m, unsigned socket, Error **errp)
{
    for (const UcorePciSite *p = m->config.platform->pci; p->device_id; p++) {
        bool wanted = p->role == UCORE_PCI_FILLER
                      ? filler_needed(m, socket, p)
                      : site_present(m, socket, p);

        if (wanted && !site_create(m, socket, p, errp)) {
            return false;
        }
    }
    return true;
}

#define MAP_DEVICE_ID       0x3250
#define TABLE_DEVICE_ID     0x09a7      /* unless the platform has another */
#define UNIT_DEVICE_ID      0x3280      /* and the box type's number */
#define GLOBAL_DEVICE_ID    0x325f
#define IMC_MAP_DEVICE_ID   0x3251
#define FILLER_DEVICE_ID    0x325e

/* all functions of a socket's uncore bus by devfn, the units' first */
static void unit_functions(UcoreSocket *s, UcorePciDevice **function)
{
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        UcoreBox *box = s->boxes[b];
        const UcoreUnitSite *u = &box->site->unit;
        UcorePciDevice **d = &function[box->devfn];

        if (box->access != UCORE_ACCESS_PCI || u->port) {
            continue;
        }
        if (!*d) {
            *d = function_new(s, box->devfn, UCORE_PCI_PMON,
                              u->device_id ?: UNIT_DEVICE_ID + u->number % 128);
            (*d)->box = box;
        } else {
            (*d)->box = NULL;
        }
        ucore_map_dwords((*d)->regs, s, box, box->regs, box->base);
    }
}

static void table_function(UcoreSocket *s, UcorePciDevice **function,
                           unsigned devfn)
{
    const UcoreConfig *cfg = &s->machine->config;

    if (!ucore_table_by_msr(cfg) &&
        !ucore_scenario_names_site(cfg->hidden, s->id, "discovery")) {
        function[devfn] = function_new(s, devfn, UCORE_PCI_TABLE,
                                       cfg->platform->table_device
                                       ?: TABLE_DEVICE_ID);
    }
}

static void system_functions(UcoreSocket *s, UcorePciDevice **function)
{
    const UcoreConfig *cfg = &s->machine->config;
    unsigned map = PCI_DEVFN(UCORE_SLOT_SYSTEM, UCORE_FUNCTION_MAP);
    unsigned imc_map = PCI_DEVFN(UCORE_SLOT_SYSTEM, UCORE_FUNCTION_IMC_MAP);
    unsigned global = PCI_DEVFN(UCORE_SLOT_SYSTEM, UCORE_FUNCTION_GLOBAL);

    if (!ucore_scenario_names_site(cfg->hidden, s->id, "map")) {
        function[map] = function_new(s, map, UCORE_PCI_SOCKET_MAP,
                                     MAP_DEVICE_ID);
    }
    if (cfg->imc_map && cfg->platform->imc.controllers &&
        !ucore_scenario_names_site(cfg->hidden, s->id, "imc-map")) {
        function[imc_map] = function_new(s, imc_map, UCORE_PCI_IMC_MAP,
                                         IMC_MAP_DEVICE_ID);
    }
    if (s->global[0].access == UCORE_ACCESS_PCI) {
        function[global] = function_new(s, global, UCORE_PCI_PMON,
                                        GLOBAL_DEVICE_ID);
        ucore_map_dwords(function[global]->regs, s, NULL, s->global[0].regs,
                         s->global[0].base);
    }
}

/* registers about stacks and links, on the uncore bus */
static void stack_functions(UcoreSocket *s, UcorePciDevice **function)
{
    const UcoreConfig *cfg = &s->machine->config;
    unsigned buses = PCI_DEVFN(3, 0), variant = PCI_DEVFN(30, 3);

    if (!cfg->stacks) {
        return;
    }
    if (cfg->platform != &ucore_grr) {
        function[buses] = function_new(s, buses, UCORE_PCI_BUSES, 0x09a6);
    }
    if (!ucore_scenario_names_site(cfg->hidden, s->id, "caps")) {
        function[variant] = function_new(s, variant, UCORE_PCI_VARIANT, 0x325b);
    }
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        unsigned devfn = s->boxes[b]->devfn + 1;

        if (!strcmp(s->boxes[b]->type->name, "upi") &&
            s->boxes[b]->access == UCORE_ACCESS_PCI) {
            function[devfn] = function_new(s, devfn, UCORE_PCI_SPEED, 0x3242);
            function[devfn]->stack = s->boxes[b]->instance;
        }
    }
}

/* Create a function on a bus of a stack, which args.py gives its number as id */
static bool stack_function_create(const UcoreSocket *s, UcorePciRole role,
                                  unsigned bus, unsigned slot,
                                  uint16_t device_id, unsigned stack,
                                  Error **errp)
{
    g_autofree char *name = bus ? g_strdup_printf("stack%02x", bus)
                            : g_strdup("pcie.0");
    Object *on = object_resolve_path_type(name, TYPE_PCI_BUS, NULL);
    UcorePciDevice *d;

    if (!on) {
        error_setg(errp, "ucore: no PCI bus named %s", name);
        return false;
    }
    d = function_new(&s->machine->socket[s->id], PCI_DEVFN(slot, 0), role,
                     device_id);
    d->stack = stack;
    return pci_realize_and_unref(&d->parent, (PCIBus *)on, errp);
}

/* Plug the functions of a bus, each slot with a function 0. */
static bool plug_all(UcoreSocket *s, UcorePciDevice **function,
                     UcorePciBus which, Error **errp)
{
    for (unsigned devfn = 0; devfn < PCI_DEVFN_MAX; devfn++) {
        UcorePciDevice **first = &function[devfn & ~7u];

        if (function[devfn] && !*first) {
            *first = function_new(s, devfn & ~7u, UCORE_PCI_FILLER,
                                  FILLER_DEVICE_ID);
            if (!function_plug(*first, which, errp)) {
                return false;
            }
        }
        if (function[devfn] && !function_plug(function[devfn], which, errp)) {
            return false;
        }
    }
    return true;
}

static bool ports_create(UcoreSocket *s, Error **errp)
{
    for (unsigned b = 0; b < s->nr_boxes; b++) {
        UcoreBox *box = s->boxes[b];
        PCIBus *bus;

        if (box->access != UCORE_ACCESS_PCI || !box->site->unit.port) {
            continue;
        }
        bus = socket_bus(s->id, box->bus, errp);
        if (!bus || !ucore_port_create(bus, box, errp)) {
            return false;
        }
    }
    return true;
}

static bool discovery_create(UcoreSocket *s, Error **errp)
{
    UcorePciDevice *uncore[PCI_DEVFN_MAX] = { }, *iio[PCI_DEVFN_MAX] = { };

    if (s->machine->config.iio_buses) {
        table_function(s, iio, PCI_DEVFN(UCORE_SLOT_IIO,
                                         UCORE_FUNCTION_IIO_TABLE));
    } else {
        table_function(s, uncore, PCI_DEVFN(UCORE_SLOT_SYSTEM,
                                            UCORE_FUNCTION_TABLE));
    }
    system_functions(s, uncore);
    stack_functions(s, uncore);
    unit_functions(s, uncore);
    return plug_all(s, uncore, UCORE_BUS_UNCORE, errp) &&
           plug_all(s, iio, UCORE_BUS_IIO, errp) && ports_create(s, errp) &&
           ucore_stacks_functions(s, stack_function_create, errp);
}

bool ucore_pci_init(UcoreMachine *m, Error **errp)
{
    Object *host = object_resolve_path("/machine/q35", NULL);

    if (!host) {
        error_setg(errp, "ucore: needs machine q35");
        return false;
    }
    ports_init(m, host);
    if (m->config.uncore && m->config.platform->host_bridge) {
        host_bridge_init();
    }
    for (unsigned s = 0; m->config.uncore && s < m->config.sockets; s++) {
        if (!(m->config.platform->discovery
              ? discovery_create(&m->socket[s], errp)
              : listed_create(m, s, errp))) {
            return false;
        }
    }
    return true;
}
