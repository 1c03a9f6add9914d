/**
 * A person's consent that the program of a connector runs outside of the sandbox of a confined session. It holds for one
 * command with its variables and directory, so a connector that is changed needs it again.
 */
import { createHash } from 'node:crypto'
import type { Connector, ConnectorConsent } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'
import type { Store } from '../store/store.ts'
import type { SessionPlace } from './resolve.ts'
import { isConfined } from './resolve.ts'

/** The connectors here are merged with the overrides of their bindings. */
export interface Consents {
  /** `undefined`: nobody has to consent. */
  find(
    connectorId: string,
    connector: Connector,
    session: Pick<SessionPlace, 'confined'>,
  ): Promise<ConnectorConsent | undefined>
  give(connectorId: string, connector: Connector, by: string): Promise<void>
  /** Takes back the consent to all programs that the connector has ever had. */
  withdraw(connectorId: string): Promise<void>
}

export function createConsents({ db }: Store): Consents {
  return {
    async find(connectorId, connector, { confined }) {
      if (confined === undefined || !startsOutside(connector)) return undefined
      const row = await db
        .selectFrom('mcp_connector_consents')
        .select(['given_by', 'given_at'])
        .where('connector_id', '=', connectorId)
        .where('program', '=', programOf(connector))
        .executeTakeFirst()
      return row ? { is: 'given', by: row.given_by, at: row.given_at } : { is: 'wanted' }
    },
    async give(connectorId, connector, by) {
      await db
        .insertInto('mcp_connector_consents')
        .values({
          connector_id: connectorId,
          program: programOf(connector),
          given_by: by,
          given_at: new Date().toISOString(),
        })
        .onConflict((conflict) => conflict.columns(['connector_id', 'program']).doNothing())
        .execute()
    },
    async withdraw(connectorId) {
      await db.deleteFrom('mcp_connector_consents').where('connector_id', '=', connectorId).execute()
    },
  }
}

/** Whether it has a program that no sandbox confines. */
export function startsOutside(connector: Connector): boolean {
  return connector.transport === 'stdio' && !isConfined(connector)
}

export function consentWanted(connector: string, session: string): HubError {
  return new HubError(
    'forbidden',
    `The session "${session}" is confined, but the program of "${connector}" would run as your user, outside of the sandbox. ` +
      `It does not start until a person allows it: signalbox connectors allow ${connector}. Or confine it with "options.sandbox".`,
  )
}

/** As written: the values of variables do not change what a person agreed to. */
function programOf({ cmd, args = [], env_keys: keys, options: { env = {}, cwd } }: Connector): string {
  return createHash('sha256').update(JSON.stringify({ cmd, args, keys, env, cwd })).digest('hex')
}
