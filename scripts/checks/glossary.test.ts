import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** The words of the glossary's second table, each as the words of a name: "give-up" is `give up`. */
const refused = [
  ...(readFileSync(join(root, 'docs/glossary.md'), 'utf8').split('\n## ')[1] ?? '').matchAll(
    /^\| ([^|]+) \| [^|]+ \|$/gm,
  ),
]
  .slice(1)
  .flatMap(([, words = '']) => words.split(', '))
  .map((word) => word.replaceAll('-', ' '))

/** The words of a file's name: `use-way-on.test.ts` and `WayOut.tsx` both have "way". */
const wordsOf = (file: string) =>
  basename(file)
    .replace(/\..*$/, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .replaceAll(/[-_]/g, ' ')
    .toLowerCase()

const isRefused = (file: string) => refused.some((word) => ` ${wordsOf(file)} `.includes(` ${word} `))

/** Files that are still to be renamed. This list may only get shorter. */
const stillNamedSo = new Set(
  `
contract/studio/deeds.ts
contract/studio/running.ts
deploy/checks-passes.test.ts
deploy/nginx/media-passes.d.ts
deploy/testing/cases-of-passes.ts
docs/decisions/0007-search-on-shelves.md
docs/decisions/0010-paypal-is-searched-by-what-it-told.md
server/features/billing/follow-money.ts
server/features/billing/gateways/paypal/kept-later.test.ts
server/features/billing/gateways/paypal/read-notification.ts
server/features/billing/gateways/sandbox/notifications.ts
server/features/billing/gateways/sandbox/saving-queries.ts
server/features/billing/gateways/stripe/notifications.ts
server/features/billing/give-up-attempt.ts
server/features/billing/heard-notifications.test.ts
server/features/billing/help-buyers.ts
server/features/billing/keep-method.ts
server/features/billing/lapsed-plan.test.ts
server/features/billing/learn-method.ts
server/features/billing/load-order-file.ts
server/features/billing/lose-method.ts
server/features/billing/mismatch-queries.ts
server/features/billing/moment-queries.ts
server/features/billing/moments.test.ts
server/features/billing/money-day-queries.ts
server/features/billing/money-days.ts
server/features/billing/notification-queries.ts
server/features/billing/notifications.test.ts
server/features/billing/order-file-queries.ts
server/features/billing/place-order.test.ts
server/features/billing/place-order.ts
server/features/billing/return-money.ts
server/features/billing/sell-plans.ts
server/features/billing/settle-returned.ts
server/features/billing/take-notification.ts
server/features/billing/tell-of-prices.ts
server/features/billing/tell-refunded.ts
server/features/billing/tell-subscriber.ts
server/features/billing/ways-out.test.ts
server/features/catalog/carry-on-tags.ts
server/features/catalog/desk-queries.ts
server/features/catalog/find-alike.ts
server/features/catalog/match-words.ts
server/features/experiments/assign-arm.ts
server/features/library/begun-queries.ts
server/features/library/fold-counts.ts
server/features/library/held-entitlements.ts
server/features/library/held-queries.ts
server/features/library/moment-queries.ts
server/features/library/moments.test.ts
server/features/media/desk-episodes.ts
server/features/media/desk-queries.ts
server/features/media/ingest/extra-rung.test.ts
server/features/media/ingest/extra-rung.ts
server/features/media/ingest/growing-rest.test.ts
server/features/media/ingest/growing-rest.ts
server/features/media/ingest/loose-files.ts
server/features/media/ingest/sound-chain.ts
server/features/media/ingest/sweep-orphaned-originals.ts
server/features/media/ingest/sweep-retired-assets.ts
server/features/media/ingest/sweep-storage.ts
server/features/media/passes.test.ts
server/features/media/passes.ts
server/features/members/check-person.test.ts
server/features/members/check-person.ts
server/features/members/help-people.ts
server/features/members/limit-tries.ts
server/features/members/moments.ts
server/features/members/prove-person.ts
server/features/members/social/settle-person.ts
server/features/members/tell-member.ts
server/features/members/tell-owner.ts
server/features/studio/experiments/judge.ts
server/features/studio/funnel/fold-funnel.ts
server/features/studio/running/running-queries.ts
server/features/studio/running/running.test.ts
server/features/studio/running/running.ts
server/features/tracking/tell-meta.ts
server/features/tracking/tell-tiktok.ts
server/platform/http/close-for-viewers.ts
server/platform/http/limit-calls.test.ts
server/platform/http/limit-calls.ts
server/platform/http/own-path.test.ts
server/platform/http/own-path.ts
server/platform/live-settings.ts
server/platform/one-time-codes.ts
server/platform/seal.test.ts
server/platform/seal.ts
server/platform/within.ts
`
    .trim()
    .split(/\s+/),
)

test('no file is named with a word that the glossary refuses', () => {
  const files = globSync(
    '{bench,contract,demo,deploy,docs,e2e,scripts,server,web}/**/*.{ts,tsx,mjs,css,json,md}',
    {
      cwd: root,
      exclude: ['**/node_modules/**'],
    },
  )
  expect(files.length).toBeGreaterThan(1000)
  const named = files.filter(isRefused).toSorted()
  expect(named.filter((file) => !stillNamedSo.has(file))).toEqual([])
  expect([...stillNamedSo].filter((file) => !named.includes(file))).toEqual([])
})

test('a word is refused by itself, not as a part of another', () => {
  expect(['web/lib/way-back.ts', 'web/WayOut.tsx', 'server/give-up-mail.ts'].filter(isRefused)).toHaveLength(
    3,
  )
  expect(['server/gateway.ts', 'server/harmless.ts', 'web/give.ts'].filter(isRefused)).toEqual([])
})
