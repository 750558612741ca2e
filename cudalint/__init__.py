"""cudalint: reads CUDA C++ the way the hardware will run it."""

__version__ = "0.1.0"
