/** Arguments that several tools share. */
import { z } from 'zod'
import { withoutControls } from '../base/without-controls.ts'

export const nameArgument = z.string().min(1).max(200).describe('Name or id of the session; a name means the newest.')
export const descriptionArgument = z.string().overwrite(withoutControls).max(2_000)
export const templateArgument = z.string().max(100)

export const promptArgument = z.string().max(1_000_000).describe('Typed in when the program is ready, then Enter.')
export const agentArgsArgument = z
  .array(programText(100_000))
  .max(1_000)
  .describe('Flags for the agent of the template, such as ["--model", "opus"].')

/** Some clients send every argument, and leave unused texts empty. */
export function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}

/** For text that is passed to a program: the program would see it only up to the first NUL. */
export function programText(maxLength: number): z.ZodString {
  return z
    .string()
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'a program cannot receive a NUL character; leave it out')
}
