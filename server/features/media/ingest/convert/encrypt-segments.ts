import { createCipheriv } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keyUri } from '#server/features/media/media-keys.ts'
import { parsePlaylist } from './playlists.ts'

/**
 * Encrypts every segment below an asset's folder in place, and adds the key tag to each playlist (RFC 8216,
 * METHOD=AES-128). Init sections contain no media and are not encrypted, so the key tag is written after EXT-X-MAP.
 */
export async function encryptSegments(media: string, key: Buffer): Promise<void> {
  for (const entry of await readdir(media, { withFileTypes: true })) {
    const playlist = join(media, entry.name, 'index.m3u8')
    const text = entry.isDirectory() ? await readFile(playlist, 'utf8').catch(() => '') : ''
    if (text === '') continue
    for (const [number, { uri }] of parsePlaylist(text).entries()) {
      const file = join(media, entry.name, uri)
      await writeFile(file, encryptSegment(await readFile(file), key, number))
    }
    await writeFile(playlist, withKey(text))
  }
}

/**
 * Encrypts a segment. The playlist has no IV attribute, so the IV is the segment's number in 16 bytes (RFC 8216,
 * section 5.2).
 */
function encryptSegment(bytes: Buffer, key: Buffer, number: number): Buffer {
  const iv = Buffer.alloc(16)
  iv.writeUInt32BE(number, 12)
  const cipher = createCipheriv('aes-128-cbc', key, iv)
  return Buffer.concat([cipher.update(bytes), cipher.final()])
}

function withKey(playlist: string): string {
  const tagged = playlist.replace(/^#EXT-X-MAP:.*$/m, `$&\n#EXT-X-KEY:METHOD=AES-128,URI="${keyUri}"`)
  if (tagged === playlist) throw new Error('A playlist without an init section can’t be encrypted.')
  return tagged
}
