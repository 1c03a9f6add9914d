import { describeBridges } from './describe-bridges.ts'

// A server of both eras is used in the era of the client. So these are the same era and the other one over each transport.
describeBridges([
  { transport: 'http', era: 'both', clients: ['2025-11-25', '2026-07-28'] },
  { transport: 'stdio', era: 'both', shared: true, clients: ['2025-11-25', '2026-07-28'] },
  { transport: 'sse', era: 'legacy', clients: ['2025-11-25', '2026-07-28'] },
  { transport: 'stdio', era: 'legacy', clients: ['2026-07-28'] },
  { transport: 'http', era: 'modern', clients: ['2025-11-25'] },
])
