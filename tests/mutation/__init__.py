# SPDX-License-Identifier: GPL-2.0-only
"""`make mutants`: small mistakes put into the driver one by one; do the tests notice?"""
