/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The terminal: taken, and given back however the program ends.
 */
#ifndef UCORETOOL_SCREEN_H
#define UCORETOOL_SCREEN_H

#include <stdbool.h>

/* Pairs of colours; without colours they are all the terminal's own */
enum screen_pair {
	PAIR_PLAIN,
	PAIR_FIRST,		/* the first part of a bar */
	PAIR_SECOND,		/* the second */
	PAIR_HISTORY,
	PAIR_HEADING,
	PAIR_KEYS,
	PAIR_ALERT,
	NR_PAIRS,
};

/**
 * screen_open() - take the terminal for curses
 *
 * Return: false if it cannot be addressed: curses does not know $TERM, or not enough.
 */
bool screen_open(void);

/** screen_close() - give the terminal back as it was; a second call does nothing */
void screen_close(void);

/** screen_resize() - the terminal has another size now */
void screen_resize(void);

/** screen_attr() - the attribute of a pair of colours */
unsigned long screen_attr(enum screen_pair pair);

/** screen_utf8() - can the terminal show block elements? */
bool screen_utf8(void);

#endif /* UCORETOOL_SCREEN_H */
