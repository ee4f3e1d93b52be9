import { existsSync } from 'node:fs'
import { backUp } from '#server/cli-backup.ts'
import { createProgress } from '#server/cli-progress.ts'
import { moveToBucket } from '#server/cli-move.ts'
import { restore } from '#server/cli-restore.ts'
import { runStudioCommand } from '#server/cli-studio.ts'
import { createContext, type Context } from '#server/context.ts'
import { forwardClock } from '#server/features/billing/gateways/sandbox/sandbox-clock.ts'
import { importFolder, type ImportReport } from '#server/features/media/ingest/import-folder.ts'
import { loadConfig, type Config } from '#server/platform/config.ts'
import { ConfigError, runMain } from '#server/platform/config-error.ts'
import { connectDatabase, unhurried } from '#server/platform/database/database.ts'
import { readSiteId } from '#server/platform/database/dump-tables.ts'
import { createLog, type Log } from '#server/platform/log.ts'
import { findConverter, warnOfBundled } from '#server/features/media/ingest/find-converter.ts'
import { lockSite } from '#server/platform/site-lock.ts'
import { onStopSignal } from '#server/platform/stop-signals.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import { pathFromShell } from '#server/path-from-shell.ts'

interface Usage {
  usage: string
}

/** A command that works with the whole site. */
interface SiteCommand extends Usage {
  /** @returns the exit status */
  run(context: Context, args: string[], signal: AbortSignal): Promise<number>
}

interface Bare {
  config: Config
  log: Log
}

/** A command that takes the database as it is, without migrations or anything a site begins with. */
interface BareCommand extends Usage {
  runBare(base: Bare, args: string[], signal: AbortSignal): Promise<number>
}

type Command = SiteCommand | BareCommand

const commands = {
  import: {
    usage: 'npm run import -- FOLDER    brings in a folder with a video.yaml, or a folder of such folders',
    run: runImport,
  },
  forward: {
    usage: 'npm run forward -- 30d       moves the clock of a site that has only the sandbox: 45m, 12h, 30d',
    run: runForward,
  },
  move: {
    usage:
      'npm run move                 copies what lies in DATA_DIR into the bucket of the S3 settings; goes on where it was stopped',
    run: runMove,
  },
  studio: {
    usage: 'npm run studio -- COMMAND    does what the pages at /studio do; without a command it lists them',
    run: async (context, args) => (print(await runStudioCommand(context, args)), 0),
  },
  backup: {
    usage:
      'npm run backup -- FOLDER     writes database and files into a folder while the site runs; again into the same folder copies what is new',
    runBare: runBackup,
  },
  restore: {
    usage: 'npm run restore -- FOLDER    brings a backup into an empty DATA_DIR or database',
    runBare: runRestore,
  },
} satisfies Record<string, Command>

const interrupted = 130

async function runImport(context: Context, [path]: string[], signal: AbortSignal): Promise<number> {
  const folder = folderOf(path, commands.import)
  if (!existsSync(folder)) throw new ConfigError(`There is no folder ${folder}.`)
  const programs = await findConverter(context.config)
  const warning = warnOfBundled(programs)
  if (warning !== undefined) print(warning)
  const progress = createProgress(process.stdout)
  try {
    const report = await importFolder({ ...context, programs }, folder, {
      signal,
      niceness: 5,
      onProgress: progress.show,
    })
    progress.clear()
    printReport(report)
    return report.refused.length > 0 ? 1 : 0
  } catch (error) {
    progress.clear()
    if (!signal.aborted) throw error
    print('Stopped. What is done stays done; run the same command again to go on.')
    return interrupted
  }
}

/** @throws ConfigError where none is named */
function folderOf(path: string | undefined, { usage }: Usage): string {
  if (path === undefined) throw new ConfigError(`Which folder? ${usage}`)
  return pathFromShell(path)
}

/** Processes that run see it within seconds. */
async function runForward({ config, db }: Context, [length]: string[]): Promise<number> {
  print(`The clock of the site now says ${(await forwardClock(config, db, length)).toISOString()}.`)
  return 0
}

function runMove(context: Context, _args: string[], signal: AbortSignal): Promise<number> {
  return untilStopped(signal, async () => {
    const { copied, there } = await moveToBucket(context, print, signal)
    print(`All of DATA_DIR is in the bucket: ${copied} files copied now, ${there} were there.`)
  })
}

function runBackup({ config, log }: Bare, [path]: string[], signal: AbortSignal): Promise<number> {
  const folder = folderOf(path, commands.backup)
  return untilStopped(signal, async () => {
    const { pool, close } = await connectDatabase(config, log, unhurried)
    try {
      const siteId = await readSiteId(pool)
      if (config.s3 && siteId === undefined)
        throw new ConfigError('Start this version of the site once: until then its bucket has no owner.')
      const storage = await openStorage(config, log, siteId ?? '')
      await backUp({ pool, storage, config }, folder, print, signal)
    } finally {
      await close()
    }
    print(`The backup in ${folder} is complete.`)
  })
}

function runRestore(base: Bare, [path]: string[], signal: AbortSignal): Promise<number> {
  const folder = folderOf(path, commands.restore)
  return untilStopped(signal, async () => {
    const { dataDir, databaseUrl, publicUrl } = base.config
    const lock = databaseUrl === undefined ? lockSite(dataDir, publicUrl) : undefined
    try {
      await restore(base, folder, print, signal)
    } finally {
      lock?.release()
    }
    print('The site is restored: npm start opens it.')
  })
}

async function untilStopped(signal: AbortSignal, work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return 0
  } catch (error) {
    if (!signal.aborted) throw error
    print('Stopped. What is copied stays; run the same command again to go on.')
    return interrupted
  }
}

function printReport({ made, unchanged, recaptioned, refused, notes }: ImportReport): void {
  const parts = [`${made.length} made`]
  if (recaptioned.length > 0) parts.push(`${recaptioned.length} with new captions`)
  if (unchanged.length > 0) parts.push(`${unchanged.length} unchanged`)
  if (refused.length > 0) parts.push(`${refused.length} refused`)
  print(`Import finished: ${parts.join(', ')}.`)
  for (const note of notes) print(`Note: ${note}`)
  for (const { file, reason } of refused)
    print(`Refused: ${file} ${file.endsWith('.yaml') ? '– ' : ''}${reason}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function findCommand(name: string | undefined): Command {
  const found = Object.entries(commands).find(([known]) => known === name)?.[1]
  if (!found)
    throw new ConfigError(
      `These commands are known:\n${Object.values(commands)
        .map(({ usage }) => `  ${usage}`)
        .join('\n')}`,
    )
  return found
}

async function main(): Promise<void> {
  const [name, ...args] = process.argv.slice(2)
  const command = findCommand(name)
  const stop = new AbortController()
  onStopSignal(() => stop.abort())
  const config = loadConfig(process.env)
  process.umask(config.umask)
  const log = createLog({ json: false, level: 'error' })
  if ('runBare' in command) {
    process.exitCode = await command.runBare({ config, log }, args, stop.signal)
    return
  }
  const context = await createContext(config, log)
  try {
    process.exitCode = await command.run(context, args, stop.signal)
  } finally {
    await context.close()
  }
}

await runMain(main)
