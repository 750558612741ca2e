"""Build a kernel and its fix, run both on a GPU, compare, time and judge."""
