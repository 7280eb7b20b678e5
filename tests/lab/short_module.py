# SPDX-License-Identifier: GPL-2.0-only
"""A module of one small file in place of the driver, for tests of installing and of packages.

It requires the same compiler and tools, has the same version, and is built in a second.
"""

import re

from lab.artifacts import TOP

SOURCE = """\
// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

MODULE_VERSION(UCORE_VERSION);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("ucore, shortened");
"""


def files():
    """Return the files that replace the driver: path in the tree -> text.

    The tree may already have the short module.
    """
    version = re.search(r"^CFLAGS_driver/(?:main|short)(\.o = .*)", (TOP / "Kbuild").read_text(),
                        re.M)
    return {"Kbuild": "# SPDX-License-Identifier: GPL-2.0-only\nobj-m := ucore.o\n"
                      f"ucore-y := driver/short.o\nCFLAGS_driver/short{version[1]}\n",
            "driver/short.c": SOURCE}
