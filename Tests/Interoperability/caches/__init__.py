"""Invented token caches in the shapes that real identity services and libraries produce."""
