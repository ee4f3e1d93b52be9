import { figure } from '#demo/draw/figure.ts'
import { moverOf } from '#demo/draw/movers.ts'
import { lids, portrait, speech, type Mood } from '#demo/draw/portrait.ts'
import type { Look } from '#demo/draw/look.ts'
import { prop } from '#demo/draw/props.ts'
import { place, type PlaceName } from '#demo/draw/sets.ts'
import { frame, glow, group, linear, rect, repeat, seeded, type Palette } from '#demo/draw/svg.ts'
import { drift, weatherSheet } from '#demo/draw/weather.ts'
import type { Drama, Shot } from '#demo/story.ts'

/**
 * An image of a shot and its movement. `view` is the visible rectangle of the drawing, and `scale` the pixels per unit.
 * A `soft` image is out of focus. `x` and `y` are the position of the image's corner in the frame, and `when` tells
 * whether the image is visible. All three are ffmpeg expressions of the shot's time `t` in seconds.
 */
export type Layer = {
  drawn: string
  view: { x: number; y: number; width: number; height: number }
  scale: number
  soft?: boolean
  x: string
  y: string
  when?: string
}

const { bleed } = frame
const stage = { x: -bleed, y: -40, width: frame.width + bleed * 2, height: 1360 }

/** Returns the shot's layers from back to front. The first layer is opaque and always covers the frame. */
export function layersOf(drama: Drama, shot: Shot, index: number, seconds: number): Layer[] {
  const way = index % 2 ? -1 : 1
  const camera: Camera = { way, seconds }
  const layers = shot.kind === 'wide' ? wideShot(drama, shot, camera) : nearShot(drama, shot, camera)
  return [...layers, ...lightOf(shot)]
}

type Camera = { way: number; seconds: number }

/**
 * Returns an ffmpeg expression for a layer that slides by `travel` pixels during the shot. Halfway through the shot, it
 * is at `from`. Near layers get a larger `travel`, which gives depth.
 */
function slide({ way, seconds }: Camera, travel: number, from = stage.x): string {
  const speed = (way * travel) / seconds
  return `${(from - (way * travel) / 2).toFixed(1)}+${speed.toFixed(3)}*t`
}

function setOf(drama: Drama, name: PlaceName): ReturnType<typeof place> {
  return place(name, drama.palette, seeded(`${drama.slug}/${name}`))
}

const foot = (p: Palette): string =>
  linear('foot', [
    [p.ink, 0],
    [p.ink, 0.75],
  ]) + rect(stage.x, 960, stage.width, 380, 'url(#foot)')

function wideShot(drama: Drama, shot: Shot & { kind: 'wide' }, camera: Camera): Layer[] {
  const p = drama.palette
  const set = setOf(drama, shot.place)
  const mover = moverOf(shot.place, p)
  const moving: Layer[] = mover
    ? [
        {
          drawn: mover.drawn,
          view: { x: 0, y: 0, width: mover.width, height: mover.height },
          scale: 1,
          x: mover.x,
          y: mover.y,
        },
      ]
    : []
  const plane = (drawn: string, travel: number): Layer => ({
    drawn,
    view: stage,
    scale: 1,
    x: slide(camera, travel),
    y: `${stage.y}`,
  })
  return [
    plane(set.back, 50),
    ...(mover?.behind ? moving : []),
    plane(set.middle, 90),
    ...(mover?.behind ? [] : moving),
    ...shot.people.map((person, at): Layer => {
      const steps = person.pose === 'walk' ? 34 : 0
      const x = `${slide(camera, 110, person.x * frame.width - 182)}+${steps}*(t-1.5)`
      const y =
        person.pose === 'walk'
          ? '372-abs(8*sin(6*t))'
          : person.pose === 'swim'
            ? `320+22*sin(1.5*t+${at})`
            : `372+3*sin(1.7*t+${at})`
      return {
        drawn: figure(lookOf(drama, person.who), p, person.pose),
        view: { x: -130, y: -515, width: 260, height: 540 },
        scale: 1.4,
        x,
        y,
      }
    }),
    ...weatherOf(drama, shot),
    { ...plane(set.front + foot(p), 170), view: { ...stage }, y: `${stage.y}` },
  ]
}

function nearShot(drama: Drama, shot: Exclude<Shot, { kind: 'wide' }>, camera: Camera): Layer[] {
  const p = drama.palette
  const set = setOf(drama, shot.place)
  const side = shot.kind === 'close' ? camera.way * 60 : 0
  const back: Layer = {
    drawn: set.back + set.middle + rect(stage.x, -60, stage.width, 1400, p.ink, 'opacity=".22"'),
    view: { x: 60 + side, y: 180, width: 600, height: 868 },
    scale: stage.width / 600,
    soft: true,
    x: slide(camera, 120),
    y: `${stage.y}`,
  }
  const subject =
    shot.kind === 'insert'
      ? insertLayers(drama, shot)
      : shot.kind === 'close'
        ? closeUp(drama, shot, camera)
        : twoShot(drama, shot, camera)
  const shade: Layer = {
    drawn: foot(p),
    view: { x: 0, y: 960, width: 720, height: 320 },
    scale: 1,
    x: '0',
    y: '960',
  }
  return [back, ...subject, ...weatherOf(drama, shot), shade]
}

function closeUp(drama: Drama, shot: Shot & { kind: 'close' }, camera: Camera): Layer[] {
  const turn = camera.way * 0.55
  return person(drama, shot.person, {
    turn,
    scale: 1.12,
    x: slide(camera, -40, -43),
    y: '-120-2.2*t+4*sin(1.6*t)',
    beat: 1.3,
    speaking: speaks(shot),
  })
}

function twoShot(drama: Drama, shot: Shot & { kind: 'pair' }, camera: Camera): Layer[] {
  const [left, right] = shot.people
  return [
    ...person(drama, right, {
      turn: -0.8,
      scale: 0.86,
      x: slide(camera, 30, 214),
      y: `${height(drama, right.who)}+4*sin(1.5*t)`,
      beat: 0.4,
      speaking: false,
    }),
    ...person(drama, left, {
      turn: 0.8,
      scale: 0.92,
      x: slide(camera, 60, -156),
      y: `${height(drama, left.who) - 10}+4*sin(1.4*t+2)`,
      beat: 2,
      speaking: speaks(shot),
    }),
  ]
}

const height = (drama: Drama, who: string): number => (lookOf(drama, who).man ? 70 : 118)

/** Returns true if the first caption of the shot is speech, which is in quotation marks. */
const speaks = (shot: Shot): boolean => shot.lines[0]?.en.startsWith('“') ?? false

type Pose = { turn: number; scale: number; x: string; y: string; beat: number; speaking: boolean }

/** Returns the layers of a portrait that breathes and blinks. If `speaking`, it also moves its lips. */
function person(drama: Drama, { who, mood }: { who: string; mood: Mood }, pose: Pose): Layer[] {
  const look = lookOf(drama, who)
  const p = drama.palette
  const whole = { x: 60, y: 120, width: 600, height: 1230 }
  const part = (drawn: string, view: Layer['view'], when?: string): Layer => {
    const offset = { x: (view.x * pose.scale).toFixed(1), y: (view.y * pose.scale).toFixed(1) }
    return { drawn, view, scale: pose.scale, x: `${offset.x}+${pose.x}`, y: `${offset.y}+${pose.y}`, when }
  }
  const robot = look.extras?.includes('robot') ?? false
  return [
    part(portrait(look, p, mood, pose.turn), { ...whole, height: Math.min(whole.height, 1300 / pose.scale) }),
    ...(mood === 'closed' || robot
      ? []
      : [
          part(
            lids(look, p, pose.turn),
            { x: 240, y: 470, width: 240, height: 70 },
            `lt(mod(t+${pose.beat},2.6),0.13)`,
          ),
        ]),
    ...(pose.speaking && !robot
      ? [
          part(
            speech(look, p, mood, pose.turn),
            { x: 280, y: 580, width: 160, height: 80 },
            'gt(sin(16*t)+0.7*sin(7.3*t),0.3)',
          ),
        ]
      : []),
  ]
}

function insertLayers(drama: Drama, shot: Shot & { kind: 'insert' }): Layer[] {
  const p = drama.palette
  const halo: Layer = {
    drawn: glow('halo', 360, 560, 420, p.light, 0.55),
    view: { x: 0, y: 140, width: 720, height: 840 },
    scale: 1,
    x: '0',
    y: '140',
  }
  const thing: Layer = {
    drawn: prop(shot.prop, p),
    view: { x: 0, y: 180, width: 720, height: 1100 },
    scale: 1.12,
    x: '-43+6*sin(0.9*t)',
    y: '130-9*t+5*sin(1.8*t)',
  }
  return [halo, thing]
}

function weatherOf(drama: Drama, shot: Shot): Layer[] {
  if (!shot.weather) return []
  const { fall, sway } = drift[shot.weather]
  const sheet = weatherSheet(shot.weather, drama.palette)
  const twice = repeat(2, (index) => group(sheet, `translate(0 ${index * frame.height})`))
  const y = fall > 0 ? `-1280+mod(${fall}*t,1280)` : `-mod(${-fall}*t,1280)`
  return [
    {
      drawn: twice,
      view: { x: -30, y: 0, width: 780, height: frame.height * 2 },
      scale: 1,
      x: `-30+${sway}*sin(t)`,
      y,
    },
  ]
}

function lightOf(shot: Shot): Layer[] {
  if (!shot.light) return []
  const flash = shot.light === 'flash'
  const veil = rect(0, 0, 720, 1280, flash ? '#eaf2ff' : '#04040a', `opacity="${flash ? 0.6 : 0.42}"`)
  const when = flash
    ? 'lt(mod(t+2.3,3.1),0.08)+between(mod(t+2.3,3.1),0.17,0.25)'
    : 'gt(sin(9*t)*sin(23*t+1),0.5)'
  return [{ drawn: veil, view: { x: 0, y: 0, width: 720, height: 1280 }, scale: 1, x: '0', y: '0', when }]
}

function lookOf(drama: Drama, who: string): Look {
  const look = drama.cast[who]
  if (!look) throw new Error(`${drama.slug} has no character ${who}`)
  return look
}
