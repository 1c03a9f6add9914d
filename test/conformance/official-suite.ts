/** Runs one edition of `@modelcontextprotocol/conformance` against a server or a client, and reads its report. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { createTempHome } from '../harness/temp-home.ts'

export interface Edition {
  /** The name under which the npm package is installed. */
  readonly package: string
  readonly label: string
  readonly options: readonly string[]
  /** The frozen set of scored scenarios. Without one, all scenarios are scored. */
  readonly requirements?: string
}

export interface SuiteReport {
  readonly exitCode: number | null
  readonly scenarios: readonly ScenarioReport[]
  readonly output: string
}

export interface ScenarioReport {
  readonly name: string
  readonly isScored: boolean
  readonly passed: number
  readonly failed: number
  /** Why each failed check failed. */
  readonly failures: readonly string[]
  readonly warnings: readonly string[]
}

/** Runs the suite against the server at `url`. */
export function runSuite(edition: Edition, url: string): Promise<SuiteReport> {
  return run(edition, 'server', ['--url', url], process.env)
}

/**
 * Runs the suite against a client. It starts `command` for each scenario, all at once, with its server's address as
 * last argument.
 */
export function runClientSuite(edition: Edition, command: string, env: NodeJS.ProcessEnv): Promise<SuiteReport> {
  return run(edition, 'client', ['--command', command], { ...process.env, ...env })
}

async function run(edition: Edition, side: Side, own: readonly string[], env: NodeJS.ProcessEnv): Promise<SuiteReport> {
  await using out = await createTempHome()
  const program = join(packageFolder(edition.package), 'dist/index.js')
  const args = [program, side, ...own, ...edition.options, '--output-dir', out.path]
  const child = spawn(process.execPath, args, { cwd: out.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [exitCode] = await once(child, 'close')

  const scored = await scoredScenarios(edition, side)
  const checks = await readChecks(out.path)
  const scenarios = [...output.matchAll(summaryLine)].map(([, name = '', passed, failed]): ScenarioReport => {
    const own = checks.get(name) ?? []
    return {
      name,
      isScored: scored === undefined || scored.includes(name),
      passed: Number(passed),
      failed: Number(failed),
      failures: own.filter(({ status }) => status === 'FAILURE').map(describeCheck),
      warnings: own.filter(({ status }) => status === 'WARNING').map(describeCheck),
    }
  })
  return { exitCode, scenarios, output }
}

/** The scored scenarios of a requirement set, or `undefined` if all scenarios are scored. */
async function scoredScenarios(
  { requirements, package: name }: Edition,
  side: Side,
): Promise<readonly string[] | undefined> {
  if (requirements === undefined) return undefined
  const file = join(packageFolder(name), 'requirements', `${requirements}.yaml`)
  return requirementSet.parse(parse(await readFile(file, 'utf8')))[side]
}

const requirementSet = z.object({ server: z.array(z.string()), client: z.array(z.string()) })
type Side = keyof z.output<typeof requirementSet>

/** `✓ tools-list: 2 passed, 0 failed` */
const summaryLine = /^[✓✗] ([a-z0-9_/-]+): (\d+) passed, (\d+) failed/gmu

const check = z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() })
type Check = z.output<typeof check>

function describeCheck({ id, errorMessage }: Check): string {
  return errorMessage === undefined ? id : `${id}: ${errorMessage}`
}

/** Each finished scenario leaves `<name>-<time>/checks.json`, with the prefix `server-` if a server was tested. */
async function readChecks(folder: string): Promise<ReadonlyMap<string, readonly Check[]>> {
  const found = new Map<string, readonly Check[]>()
  for await (const file of glob('**/checks.json', { cwd: folder })) {
    const name = dirname(file)
      .replace(/^server-/, '')
      .replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
    found.set(name, z.array(check).parse(JSON.parse(await readFile(join(folder, file), 'utf8'))))
  }
  return found
}

function packageFolder(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
}
