/**
 * The embeddings server of the settings. With it, the index also finds text by its meaning; without it, only by its
 * words.
 */
import { HubError } from '../base/hub-error.ts'
import type { Config } from '../config/config.ts'
import type { IndexesOptions } from '../index/index.ts'

export function embeddingsOf(
  config: Pick<Config, 'embeddingsUrl' | 'embeddingsModel' | 'embeddingsApiKey'>,
): IndexesOptions['embeddings'] {
  const { embeddingsUrl: url, embeddingsModel: model, embeddingsApiKey: key } = config
  if (url === undefined) return undefined
  if (model === undefined) {
    throw new HubError(
      'invalid',
      'SIGNALBOX_EMBEDDINGS_URL is set. Set SIGNALBOX_EMBEDDINGS_MODEL to the name of a model of that server too.',
    )
  }
  return { url, model, key }
}
