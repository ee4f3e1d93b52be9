import { fromFile, type SourceFile } from './source-file.ts'

const isZip = ({ path }: SourceFile) => /\.zip$/i.test(path)

/** Returns all dropped or chosen files, with the content of folders and ZIP files. @throws UnreadableZip */
export async function collectFiles(files: readonly SourceFile[]): Promise<SourceFile[]> {
  const all = await Promise.all(files.map((file) => (isZip(file) ? unzip(file) : [file])))
  return all.flat()
}

async function unzip(file: SourceFile): Promise<SourceFile[]> {
  const [{ readZip }, blob] = await Promise.all([import('./read-zip.ts'), file.read()])
  return readZip(blob)
}

/** Collects the dropped files, folders included. Call it during the drop event. */
export function droppedFiles(transfer: DataTransfer): Promise<SourceFile[]> {
  const entries = [...transfer.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  return Promise.all(entries.map(filesOf)).then((lists) => lists.flat())
}

async function filesOf(entry: FileSystemEntry): Promise<SourceFile[]> {
  if (isFile(entry)) return [fromFile(await fileOf(entry), entry.fullPath.slice(1))]
  if (!isFolder(entry)) return []
  const reader = entry.createReader()
  const inside: FileSystemEntry[] = []
  // Browsers return up to a hundred entries per call, and an empty list at the end.
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
