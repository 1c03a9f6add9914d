import { describeLegacyClient } from './legacy-client.ts'
import { describeModernClient } from './modern-client.ts'
import { connectV2Legacy, connectV2Modern } from './sdk-v2-client.ts'

describeLegacyClient('sdk-v2-legacy', connectV2Legacy)
describeModernClient('sdk-v2-modern', connectV2Modern)
