/* SPDX-License-Identifier: GPL-2.0-only */
/* Includes the uapi header by its path in the module's tree. */
#ifndef UCORE_UAPI_INC_H
#define UCORE_UAPI_INC_H

#include "../uapi/ucore.h"

#endif /* UCORE_UAPI_INC_H */
