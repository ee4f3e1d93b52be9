import type { Language } from '#contract/languages.ts'

/*
 * Where an asset's files lie in the storage. `media/` is behind a pass, `public/` is not, `originals/` is never served.
 */
export const assetFiles = {
  original: (id: string, extension: string) => `originals/${id}.${extension}`,
  /** Kept beside the original until the asset is made. */
  originalCaption: (id: string, language: Language) => `originals/${id}.${language}.vtt`,
  media: (id: string) => `media/${id}`,
  caption: (id: string, language: Language) => `media/${id}/captions/${language}.vtt`,
  public: (id: string) => `public/${id}`,
  originals: 'originals',
  /** The asset that a file among the originals belongs to. */
  ownerOf: (original: string) => original.replace(/^originals\//, '').split('.')[0] ?? '',
}
