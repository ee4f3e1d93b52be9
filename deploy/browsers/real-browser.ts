/** A real browser, as the tests drive it. */
export interface RealBrowser {
  /** Opens a page, and waits until it has loaded. */
  open(url: string): Promise<void>
  /** Runs this function body in the page and returns its result. */
  evaluate<T>(body: string): Promise<T>
  press(key: string): Promise<void>
  /** Returns console errors and warnings and uncaught exceptions so far; undefined if the browser does not report them. */
  consoleErrors(): string[] | undefined
  close(): Promise<void>
}
