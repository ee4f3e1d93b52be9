/** What stands where a row has nothing to say. */
const none = '–'

/** One line of the result. `ok` says whether the ratio (or the time) is within the aim. */
export interface Row {
  what: string
  ours: string
  bare: string
  ratio: string
  aim: string
  ok: boolean
}

/** A row for "more is better": requests or bytes per second, at least `least` times the bare one. */
export function atLeast(what: string, ours: number, bare: number, least: number, unit: string): Row {
  const ratio = ours / bare
  return {
    what,
    ours: inUnit(ours, unit),
    bare: inUnit(bare, unit),
    ratio: times(ratio),
    aim: `≥ ${least}×`,
    ok: ratio >= least,
  }
}

/** A row for what has no aim: requests or bytes per second beside the bare one's. */
export function beside(what: string, ours: number, bare: number, unit: string): Row {
  return { ...atLeast(what, ours, bare, 0, unit), aim: none }
}

/** A row for "less is better": milliseconds, at most `most` times the bare one. */
export function atMost(what: string, ours: number, bare: number, most: number): Row {
  const ratio = ours / bare
  return {
    what,
    ours: inUnit(ours, 'ms'),
    bare: inUnit(bare, 'ms'),
    ratio: times(ratio),
    aim: `≤ ${most}×`,
    ok: ratio <= most,
  }
}

/** A row without a bare counterpart: milliseconds, at most `mostMs`. */
export function within(what: string, ms: number, mostMs: number): Row {
  return { what, ours: inUnit(ms, 'ms'), bare: none, ratio: none, aim: `≤ ${mostMs} ms`, ok: ms <= mostMs }
}

/** A row without a bare counterpart or a unit, at least `least`. */
export function score(what: string, points: number, least: number): Row {
  return { what, ours: String(points), bare: none, ratio: none, aim: `≥ ${least}`, ok: points >= least }
}

/** A row without a bare counterpart: megabytes of memory, at most `most`. */
export function atMostMegabytes(what: string, megabytes: number, most: number): Row {
  const ours = inUnit(megabytes, 'MB')
  return { what, ours, bare: none, ratio: none, aim: `≤ ${most} MB`, ok: megabytes <= most }
}

/** A row without a bare counterpart: how often something happened, at most `most` times. */
export function atMostTimes(what: string, count: number, most: number): Row {
  return { what, ours: String(count), bare: none, ratio: none, aim: `≤ ${most}`, ok: count <= most }
}

export function printTable(rows: readonly Row[]): void {
  printLines([
    ['what', 'ours', 'bare', 'ratio', 'aim', 'ok?'],
    ...rows.map(({ what, ours, bare, ratio, aim, ok }) => [
      what,
      ours,
      bare,
      ratio,
      aim,
      aim === none ? none : ok ? 'yes' : 'NO',
    ]),
  ])
}

/** Prints cells in columns as wide as the widest; the first line is the head. */
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
