/** `resource://sessions`, one session, its screen and its log, and `resource://jobs`. */
import type { Resource, ResourceTemplate, Variables } from '../mcp/mcp.ts'
import { HubError } from '../base/hub-error.ts'
import { toPage } from './cursor.ts'
import { jobsUri, sessionsUri } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './sessions.ts'
import { tailLog } from './tail-log.ts'

/** Of sessions and of jobs. Who wants more goes on with next_cursor, in list_sessions or list_jobs. */
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
      if (error instanceof HubError && error.code === 'not-found') return undefined
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
        description: `The ${listed} newest sessions; next_cursor, for list_sessions, says that there are more.`,
        mimeType: 'application/json',
        async read() {
          const { items, cursor } = toPage(await sessions.list({ limit: listed + 1 }), listed)
          const page = { sessions: items.map((record) => sessions.describe(record)), ...cursor }
          return contents(sessionsUri, 'application/json', JSON.stringify(page))
        },
      },
      {
        uri: jobsUri,
        name: 'jobs',
        description: `The ${listed} newest one-off commands; next_cursor, for list_jobs, says that there are more.`,
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
      template('/screen', 'What its terminal shows now.', 'text/plain', async (record) => {
        const { screen } = await sessions.terminalOf(record)
        await screen.settled()
        return screen.text()
      }),
      template('/log', `The last ${logLines} lines it printed.`, 'text/plain', async (record) => {
        const { log } = await tailLog(await sessions.terminalOf(record), logLines, false)
        return log
      }),
    ],
  }
}

function contents(uri: string, mimeType: string, text: string) {
  return { contents: [{ uri, mimeType, text }] }
}
