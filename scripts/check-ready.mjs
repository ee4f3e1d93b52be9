// Ends with 0 where the site on this machine is ready, else with 1: the health check of the container image.
const port = process.env['PORT'] || '3000'

try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/api/ready`, { signal: AbortSignal.timeout(4000) })
  process.exitCode = ok ? 0 : 1
} catch {
  process.exitCode = 1
}
