/** One caption; times in milliseconds. */
export interface Cue {
  from: number
  to: number
  /** Position in WebVTT syntax; may be empty. */
  settings: string
  /** Lines in WebVTT markup. */
  lines: string[]
}

/** Unusable times. */
export interface CueTimeError {
  key: 'noTimes' | 'timesReversed'
  line: number
}

/** The captions of a file with valid times, and the first reason for which one was omitted. */
export interface ParsedCaptions {
  cues: Cue[]
  fault: CueTimeError | undefined
}
