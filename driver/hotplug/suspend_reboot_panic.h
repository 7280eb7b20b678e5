/* SPDX-License-Identifier: GPL-2.0-only */
/* Notifiers that stop the counters and restore registers at suspend, reboot and panic. */
#ifndef UCORE_SUSPEND_REBOOT_PANIC_H
#define UCORE_SUSPEND_REBOOT_PANIC_H

int ucore_power_register(void);
void ucore_power_unregister(void);

#endif /* UCORE_SUSPEND_REBOOT_PANIC_H */
