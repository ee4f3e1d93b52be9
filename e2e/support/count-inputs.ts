import type { BrowserContext } from '@playwright/test'

/** Number of user actions in a purchase. docs/payments.md lists them. */
export interface InputCounts {
  taps: number
  keys: number
}

/** Counts user actions from now on, in all windows and frames: taps, and keys or characters. */
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
