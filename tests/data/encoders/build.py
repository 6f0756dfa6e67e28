"""Make the small encoders beside this file again: `pip install onnx tokenizers`, then run it.

Each is the sum of its words' vectors, in the shape of one exporter, or broken in one way. They are
committed, so that tests need neither package `onnx` nor a download.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

HERE = Path(__file__).parent
WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "text", "token", "login", "picture", "image")
ROWS = {"token": (1, 0, 0), "login": (1, 0.2, 0), "picture": (0, 1, 0), "image": (0, 1, 0.2)}


def main() -> None:
    write("usual")
    write("short-names", inputs=("ids", "mask"))
    write("no-mask", inputs=("tokens",))
    write("other-output", outputs=("embedding",))
    write("both-outputs", outputs=("pieces", "sentence_embedding"))
    write("per-token", outputs=("pieces",))
    write("takes-floats", kind=TensorProto.FLOAT)
    write("takes-two-tokens", length=2)
    write("gives-nan", scale=float("nan"))
    write("gives-zeros", scale=0.0)
    write_tokenizer()


def write(
    name: str,
    inputs: Sequence[str] = ("input_ids", "attention_mask"),
    outputs: Sequence[str] = ("sentence_embedding",),
    kind: int = TensorProto.INT64,
    length: str | int = "length",
    scale: float = 1.0,
) -> None:
    rows = numpy.array([ROWS.get(word, (0, 0, 0.1)) for word in WORDS], "float32") * scale
    steps = []
    if kind == TensorProto.FLOAT:
        steps.append(helper.make_node("Cast", [inputs[0]], ["numbers"], to=TensorProto.INT64))
    numbers = "numbers" if kind == TensorProto.FLOAT else inputs[0]
    steps.append(helper.make_node("Gather", ["rows", numbers], ["pieces"]))
    kept = "pieces"
    if len(inputs) > 1:
        steps += [
            helper.make_node("Cast", [inputs[1]], ["share"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["share", "last"], ["shares"]),
            helper.make_node("Mul", ["pieces", "shares"], ["kept"]),
        ]
        kept = "kept"
    steps.append(helper.make_node("ReduceSum", [kept, "middle"], ["sum"], keepdims=0))
    steps += [helper.make_node("Identity", ["sum"], [o]) for o in outputs if o != "pieces"]
    sizes = {"pieces": ("batch", length, 3)}
    tensors = {"rows": rows, "last": numpy.array([2]), "middle": numpy.array([1])}
    graph = helper.make_graph(
        steps,
        "encoder",
        [helper.make_tensor_value_info(i, kind, ("batch", length)) for i in inputs],
        [
            helper.make_tensor_value_info(o, TensorProto.FLOAT, sizes.get(o, ("batch", 3)))
            for o in outputs
        ],
        [numpy_helper.from_array(array, key) for key, array in tensors.items()],
    )
    opset = helper.make_opsetid("", 18)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=9)
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())


def write_tokenizer() -> None:
    numbers = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", numbers["[CLS]"]), ("[SEP]", numbers["[SEP]"])],
    )
    tokenizer.enable_padding(length=8)  # as published tokenizers have it, from their training
    tokenizer.enable_truncation(4)
    tokenizer.save(str(HERE / "tokenizer.json"))


if __name__ == "__main__":
    main()
