# SPDX-License-Identifier: GPL-2.0-only
"""`make coverage`: lines of the driver that no test runs, with reasons."""
