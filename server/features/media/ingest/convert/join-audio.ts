import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { joinSegments } from '#server/features/media/ingest/files/mp4-boxes.ts'
import { parsePlaylist, playlistDuration, writePlaylist, type Segment } from './playlists.ts'

/**
 * Joins audio segments so that they match the video's segments of 1, 1, 1, 1, 2, 2 … s, and rewrites the playlist.
 * ffmpeg cuts audio every second, because audio has no keyframes. So the first four segments remain, and the others are
 * joined in pairs.
 */
export async function joinAudio(folder: string): Promise<void> {
  const playlist = join(folder, 'index.m3u8')
  const groups = groupSegments(parsePlaylist(await readFile(playlist, 'utf8')))
  const joined: Segment[] = []
  for (const [index, group] of groups.entries()) {
    const parts = await Promise.all(group.map(({ uri }) => readFile(join(folder, uri))))
    const uri = `${String(index).padStart(5, '0')}.m4s`
    // A group's index is never higher than the index of its first segment, so this overwrites only segments that were
    // already read.
    await writeFile(join(folder, uri), joinSegments(parts))
    joined.push({ uri, duration: playlistDuration(group) })
  }
  const writtenUris = new Set(joined.map(({ uri }) => uri))
  for (const { uri } of groups.flat()) if (!writtenUris.has(uri)) await rm(join(folder, uri))
  await writeFile(playlist, writePlaylist(joined))
}

/**
 * Groups segments: the first four alone, then in pairs. A last segment below half a second is added to the previous
 * group.
 */
export function groupSegments(segments: readonly Segment[]): Segment[][] {
  const groups: Segment[][] = []
  segments.forEach((segment, index) => {
    const last = groups.at(-1)
    const isShortRemainder = index === segments.length - 1 && segment.duration < 0.5
    const isSecondOfPair = index > 3 && index % 2 === 1
    if (last && (isSecondOfPair || isShortRemainder)) last.push(segment)
    else groups.push([segment])
  })
  return groups
}
