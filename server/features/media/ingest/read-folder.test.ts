import { expect, test } from 'vitest'
import { readFolder } from './read-folder.ts'

// A pattern that tries each way to divide the letters would not come to an end.
test.each([`${'a'.repeat(60)}!`, `${'a'.repeat(100_000)}!`, 'a--b', '-a', 'a.', 'ä'])(
  'a folder named %s is refused by its name',
  async (name) => {
    expect(await readFolder(`/nowhere/${name}`)).toMatchObject({ file: name, reason: expect.any(String) })
  },
)
