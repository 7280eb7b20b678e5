/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: interprets the content of tables. Pure functions. */
#ifndef UCORE_PARSE_TABLES_H
#define UCORE_PARSE_TABLES_H

#include "find/discovery/discovery.h"

u32 ucore_parse_dvsecs(const struct ucore_disc_config *config, struct ucore_disc_dvsec *dvsec,
		       u32 max, bool *broken);
u32 ucore_parse_bar(const struct ucore_disc_config *config, u32 bar, u64 *address);
u32 ucore_parse_table_msr(const struct ucore_disc_env *env, u64 value, u64 *address);
u32 ucore_parse_table_memory(const struct ucore_disc_env *env, u64 address, u64 size);
void ucore_parse_assign_dies(struct ucore_disc *disc, const u32 *dies, u32 nr);
void ucore_parse_global(struct ucore_disc *disc, struct ucore_disc_table *table,
			const struct ucore_disc_source *source);
int ucore_parse_units(struct ucore_disc *disc, u32 table,
		      const struct ucore_disc_source *source);
void ucore_parse_reset(struct ucore_disc *disc);
void ucore_parse_free(struct ucore_disc *disc);

#endif /* UCORE_PARSE_TABLES_H */
