/** A hub whose agent is the scripted model, and people with browsers at its page. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type ScriptedModel, startScriptedModel } from '../agents/model/model.ts'
import { callTool } from '../harness/modern-call.ts'
import { createTempHome } from '../harness/temp-home.ts'
import { type HubProcess, shippedHub, startHubProcess } from '../worlds/hub-process.ts'
import { freePort } from '../fixtures/ports.ts'
import { openBrowser, still } from './browser.ts'

export interface PageWorld extends AsyncDisposable {
  /** A directory for the files of a test, deleted with the world. */
  readonly directory: string
  readonly port: number
  readonly token: string
  readonly model: ScriptedModel
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>
  /** Starts a session of the built-in agent, and gives it a script. */
  agent(name: string, script?: string): Promise<void>
  /** Opens the page in a browser of its own. */
  open(path: string, options?: BrowserContextOptions & { readonly token?: string | null }): Promise<OpenPage>
  /** Ends the hub. Its sessions stay. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again, with the same data and port. */
  start(): Promise<void>
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page
  /** Errors in the browser's console, such as content that the page's policy blocked. */
  readonly complaints: readonly string[]
}

/** Asks about every call with "ask" in its text. */
const policy = `
default: allow
rules:
  - ask: terminal_send_text
    when: { properties: { text: { pattern: ask } }, required: [text] }
    reason: it says so
`

export async function startPageWorld(chromium: string, env: Readonly<Record<string, string>> = {}): Promise<PageWorld> {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(await createTempHome())
  const model = opened.use(await startScriptedModel())
  const browser: Browser = opened.use(await openBrowser(chromium))
  const home = join(place.path, 'hub')
  mkdirSync(join(home, 'templates'), { recursive: true, mode: 0o700 })
  const shipped = JSON.parse(readFileSync(new URL('../../templates/assistant.json', import.meta.url), 'utf8')) as object
  writeFileSync(join(home, 'templates/agent.json'), JSON.stringify({ ...shipped, name: 'agent', policy }))
  const port = await freePort()
  const start = () =>
    startHubProcess({
      home,
      program: shippedHub,
      env: {
        SIGNALBOX_PORT: String(port),
        SIGNALBOX_MODEL: 'scripted',
        SIGNALBOX_MODEL_BASE_URL: `${model.origin}/v1`,
        SIGNALBOX_MODEL_API_KEY: 'none',
        // The same model in the dialects of other providers.
        OPENAI_API_KEY: 'none',
        OPENAI_BASE_URL: `${model.origin}/v1`,
        ANTHROPIC_API_KEY: 'none',
        ANTHROPIC_BASE_URL: model.origin,
        ...env,
      },
    })
  let hub: HubProcess = await start()
  opened.defer(() => hub[Symbol.asyncDispose]())
  const { token } = hub
  const call = (tool: string, args: Readonly<Record<string, unknown>> = {}) =>
    callTool({ url: hub.url, token }, tool, args)
  await call('set_policy', { scope: 'hub', source: 'default: allow' })
  const running = opened.move()
  return {
    directory: place.path,
    port,
    token,
    model,
    call,
    async agent(name, script) {
      await call('create_session', { name, template: 'agent' })
      if (script !== undefined) await call('prompt_session', { session: name, text: script, wait: false })
    },
    async open(path, { token: own = token, ...options } = {}) {
      const context = await browser.newContext({ ...still, ...options })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())))
      page.on('pageerror', (error) => void complaints.push(error.message))
      await page.goto(`http://127.0.0.1:${port}/${path}${own === null ? '' : `#token=${own}`}`)
      return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
    },
    async stop(signal) {
      await hub.end(signal)
    },
    async start() {
      hub = await start()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
