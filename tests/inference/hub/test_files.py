from __future__ import annotations

import pytest

from inference.hub.files import HubFile, is_inside, models_in, nearest, quantisation_of


def files(*paths: str, size: int = 100) -> list[HubFile]:
    return [HubFile(path, size * (number + 1)) for number, path in enumerate(paths)]


def test_parts_are_one_model_and_open_by_the_first():
    (model,) = models_in(files("big-Q8_0-00002-of-00002.gguf", "big-Q8_0-00001-of-00002.gguf"))
    assert (model.name, model.quantisation, model.is_whole) == ("big-Q8_0", "Q8_0", True)
    assert model.path == "big-Q8_0-00001-of-00002.gguf"
    assert model.size == 300


def test_a_model_with_a_part_missing_is_not_whole():
    (model,) = models_in(files("big-00001-of-00003.gguf", "big-00003-of-00003.gguf"))
    assert not model.is_whole


def test_models_come_by_size_and_projectors_last():
    found = models_in(files("m-mmproj-F16.gguf", "m-Q8_0.gguf", "m-Q4_K_M.gguf", "README.md", "m.imatrix.gguf"))
    assert [model.name for model in found] == ["m-Q8_0", "m-Q4_K_M", "m-mmproj-F16"]
    assert [model.is_projector for model in found] == [False, False, True]


def test_a_quantisation_may_stand_in_the_folders_name():
    (model,) = models_in(files("UD-Q4_K_XL/model.gguf"))
    assert model.quantisation == "UD-Q4_K_XL"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("SmolLM2-135M-Instruct.Q4_1", "Q4_1"),
        ("Qwen3-4B-Instruct-2507-Q4_K_M", "Q4_K_M"),
        ("llama-3.2-1b-instruct-iq3_xxs", "IQ3_XXS"),
        ("gpt-oss-20b-mxfp4", "MXFP4"),
        ("gemma-3-270m-it-BF16", "BF16"),
        ("gemma-3-270m-it-UD-Q4_K_XL", "UD-Q4_K_XL"),
        ("model", ""),
        ("Q", ""),
    ],
)
def test_the_quantisation_is_read_from_a_name(name, word):
    assert quantisation_of(name) == word


def test_a_file_that_is_gone_is_replaced_by_the_nearest():
    models = models_in(files("m-Q2_K.gguf", "m-Q5_K_M.gguf", "m-Q8_0.gguf", "m-mmproj-F16.gguf"))
    for gone, found, why in (
        ("m-Q5_K_M.gguf", "m-Q5_K_M", "it is there"),
        ("old/n-Q8_0.gguf", "m-Q8_0", "another name of the same quantisation"),
        ("m-Q4_K_M.gguf", "m-Q5_K_M", "the nearest in bits"),
    ):
        model = nearest(models, gone)
        assert model is not None
        assert model.name == found, why
    assert nearest((), "m-Q4_K_M.gguf") is None
    assert nearest(models_in(files("m-mmproj-Q4_K_M.gguf")), "m-Q4_K_M.gguf") is None, "a projector is no model"


@pytest.mark.parametrize("path", ["a.gguf", "sub/a.gguf", "ö/ä.gguf", "console.gguf", "com10.gguf", ".a/b.c d.gguf"])
def test_a_path_inside_is_inside(path):
    assert is_inside(path)


OUTSIDE = ["", "/a.gguf", "../a.gguf", "a/../../b", "a//b", "c:\\a", "C:/a", "a\\..\\b"]
NO_NAMES = ["a\0b", "a\ud800b", "a\nb"]
OTHERS_ON_WINDOWS = ["CON", "nul.gguf", "a/Com1.txt", "lpt².x", "aux .gguf", "a.gguf.", "a.gguf ", "a /b.gguf"]


@pytest.mark.parametrize("path", [*OUTSIDE, *NO_NAMES, *OTHERS_ON_WINDOWS])
def test_a_path_that_leads_outside_is_none(path):
    assert not is_inside(path)
