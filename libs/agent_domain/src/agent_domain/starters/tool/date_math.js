const { add, between, described, parse } = require('calendar')
const { date, until, ...amounts } = args
const start = parse(date)
const result = { date: described(start) }
if (until !== undefined) result.until = { ...described(parse(until)), ...between(start, parse(until)) }
if (Object.keys(amounts).length) result.then = described(add(start, amounts))
return result
