/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about box types and their registers. */
#ifndef CHECK_FACT_BOX_TYPE_H
#define CHECK_FACT_BOX_TYPE_H

#include "find/desc.h"

void fact_print_type(const char *platform, const struct ucore_box_type *type);
void fact_print_layout(const char *platform, const struct ucore_box_type *type,
		       const struct ucore_layout *layout);

#endif /* CHECK_FACT_BOX_TYPE_H */
