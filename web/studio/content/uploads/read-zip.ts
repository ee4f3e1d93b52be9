import { BlobReader, configure, ZipReader, type FileEntry } from '@zip.js/zip.js'
import { fromStream, type SourceFile } from './source-file.ts'

/**
 * Thrown for a ZIP that cannot be read: damaged, encrypted, or with a compression method that browsers do not support.
 */
export class UnreadableZip extends Error {
  override name = 'UnreadableZip'
}

/** The compression methods of a ZIP: stored without compression, and deflate. */
const supportedMethods = [0, 8]

// The browser's own DecompressionStream does not block the page, so no worker script is needed.
configure({ useWebWorkers: false, useCompressionStream: true })

/**
 * Lists the files in a ZIP. Their content is read later, directly from the ZIP, so that a season may be larger than the
 * memory.
 * @throws UnreadableZip
 */
export async function readZip(zip: Blob): Promise<SourceFile[]> {
  const entries = await new ZipReader(new BlobReader(zip)).getEntries().catch((error: unknown) => {
    throw new UnreadableZip(undefined, { cause: error })
  })
  return entries.flatMap((entry) => (entry.directory ? [] : openEntry(entry)))
}

function openEntry(entry: FileEntry): SourceFile {
  if (entry.encrypted || !supportedMethods.includes(entry.compressionMethod)) throw new UnreadableZip()
  const unpack = () => {
    const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
    // If an error occurs while data is written, the library itself reports it to the stream.
    entry.getData(writable).catch((error: unknown) => (writable.locked ? undefined : writable.abort(error)))
    return readable
  }
  const { filename: path, uncompressedSize: bytes, lastModDate: lastModifiedAt } = entry
  return fromStream(unpack, { path, bytes, lastModifiedAt })
}
