import type { Language } from '#contract/languages.ts'

/**
 * Paths of an asset's files in the storage. Files in `media/` need a signature, those in `public/` need none, and those
 * in `originals/` are never served.
 */
export const assetFiles = {
  original: (id: string, extension: string) => `originals/${id}.${extension}`,
  /** The caption file that is stored beside the original. */
  originalCaption: (id: string, language: Language) => `originals/${id}.${language}.vtt`,
  /** Returns the name of the folder of one conversion attempt. Links contain this name once the asset is ready. */
  folder: ({ id, attempt }: { id: string; attempt: number }) => `${id}-${attempt}`,
  media: (folder: string) => `media/${folder}`,
  caption: (folder: string, language: Language) => `media/${folder}/captions/${language}.vtt`,
  public: (folder: string) => `public/${folder}`,
  originals: 'originals',
  /** Returns the asset id from the name of a file in `originals/`. */
  assetIdOf: (original: string) => original.replace(/^originals\//, '').split('.')[0] ?? '',
}
