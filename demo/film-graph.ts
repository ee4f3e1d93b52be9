import { frame } from '#demo/draw/svg.ts'
import type { Layer } from '#demo/stage.ts'

export const framesPerSecond = 24

/** Seconds of the dissolve between two shots. */
export const dissolve = 0.4

/**
 * A shot with its start and end in the video, in seconds. A `soft` shot begins with a dissolve, others with a cut.
 * ffmpeg's input files are the `layers` of all shots, in order.
 */
export type StagedShot = { start: number; end: number; soft: boolean; layers: readonly Layer[] }

const picture = 'scale=out_color_matrix=bt709'

/**
 * Returns a filter that decodes a still image once and repeats it. Decoding it for every frame would take four times as
 * long as the rest of the video.
 */
function still(input: number, format: string, seconds: number): string {
  return `[${input}:v]${picture},format=${format},loop=-1:1:0,setpts=N/${framesPerSecond}/TB,trim=duration=${seconds.toFixed(4)}`
}

function shotGraph(shot: StagedShot, firstInput: number, name: string): string[] {
  const seconds = shot.end - shot.start + dissolve
  const [back, ...others] = shot.layers
  if (!back) throw new Error('A shot has no layers')
  // Uses 4:4:4 until the end, so that slow layers move by single pixels. The chroma grid of 4:2:0 allows only steps of
  // two pixels.
  const graph = [
    `${still(firstInput, 'yuv444p', seconds)},crop=${frame.width}:${frame.height}:x='-(${back.x})':y='-(${back.y})'[${name}_0]`,
  ]
  others.forEach((layer, at) => {
    const enable = layer.when ? `:enable='${layer.when}'` : ''
    graph.push(`${still(firstInput + at + 1, 'yuva444p', seconds)}[${name}l${at}]`)
    graph.push(
      `[${name}_${at}][${name}l${at}]overlay=x='${layer.x}':y='${layer.y}':format=yuv444${enable}[${name}_${at + 1}]`,
    )
  })
  const fade = shot.soft ? `format=yuva444p,fade=t=in:st=0:d=${dissolve}:alpha=1,` : ''
  graph.push(`[${name}_${others.length}]${fade}setpts=PTS+${shot.start.toFixed(4)}/TB[${name}]`)
  return graph
}

/**
 * Returns the filter graph of a video: composes every shot from its layers, joins the shots with cuts or dissolves, and
 * fades in at the start and out at the end.
 */
export function filmGraph(shots: readonly StagedShot[], seconds: number): string {
  const graph = [
    `color=black:s=${frame.width}x${frame.height}:r=${framesPerSecond}:d=${seconds.toFixed(4)},format=yuv444p[film0]`,
  ]
  let input = 0
  shots.forEach((shot, at) => {
    graph.push(...shotGraph(shot, input, `s${at}`))
    graph.push(`[film${at}][s${at}]overlay=format=yuv444:eof_action=pass[film${at + 1}]`)
    input += shot.layers.length
  })
  graph.push(
    `[film${shots.length}]format=yuv420p,fade=t=in:st=0:d=0.3,fade=t=out:st=${(seconds - 0.6).toFixed(4)}:d=0.6[film]`,
  )
  return graph.join(';')
}
