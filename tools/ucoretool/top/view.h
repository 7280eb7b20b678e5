/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The screen of `ucoretool top`: its lines, the visible part of the lines, and the keys.
 */
#ifndef UCORETOOL_TOP_VIEW_H
#define UCORETOOL_TOP_VIEW_H

#include "top/view_state.h"

/* Action that a pressed key requests from the caller of view_keys() */
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

/** view_resized() - update the view after a change of the terminal's size */
void view_resized(struct view *view);

/** view_keys() - process the pressed keys; return the action that the caller must perform */
enum view_action view_keys(struct view *view);

/** view_draw() - scroll to the selected line and draw the whole screen */
void view_draw(struct view *view);

/** view_say() - set the message that the last line of the screen shows until the next key */
void view_say(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif /* UCORETOOL_TOP_VIEW_H */
