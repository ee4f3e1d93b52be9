import { readFile, stat } from 'node:fs/promises'
import { ConfigError } from '#server/platform/config-error.ts'
import type { BytesRoute } from '#server/platform/http/route.ts'
import { pathFromShell } from '#server/path-from-shell.ts'

/** A command of the studio that takes a file: `video cover ID FILE`. */
export type FileCommand = BytesRoute & { command: string }

export const isFileCommand = (route: BytesRoute): route is FileCommand => route.command !== undefined

const namesIn = ({ path }: FileCommand) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

export function usageOfFile(command: FileCommand): string {
  const names = [...namesIn(command), 'file'].map((name) => name.toUpperCase())
  return `${[command.command, ...names].join(' ')}\n      ${command.summary}`
}

/**
 * Gives a file to a command that takes one. @param args what follows its words
 * @throws ConfigError for what cannot be understood or read; Refusal
 */
export async function giveFile(command: FileCommand, args: string[]): Promise<unknown> {
  const names = namesIn(command)
  const path = args[names.length]
  if (path === undefined || args.length > names.length + 1)
    throw new ConfigError(`Which file? npm run studio -- ${usageOfFile(command)}`)
  const params = Object.fromEntries(names.map((name, index) => [name, args[index]]))
  const { info } = await command.handle({ operator: null, params, bytes: await read(path, command.most) })
  return info
}

async function read(path: string, most: number): Promise<Buffer> {
  const file = pathFromShell(path)
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) throw new ConfigError(`There is no file ${file}.`)
  if (found.size > most) throw new ConfigError(`${file} has more than ${most / 1024 ** 2} MiB.`)
  return readFile(file)
}
