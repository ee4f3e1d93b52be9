import { describeMs } from './test-progress.mjs'

/** Measures the durations of a command's steps, and prints them as a table. */
export class Stopwatch {
  /** @type {[name: string, ms: number][]} */
  #steps = []

  /**
   * @template T
   * @param {string} name
   * @param {() => Promise<T>} work
   */
  async time(name, work) {
    const started = Date.now()
    try {
      return await work()
    } finally {
      this.#steps.push([name, Date.now() - started])
    }
  }

  print() {
    const total = this.#steps.reduce((sum, [, ms]) => sum + ms, 0)
    const rows = [...this.#steps, ['in all', total]].map(([name, ms]) => [name, describeMs(ms)])
    const [left, right] = [0, 1].map((column) => Math.max(...rows.map((row) => row[column].length)))
    console.log('\nTime')
    for (const [name, took] of rows) console.log(`  ${name.padEnd(left)}  ${took.padStart(right)}`)
    console.log()
  }
}
