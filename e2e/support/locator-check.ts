import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  expect as plain,
  type BrowserContext,
  type Locator,
  type Page,
  type TestInfo,
} from '@playwright/test'

/*
 * Finds assertions that prove nothing, because they were already true before the action that they should check.
 * A first run with E2E_LOCATORS=record stores the assertions after each action of a test. A second run with
 * E2E_LOCATORS=check evaluates these assertions just before the action, and fails the test if one is already true.
 * An assertion about a state that should not change is marked with `// stays` at the end of its line.
 */

interface Assertion {
  selector: string
  matcher: string
  expected: string | { source: string; flags: string } | undefined
  /** File and line of the assertion. */
  at: string
}

/** The assertions after each action. The index is the number of the action. */
type Recording = Assertion[][]

const mode = process.env['E2E_LOCATORS']
const folder = join(import.meta.dirname, '../..', 'test-results', 'locators')
const actions = [
  'click',
  'dblclick',
  'tap',
  'fill',
  'press',
  'pressSequentially',
  'check',
  'selectOption',
  'setInputFiles',
]
/** Actions that replace the document, so that whatever an assertion finds afterwards is new. */
const navigations = ['goto', 'reload', 'goBack']
/** Matchers that assert that something is present. */
const checkedMatchers = new Set([
  'toBeVisible',
  'toHaveText',
  'toContainText',
  'toHaveAccessibleName',
  'toBeChecked',
])

/** Maximum wait for the element of an action. Limits the wait for elements that stay hidden, such as file inputs. */
const targetTimeoutMs = 5000

let recording: Recording = [[]]
let recorded: Recording | undefined
let problems: string[] = []

/** Starts to observe a test. `finish` writes the recording, or throws an error with the problems. */
export function watchLocators(context: BrowserContext, { testId }: TestInfo): { finish(): void } | undefined {
  if (mode === undefined) return undefined
  const file = join(folder, `${testId}.json`)
  recording = [[]]
  problems = []
  recorded =
    mode === 'check' && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Recording) : undefined
  context.on('page', patch)
  return {
    finish() {
      context.off('page', patch)
      if (mode === 'record') {
        mkdirSync(folder, { recursive: true })
        writeFileSync(file, JSON.stringify(recording))
      }
      if (problems.length > 0)
        throw new Error(`These assertions were already true before the action:\n${problems.join('\n')}`)
    },
  }
}

let patched = false

/**
 * Patches all actions of locators and keyboards, so that they evaluate the assertions first. One patch is enough,
 * because all pages of the process share the prototypes.
 */
function patch(page: Page): void {
  if (patched) return
  patched = true
  const locators = Object.getPrototypeOf(page.locator('html')) as object
  for (const name of actions) before(locators, name, (self) => (self as Locator).page())
  before(Object.getPrototypeOf(page.keyboard) as object, 'press', () => page)
  for (const name of navigations) before(Object.getPrototypeOf(page) as object, name)
}

/** Starts a new list of assertions at each call of a method. With `pageOf`, also checks these assertions before it. */
function before(prototype: object, name: string, pageOf?: (self: unknown) => Page): void {
  const original = Reflect.get(prototype, name) as (...args: unknown[]) => Promise<unknown>
  Reflect.set(prototype, name, async function (this: unknown, ...args: unknown[]) {
    const assertions = recorded?.[recording.length] ?? []
    if (pageOf && assertions.length > 0) {
      await waitForTarget(this)
      await checkAssertions(pageOf(this), assertions)
    }
    recording.push([])
    return original.apply(this, args)
  })
}

/** Waits for the element of the action, because the action would do so, too. */
async function waitForTarget(target: unknown): Promise<void> {
  if (isLocator(target)) await target.waitFor({ timeout: targetTimeoutMs }).catch(() => undefined)
}

async function checkAssertions(page: Page, assertions: Assertion[]): Promise<void> {
  for (const { selector, matcher, expected, at } of assertions) {
    const holds = await isTrue(page.locator(selector), matcher, expected)
    if (holds) problems.push(`  ${at}: ${matcher} on ${selector}`)
  }
}

async function isTrue(locator: Locator, matcher: string, expected: Assertion['expected']): Promise<boolean> {
  const value = typeof expected === 'object' ? new RegExp(expected.source, expected.flags) : expected
  const now = { timeout: 1 }
  const checks: Record<string, () => Promise<void>> = {
    toBeVisible: () => plain(locator.first()).toBeVisible(now),
    toHaveText: () => plain(locator.first()).toHaveText(value ?? '', now),
    toContainText: () => plain(locator.first()).toContainText(value ?? '', now),
    toHaveAccessibleName: () => plain(locator.first()).toHaveAccessibleName(value ?? '', now),
    toBeChecked: () => plain(locator.first()).toBeChecked(now),
  }
  return (checks[matcher]?.() ?? Promise.reject(new Error(matcher))).then(
    () => true,
    () => false,
  )
}

/** Playwright's `expect`. In record mode, it also records assertions about locators. */
export const recordingExpect: typeof plain =
  mode === 'record'
    ? new Proxy(plain, {
        apply: (_target, _self, [actual, ...rest]: [unknown, ...never[]]) =>
          new Proxy(plain(actual, ...rest), {
            get(matchers, name) {
              const matcher: unknown = Reflect.get(matchers, name)
              if (typeof matcher !== 'function') return matcher
              return (...args: unknown[]) => {
                recordAssertion(actual, String(name), args)
                return Reflect.apply(matcher, matchers, args) as unknown
              }
            },
          }),
      })
    : plain

function recordAssertion(actual: unknown, matcher: string, [expected]: unknown[]): void {
  if (mode !== 'record' || !checkedMatchers.has(matcher) || !isLocator(actual)) return
  const at = callSite()
  if (at === undefined || hasStaysComment(at)) return
  recording.at(-1)?.push({
    selector: Reflect.get(actual, '_selector') as string,
    matcher,
    expected:
      expected instanceof RegExp
        ? { source: expected.source, flags: expected.flags }
        : typeof expected === 'string'
          ? expected
          : undefined,
    at,
  })
}

const isLocator = (actual: unknown): actual is Locator =>
  typeof actual === 'object' && actual !== null && typeof Reflect.get(actual, '_selector') === 'string'

/** Returns file and line of the assertion in the spec. */
function callSite(): string | undefined {
  const line = new Error().stack
    ?.split('\n')
    .find((each) => /\/e2e\/(?!support\/(?:fixtures|locator-check))[\w/.-]+\.ts:/.test(each))
  return /(e2e\/[\w/.-]+\.ts:\d+)/.exec(line ?? '')?.[1]
}

function hasStaysComment(at: string): boolean {
  const [file = '', line] = at.split(':')
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8').split('\n')[Number(line) - 1]
  return (text ?? '').endsWith('// stays')
}
