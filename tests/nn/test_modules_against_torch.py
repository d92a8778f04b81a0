"""Modules with parameters copied from PyTorch's: the same outputs, gradients and state-dict names."""

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")

X = (2, 4, 9)  # (N, C, L)
IMAGE = (2, 4, 8, 8)
VOLUME = (1, 2, 5, 6, 5)
SEQUENCE = (3, 5, 8)  # (N, L, E) or (L, N, E)

# name, arguments, keyword arguments, shapes of the inputs
CASES = [
    ("Linear", (9, 3), {}, [X]), ("Bilinear", (4, 5, 3), {}, [(2, 4), (2, 5)]), ("Identity", (), {}, [X]), ("Flatten", (), {}, [IMAGE]),
    ("Unflatten", (1, (2, 2)), {}, [IMAGE]),
    ("Conv1d", (4, 6, 3), {"padding": 1}, [X]), ("Conv2d", (4, 6, 3), {"stride": 2, "groups": 2}, [IMAGE]),
    ("Conv2d", (4, 4, 3), {"padding": "same", "padding_mode": "reflect", "bias": False}, [IMAGE]), ("Conv3d", (2, 3, 2), {}, [VOLUME]),
    ("ConvTranspose1d", (4, 3, 3), {}, [X]), ("ConvTranspose2d", (4, 3, 3), {"stride": 2, "output_padding": 1}, [IMAGE]),
    ("ConvTranspose3d", (2, 2, 2), {}, [VOLUME]),
    ("BatchNorm1d", (4,), {}, [X]), ("BatchNorm2d", (4,), {"momentum": None}, [IMAGE]), ("BatchNorm3d", (2,), {"affine": False}, [VOLUME]),
    ("InstanceNorm1d", (4,), {}, [X]), ("InstanceNorm2d", (4,), {"affine": True, "track_running_stats": True}, [IMAGE]),
    ("GroupNorm", (2, 4), {}, [IMAGE]), ("LayerNorm", ((9,),), {}, [X]), ("RMSNorm", (9,), {}, [X]), ("LocalResponseNorm", (2,), {}, [IMAGE]),
    ("MaxPool1d", (2,), {}, [X]), ("MaxPool2d", (3, 2, 1), {}, [IMAGE]), ("MaxPool3d", (2,), {}, [VOLUME]), ("AvgPool1d", (2,), {}, [X]),
    ("AvgPool2d", (3, 2, 1), {"count_include_pad": False}, [IMAGE]), ("AvgPool3d", (2,), {}, [VOLUME]), ("AdaptiveAvgPool1d", (3,), {}, [X]),
    ("AdaptiveAvgPool2d", ((3, None),), {}, [IMAGE]), ("AdaptiveMaxPool2d", (3,), {}, [IMAGE]), ("LPPool2d", (2, 2), {}, [IMAGE]),
    ("ReflectionPad2d", (1,), {}, [IMAGE]), ("ReplicationPad1d", (2,), {}, [X]), ("ZeroPad2d", ((1, 2, 0, 1),), {}, [IMAGE]),
    ("ConstantPad1d", (1, 3.5), {}, [X]), ("CircularPad2d", (1,), {}, [IMAGE]),
    ("Upsample", (), {"scale_factor": 2, "mode": "bilinear", "align_corners": True}, [IMAGE]), ("UpsamplingNearest2d", (), {"scale_factor": 2}, [IMAGE]),
    ("PixelShuffle", (2,), {}, [IMAGE]), ("PixelUnshuffle", (2,), {}, [IMAGE]), ("ChannelShuffle", (2,), {}, [IMAGE]),
    ("Fold", ((4, 5), (2, 2)), {}, [(2, 8, 12)]), ("Unfold", ((2, 2),), {}, [IMAGE]),
    *[(name, (), {}, [X]) for name in (
        "ReLU ReLU6 ELU SELU CELU GELU SiLU Mish Hardswish Hardsigmoid Hardtanh Hardshrink Softshrink Tanhshrink Softsign Softplus LeakyReLU Sigmoid "
        "Tanh LogSigmoid PReLU"
    ).split()],
    ("Softmax", (1,), {}, [X]), ("LogSoftmax", (-1,), {}, [X]), ("Softmin", (1,), {}, [X]), ("Softmax2d", (), {}, [IMAGE]), ("GLU", (1,), {}, [X]),
    ("Threshold", (0.1, 20.0), {}, [X]),
    ("CosineSimilarity", (), {}, [X, X]), ("PairwiseDistance", (), {}, [(3, 4), (3, 4)]),
    ("RNN", (8, 5), {"nonlinearity": "relu"}, [SEQUENCE]), ("LSTM", (8, 5, 2), {"bidirectional": True, "batch_first": True}, [SEQUENCE]),
    ("LSTM", (8, 5), {"proj_size": 3}, [SEQUENCE]), ("GRU", (8, 5, 2), {"bias": False}, [SEQUENCE]), ("RNNCell", (8, 5), {}, [(3, 8)]),
    ("LSTMCell", (8, 5), {}, [(3, 8)]), ("GRUCell", (8, 5), {}, [(3, 8)]),
    ("MultiheadAttention", (8, 2), {}, [SEQUENCE, SEQUENCE, SEQUENCE]), ("MultiheadAttention", (8, 4), {"batch_first": True, "bias": False}, [SEQUENCE, SEQUENCE, SEQUENCE]),
    ("TransformerEncoderLayer", (8, 2, 16), {"dropout": 0.0}, [SEQUENCE]), ("TransformerEncoderLayer", (8, 2, 16), {"dropout": 0.0, "norm_first": True, "activation": "gelu", "batch_first": True}, [SEQUENCE]),
    ("TransformerDecoderLayer", (8, 2, 16), {"dropout": 0.0}, [SEQUENCE, SEQUENCE]), ("Transformer", (8, 2, 1, 1, 16), {"dropout": 0.0}, [SEQUENCE, SEQUENCE]),
    *[(name, (), {}, [(4, 3), (4, 3)]) for name in "MSELoss L1Loss SmoothL1Loss HuberLoss BCEWithLogitsLoss PoissonNLLLoss KLDivLoss".split()],
    ("CosineEmbeddingLoss", (), {}, [(4, 3), (4, 3), "signs"]), ("MarginRankingLoss", (), {}, [(4,), (4,), "signs"]), ("HingeEmbeddingLoss", (), {}, [(4,), "signs"]),
    ("SoftMarginLoss", (), {}, [(4,), "signs"]), ("TripletMarginLoss", (), {}, [(4, 3)] * 3), ("CrossEntropyLoss", (), {"label_smoothing": 0.1}, [(4, 3), "classes"]), ("NLLLoss", (), {}, [(4, 3), "classes"]),
    ("MultiMarginLoss", (), {}, [(4, 3), "classes"]), ("Embedding", (6, 3), {"padding_idx": 2}, ["classes"]), ("EmbeddingBag", (6, 3), {"mode": "sum"}, ["bags"]),
]  # fmt: skip

INTEGERS = {
    "signs": np.array([1.0, -1, -1, 1]),
    "classes": np.array([0, 2, 1, 2]),
    "bags": np.array([[0, 2], [1, 5]]),
}


def _inputs(shapes):
    rng = np.random.default_rng(0)
    return [INTEGERS[shape] if isinstance(shape, str) else rng.standard_normal(shape) for shape in shapes]


def _run(library, module, arrays, shapes):
    inputs = [library.from_numpy(array.copy()) for array in arrays]
    floats = [
        x.requires_grad_() for x, shape in zip(inputs, shapes, strict=True) if not isinstance(shape, str)
    ]
    results = module(*inputs)
    flat = (
        [results]
        if isinstance(results, library.Tensor)
        else [y for part in results for y in ([part] if isinstance(part, library.Tensor) else part or [])]
    )
    loss = sum((y * y.detach().cos()).sum() for y in flat)
    if loss.requires_grad:
        loss.backward()
    gradients = [x.grad for x in floats] + [p.grad for _, p in sorted(module.named_parameters())]
    return [
        x if x is None else x.detach().numpy()
        for x in flat + gradients + [b for _, b in sorted(module.named_buffers())]
    ]


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "shapes"), CASES, ids=[f"{case[0]}-{i}" for i, case in enumerate(CASES)]
)
def test_module(name, args, kwargs, shapes):
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(*args, **kwargs).double()
    ours = getattr(fj.nn, name)(*args, **kwargs).double()
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state)
    ours.load_state_dict(
        {
            key: fj.from_numpy(value.numpy().copy()) if value.dim() else fj.tensor(value.item())
            for key, value in state.items()
        }
    )
    for training in (True, False):
        arrays = _inputs(shapes)
        for a, b in zip(
            _run(fj, ours.train(training), arrays, shapes),
            _run(torch, theirs.train(training), arrays, shapes),
            strict=True,
        ):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-8)
    if "Norm" not in name:  # PyTorch 2.13 prints a bias= that 2.12 and earlier lack
        assert repr(ours) == repr(theirs)


def test_packed_sequences():
    torch.manual_seed(0)
    theirs = torch.nn.LSTM(4, 3, bidirectional=True)
    ours = fj.nn.LSTM(4, 3, bidirectional=True)
    ours.load_state_dict(
        {key: fj.from_numpy(value.numpy().copy()) for key, value in theirs.state_dict().items()}
    )
    data = np.random.default_rng(0).standard_normal((5, 3, 4)).astype("f4")
    results = []
    for library, module in ((fj, ours), (torch, theirs)):
        packed = library.nn.utils.rnn.pack_padded_sequence(
            library.from_numpy(data.copy()), [2, 5, 3], enforce_sorted=False
        )
        output, (h, c) = module(packed)
        padded, lengths = library.nn.utils.rnn.pad_packed_sequence(output)
        results.append([x.detach().numpy() for x in (padded, lengths, h, c)])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["GRU", "LSTM"])
def test_what_subclasses_of_recurrent_layers_call(name):
    results = []
    for library in (fj, torch):
        layer = getattr(library.nn, name)(3, 5, num_layers=2, bidirectional=True)
        packed = library.nn.utils.rnn.pack_sequence([library.ones(3, 3), library.ones(2, 3)])
        size = layer.get_expected_hidden_size(library.ones(4, 6, 3), None)
        state = library.arange(120.0).reshape(4, 6, 5)
        state = (state, state * 2) if name == "LSTM" else state
        layer.check_forward_args(library.ones(4, 6, 3), state, None)
        with pytest.raises(RuntimeError, match="Expected hidden.* size"):
            layer.check_forward_args(library.ones(4, 7, 3), state, None)
        turned = layer.permute_hidden(state, library.tensor([5, 4, 3, 2, 1, 0]))
        turned = turned if name == "LSTM" else (turned,)
        results.append([size, layer.get_expected_hidden_size(packed.data, packed.batch_sizes), [t.tolist() for t in turned]])
        assert packed.half().data.dtype == library.float16
    assert results[0] == results[1]


@pytest.mark.parametrize("options", [dict(), dict(out_features=(2, 3), bias=True, reduction="sum"), dict(ignore_index=1, label_smoothing=0.1)])
def test_linear_cross_entropy_loss(options):
    results = []
    for library in (fj, torch):
        module = library.nn.LinearCrossEntropyLoss(4, 5, **options)
        with library.no_grad():
            for parameter in module.parameters():
                parameter.copy_(library.arange(float(parameter.numel())).reshape(parameter.shape).sin())
        places = options.get("out_features", ())
        target = library.arange(3 * int(np.prod(places))).reshape(3, *places) % 5
        loss = module(library.arange(12.0).reshape(3, 4).cos(), target)
        loss.sum().backward()
        results.append((repr(module), sorted(module.state_dict()), loss.detach().numpy(), module.linear.weight.grad.numpy()))
    (text, names, loss, grad), theirs = results
    assert (text, names) == theirs[:2]
    np.testing.assert_allclose(loss, theirs[2], rtol=1e-5)
    np.testing.assert_allclose(grad, theirs[3], rtol=1e-4, atol=1e-6)
