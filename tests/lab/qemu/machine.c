/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device of the command line: -device ucore,scenario=FILE[,log=FILE].
 * It builds the model of the whole machine; there is at most one.
 */
#include "model.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "hw/qdev-core.h"
#include "hw/qdev-properties.h"
#include "sysemu/reset.h"

#define TYPE_UCORE "ucore"
OBJECT_DECLARE_SIMPLE_TYPE(UcoreDevice, UCORE)

struct UcoreDevice {
    DeviceState parent;
    char *scenario, *log;
};

static void machine_reset(void *opaque)
{
    ucore_engine_reset(opaque);
}

static void ucore_realize(DeviceState *dev, Error **errp)
{
    UcoreDevice *d = UCORE(dev);
    UcoreMachine *m;

    if (ucore) {
        error_setg(errp, "ucore: one device is enough");
        return;
    }
    if (!d->scenario) {
        error_setg(errp, "ucore: needs scenario=FILE");
        return;
    }
    m = g_new0(UcoreMachine, 1);
    if (!ucore_scenario_load(m, d->scenario, errp) ||
        !ucore_log_open(m, d->log, errp)) {
        return;
    }
    ucore = m;
    ucore_engine_init(m);
    ucore_engine_reset(m);
    ucore_msr_init(m);
    ucore_mmio_init(m);
    ucore_oracle_init(m);
    if (ucore_pci_init(m, errp)) {
        qemu_register_reset(machine_reset, m);
    }
}

static Property ucore_properties[] = {
    DEFINE_PROP_STRING("scenario", UcoreDevice, scenario),
    DEFINE_PROP_STRING("log", UcoreDevice, log),
    DEFINE_PROP_END_OF_LIST(),
};

static void ucore_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->realize = ucore_realize;
    dc->hotpluggable = false;
    dc->desc = "uncore performance monitors of Xeon processors";
    device_class_set_props(dc, ucore_properties);
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo ucore_info = {
    .name = TYPE_UCORE,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(UcoreDevice),
    .class_init = ucore_class_init,
};

static void ucore_register(void)
{
    type_register_static(&ucore_info);
}

type_init(ucore_register)
