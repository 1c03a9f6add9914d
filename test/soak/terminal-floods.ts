/**
 * Floods of expensive sequences, one after another: a program that prints one of them without end, beside a quiet
 * session whose calls must keep being answered.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GateWorld } from '../worlds/gate-world.ts'
import { callTool } from '../harness/modern-call.ts'

const csi = '\x1b['

/** Few bytes that take long to draw, that ask for much memory, or both. */
export const floods: Readonly<Record<string, string>> = {
  nothing: '',
  'plain text': 'A signal box is the house from which the points and signals of a railway are set.\r\n',
  'line feeds': '\n',
  'line feeds in a scroll region': `${csi}2;39r${csi}39H${'\n'.repeat(200)}`,
  'insert lines': `${csi}9999L`,
  'delete lines': `${csi}9999M`,
  'scroll up': `${csi}9999S`,
  'scroll down': `${csi}9999T`,
  'insert characters': `${csi}9999@`,
  'delete characters': `${csi}9999P`,
  'erase characters': `${csi}9999X`,
  'insert columns': `${csi}9999'}`,
  'delete columns': `${csi}9999'~`,
  'scroll left': `${csi}9999 @`,
  'scroll right': `${csi}9999 A`,
  'repeat a character': `x${csi}2147483647b`,
  'repeat a character with marks': `e${'\u0301'.repeat(20)}${csi}2147483647b`,
  'insert mode': `${csi}4h${'x'.repeat(4_000)}x${csi}2147483647b`,
  'alternate screen': `${csi}?1049h${csi}?1049l`,
  'alternate screen without clearing': `${csi}?47h${csi}?47l`,
  reset: '\x1bc',
  'soft reset': `${csi}!p`,
  'alignment test': '\x1b#8',
  'erase the screen': `${csi}2J`,
  'erase the scrollback': `${csi}3J`,
  'erase above': `${csi}999;999H${csi}1J`,
  'erase below': `${csi}H${csi}J`,
  'selective erase': `${csi}?2J`,
  'reverse line feeds': `${csi}H${'\x1bM'.repeat(50)}`,
  'tabs back and forth': `${csi}9999I${csi}9999Z`,
  'tab stops': `${csi}3g${'\x1bH\x1b[C'.repeat(100)}`,
  'C1 control characters': '\u009b9999L\u0084\u0085\u008d',
  'combining characters': `e${'\u0301'.repeat(100)}`,
  'wide characters': '漢字😀'.repeat(20),
  'many attributes': `${csi}1;2;3;4;5;7;9;38;2;1;2;3;48;2;4;5;6;58;2;7;8;9mx`,
  'long titles': `\x1b]0;${'t'.repeat(5_000_000)}\x07`,
  'a title without end': `\x1b]0;${'t'.repeat(1_000_000)}`,
  'stacked titles': `\x1b]0;${'t'.repeat(900)}\x07${csi}22t`,
  'long links': `\x1b]8;;https://a.example/${'l'.repeat(2_000)}\x07x`,
  'many links': Array.from({ length: 500 }, (_, index) => `\x1b]8;;h:${index}\x07x`).join(''),
  'colours of the palette': `\x1b]4;${Array.from({ length: 256 }, (_, index) => `${index};#123456`).join(';')}\x07\x1b]104\x07`,
  'a clipboard': `\x1b]52;c;${'QUFB'.repeat(100_000)}\x07`,
  sixels: `\x1bPq${'~'.repeat(1_000_000)}\x1b\\`,
  'device control without end': `\x1bP$q${'m'.repeat(1_000_000)}`,
  'application programs': `\x1b_G${'A'.repeat(1_000_000)}\x1b\\`,
  questions: `${csi}c${csi}6n${csi}?1$p\x1b]4;1;?\x07`,
  'character sets': '\x1b(0qqq\x1b(B\x0e\x0f',
  'mouse and other modes': `${csi}?1003;1006;2004;2026;1;25h${csi}?1003;1006;2004;2026;1;25l`,
  'requests for another size': `${csi}8;300;500t${csi}?3h${csi}?3l`,
  'bytes that are not text': '\xff\xfe\xc0\x80\x00\x01\x02\x03',
  'shell marks': '\x1b]133;A\x07\x1b]133;C\x07\x1b]7;file:///tmp\x07',
}

export interface FloodTimes {
  readonly flood: string
  readonly megabytes: number
  /** The longest answer, in milliseconds. */
  readonly health: number
  readonly otherCall: number
  readonly approval: number
  readonly create: number
  /** `read_output` and `tail_log` of the flood itself. */
  readonly read: number
  readonly kill: number
  /** The CPU time of the hub in each second. */
  readonly cpuShare: number
  readonly residentMb: number
}

/** A file that holds the sequence often enough for one `cat`. */
export function writeFlood(directory: string, name: string, sequence: string): string {
  if (sequence === '') return 'sleep 1000'
  const file = join(directory, `flood-${name.replaceAll(/\W/g, '-')}`)
  const bytes = Buffer.from(sequence, name === 'bytes that are not text' ? 'latin1' : 'utf8')
  writeFileSync(file, Buffer.concat(Array.from({ length: Math.ceil(1_000_000 / bytes.length) }, () => bytes)))
  return `stty raw -echo; while cat '${file}'; do :; done`
}

const name = 'flood'

/** `floodMs`: how long it prints before its session is killed. The world's policy asks for each call of its agent. */
export async function measureFlood(world: GateWorld, flood: string, floodMs: number): Promise<FloodTimes> {
  const command = writeFlood(world.home, flood, floods[flood]!)
  const create = await timed(() => world.call('create_session', { name, command, sandbox: 'off' }))
  const before = cpuMs(world.process.pid!)
  const began = performance.now()
  const longest = { health: 0, otherCall: 0, approval: 0, read: 0 }
  const note = async (what: keyof typeof longest, action: () => Promise<unknown>) => {
    longest[what] = Math.max(longest[what], await timed(action))
  }
  while (performance.now() - began < floodMs) {
    await note('health', () => health(world))
    await note('otherCall', () => world.call('get_session', { name: 'agent' }))
    const asked = callTool(world.agent, 'terminal_send_text', { text: 'x' })
    asked.catch(() => {})
    const id = await world.pending()
    await note('approval', () => world.call('decide_approval', { id, decision: 'deny' }))
    await note('read', () => world.call('read_output', { session: name, since: -1_024, timeout_ms: 0 }))
    await note('read', () => world.call('tail_log', { name, lines: 5 }))
    await sleep(50)
  }
  const lastedMs = performance.now() - began
  const cpuShare = (cpuMs(world.process.pid!) - before) / lastedMs
  const { offset } = await world.call('tail_log', { name, lines: 1, raw: true })
  const kill = await timed(() => world.call('kill_session', { name, remove: true }))
  return {
    flood,
    megabytes: Number(offset) / 1e6,
    ...longest,
    create,
    kill,
    cpuShare,
    residentMb: residentMb(world.process.pid!),
  }
}

export function health({ port }: { readonly port: number }): Promise<string> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then((response) => response.text())
}

export async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await action()
  return Math.round(performance.now() - began)
}

/** Of the process, with all its threads. */
export function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1000)
}
