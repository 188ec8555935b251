const WORDS = {
  0: 'clear', 1: 'mostly clear', 2: 'partly cloudy', 3: 'overcast', 45: 'fog', 48: 'freezing fog',
  51: 'light drizzle', 53: 'drizzle', 55: 'heavy drizzle', 56: 'freezing drizzle', 57: 'heavy freezing drizzle',
  61: 'light rain', 63: 'rain', 65: 'heavy rain', 66: 'freezing rain', 67: 'heavy freezing rain',
  71: 'light snow', 73: 'snow', 75: 'heavy snow', 77: 'snow grains', 80: 'light showers', 81: 'showers',
  82: 'violent showers', 85: 'snow showers', 86: 'heavy snow showers', 95: 'thunderstorm',
  96: 'thunderstorm with hail', 99: 'thunderstorm with heavy hail',
}
const words = (code) => WORDS[code] ?? `weather code ${code}`

async function ask(url, query) {
  const answer = await fetch(`${url}?${new URLSearchParams(query)}`)
  if (!answer.ok) throw new Error(`${new URL(url).host} answered ${answer.status}: ${(await answer.text()).slice(0, 200)}`)
  return answer.json()
}

const wanted = { name: args.place, count: 1, language: 'en', ...(args.country && { countryCode: args.country.toUpperCase() }) }
const [place] = (await ask('https://geocoding-api.open-meteo.com/v1/search', wanted)).results ?? []
if (!place) throw new Error(`no place is called ${args.place}: try another spelling, or a larger place nearby`)

const forecast = await ask('https://api.open-meteo.com/v1/forecast', {
  latitude: place.latitude,
  longitude: place.longitude,
  timezone: 'auto',
  forecast_days: args.days ?? 3,
  current: 'temperature_2m,weather_code,wind_speed_10m',
  daily: 'weather_code,temperature_2m_min,temperature_2m_max,precipitation_sum',
})
const { current, daily } = forecast
return {
  place: [place.name, place.admin1, place.country].filter(Boolean).join(', '),
  units: '°C, mm, km/h',
  now: { time: current.time, sky: words(current.weather_code), temperature: current.temperature_2m, wind: current.wind_speed_10m },
  days: daily.time.map((date, n) => ({
    date,
    sky: words(daily.weather_code[n]),
    from: daily.temperature_2m_min[n],
    to: daily.temperature_2m_max[n],
    rain: daily.precipitation_sum[n],
  })),
}
