import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import nodeFlags from '#scripts/node-flags.json' with { type: 'json' }

export interface SiteOptions {
  webRoot: string
  /** How far the site's clock is ahead. */
  aheadMs: number
  /** Whether the sandbox meets faults as the stand-ins of the others do. */
  troubled?: boolean
  gatewayTimeoutMs?: number
}

export type Message = { aheadMs: number } | { refund: { orderId: string; amountCents?: number } }

export interface RunningSite {
  send(message: Message): void
  /** Sends it a signal and waits until it is gone; does nothing where it is. */
  end(signal: NodeJS.Signals): Promise<void>
}

const startsWithinMs = 180_000

/** Starts a site with the settings of `env`, and waits until it answers. @throws Error where it ends before */
export async function runSite(env: NodeJS.ProcessEnv, options: SiteOptions): Promise<RunningSite> {
  const child = fork(join(import.meta.dirname, 'site-process.ts'), [JSON.stringify(options)], {
    env,
    execArgv: nodeFlags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(startsWithinMs) }), endOf(child)])
  return {
    // What a process that is being killed does not hear is as if it had never been said.
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
  throw new Error(`the site ended with ${status} before it listened`)
}
