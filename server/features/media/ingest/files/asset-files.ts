import type { Language } from '#contract/languages.ts'

/* Paths of an asset's files in the storage. `media/` needs a signature, `public/` does not, `originals/` is never served. */
export const assetFiles = {
  original: (id: string, extension: string) => `originals/${id}.${extension}`,
  /** Kept beside the original until the asset is converted. */
  originalCaption: (id: string, language: Language) => `originals/${id}.${language}.vtt`,
  /** Folder of one attempt; links use its name once the asset is ready. */
  folder: ({ id, attempt }: { id: string; attempt: number }) => `${id}-${attempt}`,
  media: (folder: string) => `media/${folder}`,
  caption: (folder: string, language: Language) => `media/${folder}/captions/${language}.vtt`,
  public: (folder: string) => `public/${folder}`,
  originals: 'originals',
  /** Returns the asset of a file in `originals/`. */
  assetIdOf: (original: string) => original.replace(/^originals\//, '').split('.')[0] ?? '',
}
