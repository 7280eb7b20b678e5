/* SPDX-License-Identifier: GPL-2.0-only */
/* The overflow interrupt: routing and handling. */
#ifndef UCORE_PMI_H
#define UCORE_PMI_H

#include "die.h"

int ucore_pmi_register(void);
void ucore_pmi_unregister(void);

void ucore_pmi_init(struct ucore_die *die);
void ucore_pmi_destroy(struct ucore_die *die);

/* Process context, CPU hotplug held off: */
void ucore_pmi_enable(struct ucore_die *die);
void ucore_pmi_disable(struct ucore_die *die);
void ucore_pmi_enable_cpu(struct ucore_die *die, int cpu);
void ucore_pmi_disable_cpu(struct ucore_die *die, int cpu);

/* Under the die's lock: */
void ucore_pmi_service_begin(struct ucore_die *die);
void ucore_pmi_service_end(struct ucore_die *die);
const struct ucore_context *ucore_pmi_context(struct ucore_die *die);
void ucore_pmi_lost(struct ucore_die *die);

#endif /* UCORE_PMI_H */
