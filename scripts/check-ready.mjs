// Health check of the container image: exits with 0 if the site on this machine is ready, otherwise with 1.
const port = process.env['PORT'] || '3000'

try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/api/ready`, { signal: AbortSignal.timeout(4000) })
  process.exitCode = ok ? 0 : 1
} catch {
  process.exitCode = 1
}
