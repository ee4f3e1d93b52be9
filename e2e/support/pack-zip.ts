import { deflateRawSync } from 'node:zlib'

/** A file and its path in the ZIP. `method` 8 compresses it (deflate), 0 stores it. */
interface ZipEntry {
  name: string
  content: Buffer
  method?: number
  flags?: number
  zip64?: boolean
}

/** Creates a ZIP as archiver programs do, optionally with sizes in Zip64 fields. */
export function packZip(files: readonly ZipEntry[], comment = ''): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let place = 0
  for (const { name, content, method = 0, flags = 0, zip64 = false } of files) {
    const packed = method === 8 ? deflateRawSync(content) : content
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50)
    local.writeUInt16LE(name.length, 26)
    local.writeUInt16LE(3, 28)
    parts.push(local, Buffer.from(name), Buffer.alloc(3), packed)
    const extra = Buffer.alloc(zip64 ? 28 : 0)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(flags, 8)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt16LE((12 << 11) | (30 << 5), 12)
    entry.writeUInt16LE(((2026 - 1980) << 9) | (2 << 5) | 3, 14)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt16LE(extra.length, 30)
    for (const [at, value] of [
      [20, packed.length],
      [24, content.length],
      [42, place],
    ] as const)
      entry.writeUInt32LE(zip64 ? 0xffffffff : value, at)
    if (zip64) {
      extra.writeUInt16LE(1)
      extra.writeUInt16LE(24, 2)
      for (const [index, value] of [content.length, packed.length, place].entries())
        extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
    }
    directory.push(entry, Buffer.from(name), extra)
    place += 33 + name.length + packed.length
  }
  const whole = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(whole.length, 12)
  end.writeUInt32LE(place, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...parts, whole, end, Buffer.from(comment)])
}
