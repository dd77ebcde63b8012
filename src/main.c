/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "evtop/base.h"

int main(void)
{
	return 0;
}
