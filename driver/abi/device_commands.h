/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UCORE_DEVICE_COMMANDS_H
#define UCORE_DEVICE_COMMANDS_H

int ucore_cdev_register(void);
void ucore_cdev_unregister(void);

#endif /* UCORE_DEVICE_COMMANDS_H */
