import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '#server/testing/database/test-database.ts'

const root = join(import.meta.dirname, '..')
const document = readFileSync(join(root, 'docs', 'security.md'), 'utf8')
const named = [...document.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

test('docs/security.md names every table of the database', async () => {
  const { pool, close } = await createTestDatabase()
  const { rows } = await pool.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  )
  await close()
  const partitions = /_\d{4}/
  expect(
    rows.map(({ name }) => name).filter((name) => !partitions.test(name) && !named.includes(name)),
  ).toEqual([])
})

test('docs/security.md names tests that exist', () => {
  const tests = named.filter((name) => name.endsWith('.test.ts'))
  expect(tests.length).toBeGreaterThan(30)
  const isThere = (name: string) => existsSync(join(root, name.startsWith('scripts/') ? '' : 'server', name))
  expect(tests.filter((name) => !isThere(name))).toEqual([])
})
