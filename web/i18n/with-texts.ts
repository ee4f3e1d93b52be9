import { loadTexts } from './index.ts'
import type { TextPart } from './texts.ts'

/** What is loaded on need, together with the texts it brings along. */
export async function withTexts<Loaded>(part: TextPart, loading: Promise<Loaded>): Promise<Loaded> {
  const [loaded] = await Promise.all([loading, loadTexts(part)])
  return loaded
}
