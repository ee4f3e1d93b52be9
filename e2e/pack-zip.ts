import { deflateRawSync } from 'node:zlib'

/** A ZIP of files by their paths in it, packed as an archiver packs them. */
export function packZip(files: Record<string, Buffer>): Buffer {
  const packed = Object.entries(files).map(([path, content]) => ({
    path: Buffer.from(path),
    bytes: content.length,
    content: deflateRawSync(content),
  }))
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let place = 0
  for (const { path, bytes, content } of packed) {
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50)
    head.writeUInt16LE(path.length, 26)
    bodies.push(head, path, content)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(8, 10)
    entry.writeUInt16LE((1 << 5) | 1, 14)
    entry.writeUInt32LE(content.length, 20)
    entry.writeUInt32LE(bytes, 24)
    entry.writeUInt16LE(path.length, 28)
    entry.writeUInt32LE(place, 42)
    directory.push(entry, path)
    place += 30 + path.length + content.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(packed.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(place, 16)
  return Buffer.concat([...bodies, list, end])
}
