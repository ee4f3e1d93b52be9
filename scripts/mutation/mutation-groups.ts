import { readFileSync } from 'node:fs'

/** Files that are mutated together, and the tests that should detect their mutants. */
export interface MutationGroup {
  name: string
  /** Whole files, or functions of a file that also contains other code. */
  files: readonly (string | { file: string; functions: readonly string[] })[]
  /** The test files, fastest first: they run in this order until a test fails. */
  tests: readonly string[]
}

const features = 'server/features'

export const groups: readonly MutationGroup[] = [
  {
    name: 'states',
    files: [
      `${features}/billing/states/state-machine.ts`,
      `${features}/billing/states/order-states.ts`,
      `${features}/billing/states/attempt-states.ts`,
      `${features}/billing/states/subscription-states.ts`,
      `${features}/catalog/editing/video-states.ts`,
      `${features}/media/ingest/queue/asset-states.ts`,
    ],
    tests: [
      `${features}/billing/records/state-transitions.test.ts`,
      `${features}/catalog/editing/video-states.test.ts`,
      `${features}/media/ingest/queue/asset-states.test.ts`,
    ],
  },
  {
    name: 'access',
    files: [
      `${features}/library/entitlements.ts`,
      `${features}/media/episode-access.ts`,
      `${features}/media/episode-cache.ts`,
      `${features}/media/load-media-key.ts`,
      {
        file: `${features}/media/media.ts`,
        functions: [
          'thumbUrl',
          'signLinks',
          'findEpisode',
          'loadPlayable',
          'loadFreePlayable',
          'loadPlayableAndNext',
          'refuseLocked',
          'findCoveringEntitlement',
        ],
      },
      `${features}/experiments/free-episodes.ts`,
    ],
    tests: [
      `${features}/library/entitlements.test.ts`,
      `${features}/media/episode-access.test.ts`,
      `${features}/media/load-free-playable.test.ts`,
      `${features}/media/episode-cache.test.ts`,
    ],
  },
  {
    name: 'signed-urls',
    files: [`${features}/media/signed-urls.ts`, `${features}/media/media-keys.ts`],
    tests: [`${features}/media/signed-urls.test.ts`, `${features}/media/media-keys.test.ts`],
  },
  {
    name: 'ledger',
    files: [
      `${features}/billing/ledger/ledger.ts`,
      `${features}/billing/ledger/ledger-queries.ts`,
      `${features}/billing/mails/split-tax.ts`,
    ],
    tests: [`${features}/billing/mails/split-tax.test.ts`, `${features}/billing/ledger/ledger.test.ts`],
  },
  {
    name: 'dunning',
    files: [
      `${features}/billing/records/renewals/dunning-schedule.ts`,
      `${features}/billing/subscriptions/dunning-decision.ts`,
      `${features}/billing/records/renewals/next-charge.ts`,
      `${features}/billing/subscriptions/settle-renewal.ts`,
      `${features}/billing/jobs/renew-subscription.ts`,
    ],
    tests: [
      `${features}/billing/records/renewals/dunning-schedule.test.ts`,
      `${features}/billing/subscriptions/dunning-decision.test.ts`,
      `${features}/billing/records/renewals/next-charge.test.ts`,
      `${features}/billing/subscriptions/settle-renewal.test.ts`,
      `${features}/billing/jobs/renew-subscription.test.ts`,
      `${features}/billing/jobs/renewals.test.ts`,
      `${features}/billing/jobs/dunning.test.ts`,
      `${features}/billing/payment-methods/detached-methods.test.ts`,
      `${features}/billing/jobs/renewal-outages.test.ts`,
      `${features}/billing/subscriptions/change-plan.test.ts`,
    ],
  },
  {
    name: 'idempotency',
    files: [
      `${features}/billing/checkout/idempotency.ts`,
      `${features}/billing/checkout/idempotency-queries.ts`,
    ],
    tests: [`${features}/billing/checkout/idempotency.test.ts`],
  },
]

/** Returns the Stryker patterns of a group: `file`, or `file:first-last` with line numbers. */
export function mutatePatterns({ files }: MutationGroup): string[] {
  return files.flatMap((each) => {
    if (typeof each === 'string') return [each]
    const source = readFileSync(each.file, 'utf8')
    return each.functions.map((name) => `${each.file}:${lineRangeOf(source, name)}`)
  })
}

/**
 * Returns the line numbers of a top-level function in a formatted file, as `first-last`.
 * @throws Error if the function does not exist
 */
export function lineRangeOf(source: string, name: string): string {
  const lines = source.split('\n')
  const first = lines.findIndex((line) => new RegExp(`^(export )?(async )?function ${name}\\b`).test(line))
  if (first === -1) throw new Error(`there is no function ${name}`)
  const last = lines.findIndex((line, at) => at > first && line === '}')
  return `${first + 1}-${last + 1}`
}
