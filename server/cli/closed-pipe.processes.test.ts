import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** Runs a program, and closes the pipe of its output before the program writes. */
async function runUnread(...args: string[]) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, args, {
    env: { PATH, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { said: await text(child.stderr), status: await ended }
}

test.each([
  { program: 'npm run studio', args: ['server/cli.ts', 'studio', '--help'] },
  { program: 'npm run config', args: ['server/show-config.ts'] },
])('$program ends silently if nobody reads its output', async ({ args }) => {
  expect(await runUnread(...args)).toEqual({ said: '', status: 0 })
})
