"""Dates and numbers as people write them: Intl, and toLocaleString, with time zones."""

import pytest

from tool_runner.sandbox.program import SandboxProgram
from tool_runner.sandbox.sandbox import Sandbox

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("sandbox")]

AT = "const d = new Date('2026-03-29T01:30:15.250Z');"
BERLIN = "timeZone: 'Europe/Berlin'"
DATES = [
    (f"return d.toLocaleString('de-DE', {{ {BERLIN} }})", "29.3.2026, 03:30:15"),
    (f"return d.toLocaleDateString('en-GB', {{ {BERLIN} }})", "29/03/2026"),
    (f"return d.toLocaleTimeString('en-US', {{ {BERLIN} }})", "3:30:15 AM"),
    ("return d.toLocaleDateString('sv-SE')", "2026-03-29"),
    ("return d.toLocaleString()", "3/29/2026, 1:30:15 AM"),
    ("return d.toLocaleString('en-US', { timeZone: 'America/New_York', dateStyle: 'full', timeStyle: 'short' })", "Saturday, March 28, 2026 at 9:30 PM"),
    ("return d.toLocaleString('en-US', { timeZone: 'America/New_York', hour: 'numeric', timeZoneName: 'short' })", "9 PM EDT"),
    ("return d.toLocaleString('fr', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })", "dimanche 29 mars 2026"),
    ("return d.toLocaleString('ja', { dateStyle: 'long', timeZone: 'Asia/Tokyo' })", "2026年3月29日"),
    ("return new Intl.DateTimeFormat('de', { month: 'long' }).format(d)", "März"),
    (f"return [-1, 0].map((s) => new Date(Date.UTC(2026, 2, 29, 1, 0, s)).toLocaleTimeString('en-GB', {{ {BERLIN} }}))", ["01:59:59", "03:00:00"]),
    (f"return [-1, 0].map((s) => new Date(Date.UTC(2099, 9, 25, 1, 0, s)).toLocaleTimeString('en-GB', {{ {BERLIN} }}))", ["02:59:59", "02:00:00"]),
    ("return new Date(Date.UTC(2026, 0, 1)).toLocaleTimeString('en-GB', { timeZone: 'asia/kolkata' })", "05:30:00"),
    ("return new Date(0).toLocaleTimeString('en-GB', { timeZone: '+05:45' })", "05:45:00"),
    ("return new Intl.DateTimeFormat('en-US', { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(d).filter((p) => p.type !== 'literal').map((p) => p.type + p.value)", ["month03", "day29", "year2026"]),
    (f"const {{ locale, timeZone, hourCycle, minute }} = new Intl.DateTimeFormat('de-DE', {{ hour: 'numeric', minute: 'numeric', {BERLIN.lower().replace('timezone', 'timeZone')} }}).resolvedOptions(); return [locale, timeZone, hourCycle, minute]", ["de", "Europe/Berlin", "h23", "2-digit"]),
    ("return Intl.DateTimeFormat().resolvedOptions().timeZone", "UTC"),
    ("return d.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 })", "01:30:15.250"),
    ("return new Date(NaN).toLocaleString()", "Invalid Date"),
    ("return [Intl.supportedValuesOf('timeZone').includes('Europe/Berlin'), Intl.DateTimeFormat.supportedLocalesOf(['de-AT', 'xx', 'en'])]", [True, ["de-AT", "en"]]),
    ("const o = []; for (const f of [() => d.toLocaleString('en', { timeZone: 'Mars/Base' }), () => d.toLocaleString('en', { month: 'big' }), () => new Intl.DateTimeFormat('en').format(NaN), () => d.toLocaleString('e n'), () => new Intl.DateTimeFormat('en', { dateStyle: 'long', day: 'numeric' }), () => d.toLocaleString('en', { era: 'short' })]) try { o.push(f()) } catch (e) { o.push(e.name) } return o", ["RangeError", "RangeError", "RangeError", "RangeError", "TypeError", "RangeError"]),
]  # fmt: skip
NUMBERS = [
    ("return (1234567.891).toLocaleString()", "1,234,567.891"),
    ("return (1234.5).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' })", "1.234,50\xa0€"),
    ("return (1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })", "$1,234.50"),
    ("return (0.256).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 })", "25.6%"),
    ("return (1234567).toLocaleString('en-IN')", "12,34,567"),
    ("return [(1234).toLocaleString('es'), (12345).toLocaleString('es')]", ["1234", "12.345"]),
    ("return (-0.5).toLocaleString('en', { minimumFractionDigits: 2 })", "-0.50"),
    ("return [(0.1 + 0.2).toLocaleString(), (1e21).toLocaleString(), (1e-7).toLocaleString(), (999.9999).toLocaleString()]", ["0.3", "1,000,000,000,000,000,000,000", "0", "1,000"]),
    ("return new Intl.NumberFormat('en', { minimumIntegerDigits: 3, useGrouping: false }).format(12345678901234567890n)", "12345678901234567890"),
    ("return [NaN, Infinity, -Infinity].map((n) => n.toLocaleString())", ["NaN", "∞", "-∞"]),
    ("try { new Intl.NumberFormat('en', { style: 'unit', unit: 'meter' }) } catch (e) { return e.name }", "RangeError"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "value"), [*DATES, *NUMBERS])
async def test_dates_and_numbers_are_written_as_people_do(sandbox: Sandbox, code: str, value: object) -> None:
    outcome = await sandbox.run(SandboxProgram(AT + code))
    assert outcome.error is None, outcome.error
    assert outcome.value == value
