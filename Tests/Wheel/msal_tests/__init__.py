# SPDX-License-Identifier: Apache-2.0
"""Stands where MSAL's tests expect their package, whose source distribution leaves this file and http_client.py out."""

import unittest

__all__ = ["unittest"]
