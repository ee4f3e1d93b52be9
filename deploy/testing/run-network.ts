import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { boundToUs } from '#scripts/run-child.mjs'
import type { ServerHost } from '#server/testing/site/command-on-host.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

/** A virtual network in which each host has an address and a name, as in a container engine. Needs Linux and root. */
export interface Network {
  addHost(name: string): Promise<ServerHost>
  /** Unplugs a host's cable at the switch: all packets from and to the host are lost. */
  unplug(name: string): void
  plugIn(name: string): void
  /** Unplugs a host until `until` has ended, also if it fails. */
  cutOff(name: string, until: () => Promise<unknown>): Promise<void>
  /**
   * Connects the namespace of this process to the network, so that this process and the hosts reach each other. The
   * test belongs in deploy/network, whose tests run in a namespace of their own.
   */
  join(): void
  /** Returns the lines for /etc/hosts. */
  hosts(): string
  /** Command prefix that runs a program in the network, but on none of the hosts. */
  enter: string[]
  /** Removes the network. It is also removed if this process is killed. */
  close(): Promise<void>
}

const opensWithinMs = 60_000

/** First three numbers of all addresses. */
const prefix = '10.99.0.'

/**
 * Creates a network without hosts.
 * @throws Error if this machine or this user can't create network namespaces
 */
export async function createNetwork(): Promise<Network> {
  refuseWithoutNamespaces()
  const namespaceProcesses: ChildProcess[] = []
  /** Starts a process that keeps a new network namespace open. Its network devices are deleted when it ends. */
  const createNamespace = async (): Promise<number> => {
    const child = spawn(...boundToUs('unshare', ['--net', 'sleep', 'infinity']), { stdio: 'ignore' })
    namespaceProcesses.push(child)
    const { pid = 0 } = child
    const networkOf = (process: number | 'self') => readlinkSync(`/proc/${process}/ns/net`)
    await waitUntil('the network namespace exists', () => networkOf(pid) !== networkOf('self'), opensWithinMs)
    return pid
  }
  const enterCommand = (pid: number) => ['nsenter', `--net=/proc/${pid}/ns/net`, '--']
  const run = (enter: string[], line: string) => {
    const [program = '', ...words] = [...enter, ...line.split(' ')]
    execFileSync(program, words, { stdio: 'pipe' })
  }
  const wire = await createNamespace()
  const enter = enterCommand(wire)
  run(enter, 'ip link add wire type bridge')
  run(enter, `ip address add ${prefix}1/24 dev wire`)
  run(enter, 'ip link set wire up')
  const names: string[] = []
  let isJoined = false
  const addressOf = (index: number) => `${prefix}${index + 2}`
  const setCable = (name: string, state: 'up' | 'down') =>
    run(enter, `ip link set host${names.indexOf(name)} ${state}`)
  const unplug = (name: string) => setCable(name, 'down')
  const plugIn = (name: string) => setCable(name, 'up')
  return {
    enter,
    async addHost(name) {
      const index = names.push(name) - 1
      const host = await createNamespace()
      const inHost = enterCommand(host)
      run(enter, `ip link add host${index} type veth peer name eth0 netns ${host}`)
      run(enter, `ip link set host${index} master wire up`)
      run(inHost, `ip address add ${addressOf(index)}/24 dev eth0`)
      for (const device of ['eth0', 'lo']) run(inHost, `ip link set ${device} up`)
      return { enter: inHost, address: addressOf(index) }
    },
    unplug,
    plugIn,
    async cutOff(name, until) {
      unplug(name)
      try {
        await until()
      } finally {
        plugIn(name)
      }
    },
    join() {
      run([], `ip link add drill type veth peer name outside netns ${wire}`)
      run(enter, 'ip link set outside master wire up')
      run([], `ip address add ${prefix}254/24 dev drill`)
      run([], 'ip link set drill up')
      isJoined = true
    },
    hosts: () => names.map((name, index) => `${addressOf(index)} ${name}\n`).join(''),
    async close() {
      if (isJoined) run([], 'ip link delete drill')
      await Promise.all(
        namespaceProcesses.map(async (holder) => {
          holder.kill('SIGKILL')
          await once(holder, 'exit')
        }),
      )
    },
  }
}

function refuseWithoutNamespaces(): void {
  const { status, stderr, error } = spawnSync('unshare', ['--net', 'ip', '-V'], { encoding: 'utf8' })
  if (status === 0) return
  const reason = error?.message ?? stderr.trim()
  throw new Error(
    `This test needs network namespaces, and so Linux, root (in a container: with --privileged) and Debian's iproute2: ${reason}`,
  )
}
