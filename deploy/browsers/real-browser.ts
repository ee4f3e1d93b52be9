/** A real browser that a test controls. */
export interface RealBrowser {
  /** Opens a page, and waits until it has loaded. */
  open(url: string): Promise<void>
  /** Runs a function body in the page and returns its result. */
  evaluate<T>(body: string): Promise<T>
  press(key: string): Promise<void>
  /**
   * Returns the console errors, console warnings and uncaught exceptions so far; undefined if the browser does not
   * report them.
   */
  consoleErrors(): string[] | undefined
  close(): Promise<void>
}
