import { partBytes } from '#contract/studio/uploads.ts'

/** A file to upload: from the disk or from a ZIP. Identified by name, size and modification time. */
export interface SourceFile {
  /** Includes the folders that contain it. */
  path: string
  bytes: number
  lastModifiedAt: Date
  /** Reads the whole file; for small files. */
  read(): Promise<Blob>
  /** Returns the parts that are not uploaded yet, in order. */
  parts(skippedParts: ReadonlySet<number>): AsyncIterable<{ part: number; blob: Blob }>
}

/** Returns the file's name on the server. A surrogate pair that was cut in half is repaired, because JSON cannot contain it. */
export const uploadName = ({ path }: SourceFile): string =>
  (path.split('/').at(-1) ?? '').slice(-255).toWellFormed()

/** Creates a source file from a file of the disk. */
export function fromFile(file: File, path = file.webkitRelativePath || file.name): SourceFile {
  return fromBlob(file, path, new Date(file.lastModified))
}

/** Creates a source file from a blob, which can be read at any offset. */
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

/** Creates parts from a stream, such as a compressed file, that can only be read from its start; uploaded parts are skipped. */
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
