const units = [
  { unit: 'd', seconds: 86_400 },
  { unit: 'h', seconds: 3600 },
  { unit: 'm', seconds: 60 },
]

/** The age in the largest unit that is not zero: `12s`, `3m`, `2h`, `5d`. */
export function ageOf(time: string, now: Date): string {
  const seconds = Math.max(0, Math.floor((now.getTime() - new Date(time).getTime()) / 1000))
  const fitting = units.find((each) => seconds >= each.seconds)
  return fitting ? `${Math.floor(seconds / fitting.seconds)}${fitting.unit}` : `${seconds}s`
}
