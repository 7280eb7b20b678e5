/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UCORE_CDEV_H
#define UCORE_CDEV_H

int ucore_cdev_register(void);
void ucore_cdev_unregister(void);

#endif /* UCORE_CDEV_H */
