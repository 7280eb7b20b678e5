# SPDX-License-Identifier: GPL-2.0-only
"""`make mutants`: insert small errors into the driver one by one and check that the tests
detect them.
"""
