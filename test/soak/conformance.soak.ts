/** The test of `test/gateway` with every transport and era for every client. */
import { type Bridge, describeBridges } from '../gateway/describe-bridges.ts'

const clients: Bridge['clients'] = ['2025-11-25', '2026-07-28']

describeBridges([
  { transport: 'stdio', era: 'legacy', clients },
  { transport: 'stdio', era: 'modern', clients },
  { transport: 'stdio', era: 'both', clients },
  { transport: 'stdio', era: 'both', shared: true, clients },
  { transport: 'http', era: 'legacy', clients },
  { transport: 'http', era: 'modern', clients },
  { transport: 'http', era: 'both', clients },
  { transport: 'sse', era: 'legacy', clients },
])
