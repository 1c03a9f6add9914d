/** Reads the text of a template file: the result is a template, or a fault with its position. */
import type { Template } from '../api/template.ts'
import { checkTemplate, describeFindings, type Finding } from './check-template.ts'
import { JsonFault, type JsonText, readJson } from './json-text.ts'

export interface TemplateFault {
  readonly line?: number
  readonly column?: number
  readonly reason: string
}

export type TemplateFileContent =
  | { readonly is: 'good'; readonly template: Template }
  | { readonly is: 'broken'; readonly fault: TemplateFault }

/** A template is looked up by its file name, so both names must be equal. */
export function readTemplateFile(text: string, name: string): TemplateFileContent {
  let json: JsonText
  try {
    json = readJson(text)
  } catch (error) {
    if (error instanceof JsonFault)
      return { is: 'broken', fault: { ...error.place, reason: `This is not JSON: ${error.message}.` } }
    throw error
  }
  const checked = checkTemplate(json.value)
  if (checked.is === 'faulty') return { is: 'broken', fault: faultOf(checked.findings, json) }
  const { template } = checked
  if (template.name === name) return { is: 'good', template }
  const message = `the file is named "${name}.json". Give both the same name`
  return { is: 'broken', fault: faultOf([{ path: ['name'], message }], json) }
}

/** The position of findings in a file that is valid JSON. */
export function locateFault(findings: readonly Finding[], text: string): TemplateFault {
  return faultOf(findings, readJson(text))
}

function faultOf(findings: readonly Finding[], json: JsonText): TemplateFault {
  return { ...json.placeOf(findings[0]?.path ?? []), reason: describeFindings(findings) }
}
