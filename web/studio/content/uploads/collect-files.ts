import { fromFile, type SourceFile } from './source-file.ts'

const isZip = ({ path }: SourceFile) => /\.zip$/i.test(path)

/** Returns all dropped or selected files, including the files in ZIP archives. @throws UnreadableZip */
export async function collectFiles(files: readonly SourceFile[]): Promise<SourceFile[]> {
  const all = await Promise.all(files.map((file) => (isZip(file) ? unzip(file) : [file])))
  return all.flat()
}

async function unzip(file: SourceFile): Promise<SourceFile[]> {
  const [{ readZip }, blob] = await Promise.all([import('./read-zip.ts'), file.read()])
  return readZip(blob)
}

/** Returns the dropped files, including those in folders. Must be called during the drop event. */
export function droppedFiles(transfer: DataTransfer): Promise<SourceFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return Promise.all(entries.map(filesOf)).then((lists) => lists.flat())
}

async function filesOf(entry: FileSystemEntry): Promise<SourceFile[]> {
  if (isFile(entry)) return [fromFile(await fileOf(entry), entry.fullPath.slice(1))]
  if (!isFolder(entry)) return []
  const reader = entry.createReader()
  const inside: FileSystemEntry[] = []
  // Each call returns up to a hundred entries; an empty array marks the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) break
    inside.push(...some)
  }
  return (await Promise.all(inside.map(filesOf))).flat()
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject))
