/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow while they are filled, at load. */
#ifndef UCORE_ARRAY_H
#define UCORE_ARRAY_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

/**
 * ucore_array_grow_by() - make room for more elements
 * @array: made by this function, or NULL at first; freed if it had to grow
 * @nr: elements in it
 * @more: how many there shall be room for beside them
 * @max: how many it has room for; updated
 * @size: bytes of an element
 *
 * Return: the array, whose new elements are not written; or NULL without memory: then the
 * old one is still there.
 */
static inline void *ucore_array_grow_by(void *array, u32 nr, u32 more, u32 *max, size_t size)
{
	u32 room = *max ?: 64;
	void *bigger;

	if (nr + more <= *max)
		return array;
	while (room < nr + more)
		room *= 2;
	bigger = kvmalloc_array(room, size, GFP_KERNEL);
	if (!bigger)
		return NULL;
	if (array)
		memcpy(bigger, array, nr * size);
	kvfree(array);
	*max = room;
	return bigger;
}

/**
 * ucore_array_grow() - make room for one more element
 * @array: made by this function, or NULL at first; freed if it had to grow
 * @nr: elements in it
 * @max: how many it has room for; updated
 * @size: bytes of an element
 *
 * Return: as ucore_array_grow_by().
 */
static inline void *ucore_array_grow(void *array, u32 nr, u32 *max, size_t size)
{
	return ucore_array_grow_by(array, nr, 1, max, size);
}

#endif /* UCORE_ARRAY_H */
