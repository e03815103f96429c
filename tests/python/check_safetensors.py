"""An independent reader of model files: the published safetensors rules, in plain Python.

usage: check_safetensors.py FILE...     exit 0 if every FILE is a valid safetensors file and a plumb container

Only struct and json are needed. With the package safetensors, each file is also opened by it and compared; with the
package xxhash, the checksums are computed as docs/model_file.md says.
"""

import json
import struct
import sys

SIZES = {"F64": 8, "F32": 4, "I64": 8, "I32": 4, "U64": 8, "U32": 4, "U8": 1}
DIGEST_AT = 35


class Invalid(Exception):
    pass


def require(holds, message):
    if not holds:
        raise Invalid(message)


def distinct(pairs):
    names = [name for name, _ in pairs]
    require(len(names) == len(set(names)), "a key appears twice")
    return dict(pairs)


def read(data):
    """The metadata and the tensors {name: (dtype, shape, bytes)} of a safetensors file, in file order."""
    require(len(data) >= 8, "shorter than the length of its header")
    (length,) = struct.unpack("<Q", data[:8])
    require(length <= 100_000_000, "header larger than safetensors allows")
    require(length <= len(data) - 8, "header longer than the file")
    header = data[8 : 8 + length]
    require(header[:1] == b"{", "header does not begin with {")
    entries = json.loads(header.decode("utf-8"), object_pairs_hook=distinct)
    metadata = entries.pop("__metadata__", {})
    for key, value in metadata.items():
        require(isinstance(value, str), f"metadata {key!r} is not a string")

    buffer, tensors, expected = data[8 + length :], {}, 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        require(set(entry) == {"dtype", "shape", "data_offsets"}, f"keys of tensor {name!r}")
        begin, end = entry["data_offsets"]
        require(type(begin) is int and type(end) is int, f"offsets of tensor {name!r} are not whole numbers")
        count = 1
        for size in entry["shape"]:
            require(type(size) is int and size >= 0, f"shape of tensor {name!r}")
            count *= size
        require(begin == expected, f"tensor {name!r} begins at {begin}, the one before ends at {expected}")
        require(end - begin == count * SIZES[entry["dtype"]], f"size of tensor {name!r}")
        tensors[name] = (entry["dtype"], entry["shape"], buffer[begin:end])
        expected = end
    require(expected == len(buffer), "bytes that belong to no tensor")
    return metadata, tensors


def check_plumb(data, metadata, tensors):
    """What docs/model_file.md promises beyond safetensors."""
    (length,) = struct.unpack("<Q", data[:8])
    require(length % 8 == 0, "data does not begin at a multiple of 8")
    require(list(metadata) == ["digest", "plumb", "xxh3"], f"metadata keys {list(metadata)}")
    require(data[DIGEST_AT : DIGEST_AT + 16].decode() == metadata["digest"], "the digest is not at its place")
    offset = 0
    for name, (dtype, _, content) in tensors.items():
        require(offset % SIZES[dtype] == 0, f"tensor {name!r} is not aligned")
        offset += len(content)
    try:
        import xxhash
    except ImportError:
        return []
    zeroed = data[:DIGEST_AT] + b"0" * 16 + data[DIGEST_AT + 16 :]
    require(xxhash.xxh3_64_hexdigest(zeroed) == metadata["digest"], "the digest of the file is wrong")
    sums = " ".join(xxhash.xxh3_64_hexdigest(content) for _, _, content in tensors.values())
    require(sums == metadata["xxh3"], "the checksum of a tensor is wrong")
    return ["checksums"]


def compare_with_package(data, tensors):
    try:
        import safetensors
    except ImportError:
        return []
    theirs = {}
    for name, entry in safetensors.deserialize(data):
        theirs[name] = (entry["dtype"], list(entry["shape"]), bytes(entry["data"]))
    require(theirs == tensors, "the package safetensors reads something else")
    return ["package safetensors"]


def main(paths):
    failed = not paths
    for path in paths:
        with open(path, "rb") as file:
            data = file.read()
        try:
            metadata, tensors = read(data)
            done = ["layout"] + check_plumb(data, metadata, tensors) + compare_with_package(data, tensors)
            print(f"{path}: {len(tensors)} tensors, {len(data)} bytes; checked: {', '.join(done)}")
        except (Invalid, ValueError, KeyError, TypeError) as error:
            print(f"error: {path}: {error}", file=sys.stderr)
            failed = True
    if not paths:
        print(__doc__, file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
