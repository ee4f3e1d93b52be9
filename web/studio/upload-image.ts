import { acceptLanguage, currentLanguage } from '#web/lib/language.ts'

/**
 * Uploads an image to a route of the studio.
 * @returns `info` on success; the server's `message` if it rejected the image; an empty object if there was no response
 *   or the image could not be read
 */
export async function uploadImage<Info>(
  path: string,
  picture: Blob | Promise<Blob>,
): Promise<{ info?: Info; message?: string }> {
  const headers = {
    'content-type': 'application/octet-stream',
    'accept-language': acceptLanguage(currentLanguage()),
  }
  try {
    const response = await fetch(path, { method: 'POST', headers, body: await picture })
    // The route uses the envelope of the API.
    const answer = (await response.json()) as { code: number; info?: Info; message: string }
    return answer.code === 200 && answer.info ? { info: answer.info } : { message: answer.message }
  } catch {
    return {}
  }
}
