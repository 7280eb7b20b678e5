/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Domains as text and table cells.  The output contains dies and CPUs instead of domain ids.
 */
#ifndef UCORETOOL_DOMAIN_H
#define UCORETOOL_DOMAIN_H

#include "libucore.h"
#include "output/table.h"

#define DOMAIN_SUM_LEN	48

/**
 * struct domain_sum - number of domains of each scope
 * @dies: number of domains with the scope of a die
 * @cpus: number of domains with the scope of a logical CPU
 */
struct domain_sum {
	unsigned int dies;
	unsigned int cpus;
};

/** domain_sum_add() - count one domain of UCORE_SCOPE_* */
void domain_sum_add(struct domain_sum *sum, uint32_t scope);

/** domain_sum_device() - count all domains of a device */
struct domain_sum domain_sum_device(const struct ucore_device *dev);

/** domain_several_dies() - return true if a socket has several dies */
bool domain_several_dies(const struct ucore_device *dev);

/** domain_sum_text() - write the sum: "2 dies", "16 CPUs", or "2 dies and 16 CPUs" */
void domain_sum_text(const struct domain_sum *sum, char *text, size_t size);

/** domain_sum_word() - return the scopes in the singular: "die", "CPU", or "die and CPU" */
const char *domain_sum_word(const struct domain_sum *sum);

/** domain_sum_words() - return the scopes in the plural: "dies", "CPUs", or "dies and CPUs" */
const char *domain_sum_words(const struct domain_sum *sum);

/*
 * Return the die cell and the CPU cell of a row.  One of them is empty: the CPU cell if @cpu is -1,
 * otherwise the die cell.
 */
struct cell domain_die_cell(uint32_t die, int32_t cpu);
struct cell domain_cpu_cell(int32_t cpu);

/** value_note() - return a remark on the flags UCORE_VALUE_F_* of a count; NULL if not needed */
const char *value_note(uint32_t flags, int32_t cpu);

/** domain_offline_text() - return the remark for an offline die (@cpu is -1) or offline CPU */
const char *domain_offline_text(int32_t cpu);

#endif /* UCORETOOL_DOMAIN_H */
