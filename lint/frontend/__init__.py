"""The only place that knows libclang: sources in, model out."""
