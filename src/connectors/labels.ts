/** Under which name a session's agent sees a connector. */
import { mountSlug, ownMounts } from '../api/connector.ts'
import { HubError } from '../base/hub-error.ts'

/** The label that was asked for, or else one made of the connector's name. */
export function chooseLabel(connector: string, asked: string | undefined): string {
  if (asked === undefined) return connector.replaceAll(/[^a-z0-9]/g, '').slice(0, 24)
  const checked = mountSlug.safeParse(asked)
  if (!checked.success) throw new HubError('invalid', `"label": ${checked.error.issues[0]?.message}.`)
  return asked
}

/** `taken`: label → connector, of the session's other bindings. */
export function checkLabel(label: string, connector: string, taken: ReadonlyMap<string, string>): void {
  const other = (ownMounts as readonly string[]).includes(label)
    ? `the hub's own mount "${label}"`
    : taken.has(label) && `the mount "${label}" of the connector "${taken.get(label)}"`
  if (other) {
    throw new HubError(
      'conflict',
      `"label": the connector "${connector}" would be the mount "${label}", which is taken by ${other}. ` +
        `Give it another "label", such as "${label.slice(0, 23)}2".`,
    )
  }
}
