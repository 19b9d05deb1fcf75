"""A hostile or broken template ends in a sentence, in bounded time and memory."""

from __future__ import annotations

import json
import re
import time
import tracemalloc
from collections.abc import Mapping
from datetime import datetime
from itertools import pairwise

import pytest
from jinja2 import Template, TemplateError
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from inference.errors import TemplateFailed
from inference.sandbox import SandboxedTemplate
from tests.templates import NAMES, source_of

SECONDS = 0.3  # a template may compute
IN_TIME = 5.0  # far above what any of these takes, far below what they would
MOST_BYTES = 300_000_000

FOR_EVER = {
    "loops in loops": "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "loops over text": (
        "{% set x = 'x' * 1000000 %}{% for i in x %}{% for j in x %}{% if i == j %}{% endif %}{% endfor %}{% endfor %}"
    ),
    "loops with a condition": "{% for i in range(99999) %}{% for j in range(99999) if j < 0 %}{% endfor %}{% endfor %}",
    "calls in calls": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    "filters in loops": "{% for i in range(100000) %}{% set x = range(100000)|sort|list %}{% endfor %}",
    "a recursive loop": (
        "{% for x in range(99999) recursive %}{% if loop.depth < 9 %}{{ loop(range(99999)) }}{% endif %}{% endfor %}"
    ),
    "comparisons": "{% set x = 'x' * 4000000 %}{% for i in range(100000) %}{% if x == x[1:] %}{% endif %}{% endfor %}",
}

_GROWING = (
    "{{% set ns = namespace(x={0}) %}}{{% for i in range(100) %}}{{% set ns.x = {1} %}}{{% endfor %}}{{{{ ns.x{2} }}}}"
)

TOO_MUCH = {
    "a text multiplied": "{{ 'x' * 10**9 }}",
    "multiplied by a text": "{{ 10**9 * 'x' }}",
    "a list multiplied": "{{ [0] * 10**9 }}",
    "a range too far": "{{ range(10**9) | list }}",
    "a power": "{{ 10 ** (10 ** 10) }}",
    "numbers that grow": _GROWING.format("9", "ns.x * ns.x", ""),
    "texts glued": _GROWING.format("'xx'", "ns.x ~ ns.x", ""),
    "texts added": _GROWING.format("'xx'", "ns.x + ns.x", ""),
    "texts replaced by a filter": _GROWING.format("'aaaaaaaaaa'", "ns.x | replace('a', ns.x)", ""),
    "texts replaced by a method": _GROWING.format("'aaaaaaaaaa'", "ns.x.replace('a', ns.x)", ""),
    "nothing replaced": _GROWING.format("'aaaaaaaaaa'", "ns.x.replace('', ns.x)", ""),
    "lists of lists": _GROWING.format("[]", "[ns.x, ns.x]", ""),
    "tuples of tuples": _GROWING.format("()", "(ns.x, ns.x)", ""),
    "mappings of mappings": _GROWING.format("{}", "{'a': ns.x, 'b': ns.x}", " | tojson"),
    "mappings by a call": _GROWING.format("{}", "dict(a=ns.x, b=ns.x)", ""),
    "texts joined by a filter": "{{ (['x' * 1000000] * 100000) | join }}",
    "texts joined by a method": "{{ ''.join(['x' * 1000000] * 100000) }}",
    "a long separator": "{{ ('x' * 1000000).join('y' * 1000000) }}",
    "many lists": "{{ (['x' * 1000000] * 7) | map('list') | list }}" * 20,
    "a wide number": "{{ '%1000000000d' % 1 }}",
    "a width that is given": "{{ '%*d' % (10**9, 1) }}",
    "a width for the filter": "{{ '%*d' | format(10**9, 1) }}",
    "a wide field": "{{ '{:1000000000}'.format(1) }}",
    "a field within a field": "{{ '{:{}}'.format(1, 10**9) }}",
    "many fields": "{{ ('{0}' * 1000000).format('x' * 1000000) }}",
    "a wide indent": "{{ ('\\n' * 1000000) | indent(1000000) }}",
    "an endless indent": "{{ 'x' | indent(10**12, true) }}",
    "wide JSON": "{{ [1] | tojson(indent=10**9) }}",
    "a wide date": "{{ strftime_now('%1000000000Y') }}",
    "a padded text": "{{ 'x'.zfill(10**9) }}",
    "a padded text, by its name": "{{ ('x' | attr('ljust'))(10**9) }}",
    "a padded text, as an item": "{{ 'x'['rjust'](10**9) }}",
    "output without end": "{% for i in range(99999) %}{% for j in range(99999) %}"
    + "y" * 999
    + "{% endfor %}{% endfor %}",
    "a block without end": (
        "{% set x %}{% for i in range(99999) %}{% for j in range(99999) %}"
        + "y" * 9999
        + "{% endfor %}{% endfor %}{% endset %}"
    ),
    "a source without end": "x" * 2_000_000,
}

TOO_DEEP = {
    "brackets": "{{ " + "[" * 50_000 + "]" * 50_000 + " }}",
    "parentheses": "{{ " + "(" * 50_000 + "1" + ")" * 50_000 + " }}",
    "conditions": "{% if 1 %}" * 2_000 + "{% endif %}" * 2_000,
    "loops": "{% for i in [1] %}" * 60 + "{% endfor %}" * 60,
    "negations": "{{ " + "not " * 40_000 + "1 }}",
    "sums": "{{ 1" + "+1" * 50_000 + " }}",
    "attributes": "{{ a" + ".b" * 50_000 + " }}",
    "digits": "{{ " + "9" * 100_000 + " }}",
    "a macro that calls itself": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "a block that holds itself": "{% block a %}{{ self.a() }}{% endblock %}",
}

FORBIDDEN = {
    "classes": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "globals of a function": "{{ raise_exception.__globals__['x'] }}",
    "globals of a class": "{{ namespace.__init__.__globals__['x'] }}",
    "classes by format": "{{ '{0.__class__.__mro__}'.format(1).x.y }}",
    "classes by attr": "{{ (1 | attr('__class__')).__mro__ }}",
    "changes to what is given": "{{ messages.append(1) }}",
    "other files": "{% include 'x' %}",
    "other templates": "{% extends 'x' %}",
    "imports": "{% import 'os' as os %}{{ os.x }}",
    "codecs that take hours": "{{ ('a' * 3000000 ~ '-' ~ 'b' * 3000000).encode().decode('punycode') }}",
    "codecs by their name": "{{ ('a' | attr('encode'))('punycode') }}",
    "a title without end": "{{ ('a ' * 3500000) | title }}",
    "division by nothing": "{{ 1 // 0 }}",
    "what is not there": "{{ messages[99].content.x.y }}",
    "a refusal without end": "{{ raise_exception('x' * 1000000) }}",
}


def render(source: str, seconds: float = SECONDS) -> str:
    return SandboxedTemplate(source, lambda: None, seconds).render({"messages": []})


@pytest.mark.parametrize("source", FOR_EVER.values(), ids=FOR_EVER)
def test_what_would_run_for_ever_is_ended(source: str) -> None:
    began = time.thread_time()
    with pytest.raises(TemplateFailed, match=r"does not come to an end|more than a template may"):
        render(source)
    assert time.thread_time() - began < IN_TIME


@pytest.mark.parametrize("source", TOO_MUCH.values(), ids=TOO_MUCH)
def test_what_would_take_all_memory_is_refused_before_it_does(source: str) -> None:
    began = time.process_time()
    tracemalloc.start()
    try:
        with pytest.raises(TemplateFailed):
            render(source, seconds=1.0)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES
    assert time.process_time() - began < IN_TIME * 4, "memory is being traced"


@pytest.mark.parametrize("source", [*TOO_DEEP.values(), *FORBIDDEN.values()], ids=[*TOO_DEEP, *FORBIDDEN])
def test_what_is_nested_too_deep_or_forbidden_fails_with_a_short_sentence(source: str) -> None:
    began = time.thread_time()
    with pytest.raises(TemplateFailed) as failure:
        render(source)
    assert 0 < len(str(failure.value)) < 1200
    assert time.thread_time() - began < IN_TIME


def test_time_in_which_a_template_does_not_compute_is_not_counted() -> None:
    template = SandboxedTemplate("{{ 1 + 1 }}", lambda: time.sleep(0.2), seconds=0.1)
    assert template.render({}) == "2"


@pytest.mark.parametrize("source", FOR_EVER.values(), ids=FOR_EVER)
def test_whoever_looks_on_can_end_a_rendering_at_once(source: str) -> None:
    looks = [time.thread_time()]

    class Stopped(Exception):
        pass

    def look() -> None:
        looks.append(time.thread_time())
        if looks[-1] - looks[0] > 0.1:
            raise Stopped

    with pytest.raises(Stopped):
        SandboxedTemplate(source, look, seconds=60.0).render({})
    assert max(later - sooner for sooner, later in pairwise(looks)) < 1.0


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ {'b': 'é<', 'a': [1, none]} | tojson }}", '{"b": "é<", "a": [1, null]}'),
        ("{{ {'b': 1, 'a': 2} | tojson(sort_keys=true, separators=(',', ':')) }}", '{"a":2,"b":1}'),
        ("{{ [1] | tojson(indent=2) }}", "[\n  1\n]"),
        ("{{ ('{\"a\": 1}' | from_json).a }}", "1"),
        ("{{ ['a', 'b'] | join('-') }}{{ [{'x': 1}, {'x': 2}] | join('+', attribute='x') }}", "a-b1+2"),
        ("{{ 'aXbX' | replace('X', '.') }}{{ 'aXbX'.replace('X', '.', 1) }}", "a.b.a.bX"),
        ("{{ '%s and %d' | format('a', 1) }}{{ '{}-{x}'.format(1, x=2) }}{{ '%s' % 'a' }}", "a and 11-2a"),
        ("{{ 'a\nb\n\nc' | indent(2) }}", "a\n  b\n\n  c"),
        ("{{ 'a\nb' | indent('> ', true) }}", "> a\n> b"),
        (
            "{{ 7 % 4 }}{{ 2 ** 3 }}{{ 2 * 3 }}{{ 1 + 2 }}{{ 'a' * 2 }}{{ [1] + [2] }}{{ 'a' ~ 1 ~ none }}",
            "3863aa[1, 2]a1None",
        ),
        ("{% for x in [3, 4] %}{{ loop.index }}/{{ loop.length }}{{ loop.last }} {% endfor %}", "1/2False 2/2True "),
        ("{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{% else %}none{% endfor %}", "a1"),
        ("{% for x in nothing %}{{ x }}{% else %}none{% endfor %}", "none"),
        ("{% for x in [[1, [2]], 3] recursive %}{{ loop(x) if x is iterable else x }}{% endfor %}", "123"),
        ("{% set ns = namespace(n=0) %}{% for i in range(3) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "3"),
        ("{% for x in [1, 2, 3] %}{% if x == 2 %}{% continue %}{% endif %}{{ x }}{% endfor %}", "13"),
        ("{% generation %}said{% endgeneration %}", "said"),
        (
            "{% macro m(a, b='c') %}{{ a ~ b }}{{ caller() }}{% endmacro %}{% call m('y') %}z{% endcall %}{{ 1 }}",
            "ycz1",
        ),
        ("{{ strftime_now('%Y') | length }}{{ undefined_name is defined }}{{ undefined_name }}", "4False"),
        ("{{ ([1, 2] | map('string') | list)[0] is string }}", "True"),
    ],
)
def test_what_templates_of_the_field_do_works_as_they_mean_it(source: str, expected: str) -> None:
    assert SandboxedTemplate(source, lambda: None).render({"messages": []}) == expected


def plain_template(source: str) -> Template:
    """The template in jinja2 alone, set up as Hugging Face does it."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = lambda value, **wishes: json.dumps(value, **{"ensure_ascii": False, **wishes})
    environment.filters["from_json"] = json.loads
    environment.globals["raise_exception"] = refuse
    environment.globals["strftime_now"] = lambda pattern: datetime.now().astimezone().strftime(pattern)
    return environment.from_string(source)


def rendered_by(template: Template, variables: Mapping[str, object]) -> str | None:
    try:
        return template.render(variables)
    except (TemplateError, TypeError, AttributeError):
        return None


def refuse(reason: str) -> None:
    raise TemplateError(reason)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_paid_for_is_rendered_as_jinja2_alone_renders_it(name: str) -> None:
    source = re.sub(r"{%-?\s*(end)?generation\s*-?%}", "", source_of(name))
    function = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"type": "string", "enum": ["a"]}}}}
    call = {"id": "123456789", "type": "function", "function": {"name": "f", "arguments": {"x": "a"}}}
    question = {"role": "user", "content": "One"}
    answer = {"role": "assistant", "content": " Two\n", "reasoning_content": "Three"}
    with_tools = [
        question,
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": "f", "tool_call_id": "123456789", "content": '{"a": 1}'},
    ]
    plain, sandboxed = plain_template(source), SandboxedTemplate(source, lambda: None)
    wishes: tuple[dict[str, object], ...] = (
        {},
        {"enable_thinking": True},
        {"tools": [{"type": "function", "function": function}]},
    )
    for messages in ([question], [{"role": "system", "content": "S\n"}, question, answer, question], with_tools):
        for wish in wishes:
            variables = {"messages": messages, "add_generation_prompt": True, "bos_token": "<b>", **wish}
            expected = rendered_by(plain, variables)
            try:
                assert sandboxed.render(variables) == expected
            except TemplateFailed:
                assert expected is None


def test_a_long_conversation_costs_little_of_what_a_template_may_spend() -> None:
    source = source_of("Qwen3.5-4B")
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": "x" * 4_000} for index in range(1_001)]
    assert len(SandboxedTemplate(source, lambda: None).render({"messages": messages})) > 4_000_000
