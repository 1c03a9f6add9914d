/** The limits of a message of an upstream. A message over a limit is dropped, and its call fails with the reason. */
import { deepestNesting } from '../base/json-nesting.ts'

export const defaultMaxMessageBytes = 64 * 1024 * 1024
/**
 * Values cost far more than their text: `{},` is three bytes, and an object of 28 and more. This many, in the worst
 * form, take the main thread 60 ms. Ten thousand rows of ten columns have as many.
 */
export const mostValues = 100_000
/** Shorter messages cannot have too many values, because each takes two bytes. They are parsed at once. */
export const longestParsedAtOnce = 2 * mostValues
/** Only an answer may be longer: a file that somebody asked for. A client may send the hub no longer request either. */
export const longestUnasked = 4 * 1024 * 1024
/** Of a batch. The hub sends none, so no honest answer has many messages. */
export const mostInBatch = 1_000

export const tooDeep = `a message is nested deeper than ${deepestNesting} levels and was dropped`
/** `why`: the reason of `whyTooHeavy`. */
export const tooHeavy = (why: string) => `a message was dropped, because ${why}; ask for less at once`
export const tooLongUnasked = `a message that is not an answer is longer than ${longestUnasked} bytes and was dropped`
export const tooManyInBatch = `a batch has more than ${mostInBatch} messages and was dropped`
