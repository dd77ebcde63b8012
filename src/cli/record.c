/* SPDX-License-Identifier: GPL-3.0-or-later */
/* evtop record */
#include "evtop/cli.h"

int command_record(struct options *options)
{
	(void)options;
	return STATUS_FAILED;
}
