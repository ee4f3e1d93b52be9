import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readlinkSync } from 'node:fs'
import { boundToUs } from '#scripts/run-child.mjs'
import { waitUntil } from '#server/testing/wait-until.ts'

/** A virtual network in which each host has an address and a name, as in a container engine. Needs Linux and root. */
interface Network {
  /** Adds a host. @returns its address, and the command prefix that runs a program on it */
  addHost(name: string): Promise<{ enter: string[]; address: string }>
  /** Returns the lines for /etc/hosts. */
  hosts(): string
  /** Command prefix that runs a program in the network, but on none of the hosts. */
  enter: string[]
  close(): Promise<void>
}

const prefix = '10.99.0.'
const opensWithinMs = 60_000

export async function createNetwork(): Promise<Network> {
  const namespaceProcesses: ChildProcess[] = []
  /** Starts a process that keeps a new network namespace open. */
  const createNamespace = async (): Promise<number> => {
    const child = spawn(...boundToUs('unshare', ['--net', 'sleep', 'infinity']), { stdio: 'ignore' })
    namespaceProcesses.push(child)
    const { pid = 0 } = child
    const networkOf = (process: number | 'self') => readlinkSync(`/proc/${process}/ns/net`)
    await waitUntil('the network namespace exists', () => networkOf(pid) !== networkOf('self'), opensWithinMs)
    return pid
  }
  const enterCommand = (pid: number) => ['nsenter', `--net=/proc/${pid}/ns/net`, '--']
  const run = ([program = '', ...words]: string[], line: string) =>
    execFileSync(program, [...words, ...line.split(' ')], { stdio: 'pipe' })
  const enter = enterCommand(await createNamespace())
  run(enter, 'ip link add wire type bridge')
  run(enter, `ip address add ${prefix}1/24 dev wire`)
  run(enter, 'ip link set wire up')
  const names: string[] = []
  const addressOf = (index: number) => `${prefix}${index + 2}`
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
    hosts: () => names.map((name, index) => `${addressOf(index)} ${name}\n`).join(''),
    async close() {
      await Promise.all(
        namespaceProcesses.map(async (holder) => {
          holder.kill('SIGKILL')
          await once(holder, 'exit')
        }),
      )
    },
  }
}
