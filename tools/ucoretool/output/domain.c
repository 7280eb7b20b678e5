// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Domains as text and table cells, the same in all commands.
 */
#include <stdio.h>

#include "output/domain.h"

void domain_sum_add(struct domain_sum *sum, uint32_t scope)
{
	if (scope == UCORE_SCOPE_CPU)
		sum->cpus++;
	else
		sum->dies++;
}

struct domain_sum domain_sum_device(const struct ucore_device *dev)
{
	const struct ucore_domain_info *domains;
	struct domain_sum sum = { 0 };
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	for (size_t i = 0; i < nr; i++)
		domain_sum_add(&sum, domains[i].scope);
	return sum;
}

bool domain_several_dies(const struct ucore_device *dev)
{
	const struct ucore_domain_info *domains;
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; j < i; j++)
			if (domains[i].package == domains[j].package &&
			    domains[i].die != domains[j].die)
				return true;
	return false;
}

void domain_sum_text(const struct domain_sum *sum, char *text, size_t size)
{
	if (!sum->cpus)
		snprintf(text, size, "%u dies", sum->dies);
	else if (!sum->dies)
		snprintf(text, size, "%u CPUs", sum->cpus);
	else
		snprintf(text, size, "%u dies and %u CPUs", sum->dies, sum->cpus);
}

const char *domain_sum_word(const struct domain_sum *sum)
{
	return !sum->cpus ? "die" : !sum->dies ? "CPU" : "die and CPU";
}

const char *domain_sum_words(const struct domain_sum *sum)
{
	return !sum->cpus ? "dies" : !sum->dies ? "CPUs" : "dies and CPUs";
}

struct cell domain_die_cell(uint32_t die, int32_t cpu)
{
	return cpu < 0 ? cell_number(die) : cell_none();
}

struct cell domain_cpu_cell(int32_t cpu)
{
	return cpu < 0 ? cell_none() : cell_number((uint32_t)cpu);
}

const char *domain_offline_text(int32_t cpu)
{
	return cpu < 0 ? "die offline" : "cpu offline";
}

const char *value_note(uint32_t flags, int32_t cpu)
{
	if (flags & UCORE_VALUE_F_DEAD)
		return "box dead";
	if (flags & UCORE_VALUE_F_OFFLINE)
		return domain_offline_text(cpu);
	if (flags & UCORE_VALUE_F_PARTIAL)
		return "partial";
	if (flags & UCORE_VALUE_F_CONFLICT)
		return "conflict";
	if (flags & UCORE_VALUE_F_MAYBE_WRAPPED)
		return "maybe wrapped";
	if (flags & UCORE_VALUE_F_GAP)
		return "gap";
	return flags & UCORE_VALUE_F_UNFROZEN ? "unfrozen" : NULL;
}
