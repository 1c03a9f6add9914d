/** The title of a test that stands for others, which did not run because a system program is missing. */
export function notRunTitle(program: string, fromPackage: string): string {
  return `not run: ${program} is missing, from the package ${fromPackage}`
}

/** The package that would run the tests. `undefined`: the title of another test. */
export function missingPackage(title: string): string | undefined {
  return /^not run: .* is missing, from the package (?<name>\S+)$/.exec(title)?.groups?.['name']
}
