import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bcp47Tags, type Language } from '#contract/languages.ts'
import type { PageSettings } from '#contract/page-settings.ts'
import { escapeJsonForScript } from './head/build-head.ts'

export interface DocumentParts {
  head: string
  /** The data for the first screen. */
  boot?: object | undefined
  /** Shown until the interface has loaded. */
  imageHtml?: string | undefined
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
export function createDocuments(webRoot: string, settings: () => PageSettings): Documents {
  let documents: ReturnType<typeof readBuild> | undefined
  const loadBuild = () => (documents ??= readBuild(webRoot))
  let cachedServiceWorker: { shell: string; text: string } | undefined
  const settingsScript = () => jsonScript('settings', settings())
  // The studio has its own languages, independent of those offered to viewers.
  const studioSettingsScript = () => jsonScript('settings', { ...settings(), languages: undefined })
  return {
    render(name, route, language, { head, boot, imageHtml = '', plays = false }) {
      const { pages, ahead: preloadsByRoute, playFirst } = loadBuild()
      const page = pages[name]
      const nonce = randomBytes(16).toString('base64')
      const routePreloads = preloadsByRoute[route] ?? noPreloads
      const data =
        (name === 'studio' ? studioSettingsScript() : settingsScript()) +
        (boot ? jsonScript('boot', boot) : '')
      const html = (plays ? page.withoutScripts : page.whole)
        .replace('<html lang="en"', `<html lang="${bcp47Tags[language]}"`)
        .replace('<!--preloads-->', () => (plays ? routePreloads.withoutScripts : routePreloads.whole))
        .replaceAll('__NONCE__', nonce)
        .replace('<!--boot-->', () => data)
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
  // Written by scripts/web-build/build-web.ts.
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
  return { pages, ahead: preloadsByRoute, background, playFirst: read('play-first.js') }
}

/** Tags that load the interface: its scripts and font. */
const interfaceTags = /<script type="module"[^>]*><\/script>|<link rel="(?:modulepreload|preload)"[^>]*>/g

const scriptsOf = (html: string) => (html.match(interfaceTags) ?? []).join('')
const stylesOf = (html: string) => html.replaceAll(interfaceTags, '')

/** A part of a built document, with the tags that an episode defers until it plays. */
interface DocumentPart {
  whole: string
  withoutScripts: string
  scripts: string
}

const noPreloads: DocumentPart = { whole: '', withoutScripts: '', scripts: '' }

function splitScripts(whole: string): DocumentPart {
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
function deferInterface(interfaceTags: string, playFirst: string, nonce: string): string {
  return `<template id="interface">${interfaceTags}</template><script nonce="${nonce}">${playFirst}</script>`
}

/** Inserts the release name into the built script's placeholder. @param shell contents of the offline page */
function insertRelease(script: string, shell: string): string {
  const release = createHash('sha256').update(script).update(shell).digest('hex').slice(0, 16)
  return script.replaceAll('__RELEASE__', release)
}

/** Preloads a chunk that the route's screen needs. */
function modulePreload(file: string): string {
  return `<link rel="modulepreload" crossorigin fetchpriority="low" href="${file}">`
}

/** Inlines a style sheet, so that the first image waits for no further response. web/main.tsx reads its file name. */
function inlineStyle(file: string, rules: string): string {
  return `<style data-file="${file}">${rules}</style>`
}

/** Embeds data for the browser. */
function jsonScript(id: string, value: object): string {
  return `<script type="application/json" id="${id}">${escapeJsonForScript(value)}</script>`
}
