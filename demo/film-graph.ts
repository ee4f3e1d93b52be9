import { frame } from '#demo/draw/svg.ts'
import type { Layer } from '#demo/stage.ts'

export const framesPerSecond = 24

/** Seconds over which a shot dissolves into the next. */
export const dissolve = 0.4

/** A shot with its times in the video; the input files are in the order of `layers` over all shots. */
export type StagedShot = { start: number; end: number; soft: boolean; layers: readonly Layer[] }

const picture = 'scale=out_color_matrix=bt709'

/** Returns a filter for a still that is decoded once and repeated: decoding it for every frame would take four times as long as the whole video. */
function still(input: number, format: string, seconds: number): string {
  return `[${input}:v]${picture},format=${format},loop=-1:1:0,setpts=N/${framesPerSecond}/TB,trim=duration=${seconds.toFixed(4)}`
}

function shotGraph(shot: StagedShot, firstInput: number, name: string): string[] {
  const seconds = shot.end - shot.start + dissolve
  const [back, ...others] = shot.layers
  if (!back) throw new Error('a shot without layers')
  // 4:4:4 until the end, so that slow layers move in steps of one pixel instead of the chroma grid's two.
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

/** Returns the whole filter graph: composes every shot from its layers, joins the shots with dissolves, and fades in and out at the ends. */
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
