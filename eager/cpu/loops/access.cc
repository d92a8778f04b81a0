#include "eager/cpu/loops/access.h"

#include <algorithm>

#include "eager/cpu/copy_bytes.h"
#include "eager/cpu/element_size.h"

namespace framejit::eager::cpu {
namespace {

/// Walks [start, start + n) as evenly spaced segments: calls visit(offset, stride, length, done so far).
template <class Visit>
void for_each_segment(const Access& access, int64_t start, int64_t n, const Visit& visit) {
  int rank = access.sizes.size();
  if (rank == 0) return visit(int64_t(0), int64_t(0), n, int64_t(0));
  Dims index(rank);
  int64_t offset = 0;
  for (int d = rank - 1; d >= 0; --d) {
    int64_t outer = d > 0 ? start / access.sizes[d] : 0;
    index[d] = start - outer * access.sizes[d];
    offset += index[d] * access.strides[d];
    start = outer;
  }
  int last = rank - 1;
  for (int64_t done = 0; done < n;) {
    int64_t length = std::min(n - done, access.sizes[last] - index[last]);
    visit(offset, access.strides[last], length, done);
    done += length;
    offset += length * access.strides[last];
    index[last] += length;
    for (int d = last; d > 0 && index[d] == access.sizes[d]; --d) {
      offset += access.strides[d - 1] - access.sizes[d] * access.strides[d];
      index[d] = 0;
      ++index[d - 1];
    }
  }
}

template <class T>
void scatter_segment(char* to, int64_t stride, const char* from, int64_t n) {
  T* out = reinterpret_cast<T*>(to);
  const T* in = reinterpret_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) out[i * stride] = in[i];
}

}  // namespace

Access merge_dims(const Dims& sizes, const Dims& strides) {
  Access access;
  for (int d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    int last = access.sizes.size() - 1;
    if (last >= 0 && access.strides[last] == strides[d] * sizes[d]) {
      access.sizes[last] *= sizes[d];
      access.strides[last] = strides[d];
    } else {
      access.sizes.push_back(sizes[d]);
      access.strides.push_back(strides[d]);
    }
  }
  if (access.sizes.size() == 1 && access.strides[0] == 0) return {};
  return access;
}

void gather(const Access& access, const void* base, int64_t item, CastFn cast, int64_t start, int64_t n,
            void* to, int64_t to_item) {
  for_each_segment(access, start, n, [&](int64_t offset, int64_t stride, int64_t length, int64_t done) {
    cast(static_cast<const char*>(base) + offset * item, stride, static_cast<char*>(to) + done * to_item,
         length);
  });
}

void scatter(const Access& access, void* base, int64_t item, int64_t start, int64_t n, const void* from) {
  for_each_segment(access, start, n, [&](int64_t offset, int64_t stride, int64_t length, int64_t done) {
    char* out = static_cast<char*>(base) + offset * item;
    const char* in = static_cast<const char*>(from) + done * item;
    if (stride == 1) {
      copy_bytes(out, in, size_t(length * item));
    } else {
      for_size(item, [&](auto zero) { scatter_segment<decltype(zero)>(out, stride, in, length); });
    }
  });
}

}  // namespace framejit::eager::cpu
