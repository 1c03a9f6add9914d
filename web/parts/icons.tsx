/** Icons of 16 × 16, drawn with lines. */
import type { ReactNode } from 'react'

const dot = { fill: 'currentColor', stroke: 'none' }

const drawings = {
  sessions: (
    <>
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5" />
      <path d="m4.5 6 2.2 2-2.2 2M8.5 10.2h3" />
    </>
  ),
  approvals: <path d="M4 14.5V1.5M2 14.5h4M4 3h9.5v3.5H4M10.8 3v3.5" />,
  policy: (
    <>
      <path d="M3.5 1.5v3M3.5 8v6.5M8 1.5v7M8 12v2.5M12.5 1.5v1M12.5 6v8.5" />
      <circle cx="3.5" cy="6.25" r="1.75" />
      <circle cx="8" cy="10.25" r="1.75" />
      <circle cx="12.5" cy="4.25" r="1.75" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.4 10.4 3.6 3.6" />
    </>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1" />
    </>
  ),
  screens: (
    <>
      <rect x="2" y="2.5" width="5" height="4.5" />
      <rect x="9" y="2.5" width="5" height="4.5" />
      <rect x="2" y="9" width="5" height="4.5" />
      <rect x="9" y="9" width="5" height="4.5" />
    </>
  ),
  rows: <path d="M2 3.5h12M2 8h12M2 12.5h12" />,
  more: (
    <>
      <circle cx="3.5" cy="8" r="1.2" {...dot} />
      <circle cx="8" cy="8" r="1.2" {...dot} />
      <circle cx="12.5" cy="8" r="1.2" {...dot} />
    </>
  ),
  back: <path d="M14 8H2.5M7 3.5 2.5 8 7 12.5" />,
  branch: (
    <>
      <circle cx="4.5" cy="3.25" r="1.75" />
      <circle cx="4.5" cy="12.75" r="1.75" />
      <circle cx="11.5" cy="5.25" r="1.75" />
      <path d="M4.5 5v6M11.5 7c0 2.6-7 1.4-7 4" />
    </>
  ),
  folder: <path d="M1.5 13V3h4.5l1.5 2h7v8z" />,
  terminalOnly: (
    <>
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1" />
      <path d="m4.5 6 1.8 1.8-1.8 1.8" />
    </>
  ),
  beside: (
    <>
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1" />
      <path d="M9 2.75v10.5" />
    </>
  ),
  threadOnly: (
    <>
      <rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1" />
      <path d="M4.5 6h7M4.5 8h7M4.5 10h4" />
    </>
  ),
  eye: (
    <>
      <path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="1.9" />
    </>
  ),
  keyboard: (
    <>
      <rect x="1.5" y="4" width="13" height="8.5" rx="1" />
      <path d="M4 7h.01M6.7 7h.01M9.3 7h.01M12 7h.01M5 9.8h6" />
    </>
  ),
  letters: <path d="M1.5 12 5 4l3.5 8M2.7 9.5h4.6M10 12l2.2-5 2.3 5M10.7 10.5h3" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8.5" height="8.5" rx="1" />
      <path d="M10.5 5.5V3a1 1 0 0 0-1-1H3a1 1 0 0 0-1 1v6.5a1 1 0 0 0 1 1h2.5" />
    </>
  ),
  paste: <path d="M5 3H3v11h10V3h-2M5.5 1.5h5v3h-5z" />,
  enter: <path d="M13.5 3.5V8h-10M6.5 5 3.5 8l3 3" />,
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  up: <path d="M3.5 10 8 5.5l4.5 4.5" />,
  down: <path d="M3.5 6 8 10.5 12.5 6" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  tick: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  key: (
    <>
      <circle cx="5" cy="11" r="3" />
      <path d="m7.2 8.8 6.3-6.3M11 5l2 2" />
    </>
  ),
  play: <path d="M4.5 2.8v10.4l8.5-5.2z" />,
  pause: <path d="M5.5 3v10M10.5 3v10" />,
  bell: <path d="M3.5 11.5h9c-1-1-1.3-2-1.3-4.5a3.2 3.2 0 0 0-6.4 0c0 2.5-.3 3.5-1.3 4.5zM6.8 13.5h2.4" />,
  shell: <path d="m3 4.5 3.5 3.5L3 11.5M8 12h5" />,
  edit: <path d="m10.5 2.8 2.7 2.7L5.5 13.2l-3.3.6.6-3.3z" />,
  file: <path d="M3.5 1.5h6l3 3v10h-9zM9.5 1.5v3h3" />,
  session: <path d="M1.5 4.5h4l5 7h4M5.5 4.5h9" />,
  plug: <path d="M5.5 1.5V5M10.5 1.5V5M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2.5" />,
  activity: (
    <>
      <path d="M1 4.5h14M1 11.5h14M4 4.5l4.5 7" />
      <circle cx="12" cy="4.5" r="1.4" {...dot} />
    </>
  ),
  model: <path d="M8 1.8 13.4 5v6L8 14.2 2.6 11V5zM8 8v6M8 8 2.7 5M8 8l5.3-3" />,
  repositories: (
    <>
      <circle cx="4" cy="3.25" r="1.75" />
      <circle cx="4" cy="12.75" r="1.75" />
      <circle cx="12" cy="5.25" r="1.75" />
      <path d="M4 5v6M12 7c0 2.6-8 1.4-8 4" />
    </>
  ),
  settings: (
    <>
      <circle cx="8" cy="8" r="2.25" />
      <path d="M8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4" />
    </>
  ),
  template: <path d="M2.5 2.5h11v3h-11zM2.5 8.5H7v5H2.5zM10 8.5h3.5M10 11h3.5M10 13.5h3.5" />,
  hub: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12" />
    </>
  ),
  refresh: <path d="M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 1.8v2.7h-2.7" />,
  trash: <path d="M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.7 6.5V11M9.3 6.5V11" />,
  phone: (
    <>
      <rect x="4.5" y="1.5" width="7" height="13" rx="1.5" />
      <path d="M7.3 12.3h1.4" />
    </>
  ),
  leave: <path d="M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6.5" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof drawings

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinejoin="round"
      strokeLinecap="round"
      aria-hidden="true"
    >
      {drawings[name]}
    </svg>
  )
}

/** The lamp shows the most urgent state. */
export function Logo({ size = 20, lamp }: { readonly size?: number; readonly lamp: 'go' | 'wait' | 'stop' }) {
  const wait = { fill: 'var(--wait-lamp)', stroke: 'var(--wait)', strokeWidth: 1 }
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" fill="none" aria-hidden="true">
      <path d="M1 15.5h18M4.5 15.5 10.5 7H14" stroke="currentColor" strokeWidth="2" />
      <circle cx="16" cy="7" r="3" {...(lamp === 'wait' ? wait : { fill: `var(--${lamp})` })} />
    </svg>
  )
}
