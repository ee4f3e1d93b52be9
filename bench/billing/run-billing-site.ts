import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import nodeFlags from '#scripts/node-flags.json' with { type: 'json' }

export interface SiteOptions {
  webRoot: string
  /** By how many milliseconds the site's clock is ahead of the real time. */
  aheadMs: number
  /** True if the sandbox has the same network faults as the fake servers of the other gateways. */
  withFaults?: boolean
  gatewayTimeoutMs?: number
}

export type Message = { aheadMs: number } | { refund: { orderId: string; amountCents?: number } }

export interface RunningSite {
  send(message: Message): void
  /** Sends a signal and waits for the process to exit. Does nothing if it has already exited. */
  end(signal: NodeJS.Signals): Promise<void>
}

const startsWithinMs = 180_000

/** Starts a site with the settings of `env`, and waits until it responds. @throws Error if its process exits first */
export async function runSite(env: NodeJS.ProcessEnv, options: SiteOptions): Promise<RunningSite> {
  const child = fork(join(import.meta.dirname, 'site-process.ts'), [JSON.stringify(options)], {
    env,
    execArgv: nodeFlags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(startsWithinMs) }), endOf(child)])
  return {
    // Errors are ignored, because the process may have been killed. Its messages are then lost, as the bench intends.
    send: (message) => void (child.connected && child.send(message, () => {})),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

async function endOf(child: ChildProcess): Promise<never> {
  const [status] = await once(child, 'exit')
  throw new Error(`the site exited with ${status} before it listened`)
}
