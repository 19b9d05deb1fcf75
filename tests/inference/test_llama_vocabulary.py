import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gguf_files import (
    BEGINNING,
    CONTROL_TOKENS,
    END_OF_TEXT,
    LONGEST_PIECE,
    TURN_END,
    TURN_START,
    real_model,
    sliding_window_model,
    write_tiny_model,
)
from tests.llama_models import loaded

MILLION = 1_000_000
LONG_TEXTS = {
    "prose": ("The quick brown fox jumps over the lazy dog, and 42 rivers bend.\n" * 20_000)[:MILLION],
    "one word": "a" * MILLION,
    "blanks": " " * MILLION,
    "empty lines": "\n" * MILLION,
    "short lines": "7,\n" * (MILLION // 3),
    "digits": "1" * MILLION,
    "signs": "!" * MILLION,
    "signs and lines": ("!" * 5000 + "\n" * 5000) * 100,
    "a wide script": "日" * MILLION,
    "emoji": "👍" * MILLION,
    "marks": "e\u0301" * (MILLION // 2),
    "mixed blanks": " \n\t" * (MILLION // 3),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with loaded(write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")) as model:
        yield model


@pytest.fixture(scope="module")
def recursive(tmp_path_factory):
    """A vocabulary that llama.cpp cuts text up for by std::regex, as those of Mistral, DeepSeek and gpt-oss."""
    path = write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", pre_tokenizer="tekken")
    with loaded(path) as model:
        yield model.vocabulary


@pytest.fixture
def vocabulary(model):
    return model.vocabulary


def text_of(vocabulary, tokens) -> str:
    return b"".join(map(vocabulary.piece, tokens)).decode("utf-8")


def test_a_vocabulary_has_a_size_and_no_beginning_where_the_model_wants_none(vocabulary):
    assert vocabulary.size == 271
    assert vocabulary.beginning is None
    assert [vocabulary.text_of(token) for token in (BEGINNING, TURN_END, -1)] == ["<s>", "<|im_end|>", ""]


def test_the_beginning_is_there_where_the_model_wants_one_and_is_never_added(tmp_path):
    with loaded(write_tiny_model(tmp_path / "x.gguf", add_beginning=True)) as model:
        assert model.vocabulary.beginning == BEGINNING
        assert BEGINNING not in model.vocabulary.tokenize("the", special=True)


def test_control_tokens_are_recognised_only_when_wanted(vocabulary):
    text = "<|im_start|>the<|im_end|>"
    with_control = vocabulary.tokenize(text, special=True)
    assert (with_control[0], with_control[-1]) == (TURN_START, TURN_END)
    without = vocabulary.tokenize(text, special=False)
    assert not {TURN_START, TURN_END} & set(without)
    assert text_of(vocabulary, without) == text


def test_control_tokens_have_no_bytes_but_a_text(vocabulary):
    assert vocabulary.piece(TURN_END) == b""
    assert vocabulary.control_texts() == set(CONTROL_TOKENS)


def test_pieces_of_any_length_come_whole(vocabulary):
    tokens = vocabulary.tokenize(" " * LONGEST_PIECE, special=False)
    assert len(tokens) == 1
    assert vocabulary.piece(tokens[0]) == b" " * LONGEST_PIECE
    assert vocabulary.piece(tokens[0]) == b" " * LONGEST_PIECE


def test_a_reply_ends_at_the_tokens_that_end_it(vocabulary):
    assert vocabulary.is_end(TURN_END)
    assert vocabulary.is_end(END_OF_TEXT)
    assert not vocabulary.is_end(TURN_START)
    assert not vocabulary.is_end(100)


@pytest.mark.parametrize("token", [-1, 271, 2**31, -(2**31)])
def test_a_token_that_is_none_is_refused(vocabulary, token):
    for ask in (vocabulary.piece, vocabulary.is_end):
        with pytest.raises(ValueError, match="not one of"):
            ask(token)


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=200), special=st.booleans())
def test_any_text_comes_back_as_it_was(vocabulary_pair, text, special):
    for vocabulary in vocabulary_pair:
        tokens = vocabulary.tokenize(text, special=special)
        assert all(0 <= token < vocabulary.size for token in tokens)
        if not special:
            assert text_of(vocabulary, tokens) == text


@pytest.fixture(scope="module")
def vocabulary_pair(model, recursive):
    return model.vocabulary, recursive


def test_half_a_character_becomes_a_question_mark(vocabulary):
    assert text_of(vocabulary, vocabulary.tokenize("a\ud83d b", special=False)) == "a? b"


def test_no_text_has_no_tokens(vocabulary):
    assert vocabulary.tokenize("", special=True) == []


def test_a_text_with_a_nul_is_read_to_its_end(vocabulary):
    assert text_of(vocabulary, vocabulary.tokenize("a\0b", special=False)) == "a\0b"


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_a_million_characters_of_anything_neither_kill_the_process_nor_take_long(recursive, name):
    text = LONG_TEXTS[name]
    results: list[list[int]] = []
    began = time.process_time()
    # In a thread, whose stack is what a std::regex has to recurse in.
    thread = threading.Thread(target=lambda: results.append(recursive.tokenize(text, special=False)))
    thread.start()
    thread.join()
    assert time.process_time() - began < 15
    assert text_of(recursive, results[0]) == text


def test_a_long_text_has_the_tokens_it_has_in_one_piece(vocabulary):
    """The lines of this text are cut up alike, wherever they stand: stretches change nothing."""
    line = "the thing, in 42 words: naming\n\n   and then the end!\nthe"
    once = vocabulary.tokenize(line + "\n", special=False)
    assert vocabulary.tokenize((line + "\n") * 400, special=False) == once * 400


@pytest.mark.model
def test_the_real_models_pieces_longer_than_32_bytes_come_whole():
    with loaded(real_model(), context_size=256) as model:
        vocabulary = model.vocabulary
        pieces = [vocabulary.piece(token) for token in range(vocabulary.size)]
        long = [token for token, piece in enumerate(pieces) if len(piece) > 32]
        assert len(long) == 47
        for token in long:
            assert (
                text_of(vocabulary, vocabulary.tokenize(pieces[token].decode(), special=False))
                == pieces[token].decode()
            )
        assert [token for token in range(vocabulary.size) if vocabulary.is_end(token)] == [0, 2, 4]
        assert "<|im_start|>" in vocabulary.control_texts()
        assert max(map(len, pieces)) == 81


@pytest.mark.model
def test_a_million_characters_of_prose_are_tokenised_quickly_by_the_real_model():
    with loaded(real_model(), context_size=256) as model:
        began = time.process_time()
        tokens = model.vocabulary.tokenize(LONG_TEXTS["prose"], special=False)
        assert time.process_time() - began < 5
        assert text_of(model.vocabulary, tokens) == LONG_TEXTS["prose"]


@pytest.mark.model
def test_a_vocabulary_with_line_ends_of_its_own_is_as_quick_and_cuts_alike():
    path = sliding_window_model()
    if path is None:
        pytest.skip("Gemma 3 270M is not installed: its vocabulary was NOT tested")
    with loaded(path, context_size=256) as model:
        vocabulary = model.vocabulary
        long = [token for token in range(vocabulary.size) if len(vocabulary.piece(token)) > 32]
        assert len(long) == 379
        for name in ("prose", "short lines", "mixed blanks"):
            began = time.process_time()
            tokens = vocabulary.tokenize(LONG_TEXTS[name][:200_000], special=False)
            assert time.process_time() - began < 5
            assert text_of(vocabulary, tokens) == LONG_TEXTS[name][:200_000]
        line = "def name(self) -> str:\n\n        return 42  # the answer\n"
        assert vocabulary.tokenize(line * 100, special=False) == vocabulary.tokenize(line, special=False) * 100
