import { existsSync, type Dirent } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { bcp47Tags, languages, type Language } from '#contract/languages.ts'
import { chooseCovers, parseFileName, type ParsedFileName } from '#contract/studio/parse-file-name.ts'
import {
  captionExtensions,
  coverFileNames,
  descriptionFileName,
  videoExtensions,
} from '#contract/studio/uploads.ts'
import { DescriptionError, parseVideoYaml, type VideoDescription } from './parse-video-yaml.ts'

/** An unusable file or folder. `file` is the path that is shown to the operator: "my-drama/02.mp4". */
export interface RefusedFile {
  file: string
  reason: string
}

export interface EpisodeSource {
  number: number
  path: string
  captions: { language: Language; path: string }[]
}

export interface CoverSource {
  /** The language of the cover. Undefined for the default cover, which viewers see if their language has no cover. */
  language: Language | undefined
  path: string
}

/** A folder of content on disk. */
export interface ContentFolder {
  slug: string
  path: string
  description: VideoDescription
  covers: CoverSource[]
  episodes: EpisodeSource[]
  refused: RefusedFile[]
  /** Names of unused files and folders. */
  unused: string[]
}

/** Names of files that are meant as an episode or its captions but have an unsupported format. */
const otherFormat =
  /^\d{1,4}\.\w+$|\.(avi|wmv|flv|f4v|mpe?g|vob|ogv|asf|rmvb?|sub|idx|sup|sbv|ttml|dfxp|stl|scc|smi)$/i
const maxSlugLength = 100
// Parts and separators of the pattern have no character in common, so that matching takes linear time.
const slugPattern = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/

/** The content folders at a path, and the other entries at that path. */
export interface FoundFolders {
  folders: string[]
  /** Files that should be called `video.yaml`, such as video.yml. */
  refused: RefusedFile[]
  /** Names of files, and of folders without a `video.yaml`. */
  unused: string[]
}

const misnamedDescription = /^video\.ya?ml$/i

/**
 * Finds the content folders at a path: the path itself if it has a `video.yaml`, otherwise the folders inside it.
 * @throws Error with a readable message if there is no content folder
 */
export async function findFolders(path: string): Promise<FoundFolders> {
  const root = resolve(path)
  const info = await stat(root).catch(() => undefined)
  if (!info) throw new Error(`There is no folder ${path}.`)
  if (!info.isDirectory()) throw new Error(`${path} is a file: specify the folder that contains it.`)
  if (existsSync(join(root, descriptionFileName))) return { folders: [root], refused: [], unused: [] }
  const found: FoundFolders = { folders: [], refused: [], unused: [] }
  for (const entry of await listNames(root)) {
    const folder = join(root, entry.name)
    const similar = entry.isDirectory() ? await findMisnamedDescription(folder) : undefined
    if (existsSync(join(folder, descriptionFileName))) found.folders.push(folder)
    else if (similar !== undefined)
      found.refused.push({
        file: `${entry.name}/${similar}`,
        reason: `has to be called ${descriptionFileName}`,
      })
    else found.unused.push(entry.isDirectory() ? `${entry.name} (a folder without video.yaml)` : entry.name)
  }
  if (found.folders.length > 0) return found
  const [similar = await findMisnamedDescription(root)] = found.refused.map(({ file }) => file)
  const hint = similar === undefined ? '' : ` Rename ${similar} to ${descriptionFileName}.`
  throw new Error(`Neither ${path} nor a folder in it contains a video.yaml.${hint}`)
}

/** Returns the name of a misnamed `video.yaml` in a folder, such as video.yml. */
async function findMisnamedDescription(folder: string): Promise<string | undefined> {
  return (await readdir(folder).catch(() => [])).find((name) => misnamedDescription.test(name))
}

/** Lists a folder, sorted by name, without the files that operating systems create. */
async function listNames(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter(({ name }) => parseFileName(name).kind !== 'system')
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Reads one content folder. If its name or its `video.yaml` is invalid, returns a single refusal of the folder. */
export async function readFolder(path: string): Promise<ContentFolder | RefusedFile> {
  const slug = basename(path)
  if (slug.length > maxSlugLength || !slugPattern.test(slug)) {
    return {
      file: slug,
      reason:
        'is not a valid folder name: use lowercase letters, digits and hyphens, because it becomes part of URLs',
    }
  }
  try {
    const description = parseVideoYaml(await readFile(join(path, descriptionFileName), 'utf8'))
    const files = await listFiles(path)
    const refused: RefusedFile[] = []
    const refuse = (name: string, reason: string) => void refused.push({ file: `${slug}/${name}`, reason })
    const episodes = collectEpisodes(path, files, refuse)
    collectCaptions(path, files, episodes, refuse)
    const others = files.filter(({ kind }) => kind === 'other')
    for (const { name } of others.filter((file) => otherFormat.test(basename(file.name))))
      refuse(
        name,
        `has an unsupported format (supported: ${[...videoExtensions, ...captionExtensions].join(', ')})`,
      )
    return {
      slug,
      path,
      description,
      covers: collectCovers(path, files, refuse),
      episodes: [...episodes.values()].toSorted((a, b) => a.number - b.number),
      refused,
      unused: others.map(({ name }) => name).filter((name) => !otherFormat.test(basename(name))),
    }
  } catch (error) {
    if (!(error instanceof DescriptionError)) throw error
    return { file: `${slug}/video.yaml`, reason: error.message }
  }
}

interface FolderEntry extends ParsedFileName {
  /** Path within the folder. */
  name: string
}

/**
 * Lists the files in a folder and its subfolders, by the same rules as the studio. A subfolder is listed like a file in
 * three cases: it is named like an episode or captions file, it is empty or unreadable, or it has its own `video.yaml`.
 */
async function listFiles(path: string, subfolder = ''): Promise<FolderEntry[]> {
  const files: FolderEntry[] = []
  const nested: FolderEntry[] = []
  for (const entry of await listNames(join(path, subfolder))) {
    const name = subfolder ? `${subfolder}/${entry.name}` : entry.name
    const file = { name, ...parseFileName(name) }
    const isOpened =
      entry.isDirectory() && file.kind === 'other' && !existsSync(join(path, name, descriptionFileName))
    const nestedFiles = isOpened ? await listFiles(path, name).catch(() => []) : []
    if (nestedFiles.length > 0) nested.push(...nestedFiles)
    else files.push(subfolder && file.kind === 'description' ? { ...file, kind: 'other' } : file)
  }
  return [...files, ...nested]
}

type Refuse = (name: string, reason: string) => void

function collectEpisodes(
  path: string,
  files: readonly FolderEntry[],
  refuse: Refuse,
): Map<number, EpisodeSource> {
  const episodes = new Map<number, EpisodeSource>()
  for (const { kind, name, number } of files) {
    if (kind !== 'film') continue
    const duplicate = episodes.get(number ?? 0)
    if (number === undefined) refuse(name, 'has no episode number in its name, such as 01')
    else if (duplicate) refuse(name, `has the same number as ${relative(path, duplicate.path)}`)
    else episodes.set(number, { number, path: join(path, name), captions: [] })
  }
  return episodes
}

const languageList = languages.map((language) => bcp47Tags[language]).join(', ')

function collectCaptions(
  path: string,
  files: readonly FolderEntry[],
  episodes: Map<number, EpisodeSource>,
  refuse: Refuse,
): void {
  // If there are two files for one language, prefer the one with the shorter name: "03.en.vtt" before
  // "03.en.forced.vtt".
  const captions = files
    .filter(({ kind }) => kind === 'captions')
    .toSorted((a, b) => basename(a.name).length - basename(b.name).length)
  for (const { name, number, language } of captions) {
    const episode = episodes.get(number ?? 0)
    if (number === undefined) refuse(name, 'has no episode number in its name')
    else if (!language) refuse(name, `names no language of this site (${languageList})`)
    else if (!episode) refuse(name, `belongs to episode ${number}, which is not in the folder`)
    else if (episode.captions.some((caption) => caption.language === language))
      refuse(name, 'is a second caption file for the same language')
    else episode.captions.push({ language, path: join(path, name) })
  }
}

function collectCovers(path: string, files: readonly FolderEntry[], refuse: Refuse): CoverSource[] {
  const nameOf = ({ name }: FolderEntry) => name
  const endingOf = ({ name }: FolderEntry) => basename(name).toLowerCase().split('.').at(-1)
  const rank = (file: FolderEntry) => coverFileNames.findIndex((known) => known === `cover.${endingOf(file)}`)
  const { covers, ignored } = chooseCovers(
    files.toSorted((a, b) => rank(a) - rank(b)),
    nameOf,
  )
  for (const { file, chosen } of ignored) refuse(file.name, `is a second cover beside ${chosen.name}`)
  return covers.map(({ file, language }) => ({ language, path: join(path, file.name) }))
}
