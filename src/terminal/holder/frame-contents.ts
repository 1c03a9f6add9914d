/**
 * Checks what the other side of a holder's socket sends. Other programs of the same user can reach the socket, and a
 * holder may be of another version. Each function throws if the frame is invalid. Written by hand, because a library for
 * it would double the memory of a holder.
 */
import { constants } from 'node:os'
import type { Exit } from '../journal/journal-files.ts'
import type { Size } from '../pty/size.ts'
import { boundedSize } from '../pty/size.ts'
import type { Hello, InputState, RefusedInput } from './frames.ts'
import { decodeJson } from './frames.ts'

type Fields = Readonly<Record<string, unknown>>

const maxMessageLength = 2_000

export function readHello(payload: Buffer): Hello {
  const fields = fieldsOf(payload)
  const { fault, input } = fields
  return {
    protocol: countIn(fields, 'protocol'),
    version: textIn(fields, 'version'),
    pid: countIn(fields, 'pid'),
    childPid: countIn(fields, 'childPid'),
    size: boundedSize(fields['size']),
    firstOffset: countIn(fields, 'firstOffset'),
    offset: countIn(fields, 'offset'),
    answered: countIn(fields, 'answered'),
    ...(fault !== undefined && { fault: textIn(fields, 'fault') }),
    ...(input !== undefined && { input: inputStateOf(input as Fields) }),
  }
}

export function readSize(payload: Buffer): Size {
  return boundedSize(fieldsOf(payload))
}

export function readMessage(payload: Buffer): string {
  return textIn(fieldsOf(payload), 'message')
}

export function readCount(payload: Buffer, name: 'bytes' | 'from' | 'offset'): number {
  return countIn(fieldsOf(payload), name)
}

export function readSignal(payload: Buffer): NodeJS.Signals {
  const { signal } = fieldsOf(payload)
  if (typeof signal === 'string' && signal in constants.signals) return signal as NodeJS.Signals
  throw new Error('There is no such signal.')
}

export function readInputState(payload: Buffer): InputState {
  return inputStateOf(fieldsOf(payload))
}

export function readRefusedInput(payload: Buffer): RefusedInput {
  const fields = fieldsOf(payload)
  return { sequence: countIn(fields, 'sequence'), message: textIn(fields, 'message') }
}

export function readExit(payload: Buffer): Exit {
  return exitOf(fieldsOf(payload))
}

export function exitOf(value: unknown): Exit {
  const fields = (value ?? {}) as Fields
  const { code, signal, reason, isReleased } = fields
  return {
    offset: countIn(fields, 'offset'),
    code: code === null ? null : countIn(fields, 'code'),
    signal: signal === null ? null : textIn(fields, 'signal'),
    ...(reason !== undefined && { reason: textIn(fields, 'reason') }),
    ...(isReleased === true && { isReleased }),
  }
}

function inputStateOf(fields: Fields): InputState {
  return {
    sequence: countIn(fields, 'sequence'),
    unreadBytes: countIn(fields, 'unreadBytes'),
    isClosed: fields['isClosed'] === true,
  }
}

function fieldsOf(payload: Buffer): Fields {
  const value = decodeJson(payload)
  if (typeof value === 'object' && value !== null) return value as Fields
  throw new Error('A frame has no fields.')
}

function countIn(fields: Fields, name: string): number {
  const value = fields[name]
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number
  throw new Error(`"${name}" is not a number of a frame.`)
}

function textIn(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value.slice(0, maxMessageLength)
  throw new Error(`"${name}" is not a text.`)
}
