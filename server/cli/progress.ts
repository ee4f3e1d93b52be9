import { Transform } from 'node:stream'
import type { EpisodeProgress } from '#server/features/media/ingest/import/import-folder.ts'

const barWidth = 24
const quietEveryMs = 2000

/** Shows the progress of an import: live bars in a terminal, otherwise a line at most every two seconds. */
export function createProgress(out: NodeJS.WriteStream): {
  show(episodes: EpisodeProgress[]): void
  clear(): void
} {
  let drawn = 0
  let lastLine = -Infinity
  const started = performance.now()
  const clear = () => {
    if (drawn > 0) out.write(`\x1b[${drawn}A\x1b[0J`)
    drawn = 0
  }
  const show = (episodes: EpisodeProgress[]) => {
    const overall = overallPercent(episodes)
    const remaining = timeLeft(overall, performance.now() - started)
    const total = `${bar(overall)} ${formatDoneCount(episodes)}${remaining}`
    if (out.isTTY) {
      const lines = [
        ...visible(episodes, (out.rows ?? 24) - 3).map(episodeLine),
        `${'all'.padEnd(nameWidth)} ${total}`,
      ]
      clear()
      out.write(`${lines.join('\n')}\n`)
      drawn = lines.length
    } else if (performance.now() - lastLine >= quietEveryMs) {
      lastLine = performance.now()
      const now = episodes
        .filter(({ state }) => state === 'processing')
        .map(({ name, percent }) => ` · ${name} ${percent} %`)
      out.write(`${overall} % · ${formatDoneCount(episodes)}${remaining}${now.join('')}\n`)
    }
  }
  return { show, clear }
}

const nameWidth = 32

function episodeLine({ name, percent, state }: EpisodeProgress): string {
  const short = name.length > nameWidth ? `…${name.slice(1 - nameWidth)}` : name.padEnd(nameWidth)
  const words = { uploaded: 'waiting', processing: `${percent} %`, ready: 'done', failed: 'failed' }[state]
  return `${short} ${bar(state === 'uploaded' ? 0 : percent)} ${words}`
}

/** Returns as many episodes as fit on the screen, beginning with the episode before the first unfinished one. */
function visible(episodes: EpisodeProgress[], limit: number): EpisodeProgress[] {
  if (episodes.length <= limit) return episodes
  const first = episodes.findIndex(({ state }) => state === 'uploaded' || state === 'processing')
  return episodes
    .slice(Math.max(0, Math.min(first - 1, episodes.length - limit)))
    .slice(0, Math.max(1, limit))
}

function bar(percent: number): string {
  const full = Math.round((barWidth * percent) / 100)
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`
}

/** Returns the overall progress in percent; each episode counts by its duration. */
export function overallPercent(episodes: readonly EpisodeProgress[]): number {
  const total = episodes.reduce((sum, { duration }) => sum + duration, 0)
  const done = episodes.reduce((sum, { duration, percent }) => sum + (duration * percent) / 100, 0)
  return total > 0 ? Math.floor((100 * done) / total) : 100
}

function formatDoneCount(episodes: readonly EpisodeProgress[]): string {
  return `${episodes.filter(({ state }) => state === 'ready' || state === 'failed').length} of ${episodes.length} done`
}

/**
 * Estimates the remaining time from the pace so far; returns an empty string at the start, when an estimate would be a
 * guess.
 */
export function timeLeft(percent: number, elapsedMs: number): string {
  if (percent < 3 || percent >= 100 || elapsedMs < 1500) return ''
  const seconds = Math.ceil((elapsedMs / 1000) * (100 / percent - 1))
  return seconds < 90 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`
}

/**
 * Reports the overall progress at most every two seconds, while parts such as tables are read or written. The sizes of
 * the parts are estimates.
 * @returns a function that creates the stream for a part's bytes
 */
export function createProgressMeter(
  total: number,
  reportProgress: (line: string) => void,
): (name: string, bytes: number) => Transform {
  const started = performance.now()
  let [before, lastReportedAt] = [0, started]
  return (name, bytes) => {
    let bytesOfPart = 0
    return new Transform({
      transform(chunk: Buffer, _encoding, pass) {
        bytesOfPart = Math.min(bytes, bytesOfPart + chunk.length)
        const percent = Math.min(99, Math.floor((100 * (before + bytesOfPart)) / Math.max(1, total)))
        if (performance.now() - lastReportedAt >= quietEveryMs) {
          lastReportedAt = performance.now()
          reportProgress(`${percent} % · ${name}${timeLeft(percent, lastReportedAt - started)}`)
        }
        pass(undefined, chunk)
      },
      flush(pass) {
        before += bytes
        pass()
      },
    })
  }
}
