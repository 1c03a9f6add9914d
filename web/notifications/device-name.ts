const browsers = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const systems = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

/** `Chrome on Android`, by which a person tells devices apart. */
export function deviceName(userAgent: string): string {
  const find = (names: readonly (readonly [RegExp, string])[]) => names.find(([mark]) => mark.test(userAgent))?.[1]
  return [find(browsers) ?? 'A browser', find(systems)].filter(Boolean).join(' on ')
}
