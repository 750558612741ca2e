// Texture and surface access: objects, and the texture<> and surface<> references removed in CUDA 12.
#pragma once

#define cudaTextureType1D 0x01
#define cudaTextureType2D 0x02
#define cudaTextureType3D 0x03
#define cudaTextureTypeCubemap 0x0C
#define cudaTextureType1DLayered 0xF1
#define cudaTextureType2DLayered 0xF2
#define cudaTextureTypeCubemapLayered 0xFC
#define cudaSurfaceType1D 0x01
#define cudaSurfaceType2D 0x02
#define cudaSurfaceType3D 0x03
#define cudaSurfaceTypeCubemap 0x0C
#define cudaSurfaceType1DLayered 0xF1
#define cudaSurfaceType2DLayered 0xF2
#define cudaSurfaceTypeCubemapLayered 0xFC

template <class T, int texType = cudaTextureType1D, enum cudaTextureReadMode mode = cudaReadModeElementType>
struct texture : textureReference {
  texture(int norm = 0, enum cudaTextureFilterMode fMode = cudaFilterModePoint, enum cudaTextureAddressMode aMode = cudaAddressModeClamp);
  texture(int norm, enum cudaTextureFilterMode fMode, enum cudaTextureAddressMode aMode, struct cudaChannelFormatDesc desc);
};
template <class T, int dim = cudaSurfaceType1D> struct surface : surfaceReference { surface(); };
template <int dim> struct surface<void, dim> : surfaceReference { surface(); };

namespace cudalint {
template <int size, class T> struct float_like;
template <class T> struct float_like<1, T> { typedef float type; };
template <class T> struct float_like<2, T> { typedef float2 type; };
template <class T> struct float_like<4, T> { typedef float4 type; };
template <class T, enum cudaTextureReadMode mode> struct texel { typedef T type; };
template <class T> struct texel<T, cudaReadModeNormalizedFloat> {
  typedef typename float_like<sizeof(T) / sizeof(T().x), T>::type type;
};
template <> struct texel<signed char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct texel<char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct texel<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct texel<short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct texel<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };
}

// Each fetch in three forms: from an object, from an object into *ptr, and from a reference.
#define CUDALINT_TEX(name, ...) \
  template <class T> T name(cudaTextureObject_t texObject, __VA_ARGS__); \
  template <class T> void name(T *ptr, cudaTextureObject_t texObject, __VA_ARGS__); \
  template <class T, int type, enum cudaTextureReadMode mode> \
  typename cudalint::texel<T, mode>::type name(texture<T, type, mode> t, __VA_ARGS__);
CUDALINT_TEX(tex1Dfetch, int x)
CUDALINT_TEX(tex1D, float x)
CUDALINT_TEX(tex2D, float x, float y)
CUDALINT_TEX(tex2Dgather, float x, float y, int comp = 0)
CUDALINT_TEX(tex3D, float x, float y, float z)
CUDALINT_TEX(texCubemap, float x, float y, float z)
CUDALINT_TEX(tex1DLayered, float x, int layer)
CUDALINT_TEX(tex2DLayered, float x, float y, int layer)
CUDALINT_TEX(texCubemapLayered, float x, float y, float z, int layer)
CUDALINT_TEX(tex1DLod, float x, float level)
CUDALINT_TEX(tex2DLod, float x, float y, float level)
CUDALINT_TEX(tex3DLod, float x, float y, float z, float level)
CUDALINT_TEX(texCubemapLod, float x, float y, float z, float level)
CUDALINT_TEX(tex2DLayeredLod, float x, float y, int layer, float level)
CUDALINT_TEX(tex2DGrad, float x, float y, float2 dPdx, float2 dPdy)
CUDALINT_TEX(tex3DGrad, float x, float y, float z, float4 dPdx, float4 dPdy)
#undef CUDALINT_TEX

#define CUDALINT_SURF(name, ...) \
  template <class T> T name##read(cudaSurfaceObject_t surfObject, __VA_ARGS__, enum cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap); \
  template <class T> void name##read(T *data, cudaSurfaceObject_t surfObject, __VA_ARGS__, enum cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap); \
  template <class T> void name##write(T data, cudaSurfaceObject_t surfObject, __VA_ARGS__, enum cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap); \
  template <class T, int type> T name##read(surface<void, type> surf, __VA_ARGS__, enum cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap); \
  template <class T, int type> void name##read(T *data, surface<void, type> surf, __VA_ARGS__, enum cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap); \
  template <class T, int type> void name##write(T data, surface<void, type> surf, __VA_ARGS__, enum cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap);
CUDALINT_SURF(surf1D, int x)
CUDALINT_SURF(surf2D, int x, int y)
CUDALINT_SURF(surf3D, int x, int y, int z)
CUDALINT_SURF(surf1DLayered, int x, int layer)
CUDALINT_SURF(surf2DLayered, int x, int y, int layer)
CUDALINT_SURF(surfCubemap, int x, int y, int face)
CUDALINT_SURF(surfCubemapLayered, int x, int y, int layerFace)
#undef CUDALINT_SURF

// Binding of texture references
template <class T, int dim, enum cudaTextureReadMode mode>
cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr, const struct cudaChannelFormatDesc &desc, size_t size = 0xffffffff);
template <class T, int dim, enum cudaTextureReadMode mode>
cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr, size_t size = 0xffffffff);
template <class T, int dim, enum cudaTextureReadMode mode>
cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr, const struct cudaChannelFormatDesc &desc, size_t width, size_t height, size_t pitch);
template <class T, int dim, enum cudaTextureReadMode mode>
cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &tex, const void *devPtr, size_t width, size_t height, size_t pitch);
template <class T, int dim, enum cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &tex, cudaArray_const_t array, const struct cudaChannelFormatDesc &desc);
template <class T, int dim, enum cudaTextureReadMode mode>
cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &tex, cudaArray_const_t array);
template <class T, int dim, enum cudaTextureReadMode mode>
cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dim, mode> &tex, cudaMipmappedArray_const_t mipmappedArray, const struct cudaChannelFormatDesc &desc);
template <class T, int dim, enum cudaTextureReadMode mode> cudaError_t cudaUnbindTexture(const texture<T, dim, mode> &tex);
template <class T, int dim> cudaError_t cudaBindSurfaceToArray(const surface<T, dim> &surf, cudaArray_const_t array, const struct cudaChannelFormatDesc &desc);
template <class T, int dim> cudaError_t cudaBindSurfaceToArray(const surface<T, dim> &surf, cudaArray_const_t array);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *texref, const void *devPtr, const struct cudaChannelFormatDesc *desc, size_t size = 0xffffffff);
cudaError_t cudaBindTextureToArray(const struct textureReference *texref, cudaArray_const_t array, const struct cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const struct textureReference *texref);
