import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import { newId } from '#server/platform/ids.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Db } from '#server/tables.ts'

let builtCount = 0

interface VideoOptions {
  title?: string
  episodes?: number
  freeEpisodes?: number
  /** Number of ready episodes; by default, all. */
  ready?: number
  categoryId?: string | null
  featured?: boolean
  releasedAt?: Date
  state?: 'draft' | 'published' | 'archived'
}

export interface BuiltVideo {
  id: string
  episodes: { id: string; number: number; assetId: string | null }[]
}

/** Creates a category at the end of the menu. A string is its English name. */
export async function buildCategory(db: Db, name: string | LocalizedText): Promise<string> {
  const id = newId('cat')
  await db
    .insertInto('categories')
    .values({
      id,
      slug: `category-${++builtCount}`,
      names: JSON.stringify(typeof name === 'string' ? { en: name } : name),
      position: sql`(SELECT coalesce(max(position), 0) + 1 FROM categories)`,
    })
    .execute()
  return id
}

/** Creates a tag without videos. */
export async function buildTag(db: Db, name: string): Promise<string> {
  const id = newId('tag')
  await db
    .insertInto('tags')
    .values({ id, slug: id, names: JSON.stringify({ en: name }) })
    .execute()
  return id
}

/** The storage methods that store the files of a built video. */
type WritableStorage = Pick<Storage, 'write'> & Partial<Pick<Storage, 'delivery'>>

/** A storage for tests that do not read a video's files. */
export const noStorage: WritableStorage = { write: () => Promise.resolve() }

/** Creates a published video with its episodes. Stores the files of ready episodes. */
export async function buildVideo(
  { db, storage }: { db: Db; storage: WritableStorage },
  options: VideoOptions = {},
): Promise<BuiltVideo> {
  const { title = `Drama ${++builtCount}`, episodes: count = 6, freeEpisodes = 3, ready = count } = options
  const id = newId('vid')
  await db
    .insertInto('videos')
    .values({
      id,
      slug: `drama-${++builtCount}`,
      titles: JSON.stringify({ en: title }),
      synopses: JSON.stringify({ en: `What happens in ${title}` }),
      category_id: options.categoryId ?? null,
      state: options.state ?? 'published',
      badge: null,
      featured: options.featured ?? false,
      free_episodes: freeEpisodes,
      episode_count: count,
      currency: 'USD',
      episode_cents: 99,
      video_cents: 999,
      cover_path: null,
      released_at: options.releasedAt ?? new Date(),
    })
    .execute()
  const episodes = []
  for (let number = 1; number <= count; number++) {
    const asset = await buildAsset(db, storage, number <= ready ? 'ready' : 'uploaded')
    const assets =
      number <= ready ? { asset_id: asset, next_asset_id: null } : { asset_id: null, next_asset_id: asset }
    const episode = { id: newId('ep'), video_id: id, number, ...assets }
    await db.insertInto('episodes').values(episode).execute()
    episodes.push({ id: episode.id, number, assetId: assets.asset_id })
  }
  return { id, episodes }
}

async function buildAsset(db: Db, storage: WritableStorage, state: 'ready' | 'uploaded'): Promise<string> {
  const id = newId('ast')
  await db
    .insertInto('assets')
    .values({
      id,
      state,
      reason: null,
      original_path: null,
      source_name: '01.mp4',
      source_hash: id,
      width: 720,
      height: 1280,
      duration_ms: 18_000,
      has_audio: true,
      folder: state === 'ready' ? id : null,
    })
    .execute()
  if (state === 'uploaded') return id
  const files = {
    'master.m3u8': '#EXTM3U\n',
    'v0/index.m3u8': '#EXTM3U\n',
    'v0/init.mp4': 'init-bytes',
    'v0/00000.m4s': 'segment-bytes',
    'captions/en.vtt': 'WEBVTT\n',
    'storyboard.vtt': 'WEBVTT\n',
    'storyboard.jpg': 'storyboard',
    'poster.webp': 'poster',
    'thumb.webp': 'thumb',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(storage, `media/${id}/${name}`, text)
  await writeFile(storage, `public/${id}/still.webp`, 'still')
  return id
}

/** Writes a file as the storage does, but without fsync, which would take most of a test's time. */
async function writeFile({ delivery, write }: WritableStorage, key: string, text: string): Promise<void> {
  if (delivery?.kind !== 'files') return write(key, text)
  const path = join(delivery.root, key)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
