import { spawn, type ChildProcess } from 'node:child_process'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import type { RealBrowser } from './real-browser.ts'

const port = 4480
const driverUrl = `http://127.0.0.1:${port}`
const timeoutMs = 120_000

/** Starts WebKitGTK's MiniBrowser on a virtual display, with its WebDriver (https://www.w3.org/TR/webdriver2/). */
export async function runWebkit(): Promise<RealBrowser> {
  const args = ['-a', 'WebKitWebDriver', `--port=${port}`, '--host=127.0.0.1']
  const driver = spawn('xvfb-run', args, { stdio: 'ignore', detached: true })
  await waitForDriver(driver)
  const { sessionId } = await sendCommand<{ sessionId: string }>('POST', '/session', { capabilities: {} })
  const session = `/session/${sessionId}`
  await sendCommand('POST', `${session}/window/rect`, { width: 390, height: 844 })
  return {
    open: (url) => sendCommand('POST', `${session}/url`, { url }),
    evaluate: (body) => sendCommand('POST', `${session}/execute/sync`, { script: body, args: [] }),
    press: (value) =>
      sendCommand('POST', `${session}/actions`, {
        actions: [
          {
            type: 'key',
            id: 'keyboard',
            actions: [
              { type: 'keyDown', value },
              { type: 'keyUp', value },
            ],
          },
        ],
      }),
    consoleErrors: () => undefined,
    async close() {
      // Ignores a failure: a hanging browser does not respond, and its processes are terminated below.
      await sendCommand('DELETE', session).catch(() => {})
      const exited = new Promise((done) => driver.once('exit', done))
      // The driver and its virtual display are one process group, whose id is the driver's pid.
      if (driver.pid !== undefined) process.kill(-driver.pid, 'SIGTERM')
      await exited
    },
  }
}

/** Sends a WebDriver command. @throws Error with the driver's message */
async function sendCommand<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(driverUrl + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  })
  // The cast follows the response format of the WebDriver standard.
  const { value } = (await answer.json()) as { value: T & { message?: string } }
  if (!answer.ok) throw new Error(`WebKitWebDriver: ${value.message ?? answer.status}`)
  return value
}

function waitForDriver(driver: ChildProcess): Promise<void> {
  const isReady = () => {
    if (driver.exitCode !== null) throw new Error(`WebKitWebDriver exited with ${driver.exitCode}`)
    return isReachable(`${driverUrl}/status`)
  }
  return waitUntil('WebKitWebDriver answers', isReady, timeoutMs)
}
