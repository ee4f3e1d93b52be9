import { expect, it } from 'vitest'
import { scaleFor } from './chart.ts'

it.each([
  { values: [], ticks: [0, 1] },
  { values: [0, 0], ticks: [0, 1] },
  { values: [3, 9, 7], ticks: [0, 5, 10] },
  { values: [198, 1234], ticks: [0, 500, 1000, 1500] },
  { values: [-132, 198], ticks: [-200, -100, 0, 100, 200] },
  { values: [-50, -10], ticks: [-60, -40, -20, 0] },
])('the ticks for $values span all the values and zero', ({ values, ticks }) => {
  expect(scaleFor(values)).toEqual({ low: ticks[0], high: ticks.at(-1), ticks })
})
