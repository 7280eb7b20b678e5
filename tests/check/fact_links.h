/* SPDX-License-Identifier: GPL-2.0-only */
/* Facts about IIO stacks, their ports, and links between sockets. */
#ifndef CHECK_FACT_LINKS_H
#define CHECK_FACT_LINKS_H

#include "find/upi_iio_links.h"

void fact_print_links(const char *platform, const struct ucore_link_regs *links);

#endif /* CHECK_FACT_LINKS_H */
