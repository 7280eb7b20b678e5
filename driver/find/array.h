/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow while they are filled, at load. */
#ifndef UCORE_ARRAY_H
#define UCORE_ARRAY_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

/**
 * ucore_array_grow() - make room for one more element
 * @array: from here, or NULL; freed if it had to grow
 * @nr: elements in it
 * @max: room for how many
 * @size: of an element
 *
 * Return: the array, or NULL without memory: then the old one is still there.
 */
static inline void *ucore_array_grow(void *array, u32 nr, u32 *max, size_t size)
{
	u32 more = *max ? 2 * *max : 64;
	void *bigger;

	if (nr < *max)
		return array;
	bigger = kvcalloc(more, size, GFP_KERNEL);
	if (!bigger)
		return NULL;
	if (array)
		memcpy(bigger, array, nr * size);
	kvfree(array);
	*max = more;
	return bigger;
}

#endif /* UCORE_ARRAY_H */
