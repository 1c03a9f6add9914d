/** The only SQL of routes. */
import type { Action } from '../api/action.ts'
import type { Way } from '../api/route.ts'
import type { Store } from '../store/store.ts'
import type { ActionSetting } from './route.ts'

export interface RouteStore {
  /** The settings of people, by action. */
  read(): Promise<ReadonlyMap<string, ActionSetting>>
  save(action: Action, setting: ActionSetting): Promise<void>
  remove(action: Action): Promise<void>
}

export function createRouteStore({ db }: Store): RouteStore {
  return {
    async read() {
      const rows = await db.selectFrom('routes').selectAll().execute()
      return new Map(
        rows.map(({ action, ways, safe_to_repeat: isSafe }) => [
          action,
          // Checked before it was stored.
          { ways: JSON.parse(ways) as readonly Way[], safeToRepeat: isSafe === 1 },
        ]),
      )
    },
    async save(action, { ways, safeToRepeat }) {
      const row = {
        ways: JSON.stringify(ways),
        safe_to_repeat: safeToRepeat ? (1 as const) : (0 as const),
        updated_at: new Date().toISOString(),
      }
      await db
        .insertInto('routes')
        .values({ action, ...row })
        .onConflict((conflict) => conflict.column('action').doUpdateSet(row))
        .execute()
    },
    async remove(action) {
      await db.deleteFrom('routes').where('action', '=', action).execute()
    },
  }
}
