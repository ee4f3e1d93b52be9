import { loadTexts } from './index.ts'
import type { TextPart } from './load-texts.ts'

/** Loads a module together with the texts it needs. */
export async function withTexts<Loaded>(part: TextPart, loading: Promise<Loaded>): Promise<Loaded> {
  const [loaded] = await Promise.all([loading, loadTexts(part)])
  return loaded
}
