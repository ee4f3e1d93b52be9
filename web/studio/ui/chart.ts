/** An axis of values. `ticks` are the positions of its lines, from the lowest to the highest. */
export interface Scale {
  low: number
  high: number
  ticks: readonly number[]
}

const roundSteps = [1, 2, 5, 10]

/** Returns an axis with about four lines at round whole numbers. It includes all values and zero. */
export function scaleFor(values: readonly number[]): Scale {
  const [min, max] = [Math.min(0, ...values), Math.max(0, ...values)]
  const rough = (max - min || 1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max((roundSteps.find((round) => round * power >= rough) ?? 10) * power, 1)
  const first = Math.floor(min / step)
  const last = Math.max(Math.ceil(max / step), first < 0 ? 0 : 1)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { low: first * step, high: last * step, ticks }
}
