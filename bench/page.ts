/**
 * The page in a real Chromium: `npm run bench:page -- [--part first|attach|output|many|memory] [--write-docs]`.
 *
 * first: bytes and time to the first view, also of opencode's page where its program is installed. attach: from the click
 * on a session with 10,000 lines until its last line is shown. output: frames while a program prints 5 MB/s. many: long
 * tasks on the home page with 200 sessions that all print. memory: growth of the heap while output streams.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { buildPageIfStale } from '../scripts/page.ts'
import { agentPrograms } from '../test/agents/agents.ts'
import { freePort } from '../test/fixtures/ports.ts'
import { until } from '../test/fixtures/until.ts'
import { callTool } from '../test/harness/modern-call.ts'
import { createTempHome } from '../test/harness/temp-home.ts'
import { openBrowser } from '../test/page/browser.ts'
import { type HubProcess, startHubProcess } from '../test/worlds/hub-process.ts'
import { machine, median, percentile } from './figures.ts'
import { markdownTable } from './markdown-table.ts'
import { writeIntoDocs } from './write-benchmarks.ts'

const { values } = parseArgs({
  options: {
    part: { type: 'string', multiple: true },
    'write-docs': { type: 'boolean', default: false },
  },
})

const rounds = 5
const outputSeconds = 10
const megabytesPerSecond = 5
const manySessions = 200
const memorySeconds = 60

type Row = readonly [what: string, value: string, target: string]
const parts: Readonly<Record<string, (place: Place) => Promise<readonly Row[]>>> = {
  first,
  attach,
  output,
  many,
  memory,
}

interface Place {
  readonly browser: Browser
  readonly hub: HubProcess
  readonly home: string
}

buildPageIfStale()
const rows: Row[] = []
for (const [name, measure] of Object.entries(parts)) {
  if (values.part && !values.part.includes(name)) continue
  console.error(`signalbox: measuring ${name} …`)
  await using home = await createTempHome()
  await using hub = await startHubProcess({ home: home.path })
  await using browser = await openBrowser(execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim())
  rows.push(...(await measure({ browser, hub, home: home.path })))
}
const table = [...markdownTable([['what', 'measured', 'target'], ...rows], 3), '', `${machine()}.`].join('\n')
console.log(table)
if (values['write-docs']) await writeIntoDocs('bench:page', table)

// The parts.

async function first(place: Place): Promise<readonly Row[]> {
  await callTool(place.hub, 'create_session', { name: 'bench', command: 'cat' })
  const ours: View[] = []
  const theirs: View[] = []
  await using opencode = await startOpencode(place.home)
  for (let round = 0; round < rounds; round++) {
    ours.push(await openFresh(place.browser, addressOf(place.hub), (page) => page.getByRole('link', { name: /bench/ })))
    if (opencode) theirs.push(await openFresh(place.browser, opencode.url, (page) => page.getByText('Projects')))
  }
  const report = (who: string, views: readonly View[], target: readonly [string, string]): readonly Row[] => [
    [`${who}: bytes to the first view`, `${(median(views.map((view) => view.bytes)) / 1024).toFixed(0)} KB`, target[0]],
    [`${who}: time to the first view`, `${median(views.map((view) => view.ms)).toFixed(0)} ms`, target[1]],
  ]
  return [
    ...report('Signalbox', ours, ['400 KB', '1,000 ms']),
    ...(theirs.length > 0 ? report('opencode', theirs, ['–', '–']) : []),
  ]
}

async function attach({ browser, hub }: Place): Promise<readonly Row[]> {
  await callTool(hub, 'create_session', { name: 'long', command: 'seq -f "line %.0f" 10000; echo the end; cat' })
  await callTool(hub, 'wait_session', { name: 'long', for: 'text', value: 'the end' })
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await using page = await openPage(browser, addressOf(hub))
    const link = page.getByRole('link', { name: /long/ }).first()
    await link.waitFor()
    // A person points at a link before they click it.
    await link.hover()
    await sleep(500)
    times.push(await page.evaluate(clickUntilShown, 'the end'))
  }
  return [['attach to a session with 10,000 lines', `${median(times).toFixed(0)} ms`, '300 ms']]
}

async function output({ browser, hub, home }: Place): Promise<readonly Row[]> {
  await callTool(hub, 'create_session', { name: 'loud', command: printer(home, megabytesPerSecond) })
  await using page = await openPage(browser, addressOf(hub, 'terminal/loud'))
  await page.locator('.xterm-rows').filter({ hasText: 'signal' }).waitFor()
  const frames = await page.evaluate(frameTimes, outputSeconds * 1000)
  return [
    [
      `p95 frame while a program prints ${megabytesPerSecond} MB/s`,
      `${percentile(frames, 0.95).toFixed(0)} ms`,
      '33 ms',
    ],
    ['median frame then', `${median(frames).toFixed(0)} ms`, '–'],
  ]
}

async function many({ browser, hub }: Place): Promise<readonly Row[]> {
  // Without a process for each line, which would measure the machine.
  const command = "while :; do read -t 1 -r _; printf '%(%T)T\\n' -1; done"
  for (let count = 0; count < manySessions; count++)
    await callTool(hub, 'create_session', { name: `s${count}`, command })
  await using page = await openPage(browser, addressOf(hub))
  await page.getByRole('link', { name: /s199/ }).first().waitFor()
  await sleep(2_000)
  const tasks = await page.evaluate(longTasks, outputSeconds * 1000)
  return [[`longest task with ${manySessions} sessions`, `${Math.max(0, ...tasks).toFixed(0)} ms`, '100 ms']]
}

async function memory({ browser, hub, home }: Place): Promise<readonly Row[]> {
  await callTool(hub, 'create_session', { name: 'loud', command: printer(home, 1) })
  await using page = await openPage(browser, addressOf(hub, 'terminal/loud'))
  await page.locator('.xterm-rows').filter({ hasText: 'signal' }).waitFor()
  const cdp = await page.context().newCDPSession(page)
  const heapMb = async () => {
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = await cdp.send('Runtime.getHeapUsage')
    return usedSize / 1e6
  }
  // Until the scrollback is full, it grows.
  await sleep(10_000)
  const before = await heapMb()
  await sleep(memorySeconds * 1000)
  const grown = (await heapMb()) - before
  return [[`heap after ${memorySeconds} s of 1 MB/s`, `${before.toFixed(0)} MB, ${grown.toFixed(1)} MB more`, '–']]
}

// In the browser.

function clickUntilShown(words: string): Promise<number> {
  const link = [...document.querySelectorAll('a')].find(({ href }) => href.endsWith('/terminal/long'))
  const begun = performance.now()
  link?.click()
  return new Promise((resolve) => {
    const look = () => {
      const rows = document.querySelector('.xterm-rows')?.textContent?.replaceAll('\u00a0', ' ')
      if (rows?.includes(words)) resolve(performance.now() - begun)
      else requestAnimationFrame(look)
    }
    look()
  })
}

function frameTimes(ms: number): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const times: number[] = []
    const begun = performance.now()
    let last = begun
    const onFrame = () => {
      const now = performance.now()
      times.push(now - last)
      last = now
      if (now - begun > ms) resolve(times)
      else requestAnimationFrame(onFrame)
    }
    requestAnimationFrame(onFrame)
  })
}

/** Tasks of more than 50 ms. */
function longTasks(ms: number): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const tasks: number[] = []
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    })
    setTimeout(() => resolve(tasks), ms)
  })
}

// Around it.

interface View {
  readonly bytes: number
  readonly ms: number
}

function addressOf({ port, token }: HubProcess, path = ''): string {
  return `http://127.0.0.1:${port}/${path}#token=${token}`
}

async function openPage(browser: Browser, url: string): Promise<Page & AsyncDisposable> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(url)
  return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() })
}

/** With an empty cache. The bytes are those on the wire, with their headers. */
async function openFresh(
  browser: Browser,
  url: string,
  shown: (page: Page) => ReturnType<Page['locator']>,
): Promise<View> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  let bytes = 0
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength))
  const begun = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await shown(page).first().waitFor()
  const ms = performance.now() - begun
  await context.close()
  return { bytes, ms }
}

/** A shell command that prints lines at this rate. */
function printer(home: string, rate: number): string {
  const program = join(home, `print-${rate}.mjs`)
  const line = 'A signal box is the house from which the points and signals of a railway are set.\\r\\n'
  writeFileSync(
    program,
    `const chunk = '${line}'.repeat(${Math.round((rate * 1e6) / 50 / 83)})\nsetInterval(() => process.stdout.write(chunk), 20)\n`,
  )
  return `exec '${process.execPath}' '${program}'`
}

/** `undefined`: it is not installed, or has no page. `npm run test:agents` installs it. */
async function startOpencode(home: string): Promise<(AsyncDisposable & { readonly url: string }) | undefined> {
  const port = await freePort()
  const program = spawn(join(agentPrograms, 'opencode'), ['serve', '--port', String(port)], {
    env: { PATH: process.env['PATH'], HOME: home, OPENCODE_DISABLE_AUTOUPDATE: '1' },
    stdio: 'ignore',
  })
  const failed = once(program, 'error').then(() => ({ isPage: false }))
  const url = `http://127.0.0.1:${port}/`
  // It does not answer requests that come while it starts.
  const look = () =>
    fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      async (response) => ({ isPage: response.ok && (await response.text()).includes('<script') }),
      () => undefined,
    )
  const found = await Promise.race([failed, until(look)])
  if (!found.isPage) {
    program.kill('SIGKILL')
    return undefined
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      program.kill('SIGKILL')
      await once(program, 'exit')
    },
  }
}
