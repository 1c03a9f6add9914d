/** The largest terminal. Its screen fits in memory, and a sequence that moves all of it does not block the hub. */
export const maxSize = { cols: 500, rows: 300 } as const
