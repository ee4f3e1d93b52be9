import { proofText, table } from './describe-calls.ts'
import { seedRoutes, type ScreenRow } from './route-proofs.ts'
import { seedParts } from './screen-part-proofs.ts'

/** Returns the document docs/screens.md: the seed's requirements for the browser, and the tests that prove them. */
export function describeScreens(): string {
  return `${[
    '# The screens',
    introduction,
    '## The 23 routes of the seed, and every other path',
    tableOf('Route', seedRoutes),
    ...seedParts.flatMap(({ title, rows }) => [`## ${title}`, tableOf('The seed', rows)]),
  ].join('\n\n')}\n`
}

const introduction = `This file is written by \`npm run docs\` from \`scripts/docs/route-proofs.ts\` and \`screen-part-proofs.ts\`; a test holds it to that, and fails where a test
that is named here is gone. Each route loads its screen when it is opened, and its JavaScript has a figure in \`web/budget.json\`.`

const tableOf = (first: string, rows: readonly ScreenRow[]) =>
  table(
    [first, 'Here', 'Proved by'],
    rows.map(({ seed, here, proofs }) => [seed, here, proofs.map(proofText).join('; ')]),
  )
