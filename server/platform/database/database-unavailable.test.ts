import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { isDatabaseUnavailable, isDatabaseUnreachable } from './database-unavailable.ts'

const withCode = (code: string) => Object.assign(new Error('from PostgreSQL'), { code })

it('distinguishes an unreachable server from a missing file', async () => {
  const unreachable = await new Promise((resolve) => connect('/tmp/no-such-socket').on('error', resolve))
  const missing: unknown = await readFile('/tmp/no-such-file').catch((error: unknown) => error)
  expect([unreachable, missing]).toMatchObject([{ code: 'ENOENT' }, { code: 'ENOENT' }])
  expect([isDatabaseUnavailable(unreachable), isDatabaseUnavailable(missing)]).toEqual([true, false])
})

it('distinguishes PostgreSQL errors of shutdown, overload or time-out from programming errors', () => {
  const passing = ['57P01', '57P03', '53300', '08006', '57014', '55P03']
  expect(passing.filter((code) => !isDatabaseUnavailable(withCode(code)))).toEqual([])
  const ours = ['42601', '23505', '22021', '40P01']
  expect(ours.filter((code) => isDatabaseUnavailable(withCode(code)))).toEqual([])
})

it('recognises driver errors without a code', () => {
  expect(isDatabaseUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true)
  expect(isDatabaseUnavailable(new Error('Cannot read properties of undefined'))).toBe(false)
  expect(isDatabaseUnavailable('57P01')).toBe(false)
})

it('distinguishes an unreachable server from a busy one', () => {
  const connectionErrors = [withCode('57P01'), withCode('08006'), new Error('Query read timeout')]
  expect(connectionErrors.map(isDatabaseUnreachable)).toEqual([true, true, true])
  const busy = [
    withCode('57014'),
    withCode('55P03'),
    withCode('53300'),
    new Error('timeout exceeded when trying to connect'),
  ]
  expect(busy.map(isDatabaseUnreachable)).toEqual([false, false, false, false])
  expect(isDatabaseUnreachable(new Error('Cannot read properties of undefined'))).toBe(false)
})
