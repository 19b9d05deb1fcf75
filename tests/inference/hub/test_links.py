from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.errors import InvalidRequest
from inference.hub.links import HubLink, link_of, read_link

REPO = HubLink("maker/small-GGUF")


@pytest.mark.parametrize(
    "text",
    [
        "maker/small-GGUF",
        "  maker/small-GGUF\n",
        "https://huggingface.co/maker/small-GGUF",
        "huggingface.co/maker/small-GGUF/",
        "hf.co/maker/small-GGUF",
        "https://hf.co/maker/small-GGUF?show_file_info=a.gguf",
        "https://huggingface.co/maker/small-GGUF/tree/main",
        "<https://huggingface.co/maker/small-GGUF>",
    ],
)
def test_a_repository_is_known_however_it_is_written(text):
    assert read_link(text) == REPO


@pytest.mark.parametrize(
    "text",
    [
        "https://huggingface.co/maker/small-GGUF/blob/main/sub/small-Q8_0.gguf",
        "https://huggingface.co/maker/small-GGUF/resolve/main/sub/small-Q8_0.gguf?download=true",
        "maker/small-GGUF:sub/small-Q8_0.gguf",
    ],
)
def test_a_file_of_it_is_known_too(text):
    assert read_link(text) == HubLink("maker/small-GGUF", file="sub/small-Q8_0.gguf")


@pytest.mark.parametrize("text", ["maker/small-GGUF:q4_k_m", "hf.co/maker/small-GGUF:Q4_K_M"])
def test_a_word_behind_a_colon_is_a_quantisation(text):
    assert read_link(text) == HubLink("maker/small-GGUF", quantisation="Q4_K_M")


def test_a_mirror_is_known_by_its_address():
    assert read_link("http://127.0.0.1:5000/maker/small-GGUF", "http://127.0.0.1:5000") == REPO
    assert read_link("http://127.0.0.1:5000/maker/small-GGUF") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "small",
        "two words/here",
        "../etc",
        "maker/..",
        "a/b/c",
        "https://example.com/maker/small-GGUF",
        "https://huggingface.co/datasets/maker/words",
        "https://huggingface.co/maker",
        "https://huggingface.co/maker/small/blob/main/../../secret.gguf",
        "maker/small-GGUF:../../secret.gguf",
        "file:///maker/small",
        "/home/me/model.gguf",
    ],
)
def test_what_names_no_repository_is_none(text):
    assert read_link(text) is None
    with pytest.raises(InvalidRequest):
        link_of(text)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reading_and_no_path_leads_outside(text):
    link = read_link(text)
    if link is not None:
        assert ".." not in link.repo
        assert ".." not in link.file.split("/")
        assert len(link.repo.split("/")) == 2
