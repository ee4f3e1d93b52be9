// Requests a site's health ten times a second. Runs in its own process, so that the bench's own load does not increase
// the measured time. Sends a message when it starts and, on request, the duration of the slowest response.
import { setTimeout as delay } from 'node:timers/promises'

const url = process.argv[2] ?? ''
let [slowest, over] = [0, false]
process.once('message', () => {
  over = true
})
process.once('disconnect', () => process.exit(0))
// The first request is not measured, because `fetch` needs a quarter of a second to start in this process.
await fetch(url).then((response) => response.text())
process.send?.('looking')
while (!over) {
  const started = performance.now()
  await fetch(url).then((response) => response.text())
  slowest = Math.max(slowest, performance.now() - started)
  await delay(100)
}
process.send?.(slowest, () => process.exit(0))
