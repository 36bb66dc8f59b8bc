#!/usr/bin/env bash
# A generic lambda in device code is a host function to NVRTC before 13.2, and to no nvcc.
#
# nvcc 13.1 compiles a kernel that calls [&](auto x) { ... }. NVRTC 13.1 (also 12.4, 12.9 and 13.0) compiles the same
# kernel with [&](int x), and refuses the generic one: "A function without execution space annotations ... is considered
# a host function", with -std=c++20, too. Annotating the lambda is no way out ("requires --extended-lambda"), only
# -default-device is. NVRTC 13.2 (also 13.3, 13.4 and 13.5) compiles all of it. So code that a build by nvcc has checked may
# fail where the program runs, and what the newest NVRTC takes may fail by that of the installed toolkit.
#
# Seen with the packages below on Linux x86-64, without a GPU:
#   NVRTC 13.1: plain compiles; generic fails: host function; generic with -default-device compiles
#   NVRTC 13.2: plain compiles; generic compiles; generic with -default-device compiles
#   nvcc 13.1.115: plain compiles; generic compiles
#
# Exit codes: 0 as seen; 1 something has changed; 77 the packages cannot be installed, or there is no host compiler.
set -euo pipefail

folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
command -v g++ >/dev/null || exit 77
install() { python3 -m pip install -qq --no-deps --target "$folder/$1" "${@:2}" || exit 77; }
install old nvidia-cuda-nvrtc==13.1.115
install new nvidia-cuda-nvrtc==13.2.86
install nvcc nvidia-cuda-nvcc==13.1.115 nvidia-cuda-crt==13.1.115 nvidia-nvvm==13.1.115 nvidia-cuda-runtime==13.1.80

for kind in plain:int generic:auto; do
  cat >"$folder/${kind%:*}.cu" <<EOF
template <typename F>
__device__ void call(const F& f) { f(1); }
extern "C" __global__ void kernel(int* out) {
  call([&](${kind#*:} x) { out[0] = x; });
}
EOF
done

cat >"$folder/by_nvrtc.py" <<'EOF'
import ctypes
import pathlib
import sys

nvrtc = ctypes.CDLL(str(next(pathlib.Path(sys.argv[1]).rglob("libnvrtc.so.13"))))
folder = pathlib.Path(sys.argv[2])


def outcome(kind, *options):
    program = ctypes.c_void_p()
    source = (folder / f"{kind}.cu").read_bytes()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None) == 0
    options = (b"--gpu-architecture=compute_90",) + options
    if nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options)) == 0:
        return "compiles"
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return "fails: host function" if b"is considered a host function" in log.value else f"fails: {log.value.decode()}"


major, minor = ctypes.c_int(), ctypes.c_int()
nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
with_default = outcome("generic", b"-default-device")
print(f"NVRTC {major.value}.{minor.value}: plain {outcome('plain')}; generic {outcome('generic')}; "
      f"generic with -default-device {with_default}")
EOF

nvcc="$(find "$folder/nvcc" -path '*/bin/nvcc' -type f | head -n 1)"
chmod -R u+x "$(dirname "$nvcc")" "$(find "$folder/nvcc" -path '*/nvvm/bin' -type d | head -n 1)"
by_nvcc() {
  if "$nvcc" -arch=compute_90 -ptx -o "$folder/$1.ptx" "$folder/$1.cu" 2>"$folder/$1.log"; then
    echo compiles
  else
    echo "fails: $(cat "$folder/$1.log")"
  fi
}

{
  python3 "$folder/by_nvrtc.py" "$folder/old" "$folder"
  python3 "$folder/by_nvrtc.py" "$folder/new" "$folder"
  echo "nvcc $("$nvcc" --version | sed -n 's/.*, V//p'): plain $(by_nvcc plain); generic $(by_nvcc generic)"
} | tee "$folder/seen"

diff "$folder/seen" - <<'EOF'
NVRTC 13.1: plain compiles; generic fails: host function; generic with -default-device compiles
NVRTC 13.2: plain compiles; generic compiles; generic with -default-device compiles
nvcc 13.1.115: plain compiles; generic compiles
EOF
