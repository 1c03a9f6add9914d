import { describeLegacyClient } from './legacy-client.ts'
import { connectV1 } from './sdk-v1-client.ts'

describeLegacyClient('sdk-v1', connectV1)
