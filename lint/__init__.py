"""Read CUDA sources, understand them, report what the hardware will do with them."""
