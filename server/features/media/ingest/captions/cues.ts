/** One caption; times in milliseconds. */
export interface Cue {
  from: number
  to: number
  /** Where it is shown, as WebVTT writes it; may be empty. */
  settings: string
  /** In the markup of WebVTT. */
  lines: string[]
}

/** Times that can't be used. */
export interface TimesFault {
  key: 'noTimes' | 'timesReversed'
  line: number
}

/** The captions of a file that are shown at some time, and the first reason for which one was left out. */
export interface ParsedCaptions {
  cues: Cue[]
  fault: TimesFault | undefined
}
