"""Turns model files into seeds for model_fuzz: model_seed.py FILE.plumb... FOLDER"""
import json
import pathlib
import struct
import sys

SLOTS = ["weights", "weights.offsets", "weights.index", "weights.values", "bias", "votes", "vetoes.offsets", "vetoes.index", "vetoes.values", "labels.bytes",
         "labels.ends", "levels.bytes", "levels.ends", "aliased", "standard_errors.bias", "standard_errors.weights", "statistics.s", "statistics.n",
         "terms.bytes", "terms.ends", "document_frequencies"]
SIZES = {"F64": 8, "I64": 8, "U64": 8, "U32": 4, "I32": 4, "U8": 1}


def main():
    *files, folder = map(pathlib.Path, sys.argv[1:])
    for path in files:
        data = path.read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        header, body = json.loads(data[8 : 8 + length]), data[8 + length :]
        seed = header["__metadata__"]["plumb"].encode() + b"\x01"
        for slot in SLOTS:
            if slot not in header:
                seed += b"\xff"
                continue
            begin, end = header[slot]["data_offsets"]
            seed += bytes([(end - begin) // SIZES[header[slot]["dtype"]]]) + body[begin:end]
        (folder / path.stem).write_bytes(seed)


if __name__ == "__main__":
    main()
