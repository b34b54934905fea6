"""The faces of pagecost: charts, desktop app, notebook helper and command line."""
