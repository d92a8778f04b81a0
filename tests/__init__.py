"""The tests. Tour:

    cpp/            GoogleTest: guards, graphs, passes, loops, kernels, tables (golden/ has their expected texts)
    op_samples/     sample arguments of every op, by table; eager/ runs them against PyTorch, eager and compiled
    bindings/ storage/ nn/ optim/ func/ library/ amp/ distributions/ utils/ testing/   the Python packages of these names
    frame/          the frame evaluator: entry, breaks, exceptions, hooks, threads, leaks
    symbolic/       what is traced, construct by construct, against CPython
    graph/          graphs from Python, backends, ahead-of-time autograd
    language/       programs in every construct of the language, plain and traced, against CPython
    scenarios/      behaviour that users of such compilers have reported as wrong
    fuzz/           random programs, random calls of ops, random files
    external/       other people's tests and data: OpInfo, ParityBench, einops, scikit-learn, SciPy, MiniLM
    array_api/      the array API standard's names
    cli/ tools/ examples/   the command line, the build's own programs, the examples

Modules import each other as ``tests.<folder>.<module>``; a process that a test starts is given ``processes.environment()``.
"""
