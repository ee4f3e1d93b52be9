import { partBytes } from '#contract/studio/uploads.ts'

/** A file to be sent: one of the disk, or one inside of a ZIP. By name, size and last change it is known again. */
export interface SourceFile {
  /** With the folders that it was found in. */
  path: string
  bytes: number
  changedAt: Date
  /** The whole, for small files. */
  read(): Promise<Blob>
  /** Its parts but those that are there already, in order. */
  parts(there: ReadonlySet<number>): AsyncIterable<{ part: number; blob: Blob }>
}

/** What a file is called on the server. Cut between the halves of a character, JSON could not carry it. */
export const uploadName = ({ path }: SourceFile): string =>
  (path.split('/').at(-1) ?? '').slice(-255).toWellFormed()

/** A file of the disk. */
export function fromFile(file: File, path = file.webkitRelativePath || file.name): SourceFile {
  return fromBlob(file, path, new Date(file.lastModified))
}

/** A piece of a file that can be read at any place. */
export function fromBlob(blob: Blob, path: string, changedAt: Date): SourceFile {
  return {
    path,
    bytes: blob.size,
    changedAt,
    read: async () => blob,
    async *parts(there) {
      for (let part = 0; part * partBytes < blob.size; part++)
        if (!there.has(part)) yield { part, blob: blob.slice(part * partBytes, (part + 1) * partBytes) }
    },
  }
}

/** What can only be read from its beginning, such as a compressed file: parts that are there are read over. */
export function fromStream(
  open: () => ReadableStream<Uint8Array<ArrayBuffer>>,
  { path, bytes, changedAt }: Pick<SourceFile, 'path' | 'bytes' | 'changedAt'>,
): SourceFile {
  return {
    path,
    bytes,
    changedAt,
    read: () => new Response(open()).blob(),
    async *parts(there) {
      let part = 0
      for await (const blob of inParts(open())) {
        if (!there.has(part)) yield { part, blob }
        part++
      }
    },
  }
}

async function* inParts(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncIterable<Blob> {
  const reader = stream.getReader()
  let held: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      let rest = value
      while (size + rest.length >= partBytes) {
        const cut = partBytes - size
        yield new Blob([...held, rest.subarray(0, cut)])
        rest = rest.subarray(cut)
        held = []
        size = 0
      }
      held.push(rest)
      size += rest.length
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
  if (size > 0) yield new Blob(held)
}
