/**
 * Returns a version's section of a CHANGELOG.md, without its heading.
 * @throws Error if there is no such section or it has no text
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const section = sections.find((each) => each.split(/\s/, 1)[0] === version)
  if (section === undefined)
    throw new Error(`CHANGELOG.md has no section "## ${version}": add it before you tag v${version}.`)
  const notes = section.split('\n').slice(1).join('\n').trim()
  if (notes === '') throw new Error(`The section "## ${version}" of CHANGELOG.md is empty.`)
  return `${notes}\n`
}
