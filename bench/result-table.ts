/** Shown in an empty cell. */
const none = '–'

/** A row of the result. `ok` is true if the measured value meets the target, or there is no target. */
export interface Row {
  what: string
  ours: string
  bare: string
  ratio: string
  target: string
  ok: boolean
}

/** Returns a row for requests or bytes per second, which must be at least `min` times the baseline. */
export function atLeast(what: string, ours: number, bare: number, min: number, unit: string): Row {
  const ratio = ours / bare
  return {
    what,
    ours: inUnit(ours, unit),
    bare: inUnit(bare, unit),
    ratio: times(ratio),
    target: `≥ ${min}×`,
    ok: ratio >= min,
  }
}

/** Returns a row that compares requests or bytes per second with the baseline, without a target. */
export function withoutTarget(what: string, ours: number, bare: number, unit: string): Row {
  return { ...atLeast(what, ours, bare, 0, unit), target: none }
}

/** Returns a row for milliseconds, which must be at most `max` times the baseline. */
export function atMost(what: string, ours: number, bare: number, max: number): Row {
  const ratio = ours / bare
  return {
    what,
    ours: inUnit(ours, 'ms'),
    bare: inUnit(bare, 'ms'),
    ratio: times(ratio),
    target: `≤ ${max}×`,
    ok: ratio <= max,
  }
}

/** Returns a row for milliseconds without a baseline, which must be at most `maxMs`. */
export function atMostMilliseconds(what: string, ms: number, maxMs: number): Row {
  return { what, ours: inUnit(ms, 'ms'), bare: none, ratio: none, target: `≤ ${maxMs} ms`, ok: ms <= maxMs }
}

/** Returns a row for a score in points without a baseline, which must be at least `min`. */
export function atLeastPoints(what: string, points: number, min: number): Row {
  return { what, ours: String(points), bare: none, ratio: none, target: `≥ ${min}`, ok: points >= min }
}

/** Returns a row for megabytes of memory without a baseline, which must be at most `max`. */
export function atMostMegabytes(what: string, megabytes: number, max: number): Row {
  const ours = inUnit(megabytes, 'MB')
  return { what, ours, bare: none, ratio: none, target: `≤ ${max} MB`, ok: megabytes <= max }
}

/** Returns a row for a number of occurrences without a baseline, which must be at most `max`. */
export function atMostTimes(what: string, count: number, max: number): Row {
  return { what, ours: String(count), bare: none, ratio: none, target: `≤ ${max}`, ok: count <= max }
}

export function printTable(rows: readonly Row[]): void {
  printLines([
    ['what', 'ours', 'bare', 'ratio', 'target', 'ok?'],
    ...rows.map(({ what, ours, bare, ratio, target, ok }) => [
      what,
      ours,
      bare,
      ratio,
      target,
      target === none ? none : ok ? 'yes' : 'NO',
    ]),
  ])
}

/** Prints rows in aligned columns. The first row is the header. */
export function printLines(lines: readonly (readonly string[])[]): void {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(' | ')
        .trimEnd(),
    )
}

const inUnit = (value: number, unit: string) =>
  `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`
const times = (ratio: number) => `${ratio.toFixed(2)}×`
