/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Drawing of the screen of `ucoretool top`.
 */
#ifndef UCORETOOL_TOP_DRAW_H
#define UCORETOOL_TOP_DRAW_H

#include "top/view_state.h"

/** draw_body_height() - return the number of lines between the head and the foot of the screen */
int draw_body_height(void);

/** draw_screen() - draw the whole screen from the state in @view */
void draw_screen(const struct view *view);

#endif /* UCORETOOL_TOP_DRAW_H */
