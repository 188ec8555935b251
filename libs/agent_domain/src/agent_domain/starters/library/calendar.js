// A date is its number of days since 1970-01-01, in the Gregorian calendar: no hours, no timezones.
const DAY = 86400000
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

const format = (day) => new Date(day * DAY).toISOString().slice(0, 10)
const weekday = (day) => new Date(day * DAY).getUTCDay()
const isWorkday = (day) => weekday(day) % 6 !== 0

function parse(text) {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / DAY : NaN
  if (Number.isNaN(day) || format(day) !== text) throw new RangeError(`${text} is no date: write it as 2026-02-28`)
  return day
}

/** So many months later; the last of the month where it has no such day. */
function addMonths(day, months) {
  const from = new Date(day * DAY)
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1)
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate()
  return first / DAY + Math.min(from.getUTCDate(), last) - 1
}

function addWorkdays(day, workdays) {
  const step = Math.sign(workdays)
  while (step && !isWorkday(day)) day -= step // from a weekend, as from the workday before it on the way
  day += Math.trunc(workdays / 5) * 7
  for (let left = Math.abs(workdays % 5); left > 0; ) {
    day += step
    if (isWorkday(day)) left--
  }
  return day
}

/** Years and months first, then days, workdays last. Throws for what lies before the year 0 or after 9999. */
function add(day, { years = 0, months = 0, days = 0, workdays = 0 }) {
  const then = addWorkdays(addMonths(day, years * 12 + months) + days, workdays)
  if (!/^\d{4}-/.test(new Date(then * DAY).toJSON())) throw new RangeError('that is too far away')
  return then
}

/** What lies between: whole years, months and days, all days, and the workdays after the earlier one. */
function between(one, other) {
  const [start, end] = one <= other ? [one, other] : [other, one]
  const [from, to] = [new Date(start * DAY), new Date(end * DAY)]
  let whole = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  if (addMonths(start, whole) > end) whole--
  let workdays = Math.floor((end - start) / 7) * 5
  for (let day = end - ((end - start) % 7) + 1; day <= end; day++) if (isWorkday(day)) workdays++
  return {
    direction: one === other ? 'same day' : one < other ? 'later' : 'earlier',
    total_days: end - start,
    years: Math.trunc(whole / 12),
    months: whole % 12,
    days: end - addMonths(start, whole),
    workdays,
  }
}

/** ISO 8601: the week of a date is that of its Thursday. */
function isoWeek(day) {
  const thursday = day + 3 - ((weekday(day) + 6) % 7)
  const year = new Date(thursday * DAY).getUTCFullYear()
  return `${year}-W${String(Math.floor((thursday - Date.UTC(year, 0, 1) / DAY) / 7) + 1).padStart(2, '0')}`
}

const described = (day) => ({ date: format(day), weekday: WEEKDAYS[weekday(day)], iso_week: isoWeek(day) })

module.exports = { add, between, described, format, parse }
