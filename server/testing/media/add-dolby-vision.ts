import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Adds a Dolby Vision configuration to the H.264 video of an MP4. The index of the file (`moov`) must be at its end.
 */
export function addDolbyVision(path: string, profile: number, compatibility: number): void {
  const box = Buffer.alloc(32)
  box.writeUInt32BE(box.length)
  box.write('dvcC', 4, 'latin1')
  box.writeUInt8(1, 8)
  // The profile, level 1, and flags: the file has a base layer and Dolby Vision metadata.
  box.writeUInt16BE((profile << 9) | (1 << 3) | 0b101, 10)
  box.writeUInt8(compatibility << 4, 12)
  const file = readFileSync(path)
  let at = 0
  for (const type of ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'avc1']) {
    at = file.indexOf(type, at, 'latin1') - 4
    file.writeUInt32BE(file.readUInt32BE(at) + box.length, at)
  }
  const end = at + file.readUInt32BE(at) - box.length
  writeFileSync(path, Buffer.concat([file.subarray(0, end), box, file.subarray(end)]))
}
