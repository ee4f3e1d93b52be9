import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import nodeFlags from '#scripts/test-runner/test-node-flags.json' with { type: 'json' }
import type { PreparedSites, Template } from './templates.ts'

/** The site that a test file needs. */
export interface SiteSettings {
  template: Template
  /** True for a site with Stripe, PayPal, a sign-in issuer and marketing pixels, besides the sandbox. */
  withFakeServices: boolean
  /** Additional environment variables. */
  settings: Record<string, string>
}

export type Request = { id: number } & (
  | { call: 'open'; args: [SiteSettings] }
  | { call: 'studio'; args: string[] }
  | { call: 'forward'; args: [string] }
  | { call: 'end'; args: [] }
)
export interface Answer {
  id: number
  value?: unknown
  error?: string
}

/** The data directory and database of the open site. */
export interface OpenSite {
  dataDir: string
  databaseUrl: string
}

/** The process that serves the sites of this worker, one after another on the same port. */
export class SiteServer {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  #asked = 0

  constructor() {
    this.#process = fork(join(import.meta.dirname, 'serve.ts'), {
      execArgv: nodeFlags,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#process.on('message', ({ id, value, error }: Answer) => {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      if (error === undefined) waiting?.resolve(value)
      else waiting?.reject(new Error(error))
    })
    this.#process.on('exit', (code) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(`The site exited with ${code}`))
    })
  }

  /** Closes the open site and opens another one on a new clone. */
  async open(settings: SiteSettings): Promise<OpenSite> {
    // The cast is safe: serve.ts sends an OpenSite.
    return (await this.#ask({ call: 'open', args: [settings] })) as OpenSite
  }

  /** Runs a command of the studio, like `npm run studio`. @returns its output */
  async studio(...args: string[]): Promise<string> {
    return String(await this.#ask({ call: 'studio', args }))
  }

  /** Moves the site's clock forward, like `npm run forward`, and waits until the site uses the new time. */
  async advanceClock(length: string): Promise<void> {
    await this.#ask({ call: 'forward', args: [length] })
  }

  async end(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.disconnect()
    await ended
  }

  #ask(request: Distribute<Request>): Promise<unknown> {
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#process.send({ ...request, id })
    })
  }
}

type Distribute<R> = R extends unknown ? Omit<R, 'id'> : never

interface CurrentSite extends OpenSite {
  server: SiteServer
  template: Template
}

let current: CurrentSite | undefined

/** Sets the site that the helper functions of this worker use. */
export function setCurrentSite(site: CurrentSite): void {
  current = site
}

/** Returns the site of the running test. @throws Error outside a test */
export function currentSite(): CurrentSite {
  if (!current) throw new Error('There is no site outside a test.')
  return current
}

/** Returns the templates that global-setup.ts has prepared for this run. */
export function preparedSites(): PreparedSites {
  return JSON.parse(process.env['E2E_PREPARED'] ?? '') as PreparedSites
}
