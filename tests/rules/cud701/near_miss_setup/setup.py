import os

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

DEBUG = os.getenv("DEBUG", "0") == "1"
nvcc_args = ["-O3", "-lineinfo"]
if DEBUG:
    nvcc_args = ["-g", "-G"]

setup(
    ext_modules=[
        CUDAExtension(
            "fused",
            ["fused.cu"],
            extra_compile_args={"cxx": ["-G"], "nvcc": nvcc_args + (["-G"] if DEBUG else [])},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
