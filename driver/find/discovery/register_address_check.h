/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: checks that registers of a record do not belong to other devices. Pure. */
#ifndef UCORE_REGISTER_ADDRESS_CHECK_H
#define UCORE_REGISTER_ADDRESS_CHECK_H

#include "find/discovery/discovery.h"

void ucore_validate_caps(const struct ucore_disc_config *config,
			 struct ucore_disc_function *function);
u32 ucore_validate_unit(const struct ucore_disc_env *env, const struct ucore_disc_type *rule,
			u32 access, u64 address, u32 size);
bool ucore_is_global_beside(const struct ucore_disc_rules *rules, u32 access, u64 address);

#endif /* UCORE_REGISTER_ADDRESS_CHECK_H */
