# SPDX-License-Identifier: Apache-2.0
"""Packs the Python package and the library as a wheel, without tools from elsewhere: wheel.py PROJECT LIBRARY VERSION FOLDER"""

from __future__ import annotations

import base64
import hashlib
import pathlib
import platform
import re
import subprocess
import sys
import zipfile

# What the wheel may expect of a system besides glibc, by the policies named manylinux.
EXPECTED = {"libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"}
METADATA = """\
Metadata-Version: 2.4
Name: swift-token-cache
Version: {version}
Summary: Sealed token cache on Linux that programs with MSAL share
License-Expression: Apache-2.0 AND ISC
License-File: LICENSE
License-File: LICENSE.libsodium
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
Requires-Python: >=3.9
Requires-Dist: msal>=1.39,<2
Description-Content-Type: text/markdown

{description}"""


def tag(library: pathlib.Path) -> str:
    """The oldest glibc that has all symbols that the library needs, as a tag; as auditwheel finds it."""
    text = subprocess.run(["readelf", "--wide", "--dynamic", "--version-info", library], capture_output=True, text=True, check=True).stdout
    if others := set(re.findall(r"NEEDED.*\[(.+?)\.so", text)) - EXPECTED:
        raise SystemExit(f"the library needs {', '.join(sorted(others))}, which not every system has")
    minor = max(int(found) for found in re.findall(r"GLIBC_2\.(\d+)", text))
    return f"py3-none-manylinux_2_{minor}_{platform.machine()}"


def libsodium_license() -> bytes:
    """The licence of the libsodium that is in the library, as the distribution records it."""
    return pathlib.Path("/usr/share/doc/libsodium-dev/copyright").read_bytes()


def pack(project: pathlib.Path, library: pathlib.Path, version: str, folder: pathlib.Path) -> pathlib.Path:
    name, python = f"swift_token_cache-{version}", project / "Python"
    info = f"{name}.dist-info"
    description = (python / "README.md").read_text()
    files = {f"swift_token_cache/{path.name}": path.read_bytes() for path in sorted((python / "swift_token_cache").iterdir())
             if path.suffix == ".py" or path.name == "py.typed"}
    files["swift_token_cache/libtokencache.so.1"] = library.read_bytes()
    files[f"{info}/METADATA"] = METADATA.format(version=version, description=description).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: build-wheel\nRoot-Is-Purelib: false\nTag: {tag(library)}\n".encode()
    files[f"{info}/licenses/LICENSE"] = (project / "LICENSE").read_bytes()
    files[f"{info}/licenses/LICENSE.libsodium"] = libsodium_license()
    record = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}"
              for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    wheel = folder / f"{name}-{tag(library)}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o100644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


if __name__ == "__main__":
    print(pack(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], pathlib.Path(sys.argv[4])))
