import { expect, it } from 'vitest'

const sources = import.meta.glob<string>(
  [
    '/web/**/*.{ts,tsx,html}',
    // Operators work in a browser of their own, and what they are sending goes on in its tab.
    '!/web/studio/**',
    '/server/features/billing/gateways/**/*.ts',
    '!/**/*.test.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
)

/** A window of its own, in the ways that there are. */
const popUp = /\bwindow\.open\b|(?<![\w.])open\(['"`]|target=["'{]+_blank|showModalDialog/

it('opens no window of its own anywhere that viewers come to: the browsers of apps let none through', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(150)
  const found = Object.entries(sources).filter(([, text]) => popUp.test(text))
  expect(found.map(([file]) => file)).toEqual([])
})
