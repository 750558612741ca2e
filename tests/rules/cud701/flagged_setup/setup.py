from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

nvcc_args = ["-O3", "--use_fast_math"]
nvcc_args += ["-gencode=arch=compute_90,code=sm_90", "-G"]  # expect: CUD701@55

setup(
    name="fused",
    ext_modules=[
        CUDAExtension(
            "fused",
            ["fused.cpp", "fused.cu"],
            extra_compile_args={"cxx": ["-O3"], "nvcc": nvcc_args},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
