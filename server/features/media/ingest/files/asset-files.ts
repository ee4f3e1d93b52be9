import type { Language } from '#contract/languages.ts'

/*
 * Where an asset's files lie in the storage. `media/` is behind a pass, `public/` is not, `originals/` is never served.
 */
export const assetFiles = {
  original: (id: string, extension: string) => `originals/${id}.${extension}`,
  /** Kept beside the original until the asset is made. */
  originalCaption: (id: string, language: Language) => `originals/${id}.${language}.vtt`,
  /** What one attempt makes; what links call it once the asset is ready. */
  place: ({ id, attempt }: { id: string; attempt: number }) => `${id}-${attempt}`,
  media: (place: string) => `media/${place}`,
  caption: (place: string, language: Language) => `media/${place}/captions/${language}.vtt`,
  public: (place: string) => `public/${place}`,
  originals: 'originals',
  /** The asset that a file among the originals belongs to. */
  ownerOf: (original: string) => original.replace(/^originals\//, '').split('.')[0] ?? '',
}
