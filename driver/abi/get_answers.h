/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that fill in the answers of GET commands: driver state, boxes, links, self-tests. */
#ifndef UCORE_GET_ANSWERS_H
#define UCORE_GET_ANSWERS_H

#include "ucore_uapi.h"

struct ucore_box;

u32 ucore_describe_state(void);
const char *ucore_describe_reason(u32 state);
u32 ucore_describe_cause(u32 state);
int ucore_describe_core(struct ucore_get_core *out);
void ucore_describe_box(const struct ucore_box *box, bool admin, struct ucore_box_info *out);
void ucore_describe_link(const struct ucore_box *box, struct ucore_link_info *out);
void ucore_describe_selftest(struct ucore_box *box, struct ucore_get_selftest *out);

#endif /* UCORE_GET_ANSWERS_H */
