"""Comparisons of Leadline's way of writing with others that do the same work; what they print is ratios."""
