/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine's life: it sleeps, it reboots, it panics. */
#ifndef UCORE_LIFE_H
#define UCORE_LIFE_H

int ucore_pm_register(void);
void ucore_pm_unregister(void);

#endif /* UCORE_LIFE_H */
