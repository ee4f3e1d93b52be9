/** One caption; times in milliseconds. */
export interface Cue {
  from: number
  to: number
  /** Cue settings (position and alignment) in WebVTT syntax; may be empty. */
  settings: string
  /** Lines in WebVTT markup. */
  lines: string[]
}

/** A caption with invalid times; `line` is its line in the file, counted from 1. */
export interface CueTimeError {
  key: 'noTimes' | 'timesReversed'
  line: number
}

/** The valid captions of a file, and the error of the first caption that was omitted. */
export interface ParsedCaptions {
  cues: Cue[]
  fault: CueTimeError | undefined
}
