import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import nodeFlags from '#scripts/test-runner/test-node-flags.json' with { type: 'json' }

/** Prepares the templates of this run's sites. Their database server runs until the run ends. */
export default async function setUp(): Promise<() => Promise<void>> {
  const child = fork(join(import.meta.dirname, 'prepare.ts'), {
    execArgv: nodeFlags,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The templates of the sites could not be prepared: exit code ${code}.`)
  })
  const [prepared] = await Promise.race([once(child, 'message'), failed])
  failed.catch(() => {})
  process.env['E2E_PREPARED'] = JSON.stringify(prepared)
  return async () => {
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  }
}
