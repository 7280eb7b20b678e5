/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Domains in words and cells: people know dies and CPUs, and no domain ids.
 */
#ifndef UCORETOOL_DOMAIN_H
#define UCORETOOL_DOMAIN_H

#include "libucore.h"
#include "output/table.h"

#define DOMAIN_SUM_LEN	48

/**
 * struct domain_sum - how many domains there are of each scope
 * @dies: domains that are a die
 * @cpus: domains that are a logical CPU
 */
struct domain_sum {
	unsigned int dies;
	unsigned int cpus;
};

/** domain_sum_add() - count one more domain of UCORE_SCOPE_* */
void domain_sum_add(struct domain_sum *sum, uint32_t scope);

/** domain_sum_device() - count all domains of a device */
struct domain_sum domain_sum_device(const struct ucore_device *dev);

/** domain_sum_text() - "2 dies", "16 CPUs", or "2 dies and 16 CPUs" */
void domain_sum_text(const struct domain_sum *sum, char *text, size_t size);

/** domain_sum_word() - one of them: "die", "CPU", or "die and CPU" */
const char *domain_sum_word(const struct domain_sum *sum);

/** domain_sum_words() - all of them: "dies", "CPUs", or "dies and CPUs" */
const char *domain_sum_words(const struct domain_sum *sum);

/*
 * The cells of a row that names a domain by its die or, if @cpu is not -1, by
 * its CPU: one of the two is empty.
 */
struct cell domain_die_cell(uint32_t die, int32_t cpu);
struct cell domain_cpu_cell(int32_t cpu);

/** value_note() - UCORE_VALUE_F_* in a word, NULL if there is nothing to say */
const char *value_note(uint32_t flags, int32_t cpu);

/** domain_offline_text() - why a count stands still, by whether @cpu is -1 */
const char *domain_offline_text(int32_t cpu);

#endif /* UCORETOOL_DOMAIN_H */
