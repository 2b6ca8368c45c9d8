"""Leadline's doorman: it inserts activities and reads views; PostgreSQL decides."""

__version__ = "0.1.0"
