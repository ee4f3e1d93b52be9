import { existsSync } from 'node:fs'
import { Command as Program } from 'commander'
import { backUp } from './backup.ts'
import { completionScript } from './completion.ts'
import { createProgress } from './progress.ts'
import { moveToBucket } from './move-to-bucket.ts'
import { restore } from './restore.ts'
import { terminalPrompt, confirmCommand } from './confirm-command.ts'
import { parseArguments } from './parse-arguments.ts'
import { runParsedCommand } from './studio-command.ts'
import { createStudioProgram, type ParsedCommand } from './studio-program.ts'
import { commandLineOf } from '#scripts/command-line-of.mjs'
import { createContext, type Context } from '#server/context.ts'
import { findSite } from './find-site.ts'
import { advanceClock } from '#server/features/billing/gateways/sandbox/sandbox-clock.ts'
import { importFolder, type ImportReport } from '#server/features/media/ingest/import/import-folder.ts'
import { loadConfig, type Config } from '#server/platform/config/config.ts'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { connectDatabase, withoutTimeouts } from '#server/platform/database/database.ts'
import { readSiteId } from '#server/platform/database/dump-tables.ts'
import { createLog, type Log } from '#server/platform/log.ts'
import { findConverter, bundledFfmpegWarning } from '#server/features/media/ingest/convert/find-converter.ts'
import type { Env } from '#server/platform/config/read-env.ts'
import { lockSite } from '#server/platform/processes/site-lock.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import { pathFromShell } from './path-from-shell.ts'

interface CommandBase {
  config: Config
  log: Log
}

/** A parsed command that has not run yet. With `needsSite`, it fails if there is no site. */
type Task = {
  /** Asks for confirmation before anything is opened. */
  confirm?: () => Promise<boolean>
} &
  /** `run` gets the opened site. `runWithoutContext` opens the database itself, without migrations or initial data. */
  (
    | { needsSite: boolean; runWithoutContext: (base: CommandBase, signal: AbortSignal) => Promise<number> }
    | { needsSite: boolean; run: (context: Context, signal: AbortSignal) => Promise<number> }
  )

const interrupted = 130

async function runImport(context: Context, path: string, signal: AbortSignal): Promise<number> {
  const folder = pathFromShell(path)
  if (!existsSync(folder))
    throw new ConfigError(`The folder ${folder} does not exist, or this user cannot read it.`)
  const programs = await findConverter(context.config)
  const warning = bundledFfmpegWarning(programs)
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
    print('Stopped. Run the same command again to continue.')
    return interrupted
  }
}

/** Moves the site's clock forward (test mode). Running processes adopt the new time within seconds. */
async function runForwardClock({ config, db }: Context, length: string): Promise<number> {
  print(`The site’s clock is now at ${(await advanceClock(config, db, length)).toISOString()}.`)
  return 0
}

function runMove(context: Context, signal: AbortSignal): Promise<number> {
  return runUntilStopped(signal, async () => {
    const { copied, alreadyPresent } = await moveToBucket(context, print, signal)
    print(`All files of DATA_DIR are in the bucket: ${copied} copied now, ${alreadyPresent} already there.`)
  })
}

function runBackup({ config, log }: CommandBase, path: string, signal: AbortSignal): Promise<number> {
  const folder = pathFromShell(path)
  return runUntilStopped(signal, async () => {
    const { pool, close } = await connectDatabase(config, log, withoutTimeouts)
    try {
      const siteId = await readSiteId(pool)
      if (config.s3 && siteId === undefined)
        throw new ConfigError(
          'Start the site once with this version before you back it up: it must first mark its bucket.',
        )
      const storage = await openStorage(config, log, siteId ?? '')
      await backUp({ pool, storage, config }, folder, print, signal)
    } finally {
      await close()
    }
    print(`The backup in ${folder} is complete.`)
  })
}

function runRestore(base: CommandBase, path: string, signal: AbortSignal): Promise<number> {
  const folder = pathFromShell(path)
  return runUntilStopped(signal, async () => {
    const { dataDir, databaseUrl, publicUrl } = base.config
    const lock = databaseUrl === undefined ? lockSite(dataDir, publicUrl) : undefined
    try {
      await restore(base, folder, print, signal)
    } finally {
      lock?.release()
    }
    print(
      databaseUrl === undefined
        ? 'The site is restored. You can start it now.'
        : `The site is restored. Run ${commandLineOf('migrate')}, then start the site.`,
    )
  })
}

async function runUntilStopped(signal: AbortSignal, work: () => Promise<void>): Promise<number> {
  try {
    await work()
    return 0
  } catch (error) {
    if (!signal.aborted) throw error
    print('Stopped. Run the same command again to continue.')
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

/** Creates the program with all commands, their arguments and options. */
function createProgram(onTask: (task: Task) => void): Program {
  const program = new Program('cliffhanger')
  program
    .command('import')
    .argument('<folder>', 'a folder with a video.yaml, or a folder of such folders')
    .option('--new-site', 'creates a site if there is none')
    .description('Imports videos; a second run continues where the first stopped')
    .action((folder: string, { newSite = false }: { newSite?: boolean }) =>
      onTask({ needsSite: !newSite, run: (context, signal) => runImport(context, folder, signal) }),
    )
  program
    .command('forward')
    .argument('<time>', 'such as 45m, 12h or 30d')
    .description('Moves the clock of a site in test mode forward')
    .action((length: string) =>
      onTask({ needsSite: true, run: (context) => runForwardClock(context, length) }),
    )
  program
    .command('move')
    .description(
      'Copies the files of DATA_DIR to the bucket of the S3 settings; a second run continues the first',
    )
    .action(() => onTask({ needsSite: true, run: runMove }))
  program
    .command('backup')
    .argument('<folder>', 'an empty folder, or one with backups of this site')
    .description(
      'Backs up database and files to a folder while the site runs; a second run copies only new files',
    )
    .action((folder: string) =>
      onTask({ needsSite: true, runWithoutContext: (base, signal) => runBackup(base, folder, signal) }),
    )
  program
    .command('restore')
    .argument('<folder>', 'a folder with a backup')
    .description('Restores a backup into an empty DATA_DIR or database')
    .action((folder: string) =>
      onTask({ needsSite: false, runWithoutContext: (base, signal) => runRestore(base, folder, signal) }),
    )
  program.addCommand(
    createStudioProgram((parsed) =>
      onTask({
        needsSite: true,
        confirm: () => confirmCommand(parsed, terminalPrompt(process)),
        run: (context, signal) => runStudio(context, parsed, signal),
      }),
    ),
  )
  program
    .command('completion', { hidden: true })
    .description('Prints a script that completes these commands in Bash')
    .action(() => print(completionScript(program).trimEnd()))
  return program
}

async function runStudio(context: Context, parsed: ParsedCommand, signal: AbortSignal): Promise<number> {
  print(await runParsedCommand(context, parsed, signal))
  return 0
}

/** The parts of its process that a command line uses. */
interface ProcessEnvironment {
  env: Env
  /** Called before anything is opened: from then on a signal stops the work cleanly. */
  stopSignal: () => AbortSignal
}

/**
 * Runs a command line such as `['studio', 'order', 'list']`, and prints the result.
 * @returns the exit status
 * @throws UsageError for invalid arguments, ConfigError with the reason of a refusal
 */
export async function runCommandLine(
  args: readonly string[],
  environment: ProcessEnvironment,
): Promise<number> {
  let task: Task | undefined
  const help = parseArguments(
    createProgram((parsed) => (task = parsed)),
    args,
  )
  if (task) return runTask(task, environment)
  if (help) print(help)
  return 0
}

async function runTask(task: Task, { env, stopSignal }: ProcessEnvironment): Promise<number> {
  if (task.confirm && !(await task.confirm())) {
    print('Nothing has changed.')
    return 1
  }
  const signal = stopSignal()
  const log = createLog({ json: false, level: 'error' })
  const config = task.needsSite ? await findSite(env, log) : loadConfig(env)
  process.umask(config.umask)
  if ('runWithoutContext' in task) return task.runWithoutContext({ config, log }, signal)
  const context = await createContext(config, log)
  try {
    return await task.run(context, signal)
  } finally {
    await context.close()
  }
}
