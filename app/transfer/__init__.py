"""Lists of leads, in and out of a workspace.

- `cells`: a CSV file as rows of cells, with the line each began on; formulas made harmless and read back.
- `mapping`: what a file's columns and words mean, from YAML: a preset of presets/, or one's own.
- `values`: amounts, dates and truths in declared formats; nothing is guessed.
- `rows`: one row of cells as one row for leadline.import_leads().
- `importing`: batch after batch into the database, and what becomes of each row.
- `exporting`: a workspace as a file that the preset `leadline` reads back.
"""
