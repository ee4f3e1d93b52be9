/**
 * Wraps `run` so that its runs never overlap. Any number of calls during a run cause one more run after it. `run` must
 * not reject.
 */
export function coalesceRuns(run: () => Promise<void>): () => void {
  let state: 'idle' | 'running' | 'again' = 'idle'
  return () => {
    const idle = state === 'idle'
    state = idle ? 'running' : 'again'
    if (idle) void repeat()
  }

  async function repeat(): Promise<void> {
    await run()
    if (state === 'again') {
      state = 'running'
      return repeat()
    }
    state = 'idle'
  }
}
