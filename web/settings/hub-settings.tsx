/** The hub: its version, its counts, and its addresses. */
import { address } from '../app/address.ts'
import { revisions, uptime, useStatus } from './hub-status.ts'
import { SettingSection } from './setting-section.tsx'

export function HubSettings() {
  const { value: status, refused } = useStatus()
  if (!status) return <p className="t3 p-4">{refused}</p>
  const facts: readonly (readonly [string, string])[] = [
    ['Version', status.version],
    ['Running for', `${uptime(status.uptime_seconds)}, since ${new Date(status.started_at).toLocaleString()}`],
    ['MCP endpoint', address('mcp')],
    ['Revisions', revisions],
    ...(status.repository_url === undefined ? [] : ([['Repository endpoint', status.repository_url]] as const)),
    ['Store', status.store === 'sqlite' ? 'SQLite in the data directory' : 'PostgreSQL'],
    ['Running sessions', String(status.sessions)],
    ['Connections', `${status.connections}, and ${status.listeners} that listen`],
    ['Events', status.events.toLocaleString('en-US')],
    ['Memory', `${Math.round(status.memory_bytes / 1024 / 1024)} MB`],
  ]
  return (
    <SettingSection title="Hub" about="What runs, and how to reach it.">
      <table className="table">
        <tbody>
          {facts.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className="num">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </SettingSection>
  )
}
