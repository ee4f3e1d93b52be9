import { request } from 'node:http'

/** Sends a GET with exactly this path. `fetch` is not used because it would normalize `..`. */
export function rawGet(url: string, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const clientRequest = request({ hostname, port, path, method: 'GET', timeout: 60_000 }, (answer) => {
      let text = ''
      answer.setEncoding('latin1').on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    clientRequest
      .on('error', reject)
      .on('timeout', () => clientRequest.destroy(new Error(`${path} timed out`)))
    clientRequest.end()
  })
}
