/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The screen of top: which lines exist, which of them are visible, and what keys do.
 */
#ifndef UCORETOOL_TOP_VIEW_H
#define UCORETOOL_TOP_VIEW_H

#include "top/view_state.h"

/* The action that a key requests from the caller */
enum view_action {
	ACTION_NONE,
	ACTION_QUIT,
	ACTION_CSV,
	ACTION_JSON,
};

/** view_open() - initialise a view of panels on the open terminal; return 0 or -ENOMEM */
int view_open(struct view *view, const struct panels *panels, const char *title);

/** view_close() - free the memory of view_open() */
void view_close(struct view *view);

/** view_resized() - adapt to a new size of the terminal */
void view_resized(struct view *view);

/** view_keys() - process the pressed keys; return the action that the caller must perform */
enum view_action view_keys(struct view *view);

/** view_draw() - draw the screen */
void view_draw(struct view *view);

/** view_say() - set the message in the last line */
void view_say(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* UCORETOOL_TOP_VIEW_H */
