/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was computed for the panels, and what is being computed: answers the
 * questions of view_results from what is there and starts jobs for the rest.
 */
#ifndef EVTOP_STORE_H
#define EVTOP_STORE_H

#include "evtop/view.h"
#include "worker.h"

struct store;

/* Told, on the caller's thread, which panels (bits 1 << enum panel_id) have new results. */
typedef void (*store_news)(void *owner, uint32_t panels);

/* deadline may be NULL. NULL where no thread can be had. recording is held, here and by jobs. */
struct store *store_new(struct recording *recording, store_news news, void *owner,
			uint64_t (*deadline)(void *owner, const char *call), void *deadline_owner);
void store_free(struct store *store);
/*
 * The recording that questions are about from now on. Results of the one before
 * are given for the same call and path, by name and id, until there are newer
 * ones: they are pending where the settings differ or the sample has grown by
 * more than a tenth. What has the same sample is not computed again.
 */
void store_set_recording(struct store *store, struct recording *recording);
/* While data flow, computing again takes no more than part of a processor's time. */
void store_set_modest(struct store *store, bool modest);
/* Begins what may be computed again by now; true where more is waiting for its turn. */
bool store_renew(struct store *store);

/* What the user looks at: its fit goes before all others. */
void store_look_at(struct store *store, uint32_t call, uint32_t path);
/* Around each view_build(): what the panel asks for between them is what it needs. */
void store_begin(struct store *store, enum panel_id panel, const struct settings *settings);
/* After all builds of a frame: withdraws jobs that none of the panels (bits) needs any more. */
void store_tidy(struct store *store, uint32_t panels_in_sight);
struct view_results store_results(struct store *store);

/* Two descriptors to poll; then store_collect(). */
#define STORE_FDS 2
void store_fds(const struct store *store, int fds[STORE_FDS]);
int store_collect(struct store *store);
int store_pending(const struct store *store);

#endif
