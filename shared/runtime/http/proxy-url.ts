/**
 * The URL of an HTTP proxy as a variable of the environment names it: `proxy:3128` is
 * http://proxy:3128, as everywhere. Undefined where it names none.
 */
export function proxyUrlOf(value: string): string | undefined {
  const url = value.includes('://') ? value : `http://${value}`;
  return /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}
