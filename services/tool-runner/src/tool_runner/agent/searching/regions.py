"""Countries as search services call them."""

from babel import Locale
from babel.languages import get_official_languages

_ENGLISH = Locale("en")


def is_country(code: str) -> bool:
    """Whether it is an ISO 3166 country code, in any case."""
    return len(code) == 2 and code.isalpha() and code.upper() in _ENGLISH.territories


def country_name(code: str) -> str:
    """The country's name in English."""
    return str(_ENGLISH.territories[code.upper()])


def language_of(code: str) -> str:
    """The language that most people there write, `en` where that isn't known."""
    languages = get_official_languages(code.upper(), regional=True, de_facto=True)
    return languages[0].partition("_")[0] if languages else "en"
