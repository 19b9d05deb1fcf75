import json
import os
import re
import subprocess
import sys

import pytest

from inference import grammar_trial
from inference.errors import GenerationBroke, GrammarRefused
from inference.llama.grammar import Grammar, trial_command
from inference.llama.library import llama
from inference.llama.model import LlamaModel
from inference.requests import Sampling
from tests.gguf_files import TURN_END, TURN_START, write_tiny_model
from tests.llama_models import loaded, read

WILD = Sampling(temperature=50.0, top_k=0, top_p=1.0, min_p=0.0, repeat_penalty=1.0, seed=3)
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 5},
        "age": {"type": "integer"},
        "is_here": {"type": "boolean"},
    },
    "required": ["name", "age"],
}

# Every known way in which a grammar ends a process that reads it, or keeps it for ever.
DEADLY = {
    "nested": "root ::= " + "(" * 100_000 + '"a"' + ")" * 100_000,
    "a long chain": "\n".join(f"r{i} ::= r{i + 1}" for i in range(100_000)) + '\nr100000 ::= "a"\nroot ::= r0',
    "begins with itself": 'root ::= s\ns ::= e s "a" | "b"\ne ::= f\nf ::= "" | "y"',
    "begins with itself later": 'root ::= "x" s\ns ::= e s "a" | "b"\ne ::= f\nf ::= "" | "y"',
}
REFUSED = {
    "": "it is empty",
    "\0": "NUL",
    "\ud800": "half a character",
    'root ::= "a" b': "Undefined rule identifier 'b'",
    'start ::= "a"': "does not contain a 'root' symbol",
    'root ::= root "a" | "b"': "left recursion",
    'root ::= "a': "unexpected end of input",
    "root = a": "expecting ::= at = a",
    'root ::= "a"{99999999999999999999}': "stoull",
    'root ::= ("a"{0,1000}){0,1000}': "exceeds sane defaults",
    "root ::= <no such token>": "“<no such token>” is not one token",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    with loaded(write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf")) as model:
        yield model


@pytest.fixture(autouse=True)
def after_a_prompt(model):
    model.rewind(0)
    read(model, list(range(10, 40)))


def text_held_to(
    model: LlamaModel, grammar: str | None, sampling: Sampling = WILD, *, json_schema: str | None = None
) -> str:
    """What the model says within a grammar, up to the end that the grammar or 400 tokens set."""
    sampler = model.sampler(sampling, grammar, json_schema)
    pieces: list[bytes] = []
    while len(pieces) < 400 and not model.vocabulary.is_end(token := sampler.sample()):
        pieces.append(model.vocabulary.piece(token))
        model.evaluate([token])
    sampler.close()
    return b"".join(pieces).decode()


def token_for(model: LlamaModel, text: str) -> int:
    (token,) = model.vocabulary.tokenize(text, special=True)
    return token


@pytest.mark.parametrize("seed", range(5))
def test_a_reply_follows_its_grammar_to_the_end(model, seed):
    sampling = Sampling(temperature=50.0, top_k=0, top_p=1.0, min_p=0.0, repeat_penalty=1.0, seed=seed)
    text = text_held_to(model, r'root ::= ("ab" | "ba"){3,9} [0-9]+ "." ', sampling)
    assert re.fullmatch(r"(ab|ba){3,9}[0-9]+\.", text)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=0.0, repeat_penalty=1.0),
        Sampling(temperature=0.0, repeat_penalty=1.3),
        Sampling(seed=1),
        Sampling(temperature=2.0, mirostat=2, seed=1),
        Sampling(temperature=2.0, xtc_probability=1.0, xtc_threshold=0.01, top_k=0, seed=1),
        Sampling(temperature=2.0, typical_p=0.5, top_n_sigma=1.0, dry_multiplier=0.8, dynatemp_range=1.0, seed=1),
    ],
)
def test_every_way_of_choosing_keeps_to_the_grammar(model, sampling):
    assert re.fullmatch(r"[a-d]{20}!", text_held_to(model, 'root ::= [a-d]{20} "!"', sampling))


def test_a_schema_gives_json_that_follows_it(model):
    reply = json.loads(text_held_to(model, None, WILD, json_schema=json.dumps(PERSON)))
    assert isinstance(reply["age"], int)
    assert len(reply["name"]) <= 5
    assert set(reply) <= set(PERSON["properties"])


def test_logits_that_were_kept_are_held_to_the_grammar_too(model):
    held = list(model.tokens)
    model.keep_logits()
    model.evaluate([41])
    model.rewind(len(held))
    assert model.kept_logits() is not None
    assert text_held_to(model, 'root ::= "yes" | "no"') in ("yes", "no")


def test_the_end_comes_only_where_the_grammar_ends(model):
    sampler = model.sampler(Sampling(temperature=0.0, logit_bias=((TURN_END, 1000.0),)), 'root ::= "abc"')
    written = [sampler.sample() for _ in range(len(model.vocabulary.tokenize("abc", special=False)) + 1)]
    sampler.close()
    assert written[-1] == TURN_END
    assert TURN_END not in written[:-1]


def test_what_is_free_takes_no_part_in_the_grammar(model):
    sampler = model.sampler(Sampling(temperature=0.0, logit_bias=((TURN_START, 1000.0),)), 'root ::= "a"')
    assert sampler.sample(free=True) == TURN_START
    assert sampler.sample() == token_for(model, "a")
    sampler.close()


def test_a_grammar_goes_on_where_an_earlier_reply_stopped(model):
    sampler = model.sampler(WILD, 'root ::= "abc"')
    for token in model.vocabulary.tokenize("ab", special=False):
        sampler.follow(token)
    assert sampler.sample() == token_for(model, "c")
    with pytest.raises(GrammarRefused, match="so far"):
        sampler.follow(token_for(model, "z"))
    sampler.close()


def test_tokens_can_be_named_in_a_grammar(model):
    sampler = model.sampler(WILD, 'root ::= <|im_start|> "<no token>" # <no token>')
    assert sampler.sample() == TURN_START
    assert sampler.sample() == token_for(model, "<")
    sampler.close()


def test_a_control_token_does_not_count_as_the_text_it_is_written_as(model):
    wanting = Sampling(temperature=0.0, logit_bias=((TURN_START, 1000.0),))
    assert text_held_to(model, 'root ::= "<|im_start|>"', wanting) == "<|im_start|>"


def test_a_model_that_has_no_way_on_ends_with_a_sentence(model):
    sampler = model.sampler(
        Sampling(temperature=0.0, logit_bias=((token_for(model, "a"), float("-inf")),)), 'root ::= "a"'
    )
    with pytest.raises(GenerationBroke, match="no token of this model"):
        sampler.sample()
    sampler.close()


@pytest.mark.parametrize(("grammar", "words"), REFUSED.items())
def test_a_refused_grammar_comes_with_the_parsers_own_words(model, grammar, words):
    with pytest.raises(GrammarRefused) as refused:
        model.sampler(WILD, grammar)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 300
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("grammar", DEADLY.values(), ids=DEADLY.keys())
def test_no_grammar_ends_this_process(model, grammar):
    with pytest.raises(GrammarRefused):
        model.sampler(WILD, grammar)


@pytest.mark.skipif(sys.platform == "win32", reason="the status of a process that crashes is another one there")
@pytest.mark.parametrize("grammar", DEADLY.values(), ids=DEADLY.keys())
def test_those_grammars_really_end_a_process(grammar):
    trial = subprocess.run(trial_command(), input=grammar.encode(), capture_output=True, check=False)
    assert trial.returncode < 0


def test_a_grammar_that_can_be_read_in_ever_more_ways_is_given_up_in_time(model):
    pointer = llama.llama_model_get_vocab(model._model)
    grammar = Grammar('root ::= "a" root "b" | "a" root "c" | "x"', model.vocabulary, pointer, patience=0.05)
    with pytest.raises(GenerationBroke, match="too many ways"):
        write_again_and_again(grammar, token_for(model, "a"))
    grammar.close()


def write_again_and_again(grammar: Grammar, token: int) -> None:
    for _ in range(60):
        assert grammar.allows(token)
        grammar.accept(token)


def test_a_trial_needs_nothing_but_the_interpreter(tmp_path):
    environment = {"PATH": os.environ.get("PATH", ""), "SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    trial = subprocess.run(
        trial_command(), input=b'root ::= "a"', capture_output=True, check=False, cwd=tmp_path, env=environment
    )
    assert (trial.returncode, trial.stdout, trial.stderr) == (0, b"", b"")


def test_in_a_frozen_program_the_program_itself_tries_a_grammar():
    python, *arguments = trial_command(frozen=True)
    started = [python, "-m", "desktop", *arguments]  # as the frozen program is started, but for its name
    good = subprocess.run(started, input=b'root ::= "a"', capture_output=True, check=False)
    bad = subprocess.run(started, input=b'root ::= "a', capture_output=True, check=False)
    assert (good.returncode, bad.returncode) == (0, grammar_trial.REFUSED)
    assert b"error parsing grammar" in bad.stderr


def test_a_deadly_grammar_ends_the_child_of_a_frozen_program_too():
    python, *arguments = trial_command(frozen=True)
    deadly = next(iter(DEADLY.values()))
    trial = subprocess.run(
        [python, "-m", "desktop", *arguments], input=deadly.encode(), check=False, capture_output=True
    )
    assert trial.returncode not in (0, grammar_trial.REFUSED)
