import type { BrowserContext } from '@playwright/test'

/** The number of user actions of a purchase. The table is in docs/payments.md. */
export interface InputCounts {
  taps: number
  keys: number
}

/** Counts user actions from now on, in every window and frame: taps, and keys or characters. */
export async function countInputs(context: BrowserContext): Promise<InputCounts> {
  const counts = { taps: 0, keys: 0 }
  await context.exposeBinding('noteEffort', (_, kind: keyof InputCounts) => (counts[kind] += 1))
  await context.addInitScript(() => {
    const note = Reflect.get(window, 'noteEffort') as (kind: string) => void
    addEventListener('pointerdown', ({ isTrusted }) => isTrusted && note('taps'), true)
    addEventListener('keydown', ({ isTrusted }) => isTrusted && note('keys'), true)
  })
  return counts
}
