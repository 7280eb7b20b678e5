/* SPDX-License-Identifier: GPL-2.0-only */
/* Suspend, reboot and panic. */
#ifndef UCORE_PM_H
#define UCORE_PM_H

int ucore_pm_register(void);
void ucore_pm_unregister(void);

#endif /* UCORE_PM_H */
