/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that grow while the finders collect boxes. Process context, at module load. */
#ifndef UCORE_ARRAY_H
#define UCORE_ARRAY_H

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>

/**
 * ucore_array_grow_by() - make room in an array for more elements
 * @array: array from an earlier call, NULL for an empty array. If a larger array replaces it,
 *         @array is freed.
 * @nr: number of elements in use
 * @more: number of elements to add
 * @max: in, out: number of elements that the array has room for
 * @size: size of an element (bytes)
 *
 * Return: the array, with the added elements uninitialized; NULL if memory ran out. In this case
 * @array stays valid.
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
 * ucore_array_grow() - make room in an array for one more element
 * @array: array from an earlier call, NULL for an empty array. If a larger array replaces it,
 *         @array is freed.
 * @nr: number of elements in use
 * @max: in, out: number of elements that the array has room for
 * @size: size of an element (bytes)
 *
 * Return: the array, with the added element uninitialized; NULL if memory ran out. In this case
 * @array stays valid.
 */
static inline void *ucore_array_grow(void *array, u32 nr, u32 *max, size_t size)
{
	return ucore_array_grow_by(array, nr, 1, max, size);
}

#endif /* UCORE_ARRAY_H */
