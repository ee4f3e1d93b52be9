import { expect, test } from 'vitest'
import { supervise } from './supervise.mjs'

/** A run of a process: its duration and exit status. */
type Run = [seconds: number, status: number]

/** Supervises a process with these runs. Returns the pauses in seconds, and the last exit status. */
async function superviseRuns(runs: readonly Run[], stop: { stopping: boolean } = { stopping: false }) {
  const remaining = [...runs]
  const pauses: number[] = []
  const lines: string[] = []
  let now = 0
  const status = await supervise(
    async () => {
      const [seconds, status] = remaining.shift() ?? [0, 0]
      now += seconds * 1000
      return status
    },
    {
      isStopping: () => stop.stopping,
      say: (line) => lines.push(line),
      now: () => now,
      pause: async (ms) => pauses.push(ms / 1000),
    },
  )
  return { status, pauses, lines, notRun: remaining.length }
}

const aborted = 134

test('restarts a process that crashes, after a pause that doubles up to a minute', async () => {
  const { pauses, lines, status } = await superviseRuns(Array.from({ length: 8 }, (): Run => [20, aborted]))
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  expect(lines[1]).toBe('The site exited with status 134. Restarting it in 2 s.')
  expect(lines).toHaveLength(8)
  expect(status).toBe(0)
})

test('resets the pause after a process that ran for a minute', async () => {
  const runs: Run[] = [
    [20, aborted],
    [20, aborted],
    [60, aborted],
    [20, aborted],
  ]
  expect((await superviseRuns(runs)).pauses).toEqual([1, 2, 1, 2])
})

test.each([0, 129, 130, 143])('does not restart a process that exits with %i', async (status) => {
  const ended = await superviseRuns([
    [3600, status],
    [3600, 0],
  ])
  expect(ended).toEqual({ status, pauses: [], lines: [], notRun: 1 })
})

test('does not retry a failed first start, but retries later failed starts', async () => {
  expect(await superviseRuns([[5, 1]])).toMatchObject({ status: 1, pauses: [] })
  expect(await superviseRuns([[10, 1]])).toMatchObject({ status: 0, pauses: [1] })
  const later: Run[] = [
    [10, aborted],
    [1, 1],
    [1, 1],
  ]
  expect(await superviseRuns(later)).toMatchObject({ status: 0, pauses: [1, 2, 4] })
})

test('retries after a first start that is killed, for example out of memory, even if the next start fails', async () => {
  const runs: Run[] = [
    [1, 137],
    [1, 1],
  ]
  expect(await superviseRuns(runs)).toMatchObject({ status: 0, pauses: [1, 2] })
})

test('does not restart a process that crashes while the script is stopping', async () => {
  expect(await superviseRuns([[20, 137]], { stopping: true })).toMatchObject({
    status: 137,
    pauses: [],
    lines: [],
  })
})

test('if the script is stopped during the pause, returns without another start', async () => {
  let starts = 0
  let stopping = false
  const status = await supervise(async () => (starts++, aborted), {
    isStopping: () => stopping,
    say: () => {},
    pause: async () => (stopping = true),
  })
  expect([status, starts]).toEqual([aborted, 1])
})
