/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "live-internal.h"

/* Chunks that are not given back to the system at once. */
#define SPARE_MAX 16

struct chunk *queue_new_chunk(struct queue *queue, enum chunk_kind kind, size_t room)
{
	struct chunk *chunk = queue->spare;

	if (chunk && room == CHUNK_BYTES) {
		queue->spare = chunk->next;
		queue->n_spare--;
	} else {
		chunk = mem_alloc(sizeof *chunk + room);
	}
	*chunk = (struct chunk){.kind = kind, .room = room};
	return chunk;
}

void queue_put(struct queue *queue, struct chunk *chunk)
{
	chunk->next = NULL;
	if (!queue->first)
		queue->last = &queue->first;
	*queue->last = chunk;
	queue->last = &chunk->next;
	queue->bytes += chunk->room;
}

struct chunk *queue_take(struct queue *queue)
{
	struct chunk *chunk = queue->first;

	if (!chunk)
		return NULL;
	queue->first = chunk->next;
	queue->bytes -= chunk->room;
	return chunk;
}

void queue_give_back(struct queue *queue, struct chunk *chunk)
{
	if (chunk->room != CHUNK_BYTES || queue->n_spare == SPARE_MAX) {
		free(chunk);
		return;
	}
	chunk->next = queue->spare;
	queue->spare = chunk;
	queue->n_spare++;
}

static void free_list(struct chunk *chunk)
{
	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
}

void queue_release(struct queue *queue)
{
	free_list(queue->first);
	free_list(queue->spare);
}
