/** Whether a person or a browser may be sent to this address. Others, such as `javascript:` or `file:`, may run or show anything. */
export function isWebAddress(address: unknown): address is string {
  const protocol = typeof address === 'string' ? URL.parse(address)?.protocol : undefined
  return protocol === 'http:' || protocol === 'https:'
}
