import type { Language } from '#contract/languages.ts'

/*
 * Where an asset's files lie in the storage. `media/` is behind a pass, `public/` is not, `originals/` is never served.
 */
export const assetFiles = {
  original: (id: string, extension: string) => `originals/${id}.${extension}`,
  /** Kept beside the original until the asset is made. */
  originalCaption: (id: string, language: Language) => `originals/${id}.${language}.vtt`,
  /** What one attempt makes; what links call it once the asset is ready. */
  folder: ({ id, attempt }: { id: string; attempt: number }) => `${id}-${attempt}`,
  media: (folder: string) => `media/${folder}`,
  caption: (folder: string, language: Language) => `media/${folder}/captions/${language}.vtt`,
  public: (folder: string) => `public/${folder}`,
  originals: 'originals',
  /** The asset that a file among the originals belongs to. */
  ownerOf: (original: string) => original.replace(/^originals\//, '').split('.')[0] ?? '',
}
