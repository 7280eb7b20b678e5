/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: fetch the bytes. */
#ifndef UCORE_FETCH_H
#define UCORE_FETCH_H

#include "find/discovery/discovery.h"

int ucore_disc_fetch(struct ucore_disc *disc);

#endif /* UCORE_FETCH_H */
