import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFfmpeg } from '#server/platform/run-ffmpeg-version.ts'
import { sinkDsn } from './error-sink.ts'
import { makeContent } from './make-content.ts'
import { pixelIds } from './pixel-servers.ts'
import { noteDataDir } from './site-home.ts'
import { sitePort } from './site-url.ts'
import { startSocialIssuer } from './social-issuer.ts'
import { startPaypal } from './start-paypal.ts'
import { startStripe } from './start-stripe.ts'

/** The built site on a data directory of its own, filled through the ordinary import. */
const home = mkdtempSync(join(tmpdir(), 'cliffhanger-e2e-'))
const env = {
  ...process.env,
  DATA_DIR: join(home, 'data'),
  PORT: String(sitePort),
  DEMO: '0',
  LOG_LEVEL: 'warn',
  SENTRY_DSN: sinkDsn,
  FACEBOOK_PIXEL_ID: pixelIds.meta,
  GOOGLE_ANALYTICS: pixelIds.google,
  TIKTOK_PIXEL: pixelIds.tiktok,
  BIGO_PIXEL: pixelIds.bigo,
  ...(await startSocialIssuer()),
  ...(await startPaypal()),
  ...(await startStripe()),
}

noteDataDir(env.DATA_DIR)

const { ffmpegPath } = await findFfmpeg({ ffmpegPath: process.env['FFMPEG_PATH'] })
await makeContent(join(home, 'dramas'), ffmpegPath)
const imported = spawnSync(process.execPath, ['server/cli.ts', 'import', join(home, 'dramas')], {
  env,
  stdio: 'inherit',
})
if (imported.status !== 0) process.exit(1)

const site = spawn(process.execPath, ['server/main.ts'], { env, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => site.kill(signal))
site.on('exit', (code) => {
  rmSync(home, { recursive: true, force: true })
  process.exit(code ?? 1)
})
