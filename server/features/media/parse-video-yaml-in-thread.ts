import { DeadlineExceeded, runInThread } from '#server/platform/processes/run-in-thread.ts'
import type { VideoDescription } from './ingest/import/parse-video-yaml.ts'

const module = new URL('./ingest/import/parse-video-yaml.ts', import.meta.url).href

/**
 * Parses a `video.yaml` like `parseVideoYaml`, but in a worker thread, because some texts take seconds to parse.
 * @throws Error with the name DescriptionError
 */
export async function parseVideoYamlInThread(text: string): Promise<VideoDescription> {
  try {
    // The cast is safe: the thread returns the result of parseVideoYaml.
    return (await runInThread({ module, name: 'parseVideoYaml', args: [text] })) as VideoDescription
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error
    const timeoutError = new Error('the file cannot be read as YAML: it takes too long', {
      cause: error,
    })
    throw Object.assign(timeoutError, { name: 'DescriptionError' })
  }
}
