"""Tests of the service layer."""
