/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file `manifest` of a recording: "key = value" lines that say how it was made. */
#ifndef EVTOP_RECORDING_MANIFEST_H
#define EVTOP_RECORDING_MANIFEST_H

#include "evtop/recording.h"

#define MANIFEST_NAME "manifest"

/*
 * Takes kernel, scope and emulated; other keys are for people. A folder of
 * several recordings has several manifests: what differs is noted.
 */
/* The kernel that a run itself names: what the manifest says comes first. */
void manifest_kernel(struct input *input, const char *kernel);
/* The kernel, scope and machine of another one join those of input. */
void input_take(struct input *input, const struct input *more);
/* Frees what an input that is in no recording holds. */
void input_release(struct input *input);
void manifest_read(struct input *input, const char *bytes, size_t n);

#endif
