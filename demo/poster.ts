import sharp from 'sharp'
import { figure } from '#demo/draw/figure.ts'
import { lettering } from '#demo/draw/lettering.ts'
import { portrait } from '#demo/draw/portrait.ts'
import { prop } from '#demo/draw/props.ts'
import { place } from '#demo/draw/sets.ts'
import { document, glow, group, linear, rect, seeded, type Palette } from '#demo/draw/svg.ts'
import { weatherSheet } from '#demo/draw/weather.ts'
import type { Drama } from '#demo/story.ts'

/** Size in drawing units. A poster is saved with 900×1200 pixels. */
const size = { width: 720, height: 960 }

function title(drama: Drama): string {
  const { words, face } = drama.poster
  let y = 0
  const lines = words.map((word) => {
    const short = word.length <= 3 && words.length > 1
    const set = (colour: string, dx: number, dy: number): string =>
      lettering(word, face, 360 + dx, y + dy, short ? 120 : 600, short ? 44 : 116, colour).drawn
    const drawn =
      group(set(drama.palette.ink, 0, 6), 'translate(0 0)', 'opacity=".7"') + set(drama.palette.light, 0, 0)
    y += lettering(word, face, 360, 0, short ? 120 : 600, short ? 44 : 116, '').height + 30
    return drawn
  })
  return group(lines.join(''), `translate(0 ${912 - y + 30})`)
}

function faceOf(drama: Drama, at: number, turn: number, transform: string): string {
  const person = drama.poster.people[at]
  const look = person && drama.cast[person.who]
  if (!person || !look) return ''
  // Makes the ids of this portrait's clip paths unique, because a poster can contain several portraits.
  const drawn = portrait(look, drama.palette, person.mood, turn).replaceAll(
    /(id="|#)(eye\d+|head|lit)/g,
    `$1p${at}$2`,
  )
  return group(drawn, transform)
}

function people(drama: Drama): string {
  const { layout, people: faces } = drama.poster
  switch (layout) {
    case 'duo':
      return (
        faceOf(drama, 1, -0.7, 'translate(208 -10) scale(.88)') +
        faceOf(drama, 0, 0.7, 'translate(-110 40) scale(.9)')
      )
    case 'hero':
      return faceOf(drama, 0, 0.35, 'translate(-54 -120) scale(1.15)')
    case 'emblem':
      return (
        glow('halo', 360, 380, 420, drama.palette.light, 0.6) +
        (drama.poster.prop ? group(prop(drama.poster.prop, drama.palette), 'translate(0 -190)') : '')
      )
    default:
      return faces
        .map(({ who }, at) => {
          const look = drama.cast[who]
          return look
            ? group(
                figure(look, drama.palette, at ? 'reach' : 'back'),
                `translate(${faces.length === 1 ? 360 : 270 + at * 190} 690) scale(1.2)`,
              )
            : ''
        })
        .join('')
  }
}

function scrim(p: Palette): string {
  return (
    linear('scrim', [
      [p.ink, 0],
      [p.ink, 0.8],
      [p.ink, 0.98],
    ]) +
    rect(-20, 520, 760, 460, 'url(#scrim)') +
    linear('top', [
      [p.ink, 0.5],
      [p.ink, 0],
    ]) +
    rect(-20, -20, 760, 240, 'url(#top)')
  )
}

/** Returns the drama's poster as a JPEG of 900×1200 pixels. */
export async function poster(drama: Drama): Promise<Buffer> {
  const { palette, poster: design } = drama
  const set = place(design.place, palette, seeded(`${drama.slug}/${design.place}`))
  const scene = group(
    set.back + set.middle,
    design.layout === 'figures' ? 'translate(0 -200) scale(1 .86)' : 'translate(-60 -190) scale(1.16)',
  )
  const weather = design.weather ? group(weatherSheet(design.weather, palette), 'translate(0 -100)') : ''
  const dim = design.layout === 'figures' ? '' : rect(-20, -20, 760, 1000, palette.ink, 'opacity=".28"')
  const drawing = scene + dim + people(drama) + weather + scrim(palette) + title(drama)
  return sharp(document(drawing, { x: 0, y: 0, ...size }, 1.25))
    .flatten({ background: palette.ink })
    .jpeg({ quality: 86, chromaSubsampling: '4:4:4' })
    .toBuffer()
}
