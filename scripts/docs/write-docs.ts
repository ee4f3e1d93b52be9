// npm run docs: writes docs/calls.md and docs/screens.md from the contract and the lists of tests in this folder.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeCalls } from './describe-api-calls.ts'
import { describeScreens } from './describe-screens.ts'
import { readArguments } from '#scripts/read-arguments.mjs'

readArguments({ name: 'docs', about: 'Writes docs/calls.md and docs/screens.md.' })

const docs = join(import.meta.dirname, '../..', 'docs')
writeFileSync(join(docs, 'calls.md'), describeCalls())
writeFileSync(join(docs, 'screens.md'), describeScreens())
