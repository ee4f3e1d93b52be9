import type { BrowserContext } from '@playwright/test'

/** Numbers of user actions in a purchase. docs/payments.md lists these numbers. */
export interface InputCounts {
  taps: number
  keys: number
}

/** Counts user actions from now on, in all windows and frames: taps and key presses. */
export async function countInputs(context: BrowserContext): Promise<InputCounts> {
  const counts = { taps: 0, keys: 0 }
  await context.exposeBinding('recordInput', (_, kind: keyof InputCounts) => (counts[kind] += 1))
  await context.addInitScript(() => {
    const recordInput = Reflect.get(window, 'recordInput') as (kind: string) => void
    addEventListener('pointerdown', ({ isTrusted }) => isTrusted && recordInput('taps'), true)
    addEventListener('keydown', ({ isTrusted }) => isTrusted && recordInput('keys'), true)
  })
  return counts
}
