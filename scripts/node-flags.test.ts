import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import nodeFlags from './node-flags.json' with { type: 'json' }

test('the first payment form prints no warning about experimental features of Node', () => {
  // The sandbox serves its scripts this way (server/features/billing/gateways/sandbox/routes.ts).
  const script = `(await import('node:module')).stripTypeScriptTypes('let card: string')`
  const { NODE_OPTIONS: _, ...env } = process.env
  const { status, stderr } = spawnSync(
    process.execPath,
    [...nodeFlags, '--input-type=module', '-e', script],
    { env, encoding: 'utf8' },
  )
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
