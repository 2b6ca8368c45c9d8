"""The stage model outside the database: as YAML, as a list of differences, as a picture."""
