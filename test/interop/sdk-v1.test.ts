import { describeEveryClient } from './every-client.ts'
import { describeLegacyClient } from './legacy-client.ts'
import { connectV1 } from './sdk-v1-client.ts'

describeEveryClient('SDK v1', connectV1)
describeLegacyClient('SDK v1', connectV1)
