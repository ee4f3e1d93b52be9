import type { StudioLabel } from '#contract/studio/labels.ts'

/** A tag or category, for the sheets that change it. */
export interface LabelProps {
  kind: 'tag' | 'category'
  label: StudioLabel
}
