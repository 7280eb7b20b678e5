/* SPDX-License-Identifier: GPL-2.0-only */
/* Includes uapi/ucore.h of this source tree, for all files of the driver. */
#ifndef UCORE_UAPI_INC_H
#define UCORE_UAPI_INC_H

#include "../uapi/ucore.h"

#endif /* UCORE_UAPI_INC_H */
