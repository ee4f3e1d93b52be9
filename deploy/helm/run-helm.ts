import { execFileSync } from 'node:child_process'

/** Renders the chart with these values. @returns YAML documents */
export function renderChart(values: Record<string, string>): string {
  return execFileSync('helm', ['template', 'site', import.meta.dirname, ...setting(values)], {
    encoding: 'utf8',
  })
}

/** Checks the chart with `helm lint`. @returns its output */
export function lintChart(values: Record<string, string>): string {
  return execFileSync('helm', ['lint', '--strict', import.meta.dirname, ...setting(values)], {
    encoding: 'utf8',
  })
}

const setting = (values: Record<string, string>) =>
  Object.entries(values).map(([name, value]) => `--set=${name}=${value}`)
