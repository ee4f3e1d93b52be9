import { timeline, type Episode } from '#demo/story.ts'
import type { Language } from '#demo/texts.ts'

function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const thousandths = String(Math.round((seconds - whole) * 1000)).padStart(3, '0')
  return `00:00:${String(whole).padStart(2, '0')}.${thousandths}`
}

/** Returns an episode's captions in one language as WebVTT. */
export function captions(episode: Episode, language: Language): string {
  const cues = timeline(episode).captions.map(
    ({ start, end, text }) => `${clock(start)} --> ${clock(end)}\n${text[language]}\n`,
  )
  return `WEBVTT\n\n${cues.join('\n')}`
}
