import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { htmlLanguage, languages, type Language } from '#contract/languages.ts'
import { readFileName, type NamedFile } from '#contract/studio/file-names.ts'
import { captionEndings, coverNames, descriptionName, videoEndings } from '#contract/studio/uploads.ts'
import { DescriptionError, parseVideoYaml, type VideoDescription } from './parse-video-yaml.ts'

/** A file, or a whole folder, that can't be used. `file` as the operator knows it: "my-drama/02.mp4". */
export interface Refused {
  file: string
  reason: string
}

export interface EpisodeSource {
  number: number
  path: string
  captions: { language: Language; path: string }[]
}

/** A folder of content on disk. */
export interface ContentFolder {
  slug: string
  path: string
  description: VideoDescription
  cover: string | undefined
  episodes: EpisodeSource[]
  refused: Refused[]
  /** Names of files and folders that nothing is made of. */
  unused: string[]
}

/** Files that are meant to be an episode or its captions, in a format that is not taken. */
const otherFormat =
  /^\d{1,4}\.\w+$|\.(avi|wmv|flv|f4v|mpe?g|vob|ogv|asf|rmvb?|sub|idx|sup|sbv|ttml|dfxp|stl|scc|smi)$/i
const longestSlug = 100
// A part and its separator have no sign in common: the time of a match grows with the length alone.
const slugPattern = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/

/**
 * The content folders at a path: the path itself if it has a `video.yaml`, else those inside it.
 * @throws Error with a message for people if there is none
 */
export async function findFolders(path: string): Promise<string[]> {
  const root = resolve(path)
  const info = await stat(root).catch(() => undefined)
  if (!info) throw new Error(`There is no folder ${path}.`)
  if (!info.isDirectory()) throw new Error(`${path} is a file: give the folder it lies in.`)
  if (existsSync(join(root, descriptionName))) return [root]
  const inside = (await readdir(root, { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  )
  const folders = inside
    .map(({ name }) => join(root, name))
    .filter((folder) => existsSync(join(folder, descriptionName)))
  if (folders.length === 0) throw new Error(`Neither ${path} nor a folder in it holds a video.yaml.`)
  return folders.toSorted()
}

/** Reads one content folder. What is wrong with the whole comes back as a single refusal. */
export async function readFolder(path: string): Promise<ContentFolder | Refused> {
  const slug = basename(path)
  if (slug.length > longestSlug || !slugPattern.test(slug)) {
    return {
      file: slug,
      reason:
        'is no name for a folder of content: use small letters, digits and hyphens, as it becomes part of addresses',
    }
  }
  try {
    const description = parseVideoYaml(await readFile(join(path, descriptionName), 'utf8'))
    const files = await listFiles(path)
    const refused: Refused[] = []
    const refuse = (name: string, reason: string) => void refused.push({ file: `${slug}/${name}`, reason })
    const episodes = collectEpisodes(path, files, refuse)
    collectCaptions(path, files, episodes, refuse)
    const others = files.filter(({ kind }) => kind === 'other')
    for (const { name } of others.filter((file) => otherFormat.test(file.name)))
      refuse(
        name,
        `is of a format that is not taken (${[...videoEndings, ...captionEndings].join(', ')} are)`,
      )
    const cover = chooseCover(files, refuse)
    return {
      slug,
      path,
      description,
      cover: cover && join(path, cover),
      episodes: [...episodes.values()].toSorted((a, b) => a.number - b.number),
      refused,
      unused: others.map(({ name }) => name).filter((name) => !otherFormat.test(name)),
    }
  } catch (error) {
    if (!(error instanceof DescriptionError)) throw error
    return { file: `${slug}/video.yaml`, reason: error.message }
  }
}

interface FolderEntry extends NamedFile {
  name: string
}

async function listFiles(path: string): Promise<FolderEntry[]> {
  return (await readdir(path)).toSorted().map((name) => ({ name, ...readFileName(name) }))
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
    const twin = episodes.get(number ?? 0)
    if (number === undefined) refuse(name, 'has no number of an episode in its name: 01 is the first')
    else if (twin) refuse(name, `has the same number as ${basename(twin.path)}`)
    else episodes.set(number, { number, path: join(path, name), captions: [] })
  }
  return episodes
}

const languageList = languages.map((language) => htmlLanguage[language]).join(', ')

function collectCaptions(
  path: string,
  files: readonly FolderEntry[],
  episodes: Map<number, EpisodeSource>,
  refuse: Refuse,
): void {
  // Of two files for one language the shorter name is the plain one: "03.en.vtt" before "03.en.forced.vtt".
  const captions = files
    .filter(({ kind }) => kind === 'captions')
    .toSorted((a, b) => a.name.length - b.name.length)
  for (const { name, number, language } of captions) {
    const episode = episodes.get(number ?? 0)
    if (number === undefined) refuse(name, 'has no number of an episode in its name')
    else if (!language) refuse(name, `names no language of this site: ${languageList} are`)
    else if (!episode) refuse(name, `has no episode ${number} beside it`)
    else if (episode.captions.some((caption) => caption.language === language))
      refuse(name, 'is a second caption file for the same language')
    else episode.captions.push({ language, path: join(path, name) })
  }
}

function chooseCover(files: readonly FolderEntry[], refuse: Refuse): string | undefined {
  const rank = ({ name }: FolderEntry) => coverNames.findIndex((known) => known === name.toLowerCase())
  const [cover, ...others] = files
    .filter(({ kind }) => kind === 'cover')
    .toSorted((a, b) => rank(a) - rank(b))
  for (const { name } of others) refuse(name, `is a second cover beside ${cover?.name}`)
  return cover?.name
}
