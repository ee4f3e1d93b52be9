import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { languageOf, type Language } from '#contract/languages.ts'
import { coverNames, descriptionName } from '#contract/studio/uploads.ts'
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

/** A folder of content as it stands on disk. */
export interface ContentFolder {
  slug: string
  path: string
  description: VideoDescription
  cover: string | undefined
  episodes: EpisodeSource[]
  refused: Refused[]
}

const episodePattern = /^(\d{1,4})\.(mp4|m4v|mov|mkv|webm|ts)$/i
const otherVideoPattern = /^\d{1,4}\.[a-z0-9]+$/i
const captionPattern = /^(\d{1,4})\.([a-z]{2})\.(vtt|srt)$/i
const longestSlug = 100
// A part and its separator have no sign in common: the time of a match grows with the length alone.
const slugPattern = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/

/**
 * The content folders at a path: itself where it holds a `video.yaml`, else those inside it.
 * @throws Error in words, where there is none
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
    const names = (await readdir(path)).toSorted()
    const refused: Refused[] = []
    const refuse = (name: string, reason: string) => void refused.push({ file: `${slug}/${name}`, reason })
    const episodes = collectEpisodes(path, names, refuse)
    collectCaptions(path, names, episodes, refuse)
    const covers = names.filter((name) => coverNames.some((known) => known === name.toLowerCase()))
    const [cover, ...others] = covers
    for (const name of others) refuse(name, `is a second cover beside ${cover}`)
    return {
      slug,
      path,
      description,
      cover: cover && join(path, cover),
      episodes: [...episodes.values()].toSorted((a, b) => a.number - b.number),
      refused,
    }
  } catch (error) {
    if (!(error instanceof DescriptionError)) throw error
    return { file: `${slug}/video.yaml`, reason: error.message }
  }
}

type Refuse = (name: string, reason: string) => void

function collectEpisodes(path: string, names: string[], refuse: Refuse): Map<number, EpisodeSource> {
  const episodes = new Map<number, EpisodeSource>()
  for (const name of names) {
    const number = Number(episodePattern.exec(name)?.[1] ?? NaN)
    const twin = episodes.get(number)
    if (Number.isNaN(number)) {
      if (otherVideoPattern.test(name))
        refuse(name, 'is of a kind that is not taken (mp4, m4v, mov, mkv, webm and ts are)')
    } else if (number === 0) refuse(name, 'has the number 0: episodes are numbered from 01')
    else if (twin) refuse(name, `has the same number as ${basename(twin.path)}`)
    else episodes.set(number, { number, path: join(path, name), captions: [] })
  }
  return episodes
}

function collectCaptions(
  path: string,
  names: string[],
  episodes: Map<number, EpisodeSource>,
  refuse: Refuse,
): void {
  for (const name of names) {
    const [, number, code = ''] = captionPattern.exec(name) ?? []
    if (number === undefined) continue
    const language = languageOf(code)
    const episode = episodes.get(Number(number))
    if (!language) refuse(name, `is in a language this site does not have: ${code}`)
    else if (!episode) refuse(name, `has no episode ${number} beside it`)
    else if (episode.captions.some((caption) => caption.language === language))
      refuse(name, 'is a second caption file for the same language')
    else episode.captions.push({ language, path: join(path, name) })
  }
}
