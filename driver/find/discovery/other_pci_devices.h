/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: facts about PCI functions and the memory ranges of other devices. */
#ifndef UCORE_OTHER_PCI_DEVICES_H
#define UCORE_OTHER_PCI_DEVICES_H

#include "find/discovery/discovery.h"

struct pci_dev;

/**
 * struct ucore_pci_config - config space of a PCI function that the kernel has found
 * @config: access to the config space for the pure functions of discovery
 * @pdev: PCI function
 */
struct ucore_pci_config {
	struct ucore_disc_config config;
	struct pci_dev *pdev;
};

u32 ucore_other_devices_unreadable(struct pci_dev *pdev);
void ucore_other_devices_init_config(struct ucore_pci_config *config, struct pci_dev *pdev);

int ucore_other_devices_collect(struct ucore_disc_env *env, const struct ucore_disc *disc);
void ucore_other_devices_drop(struct ucore_disc_env *env);
bool ucore_other_devices_own(u32 segment, u32 bus, u32 devfn, struct ucore_disc_function *function);

#endif /* UCORE_OTHER_PCI_DEVICES_H */
