import { acceptLanguage, currentLanguage } from '#web/lib/language.ts'

/**
 * Sends a picture to where the studio takes one.
 * @returns what the route tells, or why it was refused in words; neither where nothing was answered
 */
export async function sendPicture<Info>(
  path: string,
  picture: Blob,
): Promise<{ info?: Info; message?: string }> {
  const headers = {
    'content-type': 'application/octet-stream',
    'accept-language': acceptLanguage(currentLanguage()),
  }
  try {
    const response = await fetch(path, { method: 'POST', headers, body: picture })
    // The envelope of the API.
    const answer = (await response.json()) as { code: number; info?: Info; message: string }
    return answer.code === 200 && answer.info ? { info: answer.info } : { message: answer.message }
  } catch {
    return {}
  }
}
