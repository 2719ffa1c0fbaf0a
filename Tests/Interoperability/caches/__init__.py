# SPDX-License-Identifier: Apache-2.0
"""Invented token caches in the shapes that real identity services and libraries produce."""
