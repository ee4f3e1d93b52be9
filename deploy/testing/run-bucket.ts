import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { commandOnHost, type ServerHost } from '#server/testing/site/command-on-host.ts'

/** Starts a fake S3 server on a host of a network. */
export async function runBucket(
  host: ServerHost,
): Promise<{ settings: FakeS3['settings']; close(): Promise<void> }> {
  const script = join(import.meta.dirname, 'bucket-process.ts')
  const { command, args } = commandOnHost(host, undefined, process.execPath, [script, host.address])
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const firstLine = once(createInterface(child.stdout), 'line')
  const line = await Promise.race([
    firstLine,
    ended.then(() => Promise.reject(new Error('the bucket ended'))),
  ])
  return {
    settings: JSON.parse(String(line)) as FakeS3['settings'],
    async close() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
