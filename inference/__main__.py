"""python -m inference: the engine from a terminal.

The reply goes to standard output; figures, errors and what a model thinks before it answers to standard error.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Ctrl-C while all the rest is imported ends the program as it ends any other, with nothing to say about it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, assert_never

from inference.client import Client, Response, connect, prompt_text
from inference.configuration import KvType, ModelConfig, base_url_of, is_address
from inference.errors import InferenceError, InvalidRequest
from inference.events import (
    DeltaKind,
    GenerationFailed,
    GenerationFinished,
    PrefillProgress,
    TextDelta,
    TurnsLeftOut,
    Usage,
)
from inference.messages import Message, Role

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_RESERVED = ("compare", "lab", "models")
_INTERRUPTED = 130  # 128 + SIGINT, as shells count
_OPENAI = "https://api.openai.com/v1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer one prompt; returns the exit status: 0, 1 for what failed, 2 for bad usage, 130 for Ctrl-C."""
    try:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A terminal or a pipe that cannot take every character still gets the rest.
                stream.reconfigure(errors="replace")
        return _answer(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        _write_nowhere()
        return 1


def _answer(words: Sequence[str]) -> int:
    command, words = (words[0], words[1:]) if words and words[0] in _RESERVED else ("", words)
    parser = _parser_of(command)
    try:
        options = parser.parse_intermixed_args(words) if command == "models" else parser.parse_args(words)
        if command == "models":
            from inference.model_commands import Surroundings, models

            print(models(options, Surroundings.usual(os.environ), _tell), flush=True)
            return 0
        messages = [] if command == "lab" else _messages(options)
        with _client(options) as client:
            _do(command, client, messages, options)
    except InvalidRequest as error:
        parser.error(str(error))
    except (InferenceError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        print(_sentence(error), file=sys.stderr)
        if isinstance(error, OSError):
            _write_nowhere()
        return 1
    return 0


def _do(command: str, client: Client, messages: Sequence[Message], options: argparse.Namespace) -> None:
    if command:
        # Only who asks for an experiment waits for what it takes.
        from inference import experiment_commands

        if command == "lab":
            print(experiment_commands.lab(client, options, _tell).rstrip(), flush=True)
        else:
            result = experiment_commands.compare(client, messages, _wishes(options), options, _tell)
            print(result.rstrip(), flush=True)
    elif options.show_prompt:
        _print_prompt(client, messages, thinking=options.thinking, as_json=options.json)
    elif options.json or options.no_stream:
        _print_whole(client.generate(messages=messages, **_wishes(options)), as_json=options.json)
    else:
        _print_stream(client, messages, _wishes(options))


def _client(options: argparse.Namespace) -> Client:
    if options.remote_model is not None and options.model is None:
        raise InvalidRequest("--remote-model is what a server calls its model; --model says which server.")
    return connect(
        options.model,
        model=options.remote_model,
        api_key=key_for(options.model, os.environ),
        context_size=options.context_size,
        threads=options.threads,
        gpu_layers=options.gpu_layers,
        device=options.device,
        kv_type=options.kv_type,
        template=_text_in(options.template) if options.template is not None else None,
    )


def _tell(words: str) -> None:
    """Progress is for whoever watches."""
    if sys.stderr is not None and sys.stderr.isatty():
        print(words, file=sys.stderr, flush=True)


def _write_nowhere() -> None:
    """Nobody takes what is written any more; Python would complain once more when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):
                os.dup2(nowhere, stream.fileno())


def _sentence(error: InferenceError | OSError) -> str:
    if isinstance(error, InferenceError):
        return str(error)
    where = f"{error.filename}: " if error.filename is not None else "Standard output cannot be written to: "
    return f"{where}{error.strerror or error}."


def _text_in(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidRequest(f"{path} is not text in UTF-8.") from None


def key_for(model: str | None, environment: Mapping[str, str]) -> str | None:
    """The key for the server at this address, from the environment.

    HEADWATER_API_KEY is meant for the server that is named beside it. OPENAI_API_KEY is meant for OpenAI, and other
    programs leave it set: it goes to OpenAI's own address only.
    """
    if model is None or not is_address(model):
        return None
    key = environment.get("HEADWATER_API_KEY", "").strip()
    if not key and base_url_of(model) == _OPENAI:
        key = environment.get("OPENAI_API_KEY", "").strip()
    return key or None


def _messages(options: argparse.Namespace) -> list[Message]:
    prompt = _standard_input() if options.prompt == "-" else options.prompt
    system = [Message(Role.SYSTEM, options.system)] if options.system is not None else []
    return [*system, Message(Role.USER, prompt)]


def _standard_input() -> str:
    if sys.stdin is None:
        raise InvalidRequest("The prompt is to be read from standard input, and that is closed.")
    return sys.stdin.read()


def _wishes(options: argparse.Namespace) -> dict[str, Any]:
    named = {name: getattr(options, name) for name in ("max_tokens", "stop", "thinking", "speculation")}
    chosen = {name: value for name, *_ in _SAMPLING if (value := getattr(options, name)) is not None}
    if "logit_bias" in chosen:
        chosen["logit_bias"] = dict(chosen["logit_bias"])
    files = {name: getattr(options, name) for name in ("grammar", "json_schema")}
    return named | chosen | {name: _text_in(path) for name, path in files.items() if path is not None}


def _print_prompt(client: Client, messages: Sequence[Message], *, thinking: bool | None, as_json: bool) -> None:
    if not isinstance(client.model, ModelConfig):
        raise InvalidRequest("A server does not show what its model reads; --show-prompt is for a file.")
    prompt = prompt_text(client.model, messages, thinking=thinking)
    if as_json:
        _print_object({"prompt": prompt})
    else:
        print(prompt, end="", flush=True)


def _print_whole(response: Response, *, as_json: bool) -> None:
    if as_json:
        _print_object(as_object(response))
        return
    print(response.text, flush=True)
    print(_figures(response), file=sys.stderr)


def _print_object(content: dict[str, object]) -> None:
    # Where not every character can be written, all others are escaped: the object stays whole.
    anything = getattr(sys.stdout, "encoding", "utf-8").lower().replace("-", "") == "utf8"
    print(json.dumps(content, ensure_ascii=not anything), flush=True)


def _print_stream(client: Client, messages: Sequence[Message], wishes: dict[str, Any]) -> None:
    reasoning = False
    for event in client.stream(messages=messages, **wishes):
        match event:
            case PrefillProgress():
                pass
            case TurnsLeftOut():
                print(f"{len(event.messages)} of the oldest messages are left out", file=sys.stderr)
            case TextDelta(kind=DeltaKind.REASONING):
                reasoning = True
                print(event.text, end="", file=sys.stderr, flush=True)
            case TextDelta():
                if reasoning:
                    print("\n", file=sys.stderr, flush=True)
                reasoning = False
                print(event.text, end="", flush=True)
            case GenerationFinished():
                print(flush=True)
                print(_figures(event), file=sys.stderr)
            case GenerationFailed():
                if event.text:
                    print(flush=True)
                raise event.error
            case _:
                assert_never(event)


def as_object(response: Response) -> dict[str, object]:
    """The reply as one JSON object: seconds, tokens per second, and null where a figure is not known."""
    timings, trace = response.timings, response.trace
    phases = ("load", "queued", "prepare", "prefill", "first_sample", "wait", "decode", "finish", "ttft", "total")
    drafts = {"tokens": trace.drafted_tokens, "accepted": trace.accepted_tokens}
    return {
        "text": response.text,
        "reasoning": response.reasoning,
        "finish_reason": str(response.finish_reason),
        "model": response.model,
        "usage": {
            "input_tokens": response.usage.input_tokens or None,
            "cached_tokens": response.usage.cached_tokens,
            "output_tokens": response.usage.output_tokens or None,
            "reasoning_tokens": response.usage.reasoning_tokens,
        },
        **({"drafts": drafts} if trace.drafted_tokens else {}),
        "timings": {
            **{name: getattr(timings, name) for name in (*phases, "prefill_rate", "decode_rate")},
            "measured_at_client": timings.measured_at_client,
        },
    }


def _figures(reply: Response | GenerationFinished) -> str:
    usage, timings = reply.usage, reply.timings
    parts = []
    if usage.input_tokens:
        parts.append(f"read {_tokens_read(usage)}{_rate(timings.prefill_rate)}")
    if usage.output_tokens:
        here = " (measured here)" if timings.measured_at_client and timings.decode_rate is not None else ""
        parts.append(f"wrote {usage.output_tokens:,} tokens{_rate(timings.decode_rate)}{here}")
    if drafted := reply.trace.drafted_tokens:
        parts.append(f"{reply.trace.accepted_tokens:,} of {drafted:,} drafted tokens accepted")
    if timings.ttft is not None:
        parts.append(f"first token {timings.ttft:.2f} s")
    if timings.load:
        parts.append(f"load {timings.load:.2f} s")
    parts.append(f"ended by {reply.finish_reason}")
    return "; ".join(parts)


def _tokens_read(usage: Usage) -> str:
    if usage.cached_tokens is None:
        return f"{usage.input_tokens:,} tokens"
    return f"{usage.input_tokens - usage.cached_tokens:,} new + {usage.cached_tokens:,} cached tokens"


def _rate(tokens_per_second: float | None) -> str:
    return "" if tokens_per_second is None else f" at {tokens_per_second:.1f} tok/s"


def _bias(text: str) -> tuple[int, float]:
    token, _, bias = text.partition("=")
    try:
        return int(token), float(bias)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a token's id and a number, as in 42=-1.5") from None


_SAMPLING: tuple[tuple[str, Callable[[str], object], str, str], ...] = (
    ("temperature", float, "T", "0 always takes the likeliest token"),
    ("top_k", int, "K", "choose among the K likeliest tokens; 0 for all"),
    ("top_p", float, "P", "choose among the likeliest that make up P"),
    ("min_p", float, "P", "leave out tokens below P times the likeliest"),
    ("typical_p", float, "P", "choose among the most typical that make up P"),
    ("top_n_sigma", float, "N", "leave out tokens more than N deviations below the likeliest"),
    ("xtc_probability", float, "P", "how often the likeliest tokens are left out"),
    ("xtc_threshold", float, "P", "how likely each of those is at the least"),
    ("repeat_penalty", float, "R", "above 1 avoids repetition"),
    ("presence_penalty", float, "R", "above 0 avoids tokens that were written"),
    ("frequency_penalty", float, "R", "above 0 avoids tokens the more, the more often they were written"),
    ("repeat_last_n", int, "N", "how many tokens back these three look; -1 for all"),
    ("dry_multiplier", float, "M", "above 0 avoids that whole sequences repeat (DRY)"),
    ("dry_base", float, "B", "how much more with each token of the sequence"),
    ("dry_allowed_length", int, "N", "tokens that may repeat unpunished"),
    ("dry_penalty_last_n", int, "N", "how many tokens back DRY looks; -1 for all"),
    ("dry_sequence_breakers", str, "TEXT", "a text that sequences end at; may be repeated"),
    ("dynatemp_range", float, "T", "let the temperature go up and down by T with the uncertainty"),
    ("dynatemp_exponent", float, "E", "how it follows the uncertainty"),
    ("mirostat", int, "V", "2 keeps the surprise even, in place of all that leaves out tokens"),
    ("mirostat_tau", float, "S", "the surprise aimed at, in bits"),
    ("mirostat_eta", float, "R", "how fast it is approached"),
    ("logit_bias", _bias, "ID=BIAS", "add to a token's logit; -inf forbids it; may be repeated"),
    ("seed", int, "S", "the same seed gives the same text"),
)
_REPEATED = ("dry_sequence_breakers", "logit_bias")


class _Parser(argparse.ArgumentParser):
    """Says in one sentence what was wrong, with exit status 2."""

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        super().print_help(file)
        # What goes wrong while it is written goes wrong here, not in the interpreter's exit.
        print(end="", flush=True)

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


def _parser_of(command: str) -> argparse.ArgumentParser:
    match command:
        case "lab":
            from inference.experiment_commands import add_lab_options

            parser = _Parser(prog="python -m inference lab", description="Run an experiment with a model.")
            add_lab_options(parser)
            _add_model_options(parser)
            return parser
        case "models":
            from inference.model_commands import add_models_options

            parser = _Parser(prog="python -m inference models")
            add_models_options(parser)
            return parser
        case "compare":
            from inference.experiment_commands import COMPARED_TOKENS, add_compare_options

            parser = _Parser(
                prog="python -m inference compare",
                description="Ask with streaming on and off, in turn, and compare when the words were there.",
            )
            _add_prompt_options(parser, COMPARED_TOKENS)
            add_compare_options(parser)
        case _:
            parser = _Parser(
                prog="python -m inference",
                description="Ask a language model on this machine or on a server. The reply is written while it is "
                "made. The first words “compare”, “lab” and “models” are commands; each has a --help.",
                epilog="A prompt of - is read from standard input; anything after -- is a prompt. The key for a server "
                "is read from the environment: HEADWATER_API_KEY, and for OpenAI itself OPENAI_API_KEY.",
            )
            _add_prompt_options(parser)
            _add_answer_options(parser)
    _add_model_options(parser)
    _add_sampling_options(parser)
    return parser


def _add_prompt_options(parser: argparse.ArgumentParser, max_tokens: int | None = None) -> None:
    most = "to the window" if max_tokens is None else str(max_tokens)
    parser.add_argument("prompt", metavar="PROMPT", help="what to ask")
    parser.add_argument("--system", metavar="TEXT", help="the system prompt")
    parser.add_argument(
        "--thinking",
        action=argparse.BooleanOptionalAction,
        help="whether to think before the answer, where the model has a switch for it",
    )
    parser.add_argument(
        "--max-tokens", type=int, metavar="N", default=max_tokens, help=f"the most tokens to write (default: {most})"
    )
    parser.add_argument(
        "--stop", action="append", default=[], metavar="TEXT", help="end the reply before this text; may be repeated"
    )
    parser.add_argument("--grammar", type=Path, metavar="FILE", help="a GBNF grammar that the answer follows")
    parser.add_argument("--json-schema", type=Path, metavar="FILE", help="a JSON schema that the answer follows")
    parser.add_argument(
        "--speculation", action="store_true", help="evaluate ahead where the text repeats itself, as long as that pays"
    )


def _add_answer_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show-prompt", action="store_true", help="write what the model would read, and stop there")
    parser.add_argument("--no-stream", action="store_true", help="write the reply once it is whole")
    parser.add_argument("--json", action="store_true", help="write one object with text, usage and timings")


def _add_model_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        metavar="FILE|URL",
        help="a GGUF file (default: the embedded SmolLM2), or a server's address such as http://127.0.0.1:8080/v1",
    )
    parser.add_argument("--remote-model", metavar="NAME", help="what a server calls its model (default: its first one)")
    parser.add_argument(
        "--template", type=Path, metavar="FILE", help="a Jinja chat template in place of the model's own"
    )
    parser.add_argument("--context-size", type=int, metavar="N", help="tokens the context window holds")
    parser.add_argument("--threads", type=int, metavar="N", help="threads to compute with")
    parser.add_argument(
        "--device", metavar="NAME", help="what computes: CPU, or a GPU such as CUDA0 (default: all GPUs)"
    )
    parser.add_argument("--gpu-layers", type=int, metavar="N", help="layers on the GPU (default: as many as fit)")
    parser.add_argument(
        "--kv-type",
        default=KvType.F16.value,
        choices=[kind.value for kind in KvType],
        help="how the KV cache is kept: q8_0 takes half the memory (default: f16)",
    )


def _add_sampling_options(parser: argparse.ArgumentParser) -> None:
    sampling = parser.add_argument_group(
        "how tokens are chosen", "What is left out is the model file's own, else usual, else off."
    )
    for name, kind, metavar, text in _SAMPLING:
        action = "append" if name in _REPEATED else "store"
        sampling.add_argument(f"--{name.replace('_', '-')}", type=kind, metavar=metavar, help=text, action=action)


if __name__ == "__main__":
    # A shell starts with Ctrl-C ignored what it starts in the background; whoever sends it then means it.
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        status = main()
    except KeyboardInterrupt:  # before main could mind it, or after
        status = _INTERRUPTED
    sys.exit(status)
