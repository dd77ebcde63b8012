/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places of panels whose builders are not there yet. */
#include "view-internal.h"

#define WEAK __attribute__((weak))

WEAK void view_density(struct view_panel *panel, const struct view_context *context)
{
	(void)context;
	view_say(panel, ROLE_DIM, "not built yet");
}

WEAK void view_fit(struct view_panel *panel, const struct view_context *context)
{
	(void)context;
	view_say(panel, ROLE_DIM, "not built yet");
}

WEAK void view_iid(struct view_panel *panel, const struct view_context *context)
{
	(void)context;
	view_say(panel, ROLE_DIM, "not built yet");
}
