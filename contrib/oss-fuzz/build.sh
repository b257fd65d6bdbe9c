#!/bin/bash -eu
# Builds the targets into $OUT, each with its seeds.
cd "$SRC/ir_plugin"
pip3 install ".[types,onnx,text]"
python3 contrib/oss-fuzz/make_seed_corpus.py . "$OUT"
for target in contrib/oss-fuzz/fuzz_*.py; do
  compile_python_fuzzer "$target" --add-data "schemas:ir_plugin/schemas" --collect-all ir_plugin
done
