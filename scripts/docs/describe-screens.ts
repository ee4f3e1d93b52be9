import { testLink, table } from './describe-api-calls.ts'
import { seedRoutes, type ScreenRow } from './screen-tests.ts'
import { screenParts } from './screen-part-tests.ts'

/**
 * Returns the content of docs/screens.md: the requirements of the seed (the project's specification) for the browser,
 * and the tests that verify them.
 */
export function describeScreens(): string {
  return `${[
    '# The screens',
    introduction,
    '## The 23 routes of the seed, and every other path',
    tableOf('Route', seedRoutes),
    ...screenParts.flatMap(({ title, rows }) => [`## ${title}`, tableOf('The seed', rows)]),
  ].join('\n\n')}\n`
}

const introduction = `\`npm run docs\` generates this file from \`scripts/docs/screen-tests.ts\` and \`screen-part-tests.ts\`; a test checks that it is
up to date and that every listed test exists. Each route loads its screen on demand, and its JavaScript has a budget in \`web/budget.json\`.`

const tableOf = (first: string, rows: readonly ScreenRow[]) =>
  table(
    [first, 'Implementation', 'Tests'],
    rows.map(({ seed, implementation, tests }) => [seed, implementation, tests.map(testLink).join('; ')]),
  )
