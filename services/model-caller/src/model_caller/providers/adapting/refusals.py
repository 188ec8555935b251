"""By which words of a refusal each adaptation is recognised, and when it changes a request. Pure.

The words are those that servers have in common, not those of one. A new adaptation is a new row.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from agent_contracts.entities.model_adaptations import ONCE, Adaptation, LearnedAdaptation
from agent_contracts.session_events.results import ModelFailure
from agent_platform.log.storable_text import storable_text
from model_caller.answers.failures import ModelFault
from model_caller.answers.failures import words as in_server_words
from model_caller.choosing.call_adaptations import CallAdaptations
from model_caller.providers.adapting.messages import adapted_messages
from model_caller.providers.adapting.schemas import plain_tools
from session_domain.model_requests.encoded_array import encoded
from session_domain.model_requests.request import ModelRequest

_LONGEST_SAID = 500
_LONGEST_READ = 2_000
_REFUSED = frozenset({ModelFailure.BAD_REQUEST, ModelFailure.UNKNOWN_MODEL, ModelFailure.CONTEXT_LENGTH})
"""Failures that may be refusals of a form: OpenRouter says with a 404 that nobody takes tools, and that an id
is too long is said in the words of a long prompt."""

_NOT = (
    r"(not|n't|no longer|un)[ -]?(currently )?(be )?"
    r"(support|allow|permit|accept|implement|enabl|availab|recogni[sz]|expect|capable|able|handle|process)"
)


def _words(*either: str) -> re.Pattern[str]:
    return re.compile("|".join(either), re.IGNORECASE | re.DOTALL)


def _about(what: str, refused: str, within: int = 80) -> tuple[str, str]:
    """Both orders of what is refused and that it is."""
    near = rf"[^\n]{{0,{within}}}"
    return rf"\b{what}\b{near}{refused}", rf"{refused}{near}\b{what}\b"


_REASONING = r"(reasoning(_content|_details| content)?|thought_?signatures?|thinking( block| content)?s?)"
_TOOLS = r"(tools?( (use|usage|calls?|calling|choice))?|tool_choice|function[ _-]calls?(ing)?|functions)"
_PICTURES = (
    r"(images?|image_urls?|vision|pictures?|visual|multi-?modal( (data|inputs?|content))?"
    r"|input_image|media|non-text)"
)
_IDS = (
    r"(tool[ _]?(call|use)[ _]?s?([\[.]\d+\]?)?[ _.`'\"]{0,2}(\bids?\b|_id)"
    r"|call[ _]ids?|\bid'?s?\b[^\n]{0,30}tool)"
)


class Refusal(msgspec.Struct, frozen=True):
    """A row of the table: the words and codes of a refusal, and what they lead to where `changes` says that
    it changes the request."""

    adaptation: Adaptation
    words: re.Pattern[str]
    changes: Callable[[ModelRequest, CallAdaptations], bool]
    codes: frozenset[str] = frozenset()
    unless: re.Pattern[str] | None = None
    field: str | None = None


def _offers_tools(request: ModelRequest, _: CallAdaptations) -> bool:
    return bool(request.tools) or _has(request, b'"tool_calls":')


def _has_rich_schemas(request: ModelRequest, _: CallAdaptations) -> bool:
    return bool(request.tools) and list(plain_tools(request.tools)) != list(encoded(request.tools))


def _shows_pictures(request: ModelRequest, _: CallAdaptations) -> bool:
    return bool(request.pictures) or _has(request, b'"type":"image_url"')


def _has(request: ModelRequest, mark: bytes) -> bool:
    return any(mark in part for part in encoded(request.messages).parts)


def _may_give_reasoning(request: ModelRequest, adapted: CallAdaptations) -> bool:
    """Also where none is known, as of another model's answers: an empty one is given then."""
    return not adapted.has(Adaptation.NO_REASONING) and (
        bool(request.reasoning) or _has(request, b'"tool_calls":')
    )


def _gives_reasoning(request: ModelRequest, adapted: CallAdaptations) -> bool:
    return bool(request.thoughts) or adapted.has(Adaptation.REASONING_BACK)


def _changed_by(adaptation: Adaptation) -> Callable[[ModelRequest, CallAdaptations], bool]:
    """Whether the messages get another form by it."""

    def changes(request: ModelRequest, adapted: CallAdaptations) -> bool:
        now = list(adapted_messages(request.messages, adapted))
        one = LearnedAdaptation(adaptation, "", "")
        return list(adapted_messages(request.messages, adapted.trying(one))) != now

    return changes


_BAD_PICTURE = _words(
    r"(format|base64|too (large|big|many|small)|exceed|dimension|pixel|corrupt|decod|download|fetch|damaged"
    r"|could not process|failed to|invalid image|image data|media[_ ]type|mime|truncated"
    r"|\b(svg|webp|gif|tiff|bmp|jpe?g|png)\b|at most [1-9]|maximum)"
)
"""Of one picture, or of how many there are: it says nothing of the model."""

_ROLES = _words(
    r"roles? must (be )?alternat",
    r"(conversation|chat|message)s? roles?",
    r"(user|assistant|roles?|must|should)\b[^\n]{0,60}\balternat",
    r"after the optional system message",
    r"(expected|unexpected|invalid|unknown|incorrect|wrong)\b[^\n]{0,40}\broles?\b",
    r"roles?\b[^\n]{0,60}(not supported|unsupported|not allowed|invalid|unknown|is not one of)",
    r"\broles?\b[^\n]{0,40}(should|must) be",
    r"(first|last|next) (non-system )?message (must|should|has to)",
    r"(must|should) (start|begin) with (a |the )?['\"`]?user",
    r"only (support\w* )?['\"`]?(user|system|assistant)\b[^\n]{0,80}(supported|allowed|roles?)",
    r"system (message|prompt|role|instruction)s?\b[^\n]{0,60}"
    rf"({_NOT}|unsupported|must be|at the beginning|should be|first)",
    r"(does not|doesn't|do not) support\b[^\n]{0,30}(system|developer|tool)\b"
    r"(?! (use|calls?|calling|choice))",
    r"['\"`](system|developer)['\"`] is not (one of|supported|allowed)",
    r"developer instruction is not enabled",
    r"user message (found|expected|must)",
    r"no user (query|message) found",
)

_NO_REASONING = _words(
    *_about(
        _REASONING,
        rf"({_NOT}|unknown|extra|unexpected|unsupported|invalid|remove|forbidden|(must|should|may) not"
        r"|cannot)",
    )
)

REFUSALS: tuple[Refusal, ...] = (
    Refusal(
        Adaptation.REASONING_BACK,
        _words(
            rf"{_REASONING}\b[^\n]{{0,120}}(must|needs?|missing|required|absent|lack|pass(ed)? back|preserve"
            r"|not (found|provided|present|included|set)|empty)",
            rf"(missing|requires?|expect(s|ed)|needs?|lacks?|without|must (have|contain|include|start with)"
            rf"|no)\b[^\n]{{0,80}}{_REASONING}",
        ),
        _may_give_reasoning,
        unless=_NO_REASONING,
    ),
    Refusal(
        Adaptation.NO_REASONING,
        _NO_REASONING,
        _gives_reasoning,
    ),
    Refusal(
        Adaptation.SHORT_CALL_IDS,
        _words(
            rf"{_IDS}[^\n]{{0,120}}(must|should|length|too long|pattern|match|invalid|characters|a-z)",
            rf"(invalid|pattern|length of|too long)\b[^\n]{{0,80}}{_IDS}",
        ),
        _changed_by(Adaptation.SHORT_CALL_IDS),
        codes=frozenset({"3280"}),
        unless=_words(
            r"not found|no (tool|function) call|preceding|without|follow|unanswered|missing|respond"
        ),
    ),
    Refusal(
        Adaptation.NO_PICTURES,
        _words(
            *_about(
                _PICTURES,
                rf"({_NOT}|unknown|only (supported|available|allowed|text)|no endpoints|disabled|extra input"
                r"|text[- ]only)",
            ),
            r"(cannot|can't|unable to) (see|read|view|accept|take|handle) (images?|pictures?)",
            r"mmproj",
            r"at most 0 image",
            r"not (a |an )?(multi-?modal|vision)",
            r"\bonly (supports?|accepts?|takes?|handles?) (plain )?text\b(?![^\n]{0,80}\b(tool|function))",
            r"(unknown|unsupported|invalid|unexpected)\b[^\n]{0,40}\b(content|part|variant|type)\b[^\n]{0,60}"
            r"image",
            r"(content|messages)\b[^\n]{0,60}(must|should|expected?)\b[^\n]{0,30}(string|text)",
            r"invalid type: (sequence|map|array)[^\n]{0,40}expected a string",
        ),
        _shows_pictures,
        unless=_BAD_PICTURE,
    ),
    Refusal(
        Adaptation.NO_PICTURES,
        _words(*_about(_PICTURES, _BAD_PICTURE.pattern, 160)),
        _shows_pictures,
        field=ONCE,
    ),
    Refusal(
        Adaptation.TOOL_NAMES,
        _words(
            r"(tool|function)\b[^\n]{0,60}\bname\b[^\n]{0,40}(required|missing|must|empty|cannot be)",
            r"(tool|function)\b[^\n]{0,40}(must|requires?|needs?|missing|without)\b[^\n]{0,30}\bname\b",
            r"(missing|requires?|without|must have)\b[^\n]{0,40}['\"`]?name\b[^\n]{0,60}(tool|function)",
        ),
        _changed_by(Adaptation.TOOL_NAMES),
    ),
    Refusal(
        Adaptation.NO_TOOL_ROLE,
        _words(
            r"role['\"`:= ]{0,4}(tool|function)\b",
            r"['\"`]?tool['\"`]? (messages?|roles?|results?)\b",
            r"tool_call_id",
        ),
        _changed_by(Adaptation.NO_TOOL_ROLE),
        unless=_words(r"prece+ding|follow|unanswered|respon[ds]|after"),
    ),
    Refusal(
        Adaptation.DEVELOPER_ROLE,
        _words(
            r"system\b[^\n]{0,120}(use|instead|expected|one of|be)\b[^\n]{0,60}['\"`]developer",
            r"(use|expected|one of|should be|must be)\b[^\n]{0,60}['\"`]?developer",
        ),
        _changed_by(Adaptation.DEVELOPER_ROLE),
        unless=_words(
            r"not support\w*[^\n]{0,20}['\"`]?developer",
            r"developer instruction",
            r"\b(one of|expected|should be|must be|supported)\b[^\n]{0,80}['\"`]system",
        ),
    ),
    Refusal(
        Adaptation.STRICT_ALTERNATION,
        _ROLES,
        _changed_by(Adaptation.STRICT_ALTERNATION),
        unless=_words(
            r"(role )?(system|developer)['\"`]?( (message|prompt|role|instruction)s?)?['\"`]?[^\n]{0,30}"
            rf"({_NOT}|unsupported)",
            r"developer instruction",
            r"['\"`](system|developer)['\"`] is not one of",
            r"(support|allow|with)\w* ['\"`]?system",
        ),
    ),
    Refusal(Adaptation.NO_SYSTEM_ROLE, _ROLES, _changed_by(Adaptation.NO_SYSTEM_ROLE)),
    Refusal(Adaptation.NO_TOOL_ROLE, _ROLES, _changed_by(Adaptation.NO_TOOL_ROLE)),
    Refusal(
        Adaptation.PLAIN_SCHEMAS,
        _words(
            r"unknown name[^\n]{0,40} at '[^'\n]*(tools|function_?declarations|parameters)",
            r"(tools?|function_?declarations?|function|input_schema)\b[^\n]{0,120}"
            rf"\b(schemas?|parameters)\b[^\n]{{0,120}}({_NOT}|unsupported|invalid|unknown|unrecogni[sz]ed)",
            rf"({_NOT}|unsupported|invalid|unknown|unrecogni[sz]ed)[^\n]{{0,60}}\b(json )?schemas?\b"
            r"[^\n]{0,120}\b(tools?|function)",
        ),
        _has_rich_schemas,
        unless=_words(r"invalid schema for function"),  # of one tool that is wrong, whoever reads it
    ),
    Refusal(
        Adaptation.NO_TOOLS,
        _words(
            *_about(
                _TOOLS,
                rf"({_NOT}|no endpoints|disabled|extra inputs?|unknown (field|name|param)|unrecogni[sz]ed)",
            ),
            r"--jinja",
            r"\b(not|n't|no|without|lacks?)\b[^\n]{0,20}\b(tool|function)([ -]?call\w*)? "
            r"(capabilit|abilit|support)",
            r"\bonly (supports?|accepts?|takes?) (plain )?text\b[^\n]{0,80}\b(tool|function)",
            r"--(enable-auto-tool-choice|tool-call-parser)",
        ),
        _offers_tools,
        unless=_words(
            r"tool_call_ids?\b|tool_calls?\b[^\n]{0,60}(must be followed|response|respond|preceding)",
            r"schema|parameters\b|function\.|tools\[?\.?\d+|unique|duplicat|pattern|(tool|function)s? names?",
            r"too many tools|number of tools|tools? (is|are) too",
        ),
    ),
    Refusal(
        Adaptation.TEXT_CONTENT,
        _words(
            r"content\b[^\n]{0,80}(must|should|expected?|valid|to be|cannot be|not)\b[^\n]{0,30}"
            r"(string|text|null|none|empty|array|list)",
            r"(expected|invalid type)\b[^\n]{0,60}string\b",
            r"none is not an allowed value",
            r"content\b[^\n]{0,40}(required|missing|null|none)",
        ),
        _changed_by(Adaptation.TEXT_CONTENT),
    ),
    Refusal(
        Adaptation.COMPLETION_TOKENS,
        _words(r"max_completion_tokens"),
        lambda request, adapted: (
            request.options.get("max_tokens") is not None and not adapted.has(Adaptation.COMPLETION_TOKENS)
        ),
        unless=_words(r"max_completion_tokens['\"`]? (is|was|are)?\s*(not|un)"),
    ),
)
"""In the order in which they are tried: the more special first. Fields that are refused by name follow."""

_UNPAIRED = _words(
    r"response to a prece+ding",
    r"must be followed by tool",
    r"(did not have|without) (a )?response",
    r"(tool_result|tool_use|tool_call)[^\n]{0,80}(immediately after|corresponding|previous message)",
)
"""Calls and results that don't belong together: no form helps."""

_PART_OF = {
    "include_usage": "stream_options",
    "json_schema": "response_format",
    "output_config": "response_format",
    "output_format": "response_format",
    "stop_sequences": "stop",
    "structured_outputs": "response_format",
    "structured_output": "response_format",
    "guided_decoding": "response_format",
    "guided_json": "response_format",
    "max_completion_tokens": "max_tokens",
    "maximum_tokens": "max_tokens",
}
"""Other names of an optional field, or of what stands in it."""
_PLAIN = re.compile(r"[a-z]+")
"""A name that is a word as well, unless it is quoted."""
_A_FIELD = r"\b(param\w*|fields?|arguments?|options?|propert\w+|keys?)"
_LIMIT = re.compile(
    r"max(imum|_(completion_|output_|new_)?tokens| tokens)|completion tokens|output tokens", re.IGNORECASE
)
_NUMBER = re.compile(r"\d[\d,_]*")
_LEAST_LIMIT = 16


def adaptation_for(
    fault: ModelFault, request: ModelRequest, adapted: CallAdaptations, fields: Iterable[str]
) -> LearnedAdaptation | None:
    """What to change in the request, by the words with which it was refused; None: they tell nothing that
    changes it. `fields` are those that it was sent with. When it was learned is said once it is kept."""
    if fault.failure not in _REFUSED or _UNPAIRED.search(fault.message):
        return None
    said, names = fault.message[:_LONGEST_READ], frozenset(fault.named)
    words = storable_text(in_server_words(fault))[:_LONGEST_SAID]
    if fault.failure is ModelFailure.CONTEXT_LENGTH:
        rows = tuple(one for one in REFUSALS if one.adaptation is Adaptation.SHORT_CALL_IDS)
    else:
        rows = REFUSALS
    for row in rows:
        if adapted.has(row.adaptation) or not (row.words.search(said) or row.codes & names):
            continue
        if row.unless is not None and row.unless.search(said) and not row.codes & names:
            continue
        if row.changes(request, adapted):
            return LearnedAdaptation(row.adaptation, words, "", row.field)
    if fault.failure is ModelFailure.CONTEXT_LENGTH:
        return None
    found = _named_field(said, names, set(fields) - adapted.without)
    if found is None:
        return None
    limit = _limit_in(said, request.options) if found == "max_tokens" else None
    if limit is not None and adapted.answer_limit is None:
        return LearnedAdaptation(Adaptation.ANSWER_LIMIT, words, "", str(limit))
    if found == "max_tokens" and request.options.get(found) is None:
        return None  # its provider can't do without
    return LearnedAdaptation(Adaptation.WITHOUT_FIELD, words, "", found)


def _named_field(said: str, names: frozenset[str], fields: set[str]) -> str | None:
    """The field that a refusal names: as its parameter, or first in its words."""
    for name in fields:
        if name in names:
            return name
    places = [
        (place, field)
        for name, field in ((*((one, one) for one in fields), *_PART_OF.items()))
        if field in fields and (place := _place(said, name)) is not None
    ]
    return min(places)[1] if places else None


def _place(said: str, name: str) -> int | None:
    written = re.escape(name).replace("_", "[_ ]?")
    form = rf"\b{written}\b"
    if _PLAIN.fullmatch(name) and len(name) < 9:
        form = rf"(['\"`.\[]|:\s?|^|{_A_FIELD}\W{{1,4}}){written}(['\"`.:\]]|$)"
    found = re.search(form, said, re.IGNORECASE)
    return None if found is None else found.start()


def _limit_in(said: str, options: Mapping[str, Any]) -> int | None:
    """The longest answer that a refusal allows, where it tells one."""
    if not _LIMIT.search(said):
        return None
    figures = [int(re.sub(r"\D", "", one)[:9]) for one in _NUMBER.findall(said)]
    asked = options.get("max_tokens") or max(figures, default=0)
    return max((one for one in figures if _LEAST_LIMIT <= one < asked), default=None)
