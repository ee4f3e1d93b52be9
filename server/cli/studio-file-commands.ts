import { readFile, stat } from 'node:fs/promises'
import { iconCommand } from '#contract/studio/site-icon.ts'
import { coverCommand, languageCoverCommand, type FileCommand } from '#contract/studio/uploads.ts'
import { pathFromShell } from './path-from-shell.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { BytesRoute } from '#server/platform/http/route.ts'

/** Studio commands that take a file: `video set-cover ID FILE`. */
export const fileCommands: readonly FileCommand[] = [coverCommand, languageCoverCommand, iconCommand]

/** Returns the names of the arguments before the file. */
export const pathParameterNames = ({ path }: FileCommand) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

/**
 * Runs a command that takes a file.
 * @param args its arguments, the file last
 * @throws ConfigError for an unreadable file; Refusal
 */
export async function runFileCommand(route: BytesRoute, file: FileCommand, args: string[]): Promise<unknown> {
  const names = pathParameterNames(file)
  const params = Object.fromEntries(names.map((name, index) => [name, args[index]]))
  const bytes = await readUploadFile(args[names.length] ?? '', route.maxBytes)
  const { info } = await route.handle({ operator: null, params, bytes })
  return info
}

async function readUploadFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = pathFromShell(path)
  const fileStats = await stat(file).catch(() => undefined)
  if (!fileStats?.isFile()) throw new ConfigError(`There is no file ${file}.`)
  if (fileStats.size > maxBytes) throw new ConfigError(`${file} has more than ${maxBytes / 1024 ** 2} MiB.`)
  return readFile(file)
}
