/** `resource://sessions`, one session, its screen and its log, and `resource://jobs`. */
import type { Resource, ResourceTemplate, Variables } from '../mcp/mcp.ts'
import { isNotFound } from '../base/hub-error.ts'
import { jobsUri, sessionsUri } from './session-registry.ts'
import { tailLog, terminalOf } from './session-output.ts'
import { readSessionPage } from './session-page.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './session.ts'

/** How many sessions and jobs a resource lists. list_sessions and list_jobs continue from its next_cursor. */
const listed = 200
const logLines = 200

export function createSessionResources(sessions: Sessions): {
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplate[]
} {
  const complete = {
    async id(value: string) {
      const names = (await sessions.list({ limit: listed })).map(({ name }) => name)
      return [...new Set(names)].filter((name) => name.startsWith(value))
    },
  }

  /** `undefined`: there is no such session. */
  async function find({ id }: Variables): Promise<SessionRecord | undefined> {
    try {
      return await sessions.find(String(id))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  function template(
    part: string,
    description: string,
    mimeType: string,
    read: (record: SessionRecord) => Promise<string>,
  ) {
    return {
      uriTemplate: `${sessionsUri}/{id}${part}`,
      name: `session${part.replace('/', '-')}`,
      description,
      mimeType,
      complete,
      async read(uri: string, variables: Variables) {
        const record = await find(variables)
        return record && contents(uri, mimeType, await read(record))
      },
    }
  }

  return {
    resources: [
      {
        uri: sessionsUri,
        name: 'sessions',
        description: `The sessions that wait for a person, then the newest, ${listed} in all. If there are more, next_cursor is for list_sessions.`,
        mimeType: 'application/json',
        async read() {
          const { records, cursor } = await readSessionPage(sessions, { limit: listed })
          const page = { sessions: records.map((record) => sessions.describe(record)), ...cursor }
          return contents(sessionsUri, 'application/json', JSON.stringify(page))
        },
      },
      {
        uri: jobsUri,
        name: 'jobs',
        description: `The ${listed} newest one-off commands. If there are more, next_cursor is for list_jobs.`,
        mimeType: 'application/json',
        async read() {
          const { jobs, cursor } = await sessions.jobs.list({ limit: listed })
          return contents(jobsUri, 'application/json', JSON.stringify({ jobs, ...cursor }))
        },
      },
    ],
    resourceTemplates: [
      template('', 'One session, by name or id.', 'application/json', async (record) =>
        JSON.stringify(sessions.describe(record)),
      ),
      template('/screen', 'The screen of its terminal.', 'text/plain', async (record) => {
        const { screen } = await terminalOf(sessions, record)
        await screen.settled()
        return screen.text()
      }),
      template('/log', `The last ${logLines} lines it printed.`, 'text/plain', async (record) => {
        const { log } = await tailLog(sessions, record, logLines, false)
        return log
      }),
    ],
  }
}

function contents(uri: string, mimeType: string, text: string) {
  return { contents: [{ uri, mimeType, text }] }
}
