"""The values of a sampling that a person chooses: in plain words, with the range that makes sense and what a change
does."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication


@dataclass(frozen=True, slots=True)
class Range:
    """From `least` to `most`, in steps."""

    least: float
    most: float
    step: float = 1

    @property
    def decimals(self) -> int:
        return 0 if self.step == round(self.step) else 2


@dataclass(frozen=True, slots=True)
class Knob:
    """One value of `Sampling`, by the name of its field."""

    field: str
    range: Range
    words: str
    explained: str


def usual_knobs() -> tuple[Knob, ...]:
    """Those that are in sight."""
    return (
        Knob(
            "temperature",
            Range(0, 5, 0.1),
            _tr("Freedom"),
            _tr("0 always takes the likeliest token. Higher is more varied, and sooner wrong."),
        ),
        Knob(
            "top_k",
            Range(0, 1000),
            _tr("Choose among"),
            _tr("so many of the likeliest tokens. Fewer is safer; 0 is all of them."),
        ),
        Knob(
            "top_p",
            Range(0, 1, 0.05),
            _tr("Share to choose from"),
            _tr("the likeliest tokens that together come to this much. Lower is safer; 1 is all."),
        ),
        Knob(
            "min_p",
            Range(0, 1, 0.01),
            _tr("Least likely one"),
            _tr("measured by the likeliest token. Higher is safer; 0 lets everything through."),
        ),
        Knob(
            "repeat_penalty",
            Range(0.5, 2, 0.05),
            _tr("Against repeating"),
            _tr("above 1 what was written lately becomes less likely. Too much of it spoils grammar and code."),
        ),
        Knob(
            "seed",
            Range(0, 2**32 - 2),
            _tr("Same choice again"),
            _tr("with one number the same prompt gets the same reply."),
        ),
    )


def unusual_knobs() -> tuple[Knob, ...]:
    """Those that are rarely wanted."""
    return (
        *_against_repeating(),
        *_leaving_out(),
        *_against_passages(),
        *_by_uncertainty(),
    )


def _against_repeating() -> tuple[Knob, ...]:
    """Penalties for what was written lately."""
    return (
        Knob(
            "repeat_last_n",
            Range(0, 8192, 16),
            _tr("How far back penalties look"),
            _tr("in tokens of the reply; 0 is not at all."),
        ),
        Knob(
            "presence_penalty",
            Range(-2, 2, 0.1),
            _tr("Against coming back to things"),
            _tr("the same for every token that was written at all; below 0 is in favour of it."),
        ),
        Knob(
            "frequency_penalty",
            Range(-2, 2, 0.1),
            _tr("Against wearing words out"),
            _tr("more with each time that a token was written."),
        ),
    )


def _leaving_out() -> tuple[Knob, ...]:
    """Other ways to leave tokens out: the unlikely, or the likeliest."""
    return (
        Knob(
            "typical_p",
            Range(0, 1, 0.05),
            _tr("Typical ones only"),
            _tr("tokens that surprise about as much as is to be expected here; 1 is all."),
        ),
        Knob(
            "top_n_sigma",
            Range(0, 10, 0.1),
            _tr("Within so many deviations"),
            _tr("of the likeliest token's logit. Lower is safer, at any temperature; 0 is all."),
        ),
        Knob(
            "xtc_probability",
            Range(0, 1, 0.05),
            _tr("Leave out the likeliest"),
            _tr("so often: for text that is less expected."),
        ),
        Knob(
            "xtc_threshold",
            Range(0, 0.5, 0.05),
            _tr("Which of them can be left out"),
            _tr("those that are at least so likely; the last of them stays."),
        ),
    )


def _against_passages() -> tuple[Knob, ...]:
    """DRY: penalties for passages that were written before."""
    return (
        Knob(
            "dry_multiplier",
            Range(0, 5, 0.1),
            _tr("Against repeated passages"),
            _tr("how strongly the next token of a repetition is punished; 0 is not at all. 0.8 is common."),
        ),
        Knob(
            "dry_base",
            Range(1, 4, 0.05),
            _tr("The longer, the more"),
            _tr("how fast that grows with the passage's length."),
        ),
        Knob(
            "dry_allowed_length",
            Range(1, 64),
            _tr("Repetitions that may be"),
            _tr("in tokens; what is longer is punished."),
        ),
        Knob(
            "dry_penalty_last_n",
            Range(-1, 65536, 64),
            _tr("How far back passages are looked for"),
            _tr("in tokens, of the prompt too; -1 is everywhere."),
        ),
    )


def _by_uncertainty() -> tuple[Knob, ...]:
    """A temperature that follows how sure the model is, or Mirostat, which aims at a surprise."""
    return (
        Knob(
            "dynatemp_range",
            Range(0, 5, 0.1),
            _tr("Freedom by uncertainty"),
            _tr("the temperature goes up and down by this, as sure as the model is; 0 is not at all."),
        ),
        Knob(
            "dynatemp_exponent",
            Range(0, 5, 0.1),
            _tr("How it follows uncertainty"),
            _tr("above 1 only great uncertainty counts."),
        ),
        Knob(
            "mirostat",
            Range(0, 2, 2),
            _tr("Even surprise"),
            _tr("2 aims at a constant surprise, in place of all that leaves tokens out; 0 does not."),
        ),
        Knob(
            "mirostat_tau", Range(0, 20, 0.5), _tr("The surprise aimed at"), _tr("in bits. Lower is more predictable.")
        ),
        Knob("mirostat_eta", Range(0, 1, 0.05), _tr("How fast it is approached"), _tr("higher corrects sooner.")),
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("SamplingForm", text)
