/** `resource://sessions`, one session, its screen and its log, and `resource://jobs`. */
import type { Resource, ResourceTemplate, Variables } from '../mcp/mcp.ts'
import { HubError } from '../base/hub-error.ts'
import { jobsUri, sessionsUri } from './session-book.ts'
import type { SessionRecord } from './session-store.ts'
import type { Sessions } from './sessions.ts'
import { tailLog } from './tail-log.ts'

const listedSessions = 200
const logLines = 200

export function createSessionResources(sessions: Sessions): {
  readonly resources: readonly Resource[]
  readonly resourceTemplates: readonly ResourceTemplate[]
} {
  const complete = {
    async id(value: string) {
      const names = (await sessions.list({ limit: listedSessions })).map(({ name }) => name)
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
        description: 'The sessions, newest first.',
        mimeType: 'application/json',
        async read() {
          const records = await sessions.list({ limit: listedSessions })
          const all = records.map((record) => sessions.describe(record))
          return contents(sessionsUri, 'application/json', JSON.stringify({ sessions: all }))
        },
      },
      {
        uri: jobsUri,
        name: 'jobs',
        description: 'One-off commands: those that wait, run and have ended.',
        mimeType: 'application/json',
        read: async () => contents(jobsUri, 'application/json', JSON.stringify({ jobs: await sessions.jobs.list() })),
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
