import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { htmlLanguage, type Language } from '#contract/languages.ts'
import type { PageSettings } from '#contract/page-settings.ts'
import { inScript } from './head/build-head.ts'

export interface DocumentParts {
  head: string
  /** The data for the first screen. */
  boot?: object | undefined
  /** Shown until the interface has loaded. */
  picture?: string | undefined
  /** Whether `picture` is the poster of an episode that plays at once (web/play-first.ts). */
  plays?: boolean
}

/** `studio` is for operators; viewers never download it. */
export type DocumentName = 'index' | 'order' | 'studio'

/** A built document of the web, rendered for each request. */
export interface Documents {
  /** Renders the document for a route's chunks in a language. */
  render(
    name: DocumentName,
    route: string,
    language: Language,
    parts: DocumentParts,
  ): { html: string; nonce: string }
  /** Background colour of the page, which the build takes from the design tokens. */
  background(): string
  /** Returns the service worker of this release. A new build or changed settings make a new release. */
  serviceWorker(): string
}

/**
 * Reads the documents of the built web, with the public settings. They are read on first use: the worker and the commands need
 * none, and may run before the web is built.
 */
export function readDocuments(webRoot: string, settings: () => PageSettings): Documents {
  let documents: ReturnType<typeof readBuilt> | undefined
  const built = () => (documents ??= readBuilt(webRoot))
  let script: { shell: string; text: string } | undefined
  const told = () => jsonScript('settings', settings())
  // The studio has its own languages, independent of those offered to viewers.
  const toldToOperators = () => jsonScript('settings', { ...settings(), languages: undefined })
  return {
    render(name, route, language, { head, boot, picture = '', plays = false }) {
      const { pages, ahead, playFirst } = built()
      const page = pages[name]
      const nonce = randomBytes(16).toString('base64')
      const links = ahead[route] ?? noLinks
      const data = (name === 'studio' ? toldToOperators() : told()) + (boot ? jsonScript('boot', boot) : '')
      const html = (plays ? page.withoutScripts : page.whole)
        .replace('<html lang="en"', `<html lang="${htmlLanguage[language]}"`)
        .replace('<!--preloads-->', () => (plays ? links.withoutScripts : links.whole))
        .replaceAll('__NONCE__', nonce)
        .replace('<!--boot-->', () => data)
        .replace('<!--head-->', () => head)
        .replace(
          '<!--picture-->',
          () => picture + (plays ? playsFirst(page.scripts + links.scripts, playFirst, nonce) : ''),
        )
      return { html, nonce }
    },
    background: () => built().background,
    serviceWorker() {
      const shell = built().pages.index.whole + told()
      if (script?.shell !== shell)
        script = { shell, text: namedRelease(readFileSync(join(webRoot, 'sw.js'), 'utf8'), shell) }
      return script.text
    },
  }
}

function readBuilt(webRoot: string) {
  const read = (file: string) => readFileSync(join(webRoot, file), 'utf8')
  const pages = {
    index: takeApart(read('index.html')),
    order: takeApart(read('order.html')),
    studio: takeApart(read('studio.html')),
  }
  // Written by scripts/web-build/build-web.ts.
  const preloads = JSON.parse(read('preloads.json')) as Record<string, string[]>
  const ahead = Object.fromEntries(
    Object.entries(preloads).map(([route, files]): [string, Part] => [
      route,
      takeApart(
        files.map((file) => (file.endsWith('.css') ? styleOf(file, read(file)) : linkTo(file))).join(''),
      ),
    ]),
  )
  const [, background = '#000000'] = /name="theme-color" content="(#\w+)"/.exec(pages.index.whole) ?? []
  return { pages, ahead, background, playFirst: read('play-first.js') }
}

/** Tags that load the interface: its scripts and font. */
const interfaceTags = /<script type="module"[^>]*><\/script>|<link rel="(?:modulepreload|preload)"[^>]*>/g

const scriptsOf = (html: string) => (html.match(interfaceTags) ?? []).join('')
const stylesOf = (html: string) => html.replaceAll(interfaceTags, '')

/** A part of a built document, with the tags that an episode defers until it plays. */
interface Part {
  whole: string
  withoutScripts: string
  scripts: string
}

const noLinks: Part = { whole: '', withoutScripts: '', scripts: '' }

function takeApart(whole: string): Part {
  // The stylesheet requests the font at its first text; a preload would be too late here.
  return {
    whole,
    withoutScripts: stylesOf(whole),
    scripts: scriptsOf(whole.replace(/<link rel="preload"[^>]*>/, '')),
  }
}

/**
 * Starts the episode in the document's element. The interface is deferred, because its download and execution before the first
 * frame would delay that frame (web/play-first.ts).
 */
function playsFirst(interfaceTags: string, playFirst: string, nonce: string): string {
  return `<template id="interface">${interfaceTags}</template><script nonce="${nonce}">${playFirst}</script>`
}

/** Inserts the release name into the built script's placeholder. @param shell contents of the offline page */
function namedRelease(script: string, shell: string): string {
  const release = createHash('sha256').update(script).update(shell).digest('hex').slice(0, 16)
  return script.replaceAll('__RELEASE__', release)
}

/** Preloads a chunk that the route's screen needs. */
function linkTo(file: string): string {
  return `<link rel="modulepreload" crossorigin fetchpriority="low" href="${file}">`
}

/** Inlines a style sheet, so that the first image waits for no further response. web/main.tsx reads its file name. */
function styleOf(file: string, rules: string): string {
  return `<style data-file="${file}">${rules}</style>`
}

/** Embeds data for the browser. */
function jsonScript(id: string, value: object): string {
  return `<script type="application/json" id="${id}">${inScript(value)}</script>`
}
