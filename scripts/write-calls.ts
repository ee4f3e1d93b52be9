// Writes docs/calls.md from the contract and from what call-proofs.ts says of each call: `npm run docs`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeCalls } from './describe-calls.ts'

writeFileSync(join(import.meta.dirname, '..', 'docs', 'calls.md'), describeCalls())
