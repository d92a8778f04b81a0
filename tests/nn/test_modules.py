"""Every module against PyTorch's of the same arguments: repr, state, output, gradients; eager and compiled."""

import numpy as np
import pytest

import framejit as fj

torch = pytest.importorskip("torch")


def to_torch(tensor):
    return torch.from_numpy(tensor.detach().numpy().copy())


def random(shape, seed):
    return fj.from_numpy(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def flat(outputs):
    """All tensors in nested tuples."""
    if isinstance(outputs, (tuple, list)):
        return [tensor for output in outputs for tensor in flat(output)]
    return [] if outputs is None else [outputs]


def compare(got, want, tolerance=2e-5):
    assert tuple(got.shape) == tuple(want.shape)
    np.testing.assert_allclose(got.detach().numpy(), want.detach().numpy(), rtol=tolerance, atol=tolerance)


def same_text(ours, theirs):
    return repr(ours).replace("framejit", "torch") == repr(theirs)


def twins(make):
    """The module in framejit and in PyTorch, with the same parameters (not PyTorch's all-equal initial ones)."""
    ours, theirs = make(fj.nn), make(torch.nn)
    assert same_text(ours, theirs), (repr(ours), repr(theirs))
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for i, parameter in enumerate(ours.parameters()):
        with fj.no_grad():
            parameter.copy_(random(tuple(parameter.shape), 100 + i) * 0.5)
    theirs.load_state_dict({name: to_torch(value) for name, value in ours.state_dict().items()})
    return ours, theirs


def compare_results(got, want, ours, theirs, inputs, their_inputs):
    got, want = flat(got), flat(want)
    assert len(got) == len(want)
    for one, other in zip(got, want):
        compare(one, other)
    differentiable = [i for i, output in enumerate(want) if output.requires_grad]
    if not differentiable:
        return
    weights = [random(tuple(output.shape), 50 + i) for i, output in enumerate(got)]
    sum((got[i] * weights[i]).sum() for i in differentiable).backward()
    sum((want[i] * to_torch(weights[i])).sum() for i in differentiable).backward()
    for x, y in zip(inputs, their_inputs):
        if y.requires_grad and y.grad is not None:
            compare(x.grad, y.grad, 1e-4)
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters()):
        if q.grad is not None:
            assert p.grad is not None, name
            compare(p.grad, q.grad, 1e-4)


def make_inputs(shapes):
    inputs = [random(shape, seed) if isinstance(shape, tuple) else shape for seed, shape in enumerate(shapes)]
    their_inputs = [to_torch(x) for x in inputs]
    for x, y in zip(inputs, their_inputs):
        if y.is_floating_point():
            x.requires_grad_()
            y.requires_grad_()
    return inputs, their_inputs


CHANNELS1, CHANNELS2, CHANNELS3 = (2, 4, 9), (2, 4, 8, 7), (2, 4, 5, 6, 4)

CASES = {
    # activations
    **{
        name: (lambda nn, name=name: getattr(nn, name)(), [(3, 5)])
        for name in "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid Mish PReLU ReLU "
        "ReLU6 SELU Sigmoid SiLU Softplus Softshrink Softsign Tanh Tanhshrink".split()
        if name != "GLU"
    },
    "GLU": (lambda nn: nn.GLU(1), [(3, 6)]),
    "PReLU per channel": (lambda nn: nn.PReLU(4, init=0.1), [CHANNELS2]),
    "ReLU in place": (lambda nn: nn.Sequential(nn.Linear(5, 4), nn.ReLU(inplace=True)), [(3, 5)]),
    "ELU in place": (lambda nn: nn.Sequential(nn.Linear(5, 4), nn.ELU(0.5, inplace=True)), [(3, 5)]),
    "Softmin": (lambda nn: nn.Softmin(dim=1), [(3, 4)]),
    "Softmax2d": (lambda nn: nn.Softmax2d(), [CHANNELS2]),
    "Threshold": (lambda nn: nn.Threshold(0.1, 20.0), [(3, 4)]),
    "RReLU": (lambda nn: nn.RReLU().eval(), [(3, 4)]),
    # convolutions
    "Conv1d": (lambda nn: nn.Conv1d(4, 6, 3, padding=1), [CHANNELS1]),
    "Conv2d": (
        lambda nn: nn.Conv2d(4, 6, (3, 2), stride=2, padding=(1, 0), dilation=(1, 2), groups=2),
        [CHANNELS2],
    ),
    "Conv2d same": (lambda nn: nn.Conv2d(4, 3, 3, padding="same", bias=False), [CHANNELS2]),
    "Conv2d reflect": (lambda nn: nn.Conv2d(4, 3, 3, padding=1, padding_mode="reflect"), [CHANNELS2]),
    "Conv2d circular same": (
        lambda nn: nn.Conv2d(4, 3, (3, 2), padding="same", padding_mode="circular"),
        [CHANNELS2],
    ),
    "Conv3d": (lambda nn: nn.Conv3d(4, 3, 2), [CHANNELS3]),
    "ConvTranspose1d": (lambda nn: nn.ConvTranspose1d(4, 3, 3, stride=2), [CHANNELS1]),
    "ConvTranspose2d": (
        lambda nn: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2),
        [CHANNELS2],
    ),
    "ConvTranspose3d": (lambda nn: nn.ConvTranspose3d(4, 3, 2, dilation=2), [CHANNELS3]),
    # normalisation
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(4), [(5, 4)]),
    "BatchNorm1d of sequences": (lambda nn: nn.BatchNorm1d(4, momentum=None), [CHANNELS1]),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(4, eps=1e-3), [CHANNELS2]),
    "BatchNorm2d in eval": (lambda nn: nn.BatchNorm2d(4).eval(), [CHANNELS2]),
    "BatchNorm2d without statistics": (lambda nn: nn.BatchNorm2d(4, track_running_stats=False), [CHANNELS2]),
    "BatchNorm3d": (lambda nn: nn.BatchNorm3d(4, affine=False), [CHANNELS3]),
    "InstanceNorm1d": (lambda nn: nn.InstanceNorm1d(4), [CHANNELS1]),
    "InstanceNorm2d": (lambda nn: nn.InstanceNorm2d(4, affine=True, track_running_stats=True), [CHANNELS2]),
    "InstanceNorm2d unbatched": (lambda nn: nn.InstanceNorm2d(4), [(4, 5, 6)]),
    "InstanceNorm3d": (lambda nn: nn.InstanceNorm3d(4), [CHANNELS3]),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 4), [CHANNELS2]),
    "LocalResponseNorm": (lambda nn: nn.LocalResponseNorm(3), [CHANNELS2]),
    "LayerNorm without bias": (lambda nn: nn.LayerNorm(6, bias=False), [(3, 6)]),
    # pooling
    "MaxPool1d": (lambda nn: nn.MaxPool1d(3, stride=2, padding=1), [CHANNELS1]),
    "MaxPool2d": (lambda nn: nn.MaxPool2d(3, 2, ceil_mode=True), [CHANNELS2]),
    "MaxPool2d with indices": (lambda nn: nn.MaxPool2d(2, return_indices=True), [CHANNELS2]),
    "MaxPool3d": (lambda nn: nn.MaxPool3d(2), [CHANNELS3]),
    "AvgPool1d": (lambda nn: nn.AvgPool1d(3, padding=1), [CHANNELS1]),
    "AvgPool2d": (lambda nn: nn.AvgPool2d((3, 2), count_include_pad=False, padding=1), [CHANNELS2]),
    "AvgPool3d": (lambda nn: nn.AvgPool3d(2), [CHANNELS3]),
    "LPPool1d": (lambda nn: nn.LPPool1d(2, 3), [(2, 4, 9)]),
    "LPPool2d": (lambda nn: nn.LPPool2d(2, 2), [CHANNELS2]),
    "AdaptiveAvgPool1d": (lambda nn: nn.AdaptiveAvgPool1d(4), [CHANNELS1]),
    "AdaptiveAvgPool2d": (lambda nn: nn.AdaptiveAvgPool2d((None, 3)), [CHANNELS2]),
    "AdaptiveAvgPool3d": (lambda nn: nn.AdaptiveAvgPool3d(2), [CHANNELS3]),
    "AdaptiveMaxPool1d": (lambda nn: nn.AdaptiveMaxPool1d(4), [CHANNELS1]),
    "AdaptiveMaxPool2d": (lambda nn: nn.AdaptiveMaxPool2d((2, 3)), [CHANNELS2]),
    # padding, shuffling, resampling
    "ZeroPad2d": (lambda nn: nn.ZeroPad2d((1, 2, 0, 1)), [CHANNELS2]),
    "ConstantPad1d": (lambda nn: nn.ConstantPad1d(2, 3.5), [CHANNELS1]),
    "ReflectionPad1d": (lambda nn: nn.ReflectionPad1d(2), [CHANNELS1]),
    "ReflectionPad2d": (lambda nn: nn.ReflectionPad2d((1, 2, 3, 0)), [CHANNELS2]),
    "ReplicationPad2d": (lambda nn: nn.ReplicationPad2d(1), [CHANNELS2]),
    "ReplicationPad3d": (lambda nn: nn.ReplicationPad3d(1), [CHANNELS3]),
    "CircularPad2d": (lambda nn: nn.CircularPad2d(2), [CHANNELS2]),
    "PixelShuffle": (lambda nn: nn.PixelShuffle(2), [CHANNELS2]),
    "PixelUnshuffle": (lambda nn: nn.PixelUnshuffle(2), [(2, 3, 4, 6)]),
    "ChannelShuffle": (lambda nn: nn.ChannelShuffle(2), [CHANNELS2]),
    "Upsample nearest": (lambda nn: nn.Upsample(scale_factor=2), [CHANNELS2]),
    "Upsample bilinear": (lambda nn: nn.Upsample(size=(5, 9), mode="bilinear"), [CHANNELS2]),
    "UpsamplingBilinear2d": (lambda nn: nn.UpsamplingBilinear2d(scale_factor=2), [CHANNELS2]),
    "UpsamplingNearest2d": (lambda nn: nn.UpsamplingNearest2d(size=6), [CHANNELS2]),
    "Unfold": (lambda nn: nn.Unfold((2, 3), padding=1), [CHANNELS2]),
    "Fold": (lambda nn: nn.Fold((4, 5), 2), [(2, 8, 12)]),
    "Unflatten": (lambda nn: nn.Unflatten(1, (2, 2)), [CHANNELS1]),
    # distances and embeddings
    "CosineSimilarity": (lambda nn: nn.CosineSimilarity(), [(3, 4), (3, 4)]),
    "PairwiseDistance": (lambda nn: nn.PairwiseDistance(keepdim=True), [(3, 4), (3, 4)]),
    "Embedding": (lambda nn: nn.Embedding(7, 3, padding_idx=-2), [fj.tensor([[1, 2], [5, 1]])]),
    "EmbeddingBag": (lambda nn: nn.EmbeddingBag(7, 3, mode="sum"), [fj.tensor([[1, 2], [5, 1]])]),
    "EmbeddingBag with offsets": (
        lambda nn: nn.EmbeddingBag(7, 3),
        [fj.tensor([1, 2, 5]), fj.tensor([0, 1])],
    ),
    # recurrent
    "RNN": (lambda nn: nn.RNN(3, 4, 2), [(5, 2, 3)]),
    "RNN relu": (lambda nn: nn.RNN(3, 4, nonlinearity="relu", bias=False), [(5, 2, 3), (1, 2, 4)]),
    "LSTM": (lambda nn: nn.LSTM(3, 4, 2, batch_first=True, bidirectional=True), [(2, 5, 3)]),
    "LSTM unbatched": (lambda nn: nn.LSTM(3, 4), [(5, 3)]),
    "LSTM projected": (lambda nn: nn.LSTM(3, 4, 2, proj_size=2, bidirectional=True), [(5, 2, 3)]),
    "GRU": (lambda nn: nn.GRU(3, 4, 2, bidirectional=True), [(5, 2, 3), (4, 2, 4)]),
    "RNNCell": (lambda nn: nn.RNNCell(3, 4, nonlinearity="relu"), [(2, 3)]),
    "LSTMCell": (lambda nn: nn.LSTMCell(3, 4), [(2, 3)]),
    "GRUCell": (lambda nn: nn.GRUCell(3, 4, bias=False), [(2, 3), (2, 4)]),
    # attention
    "MultiheadAttention": (lambda nn: nn.MultiheadAttention(8, 2), [(4, 2, 8), (5, 2, 8), (5, 2, 8)]),
    "MultiheadAttention of all kinds": (
        lambda nn: nn.MultiheadAttention(
            8, 2, bias=False, add_bias_kv=True, add_zero_attn=True, kdim=6, vdim=5, batch_first=True
        ),
        [(2, 4, 8), (2, 3, 6), (2, 3, 5)],
    ),
    "TransformerEncoderLayer": (lambda nn: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), [(4, 2, 8)]),
    "TransformerEncoder": (
        lambda nn: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True, norm_first=True),
            2,
            nn.LayerNorm(8),
            enable_nested_tensor=False,
        ),
        [(2, 4, 8)],
    ),
    "TransformerDecoderLayer": (
        lambda nn: nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, norm_first=True),
        [(4, 2, 8), (5, 2, 8)],
    ),
    "Transformer": (lambda nn: nn.Transformer(8, 2, 1, 1, 16, 0.0), [(4, 2, 8), (3, 2, 8)]),
    # containers show equal neighbours once
    "ModuleList": (
        lambda nn: nn.Sequential(
            nn.Sequential(*nn.ModuleList([nn.Linear(4, 4) for _ in range(3)]), nn.ReLU())
        ),
        [(2, 4)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_as_in_torch(name):
    make, shapes = CASES[name]
    ours, theirs = twins(make)
    inputs, their_inputs = make_inputs(shapes)
    got, want = ours(*inputs), theirs(*their_inputs)
    compare_results(got, want, ours, theirs, inputs, their_inputs)
    for (key, buffer), other in zip(ours.named_buffers(), theirs.buffers()):
        compare(buffer, other)


COMPILED = [
    "Conv2d", "ConvTranspose2d", "BatchNorm2d", "InstanceNorm2d", "GroupNorm", "MaxPool2d", "AdaptiveAvgPool2d", "Upsample bilinear",
    "ReflectionPad2d", "PixelShuffle", "Embedding", "LSTM", "LSTM projected", "GRU", "MultiheadAttention", "TransformerEncoder",
    "Transformer", "ReLU in place",
]  # fmt: skip


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    """The compiled module gives the same outputs and gradients."""
    make, shapes = CASES[name]
    ours, theirs = twins(make)
    inputs, their_inputs = make_inputs(shapes)
    compiled = fj.compile(ours)
    got, want = compiled(*inputs), theirs(*their_inputs)
    compare_results(got, want, ours, theirs, inputs, their_inputs)


LOSSES = {
    "BCELoss": (lambda nn, r: nn.BCELoss(reduction=r), "probability", "probability"),
    "BCEWithLogitsLoss": (lambda nn, r: nn.BCEWithLogitsLoss(reduction=r), "real", "probability"),
    "CrossEntropyLoss": (
        lambda nn, r: nn.CrossEntropyLoss(reduction=r, label_smoothing=0.1),
        "real",
        "class",
    ),
    "NLLLoss": (lambda nn, r: nn.NLLLoss(reduction=r, ignore_index=1), "real", "class"),
    "L1Loss": (lambda nn, r: nn.L1Loss(reduction=r), "real", "real"),
    "MSELoss": (lambda nn, r: nn.MSELoss(reduction=r), "real", "real"),
    "SmoothL1Loss": (lambda nn, r: nn.SmoothL1Loss(reduction=r, beta=0.5), "real", "real"),
    "HuberLoss": (lambda nn, r: nn.HuberLoss(reduction=r, delta=0.7), "real", "real"),
    "KLDivLoss": (lambda nn, r: nn.KLDivLoss(reduction=r, log_target=True), "real", "real"),
    "PoissonNLLLoss": (lambda nn, r: nn.PoissonNLLLoss(reduction=r), "real", "probability"),
    "SoftMarginLoss": (lambda nn, r: nn.SoftMarginLoss(reduction=r), "real", "sign"),
    "HingeEmbeddingLoss": (lambda nn, r: nn.HingeEmbeddingLoss(reduction=r, margin=0.6), "real", "sign"),
    "MultiLabelSoftMarginLoss": (
        lambda nn, r: nn.MultiLabelSoftMarginLoss(reduction=r),
        "real",
        "probability",
    ),
    "MultiLabelMarginLoss": (lambda nn, r: nn.MultiLabelMarginLoss(reduction=r), "real", "labels"),
    "MultiMarginLoss": (lambda nn, r: nn.MultiMarginLoss(reduction=r, p=2), "real", "class"),
}
VALUES = {
    "real": lambda seed: random((5, 4), seed),
    "probability": lambda seed: random((5, 4), seed).sigmoid(),
    "sign": lambda seed: random((5, 4), seed).sign(),
    "class": lambda seed: fj.tensor([0, 3, 1, 2, 3]),
    "labels": lambda seed: fj.tensor(
        [[0, 2, -1, 1], [3, -1, 0, 0], [1, 2, 3, 0], [-1, 0, 0, 0], [2, 0, -1, 1]]
    ),
}


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses(name, reduction):
    make, kind, target_kind = LOSSES[name]
    x, target = VALUES[kind](0), VALUES[target_kind](1)
    y = to_torch(x)
    x.requires_grad_()
    y.requires_grad_()
    got, want = make(fj.nn, reduction)(x, target), make(torch.nn, reduction)(y, to_torch(target))
    compare(got, want)
    got.sum().backward()
    want.sum().backward()
    compare(x.grad, y.grad)


def test_losses_of_several_inputs():
    a, b, c = (random((5, 4), seed) for seed in range(3))
    sign = fj.tensor([1, -1, 1, -1, 1])
    for name, options, args in [
        ("CosineEmbeddingLoss", dict(margin=0.2), (a, b, sign)),
        ("MarginRankingLoss", dict(margin=0.2), (a[:, 0], b[:, 0], sign)),
        ("TripletMarginLoss", dict(swap=True), (a, b, c)),
        ("TripletMarginWithDistanceLoss", {}, (a, b, c)),
        ("GaussianNLLLoss", dict(full=True), (a, b, c.exp())),
    ]:
        got = getattr(fj.nn, name)(**options)(*args)
        compare(got, getattr(torch.nn, name)(**options)(*[to_torch(arg) for arg in args]))
    log_probs = random((6, 2, 5), 3).log_softmax(2)
    args = fj.tensor([[1, 2, 3], [4, 1, 1]]), fj.tensor([6, 5]), fj.tensor([3, 2])
    want = torch.nn.CTCLoss()(to_torch(log_probs), *[to_torch(arg) for arg in args])
    compare(fj.nn.CTCLoss()(log_probs, *args), want)


def test_attention_masks():
    ours, theirs = twins(lambda nn: nn.MultiheadAttention(8, 2, batch_first=True))
    x = random((2, 4, 8), 0)
    causal = fj.nn.Transformer.generate_square_subsequent_mask(4)
    compare(causal, torch.nn.Transformer.generate_square_subsequent_mask(4))
    padding = fj.tensor([[False, False, True, True], [False, False, False, True]])
    for options in (
        dict(attn_mask=causal),
        dict(key_padding_mask=padding),
        dict(attn_mask=causal.isinf(), key_padding_mask=padding, need_weights=False),
        dict(attn_mask=causal.expand(4, 4, 4), average_attn_weights=False),
    ):
        want = theirs(
            *[to_torch(x)] * 3,
            **{k: to_torch(v) if isinstance(v, fj.Tensor) else v for k, v in options.items()},
        )
        for one, other in zip(flat(ours(x, x, x, **options)), flat(want)):
            compare(one, other)


def test_maxima_go_back():
    x = random(CHANNELS2, 0)
    pooled, indices = fj.nn.MaxPool2d(2, return_indices=True)(x)
    want, their_indices = torch.nn.MaxPool2d(2, return_indices=True)(to_torch(x))
    got = fj.nn.MaxUnpool2d(2)(pooled, indices, output_size=x.shape)
    compare(got, torch.nn.MaxUnpool2d(2)(want, their_indices, output_size=tuple(x.shape)))


def test_output_size_of_transposed_convolutions():
    ours, theirs = twins(lambda nn: nn.ConvTranspose2d(4, 3, 3, stride=2))
    x = random(CHANNELS2, 0)
    compare(ours(x, output_size=(18, 15)), theirs(to_torch(x), output_size=(18, 15)))
    with pytest.raises(
        ValueError, match=r"requested an output size of \[30, 15\], but valid sizes range from"
    ):
        ours(x, output_size=(30, 15))


def test_adaptive_softmax():
    ours, theirs = twins(lambda nn: nn.AdaptiveLogSoftmaxWithLoss(8, 10, [3, 6], div_value=2.0))
    x, target = random((5, 8), 0), fj.tensor([0, 4, 9, 3, 2])
    got, want = ours(x, target), theirs(to_torch(x), to_torch(target))
    compare(got.output, want.output)
    compare(got.loss, want.loss)
    compare(ours.predict(x), theirs.predict(to_torch(x)))


def test_lazy_modules():
    for make, shape in [
        (lambda nn: nn.LazyLinear(3), (2, 5)),
        (lambda nn: nn.LazyConv2d(4, 3, padding=1, groups=2), CHANNELS2),
        (lambda nn: nn.LazyConvTranspose1d(3, 2), CHANNELS1),
        (lambda nn: nn.LazyBatchNorm2d(), CHANNELS2),
    ]:
        module = make(fj.nn)
        assert module.has_uninitialized_params()
        result = module(random(shape, 0))
        theirs = make(torch.nn)
        theirs(to_torch(random(shape, 0)))
        assert same_text(module, theirs)
        theirs.load_state_dict({k: to_torch(v) for k, v in module.state_dict().items()})
        assert tuple(result.shape) == tuple(theirs(to_torch(random(shape, 0))).shape)
    # A lazy module takes the shapes of a state dict, too.
    fresh = fj.nn.LazyLinear(3)
    fresh.load_state_dict(fj.nn.Linear(5, 3).state_dict())
    assert fresh(random((2, 5), 0)).shape == (2, 3)


@pytest.mark.parametrize(
    "make, error, message",
    [
        (lambda nn: nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by groups"),
        (lambda nn: nn.Conv2d(4, 4, 3, stride=2, padding="same"), ValueError, "padding='same' is not supported for strided"),
        (lambda nn: nn.Dropout(1.5), ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
        (lambda nn: nn.LSTM(3, 4, proj_size=4), ValueError, "proj_size has to be smaller than hidden_size"),
        (lambda nn: nn.GroupNorm(3, 4), ValueError, "num_channels .*divisible by num_groups"),
        (lambda nn: nn.MultiheadAttention(6, 4), AssertionError, "embed_dim must be divisible by num_heads"),
        (lambda nn: nn.BatchNorm2d(4)(VALUES["real"](0) if nn is fj.nn else torch.ones(5, 4)), ValueError, r"expected 4D input \(got 2D input\)"),
        (lambda nn: nn.LSTM(3, 4)(VALUES["real"](0) if nn is fj.nn else torch.ones(5, 4)), RuntimeError, r"input.size\(-1\) must be equal to input_size. Expected 3, got 4"),
        (lambda nn: nn.TransformerEncoderLayer(8, 2, activation="tanh"), RuntimeError, "activation should be relu/gelu, not tanh"),
    ],
)  # fmt: skip
def test_errors(make, error, message):
    for nn in (fj.nn, torch.nn):
        with pytest.raises(error, match=message):
            make(nn)


PARTS = [("a", 3), ("b", 5), ("c", 2)]


def test_packed_sequences():
    sequences = [random((length, 3), i) for i, (_, length) in enumerate(PARTS)]
    theirs_of = [to_torch(sequence) for sequence in sequences]
    rnn, their_rnn = fj.nn.utils.rnn, torch.nn.utils.rnn
    for module in (
        lambda nn: nn.LSTM(3, 4, 2, bidirectional=True),
        lambda nn: nn.GRU(3, 4),
        lambda nn: nn.RNN(3, 4),
    ):
        ours, theirs = twins(module)
        packed = rnn.pack_sequence(sequences, enforce_sorted=False)
        their_packed = their_rnn.pack_sequence(theirs_of, enforce_sorted=False)
        compare(packed.data, their_packed.data)
        assert packed.batch_sizes.tolist() == their_packed.batch_sizes.tolist()
        (output, state), (want, want_state) = ours(packed), theirs(their_packed)
        compare(output.data, want.data)
        for one, other in zip(flat(state), flat(want_state)):
            compare(one, other)
        padded, lengths = rnn.pad_packed_sequence(
            output, batch_first=True, padding_value=-1.0, total_length=6
        )
        want_padded, _ = their_rnn.pad_packed_sequence(
            want, batch_first=True, padding_value=-1.0, total_length=6
        )
        compare(padded, want_padded)
        assert lengths.tolist() == [length for _, length in PARTS]
    compare(
        rnn.pad_sequence(sequences, padding_side="left"),
        their_rnn.pad_sequence(theirs_of, padding_side="left"),
    )
    for one, other in zip(rnn.unpack_sequence(packed), sequences):
        compare(one, other)
    with pytest.raises(
        RuntimeError, match="must be sorted in decreasing order when `enforce_sorted` is True"
    ):
        rnn.pack_sequence(sequences)


@pytest.mark.parametrize("name, dims", [("FractionalMaxPool2d", 2), ("FractionalMaxPool3d", 3)])
def test_fractional_pooling(name, dims):
    x = np.random.default_rng(0).standard_normal((2, 3, *(9,) * dims)).astype(np.float32)
    samples = np.random.default_rng(1).random((2, 3, dims)).astype(np.float32)
    for options in ({"output_size": 4}, {"output_ratio": 0.5, "return_indices": True}):
        got, want = (
            getattr(library.nn, name)(2, **options, _random_samples=library.from_numpy(samples))(library.from_numpy(x))
            for library in (fj, torch)
        )
        pairs = zip(got, want) if "return_indices" in options else [(got, want)]
        assert all(np.array_equal(a.numpy(), b.numpy()) for a, b in pairs)
    with pytest.raises(ValueError, match="expected one of them"):
        getattr(fj.nn, name)(2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        getattr(fj.nn, name)(2, output_ratio=1.5)
