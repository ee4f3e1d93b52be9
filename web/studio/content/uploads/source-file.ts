import { partBytes } from '#contract/studio/uploads.ts'

/** A file to upload, from the disk or from a ZIP. It is identified by its name, size and modification time. */
export interface SourceFile {
  /** The path, including the folders that contain the file. */
  path: string
  bytes: number
  lastModifiedAt: Date
  /** Reads the whole file. Only for small files. */
  read(): Promise<Blob>
  /** Yields the parts that are not uploaded yet, in order. */
  parts(skippedParts: ReadonlySet<number>): AsyncIterable<{ part: number; blob: Blob }>
}

/**
 * Returns the file's name for the server, at most 255 UTF-16 units. `toWellFormed` repairs a surrogate pair that was
 * cut in half, because the server rejects text with half of a pair.
 */
export const uploadName = ({ path }: SourceFile): string =>
  (path.split('/').at(-1) ?? '').slice(-255).toWellFormed()

/** Creates a source file from a file on the disk. */
export function fromFile(file: File, path = file.webkitRelativePath || file.name): SourceFile {
  return fromBlob(file, path, new Date(file.lastModified))
}

/** Creates a source file from a blob. Its parts can be read at any offset. */
export function fromBlob(blob: Blob, path: string, lastModifiedAt: Date): SourceFile {
  return {
    path,
    bytes: blob.size,
    lastModifiedAt,
    read: async () => blob,
    async *parts(there) {
      for (let part = 0; part * partBytes < blob.size; part++)
        if (!there.has(part)) yield { part, blob: blob.slice(part * partBytes, (part + 1) * partBytes) }
    },
  }
}

/**
 * Creates a source file from a stream, such as a compressed file, that can only be read from its start. Parts that are
 * already uploaded are read but skipped.
 */
export function fromStream(
  open: () => ReadableStream<Uint8Array<ArrayBuffer>>,
  { path, bytes, lastModifiedAt }: Pick<SourceFile, 'path' | 'bytes' | 'lastModifiedAt'>,
): SourceFile {
  return {
    path,
    bytes,
    lastModifiedAt,
    read: () => new Response(open()).blob(),
    async *parts(there) {
      let part = 0
      for await (const blob of splitIntoParts(open())) {
        if (!there.has(part)) yield { part, blob }
        part++
      }
    },
  }
}

async function* splitIntoParts(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncIterable<Blob> {
  const reader = stream.getReader()
  let pendingChunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      let rest = value
      while (size + rest.length >= partBytes) {
        const cut = partBytes - size
        yield new Blob([...pendingChunks, rest.subarray(0, cut)])
        rest = rest.subarray(cut)
        pendingChunks = []
        size = 0
      }
      pendingChunks.push(rest)
      size += rest.length
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (size > 0) yield new Blob(pendingChunks)
}
