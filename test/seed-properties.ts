/**
 * Property tests try the same values in every run, so that a red run is the fault of the change. `PROPERTY_SEED=random`
 * looks for new ones.
 */
import fc from 'fast-check'

const { PROPERTY_SEED: seed = '2026' } = process.env
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })
