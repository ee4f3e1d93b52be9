import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js'

/** A file and its path in the ZIP. */
interface ZipEntry {
  name: string
  content: Buffer
  /** Compresses the file. */
  compressed?: boolean
  password?: string
  /** Stores the sizes in Zip64 fields, as for files of more than 4 GiB. */
  zip64?: boolean
}

/** The modification time of all files in a ZIP. */
export const zippedAt = new Date(2026, 1, 3, 12, 30)

/** Creates a ZIP. */
export async function packZip(files: readonly ZipEntry[], comment = ''): Promise<Uint8Array<ArrayBuffer>> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), {
    useWebWorkers: false,
    lastModDate: zippedAt,
    extendedTimestamp: false,
  })
  for (const { name, content, compressed = false, ...options } of files)
    await writer.add(name, new Uint8ArrayReader(new Uint8Array(content)), {
      ...options,
      level: compressed ? 6 : 0,
      directory: name.endsWith('/'),
    })
  return writer.close(new TextEncoder().encode(comment))
}
