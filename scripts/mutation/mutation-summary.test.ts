import { expect, test } from 'vitest'
import { lineRangeOf } from './mutation-groups.ts'
import { summarise, writeTable } from './mutation-summary.ts'

const results = (statuses: Record<string, number>) =>
  Object.entries(statuses).flatMap(([status, count]) => Array.from({ length: count }, () => ({ status })))

test('the score is the share of mutants that were killed or timed out', () => {
  const summary = summarise(
    'ledger',
    results({ Killed: 80, Timeout: 5, Survived: 10, NoCoverage: 5, Ignored: 7 }),
  )
  expect(summary).toMatchObject({
    mutants: 100,
    killed: 80,
    timeout: 5,
    survived: 10,
    noCoverage: 5,
    score: 85,
  })
  expect(summarise('ledger', []).score).toBe(0)
})

test('a group with a score under 85 % fails', () => {
  const table = writeTable([
    summarise('ledger', results({ Killed: 85, Survived: 15 })),
    summarise('signed-urls', results({ Killed: 84, Survived: 16 })),
  ])
  expect(table.split('\n')).toEqual([
    'group        mutants  killed  survived  timeout  no coverage   score',
    'ledger           100      85        15        0            0  85.0 %',
    'signed-urls      100      84        16        0            0  84.0 %',
    '1 passed, 1 failed',
  ])
})

test('finds a function by name, from its first line to its closing brace', () => {
  const source = [
    'function stateOf() {',
    '  if (true) {',
    '  }',
    '}',
    '',
    'export async function state(',
    '  a: string,',
    ') {',
    '}',
  ].join('\n')
  expect(lineRangeOf(source, 'stateOf')).toBe('1-4')
  expect(lineRangeOf(source, 'state')).toBe('6-9')
  expect(() => lineRangeOf(source, 'stat')).toThrow('there is no function stat')
})
