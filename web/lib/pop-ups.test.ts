import { expect, it } from 'vitest'

const sources = import.meta.glob<string>(
  [
    '/web/**/*.{ts,tsx,html}',
    // The studio is excluded: operators use a regular browser, and uploads continue in the studio's tab.
    '!/web/studio/**',
    '/server/features/billing/gateways/**/*.ts',
    '!/**/*.test.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
)

/** Matches every way of opening a window. */
const popUp = /\bwindow\.open\b|(?<![\w.])open\(['"`]|target=["'{]+_blank|showModalDialog/

it("opens no new window on viewers' pages, because in-app browsers block them", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(150)
  const found = Object.entries(sources).filter(([, text]) => popUp.test(text))
  expect(found.map(([file]) => file)).toEqual([])
})
