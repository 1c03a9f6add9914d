/** Checks a connector before it is stored. Each error names the field and says what to write instead. */
import { z } from 'zod'
import type { Connector } from '../api/connector.ts'
import { connectorSchema, transports } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import { nearest } from '../base/nearest.ts'
import { plainIssue } from '../base/plain-issue.ts'
import type { TextPlace, Texts } from './texts/connector-texts.ts'
import { mapTexts } from './texts/connector-texts.ts'
import { findLiteralSecrets } from './texts/literal-secrets.ts'
import { fillIn, placesIn, referencesIn } from './texts/references.ts'
import { suggestVariable } from './texts/variable-names.ts'

/** Made once: zod compiles a schema when it is first used. */
const strictSchema = connectorSchema.strict()

export function checkConnector(input: unknown): Connector {
  const parsed = strictSchema.safeParse(input, { error: plainIssue })
  if (!parsed.success) throw refuse(explain(parsed.error))
  checkReach(parsed.data)
  checkVariables(parsed.data)
  checkShared(parsed.data)
  refuseSecrets(parsed.data)
  return parsed.data
}

export function checkReach({ name, transport, cmd, args, base_url: url, headers, options }: Connector): void {
  if (transport === 'stdio') {
    if (cmd === undefined || cmd.trim() === '') {
      throw refuse(`"cmd": a stdio connector names the program that "${name}" starts, such as "npx".`)
    }
    if ([cmd, ...(args ?? [])].some((text) => text.includes('\0'))) {
      throw refuse('"args": no program can be given a NUL character; leave it out.')
    }
    return
  }
  if (options.sandbox !== undefined && options.sandbox !== 'off') {
    throw refuse(
      `"options.sandbox": only a program can be confined, and "${name}" is reached over ${transport}. Leave it out.`,
    )
  }
  if (url === undefined) {
    throw refuse(
      `"base_url": an ${transport} connector names the address of "${name}", such as "https://example.org/mcp".`,
    )
  }
  // A variable may replace any part of the address, including the host.
  if (!isWebAddress(fillIn(url, anyPlaces, () => 'x')) && !isWebAddress(fillIn(url, anyPlaces, () => 'http://x'))) {
    throw refuse(`"base_url": "${shown(url)}" is not an address that begins with http:// or https://.`)
  }
  for (const header of Object.keys(headers ?? {})) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header)) throw refuse(`"headers": "${header}" cannot be the name of a header.`)
  }
}

const anyPlaces = { workspace: 'x', session_id: 'x', session_name: 'x' }

export function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}

function checkVariables(connector: Connector): void {
  for (const name of connector.env_keys) {
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw refuse(
        `"env_keys": "${shown(name)}" is not the name of a variable. Values of variables belong in "options.env".`,
      )
    }
    refuseOwn(name, 'env_keys')
  }
  mapTexts(connector, (text, { path }) => {
    for (const { variable } of referencesIn(text)) refuseOwn(variable, path)
    return text
  })
}

/** A variable that would let a program act as the hub or as the person is never passed on. */
function refuseOwn(variable: string, path: string): void {
  if (!variable.startsWith('SIGNALBOX_') && variable !== 'DATABASE_URL') return
  throw refuse(
    `"${path}": ${variable} is the hub's own and is given to no upstream. Put the value into a variable of another name, ` +
      `and write "options": {"env": {"${variable}": "\${OTHER_NAME}"}} where the program wants this one.`,
  )
}

function checkShared(connector: Connector): void {
  if (connector.options.shared !== true) return
  mapTexts(connector, (text, { path }) => {
    const [place] = placesIn(text)
    if (place !== undefined) {
      throw refuse(
        `"${path}": {${place}} is another for each session, but "options.shared" makes one upstream for all.`,
      )
    }
    return text
  })
}

function refuseSecrets(connector: Connector): void {
  refuseTexts(connector.name, connector, (text, { name }) => findLiteralSecrets(text, name).length > 0)
}

/** Checks the texts of `written`, which is a connector or the overrides of a binding. */
export function refuseTexts(
  connector: string,
  written: Texts,
  isSecret: (text: string, place: TextPlace) => boolean,
): void {
  mapTexts(written, (text, place) => {
    if (isSecret(text, place)) throw refuse(howToRefer(connector, place))
    return text
  })
}

function howToRefer(connector: string, place: TextPlace): string {
  const variable = suggestVariable(connector, place)
  const written = place.path.startsWith('options.env.')
    ? `"env_keys": ["${variable}"]`
    : place.name?.toLowerCase() === 'authorization'
      ? `"Bearer \${${variable}}"`
      : `"\${${variable}}"`
  return (
    `"${place.path}" holds what looks like a secret, and secrets are kept in no connector. ` +
    `Set ${variable} in the environment of the hub, and write ${written} here.`
  )
}

function explain(error: z.ZodError): string {
  const [issue] = error.issues
  const path = issue?.path.join('.') ?? ''
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const meant = calledElsewhere[key] ?? nearest(key, Object.keys(connectorSchema.shape))
    const advice = meant ? `Did you mean "${meant}"?` : `Settings of other programs go into "options".`
    return `"${key}" is not a field of a connector. ${advice}`
  }
  if (path === 'transport') return `"transport": there are ${transports.join(', ')}.`
  return `"${path}": ${issue?.message}.`
}

/** The names that other programs use for our fields. */
const calledElsewhere: Readonly<Record<string, string>> = {
  command: 'cmd',
  url: 'base_url',
  type: 'transport',
  env: 'options.env',
  cwd: 'options.cwd',
  timeout: 'options.call_ms',
}

/** Refused input may hold a secret, because the check for secrets comes later. */
function shown(text: string): string {
  return findLiteralSecrets(text).length > 0 ? '…' : text.slice(0, 200)
}

function refuse(sentence: string): HubError {
  return new HubError('invalid', sentence)
}
