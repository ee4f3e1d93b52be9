// Asks a site how it is, ten times a second, in a process of its own: what the loads cost the bench is no delay of the site. It says
// when it has begun and, told to end, how long the slowest answer took.
import { setTimeout as delay } from 'node:timers/promises'

const url = process.argv[2] ?? ''
let [slowest, over] = [0, false]
process.once('message', () => {
  over = true
})
process.once('disconnect', () => process.exit(0))
// The first call costs the asking process itself a quarter of a second.
await fetch(url).then((response) => response.text())
process.send?.('looking')
while (!over) {
  const started = performance.now()
  await fetch(url).then((response) => response.text())
  slowest = Math.max(slowest, performance.now() - started)
  await delay(100)
}
process.send?.(slowest, () => process.exit(0))
