/** Saves a text as a file of the person. */
export function download(name: string, type: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type }))
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A spreadsheet reads a cell that begins with one of these as a formula. */
const formula = /^[=+\-@\t\r]/

export function toCsv(rows: readonly (readonly (string | number | undefined)[])[]): string {
  const cell = (value: string | number | undefined): string => {
    const text = typeof value === 'string' && formula.test(value) ? `'${value}` : String(value ?? '')
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return `${rows.map((row) => row.map(cell).join(',')).join('\n')}\n`
}
