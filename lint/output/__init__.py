"""One module per output format, over immutable diagnostics."""
