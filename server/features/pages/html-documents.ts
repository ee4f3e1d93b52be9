import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bcp47Tags, type Language } from '#contract/languages.ts'
import type { PageSettings } from '#contract/page-settings.ts'
import { escapeJsonForScript } from './head/build-head.ts'

export interface DocumentParts {
  head: string
  /** The data that the first screen needs. */
  boot?: object | undefined
  /** Markup of an image that is shown until the interface has loaded. */
  imageHtml?: string | undefined
  /** True if `imageHtml` is the player element of an episode that starts at once (web/play-first.ts). */
  plays?: boolean
}

/** `order` is the payment form. `studio` is for operators, and viewers never download it. */
export type DocumentName = 'index' | 'order' | 'studio'

/** The built HTML documents of the web, rendered for each request. */
export interface Documents {
  /** Renders a document in a language, with preloads of the chunks that the route needs. */
  render(
    name: DocumentName,
    route: string,
    language: Language,
    parts: DocumentParts,
  ): { html: string; nonce: string }
  /** Returns the background colour of the page, which the build takes from the design tokens. */
  background(): string
  /** Returns the script of the service worker. A new build or changed settings give it a new release name. */
  serviceWorker(): string
}

/**
 * Creates the renderer of the built documents, which contain the public settings. The files are read on first use,
 * because the worker process (server/worker.ts) and CLI commands may run before the web is built.
 */
export function createDocuments(webRoot: string, settings: () => PageSettings): Documents {
  let documents: ReturnType<typeof readBuild> | undefined
  const loadBuild = () => (documents ??= readBuild(webRoot))
  let cachedServiceWorker: { shell: string; text: string } | undefined
  const settingsScript = () => jsonScript('settings', settings())
  // The studio offers all languages, even those that the site does not offer to viewers.
  const studioSettingsScript = () => jsonScript('settings', { ...settings(), languages: undefined })
  return {
    render(name, route, language, { head, boot, imageHtml = '', plays = false }) {
      const { pages, ahead: preloadsByRoute, playFirst, reloadOnFailure } = loadBuild()
      const page = pages[name]
      const nonce = randomBytes(16).toString('base64')
      const routePreloads = preloadsByRoute[route] ?? noPreloads
      const data =
        (name === 'studio' ? studioSettingsScript() : settingsScript()) +
        (boot ? jsonScript('boot', boot) : '')
      const html = (plays ? page.withoutScripts : page.whole)
        .replace('<html lang="en"', `<html lang="${bcp47Tags[language]}"`)
        .replace('<!--preloads-->', () => (plays ? routePreloads.withoutScripts : routePreloads.whole))
        .replace('<!--boot-->', () => data + (plays ? '' : inlineScript(reloadOnFailure, nonce)))
        .replace('<!--head-->', () => head)
        .replace(
          '<!--picture-->',
          () =>
            imageHtml + (plays ? deferInterface(page.scripts + routePreloads.scripts, playFirst, nonce) : ''),
        )
      return { html, nonce }
    },
    background: () => loadBuild().background,
    serviceWorker() {
      const shell = loadBuild().pages.index.whole + settingsScript()
      if (cachedServiceWorker?.shell !== shell)
        cachedServiceWorker = {
          shell,
          text: insertRelease(readFileSync(join(webRoot, 'sw.js'), 'utf8'), shell),
        }
      return cachedServiceWorker.text
    },
  }
}

function readBuild(webRoot: string) {
  const read = (file: string) => readFileSync(join(webRoot, file), 'utf8')
  const pages = {
    index: splitScripts(read('index.html')),
    order: splitScripts(read('order.html')),
    studio: splitScripts(read('studio.html')),
  }
  // The file is written by scripts/web-build/build-web.ts, so it is not validated.
  const preloads = JSON.parse(read('preloads.json')) as Record<string, string[]>
  const preloadsByRoute = Object.fromEntries(
    Object.entries(preloads).map(([route, files]): [string, DocumentPart] => [
      route,
      splitScripts(
        files
          .map((file) => (file.endsWith('.css') ? inlineStyle(file, read(file)) : modulePreload(file)))
          .join(''),
      ),
    ]),
  )
  const [, background = '#000000'] = /name="theme-color" content="(#\w+)"/.exec(pages.index.whole) ?? []
  return {
    pages,
    ahead: preloadsByRoute,
    background,
    playFirst: read('play-first.js'),
    reloadOnFailure: read('reload-on-failure.js'),
  }
}

/** Tags that load scripts of the interface. */
const scriptTags = /<script type="module"[^>]*><\/script>|<link rel="modulepreload"[^>]*>/g
/**
 * Tags that preload fonts. They are not deferred with the scripts. They would be too late there, because the stylesheet
 * requests a font as soon as text needs it.
 */
const fontPreloads = /<link rel="preload"[^>]*>/g

/** A part of a built document, and its script tags, which are deferred if an episode plays at once. */
interface DocumentPart {
  whole: string
  withoutScripts: string
  scripts: string
}

const noPreloads: DocumentPart = { whole: '', withoutScripts: '', scripts: '' }

function splitScripts(whole: string): DocumentPart {
  return {
    whole,
    withoutScripts: whole.replaceAll(scriptTags, '').replaceAll(fontPreloads, ''),
    scripts: (whole.match(scriptTags) ?? []).join(''),
  }
}

/**
 * Returns the markup that starts the episode in the document's video element and defers the interface. If the interface
 * were loaded and run first, the first frame would be late (web/play-first.ts).
 */
function deferInterface(scripts: string, playFirst: string, nonce: string): string {
  return `<template id="interface">${scripts}</template>${inlineScript(playFirst, nonce)}`
}

/**
 * Replaces the placeholder of the release name in the built service worker.
 * @param shell contents of the offline page
 */
function insertRelease(script: string, shell: string): string {
  const release = createHash('sha256').update(script).update(shell).digest('hex').slice(0, 16)
  return script.replaceAll('__RELEASE__', release)
}

/** Returns the tag that preloads a chunk that the route's screen needs. */
function modulePreload(file: string): string {
  return `<link rel="modulepreload" crossorigin fetchpriority="low" href="${file}">`
}

/**
 * Returns a style sheet as an inline element, so that the first image waits for no further response. web/main.tsx reads
 * the file name of the style sheet from `data-file`.
 */
function inlineStyle(file: string, rules: string): string {
  return `<style data-file="${file}">${rules}</style>`
}

/** Returns a script element that runs at once. The content security policy allows scripts with its nonce. */
function inlineScript(script: string, nonce: string): string {
  return `<script nonce="${nonce}">${script}</script>`
}

/** Returns a script element with JSON data for the browser. */
function jsonScript(id: string, value: object): string {
  return `<script type="application/json" id="${id}">${escapeJsonForScript(value)}</script>`
}
