/* SPDX-License-Identifier: GPL-2.0-only OR LGPL-2.1-or-later */
/*
 * List of the event fields: one row for each UCORE_FIELD_* id of the uapi. Facts only. No other
 * file repeats these facts. The fake device of tests/tools, which is LGPL, includes this file,
 * too.
 *
 * Columns: id without its prefix, name, permission, register, bits.
 *
 *  - Permission is 1 if the field can separate the accesses of one program from those of
 *    another (by address, core, thread, opcode or packet), so that CAP_PERFMON is required.
 *    Such counts, if read often, are a side channel like the timing of a cache. Otherwise 0.
 *  - Register is 1 if the field is in a register that all counters of a box share (a filter),
 *    and 0 if it is in the counter's control.
 *  - Bits is a mask of the values that the fake device accepts. In the driver, each platform
 *    defines the bits of its own boxes.
 *
 * A file that includes this one defines the expansion of a row first, possibly several times:
 *
 *     #define UCORE_FIELD(...) { __VA_ARGS__ },
 *     #include "hw/fields.h"
 */
#ifndef UCORE_FIELD
#define UCORE_FIELD(...)
#endif

UCORE_FIELD(EVENT, "event", 0, 0, 0x1ff)
UCORE_FIELD(UMASK, "umask", 0, 0, 0xff)
UCORE_FIELD(EDGE, "edge", 0, 0, 1)
UCORE_FIELD(INVERT, "invert", 0, 0, 1)
UCORE_FIELD(THRESH, "thresh", 0, 0, 0xff)
UCORE_FIELD(TID_EN, "tid_en", 1, 0, 1)
UCORE_FIELD(OCC_SEL, "occ_sel", 0, 0, 3)
UCORE_FIELD(OCC_INVERT, "occ_invert", 0, 0, 1)
UCORE_FIELD(OCC_EDGE, "occ_edge", 0, 0, 1)
UCORE_FIELD(OCC_RST, "occ_rst", 0, 0, 1)
UCORE_FIELD(FILTER_TID, "filter_tid", 1, 1, 0x1f)
UCORE_FIELD(FILTER_LINK, "filter_link", 0, 1, 0xf)
UCORE_FIELD(FILTER_STATE, "filter_state", 0, 1, 0x3f)
UCORE_FIELD(FILTER_NID, "filter_nid", 0, 1, 0xffff)
UCORE_FIELD(FILTER_OPC, "filter_opc", 1, 1, 0x1ff)
UCORE_FIELD(FILTER_C6, "filter_c6", 0, 1, 1)
UCORE_FIELD(FILTER_NC, "filter_nc", 0, 1, 1)
UCORE_FIELD(FILTER_ISOC, "filter_isoc", 0, 1, 1)
UCORE_FIELD(BAND0, "band0", 0, 1, 0xff)
UCORE_FIELD(BAND1, "band1", 0, 1, 0xff)
UCORE_FIELD(BAND2, "band2", 0, 1, 0xff)
UCORE_FIELD(BAND3, "band3", 0, 1, 0xff)
UCORE_FIELD(ADDR_MATCH, "addr_match", 1, 1, 0x3fffffffffc0)
UCORE_FIELD(OPC_MATCH, "opc_match", 1, 1, 0x3f)
UCORE_FIELD(MATCH0, "match0", 1, 1, 0x8003fff8)
UCORE_FIELD(MATCH1, "match1", 1, 1, 0xf000f)
/* A mask without its match field selects packets in which the bits of the mask are 0. */
UCORE_FIELD(MASK0, "mask0", 1, 1, 0x8003fff8)
UCORE_FIELD(MASK1, "mask1", 1, 1, 0xf000f)
UCORE_FIELD(UMASK_EXT, "umask_ext", 0, 0, 0xffffff)
UCORE_FIELD(CH_MASK, "ch_mask", 0, 0, 0xfff)
UCORE_FIELD(FC_MASK, "fc_mask", 0, 0, 7)
UCORE_FIELD(USR, "usr", 0, 0, 1)
UCORE_FIELD(OS, "os", 0, 0, 1)
UCORE_FIELD(ANY, "any", 0, 0, 1)
UCORE_FIELD(FILTER_CID, "filter_cid", 1, 1, 0x1f)
UCORE_FIELD(FILTER_REM, "filter_rem", 0, 1, 1)
UCORE_FIELD(FILTER_LOC, "filter_loc", 0, 1, 1)
UCORE_FIELD(FILTER_ALL_OP, "filter_all_op", 0, 1, 1)
UCORE_FIELD(FILTER_NM, "filter_nm", 0, 1, 1)
UCORE_FIELD(FILTER_NOT_NM, "filter_not_nm", 0, 1, 1)
UCORE_FIELD(FILTER_OPC_0, "filter_opc_0", 1, 1, 0x3ff)
UCORE_FIELD(FILTER_OPC_1, "filter_opc_1", 1, 1, 0x3ff)

#undef UCORE_FIELD
