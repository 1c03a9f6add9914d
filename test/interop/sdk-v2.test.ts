import { describeEveryClient } from './every-client.ts'
import { describeLegacyClient } from './legacy-client.ts'
import { describeModernClient } from './modern-client.ts'
import { connectV2Legacy, connectV2Modern } from './sdk-v2-client.ts'

describeEveryClient('SDK v2, legacy', connectV2Legacy)
describeLegacyClient('SDK v2, legacy', connectV2Legacy)

describeEveryClient('SDK v2, modern', connectV2Modern)
describeModernClient('SDK v2, modern', connectV2Modern)
