"""tools/opgen: what it reads out of a row, and what it says about a wrong one."""

import pathlib
import subprocess
import sys

import pytest
from tests.processes import environment

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "opgen"))
import table  # noqa: E402
import typed  # noqa: E402


def read(tmp_path, text):
    (tmp_path / "sample.toml").write_text(text)
    return table.read(tmp_path)[0].rows


def row(tmp_path, schema, more=""):
    return read(tmp_path, f'[[op]]\nschema = "{schema}"\n{more}')[0]


def test_formula_saves_what_it_reads(tmp_path):
    scale = row(
        tmp_path,
        "scale(Tensor self, Tensor other, float by) -> (Tensor, Tensor)",
        'grad.self = "grads[0] * other * by"\ngrad.other = "sum_to_size(grads[0] * results[1], other.sizes())"',
    )
    first, second = scale.formulas
    assert (first.arguments, first.saved, first.saved_meta, first.saved_results) == ([0], [1, 2], [], [])
    assert (second.arguments, second.saved, second.saved_meta, second.saved_results) == ([1], [], [1], [1])


def test_formula_keeps_only_shapes_of_a_list(tmp_path):
    cat = row(tmp_path, "cat(Tensor[] tensors, int dim=0) -> Tensor", 'grad.tensors = "f(grad, shapes_of(tensors), dim)"')
    assert cat.formulas[0].saved == [1]
    assert cat.formulas[0].saved_meta == [0]


def test_most_specific_tile_wins(tmp_path):
    tiles = row(
        tmp_path,
        "f(Tensor self) -> Tensor",
        'kind = "pointwise"\ntile = "a"\ntile_for = {integral = "b", int32 = "c", bool = ""}',
    ).tiles
    assert tiles == {"uint8": "b", "int32": "c", "int64": "b", "float32": "a", "float64": "a"}


def test_float_rows_have_float_tiles_only(tmp_path):
    tiles = row(tmp_path, "f(Tensor self) -> Tensor", 'kind = "pointwise"\ndtypes = "promote_float"\ntile = "a"').tiles
    assert set(tiles) == {"float32", "float64"}


def test_typed_signature(tmp_path):
    one = row(tmp_path, "f(Tensor self, Tensor? w, int[] size, int? n=None, str mode='x', *, Scalar s=1) -> Tensor")
    assert typed.header(table.Table("sample", [one])).count(
        "Tensor f(const Tensor& self, const Tensor& w, const Dims& size, "
        'const std::optional<SymInt>& n = std::nullopt, const std::string& mode = "x", const Value& s = Value(1));'
    ) == 1


@pytest.mark.parametrize(
    ("schema", "more", "message"),
    [
        ("f(Tensor self) -> Tensor", 'tiles = "a"', "unknown key ['tiles']"),
        ("f(Tensor self) -> Tensor", 'kind = "pointwize"', "unknown kind pointwize or dtypes promote"),
        ("f(Tensor self) -> Tensor", 'grad.other = "grad"', "grad.other: no such argument"),
        ("f(Tensor self) -> Tensor", 'grad.self = "grad * results[1]"', "no such result: grad * results[1]"),
        ("f(Tensor self -> Tensor", "", "not a schema: f(Tensor self -> Tensor"),
        ("f(Tensor 3) -> Tensor?", 'kind = "pointwise"\ntile_for = {half = "a"}', "tile_for: unknown key ['half']"),
    ],
)
def test_wrong_rows_are_named(tmp_path, schema, more, message):
    with pytest.raises(table.TableError) as error:
        row(tmp_path, schema, more)
    assert str(error.value) == f"sample.toml: {schema}: {message}"


def test_a_name_is_there_once(tmp_path):
    text = '[[op]]\nschema = "f(Tensor self) -> Tensor"\n' * 2
    with pytest.raises(table.TableError, match=r"^sample.toml: f is there twice$"):
        read(tmp_path, text)


def test_unchanged_outputs_are_left_alone(tmp_path):
    command = [sys.executable, str(ROOT / "tools/opgen/main.py"), "--ops", str(ROOT / "eager/ops"), "--out", str(tmp_path)]
    subprocess.run(command, env=environment(ROOT / "tools" / "opgen"), check=True)
    listed = subprocess.run([*command, "--list-outputs"], env=environment(ROOT / "tools" / "opgen"), check=True, capture_output=True, text=True).stdout.split()
    assert sorted(listed) == sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in listed}
    subprocess.run(command, env=environment(ROOT / "tools" / "opgen"), check=True)
    assert before == {name: (tmp_path / name).stat().st_mtime_ns for name in listed}
