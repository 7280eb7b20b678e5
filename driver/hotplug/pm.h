/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's life: it sleeps, it reboots, it panics. */
#ifndef UCORE_PM_H
#define UCORE_PM_H

int ucore_pm_register(void);
void ucore_pm_unregister(void);

#endif /* UCORE_PM_H */
